"""What a person reads: results on stdout, warnings and errors on stderr, and one JSON object where that was asked."""

from __future__ import annotations

import os
import sys

from .errors import OutputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

    from .errors import RefusalError

_COLOURS = {"error": "31", "warning": "33", "hint": "36", "note": "36"}


def coloured(stream: TextIO) -> bool:
    """Whether colour is wanted: a terminal, and neither NO_COLOR nor a dumb one."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def say(text: str = "") -> None:
    """One line or more of a result."""
    _write(sys.stdout, text + "\n")


def tell(word: str, text: str) -> None:
    """One line on stderr that begins with its kind: `error`, `warning`, `hint` or `note`."""
    code = _COLOURS[word]
    head = f"\033[1;{code}m{word}:\033[0m" if coloured(sys.stderr) else f"{word}:"
    _write(sys.stderr, f"{head} {text}\n")


def refuse(refusal: RefusalError, *, with_snippet: bool = True) -> None:
    """An error, its hint, and what to add by hand."""
    tell("error", refusal.message)
    if refusal.hint:
        tell("hint", refusal.hint)
    if refusal.snippet and with_snippet:
        say(refusal.snippet)


def refusal(found: RefusalError) -> dict[str, Any]:
    """A refusal as members of a JSON object; `snippet` is the text to add by hand as an object, null without one."""
    from json import loads

    return {
        "error": found.message,
        "hint": found.hint,
        "snippet": loads(found.snippet) if found.snippet else None,
    }


def as_json(value: dict[str, Any]) -> None:
    """One JSON object on stdout."""
    from json import dumps

    _write(sys.stdout, dumps(value, indent=2) + "\n")


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text.encode(stream.encoding or "utf-8", "backslashreplace").decode(stream.encoding or "utf-8"))
    except BrokenPipeError:
        raise
    except OSError as error:
        if stream is sys.stdout:
            raise OutputError(error.strerror) from None
