"""The tables [tls], [admin], [health] and [connections]: who listens besides, with which certificates, and how long."""

from enum import Enum, unique
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from skillsvc.service.certificate_files import CertificateFiles
from skillsvc.service.connections import Connections
from skillsvc.service.health_watches import HealthWatches
from skillsvc.settings.listening import fault_of_place
from skillsvc.settings.refusal import Fault, Faults
from skillsvc.settings.table import Count, File, Seconds, Table

_TIMES = Connections()
_WATCHES = HealthWatches()


@unique
class ClientCertificates(Enum):
    """What callers show of themselves when they connect."""

    NONE = "none"
    REQUIRED = "required"


class TlsTable(Table):
    """How the server proves who it is, and callers who they are.

    All files are PEM. They are looked at whenever a connection begins: an exchange of what they hold takes effect by
    itself, a change of this table at the next start. gRPC for Python can ask callers for no certificate or require one,
    and nothing between.
    """

    cert_file: File = Field(description="The certificate, then those between it and its authority.")
    key_file: File = Field(description="Its private key, without a password: RSA of 2048 bits or more, P-256 or P-384.")
    client_ca_file: File | None = Field(default=None, description="The authorities whose certificates callers show.")
    client: ClientCertificates = Field(
        default=ClientCertificates.NONE, description="Whether callers must show a certificate."
    )

    @field_validator("client", mode="before")
    @classmethod
    def _client_is_no_half_measure(cls, client: object) -> object:
        if client == "optional":
            raise Faults(["is optional, which gRPC for Python cannot do; say 'none' or 'required'"])
        return client

    @model_validator(mode="after")
    def _authorities_are_there_for_a_use(self) -> Self:
        is_required = self.client is ClientCertificates.REQUIRED
        if is_required and self.client_ca_file is None:
            raise Faults(
                [Fault("is missing: client = 'required' needs the authorities to believe", ("client_ca_file",))]
            )
        if not is_required and self.client_ca_file is not None:
            raise Faults([Fault("is not used unless client = 'required' is said", ("client_ca_file",))])
        return self

    def files(self) -> CertificateFiles:
        """Return where the files are."""
        return CertificateFiles(certificate=self.cert_file, key=self.key_file, client_authorities=self.client_ca_file)


class AdminTable(Table):
    """Where operators call: by the socket `admin.sock` in the data folder, and from other machines by `listen`.

    On `listen` they are asked who they are, which needs TLS and access rules; the role `admin` is needed. A change of
    this table is taken in at the next start.
    """

    socket: Literal["owner", "identified", "off"] = Field(
        default="owner",
        description="Whom `admin.sock` lets in: the user alone who runs the server, as an operator; of that user's "
        "programs those that show a token of an operator; or nobody.",
    )
    listen: str | None = Field(default=None, description="`HOST:PORT`, port 0 for any.")
    tls: TlsTable | None = Field(default=None, description="A table with the keys of [tls]; none for [tls] itself.")

    @field_validator("listen")
    @classmethod
    def _listen_is_a_place(cls, listen: str | None) -> str | None:
        return _place(listen)


class HealthTable(Table):
    """Where probes ask that have no certificate: health alone, in plaintext, told to everybody.

    A change of this table is taken in at the next start.
    """

    listen: str | None = Field(default=None, description="`HOST:PORT`, port 0 for any; may be beyond this machine.")
    watches: Count = Field(
        default=_WATCHES.in_all, description="Streams of Watch that each listener has open; a Check is always answered."
    )
    watches_per_address: Count = Field(
        default=_WATCHES.of_an_address, description="The same of callers at one address, such as a balancer's."
    )

    def health_watches(self) -> HealthWatches:
        """Return how many streams there may be."""
        return HealthWatches(in_all=self.watches, of_an_address=self.watches_per_address)

    @field_validator("listen")
    @classmethod
    def _listen_is_a_place(cls, listen: str | None) -> str | None:
        return _place(listen)


class ConnectionsTable(Table):
    """How long connections live, and how those are found that are gone. A change is taken in at the next start."""

    age_s: Seconds = Field(
        default=_TIMES.age_s,
        description="Seconds that a connection takes new calls, a tenth more or less by chance.",
    )
    age_grace_s: Seconds = Field(
        default=_TIMES.age_grace_s, description="Seconds that calls under way, and watches, go on after that."
    )
    idle_s: Seconds = Field(default=_TIMES.idle_s, description="Seconds that a connection without calls is kept.")
    keepalive_s: Seconds = Field(
        default=_TIMES.keepalive_s, description="Seconds after which a silent peer is asked whether it is there."
    )
    keepalive_timeout_s: Seconds = Field(
        default=_TIMES.keepalive_timeout_s, description="Seconds that it has to answer."
    )
    least_ping_s: Seconds = Field(
        default=_TIMES.least_ping_s,
        description="Seconds between two pings of a client; one that sends more is sent away.",
    )
    handshake_s: Seconds = Field(
        default=_TIMES.handshake_s, description="Seconds that a peer has to connect wholly, its handshake included."
    )

    def connections(self) -> Connections:
        """Return the times in force."""
        return Connections(**self.model_dump())


def _place(listen: str | None) -> str | None:
    if listen is not None and (fault := fault_of_place(listen)):
        raise Faults([fault])
    return listen
