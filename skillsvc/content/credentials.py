"""Credentials for other servers: values that show nothing of themselves, read from where they are kept at each look."""

from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_SECRET_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Basic:
    """A user name and a password."""

    username: str = field(repr=False)
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearer:
    """A token."""

    token: str = field(repr=False)


Credentials = Basic | Bearer
CredentialsOf = Callable[[], Credentials | None]
"""Reads credentials anew, so that they may be changed while a server runs; raises CredentialsMissing."""


def no_credentials() -> None:
    """Show none."""


class CredentialsMissing(Exception):
    """Credentials cannot be had. The message names the setting, and never what was found there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretPlace:
    """Where a secret is kept: in the variable `env` of the environment, or in the file `file`.

    With a `username` it is a password, without one a token.
    """

    username: str = ""
    env: str = ""
    file: str = ""

    @property
    def name(self) -> str:
        """What tells these credentials from others, and is no secret: what they read is kept apart by it."""
        return f"{self.username}\0{self.env}\0{self.file}"

    def read(self, environment: Mapping[str, str]) -> Credentials:
        """Read the secret.

        Raises:
            CredentialsMissing: It is not there, or nothing that can be sent.
        """
        secret = self._from_file() if self.file else environment.get(self.env, "")
        where = "the file of the credentials" if self.file else f"the variable {self.env} of the environment"
        if not secret:
            raise CredentialsMissing(f"{where} holds no secret")
        # A line break in a header would begin another header.
        if not secret.isprintable() or not self.username.isprintable() or ":" in self.username:
            raise CredentialsMissing(f"{where}, or the user name, holds what cannot be sent")
        return Basic(username=self.username, password=secret) if self.username else Bearer(token=secret)

    def _from_file(self) -> str:
        try:
            with Path(self.file).open("rb") as file:
                return file.read(_SECRET_BYTES).decode().rstrip("\r\n")
        except (OSError, UnicodeDecodeError):
            raise CredentialsMissing("the file of the credentials cannot be read") from None


def authorization(credentials: Credentials) -> str:
    """Return the value of the header `Authorization`."""
    if isinstance(credentials, Bearer):
        return f"Bearer {credentials.token}"
    return f"Basic {b64encode(f'{credentials.username}:{credentials.password}'.encode()).decode()}"
