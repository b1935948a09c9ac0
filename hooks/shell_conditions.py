"""Reading a Bash command: the conditions in `[[ ]]`."""

from __future__ import annotations

from .shell import Command, Frame, Unreadable, Word
from .shell_parts import PartReader
from .shell_words import ENDS, Marked

_UNARY = frozenset("-" + letter for letter in "abcdefghknoprstuvwxzGLNORS")
_BINARY = frozenset(
    ("=", "==", "!=", "=~", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"),
)


class ConditionReader(PartReader):
    """The words of a condition, and their order."""

    __slots__ = ()

    def test(self) -> None:
        """Read `[[ .. ]]` from behind the brackets on."""
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
        """Read the next word or sign of a condition."""
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
        elif char in ENDS:
            raise self.unexpected()
        elif text.startswith("=~", i) and text[i + 2] in ENDS:
            self.pos += 2
            words.append(Word("=~", i, i + 2))
        else:
            words.append(self.word())

    def pattern(self, regular: bool) -> Word:
        """Read the right side of `==` or `=~`, where parentheses belong to the pattern."""
        text = self.text
        start = i = self.pos
        word = Marked(start)
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

    def pattern_group(self, i: int, word: Marked) -> int:
        """Read parentheses in a pattern."""
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
