"""The cache: by what was asked and its digest, within a budget of bytes."""

import threading

from skillsource.cache import Cache

ASKED = ("body", "first")
KIB = 1024


def test_what_is_kept_is_found_by_its_digest() -> None:
    cache = Cache(100 * KIB)
    cache.keep(ASKED, "d1", "one", 3)
    cache.keep(ASKED, "d2", "two", 3)
    assert cache.find(ASKED, "d1", str) == "one"
    assert cache.find(ASKED, "d2", str) == "two"
    assert cache.latest(ASKED) == "d2"
    assert cache.find(ASKED, "d3", str) is None
    assert cache.find(("body", "other"), "d1", str) is None


def test_a_value_of_another_kind_is_not_found() -> None:
    cache = Cache(100 * KIB)
    cache.keep(ASKED, "d", "text", 4)
    assert cache.find(ASKED, "d", bytes) is None


def test_the_least_recently_used_is_forgotten_first() -> None:
    cache = Cache(3 * 5 * KIB)
    for name in ("a", "b", "c"):
        cache.keep((name,), "d", name, 4 * KIB)
    assert cache.find(("a",), "d", str) == "a"
    cache.keep(("e",), "d", "e", 4 * KIB)
    assert cache.find(("b",), "d", str) is None
    assert cache.latest(("b",)) == ""
    assert [cache.find((name,), "d", str) for name in ("a", "c", "e")] == ["a", "c", "e"]


def test_what_is_larger_than_the_budget_is_not_kept_and_forgets_nothing() -> None:
    cache = Cache(10 * KIB)
    cache.keep(ASKED, "d", "small", 1)
    cache.keep(("large",), "d", "large", 10 * KIB)
    assert cache.find(("large",), "d", str) is None
    assert cache.find(ASKED, "d", str) == "small"


def test_empty_values_are_bounded_too() -> None:
    cache = Cache(10 * KIB)
    for number in range(1_000):
        cache.keep((number,), "d", "", 0)
    assert sum(cache.find((number,), "d", str) is not None for number in range(1_000)) == 10


def test_keeping_the_same_again_costs_nothing_more() -> None:
    cache = Cache(10 * KIB)
    cache.keep(("other",), "d", "other", 0)
    for _ in range(100):
        cache.keep(ASKED, "d", "x", 4 * KIB)
    assert cache.find(("other",), "d", str) == "other"


def test_only_what_is_still_kept_is_renewed() -> None:
    cache = Cache(10 * KIB)
    cache.renew(ASKED, "d", "new")
    assert cache.find(ASKED, "d", str) is None
    cache.keep(ASKED, "d", "old", 3)
    cache.renew(ASKED, "d", "new")
    assert cache.find(ASKED, "d", str) == "new"


def test_threads_share_it_without_losing_count() -> None:
    cache = Cache(50 * KIB)

    def work(seed: int) -> None:
        for number in range(2_000):
            name = (number * seed) % 97
            cache.keep((name,), "d", str(name), name * 10)
            cache.find(((name + seed) % 97,), "d", str)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in (3, 5, 7, 11)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = [name for name in range(97) if cache.find((name,), "d", str) is not None]
    assert sum(name * 10 + KIB for name in kept) <= 50 * KIB
    assert cache.find((kept[0],), "d", str) == str(kept[0])
