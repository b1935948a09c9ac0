"""The client's rules for `hooks`, as they were measured on Claude Code 2.1.332: which value it accepts."""

from __future__ import annotations

from typing import Any

import pytest
from cchooks_suite import validity

COMMAND = {"type": "command", "command": "true"}
HTTP = {"type": "http", "url": "http://127.0.0.1:9/x"}
PROMPT = {"type": "prompt", "prompt": "x"}


def group(**fields: Any) -> dict[str, Any]:
    return {"hooks": [COMMAND], **fields}


def handler(*parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"hooks": [{key: value for part in (*parts, fields) for key, value in part.items()}]}


ACCEPTED = {
    "matcher": group(matcher="Bash"),
    "matcher that is no regular expression": group(matcher="("),
    "an unknown member of a group": group(later=1),
    "no handlers": {"hooks": []},
    "timeout with a fraction": handler(COMMAND, timeout=1.5),
    "an empty command": handler(COMMAND, command=""),
    "an unknown member of a handler": handler(COMMAND, later=1),
    "http": handler(HTTP),
    "http with another scheme": handler(HTTP, url="a:b"),
    "prompt": handler(PROMPT),
    "agent": handler(PROMPT, type="agent"),
    "mcp_tool": handler(type="mcp_tool", server="a", tool="b"),
    "args of a handler that takes none": handler(HTTP, args="x"),
    "shell of a handler that takes none": handler(HTTP, {"shell": "fish"}),
}
REFUSED = {
    "matcher null": group(matcher=None),
    "matcher list": group(matcher=["Bash"]),
    "matcher number": group(matcher=3),
    "timeout 0": handler(COMMAND, timeout=0),
    "timeout negative": handler(COMMAND, timeout=-1),
    "timeout null": handler(COMMAND, timeout=None),
    "timeout text": handler(COMMAND, timeout="5"),
    "timeout true": handler(COMMAND, timeout=True),
    "timeout without end": handler(COMMAND, timeout=float("inf")),
    "no hooks": {"matcher": "Bash"},
    "hooks null": {"hooks": None},
    "hooks object": {"hooks": {}},
    "group null": None,
    "group text": "x",
    "group list": [group()],
    "handler directly": COMMAND,
    "handler null": {"hooks": [None]},
    "handler text": {"hooks": ["true"]},
    "no type": handler(command="true"),
    "type unknown": handler(COMMAND, type="later"),
    "type number": handler(COMMAND, type=3),
    "http without url": handler(type="http"),
    "http with no URL": handler(HTTP, url="nope"),
    "http with a header number": handler(HTTP, headers={"a": 3}),
    "http with a header list": handler(HTTP, headers=[]),
    "prompt without prompt": handler(type="prompt"),
    "prompt with a model number": handler(PROMPT, model=3),
    "mcp_tool without server": handler(type="mcp_tool"),
    "no command": handler(type="command"),
    "command number": handler(COMMAND, command=3),
    "args text": handler(COMMAND, args="x"),
    "args number": handler(COMMAND, args=[1]),
    "args null": handler(COMMAND, args=None),
    "if number": handler(COMMAND, {"if": 3}),
    "if number of http": handler(HTTP, {"if": 3}),
    "async text": handler(COMMAND, {"async": "y"}),
    "asyncRewake text": handler(COMMAND, asyncRewake="y"),
    "once text": handler(COMMAND, once="y"),
    "shell unknown": handler(COMMAND, {"shell": "fish"}),
    "shell null": handler(COMMAND, shell=None),
    "statusMessage number": handler(COMMAND, statusMessage=1),
}


def problems(event: str, groups: Any) -> list[validity.Problem]:
    return validity.problems({"hooks": {event: groups}})


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(name: str) -> None:
    assert problems("PreToolUse", [group(), ACCEPTED[name]]) == []


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    found, *_ = problems("PreToolUse", [group(), REFUSED[name]])
    assert found.where.startswith("hooks.PreToolUse[1]")
    assert ", expected " in found.what
    assert found.whole


@pytest.mark.parametrize("value", [{}, "x", False, 0])
def test_an_event_that_is_no_list(value: Any) -> None:
    assert [found.where for found in problems("Stop", value)] == ["hooks.Stop"]


@pytest.mark.parametrize(("event", "value"), [("Stop", None), ("Later", {}), ("Later", None), ("Stop", [])])
def test_an_event_that_loses_only_itself(event: str, value: Any) -> None:
    assert problems(event, value) == []


@pytest.mark.parametrize(
    ("event", "whole"), [("PreToolUse", True), ("PermissionRequest", True), ("PostToolUse", False)]
)
def test_where_the_whole_file_is_lost(event: str, whole: bool) -> None:
    """The events that can refuse a tool call: there the client would rather run nothing than run without them."""
    assert [found.whole for found in problems(event, {})] == [whole]


@pytest.mark.parametrize("hooks", [[], "x", 3, False])
def test_hooks_that_are_no_object(hooks: Any) -> None:
    assert [found.where for found in validity.problems({"hooks": hooks})] == ["hooks"]


OTHER_SETTINGS: dict[str, tuple[list[Any], list[Any]]] = {
    "model": (["x"], [None, 3]),
    "env": ([{}, {"A": 1}, {"A": None}], [None, []]),
    "permissions": ([{}, {"later": 1}], [None, []]),
    "statusLine": ([{"type": "command", "command": "x"}], [None, "x"]),
    "cleanupPeriodDays": ([30], ["x"]),
    "enabledPlugins": ([{}], [None, []]),
    "disableAllHooks": ([True, False], [None, "no", 1]),
    "outputStyle": (["x"], [3]),
    "language": (["x"], [3]),
    "$schema": (["x"], [3]),
    "theme": (["x", 3], []),
    "later": ([None, [1]], []),
}


@pytest.mark.parametrize("key", OTHER_SETTINGS)
def test_other_settings(key: str) -> None:
    accepted, refused = OTHER_SETTINGS[key]
    assert [value for value in accepted if validity.elsewhere({key: value})] == []
    assert [value for value in refused if not validity.elsewhere({key: value})] == []


@pytest.mark.parametrize("root", [{"model": "x"}, {"hooks": None}, {"hooks": {}}])
def test_no_hooks_at_all(root: dict[str, Any]) -> None:
    assert validity.problems(root) == []
