"""Files to which a session holds a pointer because they were read whole: to read one again in parts is a read-back.

A pointer to a spilled output names a file of its own folder; this one names the user's file, so the session's paths are
kept in the state folder. The list serves the figures alone: a hook that cannot write or read it still answers.
"""

from __future__ import annotations

import os
import time

from . import folders, store

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
    return key >= 0 and os.path.isfile(_place(session))


def note(payload: dict[str, Any], path: str) -> None:
    """Remember a file; never raises."""
    session, whole = payload.get("session_id"), _whole(payload, path)
    if not isinstance(session, str) or whole in _files(session):
        return
    try:
        place = _place(session)
        if not os.path.exists(place):
            os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
            _expire(os.path.dirname(place))
        file = os.open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o600)
        try:
            os.write(file, os.fsencode(whole) + b"\n")
        finally:
            os.close(file)
    except (OSError, ValueError):
        return


def named(payload: dict[str, Any]) -> bool:
    """Whether a call names a file to which its session holds a pointer: as its path, or as a word of its command."""
    from . import readback

    session, call = payload.get("session_id"), payload.get("tool_input")
    files = _files(session) if isinstance(session, str) else set()
    if not files or not isinstance(call, dict):
        return False
    names = {os.path.basename(file) for file in files}
    paths = [path for path in (call.get("file_path"), call.get("path")) if isinstance(path, str)]
    paths += [word for word in readback.words(call.get("command")) if os.path.basename(word) in names]
    return any(_whole(payload, path) in files for path in paths)


def _files(session: str) -> set[str]:
    place = _place(session)
    try:
        if not os.path.isfile(place):
            return set()
        with open(place, "rb") as file:
            return set(os.fsdecode(file.read()).split("\n")) - {""}
    except (OSError, ValueError):
        return set()


def _whole(payload: dict[str, Any], path: str) -> str:
    """The one spelling of a path, from the call's working folder on."""
    cwd = payload.get("cwd")
    whole = os.path.join(cwd if isinstance(cwd, str) else "/", os.path.expanduser(path))
    try:
        return os.path.realpath(whole)
    except ValueError:  # no path can be such text
        return whole


def _place(session: str) -> str:
    return os.path.join(folders.state_dir(), _FOLDER, store.safe(session, "session"))


def _expire(folder: str) -> None:
    oldest = time.time() - _DAYS * 86_400
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_mtime < oldest:
                os.unlink(entry.path)
