"""What a host tells its model of the catalog: the last good text, and what to do when another one comes."""

from dataclasses import dataclass
from enum import StrEnum, unique

from skillsource.answers import RenderedCatalog
from skillsource.values import SourceState, UnreachableSource

_SEEN = (SourceState.STALE,)
"""States of a source whose skills are in the catalog, as they were when it was last seen whole."""


@unique
class TextChange(StrEnum):
    """What a host does with the text that its model has."""

    UNCHANGED = "unchanged"
    """Nothing: the model has it, or there is nothing to tell."""
    REPLACE = "replace"
    """Tell the text, in place of any that the model has."""
    WITHDRAW = "withdraw"
    """Tell the text, which says that no skills are available any more, in place of the one that the model has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextStep:
    """What one rendered catalog comes to."""

    change: TextChange
    text: str
    """What the model has once the change is made; empty where nothing was told."""
    waits_for: tuple[UnreachableSource, ...] = ()
    """The sources for which the last text is kept: some of their skills may be missing from the rendered one."""


class CatalogText:
    """The catalog text of one conversation.

    A catalog that a source is missing from replaces no text: the model would be told that skills are gone which are
    there. Where nothing was told yet it is told all the same, since some skills are better than none. An error of a
    call changes nothing here: the last text stays, and the next catalog is compared with it.

    For another scope, format or budget make another one. Not for several threads at once.
    """

    def __init__(self) -> None:
        """Begin with a model that was told nothing."""
        self._last: RenderedCatalog | None = None
        self._told = ""
        self._has_told = False

    @property
    def text(self) -> str:
        """What the model was told; empty for nothing."""
        return self._told

    def take(self, rendered: RenderedCatalog) -> TextStep:
        """Take a catalog that the server rendered, and return what to do."""
        sources = rendered.generation.unreachable_sources
        waits_for = tuple(source for source in sources if source.state not in _SEEN)
        if waits_for and self._last is not None:
            return self._step(self._last, waits_for)
        self._last = rendered
        return self._step(rendered, ())

    def forget(self) -> None:
        """Note that the model does not have the text any more, because its history was cut: it is to be told again."""
        self._told = ""
        self._has_told = False

    def _step(self, rendered: RenderedCatalog, waits_for: tuple[UnreachableSource, ...]) -> TextStep:
        text = rendered.text
        tells_skills = rendered.total > 0 and bool(text)
        if text == self._told or not (tells_skills or self._has_told):
            return TextStep(change=TextChange.UNCHANGED, text=self._told, waits_for=waits_for)
        self._told = text
        self._has_told = tells_skills
        change = TextChange.REPLACE if tells_skills else TextChange.WITHDRAW
        return TextStep(change=change, text=text, waits_for=waits_for)
