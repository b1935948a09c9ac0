"""launch on the real client: what a background session started from the Bash tool really gets.

A supervisor that was started without the two variables runs all the while, so that what stands in front of a command
does not reach the session (as the first test shows).
"""

from __future__ import annotations

import json
import shlex
import time
from typing import TYPE_CHECKING

import pytest
from cchooks_suite.scripted_api import bash, prompt, text_of, tool_results

from .conftest import NO_QUESTIONS, write_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from subprocess import CompletedProcess

    from cchooks_suite.live_client import Run, Sandbox
    from cchooks_suite.scripted_api import ScriptedAPI

PREFIX = "CLAUDE_CODE_DISABLE_ADVISOR_TOOL=1 CLAUDE_CODE_AUTO_COMPACT_WINDOW=200000"
SHOW = 'echo "advisor switch: $CLAUDE_CODE_DISABLE_ADVISOR_TOOL, window: $CLAUDE_CODE_AUTO_COMPACT_WINDOW"'
NOTHING_SET = "advisor switch: , window:"
BOTH_SET = "advisor switch: 1, window: 200000"
ALLOWED = "--permission-mode dontAsk --allowedTools Bash"
TASK = shlex.quote(prompt([bash("toolu_task", SHOW), "done"]))


@pytest.fixture
def supervised(sandbox: Sandbox, client: Path, tmp_path: Path) -> Iterator[Sandbox]:
    """A sandbox with `claude` on PATH, an advisor, and a supervisor that was started without the two variables."""
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "claude").symlink_to(client)
    sandbox.extra["PATH"] = f"{commands}:{sandbox.environment()['PATH']}"
    sandbox.extra["CLAUDE_CODE_ENABLE_EXPERIMENTAL_ADVISOR_TOOL"] = "1"
    write_settings(sandbox, {"advisorModel": "claude-opus-5"})
    try:
        started = sandbox.execute(["--bg", prompt(["idle"])])
        assert started.status == 0, started.stdout + started.stderr
        yield sandbox
    finally:
        sandbox.execute(["daemon", "stop", "--any"])


class Session:
    """What a background session did: the result of its task's command, and whether its requests offered the advisor."""

    def __init__(self, api: ScriptedAPI) -> None:
        requests = api.requests
        self.shown = text_of(tool_results(requests)["toolu_task"].get("content"))
        [self.advised] = {
            "advisor" in [tool.get("name") for tool in request.body["tools"]]
            for request in requests
            if "toolu_task" in tool_results([request])
        }


def session(api: ScriptedAPI, seconds: float = 60) -> Session:
    """The background session, once its task has run; other requests of the API are of no interest here."""
    deadline = time.monotonic() + seconds
    while "toolu_task" not in tool_results(api.requests):
        assert time.monotonic() < deadline, "the background session never ran its task"
        time.sleep(0.05)
    return Session(api)


def started_from_bash(sandbox: Sandbox, command: str) -> Run:
    return sandbox.run([bash("toolu_start", command), "end"], NO_QUESTIONS)


def test_without_the_hook_a_prefix_does_not_reach_the_session(supervised: Sandbox, api: ScriptedAPI) -> None:
    started_from_bash(supervised, f"{PREFIX} claude --bg {TASK} {ALLOWED}")

    task = session(api)
    assert task.shown == NOTHING_SET
    assert task.advised


def test_the_corrected_command_starts_a_session_with_both(
    supervised: Sandbox, api: ScriptedAPI, cchooks: Callable[..., CompletedProcess[str]]
) -> None:
    cchooks("install", "launch")

    denied = started_from_bash(supervised, f"claude --bg {TASK} {ALLOWED}").seen("toolu_start")
    assert denied.startswith("PreToolUse:Bash hook error:")
    assert "toolu_task" not in tool_results(api.requests)

    corrected = denied.partition("The corrected command:\n")[2]
    assert "backgrounded" in started_from_bash(supervised, corrected).seen("toolu_start")
    task = session(api)
    assert task.shown == BOTH_SET
    assert not task.advised


def test_a_prefix_is_fixed_to_the_same_effect(
    supervised: Sandbox, api: ScriptedAPI, cchooks: Callable[..., CompletedProcess[str]]
) -> None:
    cchooks("install", "launch")

    run = started_from_bash(supervised, f"{PREFIX} claude --bg {TASK} {ALLOWED}")
    assert "backgrounded" in run.seen("toolu_start")
    assert "The command was changed before it ran" in json.dumps([request.body for request in run.requests])
    task = session(api)
    assert task.shown == BOTH_SET
    assert not task.advised


def test_in_the_text_of_another_shell_too(
    supervised: Sandbox, api: ScriptedAPI, cchooks: Callable[..., CompletedProcess[str]]
) -> None:
    cchooks("install", "launch")

    run = started_from_bash(supervised, f"export {PREFIX}; bash -c {shlex.quote(f'claude --bg {TASK} {ALLOWED}')}")
    assert "backgrounded" in run.seen("toolu_start")
    task = session(api)
    assert task.shown == BOTH_SET
    assert not task.advised


def test_the_new_command_is_judged_by_the_permission_rules(
    supervised: Sandbox, cchooks: Callable[..., CompletedProcess[str]]
) -> None:
    cchooks("install", "launch")

    run = supervised.run([bash("toolu_start", f"{PREFIX} claude --bg {TASK}"), "end"], "--allowedTools", "Bash(echo:*)")
    assert "backgrounded" not in run.seen("toolu_start")
    assert run.answer["permission_denials"]


def test_a_shell_job_and_other_commands_pass(
    supervised: Sandbox, cchooks: Callable[..., CompletedProcess[str]]
) -> None:
    cchooks("install", "launch")

    run = supervised.run(
        [bash("toolu_start", "claude --bg --exec 'echo hi'"), bash("toolu_echo", "echo 'claude --bg x'"), "end"],
        NO_QUESTIONS,
    )
    assert "backgrounded" in run.seen("toolu_start")
    assert run.seen("toolu_echo") == "claude --bg x"
