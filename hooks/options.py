"""Reading the words behind a command's name against a list of the options that are known.

The notation of such a list, words with blanks between them:

    -abc      letters that take no value; they may stand in one cluster
    -n:       letters that take a value, attached (`-n5`) or as the next word
    -M?       letters that take a value only when it is attached
    --all     a long option without a value
    --sort=   one that takes a value, attached (`--sort=x`) or as the next word
    --color?  one that takes a value only when it is attached
    --merged~ one that takes the next word as its value whenever there is a next word
    -#        a number with a dash in front: `-10`

Anything else is no option that is known: `read` returns None. Abbreviated long options are not known.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .shell import Word

_PLAIN, _VALUE, _ATTACHED, _NEXT = range(4)
_SIGNS = {":": _VALUE, "=": _VALUE, "?": _ATTACHED, "~": _NEXT}

# Paths that the client and the shell set: they begin with a slash.
_PATHS = frozenset(("HOME", "PWD", "OLDPWD", "CLAUDE_PROJECT_DIR"))


_READ: dict[str, dict[str, int]] = {}  # notations that were read before


class Options:
    """What was read: the options that are there (`-n`, `--all`) with their values, and the operands."""

    __slots__ = ("given", "operands")

    def __init__(self) -> None:
        self.given: dict[str, list[Word | str]] = {}
        self.operands: list[Word] = []

    def any(self, *names: str) -> bool:
        """Whether one of the options is there."""
        return any(name in self.given for name in names)


def read(words: list[Word], notation: str, free: bool = False) -> Options | None:
    """Read the words behind a command's name.

    Args:
        words: the words.
        notation: the options that are known.
        free: no option of the command does harm, so that words which are not known may turn out to be some.

    Returns:
        None when a word is, or may turn out to be, an option that is not known.
    """
    return _Reader(words, _known(notation), free).read()


def harmless(word: Word) -> bool:
    """Whether the word surely is one operand or several, none of them an option."""
    if word.splits:
        return False
    if word.static:
        return not word.text.startswith("-") or word.text == "-"
    return _begins_well(word) and word.head[:1] != "-"


def _begins_well(word: Word) -> bool:
    """Whether the first character of what the word turns out to be is known, or is not a dash."""
    if word.head:
        return True
    text = word.text
    if text.startswith("<("):
        return True  # becomes /dev/fd/63
    name = text[2:].partition("}")[0] if text.startswith("${") else text[1:].partition("/")[0]
    return text.startswith("$") and name in _PATHS and not word.glob


def _known(notation: str) -> dict[str, int]:
    if notation in _READ:
        return _READ[notation]
    known = _READ[notation] = {}
    for token in notation.split():
        kind = _SIGNS.get(token[-1], _PLAIN)
        name = token if kind == _PLAIN else token[:-1]
        if name.startswith("--"):
            known[name] = kind
        else:
            for letter in name[1:]:
                known["-" + letter] = kind
    return known


class _Reader:
    __slots__ = ("at", "free", "known", "options", "words")

    def __init__(self, words: list[Word], known: dict[str, int], free: bool) -> None:
        self.words = words
        self.known = known
        self.free = free
        self.at = 0
        self.options = Options()

    def read(self) -> Options | None:
        words = self.words
        operands = self.options.operands
        while self.at < len(words):
            word = words[self.at]
            self.at += 1
            if word.static and word.text == "--":
                operands += words[self.at :]
                break
            if harmless(word):
                operands.append(word)
            elif not self.is_known(word):
                if word.static or not self.free:
                    return None
                operands.append(word)
        return self.options

    def is_known(self, word: Word) -> bool:
        """Take the word as an option; whether it is one that is known."""
        if word.head[:1] != "-" or word.splits:
            return False
        return self.long(word) if word.head.startswith("--") else self.short(word)

    def long(self, word: Word) -> bool:
        name, equals, value = word.head.partition("=")
        if not equals and not word.static:
            return False
        kind = self.known.get(name)
        if kind is None:
            return False
        if equals:
            self.note(name, value if word.static else word)
            return kind != _PLAIN
        return self.following(name, kind)

    def short(self, word: Word) -> bool:
        letters = word.head[1:]
        if letters.isascii() and letters.isdigit() and "-#" in self.known and word.static:
            self.note("-#", letters)
            return True
        for index, letter in enumerate(letters):
            kind = self.known.get("-" + letter)
            if kind is None or letter == "#":
                return False
            if kind != _PLAIN and (index + 1 < len(letters) or not word.static):
                self.note("-" + letter, letters[index + 1 :] if word.static else word)
                return True
            if not self.following("-" + letter, kind):
                return False
        return word.static

    def following(self, name: str, kind: int) -> bool:
        """Take the next word as the option's value where it has one; whether that is in order."""
        if kind in (_PLAIN, _ATTACHED):
            self.note(name, "")
            return True
        if self.at == len(self.words):
            self.note(name, "")
            return kind == _NEXT
        value = self.words[self.at]
        self.at += 1
        self.note(name, value.text if value.static else value)
        return self.free or self.is_value(value)

    def is_value(self, word: Word) -> bool:
        """Whether the word is one value, and would do no harm if the command took it for a word of its own."""
        if word.splits or word.glob:
            return False
        if word.static and word.text.startswith("-"):
            return word.text[1:2].isdigit()
        return True

    def note(self, name: str, value: Word | str) -> None:
        self.options.given.setdefault(name, []).append(value)
