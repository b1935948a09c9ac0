"""Adding variables to the text of a settings object, so that all else in it stays as it was written."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def with_env(text: str, settings: dict[str, Any]) -> str:
    """The text of a settings object with what `settings` has more in `env`; anew where it differs elsewhere too."""
    from .fastjson import dumps, loads

    old = loads(text).get("env", {})
    added = {name: value for name, value in settings["env"].items() if name not in old}
    start, end = _env(text)
    pairs = dumps(added)[1:-1]
    if start < 0:
        made = _with(text, text.find("{"), text.rstrip().rfind("}"), f'"env":{{{pairs}}}')
    else:
        made = _with(text, start, end, pairs)
    try:
        return made if loads(made) == settings else dumps(settings)
    except ValueError:
        return dumps(settings)


def _with(text: str, start: int, end: int, pairs: str) -> str:
    """The text with more in the object between these two braces."""
    inside = text[start + 1 : end].rstrip()
    at = start + 1 + len(inside)
    return text[:at] + ("," if inside.strip() else "") + pairs + text[at:]


def _env(text: str) -> tuple[int, int]:
    """Where the braces of the object's last `env` stand; -1 where it has none."""
    found = (-1, -1)
    key, depth, start, at = "", 0, -1, 0
    while at < len(text):
        char = text[at]
        if char == '"':
            end = _string_end(text, at)
            if depth == 1 and text[end:].lstrip()[:1] == ":":
                key = text[at:end]
            at = end
            continue
        if char in "{[":
            depth += 1
            start = at if depth == 2 and char == "{" and key == '"env"' else start
        elif char in "}]":
            depth -= 1
            if depth == 1 and start >= 0:
                found, start = (start, at), -1
        at += 1
    return found


def _string_end(text: str, start: int) -> int:
    at = start + 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1
