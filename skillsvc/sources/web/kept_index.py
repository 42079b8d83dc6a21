"""The last index of a source on the web, kept over restarts: for its validators, and for where blobs are on need."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from skillsvc.content.fetching import Validators
from skillsvc.sources.kept_file import KeptFile
from skillsvc.sources.web.bringing import FetchedIndex, WebSettings

_FORMAT: Final = 2
_NAME: Final = "index"
_SHOWN: Final = "shown"


class KeptIndex:
    """Two files in the folder of one source: its index, and the digests of what it has shown to have.

    What they hold is believed only if it was fetched in the same way.

    That is from the same URL with the same credentials: what one of them may see tells nobody else anything (G29).
    """

    def __init__(self, folder: Path | None, settings: WebSettings) -> None:
        """Keep the index in `folder`, which is made at need; without one nothing is kept."""
        fetched_by = hashlib.sha256(f"{_FORMAT}\0{settings.url}\0{settings.access}".encode()).hexdigest()
        self._file = None if folder is None else KeptFile(folder / _NAME, fingerprint=fetched_by)
        self._shown = None if folder is None else KeptFile(folder / _SHOWN, fingerprint=fetched_by)

    def read(self) -> FetchedIndex | None:
        """Return what was kept, None where that is nothing, damaged, or fetched in another way."""
        kept = None if self._file is None else self._file.read()
        if kept is None:
            return None
        head, _, data = kept.partition(b"\n")
        try:
            fields = json.loads(head)
            validators = Validators(etag=fields["etag"], last_modified=fields["last_modified"])
            return FetchedIndex(data=data, url=fields["url"], validators=validators)
        except (ValueError, KeyError, TypeError, RecursionError):
            return None

    def write(self, index: FetchedIndex) -> None:
        """Keep an index. A folder that cannot be written to costs no more than fetching it again."""
        if self._file is not None:
            validators = index.validators
            head = {"url": index.url, "etag": validators.etag, "last_modified": validators.last_modified}
            self._file.write(json.dumps(head).encode() + b"\n" + index.data)

    def read_shown(self) -> frozenset[str]:
        """Return the digests that were kept, none where they are damaged."""
        kept = None if self._shown is None else self._shown.read()
        return frozenset() if kept is None else frozenset(kept.decode("ascii", "replace").split())

    def write_shown(self, digests: Iterable[str]) -> None:
        """Keep digests, in place of those before."""
        if self._shown is not None:
            self._shown.write("\n".join(sorted(digests)).encode())
