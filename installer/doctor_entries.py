"""doctor: whether the entries in the settings files are whole. Built on what `cchooks status` finds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import executables, files, matchers, ownership, plugins, scopes, settings, status, validity
from .errors import RefusalError
from .finding import BROKEN, NOTICE, OK, Finding
from .jsontext import kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .registered import Layer, Registered, Session
    from .status import FileState

_BROKEN = ("partial", "lost", "broken")
_FINE = ("installed", "absent")


def findings(session: Session) -> Iterator[Finding]:
    """Everything about the entries, file by file, then about all of them together."""
    states = status.inspect_all()
    silent = list(_silent_matchers(session))
    for state in states:
        yield from _of_state(state, {item.hook for item, _ in silent if item.layer.scope.name == state.scope})
    for layer in session.layers:
        yield from _validity(layer)
        yield from _lookalikes(session, layer)
        yield from _environment(session, layer)
        yield from _place(session, layer)
    if not any(state.present for state in states if state.scope) and not _plugin(session):
        yield Finding("entry.none", NOTICE, "no hook of the suite is installed here", fix="cchooks install")
    yield from (finding for _, finding in silent)
    yield from _twice(session)
    yield from _plugins(session)
    yield from _unread(session)


def install_command(scope: str | None) -> str:
    """The command that puts our entries right in a scope's file."""
    return f"cchooks install --{scope}" if scope else "cchooks install"


def _of_state(state: FileState, silent: set[str]) -> Iterator[Finding]:
    """What `status` says of one file and of each hook in it; of those in `silent` more is said elsewhere."""
    fix = install_command(state.scope)
    if state.error:
        reason = f"{state.error.removeprefix(f'{state.path}: ')}; the client ignores the file"
        yield Finding("file.readable", BROKEN, reason, state.path, f"correct {state.path}")
    for hook in state.hooks:
        tried = hook.state == "broken" and state.scope  # its executable is missing, which running it shows
        told = hook.state == "drifted" and hook.hook in silent
        if hook.state not in _FINE and not tried and not told:
            level = BROKEN if hook.state in _BROKEN else NOTICE
            reset = " --force" if hook.state == "drifted" else ""
            yield Finding(f"entry.{hook.state}", level, f"{hook.hook}: {hook.detail}", state.path, fix + reset)
    fine = [hook.hook for hook in state.hooks if hook.state == "installed" and not hook.detail]
    if fine:
        yield Finding("entry.installed", OK, f"{', '.join(fine)} registered as shipped", state.path)
    for hook in state.hooks:
        if hook.state == "installed" and hook.detail:
            yield Finding("entry.installed", OK, f"{hook.hook} registered with your change: {hook.detail}", state.path)


def _validity(layer: Layer) -> Iterator[Finding]:
    """Values for which the client drops an entry or the whole file, whoever wrote them."""
    for problem in validity.problems(layer.value):
        reason = f"`{problem.where}` is {problem.what}; {problem.effect}"
        yield _invalid(layer, problem.where, reason, BROKEN if problem.whole else NOTICE)
    switch = layer.value.get("disableAllHooks", False)
    if not isinstance(switch, bool):
        reason = f"`disableAllHooks` is {kind(switch)}, expected true or false; the client drops the whole file"
        yield _invalid(layer, "disableAllHooks", reason, BROKEN)


def _invalid(layer: Layer, where: str, reason: str, state: str) -> Finding:
    return Finding("file.valid", state, reason, layer.path, f"correct `{where}` in {layer.path}")


def _lookalikes(session: Session, layer: Layer) -> Iterator[Finding]:
    """Handlers that run an executable of our name from a folder we do not know, or in a way that is not ours."""
    for handler in layer.handlers:
        hook = session.owner.looks_alike(handler.value)
        if not hook:
            continue
        program = ownership.executable(handler.value) or ""
        place = f"`{handler.where}`: {ownership.shown(handler.value)}"
        fix = f"cchooks uninstall --{layer.scope.name} --all-matching"
        if os.path.isabs(program) and not os.path.exists(program):
            yield Finding("entry.executable", BROKEN, f"{place} does not exist ({handler.event})", layer.path, fix)
        else:
            twice = ", and the hook runs twice" if session.has(hook) else ""
            reason = f"{place} looks like ours, not installed by us; it is left alone{twice}"
            yield Finding("entry.lookalike", NOTICE, reason, layer.path, fix)


def _environment(session: Session, layer: Layer) -> Iterator[Finding]:
    """User-wide entries that lead into one project's virtual environment."""
    if layer.scope.name != scopes.USER:
        return
    for command in dict.fromkeys(str(item.handler.value.get("command")) for item in session.within(layer)):
        prefix = os.path.dirname(os.path.dirname(command))
        project = executables.project_of(prefix, "") if os.path.exists(os.path.join(prefix, "pyvenv.cfg")) else None
        if project:
            reason = f"{command} is in the virtual environment of a project and goes with it"
            yield Finding("entry.projectVenv", NOTICE, reason, layer.path, f"pipx install {project}; cchooks install")
            return


def _place(session: Session, layer: Layer) -> Iterator[Finding]:
    """What is to know about a project's file from this folder."""
    if layer.scope.name == scopes.USER or not session.within(layer):
        return
    checkout = _original_checkout(layer.scope.root)
    if checkout:
        reason = f"a git worktree of {checkout}; CLAUDE_PROJECT_DIR stays on that original checkout"
        yield Finding("file.worktree", NOTICE, reason, layer.path, f"cd {checkout} && cchooks doctor")


def _original_checkout(root: str) -> str:
    """The repository that a worktree belongs to; empty where the folder is no worktree."""
    try:
        text = (files.read(os.path.join(root, ".git")) or b"").decode(errors="replace")
    except RefusalError:  # a folder: the checkout itself
        return ""
    place = text.strip().removeprefix("gitdir:").strip().replace("\\", "/")
    repository, mark, _ = place.partition("/.git/worktrees/")
    return repository if mark else ""


def _silent_matchers(session: Session) -> Iterator[tuple[Registered, Finding]]:
    """Matchers under which a hook of ours is never started."""
    for item in session.registered:
        slots = [slot for slot in session.hooks[item.hook].slots if slot.event == item.handler.event]
        tools = [tool for slot in slots for tool in matchers.examples(slot.matcher)]
        if tools and not any(matchers.fires(item.handler.matcher, tool) for tool in tools):
            found, expected = item.handler.matcher, slots[0].matcher
            reason = f"`{item.handler.where}`: {item.hook} has the matcher `{found}`, under which it never runs"
            reason += f", expected `{expected}`"
            fix = f"{install_command(item.layer.scope.name)} --force"
            yield item, Finding("entry.matcher", BROKEN, reason, item.layer.path, fix)


def _twice(session: Session) -> Iterator[Finding]:
    """Hooks registered in several files in forms that the client does not take for the same."""
    first: dict[tuple[str, str], Registered] = {}
    told = set()
    for item in session.registered:
        other = first.setdefault((item.hook, item.handler.event), item)
        if other.layer is item.layer or other.identity == item.identity or (item.hook, item.layer.path) in told:
            continue
        told.add((item.hook, item.layer.path))
        reason = f"{item.hook} is registered in {other.layer.path} too, in another form: it runs twice"
        yield Finding("entry.twice", NOTICE, reason, item.layer.path, f"cchooks uninstall --{item.layer.scope.name}")


def _plugins(session: Session) -> Iterator[Finding]:
    """A plugin that carries the suite: alone it provides the hooks, beside our entries each runs twice."""
    for layer, name in _plugin(session):
        if session.registered:
            reason = f"the plugin {name!r} is on beside our entries: every hook runs twice"
            yield Finding("entry.plugin", NOTICE, reason, layer.path, f"claude plugin disable {name}")
        else:
            yield Finding("entry.plugin", OK, f"the plugin {name!r} provides the hooks; it is not run here", layer.path)


def _plugin(session: Session) -> list[tuple[Layer, str]]:
    return [(layer, name) for layer in session.layers for name, on in plugins.enabled(layer.value) if on]


def _unread(session: Session) -> Iterator[Finding]:
    """Entries of ours where a session here does not look: above a sub-folder, and in a local file beside the user's."""
    for layer in session.unread:
        if any(session.owner.hook(handler.value) for handler in layer.handlers):
            reason = f"a session started in {session.cwd} does not read it, only one in {layer.scope.root} does"
            yield Finding("file.below", NOTICE, reason, layer.path, f"cd {layer.scope.root}")
    path = os.path.join(scopes.user_folder(), "settings.local.json")
    try:
        data = files.read(path)
        found: list[Any] = list(settings.parse(data, path).handlers()) if data else []
    except RefusalError:
        return
    owner = session.owner
    names = {owner.hook(item.value) or owner.looks_alike(item.value) for item in found} - {None}
    if names:
        reason = f"holds entries for {', '.join(sorted(map(str, names)))}, and no session reads a local file here"
        yield Finding("file.unread", NOTICE, reason, path, "cchooks install --user")
