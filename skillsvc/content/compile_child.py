"""The program of the process that compiles one Python text and runs nothing of it: text on stdin, verdict on stdout.

The text is a stranger's. The compiler may need any memory and any time for it, and may die of deep nesting; so this is
a process of its own, whose memory and time are bounded, and which has nothing of ours in it: only the standard library
is imported, nothing of the text is, and its declared encoding is not looked up.
"""

import resource
import signal
import sys
import warnings
from typing import Final

_MEMORY_BYTES: Final = 512 * 1024 * 1024
_TIME_S: Final = 10
"""Who started this process kills it sooner; this is for where that one was killed itself."""
COMPILES: Final = b"compiles\n"
TOO_DEEP: Final = b"deep\n"
TOO_MUCH: Final = b"memory\n"


def verdict_of(text: str) -> bytes:
    """Return what the compiler says of a text: that it compiles, the line where it does not, or what was too much."""
    try:
        # A text whose characters are known: a line that declares an encoding, which is a module, has no effect.
        compile(text, "sidecar", "exec", dont_inherit=True)
    except SyntaxError as error:
        return b"line %d\n" % max(error.lineno or 0, 0)
    except ValueError:
        # A NUL, and numbers of too many digits.
        return b"line 0\n"
    except (RecursionError, OverflowError):
        return TOO_DEEP
    except MemoryError:
        # Of memory, or of the parser's own stack: it tells both in one way.
        return TOO_MUCH
    return COMPILES


def main() -> None:
    """Read a text, compile it, and write the verdict."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (_TIME_S, _TIME_S))
    signal.alarm(2 * _TIME_S)
    warnings.simplefilter("ignore")
    sys.stdout.buffer.write(verdict_of(sys.stdin.buffer.read().decode()))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
