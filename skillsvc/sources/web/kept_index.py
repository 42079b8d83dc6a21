"""The last index of a source on the web, kept over restarts: for its validators, and for where blobs are on need."""

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from skillsvc.content.fetching import Validators
from skillsvc.sources.web.bringing import FetchedIndex, WebSettings

_FORMAT: Final = 1
_NAME: Final = "index"
_NEW: Final = "index.new"


class KeptIndex:
    """One file in the state folder of one source. What it holds is believed only if it was fetched in the same way.

    That is from the same URL with the same credentials: what one of them may see tells nobody else anything (G29).
    """

    def __init__(self, folder: Path | None, settings: WebSettings) -> None:
        """Keep the index in `folder`, which is made at need; without one nothing is kept."""
        self._folder = folder
        self._fetched_by = hashlib.sha256(f"{settings.url}\0{settings.access}".encode()).hexdigest()

    def read(self) -> FetchedIndex | None:
        """Return what was kept, None where that is nothing, damaged, or fetched in another way."""
        if self._folder is None:
            return None
        try:
            head, _, data = (self._folder / _NAME).read_bytes().partition(b"\n")
            fields = json.loads(head)
            if (fields["format"], fields["fetched_by"]) != (_FORMAT, self._fetched_by):
                return None
            if fields["digest"] != hashlib.sha256(data).hexdigest():
                return None
            validators = Validators(etag=fields["etag"], last_modified=fields["last_modified"])
            return FetchedIndex(data=data, url=fields["url"], validators=validators)
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def write(self, index: FetchedIndex) -> None:
        """Keep an index. A folder that cannot be written to costs no more than fetching it again."""
        if self._folder is None:
            return
        head = {
            "format": _FORMAT,
            "fetched_by": self._fetched_by,
            "url": index.url,
            "etag": index.validators.etag,
            "last_modified": index.validators.last_modified,
            "digest": index.digest,
        }
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            new = self._folder / _NEW
            new.write_bytes(json.dumps(head).encode() + b"\n" + index.data)
            new.chmod(0o600)
            os.replace(new, self._folder / _NAME)  # noqa: PTH105 - renamed over what was kept before
