"""What `cchooks uninstall` tells."""

from __future__ import annotations

import re
import sys

from . import output, ownership, scopes
from .install_report import unified

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from .errors import RefusalError
    from .transaction import Outcome
    from .uninstall import Remover

_HANDLER = re.compile(r"hooks\.\w+\[\d+\]\.hooks\[\d+\]\.command")  # where the client looks for one


def show(
    done: list[tuple[Remover, Outcome]],
    failed: list[tuple[str, RefusalError]],
    elsewhere: list[tuple[str, int]],
    args: Namespace,
) -> None:
    """Print the results, a file each, what was refused, and what stays in other files."""
    if args.json:
        refused = [{"state": "refused", "file": path, **output.refusal(refusal)} for path, refusal in failed]
        output.as_json(
            {
                "command": "uninstall",
                "files": [_object(remover, outcome, args) for remover, outcome in done] + refused,
                "elsewhere": [{"file": path, "entries": count} for path, count in elsewhere],
            }
        )
        return
    for remover, outcome in done:
        _tell(remover, outcome, args)
    for _, refusal in failed:
        output.refuse(refusal)
    for path, count in elsewhere:
        output.tell("note", f"{path}: {count} of our entries stay there")
    if elsewhere:
        output.tell("hint", "cchooks uninstall --everywhere takes them out of every file")
    complete = not failed and not elsewhere and not args.hooks
    if complete and not args.dry_run and any(outcome.changed for _, outcome in done):
        output.say(f"the package may go now: {sys.executable} -m pip uninstall cchooks-suite")


def _tell(remover: Remover, outcome: Outcome, args: Namespace) -> None:
    report = outcome.plan.report
    if not outcome.changed:
        output.say(f"nothing to remove in {remover.target}")
    elif args.dry_run:
        output.say(unified(remover.target.path, outcome.before, outcome.plan.after))
    else:
        count = len(report.gone)
        names = ", ".join(sorted({hook for hook, _ in report.gone}))
        output.say(f"removed {count} {'entry' if count == 1 else 'entries'} of {names} from {remover.target}")
        if report.deleted:
            output.say("  nothing else was in the file, which cchooks had created: it is gone too")
        output.say(f"backup: {outcome.backup}")
    for note in _notes(outcome):
        output.tell("note", note)


def _notes(outcome: Outcome) -> list[str]:
    report = outcome.plan.report
    notes = [report.relied] if report.relied else []
    notes += [
        f"{handler.where} runs {ownership.shown(handler.value)}: looks like ours, not installed by us; it stays "
        "(--all-matching removes it)"
        for handler in report.lookalikes
    ]
    return notes + [_mention(where) for where in report.mentions]


def _mention(where: str) -> str:
    if where.startswith("hooks.") and where.endswith(".command") and not _HANDLER.fullmatch(where):
        return f"{where} runs cchooks where the client looks for no handler; it stays, take it out by hand"
    return f"{where} names cchooks and stays: it was not written by us"


def _object(remover: Remover, outcome: Outcome, args: Namespace) -> dict[str, Any]:
    report = outcome.plan.report
    state = "unchanged" if not outcome.changed else "dry-run" if args.dry_run else "changed"
    found: dict[str, Any] = {
        "state": state,
        "file": remover.target.given,
        "target": remover.target.path,
        "scope": args.scope if not args.everywhere else _scope(remover.target.given),
        "removed": [
            {"hook": hook, "event": handler.event, "matcher": handler.matcher} for hook, handler in report.gone
        ],
        "deleted": report.deleted,
        "backup": outcome.backup or None,
        "lookalikes": [{"where": item.where, "command": ownership.shown(item.value)} for item in report.lookalikes],
        "mentions": report.mentions,
        "notes": _notes(outcome),
    }
    return (
        {**found, "diff": unified(remover.target.path, outcome.before, outcome.plan.after)} if args.dry_run else found
    )


def _scope(path: str) -> str | None:
    return next((scope.name for scope in scopes.readable() if scope.path == path), None)
