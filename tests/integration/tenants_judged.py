"""What many tenants are told, held against the model of it, and looked through for what is not theirs."""

import asyncio
import hashlib
import logging
import re
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from google.protobuf.message import Message
from skillsource.v1 import admin_pb2, skill_pb2
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition
from tests.integration.in_process import World
from tests.integration.many_tenants import OPERATOR, House, Lines, Told, labels_of_metrics, words_of
from tests.integration.tenants_cast import (
    CALLERS,
    FED,
    GRANTS,
    INVOKERS,
    OWN_SOURCE,
    PRINCIPALS,
    PROJECTS,
    TEAM,
    Aim,
    Asked,
)
from tests.simulators.authority import Authority
from tests.simulators.tenants_model import (
    LEARNED,
    MARKS,
    OF_ALL,
    Grant,
    Listing,
    Model,
    Page,
    Refused,
    Seal,
    Sight,
    Text,
    Whose,
    changes,
    mark,
)

_Value = TypeVar("_Value")
_Expected = TypeVar("_Expected")
_SAID_ELSEWHERE = ("version", "document_digest", "document_bytes", "readiness", "network")
_FULL = (*_SAID_ELSEWHERE, "source", "collection", "body_bytes", "asset_count")
"""What a list of the view FULL tells beside; what some of it is, other tests say."""


class Names(Generic[_Value]):
    """What the server calls a value: one name for each, and none for two."""

    def __init__(self) -> None:
        self.values: dict[str, _Value] = {}
        self._names: dict[_Value, str] = {}

    def agree(self, name: str, value: _Value) -> None:
        assert self.values.setdefault(name, value) == value
        assert self._names.setdefault(value, name) == name

    def past(self, at: int | None) -> str:
        """Return a name that was told before, "" for none."""
        told = list(self.values)
        return "" if at is None or not told else told[-1 - at % len(told)]


class Judged:
    """The server, the model, and all that was told."""

    def __init__(self, folder: Path, authority: Authority, lines: Lines) -> None:
        self.loop = asyncio.Runner()
        self.lines = lines
        # Of three layers in memory one has to go, so that most are brought in again and again.
        limits = Limits(retained_generations=3, retained_at_most=3, resident_layer_bytes=30_000)
        fed = [Partition(*whose) for whose in FED]
        self.house = House(folder, authority, callers=CALLERS, fed=fed, world=World(limits=limits))
        self.model = Model(fed=FED, retained=limits.retained_generations)
        self.tokens: Names[Seal] = Names()
        self.pages: Names[Page] = Names()
        self.digests: Names[tuple[tuple[Text, bool], ...]] = Names()
        self.contents: Names[Text] = Names()
        self.alike: dict[tuple[str, str], bytes] = {}
        self.scores: dict[object, tuple[tuple[str, float], ...]] = {}
        self.rendered: dict[str, list[str]] = {}
        self.begun: dict[str, tuple[str, str]] = {}
        self.asked: list[tuple[Asked, str]] = []
        self.changed = 0
        self.latest: dict[str, tuple[str, str]] = {}
        self.run(self.house.start())
        self.rule_all(GRANTS)

    def run(self, work: Coroutine[Any, Any, _Value]) -> _Value:
        return self.loop.run(work)

    def end(self) -> None:
        self.run(self.house.stop())
        self.loop.close()
        self.listen()

    def rule_all(self, grants: dict[str, Grant | None]) -> None:
        self.house.rule(grants)
        self.model.grants = grants

    def list_as(
        self, caller: str, listing: Listing, *, size: int = 0, page: str = "", token: str = "", exactly: bool = True
    ) -> None:
        request = pb.ListSkillsRequest(
            page_size=size,
            page_token=page,
            view=pb.SKILL_VIEW_FULL if listing.full else pb.SKILL_VIEW_BASIC,
            invocation=INVOKERS[listing.invoker],
            collection=listing.collection,
            if_none_match=listing.held,
            **self.scope(listing.project, listing.allow, token, exactly=exactly),
        )
        of_token = self.tokens.values.get(token)
        states = (of_token, None) if exactly else (None, of_token)

        def listed() -> tuple[Sight, list[Text]]:
            if page:
                return self.model.further(caller, listing, self.pages.values[page], of_token)
            return self.model.first(caller, listing, *states)

        told = self.run(self.house.ask(caller, request))
        expected = self.expected(caller, request, told, listed)
        if expected is None:
            return
        sight, texts = expected
        answer = pb.ListSkillsResponse.FromString(told.answer)
        if answer.not_modified:
            assert not page
            assert self.digests.values[listing.held] == tuple(sight.rows())
            assert answer == pb.ListSkillsResponse(generation=answer.generation, not_modified=True)
            self.is_of(answer.generation, sight)
            return
        seal = self.is_of(answer.generation, sight)
        assert page or not listing.held or answer.generation.digest != listing.held
        shown = texts[: size or None]
        self.are_told(answer.skills, shown, full=listing.full)
        assert answer.total_size == len(self.model.select(sight, listing))
        assert bool(answer.next_page_token) == (len(shown) < len(texts))
        if answer.next_page_token:
            self.pages.agree(answer.next_page_token, Page(seal, listing, shown[-1].name))
        if listing == Listing("") and not page:
            self.latest[caller] = (answer.generation.token, answer.next_page_token)
        counts = {text.collection: 0 for text in texts if text.collection and not page}
        for text in texts:
            if text.collection in counts:
                counts[text.collection] += 1
        assert {each.id: each.count for each in answer.collections} == counts

    def search_as(
        self,
        caller: str,
        listing: Listing,
        query: str,
        sought: Text | None,
        *,
        limit: int,
        bodies: bool,
        asked: Asked,
        beside: Text | None = None,
    ) -> None:
        """Search for what one text says alone, or for what all say where none is sought.

        Of the latter the query may have a word more, which one text `beside` has alone: that changes nothing for those
        who do not see that text.
        """
        request = pb.SearchSkillsRequest(
            query=query if beside is None else f"{query} {beside.secret}",
            limit=limit,
            body_bytes=1024 * 1024 if bodies else 0,
            invocation=INVOKERS[listing.invoker],
            **self.scope(listing.project, listing.allow, asked.token, exactly=asked.exactly),
        )

        def found() -> tuple[Sight, list[Text]]:
            sight = self.see(caller, listing.project, asked.token, exactly=asked.exactly)
            return sight, self.model.select(sight, listing)

        told = self.run(self.house.ask(caller, request))
        expected = self.expected(caller, request, told, found)
        if expected is None:
            return
        sight, texts = expected
        answer = pb.SearchSkillsResponse.FromString(told.answer)
        self.is_of(answer.generation, sight)
        by_name = {text.name: text for text in texts if sought is None or text.secret == sought.secret}
        names = [hit.skill.name for hit in answer.hits]
        assert len(names) == len(set(names)) == min(limit or 5, len(by_name))
        shown = [by_name[name] for name in names]
        self.are_told([hit.skill for hit in answer.hits], shown)
        for hit, text in zip(answer.hits, shown, strict=True):
            assert hit.body == (text.body if bodies else "")
            assert hit.snippet == text.body
            assert "body" in hit.matched
        # What is counted is of this view alone: the same one is told the same, whatever others have meanwhile.
        scores = tuple((hit.skill.name, hit.score) for hit in answer.hits)
        seen = tuple(sight.listed())
        asked_for = request.query if beside in seen else query
        key = (answer.engine, asked_for, limit, listing, seen, tuple(sight.counted()))
        assert self.scores.setdefault(key, scores) == scores

    def capabilities_as(
        self, caller: str, listing: Listing, query: str, sought: Text | None, *, limit: int, asked: Asked
    ) -> None:
        """Search as `search_as` does for what one text says alone, or for what all say, as does a tool of one's own."""
        own = f"tool-of-{caller}"
        request = pb.SearchCapabilitiesRequest(
            query=query,
            limit=limit,
            tools=[pb.OfferedTool(name=own, description="Its own.")],
            **self.scope(listing.project, listing.allow, asked.token, exactly=asked.exactly),
        )

        def found() -> tuple[Sight, list[Text]]:
            sight = self.see(caller, listing.project, asked.token, exactly=asked.exactly)
            return sight, self.model.select(sight, listing)

        told = self.run(self.house.ask(caller, request))
        expected = self.expected(caller, request, told, found)
        if expected is None:
            return
        sight, texts = expected
        answer = pb.SearchCapabilitiesResponse.FromString(told.answer)
        self.is_of(answer.generation, sight)
        shown = [text for text in texts if sought is None or text.secret == sought.secret]
        whole = [
            *((pb.CAPABILITY_KIND_TOOL, own, "Its own.") for _ in range(sought is None)),
            *((pb.CAPABILITY_KIND_SKILL, text.name, text.description) for text in shown if text.for_models),
            *((pb.CAPABILITY_KIND_COMMAND, text.name, text.description) for text in shown),
        ]
        assert [(each.kind, each.name, each.description) for each in answer.results] == whole[: limit or 20]

    def render_as(self, caller: str, listing: Listing, query: str, *, held: str, asked: Asked) -> str:
        """Render the catalog, and return the digest of the text, "" where there was none.

        `held` is the digest of a text, which may be another's: it is nobody's whose text has another one.
        """
        request = pb.RenderCatalogRequest(
            format=pb.CATALOG_FORMAT_LINES,
            query=query,
            if_none_match=held,
            **self.scope(listing.project, listing.allow, asked.token, exactly=asked.exactly),
        )

        def found() -> tuple[Sight, list[Text]]:
            sight = self.see(caller, listing.project, asked.token, exactly=asked.exactly)
            return sight, self.model.select(sight, listing)

        told = self.run(self.house.ask(caller, request))
        expected = self.expected(caller, request, told, found)
        if expected is None:
            return ""
        sight, texts = expected
        answer = pb.RenderCatalogResponse.FromString(told.answer)
        self.is_of(answer.generation, sight)
        counts = Counter(text.collection for text in texts if text.collection)
        lines = [
            f"(collection of {count}) {id_}: Skills of the collection {id_}: {count}" for id_, count in counts.items()
        ]
        lines += [f"{text.name}: {text.description}" for text in texts if not text.collection]
        if answer.not_modified:
            assert answer == pb.RenderCatalogResponse(generation=answer.generation, digest=held, not_modified=True)
            assert self.rendered[held] == sorted(lines)
            return held
        assert answer.digest == sha256(answer.text.encode())
        assert sorted(answer.text.splitlines()) == sorted(lines or ["(no skills are available)"])
        assert sorted(each.name for each in answer.omitted) == [text.name for text in texts if text.collection]
        assert (answer.shown, answer.total) == (len(texts) - counts.total(), len(texts))
        entries = "\n".join(f'["{text.name}","{text.description}"]' for text in texts)
        assert answer.entries_digest == sha256(entries.encode())
        self.rendered[answer.digest] = sorted(lines)
        return answer.digest

    def watch_as(self, caller: str, listing: Listing, since: str) -> None:
        """Begin a watch, and hold its first event against what is another."""
        request = pb.WatchCatalogRequest(since=since, **self.scope(listing.project, listing.allow))

        def watched() -> tuple[Sight, Sight | None]:
            return self.model.since(caller, listing.project, self.tokens.values.get(since))

        told = self.run(self.house.watch(caller, request))
        expected = self.expected(caller, request, told, watched)
        if expected is None:
            return
        now, before = expected
        event = pb.WatchCatalogResponse.FromString(told.answer)
        self.is_of(event.generation, now)
        assert event.resync == (before is None)
        whole = self.model.select(now, listing)
        added, modified, removed = changes(whole if before is None else self.model.select(before, listing), whole)
        for skills, texts in ((event.added, added), (event.modified, modified)):
            self.are_told(skills, texts)
        assert list(event.removed) == removed
        assert (event.heartbeat, event.going_away) == (False, False)

    def read_body(self, caller: str, request: pb.SkillBodyRequest, find: Callable[[], tuple[Sight, Text]]) -> None:
        told = self.run(self.house.ask(caller, request))
        expected = self.expected(caller, request, told, find)
        if expected is None:
            return
        sight, text = expected
        answer = pb.SkillBodyResponse.FromString(told.answer)
        self.is_of(answer.generation, sight)
        body = text.body.encode()
        held = request.if_none_match == sha256(body)
        assert (answer.body, answer.not_modified) == ("" if held else text.body, held)
        assert (answer.digest, answer.total_bytes, answer.next_offset) == (sha256(body), len(body), 0)

    def read_assets(self, caller: str, request: pb.ListAssetsRequest, find: Callable[[], tuple[Sight, Text]]) -> None:
        told = self.run(self.house.ask(caller, request))
        expected = self.expected(caller, request, told, find)
        if expected is not None:
            sight, text = expected
            answer = pb.ListAssetsResponse.FromString(told.answer)
            self.is_of(answer.generation, sight)
            assert [(asset.name, asset.size, asset.digest) for asset in answer.assets] == [
                (name, len(data), sha256(data)) for name, data in sorted(text.assets.items())
            ]

    def read_asset(self, caller: str, request: pb.ReadAssetRequest, find: Callable[[], tuple[Sight, Text]]) -> None:
        def has() -> tuple[Sight, bytes]:
            sight, text = find()
            if request.asset not in text.assets:
                raise Refused("ASSET_NOT_FOUND")
            return sight, text.assets[request.asset]

        told = self.run(self.house.ask(caller, request))
        expected = self.expected(caller, request, told, has)
        if expected is not None:
            sight, data = expected
            answer = pb.ReadAssetResponse.FromString(told.answer)
            self.is_of(answer.generation, sight)
            held = request.if_none_match == sha256(data)
            assert (answer.data, answer.not_modified) == (b"" if held else data, held)
            assert (answer.digest, answer.total_bytes) == (sha256(data), len(data))

    def are_told(self, skills: Sequence[skill_pb2.Skill], texts: Sequence[Text], *, full: bool = False) -> None:
        """Hold skills against the texts that they are, field by field."""
        assert [skill.name for skill in skills] == [text.name for text in texts]
        for skill, text in zip(skills, texts, strict=True):
            rest = skill_pb2.Skill()
            rest.CopyFrom(skill)
            self.contents.agree(skill.digest, Text(text.whose, text.source, text.name, text.version))
            rest.digest = ""
            if full:
                assert (rest.source, rest.collection) == (text.source, text.collection)
                assert (rest.body_bytes, rest.asset_count) == (len(text.body), len(text.assets))
                for field in _FULL:
                    rest.ClearField(field)
            assert rest == basic(text)

    def is_of(self, generation: pb.Generation, sight: Sight) -> Seal:
        """Hold what names the state of an answer against the state, and return what the token stands for."""
        seal = self.tokens.values.get(generation.token, sight.seal) if sight.named else sight.seal
        assert seal.holds() == sight.seal.holds()
        self.tokens.agree(generation.token, seal)
        self.digests.agree(generation.digest, tuple(sight.rows()))
        assert generation.sequence == sum(state.sequence for state in seal.states)
        unseen = [source.source for source in generation.unreachable_sources]
        assert unseen == [OWN_SOURCE.get(whose, "main") for whose in sight.unseen]
        assert generation.complete == (not unseen)
        return seal

    def expected(
        self, caller: str, request: Message, told: Told, question: Callable[[], _Expected]
    ) -> _Expected | None:
        """Return what the model answers, None where it refuses, as the server must have done in the same words."""
        try:
            answer = question()
        except Refused as refused:
            self.is_refused(told, refused, caller)
            self.holds_nothing(told, caller, request, None)
            return None
        assert told.refusal is None, told.refusal
        assert answer is not None
        sight = answer[0] if isinstance(answer, tuple) and isinstance(answer[0], Sight) else None
        self.holds_nothing(told, caller, request, sight)
        return answer

    def is_refused(self, told: Told, refused: Refused, caller: str) -> None:
        refusal = told.refusal
        assert refusal is not None, f"{caller} was answered, and not refused with {refused.reason}"
        assert refusal.reason == refused.reason
        assert refusal.status is not None
        if refused.current is not None:
            self.tokens.agree(refusal.metadata["current_token"], refused.current.seal)
        elif refused.reason != "PAGE_TOKEN_MALFORMED":
            same = refusal.status.SerializeToString()
            assert self.alike.setdefault((refused.reason, refused.kind), same) == same

    def holds_nothing(self, told: Told, caller: str, request: Message, sight: Sight | None) -> None:
        """Look through all that reached a caller for what that one must not know."""
        shown = set[str]()
        if sight is not None:
            shown = {text.secret for text, _listed in sight.rows()}
            shown |= {mark(state.whose) for state in sight.seal.states}
        found = {each.decode() for each in re.findall(MARKS, told.heard)}
        assert found <= shown
        project = getattr(request, "project", "")
        for word in (*(PRINCIPALS - self.principal_of(caller)), *(set(PROJECTS) - {project, ""})):
            assert word.encode() not in told.heard
        self.listen()

    def principal_of(self, caller: str) -> set[str]:
        grant = self.model.grants.get(caller)
        return {grant.principal} if grant else set()

    def listen(self) -> None:
        """Look through what the log says, and what metrics do."""
        for line in self.lines.take():
            assert line.levelno < logging.WARNING, line.getMessage()
            assert not re.search(MARKS, words_of(line))
        assert not re.search(MARKS, labels_of_metrics())

    def operate(self, request: Message, into: type[_Value]) -> _Value:
        told = self.run(self.house.ask_as_operator(OPERATOR, request))
        assert told.refusal is None, told.refusal
        answer: _Value = into.FromString(told.answer)  # type: ignore[attr-defined] # a message
        return answer

    def see(self, caller: str, project: str, token: str, *, exactly: bool, role: str = "reader") -> Sight:
        seal = self.tokens.values.get(token)
        return self.model.see(caller, project, seal if exactly else None, None if exactly else seal, role=role)

    def own_past(self, caller: str, project: str, at: int) -> str:
        """Return a token that was made for a caller before, "" for none."""
        whose = {(principal, project) for principal in self.principal_of(caller)}
        own = [token for token, seal in self.tokens.values.items() if (seal.principal, seal.project) in whose]
        return own[-1 - at % len(own)] if own else ""

    def scope(
        self, project: str, allow: frozenset[str] | None, token: str = "", *, exactly: bool = True
    ) -> dict[str, Any]:
        """Return the fields that all requests have."""
        fields: dict[str, Any] = {"project": project}
        if allow is not None:
            fields["allow"] = pb.AllowList(names=sorted(allow))
        if token:
            fields["consistency"] = pb.Consistency(**{"at_exactly" if exactly else "at_least": token})
        return fields

    def asked_of(self, aim: Aim) -> tuple[Asked, Text]:
        """Return what is asked where a text is aimed at: one that a layer holds, or one that nobody has."""
        present = (text for layer in self.model.layers.values() for text in layer.present.texts)
        texts = sorted(present, key=lambda text: (text.name, text.whose, text.source))
        aimed = [*texts, Text(TEAM, "nowhere", "zzz", 1)][aim.at % (len(texts) + 1)]
        source = aimed.source if aim.qualified else ""
        token = self.tokens.past(aim.token)
        return Asked(aim.project, aimed.name, source, aim.allow, token, aim.exactly or not token), aimed


def basic(text: Text) -> skill_pb2.Skill:
    """Return what a list tells of a text."""
    origin, trust = skill_pb2.TIER_PROJECT, skill_pb2.TRUST_ASK
    if text.source == LEARNED:
        origin, trust = skill_pb2.TIER_LEARNED, skill_pb2.TRUST_UNTRUSTED
    elif text.whose == OF_ALL:
        origin, trust = skill_pb2.TIER_EXPLICIT, skill_pb2.TRUST_ALLOWED
    return skill_pb2.Skill(
        name=text.name,
        description=text.description,
        description_bytes=len(text.description),
        has_assets=bool(text.assets),
        origin=origin,
        trust=trust,
        invocation=skill_pb2.Invocation(model=text.for_models, user=True),
    )


def qualified(name: str, source: str) -> str:
    """Return how a request names a skill, of one source where one is meant."""
    return f"{source}/{name}" if source else name


def named(whose: Whose) -> admin_pb2.Partition:
    """Return a partition as operators name it."""
    principal, project = whose
    return admin_pb2.Partition(principal=principal, project=project, deployment=whose == OF_ALL)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
