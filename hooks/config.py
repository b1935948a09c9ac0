"""Reading the config: TOML of the user, overridden key by key by the project's.

A hook module declares its table as `DEFAULTS`: each key with its default value, whose type is the type expected. The
key `*` stands for names that the user chooses. `ALLOWED` narrows a key (dotted path below the hook's table): a tuple of
strings lists the choices, a tuple of two integers is an inclusive range.

Values that do not fit are left out here, and reported by `cchooks config check`, which calls `problems` too.
"""

from __future__ import annotations

import os

from . import folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Table = dict[str, Any]
    Allowed = Mapping[str, tuple[Any, ...]]

FILE_NAME = "config.toml"
PROJECT_FILE = os.path.join(".claude", "cchooks.toml")


def files(project: str | None) -> list[str]:
    """The config files that exist, weakest first: the user's, then the project's."""
    found = [os.path.join(folders.config_dir(), FILE_NAME)]
    if project:
        found.append(os.path.join(project, PROJECT_FILE))
    return [path for path in found if os.path.isfile(path)]


def load(
    hook: str, defaults: Table, allowed: Allowed, project: str | None, user_only: tuple[str, ...] = ()
) -> tuple[Table, list[str]]:
    """The hook's config, and one line for each file that could not be read.

    Without a config file nothing is opened or imported and the defaults themselves are returned. The keys `user_only`
    count in the user's file alone.
    """
    paths = files(project)
    if not paths:
        return defaults, []
    config, notes = defaults, []
    for path in paths:
        try:
            table = read(path).get(hook, {})
        except (OSError, ValueError) as error:
            notes.append(f"{path}: {error}; its settings are ignored")
            continue
        known = defaults if not is_project_file(path) else {k: v for k, v in defaults.items() if k not in user_only}
        config = merged(config, fitting(table, known, allowed))
    return config, notes


def is_project_file(path: str) -> bool:
    """Whether a config file is a project's, which may come with a repository."""
    return path.endswith(PROJECT_FILE)


def read(path: str) -> Table:
    """The whole file as a table.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not UTF-8 or not TOML (`tomllib.TOMLDecodeError` and `UnicodeDecodeError` are ValueErrors).
    """
    import tomllib

    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except RecursionError:
        raise ValueError("nested too deep") from None


def merged(base: Table, over: Table) -> Table:
    """A new table: `base` with the values of `over` in place, tables merged key by key."""
    result = dict(base)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = merged(result[key], value) if both else value
    return result


def fitting(table: Any, defaults: Table, allowed: Allowed) -> Table:
    """The part of `table` that the hook knows and whose values fit."""
    return _split(table, defaults, allowed, ("", ""), [])


def problems(table: Any, defaults: Table, allowed: Allowed) -> list[tuple[str, str, str]]:
    """What does not fit: (dotted key, what was found, what was expected), in the file's order."""
    found: list[tuple[str, str, str]] = []
    _split(table, defaults, allowed, ("", ""), found)
    return found


def _split(
    table: Any, defaults: Table, allowed: Allowed, at: tuple[str, str], bad: list[tuple[str, str, str]]
) -> Table:
    """The good part of a table; `at` is its place as written, and as `allowed` spells it (`*` for free names)."""
    written, rule = at
    if not isinstance(table, dict):
        bad.append((written.rstrip("."), describe(table), "a table"))
        return {}
    good: Table = {}
    for key, value in table.items():
        known = _known(key, defaults)
        spelled = key if "*" not in defaults else "*"
        if known is None:
            bad.append((written + key, "an unknown key", "one of " + ", ".join(k for k in defaults if k != "*")))
        elif isinstance(known, dict):
            good[key] = _split(value, known, allowed, (f"{written}{key}.", f"{rule}{spelled}."), bad)
        elif expected := _mismatch(value, known, allowed.get(rule + spelled)):
            bad.append((written + key, describe(value), expected))
        else:
            good[key] = value
    return good


def _known(key: str, defaults: Table) -> Any:
    """The default value of a key; a table that is named and free at once has the keys of both."""
    free = defaults.get("*")
    named = defaults.get(key, free)
    return {**free, **named} if isinstance(named, dict) and isinstance(free, dict) else named


def _mismatch(value: Any, default: Any, allowed: tuple[Any, ...] | None) -> str:
    """What was expected, where `value` does not fit; else an empty string."""
    if type(value) is not type(default) or (isinstance(value, list) and not all(isinstance(v, str) for v in value)):
        return _TYPES[type(default)]
    if not allowed:
        return ""
    if isinstance(default, int):
        low, high = allowed
        return "" if low <= value <= high else f"an integer from {low} to {high}"
    choices = ", ".join(f'"{choice}"' for choice in allowed)
    if isinstance(default, list):
        return "" if all(item in allowed for item in value) else f"a list of {choices}"
    return "" if value in allowed else f"one of {choices}"


_TYPES = {bool: "true or false", int: "an integer", str: "a string", list: "a list of strings", dict: "a table"}


def describe(value: Any) -> str:
    """The kind of a value as a person would say it, with the value where it is short."""
    kind = {bool: "true or false", int: "the integer", float: "the number", str: "the string", list: "a list"}
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | str) and len(repr(value)) <= 40:
        return f"{kind[type(value)]} {value!r}"
    return "a table" if isinstance(value, dict) else kind.get(type(value), f"a {type(value).__name__}")
