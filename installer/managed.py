"""Settings of an administrator: a file and a folder of fragments that the user cannot override."""

from __future__ import annotations

import os
import sys

from . import files, settings
from .errors import RefusalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE_NAME = "managed-settings.json"
FRAGMENTS = "managed-settings.d"
_FOLDERS = {
    "darwin": "/Library/Application Support/ClaudeCode",
    "win32": "C:/Program Files/ClaudeCode",
}


def folder(platform: str = sys.platform) -> str:
    """Where an administrator's files are; `CCHOOKS_MANAGED_DIR` names another place, for tests."""
    return os.environ.get("CCHOOKS_MANAGED_DIR") or _FOLDERS.get(platform, "/etc/claude-code")


def paths() -> list[str]:
    """The files that exist, in the order in which later ones win."""
    place = folder()
    found = [os.path.join(place, FILE_NAME)]
    fragments = os.path.join(place, FRAGMENTS)
    try:
        names = os.listdir(fragments)
    except OSError:
        names = []
    found += [os.path.join(fragments, name) for name in sorted(names) if name.endswith(".json") and name[0] != "."]
    return [path for path in found if os.path.isfile(path)]


def load() -> list[tuple[str, dict[str, Any] | RefusalError]]:
    """Each file with its object, or with why it could not be read."""
    found: list[tuple[str, dict[str, Any] | RefusalError]] = []
    for path in paths():
        try:
            found.append((path, settings.parse(files.read(path) or b"", path).value))
        except RefusalError as refusal:
            found.append((path, refusal))
    return found


def inert() -> str:
    """Why hooks of the user and of projects do not run on this machine; empty where nothing says so.

    A value of the wrong type counts as set: the client shuts down to what the administrator allows.
    """
    for path, value in load():
        if isinstance(value, RefusalError):
            continue
        only = value.get("allowManagedHooksOnly", False)
        if only is not False:
            return f"{path}: `allowManagedHooksOnly` is set, so the client runs only an administrator's hooks"
        strict = value.get("strictPluginOnlyCustomization")
        if strict is True or (isinstance(strict, list) and "hooks" in strict):
            return f"{path}: `strictPluginOnlyCustomization` covers hooks, so the client runs only those of plugins"
    return ""
