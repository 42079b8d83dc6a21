"""The table [identity] and those within it, issuers, tokens and proxies: how callers prove who they are."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field, Strict, field_validator, model_validator

from skillsvc.content.urls import UrlRefused, parse_url
from skillsvc.service.identities.jwt import Trusted
from skillsvc.service.identities.spiffe import is_spiffe_id
from skillsvc.settings import places
from skillsvc.settings.listening import is_of_this_machine
from skillsvc.settings.refusal import Fault, Faults
from skillsvc.settings.table import File, Flag, Label, Table, Text

AlgorithmName: TypeAlias = Literal["RS256", "PS256", "ES256", "ES384", "EdDSA"]
_MOST_ISSUERS = 32
_DAY_S = 86_400
# Longer than the ten minutes between two looks at a URL, so that one that fails is not the end.
_Stale: TypeAlias = Annotated[float, Strict(), Field(ge=1800, le=7 * _DAY_S, allow_inf_nan=False)]


def _keys_url(text: str) -> str:
    try:
        url = parse_url(text)
    except UrlRefused as error:
        raise Faults([str(error)]) from error
    host = f"[{url.host}]" if ":" in url.host else url.host
    if url.scheme != "https" and not is_of_this_machine(f"{host}:0"):
        raise Faults(["must be https: whoever is on the way of anything else can let everybody in"])
    return text


def _certificate_name(text: str) -> str:
    if text.startswith("spiffe:") and not is_spiffe_id(text):
        raise Faults(["is no SPIFFE id, which is spiffe://TRUST-DOMAIN/PATH"])
    return text


class IssuerTable(Table):
    """An issuer of JSON Web Tokens, such as an OpenID Connect provider.

    A token is believed that one of its keys has signed, for one of our audiences, and for now.
    """

    name: Label = Field(description="What the issuer is called here: principals are `oidc:NAME:SUB`; unique.")
    issuer: Text = Field(description="The `iss` of its tokens, to the letter; unique.")
    audiences: tuple[Text, ...] = Field(description="What this server is called in `aud`; one of them must be there.")
    jwks_url: Annotated[str, AfterValidator(_keys_url)] | None = Field(
        default=None, description="Where its keys are: a JWK set, looked at every ten minutes; `https`."
    )
    jwks_file: File | None = Field(
        default=None, description="A file with its keys, instead; read anew when it was changed."
    )
    algorithms: tuple[AlgorithmName, ...] = Field(
        default=("RS256", "PS256", "ES256", "ES384", "EdDSA"), description="What it may sign with."
    )
    leeway_s: Annotated[float, Strict(), Field(ge=0, le=300, allow_inf_nan=False)] = Field(
        default=60.0, description="Seconds that its clock and ours may be apart; at most 300."
    )
    max_stale_s: _Stale = Field(
        default=float(_DAY_S), description="Seconds that keys count on while they cannot be had, then no token does."
    )
    ca_file: File | None = Field(
        default=None, description="Certificates (PEM) that vouch for the server of `jwks_url`, instead of the system's."
    )
    allow_addresses: tuple[Annotated[str, AfterValidator(places.host_or_network)], ...] = Field(
        default=(), description="Hosts, addresses and networks `jwks_url` may be at though they are not public."
    )

    @field_validator("audiences", "algorithms")
    @classmethod
    def _there_is_one(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        if not values:
            raise Faults(["is empty, so that no token would be good"])
        return values

    @model_validator(mode="after")
    def _keys_are_in_one_place(self) -> "IssuerTable":
        if (self.jwks_url is None) == (self.jwks_file is None):
            raise Faults(["must have one of jwks_url and jwks_file"])
        for key in ("ca_file", "allow_addresses"):
            if self.jwks_url is None and getattr(self, key):
                raise Faults([Fault("is for jwks_url", (key,))])
        return self

    def trusted(self) -> Trusted:
        """Return what is demanded of its tokens."""
        return Trusted(
            label=self.name,
            issuer=self.issuer,
            audiences=frozenset(self.audiences),
            algorithms=frozenset(self.algorithms),
            leeway_s=self.leeway_s,
        )


class TokensTable(Table):
    """Static bearer tokens, for callers that have nothing better. `skillsvc access new-token NAME` makes one."""

    file: File = Field(description="A line `NAME SHA256` a token; read anew when it was changed.")
    max_stale_s: _Stale = Field(
        default=float(_DAY_S), description="Seconds that tokens count on while the file cannot be used."
    )


class ProxyTable(Table):
    """Proxies that end mTLS for callers, and say in `x-forwarded-client-cert` whom they have verified.

    They are known by their own client certificates, and are never callers themselves. Of anybody else the header is
    ignored.
    """

    identities: tuple[Annotated[Text, AfterValidator(_certificate_name)], ...] = Field(
        description="The SPIFFE ids, or the whole subjects (RFC 4514), of their certificates."
    )

    @field_validator("identities")
    @classmethod
    def _there_is_one(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        if not values:
            raise Faults(["is empty"])
        return values


class IdentityTable(Table):
    """How callers prove who they are. What they get is for [[access]] to say; without a rule, nobody gets anything.

    A bearer token counts before a certificate, and where it is not good, the call is refused. A change of this table
    takes effect on SIGHUP.
    """

    certificates: Flag = Field(
        default=False,
        description='Whether client certificates count; needs `client = "required"` of [tls] or of [admin] `tls`.',
    )
    issuer: tuple[IssuerTable, ...] = Field(default=(), description="Issuers of tokens; see below.")
    tokens: TokensTable | None = Field(default=None, description="Static tokens; see below.")
    proxy: ProxyTable | None = Field(default=None, description="Proxies; see below.")

    @field_validator("issuer")
    @classmethod
    def _issuers_are_told_apart(cls, issuers: tuple[IssuerTable, ...]) -> tuple[IssuerTable, ...]:
        if len(issuers) > _MOST_ISSUERS:
            raise Faults([f"are {len(issuers)}; at most {_MOST_ISSUERS} are possible"])
        faults = [
            Fault(f"is {value}, as that of another issuer; give each its own", (index, key))
            for key in ("name", "issuer")
            for index, value in doubled([getattr(issuer, key) for issuer in issuers])
        ]
        if faults:
            raise Faults(faults)
        return issuers

    def has_a_way(self) -> bool:
        """Tell whether anybody can prove anything."""
        return self.certificates or bool(self.issuer) or self.tokens is not None or self.proxy is not None


def faults_of_identity(tables: Mapping[str, object]) -> Iterator[Fault]:
    """Yield what is wrong between [identity] and other tables."""
    identity = tables.get("identity")
    if not isinstance(identity, dict):
        return
    has_certificates = any(_asks_for_certificates(tables, *path) for path in (("tls",), ("admin", "tls")))
    if identity.get("certificates") is True and not has_certificates:
        yield Fault(
            'needs client = "required" of [tls] or [admin] tls: nobody is asked for a certificate',
            ("identity", "certificates"),
        )
    if "proxy" in identity and not has_certificates:
        yield Fault(
            'needs client = "required" of [tls] or [admin] tls: a proxy is known by its certificate',
            ("identity", "proxy"),
        )
    if not tables.get("access"):
        yield Fault("lets nobody in without an [[access]]", ("identity",))


def doubled(values: Sequence[object]) -> Iterator[tuple[int, object]]:
    """Yield each value that stands before in a sequence, with its index."""
    for index, value in enumerate(values):
        if value in values[:index]:
            yield index, value


def _asks_for_certificates(tables: Mapping[str, object], *path: str) -> bool:
    table: object = tables
    for key in path:
        table = table.get(key) if isinstance(table, dict) else None
    return isinstance(table, dict) and table.get("client") == "required"
