"""Credentials: read anew, shown to nobody."""

from pathlib import Path

import pytest

from skillsvc.content.credentials import Basic, Bearer, CredentialsMissing, SecretPlace, authorization


def test_they_show_nothing_of_themselves() -> None:
    for credentials in (Basic(username="ann", password="s3cret"), Bearer(token="s3cret")):  # noqa: S106 - of a test
        assert "s3cret" not in f"{credentials!r} {credentials}"
        assert "ann" not in repr(credentials)


def test_they_become_a_header() -> None:
    assert authorization(Basic(username="Aladdin", password="open sesame")) == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="  # noqa: S106 - the one of the RFC
    assert authorization(Bearer(token="abc.def")) == "Bearer abc.def"  # noqa: S106 - of a test


def test_a_variable_of_the_environment_is_a_token_or_with_a_name_a_password() -> None:
    environment = {"TOKEN": "abc"}
    assert SecretPlace(env="TOKEN").read(environment) == Bearer(token="abc")  # noqa: S106 - of a test
    assert SecretPlace(env="TOKEN", username="ann").read(environment) == Basic(username="ann", password="abc")  # noqa: S106 - of a test


def test_a_file_is_read_anew_each_time_without_the_end_of_its_line(tmp_path: Path) -> None:
    place = SecretPlace(file=str(tmp_path / "token"))
    for token in ("one", "two"):
        (tmp_path / "token").write_text(f"{token}\r\n")
        assert place.read({}) == Bearer(token=token)


@pytest.mark.parametrize("content", [None, b"", b"\n", b"a\nX-Header: b", b"a\x00b", b"\xff\xfe"])
def test_what_is_no_secret_is_missing_and_said_without_its_content(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "token").write_bytes(content)
    with pytest.raises(CredentialsMissing) as missing:
        SecretPlace(file=str(tmp_path / "token")).read({})
    assert str(tmp_path) not in str(missing.value)
    assert "X-Header" not in str(missing.value)


@pytest.mark.parametrize("environment", [{}, {"TOKEN": ""}, {"TOKEN": "a\r\nb"}])
def test_so_is_a_variable(environment: dict[str, str]) -> None:
    with pytest.raises(CredentialsMissing, match="TOKEN"):
        SecretPlace(env="TOKEN").read(environment)


def test_a_user_name_holds_no_colon() -> None:
    with pytest.raises(CredentialsMissing):
        SecretPlace(env="TOKEN", username="a:b").read({"TOKEN": "c"})


def test_places_are_told_apart_by_their_names() -> None:
    places = [SecretPlace(env="A"), SecretPlace(file="A"), SecretPlace(env="A", username="ann"), SecretPlace(env="B")]
    assert len({place.name for place in places}) == len(places)
