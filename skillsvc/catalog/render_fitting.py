"""What of a catalog goes into a budget: who is in the text, and how much each says. Pure (ADR 0013).

There are three ways to be in: whole, shortened to no less than says something, and by name alone. Each has a share of
the room, in the order of the items: what fits the question best is whole, what comes next is shortened, then come
names. What is left over then lengthens what was shortened, evenly.
"""

from collections.abc import Callable, Sequence

from skillsvc.catalog.render_forms import Form, Item, shortened

LEAST = 80
"""Bytes of a description below which its beginning says little more than the name does."""
_OF_NAMES = 4
"""The part of the room for names alone: a fourth of it."""
_ALL_OF_NAMES = 256
"""Bytes of room that are all for names, so that those that fit are told even in next to none."""
_OF_WHOLE = 2
"""The part of the room for whole descriptions: half of it."""


def fit(items: Sequence[Item], *, ahead: int, form: Form, room: int, left_out: int) -> tuple[str, ...]:
    """Return what each of the first items is to say in so many bytes of lines; items beyond these are left out.

    A text is the item's own, its beginning with an ellipsis, or "" for none beside the name. More room never has fewer
    of them in.

    Args:
        items: What there is, what matters most first.
        ahead: How many of the first are known to matter more than the others.
        form: How lines are written.
        room: Bytes for lines, each with its end, and for the line that tells how many are left out.
        left_out: How many may be left out at most.
    """
    fitting = _Fitting(items, ahead, form, room)
    if len(fitting.texts) < len(items):
        fitting = _Fitting(items, ahead, form, room - form.note_bytes(left_out))
    fitting.spend()
    return tuple(fitting.texts)


class _Fitting:
    """One try to fill a room."""

    def __init__(self, items: Sequence[Item], ahead: int, form: Form, room: int) -> None:
        """Choose who is in, each with no more than its share allows."""
        self.texts: list[str] = []
        self._items = items
        self._ahead = ahead
        self._form = form
        self._left = room = max(room, 0)
        for_names = max(room // _OF_NAMES, min(room, _ALL_OF_NAMES))
        for_whole = min(room // _OF_WHOLE, room - for_names)
        spent = self._take(ahead, for_whole, lambda item: item.text)
        # Those that are all whole leave the rest of their share to the others. Else nobody has it for now: what
        # shortened ones have must never be less for there being more room.
        if len(self.texts) < ahead:
            spent = for_whole
        self._take(len(items), room - for_names - spent, _least)
        self._take(len(items), for_names, lambda _item: "")

    def spend(self) -> None:
        """Have those that are in say more with what is left: first who says nothing, then the first, then all."""
        for index, text in enumerate(self.texts):
            if not text and not self._lengthen(index, _least(self._items[index])):
                return
        for index in range(min(self._ahead, len(self.texts))):
            if not self._lengthen(index, self._items[index].text):
                break
        self._level()

    def _take(self, end: int, share: int, say: Callable[[Item], str]) -> int:
        """Take items in while they fit a share, up to one; return what of it they take."""
        spent = 0
        while len(self.texts) < end:
            item = self._items[len(self.texts)]
            text = say(item)
            size = self._form.bare_bytes(item) + self._form.text_bytes(item, text)
            if spent + size > share:
                break
            spent += size
            self.texts.append(text)
        self._left -= spent
        return spent

    def _growth(self, index: int, text: str) -> int:
        item = self._items[index]
        return self._form.text_bytes(item, text) - self._form.text_bytes(item, self.texts[index])

    def _lengthen(self, index: int, text: str) -> bool:
        """Have an item say a text, where there is room; tell whether there was."""
        growth = self._growth(index, text)
        if growth > self._left:
            return False
        self._left -= growth
        self.texts[index] = text
        return True

    def _level(self) -> None:
        """Give all that are not whole the same number of bytes, the largest that fits: nobody has more for its place.

        That is what most of the descriptions gain by, as long as each byte of one says less than those before it.
        """
        cut = [index for index, text in enumerate(self.texts) if text != self._items[index].text]
        fits: dict[int, str] = {}
        low, high = LEAST, max((len(self._items[index].text.encode()) * 5 for index in cut), default=0)
        while low < high:
            most = (low + high + 1) // 2
            texts = {index: shortened(self._items[index].text, most) for index in cut}
            if sum(self._growth(index, text) for index, text in texts.items()) <= self._left:
                low, fits = most, texts
            else:
                high = most - 1
        for index, text in fits.items():
            self._lengthen(index, text)


def _least(item: Item) -> str:
    return shortened(item.text, LEAST)
