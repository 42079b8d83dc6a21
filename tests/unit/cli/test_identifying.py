"""Identifying: identities made of settings, and made anew whole or not at all."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from skillsvc.cli.identifying import Identifying
from skillsvc.domain.access import ANONYMOUS, LOCAL, Grant, Role
from skillsvc.domain.errors import Unauthenticated
from skillsvc.service.audit import Audit
from skillsvc.service.identities.static_tokens import line_of
from skillsvc.settings.refusal import SettingsRefused
from skillsvc.settings.settings import Settings, make_settings
from tests.unit.service.identities.making import ISSUER, NOW, Caller, bearer, ec_key, jwks

TOKEN = "t" * 32
KEY = ec_key()


class House:
    """Files that settings name."""

    def __init__(self, folder: Path) -> None:
        self.keys = folder / "keys.json"
        self.tokens = folder / "tokens"
        self.keys.write_bytes(jwks(KEY.jwk()))
        self.tokens.write_text(line_of("ci", TOKEN))

    def settings(self, more: Mapping[str, object] | None = None, *, label: str = "corp") -> Settings:
        issuer = {"name": label, "issuer": ISSUER, "audiences": ["skillsvc"], "jwks_file": self.keys}
        return make_settings(
            {
                "identity": {"issuer": [issuer], "tokens": {"file": self.tokens}},
                "access": [
                    {"name": "robots", "kind": "token"},
                    {"name": "corp", "kind": "oidc", "issuer": label},
                ],
                **(more or {}),
            }
        )


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def identifying(settings: Settings) -> Identifying:
    return Identifying(settings, now=lambda: NOW, audit=Audit(lambda: 0.0))


def test_where_nothing_is_configured_everybody_is_local() -> None:
    assert identifying(make_settings({})).identities.identity_of(Caller()) == LOCAL


@pytest.mark.parametrize("said", [{}, {"tls": {"cert_file": "c", "key_file": "k"}}])
def test_where_other_machines_get_in_unasked_everybody_reads_what_all_share_and_no_more(
    said: dict[str, object],
) -> None:
    opened = identifying(make_settings({"server": {"listen": "0.0.0.0:1", "insecure": True}, **said}))
    assert opened.identities.identity_of(Caller()) == ANONYMOUS
    grant = opened.identities.grant_of(Caller())
    assert isinstance(grant, Grant)
    assert grant.principal == "anonymous"
    assert grant.roles == {Role.READER, Role.REPORTER}
    # Not even by a file that was read later: what listens is what it was.
    opened.take(opened.prepare(make_settings({})))
    assert opened.identities.identity_of(Caller()) == ANONYMOUS


@pytest.mark.parametrize("listen", ["127.0.0.1:1", "[::1]:1", "unix:s"])
def test_insecure_changes_nothing_where_no_other_machine_gets_in(listen: str) -> None:
    settings = make_settings({"server": {"listen": listen, "insecure": True}})
    assert identifying(settings).identities.identity_of(Caller()) == LOCAL


def test_in_plaintext_rules_ask_as_they_do_elsewhere(house: House) -> None:
    settings = house.settings({"server": {"listen": "0.0.0.0:1", "insecure": True}})
    with pytest.raises(Unauthenticated):
        identifying(settings).identities.identity_of(Caller())


def test_no_reload_tells_callers_apart_who_were_not_at_the_start(house: House) -> None:
    # What bounds the share of each is made at the start.
    local = identifying(make_settings({}))
    with pytest.raises(SettingsRefused) as caught:
        local.prepare(house.settings())
    assert caught.value.faults == ("[identity] and [[access]] are new, which can be taken in by a start alone",)
    local.take(local.prepare(make_settings({})))
    assert local.identities.identity_of(Caller()) == LOCAL


def test_what_is_configured_counts(house: House) -> None:
    identities = identifying(house.settings()).identities
    assert identities.identity_of(Caller(bearer(TOKEN))).principal() == "token:ci"
    assert identities.identity_of(Caller(bearer(KEY.token()))).principal() == "oidc:corp:alice"
    with pytest.raises(Unauthenticated):
        identities.identity_of(Caller())


@pytest.mark.parametrize("name", ["keys", "tokens"])
def test_a_file_that_cannot_be_used_refuses_the_settings(house: House, name: str) -> None:
    kept = identifying(house.settings())
    path: Path = getattr(house, name)
    path.write_text("none")
    with pytest.raises(SettingsRefused) as caught:
        identifying(house.settings())
    assert str(path) not in str(caught.value)
    path.unlink()
    with pytest.raises(SettingsRefused):
        identifying(house.settings())
    # What is known already needs no file.
    kept.take(kept.prepare(house.settings()))
    assert kept.identities.identity_of(Caller(bearer(TOKEN))).name == "ci"


def test_what_an_issuer_is_known_by_stays_where_its_table_does(house: House) -> None:
    kept = identifying(house.settings())
    before = kept.prepare(house.settings()).ways
    again = kept.prepare(house.settings()).ways
    assert again.issuers[0] is before.issuers[0]
    assert again.tokens is before.tokens
    other = kept.prepare(house.settings(label="other")).ways
    assert other.issuers[0] is not before.issuers[0]
    assert other.tokens is before.tokens


def test_nobody_becomes_local_while_a_server_runs_that_asked_who_calls(house: House) -> None:
    kept = identifying(house.settings())
    with pytest.raises(SettingsRefused):
        kept.prepare(make_settings({}))


@pytest.mark.parametrize(("mode", "warned"), [(0o600, False), (0o640, False), (0o644, True), (0o660, True)])
def test_a_file_of_tokens_that_others_may_use_is_warned_of(
    house: House, caplog: pytest.LogCaptureFixture, mode: int, *, warned: bool
) -> None:
    house.keys.chmod(0o600)
    house.tokens.chmod(mode)
    identifying(house.settings())
    assert bool(caplog.records) is warned


def test_it_runs_until_it_is_left(house: House) -> None:
    kept = identifying(house.settings())
    with kept.running():
        assert kept.identities.identity_of(Caller(bearer(TOKEN))).name == "ci"
