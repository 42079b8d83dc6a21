"""Bodies, documents and assets by digest, read from the blob store in threads of its own and verified."""

import hashlib

from skillsvc.content.blobs import BlobStore
from skillsvc.domain.errors import DataLoss, ErrorReason
from skillsvc.domain.skill import Asset, Bundle
from skillsvc.parsing.document import body_of
from skillsvc.service.threads import Threads


class Texts:
    """What bundles name by digest. Nothing here is cached; whoever answers keeps what it encodes."""

    def __init__(self, blobs: BlobStore, threads: Threads) -> None:
        """Read from `blobs`, in `threads`."""
        self._blobs = blobs
        self._threads = threads

    async def body(self, bundle: Bundle) -> bytes:
        """Return the body of a bundle that has one, in UTF-8.

        Raises:
            DataLoss: DIGEST_MISMATCH where what is stored makes another body than the one the bundle names.
        """
        return await self._threads.run(lambda: self._body(bundle))

    async def document(self, bundle: Bundle) -> bytes:
        """Return SKILL.md of a bundle that has one, as text in UTF-8: bytes that are none read as U+FFFD."""
        return await self._threads.run(lambda: self._document(bundle).decode(errors="replace").encode())

    async def asset(self, asset: Asset, offset: int, length: int) -> bytes:
        """Return a range of an asset, shorter only at its end."""
        return await self._threads.run(lambda: self._blobs.read(asset.digest, offset, length))

    async def asset_is_text(self, asset: Asset) -> bool:
        """Tell whether an asset is text: valid UTF-8 without NUL."""
        return await self._threads.run(lambda: _is_text(self._blobs.read(asset.digest)))

    def _document(self, bundle: Bundle) -> bytes:
        assert bundle.document is not None  # whoever asks has looked
        return self._blobs.read(bundle.document.digest)

    def _body(self, bundle: Bundle) -> bytes:
        assert bundle.body is not None  # whoever asks has looked
        body = (body_of(self._document(bundle)) or "").encode()
        if hashlib.sha256(body).hexdigest() != bundle.body.digest:
            raise DataLoss(ErrorReason.DIGEST_MISMATCH, "the stored body is not the one that was taken in")
        return body


def _is_text(data: bytes) -> bool:
    if b"\0" in data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
