"""Calls of code that others wrote: each in a thread of its own, so that whoever waits can go on without it."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class ForeignCall(Generic[Value]):
    """One call under way. What it raises is kept, whatever it is: even `SystemExit` is an answer here.

    The thread ends with the process; what never returns holds up nothing.
    """

    def __init__(self, call: Callable[[], Value], *, name: str, ended: Callable[[], None]) -> None:
        """Begin.

        Args:
            call: What is called.
            name: The thread's name.
            ended: Told in that thread when the call is over.
        """
        self._call = call
        self._ended = ended
        self._over = threading.Event()
        self._value: Value | None = None
        self._error: BaseException | None = None
        threading.Thread(target=self._run, name=name, daemon=True).start()

    @property
    def over(self) -> bool:
        """Whether the call came back."""
        return self._over.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait until the call comes back, at most so long; tell whether it did."""
        return self._over.wait(seconds)

    def result(self) -> Value | BaseException:
        """Return what the call, which is over, returned or raised."""
        if self._error is not None:
            return self._error
        assert self._value is not None
        return self._value

    def _run(self) -> None:
        try:
            self._value = self._call()
        except BaseException as error:  # noqa: BLE001 - a foreign call may raise what it likes; it is told, not passed on
            self._error = error
        self._over.set()
        self._ended()
