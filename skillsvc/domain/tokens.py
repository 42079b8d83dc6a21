"""Tokens: the names of states, which any process with the key can read and nobody can forge or carry elsewhere.

A generation token is base64url, without padding, of: version (1 byte), key id (4), count of layers (1), then for each
layer in view order its id (8), log id (16), sequence (8) and digest (32), then, where any names are disabled for the
caller, what tells them from others (8), then an HMAC-SHA-256 over all of that and the caller's principal and project.
Five layers fit 512 bytes. What names are disabled cannot be read from a token, nor tried out. A page token holds a
generation token, a hash of the request and the last name, under an HMAC of its own. Both are deterministic: same
caller, same view, same key, same bytes (contract.md, "Tokens").
"""

import binascii
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from skillsvc.domain import canonical
from skillsvc.domain.errors import ErrorReason, InvalidInput
from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import Partition

KEY_BYTES = 32
_VERSION = 1
_MAC_BYTES = 32
_LAYER_BYTES = 64
_DISABLED_BYTES = 8
MAX_LAYERS = 5
_GENERATION_DOMAIN = canonical.encode_text("skillsource.token.v1")
_PAGE_DOMAIN = canonical.encode_text("skillsource.page.v1")
_DISABLED_DOMAIN = canonical.encode_text("skillsource.disabled.v1")


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerState:
    """What a token says of one layer; `digest` is lower-case hex."""

    layer_id: bytes
    log_id: bytes
    sequence: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePosition:
    """What a page token says: the listing's generation token, the request it belongs to, the last name sent."""

    generation_token: str
    request_hash: bytes
    last_name: str


@dataclass(frozen=True, slots=True)
class TokenKeys:
    """Keys of at least 32 bytes: the first signs, all verify."""

    keys: tuple[bytes, ...]

    def __post_init__(self) -> None:
        """Refuse an empty ring and a short key."""
        if not self.keys or any(len(key) < KEY_BYTES for key in self.keys):
            msg = f"a token key has at least {KEY_BYTES} bytes, and there is at least one"
            raise ValueError(msg)

    def sign_generation(
        self, layers: Sequence[Generation], caller: Partition, disabled: frozenset[str] = frozenset()
    ) -> str:
        """Return the token of a view's layers, with some names disabled, for one caller."""
        if not 0 < len(layers) <= MAX_LAYERS:
            msg = f"a token names 1 to {MAX_LAYERS} layers"
            raise ValueError(msg)
        states = b"".join(
            layer.layer_id + layer.log_id + canonical.encode_integer(layer.sequence) + bytes.fromhex(layer.digest)
            for layer in layers
        )
        payload = bytes([len(layers)]) + states + _disabled_part(self.keys[0], disabled)
        return self._sign(_GENERATION_DOMAIN, payload, caller)

    def read_generation(self, token: str, caller: Partition) -> tuple[LayerState, ...]:
        """Return the layers that a token names; TOKEN_MALFORMED where it was not signed here for this caller."""
        states, _disabled = self._read_generation(token, caller)
        return tuple(_layer_state(states[at : at + _LAYER_BYTES]) for at in range(0, len(states), _LAYER_BYTES))

    def is_of_disabled(self, token: str, caller: Partition, disabled: frozenset[str]) -> bool:
        """Tell whether a token is of a view for which these very names were disabled; raises as `read_generation`."""
        _states, part = self._read_generation(token, caller)
        # Which key signed is not asked: a part that another one made is of no view that is known.
        return any(hmac.compare_digest(part, _disabled_part(key, disabled)) for key in self.keys)

    def _read_generation(self, token: str, caller: Partition) -> tuple[bytes, bytes]:
        """Return what a token holds of layers, and of disabled names."""
        payload = self._read(_GENERATION_DOMAIN, token, caller)
        end = 1 + payload[0] * _LAYER_BYTES if payload else 0
        if not payload or len(payload) not in {end, end + _DISABLED_BYTES}:
            raise InvalidInput(ErrorReason.TOKEN_MALFORMED, "the generation token was not made here for this caller")
        return payload[1:end], payload[end:]

    def sign_page(self, position: PagePosition, caller: Partition) -> str:
        """Return the token of the page that goes on after a position."""
        payload = (
            canonical.encode_text(position.generation_token)
            + canonical.encode_bytes(position.request_hash)
            + canonical.encode_text(position.last_name)
        )
        return self._sign(_PAGE_DOMAIN, payload, caller)

    def read_page(self, token: str, caller: Partition) -> PagePosition:
        """Return the position that a page token names; PAGE_TOKEN_MALFORMED as `read_generation`."""
        payload = self._read(_PAGE_DOMAIN, token, caller)
        if payload is None:
            raise InvalidInput(ErrorReason.PAGE_TOKEN_MALFORMED, "the page token was not made here for this caller")
        fields: list[bytes] = []
        at = 0
        while at < len(payload):
            size = int.from_bytes(payload[at : at + 8], "big")
            fields.append(payload[at + 8 : at + 8 + size])
            at += 8 + size
        generation_token, request_hash, last_name = fields
        return PagePosition(
            generation_token=generation_token.decode(), request_hash=request_hash, last_name=last_name.decode()
        )

    def _sign(self, domain: bytes, payload: bytes, caller: Partition) -> str:
        key = self.keys[0]
        signed = bytes([_VERSION]) + _key_id(key) + payload
        return urlsafe_b64encode(signed + _mac(key, domain, signed, caller)).rstrip(b"=").decode()

    def _read(self, domain: bytes, token: str, caller: Partition) -> bytes | None:
        """Return what was signed, or None. Only the exact text that `_sign` makes is read: one state, one token."""
        try:
            raw = urlsafe_b64decode(token.encode("ascii") + b"=" * (-len(token) % 4))
        except (UnicodeEncodeError, binascii.Error):
            return None
        if urlsafe_b64encode(raw).rstrip(b"=").decode() != token or len(raw) < 1 + 4 + _MAC_BYTES:
            return None
        signed, mac = raw[:-_MAC_BYTES], raw[-_MAC_BYTES:]
        for key in self.keys:
            if signed[1:5] == _key_id(key) and hmac.compare_digest(mac, _mac(key, domain, signed, caller)):
                return signed[5:] if signed[0] == _VERSION else None
        return None


def _key_id(key: bytes) -> bytes:
    return sha256(b"skillsource.key-id.v1" + key).digest()[:4]


def _mac(key: bytes, domain: bytes, signed: bytes, caller: Partition) -> bytes:
    bound = canonical.encode_text(caller.principal) + canonical.encode_text(caller.project)
    return hmac.digest(key, domain + bound + signed, sha256)[:_MAC_BYTES]


def _disabled_part(key: bytes, disabled: frozenset[str]) -> bytes:
    """Return what tells disabled names from others, nothing of none; keyed, so that no guess can be tried on it."""
    if not disabled:
        return b""
    return hmac.digest(key, _DISABLED_DOMAIN + canonical.encode_texts(sorted(disabled)), sha256)[:_DISABLED_BYTES]


def _layer_state(encoded: bytes) -> LayerState:
    return LayerState(
        layer_id=encoded[:8],
        log_id=encoded[8:24],
        sequence=int.from_bytes(encoded[24:32], "big"),
        digest=encoded[32:].hex(),
    )
