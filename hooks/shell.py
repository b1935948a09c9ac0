"""Reading a Bash command: a flat list of its simple commands, or the statement that it cannot be read.

`read` takes the text of a command as bash would get it with `bash -c` and returns every command in it, in the order in
which bash would meet them, those inside substitutions, here-documents and other quoted places included. It reads a
known subset of bash 5.2 and raises `Unreadable` on everything else; it never guesses and never runs anything. What it
accepts, bash accepts. Aliases, options of the shell (`shopt -s extglob`) and values of variables are unknown to it.

The time is linear in the length of the text, which is limited, and so is the depth of constructs in constructs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = 100_000  # characters: more is nothing that a person or a model types
DEPTH = 12  # constructs in constructs
HERE_DOCUMENTS = 16  # on one line: bash's own limit
STEPS = 20_000  # commands and constructs
PROBES = 8  # times that `((` may turn out to be two parentheses: each reads its text twice

_ENDS = frozenset(" \t\n;&|<>()\0")  # what ends a word; NUL is the end of the text, put there by `read`
_SPECIAL = _ENDS | frozenset("'\"\\$`*?[{~")
_STOPS = frozenset(");&|\0")  # what no command begins with
_QUOTED_SPECIAL = frozenset('"\\$`\0')
_BRACED_SPECIAL = frozenset("}[]'\"\\$`<>\0")
_ARITHMETIC_SPECIAL = frozenset("()'\"\\$`;\0")
_NAME_START = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
_NAME = _NAME_START | frozenset("0123456789")
_PARAMETERS = frozenset("0123456789@*#?-$!")
_TRANSFORMATIONS = frozenset("UuLQEAKak")
_DECLARING = frozenset(("declare", "typeset", "export", "readonly", "local"))
_REDIRECTS = frozenset(("<", ">", ">>", ">|", "<>", "<&", ">&", "&>", "&>>", "<<", "<<-", "<<<"))
_WRITING = frozenset((">", ">>", ">|", "<>", "&>", "&>>"))
_CLOSERS = {"t": ("then",), "d": ("do", "done"), "f": ("fi",), "e": ("else", "elif", "esac"), "}": ("}",)}
_UNARY = frozenset("-" + letter for letter in "abcdefghknoprstuvwxzGLNORS")
_BINARY = frozenset(
    ("=", "==", "!=", "=~", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"),
)
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


class _Marked(Word):
    """A word that is more than a plain run of characters, while it is read and after."""

    __slots__ = (
        "brace",
        "curly",
        "dynamic",
        "glob",
        "head",
        "known",
        "known_from",
        "pieces",
        "quoted",
        "splits",
        "square",
        "tail",
    )
    head: str
    tail: str

    def __init__(self, start: int) -> None:
        super().__init__("", start, start)
        self.dynamic = self.glob = self.brace = self.splits = self.quoted = False
        self.head = self.tail = ""
        self.known = True
        self.curly = self.square = False  # whether an unquoted brace or bracket opens
        self.pieces: list[str] = []
        self.known_from = 0

    def unknown(self, raw: str) -> None:
        """Add a part whose value is not known."""
        if self.known:
            self.known = False
            self.head = "".join(self.pieces)
        self.pieces.append(raw)
        self.known_from = len(self.pieces)

    def expand(self, raw: str, splits: bool) -> None:
        """Add an expansion."""
        self.dynamic = True
        self.splits = self.splits or splits
        self.unknown(raw)

    def finish(self, raw: str, shift: int, end: int) -> None:
        """Settle the text and the marks, given the word as it is written."""
        self.settle(shift, end)
        if self.curly and _has_braces(raw):
            self.glob = self.brace = True
            self.head = self.head.partition("{")[0]
            self.tail = self.tail.rpartition("}")[2]
        if self.square and raw.rfind("]") > raw.find("["):
            self.glob = True
            self.head = self.head.partition("[")[0]
            self.tail = self.tail.rpartition("]")[2]

    def settle(self, shift: int, end: int) -> None:
        """Settle the place and the known parts."""
        self.text = "".join(self.pieces)
        self.tail = "".join(self.pieces[self.known_from :])
        if self.known:
            self.head = self.text
        self.pieces = []
        self.start = self.start + shift if shift >= 0 else -1
        self.end = end + shift if shift >= 0 else -1


def _has_braces(raw: str) -> bool:
    """Whether a brace expansion may stand in the word; quoting is not looked at, so it says yes too often."""
    depth = 0
    many = False
    for index, char in enumerate(raw):
        if char == "{":
            depth += 1
        elif char == "}" and depth:
            depth -= 1
            if many:
                return True
        elif depth and (char == "," or (char == "." and raw[index + 1 : index + 2] == ".")):
            many = True
    return False


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
    return _Reader(text + "\0", 0, [], Frame("shell", None), 0, _Budget(steps)).whole()


class _Budget:
    """What is left of the limits, shared by a reader and the readers of texts inside its text."""

    __slots__ = ("probes", "steps")

    def __init__(self, steps: int) -> None:
        self.probes = PROBES
        self.steps = steps


class _Reader:
    """One text being read. Methods that take an index return the index after what they read; others move `pos`."""

    __slots__ = ("budget", "commands", "depth", "frame", "pending", "pos", "shift", "text", "word_from")

    def __init__(
        self, text: str, shift: int, commands: list[Command], frame: Frame, depth: int, budget: _Budget
    ) -> None:
        self.text = text  # ends with NUL
        self.shift = shift  # of positions in the original text, -1 where there are none
        self.commands = commands
        self.frame = frame
        self.depth = depth
        self.pos = 0
        self.word_from = 0  # where the word that was read last begins
        self.pending: list[tuple[Redirect, Command, int]] = []  # here-documents to come after this line
        self.budget = budget

    def whole(self) -> list[Command]:
        self.sequence()
        if self.text[self.pos] != "\0":
            raise self.unexpected()
        if self.pending:
            raise Unreadable("a here-document without its end")
        return self.commands

    # Between words

    def skip(self) -> str:
        """Move over blanks, continuations and a comment; the character that comes then."""
        text = self.text
        i = self.pos
        while True:
            char = text[i]
            if char == " " or char == "\t":
                i += 1
            elif char == "\\" and text[i + 1] == "\n":
                i += 2
            elif char == "#":
                i = text.find("\n", i)
                if i < 0:
                    i = len(text) - 1
            else:
                self.pos = i
                return char

    def lines(self) -> str:
        """Move over line ends as well."""
        char = self.skip()
        while char == "\n":
            self.newline()
            char = self.skip()
        return char

    def newline(self) -> None:
        if self.pending:
            self.check_line()
        self.pos += 1
        if self.pending:
            self.here_documents()

    def check_line(self) -> None:
        """Refuse a here-document with a line end before its lines: in a substitution, which one counts is not clear."""
        text = self.text
        i = text.find("\n", self.pending[0][2])
        while i < self.pos:
            if text[i - 1] != "\\":
                raise Unreadable("a line end between a here-document's start and its lines")
            i = text.find("\n", i + 1)

    def after_operator(self, i: int) -> None:
        """Move behind an operator, which must not go on after a continuation."""
        self.pos = i
        text = self.text
        if text[i] == "\\" and text[i + 1] == "\n":
            while text.startswith("\\\n", i):
                i += 2
            if text[i] in "&|;<>()-":
                raise Unreadable("a line continuation inside an operator")

    def unexpected(self) -> Unreadable:
        char = self.text[self.pos]
        return Unreadable("the end comes too early" if char == "\0" else f"unexpected {char!r}")

    def keyword(self, *words: str) -> str:
        """The one of the words that stands here as a whole word, or an empty string."""
        text = self.text
        i = self.pos
        for word in words:
            if text.startswith(word, i) and text[i + len(word)] in _ENDS:
                return word
        return ""

    def expect(self, *words: str) -> str:
        """Move behind one of the words, which must come here."""
        self.skip()
        word = self.keyword(*words)
        if not word:
            raise self.unexpected()
        self.pos += len(word)
        return word

    def enter(self) -> None:
        self.depth += 1
        if self.depth > DEPTH:
            raise Unreadable("too many constructs in constructs")
        self.step()

    def step(self) -> None:
        self.budget.steps -= 1
        if self.budget.steps < 0:
            raise Unreadable("too many commands")

    # Lists and pipelines

    def sequence(self) -> bool:
        """Read commands up to something that ends a list; whether there was one."""
        found = False
        text = self.text
        while True:
            char = self.lines()
            if char in _STOPS and not (char == "&" and text[self.pos + 1] == ">"):
                return found
            if char in _CLOSERS and self.keyword(*_CLOSERS[char]):
                return found
            self.and_or()
            found = True
            char = text[self.pos]
            if char == ";":
                if text[self.pos + 1] in ";&":
                    return True
                self.after_operator(self.pos + 1)
            elif char == "&":
                self.after_operator(self.pos + 1)
            elif char != "\n":
                return True

    def body(self) -> None:
        """Read a list that must not be empty."""
        if not self.sequence():
            raise self.unexpected()

    def and_or(self) -> None:
        base = self.frame
        first = len(self.commands)
        self.pipeline()
        char = self.text[self.pos]
        while char in "&|" and self.text[self.pos + 1] == char:
            kind = "and" if char == "&" else "or"
            # What follows a second `&&` ran only if what followed the first ran: they stand in one frame.
            if kind == "or" or self.frame.kind != "and" or self.frame is base:
                self.frame = Frame(kind, base)
            self.after_operator(self.pos + 2)
            self.lines()
            self.pipeline()
            char = self.text[self.pos]
        self.frame = base
        if char == "&":
            self.enclose(first, Frame("background", base))

    def pipeline(self) -> None:
        """Read the pipeline that begins here; blanks are behind us."""
        base = self.frame
        text = self.text
        if text[self.pos] in "!t":
            while self.keyword("!", "time"):
                self.prefix()
                self.skip()
        first = len(self.commands)
        self.command()
        if text[self.pos] == "|" and text[self.pos + 1] != "|":
            self.piped(first)
        self.frame = base

    def prefix(self) -> None:
        """Read `!` or `time`, in front of a pipeline."""
        if self.expect("!", "time") == "!":
            self.frame = Frame("not", self.frame)
            return
        self.commands.append(Command("time", self.frame))
        self.frame = Frame("time", self.frame)
        for option in ("-p", "--"):
            self.skip()
            if self.keyword(option):
                self.pos += 2

    def piped(self, first: int) -> None:
        """Read the other members of a pipeline whose first one gave the commands from `first` on."""
        base = self.frame
        member = Frame("pipe", base)
        self.enclose(first, member)
        text = self.text
        while text[self.pos] == "|" and text[self.pos + 1] != "|":
            self.after_operator(self.pos + (2 if text[self.pos + 1] == "&" else 1))
            self.lines()
            self.frame = Frame("pipe", base)
            self.frame.source = member
            member = self.frame
            while self.keyword("time"):
                self.prefix()
                self.skip()
            self.command()
        self.frame = base

    def enclose(self, first: int, frame: Frame) -> None:
        """Put the commands from index `first` on into `frame`, a new child of the frame that they stand in."""
        self.step()
        for command in self.commands[first:]:
            if command.frame is frame.parent:
                command.frame = frame
                continue
            inner: Frame | None = command.frame
            while inner is not None and inner.parent is not frame.parent:
                inner = inner.parent
            if inner is not None and inner is not frame:
                inner.parent = frame

    # Commands

    def command(self) -> None:
        self.step()
        if self.text[self.pos] == "(":
            self.parenthesis()
        else:
            self.simple()

    def simple(self) -> None:
        """Read a simple command, or the compound command that its first word opens."""
        command = Command("simple", self.frame)
        words = command.words
        text = self.text
        begin = end = self.pos
        while True:
            char = self.skip()
            if char not in _ENDS or (char in "<>" and text[self.pos + 1] == "("):
                word = self.word()
                if text[self.pos] in "<>" and self.is_descriptor(word):
                    self.redirect(command, word.text)
                elif not words:
                    if self.opening(command, word):
                        return
                else:
                    words.append(word)
                    if text[self.pos] == "(" and words[0].text in _DECLARING:
                        self.declared_array(command)
            elif char in "<>" or (char == "&" and text[self.pos + 1] == ">"):
                self.redirect(command, None)
            elif char == "(":
                self.function_of(command)
                return
            else:
                break
            end = self.pos
        if end == begin:
            raise self.unexpected()
        self.place(command, begin, end)
        self.commands.append(command)

    def place(self, command: Command, begin: int, end: int) -> None:
        if self.shift >= 0:
            command.start = begin + self.shift
            command.end = end + self.shift

    def opening(self, command: Command, word: Word) -> bool:
        """Take a word in front of the command's name, or the name; whether it opened a compound command instead."""
        text = word.text
        if text in _KEYWORDS and not (word.quoted or command.assignments or command.redirects):
            _KEYWORDS[text](self)
            return True
        if not (("=" in text or "[" in text) and self.assignment(command, word)):
            command.words.append(word)
        return False

    def is_descriptor(self, word: Word) -> bool:
        """Whether the word, directly in front of `<` or `>`, belongs to the redirection."""
        text = word.text
        if word.quoted or self.text[self.pos + 1] == "(":
            return False
        if text.isascii() and text.isdigit():
            return True
        name = text[1:-1]
        return text[0] + text[-1] == "{}" and name[:1] in _NAME_START and not set(name) - _NAME

    # Assignments

    def assignment(self, command: Command, word: Word) -> bool:
        """Take the word that was read last as an assignment; whether it is one."""
        begin = self.word_from
        raw = self.text[begin : self.pos]
        name, subscript, length = _left_side(raw)
        if not length:
            return False
        entry = Assignment(name, _value(word, raw[:length]), word.start, word.end)
        entry.append = raw[length - 2] == "+"
        entry.subscript = subscript
        if subscript:
            self.evaluated(subscript)
        if length == len(raw) and self.text[self.pos] == "(":
            entry.array = True
            self.array()
            entry.value = self.opaque(begin + length)
            entry.end = entry.value.end
        command.assignments.append(entry)
        return True

    def array(self) -> None:
        """Read the elements of an array, from the opening parenthesis on."""
        self.after_operator(self.pos + 1)
        while True:
            char = self.lines()
            if char == ")":
                break
            if char in _ENDS and not (char in "<>" and self.text[self.pos + 1] == "("):
                raise self.unexpected()
            self.word()
        self.pos += 1
        if self.text[self.pos] not in _ENDS:
            raise self.unexpected()

    def declared_array(self, command: Command) -> None:
        """Read the array that is assigned by a word of `declare` and its like."""
        begin = self.word_from
        raw = self.text[begin : self.pos]
        if not raw.endswith("=") or _left_side(raw)[2] != len(raw):
            raise self.unexpected()
        self.array()
        command.words[-1] = self.opaque(begin)

    def opaque(self, begin: int) -> Word:
        """What was read since `begin` as one dynamic word."""
        raw = self.text[begin : self.pos]
        word = _Marked(begin)
        word.expand(raw, splits=False)
        word.settle(self.shift, self.pos)
        return word

    def evaluated(self, expression: str) -> None:
        """Note an arithmetic expression, whose variables bash evaluates in their turn."""
        self.commands.append(Command("arith", self.frame, [Word(expression, -1, -1)]))

    # Redirections

    def redirect(self, command: Command, fd: str | None) -> None:
        self.step()
        text = self.text
        begin = self.word_from if fd else self.pos
        i = self.pos
        length = next(n for n in (3, 2, 1) if text[i : i + n] in _REDIRECTS)
        operator = text[i : i + length]
        self.after_operator(i + length)
        char = self.skip()
        if char in _ENDS and not (char in "<>" and text[self.pos + 1] == "("):
            raise self.unexpected()
        target = self.word()
        if text[self.pos] in "<>" and operator not in ("<&", ">&") and self.is_descriptor(target):
            raise self.unexpected()
        shift = self.shift
        entry = Redirect(
            operator, target, fd, begin + shift if shift >= 0 else -1, self.pos + shift if shift >= 0 else -1
        )
        command.redirects.append(entry)
        if operator in ("<<", "<<-"):
            if target.dynamic:
                raise Unreadable("an expansion in the delimiter of a here-document")
            entry.literal = target.quoted
            self.pending.append((entry, command, self.pos))
            if len(self.pending) > HERE_DOCUMENTS:
                raise Unreadable("too many here-documents on a line")

    def here_documents(self) -> None:
        """Read the bodies that begin on this line."""
        pending, self.pending = self.pending, []
        for entry, command, _ in pending:
            self.here_document(entry)
            if not entry.literal and entry.body and ("$" in entry.body or "`" in entry.body):
                self.expanded(entry, command)

    def here_document(self, entry: Redirect) -> None:
        text = self.text
        delimiter, tabs = entry.target.text, entry.operator == "<<-"
        begin = i = self.pos
        lines = []
        joined = False  # to the line before, by a continuation
        while True:
            end = text.find("\n", i)
            line = text[i : end if end >= 0 else -1]
            if tabs and not joined:
                line = line.lstrip("\t")
            if line == delimiter and not joined:
                break
            if end < 0:
                raise Unreadable("a here-document without its end")
            lines.append(line)
            starts = not joined
            joined = not entry.literal and (len(line) - len(line.rstrip("\\"))) % 2 == 1
            if joined and starts and delimiter.startswith(line[:-1]):
                raise Unreadable("a line continuation in what may be the end of a here-document")
            i = end + 1
        entry.body = "".join([line + "\n" for line in lines])
        if self.shift >= 0:
            entry.body_start, entry.body_end = begin + self.shift, i + self.shift
        self.pos = end if end >= 0 else len(text) - 1
        if end >= 0:
            self.pos += 1

    def expanded(self, entry: Redirect, command: Command) -> None:
        """Read the substitutions in a here-document, and put their commands in front of the one that reads it."""
        body = entry.body or ""
        same = self.shift >= 0 and len(body) == entry.body_end - entry.body_start
        found: list[Command] = []
        reader = _Reader(body + "\0", entry.body_start if same else -1, found, command.frame, self.depth, self.budget)
        reader.enter()
        reader.expansions()
        if found:
            at = len(self.commands) - 1
            while self.commands[at] is not command:
                at -= 1
            self.commands[at:at] = found

    def expansions(self) -> None:
        """Read the whole text as the body of a here-document."""
        word = _Marked(0)
        text = self.text
        i = 0
        while True:
            char = text[i]
            if char == "\0":
                return
            if char == "\\":
                i += 2
            elif char == "$":
                i = self.dollar(i, word, quoted=True)
            elif char == "`":
                i = self.backtick(i, word, quoted=True)
            else:
                i += 1

    # Words

    def word(self) -> Word:
        """Read the word that begins here."""
        text = self.text
        i = start = self.pos
        char = text[i]
        while char not in _SPECIAL:
            i += 1
            char = text[i]
        if char in _ENDS and not (char in "<>" and text[i + 1] == "("):
            self.pos = i
            self.word_from = start
            shift = self.shift
            return Word(text[start:i], start + shift, i + shift) if shift >= 0 else Word(text[start:i], -1, -1)
        word = _Marked(start)
        self.pos = i = self.pieces(start, word)
        self.word_from = start
        word.finish(text[start:i], self.shift, i)
        return word

    def pieces(self, i: int, word: _Marked) -> int:
        """Read the parts of a word."""
        text = self.text
        while True:
            char = text[i]
            if char in _SPECIAL:
                if char in _PIECES:
                    i = _PIECES[char](self, i, word)
                elif char in "<>" and text[i + 1] == "(":
                    i = self.process(i, word)
                else:
                    return i
            else:
                begin = i
                while char not in _SPECIAL:
                    i += 1
                    char = text[i]
                word.pieces.append(text[begin:i])

    def escape(self, i: int, word: _Marked) -> int:
        char = self.text[i + 1]
        if char == "\0":
            raise Unreadable("a backslash at the end")
        if char != "\n":
            word.quoted = True
            word.pieces.append(char)
        return i + 2

    def single(self, i: int, word: _Marked) -> int:
        end = self.text.find("'", i + 1)
        if end < 0:
            raise Unreadable("a single quote without its end")
        word.quoted = True
        word.pieces.append(self.text[i + 1 : end])
        return end + 1

    def double(self, i: int, word: _Marked) -> int:
        text = self.text
        word.quoted = True
        end = text.find('"', i + 1)
        if end < 0:
            raise Unreadable("a double quote without its end")
        inner = text[i + 1 : end]
        if "$" not in inner and "\\" not in inner and "`" not in inner:
            word.pieces.append(inner)
            return end + 1
        return self.double_parts(i + 1, word)

    def double_parts(self, i: int, word: _Marked) -> int:
        text = self.text
        while True:
            begin = i
            char = text[i]
            while char not in _QUOTED_SPECIAL:
                i += 1
                char = text[i]
            if i > begin:
                word.pieces.append(text[begin:i])
            if char == '"':
                return i + 1
            if char == "$":
                i = self.dollar(i, word, quoted=True)
            elif char == "`":
                i = self.backtick(i, word, quoted=True)
            elif char == "\\":
                escaped = text[i + 1]
                if escaped != "\n":
                    word.pieces.append(escaped if escaped in '"\\$`' else "\\" + escaped)
                i += 2
                if escaped == "\0":
                    raise Unreadable("a double quote without its end")
            else:
                raise Unreadable("a double quote without its end")

    def wildcard(self, i: int, word: _Marked) -> int:
        word.glob = True
        word.unknown(self.text[i])
        return i + 1

    def plain(self, i: int, word: _Marked) -> int:
        """Take a bracket or brace: what it makes of the word shows at the word's end."""
        word.curly = word.curly or self.text[i] == "{"
        word.square = word.square or self.text[i] == "["
        word.pieces.append(self.text[i])
        return i + 1

    def tilde(self, i: int, word: _Marked) -> int:
        text = self.text
        if i != word.start and text[i - 1] not in "=:":
            word.pieces.append("~")
            return i + 1
        end = i + 1
        while text[end] not in _SPECIAL and text[end] not in "/:":
            end += 1
        # The home folder of somebody is never empty and never an option: it belongs to the head.
        word.pieces.append(text[i:end])
        word.expand("", splits=False)
        return end

    # Expansions

    def dollar(self, i: int, word: _Marked, quoted: bool = False) -> int:
        text = self.text
        char = text[i + 1]
        if char in _NAME_START:
            end = i + 2
            while text[end] in _NAME:
                end += 1
            word.expand(text[i:end], splits=not quoted)
            return end
        if char in _PARAMETERS:
            word.expand(text[i : i + 2], splits=char == "@" if quoted else char not in "#?$!")
            return i + 2
        if char in "({":
            return self.bracketed(i, word, quoted)
        if char in "['\"\\":
            return self.dollar_quoted(i, word, quoted)
        word.pieces.append("$")
        return i + 1

    def dollar_quoted(self, i: int, word: _Marked, quoted: bool) -> int:
        char = self.text[i + 1]
        if char == "[":
            raise Unreadable("$[ ]")
        if char == "\\":
            if self.text[i + 2] == "\n":
                raise Unreadable("a line continuation after $")
        elif not quoted:
            return self.ansi_c(i + 2, word) if char == "'" else self.double(i + 1, word)
        word.pieces.append("$")
        return i + 1

    def ansi_c(self, i: int, word: _Marked) -> int:
        """Read `$'...'` from behind the quote on."""
        text = self.text
        word.quoted = True
        while True:
            begin = i
            while text[i] not in "'\\\0":
                i += 1
            word.pieces.append(text[begin:i])
            if text[i] == "'":
                return i + 1
            if text[i] == "\0":
                raise Unreadable("a single quote without its end")
            i = self.ansi_c_escape(i + 1, word)

    def ansi_c_escape(self, i: int, word: _Marked) -> int:
        text = self.text
        char = text[i]
        if char in _ANSI_C:
            word.pieces.append(_ANSI_C[char])
            return i + 1
        base, most, begin = _ANSI_C_NUMBERS.get(char, (8, 3, i) if char in "01234567" else (0, 0, i))
        if not base:
            if char in "c\0":
                raise Unreadable("an escape in $'..'")
            word.pieces.append("\\" + char)
            return i + 1
        begin += i if char in _ANSI_C_NUMBERS else 0
        end = begin
        while end - begin < most and text[end] in "0123456789abcdefABCDEF"[: 8 if base == 8 else 22]:
            end += 1
        value = int(text[begin:end], base) if end > begin else 0
        if not value or value > (0x10FFFF if char in "uU" else 127) or 0xD800 <= value < 0xE000:
            raise Unreadable("an escape in $'..'")
        word.pieces.append(chr(value))
        return end

    def bracketed(self, i: int, word: _Marked, quoted: bool) -> int:
        """Read `$(..)`, `$((..))` or `${..}`."""
        self.enter()
        splits = not quoted
        if self.text[i + 1] == "{":
            end = self.parameter(i + 2, quoted)
            splits = splits or "@" in self.text[i:end]
        else:
            end = self.arithmetic(i + 3) if self.text[i + 2] == "(" else -1
            if end < 0:
                end = self.commands_until_parenthesis(i + 2, "substitution")
            else:
                splits = False
        self.depth -= 1
        word.expand(self.text[i:end], splits)
        return end

    def commands_until_parenthesis(self, i: int, kind: str) -> int:
        outer, pending, self.pending = self.frame, self.pending, []
        self.frame = Frame(kind, outer)
        self.after_operator(i)
        self.sequence()
        if self.text[self.pos] != ")":
            raise self.unexpected()
        if self.pending:
            raise Unreadable("a here-document without its end")
        self.frame, self.pending = outer, pending
        return self.pos + 1

    def process(self, i: int, word: _Marked) -> int:
        """Read `<(..)` or `>(..)`."""
        if self.frame.kind == "test":
            raise Unreadable("a process substitution inside [[ ]]")
        self.enter()
        end = self.commands_until_parenthesis(i + 2, "process")
        self.depth -= 1
        word.expand(self.text[i:end], splits=False)
        return end

    def backtick(self, i: int, word: _Marked, quoted: bool = False) -> int:
        text = self.text
        end = i + 1
        while text[end] != "`":
            if text[end] == "\0":
                raise Unreadable("a backtick without its end")
            end += 2 if text[end] == "\\" else 1
            if end >= len(text):
                raise Unreadable("a backtick without its end")
        body = text[i + 1 : end]
        shift = self.shift + i + 1 if self.shift >= 0 and "\\" not in body else -1
        frame = Frame("substitution", self.frame)
        if "\\" in body:
            body = _without_escapes(body, '\\`$"' if quoted else "\\`$")
        reader = _Reader(body + "\0", shift, self.commands, frame, self.depth, self.budget)
        reader.enter()
        reader.whole()
        word.expand(text[i : end + 1], splits=not quoted)
        return end + 1

    def parameter(self, i: int, quoted: bool) -> int:
        """Read `${..}` from behind the brace on."""
        text = self.text
        indirect = text[i] == "!" and text[i + 1] in _NAME
        length = text[i] == "#" and (text[i + 1] in _NAME or (text[i + 1] in _PARAMETERS and text[i + 2] == "}"))
        if indirect or length:
            i += 1
        begin = i
        if text[i] in _NAME:
            numbered = text[i] not in _NAME_START
            while text[i] in _NAME and not (numbered and text[i] in _NAME_START):
                i += 1
        elif text[i] in _PARAMETERS:
            i += 1
        else:
            raise Unreadable("a form of ${ }")
        name = text[begin:i]
        if text[i] == "[":
            i = self.subscript(i, quoted)
        if indirect:
            self.commands.append(Command("indirect", self.frame, [Word(name, -1, -1)]))
            if text[i] in "*@" and text[i + 1] == "}":
                i += 1
        if length and text[i] != "}":
            raise Unreadable("a form of ${ }")
        return self.operation(i, name, quoted)

    def subscript(self, i: int, quoted: bool) -> int:
        end = self.rest(i + 1, "]", quoted)
        expression = self.text[i + 1 : end - 1]
        if expression not in ("@", "*"):
            self.evaluated(expression)
        return end

    def operation(self, i: int, name: str, quoted: bool) -> int:
        """Read what comes behind the name in `${..}`, the closing brace included."""
        text = self.text
        char = text[i]
        if char == "}":
            return i + 1
        if char == "@":
            if text[i + 1] in _TRANSFORMATIONS and text[i + 2] == "}":
                return i + 3
            raise Unreadable("${x@P} or the like")
        if char == ":" and text[i + 1] not in "-=?+":
            end = self.rest(i + 1, "}", quoted)
            self.evaluated(text[i + 1 : end - 1])
            return end
        if char not in ":-=?+#%/^,":
            raise Unreadable("a form of ${ }")
        i += 1 if char == ":" else 0
        end = self.rest(i + 1, "}", quoted)
        if text[i] == "=":
            command = Command("assign", self.frame)
            command.assignments.append(Assignment(name, Word(text[i + 1 : end - 1], -1, -1), -1, -1))
            self.commands.append(command)
        return end

    def rest(self, i: int, close: str, quoted: bool) -> int:
        """Read to the bracket that closes the one before."""
        text = self.text
        word = _Marked(i)
        depth = 0
        while True:
            char = text[i]
            if char not in _BRACED_SPECIAL:
                i += 1
            elif char == close and not depth:
                return i + 1
            elif char in "[]}":
                depth += {"[": 1, "]": -1, "}": 0}[char] if close == "]" else 0
                i += 1
            elif char in "<>":
                i = self.process(i, word) if text[i + 1] == "(" and not quoted else i + 1
            else:
                i = self.quoting(i, word, quoted)

    def quoting(self, i: int, word: _Marked, quoted: bool) -> int:
        """Read a quoted part or an expansion inside brackets."""
        char = self.text[i]
        if char == "\0":
            raise Unreadable("a bracket without its end")
        if char == "$":
            return self.dollar(i, word, quoted)
        if char == "`":
            return self.backtick(i, word, quoted)
        if char == '"':
            return self.double(i, word)
        if char == "\\":
            return self.escape(i, word)
        return self.single_without_meaning(i) if quoted else self.single(i, word)

    def single_without_meaning(self, i: int) -> int:
        """Read single quotes where bash may take them as quotes or as characters: both must come to the same."""
        end = self.text.find("'", i + 1)
        if end < 0 or any(char in '"\\$`{}[]()' for char in self.text[i + 1 : end]):
            raise Unreadable("single quotes inside an expansion inside double quotes")
        return end + 1

    def arithmetic(self, i: int) -> int:
        """Read an arithmetic expression up to and with `))`; -1 when it turns out to be commands in parentheses."""
        before = self.pos, self.frame, self.pending, self.depth
        first = len(self.commands)
        try:
            end = self.expression(i, 0)
        except Unreadable:
            end = -1
        if end < 0:
            # It is read again, as commands.
            self.pos, self.frame, self.pending, self.depth = before
            del self.commands[first:]
            self.budget.probes -= 1
            if self.budget.probes < 0:
                raise Unreadable("`((` that may be arithmetic or not")
        return end

    def expression(self, i: int, semicolons: int) -> int:
        """Read an expression with so many semicolons up to and with `))`; -1 when `))` does not end it."""
        text = self.text
        begin = i
        word = _Marked(i)
        depth = found = 0
        while depth or text[i] != ")":
            char = text[i]
            if char not in _ARITHMETIC_SPECIAL:
                i += 1
            elif char in "();":
                depth += {"(": 1, ")": -1, ";": 0}[char]
                found += char == ";"
                i += 1
            else:
                i = self.quoting(i, word, quoted=True)
        if text[i + 1] != ")" or found != semicolons:
            return -1
        self.evaluated(text[begin:i])
        return i + 2

    # Compound commands

    def open(self, kind: str) -> Frame:
        self.enter()
        self.frame = Frame(kind, self.frame)
        return self.frame

    def close(self, frame: Frame) -> None:
        self.depth -= 1
        if frame.parent is not None:
            self.frame = frame.parent
        self.trailing(frame)

    def trailing(self, frame: Frame) -> None:
        """Read the redirections of a compound command."""
        command = Command("group", self.frame)
        text = self.text
        self.skip()
        begin = finish = self.pos
        while True:
            self.skip()
            end = self.pos
            while text[end] in "0123456789":
                end += 1
            if text[end] not in "<>&" or (text[end] == "&" and (end > self.pos or text[end + 1] != ">")):
                break
            self.word_from, self.pos = self.pos, end
            self.redirect(command, text[self.word_from : end] or None)
            finish = self.pos
        if command.redirects:
            frame.redirects = command.redirects
            self.place(command, begin, finish)
            self.commands.append(command)

    def branch(self, kind: str) -> None:
        outer = self.frame
        self.frame = Frame(kind, outer)
        self.body()
        self.frame = outer

    def misplaced(self) -> None:
        raise Unreadable("a reserved word where none may stand")

    def brace(self) -> None:
        frame = self.open("brace")
        self.body()
        self.expect("}")
        self.close(frame)

    def parenthesis(self) -> None:
        if self.text[self.pos + 1] == "(":
            end = self.arithmetic(self.pos + 2)
            if end >= 0:
                self.pos = end
                self.trailing(Frame("arith", self.frame))
                return
        self.after_operator(self.pos + 1)
        frame = self.open("subshell")
        self.body()
        if self.text[self.pos] != ")":
            raise self.unexpected()
        self.pos += 1
        self.close(frame)

    def if_(self) -> None:
        frame = self.open("if")
        self.body()
        self.expect("then")
        self.branch("then")
        word = self.expect("elif", "else", "fi")
        while word == "elif":
            self.branch("elif")
            self.expect("then")
            self.branch("then")
            word = self.expect("elif", "else", "fi")
        if word == "else":
            self.branch("else")
            self.expect("fi")
        self.close(frame)

    def while_(self) -> None:
        self.loop("while")

    def until(self) -> None:
        self.loop("until")

    def loop(self, kind: str) -> None:
        self.commands.append(Command(kind, self.frame))
        frame = self.open(kind)
        self.body()
        self.do()
        self.close(frame)

    def do(self) -> None:
        self.expect("do")
        self.branch("body")
        self.expect("done")

    def for_(self) -> None:
        if self.skip() == "(" and self.text[self.pos + 1] == "(":
            frame = self.open("for")
            self.pos = self.expression(self.pos + 2, semicolons=2)
            if self.pos < 0:
                raise Unreadable("the head of a `for` loop")
            if self.skip() == ";":
                self.pos += 1
            self.lines()
        else:
            words = self.listed()
            self.commands.append(Command("for", self.frame, words))
            frame = self.open("for")
            frame.name = words[0].text
        self.do()
        self.close(frame)

    def select(self) -> None:
        self.skip()
        words = self.listed()
        self.commands.append(Command("select", self.frame, words))
        frame = self.open("select")
        self.do()
        self.close(frame)

    def listed(self) -> list[Word]:
        """Read the name of a loop's variable and the words that it goes through."""
        words = [self.plain_word()]
        name = words[0].text
        if name[0] not in _NAME_START or set(name) - _NAME:
            raise Unreadable("a loop without a variable's name")
        if self.lines() == ";":
            self.pos += 1
            self.lines()
            return words
        if not self.keyword("in"):
            return words
        self.pos += 2
        while True:
            char = self.skip()
            if char in _ENDS and not (char in "<>" and self.text[self.pos + 1] == "("):
                break
            words.append(self.word())
        if char not in ";\n":
            raise self.unexpected()
        if char == ";":
            self.after_operator(self.pos + 1)
        self.lines()
        return words

    def plain_word(self) -> Word:
        """Read a word in which nothing is quoted or expanded."""
        if self.text[self.pos] in _ENDS:
            raise self.unexpected()
        word = self.word()
        if not word.static or word.quoted:
            raise Unreadable("a name that is quoted or expanded")
        return word

    def case(self) -> None:
        if self.skip() in _ENDS:
            raise self.unexpected()
        command = Command("case", self.frame, [self.word()])
        self.commands.append(command)
        frame = self.open("case")
        self.lines()
        self.expect("in")
        while True:
            char = self.lines()
            if self.keyword("esac"):
                break
            if char == "(":
                self.after_operator(self.pos + 1)
            self.item(command)
        self.pos += 4
        self.close(frame)

    def item(self, command: Command) -> None:
        self.step()
        while True:
            if self.skip() in _ENDS:
                raise self.unexpected()
            command.words.append(self.word())
            char = self.skip()
            if char not in "|)":
                raise self.unexpected()
            self.after_operator(self.pos + 1)
            if char == ")":
                break
        outer = self.frame
        self.frame = Frame("item", outer)
        self.sequence()
        self.frame = outer
        ending = next((end for end in (";;&", ";;", ";&") if self.text.startswith(end, self.pos)), "")
        if ending:
            self.after_operator(self.pos + len(ending))
        elif not self.keyword("esac"):
            raise self.unexpected()

    def function(self) -> None:
        self.skip()
        name = self.plain_word()
        if self.skip() == "(":
            self.empty_parentheses()
        self.function_body(name)

    def function_of(self, command: Command) -> None:
        """Read the function whose name was taken for a command's name, from its parentheses on."""
        if len(command.words) != 1 or command.assignments or command.redirects:
            raise self.unexpected()
        self.empty_parentheses()
        name = command.words[0]
        if not name.static or name.quoted:
            raise Unreadable("a name that is quoted or expanded")
        self.function_body(name)

    def empty_parentheses(self) -> None:
        self.after_operator(self.pos + 1)
        if self.skip() != ")":
            raise self.unexpected()
        self.pos += 1

    def function_body(self, name: Word) -> None:
        char = self.lines()
        if char != "(" and not self.keyword(*_COMPOUND):
            raise self.unexpected()
        outer = self.frame
        self.commands.append(Command("function", outer, [name]))
        self.frame = Frame("function", outer, name.text)
        self.command()
        self.frame = outer

    def coproc(self) -> None:
        outer = self.frame
        name = ""
        begin = self.pos
        if self.skip() not in _ENDS and not self.keyword(*_COMPOUND):
            self.no_keyword()
            first = len(self.commands)
            word = self.word()
            if self.skip() == "(" or self.keyword(*_COMPOUND):
                name = word.text
            else:
                self.no_keyword()
                del self.commands[first:]
                self.pos = begin
        self.commands.append(Command("coproc", outer))
        self.frame = Frame("coproc", outer, name)
        self.command()
        self.frame = outer

    def no_keyword(self) -> None:
        if self.keyword(*_KEYWORDS):
            raise self.unexpected()

    # [[ ]]

    def test(self) -> None:
        command = Command("test", self.frame)
        words = command.words
        begin = self.pos - 2
        frame = self.frame = Frame("test", self.frame)
        while not words or words[-1].quoted or words[-1].text != "]]":
            self.test_word(words)
        self.frame = command.frame
        self.place(command, begin, self.pos)
        words.pop()
        _Test(words).check()
        self.commands.append(command)
        self.trailing(frame)

    def test_word(self, words: list[Word]) -> None:
        self.step()
        text = self.text
        char = self.lines() if _may_end_a_line(words) else self.skip()
        i = self.pos
        operator = next((sign for sign in ("&&", "||", "(", ")", "<", ">") if text.startswith(sign, i)), "")
        if operator in ("<", ">") and text[i + 1] == "(":
            raise Unreadable("a process substitution inside [[ ]]")
        before = words[-1].text if words and not words[-1].quoted else ""
        if before in ("=~", "==", "=", "!=") and (before == "=~" or not operator):
            words.append(self.pattern(before == "=~"))
        elif operator:
            self.after_operator(i + len(operator))
            words.append(_Operator(operator, i, i))
        elif char in _ENDS:
            raise self.unexpected()
        elif text.startswith("=~", i) and text[i + 2] in _ENDS:
            self.pos += 2
            words.append(Word("=~", i, i + 2))
        else:
            words.append(self.word())

    def pattern(self, regular: bool) -> Word:
        """Read the right side of `==` or `=~`, where parentheses belong to the pattern."""
        text = self.text
        start = i = self.pos
        word = _Marked(start)
        while True:
            i = self.pieces(i, word)
            char = text[i]
            if char == "(" and (regular or (i > start and text[i - 1] in "@!?*+")):
                i = self.pattern_group(i, word)
            elif char == "|" and regular:
                word.pieces.append("|")
                i += 1
            else:
                break
        if i == start:
            raise self.unexpected()
        self.pos = i
        word.finish(text[start:i], self.shift, i)
        return word

    def pattern_group(self, i: int, word: _Marked) -> int:
        text = self.text
        depth = 0
        while True:
            char = text[i]
            if char in "\n\0" or (char in "<>" and text[i + 1] == "("):
                raise Unreadable("a pattern inside [[ ]]")
            if char in "'\"\\$`":
                i = self.quoting(i, word, quoted=False)
                continue
            word.glob = True
            word.unknown(char)
            depth += (char == "(") - (char == ")")
            i += 1
            if not depth:
                return i


class _Operator(Word):
    """A sign between the words of `[[ ]]`; no quoting can make a word equal to it."""

    __slots__ = ()


class _Test:
    """The grammar of `[[ ]]`, checked so that nothing is accepted that bash does not accept."""

    __slots__ = ("at", "words")

    def __init__(self, words: list[Word]) -> None:
        self.words = words
        self.at = 0

    def check(self) -> None:
        depth = 0
        while True:
            while self.sign("!") or self.sign("("):
                depth += self.words[self.at].text == "("
                self.at += 1
            self.term()
            while depth and self.sign(")"):
                depth -= 1
                self.at += 1
            if not (self.sign("&&") or self.sign("||")):
                break
            self.at += 1
        if depth or self.at != len(self.words):
            raise Unreadable("the expression in [[ ]]")

    def sign(self, text: str) -> bool:
        word = self.words[self.at] if self.at < len(self.words) else None
        if word is None or word.text != text or word.quoted:
            return False
        return isinstance(word, _Operator) or text == "!"

    def operand(self) -> Word:
        word = self.words[self.at] if self.at < len(self.words) else None
        if word is None or isinstance(word, _Operator):
            raise Unreadable("the expression in [[ ]]")
        self.at += 1
        return word

    def term(self) -> None:
        word = self.operand()
        if word.text in _UNARY and not word.quoted:
            self.operand()
        elif self.at < len(self.words) and self.words[self.at].text in _BINARY and not self.words[self.at].quoted:
            self.at += 1
            self.operand()


def _may_end_a_line(words: list[Word]) -> bool:
    """Whether a line may end behind these words of `[[ ]]`: behind a sign, or where a term is whole."""
    if not words or isinstance(words[-1], _Operator) or words[-1].text == "!":
        return True
    before = words[-2] if len(words) > 1 else None
    return before is not None and not before.quoted and (before.text in _BINARY or before.text in _UNARY)


def _value(word: Word, left: str) -> Word:
    """The value in a word that is an assignment, of which `left` is the part up to and with the equals sign."""
    start = word.start + len(left) if word.start >= 0 else -1
    if "[" in left:
        value = _Marked(start)
        value.expand(word.text, splits=False)
        value.text = value.text.partition("=")[2]
    elif word.static and not word.quoted:
        return Word(word.text[len(left) :], start, word.end)
    else:
        value = _Marked(start)
        value.text = word.text[len(left) :]
        value.dynamic = word.dynamic
        value.quoted = word.quoted
        value.head = word.head[len(left) :]
        value.tail = word.tail if word.dynamic else value.text
    value.end = word.end
    return value


def _left_side(raw: str) -> tuple[str, str, int]:
    """Of `name=..`, `name+=..` or `name[..]=..`: the name, the subscript, the length up to and with the equals sign.

    The length is 0 when the word, as written, is no assignment.
    """
    end = 0
    while end < len(raw) and raw[end] in _NAME:
        end += 1
    name = raw[:end]
    if not end or name[0] not in _NAME_START:
        return "", "", 0
    subscript = ""
    if raw.startswith("[", end):
        close = raw.find("]", end)
        while close >= 0 and raw[close + 1 : close + 2] != "=" and raw[close + 1 : close + 3] != "+=":
            close = raw.find("]", close + 1)
        subscript = raw[end + 1 : close] if close >= 0 else raw[end + 1 :].removesuffix("]")
        if "]" not in raw or subscript.count("[") != subscript.count("]"):
            raise Unreadable("a subscript that is not whole")
        if close < 0:
            return "", "", 0
        end = close + 1
    if raw.startswith("+=", end):
        return name, subscript, end + 2
    return (name, subscript, end + 1) if raw.startswith("=", end) else ("", "", 0)


def _without_escapes(text: str, escaped: str) -> str:
    """The text without the backslashes in front of these characters."""
    pieces = []
    i = 0
    while i < len(text):
        if text[i] == "\\" and text[i + 1 : i + 2] and text[i + 1] in escaped:
            i += 1
        elif text[i] == "\\":
            pieces.append("\\")
            i += 1
        pieces.append(text[i : i + 1])
        i += 1
    return "".join(pieces)


_ANSI_C = dict(zip("abeEfnrtv\\'\"?", "\a\b\x1b\x1b\f\n\r\t\v\\'\"?", strict=True))
_ANSI_C_NUMBERS = {"x": (16, 2, 1), "u": (16, 4, 1), "U": (16, 8, 1)}  # base, digits at most, where they begin
_PIECES: dict[str, Callable[[_Reader, int, _Marked], int]] = {
    "'": _Reader.single,
    '"': _Reader.double,
    "\\": _Reader.escape,
    "$": _Reader.dollar,
    "`": _Reader.backtick,
    "*": _Reader.wildcard,
    "?": _Reader.wildcard,
    "[": _Reader.plain,
    "{": _Reader.plain,
    "~": _Reader.tilde,
}
_COMPOUND: dict[str, Callable[[_Reader], None]] = {
    "{": _Reader.brace,
    "if": _Reader.if_,
    "while": _Reader.while_,
    "until": _Reader.until,
    "for": _Reader.for_,
    "select": _Reader.select,
    "case": _Reader.case,
    "[[": _Reader.test,
}
_KEYWORDS: dict[str, Callable[[_Reader], None]] = {
    **_COMPOUND,
    "function": _Reader.function,
    "coproc": _Reader.coproc,
    **dict.fromkeys(
        ("}", "then", "elif", "else", "fi", "do", "done", "esac", "!", "time", "in", "]]"), _Reader.misplaced
    ),
}
