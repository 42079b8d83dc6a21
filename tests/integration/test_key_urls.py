"""Keys of issuers from a URL: fetched within bounds, and not taken where anything is wrong with them."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from skillsvc.content.addresses import AddressGuard
from skillsvc.content.fetching import Fetcher
from skillsvc.service.identities.kept import LookFailed
from skillsvc.service.identities.keys import ALGORITHMS, MAX_BYTES
from skillsvc.service.identities.looks import UrlLook
from tests.patience import PATIENCE_S
from tests.simulators.web_server import WebServer, page
from tests.unit.service.identities.making import ec_key, jwks

pytestmark = pytest.mark.integration

ALL = frozenset(ALGORITHMS)


@pytest.fixture
def server() -> Iterator[WebServer]:
    server = WebServer()
    try:
        yield server
    finally:
        server.close()


@contextmanager
def looking_at(server: WebServer, *, allowed: tuple[str, ...] = ("127.0.0.0/8",)) -> Iterator[UrlLook]:
    with closing(Fetcher(guard=AddressGuard(allowed), timeout_s=PATIENCE_S)) as fetcher:
        yield UrlLook(server.url("/keys"), fetcher, ALL)


@pytest.mark.parametrize("tagged", [True, False])
def test_keys_that_are_as_they_were_are_told_as_no_change(server: WebServer, *, tagged: bool) -> None:
    old, new = ec_key("old"), ec_key("new")
    server.answers["/keys"] = page(jwks(old.jwk()), tagged=tagged)
    with looking_at(server) as look:
        first = look()
        assert first is not None
        assert set(first.keys) == {"old"}
        assert look() is None
        server.answers["/keys"] = page(jwks(old.jwk(), new.jwk()), tagged=tagged)
        second = look()
    assert second is not None
    assert set(second.keys) == {"old", "new"}


def test_what_is_no_set_of_keys_fails_the_look_and_a_later_one_may_do(server: WebServer) -> None:
    with looking_at(server) as look:
        for bad in (
            page(b"<html>"),
            page(b"x" * (MAX_BYTES + 1)),
            page(b"", status=500),
            page(jwks({"kty": "oct", "k": "x", "kid": "x"})),
        ):
            server.answers["/keys"] = bad
            with pytest.raises(LookFailed) as caught:
                look()
            assert "/keys" not in caught.value.why
        server.answers["/keys"] = page(jwks(ec_key().jwk()))
        assert look() is not None


def test_keys_are_not_fetched_from_addresses_of_the_own_network(server: WebServer) -> None:
    server.answers["/keys"] = page(jwks(ec_key().jwk()))
    with looking_at(server, allowed=()) as look, pytest.raises(LookFailed):
        look()
    assert server.asked == []


def test_an_issuer_that_is_not_there_fails_the_look(server: WebServer) -> None:
    server.refuse()
    with looking_at(server) as look, pytest.raises(LookFailed):
        look()
