"""delegate on the real client: what runs and what does not, and what the model is told."""

from __future__ import annotations

import json
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from cchooks_suite.hooks.delegate import REASONS
from cchooks_suite.scripted_api import agent, bash, call, prompt, tool_results

from .conftest import NO_QUESTIONS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from subprocess import CompletedProcess

    from cchooks_suite.live_client import Sandbox
    from cchooks_suite.scripted_api import ScriptedAPI


@pytest.fixture(autouse=True)
def _installed(cchooks: Callable[..., CompletedProcess[str]]) -> None:
    cchooks("install", "delegate")


@pytest.fixture
def repository(sandbox: Sandbox) -> Path:
    """The project as a git repository with one commit."""
    git = ["git", "-C", str(sandbox.project), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "the first commit"]):
        subprocess.run([*git, *command], check=True, env=sandbox.environment())
    return sandbox.project


def configure(sandbox: Sandbox, text: str) -> None:
    folder = sandbox.home / ".config" / "cchooks"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(text, "utf-8")


def test_a_write_is_denied_on_the_main_thread_and_goes_through_in_a_subagent(sandbox: Sandbox) -> None:
    mine, theirs = sandbox.project / "mine.txt", sandbox.project / "theirs.txt"
    steps = [
        call("Write", "toolu_mine", file_path=str(mine), content="from the main thread\n"),
        agent("toolu_agent", [call("Write", "toolu_theirs", file_path=str(theirs), content="from a subagent\n"), "ok"]),
        "end",
    ]

    run = sandbox.run(steps, NO_QUESTIONS)

    assert not mine.exists()
    assert REASONS["Write"] in run.seen("toolu_mine")
    assert run.results["toolu_mine"]["is_error"] is True
    assert theirs.read_text() == "from a subagent\n"
    assert run.answer["result"] == "end"


def test_a_subagent_may_do_all_the_hands_on_work(sandbox: Sandbox) -> None:
    file = sandbox.project / "a.txt"
    work = [
        bash("toolu_make", "printf 'one\\n' > a.txt"),
        call("Read", "toolu_read", file_path=str(file)),
        call("Edit", "toolu_edit", file_path=str(file), old_string="one", new_string="two"),
        "done",
    ]

    run = sandbox.run([agent("toolu_agent", work), "end"], NO_QUESTIONS)

    assert file.read_text() == "two\n"
    assert "done" in run.seen("toolu_agent")


def test_commands_that_only_look_run_on_the_main_thread(sandbox: Sandbox, repository: Path) -> None:
    (repository / "new.txt").write_text("x\n")

    run = sandbox.run([bash("toolu_look", "git status -s && git log -1 --format=%s"), "end"], NO_QUESTIONS)

    assert run.seen("toolu_look") == "?? new.txt\nthe first commit"


@pytest.mark.parametrize("command", ["git log -1 > log.txt", "ls && touch log.txt", "echo $(touch log.txt)"])
def test_a_look_with_more_in_it_does_not_run_at_all(sandbox: Sandbox, repository: Path, command: str) -> None:
    run = sandbox.run([bash("toolu_more", command), "end"], NO_QUESTIONS)

    assert REASONS["Bash"] in run.seen("toolu_more")
    assert not (repository / "log.txt").exists()


def test_the_same_denial_each_time(sandbox: Sandbox) -> None:
    steps = [bash("toolu_first", "make"), bash("toolu_second", "npm test"), "end"]

    run = sandbox.run(steps, NO_QUESTIONS)

    assert run.seen("toolu_first") == run.seen("toolu_second")


def test_an_edit_and_a_notebook_edit_are_denied(sandbox: Sandbox) -> None:
    text, notebook = sandbox.project / "a.txt", sandbox.project / "a.ipynb"
    cell = {"cell_type": "code", "id": "c1", "metadata": {}, "source": "1", "outputs": [], "execution_count": None}
    content = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    text.write_text("one\n")
    notebook.write_text(content)
    steps = [
        call("Read", "toolu_read", file_path=str(text)),
        call("Edit", "toolu_edit", file_path=str(text), old_string="one", new_string="two"),
        call("Read", "toolu_open", file_path=str(notebook)),
        call("NotebookEdit", "toolu_cell", notebook_path=str(notebook), cell_id="c1", new_source="2"),
        "end",
    ]

    run = sandbox.run(steps, NO_QUESTIONS)

    assert "one" in run.seen("toolu_read")
    assert REASONS["Write"] in run.seen("toolu_edit")
    assert REASONS["NotebookEdit"] in run.seen("toolu_cell")
    assert (text.read_text(), notebook.read_text()) == ("one\n", content)


def test_plans_and_memory_stay_open(sandbox: Sandbox) -> None:
    plan = sandbox.config / "plans" / "a-plan.md"
    memory = sandbox.config / "projects" / "-some-project" / "memory" / "MEMORY.md"
    steps = [
        call("Write", "toolu_plan", file_path=str(plan), content="the plan\n"),
        call("Write", "toolu_memory", file_path=str(memory), content="what was learnt\n"),
        call("Write", "toolu_settings", file_path=str(plan.parent / ".." / "extra.json"), content="{}\n"),
        "end",
    ]

    run = sandbox.run(steps, NO_QUESTIONS)

    assert (plan.read_text(), memory.read_text()) == ("the plan\n", "what was learnt\n")
    assert REASONS["Write"] in run.seen("toolu_settings")


def test_warn_tells_the_model_and_lets_the_call_through(sandbox: Sandbox) -> None:
    configure(sandbox, '[delegate]\nmode = "warn"\n')

    run = sandbox.run([bash("toolu_make", "touch made.txt && echo made"), "end"], NO_QUESTIONS)

    assert (sandbox.project / "made.txt").exists()
    assert run.seen("toolu_make").startswith("made")
    assert json.dumps(REASONS["Bash"])[1:-1] in json.dumps(run.requests[-1].body)


def test_off_for_one_session(sandbox: Sandbox) -> None:
    sandbox.extra["CCHOOKS_DELEGATE"] = "off"

    sandbox.run([bash("toolu_make", "touch made.txt"), "end"], NO_QUESTIONS)

    assert (sandbox.project / "made.txt").exists()


def test_no_denial_grants_a_permission(sandbox: Sandbox) -> None:
    """What delegate lets through is still judged by the client: nobody is there to be asked."""
    run = sandbox.run([agent("toolu_agent", [bash("toolu_make", "touch made.txt"), "ok"]), "end"])

    assert not (sandbox.project / "made.txt").exists()
    assert REASONS["Bash"] not in json.dumps([request.body for request in run.requests])


def test_a_background_session_may_work(sandbox: Sandbox, api: ScriptedAPI) -> None:
    script = prompt([bash("toolu_work", "echo worked > made.txt"), "end"])
    try:
        sandbox.execute(["--bg", script, "--permission-mode", "dontAsk", "--allowedTools", "Bash"])
        wait_for_result(api, "toolu_work")
    finally:
        sandbox.execute(["daemon", "stop", "--any"])

    assert (sandbox.project / "made.txt").read_text() == "worked\n"


def test_a_background_session_is_restricted_where_the_config_says_so(sandbox: Sandbox, api: ScriptedAPI) -> None:
    configure(sandbox, "[delegate]\nbackground = true\n")
    script = prompt([bash("toolu_work", "echo worked > made.txt"), "end"])
    try:
        sandbox.execute(["--bg", script, "--permission-mode", "dontAsk", "--allowedTools", "Bash"])
        wait_for_result(api, "toolu_work")
    finally:
        sandbox.execute(["daemon", "stop", "--any"])

    assert not (sandbox.project / "made.txt").exists()


def wait_for_result(api: ScriptedAPI, call_id: str) -> None:
    """Wait until a request brings the result of a call; a minute without it fails the test."""
    deadline = time.monotonic() + 60
    while call_id not in tool_results(api.requests):
        assert time.monotonic() < deadline, f"no request brought the result of {call_id}"
        time.sleep(0.05)
