"""Files to which a session holds a pointer because they were read whole: to read one again in parts is a read-back.

A pointer to a spilled output names a file of its own folder; this one names the user's file, so the session's paths are
kept in the state folder. The list serves the figures alone: a hook that cannot write or read it still answers.
"""

from __future__ import annotations

import os
import time

from . import folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FOLDER = "pointed"
_DAYS = 30  # after which the client itself has cleaned a session's transcript up
_KEY = b'"session_id"'


def known(raw: bytes) -> bool:
    """Whether the session of a payload, which is not parsed yet, holds any such pointer."""
    key = raw.find(_KEY)
    start = raw.find(b'"', key + len(_KEY)) + 1
    session = raw[start : raw.find(b'"', start)].decode("ascii", "replace")
    return key >= 0 and os.path.exists(_place(session))


def note(payload: dict[str, Any], path: str) -> None:
    """Remember a file; never raises."""
    session = payload.get("session_id")
    if not isinstance(session, str) or holds(payload, path):
        return
    try:
        place = _place(session)
        if not os.path.exists(place):
            os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
            _expire(os.path.dirname(place))
        file = os.open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, os.fsencode(path) + b"\n")
        finally:
            os.close(file)
    except (OSError, ValueError):
        return


def holds(payload: dict[str, Any], path: Any) -> bool:
    """Whether the session of a payload holds a pointer to a file."""
    session = payload.get("session_id")
    if not isinstance(session, str) or not isinstance(path, str):
        return False
    try:
        with open(_place(session), "rb") as file:
            return os.fsencode(path) in file.read().split(b"\n")
    except (OSError, ValueError):
        return False


def _place(session: str) -> str:
    safe = "".join([sign for sign in session[:100] if sign.isascii() and (sign.isalnum() or sign in "-_")])
    return os.path.join(folders.state_dir(), _FOLDER, safe or "session")


def _expire(folder: str) -> None:
    oldest = time.time() - _DAYS * 86_400
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_mtime < oldest:
                os.unlink(entry.path)
