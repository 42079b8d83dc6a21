"""Texts as terms."""

import pytest

from skillsvc.parsing.words import LONGEST_QUERY_BYTES, MOST_TERMS, Words, stem, words_of_query


def terms(text: str) -> set[str]:
    return set(Words().count(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", set()),
        (" .,;:!?()[]{}\"'`~@$%^&*/\\|<>=+-_# ", set()),
        ("Hello, world.", {"hello", "world"}),
        ("rust-review", {"rust", "review", "rustreview"}),
        ("rust_review", {"rust", "review", "rustreview"}),
        ("RustReview", {"rustreview"}),
        ("__init__", {"init"}),
        ("--dry-run", {"dry", "run", "dryrun"}),
        ("c++", {"cpp"}),
        ("C++17", {"cpp", "17"}),
        ("C#", {"csharp"}),
        ("F#, or c#?", {"fsharp", "or", "csharp"}),
        ("issue #12", {"issu", "12"}),
        (".net", {"net", "dotnet"}),
        ("ASP.NET", {"asp", "net", "aspnet"}),
        ("node.js", {"nod", "js", "nodej"}),
        ("a.b.c", {"a", "b", "c"}),
        ("The end.Next", {"the", "end", "next", "endnext"}),
        ("k8s", {"k8s"}),
        ("python3", {"python3", "python"}),
        ("it's the users' own", {"its", "the", "user", "own"}),
        ("it\u2019s", {"its"}),
        ("e-mail email", {"e", "mail", "email"}),
        ("na\u00efve nai\u0308ve", {"naiv"}),
        ("\uff46\uff4f\uff4f", {"foo"}),
        ("STRASSE stra\u00dfe", {"strass"}),
        ("\u0130stanbul", {"istanbul"}),
        ("\u4f7f\u7528Python\u7f16\u5199", {"\u4f7f\u7528", "python", "\u7f16\u5199"}),
        ("\u6771\u4eac\u90fd", {"\u6771\u4eac", "\u4eac\u90fd"}),
        ("\u673a", {"\u673a"}),
        ("\ud55c\uad6d\uc5b4", {"\ud55c\uad6d", "\uad6d\uc5b4"}),
        ("\uff76\uff9e\uff72\uff84\uff9e", {"\u30ac\u30a4", "\u30a4\u30c9"}),
        ("\u00bd", {"1", "2"}),
        ("x" * 65, set()),
        ("x" * 64, {"x" * 64}),
    ],
)
def test_a_text_is_its_terms(text: str, expected: set[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    "forms",
    [
        ("skill", "skills"),
        ("query", "queries"),
        ("class", "classes"),
        ("box", "boxes"),
        ("test", "tests", "tested", "testing"),
        ("plan", "planning", "planned", "plans"),
        ("make", "makes", "making"),
        ("embed", "embeds", "embedding"),
        ("review", "reviewing", "reviewed", "reviews"),
        ("call", "calling", "calls"),
    ],
)
def test_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize(
    "word", ["bus", "status", "analysis", "string", "bring", "need", "css", "aws", "k8s", "\u00e9s"]
)
def test_what_is_no_form_of_a_word_is_left_as_it_is(word: str) -> None:
    assert stem(word) == word


def test_terms_are_counted_however_they_are_spelt() -> None:
    assert Words().count("Skill skills, SKILL. rust-skill") == {"skill": 4, "rust": 1, "rustskill": 1}


def test_what_was_cut_before_is_cut_alike_again() -> None:
    words = Words()
    text = "rust-review of C++ \u4f7f\u7528Python"
    assert words.count(text) == words.count(text)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("code review", ["cod", "review", "codereview"]),
        ("webSocket", ["websocket", "web", "socket"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("rust OR web*", ["rust", "or", "web", "rustor"]),
        ('name:"rust" NOT (a AND b)', ["nam", "rust", "not", "a", "and", "b"]),
        ("c++ c#", ["cpp", "csharp"]),
    ],
)
def test_a_query_is_words_and_nothing_else(query: str, expected: list[str]) -> None:
    found = [word.term for word in words_of_query(query)]
    assert found[: len(expected)] == expected


def test_a_query_has_64_terms_at_most() -> None:
    many = " ".join(f"word{number}" for number in range(1000))
    assert len(words_of_query(many)) == MOST_TERMS


def test_a_query_is_read_up_to_8_kib() -> None:
    beyond = "x " * (LONGEST_QUERY_BYTES // 2) + "beyond"
    assert [word.term for word in words_of_query(beyond)] == ["x", "xx"]


def test_a_query_says_how_its_words_were_spelt() -> None:
    (word,) = words_of_query("Reviewing")
    assert (word.term, word.spelt, word.compound) == ("review", "reviewing", False)


def test_what_binds_words_is_told_from_them() -> None:
    words = words_of_query("\u66f8\u304f\u753b\u9762")
    assert [(word.term, word.binding) for word in words] == [
        ("\u66f8\u304f", True),
        ("\u304f\u753b", True),
        ("\u753b\u9762", False),
    ]


@pytest.mark.parametrize(
    ("text", "sought", "expected"),
    [
        ("a test of tests", {"test"}, ["test", "tests"]),
        ("the rust-review skill", {"review"}, ["rust-review"]),
        ("\u4f7f\u7528Python\u7f16\u5199", {"\u7f16\u5199", "python"}, ["Python", "\u7f16\u5199"]),
        ("\u6771\u4eac\u90fd\u5185", {"\u4eac\u90fd"}, ["\u4eac\u90fd"]),
        ("\u673a", {"\u673a"}, ["\u673a"]),
        ("nothing", {"test"}, []),
    ],
)
def test_places_of_terms_are_where_they_are_written(text: str, sought: set[str], expected: list[str]) -> None:
    assert [text[start:end] for start, end, _term in Words().places(text, sought)] == expected
