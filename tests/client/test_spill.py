"""spill on the real client: what reaches the model, and what it can do with the pointer."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cchooks_suite.scripted_api import agent, bash, call, text_of

from .conftest import HERE, NO_QUESTIONS, hook, write_settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import CompletedProcess

    from cchooks_suite.live_client import Sandbox

    from ..conftest import Suite

NUMBERS = "".join(f"{n}\n" for n in range(1, 3001)).rstrip("\n")
ONLY_SEQ = ("--allowedTools", "Bash(seq:*)")  # the default permission mode: nothing else may run without a question


@pytest.fixture(autouse=True)
def _installed(cchooks: Callable[..., CompletedProcess[str]]) -> None:
    cchooks("install", "spill")


@pytest.fixture
def mcp(tmp_path: Path) -> tuple[str, ...]:
    """The client's options for a session with the MCP server of the tests."""
    servers = {"answers": {"command": sys.executable, "args": [str(HERE / "mcp_server.py")]}}
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": servers}), "utf-8")
    return ("--mcp-config", str(file))


def saved(sandbox: Sandbox) -> list[Path]:
    """The files in the sessions' tool-results folders."""
    return sorted(sandbox.config.glob("projects/*/*/tool-results/*"))


def lines_read(shown: str) -> list[str]:
    """The lines of a Read's result, without their numbers."""
    return [line.split("\t", 1)[1] for line in shown.splitlines() if "\t" in line]


def test_a_large_output_becomes_a_pointer(sandbox: Sandbox) -> None:
    run = sandbox.run([bash("toolu_many", "seq 1 3000"), "end"], NO_QUESTIONS)

    [file] = saved(sandbox)
    shown = run.seen("toolu_many")
    assert len(NUMBERS) == 13_892
    assert len(shown) < 1500
    assert str(file) in shown
    assert file.read_text() == NUMBERS


def test_a_small_output_reaches_the_model_as_it_is(sandbox: Sandbox) -> None:
    run = sandbox.run([bash("toolu_few", "seq 1 100"), "end"], NO_QUESTIONS)

    assert run.seen("toolu_few") == "\n".join(str(n) for n in range(1, 101))
    assert saved(sandbox) == []


def read_back() -> list[Any]:
    return [
        bash("toolu_many", "seq 1 3000"),
        call("Read", "toolu_whole", file_path="{LAST_PATH}"),
        bash("toolu_again", "seq 1 3000"),
        bash("toolu_head", "head -n 5 {LAST_PATH}"),
        "end",
    ]


@pytest.mark.parametrize("session", ["main thread", "subagent"])
def test_the_model_reads_the_file_back_without_a_question(sandbox: Sandbox, session: str) -> None:
    steps = read_back() if session == "main thread" else [agent("toolu_agent", read_back()), "end"]

    run = sandbox.run(steps, *ONLY_SEQ)

    assert run.answer["permission_denials"] == []
    assert len(run.seen("toolu_many")) < 1500
    assert lines_read(run.seen("toolu_whole")) == [*NUMBERS.split("\n")]
    assert run.seen("toolu_head") == "1\n2\n3\n4\n5"


def test_what_is_read_back_is_not_spilled_again(sandbox: Sandbox) -> None:
    """28,393 characters: over the threshold of commands and of Read, under what the client saves itself."""
    numbers = [str(n) for n in range(1, 5901)]
    steps = [
        bash("toolu_many", "seq 1 5900"),
        call("Read", "toolu_whole", file_path="{LAST_PATH}"),
        bash("toolu_again", "seq 1 5900"),
        bash("toolu_cat", "cat {LAST_PATH}"),
        "end",
    ]

    run = sandbox.run(steps, *ONLY_SEQ)

    assert run.answer["permission_denials"] == []
    assert len(run.seen("toolu_many")) < 1500
    assert lines_read(run.seen("toolu_whole")) == numbers
    assert run.seen("toolu_cat").split() == numbers


def test_a_question_is_asked_about_files_elsewhere(sandbox: Sandbox, tmp_path: Path) -> None:
    """The test above shows something: the same Read is refused for a file outside the session's own folder."""
    (tmp_path / "elsewhere.txt").write_text("secret\n")

    run = sandbox.run([call("Read", "toolu_read", file_path=str(tmp_path / "elsewhere.txt")), "end"], *ONLY_SEQ)

    assert [denial["tool_use_id"] for denial in run.answer["permission_denials"]] == ["toolu_read"]


def test_a_session_that_keeps_no_transcript_has_the_file_all_the_same(sandbox: Sandbox) -> None:
    run = sandbox.run(read_back(), *ONLY_SEQ, "--no-session-persistence")

    assert run.answer["permission_denials"] == []
    assert lines_read(run.seen("toolu_whole")) == [*NUMBERS.split("\n")]


def test_what_the_client_saves_itself_is_not_stored_twice(sandbox: Sandbox) -> None:
    run = sandbox.run([bash("toolu_huge", "seq 1 20000"), "end"], NO_QUESTIONS)

    [file] = saved(sandbox)
    shown = run.seen("toolu_huge")
    assert file.stat().st_size > 100_000
    assert "cchooks" not in file.name
    assert "[cchooks]" not in shown
    assert str(file) in shown
    assert len(shown) < 3000


def test_a_failing_command_reaches_the_model_as_the_client_gives_it(sandbox: Sandbox) -> None:
    run = sandbox.run([bash("toolu_fails", "seq 1 3000; exit 3"), "end"], NO_QUESTIONS)

    assert run.seen("toolu_fails").startswith("Exit code 3\n1\n2\n")
    assert saved(sandbox) == []


def test_a_long_file_is_pointed_to_where_it_is_and_its_parts_can_be_read(sandbox: Sandbox) -> None:
    file = sandbox.project / "report.txt"
    file.write_text("".join(f"line {n} of a long report\n" for n in range(1, 1201)))

    run = sandbox.run(
        [
            call("Read", "toolu_whole", file_path=str(file)),
            call("Read", "toolu_part", file_path=str(file), offset=100, limit=1000),
            agent("toolu_agent", [call("Read", "toolu_inner", file_path=str(file)), "read"]),
            "end",
        ]
    )

    assert len(run.seen("toolu_whole")) < 1500
    assert str(file) in run.seen("toolu_whole")
    assert lines_read(run.seen("toolu_part"))[0] == "line 100 of a long report"
    assert len(run.seen("toolu_part")) > 20_000
    assert len(run.seen("toolu_inner")) > 30_000
    assert saved(sandbox) == []


def test_an_mcp_image_survives_beside_a_long_text(sandbox: Sandbox, mcp: tuple[str, ...]) -> None:
    run = sandbox.run([call("mcp__answers__picture", "toolu_picture", characters=9000), "end"], NO_QUESTIONS, *mcp)

    content = run.results["toolu_picture"]["content"]
    [image] = [block for block in content if block["type"] == "image"]
    assert len(image["source"]["data"]) > 9000
    assert "[cchooks] 9,000 characters" in text_of(content)
    assert len(text_of(content)) < 2000


@pytest.mark.parametrize("tool", ["structured", "only_structured"])
def test_structured_mcp_content_becomes_a_pointer(sandbox: Sandbox, mcp: tuple[str, ...], tool: str) -> None:
    run = sandbox.run([call(f"mcp__answers__{tool}", "toolu_rows", characters=9000), "end"], NO_QUESTIONS, *mcp)

    [file] = saved(sandbox)
    assert len(run.seen("toolu_rows")) < 1500
    assert str(file) in run.seen("toolu_rows")
    assert len(json.loads(file.read_text())["body"]) == 9000


def test_a_failing_mcp_tool_reaches_the_model_as_the_client_gives_it(sandbox: Sandbox, mcp: tuple[str, ...]) -> None:
    run = sandbox.run([call("mcp__answers__failing", "toolu_fails", characters=9000), "end"], NO_QUESTIONS, *mcp)

    assert len(run.seen("toolu_fails")) >= 9000


def test_uninstall_brings_the_old_behaviour_back(
    sandbox: Sandbox, cchooks: Callable[..., CompletedProcess[str]]
) -> None:
    cchooks("uninstall")

    run = sandbox.run([bash("toolu_many", "seq 1 3000"), "end"], NO_QUESTIONS)

    assert run.seen("toolu_many") == NUMBERS


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
def test_a_hook_removed_while_a_session_runs_blocks_nothing(
    sandbox: Sandbox, suite: Suite, tmp_path: Path, event: str
) -> None:
    executable = tmp_path / "cchooks-spill"
    shutil.copy2(suite.bin("cchooks-spill"), executable)
    write_settings(sandbox, {"hooks": {event: [{"matcher": "Bash", "hooks": [hook(executable)]}]}})
    steps = [
        bash("toolu_before", "seq 1 3000"),
        bash("toolu_remove", f"rm {executable}"),
        bash("toolu_after", "seq 1 3000"),
        "end",
    ]

    run = sandbox.run(steps, NO_QUESTIONS)

    assert ("[cchooks]" in run.seen("toolu_before")) == (event == "PostToolUse")
    assert not executable.exists()
    assert run.seen("toolu_after") == NUMBERS
    assert run.answer["result"] == "end"


def test_a_package_removed_while_a_session_runs_blocks_nothing(sandbox: Sandbox, suite: Suite, tmp_path: Path) -> None:
    """The executable is there and its interpreter is not, as after an upgrade of Python."""
    executable = tmp_path / "cchooks-spill"
    body = suite.bin("cchooks-spill").read_text().split("\n", 1)[1]
    executable.write_text(f"#!{tmp_path}/no/such/python\n{body}")
    executable.chmod(0o755)
    groups = [{"matcher": "Bash", "hooks": [hook(executable)]}]
    write_settings(sandbox, {"hooks": {"PreToolUse": groups, "PostToolUse": groups}})

    run = sandbox.run([bash("toolu_many", "seq 1 3000"), "end"], NO_QUESTIONS)

    assert run.seen("toolu_many") == NUMBERS
