"""The platform's folders for configuration, state and cache, found by hand.

The same places as `platformdirs.user_*_dir("cchooks", appauthor=False)`, whose import costs a hook more than its own
start; a test holds the two equal. `CCHOOKS_CONFIG_DIR` and `CCHOOKS_STATE_DIR` name others (doctor tries hooks in
throw-away ones).
"""

from __future__ import annotations

import os
import sys

_MAC = {"config": "Application Support", "state": "Application Support", "cache": "Caches"}
_XDG = {
    "config": ("XDG_CONFIG_HOME", ".config"),
    "state": ("XDG_STATE_HOME", ".local/state"),
    "cache": ("XDG_CACHE_HOME", ".cache"),
}


def config_dir() -> str:
    """Folder of the user's `config.toml`; it may not exist."""
    return os.environ.get("CCHOOKS_CONFIG_DIR") or _user_dir("config")


def state_dir() -> str:
    """Folder of events, receipts and backups; it may not exist."""
    return os.environ.get("CCHOOKS_STATE_DIR") or _user_dir("state")


def cache_dir() -> str:
    """Folder of spilled files where a session has none of its own; it may not exist."""
    return _user_dir("cache")


def _user_dir(kind: str) -> str:
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
        return os.path.join(local, "cchooks", "Cache") if kind == "cache" else os.path.join(local, "cchooks")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", _MAC[kind], "cchooks")
    variable, below_home = _XDG[kind]
    base = os.environ.get(variable, "").strip()
    return os.path.join(base or os.path.join(home, below_home), "cchooks")
