"""The manifest of an `http` source: a JSON list of skills, with their texts and assets by URL, or without.

An entry says what a skill.yaml says, and is written as one; `document`, `body` and `assets` say where the rest is.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from skillsvc.domain import caps
from skillsvc.domain.diagnostics import Diagnostic, Severity
from skillsvc.domain.limits import Limits
from skillsvc.parsing.document import decode, split
from skillsvc.parsing.fields import truth_of
from skillsvc.parsing.findings import Findings, Profile, Refusal
from skillsvc.parsing.frontmatter import read_frontmatter
from skillsvc.parsing.index_json import EntryRefused, LeftOut, digest_of, entry_of, line_of, read_index, shown_name
from skillsvc.parsing.names import make_name
from skillsvc.parsing.plain_yaml import Plain
from skillsvc.parsing.text import shown
from skillsvc.parsing.vocabulary import FRONTMATTER, recognise

_PLACES: Final = frozenset({"document", "body", "assets"})
_NOT_FIELDS: Final = _PLACES | {"tool_types"}
"""`tool_types` of a manifest are kinds without a tool: nothing could be resolved by them."""
_OWN_FILES: Final = frozenset({"SKILL.MD", "SKILL.YAML"})
_LONGEST_ID: Final = 1024
_SIZE_DIGITS: Final = 12
# What stands raw in JSON and in no YAML.
_NOT_YAML: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteFile:
    """A file by its URL, absolute or relative to the manifest's; `digest` "" and `size` None where nothing is said."""

    url: str
    digest: str = ""
    size: int | None = None

    @property
    def on_need(self) -> bool:
        """Whether enough is known of it to serve the skill before it was fetched."""
        return bool(self.digest) and self.size is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteAsset:
    """An asset of a skill."""

    name: str
    file: RemoteFile
    executable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestEntry:
    """One skill. `folder` is what stands in for a folder's name, `fields` is what a skill.yaml may say."""

    folder: str
    fields: Mapping[str, Plain]
    document: RemoteFile | None = None
    body: RemoteFile | None = None
    assets: tuple[RemoteAsset, ...] = ()

    @property
    def files(self) -> Iterator[RemoteFile]:
        """All that it names."""
        if self.document is not None:
            yield self.document
        if self.body is not None:
            yield self.body
        for asset in self.assets:
            yield asset.file

    def skill_yaml(self, document: bytes | None) -> bytes:
        """Return the skill.yaml of the skill: what the entry says and its SKILL.md, if it has one, does not.

        A description that nobody gives is the id, where there is no SKILL.md to take one from.
        """
        declared: Mapping[str, Plain] = {} if document is None else _declared(document)
        fields = {key: value for key, value in self.fields.items() if not declared.get(key)}
        if document is None:
            if not fields.get("description"):
                fields["description"] = self.fields["id"]
        elif declared.get("name"):
            fields.pop("id", None)
        if not fields:
            return b""
        text = json.dumps(fields, ensure_ascii=False)
        return _NOT_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpManifest:
    """The skills of a manifest, each folder once, and what is told of entries that are left out, of no source yet."""

    entries: tuple[ManifestEntry, ...]
    diagnostics: tuple[Diagnostic, ...]


def read_http_manifest(data: bytes, limits: Limits) -> HttpManifest:
    """Read a manifest; equal bytes give equal manifests.

    Raises:
        IndexMalformed: It is none.
    """
    entries: dict[str, ManifestEntry] = {}
    left_out = LeftOut()
    for number, value in enumerate(read_index(data, limits).entries, 1):
        name = shown_name(value.get("id")) if isinstance(value, dict) else ""
        try:
            fields = entry_of(value, limits)
            if not line_of(fields, "id"):
                left_out.add(number, name, "it has no id", Severity.WARNING)
                continue
            entry = _entry(fields, limits)
        except EntryRefused as refused:
            left_out.add(number, name, str(refused))
            continue
        if entries.setdefault(entry.folder, entry) is not entry:
            left_out.add(number, name, "an earlier one has its id")
    return HttpManifest(entries=tuple(entries.values()), diagnostics=left_out.diagnostics())


def _entry(fields: Mapping[str, Plain], limits: Limits) -> ManifestEntry:
    document, body = (_file(fields.get(key), key) for key in ("document", "body"))
    if document is not None and body is not None:
        raise EntryRefused("it has a document and a body; leave one")
    if body is not None and (body.size or 0) > limits.body_bytes:
        raise EntryRefused(f"its body has {body.size} bytes; at most {limits.body_bytes} are possible")
    if document is not None and (document.size or 0) > limits.document_bytes:
        raise EntryRefused(f"its document has {document.size} bytes; at most {limits.document_bytes} are possible")
    return ManifestEntry(
        folder=_folder(line_of(fields, "id")),
        fields={key: value for key, value in fields.items() if key not in _NOT_FIELDS},
        document=document,
        body=body,
        assets=_assets(fields.get("assets"), limits),
    )


def _folder(identity: str) -> str:
    """Return what stands in for a folder's name. An id is no path: one that looks like it is meant to lead away."""
    if "/" in identity or "\\" in identity or not identity.strip("."):
        raise EntryRefused("its id is a path")
    if len(identity) > _LONGEST_ID:
        raise EntryRefused(f"its id has more than {_LONGEST_ID} characters")
    return identity if caps.fits_skill_name(identity) else make_name(identity)


def _file(value: Plain, what: str) -> RemoteFile | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise EntryRefused(f"{what} is no JSON object with a url")
    url, size = line_of(value, "url"), line_of(value, "size")
    if not url:
        raise EntryRefused(f"{what} has no url")
    if size and not (size.isascii() and size.isdigit() and len(size) <= _SIZE_DIGITS):
        raise EntryRefused(f"the size of {what} is no number of bytes")
    return RemoteFile(url=url, digest=digest_of(value), size=int(size) if size else None)


def _assets(value: Plain, limits: Limits) -> tuple[RemoteAsset, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise EntryRefused("assets is no list")
    if len(value) > limits.assets:
        raise EntryRefused(f"it has {len(value)} assets; at most {limits.assets} are possible")
    assets: dict[str, RemoteAsset] = {}
    for number, item in enumerate(value, 1):
        asset = _asset(item, f"asset {number}")
        if asset.name in assets:
            raise EntryRefused(f"two assets are called {shown(asset.name)}")
        assets[asset.name] = asset
    for name in assets:
        at = name.find("/")
        while at >= 0:
            if name[:at] in assets:
                raise EntryRefused(f"the asset {shown(name[:at])} stands where another one needs a folder")
            at = name.find("/", at + 1)
    return tuple(assets.values())


def _asset(item: Plain, which: str) -> RemoteAsset:
    file = _file(item, which)
    if file is None or not isinstance(item, dict):
        raise EntryRefused(f"{which} is no JSON object with a url")
    name = item.get("name")
    if not isinstance(name, str) or not caps.fits_asset_name(name) or name.upper() in _OWN_FILES:
        raise EntryRefused(f"{which} has no name that can be served")
    executable = truth_of(item.get("executable") or "false")
    if executable is None:
        raise EntryRefused(f"executable of {which} must be true or false")
    return RemoteAsset(name=name, file=file, executable=executable)


def _declared(document: bytes) -> Mapping[str, Plain]:
    """Return what a SKILL.md declares; nothing where it cannot be read, which is said when it is taken in."""
    findings = Findings(Profile.LENIENT)
    try:
        return recognise(read_frontmatter(split(decode(document)), findings, Limits()), FRONTMATTER, findings)
    except Refusal:
        return {}
