"""A provider: one JSON file that holds a list of cards, each `{"name": …, "description": …, "text": …}`."""

import json
import threading
from pathlib import Path

from skillsvc.sources.provider import Candidate, OptionsRefused, ProviderContext, ProviderObservation

LOOK_S = 0.5


class Cards:
    """The cards of one file, which is looked at twice a second."""

    def __init__(self, context: ProviderContext, path: Path) -> None:
        self._context = context
        self._path = path
        self._stamp: tuple[int, int, int] | None = None
        self._observation = ProviderObservation()
        self._closed = threading.Event()
        self._watching = threading.Thread(target=self._watch, name=f"cards-{context.name}", daemon=True)
        self._watching.start()

    def observe(self) -> ProviderObservation:
        """Return all cards; the object of the last time where the file is the same."""
        stamp = self._stamp_now()
        if stamp != self._stamp:
            cards = json.loads(self._path.read_bytes())
            self._observation = ProviderObservation(skills=tuple(map(skill_of, cards)), revision=f"{stamp[0]}")
            self._stamp = stamp
        return self._observation

    def close(self) -> None:
        """Look no more."""
        self._closed.set()
        self._watching.join()

    def _stamp_now(self) -> tuple[int, int, int]:
        found = self._path.stat()
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _watch(self) -> None:
        told = None
        while not self._closed.wait(LOOK_S):
            try:
                stamp = self._stamp_now()
            except OSError:
                # The next look says what is wrong.
                continue
            if self._stamp is not None and stamp not in {self._stamp, told}:
                told = stamp
                self._context.invalidate()


def skill_of(card: dict[str, str]) -> Candidate:
    """Return the skill that a card makes."""
    # JSON's text is YAML's, whatever is in it.
    frontmatter = f"name: {card['name']}\ndescription: {json.dumps(card['description'])}"
    return Candidate(name=card["name"], document=f"---\n{frontmatter}\n---\n{card['text']}\n".encode())


def make(context: ProviderContext) -> Cards:
    """Be the factory that the entry point names."""
    path = context.options.get("file")
    if not isinstance(path, str) or not Path(path).is_absolute():
        raise OptionsRefused("file must be the absolute path of a JSON file")
    return Cards(context, Path(path))
