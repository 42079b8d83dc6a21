"""Bodies, documents and assets by digest, read from the blob store in threads of its own and verified.

What is not here yet is brought from where its source has it, in other threads: whoever waits for a network must not
keep anybody from reading what is here. What another source has of the same digest is no reason to have it here.
"""

import asyncio
import hashlib
from collections.abc import Callable

from skillsvc.catalog.reports import SourceKey
from skillsvc.content.blobs import BlobStore
from skillsvc.domain.errors import DataLoss, ErrorReason, SkillsvcError, Unavailable
from skillsvc.domain.generation import Row
from skillsvc.domain.skill import Asset, Bundle, TextRef
from skillsvc.parsing.document import body_of, is_text
from skillsvc.service.sights import Seen, source_of
from skillsvc.service.threads import Threads
from skillsvc.sources.remote_blobs import RemoteBlobs


class Texts:
    """What bundles name by digest. Nothing here is cached; whoever answers keeps what it encodes.

    `row` is the row, in what is seen, whose text is asked for. Whoever keeps answers by digests alone has to wait
    for `given` first.

    All methods but `body_at_hand` raise Unavailable (SOURCE_UNREACHABLE) where something has to be brought and cannot
    be.
    """

    def __init__(
        self, blobs: BlobStore, threads: Threads, *, remote: RemoteBlobs | None = None, outbound: Threads | None = None
    ) -> None:
        """Read from `blobs`, in `threads`; bring what is offered by `remote`, in `outbound`."""
        self._blobs = blobs
        self._threads = threads
        self._remote = remote
        self._outbound = outbound
        self._coming: dict[tuple[SourceKey, str], asyncio.Future[None]] = {}
        self._told: Callable[[SourceKey, str], None] = lambda _source, _digest: None

    async def given(self, seen: Seen, row: Row, digest: str) -> None:
        """Return once a row's source has given a blob that it names, which may be here through another one."""
        remote = self._remote
        if remote is not None and not remote.is_idle and remote.owes(source_of(seen, row), digest):
            await self._bring(seen, row, digest)

    async def body(self, seen: Seen, row: Row) -> bytes:
        """Return the body of a row's bundle that has one, in UTF-8.

        Raises:
            DataLoss: DIGEST_MISMATCH where what is stored makes another body than the one the bundle names.
        """
        bundle = row.bundle
        assert bundle.body is not None  # whoever asks has looked
        await self._bring(seen, row, (bundle.document or bundle.body).digest)
        return await self._threads.run(lambda: self._body(bundle))

    async def document(self, seen: Seen, row: Row, document: TextRef) -> bytes:
        """Return a SKILL.md as text in UTF-8: bytes that are none read as U+FFFD."""
        await self._bring(seen, row, document.digest)
        return await self._threads.run(lambda: self._blobs.read(document.digest).decode(errors="replace").encode())

    async def asset(self, seen: Seen, row: Row, asset: Asset, offset: int, length: int) -> bytes:
        """Return a range of an asset, shorter only at its end."""
        await self._bring(seen, row, asset.digest)
        return await self._threads.run(lambda: self._asset(asset, offset, length))

    async def asset_is_text(self, seen: Seen, row: Row, asset: Asset) -> bool:
        """Tell whether an asset is text: valid UTF-8 without NUL."""
        await self._bring(seen, row, asset.digest)
        return await self._threads.run(lambda: is_text(self._blobs.read(asset.digest)))

    def when_brought(self, told: Callable[[SourceKey, str], None]) -> None:
        """Have `told` called on the loop with the source and the digest of each blob that has been brought."""
        self._told = told

    def body_at_hand(self, source: SourceKey, bundle: Bundle) -> str | None:
        """Return the body of a source's bundle, "" where it has none, None where it is not here or not its own.

        For any thread.

        What merely serves to find skills is never fetched, and no fault of what is stored is told of it.
        """
        if bundle.body is None:
            return ""
        remote, digest = self._remote, (bundle.document or bundle.body).digest
        offered = remote is not None and not remote.is_idle and remote.offers(source, digest)
        # Asked of the store, as in `_bring`: what is not here yet is not lost.
        if remote is not None and offered and (remote.owes(source, digest) or not self._blobs.has(digest)):
            return None
        try:
            return self._body(bundle).decode()
        except SkillsvcError:
            return None

    async def _bring(self, seen: Seen, row: Row, digest: str) -> None:
        """Return once a blob is here that a row's source has elsewhere; what it does not offer is here, or lost."""
        remote = self._remote
        if remote is None or self._outbound is None or remote.is_idle:
            return
        source = source_of(seen, row)
        if not remote.offers(source, digest):
            return
        # Asked of the store, not found out by reading: what is not here yet is not lost.
        if not remote.owes(source, digest) and await self._threads.run(lambda: self._blobs.has(digest)):
            return
        # However many wait for one blob, one thread does: others are left for what other sources have.
        wanted = source, digest
        coming = self._coming.get(wanted)
        if coming is None:
            coming = asyncio.ensure_future(self._outbound.run(lambda: remote.bring(source, digest)))
            self._coming[wanted] = coming
            coming.add_done_callback(lambda came: self._came(wanted, came))
        await asyncio.shield(coming)

    def _came(self, wanted: tuple[SourceKey, str], came: asyncio.Future[None]) -> None:
        del self._coming[wanted]
        # Whoever waited may be gone: an error that nobody asks for is no fault of the loop's.
        if not came.cancelled() and came.exception() is None:
            self._told(*wanted)

    def _asset(self, asset: Asset, offset: int, length: int) -> bytes:
        data = self._blobs.read(asset.digest, offset, length)
        if self._blobs.size(asset.digest) != asset.size:
            # A source may say two sizes of one digest; which is right shows when the bytes are here.
            raise Unavailable(
                ErrorReason.SOURCE_UNREACHABLE, "what the skill's source gives as the asset has another size"
            )
        return data

    def _body(self, bundle: Bundle) -> bytes:
        assert bundle.body is not None  # whoever asks has looked
        if bundle.document is None:
            body = self._blobs.read(bundle.body.digest)
            if not is_text(body) or len(body) != bundle.body.size:
                # Nobody could look before it was brought.
                raise Unavailable(
                    ErrorReason.SOURCE_UNREACHABLE,
                    "what the skill's source gives as its body is no text, or of another size",
                )
            return body
        body = (body_of(self._blobs.read(bundle.document.digest)) or "").encode()
        if hashlib.sha256(body).hexdigest() != bundle.body.digest:
            raise DataLoss(ErrorReason.DIGEST_MISMATCH, "the stored body is not the one that was taken in")
        return body
