"""A provider that does what a test says, look by look."""

from collections import deque
from collections.abc import Callable

from skillsvc.sources.provider import Candidate, Provider, ProviderContext, ProviderObservation

Step = Callable[[ProviderContext], object]
"""One look: returns what the provider gives, or raises."""


def candidate(name: str, body: str = "Body.", *, description: str = "Describes.", **fields: object) -> Candidate:
    """Return a sound candidate, or one with fields that need not be."""
    document = f"---\nname: {name}\ndescription: {description}\n---\n{body}\n".encode()
    return Candidate(**{"name": name, "document": document, **fields})  # type: ignore[arg-type] # fields of any kind


def gives(*skills: Candidate, complete: bool = True, revision: str = "") -> Step:
    """Return a step that gives a new observation of these."""
    return lambda _context: ProviderObservation(skills=skills, complete=complete, revision=revision)


def fails(error: BaseException) -> Step:
    """Return a step that raises."""

    def step(_context: ProviderContext) -> object:
        raise error

    return step


class ScriptedProvider:
    """Takes a step for each look, the last one again and again; `looks` counts them."""

    def __init__(self, *steps: Step) -> None:
        self._steps = deque(steps)
        self.looks = 0
        self.closed = 0
        self.context: ProviderContext | None = None

    def make(self, context: ProviderContext) -> Provider:
        """Be the factory of itself."""
        self.context = context
        return self  # type: ignore[return-value] # what it gives may be no observation

    def then(self, *steps: Step) -> None:
        """Take other steps from now on."""
        self._steps = deque(steps)

    def observe(self) -> object:
        assert self.context is not None
        self.looks += 1
        step = self._steps[0] if len(self._steps) == 1 else self._steps.popleft()
        return step(self.context)

    def close(self) -> None:
        self.closed += 1
