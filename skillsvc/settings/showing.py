"""Showing settings: what is in force, with all defaults, as TOML that tells no secret."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import tomlkit
from tomlkit.items import Table as TomlTable

from skillsvc.settings.identity import IdentityTable
from skillsvc.settings.settings import Settings
from skillsvc.settings.sought import Sought
from skillsvc.settings.sources import AuthTable, SourceTable

_MASK = "***"
_SECRET_NAME = re.compile(r"pass|secret|token|key|credential|auth", re.IGNORECASE)
"""What options of a provider may be called that are secrets, for all that is known here."""
_KINDS_WITH_ADDRESS = ("url",)


def show(settings: Settings, sought: Sought, environment: Mapping[str, str]) -> str:
    """Return the settings in force.

    Secrets are in no settings. What is shown of them is where they are and whether they are there; the query of a URL
    is masked, and so is whatever a provider is told that may be a secret.
    """
    document = tomlkit.document()
    document.add("server", _table(settings.server.model_dump()))
    if settings.tls is not None:
        document.add("tls", _table(settings.tls.model_dump()))
    document.add("admin", _table(settings.admin.model_dump()))
    document.add("health", _table(settings.health.model_dump()))
    document.add("connections", _table(settings.connections.model_dump()))
    if settings.identity is not None:
        document.add("identity", _identity(settings.identity))
    if settings.access:
        document.add("access", _tables(rule.model_dump() for rule in settings.access))
    document.add("limits", _table(asdict(settings.make_limits())))
    document.add("fairness", _table(settings.fairness.model_dump()))
    document.add("experience", _table(settings.experience.model_dump()))
    document.add("conventional", _table(settings.conventional.model_dump()))
    document.add("readiness", _table(settings.readiness.model_dump()))
    for line in _comments(settings, sought):
        document.add(tomlkit.comment(line))
    sources = tomlkit.aot()
    for source in settings.source:
        sources.append(_source(source, environment))
    if sources:
        document.add("source", sources)
    return tomlkit.dumps(document)


def _comments(settings: Settings, sought: Sought) -> Iterator[str]:
    """Yield a line for what is no table of the file: places of [conventional], and sources that are left out."""
    declared = {source.name for source in settings.source}
    for table in sought.tables:
        if table.name not in declared:
            path = getattr(table, "path", "")
            yield f"{table.name}: {path}{' (withheld: not trusted)' if table.name in sought.withheld else ''}"
    for label, into in sought.folded:
        yield f"{label} is left out: it is the same directory as {into}"


def _source(source: SourceTable, environment: Mapping[str, str]) -> TomlTable:
    shown = source.model_dump(exclude={"auth", "options"})
    for key in _KINDS_WITH_ADDRESS:
        if key in shown:
            shown[key] = _without_query(shown[key])
    options = getattr(source, "options", None)
    if options is not None:
        shown["options"] = {key: _masked(key, value) for key, value in options.items()}
    table = _table(shown)
    auth: AuthTable | None = getattr(source, "auth", None)
    if auth is not None:
        table.add("auth", tomlkit.item({key: _plain(value) for key, value in auth if value is not None}))
        table.add(tomlkit.comment(f"the secret is {'there' if _is_there(auth, environment) else 'not there'}"))
    return table


def _identity(identity: IdentityTable) -> TomlTable:
    table = _table(identity.model_dump(exclude={"issuer"}))
    shown = [issuer.model_dump() for issuer in identity.issuer]
    for issuer in shown:
        if issuer["jwks_url"] is not None:
            issuer["jwks_url"] = _without_query(issuer["jwks_url"])
    if shown:
        table.add("issuer", _tables(shown))
    return table


def _tables(shown: Iterable[Mapping[str, Any]]) -> tomlkit.items.AoT:
    tables = tomlkit.aot()
    for each in shown:
        tables.append(_table(each))
    return tables


def _is_there(auth: AuthTable, environment: Mapping[str, str]) -> bool:
    variable = auth.password_env or auth.token_env
    file = auth.password_file or auth.token_file
    if variable:
        return bool(environment.get(variable, ""))
    with suppress(OSError):
        return file is not None and file.is_file()
    # Where nobody may look, no secret is had.
    return False


def _masked(key: str, value: object) -> object:
    match value:
        case Mapping():
            return {name: _masked(name, held) for name, held in value.items()}
        case _ if _SECRET_NAME.search(key):
            return _MASK
        case list():
            return [_masked(key, held) for held in value]
        case str():
            return _without_query(value)
        case _:
            return value


def _without_query(text: str) -> str:
    """Return a text; where it is a URL, without what its query, its user and its fragment say."""
    try:
        url = urlsplit(text)
        host = url.netloc.rpartition("@")[2]
    except ValueError:
        return _MASK
    if not url.scheme or not url.netloc:
        return text
    user = "" if "@" not in url.netloc else f"{url.username}@" if url.scheme == "ssh" else f"{_MASK}@"
    return urlunsplit((url.scheme, user + host, url.path, _MASK if url.query else "", _MASK if url.fragment else ""))


def _table(values: Mapping[str, Any]) -> TomlTable:
    table = tomlkit.table()
    for key, value in values.items():
        # TOML knows no nothing: what has no value is not in force.
        if value is not None:
            plain = _plain(value)
            table.add(key, _inline(plain) if isinstance(plain, dict) else plain)
    return table


def _inline(values: Mapping[str, Any]) -> tomlkit.items.InlineTable:
    table = tomlkit.inline_table()
    for key, value in values.items():
        table.add(key, _inline(value) if isinstance(value, dict) else value)
    return table


def _plain(value: object) -> Any:  # noqa: ANN401 - what TOML can say, of any kind
    match value:
        case Path():
            return str(value)
        case Enum():
            return value.value
        case Mapping():
            return {key: _plain(held) for key, held in value.items() if held is not None}
        case tuple() | list():
            return [_plain(held) for held in value]
        case _:
            return value
