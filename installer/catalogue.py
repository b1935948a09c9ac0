"""The list of hooks, which is the folder of templates, and what each registers for."""

from __future__ import annotations

import os
from json import load

from cchooks_suite import templates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PREFIX = "cchooks-"  # what the names of our executables begin with
# Names that an older version installed: the hook that took the work over, or None where none did. An entry stays here
# for ever, and the executable of that name stays one release longer, so that running sessions do not fail.
RETIRED: dict[str, str | None] = {}
EXEC_FORM = (2, 1, 139)  # the client version that first knew `args`
# The client version that first knew an event.
BORN = {"PreToolUse": (1, 0, 38), "PostToolUse": (1, 0, 38), "SessionStart": (1, 0, 62)}


class Slot:
    """One handler that a hook registers.

    Attributes:
        hook: the hook's name.
        event: name of the event.
        matcher: the group's matcher; None for a group without one.
        handler: the handler's object, with the command as it is to be written.
    """

    __slots__ = ("event", "handler", "hook", "matcher")

    def __init__(self, hook: str, event: str, matcher: str | None, handler: dict[str, Any]) -> None:
        self.hook = hook
        self.event = event
        self.matcher = matcher
        self.handler = handler

    @property
    def group(self) -> dict[str, Any]:
        """The group that holds only this handler."""
        return {**({} if self.matcher is None else {"matcher": self.matcher}), "hooks": [self.handler]}


class Hook:
    """One hook of the suite.

    Attributes:
        name: its name; the executable is `cchooks-NAME`.
        about: one line on what it does.
        default: whether `cchooks install` without names installs it.
        slots: what it registers, with the bare executable's name as the command.
    """

    __slots__ = ("about", "default", "name", "slots")

    def __init__(self, name: str, template: dict[str, Any]) -> None:
        self.name = name
        self.about: str = template["about"]
        self.default: bool = template.get("default", True)
        self.slots = [
            Slot(name, event, group.get("matcher"), handler)
            for event, groups in template["hooks"].items()
            for group in groups
            for handler in group["hooks"]
        ]


def hooks(folder: str | None = None) -> dict[str, Hook]:
    """Every hook of the suite by name, in the order of their names."""
    folder = folder or os.path.dirname(templates.__file__)
    found = {}
    for name in sorted(os.listdir(folder)):
        stem, ending = os.path.splitext(name)
        if ending == ".json":
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found[stem] = Hook(stem, load(file))
    return found
