"""Waiting for what another thread or process does, without sleeping a guessed time."""

import threading
import time
from collections.abc import Callable

from tests.patience import PATIENCE_S


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until it holds; fail where it never does."""
    ends = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < ends, "the condition never held"
        threading.Event().wait(0.005)
