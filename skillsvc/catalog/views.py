"""Views of callers: which layers, which generations of them, and how a named state is found again.

A view is taken once per request. The views that callers are served at present are kept beside the state they were
composed from, so that a request costs one look-up while nothing changes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, unique
from typing import TypeVar

from skillsvc.catalog.current import Current, Layer, UnreachableSource
from skillsvc.domain.errors import ErrorReason, InvalidInput
from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.tokens import LayerState, TokenKeys
from skillsvc.domain.view import View, compose

_HELD_VIEWS = 1024
_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What one request sees: a view, its token, and the sources behind it that could not be seen.

    The sources are judged when the answer is made, also where the view is an older one (rules.md 5).
    """

    view: View
    token: str
    unreachable: tuple[UnreachableSource, ...]


@unique
class Missing(Enum):
    """Why a named state cannot be answered from."""

    EXPIRED = "expired"
    """It is no longer held here, or never was."""
    NOT_YET = "not yet"
    """It is later than what is held here."""


class Views:
    """The views of callers over the present state. Used by one thread."""

    def __init__(self, current: Current, keys: TokenKeys) -> None:
        """Begin with none."""
        self._current = current
        self._keys = keys
        self._layers: Mapping[Partition, Layer] = {}
        self._present: dict[Partition, Sight] = {}
        self._older: dict[tuple[Partition, tuple[str, ...]], Sight] = {}

    def present(self, caller: Partition) -> Sight:
        """Return what a caller sees now."""
        layers = self._current.layers
        if layers is not self._layers:
            self._layers = layers
            self._present.clear()
        sight = self._present.get(caller)
        if sight is None:
            held = _layers_of(caller, layers)
            sight = self._compose(caller, held, tuple(layer.present for layer in held))
            self._present[caller] = sight
            _bound(self._present)
        return sight

    def exactly(self, caller: Partition, token: str) -> Sight | Missing:
        """Return the state that a token names: for each layer its digest must be current or retained, whatever its log.

        Raises:
            InvalidInput: TOKEN_MALFORMED where the token is not of this caller's layers.
        """
        held = _layers_of(caller, self._current.layers)
        states = self._read(caller, token, held)
        generations: list[Generation] = []
        for layer, state in zip(held, states, strict=True):
            generation = layer.with_digest(state.digest)
            if generation is None:
                return Missing.EXPIRED
            generations.append(generation)
        present = self.present(caller)
        if tuple(generations) == present.view.layers:
            return present
        key = (caller, tuple(generation.digest for generation in generations))
        older = self._older.pop(key, None)
        if older is None or older.unreachable != present.unreachable:
            older = self._compose(caller, held, tuple(generations))
        self._older[key] = older
        _bound(self._older)
        return older

    def at_least(self, caller: Partition, token: str) -> Sight | Missing:
        """Return what a caller sees now, if it is the state that a token names or a later one.

        Raises:
            InvalidInput: TOKEN_MALFORMED where the token is not of this caller's layers.
        """
        held = _layers_of(caller, self._current.layers)
        for layer, state in zip(held, self._read(caller, token, held), strict=True):
            present = layer.present
            reached = present.log_id == state.log_id and present.sequence >= state.sequence
            if not reached and layer.with_digest(state.digest) is None:
                return Missing.NOT_YET if present.log_id == state.log_id else Missing.EXPIRED
        return self.present(caller)

    def _read(self, caller: Partition, token: str, held: tuple[Layer, ...]) -> tuple[LayerState, ...]:
        states = self._keys.read_generation(token, caller)
        if [state.layer_id for state in states] != [layer.present.layer_id for layer in held]:
            raise InvalidInput(ErrorReason.TOKEN_MALFORMED, "the generation token names other layers than the caller's")
        return states

    def _compose(self, caller: Partition, held: tuple[Layer, ...], generations: tuple[Generation, ...]) -> Sight:
        return Sight(
            view=compose(generations),
            token=self._keys.sign_generation(generations, caller),
            unreachable=tuple(source for layer in held for source in layer.unreachable),
        )


def _bound(views: dict[_Key, Sight]) -> None:
    """Forget the view that was put in first: callers choose projects, so that there may be any number of keys."""
    if len(views) > _HELD_VIEWS:
        del views[next(iter(views))]


def _layers_of(caller: Partition, layers: Mapping[Partition, Layer]) -> tuple[Layer, ...]:
    """Return a caller's layers, strongest first (rules.md 4); layers that nobody published to are left out."""
    partitions = [DEPLOYMENT, caller]
    if caller.project:
        partitions.append(Partition(principal=caller.principal, project=""))
    return tuple(layers[partition] for partition in partitions if partition in layers)
