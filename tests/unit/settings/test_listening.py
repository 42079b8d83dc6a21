"""Where a server listens: which addresses are of this machine, which are none, which need `insecure`."""

import pytest

from skillsvc.settings.listening import is_of_both_families, is_of_this_machine
from skillsvc.settings.settings import make_settings
from tests.unit.settings.faults import faults_of

OF_THIS_MACHINE = [
    "127.0.0.1:50051",
    "127.0.0.1:0",
    "127.8.9.10:1",
    "localhost:50051",
    "[::1]:50051",
    "[0:0:0:0:0:0:0:1]:1",
    "[::ffff:127.0.0.1]:1",
    "[::ffff:7f00:1]:1",
    "unix:skillsvc.sock",
    "unix:/run/skillsvc.sock",
    "unix:///run/skillsvc.sock",
]

BEYOND_THIS_MACHINE = [
    "0.0.0.0:50051",
    "10.0.0.1:50051",
    "128.0.0.1:50051",
    "[::]:50051",
    "[0:0:0:0:0:0:0:0]:1",
    "[::ffff:0.0.0.0]:1",
    "[::ffff:10.0.0.1]:1",
    "[::ffff:a00:1]:1",
    "[fe80::1]:1",
    "example.org:50051",
    "localhost.example.org:50051",
    "localhost.:50051",
    "LOCALHOST:50051",
    "ip6-localhost:50051",
    # Other spellings of addresses, which a resolver may read in its own way.
    "127.1:50051",
    "2130706433:50051",
    "0127.0.0.1:50051",
    "0x7f.0.0.1:50051",
]

NO_ADDRESS = [
    "",
    "50051",
    ":50051",
    "localhost",
    "127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:x",
    "127.0.0.1:-1",
    "127.0.0.1:65536",
    "127.0.0.1:500510",
    "127.0.0.1:\u0661",
    "127.0.0.1:1 ",
    "127.0.0.1:1\n",
    "127.0.0.1:1,0.0.0.0:2",
    "::1",
    "::1:50051",
    "::",
    "[::1]",
    "[::1%lo]:1",
    "[127.0.0.1:1",
    "*:50051",
    "ipv4:0.0.0.0:50051",
    "ipv4:127.0.0.1:1",
    "dns:///localhost:1",
    "http://127.0.0.1:1",
    "unix-abstract:skillsvc",
    "unix:",
    "unix:a\0b",
    "unix:" + "x" * 108,
]


@pytest.mark.parametrize("listen", OF_THIS_MACHINE)
def test_loopback_and_unix_sockets_are_listened_on(listen: str) -> None:
    assert is_of_this_machine(listen)
    assert make_settings({"server": {"listen": listen}}).server.listen == listen


@pytest.mark.parametrize("listen", BEYOND_THIS_MACHINE)
def test_any_other_address_is_refused_unless_insecure_is_said(listen: str) -> None:
    assert not is_of_this_machine(listen)
    (fault,) = faults_of({"server": {"listen": listen}})
    assert fault.startswith(f"[server] listen is {listen}; without TLS and access rules")
    assert "127.0.0.1:PORT" in fault
    assert make_settings({"server": {"listen": listen, "insecure": True}}).server.listen == listen


@pytest.mark.parametrize("insecure", [False, True])
@pytest.mark.parametrize("listen", NO_ADDRESS, ids=ascii)
def test_what_is_no_address_is_refused_in_any_case(listen: str, *, insecure: bool) -> None:
    (fault,) = faults_of({"server": {"listen": listen, "insecure": insecure}})
    assert fault.startswith("[server] listen is ")


@pytest.mark.parametrize("listen", ["0.0.0.0:1", "[::]:1", "[0:0:0:0:0:0:0:0]:1"])
def test_the_address_of_all_interfaces_is_of_both_families(listen: str) -> None:
    assert is_of_both_families(listen)


@pytest.mark.parametrize("listen", ["127.0.0.1:1", "[::1]:1", "10.0.0.1:1", "example.org:1", "unix:a", "0"])
def test_any_other_is_of_one(listen: str) -> None:
    assert not is_of_both_families(listen)


BEYOND: dict[str, object] = {
    "tls": {"cert_file": "cert", "key_file": "key"},
    "identity": {"tokens": {"file": "tokens"}},
    "access": [{"name": "a", "kind": "token"}],
}


@pytest.mark.parametrize(
    ("server", "admin", "health", "faults"),
    [
        ("127.0.0.1:1", "127.0.0.1:1", "127.0.0.1:2", ["[admin] listen is 127.0.0.1:1, where [server] listens"]),
        ("0.0.0.0:1", "10.0.0.1:1", "[::1]:1", ["[admin] listen is 10.0.0.1:1", "[health] listen is [::1]:1"]),
        ("10.0.0.1:1", "10.0.0.2:1", "[::]:1", ["[health] listen is [::]:1, where [server] listens"]),
        ("a.example:1", "A.example:01", "b.example:1", ["[admin] listen is A.example:01"]),
    ],
)
def test_two_listeners_are_at_two_addresses(server: str, admin: str, health: str, faults: list[str]) -> None:
    said = {"server": {"listen": server}, "admin": {"listen": admin}, "health": {"listen": health}}
    found = faults_of({**BEYOND, **said})
    assert len(found) == len(faults), found
    assert all(told.startswith(fault) for told, fault in zip(found, faults, strict=True)), found


@pytest.mark.parametrize(
    ("server", "admin", "health"),
    [("10.0.0.1:0", "10.0.0.1:0", "0.0.0.0:0"), ("unix:a", "127.0.0.1:1", "127.0.0.1:2")],
)
def test_any_port_that_is_free_is_another(server: str, admin: str, health: str) -> None:
    make_settings({**BEYOND, "server": {"listen": server}, "admin": {"listen": admin}, "health": {"listen": health}})


def test_the_address_that_is_not_said_is_taken_too() -> None:
    assert len(faults_of({**BEYOND, "admin": {"listen": "127.0.0.1:50051"}})) == 1
