"""The table [admin]: where operators call."""

from typing import Literal

from pydantic import Field

from skillsvc.settings.table import HostPort, Table
from skillsvc.settings.tls import TlsTable


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
    listen: HostPort | None = Field(default=None, description="`HOST:PORT`, port 0 for any.")
    tls: TlsTable | None = Field(default=None, description="A table with the keys of [tls]; none for [tls] itself.")
