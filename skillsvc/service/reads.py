"""The read calls: lists, bodies, inventories, assets. An answer is a view's part and a part kept by digest, joined."""

import hashlib
from itertools import islice

from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.listing import Invoker, Selection, select, start_after
from skillsvc.catalog.views import Sight
from skillsvc.domain.caps import CAPS
from skillsvc.domain.errors import ErrorReason, InvalidInput, NotFound
from skillsvc.domain.generation import Row
from skillsvc.domain.limits import Limits
from skillsvc.domain.media_types import media_type_of
from skillsvc.domain.skill import Asset
from skillsvc.domain.tokens import PagePosition, TokenKeys
from skillsvc.service import wire
from skillsvc.service.answers import Answer, AnswerCache
from skillsvc.service.boundary import Call
from skillsvc.service.requests import (
    Scope,
    asset_name_of,
    digest_of,
    invoker_of,
    known_number,
    not_built,
    out_of_range,
    range_bytes_of,
    reference_of,
    scope_of,
    text_of,
)
from skillsvc.service.sights import Seen, Sights, row_of
from skillsvc.service.texts import Texts

_VIEWS = (pb.SKILL_VIEW_UNSPECIFIED, pb.SKILL_VIEW_BASIC, pb.SKILL_VIEW_FULL)
_FORMS = (pb.BODY_FORM_UNSPECIFIED, pb.BODY_FORM_BODY, pb.BODY_FORM_DOCUMENT)
_LIST_NOT_MODIFIED = pb.ListSkillsResponse(not_modified=True).SerializeToString()
_ASSET_KEPT_BYTES = 256 * 1024
"""Ranges of assets up to this size are kept encoded; larger ones are read again."""


class Reads:
    """The handlers of the read calls."""

    def __init__(self, *, sights: Sights, texts: Texts, answers: AnswerCache, keys: TokenKeys, limits: Limits) -> None:
        """Answer from `sights` and `texts`, keep what was encoded in `answers`, sign pages with `keys`."""
        self._sights = sights
        self._texts = texts
        self._answers = answers
        self._keys = keys
        self._limits = limits

    async def list_skills(self, request: pb.ListSkillsRequest, call: Call) -> bytes:
        """Answer ListSkills."""
        scope = scope_of(request)
        not_built("builtin_tools", given=bool(request.builtin_tools))
        not_built("collection", given=bool(request.collection))
        full = known_number("view", request.view, _VIEWS) == pb.SKILL_VIEW_FULL
        selection = Selection(allow=scope.allow, invoker=invoker_of(request.invocation, Invoker.ANY))
        held = digest_of("if_none_match", request.if_none_match)
        size = min(request.page_size or self._limits.page_skills, self._limits.page_skills)
        if request.page_token:
            seen, after = self._page_after(request, scope)
        else:
            seen, after = await self._sights.of(request, scope, call), ""
            if held and held == seen.sight.view.digest:
                return seen.encoded + _LIST_NOT_MODIFIED
        page = self._page(seen.sight, selection, after=after, size=size, full=full)
        if not page.last_name:
            return seen.encoded + page.encoded
        position = PagePosition(
            generation_token=seen.sight.token, request_hash=_hash_of(request), last_name=page.last_name
        )
        token = self._keys.sign_page(position, scope.caller)
        return seen.encoded + page.encoded + pb.ListSkillsResponse(next_page_token=token).SerializeToString()

    async def skill_body(self, request: pb.SkillBodyRequest, call: Call) -> bytes:
        """Answer SkillBody."""
        scope = scope_of(request)
        reference = reference_of("name", request.name)
        document = known_number("form", request.form, _FORMS) == pb.BODY_FORM_DOCUMENT
        length = range_bytes_of(request.max_bytes, self._limits)
        held = digest_of("if_none_match", request.if_none_match)
        seen = await self._sights.of(request, scope, call)
        bundle = row_of(seen, reference, scope.allow).bundle
        if bundle.document is None or bundle.body is None:
            raise NotFound(ErrorReason.BODY_NOT_FOUND, "the skill has no body: its folder holds skill.yaml alone")
        ref = bundle.document if document else bundle.body
        if held == ref.digest and not request.offset:
            unchanged = pb.SkillBodyResponse(digest=ref.digest, total_bytes=ref.size, not_modified=True)
            return seen.encoded + unchanged.SerializeToString()
        key = ("body", document, bundle.document.digest, request.offset, length)
        answer = self._answers.get(key)
        if answer is None:
            text = await (self._texts.document(bundle) if document else self._texts.body(bundle))
            answer = self._answers.put(key, _text_range(text, request.offset, length))
        return seen.encoded + answer.encoded

    async def list_assets(self, request: pb.ListAssetsRequest, call: Call) -> bytes:
        """Answer ListAssets."""
        scope = scope_of(request)
        reference = reference_of("name", request.name)
        seen = await self._sights.of(request, scope, call)
        bundle = row_of(seen, reference, scope.allow).bundle
        key = ("assets", bundle.digest)
        answer = self._answers.get(key)
        if answer is None:
            response = pb.ListAssetsResponse(assets=wire.assets(bundle))
            answer = self._answers.put(key, Answer(response.SerializeToString()))
        return seen.encoded + answer.encoded

    async def read_asset(self, request: pb.ReadAssetRequest, call: Call) -> bytes:
        """Answer ReadAsset."""
        scope = scope_of(request)
        reference = reference_of("skill", request.skill)
        name = asset_name_of(request.asset)
        length = range_bytes_of(request.max_bytes, self._limits)
        held = digest_of("if_none_match", request.if_none_match)
        seen = await self._sights.of(request, scope, call)
        bundle = row_of(seen, reference, scope.allow).bundle
        asset = next((asset for asset in bundle.assets if asset.name == name), None)
        if asset is None:
            raise NotFound(ErrorReason.ASSET_NOT_FOUND, "the skill has no asset of this name")
        if request.offset > asset.size:
            raise out_of_range("offset", f"offset is {request.offset}; the asset has {asset.size} bytes")
        if request.as_text and not await self._is_text(asset):
            raise InvalidInput(
                ErrorReason.ARGUMENT_MALFORMED,
                "the asset is no text: not UTF-8, or with NUL bytes; read it without as_text",
                metadata={"field": "as_text"},
            )
        if held == asset.digest and not request.offset:
            head = _asset_head(asset)
            head.not_modified = True
            return seen.encoded + head.SerializeToString()
        answer = await self._asset_range(asset, request.offset, length)
        return seen.encoded + answer.encoded

    def _page_after(self, request: pb.ListSkillsRequest, scope: Scope) -> tuple[Seen, str]:
        """Return the state that a page token belongs to, and the name after which its page begins.

        The state is the token's, whatever is published since.
        """
        token = text_of("page_token", request.page_token, CAPS["ListSkillsRequest.page_token"].max_bytes)
        self._sights.check_phase()
        position = self._keys.read_page(token, scope.caller)
        if position.request_hash != _hash_of(request):
            raise InvalidInput(ErrorReason.PAGE_TOKEN_MALFORMED, "the page token belongs to another request")
        seen = self._sights.exactly(scope.caller, position.generation_token)
        self._sights.check_page(request, scope.caller, seen)
        return seen, position.last_name

    def _page(self, sight: Sight, selection: Selection, *, after: str, size: int, full: bool) -> Answer:
        # A page of the view BASIC depends on the view alone. FULL shows diagnostics, which no digest covers.
        key = ("page", sight.view.digest, selection.key, after, size)
        page = None if full else self._answers.get(key)
        if page is None:
            page = self._encode_page(select(sight.view, selection), after, size, full=full)
            if not full:
                self._answers.put(key, page)
        return page

    def _encode_page(self, rows: tuple[Row, ...], after: str, size: int, *, full: bool) -> Answer:
        start = start_after(rows, after)
        parts: list[bytes] = []
        left = self._limits.page_bytes
        for row in islice(rows, start, start + size):
            part = self._encode_skill(row, full=full)
            left -= len(part)
            if parts and left < 0:
                break
            parts.append(part)
        end = start + len(parts)
        parts.append(pb.ListSkillsResponse(total_size=len(rows)).SerializeToString())
        return Answer(b"".join(parts), last_name=rows[end - 1].name if end < len(rows) else "")

    def _encode_skill(self, row: Row, *, full: bool) -> bytes:
        key = ("skill", row.encoded, row.found.diagnostics) if full else ("skill", row.encoded)
        answer = self._answers.get(key)
        if answer is None:
            skill = wire.full_skill(row, self._limits) if full else wire.basic_skill(row)
            answer = self._answers.put(key, Answer(wire.encode_listed(skill)))
        return answer.encoded

    async def _is_text(self, asset: Asset) -> bool:
        """Tell whether an asset is text; judged once, since whoever reads it by ranges asks with each of them."""
        key = ("text", asset.digest)
        answer = self._answers.get(key)
        if answer is None:
            is_text = await self._texts.asset_is_text(asset)
            answer = self._answers.put(key, Answer(b"\x01" if is_text else b""))
        return bool(answer.encoded)

    async def _asset_range(self, asset: Asset, offset: int, length: int) -> Answer:
        key = ("asset", asset, offset, length)
        answer = self._answers.get(key)
        if answer is None:
            data = await self._texts.asset(asset, offset, length)
            head = _asset_head(asset)
            head.data = data
            head.offset = offset
            head.next_offset = (offset + len(data)) % asset.size if data else 0
            answer = Answer(head.SerializeToString())
            if asset.size <= _ASSET_KEPT_BYTES:
                self._answers.put(key, answer)
        return answer


def _text_range(text: bytes, offset: int, length: int) -> Answer:
    """Encode a range of a text, in whole characters."""
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
        digest=hashlib.sha256(text).hexdigest(),
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


def _hash_of(request: pb.ListSkillsRequest) -> bytes:
    """Hash all fields of a request but `page_size`, the page token itself, and what names the state."""
    fields = pb.ListSkillsRequest()
    fields.CopyFrom(request)
    for field in ("page_size", "page_token", "consistency"):
        fields.ClearField(field)
    return hashlib.sha256(fields.SerializeToString(deterministic=True)).digest()
