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


def record(hook: str, event: str, payload: dict[str, Any], **fields: Any) -> None:
    """Append one event; never raises."""
    from .fastjson import dumps

    row = {
        "time": round(time.time(), 3),
        "hook": hook,
        "event": event,
        "session": payload.get("session_id"),
        "tool": payload.get("tool_name"),
        "id": payload.get("tool_use_id"),
        **({"agent": payload["agent_id"]} if payload.get("agent_id") else {}),
        **fields,
    }
    try:
        append(os.path.join(folders.state_dir(), FILE_NAME), dumps(row).encode() + b"\n")
    except (OSError, ValueError):
        return


def append(path: str, line: bytes) -> None:
    """Write one whole line at the end of `path`, rotating it first when it is full.

    Raises:
        OSError: the folder or file cannot be written.
    """
    try:
        file = _open(path)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        file = _open(path)
    try:
        if os.fstat(file).st_size >= LIMIT:
            os.close(file)
            _rotate(path)
            file = _open(path)
        os.write(file, line)
    finally:
        os.close(file)


def _open(path: str) -> int:
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)


def _rotate(path: str) -> None:
    """Shift the older files by one and drop the oldest.

    Of several writers that find the file full at the same time the first rotates: the others see that it is no longer
    the file they measured.
    """
    try:
        lock = os.open(path + ".lock", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _drop_stale_lock(path + ".lock")
    try:
        if os.path.getsize(path) >= LIMIT:
            for number in range(KEPT, 1, -1):
                if os.path.exists(f"{path}.{number - 1}"):
                    os.replace(f"{path}.{number - 1}", f"{path}.{number}")
            os.replace(path, path + ".1")
    finally:
        os.close(lock)
        os.unlink(path + ".lock")
    return None


def _drop_stale_lock(lock: str) -> None:
    # A rotation takes microseconds; a lock a minute old was left by a process that was killed in it.
    if time.time() - os.stat(lock).st_mtime > 60:
        os.unlink(lock)
