"""The sandbox itself: the real client plays a script and writes nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cchooks_suite.scripted_api import agent, bash

from .conftest import NO_QUESTIONS

if TYPE_CHECKING:
    from cchooks_suite.live_client import Sandbox


def test_the_model_sees_what_a_tool_printed(sandbox: Sandbox) -> None:
    run = sandbox.run([bash("toolu_count", "seq 1 3"), "counted"], NO_QUESTIONS)

    assert run.status == 0
    assert run.seen("toolu_count") == "1\n2\n3"
    assert run.answer["result"] == "counted"


def test_a_subagent_plays_its_own_script(sandbox: Sandbox) -> None:
    run = sandbox.run([agent("toolu_agent", [bash("toolu_inner", "echo inside"), "heard"]), "end"], NO_QUESTIONS)

    assert run.seen("toolu_inner") == "inside"
    assert "heard" in run.seen("toolu_agent")
