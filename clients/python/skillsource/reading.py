"""Reading one skill: its text, its inventory, its assets.

Ranges are put together from one generation and verified as a whole: the digest, the total and the state of each range
have to be those of the first, each begins where the one before ended, and the bytes have the digest.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from skillsource import caps, wire
from skillsource.answers import AssetContent, Body, BodyForm, Inventory
from skillsource.cache import Cache, Identity
from skillsource.drops import Drops
from skillsource.errors import AssetNotFound, GenerationExpired, GenerationsMixed, ProtocolError, SkillNotFound
from skillsource.methods import LIST_ASSETS, READ_ASSET, SKILL_BODY, Method, Operation
from skillsource.mirror import Mirror
from skillsource.scope import Scope
from skillsource.values import Asset, Generation

_SMALLEST_RANGE = 4_096
"""Bytes that a range has on average, or the server wastes the caller's time."""

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class SkillReads:
    """Reads of one scope. With a mirror, what is unchanged is also at hand without a call."""

    def __init__(self, scope: Scope, cache: Cache, mirror: Mirror | None) -> None:
        self._scope = scope
        self._cache = cache
        self._mirror = mirror

    def body(self, name: str, form: BodyForm) -> Operation[Body]:
        """Read the whole text of a skill."""
        identity = ("body" if form is BodyForm.BODY else "document", name)
        if self._mirror is not None and (known := self._mirror.at_hand(name, identity, Body)) is not None:
            return known
        fields: dict[str, object] = {**self._scope.fields(), "name": name}
        if form is not BodyForm.BODY:
            fields["form"] = f"BODY_FORM_{form}"
        held = self._cache.find(identity, self._cache.latest(identity), Body)
        if held is not None:
            fields["if_none_match"] = held.digest
        whole = yield from _read_whole(SKILL_BODY, self._scope, fields)
        if whole.data is None:
            assert held is not None, "not modified is believed of a digest that was asked alone"
            body = replace(held, generation=whole.generation)
        else:
            body = _verified_body(whole, whole.data, form)
        if body.verified:
            self._keep(name, identity, body, len(body.text.encode()))
        return body

    def inventory(self, name: str) -> Operation[Inventory]:
        """List all assets of a skill."""
        identity = ("assets", name)
        if self._mirror is not None and (known := self._mirror.at_hand(name, identity, Inventory)) is not None:
            return known
        answer = yield from LIST_ASSETS.ask({**self._scope.fields(), "name": name})
        generation = wire.generation(answer.values)
        assets = sorted_assets(answer.values, answer.drops)
        inventory = Inventory(generation=generation, assets=assets, dropped=answer.drops.told())
        if self._mirror is not None:
            # It has no digest of its own; that of the state vouches for it.
            self._cache.keep(identity, generation.digest, inventory, 256 * len(assets))
            self._learn(name, identity, generation.digest, generation)
        return inventory

    def asset(self, name: str, asset: str, *, as_text: bool) -> Operation[AssetContent]:
        """Read one whole asset.

        Args:
            name: The skill.
            asset: Its logical name. One that does not fit the grammar is refused without a call.
            as_text: Refuse what is not UTF-8 text without NUL.
        """
        identity = ("asset", name, asset, as_text)
        if self._mirror is not None and (known := self._mirror.at_hand(name, identity, AssetContent)) is not None:
            return known
        fields: dict[str, object] = {"skill": name, "asset": asset}
        if as_text:
            fields["as_text"] = True
        held = self._cache.find(identity, self._cache.latest(identity), AssetContent)
        if held is not None:
            fields["if_none_match"] = held.digest
        try:
            whole = yield from _read_whole(READ_ASSET, self._scope, fields)
        except SkillNotFound as error:
            raise AssetNotFound(error.message, reason=error.reason, metadata=error.metadata) from None
        if whole.data is None:
            assert held is not None, "not modified is believed of a digest that was asked alone"
            content = replace(held, generation=whole.generation)
        else:
            _check_digest(whole.data, whole.digest)
            content = AssetContent(
                generation=whole.generation, data=whole.data, digest=whole.digest, media_type="", executable=False
            )
        # A server need not repeat beside `not_modified` what it said with the bytes; where it does, that is newer.
        if whole.data is not None or whole.first.get("media_type"):
            content = replace(
                content,
                media_type=whole.first.get("media_type", ""),
                executable=whole.first.get("executable", False),
            )
        if as_text:
            _check_text(content.data)
        self._keep(name, identity, content, len(content.data))
        return content

    def _keep(self, name: str, identity: Identity, value: Body | AssetContent, size: int) -> None:
        self._cache.keep(identity, value.digest, value, size)
        self._learn(name, identity, value.digest, value.generation)

    def _learn(self, name: str, identity: Identity, digest: str, generation: Generation) -> None:
        # A qualified name may mean a shadowed skill, whose changes no event tells.
        if self._mirror is not None and "/" not in name:
            self._mirror.learn(name, identity, digest, generation)


def sorted_assets(fields: Mapping[str, Any], drops: Drops) -> tuple[Asset, ...]:
    """Return an inventory in byte order of its names, the first of each name."""
    assets: dict[str, Asset] = {}
    for index, item in enumerate(fields.get("assets", ())):
        asset = wire.asset(item)
        if asset.name in assets:
            drops.add(f"assets[{index}]", asset.name, "is there twice; the first is kept")
        else:
            assets[asset.name] = asset
    # The order of code points is the order of UTF-8 bytes.
    return tuple(assets[name] for name in sorted(assets))


@dataclass(frozen=True, slots=True)
class _Whole:
    """What all ranges together are; no data where the caller's is still good."""

    generation: Generation
    digest: str
    data: bytes | None
    first: Mapping[str, Any]


def _read_whole(method: Method, scope: Scope, fields: Mapping[str, object], *, restarts: int = 1) -> Operation[_Whole]:
    """Read all ranges; where the state expires between two of them, so often anew from the present one."""
    first = (yield from method.ask({**scope.fields(), **fields})).values
    whole = _Whole(wire.generation(first), first["digest"], None, first)
    if first.get("not_modified", False):
        if whole.digest != fields.get("if_none_match"):
            raise ProtocolError(f"{method.name}: not modified, says the server of a digest that was not asked")
        return whole
    total = first.get("total_bytes", 0)
    parts = [_part(method, first, 0, total)]
    at = len(parts[0])
    following = {key: value for key, value in fields.items() if key != "if_none_match"}
    following.update(scope.fields(at_exactly=whole.generation.token))
    next_offset = first.get("next_offset", 0)
    while next_offset != 0:
        if next_offset != at or not parts[-1]:
            raise ProtocolError(f"{method.name}: after byte {at:,} the server goes on at byte {next_offset:,}")
        if len(parts) > 16 + total // _SMALLEST_RANGE:
            raise ProtocolError(f"{method.name}: {total:,} bytes in over {len(parts):,} ranges")
        try:
            answer = (yield from method.ask({**following, "offset": at})).values
        except GenerationExpired:
            if scope.at_exactly or not restarts:
                raise
            return (yield from _read_whole(method, scope, fields, restarts=restarts - 1))
        _check_continues(method, whole, answer)
        parts.append(_part(method, answer, at, total))
        at += len(parts[-1])
        next_offset = answer.get("next_offset", 0)
    if at != total:
        raise ProtocolError(f"{method.name}: {at:,} bytes came of {total:,}")
    return replace(whole, data=b"".join(parts))


def _check_continues(method: Method, whole: _Whole, answer: Mapping[str, Any]) -> None:
    """Refuse a range that belongs to another state, or to another content."""
    if wire.generation(answer).digest != whole.generation.digest:
        raise GenerationsMixed(f"{method.name}: the ranges come from two generations")
    same_total = answer.get("total_bytes", 0) == whole.first.get("total_bytes", 0)
    if answer["digest"] != whole.digest or not same_total or answer.get("not_modified", False):
        raise ProtocolError(f"{method.name}: the ranges belong to two contents")


def _part(method: Method, answer: Mapping[str, Any], at: int, total: int) -> bytes:
    """Return the bytes of one range, which begins at a byte of the whole."""
    if method is SKILL_BODY:
        data: bytes = answer.get("body", "").encode()
    else:
        data = answer.get("data", b"")
        if answer.get("offset", 0) != at:
            raise ProtocolError(f"{method.name}: the range at byte {at:,} begins at byte {answer.get('offset', 0):,}")
    if at + len(data) > total:
        raise ProtocolError(f"{method.name}: over {total:,} bytes came, which is what the server says there are")
    return data


def _verified_body(whole: _Whole, data: bytes, form: BodyForm) -> Body:
    if form is BodyForm.BODY and len(data) > caps.SKILL_BODY_BYTES_MAX_VALUE:
        raise ProtocolError(f"a body of {len(data):,} bytes, of at most {caps.SKILL_BODY_BYTES_MAX_VALUE:,}")
    text = data.decode()
    verified = True
    # A document's digest is that of the file as read, where U+FFFD may have been other bytes.
    if form is BodyForm.DOCUMENT and _REPLACEMENT in text:
        verified = hashlib.sha256(data).hexdigest() == whole.digest
    else:
        _check_digest(data, whole.digest)
    return Body(generation=whole.generation, text=text, digest=whole.digest, verified=verified)


def _check_digest(data: bytes, digest: str) -> None:
    if hashlib.sha256(data).hexdigest() != digest:
        raise ProtocolError("what came does not have the digest that the server names")


def _check_text(data: bytes) -> None:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise ProtocolError("text was asked for, and what came is no UTF-8") from None
    if "\0" in text:
        raise ProtocolError("text was asked for, and what came holds NUL")
