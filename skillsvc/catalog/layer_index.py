"""The index of one layer: what its listed skills say, for any number of searches at once. Immutable, pure.

It is beside the generation it was made of, never inside: publishing does not wait for it. What a skill says is known
by the digest of its bundle, so that the next index takes in what is new, strikes out what is gone, and shares the rest.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from skillsvc.catalog.postings import MOST_SLOTS, Postings, merged, postings_of
from skillsvc.catalog.weights import HEAVY
from skillsvc.domain.generation import Generation
from skillsvc.domain.skill import Bundle

_NO_COUNTS: Mapping[str, int] = MappingProxyType({})
_NO_SLOTS: Mapping[str, int] = MappingProxyType({})
_AT_A_TIME = 4096
"""Skills that are held unpacked while an index is built."""
_GONE_AT_LEAST = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerIndex:
    """What the skills say that a generation lists: made by `indexed` and `followed`.

    `slots` are the numbers of these skills by the digests of their bundles. `bundles` are the bundles by
    slot, and `sizes` how many terms each has, also of those that are `gone` and still in `parts`; `gone_counts` says in
    how many of these each term is. `not_for_model` and `not_for_user` are the slots of skills whose use the one or the
    other may not begin. `unread` are the digests of the bundles whose bodies were not at hand: whoever makes an index
    says so, and what was unread stays it until it is taken in anew.
    """

    layer_digest: str
    parts: tuple[Postings, ...]
    slots: Mapping[str, int]
    bundles: tuple[Bundle, ...]
    sizes: tuple[int, ...]
    gone: frozenset[int]
    gone_counts: Mapping[str, int]
    not_for_model: frozenset[int]
    not_for_user: frozenset[int]
    unread: frozenset[str] = frozenset()

    def __len__(self) -> int:
        """Return how many skills there are."""
        return len(self.slots)

    @property
    def taken_bytes(self) -> int:
        """What its postings take in memory, roughly."""
        return sum(part.taken_bytes for part in self.parts)

    def count(self, term: str) -> int:
        """Return in how many skills a term is."""
        return sum(part.count(term) for part in self.parts) - self.gone_counts.get(term, 0)

    def has(self, term: str, slot: int) -> bool:
        """Tell whether a skill has a term."""
        return any(part.weight(term, slot) for part in self.parts)


def indexed(generation: Generation, weights_of: Callable[[Bundle], Mapping[str, int]]) -> LayerIndex:
    """Return the index of a generation; `weights_of` says what the terms of a bundle weigh, as `weights.weigh`."""
    empty = LayerIndex(
        layer_digest="",
        parts=(),
        slots=_NO_SLOTS,
        bundles=(),
        sizes=(),
        gone=frozenset(),
        gone_counts=_NO_COUNTS,
        not_for_model=frozenset(),
        not_for_user=frozenset(),
    )
    made = followed(empty, generation, weights_of)
    # One part is looked through once for each term of a query.
    return made if len(made.parts) < 2 else replace(made, parts=(merged(made.parts),))


def followed(
    index: LayerIndex,
    generation: Generation,
    weights_of: Callable[[Bundle], Mapping[str, int]],
    *,
    said_of: Callable[[Bundle], Mapping[str, int]] | None = None,
    anew: Collection[str] = frozenset(),
) -> LayerIndex:
    """Return the index of a later generation, or of the same, made of an earlier one's: only what differs is asked for.

    That is what came, and what is gone, to be struck out by what it said; where that cannot be told any more, the
    whole index is gone through. `said_of` says what a bundle weighed before, where that is not what it weighs now;
    those whose digests are in `anew` are taken in once more.
    """
    present = {row.bundle.digest: row for row in generation.listed}
    kept = {digest: slot for digest, slot in index.slots.items() if digest in present and digest not in anew}
    going = frozenset(slot for digest, slot in index.slots.items() if digest not in kept)
    gone_counts = _with_gone(index, going, said_of or weights_of) if going else index.gone_counts
    slots, parts = dict(kept), list(index.parts)
    bundles, sizes = list(index.bundles), list(index.sizes)
    not_for_model, not_for_user = set(index.not_for_model - going), set(index.not_for_user - going)
    coming = [row.bundle for digest, row in present.items() if digest not in kept]
    for start in range(0, len(coming), _AT_A_TIME):
        weighed: list[tuple[int, Mapping[str, int]]] = []
        for bundle in coming[start : start + _AT_A_TIME]:
            slot = len(bundles)
            bundles.append(bundle)
            slots[bundle.digest] = slot
            if not bundle.skill.model_invocable:
                not_for_model.add(slot)
            if not bundle.skill.user_invocable:
                not_for_user.add(slot)
            weights = weights_of(bundle)
            sizes.append(len(weights))
            weighed.append((slot, weights))
        parts.append(postings_of(weighed, heavy=HEAVY))
    _settle(parts)
    made = LayerIndex(
        layer_digest=generation.digest,
        parts=tuple(parts),
        slots=MappingProxyType(slots),
        bundles=tuple(bundles),
        sizes=tuple(sizes),
        gone=index.gone | going,
        gone_counts=gone_counts,
        not_for_model=frozenset(not_for_model),
        not_for_user=frozenset(not_for_user),
        unread=index.unread & kept.keys(),
    )
    too_many = len(made.gone) > max(_GONE_AT_LEAST, len(made) // 4) or len(bundles) > MOST_SLOTS
    return _without_gone(made) if too_many else made


def _settle(parts: list[Postings]) -> None:
    """Merge the last parts that are alike in size: there are never more than a few, and each is rarely merged."""
    first, size = len(parts), 0
    while first and (not size or 2 * size >= parts[first - 1].taken_bytes):
        first -= 1
        size += parts[first].taken_bytes
    if len(parts) - first > 1:
        parts[first:] = [merged(parts[first:])]


def _with_gone(
    index: LayerIndex, going: frozenset[int], weights_of: Callable[[Bundle], Mapping[str, int]]
) -> Mapping[str, int]:
    """Return in how many skills that are gone each term is, with those that go now."""
    counts = Counter(index.gone_counts)
    for slot in going:
        said = weights_of(index.bundles[slot])
        if len(said) != index.sizes[slot] or not all(index.has(term, slot) for term in said):
            return _counted_through(index, index.gone | going)
        counts.update(said.keys())
    return MappingProxyType(counts)


def _counted_through(index: LayerIndex, gone: frozenset[int]) -> Mapping[str, int]:
    counts: Counter[str] = Counter()
    for part in index.parts:
        for term, slots in part.slots_by_term():
            counts[term] += sum(map(gone.__contains__, slots))
    return MappingProxyType(+counts)


def _without_gone(index: LayerIndex) -> LayerIndex:
    """Return an equal index in which nothing is left of what is gone, its slots numbered anew."""
    old = sorted(index.slots.values())
    moved = {slot: number for number, slot in enumerate(old)}
    return LayerIndex(
        layer_digest=index.layer_digest,
        parts=(merged(index.parts, moved),),
        slots=MappingProxyType({digest: moved[slot] for digest, slot in index.slots.items()}),
        bundles=tuple(index.bundles[slot] for slot in old),
        sizes=tuple(index.sizes[slot] for slot in old),
        gone=frozenset(),
        gone_counts=_NO_COUNTS,
        not_for_model=frozenset(moved[slot] for slot in index.not_for_model),
        not_for_user=frozenset(moved[slot] for slot in index.not_for_user),
        unread=index.unread,
    )
