"""Templates of principals: a text with places for what an identity says, so that one rule serves many tenants.

`oidc:corp:{claims.org}` or `spiffe:{name}`. What is put in is percent-encoded outside `[A-Za-z0-9._~@-]`, and between
two places stands a character that is encoded, so that two identities share a principal only where all that is put in is
the same: no `org` that holds a colon reaches into another's.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, Self
from urllib.parse import quote

from skillsvc.domain.errors import InvalidInput
from skillsvc.domain.partition import ANONYMOUS_PRINCIPAL, LOCAL_PRINCIPAL, Partition

_PLACE: Final = re.compile(r"\{([^{}]*)\}")
_NAME: Final = "name"
_CLAIMS: Final = "claims."
_KEPT: Final = "@"
"""Beside what `quote` keeps always: letters, digits, and `_.-~`."""
_SEPARATORS: Final = frozenset(":/,;=+!$&'()| #")


class TemplateRefused(ValueError):
    """A text is no template of a principal; the message goes on from the name of the setting."""


class TemplateUnfilled(ValueError):
    """An identity does not say what a template needs."""


class _Piece(NamedTuple):
    """A text, then the place after it; "" for none."""

    text: str
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PrincipalTemplate:
    """A template, or a principal as it is."""

    text: str
    pieces: tuple[_Piece, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Understand a template.

        Raises:
            TemplateRefused: It names a place that is not known, or makes no principal, or no safe one.
        """
        pieces = tuple(_pieces(text))
        if text in (LOCAL_PRINCIPAL, ANONYMOUS_PRINCIPAL):
            raise TemplateRefused(f"is {text}, which nobody is where there are access rules")
        for index, (between, place) in enumerate(pieces):
            if place and place != _NAME and not (place.startswith(_CLAIMS) and place != _CLAIMS):
                raise TemplateRefused(f"has the place {{{place}}}; {{{_NAME}}} and {{{_CLAIMS}…}} are known")
            if index and place and _SEPARATORS.isdisjoint(between):
                raise TemplateRefused("needs a character such as `:` or `/` between two places")
        example = "".join(between + ("x" if place else "") for between, place in pieces)
        if "{" in example or "}" in example:
            raise TemplateRefused("holds a brace that is not of a place")
        try:
            Partition.parse(principal=example, project="")
            # The kind is never for an identity to choose.
            Partition.parse(principal=pieces[0].text, project="")
        except InvalidInput as error:
            raise TemplateRefused(f"makes no principal: {error.message}") from None
        return cls(text=text, pieces=pieces)

    def fill(self, name: str, claims: Mapping[str, str | tuple[str, ...]]) -> str:
        """Return the principal for an identity's name and claims; whether it fits is for `Partition.parse` to say.

        Raises:
            TemplateUnfilled: A claim is missing, empty, or several.
        """
        return "".join(between + (_put_in(place, name, claims) if place else "") for between, place in self.pieces)


def _pieces(text: str) -> list[_Piece]:
    *split, last = _PLACE.split(text)
    pieces = [_Piece(between, place) for between, place in zip(split[::2], split[1::2], strict=True)]
    if not all(place for _, place in pieces):
        raise TemplateRefused("has a place {} without a name")
    return [*pieces, _Piece(last, "")]


def _put_in(place: str, name: str, claims: Mapping[str, str | tuple[str, ...]]) -> str:
    value = name if place == _NAME else claims.get(place.removeprefix(_CLAIMS), ())
    if not isinstance(value, str) or not value:
        raise TemplateUnfilled(f"it needs one value of {place}")
    return quote(value, safe=_KEPT)
