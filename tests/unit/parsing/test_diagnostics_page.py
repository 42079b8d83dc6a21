"""docs/diagnostics.md: a row for every code."""

import re
from pathlib import Path

from skillsvc.domain.diagnostics import DiagnosticCode

PAGE = Path(__file__).parents[3] / "docs" / "diagnostics.md"
ROW = re.compile(
    r"^\| `(?P<code>[a-z0-9-]+)` \| (?P<severity>[^|]+) \| (?P<meaning>[^|]+) \| (?P<way_out>[^|]+) \|$", re.MULTILINE
)


def test_every_code_has_one_row_in_the_order_of_the_codes() -> None:
    assert [row["code"] for row in ROW.finditer(PAGE.read_text())] == [str(code) for code in DiagnosticCode]


def test_every_row_says_severity_meaning_and_way_out() -> None:
    for row in ROW.finditer(PAGE.read_text()):
        assert re.match(r"(note|warning|error)\b", row["severity"]), row["code"]
        assert row["meaning"].strip().endswith((".", ")")), row["code"]
        assert row["way_out"].strip().endswith("."), row["code"]
