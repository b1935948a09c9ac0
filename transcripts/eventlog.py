"""The hooks' event log, read: each event once, broken and torn lines counted."""

from __future__ import annotations

import os
from typing import Any

from cchooks_suite.hooks import events, folders
from msgspec import Struct

from .decode import REFUSALS, encodable, loads

Event = dict[str, Any]


class Log(Struct):
    """Events, oldest first; lines that could not be read; events that stood there more than once; files not read."""

    events: list[Event]
    broken: int
    repeated: int
    unreadable: list[str]


def read(folder: str | os.PathLike[str] | None = None) -> Log:
    """The log in a state folder, older files included; empty where there is none.

    An event is known by session, tool_use_id, hook and kind: a hook that is registered twice, or a session that is
    resumed, logs a call twice. Of events without an id each line counts.
    """
    found: list[Event] = []
    broken = repeated = 0
    seen: set[tuple[Any, ...]] = set()
    unreadable: list[str] = []
    for lines in _files(folder or folders.state_dir(), unreadable):
        for line in lines:
            event = _event(line)
            if event is None:
                broken += bool(line.strip())
                continue
            key = tuple(event.get(name) for name in ("session", "id", "hook", "event"))
            if event.get("id") and key in seen:
                repeated += 1
                continue
            seen.add(key)
            found.append(event)
    return Log(found, broken, repeated, unreadable)


def hook_names(log: Log) -> dict[str, str]:
    """By tool_use_id the hook that denied the call."""
    return {event["id"]: str(event.get("hook")) for event in log.events if event["event"] == "deny" and event.get("id")}


def _files(folder: str | os.PathLike[str], unreadable: list[str]) -> list[list[bytes]]:
    """The lines of each file, the oldest file first; what could not be read is added to `unreadable`.

    The newest is read first: a rotation meanwhile then shows a file twice, which is seen, and never hides one.
    """
    found: list[list[bytes]] = []
    seen: set[tuple[int, int]] = set()
    for number in range(events.KEPT + 1):
        path = os.path.join(folder, events.FILE_NAME + (f".{number}" if number else ""))
        try:
            with open(path, "rb") as file:
                status = os.fstat(file.fileno())
                if (status.st_dev, status.st_ino) not in seen:
                    seen.add((status.st_dev, status.st_ino))
                    found.append(file.read().split(b"\n"))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            unreadable.append(f"{encodable(path)}: {error.strerror}")
    return found[::-1]


def _event(line: bytes) -> Event | None:
    try:
        event = loads(line)
    except REFUSALS:
        return None
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        return None
    if any(isinstance(event.get(name), dict | list) for name in ("session", "id", "hook")):
        return None
    return event
