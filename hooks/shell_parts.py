"""Reading a Bash command: assignments, redirections and here-documents."""

from __future__ import annotations

from .shell import HERE_DOCUMENTS, Assignment, Command, Frame, Redirect, Unreadable, Word
from .shell_words import ENDS, NAME, NAME_START, Marked, WordReader

_REDIRECTS = frozenset(("<", ">", ">>", ">|", "<>", "<&", ">&", "&>", "&>>", "<<", "<<-", "<<<"))


class PartReader(WordReader):
    """What stands in a command beside its words."""

    __slots__ = ()

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
            if char in ENDS and not (char in "<>" and self.text[self.pos + 1] == "("):
                raise self.unexpected()
            self.word()
        self.pos += 1
        if self.text[self.pos] not in ENDS:
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
        word = Marked(begin)
        word.expand(raw, splits=False)
        word.settle(self.shift, self.pos)
        return word

    # Redirections

    def is_descriptor(self, word: Word) -> bool:
        """Whether the word, directly in front of `<` or `>`, belongs to the redirection."""
        text = word.text
        if word.quoted or self.text[self.pos + 1] == "(":
            return False
        if text.isascii() and text.isdigit():
            return True
        name = text[1:-1]
        return text[0] + text[-1] == "{}" and name[:1] in NAME_START and not set(name) - NAME

    def redirect(self, command: Command, fd: str | None) -> None:
        """Read the redirection whose sign begins here, with the descriptor that stood in front."""
        self.step()
        text = self.text
        begin = self.word_from if fd else self.pos
        i = self.pos
        length = next(n for n in (3, 2, 1) if text[i : i + n] in _REDIRECTS)
        operator = text[i : i + length]
        self.after_operator(i + length)
        char = self.skip()
        if char in ENDS and not (char in "<>" and text[self.pos + 1] == "("):
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
        """Read the lines of one here-document."""
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
        reader = type(self)(
            body + "\0", entry.body_start if same else -1, found, command.frame, self.depth, self.budget
        )
        reader.enter()
        reader.expansions()
        if found:
            at = len(self.commands) - 1
            while self.commands[at] is not command:
                at -= 1
            self.commands[at:at] = found

    def expansions(self) -> None:
        """Read the whole text as the body of a here-document."""
        word = Marked(0)
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

    def place(self, command: Command, begin: int, end: int) -> None:
        """Note where a command stands."""
        if self.shift >= 0:
            command.start = begin + self.shift
            command.end = end + self.shift


def _value(word: Word, left: str) -> Word:
    """The value in a word that is an assignment, of which `left` is the part up to and with the equals sign."""
    start = word.start + len(left) if word.start >= 0 else -1
    if "[" in left:
        value = Marked(start)
        value.expand(word.text, splits=False)
        value.text = value.text.partition("=")[2]
    elif word.static and not word.quoted:
        return Word(word.text[len(left) :], start, word.end)
    else:
        value = Marked(start)
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
    while end < len(raw) and raw[end] in NAME:
        end += 1
    name = raw[:end]
    if not end or name[0] not in NAME_START:
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
