"""What the errors of calls come to, in a sentence of the command line."""

import pytest
from skillsource import Exhausted, SkillsourceError, Unauthenticated

from skillsvc.cli.asking import sentence_of
from skillsvc.cli.proving import NOTHING_SHOWN

MISSING = Unauthenticated("who are you?", reason="CREDENTIALS_MISSING")


@pytest.mark.parametrize(
    ("error", "by_tls", "sentence"),
    [
        (
            Exhausted("at most 2 a second", reason="RATE_LIMITED", retry_after_s=0.41),
            True,
            "at most 2 a second; try again in 0.5 s (RATE_LIMITED)",
        ),
        (Exhausted("too many", reason="QUOTA_EXCEEDED"), True, "too many (QUOTA_EXCEEDED)"),
        (
            MISSING,
            True,
            "there wants to know who asks: --cert-file with --key-file or --token-file say so (CREDENTIALS_MISSING)",
        ),
        (MISSING, False, "there wants to know who asks: --token-file says so (CREDENTIALS_MISSING)"),
    ],
)
def test_what_helps_is_said(error: SkillsourceError, sentence: str, *, by_tls: bool) -> None:
    assert sentence_of(error, "there", NOTHING_SHOWN, by_tls=by_tls) == sentence
