"""Reading a Bash command: lists, pipelines, simple and compound commands."""

from __future__ import annotations

from .shell import Command, Frame, Unreadable, Word
from .shell_conditions import ConditionReader
from .shell_words import ENDS, NAME, NAME_START

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_STOPS = frozenset(");&|\0")  # what no command begins with
_DECLARING = frozenset(("declare", "typeset", "export", "readonly", "local"))
_CLOSERS = {"t": ("then",), "d": ("do", "done"), "f": ("fi",), "e": ("else", "elif", "esac"), "}": ("}",)}


class Reader(ConditionReader):
    """The whole reader."""

    __slots__ = ()

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
        """Read pipelines joined by `&&` and `||`."""
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
        """Read the command that begins here; blanks are behind us."""
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
            if char not in ENDS or (char in "<>" and text[self.pos + 1] == "("):
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

    def opening(self, command: Command, word: Word) -> bool:
        """Take a word in front of the command's name, or the name; whether it opened a compound command instead."""
        text = word.text
        if text in _KEYWORDS and not (word.quoted or command.assignments or command.redirects):
            _KEYWORDS[text](self)
            return True
        if not (("=" in text or "[" in text) and self.assignment(command, word)):
            command.words.append(word)
        return False

    # Compound commands

    def open(self, kind: str) -> Frame:
        """Begin a construct, which the next commands stand in."""
        self.enter()
        self.frame = Frame(kind, self.frame)
        return self.frame

    def close(self, frame: Frame) -> None:
        """End a construct, and read the redirections behind it."""
        self.depth -= 1
        if frame.parent is not None:
            self.frame = frame.parent
        self.trailing(frame)

    def branch(self, kind: str) -> None:
        """Read a list that may be skipped."""
        outer = self.frame
        self.frame = Frame(kind, outer)
        self.body()
        self.frame = outer

    def misplaced(self) -> None:
        """Refuse a reserved word."""
        raise Unreadable("a reserved word where none may stand")

    def brace(self) -> None:
        """Read `{ ..; }` from behind the brace on."""
        frame = self.open("brace")
        self.body()
        self.expect("}")
        self.close(frame)

    def parenthesis(self) -> None:
        """Read `(..)` or `((..))`."""
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
        """Read `if` from behind the word on."""
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
        """Read `while` from behind the word on."""
        self.loop("while")

    def until(self) -> None:
        """Read `until` from behind the word on."""
        self.loop("until")

    def loop(self, kind: str) -> None:
        """Read the condition and body of a loop."""
        self.commands.append(Command(kind, self.frame))
        frame = self.open(kind)
        self.body()
        self.do()
        self.close(frame)

    def do(self) -> None:
        """Read `do ..; done`."""
        self.expect("do")
        self.branch("body")
        self.expect("done")

    def for_(self) -> None:
        """Read `for` from behind the word on."""
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
        """Read `select` from behind the word on."""
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
        if name[0] not in NAME_START or set(name) - NAME:
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
            if char in ENDS and not (char in "<>" and self.text[self.pos + 1] == "("):
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
        if self.text[self.pos] in ENDS:
            raise self.unexpected()
        word = self.word()
        if not word.static or word.quoted:
            raise Unreadable("a name that is quoted or expanded")
        return word

    def case(self) -> None:
        """Read `case` from behind the word on."""
        if self.skip() in ENDS:
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
        """Read the patterns of an item of `case`, its list and how it ends."""
        self.step()
        while True:
            if self.skip() in ENDS:
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
        """Read `function` from behind the word on."""
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
        """Read `()`."""
        self.after_operator(self.pos + 1)
        if self.skip() != ")":
            raise self.unexpected()
        self.pos += 1

    def function_body(self, name: Word) -> None:
        """Read the compound command that is a function's body."""
        char = self.lines()
        if char != "(" and not self.keyword(*_COMPOUND):
            raise self.unexpected()
        outer = self.frame
        self.commands.append(Command("function", outer, [name]))
        self.frame = Frame("function", outer, name.text)
        self.command()
        self.frame = outer

    def coproc(self) -> None:
        """Read `coproc` from behind the word on."""
        outer = self.frame
        name = ""
        begin = self.pos
        if self.skip() not in ENDS and not self.keyword(*_COMPOUND):
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
        """Refuse a reserved word here."""
        if self.keyword(*_KEYWORDS):
            raise self.unexpected()


_COMPOUND: dict[str, Callable[[Reader], None]] = {
    "{": Reader.brace,
    "if": Reader.if_,
    "while": Reader.while_,
    "until": Reader.until,
    "for": Reader.for_,
    "select": Reader.select,
    "case": Reader.case,
    "[[": Reader.test,
}
_KEYWORDS: dict[str, Callable[[Reader], None]] = {
    **_COMPOUND,
    "function": Reader.function,
    "coproc": Reader.coproc,
    **dict.fromkeys(
        ("}", "then", "elif", "else", "fi", "do", "done", "esac", "!", "time", "in", "]]"), Reader.misplaced
    ),
}
