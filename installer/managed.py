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


def rulings() -> list[tuple[str, str, str]]:
    """What keeps hooks of the user and of projects from running: (key, file, what the client does).

    Measured value by value on Claude Code 2.1.332: null is not set, and a value of the wrong type shuts down to what
    the administrator allows.
    """
    values: dict[str, tuple[str, Any]] = {}
    for path, value in load():
        if not isinstance(value, RefusalError):
            values |= {key: (path, value[key]) for key in _RULES if value.get(key) is not None}
    return [(key, path, _RULES[key][1]) for key, (path, value) in values.items() if _RULES[key][0](value)]


def inert() -> str:
    """Why hooks of the user and of projects do not run on this machine; empty where nothing says so."""
    for key, path, effect in rulings():
        return f"{path}: `{key}` is set, so {effect}"
    return ""


def _is_not_false(value: Any) -> bool:
    return value is not False


def _covers_hooks(value: Any) -> bool:
    return "hooks" in value if isinstance(value, list) else value is not False


def _is_on(value: Any) -> bool:
    return str(value).lower() not in ("", "0", "false", "no", "off")


_RULES = {
    "allowManagedHooksOnly": (_is_not_false, "the client runs only an administrator's hooks and ours are inert"),
    "strictPluginOnlyCustomization": (_covers_hooks, "the client runs only plugins' hooks: ours would run as a plugin"),
    "disableAllHooks": (_is_on, "the client runs no hook at all"),
}
