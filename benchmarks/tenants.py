"""A server whose callers are told apart: `skillsvc serve` with a file of settings, static tokens, and an issuer."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from jwt.algorithms import RSAAlgorithm

from benchmarks.bench import Bench
from benchmarks.servers import Running, skillsvc_of
from skillsvc.service.identities.static_tokens import line_of

QUIET, NOISY = "quiet-".ljust(40, "q"), "noisy-".ljust(40, "n")
"""The tokens of two tenants, of whom nothing more is known."""
_ISSUER, _AUDIENCE, _KEY_ID = "https://id.example.org", "skillsvc", "one"
_RSA_BITS: Final = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """What each tenant, and each address whose callers are nobody, may take; rates and bursts are of a second."""

    reads_a_second: float = 1_000_000.0
    strangers_a_second: float = 5.0


class Issuer:
    """An issuer of JSON Web Tokens with one RSA key, as providers of OpenID Connect have."""

    def __init__(self) -> None:
        """Make a key."""
        self._key = generate_private_key(public_exponent=65_537, key_size=_RSA_BITS)

    def key_set(self) -> str:
        """Return its JWK set."""
        public = json.loads(RSAAlgorithm.to_jwk(self._key.public_key()))
        return json.dumps({"keys": [{**public, "kid": _KEY_ID, "use": "sig", "alg": "RS256"}]})

    def token(
        self,
        subject: str,
        *,
        issuer: str = _ISSUER,
        audience: str = _AUDIENCE,
        valid_s: float = 3600.0,
        padding: int = 0,
    ) -> str:
        """Return a token of a subject, longer by so many bytes."""
        now = datetime.now(UTC)
        claims = {
            "iss": issuer,
            "aud": audience,
            "sub": subject,
            "iat": now - timedelta(hours=1),
            "exp": now + timedelta(seconds=valid_s),
            "padding": "x" * padding,
        }
        return jwt.encode(claims, self._key, algorithm="RS256", headers={"kid": _KEY_ID})


@contextmanager
def tenants_server(bench: Bench, tree: Path, shares: Shares, issuer: Issuer | None = None) -> Iterator[Running]:
    """Run a server that knows the two tenants, and whom an issuer knows, and holds each to its shares."""
    folder = bench.data_folder()
    (folder / "tokens").write_text("\n".join((line_of("quiet", QUIET), line_of("noisy", NOISY))), encoding="utf-8")
    rules = [("tenants", "token", "")]
    issuers = ""
    if issuer is not None:
        (folder / "keys.json").write_text(issuer.key_set(), encoding="utf-8")
        rules.append(("people", "oidc", 'issuer = "bench"'))
        issuers = f"""
            [[identity.issuer]]
            name = "bench"
            issuer = "{_ISSUER}"
            audiences = ["{_AUDIENCE}"]
            jwks_file = "keys.json"
        """
    access = "".join(f'[[access]]\nname = "{name}"\nkind = "{kind}"\n{more}\n' for name, kind, more in rules)
    # A burst of half a second: who sends ten times the rate has used it up before calls are counted.
    settings = f"""
        [server]
        listen = "127.0.0.1:0"
        data_dir = "data"

        [fairness]
        reads_a_second = {shares.reads_a_second}
        reads_burst = {max(1, round(shares.reads_a_second / 2))}
        strangers_a_second = {shares.strangers_a_second}
        strangers_burst = {max(1, round(shares.strangers_a_second))}

        [identity.tokens]
        file = "tokens"
        {issuers}
        {access}
        [[source]]
        name = "tree"
        path = {json.dumps(str(tree))}
    """
    config = folder / "skillsvc.toml"
    config.write_text(settings, encoding="utf-8")
    with skillsvc_of(config) as running:
        yield running
