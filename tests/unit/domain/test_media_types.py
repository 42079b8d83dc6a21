"""Media types come from a table, whatever the machine says."""

import pytest

from skillsvc.domain.caps import CAPS
from skillsvc.domain.media_types import _BY_EXTENSION, UNKNOWN, media_type_of


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.md", "text/markdown"),
        ("references/A.MD", "text/markdown"),
        ("a.tar.gz", "application/gzip"),
        ("scripts/run.py", "text/x-python"),
        ("data.json", "application/json"),
        ("image.svg", "image/svg+xml"),
        ("Makefile", UNKNOWN),
        ("a.unheard-of", UNKNOWN),
        ("a.", UNKNOWN),
        (".md", UNKNOWN),
        ("dir.md/file", UNKNOWN),
        ("dir.md/.json", UNKNOWN),
        ("a.\uff2d\uff24", UNKNOWN),
        ("a.md ", UNKNOWN),
    ],
)
def test_the_extension_decides_in_any_case(name: str, expected: str) -> None:
    assert media_type_of(name) == expected


def test_every_type_fits_its_cap_and_its_form() -> None:
    for extension, media_type in _BY_EXTENSION.items():
        assert extension == extension.lower()
        assert len(media_type) <= CAPS["Asset.media_type"].max_bytes
        assert media_type.count("/") == 1
