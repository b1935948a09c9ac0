"""JSON without `import json`, whose `re` and `enum` cost a hook more than its own start.

`json` is a layer over the scanner and the string encoder in CPython's `_json`; what is added here is what the layer
adds. The results are the same: a test compares them. Where `_json` is missing or another than expected, `json` itself
is used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    _scan: Callable[[str, int], tuple[Any, int]]

_BLANKS = " \t\n\r"
_INFINITE = float("inf")


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


class _Rules:
    """What the scanner asks of its decoder: `json.JSONDecoder()`'s defaults, but `NaN` and its like are refused."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_refuse)
    memo: dict[str, str] = {}  # noqa: RUF012 - older scanners want it there


try:
    from _json import encode_basestring_ascii as _quoted
    from _json import make_scanner

    _scan = make_scanner(_Rules)  # type: ignore[arg-type]
except Exception:  # another interpreter, or a later one that changed what is private
    from json import dumps as _quoted
    from json.decoder import JSONDecoder

    _scan = JSONDecoder(parse_constant=_refuse).raw_decode


def loads(raw: bytes | str) -> Any:
    """The value of a JSON text; bytes are UTF-8, where lone surrogates are let through.

    Raises:
        ValueError: it is not one JSON value, or not UTF-8.
        RecursionError: it is nested too deep.
    """
    text = raw if isinstance(raw, str) else raw.decode("utf-8", "surrogatepass")
    start = len(text) - len(text.lstrip(_BLANKS))
    try:
        value, end = _scan(text, start)
    except (StopIteration, SystemError):  # without `json.decoder` the scanner has no exception of its own to raise
        raise ValueError("no JSON value") from None
    if text[end:].strip(_BLANKS):
        raise ValueError("text after the JSON value")
    return value


def dumps(value: Any) -> str:
    """The shortest JSON text of a value made of dict, list, str, int, float, bool and None, in ASCII.

    Raises:
        TypeError: it holds something else.
    """
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, dict):
        return "{" + ",".join([f"{_key(key)}:{dumps(item)}" for key, item in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ",".join([dumps(item) for item in value]) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def _key(key: Any) -> str:
    if isinstance(key, str):
        return _quoted(key)
    raise TypeError(f"a key of type {type(key).__name__} is not JSON")


def _number(value: float) -> str:
    if value in (_INFINITE, -_INFINITE):  # how a number beyond the floats, 1e999, was read
        return "1e999" if value > 0 else "-1e999"
    if value != value:
        raise TypeError(f"{value} is not JSON")
    return repr(value)
