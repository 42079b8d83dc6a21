"""Certificates: the SPIFFE id that the transport tells of, else the whole subject, and nothing that looks like them."""

from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509

from skillsvc.domain.access import Identity, IdentityKind
from skillsvc.service.identities.certificates import certificate_of, identity_of_certificate
from skillsvc.service.identities.credentials import CredentialRefused
from skillsvc.service.identities.spiffe import is_spiffe_id
from tests.unit.service.identities.making import NOW, SPIFFE_ID, certificate, uri

END = NOW + timedelta(days=1)


def test_a_spiffe_id_that_the_transport_tells_of_is_the_identity() -> None:
    pem = certificate(uri(SPIFFE_ID), x509.DNSName("agent.example.org"))
    assert identity_of_certificate(pem, SPIFFE_ID.encode(), NOW) == Identity(
        kind=IdentityKind.CERTIFICATE_SPIFFE, name=SPIFFE_ID, expires_at=END
    )


@pytest.mark.parametrize("subject", ["CN=agent,O=Example", "O=Example,CN=agent", r"CN=a\,O=Bank,O=Example", "CN=é"])
def test_without_a_uri_the_subject_as_a_whole_is_the_identity(subject: str) -> None:
    assert identity_of_certificate(certificate(subject=subject), b"", NOW) == Identity(
        kind=IdentityKind.CERTIFICATE_SUBJECT, name=subject, expires_at=END
    )


def test_names_that_are_no_uri_leave_the_subject_the_identity() -> None:
    pem = certificate(x509.DNSName(SPIFFE_ID), x509.RFC822Name("agent@example.org"), uri("https://example.org/agent"))
    assert identity_of_certificate(pem, b"", NOW).kind is IdentityKind.CERTIFICATE_SUBJECT


@pytest.mark.parametrize(
    ("pem", "spiffe_id"),
    [
        (certificate(uri(SPIFFE_ID)), ""),
        (certificate(uri("spiffe://Example.org/x")), ""),
        (certificate(uri("SPIFFE://example.org/x")), ""),
        (certificate(uri(SPIFFE_ID), uri("spiffe://example.org/admin")), ""),
        (certificate(uri(SPIFFE_ID), uri("https://example.org")), SPIFFE_ID),
        (certificate(uri("https://a.example.org"), uri("https://b.example.org")), ""),
        (certificate(x509.DNSName(SPIFFE_ID)), SPIFFE_ID),
        (certificate(uri("spiffe://example.org/other")), SPIFFE_ID),
        (certificate(uri("spiffe://example.org/a/../b")), "spiffe://example.org/a/../b"),
        (certificate(), SPIFFE_ID),
        (certificate(uri(SPIFFE_ID), authority=True), SPIFFE_ID),
        (certificate(subject=""), ""),
        (certificate(x509.DNSName(SPIFFE_ID), subject=""), ""),
        (certificate(ends=NOW), ""),
        (certificate(uri(SPIFFE_ID), ends=NOW - timedelta(seconds=1)), SPIFFE_ID),
        (b"", ""),
        (b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", ""),
    ],
)
def test_a_certificate_that_names_nobody_for_certain_proves_nothing(pem: bytes, spiffe_id: str) -> None:
    with pytest.raises(CredentialRefused):
        identity_of_certificate(pem, spiffe_id.encode(), NOW)


def test_a_certificate_that_has_not_begun_proves_nothing() -> None:
    with pytest.raises(CredentialRefused):
        identity_of_certificate(certificate(), b"", datetime(2020, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    "verified",
    [
        {},
        {"x509_pem_cert": [b"pem"]},
        {"transport_security_type": [], "x509_pem_cert": [b"pem"]},
        {"transport_security_type": [b"local"], "x509_pem_cert": [b"pem"]},
        {"transport_security_type": [b"ssl", b"insecure"], "x509_pem_cert": [b"pem"]},
        {"transport_security_type": [b"ssl"]},
        {"transport_security_type": [b"ssl"], "x509_subject_alternative_name": [SPIFFE_ID.encode()]},
        {"transport_security_type": [b"ssl"], "x509_common_name": [b"agent"], "peer_uri": [SPIFFE_ID.encode()]},
    ],
)
def test_without_a_verified_certificate_there_is_none(verified: dict[str, list[bytes]]) -> None:
    assert certificate_of(verified) is None


@pytest.mark.parametrize(
    "more",
    [
        {"x509_pem_cert": [b"a", b"b"]},
        {"x509_pem_cert": [], "peer_spiffe_id": [b"a"]},
        {"peer_spiffe_id": [b"a", b"b"]},
    ],
)
def test_several_certificates_of_one_peer_prove_nothing(more: dict[str, list[bytes]]) -> None:
    with pytest.raises(CredentialRefused):
        certificate_of({"transport_security_type": [b"ssl"], "x509_pem_cert": [b"a"], **more})


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (SPIFFE_ID, True),
        ("spiffe://a/b", True),
        ("spiffe://a.b_c-d/e.F_g-1/h", True),
        ("spiffe://a", False),
        ("spiffe://a/", False),
        ("spiffe://a/b/", False),
        ("spiffe://a//b", False),
        ("spiffe://A/b", False),
        ("spiffe://a/./b", False),
        ("spiffe://a/..", False),
        ("spiffe://a/b%2Fc", False),
        ("spiffe://a:1/b", False),
        ("spiffe://u@a/b", False),
        ("spiffe://a/b?c", False),
        ("spiffe://a/b#c", False),
        ("spiffe://a/b\n", False),
        ("spiffe://a/é", False),
        ("SPIFFE://a/b", False),
        ("https://a/b", False),
        ("spiffe://" + "a" * 255 + "/b", True),
        ("spiffe://" + "a" * 256 + "/b", False),
        ("spiffe://a/" + "b" * 2037, True),
        ("spiffe://a/" + "b" * 2038, False),
        ("", False),
    ],
)
def test_a_spiffe_id_has_one_spelling(text: str, *, is_one: bool) -> None:
    assert is_spiffe_id(text) is is_one
