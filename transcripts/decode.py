"""A line of a transcript as a JSON object, whatever is wrong with it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from orjson import JSONDecodeError, loads

if TYPE_CHECKING:
    from collections.abc import Iterable

    Row = dict[str, Any]

__all__ = ["JSONDecodeError", "lenient", "loads", "texts"]


def lenient(line: bytes) -> Any:
    """The value of a line that orjson refuses, None where nothing can be read.

    The client and others write now and then: half a surrogate pair, NaN, bytes that are not UTF-8, a byte order mark.
    """
    try:
        return _whole(json.loads(line.decode("utf-8-sig", "replace")))
    except (ValueError, RecursionError):
        return None


def _whole(value: Any) -> Any:
    """The value with every half surrogate pair replaced, so that it can be written again."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value


def texts(content: Any) -> Iterable[str]:
    """The texts of a message's or a tool result's content: a string, or the text blocks of a list."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, dict) and isinstance(block.get("text"), str):
                yield block["text"]
