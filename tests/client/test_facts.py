"""What doctor knows of the client, held against the client itself: matchers, switches, who wins."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from cchooks_suite import matchers
from cchooks_suite.scripted_api import bash, call

from ..test_doctor import BROKEN, FIRES, MANAGED, SWITCHES
from .conftest import HERE, NO_QUESTIONS, hook, write_settings

if TYPE_CHECKING:
    from pathlib import Path

    from cchooks_suite.live_client import Sandbox

MATCHERS = list(dict.fromkeys(matcher for matcher, _, _ in FIRES))
REPLACE = """
import json, sys, time
payload = json.load(sys.stdin)
time.sleep(float(sys.argv[2]))
output = {**payload["tool_response"], "stdout": sys.argv[1]}
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": output}}))
"""


def replacing(name: str, seconds: float = 0.0) -> dict[str, Any]:
    """A handler that puts its name in place of the output after some time."""
    return hook(sys.executable) | {"args": ["-c", REPLACE, name, str(seconds)]}


def runs_here(sandbox: Sandbox, *arguments: str, env: dict[str, str] | None = None) -> bool:
    """Whether the hook in the user's settings replaces what a command printed."""
    run = sandbox.run([bash("toolu_say", "echo plain"), "end"], NO_QUESTIONS, *arguments, env=env)
    assert run.seen("toolu_say") in ("plain", "HOOK")
    return run.seen("toolu_say") == "HOOK"


@pytest.fixture
def replaced(sandbox: Sandbox) -> Sandbox:
    write_settings(sandbox, {"hooks": {"PostToolUse": [{"hooks": [replacing("HOOK")]}]}})
    return sandbox


def test_matchers_fire_for_the_tools_that_doctor_says(sandbox: Sandbox, tmp_path: Path) -> None:
    groups = []
    for number, matcher in enumerate(MATCHERS):
        group = {"hooks": [hook("/usr/bin/touch") | {"args": [f"{tmp_path}/fired-{number}"]}]}
        groups.append(group if matcher is None else {"matcher": matcher, **group})
    (sandbox.project / "file.txt").write_text("text\n")
    servers = {"answers": {"command": sys.executable, "args": [str(HERE / "mcp_server.py")]}}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    write_settings(sandbox, {"hooks": {"PreToolUse": groups}})
    calls = {
        "Bash": bash("toolu_bash", "true"),
        "Read": call("Read", "toolu_read", file_path=str(sandbox.project / "file.txt")),
        "mcp__answers__text": call("mcp__answers__text", "toolu_mcp", characters=10),
    }

    for tool, step in calls.items():
        run = sandbox.run([step, "end"], NO_QUESTIONS, "--mcp-config", str(tmp_path / "mcp.json"))
        assert step["id"] in run.results
        fired = {MATCHERS[int(file.name.partition("-")[2])] for file in tmp_path.glob("fired-*")}
        assert fired == {matcher for matcher in MATCHERS if matchers.fires(matcher, tool)}, tool
        for file in tmp_path.glob("fired-*"):
            file.unlink()


@pytest.mark.parametrize(("slow", "quick"), [("first", "second"), ("second", "first")])
def test_of_two_replacements_the_one_that_ends_last_wins(sandbox: Sandbox, slow: str, quick: str) -> None:
    seconds = {slow: 1.0, quick: 0.0}
    handlers = [replacing(name, seconds[name]) for name in ("first", "second")]
    write_settings(sandbox, {"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": handlers}]}})

    run = sandbox.run([bash("toolu_say", "echo plain"), "end"], NO_QUESTIONS)

    assert run.seen("toolu_say") == slow


@pytest.mark.parametrize(("value", "check"), MANAGED.values(), ids=MANAGED)
def test_what_an_administrator_rules(replaced: Sandbox, value: Any, check: str | None) -> None:
    assert runs_here(replaced, "--managed-settings", json.dumps(value)) == (check is None)


@pytest.mark.parametrize(("user", "project", "local", "expected"), SWITCHES)
def test_which_switch_counts(
    replaced: Sandbox, user: bool | None, project: bool | None, local: bool | None, expected: int
) -> None:
    settings = json.loads(replaced.settings.read_text())
    (replaced.project / ".claude").mkdir()
    places = {
        replaced.settings: (settings, user),
        replaced.project / ".claude" / "settings.json": ({}, project),
        replaced.project / ".claude" / "settings.local.json": ({}, local),
    }
    for file, (content, value) in places.items():
        file.write_text(json.dumps(content if value is None else {**content, "disableAllHooks": value}))

    assert runs_here(replaced) == (expected != BROKEN)


@pytest.mark.parametrize(("file", "read"), [("settings.json", False), ("settings.local.json", True)])
def test_which_of_a_projects_files_a_session_below_its_root_reads(sandbox: Sandbox, file: str, read: bool) -> None:
    subprocess.run(["git", "init", "-q", str(sandbox.project)], check=True)
    for folder in (".claude", "sub"):
        (sandbox.project / folder).mkdir()
    content = {"hooks": {"PostToolUse": [{"hooks": [replacing("HOOK")]}]}}
    (sandbox.project / ".claude" / file).write_text(json.dumps(content))

    run = sandbox.run([bash("toolu_say", "echo plain"), "end"], NO_QUESTIONS, cwd=sandbox.project / "sub")

    assert run.seen("toolu_say") == ("HOOK" if read else "plain")


@pytest.mark.parametrize("name", ["CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE"])
def test_safe_mode(replaced: Sandbox, name: str) -> None:
    assert runs_here(replaced, env={name: "0"})
    assert not runs_here(replaced, env={name: "1"})
    write_settings(replaced, {**json.loads(replaced.settings.read_text()), "env": {name: "1"}})
    assert not runs_here(replaced)


@pytest.mark.parametrize("value", ["true", 1, None])
def test_a_switch_of_the_wrong_type_costs_the_file(replaced: Sandbox, value: Any) -> None:
    write_settings(replaced, {**json.loads(replaced.settings.read_text()), "disableAllHooks": value})

    assert not runs_here(replaced)
