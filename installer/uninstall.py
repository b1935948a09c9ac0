"""`cchooks uninstall`: take our entries out of a settings file, handler by handler."""

from __future__ import annotations

from . import catalogue, checks, files, matching, merge, receipt, registration, scopes, transaction
from .errors import RefusalError, UsageError
from .settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace, _SubParsersAction
    from typing import Any

    from .ownership import Owner
    from .settings import Handler
    from .transaction import Outcome, Plan

    Entries = dict[str, dict[str, Any]]

_MENTIONS = 10
_DEEPEST = 50


def add_parser(subparsers: _SubParsersAction[ArgumentParser]) -> None:
    """Register the sub-command."""
    from .options import add_common, add_scopes

    parser = subparsers.add_parser(
        "uninstall",
        help="take the hooks out again",
        description="Take the hooks' entries out of a settings file of Claude Code; everything else stays as it is.",
    )
    parser.add_argument("hooks", nargs="*", metavar="HOOK", help="hooks to take out; without names all of them")
    add_scopes(parser)
    add_common(parser)
    parser.add_argument("--everywhere", action="store_true", help="in every file that has entries of ours")
    parser.set_defaults(run=run)


class Report:
    """What a removal did or would do.

    Attributes:
        gone: the handlers taken out.
        lookalikes: handlers that only look like ours.
        mentions: other places that name us, which we never wrote.
        relied: what told our entries, where no receipt did.
        deleted: whether the file itself goes.
    """

    def __init__(
        self,
        gone: list[tuple[str, Handler]],
        lookalikes: list[Handler],
        mentions: list[str],
        relied: str,
        deleted: bool,
    ) -> None:
        self.gone = gone
        self.lookalikes = lookalikes
        self.mentions = mentions
        self.relied = relied
        self.deleted = deleted


class Remover:
    """One removal: what was asked, and the plan it makes for a file."""

    def __init__(self, args: Namespace, path: str) -> None:
        self.names: list[str] = args.hooks
        self.everything: bool = args.all_matching
        self.target = files.resolve(path)
        self.hooks = catalogue.hooks()

    def plan(self, before: bytes | None, file: Settings, entries: Entries) -> Plan:
        """The plan for the file as it is now."""
        entry = entries.get(self.target.path)
        owner = registration.owner(self.hooks, entries, self.everything)
        found = matching.match(file, [], owner)
        gone = [(item.hook, item.handler) for item in found.surplus if not self.names or item.hook in self.names]
        texts = entry.get("before", {}) if entry else {}
        after = merge.uninstall(file, [handler for _, handler in gone], texts, self.target.path)
        rest = self._rest(entry)
        deleted = bool(gone) and not rest and bool(entry and entry.get("created")) and not after.value
        data = before if after is file else None if deleted else after.encode()
        relied = "" if entry or not gone else "no receipt for this file: went by the executables' names and folders"
        return transaction.Plan(
            data,
            self._entry(entry, data, rest),
            adds=False,
            holds=lambda back: self._holds(back, entries),
            report=Report(gone, found.lookalikes, mentions(after, owner), relied, deleted),
        )

    def _rest(self, entry: dict[str, Any] | None) -> list[dict[str, Any]]:
        """What the receipt still says afterwards: nothing once nothing of ours is left."""
        if not entry or not self.names:
            return []
        return [row for row in entry["entries"] if row["hook"] not in self.names]

    def _entry(self, entry: dict[str, Any] | None, after: bytes | None, rest: list[dict[str, Any]]) -> Any:
        if not entry or not rest:
            return None
        if len(rest) == len(entry["entries"]):
            return entry
        left = sorted({row["hook"] for row in rest})
        return {**entry, "entries": rest, "chosen": left, "time": receipt.now(), "digest": receipt.digest(after or b"")}

    def _holds(self, back: bytes | None, entries: Entries) -> bool:
        if back is None:
            return True
        try:
            _, file = transaction.settled(self.target.path)
        except RefusalError:
            return False
        owner = registration.owner(self.hooks, entries, self.everything)
        return not any(
            owner.hook(handler.value) in (self.names or self.hooks) for handler in file.handlers(catalogue.PREFIX)
        )


def run(args: Namespace) -> int:
    """Carry out `cchooks uninstall`."""
    from . import uninstall_report

    hooks = catalogue.hooks()
    for name in args.hooks:
        if name not in hooks and name not in catalogue.RETIRED:
            raise UsageError(f"no hook is named {name!r}; there are {', '.join(hooks)}")
    paths = _everywhere() if args.everywhere else [scopes.scope(args.scope).path]
    done, failed = [], []
    for path in paths:
        try:
            done.append(_one(args, path))
        except RefusalError as refusal:
            if not args.everywhere:
                raise
            failed.append((path, refusal))
    elsewhere = [] if args.everywhere else _elsewhere(paths[0], args)
    uninstall_report.show(done, failed, elsewhere, args)
    return 1 if failed else 0


def mentions(file: Settings, owner: Owner) -> list[str]:
    """Places that name cchooks: permission rules, variables, commands where the client looks for no handler.

    Handlers are left out: ours are taken out or stay on purpose, and what looks like ours is told of by itself.
    """
    handlers = {
        handler.where
        for handler in file.handlers(catalogue.PREFIX)
        if owner.hook(handler.value) or owner.looks_alike(handler.value)
    }
    found: list[str] = []
    _search(file.value, "", found, handlers)
    return found


def _one(args: Namespace, path: str) -> tuple[Remover, Outcome]:
    remover = Remover(args, path)

    def check(outcome: Outcome) -> None:
        if args.force:
            return
        if outcome.changed:
            checks.refuse_unwritable(remover.target, "take the entries out where the file is made")
        checks.refuse_root(remover.target)

    former = receipt.load().get(remover.target.path)
    outcome = transaction.carry_out(remover.target, remover.plan, dry=args.dry_run, check=check)
    if outcome.written and outcome.plan.report.deleted and former:
        _clear_up(former)
    return remover, outcome


def _clear_up(entry: dict[str, Any]) -> None:
    """The file was ours and is gone: so go its folders, where they are empty, and its line on git's exclude list."""
    from . import git_exclude

    folders = entry.get("folders")
    transaction.remove_folders(folders if isinstance(folders, list) else [])
    git_exclude.show_again(entry)


def _everywhere() -> list[str]:
    paths = [scope.path for scope in scopes.readable()]
    return list(dict.fromkeys([*paths, *(str(entry.get("given", path)) for path, entry in receipt.load().items())]))


def _elsewhere(asked: str, args: Namespace) -> list[tuple[str, int]]:
    """Other files with entries of ours, and how many."""
    found = []
    hooks, entries = catalogue.hooks(), receipt.load()
    owner = registration.owner(hooks, entries, args.all_matching)
    for path in _everywhere():
        if path == asked:
            continue
        try:
            _, file = transaction.settled(files.resolve(path).path)
        except RefusalError:
            continue
        count = sum(1 for handler in file.handlers(catalogue.PREFIX) if owner.hook(handler.value))
        found += [(path, count)] if count else []
    return found


def _search(value: Any, where: str, found: list[str], leave: set[str], depth: int = 0) -> None:
    if len(found) >= _MENTIONS or depth > _DEEPEST or where in leave:
        return
    if isinstance(value, dict):
        for key, member in value.items():
            if "cchooks" in key.lower():
                found.append(f"{where}.{key}".lstrip("."))
            else:
                _search(member, f"{where}.{key}".lstrip("."), found, leave, depth + 1)
    elif isinstance(value, list):
        for number, element in enumerate(value):
            _search(element, f"{where}[{number}]", found, leave, depth + 1)
    elif isinstance(value, str) and "cchooks" in value.lower():
        found.append(where)
