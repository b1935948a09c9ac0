"""doctor: foreign hooks on the results that spill replaces.

Measured on Claude Code 2.1.332: of two hooks that replace the same result each gets the original, and the one that
ends last wins, wherever and in whatever order they are registered.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import files, matchers
from .errors import RefusalError
from .finding import NOTICE, UNKNOWN, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .registered import Layer, Session
    from .settings import Handler

_FIELD = "updatedToolOutput"
_LARGEST = 1_000_000  # bytes of a script that is looked into
_SHOWN = 80  # characters of a foreign command
_WINS = "of two replacements the client takes the one that ends last, and the other is lost"


def findings(session: Session) -> Iterator[Finding]:
    """One finding for each foreign PostToolUse handler that shares a tool with spill."""
    if not session.has("spill"):
        return
    tools = [tool for slot in session.hooks["spill"].slots for tool in matchers.examples(slot.matcher)]
    for layer in session.layers:
        for handler in layer.handlers:
            shared = [tool for tool in tools if matchers.fires(handler.matcher, tool)]
            ours = session.owner.hook(handler.value) or session.owner.looks_alike(handler.value)
            if handler.event == "PostToolUse" and shared and not ours:
                yield _finding(layer, handler, shared)


def _finding(layer: Layer, handler: Handler, shared: list[str]) -> Finding:
    value = handler.value
    program = " ".join(str(value.get("command") or value.get("url") or value.get("type")).split())[:_SHOWN]
    place = f"`{handler.where}`: {program} runs on the results of {', '.join(shared)} beside spill"
    if _replaces(value):
        reason = f"{place} and replaces output: {_WINS}"
        return Finding("spill.rewriter", NOTICE, reason, layer.path, f"narrow the matcher of `{handler.where}`")
    return Finding("spill.rewriter", UNKNOWN, f"{place}; should it replace output: {_WINS}", layer.path)


def _replaces(handler: Mapping[str, Any]) -> bool:
    """Whether a handler's command, or a script it names, speaks of replacing output."""
    args = handler.get("args")
    texts = [
        text for text in [handler.get("command"), *(args if isinstance(args, list) else [])] if isinstance(text, str)
    ]
    words = [word.strip("\"'") for text in texts for word in [text, *text.split()]]
    return any(_FIELD in word or _FIELD.encode() in _script(word) for word in words)


def _script(path: str) -> bytes:
    """The bytes of a script; nothing where the word names none."""
    path = os.path.expanduser(path)
    try:
        small = os.path.isfile(path) and os.path.getsize(path) < _LARGEST
        return files.read(path) or b"" if small else b""
    except (OSError, ValueError, RefusalError):
        return b""
