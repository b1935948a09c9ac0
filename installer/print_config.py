"""`cchooks print-config`: the entries to add by hand."""

from __future__ import annotations

from . import catalogue, output, receipt, registration, scopes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace, _SubParsersAction
    from collections.abc import Sequence
    from typing import Any


def add_parser(subparsers: _SubParsersAction[ArgumentParser]) -> None:
    """Register the sub-command."""
    from .options import add_json, add_scopes

    parser = subparsers.add_parser(
        "print-config",
        help="print the entries to add by hand",
        description="Print the entries that `cchooks install` would write, to add them by hand where it cannot.",
    )
    parser.add_argument("hooks", nargs="*", metavar="HOOK", help="hooks to print, and no others")
    add_scopes(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Carry out `cchooks print-config`."""
    hooks = catalogue.hooks()
    path = _path(args.scope)
    names = registration.chosen(args.hooks, receipt.load().get(path), hooks)
    output.say(snippet(names, args.scope))
    if not args.json:
        output.tell("hint", f"add it to {path}; `hooks` may stand only once in a file")
    return 0


def snippet(names: Sequence[str], scope: str, client: tuple[int, ...] | None = None) -> str:
    """The `hooks` member for these hooks, as a JSON object, for a client of that version where it is known."""
    from json import dumps

    hooks = catalogue.hooks()
    events: dict[str, list[Any]] = {}
    for slot in registration.slots([hooks[name] for name in names], scope, client):
        events.setdefault(slot.event, []).append(slot.group)
    return dumps({"hooks": events}, indent=2, ensure_ascii=False)


def _path(scope: str) -> str:
    from . import files

    return files.resolve(scopes.scope(scope).path).path
