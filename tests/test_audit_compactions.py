"""Compactions: paired with the last request before them in their own file, and told apart by what caused them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from cchooks_suite.transcripts import digest
from cchooks_suite.transcripts.compactions import classify
from hypothesis import given
from hypothesis import strategies as st

from .audit_rows import Row, advice, assistant, audited, boundary, message, report, tokens, usage, write

if TYPE_CHECKING:
    from pathlib import Path


def listed(found: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Class, ratio and advisor calls of each compaction."""
    return [(made["class"], made["ratio"], made["advisor_calls"]) for made in found["compactions"]["list"]]


def test_the_reference_case(tmp_path: Path) -> None:
    used = usage(message(124_519), advice(124_900), message(127_361))
    ids = {"request": "req_1", "identity": "msg_1"}
    found = audited(
        tmp_path,
        *(assistant(used, **ids, timestamp=f"2026-11-30T10:00:0{second}.000Z") for second in range(5)),
        boundary(254_808, timestamp="2026-11-30T10:01:00.000Z"),
        assistant(usage(message(212_823)), timestamp="2026-11-30T11:00:00.000Z"),
        boundary(218_477, timestamp="2026-11-30T11:01:00.000Z"),
    )
    assert found["totals"]["requests"] == 2
    assert listed(found) == [("doubled", 2.0, 1), ("genuine", 1.03, 0)]
    first = found["compactions"]["list"][0]
    assert (first["pre_tokens"], first["real_context"], first["top_level"]) == (254_808, 127_361, 251_880)
    assert first["trigger"] == "auto"
    assert found["compactions"]["counts"] == {"doubled": 1, "phantom": 0, "genuine": 1, "unknown": 0}


@pytest.mark.parametrize(
    ("before", "real", "top", "verdict"),
    [
        (254_808, 127_361, 251_880, "doubled"),
        (218_477, 212_823, 212_823, "genuine"),
        (200_000, 100_000, 180_000, "phantom"),  # 11 % away from the top level
        (198_000, 100_000, 180_000, "doubled"),  # exactly 10 % away
        (162_000, 100_000, 180_000, "doubled"),
        (179_000, 100_000, 179_900, "phantom"),  # the top level is under 1.8 times
        (180_000, 100_000, 180_000, "doubled"),
        (130_000, 100_000, 100_000, "genuine"),  # exactly 1.3 times
        (130_001, 100_000, 100_000, "phantom"),
        (100_000, 100_000, 300_000, "genuine"),  # advisor request, but the client did not compact on its top level
        (50_000, 100_000, 100_000, "genuine"),
        (0, 100_000, 100_000, "unknown"),
        (100_000, 0, 0, "unknown"),
    ],
)
def test_classes(before: int, real: int, top: int, verdict: str) -> None:
    assert classify(before, real, top) == verdict


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(0, 10**6))
def test_every_compaction_has_one_class(before: int, real: int, more: int) -> None:
    top = real + more
    verdict = classify(before, real, top)
    doubled = 10 * top >= 18 * real and 10 * abs(before - top) <= top
    assert (verdict == "doubled") == doubled
    assert doubled or (verdict == "phantom") == (10 * before > 13 * real)


def test_a_copy_of_a_boundary_counts_once_and_keeps_its_request(tmp_path: Path) -> None:
    made = boundary(130_000)
    write(tmp_path / "a-fork.jsonl", {**made, "sessionId": "fork"}, assistant(tokens(9_000), sessionId="fork"))
    write(tmp_path / "s1.jsonl", assistant(tokens(125_000)), made)
    assert listed(report(tmp_path)) == [("genuine", 1.04, 0)]


def test_client_made_and_zeroed_rows_are_walked_over(tmp_path: Path) -> None:
    made = assistant(tokens(2), model="<synthetic>")
    zero = assistant(dict.fromkeys(tokens(2), 0))
    assert listed(audited(tmp_path, assistant(tokens(100_000)), made, zero, boundary(104_000)))[0][:2] == (
        "genuine",
        1.04,
    )


def test_a_zeroed_copy_before_a_boundary_has_the_originals_context(tmp_path: Path) -> None:
    row = assistant(tokens(100_000))
    zeroed = {**row, "message": {**row["message"], "usage": dict.fromkeys(tokens(2), 0)}, "sessionId": "fork"}
    write(tmp_path / "s1.jsonl", row)
    write(tmp_path / "fork.jsonl", zeroed, boundary(104_000, sessionId="fork"))
    assert listed(report(tmp_path)) == [("genuine", 1.04, 0)]


def test_an_agent_in_the_same_file_is_another_conversation(tmp_path: Path) -> None:
    agent = assistant(tokens(20_000), isSidechain=True, agentId="a1")
    found = audited(tmp_path, assistant(tokens(100_000)), agent, boundary(104_000))
    assert listed(found) == [("genuine", 1.04, 0)]


def test_an_agents_boundary_belongs_to_the_agents_file(tmp_path: Path) -> None:
    write(tmp_path / "s1.jsonl", assistant(tokens(100_000)))
    lane = {"isSidechain": True, "agentId": "a1"}
    rows = assistant(tokens(150_000), **lane), boundary(156_000, **lane)
    write(tmp_path / "s1" / "subagents" / "agent-a1.jsonl", *rows)
    found = report(tmp_path)
    assert listed(found) == [("genuine", 1.04, 0)]
    assert [made["kind"] for made in found["compactions"]["list"]] == ["subagent"]


def test_nothing_before_a_boundary_is_unknown(tmp_path: Path) -> None:
    write(tmp_path / "other.jsonl", assistant(tokens(150_000), sessionId="other"))
    found = audited(tmp_path, boundary(156_000), assistant(tokens(9_000)))
    assert listed(found) == [("unknown", None, 0)]
    assert found["compactions"]["list"][0]["note"] == "no request before it in its file"


def test_two_boundaries_without_a_request_between_them(tmp_path: Path) -> None:
    found = audited(tmp_path, assistant(tokens(150_000)), boundary(156_000), boundary(9_000))
    assert [row[0] for row in listed(found)] == ["genuine", "unknown"]
    assert found["compactions"]["list"][1]["note"] == "another compaction directly before it"


def test_a_request_that_goes_on_behind_a_boundary_counts_as_a_whole(tmp_path: Path) -> None:
    ids = {"request": "req_1", "identity": "msg_1"}
    rows = assistant(tokens(150_000, 1), **ids, stop=None), boundary(156_000), assistant(tokens(150_000), **ids)
    assert listed(audited(tmp_path, *rows)) == [("genuine", 1.04, 0)]


@pytest.mark.parametrize("meta", [None, {}, {"trigger": "auto"}, {"preTokens": None}, "x"])
def test_a_boundary_of_another_shape_is_counted_as_unknown(tmp_path: Path, meta: Any) -> None:
    found = audited(tmp_path, assistant(tokens(150_000)), boundary(1, compactMetadata=meta))
    assert found["compactions"]["counts"]["unknown"] == 1


def test_a_trigger_is_shown_as_it_stands(tmp_path: Path) -> None:
    meta = {"trigger": "idle-something", "preTokens": 156_000}
    found = audited(tmp_path, assistant(tokens(150_000)), boundary(1, compactMetadata=meta))
    assert found["compactions"]["list"][0]["trigger"] == "idle-something"


def fork(root: Path, name: str) -> Row:
    """A doubled compaction, and a fork's file `name` that holds the boundary and an earlier request; the boundary."""
    first = assistant(tokens(200_000), request="req_1", identity="msg_1", timestamp="2026-11-30T10:00:00.000Z")
    used = usage(message(124_519), advice(), message(127_361))
    second = assistant(used, request="req_2", identity="msg_2", timestamp="2026-11-30T10:05:00.000Z")
    compacted = boundary(254_808, timestamp="2026-11-30T11:00:00.000Z")
    write(root / "11111111.jsonl", first, second, compacted)
    earlier = {**first, "uuid": "u0", "timestamp": "2026-11-30T09:00:00.000Z", "requestId": "req_0"}
    write(root / f"{name}.jsonl", {**earlier, "sessionId": name}, first, {**compacted, "sessionId": name})
    return compacted


@pytest.mark.parametrize("name", ["00000000", "22222222"])
def test_a_boundary_in_a_fork_is_that_of_the_session_it_is_from(tmp_path: Path, name: str) -> None:
    fork(tmp_path, name)
    found = report(tmp_path)
    assert listed(found) == [("doubled", 2.0, 1)]
    assert found["compactions"]["list"][0]["session"] == "s1"
    assert listed(report(tmp_path, session="s1")) == [("doubled", 2.0, 1)]


@pytest.mark.parametrize("since", ["", "2000-01-01"])
def test_rows_of_a_request_on_both_sides_of_a_boundary(tmp_path: Path, since: str) -> None:
    ids = {"request": "req_1", "identity": "msg_1"}
    early, late = assistant(tokens(1000), **ids, stop=None), assistant(tokens(2000), **ids)
    write(tmp_path / "s1.jsonl", early, boundary(2000), late, boundary(2100))
    assert listed(report(tmp_path, since=since)) == [("genuine", 1.0, 0), ("genuine", 1.05, 0)]


def test_few_requests_are_kept_for_pairing(tmp_path: Path) -> None:
    path = write(tmp_path / "s1.jsonl", *(assistant(tokens(1000)) for _ in range(30)), boundary(1000))
    found = digest.read(path)[0]
    assert len(found.boundaries[0].before) == 8
    assert len(digest.read(write(path, *(assistant(tokens(1000)) for _ in range(30))))[0].recent[""]) == 8
