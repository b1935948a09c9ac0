"""Which handlers are ours.

A handler is ours by the exact name of the executable it runs, and by the folder: the bare name, a folder that holds
this installation, or a command that the receipt says we wrote. The same name in another folder only looks like ours.
"""

from __future__ import annotations

from .catalogue import PREFIX, RETIRED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

_SHELL = frozenset("|&;<>()$`\n*?[]#~={}!")


class Owner:
    """What makes a handler ours.

    Attributes:
        hooks: names of the suite's hooks, retired ones included.
        folders: folders whose executables are ours, with `/` as the separator.
        commands: commands that a receipt says we wrote.
        everything: whether the name alone is enough (`--all-matching`).
    """

    def __init__(
        self,
        hooks: Collection[str],
        folders: Collection[str] = (),
        commands: Collection[str] = (),
        everything: bool = False,
        retired: Mapping[str, str | None] = RETIRED,
    ) -> None:
        self.hooks = {*hooks, *retired}
        self.folders = {_comparable(folder) for folder in folders}
        self.commands = set(commands)
        self.everything = everything

    def hook(self, handler: Mapping[str, Any]) -> str | None:
        """The name of the hook that this handler of ours runs; None where it is not ours."""
        command = handler.get("command")
        if not isinstance(command, str):
            return None
        program = executable(handler)
        name = hook_name(program, self.hooks)
        if name and program and self._known(program, command):
            return name
        # An entry whose `args` were taken away: the path, spaces and all, is now a shell command.
        whole = hook_name(command, self.hooks)
        if whole and "/" in command and self._known(command, command):
            return whole
        return self._named(handler) if self.everything else None

    def _known(self, program: str, command: str) -> bool:
        folder = _comparable(program).rpartition("/")[0]
        return not folder or folder in self.folders or command in self.commands

    def looks_alike(self, handler: Mapping[str, Any]) -> str | None:
        """The hook whose executable's name it runs from somewhere unknown, or in a way that is not ours; else None."""
        name = self._named(handler)
        return name if name and not self.hook(handler) else None

    def _named(self, handler: Mapping[str, Any]) -> str | None:
        return next((name for program in programs(handler) if (name := hook_name(program, self.hooks))), None)


def executable(handler: Mapping[str, Any]) -> str | None:
    """The program a command handler runs: the command in exec form, the only word of a simple command in shell form."""
    command = handler.get("command")
    if not isinstance(command, str) or PREFIX not in command:
        return None
    return command if "args" in handler else _only_word(command)


def programs(handler: Mapping[str, Any]) -> Iterator[str]:
    """What a command handler that names us starts: its executable, and what stands behind other words of a shell."""
    program = executable(handler)
    if program:
        yield program
    line = shown(handler)
    if PREFIX in line and line != program:
        from .shell_words import started

        yield from started(line)


def shown(handler: Mapping[str, Any]) -> str:
    """What a handler starts, as a command line."""
    command, args = handler.get("command"), handler.get("args")
    if not isinstance(command, str) or not isinstance(args, list) or not args:
        return str(command)
    import shlex

    return shlex.join([command, *map(str, args)])


def hook_name(program: str | None, hooks: Collection[str]) -> str | None:
    """The hook of the suite whose executable this is, by its exact name; `.exe` does not count."""
    if not program:
        return None
    name = program.replace("\\", "/").rpartition("/")[2]
    if name.lower().endswith(".exe"):
        name = name[:-4]
    return name[len(PREFIX) :] if name.startswith(PREFIX) and name[len(PREFIX) :] in hooks else None


def _only_word(command: str) -> str | None:
    """The first word of a shell command that has no other syntax than quotes; None for any other command."""
    text = command.strip()
    if len(text) > 1 and text[0] == text[-1] == '"' and not set(text[1:-1]) & set('"$`'):
        return text[1:-1]
    if "'" in text or '"' in text or ("\\" in text and ":" not in text[:2]):
        import shlex

        try:
            words = shlex.split(text)
        except ValueError:
            return None
        return words[0] if len(words) == 1 else None
    return None if set(text) & _SHELL else text.split()[0]


def _comparable(path: str) -> str:
    return path.replace("\\", "/").rstrip("/")
