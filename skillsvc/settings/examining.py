"""Examining settings: whether what they name is there on this machine, as far as that can be told before a start."""

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from skillsvc.domain.errors import SkillsvcError
from skillsvc.service.certificate_files import CertificatesRefused, find_certificates, parse_certificates
from skillsvc.service.identities.kept import LookFailed
from skillsvc.service.identities.looks import look_at_key_file, look_at_token_file
from skillsvc.settings.identity import IdentityTable
from skillsvc.settings.misplaced import misplaced
from skillsvc.settings.refusal import Place
from skillsvc.settings.settings import Settings
from skillsvc.settings.sought import Sought
from skillsvc.settings.sources import AuthTable, DirectoryTable, GitTable, OciTable, ProviderTable, SourceTable
from skillsvc.settings.tls import TlsTable
from skillsvc.settings.unreached import unreached
from skillsvc.settings.vouching import InventoryUnusable, inventory_in
from skillsvc.sources.installed_providers import ProviderRefused, find_provider
from skillsvc.store.token_key_file import read_token_key_file

_OF_A_USER = 3
"""Conventional locations of a user, as long as the environment says where they are."""


class Remark(NamedTuple):
    """What is found at a place of the file: a mistake, or something to be aware of."""

    place: Place
    sentence: str
    is_mistake: bool = True


def examine(settings: Settings, sought: Sought, environment: Mapping[str, str]) -> Iterator[Remark]:
    """Yield what is found amiss, in the order of the tables."""
    if settings.server.token_key_file is not None:
        try:
            read_token_key_file(settings.server.token_key_file)
        except SkillsvcError as error:
            yield Remark(("server", "token_key_file"), error.message)
    yield from _of_tls(("tls",), settings.tls)
    yield from _of_tls(("admin", "tls"), settings.admin.tls)
    yield from _of_operators(settings)
    if settings.identity is not None:
        yield from _of_identity(settings.identity)
    for sentence, place in unreached(settings.access, _names_of_tokens(settings.identity)):
        yield Remark(("access", *place), sentence, is_mistake=False)
    yield from _of_sources(settings, sought, environment)
    if settings.conventional.user and len(settings.conventional.of_user(environment)) < _OF_A_USER:
        sentence = "cannot be found wholly: HOME is not set to a path in this environment"
        yield Remark(("conventional", "user"), sentence, is_mistake=False)
    if settings.readiness.network_inventory is not None:
        try:
            inventory_in(settings.readiness.network_inventory)
        except InventoryUnusable as error:
            yield Remark(("readiness", "network_inventory"), f"cannot be used: {error}")
    if sought.withheld:
        sentence = "is of a workspace that is not trusted, so its skills are withheld; say trusted = true to trust it"
        yield Remark(("conventional", "project"), sentence, is_mistake=False)
    if not settings.source and not settings.conventional.labels():
        yield Remark(("source",), "is missing: nothing is served of this file without a --skills-dir", is_mistake=False)


def _of_sources(settings: Settings, sought: Sought, environment: Mapping[str, str]) -> Iterator[Remark]:
    for index, source in enumerate(settings.source):
        for place, sentence, is_mistake in _of_source(source, environment):
            yield Remark(("source", index, *place), sentence, is_mistake)
    at = {source.name: index for index, source in enumerate(settings.source)}
    for label, into in sought.folded:
        named: Place = ("source", at[label], "path") if label in at else ("conventional",)
        yield Remark(named, f"{label} is left out: it is the same directory as {into}", is_mistake=False)


def _of_operators(settings: Settings) -> Iterator[Remark]:
    if settings.admin.listen is not None and not any("admin" in rule.roles for rule in settings.access):
        sentence = "is for operators, and no [[access]] has the role admin: everybody is refused there"
        yield Remark(("admin", "listen"), sentence, is_mistake=False)


def _of_tls(place: Place, tls: TlsTable | None) -> Iterator[Remark]:
    if tls is None:
        return
    remarks = [
        *_of_file((*place, "cert_file"), tls.cert_file),
        *_of_secret_file((*place, "key_file"), tls.key_file),
        *_of_file((*place, "client_ca_file"), tls.client_ca_file),
    ]
    yield from remarks
    if not any(remark.is_mistake for remark in remarks):
        try:
            parse_certificates(find_certificates(tls.files()))
        except CertificatesRefused as refused:
            yield Remark(place, f"cannot be used: {refused}")


def _of_identity(identity: IdentityTable) -> Iterator[Remark]:
    for index, issuer in enumerate(identity.issuer):
        at: Place = ("identity", "issuer", index)
        yield from _of_file((*at, "ca_file"), issuer.ca_file)
        if issuer.jwks_file is not None:
            look = look_at_key_file(str(issuer.jwks_file), frozenset(issuer.algorithms), _at_once)
            yield from _of_look((*at, "jwks_file"), issuer.jwks_file, look)
            yield from _of_mode((*at, "jwks_file"), issuer.jwks_file, stat.S_IWGRP | stat.S_IWOTH)
    if identity.tokens is not None:
        place: Place = ("identity", "tokens", "file")
        yield from _of_look(place, identity.tokens.file, look_at_token_file(str(identity.tokens.file), b"", _at_once))
        yield from _of_mode(place, identity.tokens.file, stat.S_IWGRP | stat.S_IRWXO)


def _names_of_tokens(identity: IdentityTable | None) -> frozenset[str] | None:
    """Return how the static tokens are called, None where there is no file, or none that can be used."""
    if identity is None or identity.tokens is None:
        return None
    try:
        tokens = look_at_token_file(str(identity.tokens.file), b"", _at_once)()
    except LookFailed:
        # That is told already.
        return None
    return None if tokens is None else frozenset(name for _digest, name in tokens.names.values())


def _of_look(place: Place, path: Path, look: Callable[[], object]) -> Iterator[Remark]:
    faults = list(_of_file(place, path))
    yield from faults
    if not faults:
        try:
            look()
        except LookFailed as error:
            yield Remark(place, f"cannot be used: {error.why}")


def _of_mode(place: Place, path: Path, weak: int) -> Iterator[Remark]:
    try:
        mode = path.stat().st_mode
    except OSError:
        # That is told already.
        return
    if mode & weak:
        yield Remark(place, "says who may call, and others than its owner may use it (chmod 600)", is_mistake=False)


def _at_once() -> int:
    """Say that nothing is read twice."""
    return 0


def _of_source(source: SourceTable, environment: Mapping[str, str]) -> Iterator[Remark]:
    if isinstance(source, DirectoryTable):
        yield from _of_directory(source.path if isinstance(source.path, Path) else Path(source.path.root))
    if source.template is not None:
        yield from (Remark(("path",), sentence, is_mistake=False) for sentence in misplaced(source.template))
    if isinstance(source, GitTable):
        yield from _of_file(("known_hosts_file",), source.known_hosts_file)
        yield from _of_secret_file(("ssh_key_file",), source.ssh_key_file)
    if isinstance(source, ProviderTable):
        yield from _of_provider(source.provider)
    yield from _of_file(("ca_file",), getattr(source, "ca_file", None))
    auth: AuthTable | None = getattr(source, "auth", None)
    if auth is not None:
        yield from _of_auth(auth, environment)
        if _is_in_the_clear(source):
            yield Remark(("auth",), "is sent without TLS, for all on the way to read", is_mistake=False)


def _of_provider(name: str) -> Iterator[Remark]:
    try:
        find_provider(name)
    except ProviderRefused as error:
        yield Remark(("provider",), f"cannot be: {error}")


def _of_directory(path: Path) -> Iterator[Remark]:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        yield Remark(("path",), "is not there; it counts as empty until it comes", is_mistake=False)
    except OSError:
        yield Remark(("path",), "cannot be read")
    else:
        if not stat.S_ISDIR(mode):
            yield Remark(("path",), "is no directory")
        elif not os.access(path, os.R_OK | os.X_OK):
            yield Remark(("path",), "cannot be read")


def _of_auth(auth: AuthTable, environment: Mapping[str, str]) -> Iterator[Remark]:
    for key in ("password_env", "token_env"):
        variable = getattr(auth, key)
        if variable is not None and not environment.get(variable):
            yield Remark(("auth", key), f"names {variable}, which is not set in this environment")
    for key in ("password_file", "token_file"):
        yield from _of_secret_file(("auth", key), getattr(auth, key))


def _of_secret_file(place: Place, path: Path | None) -> Iterator[Remark]:
    if path is None:
        return
    faults = list(_of_file(place, path))
    yield from faults
    if not faults and path.stat().st_mode & (stat.S_IROTH | stat.S_IWOTH):
        yield Remark(place, "holds a secret, and anybody may read or write it (chmod o-rw)", is_mistake=False)


def _of_file(place: Place, path: Path | None) -> Iterator[Remark]:
    if path is None:
        return
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        yield Remark(place, "is not there")
    except OSError:
        yield Remark(place, "cannot be read")
    else:
        if not stat.S_ISREG(mode):
            yield Remark(place, "is no file")
        elif not os.access(path, os.R_OK):
            yield Remark(place, "cannot be read")


def _is_in_the_clear(source: SourceTable) -> bool:
    if isinstance(source, OciTable):
        return source.plain_http
    return str(getattr(source, "url", "")).startswith("http://")
