"""What `cchooks install` tells: what is there now, what changes from now on, where it stands, how to undo it."""

from __future__ import annotations

import os

from . import executables, output, ownership, scopes
from .catalogue import PREFIX
from .settings import MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from .install import Installer
    from .matching import Pair
    from .scopes import Scope
    from .settings import Settings
    from .transaction import Outcome

    Note = tuple[str, str]


def show(
    installer: Installer, outcome: Outcome, others: list[tuple[Scope, Settings]], early: list[Note], args: Namespace
) -> int:
    """Print the result; the exit status."""
    notes = early + _notes(installer, outcome, others)
    changes = _changes(outcome)
    if args.json:
        output.as_json(_object(installer, outcome, notes, changes, args))
        return 0
    for word, text in notes:
        output.tell(word, text)
    if args.dry_run:
        output.say(diff(installer, outcome) if outcome.changed else f"nothing to do: {installer.target}")
    elif outcome.changed:
        _tell(installer, outcome, changes)
    else:
        selected = ", ".join(outcome.plan.report.selected)
        output.say(f"nothing to do: {selected} installed in {installer.target} already")
        _say_kept(outcome)
    return 0


def _unmarked(outcome: Outcome) -> bool:
    """Whether the file's byte order mark is taken out."""
    before, after = outcome.before or b"", outcome.plan.after or b""
    return before.startswith(MARK) and not after.startswith(MARK)


def diff(installer: Installer, outcome: Outcome) -> str:
    """The change as a unified diff of the bytes."""
    return unified(installer.target.path, outcome.before, outcome.plan.after)


def unified(path: str, before: bytes | None, after: bytes | None) -> str:
    """A unified diff of a file's bytes, coloured where that is wanted."""
    import sys
    from difflib import unified_diff

    texts = [(data or b"").decode("utf-8", "replace") for data in (before, after)]
    old, new = (text.splitlines(keepends=True) for text in texts)
    names = [path if data is not None else os.devnull for data in (before, after)]
    parts = []
    for line in unified_diff(old, new, names[0], names[1]):
        ended = line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
        parts.append(_coloured(ended.rstrip("\n")) if output.coloured(sys.stdout) else ended.rstrip("\n"))
    return "\n".join(parts)


def _coloured(line: str) -> str:
    code = {"+": "32", "-": "31", "@": "36"}.get(line[:1])
    return f"\033[{code}m{line}\033[0m" if code else line


def _tell(installer: Installer, outcome: Outcome, changes: dict[str, list[str]]) -> None:
    selected = outcome.plan.report.selected
    done = "installed" if changes["added"] or changes["removed"] else "updated"
    me = executables.own_command()
    output.say(f"{done} {', '.join(selected)} in {installer.target}")
    for word in ("added", "updated", "removed"):
        for line in changes[word]:
            output.say(f"  {word} {line}")
    _say_kept(outcome)
    left = {item.hook for item in outcome.plan.report.found.surplus if item.why == "unselected"}
    if left:
        output.say(
            f"  to have all of them: {me} install{_flag(installer.scope)} {' '.join(sorted({*selected, *left}))}"
        )
    output.say("from now on, in new sessions and in interactive ones that are open:")
    for name in selected:
        output.say(f"  {name}: {installer.hooks[name].about}")
    if "delegate" in selected:
        rest = " ".join(name for name in selected if name != "delegate")
        output.say("  with delegate the main thread hands work to subagents instead of doing it itself")
        output.say(f"    to leave that out:              {me} install{_flag(installer.scope)} {rest or 'spill'}")
        output.say("    to switch it off for a session: CCHOOKS_DELEGATE=off claude")
    output.say(f"backup: {outcome.backup}" if outcome.backup else "backup: none, the file is new")
    output.say(f"check: {me} doctor    undo: {me} uninstall{_flag(installer.scope)}")


def _say_kept(outcome: Outcome) -> None:
    for pair in outcome.plan.report.found.pairs:
        for key, value in pair.kept.items():
            output.say(f"  kept your change: {_name(pair)}: {key} is {_shown(value)}, shipped {_ours(pair, key)}")


def _notes(installer: Installer, outcome: Outcome, others: list[tuple[Scope, Settings]]) -> list[Note]:
    notes = list(outcome.plan.report.notes)
    if _unmarked(outcome):
        notes.append(("note", "the byte order mark at the beginning of the file is taken out"))
    scope = installer.scope
    notes += [
        ("warning", f"{other.path}: `disableAllHooks` is on there: no hook runs until it is taken out")
        for other, file in others
        if file.value.get("disableAllHooks")
    ]
    for handler in outcome.plan.report.found.lookalikes:
        text = f"{handler.where} runs {ownership.shown(handler.value)}: looks like ours, not installed by us"
        both = f"both will run (`cchooks install{_flag(scope)} --all-matching` replaces it)"
        notes.append(("warning", f"{text}; {both}"))
    if scope.name == scopes.PROJECT:
        notes += _project_notes(installer, outcome, others)
    elif scope.name == scopes.USER:
        import sys

        project = executables.project_of(sys.prefix, sys.base_prefix)
        if project:
            notes.append(
                ("warning", f"{sys.prefix} is the environment of the project {project}: the hooks stop when it goes")
            )
    return notes


def _project_notes(installer: Installer, outcome: Outcome, others: list[tuple[Scope, Settings]]) -> list[Note]:
    scope = installer.scope
    notes: list[Note] = []
    if scope.below:
        text = f"sessions started in {os.getcwd()} do not read {scope.path}, only those started in {scope.root}"
        notes.append(("warning", text))
    names = [PREFIX + name for name in outcome.plan.report.selected]
    missing = executables.missing_on_path(names, os.environ.get("PATH", ""))
    if missing:
        text = (
            f"{', '.join(missing)}: not found on the PATH, where each client looks the bare name up; until it is there "
            "the client says so once and lets the call through"
        )
        notes.append(("warning", text))
    elif outcome.changed:
        text = f"{', '.join(names)}: found on your PATH; who shares this file needs the package on theirs"
        notes.append(("note", text))
    for other, file in others:
        hooks = _present(installer, file) & set(outcome.plan.report.selected)
        if hooks and other.name == scopes.USER:
            text = (
                f"{', '.join(sorted(hooks))} also in {other.path}: an identical entry runs once, and these differ "
                "(path and bare name), so each runs twice for you"
            )
            notes.append(("warning", text))
    return notes


def _present(installer: Installer, file: Settings) -> set[str]:
    from . import receipt, registration

    owner = registration.owner(installer.hooks, receipt.load())
    return {name for handler in file.handlers(PREFIX) if (name := owner.hook(handler.value))}


def _changes(outcome: Outcome) -> dict[str, list[str]]:
    found = outcome.plan.report.found
    changes: dict[str, list[str]] = {"added": [], "updated": [], "removed": []}
    for pair in found.pairs:
        if pair.handler is None:
            changes["added"].append(_name(pair))
        elif pair.changed:
            keys = [*pair.wanted, *sorted(pair.dropped), *(["matcher"] if pair.rematched else [])]
            changes["updated"].append(f"{_name(pair)}: {', '.join(keys)}")
    counts: dict[str, int] = {}
    for item in found.surplus:
        text = {
            "duplicate": f"of {item.hook} that stood more than once",
            "misplaced": f"of {item.hook} under {item.handler.event}, where it does nothing",
            "retired": f"of {item.hook}, which this version no longer has",
            "unselected": f"of {item.hook}, which is not among the hooks to install",
        }[item.why]
        counts[text] = counts.get(text, 0) + 1
    changes["removed"] = [f"{number} {'entry' if number == 1 else 'entries'} {text}" for text, number in counts.items()]
    return changes


def _object(
    installer: Installer, outcome: Outcome, notes: list[Note], changes: dict[str, list[str]], args: Namespace
) -> dict[str, Any]:
    state = "unchanged" if not outcome.changed else "dry-run" if args.dry_run else "changed"
    found: dict[str, Any] = {
        "command": "install",
        "state": state,
        "scope": installer.scope.name,
        "file": installer.scope.path,
        "target": installer.target.path,
        "hooks": outcome.plan.report.selected,
        **changes,
        "kept": [
            {"hook": pair.slot.hook, "event": pair.slot.event, "key": key, "value": value, "shipped": _ours(pair, key)}
            for pair in outcome.plan.report.found.pairs
            for key, value in pair.kept.items()
        ],
        "backup": outcome.backup or None,
        "notes": [text for _, text in notes],
    }
    return {**found, "diff": diff(installer, outcome)} if args.dry_run else found


def _name(pair: Pair) -> str:
    matcher = f" ({pair.slot.matcher})" if pair.slot.matcher else ""
    return f"{pair.slot.hook} on {pair.slot.event}{matcher}"


def _ours(pair: Pair, key: str) -> Any:
    return pair.slot.matcher if key == "matcher" else pair.slot.handler.get(key)


def _shown(value: Any) -> str:
    return "nothing" if value is None else str(value)


def _flag(scope: Scope) -> str:
    return "" if scope.name == scopes.USER else f" --{scope.name}"
