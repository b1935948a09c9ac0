"""audit and stats on sessions of the real client, held against what the API was really asked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from cchooks_suite.scripted_api import agent, bash

from .conftest import NO_QUESTIONS

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from cchooks_suite.live_client import Sandbox

    Cchooks = Callable[..., subprocess.CompletedProcess[str]]

WINDOW = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"}


def segment(kind: str, context: int, output: int, **more: Any) -> dict[str, Any]:
    counts = {"input_tokens": 2, "cache_read_input_tokens": context - 2, "cache_creation_input_tokens": 0}
    return {"type": kind, **counts, "output_tokens": output, **more}


def usage(*segments: dict[str, Any]) -> dict[str, Any]:
    """What the API would report: the top level sums the main model's segments."""
    main = [part for part in segments if part["type"] == "message"]
    keys = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
    return {**{key: sum(part[key] for part in main) for key in keys}, "iterations": list(segments)}


@pytest.fixture
def report(cchooks: Cchooks) -> Callable[..., dict[str, Any]]:
    """`cchooks COMMAND ... --json` in the sandbox."""

    def call(*arguments: str) -> dict[str, Any]:
        return json.loads(cchooks(*arguments, "--json").stdout)  # type: ignore[no-any-return]

    return call


def test_every_request_of_a_session_and_its_agent_counts_once(
    sandbox: Sandbox, report: Callable[..., dict[str, Any]]
) -> None:
    steps = [
        ["looking", bash("toolu_a", "echo a"), bash("toolu_b", "echo b")],
        agent("toolu_c", [bash("toolu_d", "echo d"), "the agent is done"]),
        "done",
    ]
    run = sandbox.run(steps, NO_QUESTIONS)
    turns = [request for request in run.requests if request.is_turn]
    found = report("audit", "--by", "kind")
    assert found["totals"]["requests"] == len(turns) == 5
    assert {group["kind"]: group["requests"] for group in found["groups"]} == {"headless": 3, "subagent": 2}
    assert {row["verdict"] for row in found["cost_state"]} == {"equal"}
    assert found["reading"]["unknown_types"] == {}


def test_an_advisor_request_a_compaction_and_a_fork(sandbox: Sandbox, report: Callable[..., dict[str, Any]]) -> None:
    advisor = segment("advisor_message", 124_900, 700, model="claude-fable-5-1")
    advised = usage(segment("message", 124_519, 10), advisor, segment("message", 127_361, 20))
    large = usage(segment("message", 81_003, 25))
    steps = [{"usage": advised, "step": bash("toolu_a", "echo a")}, {"usage": large, "step": "ok"}]
    session = sandbox.run(steps, NO_QUESTIONS, env=WINDOW).answer["session_id"]
    again = ["-p", "next", "--resume", session, NO_QUESTIONS, "--output-format", "json"]
    assert sandbox.execute(again, env=WINDOW).status == 0
    before = report("audit")
    assert sandbox.execute([*again, "--fork-session"]).status == 0
    after = report("audit")
    assert before["totals"]["peak_real_context"] == 127_361
    assert before["totals"]["peak_top_level"] == 251_880
    assert before["totals"]["advisor"] == {"requests": 1, "calls": 1}
    [compaction] = before["compactions"]["list"]
    assert (compaction["class"], compaction["real_context"], compaction["ratio"]) == ("genuine", 81_003, 1.0)
    assert after["totals"]["requests"] == before["totals"]["requests"] + 1
    assert after["totals"]["left_out"]["copies"] >= 1
    assert len(after["compactions"]["list"]) == 1


def test_what_the_hooks_did_stands_in_the_transcript(
    sandbox: Sandbox, cchooks: Cchooks, report: Callable[..., dict[str, Any]]
) -> None:
    cchooks("install", "spill", "delegate", "--yes")
    run = sandbox.run(
        [agent("toolu_a", [bash("toolu_b", "seq 1 3000"), "x"]), bash("toolu_c", "make"), "x"], NO_QUESTIONS
    )
    pointer = run.seen("toolu_b")
    found = report("audit")
    assert [(row["hook"], row["count"]) for row in found["hooks"]["denials"]] == [("delegate", 1)]
    assert found["hooks"]["spills"]["reached_the_model"] == 1
    [row] = report("stats", "--verify")["sessions"]
    assert (row["session"], row["spills"], row["not_shown"]) == (run.answer["session_id"], 1, 0)
    assert (row["without"], row["with"]) == (len("\n".join(map(str, range(1, 3001)))), len(pointer))
