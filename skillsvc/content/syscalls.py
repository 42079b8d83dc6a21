"""The two Linux system calls the content layer needs and Python does not offer: `openat2` and `syncfs`."""

import ctypes
import errno
import os
from typing import Final

RESOLVE_NO_MAGICLINKS: Final = 0x02
RESOLVE_NO_SYMLINKS: Final = 0x04
RESOLVE_BENEATH: Final = 0x08

_OPENAT2: Final = ctypes.c_long(437)
"""The call's number. It is the same on every architecture that Linux and CPython both support."""


class OpenHow(ctypes.Structure):
    """The kernel's `struct open_how`: flags as for `open`, a mode (0 where nothing is created), and RESOLVE_ flags."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


_HOW_BYTES: Final = ctypes.c_size_t(ctypes.sizeof(OpenHow))


class LinuxCalls:
    """The C library's doors to both calls. Loading it is cheap; one object may be used by any number of threads."""

    __slots__ = ("_syncfs", "_syscall")

    def __init__(self) -> None:
        """Find the C library that this process already runs with."""
        library = ctypes.CDLL(None, use_errno=True)
        self._syscall = library.syscall
        self._syscall.restype = ctypes.c_long
        self._syncfs = library.syncfs
        self._syncfs.argtypes = (ctypes.c_int,)

    def openat2(self, directory: int, path: bytes, how: OpenHow) -> int:
        """Open `path` from the directory descriptor `directory`; the answer is a new descriptor.

        `path` holds no NUL: the kernel would read it only as far as that. Raises OSError as the kernel names the fault.
        """
        while True:
            # Each argument has its C type by itself: to declare the types costs as much as the call.
            descriptor: int = self._syscall(_OPENAT2, directory, path, ctypes.byref(how), _HOW_BYTES)
            if descriptor >= 0:
                return descriptor
            fault = ctypes.get_errno()
            # The interpreter repeats an interrupted call (PEP 475) only where it makes the call itself.
            if fault != errno.EINTR:
                raise OSError(fault, os.strerror(fault))

    def syncfs(self, descriptor: int) -> None:
        """Return once everything written so far to the file system of `descriptor` is on stable storage.

        Raises OSError, also where an earlier write could not be brought to the device.
        """
        while self._syncfs(descriptor) != 0:
            fault = ctypes.get_errno()
            if fault != errno.EINTR:
                raise OSError(fault, os.strerror(fault))
