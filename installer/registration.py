"""What this installation would write: each hook's handlers with the command that fits the scope and the client."""

from __future__ import annotations

import os
import sys

from . import catalogue, executables, ownership, receipt, scopes
from .catalogue import EXEC_FORM, PREFIX, Hook, Slot
from .errors import RefusalError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any


def chosen(names: Sequence[str], entry: Mapping[str, Any] | None, hooks: Mapping[str, Hook]) -> list[str]:
    """The hooks to install: those named, else the choice on record, else those that are on by default.

    Raises:
        UsageError: a name is no hook of the suite.
    """
    unknown = [name for name in names if name not in hooks]
    if unknown:
        raise UsageError(f"no hook is named {unknown[0]!r}; there are {', '.join(hooks)}")
    if names:
        return list(dict.fromkeys(names))
    recorded = entry.get("chosen") if entry else None
    if isinstance(recorded, list):
        renamed = (catalogue.RETIRED.get(name, name) for name in recorded)
        return [name for name in renamed if name and name in hooks]
    return [name for name, hook in hooks.items() if hook.default]


def slots(hooks: Iterable[Hook], scope: str, client: tuple[int, ...] | None = None) -> list[Slot]:
    """What is to stand in a scope's file.

    A project's file is shared: it gets the bare name, which each client looks up on its own PATH. A user's and a local
    file get the absolute path, which a client started from a desktop finds as well.

    Args:
        hooks: the hooks.
        scope: `user`, `project` or `local`.
        client: the client's version where it is known; an old one gets no event that it does not know, and the shell
            form where it does not know the exec form.

    Raises:
        RefusalError: an executable is missing.
    """
    exec_form = client is None or client >= EXEC_FORM
    return [
        Slot(slot.hook, slot.event, slot.matcher, _handler(slot, scope, exec_form))
        for hook in hooks
        for slot in hook.slots
        if client is None or client >= catalogue.BORN.get(slot.event, (0,))
    ]


def unborn(hooks: Iterable[Hook], client: tuple[int, ...] | None) -> list[tuple[str, str, tuple[int, ...]]]:
    """What a client is too old for: the hook, the event, and the first version that knew it."""
    return [
        (hook.name, event, catalogue.BORN[event])
        for hook in hooks
        for event in dict.fromkeys(slot.event for slot in hook.slots)
        if client and client < catalogue.BORN.get(event, (0,))
    ]


def keeper(scope: str) -> Callable[[str, str], bool]:
    """A judge of commands found in a file: as good as ours where they start this installation's executable."""

    def keeps(command: str, hook: str) -> bool:
        if scope == scopes.PROJECT or not os.path.isabs(command):
            return False
        return executables.leads_to(command, os.path.join(executables.folder(), PREFIX + hook))

    return keeps


def owner(hooks: Collection[str], entries: dict[str, dict[str, Any]], everything: bool = False) -> ownership.Owner:
    """What makes a handler ours on this machine."""
    return ownership.Owner(hooks, executables.known_folders(), receipt.commands(entries), everything)


def _handler(slot: Slot, scope: str, exec_form: bool) -> dict[str, Any]:
    name = PREFIX + slot.hook
    command = name if scope == scopes.PROJECT else executables.command(name)
    if exec_form:
        return {**slot.handler, "command": command}
    if sys.platform == "win32":
        raise RefusalError(
            "claude: too old for the exec form of hooks, expected 2.1.139 or newer", "update the client, then run again"
        )
    import shlex

    shell = {key: value for key, value in slot.handler.items() if key != "args"}
    return {**shell, "command": shlex.quote(command)}
