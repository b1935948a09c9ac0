"""Strict JSON that remembers where each value stands in the text, so that text can be spliced instead of rewritten.

Only the levels asked for are taken apart; everything below them is parsed in one go by the standard library's scanner.
"""

from __future__ import annotations

import json.decoder
import json.scanner
import sys
from json import JSONDecodeError, JSONDecoder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_DEEPEST = 6000  # levels; the scanner needs a few hundred bytes of stack for each
BLANKS = " \t\r\n"
KINDS = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", int: "a number", float: "a number"}


class JsonError(ValueError):
    """The text is not JSON as the client reads it.

    Attributes:
        position: index into the text, in characters.
        reason: what was found there.
    """

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.position = position


class Node:
    """A value and its place: `text[start:end]` is the value, `text[begin:end]` the member or element with its key.

    Attributes:
        key: the member's key; None in a list and at the root.
        value: the parsed value.
        items: the nodes inside, duplicates included; None where this value was not taken apart.
    """

    __slots__ = ("begin", "end", "items", "key", "start", "value")

    def __init__(self, value: Any, start: int, end: int, items: list[Node] | None) -> None:
        self.value = value
        self.start = start
        self.end = end
        self.items = items
        self.key: str | None = None
        self.begin = start

    def member(self, key: str) -> Node | None:
        """The member that counts: the last of that name."""
        return next((node for node in reversed(self.items or []) if node.key == key), None)

    def repeated(self) -> list[tuple[Node, Node]]:
        """Pairs of members with the same key."""
        first: dict[str, Node] = {}
        pairs = []
        for node in self.items or []:
            if node.key is None:
                continue
            if node.key in first:
                pairs.append((first[node.key], node))
            first[node.key] = node
        return pairs


def kind(value: Any) -> str:
    """What a parsed value is, for a message."""
    return "null" if value is None else KINDS[type(value) if type(value) in KINDS else dict]


def parse(text: str, depth: int = 0, deeper: Mapping[str, int] | None = None) -> Node:
    """The whole text as one value.

    Args:
        text: JSON without a byte order mark.
        depth: how many levels of containers are taken apart.
        deeper: for members of the root, by key: how many levels below that member.

    Raises:
        JsonError: it is not strict JSON (comments, trailing commas, NaN, control characters in strings...).
    """
    try:
        node = _deep(text, _skip(text, 0), depth, deeper or {})
    except RecursionError:
        raise JsonError("nested too deeply", 0) from None
    rest = _skip(text, node.end)
    if rest != len(text):
        raise JsonError(_explain(text, rest, "more text after the end of the object"), rest)
    return node


def expand(text: str, node: Node, depth: int = 1) -> Node:
    """The same node, taken apart further."""
    fresh = _deep(text, node.start, depth, {})
    fresh.key, fresh.begin = node.key, node.begin
    return fresh


def position(text: str, at: int) -> tuple[int, int]:
    """Line and column of an index, both from 1."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _deep(text: str, at: int, depth: int, deeper: Mapping[str, int]) -> Node:
    try:
        return _node(text, at, depth, deeper)
    except RecursionError:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(_DEEPEST)
        try:
            return _node(text, at, depth, deeper)
        finally:
            sys.setrecursionlimit(limit)


def _node(text: str, at: int, depth: int, deeper: Mapping[str, int]) -> Node:
    opening = text[at : at + 1]
    if depth > 0 and opening == "{":
        return _container(text, at, depth, "}", deeper)
    if depth > 0 and opening == "[":
        return _container(text, at, depth, "]", {})
    value, end = _scan(text, at)
    return Node(value, at, end, None)


def _container(text: str, start: int, depth: int, closing: str, deeper: Mapping[str, int]) -> Node:
    items: list[Node] = []
    at = _skip(text, start + 1)
    while not (text[at : at + 1] == closing and not items):
        node = _item(text, at, depth, closing == "}", deeper)
        items.append(node)
        at = _skip(text, node.end)
        if text[at : at + 1] == closing:
            break
        if text[at : at + 1] != ",":
            raise JsonError(_explain(text, at, f"expected `,` or `{closing}`"), at)
        comma, at = at, _skip(text, at + 1)
        if text[at : at + 1] == closing:
            raise JsonError("a trailing comma, which the client does not accept", comma)
    value: Any = {node.key: node.value for node in items} if closing == "}" else [node.value for node in items]
    return Node(value, start, at + 1, items)


def _item(text: str, at: int, depth: int, keyed: bool, deeper: Mapping[str, int]) -> Node:
    if not keyed:
        return _node(text, at, depth - 1, {})
    if text[at : at + 1] != '"':
        raise JsonError(_explain(text, at, "expected a key in double quotes"), at)
    key, colon = _string(text, at)
    colon = _skip(text, colon)
    if text[colon : colon + 1] != ":":
        raise JsonError(_explain(text, colon, "expected `:` after the key"), colon)
    node = _node(text, _skip(text, colon + 1), deeper.get(key, depth - 1), {})
    node.key, node.begin = key, at
    return node


def _skip(text: str, at: int) -> int:
    end: int = _blanks(text, at).end()
    return end


def _string(text: str, at: int) -> tuple[str, int]:
    try:
        return _scan_string(text, at + 1, True)
    except JSONDecodeError as error:
        raise _error(text, error.pos, error.msg) from None


def _scan(text: str, at: int) -> tuple[Any, int]:
    try:
        return _scanner(text, at)
    except StopIteration as stop:
        raise _error(text, stop.value, "expected a value") from None
    except JSONDecodeError as error:
        place = error.pos if error.doc == text else max(text.find(error.doc, at), at)
        raise _error(text, place, error.msg) from None


def _error(text: str, at: int, message: str) -> JsonError:
    """The scanner's error in our words, at the place a person would call wrong."""
    if text[at : at + 1] in ("}", "]") or "trailing comma" in message:
        before = text[: at + 1] if text[at : at + 1] == "," else text[:at].rstrip(BLANKS)
        if before.endswith(","):
            return JsonError("a trailing comma, which the client does not accept", len(before) - 1)
    if message.startswith("Unterminated string"):
        return JsonError("a string that does not end", at)
    return JsonError(_explain(text, at, message[:1].lower() + message[1:]), at)


def _explain(text: str, at: int, otherwise: str) -> str:
    if text.startswith(("//", "/*", "#"), at):
        return "a comment, which the client does not accept either"
    if at >= len(text):
        return "the text ends in the middle"
    return otherwise


def _constant(name: str) -> Any:
    raise JSONDecodeError(f"`{name}` is not JSON", name, 0)


def _integer(digits: str) -> int | float:
    # int() refuses more than 4,300 digits; the client reads such a number as infinite.
    return int(digits) if len(digits) < 4000 else float(digits)


# The standard library's own parts, which its type stubs do not name.
_blanks: Any = json.decoder.WHITESPACE.match  # type: ignore[attr-defined]
_scan_string: Callable[[str, int, bool], tuple[str, int]] = json.decoder.scanstring  # type: ignore[attr-defined]
_scanner: Callable[[str, int], tuple[Any, int]] = json.scanner.make_scanner(
    JSONDecoder(parse_int=_integer, parse_constant=_constant)  # type: ignore[arg-type]
)
