"""The client's own rules for the `hooks` value, by which one bad value can cost a whole settings file.

Each rule was tried on Claude Code 2.1.332, a settings file a rule. Under the events that can refuse a tool call a bad
value makes it drop the whole file, permissions included; under the others it skips the entry, where older clients
drop the file too.
"""

from __future__ import annotations

from .jsontext import kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

EVENTS = frozenset(
    (
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "PermissionRequest",
        "PermissionDenied",
        "Notification",
        "UserPromptSubmit",
        "UserPromptExpansion",
        "SessionStart",
        "SessionEnd",
        "Setup",
        "Stop",
        "StopFailure",
        "SubagentStart",
        "SubagentStop",
        "PreCompact",
        "PostCompact",
        "TeammateIdle",
        "TaskCreated",
        "TaskCompleted",
        "Elicitation",
        "ElicitationResult",
        "ConfigChange",
        "InstructionsLoaded",
        "CwdChanged",
        "FileChanged",
        "WorktreeCreate",
        "WorktreeRemove",
    )
)
DECIDING = frozenset(("PreToolUse", "PermissionRequest"))
_NEEDED = {"command": ("command",), "prompt": ("prompt",), "agent": ("prompt",), "http": ("url",)}
_TYPES = {**_NEEDED, "mcp_tool": ("server", "tool")}
_FLAGS = ("async", "asyncRewake", "once")


_SETTINGS: dict[str, tuple[tuple[type, ...], str]] = {
    "$schema": ((str,), "a string"),
    "alwaysThinkingEnabled": ((bool,), "true or false"),
    "apiKeyHelper": ((str,), "a string"),
    "cleanupPeriodDays": ((int, float), "a number"),
    "disableAllHooks": ((bool,), "true or false"),
    "enabledPlugins": ((dict,), "an object"),
    "env": ((dict,), "an object"),
    "includeCoAuthoredBy": ((bool,), "true or false"),
    "language": ((str,), "a string"),
    "model": ((str,), "a string"),
    "outputStyle": ((str,), "a string"),
    "permissions": ((dict,), "an object"),
    "statusLine": ((dict,), "an object"),
}


class Problem:
    """A value that the client does not accept.

    Attributes:
        where: its place, as `hooks.PreToolUse[0].matcher`.
        what: what was found and what was expected.
        whole: whether a client of today drops the whole file because of it.
    """

    __slots__ = ("what", "where", "whole")

    def __init__(self, where: str, what: str, whole: bool) -> None:
        self.where = where
        self.what = what
        self.whole = whole

    @property
    def effect(self) -> str:
        """What the client does about it."""
        if self.whole:
            return "the client drops the whole file because of it, permissions included"
        return "the client skips that entry, and older clients drop the whole file"


def problems(root: dict[str, Any]) -> list[Problem]:
    """What the client does not accept in a settings object, in the file's order.

    Events whose name the client does not know lose only themselves and are passed over, as is what is null.
    """
    hooks = root.get("hooks")
    if hooks is None:
        return []
    if not isinstance(hooks, dict):
        return [Problem("hooks", f"{kind(hooks)}, expected an object", True)]
    return [
        Problem(where, what, event in DECIDING)
        for event, groups in hooks.items()
        if groups is not None and event in EVENTS
        for where, what in _event(f"hooks.{event}", groups)
    ]


def elsewhere(root: dict[str, Any]) -> list[Problem]:
    """What outside of `hooks` makes the client drop the file: well-known settings with a value of another type."""
    found = []
    for key, (types, expected) in _SETTINGS.items():
        value = root.get(key)
        if key in root and (not isinstance(value, types) or (isinstance(value, bool) and bool not in types)):
            found.append(Problem(key, f"{_shown(root, key)}, expected {expected}", True))
    return found


def _event(where: str, groups: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(groups, list):
        yield where, f"{kind(groups)}, expected a list"
        return
    for number, group in enumerate(groups):
        if not _plain(group):
            yield from _group(f"{where}[{number}]", group)


def _plain(group: Any) -> bool:
    """A quick yes for the usual group of command handlers; what it does not know is looked at closely."""
    if type(group) is not dict or type(group.get("matcher", "")) is not str or type(group.get("hooks")) is not list:
        return False
    for handler in group["hooks"]:
        if type(handler) is not dict or handler.get("type") != "command" or "command" not in handler:
            return False
        for key, value in handler.items():
            if type(value) is not _PLAIN.get(key):
                return False
        if handler.get("timeout", 1) <= 0:
            return False
        for word in handler.get("args", ()):
            if type(word) is not str:
                return False
    return True


_PLAIN = {"type": str, "command": str, "timeout": int, "args": list, "statusMessage": str, "if": str, "async": bool}


def _group(where: str, group: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(group, dict):
        yield where, f"{kind(group)}, expected an object with a `hooks` list"
        return
    if "matcher" in group and not isinstance(group["matcher"], str):
        yield f"{where}.matcher", f"{kind(group['matcher'])}, expected a string"
    if "hooks" not in group:
        found = "a handler directly under the event" if "command" in group else "a group without `hooks`"
        yield where, f"{found}, expected an object with a `hooks` list"
    elif not isinstance(group["hooks"], list):
        yield f"{where}.hooks", f"{kind(group['hooks'])}, expected a list"
    else:
        for number, handler in enumerate(group["hooks"]):
            yield from _handler(f"{where}.hooks[{number}]", handler)


def _handler(where: str, handler: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(handler, dict):
        yield where, f"{kind(handler)}, expected an object"
        return
    form = handler.get("type")
    if not isinstance(form, str) or form not in _TYPES:
        yield f"{where}.type", f"{_shown(handler, 'type')}, expected one of {', '.join(_TYPES)}"
        return
    for key in _TYPES[form]:
        if not isinstance(handler.get(key), str):
            yield f"{where}.{key}", f"{_shown(handler, key)}, expected a string"
    yield from _common(where, handler)
    if form == "command":
        yield from _command(where, handler)
    if form == "http":
        yield from _http(where, handler)


def _common(where: str, handler: dict[str, Any]) -> Iterator[tuple[str, str]]:
    timeout = handler.get("timeout", 1)
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout < float("inf"):
        yield f"{where}.timeout", f"{_shown(handler, 'timeout')}, expected a number of seconds over 0"
    for key in ("if", "statusMessage", "model"):
        if not isinstance(handler.get(key, ""), str):
            yield f"{where}.{key}", f"{_shown(handler, key)}, expected a string"
    for key in _FLAGS:
        if not isinstance(handler.get(key, True), bool):
            yield f"{where}.{key}", f"{_shown(handler, key)}, expected true or false"


def _command(where: str, handler: dict[str, Any]) -> Iterator[tuple[str, str]]:
    args = handler.get("args", [])
    if not isinstance(args, list) or not all(isinstance(word, str) for word in args):
        yield f"{where}.args", f"{_shown(handler, 'args')}, expected a list of strings"
    if handler.get("shell", "bash") not in ("bash", "powershell"):
        yield f"{where}.shell", f"{_shown(handler, 'shell')}, expected bash or powershell"


def _http(where: str, handler: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if isinstance(handler.get("url"), str) and ":" not in handler["url"]:
        yield f"{where}.url", f"{_shown(handler, 'url')}, expected a URL"
    headers = handler.get("headers", {})
    if not isinstance(headers, dict) or not all(isinstance(value, str) for value in headers.values()):
        yield f"{where}.headers", f"{_shown(handler, 'headers')}, expected an object of strings"


def _shown(handler: dict[str, Any], key: str) -> str:
    if key not in handler:
        return "nothing"
    value = handler[key]
    return f"{kind(value)} ({value!r})" if isinstance(value, str | int | float) else kind(value)
