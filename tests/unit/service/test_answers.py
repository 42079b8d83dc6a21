"""Answers kept under one budget of bytes."""

from hypothesis import given
from hypothesis import strategies as st

from skillsvc.service.answers import Answer, AnswerCache

ENTRY = 400


def test_what_was_put_is_found_under_its_key() -> None:
    cache = AnswerCache(10_000)
    answer = Answer(b"x", last_name="a")
    assert cache.put(("page", 1), answer) is answer
    assert cache.get(("page", 1)) is answer
    assert cache.get(("page", 2)) is None


def test_the_least_recently_used_goes_first() -> None:
    cache = AnswerCache(8 * (ENTRY + 100))
    for key in range(8):
        cache.put(key, Answer(bytes(100)))
    cache.get(0)
    cache.put(8, Answer(bytes(100)))
    assert [key for key in range(9) if cache.get(key) is not None] == [0, *range(2, 9)]


def test_an_answer_of_more_than_an_eighth_of_the_budget_is_not_kept() -> None:
    cache = AnswerCache(8 * (ENTRY + 100))
    assert cache.put("large", Answer(bytes(101))).encoded == bytes(101)
    assert cache.get("large") is None
    cache.put("fits", Answer(bytes(100)))
    assert cache.get("fits") is not None


@given(st.lists(st.tuples(st.integers(min_value=0, max_value=9), st.integers(min_value=0, max_value=900))))
def test_the_budget_is_kept_whatever_is_put(puts: list[tuple[int, int]]) -> None:
    cache = AnswerCache(8_000)
    for key, size in puts:
        cache.put(key, Answer(bytes(size)))
        held = [answer for key in range(10) if (answer := cache._held.get(key)) is not None]
        assert sum(len(answer.encoded) + ENTRY for answer in held) == cache._bytes <= 8_000


def test_an_answer_put_twice_counts_once() -> None:
    cache = AnswerCache(10_000)
    for _ in range(5):
        cache.put("a", Answer(b"x"))
    assert cache._bytes == ENTRY + 1


def test_an_answer_put_again_takes_the_place_of_the_first() -> None:
    cache = AnswerCache(10_000)
    cache.put("a", Answer(b"one"))
    cache.put("a", Answer(b"other"))
    assert cache.get("a") == Answer(b"other")
    assert cache._bytes == ENTRY + len(b"other")


def test_an_answer_is_joined_once_for_whoever_sees_the_same_state() -> None:
    cache = AnswerCache(10_000)
    answer = cache.put("a", Answer(b"page"))
    head = b"head"
    joined = cache.joined("a", head, answer)
    assert joined == b"headpage"
    assert cache.joined("a", head, answer) is joined


def test_one_joined_copy_of_an_answer_is_kept_whoever_asks() -> None:
    cache = AnswerCache(10_000)
    answer = cache.put("a", Answer(b"page"))
    before = cache._bytes
    for head in (b"one", b"two", b"six"):
        assert cache.joined("a", head, answer) == head + b"page"
    assert cache._bytes == before + ENTRY + len(b"onepage")


def test_an_answer_too_large_to_be_kept_is_joined_all_the_same() -> None:
    cache = AnswerCache(8 * (ENTRY + 10))
    answer = Answer(bytes(1_000))
    assert cache.joined("a", b"head", answer) == b"head" + bytes(1_000)
    assert cache._bytes == 0
