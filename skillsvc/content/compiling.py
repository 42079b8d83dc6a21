"""The compile check of a Python text: compiled in a process of its own, never run, bounded in size, time and depth.

CPython's compiler may end the whole process it runs in on a text that nests deeply enough, and no bound of ours on a
text is known to prevent that in every version. So it never runs in a server: whatever the text is, the worst that
comes of it is a process that died, or was killed.
"""

import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from pathlib import Path
from typing import Final

from skillsvc.content import compile_child

MOST_BYTES: Final = 2_000_000
"""The most of a sidecar that a host imports, in OpenAI4S."""
_WITHIN_S: Final = 3.0
_IN_ALL_S: Final = 60.0
_MOST_TOLD: Final = 64
_PROGRAM: Final = (sys.executable, "-I", "-S", str(Path(compile_child.__file__)))
"""Isolated: no site, no environment, nothing of the folder it runs in; and as a file, so that not even our own package
is imported."""
_PYTHON: Final = ".".join(platform.python_version_tuple()[:2])
_DIED_OF: Final = frozenset({signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS})


@unique
class Compilation(Enum):
    """What a check came to."""

    COMPILES = "compiles"
    BROKEN = "broken"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a check came to, and where it is not that the text compiles a clause that says why, of our words alone.

    `passes` tells that the same text may come to something else at another time.
    """

    came_to: Compilation
    why: str = ""
    passes: bool = False


_COMPILES: Final = Verdict(came_to=Compilation.COMPILES)


class CompileCheck:
    """The checks of one look: each is bounded, and so is the time of all of them. One thread at a time."""

    def __init__(
        self,
        *,
        program: Sequence[str] = _PROGRAM,
        within_s: float = _WITHIN_S,
        in_all_s: float = _IN_ALL_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Check by `program`, each text within seconds of `clock`, and all within others."""
        self._program = program
        self._within_s = within_s
        self._left_s = in_all_s
        self._clock = clock

    def check(self, data: bytes) -> Verdict:
        """Check a text in UTF-8, which Python is by default. Raises nothing."""
        if len(data) > MOST_BYTES:
            return too_large(len(data))
        if b"\0" in data:
            return _broken("it holds a NUL byte")
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            return _broken(f"it is not UTF-8 at byte {error.start}")
        if self._left_s <= 0:
            return _unchecked("others took all the time that there is for one look", passes=True)
        begun = self._clock()
        try:
            return self._run(text.encode())
        finally:
            self._left_s -= self._clock() - begun

    def _run(self, text: bytes) -> Verdict:
        try:
            ended = subprocess.run(  # noqa: S603 - our own program; the text is on its stdin
                self._program,
                input=text,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=os.sep,
                env={},
                timeout=min(self._within_s, self._left_s),
                check=False,
            )
        except subprocess.TimeoutExpired:
            return _unchecked(f"the compiler needs more than {self._within_s:g} s for it")
        except OSError:
            return _unchecked("no process could be started to compile it", passes=True)
        return _verdict_of(ended.stdout[:_MOST_TOLD], ended.returncode)


def too_large(size: int) -> Verdict:
    """Return the verdict on a text of more than `MOST_BYTES`, which need not be read for it."""
    return _unchecked(f"it has {size} bytes; at most {MOST_BYTES} are compiled")


def _verdict_of(told: bytes, code: int) -> Verdict:
    if told == compile_child.COMPILES:
        return _COMPILES
    if told == compile_child.TOO_DEEP:
        return _broken("it nests too deep for the compiler")
    if told == compile_child.TOO_MUCH:
        # The bound on memory is ours: whoever imports it may have more.
        return _unchecked("it nests too deep, or needs more memory than the compiler is given")
    word, _, number = told.decode("ascii", "replace").strip().partition(" ")
    if code == 0 and word == "line" and number.isdecimal():
        return _broken(f"it is no Python {_PYTHON}{f', line {number}' if int(number) else ''}")
    if -code in _DIED_OF:
        return _broken("the compiler dies of it: it nests too deep")
    return _unchecked("the process that compiled it was ended", passes=True)


def _broken(why: str) -> Verdict:
    return Verdict(came_to=Compilation.BROKEN, why=why)


def _unchecked(why: str, *, passes: bool = False) -> Verdict:
    return Verdict(came_to=Compilation.UNCHECKED, why=why, passes=passes)
