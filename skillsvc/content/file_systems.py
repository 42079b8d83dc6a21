"""Which file systems tell of no change that another machine makes."""

import ctypes
import os
from typing import Final

_REMOTE: Final = frozenset(
    {
        0x6969,  # NFS
        0x517B,  # SMB
        0xFF534D42,  # CIFS
        0xFE534D42,  # SMB 2 and later
        0x01021997,  # 9P, which also shares folders with virtual machines
        0x65735546,  # FUSE: whatever is behind it need not tell the kernel
        0x5346414F,  # AFS
        0x6B414653,  # AFS of the kernel
        0x73757245,  # Coda
        0x00C36400,  # Ceph
        0x0BD00BD0,  # Lustre
        0x47504653,  # GPFS
        0x01161970,  # GFS2
        0x7461636F,  # OCFS2
        0x786F4256,  # shared folders of VirtualBox
        0xBACBACBC,  # shared folders of VMware
    }
)
"""By the numbers that the kernel names them by, none of which changes."""

_STATFS_BYTES: Final = 256
"""More than `struct statfs` has anywhere; its first member is the number, in a machine word."""


def is_remote(path: bytes) -> bool:
    """Tell whether a path is on a file system that others may change without this kernel's knowing.

    Raises OSError where the path cannot be looked at.
    """
    library = ctypes.CDLL(None, use_errno=True)
    found = ctypes.create_string_buffer(_STATFS_BYTES)
    if library.statfs(ctypes.c_char_p(path), found) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return ctypes.c_long.from_buffer(found).value & 0xFFFFFFFF in _REMOTE
