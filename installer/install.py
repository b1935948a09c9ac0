"""`cchooks install`: put the hooks' entries into a settings file."""

from __future__ import annotations

import os
import sys

from . import (
    __version__,
    catalogue,
    checks,
    client_version,
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

    from .client_version import Client
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
        self.client: Client | None = None
        self._looked = False

    def plan(self, before: bytes | None, file: Settings, entries: Entries) -> Plan:
        """The plan for the file as it is now."""
        entry = entries.get(self.target.path)
        self._look_for_client(entry)
        selected = self._known_to_client(registration.chosen(self.names, entry, self.hooks))
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

    @property
    def old_client(self) -> tuple[int, ...] | None:
        """The version of a client too old for the form that we prefer to write; None without such a client."""
        version = self.client.version if self.client else None
        return version if version and version < catalogue.EXEC_FORM else None

    def ask_client(self) -> bool:
        """Ask the client for its version where the one on record was taken; whether it is another one."""
        if self.client is None or self.client.fresh:
            return False
        recorded = self.client.version
        self.client = client_version.Client(self.client.program)
        return self.client.version != recorded

    def check(self, outcome: Outcome) -> None:
        """Refuse a write that must not or cannot be made."""
        if self.force:
            return
        if outcome.changed:
            from .print_config import snippet

            text = snippet(outcome.plan.report.selected, self.scope.name, self.old_client)
            checks.refuse_unwritable(self.target, "add this by hand where the file is made:", text)
        checks.refuse_root(self.target)

    def _look_for_client(self, entry: dict[str, Any] | None) -> None:
        if self._looked:
            return
        self._looked = True
        program = client_version.find()
        self.client = client_version.Client(program, entry.get("client") if entry else None) if program else None

    def _known_to_client(self, names: list[str]) -> list[str]:
        """The hooks of which the client knows at least one event.

        Raises:
            RefusalError: it knows none.
        """
        unborn = self._unborn(names)
        lost = {(hook, event) for hook, event, _ in unborn}
        left = [name for name in names if any((name, slot.event) not in lost for slot in self.hooks[name].slots)]
        if names and not left and self.client and self.client.version:
            floor = client_version.shown(min(floor for _, _, floor in unborn))
            raise RefusalError(
                f"{self.client.program}: is {client_version.shown(self.client.version)}, expected {floor} or newer, "
                f"the first to have what {', '.join(names)} needs; no hook was written",
                "claude update; then run the command again",
            )
        return left

    def _unborn(self, names: list[str]) -> list[tuple[str, str, tuple[int, ...]]]:
        return registration.unborn([self.hooks[name] for name in names], self.old_client)

    def client_notes(self, names: list[str]) -> list[Note]:
        """What an old client cannot do, of what was asked."""
        if self.client is None or self.old_client is None:
            return []
        shown = client_version.shown
        old = f"{self.client.program} is {shown(self.old_client)}"
        notes = [
            f"{old}: {hook} is not registered for {event}, which {shown(floor)} was the first to have"
            for hook, event, floor in self._unborn(names)
        ]
        form = f"{old}: older than {shown(catalogue.EXEC_FORM)}, so the entries are in the shell form that it knows"
        return [("warning", text) for text in [*notes, f"{form}; run `cchooks install` again after an update"]]

    def _match(self, file: Settings, selected: list[str], entries: Entries) -> Matching:
        entry = entries.get(self.target.path)
        return matching.match(
            file,
            registration.slots([self.hooks[name] for name in selected], self.scope.name, self.old_client),
            registration.owner(self.hooks, entries, self.everything),
            entry["entries"] if entry else (),
            known={name: {slot.event for slot in hook.slots} for name, hook in self.hooks.items()},
            keeps=registration.keeper(self.scope.name) if self.old_client is None else None,
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
        ours_before = bool(found.surplus) or any(pair.handler for pair in found.pairs)
        fresh = {
            **unknown,
            **old,
            "scope": self.scope.name,
            "given": self.scope.path,
            "version": __version__,
            # A file without any entry of ours is not the one we made: somebody has written another in its place.
            "created": before is None or (ours_before and bool(old.get("created"))),
            "client": self.client.as_entry() if self.client else None,
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
    notes: list[Note] = [("warning", inert)] if inert else []
    notes += installer.client_notes(registration.chosen(installer.names, outcome.plan.entry, installer.hooks))
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
