"""Whom TLS trusts, and for how long what was read of that stands."""

import shutil
from pathlib import Path

import pytest

from skillsvc.content.transport import Authorities, AuthoritiesUnreadable
from tests.simulators.web_server import TLS


def test_a_file_of_authorities_is_read_once_as_long_as_it_stands(tmp_path: Path) -> None:
    shutil.copy(TLS / "authority.pem", tmp_path / "ca.pem")
    authorities = Authorities()
    context = authorities.context(str(tmp_path / "ca.pem"))
    assert authorities.context(str(tmp_path / "ca.pem")) is context
    assert authorities.context(None) is authorities.context(None)


def test_one_that_was_replaced_is_trusted_from_then_on_and_the_one_before_no_longer(tmp_path: Path) -> None:
    path = tmp_path / "ca.pem"
    shutil.copy(TLS / "authority.pem", path)
    authorities = Authorities()
    before = authorities.context(str(path)).get_ca_certs(binary_form=True)
    shutil.copy(TLS / "elsewhere.pem", tmp_path / "new")
    (tmp_path / "new").replace(path)
    after = authorities.context(str(path)).get_ca_certs(binary_form=True)
    assert (len(before), set(before) & set(after)) == (1, set())


@pytest.mark.parametrize("text", [None, "", "words"])
def test_what_holds_no_authorities_is_told(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "ca.pem"
    if text is not None:
        path.write_text(text)
    with pytest.raises(AuthoritiesUnreadable):
        Authorities().context(str(path))
