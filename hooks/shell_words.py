"""Reading a Bash command: words, with all that is quoted and expanded in them.

A reader goes through its text once, from left to right. The text ends with a NUL, so that there is always a next
character; none of the methods moves behind it.
"""

from __future__ import annotations

from .shell import DEPTH, PROBES, Assignment, Command, Frame, Unreadable, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .shell import Redirect

ENDS = frozenset(" \t\n;&|<>()\0")  # what ends a word; NUL is the end of the text, put there by `read`
_SPECIAL = ENDS | frozenset("'\"\\$`*?[{~")
_QUOTED_SPECIAL = frozenset('"\\$`\0')
_BRACED_SPECIAL = frozenset("}[]'\"\\$`<>\0")
_ARITHMETIC_SPECIAL = frozenset("()'\"\\$`;\0")
NAME_START = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
NAME = NAME_START | frozenset("0123456789")
_PARAMETERS = frozenset("0123456789@*#?-$!")
_TRANSFORMATIONS = frozenset("UuLQEAKak")


class Marked(Word):
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


class Budget:
    """What is left of the limits, shared by a reader and the readers of texts inside its text."""

    __slots__ = ("probes", "steps")

    def __init__(self, steps: int) -> None:
        self.probes = PROBES
        self.steps = steps


class WordReader:
    """One text being read. Methods that take an index return the index after what they read; others move `pos`."""

    __slots__ = ("budget", "commands", "depth", "frame", "pending", "pos", "shift", "text", "word_from")

    def __init__(
        self, text: str, shift: int, commands: list[Command], frame: Frame, depth: int, budget: Budget
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
        """Read the text to its end."""
        self.sequence()
        if self.text[self.pos] != "\0":
            raise self.unexpected()
        if self.pending:
            raise Unreadable("a here-document without its end")
        return self.commands

    def sequence(self) -> bool:
        """Read commands up to something that ends a list; whether there was one."""
        raise NotImplementedError  # in this class: readers of more than words know how

    def here_documents(self) -> None:
        """Read the bodies that begin on this line."""
        raise NotImplementedError

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
        """Move over a line end, and over the here-documents behind it."""
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
        """The refusal of the character that stands here."""
        char = self.text[self.pos]
        return Unreadable("the end comes too early" if char == "\0" else f"unexpected {char!r}")

    def keyword(self, *words: str) -> str:
        """The one of the words that stands here as a whole word, or an empty string."""
        text = self.text
        i = self.pos
        for word in words:
            if text.startswith(word, i) and text[i + len(word)] in ENDS:
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
        """Count a construct in a construct."""
        self.depth += 1
        if self.depth > DEPTH:
            raise Unreadable("too many constructs in constructs")
        self.step()

    def step(self) -> None:
        """Count a command or construct."""
        self.budget.steps -= 1
        if self.budget.steps < 0:
            raise Unreadable("too many commands")

    # Words

    def word(self) -> Word:
        """Read the word that begins here."""
        text = self.text
        i = start = self.pos
        char = text[i]
        while char not in _SPECIAL:
            i += 1
            char = text[i]
        if char in ENDS and not (char in "<>" and text[i + 1] == "("):
            self.pos = i
            self.word_from = start
            shift = self.shift
            return Word(text[start:i], start + shift, i + shift) if shift >= 0 else Word(text[start:i], -1, -1)
        word = Marked(start)
        self.pos = i = self.pieces(start, word)
        self.word_from = start
        word.finish(text[start:i], self.shift, i)
        return word

    def pieces(self, i: int, word: Marked) -> int:
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

    def escape(self, i: int, word: Marked) -> int:
        """Read a backslash and what it quotes."""
        char = self.text[i + 1]
        if char == "\0":
            raise Unreadable("a backslash at the end")
        if char != "\n":
            word.quoted = True
            word.pieces.append(char)
        return i + 2

    def single(self, i: int, word: Marked) -> int:
        """Read single quotes."""
        end = self.text.find("'", i + 1)
        if end < 0:
            raise Unreadable("a single quote without its end")
        word.quoted = True
        word.pieces.append(self.text[i + 1 : end])
        return end + 1

    def double(self, i: int, word: Marked) -> int:
        """Read double quotes."""
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

    def double_parts(self, i: int, word: Marked) -> int:
        """Read the inside of double quotes in which something is expanded or escaped."""
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

    def wildcard(self, i: int, word: Marked) -> int:
        """Read a sign that matches file names."""
        word.glob = True
        word.unknown(self.text[i])
        return i + 1

    def plain(self, i: int, word: Marked) -> int:
        """Take a bracket or brace: what it makes of the word shows at the word's end."""
        word.curly = word.curly or self.text[i] == "{"
        word.square = word.square or self.text[i] == "["
        word.pieces.append(self.text[i])
        return i + 1

    def tilde(self, i: int, word: Marked) -> int:
        """Read a tilde, which may stand for a home folder."""
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

    def dollar(self, i: int, word: Marked, quoted: bool = False) -> int:
        """Read what begins with a dollar sign."""
        text = self.text
        char = text[i + 1]
        if char in NAME_START:
            end = i + 2
            while text[end] in NAME:
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

    def dollar_quoted(self, i: int, word: Marked, quoted: bool) -> int:
        """Read `$'..'` or `$".."`, or a dollar sign that means itself."""
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

    def ansi_c(self, i: int, word: Marked) -> int:
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

    def ansi_c_escape(self, i: int, word: Marked) -> int:
        """Read an escape in `$'..'` from behind the backslash on."""
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

    def bracketed(self, i: int, word: Marked, quoted: bool) -> int:
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
        """Read commands up to and with the parenthesis that closes them."""
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

    def process(self, i: int, word: Marked) -> int:
        """Read `<(..)` or `>(..)`."""
        if self.frame.kind == "test":
            raise Unreadable("a process substitution inside [[ ]]")
        self.enter()
        end = self.commands_until_parenthesis(i + 2, "process")
        self.depth -= 1
        word.expand(self.text[i:end], splits=False)
        return end

    def backtick(self, i: int, word: Marked, quoted: bool = False) -> int:
        """Read a substitution in backticks."""
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
        reader = type(self)(body + "\0", shift, self.commands, frame, self.depth, self.budget)
        reader.enter()
        reader.whole()
        word.expand(text[i : end + 1], splits=not quoted)
        return end + 1

    def parameter(self, i: int, quoted: bool) -> int:
        """Read `${..}` from behind the brace on."""
        text = self.text
        indirect = text[i] == "!" and text[i + 1] in NAME
        length = text[i] == "#" and (text[i + 1] in NAME or (text[i + 1] in _PARAMETERS and text[i + 2] == "}"))
        if indirect or length:
            i += 1
        begin = i
        if text[i] in NAME:
            numbered = text[i] not in NAME_START
            while text[i] in NAME and not (numbered and text[i] in NAME_START):
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
        """Read `[..]` behind a parameter's name."""
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
        word = Marked(i)
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

    def quoting(self, i: int, word: Marked, quoted: bool) -> int:
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
        word = Marked(i)
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

    def evaluated(self, expression: str) -> None:
        """Note an arithmetic expression, whose variables bash evaluates in their turn."""
        self.commands.append(Command("arith", self.frame, [Word(expression, -1, -1)]))


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
_PIECES: dict[str, Callable[[WordReader, int, Marked], int]] = {
    "'": WordReader.single,
    '"': WordReader.double,
    "\\": WordReader.escape,
    "$": WordReader.dollar,
    "`": WordReader.backtick,
    "*": WordReader.wildcard,
    "?": WordReader.wildcard,
    "[": WordReader.plain,
    "{": WordReader.plain,
    "~": WordReader.tilde,
}
