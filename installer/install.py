"""`cchooks install`: put the hooks' entries into a settings file."""

from __future__ import annotations

import os
import sys

from . import (
    __version__,
    catalogue,
    checks,
    executables,
    files,
    managed,
    matching,
    receipt,
    registration,
    scopes,
    transaction,
)
from .errors import RefusalError
from .settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace, _SubParsersAction
    from typing import Any

    from .matching import Matching
    from .scopes import Scope
    from .transaction import Outcome, Plan

    Entries = dict[str, dict[str, Any]]
    Note = tuple[str, str]


def add_parser(subparsers: _SubParsersAction[ArgumentParser]) -> None:
    """Register the sub-command."""
    from .options import add_common, add_scopes

    parser = subparsers.add_parser(
        "install",
        help="put the hooks into Claude Code's settings",
        description="Put the hooks' entries into a settings file of Claude Code. Without names: the choice on record, "
        "else every hook that is on by default. With names: exactly those. Nothing else in the file changes.",
    )
    parser.add_argument("hooks", nargs="*", metavar="HOOK", help="hooks to install, and no others")
    add_scopes(parser)
    add_common(parser)
    parser.add_argument("--fix-encoding", action="store_true", help="take a byte order mark out of the file")
    parser.set_defaults(run=run)


class Report:
    """What an installation did or would do.

    Attributes:
        selected: names of the hooks that are to be in the file.
        found: what of ours the file held before.
        notes: what to know: (`warning` or `note`, one line).
    """

    def __init__(self, selected: list[str], found: Matching, notes: list[Note]) -> None:
        self.selected = selected
        self.found = found
        self.notes = notes


class Installer:
    """One installation: what was asked, and the plan it makes for a file."""

    def __init__(self, args: Namespace, scope: Scope) -> None:
        self.names: list[str] = args.hooks
        self.force: bool = args.force
        self.fix_encoding: bool = args.fix_encoding
        self.everything: bool = args.all_matching
        self.scope = scope
        self.target = files.resolve(scope.path)
        self.hooks = catalogue.hooks()
        self.client: tuple[int, ...] | None = None
        self.client_note = ""

    def plan(self, before: bytes | None, file: Settings, entries: Entries) -> Plan:
        """The plan for the file as it is now."""
        entry = entries.get(self.target.path)
        selected = registration.chosen(self.names, entry, self.hooks)
        if not self.force:
            checks.refuse_plugin(str(self.target), file.value)
        found = self._match(file, selected, entries)
        texts = dict(entry.get("before", {})) if entry else {}
        after, texts = self._merged(file, found, texts)
        if self.fix_encoding and file.marked:
            after = Settings(after.text, False, after.root)
        if not self.force:
            checks.refuse_dead(self.target, after.value)
        data = before if after is file else after.encode()
        self._refuse_downgrade(entry, data != before)
        return transaction.Plan(
            data,
            self._entry(entry, before, data, found, texts),
            adds=True,
            holds=lambda back: self._holds(back, selected, entries),
            report=Report(selected, found, self._notes(file)),
        )

    def ask_client(self) -> bool:
        """Look for a client too old for what we write; whether there is one."""
        from . import client_version

        program = client_version.find()
        version = client_version.ask(program) if program else None
        if version is None or version >= catalogue.EXEC_FORM:
            return False
        self.client = version
        floor = client_version.shown(catalogue.EXEC_FORM)
        self.client_note = (
            f"{program} is {client_version.shown(version)}: older than {floor}, so the entries are in the shell "
            "form that it knows; run `cchooks install` again after an update"
        )
        return True

    def check(self, outcome: Outcome) -> None:
        """Refuse a write that must not or cannot be made."""
        if self.force:
            return
        if outcome.changed:
            from .print_config import snippet

            text = snippet(outcome.plan.report.selected, self.scope.name)
            checks.refuse_unwritable(self.target, "add this by hand where the file is made:", text)
        checks.refuse_root(self.target)

    def _match(self, file: Settings, selected: list[str], entries: Entries) -> Matching:
        entry = entries.get(self.target.path)
        return matching.match(
            file,
            registration.slots([self.hooks[name] for name in selected], self.scope.name, self.client),
            registration.owner(self.hooks, entries, self.everything),
            entry["entries"] if entry else (),
            known={name: {slot.event for slot in hook.slots} for name, hook in self.hooks.items()},
            keeps=registration.keeper(self.scope.name) if self.client is None else None,
            force=self.force,
        )

    def _merged(self, file: Settings, found: Matching, texts: dict[str, str]) -> tuple[Settings, dict[str, str]]:
        if not found.surplus and not any(pair.changed for pair in found.pairs):
            return file, texts
        from . import merge

        return merge.install(file, found, texts, self.target.path)

    def _notes(self, file: Settings) -> list[Note]:
        events = sorted({slot.event for hook in self.hooks.values() for slot in hook.slots})
        shown = Settings(file.text, file.marked and not self.fix_encoding, file.root)
        return checks.notes(self.target, shown, events)

    def _refuse_downgrade(self, entry: dict[str, Any] | None, changes: bool) -> None:
        if changes and entry and not self.force and _newer(entry):
            raise RefusalError(
                f"{self.target}: the entries were written by cchooks {entry['version']}, this is {__version__}",
                "run the newer one, or --force to go back",
            )

    def _entry(
        self, entry: dict[str, Any] | None, before: bytes | None, after: bytes | None, found: Matching, texts: Any
    ) -> dict[str, Any]:
        old = entry or {}
        if after == before and entry and _newer(entry):
            return entry
        unknown: dict[str, Any] = {"time": receipt.now(), "digest": None, "folders": []}
        fresh = {
            **unknown,
            **old,
            "scope": self.scope.name,
            "given": self.scope.path,
            "version": __version__,
            "created": before is None or bool(old.get("created")),
            "chosen": sorted(self.names) or old.get("chosen"),
            "entries": [pair.as_entry() for pair in found.pairs],
            "before": texts,
        }
        if after != before:
            fresh |= {"time": receipt.now(), "digest": receipt.digest(after or b"")}
        elif fresh["digest"] is None:
            fresh["digest"] = receipt.digest(after or b"")
        return fresh

    def _holds(self, back: bytes | None, selected: list[str], entries: Entries) -> bool:
        try:
            _, file = transaction.settled(self.target.path) if back else (None, None)
        except RefusalError:
            return False
        return file is not None and not any(pair.changed for pair in self._match(file, selected, entries).pairs)


def run(args: Namespace) -> int:
    """Carry out `cchooks install`."""
    from . import install_report

    scope = scopes.scope(args.scope)
    checks.refuse_temporary()
    inert = managed.inert()
    installer = Installer(args, scope)
    others = checks.other_files(scope)
    if not args.force:
        for other, file in others:
            checks.refuse_plugin(other.path, file.value)

    mended = [] if args.dry_run else _mend(installer)
    outcome = transaction.carry_out(
        installer.target, installer.plan, dry=args.dry_run, check=installer.check, prepare=installer.ask_client
    )
    notes: list[Note] = [("warning", text) for text in (inert, installer.client_note) if text]
    if mended:
        names = ", ".join(os.path.basename(path) for path in mended)
        notes.append(("note", f"mended {names}: their interpreter's path, {sys.executable}, could not stand after #!"))
    if outcome.changed and outcome.written:
        notes += _exclude(installer)
    return install_report.show(installer, outcome, others, notes, args)


def _mend(installer: Installer) -> list[str]:
    """Make this installation's hooks startable where their prefix has a blank."""
    if " " not in sys.prefix and len(sys.prefix) < 100:
        return []
    from . import shebang

    folder = executables.folder()
    return shebang.mend([os.path.join(folder, catalogue.PREFIX + name) for name in installer.hooks])


def _exclude(installer: Installer) -> list[Note]:
    if installer.scope.name != scopes.LOCAL:
        return []
    from . import git_exclude

    return [("note", text) for text in git_exclude.hide(installer.scope.root, installer.target)]


def _newer(entry: dict[str, Any]) -> bool:
    """Whether a newer version than this one wrote the entries."""
    return _numbers(str(entry.get("version", "0"))) > _numbers(__version__)


def _numbers(version: str) -> list[int]:
    return [int(part) if part.isdigit() else 0 for part in version.split(".")]
