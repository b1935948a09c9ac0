"""The hooks' event log, read: each event once, broken and torn lines counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from orjson import JSONDecodeError, loads

from ..hooks import events, folders

Event = dict[str, Any]


class Log(NamedTuple):
    """Events, oldest first; lines that could not be read; events that stood there more than once."""

    events: list[Event]
    broken: int
    repeated: int


def read(folder: Path | None = None) -> Log:
    """The log in a state folder, older files included; empty where there is none.

    An event is known by session, tool_use_id, hook and kind: a hook that is registered twice logs twice. Spills and
    decisions are one for a call; of read-backs and events without an id each line counts.
    """
    folder = folder or Path(folders.state_dir())
    found: list[Event] = []
    broken = repeated = 0
    seen: set[tuple[Any, ...]] = set()
    for number in range(events.KEPT, -1, -1):
        path = folder / (f"{events.FILE_NAME}.{number}" if number else events.FILE_NAME)
        for line in _lines(path):
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
    return Log(found, broken, repeated)


def hook_names(log: Log) -> dict[str, str]:
    """By tool_use_id the hook that denied the call."""
    return {event["id"]: str(event.get("hook")) for event in log.events if event["event"] == "deny" and event.get("id")}


def _lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().split(b"\n")
    except OSError:
        return []


def _event(line: bytes) -> Event | None:
    try:
        event = loads(line)
    except JSONDecodeError:
        return None
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        return None
    if any(isinstance(event.get(name), dict | list) for name in ("session", "id", "hook")):
        return None
    return event
