"""Swapping two files in one step, which Linux can: what was replaced is then in hand and can be looked at."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def swapper() -> Callable[[str, str], bool] | None:
    """A function that swaps two existing files; None where the system has none.

    It returns False, with nothing changed, where the file system cannot, and raises an OSError where one of the files
    is gone or the folder cannot be written. It is made beforehand because the imports take longer than all the rest.
    """
    if sys.platform != "linux":
        return None
    import ctypes
    from errno import EINVAL, ENOSYS, ENOTSUP

    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):  # a C library that lacks it
        return None

    def swap(first: str, second: str) -> bool:
        if renameat2(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE) == 0:
            return True
        error = ctypes.get_errno()
        if error in (EINVAL, ENOSYS, ENOTSUP):
            return False
        raise OSError(error, os.strerror(error), second)

    return swap
