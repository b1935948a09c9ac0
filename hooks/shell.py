"""Reading a Bash command: a flat list of its simple commands, or the statement that it cannot be read.

`read` takes the text of a command as bash would get it with `bash -c` and returns every command in it, in the order in
which bash would meet them, those inside substitutions, here-documents and other quoted places included. It reads a
known subset of bash 5.2 and raises `Unreadable` on everything else; it never guesses and never runs anything. What it
accepts, bash accepts. Aliases, options of the shell (`shopt -s extglob`) and values of variables are unknown to it.

The time is linear in the length of the text, which is limited, and so is the depth of constructs in constructs.
"""

from __future__ import annotations

import gc

LIMIT = 100_000  # characters: more is nothing that a person or a model types
DEPTH = 12  # constructs in constructs
STEPS = 20_000  # commands and constructs
HERE_DOCUMENTS = 16  # on one line: bash's own limit
PROBES = 8  # times that `((` may turn out to be two parentheses: each reads its text twice

_WRITING = frozenset((">", ">>", ">|", "<>", "&>", "&>>"))
_SHELLS = frozenset(("substitution", "process", "subshell", "pipe", "background", "coproc"))
_BRANCHES = frozenset(("and", "or", "then", "elif", "else", "body", "item", "function"))


class Unreadable(ValueError):  # noqa: N818 - it says what the command is
    """The command is outside the subset that is read; the message says why, in a few words."""


class Word:
    """A word of a command.

    Attributes:
        text: the word after quote removal; expansions that are not known stand in it as they are written.
        start, end: where it stands in the text given to `read`; -1 when it was read from a changed copy (backticks
            with backslashes, here-documents with tabs removed).
        dynamic: it holds an expansion whose value is not known: `$x`, `$(..)`, `<(..)`, `~user`.
        glob: it holds an unquoted `*`, `?`, `[..]` or a brace expansion.
        brace: it holds a brace expansion, which may make several words of it.
        splits: an expansion in it may make no word or several words of it (`$x` unquoted, `"$@"`).
        quoted: something in it is quoted.
        head, tail: the known text before the first and after the last unknown part; both are `text` when all is known.
    """

    __slots__ = ("end", "start", "text")
    dynamic = False
    glob = False
    brace = False
    splits = False
    quoted = False

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.start = start
        self.end = end

    @property
    def head(self) -> str:  # noqa: D102 - described with the class
        return self.text

    @property
    def tail(self) -> str:  # noqa: D102
        return self.text

    @property
    def static(self) -> bool:
        """Whether bash passes exactly `text` to the command."""
        return not (self.dynamic or self.glob)

    def __repr__(self) -> str:
        flags = " ".join(name for name in ("dynamic", "glob", "splits", "quoted") if getattr(self, name))
        return f"<{self.text!r}{' ' if flags else ''}{flags}>"


class Assignment:
    """`name=value`, `name+=value` (append), `name[..]=value` (subscript) or `name=(..)` (array).

    The value of an array is a dynamic word with the text as written.
    """

    __slots__ = ("append", "array", "end", "name", "start", "subscript", "value")

    def __init__(self, name: str, value: Word, start: int, end: int) -> None:
        self.name = name
        self.value = value
        self.start = start
        self.end = end
        self.append = False
        self.array = False
        self.subscript = ""

    def __repr__(self) -> str:
        return f"<{self.name}{'+' if self.append else ''}={self.value!r}>"


class Redirect:
    """A redirection.

    Attributes:
        operator: as written, without the descriptor: `>`, `>>`, `>|`, `<>`, `<`, `<&`, `>&`, `&>`, `&>>`, `<<`,
            `<<-`, `<<<`.
        fd: the descriptor in front as written (`"2"`, `"{name}"`), None where there is none.
        target: the word after it; of a here-document the delimiter.
        body: the text of a here-document, leading tabs removed for `<<-`; otherwise None.
        literal: nothing in the here-document is expanded, as its delimiter is quoted.
        start, end: from the descriptor to the end of the target, in the text given to `read` or -1.
        body_start, body_end: the here-document's lines without the delimiter's, in the same way.
    """

    __slots__ = ("body", "body_end", "body_start", "end", "fd", "literal", "operator", "start", "target")

    def __init__(self, operator: str, target: Word, fd: str | None, start: int, end: int) -> None:
        self.operator = operator
        self.target = target
        self.fd = fd
        self.start = start
        self.end = end
        self.body: str | None = None
        self.literal = False
        self.body_start = self.body_end = -1

    @property
    def copies(self) -> bool:
        """Whether it copies, moves or closes a descriptor: `2>&1`, `<&3`, `>&-`."""
        if self.operator not in ("<&", ">&"):
            return False
        number = self.target.text.removesuffix("-")
        return self.target.static and (not number or (number.isascii() and number.isdigit()))

    @property
    def writes(self) -> bool:
        """Whether a file is opened for writing, the null device included; unknown targets of `>&` are files."""
        return self.operator in _WRITING or (self.operator == ">&" and not self.copies)

    @property
    def feeds(self) -> bool:
        """Whether it gives the command its standard input."""
        return self.operator.startswith("<") and self.fd in (None, "0")

    def __repr__(self) -> str:
        return f"<{self.fd or ''}{self.operator} {self.target!r}>"


class Frame:
    """A construct that commands stand in.

    Attributes:
        kind: `shell` (the whole text); those that are a shell process of their own: `substitution`, `process`,
            `subshell`, `pipe` (a member of a pipeline of several), `background`, `coproc`; those that may not be run:
            `and` and `or` (what follows `&&`, `||`), `then`, `elif`, `else`, `body` (of a loop), `item` (of a case),
            `function`; and `brace`, `if`, `while`, `until`, `for`, `select`, `case`, `not`, `time`.
        parent: the construct around it; None for the whole text.
        name: of a function, a coprocess or the variable of a `for`.
        source: of a pipeline's member: the frame of the member whose output it reads; None for the first.
        redirects: the redirections of the construct itself, which hold for all commands in it.
    """

    __slots__ = ("kind", "name", "parent", "redirects", "source")

    def __init__(self, kind: str, parent: Frame | None, name: str = "") -> None:
        self.kind = kind
        self.parent = parent
        self.name = name
        self.source: Frame | None = None
        self.redirects: list[Redirect] = []

    def around(self) -> list[Frame]:
        """This frame and all around it, from the inside out."""
        frames = []
        frame: Frame | None = self
        while frame is not None:
            frames.append(frame)
            frame = frame.parent
        return frames

    def __repr__(self) -> str:
        return f"<{'/'.join(frame.kind for frame in reversed(self.around()))}>"


class Command:
    """A command.

    Attributes:
        kind: `simple` (assignments, words, redirections; words are missing in `a=1` and `> x`); `group`: the
            redirections of a compound command, after the commands in it; and what is no command but evaluated:
            `test` (`[[ ]]`, its words), `arith` (`(( ))`, `$(( ))`, a subscript, an offset: one word, as written),
            `for`, `select` (the name, then the list), `case` (the subject, then the patterns), `while`, `until`,
            `function` (its name), `coproc`, `time`, `assign` (`${x:=value}`: an assignment), `indirect` (`${!x}`).
        assignments, words, redirects: in their order.
        frame: the construct it stands in.
        start, end: where it stands in the text given to `read`, without here-documents; -1 as for words.
    """

    __slots__ = ("assignments", "end", "frame", "kind", "redirects", "start", "words")

    def __init__(self, kind: str, frame: Frame, words: list[Word] | None = None) -> None:
        self.kind = kind
        self.frame = frame
        self.words: list[Word] = [] if words is None else words
        self.assignments: list[Assignment] = []
        self.redirects: list[Redirect] = []
        self.start = self.end = -1

    def inside(self, kind: str) -> bool:
        """Whether a construct of this kind is anywhere around the command."""
        return any(frame.kind == kind for frame in self.frame.around())

    @property
    def shell(self) -> Frame:
        """The innermost shell process that it runs in."""
        return next(frame for frame in self.frame.around() if frame.kind in _SHELLS or frame.parent is None)

    @property
    def conditional(self) -> bool:
        """Whether it may be skipped although its shell runs to the end."""
        return _anchor(self.frame).kind in _BRANCHES

    def __repr__(self) -> str:
        parts = [*self.assignments, *self.words, *self.redirects]
        return f"<{self.kind} {' '.join(map(repr, parts))} in {self.frame!r}>"


def runs_before(earlier: Command, later: Command) -> bool:
    """Whether `earlier` surely ran, in the shell of `later` or one around it, when `later` is run.

    The caller knows that `earlier` comes first in the list. `a` ran before `b` in `a && b`, `a; b`, `if a; then b; fi`
    and `a; (b)`, not in `x && a; b`, `a & b`, `(a); b` or `a | b`.
    """
    return _anchor(earlier.frame) in later.frame.around()


def _anchor(frame: Frame) -> Frame:
    """The nearest frame that is a shell or may be skipped."""
    while frame.parent is not None and frame.kind not in _SHELLS and frame.kind not in _BRANCHES:
        frame = frame.parent
    return frame


def read(text: str, steps: int = STEPS) -> list[Command]:
    """Every command in `text`, in the order in which bash would meet them.

    Raises:
        Unreadable: the text is outside the subset that is read, or holds more than `steps` commands and constructs.
    """
    if len(text) > LIMIT:
        raise Unreadable(f"longer than {LIMIT} characters")
    if "\0" in text:
        raise Unreadable("a NUL character")
    from .shell_commands import Reader
    from .shell_words import Budget

    reader = Reader(text + "\0", 0, [], Frame("shell", None), 0, Budget(steps))
    # Thousands of objects are made here and all of them stay: looking for garbage among them is a seventh of the work.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return reader.whole()
    finally:
        if collecting:
            gc.enable()
