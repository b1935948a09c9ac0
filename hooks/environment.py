"""The variables of a shell while its commands are followed, and what a command gets of them."""

from __future__ import annotations

import os

from .shell import Unreadable
from .words import Argument, arguments, items, unknown, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .shell import Assignment, Command, Frame, Word
    from .texts import Text

_EXPANDED = 1_000_000  # characters that all expansions of a command may make: more only doubles itself
DECLARING = frozenset(("export", "declare", "typeset", "readonly", "local"))


class Function:
    """A function: its commands, the frame they stand in, the text that holds them."""

    __slots__ = ("called", "commands", "frame", "place")

    def __init__(self, frame: Frame, place: Text) -> None:
        self.frame = frame
        self.place = place
        self.commands: list[Command] = []
        self.called = False


class Shell:
    """A shell process.

    Attributes:
        values: each variable that was set, with its values (several for an array).
        exported: the names that commands get, or may get.
        uncertain: those that they may get, and may not.
        inherited: the hook's own environment, in which the command is run, shows through.
        exports_all: `set -a` is on.
        functions, aliases: those defined so far.
        positional: `$0`, `$1` and so on; None where they are not known.
        directory: the working directory, None where it is not known.
        expanded: how many characters expansions have made, in this shell and all that come from it or were before it.
    """

    __slots__ = (
        "aliases", "directory", "expanded", "exported", "exports_all", "functions", "inherited", "positional",
        "uncertain", "values",
    )  # fmt: skip

    def __init__(self, directory: str | None, inherited: bool = True) -> None:
        self.values: dict[str, list[Argument]] = {}
        self.exported: set[str] = set()
        self.uncertain: set[str] = set()
        self.inherited = inherited
        self.exports_all = False
        self.functions: dict[str, Function] = {}
        self.aliases: dict[str, Argument] = {}
        self.positional: list[Argument] | None = None
        self.directory = directory
        self.expanded = [0]

    def fork(self) -> Shell:
        """A copy, as a subshell is."""
        copy = Shell(self.directory, self.inherited)
        copy.values = dict(self.values)
        copy.exported = set(self.exported)
        copy.uncertain = set(self.uncertain)
        copy.exports_all = self.exports_all
        copy.functions = dict(self.functions)
        copy.aliases = self.aliases
        copy.positional = self.positional
        copy.expanded = self.expanded
        return copy

    def maybe(self, branch: Shell) -> None:
        """Take over what a branch, which may have been skipped, has made of a copy of this shell."""
        for name in self.values.keys() | branch.values.keys():
            mine, other = self.values.get(name), branch.values.get(name)
            if mine is not other and not _same(mine, other):
                self.values[name] = [unknown(" ".join(one.written for one in [*(mine or ()), *(other or ())]))]
        self.uncertain |= branch.uncertain | (self.exported ^ branch.exported)
        self.exported |= branch.exported
        self.functions.update(branch.functions)
        self.exports_all = self.exports_all and branch.exports_all
        if self.directory != branch.directory:
            self.directory = None
        if self.positional is not branch.positional:
            self.positional = None

    def lookup(self, name: str) -> list[Argument] | None:
        """The values that an expansion of this parameter gives, None where they are not known.

        Raises:
            Unreadable: variables that were made of others have grown too large.
        """
        found = self._values(name)
        self.expanded[0] += sum(len(one.text) + len(one.written) for one in found or ())
        if self.expanded[0] > _EXPANDED:
            raise Unreadable("expansions make too much text")
        return found

    def _values(self, name: str) -> list[Argument] | None:
        if name in ("@", "*"):
            return self.positional[1:] if self.positional is not None else None
        if name == "PWD":
            return [Argument(self.directory, known=True)] if self.directory is not None else None
        if name.isdigit():
            at = int(name)
            return self.positional[at : at + 1] if self.positional and at < len(self.positional) else None
        plain = name.removesuffix("[@]").removesuffix("[*]")
        found = self.values.get(plain)
        if found is None:
            inherited = os.environ.get(plain) if self.inherited else None
            return [Argument(inherited, known=True)] if inherited is not None else None
        return found if plain != name else found[:1]

    def environ(self, name: str) -> Argument | None:
        """The value that a command gets in its environment, None where there is none."""
        if name in self.values:
            found = self.values[name][0] if name in self.exported and self.values[name] else None
            return unknown(found.written) if found is not None and name in self.uncertain else found
        inherited = os.environ.get(name) if self.inherited else None
        return Argument(inherited, known=True) if inherited is not None else None

    def set(self, name: str, values: list[Argument], export: bool = False) -> None:
        """Set a variable."""
        self.values[name] = values
        if export or self.exports_all:
            self.export(name)
        elif self.inherited and name in os.environ:
            self.exported.add(name)

    def export(self, name: str) -> None:
        """Let commands have the variable."""
        self.exported.add(name)
        self.uncertain.discard(name)

    def keep(self, name: str) -> None:
        """Let commands have the variable no longer."""
        self.exported.discard(name)
        self.uncertain.discard(name)

    def unset(self, name: str) -> None:
        """Remove a variable."""
        self.values[name] = []
        self.keep(name)

    def assign(self, assignment: Assignment, place: Text, export: bool = False) -> None:
        """Carry out an assignment."""
        name = assignment.name
        before = self.values.get(name, [])
        if assignment.subscript:
            values = [*before, unknown(assignment.value.text)]
        elif assignment.array:
            values = items(assignment.value, place, self.lookup)
            values = [*before, *values] if assignment.append else values
        else:
            values = [value(assignment.value, place, self.lookup)]
            values[0].start = assignment.value.start
            if assignment.append and before:
                values = [_joined(before[0], values[0])]
        self.set(name, values, export)

    def declare(self, command: str, words: list[Word], place: Text) -> None:
        """Carry out `export`, `declare` and the like, given their arguments as words."""
        options, names = _options(words)
        export = command == "export" or "x" in options
        removes = (command == "export" and "n" in options) or "+x" in options
        if "f" in options or "p" in options:
            return
        for word in names:
            # Only what is not known to be an assignment is split: `export A=$x`, `export $assignments`.
            given = [value(word, place, self.lookup)] if "=" in word.head else arguments([word], place, self.lookup)
            for one in given:
                name = self._declared(one, export and not removes)
                if removes:
                    self.keep(name)

    def _declared(self, argument: Argument, export: bool) -> str:
        """Carry out one argument of such a command; returns the variable's name."""
        name, equals, text = argument.text.partition("=")
        append = name.endswith("+")
        name = name.removesuffix("+")
        if not equals and export:
            self.export(name)
        elif equals and not argument.known and text.startswith("("):
            self.set(name, [unknown(text)], export)
        elif equals:
            found = argument.after(len(name) + 1 + append)
            before = self.values.get(name, [])
            self.set(name, [_joined(before[0], found) if append and before else found], export)
        return name

    def child(self) -> Shell:
        """A shell started by this one as another process."""
        child = Shell(self.directory, self.inherited)
        child.expanded = self.expanded
        for name, values in self.values.items():
            if name in self.exported and len(values) == 1:
                child.set(name, values, export=True)
                child.uncertain |= {name} & self.uncertain
            else:
                child.values[name] = []
        return child

    def enter(self, target: Argument) -> None:
        """Change the working directory."""
        if not target.known or not target.text:
            self.directory = None
        elif target.text.startswith("/"):
            self.directory = target.text
        elif self.directory is not None:
            self.directory = self.directory.rstrip("/") + "/" + target.text

    def clear(self, but: Sequence[str] = ()) -> None:
        """Forget the whole environment but these variables."""
        kept = {name: value for name in but if (value := self.environ(name)) is not None}
        self.values = {name: [value] for name, value in kept.items()}
        self.exported = set(kept)
        self.uncertain = set()
        self.inherited = False


def _same(mine: list[Argument] | None, other: list[Argument] | None) -> bool:
    both = mine is not None and other is not None and len(mine) == len(other) == 1
    return both and mine[0].known and other[0].known and mine[0].text == other[0].text  # type: ignore[index]


def _joined(before: Argument, added: Argument) -> Argument:
    return Argument(before.text + added.text, before.known and added.known)


def _options(words: list[Word]) -> tuple[str, list[Word]]:
    """The letters of the leading options, those switched off as `+x`, and the words after them."""
    letters = ""
    for index, word in enumerate(words):
        if word.text == "--":
            return letters, words[index + 1 :]
        if len(word.text) < 2 or word.text[0] not in "-+":
            return letters, words[index:]
        letters += word.text[1:] if word.text[0] == "-" else "".join("+" + letter for letter in word.text[1:])
    return letters, []
