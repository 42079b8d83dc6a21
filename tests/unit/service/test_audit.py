"""Audit lines: what is in them, what never is, and how many there are."""

import logging
from collections.abc import Callable

import pytest

from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.service.audit import LOGGER, Actor, Audit, Refused

FIELDS = (
    "act",
    "principal",
    "identity",
    "peer",
    "partition",
    "generation",
    "decision",
    "reason",
    "rule",
    "what",
    "count",
)
RATE = Refused(act="SkillBody", reason="RATE_LIMITED", by=Actor("token:a", "agents"))


class Later:
    """A clock, and what is to be done when it has come so far."""

    def __init__(self) -> None:
        self.time = 100.0
        self.due: list[tuple[float, Callable[[], None]]] = []

    def now(self) -> float:
        return self.time

    def later(self, seconds: float, what: Callable[[], None]) -> None:
        self.due.append((self.time + seconds, what))

    def advance(self, seconds: float) -> None:
        """Let time pass, and do what is due at its time."""
        end = self.time + seconds
        while self.due and self.due[0][0] <= end:
            self.time, what = self.due.pop(0)
            what()
        self.time = end


@pytest.fixture
def clock() -> Later:
    return Later()


@pytest.fixture
def audit(clock: Later, caplog: pytest.LogCaptureFixture) -> Audit:
    caplog.set_level(logging.INFO, logger=LOGGER)
    return Audit(clock.now, later=clock.later)


def lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, object]]:
    """Return the fields of the lines so far."""
    return [
        {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        for record in caplog.records
        if record.name == LOGGER
    ]


def test_what_was_shown_and_ignored_is_told_with_how_often_and_from_where(
    audit: Audit, caplog: pytest.LogCaptureFixture
) -> None:
    audit.ignored("x-forwarded-client-cert", 3, "192.0.2.1")
    told = {
        "act": "Identify",
        "decision": "ignored",
        "what": "x-forwarded-client-cert",
        "peer": "192.0.2.1",
        "count": 3,
    }
    assert lines(caplog) == [told]


def test_a_line_says_who_did_what_to_which_and_by_which_rule(audit: Audit, caplog: pytest.LogCaptureFixture) -> None:
    by = Actor("oidc:corp:acme", "ops", "oidc:corp:alice", "192.0.2.1")
    audit.allowed("RevokeSkill", by, partition=Partition("token:a", "p"), generation=7)
    audit.allowed("Publish", partition=DEPLOYMENT, generation=8)
    audit.failed("Reload", "SETTINGS_REFUSED")
    assert lines(caplog) == [
        {
            "act": "RevokeSkill",
            "principal": "oidc:corp:acme",
            "identity": "oidc:corp:alice",
            "peer": "192.0.2.1",
            "partition": "token:a/p",
            "generation": 7,
            "decision": "allowed",
            "rule": "ops",
        },
        {"act": "Publish", "partition": "deployment", "generation": 8, "decision": "allowed"},
        {"act": "Reload", "decision": "failed", "reason": "SETTINGS_REFUSED"},
    ]


def test_the_first_refusal_is_written_at_once(audit: Audit, caplog: pytest.LogCaptureFixture) -> None:
    audit.refused(RATE)
    assert lines(caplog) == [
        {
            "act": "SkillBody",
            "principal": "token:a",
            "decision": "refused",
            "reason": "RATE_LIMITED",
            "rule": "agents",
            "count": 1,
        }
    ]


def test_a_flood_of_refusals_is_one_line_a_second_and_none_is_lost(
    audit: Audit, clock: Later, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(4_000):
        audit.refused(RATE)
        clock.advance(1 / 1_000)
    clock.advance(3)
    counts = [line["count"] for line in lines(caplog)]
    assert sum(counts) == 4_000  # type: ignore[arg-type] # each is a number
    assert len(counts) <= 6


def test_those_who_share_a_principal_are_told_apart(audit: Audit, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("alice", "bob", "alice"):
        by = Actor("token:club", "club", f"token:{name}", "192.0.2.1")
        audit.refused(Refused(act="SkillBody", reason="RATE_LIMITED", by=by))
    assert [line["identity"] for line in lines(caplog)] == ["token:alice", "token:bob"]


def test_the_sum_is_written_though_nothing_comes_any_more(
    audit: Audit, clock: Later, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(5):
        audit.refused(RATE)
    clock.advance(1)
    assert [line["count"] for line in lines(caplog)] == [1, 4]
    clock.advance(5)
    assert [line["count"] for line in lines(caplog)] == [1, 4]
    assert not clock.due


def test_at_the_end_what_is_summed_is_written(audit: Audit, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(3):
        audit.refused(RATE)
    audit.flush()
    assert [line["count"] for line in lines(caplog)] == [1, 2]


def test_after_a_while_of_peace_the_next_refusal_is_written_at_once(
    audit: Audit, clock: Later, caplog: pytest.LogCaptureFixture
) -> None:
    audit.refused(RATE)
    clock.advance(10)
    audit.refused(RATE)
    assert [line["count"] for line in lines(caplog)] == [1, 1]


def test_a_flood_of_names_is_summed_together(audit: Audit, clock: Later, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(10_000):
        audit.refused(
            Refused(act="SkillBody", reason="CREDENTIALS_INVALID", by=Actor(peer=f"2001:db8:0:{number:x}::/64"))
        )
    clock.advance(3)
    written = lines(caplog)
    assert len(written) <= 130
    assert sum(line["count"] for line in written) == 10_000  # type: ignore[misc] # each is a number


def test_no_value_is_endless_or_writes_over_a_terminal(audit: Audit, caplog: pytest.LogCaptureFixture) -> None:
    audit.refused(Refused(act="SkillBody", reason="ROLE_MISSING", by=Actor("token:\x1b[2J\n" + "a" * 10_000)))
    principal = lines(caplog)[0]["principal"]
    assert isinstance(principal, str)
    assert principal.startswith("token:\ufffd[2J\ufffdaaa")
    assert len(principal) <= 300
    assert principal.isprintable()
