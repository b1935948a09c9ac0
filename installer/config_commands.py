"""`cchooks config`: write the commented default config, check the config files, show what is in force."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from dataclasses import dataclass
from typing import Any

from cchooks_suite.hooks import config

from . import scopes

_TEMPLATE = os.path.join(os.path.dirname(config.__file__), "..", "templates", "config.toml")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register `config` with its actions `init`, `check` and `show`."""
    parser = subparsers.add_parser("config", help="write, check or show the hooks' config", description=__doc__)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    init = actions.add_parser("init", help="write the commented file with every key and its default")
    init.add_argument("--project", action="store_true", help="this project's .claude/cchooks.toml, not the user's file")
    init.set_defaults(func=_init)
    check = actions.add_parser("check", help="report unknown keys and wrong types in the user's and the project's file")
    check.add_argument("--json", action="store_true", help="one JSON object on stdout")
    check.set_defaults(func=_check)
    show = actions.add_parser("show", help="print the config in force here, as TOML")
    show.add_argument("--json", action="store_true", help="one JSON object on stdout")
    show.set_defaults(func=_show)


@dataclass(frozen=True)
class Schema:
    """A hook's config table: default values, choices and ranges, and keys that only the user's file may set."""

    defaults: dict[str, Any]
    allowed: dict[str, tuple[Any, ...]]
    user_only: tuple[str, ...]


def schemas() -> dict[str, Schema]:
    """Every hook's config table."""
    found = {}
    for hook in hook_names():
        module = importlib.import_module(f"cchooks_suite.hooks.{hook}")
        found[hook] = Schema(module.DEFAULTS, getattr(module, "ALLOWED", {}), getattr(module, "USER_ONLY", ()))
    return found


def hook_names() -> list[str]:
    """The hooks of the suite: the templates' names."""
    from importlib.resources import files

    templates = files("cchooks_suite.templates").iterdir()
    return sorted(entry.name.removesuffix(".json") for entry in templates if entry.name.endswith(".json"))


def problems(table: dict[str, Any], *, in_project: bool = False) -> list[tuple[str, str, str]]:
    """What does not fit in a whole config file: (dotted key, what was found, what was expected)."""
    known, found = schemas(), []
    for section, value in table.items():
        if section not in known:
            found.append((section, "an unknown table", "one of " + ", ".join(known)))
            continue
        schema = known[section]
        wrong = config.problems(value, schema.defaults, schema.allowed)
        found += [(f"{section}.{key}".rstrip("."), was, expected) for key, was, expected in wrong]
        if in_project and isinstance(value, dict):
            misplaced = [key for key in value if key in schema.user_only and value[key] != {}]
            found += [
                (f"{section}.{key}", "a key of the user's own", "it in the user's file only") for key in misplaced
            ]
    return found


def _project() -> str:
    return os.environ.get("CLAUDE_PROJECT_DIR") or scopes.current_folder()


def _user_file() -> str:
    import platformdirs

    folder = os.environ.get("CCHOOKS_CONFIG_DIR") or platformdirs.user_config_dir("cchooks", appauthor=False)
    return os.path.join(folder, config.FILE_NAME)


def _init(args: argparse.Namespace) -> int:
    path = os.path.join(_project(), config.PROJECT_FILE) if args.project else _user_file()
    with open(_TEMPLATE, encoding="utf-8") as template:
        text = template.read()
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        what = "exists already" if os.path.exists(path) else "is a link to a file that is not there"
        print(f"error: {path}: {what}, left as it is", file=sys.stderr)
        print("hint: `cchooks config check` checks it; move it away to get a new one", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"error: {path}: cannot be written: {error.strerror}", file=sys.stderr)
        return 1
    print(f"Wrote {path}: every key with its default, commented out. A change takes effect on the next tool call.")
    return 0


def _check(args: argparse.Namespace) -> int:
    report = [(path, *found) for path in config.files(_project()) for found in _file_problems(path)]
    if args.json:
        keys = ("file", "key", "found", "expected")
        print(
            json.dumps(
                {"files": config.files(_project()), "problems": [dict(zip(keys, r, strict=True)) for r in report]}
            )
        )
        return 1 if report else 0
    for path, key, found, expected in report:
        print(f"error: {path}: {f'`{key}`: ' if key else ''}found {found}, expected {expected}", file=sys.stderr)
    if report:
        print("hint: the hooks ignore these; `cchooks config show` prints what is in force", file=sys.stderr)
        return 1
    for path in config.files(_project()):
        print(f"{path}: fine")
    if not config.files(_project()):
        print("No config file: the defaults are in force. `cchooks config init` writes one.")
    return 0


def _file_problems(path: str) -> list[tuple[str, str, str]]:
    try:
        return problems(config.read(path), in_project=config.is_project_file(path))
    except (OSError, ValueError) as error:
        return [("", str(error), "a TOML file in UTF-8 that can be read")]


def _show(args: argparse.Namespace) -> int:
    shown = {}
    for hook, schema in schemas().items():
        values, notes = config.load(hook, schema.defaults, schema.allowed, _project(), schema.user_only)
        shown[hook] = _without_free_names(values)
        for note in notes:
            print(f"warning: {note}", file=sys.stderr)
    if args.json:
        print(json.dumps(shown))
    else:
        import tomli_w

        print(tomli_w.dumps(shown), end="")
    return 0


def _without_free_names(table: dict[str, Any]) -> dict[str, Any]:
    return {k: _without_free_names(v) if isinstance(v, dict) else v for k, v in table.items() if k != "*"}
