"""Every request once, with the usage, context and advisor calls it really had: a test for each way to get it wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from cchooks_suite.transcripts.usage import measure

from .audit_rows import (
    ADVISOR,
    MODEL,
    Row,
    advice,
    assistant,
    audited,
    bash,
    message,
    report,
    result,
    tokens,
    unique,
    usage,
    user,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path


def figures(found: dict[str, Any]) -> tuple[int, int, int]:
    """Requests, read volume, output."""
    total = found["totals"]
    return total["requests"], total["read_volume"], total["tokens"]["output"]


def copies(used: Row, number: int, **more: Any) -> list[Row]:
    """Rows of one request that repeat its usage."""
    ids = {"request": unique("req"), "identity": unique("msg")}
    return [assistant(used, **ids, **more) for _ in range(number)]


# One file -------------------------------------------------------------------------------------------------------


def test_rows_that_repeat_a_usage_count_once(tmp_path: Path) -> None:
    assert figures(audited(tmp_path, *copies(tokens(5000, 40), 5))) == (1, 5000, 40)


def test_the_last_row_of_a_request_counts(tmp_path: Path) -> None:
    ids = {"request": "req_1", "identity": "msg_1"}
    rows = [assistant(tokens(5000, 1), **ids, stop=None), assistant(tokens(5000, 900), **ids)]
    assert figures(audited(tmp_path, *rows)) == (1, 5000, 900)


def test_a_smaller_last_row_counts_and_is_reported(tmp_path: Path) -> None:
    ids = {"request": "req_1", "identity": "msg_1"}
    found = audited(tmp_path, assistant(tokens(5000, 900), **ids), assistant(tokens(5000, 30), **ids))
    assert figures(found) == (1, 5000, 30)
    assert found["reading"]["later_row_smaller"] == 1


def test_a_complete_row_behind_an_incomplete_one_counts(tmp_path: Path) -> None:
    ids = {"request": "req_1", "identity": "msg_1"}
    first, last = (assistant(usage(message(5000, output)), **ids) for output in (70, 80))
    found = audited(tmp_path, first, assistant(tokens(5000, 2), **ids, stop=None), last)
    assert figures(found) == (1, 5000, 80)
    assert found["reading"]["last_row_incomplete"] == 0


def test_one_segment_like_the_top_is_not_all_where_others_follow(tmp_path: Path) -> None:
    total = audited(tmp_path, assistant(usage(message(5000), advice())))["totals"]
    assert total["advisor"] == {"requests": 1, "calls": 1}
    served = {**message(5000), "type": "fallback_message", "model": "claude-opus-5"}
    total = audited(tmp_path, assistant({**tokens(5000), "iterations": [served]}))["totals"]
    assert total["fallback_requests"] == 1


@pytest.mark.parametrize("since", ["", "2000-01-01"])
def test_a_top_that_is_not_the_sum_is_reported(tmp_path: Path, since: str) -> None:
    write(tmp_path / "s1.jsonl", assistant({**tokens(9000), "iterations": [message(5000), message(6000)]}))
    assert report(tmp_path, since=since)["reading"]["top_level_not_the_sum"] == 1


def test_a_top_that_is_the_sum_after_all_is_not_reported(tmp_path: Path) -> None:
    first, last = {**tokens(50), "iterations": [message(40)]}, usage(message(50))
    ids = {"request": "req_1", "identity": "msg_1"}
    found = audited(tmp_path, assistant(first, **ids), assistant(tokens(9)), assistant(last, **ids))
    assert found["reading"]["top_level_not_the_sum"] == 0


def test_an_advisor_block_without_an_id_is_one_call_however_often_its_row_stands_there(tmp_path: Path) -> None:
    call = {"type": "server_tool_use", "name": "advisor", "input": {}}
    row = assistant(tokens(5000), request="req_1", identity="msg_1", content=[call, {"type": "text", "text": "x"}])
    assert audited(tmp_path, row, row, row)["totals"]["advisor"] == {"requests": 1, "calls": 1}
    two = {**row, "uuid": "other", "message": {**row["message"], "content": [call, dict(call)]}}
    assert audited(tmp_path, two, two)["totals"]["advisor"] == {"requests": 1, "calls": 2}


@pytest.mark.parametrize("call", [[], [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}]])
def test_an_incomplete_last_row_does_not_hide_a_complete_one(tmp_path: Path, call: list[Row]) -> None:
    ids = {"request": "req_1", "identity": "msg_1"}
    rows = [assistant(usage(message(5000, 70)), **ids), assistant(tokens(5000, 2), **ids, stop=None, content=call)]
    found = audited(tmp_path, *rows)
    assert figures(found) == (1, 5000, 70)
    assert found["reading"]["last_row_incomplete"] == 1
    assert found["totals"]["unfinished"] == 0


def test_a_request_without_a_final_row_is_a_lower_bound(tmp_path: Path) -> None:
    assert audited(tmp_path, assistant(tokens(5000, 3), stop=None))["totals"]["unfinished"] == 1


@pytest.mark.parametrize("request_id", [None, "null"])
def test_without_a_request_id_the_message_is_the_key(tmp_path: Path, request_id: str | None) -> None:
    rows = [assistant(tokens(5000), request=None, identity="msg_1") for _ in range(3)]
    if request_id:
        rows = [{**row, "requestId": None} for row in rows]
    found = audited(tmp_path, *rows)
    assert figures(found) == (1, 5000, 10)
    assert found["totals"]["without_request_id"] == 1


def test_without_a_request_id_the_last_row_counts_too(tmp_path: Path) -> None:
    rows = [assistant(tokens(5000, output), request=None, identity="msg_1") for output in (900, 30)]
    assert figures(audited(tmp_path, *rows)) == (1, 5000, 30)


def test_without_any_id_the_row_is_the_request(tmp_path: Path) -> None:
    rows = [assistant(tokens(5000), request=None, identity=None) for _ in range(2)]
    assert figures(audited(tmp_path, *rows)) == (2, 10_000, 20)


def test_rows_with_and_without_the_request_id_of_a_message_are_one(tmp_path: Path) -> None:
    rows = [assistant(tokens(5000), request=None, identity="msg_1"), assistant(tokens(5000), identity="msg_1")]
    assert figures(audited(tmp_path, *rows))[0] == 1


def test_two_requests_with_one_message_id_stay_two_and_are_reported(tmp_path: Path) -> None:
    found = audited(tmp_path, *(assistant(tokens(5000), identity="msg_1") for _ in range(2)))
    assert figures(found)[0] == 2
    assert found["reading"]["two_requests_one_message"] == 1


def test_the_first_row_tells_when_a_request_began(tmp_path: Path) -> None:
    first, *_, last = copies(tokens(5000), 3)
    first["timestamp"], last["timestamp"] = "2026-11-29T23:59:59.000Z", "2026-11-30T00:00:09.000Z"
    assert [group["day"] for group in audited(tmp_path, first, last)["groups"]] == ["2026-11-29"]


def test_rows_the_client_made_itself_are_no_requests(tmp_path: Path) -> None:
    made = assistant({**tokens(2, 0), "input_tokens": 0, "iterations": None}, request=None, model="<synthetic>")
    found = audited(tmp_path, made, made)
    assert figures(found) == (0, 0, 0)
    assert found["totals"]["left_out"]["client_made_rows"] == 1
    nameless = {**made, "uuid": None}
    assert audited(tmp_path, nameless, nameless)["totals"]["left_out"]["client_made_rows"] == 2


def test_an_agents_usage_in_its_parents_result_is_not_added(tmp_path: Path) -> None:
    answer = user([result("toolu_1", "done")], toolUseResult={"usage": tokens(9000, 90), "totalTokens": 9090})
    assert figures(audited(tmp_path, assistant(tokens(5000)), answer)) == (1, 5000, 10)


# Real context, advisor, fallback --------------------------------------------------------------------------------


def test_the_reference_request(tmp_path: Path) -> None:
    used = usage(message(124_519), advice(124_900), message(127_361))
    total = audited(tmp_path, assistant(used))["totals"]
    assert (total["read_volume"], total["peak_top_level"]) == (251_880, 251_880)
    assert total["peak_real_context"] == 127_361
    assert total["advisor"] == {"requests": 1, "calls": 1}
    [apart] = total["apart"]
    assert (apart["segment"], apart["model"]) == ("advisor", ADVISOR)
    assert apart["input"] + apart["cache_read"] == 124_900


def test_segments_of_another_report(tmp_path: Path) -> None:
    used = usage(message(493_364), advice(), message(494_590))
    total = audited(tmp_path, assistant(used))["totals"]
    assert (total["peak_real_context"], total["peak_top_level"]) == (494_590, 987_954)


@pytest.mark.parametrize("segments", [1, 3, 5])
def test_any_number_of_main_segments(segments: int) -> None:
    parts = [message(1000 * number) for number in range(1, segments + 1)]
    found = measure(usage(*parts))
    assert (found.context, found.top.context) == (1000 * segments, sum(1000 * n for n in range(1, segments + 1)))


def test_a_fallback_counts_the_serving_segment() -> None:
    served = {**message(40_000, 25), "type": "fallback_message", "model": "claude-opus-5"}
    found = measure({**tokens(40_000, 25), "iterations": [message(70_000, 0), served]})
    assert (found.context, found.top.context) == (40_000, 40_000)


def test_a_declined_attempt_stands_apart(tmp_path: Path) -> None:
    served = {**message(40_000, 25), "type": "fallback_message", "model": "claude-opus-5"}
    total = audited(tmp_path, assistant({**tokens(40_000, 25), "iterations": [message(70_000, 0), served]}))["totals"]
    assert total["fallback_requests"] == 1
    assert [(part["segment"], part["model"]) for part in total["apart"]] == [("declined", MODEL)]


def test_an_api_side_compaction_is_no_context(tmp_path: Path) -> None:
    squeezed = {"type": "compaction", **tokens(180_000, 3000)}
    total = audited(tmp_path, assistant({**tokens(30_000), "iterations": [squeezed, message(30_000)]}))["totals"]
    assert (total["peak_real_context"], total["read_volume"]) == (30_000, 30_000)
    assert total["apart"][0]["segment"] == "compaction"


def test_an_unknown_segment_is_neither_context_nor_lost(tmp_path: Path) -> None:
    odd = {"type": "oracle_message", **tokens(180_000)}
    total = audited(tmp_path, assistant({**tokens(30_000), "iterations": [odd, message(30_000)]}))["totals"]
    assert total["peak_real_context"] == 30_000
    assert total["apart"][0]["segment"] == "oracle_message"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"cache_creation_input_tokens": 0}, 300),  # old clients wrote the flat field as 0
        ({"cache_creation_input_tokens": None}, 300),
        ({"cache_creation_input_tokens": 300}, 300),
    ],
)
def test_cache_creation_flat_or_nested(fields: Row, expected: int) -> None:
    nested = {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 200}
    assert measure({**tokens(1000), **fields, "cache_creation": nested}).top.cache_creation == expected


@pytest.mark.parametrize("odd", [None, "12", 1.5, True, -3, {}, []])
def test_a_foreign_count_is_zero(odd: Any) -> None:
    assert measure({**tokens(1000), "input_tokens": odd}).top.input == 0


@pytest.mark.parametrize("listed", [None, [], {}, "x", [None], [5]])
def test_without_segments_the_top_level_is_the_context(listed: Any) -> None:
    assert measure({**tokens(1000), "iterations": listed, "output_tokens_details": None}).context == 1000


def test_the_configured_advisor_is_no_call(tmp_path: Path) -> None:
    total = audited(tmp_path, assistant(usage(message(1000)), advisorModel=ADVISOR))["totals"]
    assert total["advisor"] == {"requests": 0, "calls": 0}


def test_a_call_without_a_segment_counts(tmp_path: Path) -> None:
    call = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "advisor", "input": {}}
    ids = {"request": "req_1", "identity": "msg_1"}
    rows = [assistant(tokens(1000, 1), content=[call], stop=None, **ids), assistant(tokens(1000), **ids)]
    assert audited(tmp_path, *rows)["totals"]["advisor"] == {"requests": 1, "calls": 1}


def test_segments_and_calls_of_a_request_are_not_added(tmp_path: Path) -> None:
    calls = [{"type": "server_tool_use", "id": f"srvtoolu_{n}", "name": "advisor", "input": {}} for n in range(3)]
    ids = {"request": "req_1", "identity": "msg_1"}
    used = usage(message(1000), advice(), message(1100))
    rows = [assistant(used, content=[call], **ids) for call in calls]
    assert audited(tmp_path, *rows, *rows)["totals"]["advisor"]["calls"] == 3


def test_a_call_beside_text_in_one_row_counts(tmp_path: Path) -> None:
    call = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "advisor", "input": {}}
    ids = {"request": "req_1", "identity": "msg_1"}
    rows = [assistant(tokens(9), content=[{"type": "text", "text": "x"}, call], **ids), assistant(tokens(9), **ids)]
    assert audited(tmp_path, *rows)["totals"]["advisor"]["calls"] == 1


@pytest.mark.parametrize(
    "block",
    [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "advisor"}},
        {"type": "tool_use", "id": "toolu_1", "name": "advisor", "input": {}},
        {"type": "advisor_tool_result", "tool_use_id": "srvtoolu_1", "content": {"type": "advisor_result"}},
        {"type": "text", "text": "server_tool_use advisor"},
    ],
)
def test_another_block_is_no_advisor_call(tmp_path: Path, block: Row) -> None:
    assert audited(tmp_path, assistant(tokens(1000), content=[block]))["totals"]["advisor"]["calls"] == 0


def test_dropped_thinking_blocks_are_counted(tmp_path: Path) -> None:
    row = assistant(tokens(1000))
    row["message"]["input_transformations"] = [{"type": "thinking_dropped", "reason": "prefix_binding_mismatch"}] * 2
    assert audited(tmp_path, row)["totals"]["thinking_blocks_dropped"] == 2


# Several files --------------------------------------------------------------------------------------------------


def test_a_copy_in_another_file_counts_once_and_belongs_to_the_original(tmp_path: Path) -> None:
    rows = copies(tokens(5000), 2)
    fork = [{**row, "sessionId": "fork", "requestSessionId": "s1"} for row in rows]
    write(tmp_path / "a-fork.jsonl", *fork, assistant(tokens(7000), sessionId="fork"))
    write(tmp_path / "s1.jsonl", *rows)
    found = report(tmp_path, "session")
    assert figures(found) == (2, 12_000, 20)
    assert {group["session"]: group["read_volume"] for group in found["groups"]} == {"s1": 5000, "fork": 7000}
    assert found["totals"]["left_out"]["copies"] == 1


@pytest.mark.parametrize("first", ["a", "z"])
def test_a_zeroed_copy_never_hides_the_original(tmp_path: Path, first: str) -> None:
    row = assistant(tokens(5000))
    zeroed = json.loads(json.dumps(row))
    zeroed["message"]["usage"] = dict.fromkeys(tokens(2), 0)
    for name, made in sorted({"m": row, first: zeroed}.items()):
        write(tmp_path / f"{name}.jsonl", made)
    assert figures(report(tmp_path)) == (1, 5000, 10)


def test_a_zeroed_top_level_is_summed_again(tmp_path: Path) -> None:
    row = assistant(usage(message(4000), advice(), message(5000)))
    row["message"]["usage"] |= dict.fromkeys(tokens(2), 0)
    total = audited(tmp_path, row)["totals"]
    assert (total["peak_real_context"], total["read_volume"]) == (5000, 9000)


def test_an_aside_that_replays_a_message_is_left_out(tmp_path: Path) -> None:
    row = assistant(tokens(5000), identity="msg_1")
    write(tmp_path / "s1.jsonl", row)
    for number in range(2):
        aside = {
            **row,
            "requestId": unique("req"),
            "uuid": unique("uuid"),
            "isSidechain": True,
            "agentId": f"a{number}",
        }
        write(tmp_path / "s1" / "subagents" / f"agent-a{number}.jsonl", aside)
    found = report(tmp_path)
    assert figures(found) == (1, 5000, 10)
    assert found["totals"]["left_out"]["replays"] == 2


def test_replays_without_the_original_are_one(tmp_path: Path) -> None:
    for number in range(3):
        aside = assistant(tokens(5000), identity="msg_1", isSidechain=True, agentId=f"a{number}")
        write(tmp_path / "s1" / "subagents" / f"agent-a{number}.jsonl", aside)
    assert figures(report(tmp_path)) == (1, 5000, 10)


@pytest.mark.parametrize("folder", ["s1/subagents", "s1/subagents/workflows/wf_1", "s1/subagents/workflows/wf_1/more"])
def test_agents_are_found_however_deep(tmp_path: Path, folder: str) -> None:
    write(tmp_path / "s1.jsonl", assistant(tokens(5000)))
    write(tmp_path / folder / "agent-a1.jsonl", assistant(tokens(800), isSidechain=True, agentId="a1"))
    assert figures(report(tmp_path))[:2] == (2, 5800)


def test_files_that_are_no_transcripts_are_left_alone(tmp_path: Path) -> None:
    write(tmp_path / "s1.jsonl", assistant(tokens(5000)))
    for name in ("s1/tool-results/x.jsonl", "s1/subagents/workflows/wf_1/journal.jsonl", "s1.jsonl.orphaned"):
        write(tmp_path / name, assistant(tokens(800)))
    assert figures(report(tmp_path))[0] == 1


def test_a_link_to_the_same_file_is_read_once(tmp_path: Path) -> None:
    path = write(tmp_path / "s1.jsonl", assistant(tokens(5000)))
    (tmp_path / "again.jsonl").symlink_to(path)
    found = report(tmp_path)
    assert found["scope"]["files"] == 1


def test_links_to_elsewhere_are_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "projects"
    write(root / "s1.jsonl", assistant(tokens(5000)))
    outside = write(tmp_path / "other" / "s2.jsonl", assistant(tokens(800)))
    (root / "s2.jsonl").symlink_to(outside)
    (root / "more").symlink_to(outside.parent)
    assert figures(report(root))[:2] == (1, 5000)
    (tmp_path / "link").symlink_to(root)
    assert figures(report(tmp_path / "link"))[:2] == (1, 5000)


def test_old_clients_messages_of_agents_in_progress_rows(tmp_path: Path) -> None:
    row = assistant(tokens(800), isSidechain=True, agentId="a1")
    progress = {
        "type": "progress",
        "uuid": unique("uuid"),
        "sessionId": "s1",
        "data": {"message": row, "agentId": "a1"},
    }
    write(tmp_path / "s1.jsonl", progress)
    assert figures(report(tmp_path)) == (1, 800, 10)
    write(tmp_path / "s1" / "subagents" / "workflows" / "wf_1" / "agent-a1.jsonl", row)
    found = report(tmp_path, "kind")
    assert figures(found) == (1, 800, 10)
    assert [group["kind"] for group in found["groups"]] == ["workflow"]
    assert found["totals"]["left_out"]["copies"] == 0


# Groups ---------------------------------------------------------------------------------------------------------


def test_days_are_utc_and_a_session_can_have_two(tmp_path: Path) -> None:
    rows = [
        assistant(tokens(1000), timestamp="2026-11-29T23:59:59.999Z"),
        assistant(tokens(2000), timestamp="2026-11-30T02:30:00.000+02:00"),
        assistant(tokens(3000), timestamp="2026-11-30T00:30:00.000-02:00"),
    ]
    found = audited(tmp_path, *rows)
    assert [(g["day"], g["read_volume"], g["hours"]) for g in found["groups"]] == [
        ("2026-11-29", 1000, [23]),
        ("2026-11-30", 5000, [0, 2]),
    ]
    assert all(group["over"] for group in found["groups"]) or found["groups"][1]["day"] >= "2026-11-30"


def test_a_request_without_a_time_is_not_lost(tmp_path: Path) -> None:
    found = audited(tmp_path, assistant(tokens(1000), timestamp=None))
    assert [group["day"] for group in found["groups"]] == ["no time recorded"]


@pytest.mark.parametrize(
    ("path", "more", "kind"),
    [
        ("s1.jsonl", {}, "main"),
        ("s1.jsonl", {"entrypoint": "claude-desktop"}, "main"),
        ("s1.jsonl", {"entrypoint": "sdk-cli"}, "headless"),
        ("s1.jsonl", {"entrypoint": "sdk-py"}, "headless"),
        ("s1.jsonl", {"entrypoint": "sdk-cli", "sessionKind": "bg"}, "background"),
        ("s1.jsonl", {"teamName": "session-12345678"}, "teammate"),
        ("s1.jsonl", {"teamName": "session-12345678", "entrypoint": "sdk-cli"}, "teammate"),
        ("s1.jsonl", {"isSidechain": True}, "subagent"),
        ("s1/subagents/agent-1.jsonl", {"isSidechain": True, "agentId": "1"}, "subagent"),
        ("s1/subagents/workflows/wf_1/agent-1.jsonl", {"isSidechain": True, "agentId": "1"}, "workflow"),
        ("s1/subagents/agent-acompact-1.jsonl", {"isSidechain": True, "agentId": "1"}, "compaction"),
    ],
)
def test_kinds_of_sessions(tmp_path: Path, path: str, more: Row, kind: str) -> None:
    write(tmp_path / path, assistant(tokens(1000), **more))
    found = report(tmp_path, "kind")
    assert [group["kind"] for group in found["groups"]] == [kind]
    assert found["kinds"][kind]


def test_a_session_that_goes_on_in_the_background_is_one(tmp_path: Path) -> None:
    write(tmp_path / "s1.jsonl", user("x"), assistant(tokens(1000)), assistant(tokens(1000), sessionKind="bg"))
    assert [group["kind"] for group in report(tmp_path, "kind")["groups"]] == ["background"]


def test_a_session_named_by_a_launch_is_a_background_one(tmp_path: Path) -> None:
    write(
        tmp_path / "s1.jsonl",
        assistant(tokens(1000), content=[bash("toolu_1", "claude --bg 'do it'")]),
        user([result("toolu_1", "backgrounded · 0123abcd\n")]),
    )
    session = "0123abcd-0000-4000-8000-000000000000"
    write(tmp_path / f"{session}.jsonl", assistant(tokens(500), sessionId=session))
    assert {g["kind"]: g["read_volume"] for g in report(tmp_path, "kind")["groups"]} == {
        "main": 1000,
        "background": 500,
    }


def test_a_copy_that_lost_its_message_id_counts_once(tmp_path: Path) -> None:
    write(tmp_path / "s1.jsonl", assistant(tokens(5000), request="req_1", identity="msg_1"))
    write(tmp_path / "s2.jsonl", assistant(tokens(5000), request="req_1", identity=None, sessionId="s2"))
    assert figures(report(tmp_path)) == (1, 5000, 10)


def test_rows_of_a_request_that_lack_its_id_are_no_replay(tmp_path: Path) -> None:
    rows = (assistant(tokens(5000), request=None, identity="msg_1"), assistant(tokens(5000), identity="msg_1"))
    found = audited(tmp_path, *rows)
    assert figures(found) == (1, 5000, 10)
    assert found["totals"]["left_out"]["replays"] == 0


def test_a_replay_of_a_message_with_two_requests_fills_neither_twice(tmp_path: Path) -> None:
    zeroed = assistant(tokens(2, 0), request="req_1", identity="msg_1", timestamp="2026-11-29T10:00:00.000Z")
    write(tmp_path / "s1.jsonl", zeroed, assistant(tokens(5000), request="req_2", identity="msg_1"))
    aside = assistant(tokens(5000), request="req_3", identity="msg_1", isSidechain=True, agentId="a1")
    write(tmp_path / "s1" / "subagents" / "agent-a1.jsonl", aside)
    assert figures(report(tmp_path)) == (2, 5002, 10)


@pytest.mark.parametrize(
    "odd", ["2026-11-30Tab:00:00.000Z", "2026-99-30T99:00:00.000Z", "x" * 10 + "T" + "x" * 12 + "Z"]
)
def test_a_timestamp_that_is_none_is_no_time(tmp_path: Path, odd: str) -> None:
    found = audited(tmp_path, assistant(tokens(5000), timestamp=odd))
    [group] = found["groups"]
    assert (group["day"], group["requests"], group["over"]) == ("no time recorded", 1, True)


def test_the_first_moment_of_a_group_with_requests_of_no_time(tmp_path: Path) -> None:
    rows = [assistant(tokens(5000), timestamp=when) for when in ("2026-11-30T10:00:00.000Z", None)]
    total = audited(tmp_path, *rows)["totals"]
    assert (total["first"], total["requests"]) == ("2026-11-30T10:00:00.000Z", 2)


def test_a_main_session_below_a_folder_named_like_that_of_agents(tmp_path: Path) -> None:
    write(tmp_path / "subagents" / "p" / "s1.jsonl", assistant(tokens(5000)))
    assert [group["kind"] for group in report(tmp_path / "subagents", "kind")["groups"]] == ["main"]


def test_the_kind_of_a_session_is_that_of_its_main_conversation(tmp_path: Path) -> None:
    write(tmp_path / "s1.jsonl", assistant(tokens(5000)))
    agent = assistant(tokens(2000), isSidechain=True, agentId="a1")
    write(tmp_path / "s1" / "subagents" / "agent-a1.jsonl", agent)
    [group] = report(tmp_path, "session")["groups"]
    assert (group["kind"], group["requests"]) == ("main", 2)


def test_a_row_of_the_clients_own_takes_nothing_from_a_request_whose_id_it_bears(tmp_path: Path) -> None:
    made = assistant(tokens(0, 0), request="req_1", identity="own", model="<synthetic>")
    found = audited(tmp_path, assistant(tokens(5000), request="req_1"), made)
    assert figures(found) == (1, 5000, 10)
    assert found["totals"]["left_out"]["client_made_rows"] == 1


@pytest.mark.parametrize("odd", ["5000", 1 << 60, -3, 1.5, True, []])
def test_a_count_that_is_none_is_reported(tmp_path: Path, odd: Any) -> None:
    row = assistant({**tokens(5000), "input_tokens": odd, "iterations": [{**message(5000), "output_tokens": odd}]})
    assert audited(tmp_path, row, assistant({**tokens(6000), "output_tokens": None}))["reading"]["odd_counts"] == 2
    row = assistant({**tokens(5000), "cache_creation": {"ephemeral_1h_input_tokens": odd}})
    assert audited(tmp_path, row)["reading"]["odd_counts"] == 1


def test_a_time_within_a_day_and_a_session_narrow_what_one_file_holds(tmp_path: Path) -> None:
    rows = [assistant(tokens(1000 * hour), timestamp=f"2026-11-30T0{hour}:00:00.000Z") for hour in (1, 2, 4)]
    write(tmp_path / "s1.jsonl", *rows, assistant(tokens(8000), sessionId="s2"))
    assert figures(report(tmp_path, since="2026-11-30T02:00", until="2026-11-30T04:00")) == (1, 2000, 10)
    assert figures(report(tmp_path, session="s2")) == (1, 8000, 10)
    assert figures(report(tmp_path, session="s1")) == (3, 7000, 30)
