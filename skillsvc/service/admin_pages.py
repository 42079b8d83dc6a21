"""Pages of the admin calls: items encoded one by one, and tokens that name where to go on.

A token is signed with the keys of all others and bound to one request of one call, so that none serves another.
"""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import TypeVar

from google.protobuf.message import Message

from skillsvc.domain.errors import ErrorReason, InvalidInput
from skillsvc.domain.limits import Limits
from skillsvc.domain.tokens import PagePosition, TokenKeys
from skillsvc.service.admin_requests import PageAsk
from skillsvc.service.call import Call

SEPARATOR = "\0"
"""Between the parts of a position: no part can hold it, since each is one line."""
_Item = TypeVar("_Item")


class Pages:
    """Makes pages and their tokens."""

    def __init__(self, keys: TokenKeys, limits: Limits) -> None:
        """Sign with `keys`; keep pages within `limits`."""
        self._keys = keys
        self._limits = limits

    def page(
        self, items: Sequence[_Item], start: int, size: int, told: Callable[[_Item], Message], *, taken: int = 0
    ) -> list[bytes]:
        """Encode the items of a page from `start` on: at most `size`, and as many as fit a page beside `taken` bytes.

        Each is told as an answer that holds it alone: answers joined are an answer that holds them all.
        """
        parts: list[bytes] = []
        left = self._limits.page_bytes - taken
        for item in islice(items, start, start + size):
            part = told(item).SerializeToString()
            left -= len(part)
            if parts and left < 0:
                break
            parts.append(part)
        return parts

    def position(self, ask: PageAsk, call: Call) -> PagePosition:
        """Return where a page goes on; PAGE_TOKEN_MALFORMED where its token is of another caller or request."""
        position = self._keys.read_page(ask.token, call.caller)
        if position.request_hash != ask.fields:
            raise InvalidInput(ErrorReason.PAGE_TOKEN_MALFORMED, "the page token belongs to another request")
        return position

    def next_token(self, ask: PageAsk, call: Call, last: str, states: str = "") -> str:
        """Return the token of the page behind `last`; `states` names the generations that all pages are of, if any."""
        position = PagePosition(generation_token=states, request_hash=ask.fields, last_name=last)
        return self._keys.sign_page(position, call.caller)


def joined(parts: Sequence[bytes], rest: Message) -> bytes:
    """Encode an answer of the items of a page and of what is told beside them."""
    return b"".join((*parts, rest.SerializeToString()))
