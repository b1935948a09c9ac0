"""Edits of JSON text that leave every other character as it is.

An edit is `(start, end, replacement)`. What is put in is laid out as the text around it: its indent, its line ends,
and on one line where the container stands on one line. Taking out what was put in gives the text of before.
"""

from __future__ import annotations

from json import dumps

from . import jsontext
from .jsontext import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Edit = tuple[int, int, str]


class Layout:
    """How a file is laid out.

    Attributes:
        newline: its line end.
        unit: one step of its indent.
        colon: what stands between a key and its value.
    """

    def __init__(self, text: str, root: Node | None) -> None:
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.unit = "  "
        self.colon = ": "
        first = root.items[0] if root and root.items else None
        if root and first:
            self.unit = indent_of(text[root.start + 1 : first.begin]) or self.unit
            self.colon = ": " if text[first.start - 1] in " \t\r\n" else ":"


def indent_of(gap: str) -> str | None:
    """The indent that a gap between two tokens ends with; None where it holds no line end."""
    return gap[gap.rfind("\n") + 1 :] if "\n" in gap else None


def apply(text: str, edits: list[Edit]) -> str:
    """The text with all edits made; they must not overlap."""
    parts, at = [], 0
    for start, end, replacement in sorted(edits):
        parts += [text[at:start], replacement]
        at = end
    return "".join([*parts, text[at:]])


def remove(container: Node, gone: set[int]) -> list[Edit]:
    """Take out items by index, each with the comma that goes with it; at least one item must stay."""
    items = container.items or []
    edits: list[Edit] = []
    kept = [number for number in range(len(items)) if number not in gone]
    if kept[0] > 0:
        edits.append((items[0].begin, items[kept[0]].begin, ""))
    ends = [*kept[1:], len(items)]
    for left, right in zip(kept, ends, strict=True):
        if right - left > 1:
            edits.append((items[left].end, items[right - 1].end, ""))
    return edits


def append(text: str, container: Node, values: list[tuple[str | None, Any]], layout: Layout, base: str | None) -> Edit:
    """Put items at the end of an object or a list.

    Args:
        text: the whole text.
        container: where to, taken apart.
        values: (key, value) for an object, (None, value) for a list.
        layout: the file's.
        base: the indent of the line on which an empty container opens; None for one line.
    """
    items = container.items or []
    if not items:
        inner = None if base is None else base + layout.unit
        body = _joined(values, layout, inner, "" if inner is None else layout.newline + inner)
        tail = "" if base is None else layout.newline + base
        opening, closing = text[container.start], text[container.end - 1]
        return container.start, container.end, opening + body + tail + closing
    gap = text[items[-1].begin - _gap_before(text, items[-1].begin) : items[-1].begin]
    inner = indent_of(gap)
    lead = gap if inner is None else layout.newline + inner
    if inner is None and len(items) == 1 and not lead and layout.colon == ": ":
        lead = " "
    return items[-1].end, items[-1].end, "," + _joined(values, layout, inner, lead)


def line_indent(text: str, at: int) -> str | None:
    """The indent of the line that begins at `at`; None where something else stands before it on that line."""
    gap = text[at - _gap_before(text, at) : at]
    return indent_of(gap)


def set_members(text: str, node: Node, wanted: dict[str, Any], dropped: set[str], layout: Layout) -> list[Edit]:
    """Change an object to hold `wanted`'s values and not the keys `dropped`; its other members stay as they are."""
    fresh = jsontext.expand(text, node)
    items = fresh.items or []
    present = {item.key: item for item in items}
    edits: list[Edit] = [
        (item.start, item.end, render(wanted[item.key], layout, None))
        for item in items
        if item.key in wanted and item.value != wanted[item.key]
    ]
    gone = {number for number, item in enumerate(items) if item.key in dropped}
    missing = [(key, value) for key, value in wanted.items() if key not in present]
    edits += remove(fresh, gone) if gone else []
    if missing:
        start, end, added = append(text, fresh, [*missing], layout, line_indent(text, node.begin))
        # Where the last member is taken out, its removal already reaches to where the new ones go.
        edits = _appended(edits, start, end, added)
    return edits


def render(value: Any, layout: Layout, indent: str | None) -> str:
    """A value as text whose first line is already indented; on one line where `indent` is None."""
    if indent is None:
        return dumps(value, ensure_ascii=False, separators=(", " if layout.colon == ": " else ",", layout.colon))
    text = dumps(value, ensure_ascii=False, indent=layout.unit, separators=(",", layout.colon))
    return text.replace("\n", layout.newline + indent)


def _joined(values: list[tuple[str | None, Any]], layout: Layout, indent: str | None, lead: str) -> str:
    parts = [
        lead + ("" if key is None else dumps(key, ensure_ascii=False) + layout.colon) + render(value, layout, indent)
        for key, value in values
    ]
    if indent is None and len(parts) > 1 and not lead and layout.colon == ": ":
        return ", ".join(parts)
    return ",".join(parts)


def _gap_before(text: str, at: int) -> int:
    """How many blanks stand right before `at`."""
    before = at
    while before > 0 and text[before - 1] in jsontext.BLANKS:
        before -= 1
    return at - before


def _appended(edits: list[Edit], start: int, end: int, added: str) -> list[Edit]:
    for number, (left, right, replacement) in enumerate(edits):
        if right == end and not replacement and left < start:
            return [*edits[:number], (left, right, added), *edits[number + 1 :]]
    return [*edits, (start, end, added)]
