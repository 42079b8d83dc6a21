"""How a fault of the system is told: by its name, and neither with a path nor in the words of a library."""

import errno


def symbol_of(error: OSError) -> str:
    """Return the fault's name (`ENOSPC`, `EACCES`, …)."""
    return errno.errorcode.get(error.errno or 0, "EIO")
