"""Descriptors: how many files and connections this process may have open, and how many of them callers may take."""

import resource
from typing import Final

_WANTED: Final = 262_144
"""More is of no use here, and where there is no bound at all some programs go through as many as there may be."""
_LISTENERS: Final = 4
"""A quarter for each of three listeners to which others may connect, and one for files."""


def raise_descriptors() -> int:
    """Let this process have as many open as it may, of which service managers give 1,024 at first; return how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED if hard == resource.RLIM_INFINITY else min(hard, _WANTED)
    if soft != resource.RLIM_INFINITY and soft >= wanted:
        return soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):
        return soft
    return wanted


def connections_of(descriptors: int) -> int:
    """Return how many connections a listener may have, so that files can be opened whoever connects."""
    return max(1, descriptors // _LISTENERS)
