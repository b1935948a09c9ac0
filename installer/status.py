"""`cchooks status`: what is installed where, file by file and hook by hook. It writes nothing."""

from __future__ import annotations

import os
import time

from . import catalogue, files, matching, output, ownership, receipt, registration, scopes, transaction, validity
from .errors import RefusalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace, _SubParsersAction
    from typing import Any

    from .catalogue import Hook
    from .matching import Matching, Pair
    from .scopes import Scope
    from .settings import Settings

HEALTHY, BROKEN, NOTICES = 0, 1, 3
_BROKEN = ("partial", "lost", "broken")
_NOTICED = ("drifted", "duplicated", "outdated")


def add_parser(subparsers: _SubParsersAction[ArgumentParser]) -> None:
    """Register the sub-command."""
    from .options import add_json

    parser = subparsers.add_parser(
        "status",
        help="what is installed where, and what is wrong with it",
        description="Say for each settings file that a session here reads which hooks are in it. Writes nothing. "
        "Exit status: 0 healthy, 1 broken, 3 works with notices.",
    )
    add_json(parser)
    parser.set_defaults(run=run)


class HookState:
    """One hook in one file.

    Attributes:
        hook: its name.
        state: `installed`, `absent`, `partial`, `lost`, `broken`, `drifted`, `duplicated` or `outdated`.
        detail: what exactly; empty where there is nothing to say.
    """

    __slots__ = ("detail", "hook", "state")

    def __init__(self, hook: str, state: str, detail: str = "") -> None:
        self.hook = hook
        self.state = state
        self.detail = detail


class FileState:
    """One settings file.

    Attributes:
        scope: its scope; None for a file that only the receipt knows.
        path: the file as named.
        exists: whether it is there.
        hooks: every hook of the suite.
        notes: what else to know.
        error: why it could not be read; empty where it could.
        dead: what makes the client drop the whole file; empty where nothing does.
    """

    def __init__(self, scope: str | None, path: str) -> None:
        self.scope = scope
        self.path = path
        self.exists = False
        self.hooks: list[HookState] = []
        self.notes: list[str] = []
        self.error = ""
        self.dead = ""

    @property
    def status(self) -> int:
        """The exit status that this file alone gives."""
        states = {found.state for found in self.hooks}
        if self.error or self.dead or states & set(_BROKEN):
            return BROKEN
        return NOTICES if self.notes or states & set(_NOTICED) else HEALTHY

    @property
    def present(self) -> bool:
        """Whether anything of ours is or should be there."""
        return any(found.state != "absent" for found in self.hooks)


def run(args: Namespace) -> int:
    """Carry out `cchooks status`."""
    found = inspect_all()
    status = worst(found)
    if args.json:
        output.as_json({"command": "status", "status": status, "files": [_object(file) for file in found]})
    else:
        _tell(found, status)
    return status


def worst(found: list[FileState]) -> int:
    """The exit status of several files together; what no session here reads is told of and does not count."""
    statuses = {file.status for file in found if file.scope}
    return BROKEN if BROKEN in statuses else NOTICES if NOTICES in statuses else HEALTHY


def inspect_all() -> list[FileState]:
    """Every file that a session here reads, then those elsewhere in which the receipt says something is.

    A file elsewhere whose folder is gone, as that of a deleted project, is left out.
    """
    known = {scope.path: scope for scope in scopes.readable()}
    entries = receipt.load()
    others = [str(entry.get("given", path)) for path, entry in entries.items()]
    resolved = {files_path(path) for path in known}
    rest = [
        path
        for path in dict.fromkeys(others)
        if path not in known and files_path(path) not in resolved and os.path.isdir(os.path.dirname(path))
    ]
    return [inspect(path, known.get(path), entries) for path in [*known, *rest]]


def files_path(given: str) -> str:
    """The file at the end of the links; the name itself where they lead nowhere."""
    try:
        return files.resolve(given).path
    except RefusalError:
        return given


def inspect(path: str, scope: Scope | None, entries: dict[str, dict[str, Any]]) -> FileState:
    """Look at one file."""
    state = FileState(scope.name if scope else None, path)
    hooks = catalogue.hooks()
    try:
        target = files.resolve(path)
        data, file = transaction.settled(target.path)
    except RefusalError as refusal:
        state.error = refusal.message
        return state
    state.exists = data is not None
    entry = entries.get(target.path)
    name = scope.name if scope else str((entry or {}).get("scope", scopes.USER))
    _judge_file(state, file)
    owner = registration.owner(hooks, entries)
    client = receipt.client(entry)
    for hook in hooks.values():
        found = matching.match(
            file,
            _slots(hook, name, client),
            owner,
            (entry or {}).get("entries", ()),
            known={other: {slot.event for slot in one.slots} for other, one in hooks.items()},
            keeps=None if client and client < catalogue.EXEC_FORM else registration.keeper(name),
        )
        state.hooks.append(_judge_hook(hook, found, entry, target.path))
    for handler in file.handlers(catalogue.PREFIX):
        if owner.looks_alike(handler.value):
            command = ownership.shown(handler.value)
            state.notes.append(f"{handler.where} runs {command}: looks like ours, not installed by us")
    return state


def _slots(hook: Hook, scope: str, client: tuple[int, ...] | None) -> list[catalogue.Slot]:
    """What `install` wrote for the client it met, or would write."""
    try:
        return registration.slots([hook], scope, client)
    except RefusalError:  # this installation lacks the executable; the entries can be compared all the same
        return hook.slots


def _judge_file(state: FileState, file: Settings) -> None:
    for problem in validity.elsewhere(file.value) + validity.problems(file.value):
        text = f"`{problem.where}` is {problem.what}: {problem.effect}"
        if problem.whole:
            state.dead = state.dead or text
        else:
            state.notes.append(text)
    if file.value.get("disableAllHooks"):
        state.notes.append("`disableAllHooks` is on: no hook runs")
    if file.marked:
        state.notes.append("begins with a byte order mark, which the desktop app rejects (install --fix-encoding)")


def _judge_hook(hook: Hook, found: Matching, entry: dict[str, Any] | None, path: str) -> HookState:
    rows = [row for row in (entry or {}).get("entries", []) if row["hook"] == hook.name]
    mine = [item for item in found.surplus if item.hook == hook.name]
    missing = [pair for pair in found.pairs if pair.handler is None]
    if len(missing) == len(found.pairs) and not mine:
        return HookState(hook.name, "lost", _cause(entry, path)) if rows else HookState(hook.name, "absent")
    gone = [pair for pair in found.pairs if pair.handler and not _runs(pair.handler.value)]
    if gone:
        command = gone[0].handler.value["command"] if gone[0].handler else ""
        return HookState(hook.name, "broken", f"{command} is not there")
    misplaced = [item.handler for item in mine if item.why == "misplaced"]
    if misplaced:
        place = f"{misplaced[0].event}, expected {' and '.join(dict.fromkeys(slot.event for slot in hook.slots))}"
        return HookState(hook.name, "partial" if missing else "drifted", f"an entry under {place}")
    if missing:
        return HookState(hook.name, "partial", "missing: " + "; ".join(_place(pair) for pair in missing))
    if mine:
        return HookState(
            hook.name, "duplicated", f"{len(mine) + len(found.pairs)} entries, expected {len(found.pairs)}"
        )
    return _compare_hook(hook, found, rows)


def _compare_hook(hook: Hook, found: Matching, rows: list[dict[str, Any]]) -> HookState:
    outdated = [text for pair in found.pairs if pair.handler for text in _changes(pair)]
    if outdated:
        return HookState(hook.name, "outdated", "; ".join(outdated))
    recorded = [row.get("kept", {}) for row in rows]
    kept = [f"{_place(pair)}: {text}" for pair in found.pairs for text in _kept(pair)]
    known = all(pair.kept in recorded for pair in found.pairs if pair.kept and "matcher" not in pair.kept)
    rematched = any("matcher" in pair.kept for pair in found.pairs)
    return HookState(hook.name, "drifted" if kept and (rematched or not known) else "installed", "; ".join(kept))


def _changes(pair: Pair) -> list[str]:
    found = pair.handler.value if pair.handler else {}
    texts = [f"{key} is {found.get(key, 'missing')}, expected {value}" for key, value in pair.wanted.items()]
    return texts + ([f"matcher is {pair.handler.matcher}" if pair.handler else ""] if pair.rematched else [])


def _kept(pair: Pair) -> list[str]:
    ours = {**pair.slot.handler, "matcher": pair.slot.matcher}
    return [f"{key} is {value}, shipped {ours.get(key)}" for key, value in pair.kept.items()]


def _runs(handler: dict[str, Any]) -> bool:
    """Whether the executable is there; a bare name is looked up by each client on its own PATH."""
    program = ownership.executable(handler) or handler["command"]
    return not os.path.isabs(program) or os.access(program, os.X_OK)


def _place(pair: Pair) -> str:
    return pair.slot.event + (f" ({pair.slot.matcher})" if pair.slot.matcher else "")


def _cause(entry: dict[str, Any] | None, path: str) -> str:
    try:
        since = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(os.stat(path).st_mtime))
    except OSError:
        return "the file is gone; cchooks install writes it again"
    return (
        f"lost since {since}: the file was written then without the entries of {(entry or {}).get('time')}; the client "
        "writes back an older copy at times. cchooks install puts them back"
    )


def _tell(found: list[FileState], status: int) -> None:
    for file in found:
        _tell_file(file)
    scopes_with = [file for file in found if file.present]
    if not scopes_with and status == HEALTHY:
        output.tell("hint", "cchooks install")
    elif status != HEALTHY:
        output.tell("hint", _repair(found))


def _tell_file(file: FileState) -> None:
    head = f"{file.scope or 'elsewhere'}: {file.path}"
    if file.error:
        output.say(head)
        output.tell("error", file.error)
        return
    if not file.present:
        output.say(f"{head}: {'no hook of the suite' if file.exists else 'not there'}")
    else:
        output.say(head)
        width = max(len(found.hook) for found in file.hooks)
        for found in file.hooks:
            state = "not installed" if found.state == "absent" else found.state
            output.say(f"  {found.hook:{width}}  {state}{': ' if found.detail else ''}{found.detail}")
    if file.dead:
        output.tell("error", f"{file.path}: {file.dead}")
    for note in file.notes:
        output.tell("warning", f"{file.path}: {note}")


def _repair(found: list[FileState]) -> str:
    """One command, for the worst of the files that count; BROKEN is less than NOTICES."""
    file = min((file for file in found if file.status and file.scope), key=lambda file: file.status)
    flag = "" if file.scope == "user" else f" --{file.scope}"
    if file.error or file.dead:
        return f"correct {file.path}, then run `cchooks status` again"
    states = {one.state for one in file.hooks}
    if "drifted" in states and not states & set(_BROKEN):
        return f"cchooks install{flag} keeps your values, with --force it resets them"
    if states & {*_BROKEN, *_NOTICED}:
        return f"cchooks install{flag}"
    return "cchooks doctor"


def _object(file: FileState) -> dict[str, Any]:
    return {
        "scope": file.scope,
        "file": file.path,
        "exists": file.exists,
        "status": file.status,
        "error": file.error or None,
        "dead": file.dead or None,
        "hooks": [{"hook": one.hook, "state": one.state, "detail": one.detail or None} for one in file.hooks],
        "notes": file.notes,
    }
