"""Doing something between any two steps of an operation, without the operation knowing."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Stepped(Generic[Result]):
    """An operation cut into steps, by the interpreter's own profiling: before and after every call it makes.

    Only calls made by the modules of one `package` count, among them all that reach the system.
    """

    def __init__(self, operation: Callable[[], Result], package: str) -> None:
        self._operation = operation
        self._package = package

    def count(self) -> int:
        """Run the operation undisturbed and return how many steps it took."""
        steps = 0

        def see(_: int) -> None:
            nonlocal steps
            steps += 1

        self.run(see)
        return steps

    def run(self, between: Callable[[int], object]) -> Result:
        """Run the operation, call `between` with the number of each step before it, and return or raise as it does."""
        step = 0

        def profile(frame: FrameType, event: str, argument: object) -> None:
            del event, argument
            nonlocal step
            if str(frame.f_globals.get("__name__")).startswith(self._package):
                between(step)
                step += 1

        before = sys.getprofile()
        sys.setprofile(profile)
        try:
            return self._operation()
        finally:
            sys.setprofile(before)
