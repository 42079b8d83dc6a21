"""No tenant sees, or learns of, another: whatever is published, revoked and passed around, against a model.

Hypothesis lets operators, sources and access rules do anything in any order, while the server is begun anew on its log
now and then, and has memory for few layers. All callers ask the same questions, with tokens, page tokens, digests,
request ids and names that others of them got. Two things are held after each answer:

- It is what the model says (`tests/simulators/tenants_model.py`): names, descriptions, bodies, assets, counts, reasons;
  and what must look alike is the same to the byte.
- Each text that is published is full of secrets of its own. None gets anywhere but into an answer whose state shows
  that text to that caller: no other response, error, metadata of a call, line of the log from the level info on, and no
  label of a metric (of which there are none yet: `labels_of_metrics` is where they will be read). No principal of
  another is ever named, and no project that was not asked for.

Questions come one after another here; what happens at once is for `test_generations_race.py` and its like.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from skillsource.v1 import admin_pb2
from skillsource.v1 import skill_source_pb2 as pb
from typing_extensions import override

from skillsvc.domain.partition import Partition
from skillsvc.service.roles import OPERATORS
from tests.integration.admin_in_process import request_of
from tests.integration.many_tenants import OPERATOR, Lines
from tests.integration.tenants_cast import (
    AIMS,
    ALICE,
    ALICE_PLUM,
    ALLOW,
    BOB,
    CALLERS,
    CAROL,
    EVERYBODY,
    FED,
    GRANT,
    GRANTS,
    HELD_LAYERS,
    INVOKERS,
    NAME,
    NUMBER,
    OTHERWISE,
    OWN_NAME,
    OWN_SOURCE,
    PAST,
    PROJECT,
    PROJECTS,
    SELDOM,
    SHARED,
    SOME_NAMES,
    VERSION,
    WHOSE,
    Aim,
    Asked,
)
from tests.integration.tenants_judged import Judged, named, qualified, sha256
from tests.simulators.authority import Authority
from tests.simulators.tenants_model import LEARNED, OF_ALL, Grant, Listing, Refused, Sight, Text, Whose, mark

# With few examples among the tests of real servers, with many among those of properties.
pytestmark = pytest.mark.property

_CHANGES_BETWEEN_STARTS = 4
_SAID = {
    True: admin_pb2.ENABLEMENT_STATE_ENABLED,
    False: admin_pb2.ENABLEMENT_STATE_DISABLED,
    None: admin_pb2.ENABLEMENT_STATE_INHERITED,
}
_AT_MOST = 200
"""Houses: each is a server on a log, and some seven hundred calls."""


class Tenants(Judged, RuleBasedStateMachine):
    """All that may happen, and all that may be asked."""

    def __init__(self, folder: Path, authority: Authority, lines: Lines) -> None:
        RuleBasedStateMachine.__init__(self)
        Judged.__init__(self, folder, authority, lines)

    @override
    def teardown(self) -> None:
        self.end()

    # What operators, sources and rules do.

    @initialize()
    def fill(self) -> None:
        """Let everybody have something, of names that clash and of one's own; a team and a project have nothing yet."""
        self.publish(names=frozenset("ab"), spare=frozenset("a"), version=1, unseen=False)
        for whose in FED:
            self.feed(whose=whose, names=frozenset("acd"), version=1, unseen=False)
        self.refresh(layers=[ALICE, BOB], names=frozenset("bcd"), version=1, number=2)
        self.refresh(layers=[ALICE_PLUM, CAROL], names=frozenset("cd"), version=1, number=None)
        for project in PROJECTS:
            for caller in CALLERS:
                self.list_as(caller, Listing(project), size=1)

    @rule(names=SOME_NAMES, spare=SOME_NAMES, version=VERSION, unseen=st.booleans())
    def publish(self, names: frozenset[str], spare: frozenset[str], version: int, *, unseen: bool) -> None:
        texts = [Text(OF_ALL, "main", name, version) for name in names]
        texts += [Text(OF_ALL, "spare", name, version, shadowed=name in names) for name in spare]
        self._feed(OF_ALL, texts, "main" if unseen else "")

    @rule(whose=st.sampled_from(FED), names=SOME_NAMES, version=VERSION, unseen=st.booleans())
    def feed(self, whose: Whose, names: frozenset[str], version: int, *, unseen: bool) -> None:
        source = OWN_SOURCE[whose]
        self._feed(
            whose, [Text(whose, source, name, version) for name in {*names, OWN_NAME[whose]}], source if unseen else ""
        )

    def _feed(self, whose: Whose, texts: Sequence[Text], unseen: str) -> None:
        self.house.feed(Partition(*whose), texts, unseen=unseen)
        self.model.publish(whose, texts, unseen=bool(unseen))
        self.look_around()

    @rule(layers=HELD_LAYERS, names=SOME_NAMES, version=VERSION, number=NUMBER, clear=SELDOM)
    def refresh_or_clear(
        self, layers: list[Whose], names: frozenset[str], version: int, number: int | None, *, clear: bool
    ) -> None:
        if clear:
            self.clear(layers, number)
        else:
            self.refresh(layers, names, version, number)

    def refresh(self, layers: list[Whose], names: frozenset[str], version: int, number: int | None) -> None:
        held = {
            whose: [Text(whose, LEARNED, name, version) for name in sorted({*names, OWN_NAME[whose]})]
            for whose in layers
        }
        contents = [
            admin_pb2.PartitionContent(
                partition=named(whose),
                skills=[
                    admin_pb2.LearnedSkill(name=text.name, description=text.description, body=text.body)
                    for text in texts
                ],
                log_generation=number,
            )
            for whose, texts in held.items()
        ]
        answer = self.operate(
            admin_pb2.RefreshPartitionsRequest(partitions=contents), admin_pb2.RefreshPartitionsResponse
        )
        self._came(answer.partitions, held, number)

    def clear(self, layers: list[Whose], number: int | None) -> None:
        emptied = [admin_pb2.PartitionEmptied(partition=named(whose), log_generation=number) for whose in layers]
        answer = self.operate(admin_pb2.ClearPartitionsRequest(partitions=emptied), admin_pb2.ClearPartitionsResponse)
        self._came(answer.partitions, {whose: [] for whose in layers}, number)

    def _came(
        self, outcomes: Sequence[admin_pb2.PartitionOutcome], held: dict[Whose, list[Text]], number: int | None
    ) -> None:
        # All of one call are judged by the deployment's layer, which none of them changes.
        for outcome, (whose, texts) in zip(outcomes, held.items(), strict=True):
            verdict, conflicts, revoked = self.model.refresh(whose, texts, number)
            assert admin_pb2.PartitionVerdict.Name(outcome.verdict) == f"PARTITION_VERDICT_{verdict}"
            assert (list(outcome.conflicts), list(outcome.revoked)) == (conflicts, revoked)
            assert outcome.generation.sequence == self.model.layers[whose].present.sequence
        self.look_around()

    @rule(whose=WHOSE, name=NAME, lift=SELDOM, then=st.sampled_from(("", "publish", "restart")), version=VERSION)
    def revoke_or_lift(self, whose: Whose, name: str, then: str, version: int, *, lift: bool) -> None:
        """Revoke a name, and maybe let whoever has the layer bring it back; to a server begun anew, too."""
        if lift:
            request: Message = admin_pb2.LiftRevokeRequest(partition=named(whose), name=name)
            self._changed(request, admin_pb2.LiftRevokeResponse, lambda: self.model.lift(whose, name))
        else:
            request = admin_pb2.RevokeSkillRequest(partition=named(whose), name=name)
            self._changed(request, admin_pb2.RevokeSkillResponse, lambda: self.model.revoke(whose, name))
        if then == "restart":
            self.restart()
        if then:
            self._bring_back(whose, version)

    def _bring_back(self, whose: Whose, version: int) -> None:
        names = frozenset(SHARED)
        if whose == OF_ALL:
            self.publish(names=names, spare=frozenset(), version=version, unseen=False)
        elif whose in FED:
            self.feed(whose=whose, names=names, version=version, unseen=False)
        else:
            self.refresh([whose], names, version, None)

    def _changed(self, request: Message, into: type[Any], change: Callable[[], bool]) -> None:
        told = self.run(self.house.ask_as_operator(OPERATOR, request))
        try:
            changed = change()
        except Refused as refused:
            self.is_refused(told, refused, "")
            return
        assert into.FromString(told.answer).changed == changed
        self.look_around()

    @rule(
        whose=WHOSE,
        names=st.lists(NAME, min_size=1, max_size=2, unique=True),
        on=st.sampled_from((False, False, True, None)),
        session=st.sampled_from(("", "", "", "of nobody")),
    )
    def say_what_is_on(self, whose: Whose, names: list[str], session: str, *, on: bool | None) -> None:
        """Switch names off or on, for all or for some; what is said to a label that nobody names changes nothing."""
        request = admin_pb2.SetEnablementRequest(partition=named(whose), names=names, session=session, state=_SAID[on])
        changed = self.operate(request, admin_pb2.SetEnablementResponse).changed
        if not session:
            assert list(changed) == self.model.say(whose, names, on=on)
        self.look_around()

    @rule(caller=st.sampled_from(CALLERS), grant=GRANT, own=st.booleans(), gone=SELDOM)
    def change_a_rule(self, caller: str, grant: Grant, *, own: bool, gone: bool) -> None:
        before = GRANTS[caller]
        if own and before is not None:
            grant = grant._replace(principal=before.principal)
        self.rule_all({**self.model.grants, caller: None if gone else grant})
        self.look_around()

    @precondition(lambda self: self.changed >= _CHANGES_BETWEEN_STARTS)
    @rule()
    def restart(self) -> None:
        self.changed = 0
        self.run(self.house.stop())
        self.run(self.house.start())
        self.model.restart()
        self.look_around()

    # What everybody asks.

    def look_around(self) -> None:
        """Let everybody ask of the state that was told before, and of the present one."""
        self.changed += 1
        for caller in CALLERS:
            token, page = self.latest.get(caller, ("", ""))
            if token:
                self.list_as(caller, Listing(""), token=token)
            if page:
                self.list_as(caller, Listing(""), page=page)
            # Now whole, now the first of pages that somebody may go on with.
            self.list_as(caller, Listing(""), size=self.changed % 2)

    @rule(
        project=PROJECT,
        allow=ALLOW,
        or_else=ALLOW,
        full=st.booleans(),
        invoker=st.sampled_from(sorted(INVOKERS)),
        collection=st.sampled_from(("", "", "lab", *(f"lab-{mark(whose)}" for whose in (OF_ALL, *FED)))),
        held=PAST,
        size=st.integers(0, 2),
        token=PAST,
        exactly=st.booleans(),
    )
    def everybody_lists(
        self,
        *,
        project: str,
        allow: frozenset[str] | None,
        or_else: frozenset[str] | None,
        full: bool,
        invoker: str,
        collection: str,
        held: int | None,
        size: int,
        token: int | None,
        exactly: bool,
    ) -> None:
        listing = Listing(project, allow, full, invoker, collection, self.digests.past(held))
        state = self.tokens.past(token)
        for caller in EVERYBODY:
            for each in (listing, listing._replace(allow=or_else)):
                self.list_as(caller, each, size=size, token=state, exactly=exactly)

    @rule(page=st.integers(0, 9), size=st.integers(0, 2), token=PAST, other=st.sampled_from(({}, *OTHERWISE)))
    def everybody_goes_on(self, page: int, size: int, token: int | None, other: dict[str, Any]) -> None:
        """Ask for the page after one that somebody got; with what was asked then, or something else."""
        after = self.pages.past(page)
        state = self.tokens.past(token)
        listing = self.pages.values[after].listing._replace(**other)
        for caller in CALLERS:
            self.list_as(caller, listing, size=size, page=after, token=state)

    @rule(aims=AIMS, held=st.booleans())
    def everybody_reads(self, aims: list[Aim], *, held: bool) -> None:
        """Read a body, an inventory and an asset, by the name that a text has, maybe with digests of that very text."""
        for aim in aims:
            asked, aimed = self.asked_of(aim)
            scope = self.scope(asked.project, asked.allow, asked.token, exactly=asked.exactly)
            name = qualified(asked.name, asked.source)
            asset, data = next(iter(sorted(aimed.assets.items())), ("notes.txt", b""))
            digests = (sha256(aimed.body.encode()), sha256(data)) if held else ("", "")
            for caller in CALLERS:

                def find(caller: str = caller, asked: Asked = asked) -> tuple[Sight, Text]:
                    sight = self.see(caller, asked.project, asked.token, exactly=asked.exactly)
                    return sight, self.model.find(sight, asked.name, asked.source, asked.allow)

                self.read_body(caller, pb.SkillBodyRequest(name=name, if_none_match=digests[0], **scope), find)
                self.read_assets(caller, pb.ListAssetsRequest(name=name, **scope), find)
                request = pb.ReadAssetRequest(skill=name, asset=asset, if_none_match=digests[1], **scope)
                self.read_asset(caller, request, find)

    @rule(aims=AIMS, invoker=st.sampled_from(sorted(INVOKERS)), limit=st.sampled_from((0, 1, 50)), bodies=st.booleans())
    def everybody_searches(self, aims: list[Aim], *, invoker: str, limit: int, bodies: bool) -> None:
        """Search for the secret of a text, which nothing else says, for a word that all say, and for both."""
        for aim in aims:
            asked, aimed = self.asked_of(aim)
            listing = Listing(asked.project, asked.allow, invoker=invoker)
            for query, sought, beside in (
                (aimed.secret, aimed, None),
                ("Version", None, None),
                ("Version", None, aimed),
            ):
                for caller in CALLERS:
                    self.search_as(
                        caller, listing, query, sought, limit=limit, bodies=bodies, asked=asked, beside=beside
                    )

    @rule(aims=AIMS, by_query=st.booleans())
    def everybody_renders(self, aims: list[Aim], *, by_query: bool) -> None:
        """Render the catalog by name or for the secret of a text, each with the digest of what the one before got."""
        for aim in aims:
            asked, aimed = self.asked_of(aim)
            listing = Listing(asked.project, asked.allow, invoker="model")
            held = ""
            for caller in CALLERS:
                held = self.render_as(caller, listing, aimed.secret if by_query else "", held=held, asked=asked) or held

    @rule(aims=AIMS, limit=st.sampled_from((0, 1, 2, 50)))
    def everybody_seeks_capabilities(self, aims: list[Aim], *, limit: int) -> None:
        """Search for the secret of a text, and for what all descriptions say, each with a tool of one's own."""
        for aim in aims:
            asked, aimed = self.asked_of(aim)
            listing = Listing(asked.project, asked.allow)
            for query, sought in ((aimed.secret, aimed), ("OF ", None)):
                for caller in CALLERS:
                    self.capabilities_as(caller, listing, query, sought, limit=limit, asked=asked)

    @rule(
        aims=AIMS,
        request_id=st.sampled_from(("", "x", "x", "y")),
        twice=st.booleans(),
        change=st.none() | WHOSE,
        version=VERSION,
    )
    def everybody_activates(
        self, *, aims: list[Aim], request_id: str, twice: bool, change: Whose | None, version: int
    ) -> None:
        """Activate by the names that texts have; maybe once more, maybe after some layer has become another."""
        for aim in aims:
            asked, aimed = self.asked_of(aim)
            self.asked.append((asked, request_id))
            self.activate(asked, request_id)
            if twice:
                if change is not None:
                    self._bring_back(aimed.whose if aimed.whose in self.model.layers else change, version)
                self.activate(asked, request_id)

    @rule(past=st.integers(0, 4), change=st.none() | WHOSE, version=VERSION)
    def everybody_activates_again(self, past: int, change: Whose | None, version: int) -> None:
        """Send a request again with the id that it had, maybe after some layer has become another."""
        if change is not None:
            self._bring_back(change, version)
        if self.asked:
            self.activate(*self.asked[-1 - past % len(self.asked)])

    def activate(self, asked: Asked, request_id: str) -> None:
        scope = self.scope(asked.project, asked.allow, asked.token, exactly=asked.exactly)
        request = pb.ActivateRequest(name=qualified(asked.name, asked.source), request_id=request_id, **scope)
        for caller in CALLERS:

            def begin(caller: str = caller) -> tuple[Sight, Text, str]:
                sight = self.see(caller, asked.project, asked.token, exactly=asked.exactly)
                return self.model.activate(
                    sight, asked.name, asked.source, asked.allow, request_id=request_id, asked=asked
                )

            told = self.run(self.house.ask(caller, request))
            expected = self.expected(caller, request, told, begin)
            if expected is None:
                continue
            sight, text, known = expected
            answer = pb.ActivateResponse.FromString(told.answer)
            self.is_of(answer.generation, sight)
            assert answer.text.startswith(f"Skill: {text.name}\n")
            assert answer.text.endswith(f"\n{text.body}")
            assert (answer.name, answer.body_digest) == (text.name, sha256(text.body.encode()))
            assert [asset.name for asset in answer.assets] == sorted(text.assets)
            if known:
                assert answer.activation_id == known
                continue
            assert answer.activation_id not in self.begun
            self.begun[answer.activation_id] = (sight.seal.principal, sight.seal.project)
            if request_id:
                self.model.note(sight, request_id, asked, answer.activation_id)

    @rule(
        project=PROJECT,
        allow=ALLOW,
        or_else=ALLOW,
        token=st.integers(0, 5),
        own=st.sampled_from((True, True, False)),
    )
    def everybody_watches(
        self,
        *,
        project: str,
        allow: frozenset[str] | None,
        or_else: frozenset[str] | None,
        token: int,
        own: bool,
    ) -> None:
        """Watch since a state that was told oneself, which may well be retained, or anybody."""
        for caller in CALLERS:
            since = self.own_past(caller, project, token) if own else self.tokens.past(token)
            for listing in (Listing(project, allow), Listing(project, or_else)):
                self.watch_as(caller, listing, since)

    @rule(
        aims=AIMS,
        past=st.integers(0, 9),
        # Few, so that some are told again, and some never.
        learner=st.sampled_from(CALLERS),
        success=st.booleans(),
    )
    def everybody_learns(self, *, aims: list[Aim], past: int, learner: str, success: bool) -> None:
        """Tell how a skill did at a task of one's own, and with an activation of somebody's; ask at somebody's task."""
        for aim in aims:
            asked, _aimed = self.asked_of(aim)
            scope = self.scope(asked.project, asked.allow, asked.token, exactly=asked.exactly)
            name = qualified(asked.name, asked.source)
            ids = sorted(self.begun)
            activation = ids[-1 - past % len(ids)] if ids else "id-0"
            for caller in CALLERS:
                self.report_as(
                    caller,
                    asked,
                    pb.ReportOutcomeRequest(skill=name, task=f"[{caller}]", success_rate=success, **scope),
                )
                self.report_foreign_as(
                    caller, asked, pb.ReportOutcomeRequest(activation_id=activation, success_rate=success, **scope)
                )
            for caller in CALLERS:
                for whose in {caller, learner}:
                    self.match_as(caller, asked, pb.BestMatchRequest(task=f"[{whose}]", **scope))

    def report_as(self, caller: str, asked: Asked, request: pb.ReportOutcomeRequest) -> None:
        def learn() -> tuple[Sight, bool]:
            sight = self.see(caller, asked.project, asked.token, exactly=asked.exactly, role="reporter")
            text = self.model.find(sight, asked.name, asked.source, asked.allow)
            return sight, sight.find(asked.name, "") is text

        told = self.run(self.house.ask(caller, request))
        expected = self.expected(caller, request, told, learn)
        if expected is not None:
            sight, recorded = expected
            answer = pb.ReportOutcomeResponse.FromString(told.answer)
            self.is_of(answer.generation, sight)
            assert answer.recorded == recorded
            if recorded:
                self.model.learn(sight, asked.name, request.task)

    def report_foreign_as(self, caller: str, asked: Asked, request: pb.ReportOutcomeRequest) -> None:
        """Tell of an activation where it is another's, or nobody's: that is told like a skill that is not there."""
        if any(
            (principal, asked.project) == self.begun.get(request.activation_id)
            for principal in self.principal_of(caller)
        ):
            return

        def refused() -> bool:
            self.see(caller, asked.project, asked.token, exactly=asked.exactly, role="reporter")
            raise Refused("SKILL_NOT_FOUND")

        assert self.expected(caller, request, self.run(self.house.ask(caller, request)), refused) is None

    def match_as(self, caller: str, asked: Asked, request: pb.BestMatchRequest) -> None:
        def best() -> tuple[Sight, str]:
            sight = self.see(caller, asked.project, asked.token, exactly=asked.exactly)
            return sight, self.model.best_match(sight, request.task, asked.allow)

        told = self.run(self.house.ask(caller, request))
        expected = self.expected(caller, request, told, best)
        if expected is not None:
            sight, name = expected
            answer = pb.BestMatchResponse.FromString(told.answer)
            self.is_of(answer.generation, sight)
            assert (answer.found, answer.skill) == (bool(name), name)
            assert answer.task_pattern == (request.task if name else "")

    @rule(whose=WHOSE, operators=st.sampled_from([method.name for method in OPERATORS.methods]))
    def everybody_asks_what_is_not_answered(self, *, whose: Whose, operators: str) -> None:
        """Ask what the server is, and what operators alone may."""
        change: Any = request_of(operators)
        if "partition" in change.DESCRIPTOR.fields_by_name:
            change.partition.CopyFrom(named(whose))
        for caller in EVERYBODY:

            def info(caller: str = caller) -> bool:
                return bool(self.model.judge(caller, ""))

            def no_operator(caller: str = caller) -> bool:
                return bool(self.model.judge(caller, "admin"))

            about = pb.GetServerInfoRequest()
            told = self.run(self.house.ask(caller, about))
            if self.expected(caller, about, told, info) is not None:
                assert pb.GetServerInfoResponse.FromString(told.answer).features
            told = self.run(self.house.ask_as_operator(caller, change))
            assert self.expected(caller, change, told, no_operator) is None
            elsewhere = self.run(self.house.ask_as_operator(caller, change, elsewhere=True))
            assert elsewhere.refusal is not None
            assert elsewhere.refusal.code is grpc.StatusCode.UNIMPLEMENTED
            self.holds_nothing(elsewhere, caller, change, None)

    @rule(name=NAME, project=PROJECT, caller=st.sampled_from(("", "forger")), token=PAST)
    def nobody_is_told_anything(self, name: str, project: str, caller: str, token: int | None) -> None:
        scope = self.scope(project, None, self.tokens.past(token))
        for request in (
            pb.ListSkillsRequest(**scope),
            pb.SkillBodyRequest(name=name, **scope),
            pb.ListAssetsRequest(name=name, **scope),
            pb.ReadAssetRequest(skill=name, asset="notes.txt", **scope),
            pb.ActivateRequest(name=name, request_id="x", **scope),
            pb.SearchSkillsRequest(query=name, **scope),
            pb.RenderCatalogRequest(query=name, **scope),
            pb.SearchCapabilitiesRequest(query=name, tools=[pb.OfferedTool(name=name)], **scope),
            pb.GetServerInfoRequest(),
        ):
            told = self.run(self.house.ask(caller, request))
            assert self.expected(caller, request, told, lambda: self.model.judge(caller)) is None


@pytest.fixture
def lines() -> Iterator[Lines]:
    """Hear what is logged, in place of the report of a test: there are thousands of lines of the audit."""
    heard, ours = Lines(), logging.getLogger("skillsvc")
    loggers = (logging.getLogger(), ours)
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.addHandler(heard)
        logger.setLevel(logging.INFO)
    ours.propagate = False
    yield heard
    ours.propagate = True
    for logger, level in zip(loggers, before, strict=True):
        logger.setLevel(level)
        logger.removeHandler(heard)


@pytest.mark.timeout(600)
def test_whatever_happens_each_caller_is_told_what_is_its_own_and_nothing_of_another(
    tmp_path_factory: pytest.TempPathFactory, lines: Lines
) -> None:
    authority = Authority()
    many = settings().max_examples
    run_state_machine_as_test(
        lambda: Tenants(tmp_path_factory.mktemp("house"), authority, lines),  # type: ignore[arg-type] # makes one
        settings=settings(
            max_examples=min(many, _AT_MOST),
            deadline=None,
            stateful_step_count=40,
            suppress_health_check=list(HealthCheck),
        ),
    )
