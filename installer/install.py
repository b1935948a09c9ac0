"""`cchooks install`: put the hooks' entries into a settings file."""

from __future__ import annotations

import os
import sys

from . import (
    __version__,
    catalogue,
    executables,
    files,
    managed,
    matching,
    merge,
    plugins,
    receipt,
    registration,
    scopes,
    transaction,
    validity,
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
        notes = self._judged(file)
        found = self._match(file, selected, entries)
        texts = dict(entry.get("before", {})) if entry else {}
        after, texts = merge.install(file, found, texts, self.target.path)
        if self.fix_encoding and file.marked:
            after = Settings(after.text, False, after.root)
        self._refuse_damage(after)
        data = before if after is file else after.encode()
        self._refuse_downgrade(entry, data != before)
        return transaction.Plan(
            data,
            self._entry(entry, before, data, found, texts),
            adds=True,
            holds=lambda back: self._holds(back, selected, entries),
            report=Report(selected, found, notes),
        )

    def ask_client(self) -> bool:
        """Look for a client too old for what we write; whether there is one."""
        from . import client_version

        program = client_version.find()
        version = client_version.ask(program) if program else None
        if version is None or version >= client_version.EXEC_FORM:
            return False
        self.client = version
        floor = client_version.shown(client_version.EXEC_FORM)
        self.client_note = (
            f"{program} is {client_version.shown(version)}: older than {floor}, so the entries are in the shell "
            "form that it knows; run `cchooks install` again after an update"
        )
        return True

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

    def _judged(self, file: Settings) -> list[Note]:
        """What in the file keeps our hooks from running: notes, or a refusal."""
        notes: list[Note] = []
        for name, on in plugins.enabled(file.value):
            if on and not self.force:
                raise RefusalError(
                    f"{self.target}: the plugin {name!r} is on, so every hook would run twice",
                    f"claude plugin disable {name}, or keep the plugin and run `cchooks uninstall`",
                )
        if file.value.get("disableAllHooks"):
            notes.append(("warning", "`disableAllHooks` is on in this file: no hook runs until it is taken out"))
        if os.path.exists(self.target.path) and os.stat(self.target.path).st_nlink > 1:
            notes.append(
                ("warning", "the file has a second name (a hard link), which keeps what was there before a change")
            )
        if file.marked and not self.fix_encoding:
            notes.append(
                ("warning", "begins with a byte order mark, which the desktop app rejects; see --fix-encoding")
            )
        notes += [
            ("warning", f"`{found.where}` is {found.what}: {found.effect}") for found in validity.elsewhere(file.value)
        ]
        hooks = file.value.get("hooks", {})
        if hooks is None:
            notes.append(("note", "`hooks` was null, which counts as absent: ours stands there now"))
        events = {slot.event for hook in self.hooks.values() for slot in hook.slots}
        nulls = [name for name in sorted(events) if isinstance(hooks, dict) and hooks.get(name, 0) is None]
        if nulls:
            notes.append(("note", f"{', '.join(f'`{name}`' for name in nulls)} was null, which counts as absent"))
        return notes

    def _refuse_damage(self, after: Settings) -> None:
        """Refuse a file that the client would drop, our entries with it."""
        found = validity.problems(after.value)
        if found and not self.force:
            raise RefusalError(
                f"{self.target}: `{found[0].where}` is {found[0].what}; {found[0].effect}",
                "correct that entry, which is not ours; --force installs beside it all the same",
            )

    def _refuse_downgrade(self, entry: dict[str, Any] | None, changes: bool) -> None:
        version = str(entry.get("version", "0")) if entry else "0"
        if changes and not self.force and _numbers(version) > _numbers(__version__):
            raise RefusalError(
                f"{self.target}: the entries were written by cchooks {version}, this is {__version__}",
                "run the newer one, or --force to go back",
            )

    def _entry(
        self, entry: dict[str, Any] | None, before: bytes | None, after: bytes | None, found: Matching, texts: Any
    ) -> dict[str, Any]:
        old = entry or {}
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
    _refuse_temporary()
    inert = managed.inert()
    installer = Installer(args, scope)
    others = _others(scope)
    _refuse_plugins(others, args.force)

    def check(outcome: Outcome) -> None:
        if outcome.changed:
            _refuse_unwritable(installer, outcome)
        refuse_root(installer.target, args.force)

    outcome = transaction.carry_out(
        installer.target, installer.plan, dry=args.dry_run, check=check, prepare=installer.ask_client
    )
    notes: list[Note] = [("warning", text) for text in (inert, installer.client_note) if text]
    if outcome.changed and outcome.written:
        notes += _exclude(installer)
    return install_report.show(installer, outcome, others, notes, args)


def refuse_root(target: files.Target, force: bool) -> None:
    """Refuse to write as root into a home that is not root's."""
    if force or not hasattr(os, "geteuid") or os.geteuid():
        return
    place = target.path
    while not os.path.exists(place):
        place = os.path.dirname(place)
    if os.environ.get("SUDO_USER") or os.stat(place).st_uid:
        who = os.environ.get("SUDO_USER") or f"user {os.stat(place).st_uid}"
        raise RefusalError(
            f"{target}: running as root on a file of {who}, expected that user", "run it without sudo, or with --force"
        )


def _refuse_temporary() -> None:
    if executables.temporary(sys.prefix, os.environ):
        raise RefusalError(
            f"{sys.prefix}: is a temporary environment that vanishes with the cache, expected a lasting installation",
            "uv tool install SOURCE, with the source that uvx was given; then `cchooks install`",
        )


def _refuse_unwritable(installer: Installer, outcome: Outcome) -> None:
    if installer.force or files.writable(installer.target.path):
        return
    from .print_config import snippet

    raise RefusalError(
        f"{installer.target}: is read-only, expected a file that may be replaced; it is as it was",
        "add this by hand where the file is made:",
        snippet(outcome.plan.report.selected, installer.scope.name),
    )


def _others(scope: Scope) -> list[tuple[Scope, Settings]]:
    """The other files that a session here reads, as far as they can be read."""
    found = []
    for other in scopes.readable():
        if other.path == scope.path:
            continue
        try:
            data, file = transaction.settled(files.resolve(other.path).path)
        except RefusalError:
            continue
        if data is not None:
            found.append((other, file))
    return found


def _refuse_plugins(others: list[tuple[Scope, Settings]], force: bool) -> None:
    for scope, file in others:
        for name, on in plugins.enabled(file.value):
            if on and not force:
                raise RefusalError(
                    f"{scope.path}: the plugin {name!r} is on, so every hook would run twice",
                    f"claude plugin disable {name}, or keep the plugin and do without `cchooks install`",
                )


def _exclude(installer: Installer) -> list[Note]:
    if installer.scope.name != scopes.LOCAL:
        return []
    from . import git_exclude

    return [("note", text) for text in git_exclude.hide(installer.scope.root, installer.target)]


def _numbers(version: str) -> list[int]:
    return [int(part) if part.isdigit() else 0 for part in version.split(".")]
