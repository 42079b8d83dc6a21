"""The handler of SearchSkills: by indexes where each layer of the caller has one, by the plain rule where not.

Both go through what the caller sees alone, in threads: bodies are cut for snippets there, too, and hundreds of words
may be tried for a typing error.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.layer_index import LayerIndex
from skillsvc.catalog.plain_search import (
    PlainTerms,
    SaidByIndexes,
    plain_search,
    plain_terms,
    summary_terms,
    terms_of_skill,
)
from skillsvc.catalog.search import NOTHING_KNOWN, Hit, search
from skillsvc.catalog.snippets import snippet_of
from skillsvc.catalog.weights import Field, matched_fields
from skillsvc.domain.generation import Row
from skillsvc.domain.view import View
from skillsvc.parsing.words import Words
from skillsvc.service import wire
from skillsvc.service.call import Call
from skillsvc.service.experience import Experience
from skillsvc.service.indexing import Indexing
from skillsvc.service.requests import SearchAsk
from skillsvc.service.sights import Seen, Sights, source_of
from skillsvc.service.texts import Texts
from skillsvc.service.threads import Threads

_Done = TypeVar("_Done")

BY_INDEX = "bm25"
PLAIN = "idf"
IN_PART = "-partial"
"""Added where the body of a skill that is seen was not looked through: its source has it elsewhere, or it is broken."""
_MOST_READ = 1_000
"""Skills without an index whose bodies a search reads: of more it knows names and descriptions only."""
_LOOKED_THROUGH = 128 * 1024
"""Characters of a body that are looked through for what matched, as for a snippet."""


class Searches:
    """The handler of SearchSkills."""

    def __init__(
        self,
        *,
        sights: Sights,
        texts: Texts,
        indexing: Indexing,
        experience: Experience,
        threads: Threads,
        plainly: Threads,
    ) -> None:
        """Search what `sights` has, in `threads`; without indexes, which takes longer, in those of `plainly`.

        `experience` has what callers learned.
        """
        self._sights = sights
        self._experience = experience
        self._texts = texts
        self._indexing = indexing
        self._threads = threads
        self._plainly = plainly
        self._words = Words()

    async def search_skills(self, ask: SearchAsk, call: Call) -> bytes:
        """Answer SearchSkills."""
        seen = await self._sights.of(ask.scope, call)
        known: Mapping[str, float] = NOTHING_KNOWN
        if ask.task.strip():
            known = await self._experience.weights(call.viewer(ask.scope.project).partition, ask.task)
        return await self._find(ask, seen, known, lambda hits, engine: self._answer(ask, seen, hits, engine))

    async def found(
        self, ask: SearchAsk, seen: Seen, known: Mapping[str, float] = NOTHING_KNOWN
    ) -> tuple[Sequence[Hit], str]:
        """Return what a search finds in what is seen, where so much is known of skills, and which engine found it."""
        return await self._find(ask, seen, known, lambda hits, engine: (hits, engine))

    async def _find(
        self,
        ask: SearchAsk,
        seen: Seen,
        known: Mapping[str, float],
        then: Callable[[Sequence[Hit], str], _Done],
    ) -> _Done:
        """Search, and return what comes of what was found, made in the same thread."""
        view = seen.sight.view
        indexes = await self._indexing.of(view)
        if indexes is not None:
            found = indexes
            return await self._threads.run(
                lambda: then(self._by_index(ask, view, found, known), _by_index(view, found))
            )
        latest = self._indexing.latest(view)
        return await self._plainly.run(lambda: then(*self._plain(ask, seen, latest, known)))

    def _by_index(
        self, ask: SearchAsk, view: View, indexes: Sequence[LayerIndex], known: Mapping[str, float]
    ) -> Sequence[Hit]:
        return search(
            view, indexes, ask.query, limit=ask.limit, allow=ask.scope.allow, invoker=ask.invoker, known=known
        )

    def _plain(
        self, ask: SearchAsk, seen: Seen, latest: Sequence[LayerIndex], known: Mapping[str, float]
    ) -> tuple[Sequence[Hit], str]:
        """Search without an index of this generation; what indexes of other ones know of a skill is as true.

        Return the engine, too.
        """
        view = seen.sight.view
        terms = plain_terms(ask.query)
        if not terms:
            return (), PLAIN
        indexed = SaidByIndexes(latest, terms, self._words)
        unknown = sum(
            not any(row.bundle.digest in index.slots for index in latest)
            for layer in view.layers
            for row in layer.listed
        )
        in_part = unknown > _MOST_READ or _has_unread(view, latest)

        def said_by(row: Row) -> PlainTerms:
            nonlocal in_part
            said = indexed.of(row)
            if said is not None:
                return said
            skill = row.bundle.skill
            if unknown > _MOST_READ:
                return summary_terms(skill, terms, self._words)
            body = self._texts.body_at_hand(source_of(seen, row), row.bundle)
            in_part = in_part or body is None
            return terms_of_skill(skill, body or "", self._words)

        hits = plain_search(
            view, said_by, ask.query, limit=ask.limit, allow=ask.scope.allow, invoker=ask.invoker, known=known
        )
        return hits, PLAIN + IN_PART if in_part else PLAIN

    def _answer(self, ask: SearchAsk, seen: Seen, hits: Sequence[Hit], engine: str) -> bytes:
        """Encode hits; each has its body whole where what is left of the budget holds it, and none where not."""
        left = ask.body_bytes
        told: list[pb.SearchHit] = []
        for hit in hits:
            bundle = hit.row.bundle
            body = self._texts.body_at_hand(source_of(seen, hit.row), bundle) or ""
            size = bundle.body.size if bundle.body is not None else 0
            given = body if size <= left else ""
            left -= len(given.encode())
            told.append(
                wire.search_hit(
                    hit,
                    matched=_matched(hit, body, self._words),
                    snippet=snippet_of(bundle.skill, body, hit.terms, self._words),
                    body=given,
                )
            )
        return seen.encoded + pb.SearchSkillsResponse(hits=told, engine=engine).SerializeToString()


def _by_index(view: View, indexes: Sequence[LayerIndex]) -> str:
    """Return the engine that searches by indexes."""
    return BY_INDEX + IN_PART if _has_unread(view, indexes) else BY_INDEX


def _has_unread(view: View, indexes: Sequence[LayerIndex]) -> bool:
    """Tell whether a skill that is seen is in an index without its body; of what is hidden nothing is told."""
    unread = ((index, digest) for index in indexes for digest in index.unread)
    return any(
        row is not None and row.bundle.digest == digest
        for index, digest in unread
        for row in (view.find(index.bundles[index.slots[digest]].skill.name),)
    )


def _matched(hit: Hit, body: str, words: Words) -> tuple[Field, ...]:
    """Return the fields of a hit that have what was looked for, the body where it is none that is looked through."""
    found = matched_fields(hit.row.bundle.skill, body[:_LOOKED_THROUGH], hit.terms, words)
    return found or (Field.BODY,)
