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
