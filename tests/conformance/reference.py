"""The caps once more, written from caps.proto and rules.md 3 alone: slow, and plain enough to be read against them.

The vectors are made with it, and the property tests compare with it. It shares no code with the generator: it reads
the option from the generated messages, counts bytes character by character, and knows no regular expressions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from skillsource.v1 import admin_pb2, caps_pb2, errors_pb2, skill_pb2, skill_source_pb2

from tests.conformance.loading import Change

MESSAGES: Mapping[str, Descriptor] = {
    message.name: message
    for file in (admin_pb2.DESCRIPTOR, errors_pb2.DESCRIPTOR, skill_pb2.DESCRIPTOR, skill_source_pb2.DESCRIPTOR)
    for message in file.message_types_by_name.values()
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What becomes of a message; `kept` is None where it is refused."""

    kept: Mapping[str, object] | None
    changes: tuple[Change, ...] = ()
    refusals: tuple[Change, ...] = ()


class _Dropped(Exception):
    """The whole field is dropped."""

    def __init__(self, size: int, limit: int) -> None:
        super().__init__()
        self.size, self.limit = size, limit


class _Refused(Exception):
    """The message is refused."""

    def __init__(self, reasons: Sequence[Change]) -> None:
        super().__init__()
        self.reasons = reasons


def clamp(message: str, given: Mapping[str, object], lowered: Mapping[str, int]) -> Outcome:
    """Return what the contract says must become of a message whose fields are of their types."""
    kept = dict(given)
    changes: list[Change] = []
    refusals: list[Change] = []
    for field in sorted(MESSAGES[message].fields, key=lambda it: it.number):
        value = given.get(field.name)
        if value is None:
            continue
        try:
            kept[field.name], done = _Field(field, lowered).clamp(value)
        except _Dropped as fate:
            del kept[field.name]
            changes.append(Change(path=field.name, what="DROPPED", size=fate.size, limit=fate.limit))
        except _Refused as fate:
            refusals += fate.reasons
        else:
            changes += done
    return Outcome(kept=None if refusals else kept, changes=tuple(changes), refusals=tuple(refusals))


def cap_of(field: FieldDescriptor) -> caps_pb2.Cap | None:
    """Return the option of a field, or None."""
    for option, value in field.GetOptions().ListFields():
        if option.full_name == "skillsource.v1.cap":
            assert isinstance(value, caps_pb2.Cap)
            return value
    return None


def is_map(field: FieldDescriptor) -> bool:
    """Tell whether a field is a map."""
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def message_of(field: FieldDescriptor) -> str:
    """Return the name of the message that a field belongs to."""
    assert field.containing_type is not None
    return field.containing_type.name


class _Field:
    """One field and its cap."""

    def __init__(self, field: FieldDescriptor, lowered: Mapping[str, int]) -> None:
        self.field = field
        self.name = field.name
        self.cap = cap_of(field) or caps_pb2.Cap()
        self.over = self.cap.over
        self.item_over = self.cap.item_over or self.cap.over
        self.lowered = lowered

    def clamp(self, value: object) -> tuple[object, Sequence[Change]]:
        if is_map(self.field):
            assert isinstance(value, Mapping)
            return self._map(value)
        if self.field.is_repeated:
            assert isinstance(value, (list, tuple))
            return self._list(value)
        match value:
            case str():
                text, done, wrong = self._text(value, self._limit("max_bytes"), self.over)
                if wrong is not None:
                    raise self._given_up(self.over if wrong.what == "TOO_LARGE" else caps_pb2.OVER_REFUSE, [wrong])
                return text, done
            case bytes():
                self._measure(len(value), self._limit("max_bytes"))
            case int() if self.cap.max_value:
                self._measure(value, self._limit("max_value"))
            case Mapping():
                return self._message(value)
            case _:
                pass
        return value, ()

    def _nested(self) -> str:
        assert self.field.message_type is not None
        return self.field.message_type.name

    def _limit(self, bound: str) -> int:
        cap: int = getattr(self.cap, bound)
        return min(cap, self.lowered.get(f"{message_of(self.field)}.{self.name}.{bound}", cap))

    def _given_up(self, over: int, reasons: Sequence[Change]) -> Exception:
        if over == caps_pb2.OVER_DROP:
            return _Dropped(reasons[0].size, reasons[0].limit)
        return _Refused(reasons)

    def _measure(self, size: int, limit: int) -> None:
        if size > limit:
            raise self._given_up(self.over, [Change(path=self.name, what="TOO_LARGE", size=size, limit=limit)])

    def _text(self, text: str, limit: int, over: int) -> tuple[str, Sequence[Change], Change | None]:
        """Return a text as it is kept, what was done to it, and what is wrong with it."""
        done = []
        if self.cap.single_line and (controls := sum(map(is_control, text))):
            done.append(Change(path=self.name, what="FLATTENED", size=controls, limit=0))
            text = flat(text)
        size = byte_count(text)
        if size > limit:
            if over != caps_pb2.OVER_CUT:
                return text, (), Change(path=self.name, what="TOO_LARGE", size=size, limit=limit)
            done.append(Change(path=self.name, what="CUT", size=size, limit=limit))
            text = cut(text, limit)
        if not fits(self.cap.grammar, text):
            return text, (), Change(path=self.name, what="UNFIT", size=size, limit=limit)
        return text, done, None

    def _map(self, pairs: Mapping[str, str]) -> tuple[object, Sequence[Change]]:
        self._measure(len(pairs), self._limit("max_items"))
        for key, value in pairs.items():
            for text, bound, over in ((key, "max_key_bytes", self.over), (value, "max_item_bytes", self.item_over)):
                _, _, wrong = self._text(text, self._limit(bound), over)
                if wrong is not None:
                    raise self._given_up(over, [wrong])
        return dict(pairs), ()

    def _message(self, value: Mapping[str, object]) -> tuple[object, Sequence[Change]]:
        if self._nested() not in MESSAGES:  # of another package: nothing in it is bounded
            return value, ()
        outcome = clamp(self._nested(), value, self.lowered)
        if outcome.kept is None:
            raise _Refused(_below(self.name, outcome.refusals))
        return outcome.kept, _below(self.name, outcome.changes)

    def _list(self, items: Sequence[object]) -> tuple[object, Sequence[Change]]:
        if not self.cap.max_items:
            return tuple(items), ()
        keep_first = self.over == caps_pb2.OVER_KEEP_FIRST
        changes = []
        count, most = len(items), self._limit("max_items")
        if not keep_first:
            self._measure(count, most)
        elif count > most:
            changes.append(Change(path=self.name, what="ITEMS_DROPPED", size=count, limit=most))
            items = items[:most]
        kept: list[object] = []
        for index, item in enumerate(items):
            left, done, reasons, over = self._item(item, f"{self.name}[{index}]")
            if not reasons:
                kept.append(left)
                changes += done
            elif over == caps_pb2.OVER_KEEP_FIRST:
                changes += reasons
            else:
                raise self._given_up(over, reasons)
        if self.cap.max_total_bytes:
            # No cap of the contract keeps the first of what has too many bytes together.
            assert not keep_first
            total = sum(byte_count(item.get("name") or "") for item in kept if isinstance(item, Mapping))
            self._measure(total, self._limit("max_total_bytes"))
        return tuple(kept), changes

    def _item(self, item: object, path: str) -> tuple[object, Sequence[Change], Sequence[Change], int]:
        """Return an item as it is kept, what was done, what is wrong, and where that leads."""
        if isinstance(item, str):
            text, done, wrong = self._text(item, self._limit("max_item_bytes"), self.item_over)
            done = [replace(change, path=path) for change in done]
            if wrong is None:
                return text, done, (), self.over
            return text, (), [replace(wrong, path=path)], self.item_over if wrong.what == "TOO_LARGE" else self.over
        assert isinstance(item, Mapping)
        outcome = clamp(self._nested(), item, self.lowered)
        return outcome.kept, _below(path, outcome.changes), _below(path, outcome.refusals), self.over


def _below(path: str, changes: Sequence[Change]) -> Sequence[Change]:
    return [replace(change, path=f"{path}.{change.path}") for change in changes]


def byte_count(text: str) -> int:
    """Return how many bytes the UTF-8 of a text has."""
    return sum(1 if c < "\x80" else 2 if c < "\u0800" else 3 if c < "\U00010000" else 4 for c in text)


def is_control(character: str) -> bool:
    """Tell whether a character is a control character of rules.md 3."""
    return character <= "\x1f" or "\x7f" <= character <= "\x9f" or character in {"\u2028", "\u2029"}


def flat(text: str) -> str:
    """Return a text with a space for each control character."""
    return "".join(" " if is_control(character) else character for character in text)


def cut(text: str, most: int) -> str:
    """Return a text of at most so many bytes, with an ellipsis counted inside, where that has room."""
    if byte_count(text) <= most:
        return text
    mark = "…" if most >= byte_count("…") else ""
    room = most - byte_count(mark)
    kept = ""
    for character in text:
        room -= byte_count(character)
        if room < 0:
            break
        kept += character
    return kept + mark


def fits(grammar: int, text: str) -> bool:
    """Tell whether a text fits a grammar of the contract."""
    match grammar:
        case caps_pb2.GRAMMAR_SKILL_NAME:
            return _is_name(text)
        case caps_pb2.GRAMMAR_SKILL_REFERENCE:
            source, slash, name = text.rpartition("/")
            return _is_name(name) and (_is_name(source) if slash else True)
        case caps_pb2.GRAMMAR_ASSET_NAME:
            bad = any(is_control(c) or c == "\\" or "\ud800" <= c <= "\udfff" for c in text)
            return not bad and all(segment not in {"", ".", ".."} for segment in text.split("/"))
        case caps_pb2.GRAMMAR_DIGEST:
            return len(text) == 64 and all(c in "0123456789abcdef" for c in text)
        case _:
            return True


def _is_name(text: str) -> bool:
    lower = "abcdefghijklmnopqrstuvwxyz0123456789"
    return 1 <= len(text) <= 64 and text[0] in lower and all(c in f"{lower}_-" for c in text)
