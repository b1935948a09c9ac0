"""Texts that a shell reads, those that stand in other texts included, and changing them where they stand.

`bash -c "cd a && claude --bg b"` is a text with another in it. A place in the inner one is found again in the outer
one, and what is put there is quoted for each text it lies in, so that the outer text changes nowhere else.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .shell import Redirect, Word

    Edit = tuple[int, int, str]  # from, to, what stands there instead


class NoPlace(ValueError):  # noqa: N818 - it says what is missing
    """An inner text cannot be changed where it stands."""


def quoted(text: str) -> str:
    """The text as one word of a shell, in single quotes."""
    return "'" + text.replace("'", "'\\''") + "'"


def applied(text: str, edits: list[Edit]) -> str:
    """The text after these changes.

    Raises:
        NoPlace: two of them overlap.
    """
    pieces = []
    at = 0
    for start, end, new in sorted(set(edits)):
        if start < at:
            raise NoPlace
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


class Text:
    """A text that a shell reads.

    Attributes:
        text: the text.
        parent: the text it stands in; None for the command itself.
        edits: changes to be made in it.
    """

    __slots__ = ("depth", "edits", "lift", "parent", "text")

    def __init__(self, text: str, parent: Text | None = None, lift: Callable[[Text], list[Edit]] | None = None) -> None:
        self.text = text
        self.parent = parent
        self.lift = lift  # the changes that `edits` mean in the parent
        self.edits: list[Edit] = []
        self.depth: int = parent.depth + 1 if parent else 0


def in_word(word: Word, parent: Text, skipped: int = 0) -> Text:
    """The text that a word holds, without its first characters, which stand there as they are.

    What the shell expands in the word stands in the text as it is written.
    """
    start = word.start + skipped
    raw = parent.text[start : word.end] if word.start >= 0 else ""
    if len(raw) > 1 and raw[0] == raw[-1] == "'" and "'" not in raw[1:-1]:
        return Text(raw[1:-1], parent, _shifted(start + 1, lambda new: new.replace("'", "'\\''")))
    if len(raw) > 1 and raw[0] == raw[-1] == '"':
        masked = without_substitutions(raw)
        places = _double_quoted(masked)
        if places:
            return Text("".join(masked[i] for i in places[:-1]), parent, _mapped(start, places, _for_double_quotes))
    text = word.text[skipped:]
    if raw and word.static:
        return Text(text, parent, lambda inner: [(start, word.end, quoted(applied(text, inner.edits)))])
    return Text(without_substitutions(text) if word.dynamic else text, parent)


def part_of(text: Text, start: int, end: int) -> Text:
    """A text that stands in another as it is."""
    return Text(text.text[start:end], text, _shifted(start, _same))


def without_substitutions(text: str) -> str:
    """The text with a variable of the same length in place of each `$(..)`, whose commands belong to the outer text."""
    pieces = []
    at, start = 0, text.find("$(")
    while start >= 0:
        if _escaped(text, start):
            start = text.find("$(", start + 2)
            continue
        depth, end = 1, start + 2
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        pieces += [text[at:start], "$", "_" * (end - start - 1)]
        at, start = end, text.find("$(", end)
    return "".join([*pieces, text[at:]])


def _escaped(text: str, at: int) -> bool:
    """Whether a backslash takes its meaning from the character."""
    before = at
    while before and text[before - 1] == "\\":
        before -= 1
    return bool((at - before) % 2)


def in_words(words: list[Word], parent: Text) -> Text:
    """The text that words joined by blanks make, as `eval` and `ssh` do."""
    if len(words) == 1:
        return in_word(words[0], parent)
    ends: list[tuple[int, int, Word]] = []
    at = 0
    for word in words:
        ends.append((at, at + len(word.text), word))
        at += len(word.text) + 1

    def lift(inner: Text) -> list[Edit]:
        return [_of_word(edit, ends) for edit in inner.edits]

    return Text(
        " ".join(without_substitutions(word.text) if word.dynamic else word.text for word in words), parent, lift
    )


def in_document(redirect: Redirect, parent: Text) -> Text:
    """The text of a here-document."""
    body = redirect.body or ""
    start = redirect.body_start
    found = start >= 0 and parent.text[start : start + len(body)] == body
    if start >= 0 and not found and not any(char in body for char in "$`\\"):
        places = _without_tabs(parent.text[start : redirect.body_end])
        if len(places) == len(body) + 1:
            return Text(body, parent, _mapped(start, places, _same if redirect.literal else _for_document))
    if redirect.literal:
        return Text(body, parent, _shifted(start, _same) if found else None)
    masked = without_substitutions(body)
    places = _places(masked, 0, len(masked), "$`\\")
    text = "".join(masked[i] for i in places[:-1])
    return Text(text, parent, _mapped(start, places, _for_document) if found else None)


def _without_tabs(raw: str) -> list[int]:
    """Where each character stands that `<<-` leaves, and the end."""
    places: list[int] = []
    begins = True  # the line
    for at, char in enumerate(raw):
        begins = begins and char == "\t"
        if not begins:
            places.append(at)
        begins = begins or char == "\n"
    return [*places, len(raw)]


def fixed(texts: list[Text]) -> str:
    """The outermost text after all changes; `texts` holds all of them, the outermost first.

    Raises:
        NoPlace: a change has no place in the outer text.
    """
    for inner in sorted(texts, key=lambda text: -text.depth):
        if inner.parent is None:
            return applied(inner.text, inner.edits)
        if inner.edits:
            if inner.lift is None:
                raise NoPlace
            inner.parent.edits += inner.lift(inner)
    raise NoPlace


def _shifted(start: int, escape: Callable[[str], str]) -> Callable[[Text], list[Edit]]:
    return lambda inner: [(start + a, start + b, escape(new)) for a, b, new in inner.edits]


def _mapped(start: int, places: list[int], escape: Callable[[str], str]) -> Callable[[Text], list[Edit]]:
    return lambda inner: [(start + places[a], start + places[b], escape(new)) for a, b, new in inner.edits]


def _double_quoted(raw: str) -> list[int]:
    """Where each character of a double-quoted word stands in it as written, and its end; nothing if it is not one."""
    places = _places(raw, 1, len(raw) - 1, '$`"\\')
    broken = _escaped(raw, len(raw) - 1) or any(raw[at] in '"`' and not _escaped(raw, at) for at in places[:-1])
    return [] if broken else places


def _places(raw: str, at: int, end: int, escaped: str) -> list[int]:
    """Where each character stands that is left when backslashes are removed, and the end."""
    places = []
    while at < end:
        if raw[at] == "\\" and at + 1 < end and raw[at + 1] == "\n":
            at += 2
            continue
        if raw[at] == "\\" and at + 1 < end and raw[at + 1] in escaped:
            at += 1
        places.append(at)
        at += 1
    return [*places, end]


def _for_double_quotes(new: str) -> str:
    return _for_document(new).replace('"', '\\"')


def _for_document(new: str) -> str:
    return new.replace("\\", "\\\\").replace("$", "\\$").replace("`", "\\`")


def _same(new: str) -> str:
    return new


def _of_word(edit: Edit, ends: list[tuple[int, int, Word]]) -> Edit:
    """A change in joined words as one in the text that the words stand in: only whole words are added or replaced."""
    start, end, new = edit
    for first, last, word in ends:
        if word.start < 0:
            continue
        if start == end == last and new.startswith(" "):
            return word.end, word.end, " " + quoted(new[1:])
        if (start, end) == (first, last):
            return word.start, word.end, quoted(new)
    raise NoPlace
