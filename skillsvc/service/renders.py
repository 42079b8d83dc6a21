"""The handler of RenderCatalog: the catalog as text for a model, kept encoded by what it depends on."""

import hashlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.collection import collections_of
from skillsvc.catalog.listing import Invoker, Selection, select
from skillsvc.catalog.render import Rendered, entries_digest, render
from skillsvc.catalog.search import NOTHING_KNOWN
from skillsvc.domain.generation import Row
from skillsvc.domain.partition import Partition
from skillsvc.domain.skill import ToolKind
from skillsvc.domain.view import View
from skillsvc.service.answers import Answer, AnswerCache
from skillsvc.service.call import Call
from skillsvc.service.render_requests import CatalogOrder, RenderAsk
from skillsvc.service.requests import SearchAsk
from skillsvc.service.searches import BY_INDEX, Searches
from skillsvc.service.sights import Seen, Sights
from skillsvc.service.threads import Threads

Weights: TypeAlias = Callable[[Partition, str], Awaitable[Mapping[str, float]]]
"""Tells what is known of skills at a task, in a partition: more than 0 for the better, less for the worse."""


class Renders:
    """The handler of RenderCatalog."""

    def __init__(
        self, *, sights: Sights, searches: Searches, answers: AnswerCache, threads: Threads, weights: Weights
    ) -> None:
        """Render what `sights` has, in `threads`, in the order that `searches` and `weights` tell.

        Texts are kept in `answers`.
        """
        self._sights = sights
        self._searches = searches
        self._answers = answers
        self._threads = threads
        self._weights = weights

    async def render_catalog(self, ask: RenderAsk, call: Call) -> bytes:
        """Answer RenderCatalog."""
        seen = await self._sights.of(ask.scope, call)
        known = NOTHING_KNOWN
        by_outcomes = ask.order is CatalogOrder.PRIOR or (
            ask.order is CatalogOrder.RELEVANCE and bool(ask.task.strip())
        )
        if by_outcomes:
            known = await self._weights(call.viewer(ask.scope.project).partition, ask.task)
        key = ("render", *_named(ask, seen.sight.view), ask.fields, _digest_of(known.items()))
        answer = self._answers.get(key)
        if answer is None:
            ranks, stays = known, True
            if ask.order is CatalogOrder.RELEVANCE and ask.query:
                ranks, stays = await self._by_query(ask, seen, known)
            answer = await self._made(ask, seen.sight.view, ranks)
            if stays:
                self._answers.put(key, answer)
        if ask.held == answer.digest:
            unchanged = pb.RenderCatalogResponse(digest=answer.digest, not_modified=True)
            return seen.encoded + unchanged.SerializeToString()
        return seen.encoded + answer.encoded

    async def _made(self, ask: RenderAsk, view: View, ranks: Mapping[str, float]) -> Answer:
        """Make a text. That of which entries it is made is kept apart: it is the same for all formats and budgets."""
        key = ("entries", *_named(ask, view), _digest_of(ask.builtin_tools or ()))
        kept = self._answers.get(key)
        entries = kept.digest if kept is not None else ""
        entries, answer = await self._threads.run(lambda: _answer(ask, view, ranks, entries))
        self._answers.put(key, Answer(b"", digest=entries))
        return answer

    async def _by_query(
        self, ask: RenderAsk, seen: Seen, known: Mapping[str, float]
    ) -> tuple[Mapping[str, float], bool]:
        """Return how well skills fit the query, and whether they will be found so again, too.

        Until an index has caught up with a state its skills are found by another rule: that is for now, and not kept.
        """
        search = SearchAsk(
            scope=ask.scope,
            query=ask.query,
            limit=max(seen.sight.view.held, 1),
            invoker=Invoker.MODEL,
            body_bytes=0,
        )
        hits, engine = await self._searches.found(search, seen, known)
        return {hit.row.name: hit.score for hit in hits}, engine == BY_INDEX


def _selection(ask: RenderAsk) -> Selection:
    """Return what a model may begin to use of what is asked for."""
    return Selection(allow=ask.scope.allow, invoker=Invoker.MODEL)


def _named(ask: RenderAsk, view: View) -> tuple[object, ...]:
    """Return what names the rows that are asked for; the lines of collections are in no digest."""
    return view.digest, tuple(layer.collections for layer in view.layers), _selection(ask).key


def _answer(ask: RenderAsk, view: View, ranks: Mapping[str, float], entries: str) -> tuple[str, Answer]:
    """Return the digest of the entries, computed where it is not known yet, and a text of them. For any thread."""
    rows = _within(select(view, _selection(ask)), ask.builtin_tools)
    entries = entries or entries_digest(rows)
    rendered = render(rows, collections=collections_of(view, rows), form=ask.form, budget=ask.budget, ranks=ranks)
    digest = hashlib.sha256(rendered.text.encode()).hexdigest()
    return entries, Answer(_encoded(rendered, digest, entries), digest=digest)


def _encoded(rendered: Rendered, digest: str, entries: str) -> bytes:
    return pb.RenderCatalogResponse(
        text=rendered.text,
        digest=digest,
        entries_digest=entries,
        shown=rendered.shown,
        shortened=rendered.shortened,
        total=rendered.total,
        omitted=[pb.OmittedSkill(name=omitted.name, reason=omitted.reason.value) for omitted in rendered.omitted],
        omitted_total=rendered.omitted_total,
    ).SerializeToString()


def _within(rows: Sequence[Row], builtin_tools: frozenset[str] | None) -> Sequence[Row]:
    """Return the rows whose builtin tools are all offered; where none are named, nothing is known of that."""
    if builtin_tools is None:
        return rows
    return [
        row
        for row in rows
        if all(tool.name in builtin_tools for tool in row.bundle.skill.tools if tool.kind is ToolKind.BUILTIN)
    ]


def _digest_of(values: Iterable[object]) -> bytes:
    """Return what stands for values in a key, as small for many of them as for none."""
    return hashlib.sha256(repr(sorted(values, key=repr)).encode()).digest()
