"""The table [tls], and [admin] tls: how the server proves who it is, and callers who they are."""

from enum import Enum, unique
from typing import Self

from pydantic import Field, field_validator, model_validator

from skillsvc.service.certificate_files import CertificateFiles
from skillsvc.settings.refusal import Fault, Faults
from skillsvc.settings.table import File, Table


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
