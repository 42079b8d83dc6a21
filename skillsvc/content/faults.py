"""How a fault of the system is told: by its name, and neither with a path nor in the words of a library."""

import errno

from skillsvc.domain.errors import SkillsvcError


def symbol_of(error: OSError) -> str:
    """Return the fault's name (`ENOSPC`, `EACCES`, …)."""
    return errno.errorcode.get(error.errno or 0, "EIO")


def reason_of(error: SkillsvcError) -> str:
    """Return why something failed, with the name of the system's fault behind it, where there is one."""
    cause = error.__cause__
    return f"{error.message} ({symbol_of(cause)})" if isinstance(cause, OSError) else error.message
