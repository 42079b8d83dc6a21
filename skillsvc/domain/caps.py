# Generated from skillsource.v1 by protoc-gen-caps. Do not edit: change the proto, and generate anew.
"""The caps of the contract, for plain values: what is too long is cut or dropped, what is wrong is refused.

One pure function a message takes the values of its fields by name: text, bytes, numbers, lists or tuples, and mappings
for maps and nested messages. An absent key, like None, is a field that is not set, and nothing is demanded of it; an
empty text is a text. What the contract does not bound, and what it does not know, passes through as it is given.

- A field of the wrong type, text that is no UTF-8, and text that does not fit its grammar are refused.
- A refused item of a list is left out where the list keeps the first items that fit; elsewhere it refuses the message,
  or drops the field, as too many items would. A refused nested message refuses the message that holds it.
- A list is first cut to its number of items, and only then looked into, so that the work is bounded.

Sorting, and what to do with doubled names, is the business of the caller.
"""

# mypy: allow-any-explicit
from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, unique
from types import MappingProxyType
from typing import Any, Final, Protocol


@unique
class Over(Enum):
    """What happens to a value that exceeds its cap."""

    CUT = "cut"
    """The text is cut on a character boundary, an ellipsis counted inside."""
    DROP = "drop"
    """The whole field is dropped, as if it had not been set."""
    KEEP_FIRST = "keep-first"
    """The first items that fit are kept; an item that is too long is left out."""
    REFUSE = "refuse"
    """The message is refused."""


@unique
class Grammar(Enum):
    """A language that a text must fit, each with a function `fits_…` here."""

    SKILL_NAME = "skill-name"
    SKILL_REFERENCE = "skill-reference"
    ASSET_NAME = "asset-name"
    DIGEST = "digest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cap:
    """The bounds of one field, as caps.proto defines them. A number that is 0 bounds nothing.

    `item_over` is what happens to one item of a list of texts, or one pair of a map, and None where there are none.
    """

    over: Over
    item_over: Over | None = None
    max_bytes: int = 0
    max_items: int = 0
    max_item_bytes: int = 0
    max_key_bytes: int = 0
    max_total_bytes: int = 0
    max_value: int = 0
    single_line: bool = False
    grammar: Grammar | None = None


@unique
class What(Enum):
    """What was done to a field, or why it is refused."""

    CUT = "cut"
    """The text was cut: `size` and `limit` are bytes."""
    FLATTENED = "flattened"
    """Control characters became spaces: `size` says how many."""
    DROPPED = "dropped"
    """The field, or the item, was dropped: `size` is what exceeded `limit`."""
    ITEMS_DROPPED = "items-dropped"
    """The last items were dropped: `size` is how many items, or bytes of names, there were."""
    TOO_LARGE = "too-large"
    """Refused: `size` exceeds `limit`."""
    UNFIT = "unfit"
    """Refused: the text, of `size` bytes, does not fit its grammar."""
    MALFORMED = "malformed"
    """Refused: not of the field's type, or text that is no UTF-8."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing done to a message, at a path such as `description` or `skills[3].name`."""

    path: str
    what: What
    size: int = 0
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Clamped:
    """What is left of a message: values that obey every cap, what was changed, and why it must be refused.

    `values` is new, lists in it are tuples; where there are refusals it is empty, so that nobody uses it. An item that
    was left out of a list stands among the `changes` with the reason for which it was refused.
    """

    values: dict[str, Any]
    changes: tuple[Change, ...] = ()
    refusals: tuple[Change, ...] = ()


NOTHING_LOWERED: Final[Mapping[str, int]] = MappingProxyType({})

ELLIPSIS: Final = "\u2026"
_ELLIPSIS_BYTES: Final = 3

# The control characters of rules.md 3: U+0000 to U+001F, U+007F to U+009F, and the line and paragraph separators.
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")

_NAME: Final = r"[a-z0-9][a-z0-9_-]{0,63}"
_SKILL_NAME: Final = re.compile(_NAME)
_SKILL_REFERENCE: Final = re.compile(rf"(?:{_NAME}/)?{_NAME}")
# Lone surrogates are what Python makes of text that is no UTF-8.
_SEGMENT: Final = r"(?!\.{1,2}(?:/|\Z))[^/\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+"
_ASSET_NAME: Final = re.compile(rf"{_SEGMENT}(?:/{_SEGMENT})*")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


def cut_text(text: str, max_bytes: int) -> str:
    """Return the text if its UTF-8 has at most `max_bytes`, else its beginning with an ellipsis that counts inside.

    The cut is on a character boundary, so that up to three bytes may stay unused. Where not even the three bytes of
    the ellipsis have room, there is none.
    """
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= max_bytes:
        return text
    mark = ELLIPSIS if max_bytes >= _ELLIPSIS_BYTES else ""
    end = max(max_bytes - (_ELLIPSIS_BYTES if mark else 0), 0)
    while end > 0 and encoded[end] & 0xC0 == 0x80:  # inside a character
        end -= 1
    return encoded[:end].decode("utf-8", "surrogatepass") + mark


def flatten(text: str) -> str:
    """Return the text as one line: each control character is a space instead, one for one."""
    return text if text.isprintable() else _CONTROL.sub(" ", text)


def fits_skill_name(text: str) -> bool:
    """Tell whether the text is a skill's name, up to its true end."""
    return _SKILL_NAME.fullmatch(text) is not None


def fits_skill_reference(text: str) -> bool:
    """Tell whether the text is a skill's name, with or without a source's name and a slash before it."""
    return _SKILL_REFERENCE.fullmatch(text) is not None


def fits_asset_name(text: str) -> bool:
    """Tell whether the text is an asset's logical name. How long it may be is said by the cap alone."""
    return _ASSET_NAME.fullmatch(text) is not None


def fits_digest(text: str) -> bool:
    """Tell whether the text is a SHA-256 in lower-case hexadecimal digits."""
    return _DIGEST.fullmatch(text) is not None


_CUT: Final = Over.CUT
_DROP: Final = Over.DROP
_KEEP_FIRST: Final = Over.KEEP_FIRST
_REFUSE: Final = Over.REFUSE


def _judge_text(
    text: object,
    max_bytes: int,
    over: Over,
    *,
    single_line: bool = False,
    fits: Callable[[str], bool] | None = None,
) -> str | Change:
    """Return the text as it is kept, the same object where nothing changes, or why it cannot be."""
    if not isinstance(text, str):
        return Change(path="", what=What.MALFORMED)
    try:
        size = len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError:
        return Change(path="", what=What.MALFORMED)
    if single_line and (flat := flatten(text)) is not text:
        text, size = flat, len(flat.encode())
    if size > max_bytes:
        if over is not _CUT:
            return Change(path="", what=What.TOO_LARGE, size=size, limit=max_bytes)
        text = cut_text(text, max_bytes)
    if fits is not None and not fits(text):
        return Change(path="", what=What.UNFIT, size=size, limit=max_bytes)
    return text


def _changes_of_text(path: str, before: str, after: str, max_bytes: int, *, single_line: bool) -> list[Change]:
    """Return how a text that is kept came to differ from what was given."""
    changes = []
    flat = flatten(before) if single_line else before
    if flat != before:
        changes.append(Change(path=path, what=What.FLATTENED, size=len(_CONTROL.findall(before))))
    if flat != after:
        changes.append(Change(path=path, what=What.CUT, size=len(flat.encode()), limit=max_bytes))
    return changes


def _below(path: str, changes: Sequence[Change]) -> list[Change]:
    """Return the changes of a nested message, as seen from the message around it."""
    return [replace(change, path=f"{path}.{change.path}") for change in changes]


class _Clamp(Protocol):
    def __call__(self, values: Mapping[str, object], *, lowered: Mapping[str, int]) -> Clamped: ...


class _Draft:
    """A message on its way through its caps, one call a field."""

    __slots__ = ("changes", "kept", "lowered", "message", "refusals")

    def __init__(self, message: str, values: Mapping[str, object], lowered: Mapping[str, int]) -> None:
        self.message = message
        self.lowered = lowered
        self.kept: dict[str, Any] = dict(values)
        self.changes: list[Change] = []
        self.refusals: list[Change] = []

    def result(self) -> Clamped:
        """Return what is left."""
        if self.refusals:
            return Clamped(values={}, changes=tuple(self.changes), refusals=tuple(self.refusals))
        return Clamped(values=self.kept, changes=tuple(self.changes))

    def text(
        self,
        field: str,
        *,
        max_bytes: int,
        over: Over,
        single_line: bool = False,
        fits: Callable[[str], bool] | None = None,
    ) -> None:
        """Clamp a text."""
        text = self.kept.get(field)
        if text is None:
            return
        if self.lowered:
            max_bytes = self._lower(field, "max_bytes", max_bytes)
        judged = _judge_text(text, max_bytes, over, single_line=single_line, fits=fits)
        if judged is text:
            return
        if isinstance(judged, Change):
            self._give_up(field, over if judged.what is What.TOO_LARGE else _REFUSE, replace(judged, path=field))
        else:
            self.kept[field] = judged
            self.changes += _changes_of_text(field, text, judged, max_bytes, single_line=single_line)

    def data(self, field: str, *, max_bytes: int, over: Over) -> None:
        """Clamp bytes."""
        data = self.kept.get(field)
        if data is None:
            return
        max_bytes = self._lower(field, "max_bytes", max_bytes)
        if not isinstance(data, bytes):
            self._refuse_type(field)
        elif len(data) > max_bytes:
            self._exceeded(field, over, len(data), max_bytes)

    def number(self, field: str, *, max_value: int, over: Over) -> None:
        """Clamp a number."""
        number = self.kept.get(field)
        if number is None:
            return
        max_value = self._lower(field, "max_value", max_value)
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            self._refuse_type(field)
        elif number > max_value:
            self._exceeded(field, over, number, max_value)

    def texts(
        self,
        field: str,
        *,
        max_items: int,
        max_item_bytes: int,
        over: Over,
        item_over: Over,
        single_line: bool = False,
        fits: Callable[[str], bool] | None = None,
    ) -> None:
        """Clamp a list of texts."""
        items = self._first_items(field, max_items, over)
        if items is None:
            return
        max_item_bytes = self._lower(field, "max_item_bytes", max_item_bytes)
        kept: list[str] = []
        changes: list[Change] = []
        for index, item in enumerate(items):
            judged = _judge_text(item, max_item_bytes, item_over, single_line=single_line, fits=fits)
            if isinstance(judged, str):
                kept.append(judged)
                if judged is not item and isinstance(item, str):
                    path = f"{field}[{index}]"
                    changes += _changes_of_text(path, item, judged, max_item_bytes, single_line=single_line)
                continue
            reason = replace(judged, path=f"{field}[{index}]")
            # An item that is too long goes the way of its own cap, one that is wrong the way of its list.
            way = item_over if reason.what is What.TOO_LARGE else over
            if way is not _KEEP_FIRST:
                self._give_up(field, way, reason)
                return
            changes.append(reason)
        self.kept[field] = tuple(kept)
        self.changes += changes

    def text_map(
        self, field: str, *, max_items: int, max_key_bytes: int, max_item_bytes: int, over: Over, item_over: Over
    ) -> None:
        """Clamp a map of texts. No path names a key, which is as long and as odd as the sender likes."""
        pairs = self.kept.get(field)
        if pairs is None:
            return
        if not isinstance(pairs, Mapping):
            self._refuse_type(field)
            return
        max_items = self._lower(field, "max_items", max_items)
        if len(pairs) > max_items:
            self._exceeded(field, over, len(pairs), max_items)
            return
        max_key_bytes = self._lower(field, "max_key_bytes", max_key_bytes)
        max_item_bytes = self._lower(field, "max_item_bytes", max_item_bytes)
        for key, value in pairs.items():
            for judged, way in (
                (_judge_text(key, max_key_bytes, over), over),
                (_judge_text(value, max_item_bytes, item_over), item_over),
            ):
                if isinstance(judged, Change):
                    self._give_up(field, way, replace(judged, path=field))
                    return
        self.kept[field] = dict(pairs)

    def nested(self, field: str, clamp: _Clamp) -> None:
        """Clamp a message inside the message."""
        value = self.kept.get(field)
        if value is None:
            return
        if not isinstance(value, Mapping):
            self._refuse_type(field)
            return
        clamped = clamp(value, lowered=self.lowered)
        if clamped.refusals:
            self.refusals += _below(field, clamped.refusals)
            return
        self.kept[field] = clamped.values
        self.changes += _below(field, clamped.changes)

    def nested_list(self, field: str, clamp: _Clamp, *, max_items: int, over: Over) -> None:
        """Clamp a list of messages inside the message."""
        items = self._first_items(field, max_items, over)
        if items is None:
            return
        kept: list[dict[str, Any]] = []
        changes: list[Change] = []
        for index, item in enumerate(items):
            path = f"{field}[{index}]"
            if isinstance(item, Mapping):
                clamped = clamp(item, lowered=self.lowered)
                if not clamped.refusals:
                    kept.append(clamped.values)
                    changes += _below(path, clamped.changes)
                    continue
                reasons = _below(path, clamped.refusals)
            else:
                reasons = [Change(path=path, what=What.MALFORMED)]
            if over is not _KEEP_FIRST:
                self._give_up(field, over, *reasons)
                return
            changes += reasons
        self.kept[field] = tuple(kept)
        self.changes += changes

    def total_of_names(self, field: str, *, max_total_bytes: int, over: Over) -> None:
        """Clamp the names in a list of messages, which is clamped already, together."""
        items = self.kept.get(field)
        if items is None or self.refusals:
            return
        max_total_bytes = self._lower(field, "max_total_bytes", max_total_bytes)
        sizes = [len((item.get("name") or "").encode()) for item in items]
        total = sum(sizes)
        if total <= max_total_bytes:
            return
        self._exceeded(field, over, total, max_total_bytes)
        if over is _KEEP_FIRST:
            while total > max_total_bytes:
                total -= sizes.pop()
            self.kept[field] = items[: len(sizes)]

    def unbounded_list(self, field: str) -> None:
        """Take over a list that nothing bounds."""
        items = self.kept.get(field)
        if items is None:
            return
        if isinstance(items, (list, tuple)):
            self.kept[field] = tuple(items)
        else:
            self._refuse_type(field)

    def _first_items(self, field: str, max_items: int, over: Over) -> Sequence[object] | None:
        """Return the items to look into, or None where there is nothing more to do."""
        items = self.kept.get(field)
        if items is None:
            return None
        if not isinstance(items, (list, tuple)):
            self._refuse_type(field)
            return None
        max_items = self._lower(field, "max_items", max_items)
        if len(items) <= max_items:
            return items
        self._exceeded(field, over, len(items), max_items)
        return items[:max_items] if over is _KEEP_FIRST else None

    def _lower(self, field: str, number: str, cap: int) -> int:
        """Return the bound in force: the cap, or less where it was lowered."""
        if not self.lowered:
            return cap
        return min(cap, self.lowered.get(f"{self.message}.{field}.{number}", cap))

    def _exceeded(self, field: str, over: Over, size: int, limit: int) -> None:
        """Do to a field that exceeds a cap what the cap says."""
        if over is _KEEP_FIRST:
            self.changes.append(Change(path=field, what=What.ITEMS_DROPPED, size=size, limit=limit))
        else:
            self._give_up(field, over, Change(path=field, what=What.TOO_LARGE, size=size, limit=limit))

    def _give_up(self, field: str, over: Over, reason: Change, *further: Change) -> None:
        """Drop a field, or refuse the message, for these reasons."""
        if over is _DROP:
            del self.kept[field]
            self.changes.append(Change(path=field, what=What.DROPPED, size=reason.size, limit=reason.limit))
        else:
            self.refusals += (reason, *further)

    def _refuse_type(self, field: str) -> None:
        self.refusals.append(Change(path=field, what=What.MALFORMED))


PARTITION_PRINCIPAL_MAX_BYTES: Final = 256
PARTITION_PROJECT_MAX_BYTES: Final = 256
LAYER_GENERATION_DIGEST_MAX_BYTES: Final = 64
GENERATION_NAME_DIGEST_MAX_BYTES: Final = 64
SOURCE_REPORT_NAME_MAX_BYTES: Final = 256
SOURCE_REPORT_KIND_MAX_BYTES: Final = 64
SOURCE_REPORT_LAST_ERROR_MAX_BYTES: Final = 512
SOURCE_REPORT_REVISION_MAX_BYTES: Final = 256
LIST_SOURCES_REQUEST_PAGE_TOKEN_MAX_BYTES: Final = 2048
LIST_SOURCES_RESPONSE_SOURCES_MAX_ITEMS: Final = 1000
LIST_SOURCES_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES: Final = 2048
REFRESH_REQUEST_SOURCES_MAX_ITEMS: Final = 1000
REFRESH_REQUEST_SOURCES_MAX_ITEM_BYTES: Final = 64
REFRESH_REQUEST_PATHS_MAX_ITEMS: Final = 1000
REFRESH_REQUEST_PATHS_MAX_ITEM_BYTES: Final = 4096
REFRESH_RESPONSE_SOURCES_MAX_ITEMS: Final = 1000
REFRESH_RESPONSE_ADDED_MAX_ITEMS: Final = 1000
REFRESH_RESPONSE_ADDED_MAX_ITEM_BYTES: Final = 64
REFRESH_RESPONSE_MODIFIED_MAX_ITEMS: Final = 1000
REFRESH_RESPONSE_MODIFIED_MAX_ITEM_BYTES: Final = 64
REFRESH_RESPONSE_REMOVED_MAX_ITEMS: Final = 1000
REFRESH_RESPONSE_REMOVED_MAX_ITEM_BYTES: Final = 64
LIST_DIAGNOSTICS_REQUEST_SOURCE_MAX_BYTES: Final = 64
LIST_DIAGNOSTICS_REQUEST_SKILL_MAX_BYTES: Final = 256
LIST_DIAGNOSTICS_REQUEST_PAGE_TOKEN_MAX_BYTES: Final = 2048
LIST_DIAGNOSTICS_RESPONSE_DIAGNOSTICS_MAX_ITEMS: Final = 1000
LIST_DIAGNOSTICS_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES: Final = 2048
LIST_PARTITIONS_REQUEST_PAGE_TOKEN_MAX_BYTES: Final = 2048
LIST_PARTITIONS_RESPONSE_PARTITIONS_MAX_ITEMS: Final = 1000
LIST_PARTITIONS_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES: Final = 2048
GET_GENERATION_REQUEST_PAGE_TOKEN_MAX_BYTES: Final = 2048
GENERATION_ROW_NAME_MAX_BYTES: Final = 64
GENERATION_ROW_SOURCE_MAX_BYTES: Final = 256
GENERATION_ROW_DIGEST_MAX_BYTES: Final = 64
GENERATION_ROW_COLLECTION_MAX_BYTES: Final = 256
GET_GENERATION_RESPONSE_ROWS_MAX_ITEMS: Final = 1000
GET_GENERATION_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES: Final = 2048
GET_GENERATION_RESPONSE_RETAINED_MAX_ITEMS: Final = 1000
GET_GENERATION_RESPONSE_REVOKED_MAX_ITEMS: Final = 1000
GET_GENERATION_RESPONSE_REVOKED_MAX_ITEM_BYTES: Final = 64
DIFF_GENERATIONS_REQUEST_PAGE_TOKEN_MAX_BYTES: Final = 2048
MODIFIED_SKILL_NAME_MAX_BYTES: Final = 64
MODIFIED_SKILL_SOURCE_BEFORE_MAX_BYTES: Final = 256
MODIFIED_SKILL_SOURCE_AFTER_MAX_BYTES: Final = 256
DIFF_GENERATIONS_RESPONSE_ADDED_MAX_ITEMS: Final = 1000
DIFF_GENERATIONS_RESPONSE_ADDED_MAX_ITEM_BYTES: Final = 64
DIFF_GENERATIONS_RESPONSE_MODIFIED_MAX_ITEMS: Final = 1000
DIFF_GENERATIONS_RESPONSE_REMOVED_MAX_ITEMS: Final = 1000
DIFF_GENERATIONS_RESPONSE_REMOVED_MAX_ITEM_BYTES: Final = 64
DIFF_GENERATIONS_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES: Final = 2048
LEARNED_SKILL_NAME_MAX_BYTES: Final = 64
LEARNED_SKILL_DESCRIPTION_MAX_BYTES: Final = 8192
LEARNED_SKILL_BODY_MAX_BYTES: Final = 1048576
PARTITION_CONTENT_SKILLS_MAX_ITEMS: Final = 1000
REFRESH_PARTITIONS_REQUEST_PARTITIONS_MAX_ITEMS: Final = 1000
PARTITION_OUTCOME_CONFLICTS_MAX_ITEMS: Final = 1000
PARTITION_OUTCOME_CONFLICTS_MAX_ITEM_BYTES: Final = 64
PARTITION_OUTCOME_REVOKED_MAX_ITEMS: Final = 1000
PARTITION_OUTCOME_REVOKED_MAX_ITEM_BYTES: Final = 64
REFRESH_PARTITIONS_RESPONSE_PARTITIONS_MAX_ITEMS: Final = 1000
CLEAR_PARTITIONS_REQUEST_PARTITIONS_MAX_ITEMS: Final = 1000
CLEAR_PARTITIONS_RESPONSE_PARTITIONS_MAX_ITEMS: Final = 1000
REVOKE_SKILL_REQUEST_NAME_MAX_BYTES: Final = 64
LIFT_REVOKE_REQUEST_NAME_MAX_BYTES: Final = 64
SET_ENABLEMENT_REQUEST_SESSION_MAX_BYTES: Final = 128
SET_ENABLEMENT_REQUEST_NAMES_MAX_ITEMS: Final = 1000
SET_ENABLEMENT_REQUEST_NAMES_MAX_ITEM_BYTES: Final = 64
SET_ENABLEMENT_RESPONSE_CHANGED_MAX_ITEMS: Final = 1000
SET_ENABLEMENT_RESPONSE_CHANGED_MAX_ITEM_BYTES: Final = 64
LIST_ENABLEMENT_REQUEST_SESSION_MAX_BYTES: Final = 128
LIST_ENABLEMENT_REQUEST_PAGE_TOKEN_MAX_BYTES: Final = 2048
ENABLEMENT_WORD_SESSION_MAX_BYTES: Final = 128
ENABLEMENT_WORD_NAME_MAX_BYTES: Final = 64
LIST_ENABLEMENT_RESPONSE_WORDS_MAX_ITEMS: Final = 1000
LIST_ENABLEMENT_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES: Final = 2048
CLAIM_NAME_MAX_BYTES: Final = 1024
CLAIM_VALUES_MAX_ITEMS: Final = 1000
CLAIM_VALUES_MAX_ITEM_BYTES: Final = 8192
IDENTITY_NAME_MAX_BYTES: Final = 8192
IDENTITY_ISSUER_MAX_BYTES: Final = 64
IDENTITY_CLAIMS_MAX_ITEMS: Final = 1000
EXPLAIN_ACCESS_REQUEST_PROJECT_MAX_BYTES: Final = 256
EXPLAIN_ACCESS_REQUEST_PAGE_TOKEN_MAX_BYTES: Final = 2048
ALLOWED_SKILLS_NAMES_MAX_ITEMS: Final = 1000
ALLOWED_SKILLS_NAMES_MAX_ITEM_BYTES: Final = 129
ACCESS_GRANT_RULE_MAX_BYTES: Final = 64
ACCESS_GRANT_PRINCIPAL_MAX_BYTES: Final = 256
ACCESS_GRANT_PARTITIONS_MAX_ITEMS: Final = 2
ACCESS_GRANT_PROJECTS_MAX_ITEMS: Final = 100
ACCESS_GRANT_PROJECTS_MAX_ITEM_BYTES: Final = 2048
EXPLAINED_RULE_NAME_MAX_BYTES: Final = 64
EXPLAINED_RULE_WHY_MAX_BYTES: Final = 512
EXPLAIN_ACCESS_RESPONSE_IDENTITY_MAX_BYTES: Final = 256
EXPLAIN_ACCESS_RESPONSE_CREDENTIAL_REFUSED_MAX_BYTES: Final = 512
EXPLAIN_ACCESS_RESPONSE_ACCESS_REFUSED_MAX_BYTES: Final = 512
EXPLAIN_ACCESS_RESPONSE_LAYERS_MAX_ITEMS: Final = 5
EXPLAIN_ACCESS_RESPONSE_RULES_MAX_ITEMS: Final = 1000
EXPLAIN_ACCESS_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES: Final = 2048
ACTIVATION_REFUSAL_REFUSED_MAX_ITEMS: Final = 64
DIAGNOSTIC_CODE_MAX_BYTES: Final = 64
DIAGNOSTIC_SKILL_MAX_BYTES: Final = 256
DIAGNOSTIC_SOURCE_MAX_BYTES: Final = 256
DIAGNOSTIC_MESSAGE_MAX_BYTES: Final = 512
READINESS_MISSING_MAX_ITEMS: Final = 64
READINESS_MISSING_MAX_ITEM_BYTES: Final = 64
READINESS_UNVERIFIABLE_MAX_ITEMS: Final = 64
READINESS_UNVERIFIABLE_MAX_ITEM_BYTES: Final = 64
READINESS_BLOCKED_ON_MAX_ITEMS: Final = 64
READINESS_BLOCKED_ON_MAX_ITEM_BYTES: Final = 64
NETWORK_DOMAINS_MAX_ITEMS: Final = 64
NETWORK_DOMAINS_MAX_ITEM_BYTES: Final = 253
NETWORK_DIGEST_MAX_BYTES: Final = 64
SKILL_NAME_MAX_BYTES: Final = 64
SKILL_DESCRIPTION_MAX_BYTES: Final = 800
SKILL_DIGEST_MAX_BYTES: Final = 64
SKILL_DISPLAY_NAME_MAX_BYTES: Final = 256
SKILL_LICENSE_MAX_BYTES: Final = 1024
SKILL_COMPATIBILITY_MAX_BYTES: Final = 1024
SKILL_METADATA_MAX_ITEMS: Final = 32
SKILL_METADATA_MAX_ITEM_BYTES: Final = 4096
SKILL_METADATA_MAX_KEY_BYTES: Final = 256
SKILL_ALLOWED_TOOLS_MAX_ITEMS: Final = 64
SKILL_ALLOWED_TOOLS_MAX_ITEM_BYTES: Final = 64
SKILL_WHEN_TO_USE_MAX_BYTES: Final = 1024
SKILL_VERSION_MAX_BYTES: Final = 256
SKILL_KEYWORDS_MAX_ITEMS: Final = 64
SKILL_KEYWORDS_MAX_ITEM_BYTES: Final = 64
SKILL_CAPABILITIES_MAX_ITEMS: Final = 64
SKILL_CAPABILITIES_MAX_ITEM_BYTES: Final = 64
SKILL_COLLECTION_MAX_BYTES: Final = 256
SKILL_SOURCE_MAX_BYTES: Final = 256
SKILL_BODY_BYTES_MAX_VALUE: Final = 1048576
SKILL_DOCUMENT_DIGEST_MAX_BYTES: Final = 64
SKILL_DIAGNOSTICS_MAX_ITEMS: Final = 32
ASSET_NAME_MAX_BYTES: Final = 512
ASSET_SIZE_MAX_VALUE: Final = 67108864
ASSET_DIGEST_MAX_BYTES: Final = 64
ASSET_MEDIA_TYPE_MAX_BYTES: Final = 128
TOOL_ID_MAX_BYTES: Final = 128
TOOL_TARGET_MAX_BYTES: Final = 256
TOOL_SERVER_MAX_BYTES: Final = 128
TOOL_ASSET_MAX_BYTES: Final = 512
TOOL_DIGEST_MAX_BYTES: Final = 64
TOOL_REASON_MAX_BYTES: Final = 512
TOOL_DESCRIPTION_MAX_BYTES: Final = 1024
TOOL_INPUT_SCHEMA_MAX_BYTES: Final = 16384
CONSISTENCY_AT_LEAST_MAX_BYTES: Final = 2048
CONSISTENCY_AT_EXACTLY_MAX_BYTES: Final = 2048
ALLOW_LIST_NAMES_MAX_ITEMS: Final = 4096
ALLOW_LIST_NAMES_MAX_ITEM_BYTES: Final = 64
UNREACHABLE_SOURCE_SOURCE_MAX_BYTES: Final = 256
GENERATION_TOKEN_MAX_BYTES: Final = 2048
GENERATION_DIGEST_MAX_BYTES: Final = 64
GENERATION_UNREACHABLE_SOURCES_MAX_ITEMS: Final = 1024
GET_SERVER_INFO_RESPONSE_VERSION_MAX_BYTES: Final = 128
GET_SERVER_INFO_RESPONSE_FEATURES_MAX_ITEMS: Final = 256
GET_SERVER_INFO_RESPONSE_FEATURES_MAX_ITEM_BYTES: Final = 64
LIST_SKILLS_REQUEST_PROJECT_MAX_BYTES: Final = 256
LIST_SKILLS_REQUEST_SESSION_MAX_BYTES: Final = 128
LIST_SKILLS_REQUEST_BUILTIN_TOOLS_MAX_ITEMS: Final = 512
LIST_SKILLS_REQUEST_BUILTIN_TOOLS_MAX_ITEM_BYTES: Final = 128
LIST_SKILLS_REQUEST_PAGE_TOKEN_MAX_BYTES: Final = 2048
LIST_SKILLS_REQUEST_IF_NONE_MATCH_MAX_BYTES: Final = 64
LIST_SKILLS_REQUEST_COLLECTION_MAX_BYTES: Final = 256
COLLECTION_ID_MAX_BYTES: Final = 256
COLLECTION_LINE_MAX_BYTES: Final = 800
LIST_SKILLS_RESPONSE_SKILLS_MAX_ITEMS: Final = 1000
LIST_SKILLS_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES: Final = 2048
LIST_SKILLS_RESPONSE_COLLECTIONS_MAX_ITEMS: Final = 1000
SKILL_BODY_REQUEST_PROJECT_MAX_BYTES: Final = 256
SKILL_BODY_REQUEST_SESSION_MAX_BYTES: Final = 128
SKILL_BODY_REQUEST_NAME_MAX_BYTES: Final = 129
SKILL_BODY_REQUEST_IF_NONE_MATCH_MAX_BYTES: Final = 64
SKILL_BODY_RESPONSE_BODY_MAX_BYTES: Final = 1048576
SKILL_BODY_RESPONSE_DIGEST_MAX_BYTES: Final = 64
SKILL_BODY_RESPONSE_TOTAL_BYTES_MAX_VALUE: Final = 3342336
LIST_ASSETS_REQUEST_PROJECT_MAX_BYTES: Final = 256
LIST_ASSETS_REQUEST_SESSION_MAX_BYTES: Final = 128
LIST_ASSETS_REQUEST_NAME_MAX_BYTES: Final = 129
LIST_ASSETS_RESPONSE_ASSETS_MAX_ITEMS: Final = 1024
LIST_ASSETS_RESPONSE_ASSETS_MAX_TOTAL_BYTES: Final = 32768
READ_ASSET_REQUEST_PROJECT_MAX_BYTES: Final = 256
READ_ASSET_REQUEST_SESSION_MAX_BYTES: Final = 128
READ_ASSET_REQUEST_SKILL_MAX_BYTES: Final = 129
READ_ASSET_REQUEST_ASSET_MAX_BYTES: Final = 512
READ_ASSET_REQUEST_IF_NONE_MATCH_MAX_BYTES: Final = 64
READ_ASSET_RESPONSE_DATA_MAX_BYTES: Final = 1048576
READ_ASSET_RESPONSE_TOTAL_BYTES_MAX_VALUE: Final = 67108864
READ_ASSET_RESPONSE_DIGEST_MAX_BYTES: Final = 64
READ_ASSET_RESPONSE_MEDIA_TYPE_MAX_BYTES: Final = 128
ACTIVATE_REQUEST_PROJECT_MAX_BYTES: Final = 256
ACTIVATE_REQUEST_SESSION_MAX_BYTES: Final = 128
ACTIVATE_REQUEST_BUILTIN_TOOLS_MAX_ITEMS: Final = 512
ACTIVATE_REQUEST_BUILTIN_TOOLS_MAX_ITEM_BYTES: Final = 128
ACTIVATE_REQUEST_NAME_MAX_BYTES: Final = 129
ACTIVATE_REQUEST_TASK_MAX_BYTES: Final = 8192
ACTIVATE_REQUEST_ARGUMENTS_MAX_ITEMS: Final = 64
ACTIVATE_REQUEST_ARGUMENTS_MAX_ITEM_BYTES: Final = 8192
ACTIVATE_REQUEST_ARGUMENTS_MAX_KEY_BYTES: Final = 128
ACTIVATE_REQUEST_REQUEST_ID_MAX_BYTES: Final = 128
ACTIVATE_RESPONSE_ACTIVATION_ID_MAX_BYTES: Final = 128
ACTIVATE_RESPONSE_NAME_MAX_BYTES: Final = 64
ACTIVATE_RESPONSE_TEXT_MAX_BYTES: Final = 25000
ACTIVATE_RESPONSE_BODY_DIGEST_MAX_BYTES: Final = 64
ACTIVATE_RESPONSE_ASSETS_MAX_ITEMS: Final = 1024
ACTIVATE_RESPONSE_ASSETS_MAX_TOTAL_BYTES: Final = 32768
ACTIVATE_RESPONSE_TOOLS_MAX_ITEMS: Final = 64
ACTIVATE_RESPONSE_NOTES_MAX_ITEMS: Final = 32
ACTIVATE_RESPONSE_NOTES_MAX_ITEM_BYTES: Final = 512
SEARCH_SKILLS_REQUEST_PROJECT_MAX_BYTES: Final = 256
SEARCH_SKILLS_REQUEST_SESSION_MAX_BYTES: Final = 128
SEARCH_SKILLS_REQUEST_BUILTIN_TOOLS_MAX_ITEMS: Final = 512
SEARCH_SKILLS_REQUEST_BUILTIN_TOOLS_MAX_ITEM_BYTES: Final = 128
SEARCH_SKILLS_REQUEST_QUERY_MAX_BYTES: Final = 8192
SEARCH_SKILLS_REQUEST_TASK_MAX_BYTES: Final = 8192
SEARCH_HIT_MATCHED_MAX_ITEMS: Final = 64
SEARCH_HIT_MATCHED_MAX_ITEM_BYTES: Final = 64
SEARCH_HIT_SNIPPET_MAX_BYTES: Final = 512
SEARCH_HIT_BODY_MAX_BYTES: Final = 1048576
SEARCH_SKILLS_RESPONSE_HITS_MAX_ITEMS: Final = 50
SEARCH_SKILLS_RESPONSE_ENGINE_MAX_BYTES: Final = 64
RENDER_CATALOG_REQUEST_PROJECT_MAX_BYTES: Final = 256
RENDER_CATALOG_REQUEST_SESSION_MAX_BYTES: Final = 128
RENDER_CATALOG_REQUEST_BUILTIN_TOOLS_MAX_ITEMS: Final = 512
RENDER_CATALOG_REQUEST_BUILTIN_TOOLS_MAX_ITEM_BYTES: Final = 128
RENDER_CATALOG_REQUEST_QUERY_MAX_BYTES: Final = 8192
RENDER_CATALOG_REQUEST_TASK_MAX_BYTES: Final = 8192
RENDER_CATALOG_REQUEST_IF_NONE_MATCH_MAX_BYTES: Final = 64
OMITTED_SKILL_NAME_MAX_BYTES: Final = 64
OMITTED_SKILL_REASON_MAX_BYTES: Final = 128
RENDER_CATALOG_RESPONSE_TEXT_MAX_BYTES: Final = 1048576
RENDER_CATALOG_RESPONSE_DIGEST_MAX_BYTES: Final = 64
RENDER_CATALOG_RESPONSE_ENTRIES_DIGEST_MAX_BYTES: Final = 64
RENDER_CATALOG_RESPONSE_OMITTED_MAX_ITEMS: Final = 1000
WATCH_CATALOG_REQUEST_PROJECT_MAX_BYTES: Final = 256
WATCH_CATALOG_REQUEST_SESSION_MAX_BYTES: Final = 128
WATCH_CATALOG_REQUEST_SINCE_MAX_BYTES: Final = 2048
WATCH_CATALOG_RESPONSE_ADDED_MAX_ITEMS: Final = 1000
WATCH_CATALOG_RESPONSE_MODIFIED_MAX_ITEMS: Final = 1000
WATCH_CATALOG_RESPONSE_REMOVED_MAX_ITEMS: Final = 1000
WATCH_CATALOG_RESPONSE_REMOVED_MAX_ITEM_BYTES: Final = 64
REPORT_OUTCOME_REQUEST_PROJECT_MAX_BYTES: Final = 256
REPORT_OUTCOME_REQUEST_SESSION_MAX_BYTES: Final = 128
REPORT_OUTCOME_REQUEST_ACTIVATION_ID_MAX_BYTES: Final = 128
REPORT_OUTCOME_REQUEST_SKILL_MAX_BYTES: Final = 129
REPORT_OUTCOME_REQUEST_TASK_MAX_BYTES: Final = 8192
REPORT_OUTCOME_REQUEST_REQUEST_ID_MAX_BYTES: Final = 128
BEST_MATCH_REQUEST_PROJECT_MAX_BYTES: Final = 256
BEST_MATCH_REQUEST_SESSION_MAX_BYTES: Final = 128
BEST_MATCH_REQUEST_TASK_MAX_BYTES: Final = 8192
BEST_MATCH_RESPONSE_SKILL_MAX_BYTES: Final = 64
BEST_MATCH_RESPONSE_TASK_PATTERN_MAX_BYTES: Final = 1024
OFFERED_TOOL_NAME_MAX_BYTES: Final = 128
OFFERED_TOOL_DESCRIPTION_MAX_BYTES: Final = 1024
SEARCH_CAPABILITIES_REQUEST_PROJECT_MAX_BYTES: Final = 256
SEARCH_CAPABILITIES_REQUEST_SESSION_MAX_BYTES: Final = 128
SEARCH_CAPABILITIES_REQUEST_QUERY_MAX_BYTES: Final = 8192
SEARCH_CAPABILITIES_REQUEST_TOOLS_MAX_ITEMS: Final = 512
CAPABILITY_NAME_MAX_BYTES: Final = 128
CAPABILITY_DESCRIPTION_MAX_BYTES: Final = 1024
SEARCH_CAPABILITIES_RESPONSE_RESULTS_MAX_ITEMS: Final = 50

CAPS: Final[Mapping[str, Cap]] = MappingProxyType(
    {
        "Partition.principal": Cap(max_bytes=PARTITION_PRINCIPAL_MAX_BYTES, over=_REFUSE),
        "Partition.project": Cap(max_bytes=PARTITION_PROJECT_MAX_BYTES, over=_REFUSE),
        "LayerGeneration.digest": Cap(
            max_bytes=LAYER_GENERATION_DIGEST_MAX_BYTES, over=_REFUSE, grammar=Grammar.DIGEST
        ),
        "GenerationName.digest": Cap(max_bytes=GENERATION_NAME_DIGEST_MAX_BYTES, over=_REFUSE, grammar=Grammar.DIGEST),
        "SourceReport.name": Cap(max_bytes=SOURCE_REPORT_NAME_MAX_BYTES, over=_CUT, single_line=True),
        "SourceReport.kind": Cap(max_bytes=SOURCE_REPORT_KIND_MAX_BYTES, over=_CUT, single_line=True),
        "SourceReport.last_error": Cap(max_bytes=SOURCE_REPORT_LAST_ERROR_MAX_BYTES, over=_CUT, single_line=True),
        "SourceReport.revision": Cap(max_bytes=SOURCE_REPORT_REVISION_MAX_BYTES, over=_CUT, single_line=True),
        "ListSourcesRequest.page_token": Cap(max_bytes=LIST_SOURCES_REQUEST_PAGE_TOKEN_MAX_BYTES, over=_REFUSE),
        "ListSourcesResponse.sources": Cap(max_items=LIST_SOURCES_RESPONSE_SOURCES_MAX_ITEMS, over=_KEEP_FIRST),
        "ListSourcesResponse.next_page_token": Cap(
            max_bytes=LIST_SOURCES_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES, over=_REFUSE
        ),
        "RefreshRequest.sources": Cap(
            max_items=REFRESH_REQUEST_SOURCES_MAX_ITEMS,
            max_item_bytes=REFRESH_REQUEST_SOURCES_MAX_ITEM_BYTES,
            over=_REFUSE,
            item_over=_REFUSE,
            grammar=Grammar.SKILL_NAME,
        ),
        "RefreshRequest.paths": Cap(
            max_items=REFRESH_REQUEST_PATHS_MAX_ITEMS,
            max_item_bytes=REFRESH_REQUEST_PATHS_MAX_ITEM_BYTES,
            over=_REFUSE,
            item_over=_REFUSE,
            grammar=Grammar.ASSET_NAME,
        ),
        "RefreshResponse.sources": Cap(max_items=REFRESH_RESPONSE_SOURCES_MAX_ITEMS, over=_KEEP_FIRST),
        "RefreshResponse.added": Cap(
            max_items=REFRESH_RESPONSE_ADDED_MAX_ITEMS,
            max_item_bytes=REFRESH_RESPONSE_ADDED_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_KEEP_FIRST,
            grammar=Grammar.SKILL_NAME,
        ),
        "RefreshResponse.modified": Cap(
            max_items=REFRESH_RESPONSE_MODIFIED_MAX_ITEMS,
            max_item_bytes=REFRESH_RESPONSE_MODIFIED_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_KEEP_FIRST,
            grammar=Grammar.SKILL_NAME,
        ),
        "RefreshResponse.removed": Cap(
            max_items=REFRESH_RESPONSE_REMOVED_MAX_ITEMS,
            max_item_bytes=REFRESH_RESPONSE_REMOVED_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_KEEP_FIRST,
            grammar=Grammar.SKILL_NAME,
        ),
        "ListDiagnosticsRequest.source": Cap(
            max_bytes=LIST_DIAGNOSTICS_REQUEST_SOURCE_MAX_BYTES, over=_REFUSE, grammar=Grammar.SKILL_NAME
        ),
        "ListDiagnosticsRequest.skill": Cap(max_bytes=LIST_DIAGNOSTICS_REQUEST_SKILL_MAX_BYTES, over=_REFUSE),
        "ListDiagnosticsRequest.page_token": Cap(max_bytes=LIST_DIAGNOSTICS_REQUEST_PAGE_TOKEN_MAX_BYTES, over=_REFUSE),
        "ListDiagnosticsResponse.diagnostics": Cap(
            max_items=LIST_DIAGNOSTICS_RESPONSE_DIAGNOSTICS_MAX_ITEMS, over=_KEEP_FIRST
        ),
        "ListDiagnosticsResponse.next_page_token": Cap(
            max_bytes=LIST_DIAGNOSTICS_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES, over=_REFUSE
        ),
        "ListPartitionsRequest.page_token": Cap(max_bytes=LIST_PARTITIONS_REQUEST_PAGE_TOKEN_MAX_BYTES, over=_REFUSE),
        "ListPartitionsResponse.partitions": Cap(
            max_items=LIST_PARTITIONS_RESPONSE_PARTITIONS_MAX_ITEMS, over=_KEEP_FIRST
        ),
        "ListPartitionsResponse.next_page_token": Cap(
            max_bytes=LIST_PARTITIONS_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES, over=_REFUSE
        ),
        "GetGenerationRequest.page_token": Cap(max_bytes=GET_GENERATION_REQUEST_PAGE_TOKEN_MAX_BYTES, over=_REFUSE),
        "GenerationRow.name": Cap(max_bytes=GENERATION_ROW_NAME_MAX_BYTES, over=_REFUSE, grammar=Grammar.SKILL_NAME),
        "GenerationRow.source": Cap(max_bytes=GENERATION_ROW_SOURCE_MAX_BYTES, over=_CUT, single_line=True),
        "GenerationRow.digest": Cap(max_bytes=GENERATION_ROW_DIGEST_MAX_BYTES, over=_REFUSE, grammar=Grammar.DIGEST),
        "GenerationRow.collection": Cap(max_bytes=GENERATION_ROW_COLLECTION_MAX_BYTES, over=_CUT, single_line=True),
        "GetGenerationResponse.rows": Cap(max_items=GET_GENERATION_RESPONSE_ROWS_MAX_ITEMS, over=_KEEP_FIRST),
        "GetGenerationResponse.next_page_token": Cap(
            max_bytes=GET_GENERATION_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES, over=_REFUSE
        ),
        "GetGenerationResponse.retained": Cap(max_items=GET_GENERATION_RESPONSE_RETAINED_MAX_ITEMS, over=_KEEP_FIRST),
        "GetGenerationResponse.revoked": Cap(
            max_items=GET_GENERATION_RESPONSE_REVOKED_MAX_ITEMS,
            max_item_bytes=GET_GENERATION_RESPONSE_REVOKED_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_KEEP_FIRST,
            grammar=Grammar.SKILL_NAME,
        ),
        "DiffGenerationsRequest.page_token": Cap(max_bytes=DIFF_GENERATIONS_REQUEST_PAGE_TOKEN_MAX_BYTES, over=_REFUSE),
        "ModifiedSkill.name": Cap(max_bytes=MODIFIED_SKILL_NAME_MAX_BYTES, over=_REFUSE, grammar=Grammar.SKILL_NAME),
        "ModifiedSkill.source_before": Cap(
            max_bytes=MODIFIED_SKILL_SOURCE_BEFORE_MAX_BYTES, over=_CUT, single_line=True
        ),
        "ModifiedSkill.source_after": Cap(max_bytes=MODIFIED_SKILL_SOURCE_AFTER_MAX_BYTES, over=_CUT, single_line=True),
        "DiffGenerationsResponse.added": Cap(
            max_items=DIFF_GENERATIONS_RESPONSE_ADDED_MAX_ITEMS,
            max_item_bytes=DIFF_GENERATIONS_RESPONSE_ADDED_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_KEEP_FIRST,
            grammar=Grammar.SKILL_NAME,
        ),
        "DiffGenerationsResponse.modified": Cap(
            max_items=DIFF_GENERATIONS_RESPONSE_MODIFIED_MAX_ITEMS, over=_KEEP_FIRST
        ),
        "DiffGenerationsResponse.removed": Cap(
            max_items=DIFF_GENERATIONS_RESPONSE_REMOVED_MAX_ITEMS,
            max_item_bytes=DIFF_GENERATIONS_RESPONSE_REMOVED_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_KEEP_FIRST,
            grammar=Grammar.SKILL_NAME,
        ),
        "DiffGenerationsResponse.next_page_token": Cap(
            max_bytes=DIFF_GENERATIONS_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES, over=_REFUSE
        ),
        "LearnedSkill.name": Cap(max_bytes=LEARNED_SKILL_NAME_MAX_BYTES, over=_REFUSE, grammar=Grammar.SKILL_NAME),
        "LearnedSkill.description": Cap(max_bytes=LEARNED_SKILL_DESCRIPTION_MAX_BYTES, over=_REFUSE),
        "LearnedSkill.body": Cap(max_bytes=LEARNED_SKILL_BODY_MAX_BYTES, over=_REFUSE),
        "PartitionContent.skills": Cap(max_items=PARTITION_CONTENT_SKILLS_MAX_ITEMS, over=_REFUSE),
        "RefreshPartitionsRequest.partitions": Cap(
            max_items=REFRESH_PARTITIONS_REQUEST_PARTITIONS_MAX_ITEMS, over=_REFUSE
        ),
        "PartitionOutcome.conflicts": Cap(
            max_items=PARTITION_OUTCOME_CONFLICTS_MAX_ITEMS,
            max_item_bytes=PARTITION_OUTCOME_CONFLICTS_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_KEEP_FIRST,
            grammar=Grammar.SKILL_NAME,
        ),
        "PartitionOutcome.revoked": Cap(
            max_items=PARTITION_OUTCOME_REVOKED_MAX_ITEMS,
            max_item_bytes=PARTITION_OUTCOME_REVOKED_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_KEEP_FIRST,
            grammar=Grammar.SKILL_NAME,
        ),
        "RefreshPartitionsResponse.partitions": Cap(
            max_items=REFRESH_PARTITIONS_RESPONSE_PARTITIONS_MAX_ITEMS, over=_KEEP_FIRST
        ),
        "ClearPartitionsRequest.partitions": Cap(max_items=CLEAR_PARTITIONS_REQUEST_PARTITIONS_MAX_ITEMS, over=_REFUSE),
        "ClearPartitionsResponse.partitions": Cap(
            max_items=CLEAR_PARTITIONS_RESPONSE_PARTITIONS_MAX_ITEMS, over=_KEEP_FIRST
        ),
        "RevokeSkillRequest.name": Cap(
            max_bytes=REVOKE_SKILL_REQUEST_NAME_MAX_BYTES, over=_REFUSE, grammar=Grammar.SKILL_NAME
        ),
        "LiftRevokeRequest.name": Cap(
            max_bytes=LIFT_REVOKE_REQUEST_NAME_MAX_BYTES, over=_REFUSE, grammar=Grammar.SKILL_NAME
        ),
        "SetEnablementRequest.session": Cap(max_bytes=SET_ENABLEMENT_REQUEST_SESSION_MAX_BYTES, over=_REFUSE),
        "SetEnablementRequest.names": Cap(
            max_items=SET_ENABLEMENT_REQUEST_NAMES_MAX_ITEMS,
            max_item_bytes=SET_ENABLEMENT_REQUEST_NAMES_MAX_ITEM_BYTES,
            over=_REFUSE,
            item_over=_REFUSE,
            grammar=Grammar.SKILL_NAME,
        ),
        "SetEnablementResponse.changed": Cap(
            max_items=SET_ENABLEMENT_RESPONSE_CHANGED_MAX_ITEMS,
            max_item_bytes=SET_ENABLEMENT_RESPONSE_CHANGED_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_KEEP_FIRST,
            grammar=Grammar.SKILL_NAME,
        ),
        "ListEnablementRequest.session": Cap(max_bytes=LIST_ENABLEMENT_REQUEST_SESSION_MAX_BYTES, over=_REFUSE),
        "ListEnablementRequest.page_token": Cap(max_bytes=LIST_ENABLEMENT_REQUEST_PAGE_TOKEN_MAX_BYTES, over=_REFUSE),
        "EnablementWord.session": Cap(max_bytes=ENABLEMENT_WORD_SESSION_MAX_BYTES, over=_REFUSE),
        "EnablementWord.name": Cap(max_bytes=ENABLEMENT_WORD_NAME_MAX_BYTES, over=_REFUSE, grammar=Grammar.SKILL_NAME),
        "ListEnablementResponse.words": Cap(max_items=LIST_ENABLEMENT_RESPONSE_WORDS_MAX_ITEMS, over=_KEEP_FIRST),
        "ListEnablementResponse.next_page_token": Cap(
            max_bytes=LIST_ENABLEMENT_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES, over=_REFUSE
        ),
        "Claim.name": Cap(max_bytes=CLAIM_NAME_MAX_BYTES, over=_REFUSE),
        "Claim.values": Cap(
            max_items=CLAIM_VALUES_MAX_ITEMS,
            max_item_bytes=CLAIM_VALUES_MAX_ITEM_BYTES,
            over=_REFUSE,
            item_over=_REFUSE,
        ),
        "Identity.name": Cap(max_bytes=IDENTITY_NAME_MAX_BYTES, over=_REFUSE),
        "Identity.issuer": Cap(max_bytes=IDENTITY_ISSUER_MAX_BYTES, over=_REFUSE, grammar=Grammar.SKILL_NAME),
        "Identity.claims": Cap(max_items=IDENTITY_CLAIMS_MAX_ITEMS, over=_REFUSE),
        "ExplainAccessRequest.project": Cap(max_bytes=EXPLAIN_ACCESS_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE),
        "ExplainAccessRequest.page_token": Cap(max_bytes=EXPLAIN_ACCESS_REQUEST_PAGE_TOKEN_MAX_BYTES, over=_REFUSE),
        "AllowedSkills.names": Cap(
            max_items=ALLOWED_SKILLS_NAMES_MAX_ITEMS,
            max_item_bytes=ALLOWED_SKILLS_NAMES_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_KEEP_FIRST,
            grammar=Grammar.SKILL_REFERENCE,
        ),
        "AccessGrant.rule": Cap(max_bytes=ACCESS_GRANT_RULE_MAX_BYTES, over=_REFUSE, grammar=Grammar.SKILL_NAME),
        "AccessGrant.principal": Cap(max_bytes=ACCESS_GRANT_PRINCIPAL_MAX_BYTES, over=_REFUSE),
        "AccessGrant.partitions": Cap(max_items=ACCESS_GRANT_PARTITIONS_MAX_ITEMS, over=_KEEP_FIRST),
        "AccessGrant.projects": Cap(
            max_items=ACCESS_GRANT_PROJECTS_MAX_ITEMS,
            max_item_bytes=ACCESS_GRANT_PROJECTS_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_CUT,
        ),
        "ExplainedRule.name": Cap(max_bytes=EXPLAINED_RULE_NAME_MAX_BYTES, over=_REFUSE, grammar=Grammar.SKILL_NAME),
        "ExplainedRule.why": Cap(max_bytes=EXPLAINED_RULE_WHY_MAX_BYTES, over=_CUT, single_line=True),
        "ExplainAccessResponse.identity": Cap(
            max_bytes=EXPLAIN_ACCESS_RESPONSE_IDENTITY_MAX_BYTES, over=_CUT, single_line=True
        ),
        "ExplainAccessResponse.credential_refused": Cap(
            max_bytes=EXPLAIN_ACCESS_RESPONSE_CREDENTIAL_REFUSED_MAX_BYTES, over=_CUT, single_line=True
        ),
        "ExplainAccessResponse.access_refused": Cap(
            max_bytes=EXPLAIN_ACCESS_RESPONSE_ACCESS_REFUSED_MAX_BYTES, over=_CUT, single_line=True
        ),
        "ExplainAccessResponse.layers": Cap(max_items=EXPLAIN_ACCESS_RESPONSE_LAYERS_MAX_ITEMS, over=_KEEP_FIRST),
        "ExplainAccessResponse.rules": Cap(max_items=EXPLAIN_ACCESS_RESPONSE_RULES_MAX_ITEMS, over=_KEEP_FIRST),
        "ExplainAccessResponse.next_page_token": Cap(
            max_bytes=EXPLAIN_ACCESS_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES, over=_REFUSE
        ),
        "ActivationRefusal.refused": Cap(max_items=ACTIVATION_REFUSAL_REFUSED_MAX_ITEMS, over=_KEEP_FIRST),
        "Diagnostic.code": Cap(max_bytes=DIAGNOSTIC_CODE_MAX_BYTES, over=_CUT, single_line=True),
        "Diagnostic.skill": Cap(max_bytes=DIAGNOSTIC_SKILL_MAX_BYTES, over=_CUT, single_line=True),
        "Diagnostic.source": Cap(max_bytes=DIAGNOSTIC_SOURCE_MAX_BYTES, over=_CUT, single_line=True),
        "Diagnostic.message": Cap(max_bytes=DIAGNOSTIC_MESSAGE_MAX_BYTES, over=_CUT, single_line=True),
        "Readiness.missing": Cap(
            max_items=READINESS_MISSING_MAX_ITEMS,
            max_item_bytes=READINESS_MISSING_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_CUT,
            single_line=True,
        ),
        "Readiness.unverifiable": Cap(
            max_items=READINESS_UNVERIFIABLE_MAX_ITEMS,
            max_item_bytes=READINESS_UNVERIFIABLE_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_CUT,
            single_line=True,
        ),
        "Readiness.blocked_on": Cap(
            max_items=READINESS_BLOCKED_ON_MAX_ITEMS,
            max_item_bytes=READINESS_BLOCKED_ON_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_CUT,
            single_line=True,
        ),
        "Network.domains": Cap(
            max_items=NETWORK_DOMAINS_MAX_ITEMS,
            max_item_bytes=NETWORK_DOMAINS_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_CUT,
            single_line=True,
        ),
        "Network.digest": Cap(max_bytes=NETWORK_DIGEST_MAX_BYTES, over=_REFUSE, grammar=Grammar.DIGEST),
        "Skill.name": Cap(max_bytes=SKILL_NAME_MAX_BYTES, over=_REFUSE, grammar=Grammar.SKILL_NAME),
        "Skill.description": Cap(max_bytes=SKILL_DESCRIPTION_MAX_BYTES, over=_CUT, single_line=True),
        "Skill.digest": Cap(max_bytes=SKILL_DIGEST_MAX_BYTES, over=_REFUSE, grammar=Grammar.DIGEST),
        "Skill.display_name": Cap(max_bytes=SKILL_DISPLAY_NAME_MAX_BYTES, over=_CUT, single_line=True),
        "Skill.license": Cap(max_bytes=SKILL_LICENSE_MAX_BYTES, over=_CUT, single_line=True),
        "Skill.compatibility": Cap(max_bytes=SKILL_COMPATIBILITY_MAX_BYTES, over=_CUT, single_line=True),
        "Skill.metadata": Cap(
            max_items=SKILL_METADATA_MAX_ITEMS,
            max_item_bytes=SKILL_METADATA_MAX_ITEM_BYTES,
            max_key_bytes=SKILL_METADATA_MAX_KEY_BYTES,
            over=_DROP,
            item_over=_DROP,
        ),
        "Skill.allowed_tools": Cap(
            max_items=SKILL_ALLOWED_TOOLS_MAX_ITEMS,
            max_item_bytes=SKILL_ALLOWED_TOOLS_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_CUT,
            single_line=True,
        ),
        "Skill.when_to_use": Cap(max_bytes=SKILL_WHEN_TO_USE_MAX_BYTES, over=_CUT, single_line=True),
        "Skill.version": Cap(max_bytes=SKILL_VERSION_MAX_BYTES, over=_CUT, single_line=True),
        "Skill.keywords": Cap(
            max_items=SKILL_KEYWORDS_MAX_ITEMS,
            max_item_bytes=SKILL_KEYWORDS_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_CUT,
            single_line=True,
        ),
        "Skill.capabilities": Cap(
            max_items=SKILL_CAPABILITIES_MAX_ITEMS,
            max_item_bytes=SKILL_CAPABILITIES_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_CUT,
            single_line=True,
        ),
        "Skill.collection": Cap(max_bytes=SKILL_COLLECTION_MAX_BYTES, over=_CUT, single_line=True),
        "Skill.source": Cap(max_bytes=SKILL_SOURCE_MAX_BYTES, over=_CUT, single_line=True),
        "Skill.body_bytes": Cap(max_value=SKILL_BODY_BYTES_MAX_VALUE, over=_REFUSE),
        "Skill.document_digest": Cap(max_bytes=SKILL_DOCUMENT_DIGEST_MAX_BYTES, over=_REFUSE),
        "Skill.diagnostics": Cap(max_items=SKILL_DIAGNOSTICS_MAX_ITEMS, over=_KEEP_FIRST),
        "Asset.name": Cap(max_bytes=ASSET_NAME_MAX_BYTES, over=_REFUSE, grammar=Grammar.ASSET_NAME),
        "Asset.size": Cap(max_value=ASSET_SIZE_MAX_VALUE, over=_REFUSE),
        "Asset.digest": Cap(max_bytes=ASSET_DIGEST_MAX_BYTES, over=_REFUSE, grammar=Grammar.DIGEST),
        "Asset.media_type": Cap(max_bytes=ASSET_MEDIA_TYPE_MAX_BYTES, over=_CUT, single_line=True),
        "Tool.id": Cap(max_bytes=TOOL_ID_MAX_BYTES, over=_REFUSE, single_line=True),
        "Tool.target": Cap(max_bytes=TOOL_TARGET_MAX_BYTES, over=_REFUSE, single_line=True),
        "Tool.server": Cap(max_bytes=TOOL_SERVER_MAX_BYTES, over=_REFUSE, single_line=True),
        "Tool.asset": Cap(max_bytes=TOOL_ASSET_MAX_BYTES, over=_REFUSE),
        "Tool.digest": Cap(max_bytes=TOOL_DIGEST_MAX_BYTES, over=_REFUSE),
        "Tool.reason": Cap(max_bytes=TOOL_REASON_MAX_BYTES, over=_CUT, single_line=True),
        "Tool.description": Cap(max_bytes=TOOL_DESCRIPTION_MAX_BYTES, over=_CUT, single_line=True),
        "Tool.input_schema": Cap(max_bytes=TOOL_INPUT_SCHEMA_MAX_BYTES, over=_REFUSE),
        "Consistency.at_least": Cap(max_bytes=CONSISTENCY_AT_LEAST_MAX_BYTES, over=_REFUSE),
        "Consistency.at_exactly": Cap(max_bytes=CONSISTENCY_AT_EXACTLY_MAX_BYTES, over=_REFUSE),
        "AllowList.names": Cap(
            max_items=ALLOW_LIST_NAMES_MAX_ITEMS,
            max_item_bytes=ALLOW_LIST_NAMES_MAX_ITEM_BYTES,
            over=_REFUSE,
            item_over=_REFUSE,
            grammar=Grammar.SKILL_NAME,
        ),
        "UnreachableSource.source": Cap(max_bytes=UNREACHABLE_SOURCE_SOURCE_MAX_BYTES, over=_CUT, single_line=True),
        "Generation.token": Cap(max_bytes=GENERATION_TOKEN_MAX_BYTES, over=_REFUSE),
        "Generation.digest": Cap(max_bytes=GENERATION_DIGEST_MAX_BYTES, over=_REFUSE, grammar=Grammar.DIGEST),
        "Generation.unreachable_sources": Cap(max_items=GENERATION_UNREACHABLE_SOURCES_MAX_ITEMS, over=_KEEP_FIRST),
        "GetServerInfoResponse.version": Cap(
            max_bytes=GET_SERVER_INFO_RESPONSE_VERSION_MAX_BYTES, over=_CUT, single_line=True
        ),
        "GetServerInfoResponse.features": Cap(
            max_items=GET_SERVER_INFO_RESPONSE_FEATURES_MAX_ITEMS,
            max_item_bytes=GET_SERVER_INFO_RESPONSE_FEATURES_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_KEEP_FIRST,
            single_line=True,
        ),
        "ListSkillsRequest.project": Cap(max_bytes=LIST_SKILLS_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE),
        "ListSkillsRequest.session": Cap(max_bytes=LIST_SKILLS_REQUEST_SESSION_MAX_BYTES, over=_REFUSE),
        "ListSkillsRequest.builtin_tools": Cap(
            max_items=LIST_SKILLS_REQUEST_BUILTIN_TOOLS_MAX_ITEMS,
            max_item_bytes=LIST_SKILLS_REQUEST_BUILTIN_TOOLS_MAX_ITEM_BYTES,
            over=_REFUSE,
            item_over=_REFUSE,
        ),
        "ListSkillsRequest.page_token": Cap(max_bytes=LIST_SKILLS_REQUEST_PAGE_TOKEN_MAX_BYTES, over=_REFUSE),
        "ListSkillsRequest.if_none_match": Cap(
            max_bytes=LIST_SKILLS_REQUEST_IF_NONE_MATCH_MAX_BYTES, over=_REFUSE, grammar=Grammar.DIGEST
        ),
        "ListSkillsRequest.collection": Cap(max_bytes=LIST_SKILLS_REQUEST_COLLECTION_MAX_BYTES, over=_REFUSE),
        "Collection.id": Cap(max_bytes=COLLECTION_ID_MAX_BYTES, over=_REFUSE, single_line=True),
        "Collection.line": Cap(max_bytes=COLLECTION_LINE_MAX_BYTES, over=_CUT, single_line=True),
        "ListSkillsResponse.skills": Cap(max_items=LIST_SKILLS_RESPONSE_SKILLS_MAX_ITEMS, over=_KEEP_FIRST),
        "ListSkillsResponse.next_page_token": Cap(
            max_bytes=LIST_SKILLS_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES, over=_REFUSE
        ),
        "ListSkillsResponse.collections": Cap(max_items=LIST_SKILLS_RESPONSE_COLLECTIONS_MAX_ITEMS, over=_KEEP_FIRST),
        "SkillBodyRequest.project": Cap(max_bytes=SKILL_BODY_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE),
        "SkillBodyRequest.session": Cap(max_bytes=SKILL_BODY_REQUEST_SESSION_MAX_BYTES, over=_REFUSE),
        "SkillBodyRequest.name": Cap(
            max_bytes=SKILL_BODY_REQUEST_NAME_MAX_BYTES, over=_REFUSE, grammar=Grammar.SKILL_REFERENCE
        ),
        "SkillBodyRequest.if_none_match": Cap(
            max_bytes=SKILL_BODY_REQUEST_IF_NONE_MATCH_MAX_BYTES, over=_REFUSE, grammar=Grammar.DIGEST
        ),
        "SkillBodyResponse.body": Cap(max_bytes=SKILL_BODY_RESPONSE_BODY_MAX_BYTES, over=_REFUSE),
        "SkillBodyResponse.digest": Cap(
            max_bytes=SKILL_BODY_RESPONSE_DIGEST_MAX_BYTES, over=_REFUSE, grammar=Grammar.DIGEST
        ),
        "SkillBodyResponse.total_bytes": Cap(max_value=SKILL_BODY_RESPONSE_TOTAL_BYTES_MAX_VALUE, over=_REFUSE),
        "ListAssetsRequest.project": Cap(max_bytes=LIST_ASSETS_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE),
        "ListAssetsRequest.session": Cap(max_bytes=LIST_ASSETS_REQUEST_SESSION_MAX_BYTES, over=_REFUSE),
        "ListAssetsRequest.name": Cap(
            max_bytes=LIST_ASSETS_REQUEST_NAME_MAX_BYTES, over=_REFUSE, grammar=Grammar.SKILL_REFERENCE
        ),
        "ListAssetsResponse.assets": Cap(
            max_items=LIST_ASSETS_RESPONSE_ASSETS_MAX_ITEMS,
            max_total_bytes=LIST_ASSETS_RESPONSE_ASSETS_MAX_TOTAL_BYTES,
            over=_REFUSE,
        ),
        "ReadAssetRequest.project": Cap(max_bytes=READ_ASSET_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE),
        "ReadAssetRequest.session": Cap(max_bytes=READ_ASSET_REQUEST_SESSION_MAX_BYTES, over=_REFUSE),
        "ReadAssetRequest.skill": Cap(
            max_bytes=READ_ASSET_REQUEST_SKILL_MAX_BYTES, over=_REFUSE, grammar=Grammar.SKILL_REFERENCE
        ),
        "ReadAssetRequest.asset": Cap(
            max_bytes=READ_ASSET_REQUEST_ASSET_MAX_BYTES, over=_REFUSE, grammar=Grammar.ASSET_NAME
        ),
        "ReadAssetRequest.if_none_match": Cap(
            max_bytes=READ_ASSET_REQUEST_IF_NONE_MATCH_MAX_BYTES, over=_REFUSE, grammar=Grammar.DIGEST
        ),
        "ReadAssetResponse.data": Cap(max_bytes=READ_ASSET_RESPONSE_DATA_MAX_BYTES, over=_REFUSE),
        "ReadAssetResponse.total_bytes": Cap(max_value=READ_ASSET_RESPONSE_TOTAL_BYTES_MAX_VALUE, over=_REFUSE),
        "ReadAssetResponse.digest": Cap(
            max_bytes=READ_ASSET_RESPONSE_DIGEST_MAX_BYTES, over=_REFUSE, grammar=Grammar.DIGEST
        ),
        "ReadAssetResponse.media_type": Cap(
            max_bytes=READ_ASSET_RESPONSE_MEDIA_TYPE_MAX_BYTES, over=_CUT, single_line=True
        ),
        "ActivateRequest.project": Cap(max_bytes=ACTIVATE_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE),
        "ActivateRequest.session": Cap(max_bytes=ACTIVATE_REQUEST_SESSION_MAX_BYTES, over=_REFUSE),
        "ActivateRequest.builtin_tools": Cap(
            max_items=ACTIVATE_REQUEST_BUILTIN_TOOLS_MAX_ITEMS,
            max_item_bytes=ACTIVATE_REQUEST_BUILTIN_TOOLS_MAX_ITEM_BYTES,
            over=_REFUSE,
            item_over=_REFUSE,
        ),
        "ActivateRequest.name": Cap(
            max_bytes=ACTIVATE_REQUEST_NAME_MAX_BYTES, over=_REFUSE, grammar=Grammar.SKILL_REFERENCE
        ),
        "ActivateRequest.task": Cap(max_bytes=ACTIVATE_REQUEST_TASK_MAX_BYTES, over=_REFUSE),
        "ActivateRequest.arguments": Cap(
            max_items=ACTIVATE_REQUEST_ARGUMENTS_MAX_ITEMS,
            max_item_bytes=ACTIVATE_REQUEST_ARGUMENTS_MAX_ITEM_BYTES,
            max_key_bytes=ACTIVATE_REQUEST_ARGUMENTS_MAX_KEY_BYTES,
            over=_REFUSE,
            item_over=_REFUSE,
        ),
        "ActivateRequest.request_id": Cap(max_bytes=ACTIVATE_REQUEST_REQUEST_ID_MAX_BYTES, over=_REFUSE),
        "ActivateResponse.activation_id": Cap(max_bytes=ACTIVATE_RESPONSE_ACTIVATION_ID_MAX_BYTES, over=_REFUSE),
        "ActivateResponse.name": Cap(
            max_bytes=ACTIVATE_RESPONSE_NAME_MAX_BYTES, over=_REFUSE, grammar=Grammar.SKILL_NAME
        ),
        "ActivateResponse.text": Cap(max_bytes=ACTIVATE_RESPONSE_TEXT_MAX_BYTES, over=_REFUSE),
        "ActivateResponse.body_digest": Cap(
            max_bytes=ACTIVATE_RESPONSE_BODY_DIGEST_MAX_BYTES, over=_REFUSE, grammar=Grammar.DIGEST
        ),
        "ActivateResponse.assets": Cap(
            max_items=ACTIVATE_RESPONSE_ASSETS_MAX_ITEMS,
            max_total_bytes=ACTIVATE_RESPONSE_ASSETS_MAX_TOTAL_BYTES,
            over=_REFUSE,
        ),
        "ActivateResponse.tools": Cap(max_items=ACTIVATE_RESPONSE_TOOLS_MAX_ITEMS, over=_REFUSE),
        "ActivateResponse.notes": Cap(
            max_items=ACTIVATE_RESPONSE_NOTES_MAX_ITEMS,
            max_item_bytes=ACTIVATE_RESPONSE_NOTES_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_CUT,
            single_line=True,
        ),
        "SearchSkillsRequest.project": Cap(max_bytes=SEARCH_SKILLS_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE),
        "SearchSkillsRequest.session": Cap(max_bytes=SEARCH_SKILLS_REQUEST_SESSION_MAX_BYTES, over=_REFUSE),
        "SearchSkillsRequest.builtin_tools": Cap(
            max_items=SEARCH_SKILLS_REQUEST_BUILTIN_TOOLS_MAX_ITEMS,
            max_item_bytes=SEARCH_SKILLS_REQUEST_BUILTIN_TOOLS_MAX_ITEM_BYTES,
            over=_REFUSE,
            item_over=_REFUSE,
        ),
        "SearchSkillsRequest.query": Cap(max_bytes=SEARCH_SKILLS_REQUEST_QUERY_MAX_BYTES, over=_REFUSE),
        "SearchSkillsRequest.task": Cap(max_bytes=SEARCH_SKILLS_REQUEST_TASK_MAX_BYTES, over=_REFUSE),
        "SearchHit.matched": Cap(
            max_items=SEARCH_HIT_MATCHED_MAX_ITEMS,
            max_item_bytes=SEARCH_HIT_MATCHED_MAX_ITEM_BYTES,
            over=_KEEP_FIRST,
            item_over=_CUT,
            single_line=True,
        ),
        "SearchHit.snippet": Cap(max_bytes=SEARCH_HIT_SNIPPET_MAX_BYTES, over=_CUT, single_line=True),
        "SearchHit.body": Cap(max_bytes=SEARCH_HIT_BODY_MAX_BYTES, over=_REFUSE),
        "SearchSkillsResponse.hits": Cap(max_items=SEARCH_SKILLS_RESPONSE_HITS_MAX_ITEMS, over=_KEEP_FIRST),
        "SearchSkillsResponse.engine": Cap(
            max_bytes=SEARCH_SKILLS_RESPONSE_ENGINE_MAX_BYTES, over=_CUT, single_line=True
        ),
        "RenderCatalogRequest.project": Cap(max_bytes=RENDER_CATALOG_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE),
        "RenderCatalogRequest.session": Cap(max_bytes=RENDER_CATALOG_REQUEST_SESSION_MAX_BYTES, over=_REFUSE),
        "RenderCatalogRequest.builtin_tools": Cap(
            max_items=RENDER_CATALOG_REQUEST_BUILTIN_TOOLS_MAX_ITEMS,
            max_item_bytes=RENDER_CATALOG_REQUEST_BUILTIN_TOOLS_MAX_ITEM_BYTES,
            over=_REFUSE,
            item_over=_REFUSE,
        ),
        "RenderCatalogRequest.query": Cap(max_bytes=RENDER_CATALOG_REQUEST_QUERY_MAX_BYTES, over=_REFUSE),
        "RenderCatalogRequest.task": Cap(max_bytes=RENDER_CATALOG_REQUEST_TASK_MAX_BYTES, over=_REFUSE),
        "RenderCatalogRequest.if_none_match": Cap(
            max_bytes=RENDER_CATALOG_REQUEST_IF_NONE_MATCH_MAX_BYTES, over=_REFUSE, grammar=Grammar.DIGEST
        ),
        "OmittedSkill.name": Cap(max_bytes=OMITTED_SKILL_NAME_MAX_BYTES, over=_REFUSE, grammar=Grammar.SKILL_NAME),
        "OmittedSkill.reason": Cap(max_bytes=OMITTED_SKILL_REASON_MAX_BYTES, over=_CUT, single_line=True),
        "RenderCatalogResponse.text": Cap(max_bytes=RENDER_CATALOG_RESPONSE_TEXT_MAX_BYTES, over=_REFUSE),
        "RenderCatalogResponse.digest": Cap(max_bytes=RENDER_CATALOG_RESPONSE_DIGEST_MAX_BYTES, over=_REFUSE),
        "RenderCatalogResponse.entries_digest": Cap(
            max_bytes=RENDER_CATALOG_RESPONSE_ENTRIES_DIGEST_MAX_BYTES, over=_REFUSE
        ),
        "RenderCatalogResponse.omitted": Cap(max_items=RENDER_CATALOG_RESPONSE_OMITTED_MAX_ITEMS, over=_KEEP_FIRST),
        "WatchCatalogRequest.project": Cap(max_bytes=WATCH_CATALOG_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE),
        "WatchCatalogRequest.session": Cap(max_bytes=WATCH_CATALOG_REQUEST_SESSION_MAX_BYTES, over=_REFUSE),
        "WatchCatalogRequest.since": Cap(max_bytes=WATCH_CATALOG_REQUEST_SINCE_MAX_BYTES, over=_REFUSE),
        "WatchCatalogResponse.added": Cap(max_items=WATCH_CATALOG_RESPONSE_ADDED_MAX_ITEMS, over=_REFUSE),
        "WatchCatalogResponse.modified": Cap(max_items=WATCH_CATALOG_RESPONSE_MODIFIED_MAX_ITEMS, over=_REFUSE),
        "WatchCatalogResponse.removed": Cap(
            max_items=WATCH_CATALOG_RESPONSE_REMOVED_MAX_ITEMS,
            max_item_bytes=WATCH_CATALOG_RESPONSE_REMOVED_MAX_ITEM_BYTES,
            over=_REFUSE,
            item_over=_REFUSE,
            grammar=Grammar.SKILL_NAME,
        ),
        "ReportOutcomeRequest.project": Cap(max_bytes=REPORT_OUTCOME_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE),
        "ReportOutcomeRequest.session": Cap(max_bytes=REPORT_OUTCOME_REQUEST_SESSION_MAX_BYTES, over=_REFUSE),
        "ReportOutcomeRequest.activation_id": Cap(
            max_bytes=REPORT_OUTCOME_REQUEST_ACTIVATION_ID_MAX_BYTES, over=_REFUSE
        ),
        "ReportOutcomeRequest.skill": Cap(
            max_bytes=REPORT_OUTCOME_REQUEST_SKILL_MAX_BYTES, over=_REFUSE, grammar=Grammar.SKILL_REFERENCE
        ),
        "ReportOutcomeRequest.task": Cap(max_bytes=REPORT_OUTCOME_REQUEST_TASK_MAX_BYTES, over=_REFUSE),
        "ReportOutcomeRequest.request_id": Cap(max_bytes=REPORT_OUTCOME_REQUEST_REQUEST_ID_MAX_BYTES, over=_REFUSE),
        "BestMatchRequest.project": Cap(max_bytes=BEST_MATCH_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE),
        "BestMatchRequest.session": Cap(max_bytes=BEST_MATCH_REQUEST_SESSION_MAX_BYTES, over=_REFUSE),
        "BestMatchRequest.task": Cap(max_bytes=BEST_MATCH_REQUEST_TASK_MAX_BYTES, over=_REFUSE),
        "BestMatchResponse.skill": Cap(max_bytes=BEST_MATCH_RESPONSE_SKILL_MAX_BYTES, over=_REFUSE),
        "BestMatchResponse.task_pattern": Cap(
            max_bytes=BEST_MATCH_RESPONSE_TASK_PATTERN_MAX_BYTES, over=_CUT, single_line=True
        ),
        "OfferedTool.name": Cap(max_bytes=OFFERED_TOOL_NAME_MAX_BYTES, over=_REFUSE),
        "OfferedTool.description": Cap(max_bytes=OFFERED_TOOL_DESCRIPTION_MAX_BYTES, over=_REFUSE),
        "SearchCapabilitiesRequest.project": Cap(max_bytes=SEARCH_CAPABILITIES_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE),
        "SearchCapabilitiesRequest.session": Cap(max_bytes=SEARCH_CAPABILITIES_REQUEST_SESSION_MAX_BYTES, over=_REFUSE),
        "SearchCapabilitiesRequest.query": Cap(max_bytes=SEARCH_CAPABILITIES_REQUEST_QUERY_MAX_BYTES, over=_REFUSE),
        "SearchCapabilitiesRequest.tools": Cap(max_items=SEARCH_CAPABILITIES_REQUEST_TOOLS_MAX_ITEMS, over=_REFUSE),
        "Capability.name": Cap(max_bytes=CAPABILITY_NAME_MAX_BYTES, over=_REFUSE, single_line=True),
        "Capability.description": Cap(max_bytes=CAPABILITY_DESCRIPTION_MAX_BYTES, over=_CUT, single_line=True),
        "SearchCapabilitiesResponse.results": Cap(
            max_items=SEARCH_CAPABILITIES_RESPONSE_RESULTS_MAX_ITEMS, over=_KEEP_FIRST
        ),
    }
)


def clamp_partition(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one Partition."""
    draft = _Draft("Partition", values, lowered)
    draft.text("principal", max_bytes=PARTITION_PRINCIPAL_MAX_BYTES, over=_REFUSE)
    draft.text("project", max_bytes=PARTITION_PROJECT_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_layer_generation(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one LayerGeneration."""
    draft = _Draft("LayerGeneration", values, lowered)
    draft.text("digest", max_bytes=LAYER_GENERATION_DIGEST_MAX_BYTES, over=_REFUSE, fits=fits_digest)
    return draft.result()


def clamp_generation_name(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one GenerationName."""
    draft = _Draft("GenerationName", values, lowered)
    draft.text("digest", max_bytes=GENERATION_NAME_DIGEST_MAX_BYTES, over=_REFUSE, fits=fits_digest)
    return draft.result()


def clamp_source_report(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one SourceReport."""
    draft = _Draft("SourceReport", values, lowered)
    draft.text("name", max_bytes=SOURCE_REPORT_NAME_MAX_BYTES, over=_CUT, single_line=True)
    draft.text("kind", max_bytes=SOURCE_REPORT_KIND_MAX_BYTES, over=_CUT, single_line=True)
    draft.text("last_error", max_bytes=SOURCE_REPORT_LAST_ERROR_MAX_BYTES, over=_CUT, single_line=True)
    draft.text("revision", max_bytes=SOURCE_REPORT_REVISION_MAX_BYTES, over=_CUT, single_line=True)
    return draft.result()


def clamp_list_sources_request(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one ListSourcesRequest."""
    draft = _Draft("ListSourcesRequest", values, lowered)
    draft.nested("partition", clamp_partition)
    draft.text("page_token", max_bytes=LIST_SOURCES_REQUEST_PAGE_TOKEN_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_list_sources_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one ListSourcesResponse."""
    draft = _Draft("ListSourcesResponse", values, lowered)
    draft.nested_list(
        "sources", clamp_source_report, max_items=LIST_SOURCES_RESPONSE_SOURCES_MAX_ITEMS, over=_KEEP_FIRST
    )
    draft.text("next_page_token", max_bytes=LIST_SOURCES_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_refresh_request(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one RefreshRequest."""
    draft = _Draft("RefreshRequest", values, lowered)
    draft.nested("partition", clamp_partition)
    draft.texts(
        "sources",
        max_items=REFRESH_REQUEST_SOURCES_MAX_ITEMS,
        max_item_bytes=REFRESH_REQUEST_SOURCES_MAX_ITEM_BYTES,
        over=_REFUSE,
        item_over=_REFUSE,
        fits=fits_skill_name,
    )
    draft.texts(
        "paths",
        max_items=REFRESH_REQUEST_PATHS_MAX_ITEMS,
        max_item_bytes=REFRESH_REQUEST_PATHS_MAX_ITEM_BYTES,
        over=_REFUSE,
        item_over=_REFUSE,
        fits=fits_asset_name,
    )
    return draft.result()


def clamp_refresh_response(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one RefreshResponse."""
    draft = _Draft("RefreshResponse", values, lowered)
    draft.nested("before", clamp_layer_generation)
    draft.nested("after", clamp_layer_generation)
    draft.nested_list("sources", clamp_source_report, max_items=REFRESH_RESPONSE_SOURCES_MAX_ITEMS, over=_KEEP_FIRST)
    draft.texts(
        "added",
        max_items=REFRESH_RESPONSE_ADDED_MAX_ITEMS,
        max_item_bytes=REFRESH_RESPONSE_ADDED_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_KEEP_FIRST,
        fits=fits_skill_name,
    )
    draft.texts(
        "modified",
        max_items=REFRESH_RESPONSE_MODIFIED_MAX_ITEMS,
        max_item_bytes=REFRESH_RESPONSE_MODIFIED_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_KEEP_FIRST,
        fits=fits_skill_name,
    )
    draft.texts(
        "removed",
        max_items=REFRESH_RESPONSE_REMOVED_MAX_ITEMS,
        max_item_bytes=REFRESH_RESPONSE_REMOVED_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_KEEP_FIRST,
        fits=fits_skill_name,
    )
    return draft.result()


def clamp_list_diagnostics_request(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one ListDiagnosticsRequest."""
    draft = _Draft("ListDiagnosticsRequest", values, lowered)
    draft.nested("partition", clamp_partition)
    draft.text("source", max_bytes=LIST_DIAGNOSTICS_REQUEST_SOURCE_MAX_BYTES, over=_REFUSE, fits=fits_skill_name)
    draft.text("skill", max_bytes=LIST_DIAGNOSTICS_REQUEST_SKILL_MAX_BYTES, over=_REFUSE)
    draft.text("page_token", max_bytes=LIST_DIAGNOSTICS_REQUEST_PAGE_TOKEN_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_list_diagnostics_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one ListDiagnosticsResponse."""
    draft = _Draft("ListDiagnosticsResponse", values, lowered)
    draft.nested_list(
        "diagnostics", clamp_diagnostic, max_items=LIST_DIAGNOSTICS_RESPONSE_DIAGNOSTICS_MAX_ITEMS, over=_KEEP_FIRST
    )
    draft.text("next_page_token", max_bytes=LIST_DIAGNOSTICS_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_list_partitions_request(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one ListPartitionsRequest."""
    draft = _Draft("ListPartitionsRequest", values, lowered)
    draft.text("page_token", max_bytes=LIST_PARTITIONS_REQUEST_PAGE_TOKEN_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_partition_report(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one PartitionReport."""
    draft = _Draft("PartitionReport", values, lowered)
    draft.nested("partition", clamp_partition)
    draft.nested("present", clamp_layer_generation)
    return draft.result()


def clamp_list_partitions_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one ListPartitionsResponse."""
    draft = _Draft("ListPartitionsResponse", values, lowered)
    draft.nested_list(
        "partitions", clamp_partition_report, max_items=LIST_PARTITIONS_RESPONSE_PARTITIONS_MAX_ITEMS, over=_KEEP_FIRST
    )
    draft.text("next_page_token", max_bytes=LIST_PARTITIONS_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_get_generation_request(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one GetGenerationRequest."""
    draft = _Draft("GetGenerationRequest", values, lowered)
    draft.nested("partition", clamp_partition)
    draft.nested("generation", clamp_generation_name)
    draft.text("page_token", max_bytes=GET_GENERATION_REQUEST_PAGE_TOKEN_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_generation_row(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one GenerationRow."""
    draft = _Draft("GenerationRow", values, lowered)
    draft.text("name", max_bytes=GENERATION_ROW_NAME_MAX_BYTES, over=_REFUSE, fits=fits_skill_name)
    draft.text("source", max_bytes=GENERATION_ROW_SOURCE_MAX_BYTES, over=_CUT, single_line=True)
    draft.text("digest", max_bytes=GENERATION_ROW_DIGEST_MAX_BYTES, over=_REFUSE, fits=fits_digest)
    draft.text("collection", max_bytes=GENERATION_ROW_COLLECTION_MAX_BYTES, over=_CUT, single_line=True)
    return draft.result()


def clamp_get_generation_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one GetGenerationResponse."""
    draft = _Draft("GetGenerationResponse", values, lowered)
    draft.nested("generation", clamp_layer_generation)
    draft.nested_list("rows", clamp_generation_row, max_items=GET_GENERATION_RESPONSE_ROWS_MAX_ITEMS, over=_KEEP_FIRST)
    draft.text("next_page_token", max_bytes=GET_GENERATION_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES, over=_REFUSE)
    draft.nested_list(
        "retained", clamp_layer_generation, max_items=GET_GENERATION_RESPONSE_RETAINED_MAX_ITEMS, over=_KEEP_FIRST
    )
    draft.texts(
        "revoked",
        max_items=GET_GENERATION_RESPONSE_REVOKED_MAX_ITEMS,
        max_item_bytes=GET_GENERATION_RESPONSE_REVOKED_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_KEEP_FIRST,
        fits=fits_skill_name,
    )
    return draft.result()


def clamp_diff_generations_request(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one DiffGenerationsRequest."""
    draft = _Draft("DiffGenerationsRequest", values, lowered)
    draft.nested("partition", clamp_partition)
    draft.nested("before", clamp_generation_name)
    draft.nested("after", clamp_generation_name)
    draft.text("page_token", max_bytes=DIFF_GENERATIONS_REQUEST_PAGE_TOKEN_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_modified_skill(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one ModifiedSkill."""
    draft = _Draft("ModifiedSkill", values, lowered)
    draft.text("name", max_bytes=MODIFIED_SKILL_NAME_MAX_BYTES, over=_REFUSE, fits=fits_skill_name)
    draft.text("source_before", max_bytes=MODIFIED_SKILL_SOURCE_BEFORE_MAX_BYTES, over=_CUT, single_line=True)
    draft.text("source_after", max_bytes=MODIFIED_SKILL_SOURCE_AFTER_MAX_BYTES, over=_CUT, single_line=True)
    return draft.result()


def clamp_diff_generations_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one DiffGenerationsResponse."""
    draft = _Draft("DiffGenerationsResponse", values, lowered)
    draft.nested("before", clamp_layer_generation)
    draft.nested("after", clamp_layer_generation)
    draft.texts(
        "added",
        max_items=DIFF_GENERATIONS_RESPONSE_ADDED_MAX_ITEMS,
        max_item_bytes=DIFF_GENERATIONS_RESPONSE_ADDED_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_KEEP_FIRST,
        fits=fits_skill_name,
    )
    draft.nested_list(
        "modified", clamp_modified_skill, max_items=DIFF_GENERATIONS_RESPONSE_MODIFIED_MAX_ITEMS, over=_KEEP_FIRST
    )
    draft.texts(
        "removed",
        max_items=DIFF_GENERATIONS_RESPONSE_REMOVED_MAX_ITEMS,
        max_item_bytes=DIFF_GENERATIONS_RESPONSE_REMOVED_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_KEEP_FIRST,
        fits=fits_skill_name,
    )
    draft.text("next_page_token", max_bytes=DIFF_GENERATIONS_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_learned_skill(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one LearnedSkill."""
    draft = _Draft("LearnedSkill", values, lowered)
    draft.text("name", max_bytes=LEARNED_SKILL_NAME_MAX_BYTES, over=_REFUSE, fits=fits_skill_name)
    draft.text("description", max_bytes=LEARNED_SKILL_DESCRIPTION_MAX_BYTES, over=_REFUSE)
    draft.text("body", max_bytes=LEARNED_SKILL_BODY_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_partition_content(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one PartitionContent."""
    draft = _Draft("PartitionContent", values, lowered)
    draft.nested("partition", clamp_partition)
    draft.nested_list("skills", clamp_learned_skill, max_items=PARTITION_CONTENT_SKILLS_MAX_ITEMS, over=_REFUSE)
    return draft.result()


def clamp_refresh_partitions_request(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one RefreshPartitionsRequest."""
    draft = _Draft("RefreshPartitionsRequest", values, lowered)
    draft.nested_list(
        "partitions", clamp_partition_content, max_items=REFRESH_PARTITIONS_REQUEST_PARTITIONS_MAX_ITEMS, over=_REFUSE
    )
    return draft.result()


def clamp_partition_outcome(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one PartitionOutcome."""
    draft = _Draft("PartitionOutcome", values, lowered)
    draft.nested("partition", clamp_partition)
    draft.nested("generation", clamp_layer_generation)
    draft.texts(
        "conflicts",
        max_items=PARTITION_OUTCOME_CONFLICTS_MAX_ITEMS,
        max_item_bytes=PARTITION_OUTCOME_CONFLICTS_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_KEEP_FIRST,
        fits=fits_skill_name,
    )
    draft.texts(
        "revoked",
        max_items=PARTITION_OUTCOME_REVOKED_MAX_ITEMS,
        max_item_bytes=PARTITION_OUTCOME_REVOKED_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_KEEP_FIRST,
        fits=fits_skill_name,
    )
    return draft.result()


def clamp_refresh_partitions_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one RefreshPartitionsResponse."""
    draft = _Draft("RefreshPartitionsResponse", values, lowered)
    draft.nested_list(
        "partitions",
        clamp_partition_outcome,
        max_items=REFRESH_PARTITIONS_RESPONSE_PARTITIONS_MAX_ITEMS,
        over=_KEEP_FIRST,
    )
    return draft.result()


def clamp_partition_emptied(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one PartitionEmptied."""
    draft = _Draft("PartitionEmptied", values, lowered)
    draft.nested("partition", clamp_partition)
    return draft.result()


def clamp_clear_partitions_request(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one ClearPartitionsRequest."""
    draft = _Draft("ClearPartitionsRequest", values, lowered)
    draft.nested_list(
        "partitions", clamp_partition_emptied, max_items=CLEAR_PARTITIONS_REQUEST_PARTITIONS_MAX_ITEMS, over=_REFUSE
    )
    return draft.result()


def clamp_clear_partitions_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one ClearPartitionsResponse."""
    draft = _Draft("ClearPartitionsResponse", values, lowered)
    draft.nested_list(
        "partitions",
        clamp_partition_outcome,
        max_items=CLEAR_PARTITIONS_RESPONSE_PARTITIONS_MAX_ITEMS,
        over=_KEEP_FIRST,
    )
    return draft.result()


def clamp_revoke_skill_request(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one RevokeSkillRequest."""
    draft = _Draft("RevokeSkillRequest", values, lowered)
    draft.nested("partition", clamp_partition)
    draft.text("name", max_bytes=REVOKE_SKILL_REQUEST_NAME_MAX_BYTES, over=_REFUSE, fits=fits_skill_name)
    return draft.result()


def clamp_revoke_skill_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one RevokeSkillResponse."""
    draft = _Draft("RevokeSkillResponse", values, lowered)
    draft.nested("before", clamp_layer_generation)
    draft.nested("after", clamp_layer_generation)
    return draft.result()


def clamp_lift_revoke_request(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one LiftRevokeRequest."""
    draft = _Draft("LiftRevokeRequest", values, lowered)
    draft.nested("partition", clamp_partition)
    draft.text("name", max_bytes=LIFT_REVOKE_REQUEST_NAME_MAX_BYTES, over=_REFUSE, fits=fits_skill_name)
    return draft.result()


def clamp_lift_revoke_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one LiftRevokeResponse."""
    draft = _Draft("LiftRevokeResponse", values, lowered)
    draft.nested("generation", clamp_layer_generation)
    return draft.result()


def clamp_set_enablement_request(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one SetEnablementRequest."""
    draft = _Draft("SetEnablementRequest", values, lowered)
    draft.nested("partition", clamp_partition)
    draft.text("session", max_bytes=SET_ENABLEMENT_REQUEST_SESSION_MAX_BYTES, over=_REFUSE)
    draft.texts(
        "names",
        max_items=SET_ENABLEMENT_REQUEST_NAMES_MAX_ITEMS,
        max_item_bytes=SET_ENABLEMENT_REQUEST_NAMES_MAX_ITEM_BYTES,
        over=_REFUSE,
        item_over=_REFUSE,
        fits=fits_skill_name,
    )
    return draft.result()


def clamp_set_enablement_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one SetEnablementResponse."""
    draft = _Draft("SetEnablementResponse", values, lowered)
    draft.texts(
        "changed",
        max_items=SET_ENABLEMENT_RESPONSE_CHANGED_MAX_ITEMS,
        max_item_bytes=SET_ENABLEMENT_RESPONSE_CHANGED_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_KEEP_FIRST,
        fits=fits_skill_name,
    )
    return draft.result()


def clamp_list_enablement_request(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one ListEnablementRequest."""
    draft = _Draft("ListEnablementRequest", values, lowered)
    draft.nested("partition", clamp_partition)
    draft.text("session", max_bytes=LIST_ENABLEMENT_REQUEST_SESSION_MAX_BYTES, over=_REFUSE)
    draft.text("page_token", max_bytes=LIST_ENABLEMENT_REQUEST_PAGE_TOKEN_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_enablement_word(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one EnablementWord."""
    draft = _Draft("EnablementWord", values, lowered)
    draft.nested("partition", clamp_partition)
    draft.text("session", max_bytes=ENABLEMENT_WORD_SESSION_MAX_BYTES, over=_REFUSE)
    draft.text("name", max_bytes=ENABLEMENT_WORD_NAME_MAX_BYTES, over=_REFUSE, fits=fits_skill_name)
    return draft.result()


def clamp_list_enablement_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one ListEnablementResponse."""
    draft = _Draft("ListEnablementResponse", values, lowered)
    draft.nested_list(
        "words", clamp_enablement_word, max_items=LIST_ENABLEMENT_RESPONSE_WORDS_MAX_ITEMS, over=_KEEP_FIRST
    )
    draft.text("next_page_token", max_bytes=LIST_ENABLEMENT_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_claim(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one Claim."""
    draft = _Draft("Claim", values, lowered)
    draft.text("name", max_bytes=CLAIM_NAME_MAX_BYTES, over=_REFUSE)
    draft.texts(
        "values",
        max_items=CLAIM_VALUES_MAX_ITEMS,
        max_item_bytes=CLAIM_VALUES_MAX_ITEM_BYTES,
        over=_REFUSE,
        item_over=_REFUSE,
    )
    return draft.result()


def clamp_identity(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one Identity."""
    draft = _Draft("Identity", values, lowered)
    draft.text("name", max_bytes=IDENTITY_NAME_MAX_BYTES, over=_REFUSE)
    draft.text("issuer", max_bytes=IDENTITY_ISSUER_MAX_BYTES, over=_REFUSE, fits=fits_skill_name)
    draft.nested_list("claims", clamp_claim, max_items=IDENTITY_CLAIMS_MAX_ITEMS, over=_REFUSE)
    return draft.result()


def clamp_explain_access_request(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one ExplainAccessRequest."""
    draft = _Draft("ExplainAccessRequest", values, lowered)
    draft.nested("identity", clamp_identity)
    draft.text("project", max_bytes=EXPLAIN_ACCESS_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE)
    draft.text("page_token", max_bytes=EXPLAIN_ACCESS_REQUEST_PAGE_TOKEN_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_allowed_skills(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one AllowedSkills."""
    draft = _Draft("AllowedSkills", values, lowered)
    draft.texts(
        "names",
        max_items=ALLOWED_SKILLS_NAMES_MAX_ITEMS,
        max_item_bytes=ALLOWED_SKILLS_NAMES_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_KEEP_FIRST,
        fits=fits_skill_reference,
    )
    return draft.result()


def clamp_access_grant(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one AccessGrant."""
    draft = _Draft("AccessGrant", values, lowered)
    draft.text("rule", max_bytes=ACCESS_GRANT_RULE_MAX_BYTES, over=_REFUSE, fits=fits_skill_name)
    draft.text("principal", max_bytes=ACCESS_GRANT_PRINCIPAL_MAX_BYTES, over=_REFUSE)
    draft.nested_list("partitions", clamp_partition, max_items=ACCESS_GRANT_PARTITIONS_MAX_ITEMS, over=_KEEP_FIRST)
    draft.texts(
        "projects",
        max_items=ACCESS_GRANT_PROJECTS_MAX_ITEMS,
        max_item_bytes=ACCESS_GRANT_PROJECTS_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_CUT,
    )
    draft.unbounded_list("roles")
    draft.nested("allow", clamp_allowed_skills)
    return draft.result()


def clamp_seen_layer(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one SeenLayer."""
    draft = _Draft("SeenLayer", values, lowered)
    draft.nested("partition", clamp_partition)
    draft.nested("present", clamp_layer_generation)
    return draft.result()


def clamp_explained_rule(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one ExplainedRule."""
    draft = _Draft("ExplainedRule", values, lowered)
    draft.text("name", max_bytes=EXPLAINED_RULE_NAME_MAX_BYTES, over=_REFUSE, fits=fits_skill_name)
    draft.text("why", max_bytes=EXPLAINED_RULE_WHY_MAX_BYTES, over=_CUT, single_line=True)
    return draft.result()


def clamp_explain_access_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one ExplainAccessResponse."""
    draft = _Draft("ExplainAccessResponse", values, lowered)
    draft.text("identity", max_bytes=EXPLAIN_ACCESS_RESPONSE_IDENTITY_MAX_BYTES, over=_CUT, single_line=True)
    draft.text(
        "credential_refused",
        max_bytes=EXPLAIN_ACCESS_RESPONSE_CREDENTIAL_REFUSED_MAX_BYTES,
        over=_CUT,
        single_line=True,
    )
    draft.text(
        "access_refused", max_bytes=EXPLAIN_ACCESS_RESPONSE_ACCESS_REFUSED_MAX_BYTES, over=_CUT, single_line=True
    )
    draft.nested("grant", clamp_access_grant)
    draft.nested_list("layers", clamp_seen_layer, max_items=EXPLAIN_ACCESS_RESPONSE_LAYERS_MAX_ITEMS, over=_KEEP_FIRST)
    draft.nested_list(
        "rules", clamp_explained_rule, max_items=EXPLAIN_ACCESS_RESPONSE_RULES_MAX_ITEMS, over=_KEEP_FIRST
    )
    draft.text("next_page_token", max_bytes=EXPLAIN_ACCESS_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_activation_refusal(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one ActivationRefusal."""
    draft = _Draft("ActivationRefusal", values, lowered)
    draft.nested_list("refused", clamp_tool, max_items=ACTIVATION_REFUSAL_REFUSED_MAX_ITEMS, over=_KEEP_FIRST)
    return draft.result()


def clamp_diagnostic(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one Diagnostic."""
    draft = _Draft("Diagnostic", values, lowered)
    draft.text("code", max_bytes=DIAGNOSTIC_CODE_MAX_BYTES, over=_CUT, single_line=True)
    draft.text("skill", max_bytes=DIAGNOSTIC_SKILL_MAX_BYTES, over=_CUT, single_line=True)
    draft.text("source", max_bytes=DIAGNOSTIC_SOURCE_MAX_BYTES, over=_CUT, single_line=True)
    draft.text("message", max_bytes=DIAGNOSTIC_MESSAGE_MAX_BYTES, over=_CUT, single_line=True)
    return draft.result()


def clamp_readiness(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one Readiness."""
    draft = _Draft("Readiness", values, lowered)
    draft.texts(
        "missing",
        max_items=READINESS_MISSING_MAX_ITEMS,
        max_item_bytes=READINESS_MISSING_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_CUT,
        single_line=True,
    )
    draft.texts(
        "unverifiable",
        max_items=READINESS_UNVERIFIABLE_MAX_ITEMS,
        max_item_bytes=READINESS_UNVERIFIABLE_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_CUT,
        single_line=True,
    )
    draft.texts(
        "blocked_on",
        max_items=READINESS_BLOCKED_ON_MAX_ITEMS,
        max_item_bytes=READINESS_BLOCKED_ON_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_CUT,
        single_line=True,
    )
    return draft.result()


def clamp_network(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one Network."""
    draft = _Draft("Network", values, lowered)
    draft.texts(
        "domains",
        max_items=NETWORK_DOMAINS_MAX_ITEMS,
        max_item_bytes=NETWORK_DOMAINS_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_CUT,
        single_line=True,
    )
    draft.text("digest", max_bytes=NETWORK_DIGEST_MAX_BYTES, over=_REFUSE, fits=fits_digest)
    return draft.result()


def clamp_skill(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one Skill."""
    draft = _Draft("Skill", values, lowered)
    draft.text("name", max_bytes=SKILL_NAME_MAX_BYTES, over=_REFUSE, fits=fits_skill_name)
    draft.text("description", max_bytes=SKILL_DESCRIPTION_MAX_BYTES, over=_CUT, single_line=True)
    draft.text("digest", max_bytes=SKILL_DIGEST_MAX_BYTES, over=_REFUSE, fits=fits_digest)
    draft.text("display_name", max_bytes=SKILL_DISPLAY_NAME_MAX_BYTES, over=_CUT, single_line=True)
    draft.text("license", max_bytes=SKILL_LICENSE_MAX_BYTES, over=_CUT, single_line=True)
    draft.text("compatibility", max_bytes=SKILL_COMPATIBILITY_MAX_BYTES, over=_CUT, single_line=True)
    draft.text_map(
        "metadata",
        max_items=SKILL_METADATA_MAX_ITEMS,
        max_item_bytes=SKILL_METADATA_MAX_ITEM_BYTES,
        max_key_bytes=SKILL_METADATA_MAX_KEY_BYTES,
        over=_DROP,
        item_over=_DROP,
    )
    draft.texts(
        "allowed_tools",
        max_items=SKILL_ALLOWED_TOOLS_MAX_ITEMS,
        max_item_bytes=SKILL_ALLOWED_TOOLS_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_CUT,
        single_line=True,
    )
    draft.text("when_to_use", max_bytes=SKILL_WHEN_TO_USE_MAX_BYTES, over=_CUT, single_line=True)
    draft.text("version", max_bytes=SKILL_VERSION_MAX_BYTES, over=_CUT, single_line=True)
    draft.texts(
        "keywords",
        max_items=SKILL_KEYWORDS_MAX_ITEMS,
        max_item_bytes=SKILL_KEYWORDS_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_CUT,
        single_line=True,
    )
    draft.texts(
        "capabilities",
        max_items=SKILL_CAPABILITIES_MAX_ITEMS,
        max_item_bytes=SKILL_CAPABILITIES_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_CUT,
        single_line=True,
    )
    draft.unbounded_list("tool_kinds")
    draft.text("collection", max_bytes=SKILL_COLLECTION_MAX_BYTES, over=_CUT, single_line=True)
    draft.text("source", max_bytes=SKILL_SOURCE_MAX_BYTES, over=_CUT, single_line=True)
    draft.number("body_bytes", max_value=SKILL_BODY_BYTES_MAX_VALUE, over=_REFUSE)
    draft.text("document_digest", max_bytes=SKILL_DOCUMENT_DIGEST_MAX_BYTES, over=_REFUSE)
    draft.nested("readiness", clamp_readiness)
    draft.nested("network", clamp_network)
    draft.nested_list("diagnostics", clamp_diagnostic, max_items=SKILL_DIAGNOSTICS_MAX_ITEMS, over=_KEEP_FIRST)
    return draft.result()


def clamp_asset(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one Asset."""
    draft = _Draft("Asset", values, lowered)
    draft.text("name", max_bytes=ASSET_NAME_MAX_BYTES, over=_REFUSE, fits=fits_asset_name)
    draft.number("size", max_value=ASSET_SIZE_MAX_VALUE, over=_REFUSE)
    draft.text("digest", max_bytes=ASSET_DIGEST_MAX_BYTES, over=_REFUSE, fits=fits_digest)
    draft.text("media_type", max_bytes=ASSET_MEDIA_TYPE_MAX_BYTES, over=_CUT, single_line=True)
    return draft.result()


def clamp_tool(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one Tool."""
    draft = _Draft("Tool", values, lowered)
    draft.text("id", max_bytes=TOOL_ID_MAX_BYTES, over=_REFUSE, single_line=True)
    draft.text("target", max_bytes=TOOL_TARGET_MAX_BYTES, over=_REFUSE, single_line=True)
    draft.text("server", max_bytes=TOOL_SERVER_MAX_BYTES, over=_REFUSE, single_line=True)
    draft.text("asset", max_bytes=TOOL_ASSET_MAX_BYTES, over=_REFUSE)
    draft.text("digest", max_bytes=TOOL_DIGEST_MAX_BYTES, over=_REFUSE)
    draft.text("reason", max_bytes=TOOL_REASON_MAX_BYTES, over=_CUT, single_line=True)
    draft.text("description", max_bytes=TOOL_DESCRIPTION_MAX_BYTES, over=_CUT, single_line=True)
    draft.text("input_schema", max_bytes=TOOL_INPUT_SCHEMA_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_consistency(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one Consistency."""
    draft = _Draft("Consistency", values, lowered)
    draft.text("at_least", max_bytes=CONSISTENCY_AT_LEAST_MAX_BYTES, over=_REFUSE)
    draft.text("at_exactly", max_bytes=CONSISTENCY_AT_EXACTLY_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_allow_list(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one AllowList."""
    draft = _Draft("AllowList", values, lowered)
    draft.texts(
        "names",
        max_items=ALLOW_LIST_NAMES_MAX_ITEMS,
        max_item_bytes=ALLOW_LIST_NAMES_MAX_ITEM_BYTES,
        over=_REFUSE,
        item_over=_REFUSE,
        fits=fits_skill_name,
    )
    return draft.result()


def clamp_unreachable_source(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one UnreachableSource."""
    draft = _Draft("UnreachableSource", values, lowered)
    draft.text("source", max_bytes=UNREACHABLE_SOURCE_SOURCE_MAX_BYTES, over=_CUT, single_line=True)
    return draft.result()


def clamp_generation(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one Generation."""
    draft = _Draft("Generation", values, lowered)
    draft.text("token", max_bytes=GENERATION_TOKEN_MAX_BYTES, over=_REFUSE)
    draft.text("digest", max_bytes=GENERATION_DIGEST_MAX_BYTES, over=_REFUSE, fits=fits_digest)
    draft.nested_list(
        "unreachable_sources",
        clamp_unreachable_source,
        max_items=GENERATION_UNREACHABLE_SOURCES_MAX_ITEMS,
        over=_KEEP_FIRST,
    )
    return draft.result()


def clamp_get_server_info_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one GetServerInfoResponse."""
    draft = _Draft("GetServerInfoResponse", values, lowered)
    draft.text("version", max_bytes=GET_SERVER_INFO_RESPONSE_VERSION_MAX_BYTES, over=_CUT, single_line=True)
    draft.texts(
        "features",
        max_items=GET_SERVER_INFO_RESPONSE_FEATURES_MAX_ITEMS,
        max_item_bytes=GET_SERVER_INFO_RESPONSE_FEATURES_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_KEEP_FIRST,
        single_line=True,
    )
    return draft.result()


def clamp_list_skills_request(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one ListSkillsRequest."""
    draft = _Draft("ListSkillsRequest", values, lowered)
    draft.text("project", max_bytes=LIST_SKILLS_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE)
    draft.text("session", max_bytes=LIST_SKILLS_REQUEST_SESSION_MAX_BYTES, over=_REFUSE)
    draft.nested("consistency", clamp_consistency)
    draft.nested("allow", clamp_allow_list)
    draft.texts(
        "builtin_tools",
        max_items=LIST_SKILLS_REQUEST_BUILTIN_TOOLS_MAX_ITEMS,
        max_item_bytes=LIST_SKILLS_REQUEST_BUILTIN_TOOLS_MAX_ITEM_BYTES,
        over=_REFUSE,
        item_over=_REFUSE,
    )
    draft.text("page_token", max_bytes=LIST_SKILLS_REQUEST_PAGE_TOKEN_MAX_BYTES, over=_REFUSE)
    draft.text("if_none_match", max_bytes=LIST_SKILLS_REQUEST_IF_NONE_MATCH_MAX_BYTES, over=_REFUSE, fits=fits_digest)
    draft.text("collection", max_bytes=LIST_SKILLS_REQUEST_COLLECTION_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_collection(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one Collection."""
    draft = _Draft("Collection", values, lowered)
    draft.text("id", max_bytes=COLLECTION_ID_MAX_BYTES, over=_REFUSE, single_line=True)
    draft.text("line", max_bytes=COLLECTION_LINE_MAX_BYTES, over=_CUT, single_line=True)
    return draft.result()


def clamp_list_skills_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one ListSkillsResponse."""
    draft = _Draft("ListSkillsResponse", values, lowered)
    draft.nested("generation", clamp_generation)
    draft.nested_list("skills", clamp_skill, max_items=LIST_SKILLS_RESPONSE_SKILLS_MAX_ITEMS, over=_KEEP_FIRST)
    draft.text("next_page_token", max_bytes=LIST_SKILLS_RESPONSE_NEXT_PAGE_TOKEN_MAX_BYTES, over=_REFUSE)
    draft.nested_list(
        "collections", clamp_collection, max_items=LIST_SKILLS_RESPONSE_COLLECTIONS_MAX_ITEMS, over=_KEEP_FIRST
    )
    return draft.result()


def clamp_skill_body_request(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one SkillBodyRequest."""
    draft = _Draft("SkillBodyRequest", values, lowered)
    draft.text("project", max_bytes=SKILL_BODY_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE)
    draft.text("session", max_bytes=SKILL_BODY_REQUEST_SESSION_MAX_BYTES, over=_REFUSE)
    draft.nested("consistency", clamp_consistency)
    draft.nested("allow", clamp_allow_list)
    draft.text("name", max_bytes=SKILL_BODY_REQUEST_NAME_MAX_BYTES, over=_REFUSE, fits=fits_skill_reference)
    draft.text("if_none_match", max_bytes=SKILL_BODY_REQUEST_IF_NONE_MATCH_MAX_BYTES, over=_REFUSE, fits=fits_digest)
    return draft.result()


def clamp_skill_body_response(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one SkillBodyResponse."""
    draft = _Draft("SkillBodyResponse", values, lowered)
    draft.nested("generation", clamp_generation)
    draft.text("body", max_bytes=SKILL_BODY_RESPONSE_BODY_MAX_BYTES, over=_REFUSE)
    draft.text("digest", max_bytes=SKILL_BODY_RESPONSE_DIGEST_MAX_BYTES, over=_REFUSE, fits=fits_digest)
    draft.number("total_bytes", max_value=SKILL_BODY_RESPONSE_TOTAL_BYTES_MAX_VALUE, over=_REFUSE)
    return draft.result()


def clamp_list_assets_request(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one ListAssetsRequest."""
    draft = _Draft("ListAssetsRequest", values, lowered)
    draft.text("project", max_bytes=LIST_ASSETS_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE)
    draft.text("session", max_bytes=LIST_ASSETS_REQUEST_SESSION_MAX_BYTES, over=_REFUSE)
    draft.nested("consistency", clamp_consistency)
    draft.nested("allow", clamp_allow_list)
    draft.text("name", max_bytes=LIST_ASSETS_REQUEST_NAME_MAX_BYTES, over=_REFUSE, fits=fits_skill_reference)
    return draft.result()


def clamp_list_assets_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one ListAssetsResponse."""
    draft = _Draft("ListAssetsResponse", values, lowered)
    draft.nested("generation", clamp_generation)
    draft.nested_list("assets", clamp_asset, max_items=LIST_ASSETS_RESPONSE_ASSETS_MAX_ITEMS, over=_REFUSE)
    draft.total_of_names("assets", max_total_bytes=LIST_ASSETS_RESPONSE_ASSETS_MAX_TOTAL_BYTES, over=_REFUSE)
    return draft.result()


def clamp_read_asset_request(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one ReadAssetRequest."""
    draft = _Draft("ReadAssetRequest", values, lowered)
    draft.text("project", max_bytes=READ_ASSET_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE)
    draft.text("session", max_bytes=READ_ASSET_REQUEST_SESSION_MAX_BYTES, over=_REFUSE)
    draft.nested("consistency", clamp_consistency)
    draft.nested("allow", clamp_allow_list)
    draft.text("skill", max_bytes=READ_ASSET_REQUEST_SKILL_MAX_BYTES, over=_REFUSE, fits=fits_skill_reference)
    draft.text("asset", max_bytes=READ_ASSET_REQUEST_ASSET_MAX_BYTES, over=_REFUSE, fits=fits_asset_name)
    draft.text("if_none_match", max_bytes=READ_ASSET_REQUEST_IF_NONE_MATCH_MAX_BYTES, over=_REFUSE, fits=fits_digest)
    return draft.result()


def clamp_read_asset_response(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one ReadAssetResponse."""
    draft = _Draft("ReadAssetResponse", values, lowered)
    draft.nested("generation", clamp_generation)
    draft.data("data", max_bytes=READ_ASSET_RESPONSE_DATA_MAX_BYTES, over=_REFUSE)
    draft.number("total_bytes", max_value=READ_ASSET_RESPONSE_TOTAL_BYTES_MAX_VALUE, over=_REFUSE)
    draft.text("digest", max_bytes=READ_ASSET_RESPONSE_DIGEST_MAX_BYTES, over=_REFUSE, fits=fits_digest)
    draft.text("media_type", max_bytes=READ_ASSET_RESPONSE_MEDIA_TYPE_MAX_BYTES, over=_CUT, single_line=True)
    return draft.result()


def clamp_activate_request(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one ActivateRequest."""
    draft = _Draft("ActivateRequest", values, lowered)
    draft.text("project", max_bytes=ACTIVATE_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE)
    draft.text("session", max_bytes=ACTIVATE_REQUEST_SESSION_MAX_BYTES, over=_REFUSE)
    draft.nested("consistency", clamp_consistency)
    draft.nested("allow", clamp_allow_list)
    draft.texts(
        "builtin_tools",
        max_items=ACTIVATE_REQUEST_BUILTIN_TOOLS_MAX_ITEMS,
        max_item_bytes=ACTIVATE_REQUEST_BUILTIN_TOOLS_MAX_ITEM_BYTES,
        over=_REFUSE,
        item_over=_REFUSE,
    )
    draft.text("name", max_bytes=ACTIVATE_REQUEST_NAME_MAX_BYTES, over=_REFUSE, fits=fits_skill_reference)
    draft.text("task", max_bytes=ACTIVATE_REQUEST_TASK_MAX_BYTES, over=_REFUSE)
    draft.text_map(
        "arguments",
        max_items=ACTIVATE_REQUEST_ARGUMENTS_MAX_ITEMS,
        max_item_bytes=ACTIVATE_REQUEST_ARGUMENTS_MAX_ITEM_BYTES,
        max_key_bytes=ACTIVATE_REQUEST_ARGUMENTS_MAX_KEY_BYTES,
        over=_REFUSE,
        item_over=_REFUSE,
    )
    draft.text("request_id", max_bytes=ACTIVATE_REQUEST_REQUEST_ID_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_activate_response(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one ActivateResponse."""
    draft = _Draft("ActivateResponse", values, lowered)
    draft.nested("generation", clamp_generation)
    draft.text("activation_id", max_bytes=ACTIVATE_RESPONSE_ACTIVATION_ID_MAX_BYTES, over=_REFUSE)
    draft.text("name", max_bytes=ACTIVATE_RESPONSE_NAME_MAX_BYTES, over=_REFUSE, fits=fits_skill_name)
    draft.text("text", max_bytes=ACTIVATE_RESPONSE_TEXT_MAX_BYTES, over=_REFUSE)
    draft.text("body_digest", max_bytes=ACTIVATE_RESPONSE_BODY_DIGEST_MAX_BYTES, over=_REFUSE, fits=fits_digest)
    draft.nested_list("assets", clamp_asset, max_items=ACTIVATE_RESPONSE_ASSETS_MAX_ITEMS, over=_REFUSE)
    draft.total_of_names("assets", max_total_bytes=ACTIVATE_RESPONSE_ASSETS_MAX_TOTAL_BYTES, over=_REFUSE)
    draft.nested_list("tools", clamp_tool, max_items=ACTIVATE_RESPONSE_TOOLS_MAX_ITEMS, over=_REFUSE)
    draft.texts(
        "notes",
        max_items=ACTIVATE_RESPONSE_NOTES_MAX_ITEMS,
        max_item_bytes=ACTIVATE_RESPONSE_NOTES_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_CUT,
        single_line=True,
    )
    draft.nested("readiness", clamp_readiness)
    draft.nested("network", clamp_network)
    return draft.result()


def clamp_search_skills_request(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one SearchSkillsRequest."""
    draft = _Draft("SearchSkillsRequest", values, lowered)
    draft.text("project", max_bytes=SEARCH_SKILLS_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE)
    draft.text("session", max_bytes=SEARCH_SKILLS_REQUEST_SESSION_MAX_BYTES, over=_REFUSE)
    draft.nested("consistency", clamp_consistency)
    draft.nested("allow", clamp_allow_list)
    draft.texts(
        "builtin_tools",
        max_items=SEARCH_SKILLS_REQUEST_BUILTIN_TOOLS_MAX_ITEMS,
        max_item_bytes=SEARCH_SKILLS_REQUEST_BUILTIN_TOOLS_MAX_ITEM_BYTES,
        over=_REFUSE,
        item_over=_REFUSE,
    )
    draft.text("query", max_bytes=SEARCH_SKILLS_REQUEST_QUERY_MAX_BYTES, over=_REFUSE)
    draft.text("task", max_bytes=SEARCH_SKILLS_REQUEST_TASK_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_search_hit(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one SearchHit."""
    draft = _Draft("SearchHit", values, lowered)
    draft.nested("skill", clamp_skill)
    draft.texts(
        "matched",
        max_items=SEARCH_HIT_MATCHED_MAX_ITEMS,
        max_item_bytes=SEARCH_HIT_MATCHED_MAX_ITEM_BYTES,
        over=_KEEP_FIRST,
        item_over=_CUT,
        single_line=True,
    )
    draft.text("snippet", max_bytes=SEARCH_HIT_SNIPPET_MAX_BYTES, over=_CUT, single_line=True)
    draft.text("body", max_bytes=SEARCH_HIT_BODY_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_search_skills_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one SearchSkillsResponse."""
    draft = _Draft("SearchSkillsResponse", values, lowered)
    draft.nested("generation", clamp_generation)
    draft.nested_list("hits", clamp_search_hit, max_items=SEARCH_SKILLS_RESPONSE_HITS_MAX_ITEMS, over=_KEEP_FIRST)
    draft.text("engine", max_bytes=SEARCH_SKILLS_RESPONSE_ENGINE_MAX_BYTES, over=_CUT, single_line=True)
    return draft.result()


def clamp_render_catalog_request(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one RenderCatalogRequest."""
    draft = _Draft("RenderCatalogRequest", values, lowered)
    draft.text("project", max_bytes=RENDER_CATALOG_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE)
    draft.text("session", max_bytes=RENDER_CATALOG_REQUEST_SESSION_MAX_BYTES, over=_REFUSE)
    draft.nested("consistency", clamp_consistency)
    draft.nested("allow", clamp_allow_list)
    draft.texts(
        "builtin_tools",
        max_items=RENDER_CATALOG_REQUEST_BUILTIN_TOOLS_MAX_ITEMS,
        max_item_bytes=RENDER_CATALOG_REQUEST_BUILTIN_TOOLS_MAX_ITEM_BYTES,
        over=_REFUSE,
        item_over=_REFUSE,
    )
    draft.text("query", max_bytes=RENDER_CATALOG_REQUEST_QUERY_MAX_BYTES, over=_REFUSE)
    draft.text("task", max_bytes=RENDER_CATALOG_REQUEST_TASK_MAX_BYTES, over=_REFUSE)
    draft.text(
        "if_none_match", max_bytes=RENDER_CATALOG_REQUEST_IF_NONE_MATCH_MAX_BYTES, over=_REFUSE, fits=fits_digest
    )
    return draft.result()


def clamp_omitted_skill(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one OmittedSkill."""
    draft = _Draft("OmittedSkill", values, lowered)
    draft.text("name", max_bytes=OMITTED_SKILL_NAME_MAX_BYTES, over=_REFUSE, fits=fits_skill_name)
    draft.text("reason", max_bytes=OMITTED_SKILL_REASON_MAX_BYTES, over=_CUT, single_line=True)
    return draft.result()


def clamp_render_catalog_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one RenderCatalogResponse."""
    draft = _Draft("RenderCatalogResponse", values, lowered)
    draft.nested("generation", clamp_generation)
    draft.text("text", max_bytes=RENDER_CATALOG_RESPONSE_TEXT_MAX_BYTES, over=_REFUSE)
    draft.text("digest", max_bytes=RENDER_CATALOG_RESPONSE_DIGEST_MAX_BYTES, over=_REFUSE)
    draft.text("entries_digest", max_bytes=RENDER_CATALOG_RESPONSE_ENTRIES_DIGEST_MAX_BYTES, over=_REFUSE)
    draft.nested_list(
        "omitted", clamp_omitted_skill, max_items=RENDER_CATALOG_RESPONSE_OMITTED_MAX_ITEMS, over=_KEEP_FIRST
    )
    return draft.result()


def clamp_watch_catalog_request(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one WatchCatalogRequest."""
    draft = _Draft("WatchCatalogRequest", values, lowered)
    draft.text("project", max_bytes=WATCH_CATALOG_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE)
    draft.text("session", max_bytes=WATCH_CATALOG_REQUEST_SESSION_MAX_BYTES, over=_REFUSE)
    draft.nested("consistency", clamp_consistency)
    draft.nested("allow", clamp_allow_list)
    draft.text("since", max_bytes=WATCH_CATALOG_REQUEST_SINCE_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_watch_catalog_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one WatchCatalogResponse."""
    draft = _Draft("WatchCatalogResponse", values, lowered)
    draft.nested("generation", clamp_generation)
    draft.nested_list("added", clamp_skill, max_items=WATCH_CATALOG_RESPONSE_ADDED_MAX_ITEMS, over=_REFUSE)
    draft.nested_list("modified", clamp_skill, max_items=WATCH_CATALOG_RESPONSE_MODIFIED_MAX_ITEMS, over=_REFUSE)
    draft.texts(
        "removed",
        max_items=WATCH_CATALOG_RESPONSE_REMOVED_MAX_ITEMS,
        max_item_bytes=WATCH_CATALOG_RESPONSE_REMOVED_MAX_ITEM_BYTES,
        over=_REFUSE,
        item_over=_REFUSE,
        fits=fits_skill_name,
    )
    return draft.result()


def clamp_report_outcome_request(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one ReportOutcomeRequest."""
    draft = _Draft("ReportOutcomeRequest", values, lowered)
    draft.text("project", max_bytes=REPORT_OUTCOME_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE)
    draft.text("session", max_bytes=REPORT_OUTCOME_REQUEST_SESSION_MAX_BYTES, over=_REFUSE)
    draft.nested("consistency", clamp_consistency)
    draft.nested("allow", clamp_allow_list)
    draft.text("activation_id", max_bytes=REPORT_OUTCOME_REQUEST_ACTIVATION_ID_MAX_BYTES, over=_REFUSE)
    draft.text("skill", max_bytes=REPORT_OUTCOME_REQUEST_SKILL_MAX_BYTES, over=_REFUSE, fits=fits_skill_reference)
    draft.text("task", max_bytes=REPORT_OUTCOME_REQUEST_TASK_MAX_BYTES, over=_REFUSE)
    draft.text("request_id", max_bytes=REPORT_OUTCOME_REQUEST_REQUEST_ID_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_report_outcome_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one ReportOutcomeResponse."""
    draft = _Draft("ReportOutcomeResponse", values, lowered)
    draft.nested("generation", clamp_generation)
    return draft.result()


def clamp_best_match_request(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one BestMatchRequest."""
    draft = _Draft("BestMatchRequest", values, lowered)
    draft.text("project", max_bytes=BEST_MATCH_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE)
    draft.text("session", max_bytes=BEST_MATCH_REQUEST_SESSION_MAX_BYTES, over=_REFUSE)
    draft.nested("consistency", clamp_consistency)
    draft.nested("allow", clamp_allow_list)
    draft.text("task", max_bytes=BEST_MATCH_REQUEST_TASK_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_best_match_response(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one BestMatchResponse."""
    draft = _Draft("BestMatchResponse", values, lowered)
    draft.nested("generation", clamp_generation)
    draft.text("skill", max_bytes=BEST_MATCH_RESPONSE_SKILL_MAX_BYTES, over=_REFUSE)
    draft.text("task_pattern", max_bytes=BEST_MATCH_RESPONSE_TASK_PATTERN_MAX_BYTES, over=_CUT, single_line=True)
    return draft.result()


def clamp_offered_tool(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one OfferedTool."""
    draft = _Draft("OfferedTool", values, lowered)
    draft.text("name", max_bytes=OFFERED_TOOL_NAME_MAX_BYTES, over=_REFUSE)
    draft.text("description", max_bytes=OFFERED_TOOL_DESCRIPTION_MAX_BYTES, over=_REFUSE)
    return draft.result()


def clamp_search_capabilities_request(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one SearchCapabilitiesRequest."""
    draft = _Draft("SearchCapabilitiesRequest", values, lowered)
    draft.text("project", max_bytes=SEARCH_CAPABILITIES_REQUEST_PROJECT_MAX_BYTES, over=_REFUSE)
    draft.text("session", max_bytes=SEARCH_CAPABILITIES_REQUEST_SESSION_MAX_BYTES, over=_REFUSE)
    draft.nested("consistency", clamp_consistency)
    draft.nested("allow", clamp_allow_list)
    draft.text("query", max_bytes=SEARCH_CAPABILITIES_REQUEST_QUERY_MAX_BYTES, over=_REFUSE)
    draft.nested_list("tools", clamp_offered_tool, max_items=SEARCH_CAPABILITIES_REQUEST_TOOLS_MAX_ITEMS, over=_REFUSE)
    return draft.result()


def clamp_capability(values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED) -> Clamped:
    """Clamp the fields of one Capability."""
    draft = _Draft("Capability", values, lowered)
    draft.text("name", max_bytes=CAPABILITY_NAME_MAX_BYTES, over=_REFUSE, single_line=True)
    draft.text("description", max_bytes=CAPABILITY_DESCRIPTION_MAX_BYTES, over=_CUT, single_line=True)
    return draft.result()


def clamp_search_capabilities_response(
    values: Mapping[str, object], *, lowered: Mapping[str, int] = NOTHING_LOWERED
) -> Clamped:
    """Clamp the fields of one SearchCapabilitiesResponse."""
    draft = _Draft("SearchCapabilitiesResponse", values, lowered)
    draft.nested("generation", clamp_generation)
    draft.nested_list(
        "results", clamp_capability, max_items=SEARCH_CAPABILITIES_RESPONSE_RESULTS_MAX_ITEMS, over=_KEEP_FIRST
    )
    return draft.result()
