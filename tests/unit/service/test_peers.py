"""Addresses that calls are counted by."""

import pytest

from skillsvc.service.peers import address_of


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:192.0.2.1:50051", "192.0.2.1"),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:50051", "2001:db8:1:2::/64"),
        ("ipv6:[2001:db8:1:2:ffff::1]:1", "2001:db8:1:2::/64"),
        ("ipv6:[fe80::1%25eth0]:1", "fe80::/64"),
        ("ipv6:[::ffff:192.0.2.1]:1", "192.0.2.1"),
        ("ipv6:%5B::1%5D:50051", "::1"),
        ("ipv6:[::2]:1", "::/64"),
        ("unix:", "unix"),
        ("unix:/run/a.sock", "unix"),
        ("ipv4:what:1", "ipv4"),
        ("", ""),
    ],
)
def test_an_address_has_no_port_and_is_the_network_that_one_caller_has(peer: str, address: str) -> None:
    assert address_of(peer) == address
