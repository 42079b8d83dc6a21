"""All that a server listens on, and the certificates it does that with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from skillsvc.service.certificate_files import CertificatesRefused
from skillsvc.service.server import Server
from skillsvc.service.tls_credentials import Credentials
from skillsvc.settings.refusal import SettingsRefused
from skillsvc.settings.settings import Settings
from skillsvc.settings.tls import TlsTable
from skillsvc.store.data_folder import DataFolder


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteAdmin:
    """Where operators of other machines call."""

    listen: str
    credentials: Credentials


@dataclass(frozen=True, slots=True, kw_only=True)
class Listeners:
    """Where a server listens.

    Attributes:
        listen: For agents.
        credentials: Of TLS for agents; None for plaintext.
        folder: The data folder, which is locked.
        own_admin: The socket in it, for the user alone that runs the server; None for no such.
        remote_admin: For operators who say who they are.
        health: For probes without credentials.
    """

    listen: str
    credentials: Credentials | None
    folder: Path
    own_admin: Path | None
    remote_admin: RemoteAdmin | None
    health: str | None

    @classmethod
    def of(cls, settings: Settings, *, folder: DataFolder, now: Callable[[], datetime]) -> "Listeners":
        """Return what settings say, with the certificates read.

        Raises:
            SettingsRefused: Certificates cannot be used.
        """
        credentials = None if settings.tls is None else _credentials("[tls]", settings.tls, now)
        remote_admin = None
        if settings.admin.listen is not None:
            # Credentials of its own also where the files are the same: an exchange is told to one listener alone.
            tls, name = (settings.admin.tls, "[admin] tls") if settings.admin.tls else (settings.tls, "[tls]")
            assert tls is not None, "settings let operators of other machines call by TLS alone"
            remote_admin = RemoteAdmin(listen=settings.admin.listen, credentials=_credentials(name, tls, now))
        return cls(
            listen=settings.server.listen,
            credentials=credentials,
            folder=folder.admin.parent,
            own_admin=None if settings.admin.socket == "off" else folder.admin,
            remote_admin=remote_admin,
            health=settings.health.listen,
        )

    async def start(self, server: Server) -> Mapping[str, str]:
        """Let a server listen; return the addresses that it got, that of agents as `address`.

        Raises:
            CannotListen: One is taken, or not of this machine. Others may be listened on by then.
        """
        listening = {"address": await server.start(self.listen, locked=self.folder, credentials=self.credentials)}
        if self.own_admin is not None:
            listening["admin"] = await server.start_admin(self.own_admin)
        if self.remote_admin is not None:
            remote = self.remote_admin
            listening["remote_admin"] = await server.start_remote_admin(remote.listen, remote.credentials)
        if self.health is not None:
            listening["health"] = await server.start_probes(self.health)
        return listening


def _credentials(name: str, tls: TlsTable, now: Callable[[], datetime]) -> Credentials:
    try:
        return Credentials(tls.files(), now=now)
    except CertificatesRefused as refused:
        raise SettingsRefused([f"{name} cannot be used: {refused}"]) from refused
