"""The receipt: what was written where, by which version. Evidence, not authority: the settings decide what is there.

One JSON file in the state folder, `{"schema": 1, "files": {PATH: entry}}`, PATH being the file at the end of the links.
It is written before entries are added and after they are removed: it may claim more than a settings file holds after
a crash, never less.
"""

from __future__ import annotations

import os
from json import dumps, loads

from cchooks_suite.hooks import folders

from . import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Entry = dict[str, Any]

SCHEMA = 1
FILE_NAME = "receipt.json"


def path() -> str:
    """Where the receipt is; it may not exist."""
    return os.path.join(folders.state_dir(), FILE_NAME)


def load() -> dict[str, Entry]:
    """Every file's entry by path; empty where there is no receipt or it is not one.

    An entry: `scope`, `given` (the path as named), `version`, `time` (UTC), `created` (whether the file is ours),
    `folders` (that were made), `digest` (SHA-256 of the file as written), `chosen` (hooks named by the user; null for
    the default ones), `entries` (for each handler `hook`, `event`, `matcher`, `handler` as we would write it, `kept`
    with the user's own values), `before` (the text of containers that were empty: `hooks`, `hooks.EVENT`, or "" for
    the whole), `exclude` (the exclude list to which the file was added), `client` (the client on the PATH that the
    entries were written for, null without one: see `client_version.Client.as_entry`).
    """
    try:
        with open(path(), "rb") as file:
            found = loads(file.read())
    except (OSError, ValueError, RecursionError):
        return {}
    entries = found.get("files") if isinstance(found, dict) and found.get("schema") == SCHEMA else None
    if not isinstance(entries, dict):
        return {}
    return {key: entry for key, entry in entries.items() if _sound(entry)}


def save(target: str, entry: Entry | None, *, durable: bool = True) -> None:
    """Put a file's entry in, or take it out; call it under the lock.

    Raises:
        OSError: the state folder cannot be written.
    """
    entries = load()
    if entries.get(target) == entry:
        return
    if entry is None:
        entries.pop(target, None)
    else:
        entries[target] = entry
    files.write(path(), dumps({"schema": SCHEMA, "files": entries}, indent=2).encode() + b"\n", durable=durable)


def client(entry: Entry | None) -> tuple[int, ...] | None:
    """The version of the client that a file's entries were written for; None where it is not known."""
    from .client_version import parse

    found = entry.get("client") if entry else None
    return parse(str(found.get("version"))) if isinstance(found, dict) else None


def commands(entries: dict[str, Entry]) -> list[str]:
    """Every command that we wrote."""
    return [row["handler"]["command"] for entry in entries.values() for row in entry["entries"]]


def digest(data: bytes) -> str:
    """The digest of a file's bytes as an entry holds it."""
    from hashlib import sha256

    return "sha256:" + sha256(data).hexdigest()


def now() -> str:
    """The time as an entry holds it: UTC, to the second."""
    import time

    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _sound(entry: Any) -> bool:
    if not isinstance(entry, dict) or not isinstance(entry.get("entries"), list):
        return False
    before = entry.get("before", {})
    texts = isinstance(before, dict) and all(isinstance(text, str) for text in before.values())
    return texts and all(map(_sound_row, entry["entries"]))


def _sound_row(row: Any) -> bool:
    if not isinstance(row, dict) or not isinstance(row.get("handler"), dict):
        return False
    return isinstance(row.get("hook"), str) and isinstance(row["handler"].get("command"), str)
