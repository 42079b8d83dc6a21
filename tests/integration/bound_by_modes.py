"""Runs a module of Python as a user whom modes bind: `python -m tests.integration.bound_by_modes MODULE …`.

A superuser reads whatever is there. This one gives the two rights away that make it so, for good, and begins again.
"""

import ctypes
import os
import sys

_CAPABILITY_DROP = 24
_OVERRIDE_MODES, _READ_AND_SEARCH = 1, 2


def main() -> None:
    """Give the rights away, if they are there, and become the module."""
    library = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() == 0:
        for right in (_OVERRIDE_MODES, _READ_AND_SEARCH):
            if library.prctl(_CAPABILITY_DROP, right, 0, 0, 0) != 0:
                raise OSError(ctypes.get_errno(), "cannot give a right away")
    os.execv(sys.executable, [sys.executable, "-m", *sys.argv[1:]])  # noqa: S606 - our own modules


if __name__ == "__main__":
    main()
