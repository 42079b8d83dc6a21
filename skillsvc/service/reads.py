"""The read calls: lists, bodies, inventories, assets. An answer is a view's part and a part kept by digest, joined."""

from collections.abc import Callable
from itertools import islice

from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.collection import collections_of
from skillsvc.catalog.listing import start_after
from skillsvc.catalog.told import told_in
from skillsvc.catalog.views import Sight
from skillsvc.domain.errors import ErrorReason, InvalidInput, NotFound
from skillsvc.domain.generation import Row
from skillsvc.domain.limits import Limits
from skillsvc.domain.media_types import media_type_of
from skillsvc.domain.readiness import Vouched
from skillsvc.domain.skill import Asset
from skillsvc.domain.tokens import PagePosition, TokenKeys
from skillsvc.domain.view import View, Viewer
from skillsvc.service import wire
from skillsvc.service.answers import Answer, AnswerCache
from skillsvc.service.call import Call
from skillsvc.service.requests import AssetAsk, BodyAsk, InventoryAsk, ListAsk, out_of_range
from skillsvc.service.selections import Selections
from skillsvc.service.sights import Seen, Sights, row_of
from skillsvc.service.texts import Texts

_LIST_NOT_MODIFIED = pb.ListSkillsResponse(not_modified=True).SerializeToString()
_ASSET_KEPT_BYTES = 256 * 1024
"""Ranges of assets up to this size are kept encoded; larger ones are read again."""


class Reads:
    """The handlers of the read calls."""

    def __init__(
        self,
        *,
        sights: Sights,
        texts: Texts,
        answers: AnswerCache,
        keys: TokenKeys,
        limits: Limits,
        vouched: Callable[[], Vouched] = Vouched,
    ) -> None:
        """Answer from `sights` and `texts`, keep what was encoded in `answers`, sign pages with `keys`.

        `vouched` says what the deployment vouches for, now.
        """
        self._sights = sights
        self._texts = texts
        self._answers = answers
        self._keys = keys
        self._limits = limits
        self._vouched = vouched
        self._selections = Selections()

    async def list_skills(self, ask: ListAsk, call: Call) -> bytes:
        """Answer ListSkills."""
        viewer = self._sights.viewer(ask.scope, call)
        if ask.page_token:
            position = self._keys.read_page(ask.page_token, viewer.partition)
            if position.request_hash != ask.fields:
                raise InvalidInput(ErrorReason.PAGE_TOKEN_MALFORMED, "the page token belongs to another request")
            seen, after = await self._sights.page(viewer, ask.scope, position.generation_token), position.last_name
        else:
            seen, after = await self._sights.of(ask.scope, call), ""
            # Before anything is said of it (`rules.md` 7).
            self._check_collection(ask, seen.sight)
            if ask.held == seen.sight.view.digest:
                return seen.encoded + _LIST_NOT_MODIFIED
        narrowing = ask.selection.key
        if ask.full:
            # No digest covers diagnostics and readiness: nothing names all that a page of FULL depends on.
            page = self._encode_page(ask, narrowing, seen.sight, after)
            return seen.encoded + page.encoded + self._next_page(ask, viewer, seen, page)
        # The lines of collections are in no digest.
        lines = () if after else tuple(layer.collections for layer in seen.sight.view.layers)
        key = ("page", seen.sight.view.digest, lines, narrowing, after, ask.size)
        kept = self._answers.get(key)
        page = (
            kept if kept is not None else self._answers.put(key, self._encode_page(ask, narrowing, seen.sight, after))
        )
        return self._answers.joined(key, seen.encoded, page) + self._next_page(ask, viewer, seen, page)

    async def skill_body(self, ask: BodyAsk, call: Call) -> bytes:
        """Answer SkillBody."""
        seen = await self._sights.of(ask.scope, call)
        row = row_of(seen, ask.reference, ask.scope.allow)
        bundle = row.bundle
        text = bundle.document if ask.document else bundle.body
        if text is None:
            raise NotFound(ErrorReason.BODY_NOT_FOUND, "the skill has no text of this form, only what is listed of it")
        if ask.held == text.digest and not ask.offset:
            unchanged = pb.SkillBodyResponse(digest=text.digest, total_bytes=text.size, not_modified=True)
            return seen.encoded + unchanged.SerializeToString()
        read_from = (bundle.document or text).digest
        await self._texts.given(seen, row, read_from)
        key = ("body", ask.document, read_from, ask.offset, ask.length)
        answer = self._answers.get(key)
        if answer is None:
            read = await (self._texts.document(seen, row, text) if ask.document else self._texts.body(seen, row))
            answer = self._answers.put(key, _text_range(read, text.digest, ask.offset, ask.length))
            self._sights.check_still(ask.scope, call, row)
        return seen.encoded + answer.encoded

    async def list_assets(self, ask: InventoryAsk, call: Call) -> bytes:
        """Answer ListAssets."""
        seen = await self._sights.of(ask.scope, call)
        bundle = row_of(seen, ask.reference, ask.scope.allow).bundle
        key = ("assets", bundle.digest)
        answer = self._answers.get(key)
        if answer is None:
            response = pb.ListAssetsResponse(assets=wire.assets(bundle))
            answer = self._answers.put(key, Answer(response.SerializeToString()))
        return seen.encoded + answer.encoded

    async def read_asset(self, ask: AssetAsk, call: Call) -> bytes:
        """Answer ReadAsset."""
        seen = await self._sights.of(ask.scope, call)
        row = row_of(seen, ask.reference, ask.scope.allow)
        asset = next((asset for asset in row.bundle.assets if asset.name == ask.name), None)
        if asset is None:
            raise NotFound(ErrorReason.ASSET_NOT_FOUND, "the skill has no asset of this name")
        if ask.offset > asset.size:
            raise out_of_range("offset", f"offset is {ask.offset}; the asset has {asset.size} bytes")
        if ask.as_text and not await self._is_text(seen, row, asset):
            raise InvalidInput(
                ErrorReason.ARGUMENT_MALFORMED,
                "the asset is no text: not UTF-8, or with NUL bytes; read it without as_text",
                metadata={"field": "as_text"},
            )
        if ask.held == asset.digest and not ask.offset:
            head = _asset_head(asset)
            head.not_modified = True
            return seen.encoded + head.SerializeToString()
        answer = await self._asset_range(seen, row, asset, ask.offset, ask.length)
        self._sights.check_still(ask.scope, call, row)
        return seen.encoded + answer.encoded

    def _check_collection(self, ask: ListAsk, sight: Sight) -> None:
        """Refuse to list a collection that holds none of the caller's skills, in the words for one that is nowhere."""
        selection = ask.selection
        if selection.collection and not self._selections.holds_collection(sight.view, selection):
            raise NotFound(ErrorReason.COLLECTION_NOT_FOUND, "no collection of this id in the catalog")

    def _next_page(self, ask: ListAsk, viewer: Viewer, seen: Seen, page: Answer) -> bytes:
        """Encode the token of the page after one, nothing after the last."""
        if not page.last_name:
            return b""
        position = PagePosition(generation_token=seen.sight.token, request_hash=ask.fields, last_name=page.last_name)
        return pb.ListSkillsResponse(
            next_page_token=self._keys.sign_page(position, viewer.partition)
        ).SerializeToString()

    def _encode_page(self, ask: ListAsk, narrowing: object, sight: Sight, after: str) -> Answer:
        rows = self._selections.of(sight.view, ask.selection, narrowing)
        start = start_after(rows, after)
        collections = b"" if after else wire.encode_collections(collections_of(sight.view, rows))
        parts: list[bytes] = []
        left = self._limits.page_bytes - len(collections)
        for row in islice(rows, start, start + ask.size):
            part = self._encode_full(sight.view, row) if ask.full else self._encode_basic(row)
            left -= len(part)
            if parts and left < 0:
                break
            parts.append(part)
        end = start + len(parts)
        parts += (pb.ListSkillsResponse(total_size=len(rows)).SerializeToString(), collections)
        return Answer(b"".join(parts), last_name=rows[end - 1].name if end < len(rows) else "")

    def _encode_basic(self, row: Row) -> bytes:
        key = ("skill", row.encoded)
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answers.put(key, Answer(wire.encode_listed(wire.basic_skill(row))))
        return answer.encoded

    def _encode_full(self, view: View, row: Row) -> bytes:
        told = told_in(view, row, self._vouched())
        key = ("skill", row.encoded, row.found.diagnostics, told)
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answers.put(key, Answer(wire.encode_listed(wire.full_skill(row, self._limits, told))))
        return answer.encoded

    async def _is_text(self, seen: Seen, row: Row, asset: Asset) -> bool:
        """Tell whether an asset is text; judged once, since whoever reads it by ranges asks with each of them."""
        await self._texts.given(seen, row, asset.digest)
        key = ("text", asset.digest)
        answer = self._answers.get(key)
        if answer is None:
            is_text = await self._texts.asset_is_text(seen, row, asset)
            answer = self._answers.put(key, Answer(b"\x01" if is_text else b""))
        return bool(answer.encoded)

    async def _asset_range(self, seen: Seen, row: Row, asset: Asset, offset: int, length: int) -> Answer:
        await self._texts.given(seen, row, asset.digest)
        key = ("asset", asset, offset, length)
        answer = self._answers.get(key)
        if answer is None:
            data = await self._texts.asset(seen, row, asset, offset, length)
            head = _asset_head(asset)
            head.data = data
            head.offset = offset
            head.next_offset = (offset + len(data)) % asset.size if data else 0
            answer = Answer(head.SerializeToString())
            if asset.size <= _ASSET_KEPT_BYTES:
                self._answers.put(key, answer)
        return answer


def _text_range(text: bytes, digest: str, offset: int, length: int) -> Answer:
    """Encode a range of a text, in whole characters, under the digest of what it was read from."""
    total = len(text)
    if offset > total:
        raise out_of_range("offset", f"offset is {offset}; the text has {total} bytes")
    if offset < total and _inside_character(text, offset):
        raise out_of_range("offset", f"offset is {offset}, which is inside a character")
    end = min(offset + length, total)
    while end < total and _inside_character(text, end):
        end -= 1
    response = pb.SkillBodyResponse(
        body=text[offset:end].decode(),
        digest=digest,
        total_bytes=total,
        next_offset=end if end < total else 0,
    )
    return Answer(response.SerializeToString())


def _inside_character(text: bytes, at: int) -> bool:
    return text[at] & 0xC0 == 0x80


def _asset_head(asset: Asset) -> pb.ReadAssetResponse:
    return pb.ReadAssetResponse(
        total_bytes=asset.size,
        digest=asset.digest,
        media_type=media_type_of(asset.name),
        executable=asset.executable,
    )
