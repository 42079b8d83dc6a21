"""The mirror: what it vouches for, and for how long."""

from dataclasses import dataclass

from skillsource.answers import Body, CatalogEvent, Listing
from skillsource.cache import Cache
from skillsource.errors import Exhausted, Unavailable
from skillsource.mirror import CATALOG, Mirror, awake_and_asleep
from skillsource.values import Generation, Invocation, Skill, Tier, Trust


@dataclass(slots=True)
class Clock:
    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


class World:
    """A mirror that has read one body and one listing in the first state."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.cache = Cache(1 << 20)
        self.mirror = Mirror(self.cache, self.clock)

    def read(self, name: str, at: Generation) -> None:
        self.cache.keep(("body", name), "d", Body(generation=at, text=name, digest="d"), 10)
        self.mirror.learn(name, ("body", name), "d", at)

    def at_hand(self, name: str) -> Body | None:
        return self.mirror.at_hand(name, ("body", name), Body)


def state(sequence: int, *, digest: str | None = None, complete: bool = True) -> Generation:
    return Generation(
        token=f"t{sequence}",
        sequence=sequence,
        digest=digest or f"view-{sequence}",
        published_at=None,
        complete=complete,
    )


def entry(name: str) -> Skill:
    return Skill(
        name=name,
        description="",
        description_truncated=False,
        description_bytes=0,
        has_assets=False,
        origin=Tier.EXPLICIT,
        trust=Trust.ALLOWED,
        invocation=Invocation(model=True, user=True),
        digest="d",
    )


def test_nothing_is_at_hand_before_the_first_event() -> None:
    world = World()
    world.read("a", state(1))
    assert world.at_hand("a") is None
    assert world.mirror.generation() is None


def test_what_was_read_in_the_present_state_is_at_hand() -> None:
    world = World()
    world.mirror.hear(CatalogEvent(generation=state(1), resync=True))
    assert world.at_hand("a") is None
    world.read("a", state(1))
    assert world.at_hand("a") == Body(generation=state(1), text="a", digest="d")
    assert world.at_hand("a") is world.at_hand("a")


def test_what_was_read_in_another_state_is_not() -> None:
    world = World()
    world.mirror.hear(CatalogEvent(generation=state(1), resync=True))
    world.read("a", state(2))
    assert world.at_hand("a") is None


def test_nothing_is_at_hand_ninety_seconds_after_the_last_word() -> None:
    world = World()
    world.mirror.hear(CatalogEvent(generation=state(1), resync=True))
    world.read("a", state(1))
    world.clock.now += 90
    assert world.at_hand("a") is not None
    world.clock.now += 0.001
    assert world.at_hand("a") is None
    assert not world.mirror.alive
    world.mirror.hear(CatalogEvent(generation=state(1), heartbeat=True))
    assert world.at_hand("a") is not None


def test_a_broken_stream_vouches_for_nothing_at_once() -> None:
    world = World()
    world.mirror.hear(CatalogEvent(generation=state(1), resync=True))
    world.read("a", state(1))
    error = Unavailable("gone")
    world.mirror.lose(error)
    assert world.at_hand("a") is None
    assert world.mirror.error is error
    world.mirror.hear(CatalogEvent(generation=state(1)))
    assert world.at_hand("a") is not None
    assert world.mirror.error is None


def test_who_waits_in_vain_is_told_what_broke_the_stream() -> None:
    world = World()
    assert world.mirror.not_alive_in_time().message == "the catalog is not followed in the time given"
    quota = Exhausted("too many watches", reason="QUOTA_EXCEEDED")
    world.mirror.lose(quota)
    late = world.mirror.not_alive_in_time()
    assert late.message == "the catalog is not followed in the time given: QUOTA_EXCEEDED: too many watches"
    assert late.__cause__ is quota


def test_an_event_takes_the_names_it_tells_and_moves_the_others_on() -> None:
    world = World()
    world.mirror.hear(CatalogEvent(generation=state(1), resync=True))
    for name in ("added", "modified", "removed", "same"):
        world.read(name, state(1))
    world.mirror.hear(
        CatalogEvent(generation=state(2), added=(entry("added"),), modified=(entry("modified"),), removed=("removed",))
    )
    assert [world.at_hand(name) for name in ("added", "modified", "removed")] == [None, None, None]
    assert world.at_hand("same") == Body(generation=state(2), text="same", digest="d")


def test_a_resync_to_another_state_takes_everything() -> None:
    world = World()
    world.mirror.hear(CatalogEvent(generation=state(1), resync=True))
    world.read("a", state(1))
    world.mirror.hear(CatalogEvent(generation=state(2), resync=True))
    assert world.at_hand("a") is None


def test_a_resync_to_equal_content_takes_nothing() -> None:
    world = World()
    world.mirror.hear(CatalogEvent(generation=state(1), resync=True))
    world.read("a", state(1))
    again = state(5, digest="view-1")
    world.mirror.hear(CatalogEvent(generation=again, resync=True))
    assert world.at_hand("a") == Body(generation=again, text="a", digest="d")


def test_a_change_of_completeness_alone_is_told_with_every_answer() -> None:
    world = World()
    world.mirror.hear(CatalogEvent(generation=state(1), resync=True))
    world.read("a", state(1))
    incomplete = state(1, complete=False)
    world.mirror.hear(CatalogEvent(generation=incomplete))
    assert world.at_hand("a") == Body(generation=incomplete, text="a", digest="d")


def test_a_listing_is_gone_with_any_other_view() -> None:
    world = World()
    world.mirror.hear(CatalogEvent(generation=state(1), resync=True))
    world.read("a", state(1))
    listing = Listing(generation=state(1), skills=(), collections=(), total_size=0)
    world.cache.keep(("skills",), "view-1", listing, 10)
    world.mirror.learn(CATALOG, ("skills",), "view-1", state(1))
    assert world.mirror.at_hand(CATALOG, ("skills",), Listing) == listing
    world.mirror.hear(CatalogEvent(generation=state(2)))
    assert world.mirror.at_hand(CATALOG, ("skills",), Listing) is None
    assert world.at_hand("a") is not None


def test_what_the_cache_forgot_is_not_at_hand() -> None:
    world = World()
    world.mirror.hear(CatalogEvent(generation=state(1), resync=True))
    world.read("a", state(1))
    for number in range(2_000):
        world.cache.keep(("filler", number), "d", "", 0)
    assert world.at_hand("a") is None


def test_the_clock_only_grows() -> None:
    assert awake_and_asleep() <= awake_and_asleep()
