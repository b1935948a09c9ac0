"""childenv on the real client: what a script that the session runs starts, and what the session itself keeps."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest
from cchooks_suite.scripted_api import agent, bash, prompt, tool_results

from .conftest import NO_QUESTIONS, write_settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from subprocess import CompletedProcess

    from cchooks_suite.live_client import Run, Sandbox

SHOW = 'echo "advisor switch: $CLAUDE_CODE_DISABLE_ADVISOR_TOOL, window: $CLAUDE_CODE_AUTO_COMPACT_WINDOW"'
BOTH_SET = "advisor switch: 1, window: 200000"
# The environment of the client itself, as far as it says something of the advisor or the window.
OWN = "tr '\\0' '\\n' < /proc/$PPID/environ | grep -e ADVISOR_TOOL -e COMPACT_WINDOW"


@pytest.fixture
def script(sandbox: Sandbox, client: Path, tmp_path: Path, cchooks: Callable[..., CompletedProcess[str]]) -> str:
    """The command that runs a script file, which starts a client in print mode; there is an advisor."""
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "claude").symlink_to(client)
    sandbox.extra["PATH"] = f"{commands}:{sandbox.environment()['PATH']}"
    write_settings(sandbox, {"advisorModel": "claude-opus-5"})
    cchooks("install", "childenv")
    inner = prompt([bash("toolu_inner", SHOW), "done"])
    (sandbox.project / "run.sh").write_text(f"exec claude -p {shlex.quote(inner)} {NO_QUESTIONS}\n", "utf-8")
    return "sh run.sh < /dev/null"


def advised(run: Run, tool_use_id: str) -> set[bool]:
    """Whether the requests that hold this tool call's result offered the advisor."""
    return {
        "advisor" in [tool.get("name") for tool in request.body["tools"]]
        for request in run.requests
        if tool_use_id in tool_results([request])
    }


def test_what_a_script_starts_has_both_and_the_session_neither(sandbox: Sandbox, script: str) -> None:
    sandbox.extra["CLAUDE_CODE_ENABLE_EXPERIMENTAL_ADVISOR_TOOL"] = "1"
    run = sandbox.run([bash("toolu_own", OWN), bash("toolu_script", script), "end"], NO_QUESTIONS)

    assert run.seen("toolu_inner") == BOTH_SET
    assert advised(run, "toolu_inner") == {False}
    assert run.seen("toolu_own") == "CLAUDE_CODE_ENABLE_EXPERIMENTAL_ADVISOR_TOOL=1"
    assert advised(run, "toolu_script") == {True}


def test_a_subagents_commands_have_both(sandbox: Sandbox, script: str) -> None:
    run = sandbox.run([agent("toolu_agent", [bash("toolu_shown", SHOW), "heard"]), "end"], NO_QUESTIONS)

    assert run.seen("toolu_shown") == BOTH_SET


def test_a_resumed_session_has_both_once(sandbox: Sandbox, script: str) -> None:
    first = sandbox.run([bash("toolu_first", SHOW), "end"], NO_QUESTIONS)
    again = sandbox.run([bash("toolu_again", SHOW), "end"], NO_QUESTIONS, "--resume", first.answer["session_id"])

    assert again.seen("toolu_again") == BOTH_SET
    files = list(sandbox.config.glob("session-env/*/*"))
    assert files
    assert all(file.read_text("utf-8").count("export CLAUDE_CODE_AUTO_COMPACT_WINDOW=") == 1 for file in files)


def test_install_without_names_leaves_it_off(sandbox: Sandbox, cchooks: Callable[..., CompletedProcess[str]]) -> None:
    cchooks("install")

    assert "cchooks-launch" in sandbox.settings.read_text("utf-8")
    assert "cchooks-childenv" not in sandbox.settings.read_text("utf-8")
