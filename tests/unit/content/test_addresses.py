"""Which addresses are connected to."""

import pytest

from skillsvc.content.addresses import AddressGuard, AddressRefused

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "192.0.1.1",
    "100.128.0.1",
    "2606:4700:4700::1111",
    "64:ff9b::808:808",
    "::ffff:8.8.8.8",
]
CLOSED = [
    "0.0.0.0",  # noqa: S104 - refused, not bound
    "10.0.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "2001::1",
    "2002:7f00:1::",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%1",
    "ff02::1",
    "no address",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_connected_to(address: str) -> None:
    AddressGuard().check("host.example", address)


@pytest.mark.parametrize("address", CLOSED)
def test_others_are_not(address: str) -> None:
    with pytest.raises(AddressRefused):
        AddressGuard().check("host.example", address)


@pytest.mark.parametrize(
    ("allowed", "host", "address"),
    [
        ("build.internal", "build.internal", "10.0.0.1"),
        ("Build.Internal.", "build.internal", "10.0.0.1"),
        ("build.internal", "BUILD.internal.", "10.0.0.1"),
        ("10.0.0.0/8", "any.example", "10.200.3.4"),
        ("10.1.2.3/8", "any.example", "10.200.3.4"),
        ("127.0.0.1", "any.example", "127.0.0.1"),
        ("127.0.0.1", "any.example", "::ffff:127.0.0.1"),
        ("[::1]", "::1", "::1"),
        ("fd00::/8", "any.example", "fd12::1"),
    ],
)
def test_what_an_operator_names_is_connected_to(allowed: str, host: str, address: str) -> None:
    AddressGuard([allowed]).check(host, address)


@pytest.mark.parametrize(
    ("allowed", "host", "address"),
    [
        ("build.internal", "other.internal", "10.0.0.1"),
        ("internal", "build.internal", "10.0.0.1"),
        ("10.0.0.0/24", "any.example", "10.0.1.1"),
        ("127.0.0.1", "any.example", "127.0.0.2"),
    ],
)
def test_what_is_named_allows_nothing_beside_it(allowed: str, host: str, address: str) -> None:
    with pytest.raises(AddressRefused):
        AddressGuard([allowed]).check(host, address)


@pytest.mark.parametrize("text", ["10.0.0.0/33", "internal/8", "1.2.3/8"])
def test_a_network_that_is_none_is_a_mistake(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        AddressGuard([text])
