"""Certificates as files hold them: what fits together is taken, and everything else is refused whole."""

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from skillsvc.service.certificate_files import (
    CertificateFiles,
    CertificatesRefused,
    find_certificates,
    parse_certificates,
)
from tests.simulators.authority import Authority, Files, Issued, Key, new_key, pem_of

_LONGEST = 1024 * 1024
NO_CLIENT_SHAKES = "the certificate must have RSA keys of 2048 bits or more, or of P-256 or P-384"


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def refusal_of(files: CertificateFiles) -> str:
    with pytest.raises(CertificatesRefused) as caught:
        parse_certificates(find_certificates(files))
    return str(caught.value)


@pytest.mark.parametrize(
    "key",
    [new_key(), ec.generate_private_key(ec.SECP384R1()), rsa.generate_private_key(65537, 2048)],
    ids=["P-256", "P-384", "RSA"],
)
def test_a_certificate_and_its_key_are_taken(authority: Authority, files: Files, key: Key) -> None:
    issued = authority.issue(key=key)
    taken = parse_certificates(find_certificates(files.put(issued, clients=authority.certificate)))
    assert (taken.chain, taken.key, taken.client_authorities) == (
        issued.certificate,
        issued.key,
        authority.certificate,
    )
    assert not taken.is_key_open
    assert taken.not_before < taken.not_after


def test_certificates_between_the_own_one_and_its_authority_follow_it(authority: Authority, files: Files) -> None:
    issued = authority.issue()
    chained = Issued(certificate=issued.certificate + authority.certificate, key=issued.key, serial=issued.serial)
    assert parse_certificates(find_certificates(files.put(chained))).chain == chained.certificate
    turned = Issued(certificate=authority.certificate + issued.certificate, key=issued.key, serial=issued.serial)
    assert refusal_of(files.put(turned)) == "the key is not that of the certificate"


@pytest.mark.parametrize(
    "key",
    [
        ec.generate_private_key(ec.SECP521R1()),
        ed25519.Ed25519PrivateKey.generate(),
        rsa.generate_private_key(65537, 1024),  # noqa: S505 - weak on purpose
    ],
    ids=["P-521", "Ed25519", "RSA of 1024 bits"],
)
def test_keys_that_no_client_shakes_hands_with_are_refused(authority: Authority, files: Files, key: Key) -> None:
    assert refusal_of(files.put(authority.issue(key=key))) == NO_CLIENT_SHAKES


def test_the_key_of_another_certificate_is_refused(authority: Authority, files: Files) -> None:
    put = files.put(authority.issue())
    files.exchange(files.key, authority.issue().key)
    assert refusal_of(put) == "the key is not that of the certificate"


def test_a_key_with_a_password_is_refused(authority: Authority, files: Files) -> None:
    key = new_key()
    put = files.put(authority.issue(key=key))
    files.exchange(files.key, pem_of(key, password=b"hush"))
    assert refusal_of(put) == "the key has a password; give one without"


@pytest.mark.parametrize("which", ["certificate", "key", "client_authorities"])
def test_a_file_that_is_written_up_to_any_byte_is_refused(authority: Authority, files: Files, which: str) -> None:
    put = files.put(authority.issue(), clients=authority.certificate + Authority("other").certificate)
    path: Path = getattr(files, which)
    whole = path.read_bytes().rstrip()
    # Where the first of two blocks ends nobody can tell that another was to follow; elsewhere it can be told.
    ends = {end for end in range(len(whole)) if whole[:end].endswith(b"-----END CERTIFICATE-----")}
    ends |= {end + 1 for end in ends}
    for size in set(range(0, len(whole), 7)) | {len(whole) - 1}:
        path.write_bytes(whole[:size])
        if size not in ends:
            assert refusal_of(put), size


@pytest.mark.parametrize(
    ("which", "named"),
    [("certificate", "the certificate"), ("key", "the key"), ("client_authorities", "the authorities of clients")],
)
def test_a_file_that_cannot_be_read_is_named_without_its_path(
    authority: Authority, files: Files, which: str, named: str
) -> None:
    put = files.put(authority.issue(), clients=authority.certificate)
    path: Path = getattr(files, which)
    path.unlink()
    assert refusal_of(put) == f"{named} cannot be read: No such file or directory"
    path.mkdir()
    assert refusal_of(put) == f"{named} cannot be read: Is a directory"
    path.rmdir()
    path.write_bytes(bytes(_LONGEST + 1))
    assert refusal_of(put) == f"{named} has more than {_LONGEST} bytes"


@pytest.mark.parametrize(("mode", "is_open"), [(0o600, False), (0o640, False), (0o644, True), (0o602, True)])
def test_a_key_that_anybody_may_read_or_write_is_noticed(
    authority: Authority, files: Files, mode: int, *, is_open: bool
) -> None:
    put = files.put(authority.issue())
    files.key.chmod(mode)
    assert parse_certificates(find_certificates(put)).is_key_open is is_open


def test_the_key_is_in_no_representation(authority: Authority, files: Files) -> None:
    found = find_certificates(files.put(authority.issue()))
    for value in (found, parse_certificates(found)):
        assert "PRIVATE KEY" not in repr(value)
