"""One run of ours at a time. The client takes no lock: against it the comparison before the replace guards."""

from __future__ import annotations

import os
import sys

from cchooks_suite.hooks import folders

from . import files
from .errors import RefusalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from filelock import BaseFileLock

FILE_NAME = "lock"
WAIT = 10  # seconds; a run takes a fraction of one
SILENT = 1  # seconds after which a person is told what is waited for


def held() -> BaseFileLock:
    """The lock, taken; use it in a `with` statement or release it.

    Raises:
        RefusalError: the state folder cannot be written, or another run does not end.
    """
    from filelock import FileLock, Timeout

    place = folders.state_dir()
    path = os.path.join(place, FILE_NAME)
    try:
        files.make_folder(place, 0o700)
        lock = FileLock(path)
        _acquire(lock, path)
        _end_in_order()
        files.adopt(path)
    except Timeout:
        raise RefusalError(
            f"{path}: found it locked for {WAIT} seconds, expected another run of cchooks to be done by then",
            f"end the process that holds it (`fuser {path}` shows which), then run the command again",
        ) from None
    except OSError as error:
        raise RefusalError(
            f"{place}: cannot be written: {error.strerror}; expected a folder for the receipt and the backups",
            "CCHOOKS_STATE_DIR=FOLDER names another one",
        ) from None
    return lock


def _acquire(lock: BaseFileLock, path: str) -> None:
    from filelock import Timeout

    try:
        lock.acquire(timeout=SILENT)
    except Timeout:
        from . import output

        output.tell("note", f"waiting for another run of cchooks, which holds {path}")
        lock.acquire(timeout=WAIT - SILENT)


def _end_in_order() -> None:
    """Leave no temporary file behind when the process is told to end, as `kill` and a closed terminal do."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        return

    def leave(number: int, _frame: object) -> None:
        sys.exit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # `nohup` ignores it
            signal.signal(number, leave)
