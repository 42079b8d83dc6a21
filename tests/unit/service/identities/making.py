"""Certificates, keys and tokens, good and forged, for tests."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import NameOID
from jwt.algorithms import get_default_algorithms
from typing_extensions import override

NOW = datetime(2026, 6, 1, tzinfo=UTC)
ISSUER = "https://id.example.org"
AUDIENCE = "skillsvc"
SPIFFE_ID = "spiffe://example.org/ns/prod/sa/agent"


def base64url(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def claims(**changed: object) -> dict[str, object]:
    """Claims that hold now; a changed one of None is left out."""
    at = int(NOW.timestamp())
    good = {"iss": ISSUER, "aud": AUDIENCE, "sub": "alice", "iat": at, "nbf": at, "exp": at + 300, **changed}
    return {name: value for name, value in good.items() if value is not None}


class SigningKey:
    """A private key of one algorithm, under an id."""

    def __init__(self, private: Any, algorithm: str, kid: str = "k1") -> None:  # noqa: ANN401 - of any algorithm
        self.private = private
        self.algorithm = algorithm
        self.kid = kid
        self._implementation = get_default_algorithms()[algorithm]

    def jwk(self, **changed: object) -> dict[str, object]:
        public = self._implementation.to_jwk(self.private.public_key(), as_dict=True)
        public.pop("key_ops", None)
        return {**public, "kid": self.kid, "alg": self.algorithm, "use": "sig", **changed}

    def private_jwk(self) -> dict[str, object]:
        return {**self._implementation.to_jwk(self.private, as_dict=True), "kid": self.kid}

    def pem(self) -> bytes:
        found: bytes = self.private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return found

    def sign(self, signed: bytes) -> bytes:
        return self._implementation.sign(signed, self.private)

    def token(self, body: Mapping[str, object] | bytes | None = None, **header: object) -> str:
        """A token; of its header, what is changed to None is left out."""
        head: dict[str, object] = {"alg": self.algorithm, "kid": self.kid, "typ": "JWT", **header}
        head = {name: value for name, value in head.items() if value is not None}
        return self.token_of(json.dumps(head).encode(), body)

    def token_of(self, head: bytes, body: Mapping[str, object] | bytes | None = None) -> str:
        data = body if isinstance(body, bytes) else json.dumps(claims() if body is None else body).encode()
        signed = f"{base64url(head)}.{base64url(data)}"
        return f"{signed}.{base64url(self.sign(signed.encode()))}"


def rsa_key(kid: str = "k1", bits: int = 2048, algorithm: str = "RS256") -> SigningKey:
    return SigningKey(rsa.generate_private_key(public_exponent=65537, key_size=bits), algorithm, kid)


def ec_key(kid: str = "k1") -> SigningKey:
    return SigningKey(ec.generate_private_key(ec.SECP256R1()), "ES256", kid)


def p384_key(kid: str = "k1") -> SigningKey:
    return SigningKey(ec.generate_private_key(ec.SECP384R1()), "ES384", kid)


def ed_key(kid: str = "k1") -> SigningKey:
    return SigningKey(ed25519.Ed25519PrivateKey.generate(), "EdDSA", kid)


def jwks(*keys: Mapping[str, object]) -> bytes:
    return json.dumps({"keys": keys}).encode()


def certificate(
    *names: x509.GeneralName,
    subject: str = "CN=agent,O=Example",
    ends: datetime = NOW + timedelta(days=1),
    authority: bool | None = None,
) -> bytes:
    """A certificate (PEM) with alternative names."""
    key = ec.generate_private_key(ec.SECP256R1())
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name.from_rfc4514_string(subject) if subject else x509.Name([]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority")]))
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(NOW - timedelta(days=1))
        .not_valid_after(ends)
    )
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    if authority is not None:
        builder = builder.add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def uri(text: str) -> x509.UniformResourceIdentifier:
    return x509.UniformResourceIdentifier(text)


class Asked(Mapping[str, Sequence[bytes]]):
    """A mapping that knows what it was asked for."""

    def __init__(self, held: Mapping[str, Sequence[bytes]], asked: set[str]) -> None:
        self._held = held
        self._asked = asked

    @override
    def __getitem__(self, name: str) -> Sequence[bytes]:
        self._asked.add(name)
        return self._held[name]

    @override
    def __iter__(self) -> Iterator[str]:
        self._asked.add("everything")
        return iter(self._held)

    @override
    def __len__(self) -> int:
        return len(self._held)


class Caller:
    """What a call shows: headers, and what the transport has verified, of which it knows what was `asked` for."""

    def __init__(
        self,
        *headers: tuple[str, str | bytes],
        pem: bytes | None = None,
        spiffe_id: str = "",
        address: str = "ipv4:192.0.2.1:50000",
        **verified: Sequence[bytes],
    ) -> None:
        self._headers = headers
        self._address = address
        self._verified: dict[str, Sequence[bytes]] = {}
        if pem is not None:
            self._verified = {"transport_security_type": [b"ssl"], "x509_pem_cert": [pem]}
        if spiffe_id:
            self._verified["peer_spiffe_id"] = [spiffe_id.encode()]
        self._verified.update(verified)
        self.asked: set[str] = set()

    def auth_context(self) -> Mapping[str, Sequence[bytes]]:
        return Asked(self._verified, self.asked)

    def peer(self) -> str:
        return self._address

    def invocation_metadata(self) -> Sequence[tuple[str, str | bytes]]:
        return self._headers


def bearer(token: str) -> tuple[str, str]:
    return ("authorization", f"Bearer {token}")


class Clock:
    """Seconds that only grow, when they are told to."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


class Work:
    """Work that is done when it is told to be."""

    def __init__(self, *, at_once: bool = False) -> None:
        self.at_once = at_once
        self.given = 0
        self._waiting: list[tuple[Any, Future[None]]] = []

    def submit(self, work: Any) -> "Future[None]":  # noqa: ANN401 - as an executor
        self.given += 1
        done: Future[None] = Future()
        self._waiting.append((work, done))
        if self.at_once:
            self.do()
        return done

    def do(self) -> None:
        waiting, self._waiting = self._waiting, []
        for work, done in waiting:
            work()
            done.set_result(None)
