"""JSON as bytes into values and back, and a line of a transcript as an object, whatever is wrong with it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from msgspec import MsgspecError, json

if TYPE_CHECKING:
    from collections.abc import Iterable

    Row = dict[str, Any]

REFUSALS = (MsgspecError, UnicodeDecodeError, RecursionError)  # what a strict reader raises

_decode = json.Decoder().decode


def loads(line: bytes | bytearray) -> Any:
    """The value of a JSON text.

    Raises:
        REFUSALS: it is not JSON in UTF-8.
    """
    return _decode(line.decode())


def dumps(value: Any) -> bytes:
    """The value as a JSON text, as short as can be."""
    return json.encode(value)


def pretty(value: Any) -> str:
    """The value as indented JSON text with a newline at its end."""
    return json.format(json.encode(value), indent=2).decode() + "\n"


def lenient(line: bytearray) -> Any:
    """The value of a line that `loads` refuses, None where nothing can be read.

    The client and others write now and then: half a surrogate pair, NaN, bytes that are not UTF-8, a byte order mark.
    """
    from json import loads as lax

    try:
        return _whole(lax(line.decode("utf-8-sig", "replace")))
    except (ValueError, RecursionError):
        return None


def _whole(value: Any) -> Any:
    """The value with every half surrogate pair replaced, so that it can be written again."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value


def encodable(path: str | bytes | os.PathLike[str]) -> str:
    """A path as text that can be encoded, whatever bytes its name has."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def texts(content: Any) -> Iterable[str]:
    """The texts of a message's or a tool result's content: a string, or the text blocks of a list."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, dict) and isinstance(block.get("text"), str):
                yield block["text"]
