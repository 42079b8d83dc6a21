"""What both clients ask of a channel: where it may go in plaintext, how it proves itself, how it behaves."""

import ipaddress
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from skillsource.errors import InsecureTarget, InvalidArgument
from skillsource.methods import READS, SERVICE
from skillsource.retrying import ATTEMPTS, FIRST_PAUSE_S, LONGEST_PAUSE_S, TOKENS, TOKENS_BACK

Token: TypeAlias = str | Callable[[], str]
"""A bearer token, or what gives the present one before each call."""

Metadata: TypeAlias = tuple[tuple[str, str], ...]

MAX_ANSWER_BYTES: Final = 4 * 1024 * 1024
"""Twice what any answer may be; a larger one is refused before it is read into memory."""

MAX_REQUEST_BYTES: Final = 1024 * 1024

_UNIX = re.compile(r"unix(?:-abstract)?:.+", re.DOTALL)
# `dns://server/host` asks that server for the address, which may say anything: only without one is the name ours.
_NAMED = re.compile(r"(?:dns:(?:///)?)?(?P<address>[^/]+)")
_NUMBERED = re.compile(r"ipv[46]:(?P<addresses>[^/]+)")
_PORT = re.compile(r"(?P<host>\[[^\[\]]*\]|[^:\[\]]*)(?::(?P<port>[0-9]{1,5}))?")
_VISIBLE = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsOptions:
    """How a connection is secured. All three are PEM; what is None is left to gRPC.

    Attributes:
        ca: Certificates of the authorities to believe; None for those that gRPC comes with.
        cert: The client's own certificate chain, for mTLS. Needs `key`.
        key: The client's private key. Needs `cert`.
    """

    ca: bytes | None = None
    cert: bytes | None = None
    key: bytes | None = None

    def __post_init__(self) -> None:
        if (self.cert is None) != (self.key is None):
            raise InvalidArgument("TLS: a certificate and its key come together")
        for what, pem in (("ca", self.ca), ("cert", self.cert)):
            if pem is not None and b"-----BEGIN CERTIFICATE-----" not in pem:
                raise InvalidArgument(f"TLS: {what} holds no certificate in PEM")
        if self.key is not None and b"PRIVATE KEY-----" not in self.key:
            raise InvalidArgument("TLS: key holds no private key in PEM")

    @classmethod
    def read(cls, *, ca: Path | None = None, cert: Path | None = None, key: Path | None = None) -> "TlsOptions":
        """Read the three from files.

        Raises:
            OSError: A file cannot be read.
            InvalidArgument: It does not hold what it should.
        """
        return cls(
            ca=None if ca is None else ca.read_bytes(),
            cert=None if cert is None else cert.read_bytes(),
            key=None if key is None else key.read_bytes(),
        )


def check_target(target: str, *, tls: bool) -> None:
    """Refuse to send plaintext anywhere but to this machine, with or without a token.

    Raises:
        InsecureTarget: The target is another machine, or cannot be told to be this one.
    """
    if not tls and not is_local(target):
        raise InsecureTarget(
            f"{target!r} is neither loopback nor a unix socket: give tls=TlsOptions() to reach another machine"
        )


def is_local(target: str) -> bool:
    """Tell whether a target of gRPC can be this machine alone; what is not understood is another."""
    if _UNIX.fullmatch(target):
        return True
    if numbered := _NUMBERED.fullmatch(target):
        return all(_is_loopback(address) for address in numbered["addresses"].split(","))
    named = _NAMED.fullmatch(target)
    return named is not None and _is_loopback(named["address"])


def address_of(target: str) -> tuple[str, int] | None:
    """Return host and port of a target that has one of each, None of any other; without a port it is that of gRPC."""
    named = _NAMED.fullmatch(target)
    if named is None or _UNIX.fullmatch(target) or not (found := _PORT.fullmatch(named["address"])):
        return None
    host = found["host"].removeprefix("[").removesuffix("]")
    port = int(found["port"] or 443)
    return (host, port) if host and port < 2**16 else None


def _is_loopback(address: str) -> bool:
    host = _PORT.fullmatch(address)
    if host is None:
        return False
    name = host["host"].removeprefix("[").removesuffix("]")
    if name.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def credentials_of(token: Token | None) -> Callable[[], Metadata]:
    """Return what gives the metadata by which each call proves who makes it.

    Raises:
        InvalidArgument: The token does not fit into a header.
    """
    if token is None:
        return tuple
    if isinstance(token, str):
        constant = _bearer(token)
        return lambda: constant
    return lambda: _bearer(token())


def _bearer(token: str) -> Metadata:
    if not _VISIBLE.fullmatch(token):  # the token itself is not told
        raise InvalidArgument("the token is empty, or holds more than visible ASCII characters")
    return (("authorization", f"Bearer {token}"),)


def channel_options(version: str, *, plaintext: bool) -> Sequence[tuple[str, str | int]]:
    """Return the options of a channel.

    Args:
        version: The release of this package, for the user agent.
        plaintext: The target is this machine.
    """
    options: list[tuple[str, str | int]] = [
        ("grpc.primary_user_agent", f"skillsource-python/{version}"),
        ("grpc.max_receive_message_length", MAX_ANSWER_BYTES),
        ("grpc.max_send_message_length", MAX_REQUEST_BYTES),
        ("grpc.service_config", service_config()),
        # A TXT record must not be able to change what is repeated.
        ("grpc.service_config_disable_resolution", 1),
        # The server permits a ping every 20 s; without calls there is nothing to keep alive.
        ("grpc.keepalive_time_ms", 60_000),
        ("grpc.keepalive_timeout_ms", 20_000),
        ("grpc.keepalive_permit_without_calls", 0),
        ("grpc.http2.max_pings_without_data", 0),
        # A server that restarts is found again in seconds, not in the two minutes that gRPC would wait at most.
        ("grpc.initial_reconnect_backoff_ms", 200),
        ("grpc.max_reconnect_backoff_ms", 5_000),
    ]
    if plaintext:
        # A proxy of the environment would carry the plaintext, and the token in it, to another machine.
        options.append(("grpc.enable_http_proxy", 0))
    return options


def service_config() -> str:
    """Return the retry policy of the contract: of reads alone, since a channel knows no `request_id`."""
    policy = {
        "maxAttempts": ATTEMPTS,
        "initialBackoff": f"{FIRST_PAUSE_S}s",
        "maxBackoff": f"{LONGEST_PAUSE_S:g}s",
        "backoffMultiplier": 2,
        "retryableStatusCodes": ["UNAVAILABLE"],
    }
    return json.dumps(
        {
            "methodConfig": [
                {"name": [{"service": SERVICE, "method": method.name} for method in READS], "retryPolicy": policy}
            ],
            "retryThrottling": {"maxTokens": TOKENS, "tokenRatio": TOKENS_BACK},
        }
    )
