"""Views of callers: which layers, which generations of them, and how a named state is found again.

A view is taken once per request. The views that callers are served at present are kept beside the state they were
composed from, so that a request costs one look-up while nothing changes.
"""

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from itertools import islice
from typing import TypeVar

from skillsvc.catalog.current import Current
from skillsvc.catalog.enablements import Enablements
from skillsvc.catalog.layer import Layer, UnreachableSource
from skillsvc.domain.enablement import NOTHING_SAID, Audience, Enablement
from skillsvc.domain.errors import ErrorReason, InvalidInput
from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.tokens import LayerState, TokenKeys
from skillsvc.domain.view import View, Viewer, compose

_HELD_PRESENT = 16_384
_HELD_SHARED = 64
_HELD_OLDER = 64
"""Few, since each holds its generations, also those that are retained no longer."""
_HELD_DISABLED = 1024
"""Sets of names that are off, each for all who belong to the same audiences."""
_NOTHING: frozenset[str] = frozenset()
_LOOKED_THROUGH = 16
"""So many of the views held are looked at with each change, so that none holds for ever what is gone."""
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


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


class LayersAway(Exception):
    """A layer of a viewer is not in memory: `Views.bring_in` first."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A sight, and the number of the state that it was last found to be the present one of."""

    state: int
    sight: Sight


class Views:
    """The views of callers over the present state. Used by one thread, but for `bring_in`.

    Whatever it is asked of a viewer raises LayersAway where a layer of theirs is not in memory.
    """

    def __init__(self, current: Current, keys: TokenKeys, enablements: Enablements | None = None) -> None:
        """Begin with none. Without `enablements` nothing is ever said of what is on or off."""
        self._current = current
        self._keys = keys
        self._enablements = enablements
        self._said = NOTHING_SAID
        self._disabled: dict[tuple[Audience, ...], frozenset[str]] = {}
        self._layers: Mapping[Partition, Layer] = {}
        self._state = 0
        self._present: dict[Viewer, _Held] = {}
        self._shared: dict[tuple[frozenset[str] | None, frozenset[str], tuple[int, ...]], View] = {}
        self._older: dict[tuple[Viewer, tuple[str, ...]], Sight] = {}

    def bring_in(self, viewer: Viewer) -> None:
        """Bring the layers of a viewer into memory, from any thread; it takes a while, and raises as the log does."""
        self._current.ensure(viewer.partitions)

    def labelled(self, viewer: Viewer, session: str) -> Viewer:
        """Return a viewer with the label of a request, as long as anything is said to one who has it.

        Callers choose labels: one of which nothing is said must not make a view of its own.
        """
        audiences = self._present_said().audiences(viewer.partition, session)
        return viewer._replace(session=session) if any(audience.session for audience in audiences) else viewer

    def shows(self, viewer: Viewer, name: str) -> bool:
        """Tell whether neither the access rule nor operators hide a name from a viewer, by what is in force now."""
        said = self._present_said()
        hidden = said.words and name in self._disabled_for(viewer)
        return not hidden and (viewer.allow is None or name in viewer.allow)

    def is_as_enabled(self, viewer: Viewer, token: str) -> bool:
        """Tell whether a token is of a view for which the names were disabled that are so for a viewer now.

        Raises:
            InvalidInput: TOKEN_MALFORMED where the token was not made for this viewer.
        """
        self._present_said()
        return self._keys.is_of_disabled(token, viewer.partition, self._disabled_for(viewer))

    def present(self, viewer: Viewer) -> Sight:
        """Return what a viewer sees now."""
        return self._present_in(self._layers_for(viewer), viewer)

    def exactly(self, viewer: Viewer, token: str) -> Sight | Missing:
        """Return the state that a token names: for each layer its digest must be current or retained, whatever its log.

        Raises:
            InvalidInput: TOKEN_MALFORMED where the token is not of this viewer's layers.
        """
        layers = self._layers_for(viewer)
        held = _layers_of(viewer, layers)
        generations: list[Generation] = []
        for layer, state in zip(held, self._read(viewer, token, held), strict=True):
            generation = layer.with_digest(state.digest)
            if generation is None:
                return Missing.EXPIRED
            generations.append(generation)
        present = self._present_in(layers, viewer)
        if tuple(generations) == present.view.layers:
            return present
        key = (viewer, tuple(generation.digest for generation in generations))
        older = self._older.pop(key, None)
        # An equal state that has expired since is another one: its token would go back.
        if (
            older is None
            or not _is_of(older, generations, present.unreachable)
            or older.view.disabled != present.view.disabled
        ):
            older = self._compose(viewer, held, tuple(generations))
        self._older[key] = older
        _bound(self._older, _HELD_OLDER)
        return older

    def at_least(self, viewer: Viewer, token: str) -> Sight | Missing:
        """Return what a viewer sees now, if it is the state that a token names or a later one.

        Raises:
            InvalidInput: TOKEN_MALFORMED where the token is not of this viewer's layers.
        """
        layers = self._layers_for(viewer)
        held = _layers_of(viewer, layers)
        present = self._present_in(layers, viewer)
        missing = _missing(self._read(viewer, token, held), held, present.view)
        return present if missing is None else missing

    def reaches(self, viewer: Viewer, sight: Sight, token: str) -> bool:
        """Tell whether a state that a viewer was answered from is the one that a token names, or a later one.

        Raises:
            InvalidInput: TOKEN_MALFORMED where the token is not of this viewer's layers.
        """
        layers = self._layers_for(viewer)
        held = tuple(layers[generation.partition] for generation in sight.view.layers)
        return _missing(self._read(viewer, token, held), held, sight.view) is None

    def _layers_for(self, viewer: Viewer) -> Mapping[Partition, Layer]:
        """Return a state that has all layers of a viewer that there are."""
        layers = self._current.layers
        held = self._present.get(viewer)
        if (
            held is not None
            and layers is self._layers
            and held.state == self._state
            and len(held.sight.view.layers) == 1
        ):
            # The deployment alone, which is always there, and since this state was made nobody has had a layer more.
            return layers
        holding = self._current.holding(viewer.partitions)
        if holding is None:
            raise LayersAway
        return holding

    def _present_in(self, layers: Mapping[Partition, Layer], viewer: Viewer) -> Sight:
        if layers is not self._layers:
            self._turn_to(layers)
        if self._enablements is not None and self._enablements.present is not self._said:
            self._present_said()
        held = self._present.get(viewer)
        if held is not None and held.state == self._state:
            return held.sight
        own = _layers_of(viewer, layers)
        # What changed in the layers of others leaves a caller's view as it is.
        sight = (
            held.sight
            if held is not None and self._still_holds(held.sight, viewer, own)
            else self._compose(viewer, own, tuple(layer.present for layer in own))
        )
        self._present[viewer] = _Held(self._state, sight)
        _bound(self._present, _HELD_PRESENT)
        return sight

    def _turn_to(self, layers: Mapping[Partition, Layer]) -> None:
        """Take another state for the present one, and forget views of the past: nobody who is gone must keep them.

        Where the deployment is another, none is of the present. Else some are looked at, since to look at all would
        cost each tenant what all others publish.
        """
        before, now = self._layers.get(DEPLOYMENT), layers.get(DEPLOYMENT)
        self._layers = layers
        self._state += 1
        if before is None or now is None or before.present is not now.present:
            self._present.clear()
            return
        for viewer in list(islice(self._present, _LOOKED_THROUGH)):
            held = self._present.pop(viewer)
            # A layer that is not in memory looks like one that is not there.
            is_away = any(each not in layers and self._current.has_layer(each) for each in viewer.partitions)
            if not is_away and self._still_holds(held.sight, viewer, _layers_of(viewer, layers)):
                self._present[viewer] = _Held(self._state, held.sight)

    def _still_holds(self, sight: Sight, viewer: Viewer, own: Sequence[Layer]) -> bool:
        """Tell whether a sight is of the present of a viewer's layers, and of what is said to that viewer."""
        return _is_present(sight, own) and sight.view.disabled == self._disabled_for(viewer)

    def _present_said(self) -> Enablement:
        """Return what is said now of what is on or off; where it is something else, views are to be looked at again."""
        if self._enablements is not None and self._enablements.present is not self._said:
            self._said = self._enablements.present
            self._disabled.clear()
            self._state += 1
        return self._said

    def _disabled_for(self, viewer: Viewer) -> frozenset[str]:
        """Return the names that are off to a viewer, by what was last taken for the present."""
        audiences = self._said.audiences(viewer.partition, viewer.session)
        if not audiences:
            return _NOTHING
        disabled = self._disabled.get(audiences)
        if disabled is None:
            disabled = self._disabled[audiences] = self._said.disabled(audiences)
            _bound(self._disabled, _HELD_DISABLED)
        return disabled

    def _read(self, viewer: Viewer, token: str, held: tuple[Layer, ...]) -> tuple[LayerState, ...]:
        states = self._keys.read_generation(token, viewer.partition)
        if [state.layer_id for state in states] != [layer.present.layer_id for layer in held]:
            raise InvalidInput(ErrorReason.TOKEN_MALFORMED, "the generation token names other layers than the caller's")
        return states

    def _compose(self, viewer: Viewer, held: tuple[Layer, ...], generations: tuple[Generation, ...]) -> Sight:
        disabled = self._disabled_for(viewer)
        return Sight(
            view=self._view_of(generations, viewer.allow, disabled),
            token=self._keys.sign_generation(generations, viewer.partition, disabled),
            unreachable=_unreachable(held),
        )

    def _view_of(
        self, generations: tuple[Generation, ...], allow: frozenset[str] | None, disabled: frozenset[str]
    ) -> View:
        """Return a view of generations: one for all who see the same, so that its digest is computed once for them."""
        # Those of a view that is held are in memory, so that no other has the id of one.
        key = (allow, disabled, tuple(map(id, generations)))
        view = self._shared.pop(key, None) or compose(generations, allow, disabled)
        self._shared[key] = view
        _bound(self._shared, _HELD_SHARED)
        return view


def _bound(held: dict[_Key, _Value], at_most: int) -> None:
    """Forget what was put in first: callers choose projects, so that there may be any number of keys."""
    if len(held) > at_most:
        del held[next(iter(held))]


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
    return _is_of(sight, [layer.present for layer in held], _unreachable(held))


def _is_of(sight: Sight, generations: Sequence[Generation], unreachable: tuple[UnreachableSource, ...]) -> bool:
    """Tell whether a sight is of these very generations, and of these sources."""
    return (
        len(sight.view.layers) == len(generations)
        and all(map(operator.is_, sight.view.layers, generations))
        and sight.unreachable == unreachable
    )


def _unreachable(held: Iterable[Layer]) -> tuple[UnreachableSource, ...]:
    return tuple(source for layer in held for source in layer.unreachable)


def _layers_of(viewer: Viewer, layers: Mapping[Partition, Layer]) -> tuple[Layer, ...]:
    """Return a viewer's layers, strongest first (rules.md 4); layers that nobody published to are left out."""
    return tuple(layers[partition] for partition in viewer.partitions if partition in layers)
