"""Texts as terms: what a search compares, for skills and queries alike.

A word is folded (compatible forms, accents, case) and stemmed. An identifier is its words and, as one more term, the
whole without what joins them: `rust-review`, `rust_review` and `RustReview` all have `rustreview`. What signs mean is
spelt: `c++` is `cpp`, `c#` is `csharp`, `.net` is `dotnet`. Scripts without blanks are cut into pairs of characters.
Nothing is left out for being common: that is for the scores to say.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import TypeVar

LONGEST_QUERY_BYTES = 8 * 1024
MOST_TERMS = 64
"""Of one query; further ones are not looked for."""
_LONGEST_TERM = 64
_LONGEST_RUN = 256
"""Longer runs are cut, so that to fold one takes no time that grows with the square of a text (an attack)."""
_MOST_KEPT = 1 << 17

# Thai, Lao, Myanmar, Khmer, kana, ideographs, Hangul: written without blanks, or with particles tied to the words.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_LETTERS = rf"[^\W_{_UNSPACED}]+"
_RUN = re.compile(r"[\w\u0300-\u036f.+#'\u2019-]+")
_PIECE = re.compile(rf"[{_UNSPACED}]+|\.?{_LETTERS}(?:[-_.'\u2019]{_LETTERS})*(?:\+\+|#(?!{_LETTERS}))?")
_HIRAGANA = re.compile("[\u3040-\u309f]")
_STRETCH = re.compile(rf"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_UNSPACED_ONE = re.compile(rf"[{_UNSPACED}]")
_JOINTS = re.compile(r"[-_.]")
_ACCENTS = re.compile(r"[\u0300-\u036f]+")
# Where a capital begins a word: `webSocket`, `HTTPServer`.
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NUMBERED = re.compile(r"([a-z]{3,})[0-9]+")
_VOWEL = re.compile(r"[aeiouy]")
_PLAIN = re.compile(r"[a-z]{4,}")
_IDENTIFIER = re.compile(r"[a-zA-Z0-9]+(?:[-_][a-zA-Z0-9]+)+")

_Kept = TypeVar("_Kept")


@dataclass(frozen=True, slots=True)
class Word:
    """A term that a query looks for, and how it was spelt, folded: typing errors are of the latter.

    `compound` is whether it is several words as one, which are looked for by themselves too: `codereview` is for
    `code-review` and for `code review`. `binding` is whether it has hiragana: particles and endings, which would tell
    the few Japanese texts of a catalog from all others, and nothing more.
    """

    term: str
    spelt: str
    compound: bool = False
    binding: bool = False


class Words:
    """Counts the terms of texts; remembers how words were cut, since most of a text are words seen before."""

    def __init__(self) -> None:
        """Begin without any."""
        self._single: dict[str, str] = {}
        self._known: dict[str, tuple[str, ...]] = {}

    def count(self, text: str) -> Counter[str]:
        """Return how often each term is in a text."""
        runs = _RUN.findall(text)
        single = self._single
        # Nine words in ten were seen before and have one term: these are counted without a step of Python's for each.
        counted = Counter(map(single.get, runs, repeat("")))
        if counted.pop("", 0):
            count_of = counted.get
            for run, times in Counter([run for run in runs if run not in single]).items():
                for term in self._terms_in(run):
                    counted[term] = count_of(term, 0) + times
        return counted

    def places(self, text: str, sought: Collection[str]) -> Iterator[tuple[int, int, str]]:
        """Yield where terms are in a text, from the first on: the characters they are between, and which it is.

        The terms of an identifier are all where it is.
        """
        for found in _RUN.finditer(text):
            start, end = found.span()
            if _UNSPACED_ONE.search(text, start, end):
                yield from _places_unspaced(text, start, end, sought)
            else:
                yield from ((start, end, term) for term in self._terms_in(found[0]) if term in sought)

    def _terms_in(self, run: str) -> tuple[str, ...]:
        term = self._single.get(run)
        if term is not None:
            return (term,)
        terms = self._known.get(run)
        if terms is None:
            terms = self._terms_of(run)
            if len(run) <= _LONGEST_TERM:
                if len(terms) == 1:
                    _keep(self._single, run, terms[0])
                else:
                    _keep(self._known, run, terms)
        return terms

    def _terms_of(self, run: str) -> tuple[str, ...]:
        """Return the terms of a run, in a shorter way for what most runs are."""
        core = run.strip("'\u2019-_").rstrip(".")
        if core.isascii() and len(core) <= _LONGEST_TERM:
            if core.isalpha():
                return (stem(core.lower()),)
            if _IDENTIFIER.fullmatch(core):
                return self._terms_of_identifier(core.lower().replace("-", "_").split("_"))
        return tuple(word.term for word in _words_in(run, capitals=False))

    def _terms_of_identifier(self, parts: Sequence[str]) -> tuple[str, ...]:
        """Return the terms of words and numbers that hyphens and underscores joined, as `_words_in` has them."""
        terms: list[str] = []
        for part in parts:
            known = self._single.get(part)
            if known is not None:
                terms.append(known)
            else:
                terms += _terms_of_part(part)
        terms.append(stem("".join(parts)))
        return tuple(terms)


def _keep(kept: dict[str, _Kept], run: str, terms: _Kept) -> None:
    """Keep what a run was cut into; where that is too much, forget all, and learn anew what is still used."""
    if len(kept) >= _MOST_KEPT:
        kept.clear()
    kept[run] = terms


def _terms_of_part(part: str) -> tuple[str, ...]:
    """Return the terms of letters and digits alone, in lower case."""
    if part.isdigit():
        return (part,)
    numbered = _NUMBERED.fullmatch(part)
    return (stem(part),) if numbered is None else (stem(part), stem(numbered[1]))


def words_of_query(text: str) -> tuple[Word, ...]:
    """Return the words of a query, each term once, at most 64 of them from its first 8 KiB.

    Neighbours are looked for as one word too. There is no text that is not a query: signs mean nothing beyond what they
    mean in words.
    """
    cut = text.encode(errors="replace")[:LONGEST_QUERY_BYTES].decode(errors="ignore")
    found: dict[str, Word] = {}
    runs = _RUN.findall(cut)
    for run in runs:
        for word in _words_in(run, capitals=True):
            found.setdefault(word.term, word)
            if len(found) == MOST_TERMS:
                return tuple(found.values())
    for left, right in pairwise(runs):
        for word in _joined(left, right):
            found.setdefault(word.term, word)
            if len(found) == MOST_TERMS:
                return tuple(found.values())
    return tuple(found.values())


def stem(word: str) -> str:
    """Return what the forms of an English word share: plurals, `-ing`, `-ed`; other words as they are."""
    if not _PLAIN.fullmatch(word):
        return word
    if word.endswith("ies") and len(word) > 4:
        word = f"{word[:-3]}y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for suffix in ("ing", "ed"):
        kept = word.removesuffix(suffix)
        if kept != word and len(word) > 5 and _VOWEL.search(kept) and not word.endswith("eed"):
            word = kept[:-1] if kept[-1] == kept[-2] and kept[-1] not in "lsz" else kept
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _words_in(run: str, *, capitals: bool) -> Iterator[Word]:
    """Yield the words of a run of letters and the signs between them; with `capitals` those of `webSocket` too."""
    for start in range(0, len(run), _LONGEST_RUN):
        part = run[start : start + _LONGEST_RUN]
        text = part if part.isascii() else _without_accents(part)
        for piece in _PIECE.findall(text):
            for word in _words_of_piece(piece, capitals=capitals):
                if len(word.term) <= _LONGEST_TERM:
                    yield word


def _words_of_piece(piece: str, *, capitals: bool) -> Iterator[Word]:
    folded = _folded(piece)
    if folded.isascii() and folded.isalnum() and not capitals:
        yield from _spelt(folded)
        return
    if _UNSPACED_ONE.match(folded):
        yield from (Word(pair, pair, binding=_HIRAGANA.search(pair) is not None) for pair in _pairs(folded))
        return
    core = folded.rstrip("+#")
    signs = folded[len(core) :]
    parts = _JOINTS.split(core.replace("'", "").replace("\u2019", "").lstrip("."))
    begins = "dot" if core.startswith(".") else ""
    if not signs:
        for part in parts:
            yield from _spelt(part)
    if begins or signs or (len(parts) > 1 and core.count(".") < 2):
        whole = f"{begins}{''.join(parts)}{signs.replace('+', 'p').replace('#', 'sharp')}"
        yield Word(stem(whole), whole, compound=len(parts) > 1)
    if capitals:
        inner = [part for each in _JOINTS.split(piece) for part in _CAPITAL.split(each)]
        if len(inner) > len(parts):
            for part in inner:
                if len(part) > 1:
                    yield from _spelt(_folded(part.strip("'\u2019+#.")))


def _spelt(word: str) -> Iterator[Word]:
    yield Word(stem(word), word)
    numbered = _NUMBERED.fullmatch(word)
    if numbered:
        yield Word(stem(numbered[1]), numbered[1])


def _joined(left: str, right: str) -> Iterator[Word]:
    """Yield what two neighbours are as one word, where both are words of letters alone."""
    both = _folded(left) + _folded(right)
    if left.isalnum() and right.isalnum() and both.isascii() and len(both) <= _LONGEST_TERM:
        yield Word(stem(both), both, compound=True)


def _pairs(text: str) -> Iterable[str]:
    return (left + right for left, right in pairwise(text)) if len(text) > 1 else (text,)


def _places_unspaced(text: str, start: int, end: int, sought: Collection[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the places in a run that has characters of a script without blanks: of their pairs, and of other words."""
    for begin in range(start, end, _LONGEST_RUN):
        until = min(begin + _LONGEST_RUN, end)
        part = text[begin:until]
        if _without_accents(part) != part:
            # What is folded has other places than what is read.
            words = _words_in(part, capitals=False)
            yield from ((begin, until, word.term) for word in words if word.term in sought)
            continue
        for stretch in _STRETCH.finditer(text, begin, until):
            first, last = stretch.span()
            if _UNSPACED_ONE.match(text, first):
                for at in range(first, max(first + 1, last - 1)):
                    pair = _folded(text[at : min(at + 2, last)])
                    if pair in sought:
                        yield at, min(at + 2, last), pair
            else:
                words = _words_in(stretch[0], capitals=False)
                yield from ((first, last, word.term) for word in words if word.term in sought)


def _without_accents(text: str) -> str:
    return unicodedata.normalize("NFKC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text)))


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text.casefold())
