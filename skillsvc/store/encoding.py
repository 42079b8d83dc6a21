"""Values as a database keeps them: JSON for what has fields, UTF-8 for places, microseconds since 1970 for instants.

Equal values have equal bytes, and reading gives back what was written, also text that is no Unicode: the lone
surrogates by which Python names files whose names are not UTF-8.
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.skill import (
    Asset,
    Bundle,
    Network,
    NetworkMode,
    Skill,
    TextRef,
    ToolDeclaration,
    ToolKind,
    make_bundle,
)

_JSON: Final = json.JSONEncoder(ensure_ascii=True, allow_nan=False, sort_keys=True, separators=(",", ":"))
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def encode_bundle(bundle: Bundle) -> bytes:
    """Return a bundle as JSON, without what is at its default, and without the digest, which follows from the rest."""
    fields: dict[str, object] = {"skill": _skill_fields(bundle.skill)}
    if bundle.document is not None:
        fields["document"] = (bundle.document.digest, bundle.document.size)
    if bundle.body is not None:
        fields["body"] = (bundle.body.digest, bundle.body.size)
    if bundle.assets:
        fields["assets"] = [(asset.name, asset.size, asset.digest, asset.executable) for asset in bundle.assets]
    return _JSON.encode(fields).encode("ascii")


def decode_bundle(encoded: bytes) -> Bundle:
    """Return the bundle that `encode_bundle` wrote, with its digest computed.

    Raises:
        ValueError: The bytes are no encoded bundle.
    """
    try:
        fields = json.loads(encoded)
        return make_bundle(
            _skill(fields["skill"]),
            document=_text_ref(fields.get("document")),
            body=_text_ref(fields.get("body")),
            assets=tuple(
                Asset(name=_text(name), size=size, digest=_text(digest), executable=executable)
                for name, size, digest, executable in fields.get("assets", ())
            ),
        )
    except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
        raise ValueError("not an encoded bundle") from error


def encode_diagnostics(diagnostics: Iterable[Diagnostic]) -> bytes:
    """Return diagnostics as JSON, in their order."""
    return _JSON.encode(
        [(said.severity.value, said.code.value, said.message, said.skill, said.source) for said in diagnostics]
    ).encode("ascii")


def decode_diagnostics(encoded: bytes) -> tuple[Diagnostic, ...]:
    """Return the diagnostics that `encode_diagnostics` wrote.

    Raises:
        ValueError: The bytes are no encoded diagnostics.
    """
    try:
        return tuple(
            Diagnostic(
                severity=Severity(severity), code=DiagnosticCode(code), message=message, skill=skill, source=source
            )
            for severity, code, message, skill, source in json.loads(encoded)
        )
    except (RecursionError, TypeError, ValueError) as error:
        raise ValueError("not encoded diagnostics") from error


def encode_place(place: str) -> bytes:
    """Return a place as UTF-8, with what is no Unicode in it as it is."""
    return place.encode(errors="surrogatepass")


def decode_place(encoded: bytes) -> str:
    """Return the place that `encode_place` wrote; ValueError for other bytes."""
    return encoded.decode(errors="surrogatepass")


def encode_instant(instant: datetime) -> int:
    """Return the microseconds from 1970 to an instant. TypeError for one without a time zone."""
    return (instant - _EPOCH) // _MICROSECOND


def decode_instant(microseconds: int) -> datetime:
    """Return the instant of `encode_instant`, in UTC. OverflowError for one that no datetime can hold."""
    return _EPOCH + timedelta(microseconds=microseconds)


def _skill_fields(skill: Skill) -> dict[str, object]:
    fields: dict[str, object] = {
        "name": skill.name,
        "description": skill.description,
        "description_bytes": skill.description_bytes,
    }
    if skill.description_truncated:
        fields["description_truncated"] = True
    if not skill.model_invocable:
        fields["model_invocable"] = False
    if not skill.user_invocable:
        fields["user_invocable"] = False
    optional = {
        "display_name": skill.display_name,
        "license": skill.license,
        "compatibility": skill.compatibility,
        "metadata": skill.metadata,
        "allowed_tools": skill.allowed_tools,
        "when_to_use": skill.when_to_use,
        "version": skill.version,
        "keywords": skill.keywords,
        "capabilities": skill.capabilities,
        "requirements": skill.requirements,
    }
    fields.update((key, value) for key, value in optional.items() if value)
    if skill.tools:
        fields["tools"] = [
            (tool.id, tool.kind.value, tool.name, tool.server, tool.command, tool.args) for tool in skill.tools
        ]
    if skill.network is not None:
        fields["network"] = (skill.network.mode.value, skill.network.domains, skill.network.digest)
    return fields


def _skill(fields: dict[str, Any]) -> Skill:
    get = fields.get
    return Skill(
        name=_text(fields["name"]),
        description=_text(fields["description"]),
        description_truncated=get("description_truncated", False),
        description_bytes=fields["description_bytes"],
        model_invocable=get("model_invocable", True),
        user_invocable=get("user_invocable", True),
        display_name=_text(get("display_name", "")),
        license=_text(get("license", "")),
        compatibility=_text(get("compatibility", "")),
        metadata=tuple((key, value) for key, value in get("metadata", ())),
        allowed_tools=tuple(get("allowed_tools", ())),
        when_to_use=_text(get("when_to_use", "")),
        version=_text(get("version", "")),
        keywords=tuple(get("keywords", ())),
        capabilities=tuple(get("capabilities", ())),
        tools=_tools(get("tools", ())),
        network=_network(get("network")),
        requirements=tuple(get("requirements", ())),
    )


def _tools(fields: Iterable[Any]) -> tuple[ToolDeclaration, ...]:
    return tuple(
        ToolDeclaration(
            id=_text(id_),
            kind=ToolKind(kind),
            name=_text(name),
            server=_text(server),
            command=_text(command),
            args=tuple(args),
        )
        for id_, kind, name, server, command, args in fields
    )


def _network(fields: Any) -> Network | None:  # noqa: ANN401 - what JSON gives
    if fields is None:
        return None
    mode, domains, digest = fields
    return Network(mode=NetworkMode(mode), domains=tuple(domains), digest=_text(digest))


def _text_ref(fields: Any) -> TextRef | None:  # noqa: ANN401 - what JSON gives
    if fields is None:
        return None
    digest, size = fields
    return TextRef(digest=_text(digest), size=size)


def _text(value: Any) -> str:  # noqa: ANN401 - what JSON gives
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value
