"""Selections: what narrows a listing, and what stands for it where answers are kept."""

import itertools

from skillsvc.catalog.listing import Invoker, Selection

ALLOWS = [None, frozenset[str](), frozenset({"a"}), frozenset({"b"}), frozenset({"a", "b"}), frozenset({"ab"})]


def test_each_selection_has_a_key_of_its_own() -> None:
    selections = [Selection(allow=allow, invoker=invoker) for allow, invoker in itertools.product(ALLOWS, Invoker)]
    assert len({selection.key for selection in selections}) == len(selections)
    assert Selection(allow=frozenset({"b", "a"})).key == Selection(allow=frozenset({"a", "b"})).key


def test_a_key_is_as_small_for_4096_names_as_for_one() -> None:
    invoker, _collection, names = Selection(allow=frozenset(f"{number:064}" for number in range(4_096))).key
    assert invoker is Invoker.ANY
    assert len(names) == 64


def test_only_a_selection_of_all_skills_for_anybody_narrows_nothing() -> None:
    assert not Selection().narrows
    assert Selection(allow=frozenset()).narrows
    assert Selection(invoker=Invoker.MODEL).narrows
    assert Selection(invoker=Invoker.USER).narrows
    assert Selection(collection="lab").narrows
