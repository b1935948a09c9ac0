"""One run of ours at a time. The client takes no lock: against it the comparison before the replace guards."""

from __future__ import annotations

import os

from cchooks_suite.hooks import folders

from . import files
from .errors import RefusalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from filelock import BaseFileLock

FILE_NAME = "lock"
WAIT = 180  # seconds; a run takes a fraction of one, and ten at most


def held() -> BaseFileLock:
    """The lock, taken; use it in a `with` statement or release it.

    Raises:
        RefusalError: the state folder cannot be written, or another run does not end.
    """
    from filelock import FileLock, Timeout

    place = folders.state_dir()
    try:
        files.make_folder(place, 0o700)
        lock = FileLock(os.path.join(place, FILE_NAME), timeout=WAIT)
        lock.acquire()
        files.adopt(os.path.join(place, FILE_NAME))
    except Timeout:
        raise RefusalError(
            f"{place}: another run of cchooks holds the lock for {WAIT} seconds", "run it again"
        ) from None
    except OSError as error:
        raise RefusalError(
            f"{place}: cannot be written: {error.strerror}; expected a folder for the receipt and the backups",
            "CCHOOKS_STATE_DIR=FOLDER names another one",
        ) from None
    return lock
