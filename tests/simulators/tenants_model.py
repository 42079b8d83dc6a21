"""What tenants must be told, in sets and dictionaries: rules.md 4, 5 and 7 once more. Pure, and knows no server.

It says of each question who may ask it, of which state it is answered, and which texts that state shows. States, tokens
and digests are values here; what a server calls them is for the test to hold against these.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import NamedTuple, TypeAlias

Whose: TypeAlias = tuple[str, str]
"""A principal and a project."""
OF_ALL: Whose = ("", "")
"""The deployment."""
LEARNED = "learned"


def mark(*parts: object) -> str:
    """Return a secret that stands for nothing else: what `MARKS` finds wherever it gets to."""
    return f"m{hashlib.sha256(repr(parts).encode()).hexdigest()[:12]}m"


MARKS = rb"m[0-9a-f]{12}m"


@dataclass(frozen=True, slots=True)
class Text:
    """One skill in one layer, full of what nobody else may read. Learned ones have no assets (rules.md 2)."""

    whose: Whose
    source: str
    name: str
    version: int
    shadowed: bool = False

    @property
    def secret(self) -> str:
        return mark(self.whose, self.source, self.name, self.version)

    @property
    def description(self) -> str:
        return f"Of {self.name}, {self.secret}."

    @property
    def body(self) -> str:
        return f"Version {self.version} of {self.secret}, by {mark(self.whose)}."

    @property
    def assets(self) -> dict[str, bytes]:
        if self.source == LEARNED or not self.version % 2:
            return {}
        return {f"{self.secret}.txt": self.secret.encode(), "notes.txt": f"Noted: {self.secret}.".encode()}

    @property
    def collection(self) -> str:
        if self.source == LEARNED:
            return ""
        return "lab" if self.name == "a" else f"lab-{mark(self.whose)}"

    @property
    def for_models(self) -> bool:
        return self.source == LEARNED or self.name != "d"


class State(NamedTuple):
    """A generation of a layer."""

    whose: Whose
    sequence: int
    texts: frozenset[Text]


class Seal(NamedTuple):
    """What a token stands for: whose it is, the states it names, and which names were off."""

    principal: str
    project: str
    states: tuple[State, ...]
    off: frozenset[str] = frozenset()

    def holds(self) -> tuple[object, ...]:
        """Return what is in the states, whatever their numbers."""
        return (self.principal, self.project, self.off, *((state.whose, state.texts) for state in self.states))


class Grant(NamedTuple):
    """What an access rule gives."""

    principal: str
    projects: tuple[str, ...] = ("*",)
    further: tuple[Whose, ...] = ()
    allow: frozenset[str] | None = None
    roles: frozenset[str] = frozenset({"reader"})


class Sight(NamedTuple):
    """What one request sees: the states of its layers, strongest first, and no name that is off or not allowed."""

    seal: Seal
    allow: frozenset[str] | None
    unseen: tuple[Whose, ...]
    """Layers with a source that could not be seen at its last look."""
    named: bool = False
    """Whether a token names the state; of states that hold the same it names any, since digests tell sameness."""

    def rows(self) -> list[tuple[Text, bool]]:
        """Return all that is in it, each with whether it is listed, by name, strength and source."""
        found: list[tuple[Text, bool]] = []
        taken: set[str] = set()
        for state in self.seal.states:
            texts = sorted(state.texts, key=lambda text: text.source)
            found += ((text, not text.shadowed and text.name not in taken) for text in texts if self._allows(text))
            taken |= {text.name for text in texts if not text.shadowed}
        return sorted(found, key=lambda row: row[0].name)

    def listed(self) -> list[Text]:
        """Return what is listed, by name."""
        return [text for text, listed in self.rows() if listed]

    def counted(self) -> list[Text]:
        """Return what searches count: what is listed, and what would be if nothing were off."""
        return self._replace(seal=self.seal._replace(off=frozenset())).listed()

    def find(self, name: str, source: str) -> Text | None:
        """Return what a name finds, or with a source what that one has, shadowed or not, in the strongest layer."""
        for state in self.seal.states:
            for text in state.texts:
                fits = text.source == source if source else not text.shadowed
                if text.name == name and fits and self._allows(text):
                    return text
        return None

    def _allows(self, text: Text) -> bool:
        return text.name not in self.seal.off and (self.allow is None or text.name in self.allow)


class Listing(NamedTuple):
    """What a listing asks for: all that its page tokens are bound to."""

    project: str
    allow: frozenset[str] | None = None
    full: bool = False
    invoker: str = "any"
    collection: str = ""
    held: str = ""


class Page(NamedTuple):
    """What a page token stands for."""

    seal: Seal
    listing: Listing
    last: str


class Refused(Exception):
    """That a question is refused: in the same bytes wherever reason and kind are the same (rules.md 7)."""

    def __init__(self, reason: str, kind: str = "", *, current: Sight | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind = kind
        self.current = current


class Begun(NamedTuple):
    """An activation on record."""

    asked: object
    seal: Seal
    id: str


@dataclass(slots=True)
class Layer:
    """A layer: its states that can still be read, the names that it may not hold, the number another log gave it."""

    states: list[State]
    revoked: set[str] = field(default_factory=set)
    number: int | None = None

    @property
    def present(self) -> State:
        return self.states[-1]


class Model:
    """The house: who gets what by which rule, and what each layer holds. `fed` are the layers that sources feed."""

    def __init__(self, *, fed: Iterable[Whose], retained: int) -> None:
        self._retained = retained
        self.fed = frozenset(fed)
        self.layers = {whose: Layer([State(whose, 1, frozenset())]) for whose in (OF_ALL, *self.fed)}
        self.grants: dict[str, Grant | None] = {}
        self._said: dict[Whose, dict[str, bool]] = {}
        self._unseen: set[Whose] = set()
        self._begun: dict[tuple[str, str, str], Begun] = {}
        self._learned: dict[tuple[str, str], dict[tuple[str, str], None]] = {}

    # What changes.

    def publish(self, whose: Whose, texts: Iterable[Text], *, unseen: bool = False) -> None:
        """Let sources feed a layer."""
        self._hold(whose, texts)
        (self._unseen.add if unseen else self._unseen.discard)(whose)

    def refresh(self, whose: Whose, texts: Iterable[Text], number: int | None) -> tuple[str, list[str], list[str]]:
        """Let a layer hold what was learned; return what came of it, and which names are the deployment's or revoked.

        An older number than the one that is held is stale. What is learned never takes a name of the deployment.
        """
        if whose in self.fed:
            return "FED_BY_SOURCES", [], []
        layer = self.layers.get(whose)
        if layer is not None and number is not None and layer.number is not None and number < layer.number:
            return "STALE", [], []
        names = {text.name for text in texts}
        conflicts = names & {text.name for text in self.layers[OF_ALL].present.texts if not text.shadowed}
        revoked = names & (layer.revoked if layer else set())
        changed = self._hold(whose, (text for text in texts if text.name not in conflicts))
        if number is not None:
            self.layers[whose].number = number
        return "PUBLISHED" if changed else "UNCHANGED", sorted(conflicts), sorted(revoked)

    def revoke(self, whose: Whose, name: str) -> bool:
        """Take a name away, from every state that can be read; return whether that is new."""
        layer = self._layer(whose)
        changed = name not in layer.revoked
        layer.revoked.add(name)
        present = layer.present
        left = frozenset(text for text in present.texts if text.name != name)
        if left != present.texts:
            layer.states.append(State(whose, present.sequence + 1, left))
        layer.states = [state for state in layer.states if all(text.name != name for text in state.texts)]
        return changed

    def lift(self, whose: Whose, name: str) -> bool:
        """Let a name be published again; return whether it was revoked."""
        layer = self._layer(whose)
        changed = name in layer.revoked
        layer.revoked.discard(name)
        return changed

    def say(self, whose: Whose, names: Iterable[str], *, on: bool | None) -> list[str]:
        """Say of names whether they are on, None for nothing; return those of which something else was said."""
        said = self._said.setdefault(whose, {})
        changed = [name for name in names if said.get(name) is not on]
        for name in changed:
            said.pop(name, None)
            if on is not None:
                said[name] = on
        return changed

    def restart(self) -> None:
        """Begin again on the log: what was not seen is for the next look to say."""
        self._unseen.clear()

    def note(self, sight: Sight, request_id: str, asked: object, activation_id: str) -> None:
        """Keep an activation that was begun under a request id."""
        self._begun[(sight.seal.principal, sight.seal.project, request_id)] = Begun(asked, sight.seal, activation_id)

    # What is asked.

    def judge(self, caller: str, role: str = "reader") -> Grant:
        """Return what a caller gets; whoever has no rule is told no more than who lacks the role."""
        if not caller:
            raise Refused("CREDENTIALS_MISSING")
        if caller not in self.grants:
            raise Refused("CREDENTIALS_INVALID")
        grant = self.grants[caller]
        if grant is None or (role and role not in grant.roles):
            raise Refused("ROLE_MISSING", role or "reader")
        return grant

    def see(
        self,
        caller: str,
        project: str,
        exactly: Seal | None = None,
        least: Seal | None = None,
        *,
        role: str = "reader",
    ) -> Sight:
        """Return what a caller of a role sees now, or in the state of a token."""
        grant = self._named(caller, project, role)
        if exactly is not None:
            return self._exactly(grant, project, exactly)
        if least is not None:
            self._check(grant, project, least)
        # A state that was told here was reached here, and sequences only grow.
        return self._present(grant, project)

    def learn(self, sight: Sight, name: str, task: str) -> None:
        """Keep that a skill was told of at a task, by whoever sees this."""
        self._learned.setdefault((sight.seal.principal, sight.seal.project), {})[(name, task)] = None

    def best_match(self, sight: Sight, task: str, allow: frozenset[str] | None) -> str:
        """Return the skill that is known at a task to whoever sees this, the oldest of equal ones; "" for none."""
        for name, at in self._learned.get((sight.seal.principal, sight.seal.project), {}):
            if at == task and sight.find(name, "") is not None and (allow is None or name in allow):
                return name
        return ""

    def find(self, sight: Sight, name: str, source: str, allow: frozenset[str] | None) -> Text:
        """Return the text that a request names: unknown, hidden, foreign or revoked are one answer (rules.md 7)."""
        text = sight.find(name, source)
        if text is None or (allow is not None and name not in allow):
            raise Refused("SKILL_NOT_FOUND")
        return text

    def first(
        self, caller: str, listing: Listing, exactly: Seal | None, least: Seal | None
    ) -> tuple[Sight, list[Text]]:
        """Return of which state a listing is, and all of it."""
        sight = self.see(caller, listing.project, exactly, least)
        whole = self.select(sight, listing._replace(invoker="any"))
        if listing.collection and not whole:
            raise Refused("COLLECTION_NOT_FOUND")
        return sight, self.select(sight, listing)

    def further(self, caller: str, listing: Listing, page: Page, exactly: Seal | None) -> tuple[Sight, list[Text]]:
        """Return of which state a page is that is not the first, and what is beyond the last name."""
        grant = self._named(caller, listing.project)
        if (page.seal.principal, page.seal.project) != (grant.principal, listing.project) or page.listing != listing:
            raise Refused("PAGE_TOKEN_MALFORMED")
        sight = self._exactly(grant, listing.project, page.seal)
        if page.seal.off != sight.seal.off:
            raise Refused("GENERATION_EXPIRED", current=self._present(grant, listing.project))
        if exactly is not None and self._exactly(grant, listing.project, exactly).rows() != sight.rows():
            raise Refused("PAGE_TOKEN_MALFORMED")
        return sight, [text for text in self.select(sight, listing) if text.name > page.last]

    def select(self, sight: Sight, listing: Listing) -> list[Text]:
        """Return what a listing shows of a state."""
        return [
            text
            for text in sight.listed()
            if (listing.allow is None or text.name in listing.allow)
            and (listing.invoker != "model" or text.for_models)
            and (not listing.collection or text.collection == listing.collection)
        ]

    def activate(
        self, sight: Sight, name: str, source: str, allow: frozenset[str] | None, *, request_id: str, asked: object
    ) -> tuple[Sight, Text, str]:
        """Return what an activation answers from, and its id where it was begun before and can be answered so again."""
        text = self.find(sight, name, source, allow)
        if not text.for_models:
            raise Refused("INVOCATION_NOT_ALLOWED")
        principal, project, states, _off = sight.seal
        before = self._begun.get((principal, project, request_id)) if request_id else None
        if before is None:
            return sight, text, ""
        if before.asked != asked:
            raise Refused("REQUEST_ID_REUSED")
        try:
            grant = Grant(principal, allow=sight.allow)
            then = self._found(grant, before.seal, tuple(state.whose for state in states))
            return then, self.find(then, name, source, allow), before.id
        except Refused:
            return sight, text, ""

    def since(self, caller: str, project: str, seal: Seal | None) -> tuple[Sight, Sight | None]:
        """Return what a watcher sees now, and what it saw in the state of a token, if that still can be told."""
        now = self.see(caller, project)
        if seal is None or seal.off != now.seal.off:
            return now, None
        try:
            return now, self.see(caller, project, seal)
        except Refused:
            return now, None

    def _named(self, caller: str, project: str, role: str = "reader") -> Grant:
        grant = self.judge(caller, role)
        if project and not any(fnmatchcase(project, pattern) for pattern in grant.projects):
            raise Refused("PROJECT_NOT_ALLOWED")
        return grant

    def _layer(self, whose: Whose) -> Layer:
        if whose not in self.layers:
            raise Refused("PARTITION_NOT_FOUND")
        return self.layers[whose]

    def _hold(self, whose: Whose, texts: Iterable[Text]) -> bool:
        """Let a layer hold texts, but for those that are revoked; return whether it is another state."""
        layer = self.layers.get(whose)
        held = frozenset(text for text in texts if layer is None or text.name not in layer.revoked)
        if layer is None:
            self.layers[whose] = Layer([State(whose, 1, held)])
            return True
        if held == layer.present.texts:
            return False
        layer.states = [*layer.states, State(whose, layer.present.sequence + 1, held)][-self._retained :]
        return True

    def _own(self, grant: Grant, project: str) -> tuple[Whose, ...]:
        """Return whose layers a caller sees, strongest first, each once, those that nobody published to left out."""
        named = ((grant.principal, project),) if project else ()
        all_of_them = (OF_ALL, *named, (grant.principal, ""), *grant.further)
        return tuple(whose for whose in dict.fromkeys(all_of_them) if whose in self.layers)

    def _off(self, principal: str, project: str) -> frozenset[str]:
        """Return what is off to who asks from a partition: the nearest word decides."""
        deciding: dict[str, bool] = {}
        for whose in (OF_ALL, (principal, ""), (principal, project)):
            deciding |= self._said.get(whose, {})
        return frozenset(name for name, on in deciding.items() if not on)

    def _present(self, grant: Grant, project: str) -> Sight:
        own = self._own(grant, project)
        return self._sight(grant, project, (self.layers[whose].present for whose in own))

    def _check(self, grant: Grant, project: str, seal: Seal) -> None:
        if (seal.principal, seal.project) != (grant.principal, project):
            raise Refused("TOKEN_MALFORMED", "of another")
        if tuple(state.whose for state in seal.states) != self._own(grant, project):
            raise Refused("TOKEN_MALFORMED", "of other layers")

    def _exactly(self, grant: Grant, project: str, seal: Seal) -> Sight:
        self._check(grant, project, seal)
        try:
            return self._found(grant, seal, self._own(grant, project))
        except Refused as refused:
            raise Refused(refused.reason, current=self._present(grant, project)) from None

    def _found(self, grant: Grant, seal: Seal, own: tuple[Whose, ...]) -> Sight:
        """Return the state of a seal: what each layer held must be held still, whatever its number (contract.md)."""
        if tuple(state.whose for state in seal.states) != own:
            raise Refused("TOKEN_MALFORMED", "of other layers")
        states = []
        for whose, _sequence, texts in seal.states:
            held = [state for state in self.layers[whose].states if state.texts == texts]
            if not held:
                raise Refused("GENERATION_EXPIRED")
            states.append(held[-1])
        return self._sight(grant, seal.project, states)._replace(named=True)

    def _sight(self, grant: Grant, project: str, states: Iterable[State]) -> Sight:
        seal = Seal(grant.principal, project, tuple(states), self._off(grant.principal, project))
        unseen = tuple(state.whose for state in seal.states if state.whose in self._unseen)
        return Sight(seal, grant.allow, unseen)


def changes(before: Iterable[Text], after: Iterable[Text]) -> tuple[list[Text], list[Text], list[str]]:
    """Return what is new, what is another, and which names are gone."""
    old = {text.name: text for text in before}
    new = {text.name: text for text in after}
    return (
        [text for name, text in new.items() if name not in old],
        [text for name, text in new.items() if name in old and old[name] != text],
        [name for name in old if name not in new],
    )
