"""What a source of another hand must not say."""

from dataclasses import replace
from typing import Any

import pytest

from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.trust import Tier, Trust
from skillsvc.sources.soundness import fault_of
from skillsvc.sources.source import Observation, Outcome
from tests.contract.layer_log_values import row

A, B = (replace(row(name).found, place=name) for name in "ab")
SAID = Diagnostic(severity=Severity.NOTE, code=DiagnosticCode.SOURCE_MISSING, message="said")
SOUND = Observation(
    source="main", tier=Tier.EXPLICIT, trust=Trust.ALLOWED, outcome=Outcome.WHOLE, found=(A, B), diagnostics=(SAID,)
)


@pytest.mark.parametrize(
    "seen",
    [
        SOUND,
        replace(SOUND, outcome=Outcome.PARTIAL),
        replace(SOUND, outcome=Outcome.ABSENT, found=()),
        replace(SOUND, outcome=Outcome.FAILED, found=(), revision="0123abcd"),
        replace(SOUND, tier=Tier.REGISTERED, trust=Trust.UNTRUSTED),
        # Two skills of one name are told apart by their places.
        replace(SOUND, found=(A, replace(B, bundle=A.bundle))),
    ],
)
def test_an_observation_is_sound(seen: Observation) -> None:
    assert fault_of(seen, "main") is None
    assert fault_of(seen, "main", seen.found) is None


def odd(value: Any, **changes: Any) -> Any:  # noqa: ANN401 - what has any type is the point
    return replace(value, **changes)


def unsound(**changes: object) -> object:
    return odd(SOUND, **changes)


def odd_found(**changes: object) -> object:
    return odd(SOUND, found=(A, odd(B, **changes)))


@pytest.mark.parametrize(
    ("seen", "fault"),
    [
        (None, "no observation"),
        ([SOUND], "no observation"),
        (unsound(source="other"), "of another source"),
        (unsound(source=None), "of another source"),
        (unsound(outcome="whole"), "outcome, tier or trust"),
        (unsound(tier=1), "outcome, tier or trust"),
        (unsound(trust=None), "outcome, tier or trust"),
        (unsound(tier=Tier.REGISTERED, trust=Trust.ALLOWED), "more trust than its tier"),
        (unsound(revision=b"0123"), "revision"),
        (unsound(revision="\ud800"), "revision"),
        (unsound(diagnostics=[SAID]), "diagnostics"),
        (unsound(diagnostics=("said",)), "diagnostics"),
        (unsound(diagnostics=(replace(SAID, message="\udcff"),)), "diagnostics"),
        (unsound(found=[A]), "no skills"),
        (unsound(found=(A, None)), "no skills"),
        (unsound(found=(A, row("b"))), "no skills"),
        (unsound(outcome=Outcome.FAILED), "where it saw nothing"),
        (unsound(outcome=Outcome.ABSENT), "where it saw nothing"),
        (unsound(found=(A, replace(B, place="a"))), "two skills at one place"),
        (odd_found(bundle=None), "no bundle"),
        (odd_found(bundle=odd(B.bundle, skill=None)), "no bundle"),
        (odd_found(bundle=odd(B.bundle, skill=odd(B.bundle.skill, name="../b"))), "no bundle with a fit name"),
        (odd_found(bundle=odd(B.bundle, skill=odd(B.bundle.skill, name=7))), "no bundle with a fit name"),
        (odd_found(place="\udcff"), "no text"),
        (odd_found(collection=None), "no text"),
        (odd_found(diagnostics=(None,)), "no text"),
    ],
)
def test_what_is_unsound_is_named(seen: object, fault: str) -> None:
    told = fault_of(seen, "main")
    assert told is not None
    assert fault in told


def test_what_was_sound_before_is_not_looked_at_again() -> None:
    other = replace(B, collection="\ud800")
    assert fault_of(replace(SOUND, found=(A, other)), "main", (A,)) is not None
    assert fault_of(replace(SOUND, found=(A, other)), "main", (other,)) is None
