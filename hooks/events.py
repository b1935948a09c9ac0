"""The event log: one line for each spill, denial and launch decision, read by `cchooks stats`.

A line is one JSON object: `time` (seconds since the epoch), `hook`, `event` (what was done: `spill`, `deny`, ...),
`session` (the client's session id), `tool`, `id` (the tool_use_id), `agent` (the agent_id, absent on the main thread)
and what the hook adds. It is written with one `write` to a descriptor opened with O_APPEND, so that lines of any
number of writers stay whole. The log is a convenience: a hook that cannot write it still answers.
"""

from __future__ import annotations

import os
import time

from . import folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE_NAME = "events.jsonl"
KEPT = 4  # older files beside the current one: events.jsonl.1 is the newest of them
LIMIT = 4 * 1024 * 1024  # bytes of one file: about 15,000 events
_STALE = 60  # seconds after which a rotation's lock was left by a process that was killed: one takes microseconds


def record(hook: str, event: str, payload: dict[str, Any], **fields: Any) -> None:
    """Append one event; never raises."""
    try:  # noqa: SIM105 - importing contextlib costs a hook more than the write
        append(os.path.join(folders.state_dir(), FILE_NAME), line(hook, event, payload, fields))
    except Exception:  # noqa: S110 - whatever keeps an event from the log must not keep the hook from answering
        pass


def line(hook: str, event: str, payload: dict[str, Any], fields: dict[str, Any]) -> bytes:
    """The event as one line.

    Raises:
        TypeError, ValueError, RecursionError: a value cannot be written as JSON.
    """
    from .fastjson import dumps

    agent = payload.get("agent_id")
    row = {
        "time": round(time.time(), 3),
        "hook": hook,
        "event": event,
        "session": payload.get("session_id"),
        "tool": payload.get("tool_name"),
        "id": payload.get("tool_use_id"),
        **({"agent": agent} if agent else {}),
        **fields,
    }
    return dumps(row).encode() + b"\n"


def append(path: str, text: bytes) -> None:
    """Write one whole line at the end of `path`, rotating it first when it is full.

    Raises:
        OSError: the folder or file cannot be written.
    """
    file = _open(path)
    try:
        if os.fstat(file).st_size >= LIMIT and _rotate(path):
            full, file = file, _open(path)
            os.close(full)
        written = os.write(file, text)
        if written < len(text):  # the disk is full: what follows must not stand on the same line
            os.write(file, b"\n")
    finally:
        os.close(file)


def _open(path: str) -> int:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
    try:
        return os.open(path, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        return os.open(path, flags, 0o600)


def _rotate(path: str) -> bool:
    """Shift the older files by one and drop the oldest; False where that was not done.

    Of several writers that find the file full at the same time the first rotates, under a lock; the others write to the
    file they have, whatever its name is by then. Of those that come to the lock later, each measures the file anew.
    """
    lock = path + ".lock"
    try:
        held = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        _drop_stale(lock)
        return False
    try:
        if os.path.getsize(path) < LIMIT:
            return True
        for number in range(KEPT, 0, -1):
            older = f"{path}.{number - 1}" if number > 1 else path
            if os.path.exists(older):
                os.replace(older, f"{path}.{number}")
        return True
    except OSError:
        return False
    finally:
        os.close(held)
        _unlink(lock)


def _drop_stale(lock: str) -> None:
    try:
        age = time.time() - os.stat(lock).st_mtime
    except OSError:  # it is gone already
        return
    if age > _STALE:
        _unlink(lock)


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:  # another process was faster
        return
