"""What is kept: the last good value stays, and looks lie apart, whoever asks."""

import json
import logging
import math
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from skillsvc.service.identities.kept import Keeping, Kept, LookFailed
from skillsvc.service.identities.keys import ALGORITHMS, parse_keys
from skillsvc.service.identities.looks import look_at_key_file, look_at_token_file
from skillsvc.service.identities.static_tokens import StaticTokens, line_of, parse_tokens
from tests.patience import PATIENCE_S
from tests.unit.service.identities.making import Clock, Work, ec_key, jwks

LATER_NS = 2**62
TOKEN = "t" * 32


class Looks:
    """Answers given in advance: a value, None for "as it was", or an error."""

    def __init__(self, *answers: str | Exception | None) -> None:
        self.answers = list(answers)

    def __call__(self) -> str | None:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def keep(
    look: Callable[[], str | None],
    work: Work,
    clock: Clock,
    changes: list[str] | None = None,
    stale_after_s: float = math.inf,
) -> Kept[str]:
    kept: Kept[str] = Kept(
        "the keys of corp",
        "first",
        look,
        every_s=600,
        after_failure_s=30,
        apart_s=60,
        submit=work.submit,
        clock=clock,
        changed=lambda: None if changes is None else changes.append(kept.value),
        stale_after_s=stale_after_s,
    )
    return kept


def test_who_came_and_who_went_is_logged_by_name_alone(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    first, second = parse_tokens(tokens(a=1, b=2, c=3), b"k" * 32), parse_tokens(tokens(b=4, c=3, d=5), b"k" * 32)
    kept: Kept[StaticTokens] = Kept(
        "the tokens",
        first,
        iter([second, second, None]).__next__,
        every_s=0,
        after_failure_s=0,
        apart_s=0,
        submit=Work(at_once=True).submit,
        clock=Clock(),
        changed=lambda: None,
        entries=StaticTokens.entries,
    )
    for _ in range(3):
        kept.tick()
    (line,) = caplog.records
    assert line.message == "the tokens are taken in"
    told = vars(line)
    assert (told["count"], told["added"], told["removed"]) == (3, ["b", "d"], ["a", "b"])
    assert TOKEN not in str(told)


def test_keys_are_told_apart_by_their_id_and_what_they_are() -> None:
    one, other, again = ec_key("one"), ec_key("other"), ec_key("one")
    algorithms = frozenset(ALGORITHMS)
    before = parse_keys(jwks(one.jwk(), other.jwk()), algorithms).entries()
    assert before == parse_keys(jwks(other.jwk(), one.jwk()), algorithms).entries()
    assert {kid for kid, _ in before} == {"one", "other"}
    after = parse_keys(jwks(again.jwk(), other.jwk()), algorithms).entries()
    assert {kid for kid, _ in before ^ after} == {"one"}


def tokens(**numbers: int) -> bytes:
    return "\n".join(line_of(name, f"{TOKEN}{number}") for name, number in numbers.items()).encode()


def test_a_change_is_told_after_it_is_there_and_what_is_as_it_was_is_not_told() -> None:
    changes: list[str] = []
    work, clock = Work(at_once=True), Clock()
    kept = keep(Looks("second", None, "third"), work, clock, changes)
    assert kept.value == "first"
    for _ in range(3):
        clock.at += 600
        kept.tick()
    assert (kept.value, changes, work.given) == ("third", ["second", "third"], 3)


def test_a_look_is_made_at_the_first_tick_and_then_each_ten_minutes() -> None:
    work, clock = Work(at_once=True), Clock()
    kept = keep(Looks(None, None), work, clock)
    made = []
    for _ in range(1200):
        kept.tick()
        made.append(work.given)
        clock.at += 1
    assert (made[0], made[599], made[600], made[-1]) == (1, 1, 2, 2)


def test_after_a_failure_the_last_good_value_stays_and_the_next_look_comes_sooner(
    caplog: pytest.LogCaptureFixture,
) -> None:
    work, clock = Work(at_once=True), Clock()
    kept = keep(Looks("good", LookFailed("nobody answers"), ValueError("unexpected"), "better"), work, clock)
    kept.tick()
    clock.at += 600
    with caplog.at_level(logging.WARNING):
        kept.tick()
        assert kept.value == "good"
        clock.at += 29
        kept.tick()
        assert work.given == 2
        clock.at += 1
        kept.tick()
        assert (kept.value, work.given) == ("good", 3)
    assert [record.getMessage() for record in caplog.records] == [
        "the keys of corp stay as they are: nobody answers",
        "the keys of corp stay as they are",
    ]
    clock.at += 30
    kept.tick()
    assert kept.value == "better"


def test_a_fault_that_lasts_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    work, clock = Work(at_once=True), Clock()
    down = LookFailed("nobody answers")
    kept = keep(Looks(down, down, "good", down), work, clock)
    with caplog.at_level(logging.WARNING):
        for told in (1, 1, 1, 2):
            kept.tick()
            assert len(caplog.records) == told
            clock.at += 600


def test_a_value_that_nobody_has_seen_for_too_long_is_stale_until_it_is_seen(caplog: pytest.LogCaptureFixture) -> None:
    work, clock, changes = Work(), Clock(), list[str]()
    down = LookFailed("nobody answers")
    kept = keep(Looks(None, down, down, None, None, down), work, clock, changes, stale_after_s=3600)

    def look() -> None:
        kept.tick()
        work.do()

    look()
    begun = clock.at
    for at, is_stale in ((1800.0, False), (3599.9, False), (3600.0, True), (4000.0, True)):
        clock.at = begun + at
        kept.tick()
        assert kept.is_stale is is_stale
    assert changes == ["first"]
    assert [(each.levelname, each.getMessage()) for each in caplog.records if each.levelname == "ERROR"] == [
        ("ERROR", "the keys of corp could not be had for 3600 s: whatever they prove is refused")
    ]
    # Looks that fail do not make it good, and neither do those that hang.
    work.do()
    seen = []
    for seconds in (600, 600, 3599, 1):
        clock.at += seconds
        look()
        seen.append(kept.is_stale)
    assert seen == [True, False, False, False]
    assert changes == ["first", "first"]


def test_a_value_that_was_never_seen_is_stale_as_well() -> None:
    work, clock = Work(), Clock()
    kept = keep(Looks(), work, clock, stale_after_s=3600)
    clock.at += 3600
    kept.tick()
    assert kept.is_stale


def test_however_many_ask_there_is_one_look_in_sixty_seconds() -> None:
    work, clock = Work(), Clock()
    kept = keep(Looks(None, None, None), work, clock)
    assert all(kept.ask() for _ in range(1000))
    assert work.given == 1
    work.do()
    assert not any(kept.ask() for _ in range(1000))
    clock.at += 59.9
    assert not kept.ask()
    clock.at += 0.1
    assert kept.ask()
    assert work.given == 2
    kept.tick()
    assert work.given == 2


def test_a_look_that_hangs_is_not_begun_twice() -> None:
    work, clock = Work(), Clock()
    kept = keep(Looks(None), work, clock)
    for _ in range(100):
        kept.tick()
        assert kept.ask()
        clock.at += 600
    assert work.given == 1


def test_threads_keep_until_they_are_stopped() -> None:
    keeping, looked = Keeping(), threading.Event()

    def look() -> str | None:
        looked.set()
        return "second"

    kept = Kept(
        "x",
        "first",
        look,
        every_s=1e9,
        after_failure_s=1e9,
        apart_s=1e9,
        submit=keeping.submit,
        clock=Clock(),
        changed=lambda: None,
    )
    keeping.keep([kept])
    keeping.start()
    assert looked.wait(PATIENCE_S)
    assert not keeping.stopped()
    keeping.stop()
    assert keeping.stopped()
    assert kept.value == "second"


def test_a_file_is_read_again_where_it_was_changed_or_replaced(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text(line_of("ci", TOKEN))
    look = look_at_token_file(str(path), b"k" * 32, lambda: LATER_NS)
    first = look()
    assert first is not None
    assert len(first) == 1
    assert look() is None
    (tmp_path / "new").write_text(f"{line_of('ci', TOKEN)}\n{line_of('cd', TOKEN + 'x')}")
    (tmp_path / "new").replace(path)
    second = look()
    assert second is not None
    assert len(second) == 2
    assert look() is None


def test_a_file_that_was_just_written_is_read_once_more(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text(line_of("ci", TOKEN))
    look = look_at_token_file(str(path), b"k" * 32, lambda: path.stat().st_mtime_ns + 1)
    assert look() is not None
    path.write_text(line_of("cd", TOKEN))
    os.utime(path, ns=(0, path.stat().st_mtime_ns))
    again = look()
    assert again is not None
    identity = again.identity_of(TOKEN)
    assert identity is not None
    assert identity.name == "cd"


@pytest.mark.parametrize(
    "content", [b"ci", jwks()[:-1], b'{"keys": []}', json.dumps({"keys": [{"kty": "oct"}]}).encode()]
)
def test_a_file_that_cannot_be_used_is_a_failed_look_until_it_is_another(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    looks = (
        look_at_token_file(str(path), b"k" * 32, lambda: LATER_NS),
        look_at_key_file(str(path), frozenset(ALGORITHMS), lambda: LATER_NS),
    )
    for look in looks:
        with pytest.raises(LookFailed) as caught:
            look()
        assert str(path) not in caught.value.why
        path.chmod(0o644)
        # It is not read again, and stays what it is.
        with pytest.raises(LookFailed, match=re.escape(caught.value.why)):
            look()


def test_what_is_not_there_or_no_file_is_a_failed_look(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "none", tmp_path, tmp_path / "fifo"):
        look = look_at_key_file(str(path), frozenset(ALGORITHMS), lambda: LATER_NS)
        for _ in range(2):
            with pytest.raises(LookFailed) as caught:
                look()
            assert str(tmp_path) not in caught.value.why


def test_the_keys_of_a_file_follow_it(tmp_path: Path) -> None:
    path = tmp_path / "jwks.json"
    path.write_bytes(jwks(ec_key("old").jwk()))
    look = look_at_key_file(str(path), frozenset({"ES256"}), lambda: LATER_NS)
    first = look()
    assert first is not None
    assert set(first.keys) == {"old"}
    path.write_bytes(jwks(ec_key("old").jwk(), ec_key("new").jwk()))
    second = look()
    assert second is not None
    assert set(second.keys) == {"old", "new"}
