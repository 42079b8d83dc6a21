"""Listing the catalog: pages of one generation, checked against each other and put together."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from skillsource import wire
from skillsource.answers import CollectionListing, InvocationFilter, Listing, SkillView
from skillsource.cache import Cache, Identity
from skillsource.drops import Drops
from skillsource.errors import Exhausted, GenerationExpired, GenerationsMixed, InvalidArgument, ProtocolError
from skillsource.methods import LIST_SKILLS, Answer, Operation
from skillsource.mirror import CATALOG, Mirror
from skillsource.scope import Scope
from skillsource.values import Collection, Dropped, Generation, Skill

MAX_SKILLS = 200_000
"""Skills of one listing: a deployment's and a partition's layer, both full (rules.md 3)."""

MAX_LISTING_BYTES = 256 * 1024 * 1024

_MAX_IDLE_PAGES = 3
"""Pages in a row that bring nothing new, after which they are taken to have no end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """What a listing is narrowed to, and how much of each skill it holds."""

    view: SkillView = SkillView.BASIC
    invocation: InvocationFilter = InvocationFilter.ANY
    collection: str = ""

    def fields(self) -> dict[str, object]:
        """Return the fields of the request, without those that say what is meant anyway."""
        fields: dict[str, object] = {}
        if self.view is not SkillView.BASIC:
            fields["view"] = f"SKILL_VIEW_{self.view}"
        if self.invocation is not InvocationFilter.ANY:
            fields["invocation"] = f"INVOCATION_FILTER_{self.invocation}"
        if self.collection:
            fields["collection"] = self.collection
        return fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The skills of one page that are new and fit, in byte order of their names."""

    generation: Generation
    skills: tuple[Skill, ...]
    collections: tuple[Collection, ...]
    total_size: int
    dropped: tuple[Dropped, ...]
    not_modified: bool
    """All pages are as they were in the generation asked about; this one holds nothing."""
    size: int
    """Bytes on the wire."""


class Pages:
    """One listing on its way: asked page by page, and nothing mixes."""

    def __init__(
        self,
        fields: Mapping[str, object],
        *,
        ascending: bool,
        max_skills: int = MAX_SKILLS,
        max_bytes: int = MAX_LISTING_BYTES,
    ) -> None:
        """Begin before the first page.

        Args:
            fields: The request of every page.
            ascending: Refuse a page that goes back behind the one before, for who cannot sort them all at the end.
            max_skills: Most skills of all pages.
            max_bytes: Most bytes of all pages on the wire.
        """
        self._fields = fields
        self._ascending = ascending
        self._max_skills = max_skills
        self._max_bytes = max_bytes
        self._generation: Generation | None = None
        self._names: set[str] = set()
        self._last_name = ""
        self._token = ""
        self._bytes = 0
        self._idle = 0
        self.ended = False

    @property
    def begun(self) -> bool:
        """Whether a page has come."""
        return self._generation is not None

    def next(self) -> Operation[Page]:
        """Read the next page.

        Raises:
            Exhausted: The listing is larger than a client takes.
            GenerationsMixed: This page comes from another generation than the one before.
            ProtocolError: The pages have no end, or go back.
        """
        token = self._token
        answer = yield from LIST_SKILLS.ask({**self._fields, "page_token": token} if token else self._fields)
        generation = wire.generation(answer.values)
        if self._generation is not None and self._generation.digest != generation.digest:
            raise GenerationsMixed("the pages of one listing come from two generations")
        self._generation = generation
        not_modified = answer.values.get("not_modified", False)
        if not_modified and (token or generation.digest != self._fields.get("if_none_match")):
            raise ProtocolError("not modified, says the server of a digest that was not asked")
        skills = self._new_skills(answer)
        self._bytes += answer.size
        if len(self._names) > self._max_skills or self._bytes > self._max_bytes:
            raise Exhausted(f"the listing is over {self._max_skills:,} skills or {self._max_bytes:,} bytes: narrow it")
        self._token = answer.values.get("next_page_token", "")
        self.ended = not self._token or not_modified
        self._idle = 0 if skills else self._idle + 1
        if not self.ended and (self._token == token or self._idle > _MAX_IDLE_PAGES):
            raise ProtocolError("the pages of the listing have no end")
        return Page(
            generation=generation,
            not_modified=not_modified,
            skills=skills,
            collections=wire.each(answer.values.get("collections", ()), wire.collection),
            total_size=answer.values.get("total_size", 0),
            dropped=answer.drops.told(),
            size=answer.size,
        )

    def _new_skills(self, answer: Answer) -> tuple[Skill, ...]:
        skills: list[Skill] = []
        for index, item in enumerate(answer.values.get("skills", ())):
            skill = wire.skill(item)
            if skill.name in self._names:
                answer.drops.add(f"skills[{index}]", skill.name, "is there twice; the first is kept")
            else:
                self._names.add(skill.name)
                skills.append(skill)
        # The order of code points is the order of UTF-8 bytes.
        skills.sort(key=_name)
        if skills:
            if self._ascending and skills[0].name < self._last_name:
                raise ProtocolError("the pages of the listing are not in order")
            self._last_name = skills[-1].name
        return tuple(skills)


class CatalogReads:
    """Listings of one scope. With a mirror, an unchanged one is also at hand without a call."""

    def __init__(self, scope: Scope, cache: Cache, mirror: Mirror | None) -> None:
        self._scope = scope
        self._cache = cache
        self._mirror = mirror

    def listing(self, narrowing: Narrowing, page_size: int, *, restarts: int = 1) -> Operation[Listing]:
        """Read all pages; where the state changes or expires between two of them, so often anew.

        Args:
            narrowing: What is listed.
            page_size: Most skills of a page; 0 for as many as fit.
            restarts: How often to begin anew.
        """
        identity = self._identity(narrowing)
        if self._mirror is not None and (known := self._mirror.at_hand(CATALOG, identity, Listing)) is not None:
            return known
        held = self._cache.find(identity, self._cache.latest(identity), Listing)
        fields = self._fields(narrowing, page_size)
        if held is not None:
            fields["if_none_match"] = held.generation.digest
        pages = Pages(fields, ascending=False)
        parts: list[Page] = []
        try:
            while not pages.ended:
                parts.append((yield from pages.next()))
        except (GenerationsMixed, GenerationExpired, InvalidArgument) as error:
            lost = not isinstance(error, InvalidArgument) or error.reason == "PAGE_TOKEN_MALFORMED"
            if self._scope.at_exactly or not (lost and pages.begun and restarts):
                raise
            return (yield from self.listing(narrowing, page_size, restarts=restarts - 1))
        if parts[0].not_modified:
            assert held is not None, "not modified is believed of a digest that was asked alone"
            listing = replace(held, generation=parts[0].generation)
        else:
            listing = _put_together(parts)
        digest = listing.generation.digest
        # What a skill holds in memory is some times what it holds on the wire.
        size = sum(part.size for part in parts) * 4
        if parts[0].not_modified:
            self._cache.renew(identity, digest, listing)
        else:
            self._cache.keep(identity, digest, listing, size)
        if self._mirror is not None:
            self._mirror.learn(CATALOG, identity, digest, listing.generation)
        return listing

    def pages(self, narrowing: Narrowing, page_size: int) -> Pages:
        """Begin a listing that is taken page by page, in order."""
        return Pages(self._fields(narrowing, page_size), ascending=True)

    def collections(self, narrowing: Narrowing) -> Operation[CollectionListing]:
        """Ask for the collections of a listing alone: they are all on its first page, however few skills it has."""
        identity = self._identity(narrowing)
        if self._mirror is not None and (known := self._mirror.at_hand(CATALOG, identity, Listing)) is not None:
            return CollectionListing(generation=known.generation, collections=known.collections)
        page = yield from Pages(self._fields(narrowing, 1), ascending=True).next()
        drops = Drops()
        drops.add_all(page.dropped)
        return CollectionListing(
            generation=page.generation, collections=_collections(page, drops), dropped=drops.told()
        )

    def present(self) -> Operation[Generation]:
        """Ask for the state alone."""
        if self._mirror is not None and (known := self._mirror.generation()) is not None:
            return known
        answer = yield from LIST_SKILLS.ask(self._fields(Narrowing(), 1))
        return wire.generation(answer.values)

    def _identity(self, narrowing: Narrowing) -> Identity:
        # `not_modified` is of the view, and says something about the same request only.
        return ("skills", self._scope, narrowing)

    def _fields(self, narrowing: Narrowing, page_size: int) -> dict[str, object]:
        fields = {**self._scope.fields(builtin_tools=True), **narrowing.fields()}
        if page_size:
            fields["page_size"] = page_size
        return fields


def _put_together(parts: list[Page]) -> Listing:
    drops = Drops()
    for part in parts:
        drops.add_all(part.dropped)
    skills = sorted((skill for part in parts for skill in part.skills), key=_name)
    total_size = parts[0].total_size
    if total_size != len(skills):
        drops.add("total_size", "", f"says {total_size:,}, and {len(skills):,} skills came")
    collections = _collections(parts[0], drops)
    return Listing(
        generation=parts[-1].generation,
        skills=tuple(skills),
        collections=collections,
        total_size=total_size,
        dropped=drops.told(),
    )


def _collections(page: Page, drops: Drops) -> tuple[Collection, ...]:
    """Return the collections of a first page, each id once."""
    collections: dict[str, Collection] = {}
    for collection in page.collections:
        if collection.id in collections or not collection.id:
            drops.add("collections", collection.id, "has no id, or one that is there twice; the first is kept")
        else:
            collections[collection.id] = collection
    return tuple(collections.values())


def _name(skill: Skill) -> str:
    return skill.name
