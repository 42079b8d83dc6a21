"""Examining the certificates that settings name, before a server stands on them."""

from pathlib import Path

import pytest

from skillsvc.settings.examining import Remark, examine
from skillsvc.settings.settings import make_settings
from skillsvc.settings.sought import seek
from tests.simulators.authority import Authority, Files

OPEN = "holds a secret, and anybody may read or write it (chmod o-rw)"


@pytest.fixture
def files(tmp_path: Path) -> Files:
    made = Files(tmp_path)
    made.put(Authority().issue())
    return made


def remarks(files: Files, *place: str) -> list[Remark]:
    """Return what is remarked of a table of files at a place."""
    table: dict[str, object] = {"cert_file": files.certificate, "key_file": files.key}
    settings = make_settings({"tls": table} if place == ("tls",) else {"admin": {"tls": table}})
    found = list(examine(settings, seek(settings, {}), {}))
    return [remark for remark in found if remark.place[: len(place)] == place]


@pytest.mark.parametrize("place", [("tls",), ("admin", "tls")])
def test_each_table_of_certificates_is_examined(files: Files, place: tuple[str, ...]) -> None:
    assert remarks(files, *place) == []
    files.key.chmod(0o644)
    assert remarks(files, *place) == [Remark((*place, "key_file"), OPEN, is_mistake=False)]
    files.exchange(files.key, Authority().issue().key)
    assert remarks(files, *place) == [Remark(place, "cannot be used: the key is not that of the certificate")]
    files.key.unlink()
    files.certificate.unlink()
    files.certificate.mkdir()
    assert remarks(files, *place) == [
        Remark((*place, "cert_file"), "is no file"),
        Remark((*place, "key_file"), "is not there"),
    ]
