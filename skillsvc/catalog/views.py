"""Views of callers: which layers, which generations of them, and how a named state is found again.

A view is taken once per request. The views that callers are served at present are kept beside the state they were
composed from, so that a request costs one look-up while nothing changes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from typing import TypeVar

from skillsvc.catalog.current import Current, Layer, UnreachableSource
from skillsvc.domain.errors import ErrorReason, InvalidInput
from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.tokens import LayerState, TokenKeys
from skillsvc.domain.view import View, compose

_HELD_PRESENT = 1024
_HELD_OLDER = 64
"""Few, since each holds its generations, also those that are retained no longer."""
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
        return self._present_in(self._current.layers, caller)

    def exactly(self, caller: Partition, token: str) -> Sight | Missing:
        """Return the state that a token names: for each layer its digest must be current or retained, whatever its log.

        Raises:
            InvalidInput: TOKEN_MALFORMED where the token is not of this caller's layers.
        """
        layers = self._current.layers
        held = _layers_of(caller, layers)
        generations: list[Generation] = []
        for layer, state in zip(held, self._read(caller, token, held), strict=True):
            generation = layer.with_digest(state.digest)
            if generation is None:
                return Missing.EXPIRED
            generations.append(generation)
        present = self._present_in(layers, caller)
        if tuple(generations) == present.view.layers:
            return present
        key = (caller, tuple(generation.digest for generation in generations))
        older = self._older.pop(key, None)
        if older is None or older.unreachable != present.unreachable:
            older = self._compose(caller, held, tuple(generations))
        self._older[key] = older
        _bound(self._older, _HELD_OLDER)
        return older

    def at_least(self, caller: Partition, token: str) -> Sight | Missing:
        """Return what a caller sees now, if it is the state that a token names or a later one.

        Raises:
            InvalidInput: TOKEN_MALFORMED where the token is not of this caller's layers.
        """
        layers = self._current.layers
        held = _layers_of(caller, layers)
        present = self._present_in(layers, caller)
        missing = _missing(self._read(caller, token, held), held, present.view)
        return present if missing is None else missing

    def reaches(self, caller: Partition, sight: Sight, token: str) -> bool:
        """Tell whether a state that a caller was answered from is the one that a token names, or a later one.

        Raises:
            InvalidInput: TOKEN_MALFORMED where the token is not of this caller's layers.
        """
        layers = self._current.layers
        held = tuple(layers[generation.partition] for generation in sight.view.layers)
        return _missing(self._read(caller, token, held), held, sight.view) is None

    def _present_in(self, layers: Mapping[Partition, Layer], caller: Partition) -> Sight:
        if layers is not self._layers:
            self._layers = layers
            # What changed in the layers of others leaves a caller's view as it is.
            self._present = {
                other: sight for other, sight in self._present.items() if _is_present(sight, _layers_of(other, layers))
            }
        sight = self._present.get(caller)
        if sight is None:
            held = _layers_of(caller, layers)
            sight = self._compose(caller, held, tuple(layer.present for layer in held))
            self._present[caller] = sight
            _bound(self._present, _HELD_PRESENT)
        return sight

    def _read(self, caller: Partition, token: str, held: tuple[Layer, ...]) -> tuple[LayerState, ...]:
        states = self._keys.read_generation(token, caller)
        if [state.layer_id for state in states] != [layer.present.layer_id for layer in held]:
            raise InvalidInput(ErrorReason.TOKEN_MALFORMED, "the generation token names other layers than the caller's")
        return states

    def _compose(self, caller: Partition, held: tuple[Layer, ...], generations: tuple[Generation, ...]) -> Sight:
        return Sight(
            view=compose(generations),
            token=self._keys.sign_generation(generations, caller),
            unreachable=_unreachable(held),
        )


def _bound(views: dict[_Key, Sight], at_most: int) -> None:
    """Forget the view that was put in first: callers choose projects, so that there may be any number of keys."""
    if len(views) > at_most:
        del views[next(iter(views))]


def _missing(states: Sequence[LayerState], held: Sequence[Layer], view: View) -> Missing | None:
    """Return why a view is not what a token asks for at least, None where it is.

    Judged layer by layer: the same log and no lower sequence, or a digest that is held and is not of a later state. A
    layer that can never be reached decides before one that is not reached yet, since waiting would be in vain.
    """
    missing = None
    for state, layer, generation in zip(states, held, view.layers, strict=True):
        same_log = generation.log_id == state.log_id
        if (same_log and generation.sequence >= state.sequence) or layer.had(state.digest, generation.sequence):
            continue
        if not same_log:
            return Missing.EXPIRED
        missing = Missing.NOT_YET
    return missing


def _is_present(sight: Sight, held: Sequence[Layer]) -> bool:
    """Tell whether a sight is of the present generations of layers, and of their sources as they stand."""
    return (
        len(sight.view.layers) == len(held)
        and all(generation is layer.present for generation, layer in zip(sight.view.layers, held, strict=True))
        and sight.unreachable == _unreachable(held)
    )


def _unreachable(held: Iterable[Layer]) -> tuple[UnreachableSource, ...]:
    return tuple(source for layer in held for source in layer.unreachable)


def _layers_of(caller: Partition, layers: Mapping[Partition, Layer]) -> tuple[Layer, ...]:
    """Return a caller's layers, strongest first (rules.md 4); layers that nobody published to are left out."""
    partitions = [DEPLOYMENT, caller]
    if caller.project:
        partitions.append(Partition(principal=caller.principal, project=""))
    return tuple(layers[partition] for partition in partitions if partition in layers)
