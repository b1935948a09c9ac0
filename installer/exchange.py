"""Swapping two files in one step, which Linux can: what was replaced is then in hand and can be looked at."""

from __future__ import annotations

import os
import sys

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def exchange(first: str, second: str) -> bool:
    """Swap two existing files; False where the system or the file system cannot, nothing is then changed.

    Raises:
        OSError: one of them is gone, or the folder cannot be written.
    """
    if sys.platform != "linux":
        return False
    import ctypes
    from errno import EINVAL, ENOSYS, ENOTSUP

    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):  # a C library that lacks it
        return False
    if renameat2(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE) == 0:
        return True
    error = ctypes.get_errno()
    if error in (EINVAL, ENOSYS, ENOTSUP):
        return False
    raise OSError(error, os.strerror(error), second)
