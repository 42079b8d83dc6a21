"""An operator's inventory of network use, as OpenAI4S keeps it for pinned collections (version 1).

```
{"schema_version": 1,
 "collections": {"<id>": {"declaration": "legacy", "mode": "host_only", "domains": []}},
 "skills": {"<name or folder>": {"mode": "host_only", "domains": ["a.example"]}}}
```
"""

import json
import re
from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from skillsvc.domain import caps
from skillsvc.domain.folding import folded
from skillsvc.domain.readiness import NetworkInventory
from skillsvc.domain.skill import Network, NetworkMode
from skillsvc.parsing.network import MODES, host_of, make_network
from skillsvc.parsing.text import shown

INVENTORY_BYTES: Final = 4 * 1024 * 1024
_VERSION: Final = 1
_DECLARATIONS: Final = frozenset({"declared", "legacy", "unknown"})
_HALF: Final = re.compile("[\ud800-\udfff]")
"""JSON can escape half a character, which no answer can hold."""
_DOMAINS: Final = caps.CAPS["Network.domains"]


class InventoryMalformed(ValueError):
    """A file is no inventory. The message names the place and the rule."""


def read_inventory(data: bytes) -> NetworkInventory:
    """Return an inventory. An operator wrote it, so that nothing in it is passed over.

    What a collection's entry says is checked, and then told of nobody: a pinned collection is unknown.

    Raises:
        InventoryMalformed: It is none.
    """
    if len(data) > INVENTORY_BYTES:
        raise InventoryMalformed(f"it has more than {INVENTORY_BYTES} bytes")
    try:
        told: object = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_once)
    except InventoryMalformed:
        raise
    except (ValueError, RecursionError):
        raise InventoryMalformed("it is not valid JSON in UTF-8") from None
    fields = _fields(told, "it", {"schema_version", "collections", "skills"})
    version = fields.get("schema_version")
    if version != _VERSION or isinstance(version, (bool, float)):
        raise InventoryMalformed(f"schema_version must be {_VERSION}")
    collections = {folded(id_): where for id_, where, _said in _entries(fields, "collections", {"declaration"})}
    skills = {name: said for name, _where, said in _entries(fields, "skills", set())}
    return NetworkInventory(collections=frozenset(collections), skills=MappingProxyType(skills))


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object's fields, each of which stands once: else readers would differ in which one counts."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise InventoryMalformed("a key stands twice in one object")
    if any(_HALF.search(key) for key in fields):
        raise InventoryMalformed("a key holds half a character")
    return fields


def _fields(value: object, where: str, known: set[str]) -> dict[str, object]:
    if not isinstance(value, dict):
        raise InventoryMalformed(f"{where} must be an object")
    if unknown := value.keys() - known:
        raise InventoryMalformed(f"{where} has a key that is not known: {shown(min(unknown))}")
    return value


def _entries(fields: dict[str, object], key: str, more: set[str]) -> Iterator[tuple[str, str, Network]]:
    entries = fields.get(key, {})
    if not isinstance(entries, dict):
        raise InventoryMalformed(f"{key} must be an object")
    for name, value in entries.items():
        where = f"{key}.{shown(name)}"
        if not name.strip():
            raise InventoryMalformed(f"{key} has an entry without a name")
        entry = _fields(value, where, {"mode", "domains", *more})
        declaration = entry.get("declaration", "legacy")
        if not isinstance(declaration, str) or declaration not in _DECLARATIONS:
            raise InventoryMalformed(f"{where}.declaration must be one of {', '.join(sorted(_DECLARATIONS))}")
        yield name, where, make_network(_mode(entry, where), _domains(entry, where))


def _mode(entry: dict[str, object], where: str) -> NetworkMode:
    mode = entry.get("mode")
    known = MODES.get(mode) if isinstance(mode, str) else None
    if known is not None:
        return known
    if mode == "unknown":
        return NetworkMode.UNKNOWN
    raise InventoryMalformed(f"{where}.mode must be one of {', '.join(MODES)}, unknown")


def _domains(entry: dict[str, object], where: str) -> tuple[str, ...]:
    domains = entry.get("domains", [])
    if not isinstance(domains, list):
        raise InventoryMalformed(f"{where}.domains must be a list")
    hosts = {host_of(domain) if isinstance(domain, str) else "" for domain in domains}
    if "" in hosts or any(len(host.encode(errors="surrogatepass")) > _DOMAINS.max_item_bytes for host in hosts):
        raise InventoryMalformed(
            f"{where}.domains must be texts of 1 to {_DOMAINS.max_item_bytes} bytes, each with a host"
        )
    if len(hosts) > _DOMAINS.max_items:
        raise InventoryMalformed(f"{where} has {len(hosts)} domains; at most {_DOMAINS.max_items} are possible")
    if any(_HALF.search(host) for host in hosts):
        raise InventoryMalformed(f"{where}.domains holds half a character")
    return tuple(sorted(hosts))
