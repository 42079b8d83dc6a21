"""What a git source and the process that fetches for it say to each other."""

import json

import pytest

from skillsvc.sources.git.exchange import FetchAnswer, FetchRequest, FetchStatus, parse_answer

COMMIT = "a" * 40
FETCHED = {"status": "fetched", "commit": COMMIT, "received": 7, "detail": ""}


def test_a_request_comes_as_it_was_sent() -> None:
    request = FetchRequest(
        url="https://git.example/a", cache="c", ref="HEAD", max_bytes=1, timeout_s=2.5, memory_bytes=3, username="é\n"
    )
    assert FetchRequest.from_json(request.to_json()) == request


def test_a_request_shows_no_secret() -> None:
    secrets = {"username": "somebody", "password": "open-sesame"}
    request = FetchRequest(url="u", cache="c", max_bytes=1, timeout_s=1, memory_bytes=1, **secrets)
    assert "somebody" not in repr(request)
    assert "open-sesame" not in repr(request)


@pytest.mark.parametrize(
    "answer",
    [
        FetchAnswer(status=FetchStatus.FETCHED, commit=COMMIT, received=7),
        FetchAnswer(status=FetchStatus.CURRENT, commit=COMMIT),
        FetchAnswer(status=FetchStatus.UNREACHABLE, detail="Why."),
    ],
)
def test_an_answer_comes_as_it_was_sent(answer: FetchAnswer) -> None:
    assert parse_answer(answer.to_json()) == answer


def test_a_long_detail_is_cut() -> None:
    answer = parse_answer(FetchAnswer(status=FetchStatus.LATE, detail="x" * 10_000).to_json())
    assert answer is not None
    assert len(answer.detail) == 512


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        "[" * 100_000,
        "\xff",
        json.dumps({**FETCHED, "status": "fine"}),
        json.dumps({**FETCHED, "commit": ""}),
        json.dumps({**FETCHED, "commit": "../../x"}),
        json.dumps({**FETCHED, "commit": COMMIT + "\n"}),
        json.dumps({**FETCHED, "commit": COMMIT.upper()}),
        json.dumps({**FETCHED, "commit": None}),
        json.dumps({**FETCHED, "received": "7"}),
        json.dumps({**FETCHED, "status": "late"}),
        json.dumps(FETCHED) + json.dumps(FETCHED),
    ],
)
def test_what_is_no_answer_is_not_believed(text: str) -> None:
    assert parse_answer(text.encode("latin-1")) is None
