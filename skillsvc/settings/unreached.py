"""Access rules that nobody reaches, as far as they tell by themselves: each is warned of, and none is refused.

Two kinds are found: patterns that no identity of the kind can fit, and rules behind an earlier one that is for all of
theirs.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from cryptography import x509

from skillsvc.domain.patterns import Pattern
from skillsvc.service.identities.spiffe import is_spiffe_id
from skillsvc.settings.access import AccessTable
from skillsvc.settings.refusal import Fault, Place

COMPARED: Final = 1000
"""The first rules, which are compared with each other: that takes as long as there are pairs of them."""
_SCHEME: Final = "spiffe://"
_SLASHES: Final = 3
_EVERYTHING: Final = frozenset({"*", "**"})
_OF_AN_ID: Final = re.compile(r"[A-Za-z0-9._/:*-]+")


def unreached(rules: Sequence[AccessTable], tokens: Collection[str] | None) -> Iterator[Fault]:
    """Yield what is for nobody, its place below [[access]]; `tokens` are the names of static tokens, if known."""
    for index, rule in enumerate(rules):
        for place, text in _patterns_of(rule):
            why = _why_not(rule.kind, text, tokens) if place[0] == "names" else _no_pattern(text)
            if why:
                yield Fault(why, (index, *place))
    judged = [_Judged.of(rule) for rule in rules[:COMPARED]]
    behind: set[int] = set()
    for (before, earlier), (index, later) in combinations(enumerate(judged), 2):
        if index not in behind and earlier.is_for_all_of(later):
            behind.add(index)
            sentence = f"is for nobody: whoever it is for is decided on by {rules[before].name}, which stands before"
            yield Fault(sentence, (index,))


class _Patterns(NamedTuple):
    texts: frozenset[str]
    starred: tuple[Pattern, ...]

    @classmethod
    def of(cls, texts: Sequence[str] | None) -> "_Patterns":
        """Understand patterns; None is all there may be."""
        given = frozenset(("*",) if texts is None else texts)
        return cls(given, tuple(map(Pattern, sorted(each for each in given if "*" in each))))

    def covers(self, other: "_Patterns") -> bool:
        """Tell whether whatever fits one of the others fits one of these."""
        return not self.texts.isdisjoint(_EVERYTHING) or all(
            each in self.texts or self._covers(each) for each in other.texts
        )

    def _covers(self, text: str) -> bool:
        return "*" not in text and any(pattern.fits(text) for pattern in self.starred)


class _Judged(NamedTuple):
    of_whom: tuple[str, str | None]
    names: _Patterns
    claims: Mapping[str, _Patterns]

    @classmethod
    def of(cls, rule: AccessTable) -> "_Judged":
        claims = {claim: _Patterns.of(patterns) for claim, patterns in (rule.claims or {}).items()}
        return cls((rule.kind, rule.issuer), _Patterns.of(rule.names), claims)

    def is_for_all_of(self, later: "_Judged") -> bool:
        """Tell whether whoever another rule is for is one whom this one is for."""
        return (
            self.of_whom == later.of_whom
            and self.names.covers(later.names)
            and all(
                claim in later.claims and patterns.covers(later.claims[claim])
                for claim, patterns in self.claims.items()
            )
        )


def _patterns_of(rule: AccessTable) -> Iterator[tuple[Place, str]]:
    yield from ((("names", number), text) for number, text in enumerate(rule.names or ()))
    for claim, patterns in (rule.claims or {}).items():
        yield from ((("claims", claim, number), text) for number, text in enumerate(patterns))
    yield from ((("projects", number), text) for number, text in enumerate(rule.projects))


def _why_not(kind: str, text: str, tokens: Collection[str] | None) -> str:
    """Return why no name of a kind can fit a pattern; "" where one may."""
    if text == "*":
        return ""
    match kind:
        case "spiffe" if not _may_be_spiffe(text):
            return "fits no SPIFFE id, which is spiffe://TRUST-DOMAIN/PATH"
        case "cert":
            return _no_subject(text)
        case "token" if tokens is not None and not any(map(Pattern(text).fits, tokens)):
            return "fits no token of the file of [identity.tokens]"
        case _:
            return _no_pattern(text)


def _may_be_spiffe(pattern: str) -> bool:
    if "*" not in pattern:
        return is_spiffe_id(pattern)
    lead = pattern.partition("*")[0]
    may_begin = lead.startswith(_SCHEME) or _SCHEME.startswith(lead)
    # One star alone stands for no `/`, of which an id has three or more.
    return may_begin and bool(_OF_AN_ID.fullmatch(pattern)) and ("**" in pattern or pattern.count("/") >= _SLASHES)


def _no_subject(text: str) -> str:
    try:
        meant = x509.Name.from_rfc4514_string(text).rfc4514_string()
    except ValueError:
        return "is no subject as RFC 4514 writes it, such as CN=agent,O=Acme"
    return "" if meant == text else f"fits no subject, which is compared as it is written: is {meant} meant?"


def _no_pattern(text: str) -> str:
    if text.startswith("^") or text.endswith("$"):
        return "reads as a regular expression, and is none: `*` stands for any run of characters without `/`"
    return ""
