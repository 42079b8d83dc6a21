"""Texts as terms: what is remembered of words, and the shorter ways, change nothing of what is counted."""

from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skillsvc.parsing import words
from skillsvc.parsing.words import Words

pytestmark = pytest.mark.property

_PART = st.sampled_from(["a", "1", "k8s", "python3", "bees", "Running", "x" * 40, "\u00e9", "\u6771\u4eac", "c++", ""])
_JOINT = st.sampled_from(["-", "_", "--", ".", "'", " "])
_TEXTS = st.lists(st.tuples(_PART, _JOINT).map("".join)).map("".join) | st.text()


def counted_slowly(text: str) -> Counter[str]:
    """Return how often each term is in a text, each word cut by all the rules there are, and none remembered."""
    runs = words._RUN.findall(text)
    return Counter(word.term for run in runs for word in words._words_in(run, capitals=False))


@given(_TEXTS)
@example("rust-review rust_review -1-a_2- a1-b22 __init__ 3-D Bees-and-Bees")
def test_what_is_counted_is_what_all_the_rules_say_also_the_second_time(text: str) -> None:
    counter = Words()
    expected = counted_slowly(text)
    assert counter.count(text) == expected
    assert counter.count(text) == expected
