"""The labelled queries are well formed, and what they name is there: docs/retrieval.md says how they were made."""

import unicodedata
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean

import pytest

from skillsvc.domain.generation import Row
from skillsvc.sources.discovery import Layout
from skillsvc.sources.merge import merge
from tests.retrieval.queries import FILE, Kind, Query, Split, read_queries, share_taken, split_of, words
from tests.unit.sources.trees import source_of

QUERIES = read_queries()

LEAST_OF_A_KIND = {Kind.PARAPHRASE: 80, Kind.TASK: 100, Kind.IDENTIFIER: 50, Kind.CJK: 40, Kind.TYPO: 50}

MOST_TAKEN = {Kind.PARAPHRASE: 0.4, Kind.TASK: 0.3}
"""Of the words of a query, the greatest mean share that the name and the description of its skill have as well."""

LONGEST_ECHO = 4
"""How many words in a row a query in words of our own may have in common with the text of its skill."""


@pytest.fixture(scope="module")
def listed(corpus: Path) -> Mapping[str, Row]:
    """What a server lists of the corpus, by its folders: a skill that another one hides cannot be found."""
    rows = merge([source_of(corpus, layout=Layout.NESTED).observe()]).rows
    return {row.found.place: row for row in rows if not row.shadowed}


@pytest.fixture(scope="module")
def texts(corpus: Path, listed: Mapping[str, Row]) -> Mapping[str, str]:
    """The SKILL.md of each of them, in small letters."""
    return {
        place: document.read_text(encoding="utf-8").lower()
        for place in listed
        for document in (corpus / place).iterdir()
        if document.name.lower() == "skill.md"
    }


def of_kind(kind: Kind) -> list[Query]:
    return [query for query in QUERIES if query.kind is kind]


def test_there_are_queries_enough_of_each_kind() -> None:
    assert len(QUERIES) >= 320
    assert {kind: len(of_kind(kind)) for kind in Kind if len(of_kind(kind)) < LEAST_OF_A_KIND[kind]} == {}


def test_no_query_is_asked_twice() -> None:
    asked = Counter(unicodedata.normalize("NFKC", query.text).casefold() for query in QUERIES)
    assert [text for text, times in asked.items() if times > 1] == []


def test_a_query_is_one_line_of_text() -> None:
    assert [query.text for query in QUERIES if not query.text or query.text != " ".join(query.text.split())] == []


def test_a_query_has_one_answer_to_five_each_named_once() -> None:
    assert [query.text for query in QUERIES if not 1 <= len(set(query.answers)) == len(query.answers) <= 5] == []


def test_the_split_follows_from_the_query() -> None:
    assert [query.text for query in QUERIES if query.split is not split_of(query.text)] == []


@pytest.mark.parametrize("kind", Kind)
def test_each_split_has_two_fifths_of_each_kind(kind: Kind) -> None:
    counted = Counter(query.split for query in of_kind(kind))
    assert min(counted[split] for split in Split) >= 0.4 * counted.total()


def test_the_queries_of_the_cjk_kind_are_those_in_its_scripts() -> None:
    def is_cjk(text: str) -> bool:
        return any(
            unicodedata.name(letter, "").startswith(("CJK", "HIRAGANA", "KATAKANA", "HANGUL")) for letter in text
        )

    assert [query.text for query in QUERIES if is_cjk(query.text) is not (query.kind is Kind.CJK)] == []


def test_the_file_has_one_kind_after_the_other() -> None:
    heads = [line.strip("[]") for line in FILE.read_text(encoding="utf-8").splitlines() if line.startswith("[[")]
    assert heads == sorted(heads, key=lambda head: list(Kind).index(Kind(head)))


def test_each_answer_is_a_skill_that_a_server_lists(listed: Mapping[str, Row]) -> None:
    assert [(query.text, answer) for query in QUERIES for answer in query.answers if answer not in listed] == []


def test_nearly_every_skill_answers_something(listed: Mapping[str, Row]) -> None:
    answers = {answer for query in QUERIES for answer in query.answers}
    assert len(listed.keys() - answers) <= 0.05 * len(listed)


@pytest.mark.parametrize("kind", MOST_TAKEN)
def test_a_query_in_words_of_our_own_takes_few_of_its_skills(listed: Mapping[str, Row], kind: Kind) -> None:
    def described(answer: str) -> str:
        return f"{listed[answer].name} {listed[answer].bundle.skill.description}".replace("-", " ")

    taken = [max(share_taken(query.text, described(answer)) for answer in query.answers) for query in of_kind(kind)]
    assert fmean(taken) <= MOST_TAKEN[kind]


@pytest.mark.parametrize("kind", MOST_TAKEN)
def test_a_query_in_words_of_our_own_echoes_no_sentence_of_its_skills(texts: Mapping[str, str], kind: Kind) -> None:
    def echoes(query: Query, answer: str) -> bool:
        asked, text = words(query.text), f" {' '.join(words(texts[answer]))} "
        return any(
            f" {' '.join(asked[at : at + LONGEST_ECHO + 1])} " in text for at in range(len(asked) - LONGEST_ECHO)
        )

    assert [query.text for query in of_kind(kind) for answer in query.answers if echoes(query, answer)] == []


def test_a_cjk_query_has_something_in_common_with_each_of_its_answers(texts: Mapping[str, str]) -> None:
    def pieces(text: str) -> set[str]:
        latin, other = [word for word in words(text) if word.isascii()], [w for w in words(text) if not w.isascii()]
        return {*latin, *(word[at : at + 2] for word in other for at in range(len(word) - 1))}

    apart = [
        (query.text, answer)
        for query in of_kind(Kind.CJK)
        for answer in query.answers
        if not any(piece in texts[answer] for piece in pieces(query.text))
    ]
    assert apart == []
