"""The arguments of a command: words of the shell as the command gets them, as far as that can be known."""

from __future__ import annotations

from .shell import Unreadable, read
from .texts import without_substitutions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .shell import Word
    from .texts import Text

    Lookup = Callable[[str], "list[Argument] | None"]  # the values of a variable; None where it is not known

_PRINTING = ("$(echo ", "$(printf ", "`echo ", "`printf ")
_BRACES = 1000  # characters of a word whose braces are expanded
_NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789")


class Argument:
    """An argument of a command.

    Attributes:
        text: its value; of one that is not known, the word with its expansions as written.
        known: whether the command surely gets `text`.
        written: `text`, and what is known to have gone into the expansions in it.
        word, place: the word it came from and the text that this stands in; None where there is none.
        start: where its value begins in that text, -1 where the value does not stand there.
        origin: of what an expansion gave, the value of the variable; otherwise the argument itself.
    """

    __slots__ = ("known", "origin", "place", "start", "text", "word", "written")

    def __init__(self, text: str, known: bool, word: Word | None = None, place: Text | None = None) -> None:
        self.text = text
        self.known = known
        self.written = text
        self.word = word
        self.place = place
        self.start = -1
        self.origin = self

    def after(self, length: int) -> Argument:
        """The argument without its first characters: the value in `--option=value` and in `NAME=value`."""
        value = Argument(self.text[length:], self.known, self.word, self.place)
        value.written = self.written
        word, place = self.word, self.place
        plain = word is not None and place is not None and word.start >= 0
        if plain and place.text.startswith(self.text[:length], word.start):  # type: ignore[union-attr]
            value.start = word.start + length  # type: ignore[union-attr]
        return value

    @property
    def evidence(self) -> str:
        """What speaks for the value of an argument that is not known: of a command's output only what it is told."""
        splits = self.word is not None and self.word.splits
        if self.written.startswith(_PRINTING) or (splits and " echo " in self.written):
            return self.written
        return " ".join(without_substitutions(self.written).split("`")[::2])

    def __repr__(self) -> str:
        return f"<{self.text!r}{'' if self.known else ' ?'}>"


def unknown(written: str) -> Argument:
    """An argument of which nothing is known but what it was made of."""
    return Argument(written, known=False)


def arguments(words: list[Word], place: Text, lookup: Lookup) -> list[Argument]:
    """The arguments that these words make."""
    found: list[Argument] = []
    for word in words:
        found += _arguments(word, place, lookup)
    return found


def value(word: Word, place: Text, lookup: Lookup) -> Argument:
    """The one value that a word makes where it is not split, as in an assignment."""
    found = _arguments(word, place, lookup)
    if len(found) == 1:
        if not found[0].known and word.dynamic:
            return _interpolated(word, place, lookup, splits=False)
        return found[0]
    result = Argument(" ".join(argument.text for argument in found), all(argument.known for argument in found), word)
    result.written = " ".join(argument.written for argument in found)
    return result


def items(word: Word, place: Text, lookup: Lookup) -> list[Argument]:
    """The items of an array's value, which is a word with the parentheses as written."""
    try:
        commands = read("x " + word.text[1:-1])
    except Unreadable:
        return [unknown(word.text)]
    words = [inner for command in commands if command.kind == "simple" for inner in command.words]
    return [_elsewhere(argument) for argument in arguments(words[1:], place, lookup)]


def _elsewhere(argument: Argument) -> Argument:
    argument.word = argument.place = None
    return argument


def _arguments(word: Word, place: Text, lookup: Lookup) -> list[Argument]:
    if word.static:
        return [_plain(word, place)]
    if not word.dynamic:
        return _with_wildcards(word, place)
    values = lookup(_parameter(word.text)) if _parameter(word.text) else None
    if values is not None:
        return _split(values, word, place)
    return [_interpolated(word, place, lookup, word.splits)]


def _plain(word: Word, place: Text) -> Argument:
    argument = Argument(word.text, True, word, place)
    argument.start = word.start
    return argument


def _with_wildcards(word: Word, place: Text) -> list[Argument]:
    """A word that may make several, by its wildcards and braces; many such words have theirs in quotes."""
    raw = place.text[word.start : word.end] if word.start >= 0 else ""
    bare = _unquoted(raw)
    if raw and not any(char in bare for char in "*?[{"):
        return [_plain(word, place)]
    if word.brace and not word.quoted:
        return [Argument(text, True, word, place) for text in _brace_expansion(word.text, 64)]
    return [Argument(word.text, True if word.quoted else not word.glob, word, place)]


def _unquoted(raw: str) -> str:
    """What stands outside of quotes."""
    pieces = []
    at = 0
    while at < len(raw):
        char = raw[at]
        if char == "\\":
            at += 2
        elif char in "'\"":
            end = raw.find(char, at + 1)
            at = len(raw) if end < 0 else end + 1
        else:
            pieces.append(char)
            at += 1
    return "".join(pieces)


def _brace_expansion(text: str, limit: int) -> list[str]:
    """The words that `a{b,c}d` makes; the text itself where there is nothing to expand or too much of it."""
    start = text.find("{") if limit and len(text) < _BRACES else -1
    while start >= 0:
        depth, parts, since = 0, [], start + 1
        for at in range(start, len(text)):
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            if (depth == 1 and text[at] == ",") or not depth:
                parts.append(text[since:at])
                since = at + 1
            if not depth:
                break
        if not depth and len(parts) > 1:
            made: list[str] = []
            for part in parts:
                made += _brace_expansion(text[:start] + part + text[since:], limit // len(parts))
            return made
        start = text.find("{", start + 1)
    return [text]


def _parameter(text: str) -> str:
    """The parameter, where the text is the expansion of one and nothing else: `$x`, `${x}`, `${x[@]}`, `$@`, `$1`."""
    if text.startswith("${") and text.endswith("}"):
        name = text[2:-1]
        for subscript in ("[@]", "[*]"):
            if name.endswith(subscript) and _is_name(name[:-3]):
                return name
        return name if _is_name(name) or name in ("@", "*") else ""
    name = text[1:]
    return name if text.startswith("$") and (_is_name(name) or name in ("@", "*")) else ""


def _is_name(text: str) -> bool:
    return bool(text) and all(char in _NAME for char in text)


def _split(values: list[Argument], word: Word, place: Text) -> list[Argument]:
    """What an expansion alone in a word makes of the values of its variable."""
    made: list[Argument] = []
    for one in values:
        texts = one.text.split() if word.splits and not word.quoted and one.known else [one.text]
        for text in texts:
            argument = Argument(text, one.known, word, place)
            argument.written = one.written if not one.known else text
            argument.origin = one.origin if text == one.text else argument
            made.append(argument)
    return made


def _interpolated(word: Word, place: Text, lookup: Lookup, splits: bool) -> Argument:
    """A word with expansions beside other text or of a kind that is not followed; `splits` if it may make several."""
    text = word.text
    raw = place.text[word.start : word.end] if word.start >= 0 else text
    plain = (
        "'" not in raw and "\\" not in raw and "`" not in raw and "$(" not in raw and "<(" not in raw and not word.glob
    )
    if plain and not text.startswith("~"):
        whole, complete, written = _substituted(text, lookup)
        argument = Argument(whole if complete else text, complete and not splits, word, place)
        argument.written = text + " " + written
        return argument
    if text.startswith("~/") and word.head == "~" and word.tail == text[1:]:
        home = lookup("HOME")
        if home and home[0].known:
            return Argument(home[0].text + text[1:], True, word, place)
    argument = Argument(text, False, word, place)
    argument.written = text + " " + _substituted(without_substitutions(text), lookup)[2]
    return argument


def _substituted(text: str, lookup: Lookup) -> tuple[str, bool, str]:
    """The text with the values of its variables, whether all were known, and what the others were made of."""
    pieces: list[str] = []
    written: list[str] = []
    complete = True
    at = 0
    while at < len(text):
        start = text.find("$", at)
        if start < 0:
            break
        pieces.append(text[at:start])
        braced = text.startswith("${", start)
        at = start + 1 + braced
        end = at
        while end < len(text) and text[end] in _NAME and (braced or not text[at].isdigit() or end == at):
            end += 1
        values = lookup(text[at:end]) if end > at and (not braced or text[end : end + 1] == "}") else None
        if values is None and braced and text[end : end + 1] == "[":
            written += [one.written for one in lookup(text[at:end]) or ()]  # one of an array, whichever it is
        at = end + braced if values is not None else end
        if values is None or len(values) != 1 or not values[0].known:
            complete = False
        written += [one.written for one in values or ()]
        pieces += [one.text for one in values or ()]
    pieces.append(text[at:])
    return "".join(pieces), complete, " ".join(written)
