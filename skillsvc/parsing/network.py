"""Declared use of the network, and requirements: what a skill says it needs; nothing is granted by it (rules.md 2)."""

import hashlib
import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final

from skillsvc.domain import caps
from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.domain.skill import Network, NetworkMode
from skillsvc.parsing.changes import report_changes
from skillsvc.parsing.fields import items_of
from skillsvc.parsing.findings import Findings
from skillsvc.parsing.plain_yaml import Plain
from skillsvc.parsing.text import listed, one_line

MODES: Final = {"none": NetworkMode.NONE, "host_only": NetworkMode.HOST_ONLY, "raw_required": NetworkMode.RAW_REQUIRED}
"""The modes by their spellings."""
_QUOTES_AND_BRACKETS = " []\"'"


def read_network(values: Mapping[str, Plain], findings: Findings) -> Network | None:
    """Return what `capabilities.network` declares, None where it declares nothing.

    What cannot be read declares an unknown mode: that is never a grant, and refused under the strict profile.
    """
    capabilities = values.get("capabilities")
    if not isinstance(capabilities, dict):
        return None
    _report_unknown("capabilities", capabilities.keys() - {"network"}, findings)
    declared = capabilities.get("network")
    if declared is None:
        return None
    if not isinstance(declared, dict):
        findings.breach(DiagnosticCode.NETWORK_MALFORMED, "capabilities.network must be a mapping of mode and domains")
        return make_network(NetworkMode.UNKNOWN, ())
    _report_unknown("capabilities.network", declared.keys() - {"mode", "domains"}, findings)
    mode = declared.get("mode")
    known = MODES.get(mode) if isinstance(mode, str) else None
    if known is None:
        findings.breach(
            DiagnosticCode.NETWORK_MALFORMED, f"capabilities.network.mode must be one of {', '.join(MODES)}"
        )
    return make_network(known or NetworkMode.UNKNOWN, _domains(declared.get("domains"), findings))


def _report_unknown(where: str, keys: AbstractSet[str], findings: Findings) -> None:
    if keys:
        findings.note(DiagnosticCode.FIELD_UNKNOWN, f"fields not known here are left out of {where}: {listed(keys)}")


def make_network(mode: NetworkMode, domains: tuple[str, ...]) -> Network:
    """Make a declaration of clean domains, with the digest that all readers of this format compute."""
    spelling = next((word for word, value in MODES.items() if value is mode), "unknown")
    form = json.dumps({"domains": domains, "mode": spelling}, separators=(",", ":"), sort_keys=True)
    return Network(mode=mode, domains=domains, digest=hashlib.sha256(form.encode()).hexdigest())


def _domains(declared: Plain, findings: Findings) -> tuple[str, ...]:
    """Return the clean domains of a list, as many and as long as the contract lets pass."""
    if declared is None:
        return ()
    texts = declared if isinstance(declared, list) else [declared]
    found = [host_of(item) if isinstance(item, str) else "" for item in texts]
    if not isinstance(declared, list) or not all(found):
        findings.breach(
            DiagnosticCode.NETWORK_MALFORMED,
            "capabilities.network.domains must be a list of domains; others are left out",
        )
    return tuple(sorted({host for host in found if host}))


def host_of(text: str) -> str:
    """Return the host of a domain, of a wildcard or of a URL, in lower case."""
    host = one_line(text).lower().replace("\\", "/")
    host = host.partition("://")[2] or host
    host = host.replace("?", "/").replace("#", "/").partition("/")[0].rpartition("@")[2]
    host = host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]
    return host.rstrip(".").removeprefix("*.")


UNKNOWN_NETWORK: Final = make_network(NetworkMode.UNKNOWN, ())
"""What is told of whoever's word counts for nothing."""


def read_requirements(values: Mapping[str, Plain], findings: Findings) -> tuple[str, ...]:
    """Return the requirements: lower case, without brackets and quotes, each once, sorted."""
    found = {text.strip(_QUOTES_AND_BRACKETS).lower() for text in items_of(values, "requirements")}
    if not found:
        return ()
    clamped = caps.clamp_readiness({"missing": sorted(found - {""})})
    report_changes(
        [replace(change, path=change.path.replace("missing", "requirements")) for change in clamped.changes], findings
    )
    return tuple(clamped.values["missing"])
