"""Launches against the sessions they started, the client's own totals against the rows, and what hooks did."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from cchooks_suite.transcripts import files
from cchooks_suite.transcripts.audit import Audit, Filter

from .audit_rows import (
    ADVISOR,
    MODEL,
    Row,
    advice,
    assistant,
    audited,
    bash,
    boundary,
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

SETTINGS = '{"env":{"CLAUDE_CODE_DISABLE_ADVISOR_TOOL":"1","CLAUDE_CODE_AUTO_COMPACT_WINDOW":"200000"}}'
HELPERS = "helper requests (titles, summaries) leave no row; agents' files may be missing"
STARTED = "0123abcd-0000-4000-8000-000000000000"


# Launches -------------------------------------------------------------------------------------------------------


def launched(root: Path, command: str, printed: str, *rows: Row) -> list[dict[str, Any]]:
    """The launch table of a session that ran `command`, beside a session `STARTED` with `rows`."""
    call = assistant(tokens(1000), content=[bash("toolu_1", command)])
    write(root / "s1.jsonl", user("prompt"), call, user([result("toolu_1", printed)]))
    if rows:
        write(root / f"{STARTED}.jsonl", *({**row, "sessionId": STARTED} for row in rows))
    return report(root)["launches"]


def test_settings_that_hold(tmp_path: Path) -> None:
    rows = assistant(usage(message(150_000))), assistant(usage(message(199_000)))
    [found] = launched(tmp_path, f"claude --bg --settings '{SETTINGS}' 'do it'", "backgrounded · 0123abcd\n", *rows)
    assert found["session"] == STARTED
    assert (found["kind"], found["advisor_off"], found["window"]) == ("background", "settings", 200_000)
    assert (found["effective"], found["requests"], found["advisor_calls"]) == (True, 2, 0)
    assert (found["peak_real_context"], found["holds"]) == (199_000, True)


def test_an_advisor_call_in_spite_of_the_settings(tmp_path: Path) -> None:
    command = "CLAUDE_CODE_DISABLE_ADVISOR_TOOL=1 CLAUDE_CODE_AUTO_COMPACT_WINDOW=200000 claude --bg 'do it'"
    used = usage(message(90_000), advice(), message(91_000))
    [found] = launched(tmp_path, command, "backgrounded · 0123abcd · name\n", assistant(used))
    assert (found["advisor_off"], found["effective"], found["advisor_calls"]) == ("environment", False, 1)
    assert found["holds"] is False


def test_a_context_over_the_window(tmp_path: Path) -> None:
    command = f"claude --bg --settings '{SETTINGS}' 'do it'"
    [found] = launched(tmp_path, command, "backgrounded · 0123abcd\n", assistant(tokens(240_000)))
    assert found["holds"] is False


def test_a_launch_that_asks_for_nothing(tmp_path: Path) -> None:
    [found] = launched(tmp_path, "claude --bg 'do it'", "backgrounded · 0123abcd\n", assistant(tokens(240_000)))
    assert (found["advisor_off"], found["window"], found["holds"]) == ("no", None, None)
    assert len(found["faults"]) == 2


def test_a_printed_session_id(tmp_path: Path) -> None:
    printed = f'{{"type":"result","session_id":"{STARTED}"}}'
    [found] = launched(tmp_path, "claude -p 'do it' --output-format json", printed, assistant(tokens(900)))
    assert (found["kind"], found["session"], found["found_by"]) == ("print", STARTED, "id in the result")


@pytest.mark.parametrize(
    ("began", "session"), [("2026-11-30T10:01:00.000Z", STARTED), ("2026-11-30T12:00:00.000Z", None)]
)
def test_a_session_found_by_its_first_prompt(tmp_path: Path, began: str, session: str | None) -> None:
    rows = user("do the whole thing", timestamp=began), assistant(tokens(900))
    [found] = launched(tmp_path, "cd /x && claude -p 'do the whole thing' | tee log", "done", *rows)
    assert found["session"] == session


def first_try(root: Path, second: str, **denied: Any) -> list[dict[str, Any]]:
    """The launches of a command that started nothing, and of its second try, which started `STARTED`."""
    command = "claude --bg 'do the whole thing'"
    calls = [
        assistant(tokens(1000), content=[bash(name, command)], timestamp=f"2026-11-30T10:00:0{second}.000Z")
        for second, name in enumerate(("toolu_1", "toolu_2"))
    ]
    first, answer = user([result("toolu_1", "command not found")], **denied), user([result("toolu_2", second)])
    write(root / "s1.jsonl", calls[0], first, calls[1], answer)
    prompt = user("do the whole thing", sessionId=STARTED, timestamp="2026-11-30T10:00:05.000Z")
    write(root / f"{STARTED}.jsonl", prompt, assistant(tokens(900), sessionId=STARTED))
    return report(root)["launches"]


@pytest.mark.parametrize("second", ["backgrounded · 0123abcd", "done"])
@pytest.mark.parametrize("denied", [{}, {"toolDenialKind": "permission-rule"}])
def test_a_launch_that_failed_and_its_second_try(tmp_path: Path, second: str, denied: Row) -> None:
    found = first_try(tmp_path, second, **denied)
    assert [(made["session"], made["requests"]) for made in found] == [(None, 0), (STARTED, 1)]


def test_a_denied_launch_started_no_session(tmp_path: Path) -> None:
    rows = user("do it"), assistant(tokens(900))
    launched(tmp_path, "claude -p 'do it'", "no", *rows)
    path = tmp_path / "s1.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"type":"user"', b'"toolDenialKind":"x","type":"user"'))
    [found] = report(tmp_path)["launches"]
    assert (found["denied"], found["session"], found["holds"]) == (True, None, None)


def test_two_launches_with_one_prompt_started_a_session_each(tmp_path: Path) -> None:
    calls = [
        assistant(tokens(1000), content=[bash(f"toolu_{minute}", "claude -p 'do it'")], timestamp=at)
        for minute, at in enumerate(("2026-11-30T10:00:00.000Z", "2026-11-30T10:05:00.000Z"))
    ]
    write(tmp_path / "s1.jsonl", *calls)
    for name, at in (("s2", "2026-11-30T10:00:01.000Z"), ("s3", "2026-11-30T10:05:01.000Z")):
        row = assistant(tokens(900), sessionId=name, timestamp=at)
        write(tmp_path / f"{name}.jsonl", user("do it", sessionId=name, timestamp=at), row)
    assert [made["session"] for made in report(tmp_path)["launches"]] == ["s2", "s3"]


def test_two_launches_in_one_command(tmp_path: Path) -> None:
    second = "89abcdef-0000-4000-8000-000000000000"
    write(tmp_path / f"{second}.jsonl", assistant(tokens(700), sessionId=second))
    printed = "backgrounded · 0123abcd\nbackgrounded · 89abcdef\n"
    found = launched(tmp_path, "claude --bg one; claude --bg two", printed, assistant(tokens(900)))
    assert [launch["session"] for launch in found] == [STARTED, second]


def test_a_session_without_a_transcript(tmp_path: Path) -> None:
    [found] = launched(tmp_path, "claude --bg one", "backgrounded · 0123abcd\n")
    assert (found["session"], found["found_by"]) == ("0123abcd", "id in the result, no transcript")


@pytest.mark.parametrize(
    "command",
    ["echo 'claude --bg x'", "git commit -m 'claude -p'", "mkdir -p ~/.claude/x", "claude --version -p (", "ls"],
)
def test_what_starts_no_session(tmp_path: Path, command: str) -> None:
    assert launched(tmp_path, command, "done") == []


def test_a_call_of_the_servers_own_named_like_the_tool_is_no_launch(tmp_path: Path) -> None:
    call = {**bash("toolu_1", "claude --bg x"), "type": "server_tool_use"}
    assert audited(tmp_path, assistant(tokens(1000), content=[call]))["launches"] == []


def test_a_denied_launch_and_a_copied_one(tmp_path: Path) -> None:
    call = assistant(tokens(1000), content=[bash("toolu_1", "claude --bg one")])
    denied = user([result("toolu_1", "PreToolUse:Bash hook error: no")], toolDenialKind="permission-rule")
    write(tmp_path / "s1.jsonl", call, denied)
    write(tmp_path / "fork.jsonl", {**call, "sessionId": "fork"}, {**denied, "sessionId": "fork"})
    [found] = report(tmp_path)["launches"]
    assert (found["denied"], found["session"]) == (True, None)


@pytest.mark.parametrize("wanted", [{"session": "s1"}, {"until": "2026-11-30T10:00:01.000Z"}])
def test_a_launch_is_shown_with_all_of_its_session(tmp_path: Path, wanted: dict[str, str]) -> None:
    later = assistant(tokens(50_000), timestamp="2026-11-30T12:00:00.000Z")
    launched(tmp_path, f"claude --bg --settings '{SETTINGS}' -- x", f"backgrounded · {STARTED[:8]}", user("x"), later)
    [found] = report(tmp_path, **wanted)["launches"]
    assert (found["requests"], found["peak_real_context"], found["holds"]) == (1, 50_000, True)


# The client's own totals ----------------------------------------------------------------------------------------


def cost(**models: tuple[int, int, int, int]) -> Row:
    """A cost-state row: input, cache read, cache creation, output of each model."""
    keys = ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens", "outputTokens")
    names = {"main": MODEL, "advisor": ADVISOR, "helper": "claude-haiku-5-5", "wide": f"{MODEL}[1m]"}
    used = {names[name]: dict(zip(keys, numbers, strict=True)) for name, numbers in models.items()}
    return {"type": "cost-state", "sessionId": "s1", "modelUsage": used}


def verdicts(found: dict[str, Any]) -> dict[str, tuple[str, list[str]]]:
    return {row["model"]: (row["verdict"], row["reasons"]) for row in found["cost_state"]}


def test_equal_totals_agents_included(tmp_path: Path) -> None:
    agent = assistant(tokens(2000, 1), isSidechain=True, agentId="a1")
    write(tmp_path / "s1" / "subagents" / "agent-a1.jsonl", agent)
    found = audited(tmp_path, assistant(tokens(5000)), cost(main=(2, 4998, 0, 10)), cost(wide=(4, 6996, 0, 11)))
    assert verdicts(found) == {MODEL: ("equal", [])}


def test_advisor_tokens_stand_under_the_advisors_model(tmp_path: Path) -> None:
    rows = (
        assistant(usage(message(5000), advice(1000), message(6000))),
        cost(main=(4, 10_996, 0, 20), advisor=(2, 998, 0, 700)),
    )
    assert verdicts(audited(tmp_path, *rows)) == {MODEL: ("equal", []), ADVISOR: ("equal", [])}


def test_advisor_requests_of_two_days_that_the_client_counted_twice(tmp_path: Path) -> None:
    used = usage(message(5000), advice(1000), message(6000))
    rows = [assistant(used, timestamp=f"2026-11-0{day}T10:00:00.000Z") for day in (1, 2)]
    found = verdicts(audited(tmp_path, *rows, cost(main=(16, 43_984, 0, 40), advisor=(8, 3992, 0, 1400))))
    twice = "the record counts advisor requests a second time"
    assert found == {MODEL: ("transcript lower", [twice, HELPERS]), ADVISOR: ("transcript lower", [twice, HELPERS])}


def test_a_compaction_of_the_apis_own_is_in_the_clients_totals(tmp_path: Path) -> None:
    squeezed = {"type": "compaction", **tokens(1000, 30)}
    row = assistant({**tokens(5000), "iterations": [squeezed, message(5000)]})
    assert verdicts(audited(tmp_path, row, cost(main=(4, 5996, 0, 40)))) == {MODEL: ("equal", [])}


def test_a_record_that_goes_on_from_the_session_that_was_copied(tmp_path: Path) -> None:
    row = assistant(tokens(5000), request="req_1", identity="msg_1", timestamp="2026-11-29T10:00:00.000Z")
    write(tmp_path / "s0.jsonl", {**row, "sessionId": "s0"})
    own = assistant(tokens(900), timestamp="2026-11-30T10:00:00.000Z")
    found = audited(tmp_path, {**row, "timestamp": "2026-11-30T09:00:00.000Z"}, own, cost(main=(90, 99_000, 0, 40)))
    assert "the record goes on from the session that this one was copied from" in verdicts(found)[MODEL][1]


def test_a_helper_model_leaves_no_row(tmp_path: Path) -> None:
    found = audited(tmp_path, assistant(tokens(5000)), cost(main=(2, 4998, 0, 10), helper=(400, 0, 0, 9)))
    verdict, [reason] = verdicts(found)["claude-haiku-5-5"]
    assert verdict == "transcript lower"
    assert reason.startswith("only helper requests")


ADVISED = usage(message(5000), advice(), message(6000))


@pytest.mark.parametrize(
    ("rows", "recorded", "verdict", "reason"),
    [
        (
            [assistant(tokens(5000)), boundary(5100)],
            (9, 5998, 0, 10),
            "transcript lower",
            "the requests that compacted",
        ),
        ([assistant(tokens(5000), requestSessionId="s0")], (9, 5998, 0, 10), "transcript lower", "the record goes on"),
        ([assistant(tokens(5000))], (9, 5998, 0, 10), "transcript lower", "helper requests"),
        ([assistant(tokens(5000))], (1, 4998, 0, 10), "transcript higher", "no known reason"),
        ([assistant(tokens(5000))], (9, 98, 0, 10), "lower and higher", "helper requests"),
        (
            [assistant(usage(message(5000), advice(), message(6000)))],
            (8, 21_992, 0, 40),
            "transcript lower",
            "the record counts",
        ),
    ],
)
def test_differences_and_their_reasons(
    tmp_path: Path, rows: list[Row], recorded: tuple[int, int, int, int], verdict: str, reason: str
) -> None:
    found, reasons = verdicts(audited(tmp_path, *rows, cost(main=recorded)))[MODEL]
    assert found == verdict
    assert reasons[0].startswith(reason)


def test_a_record_older_than_the_file(tmp_path: Path) -> None:
    found = audited(tmp_path, assistant(tokens(5000)), cost(main=(2, 4998, 0, 10)), assistant(tokens(7000)))
    assert verdicts(found)[MODEL] == ("transcript higher", ["the record is older than 1 request of the file"])


def test_output_is_shown_and_not_held_to_equality(tmp_path: Path) -> None:
    agent = assistant(tokens(2000, 1), isSidechain=True, agentId="a1", stop=None)
    write(tmp_path / "s1" / "subagents" / "agent-a1.jsonl", agent)
    found = audited(tmp_path, assistant(tokens(5000)), cost(main=(4, 6996, 0, 900)))
    assert verdicts(found) == {MODEL: ("equal", ["output: some requests never got their final row"])}


# Hooks ----------------------------------------------------------------------------------------------------------


IMAGE = {"type": "image", "source": {"data": "A" * 60_000}}
POINTER = "[cchooks] 9,000 characters (8 lines) of mcp__a__b output were spilled to /x"


def denial(reason: str, kind: str = "permission-rule", **more: Any) -> Row:
    return user([result(unique("toolu"), reason)], toolDenialKind=kind, **more)


def test_denials_by_who_denied(tmp_path: Path) -> None:
    by_hook = {"permissionDecision": {"decision": "reject", "source": "hook", "reasonCode": "hook:PreToolUse"}}
    by_rule = {"permissionDecision": {"decision": "reject", "source": "config"}}
    rows = [
        denial("PreToolUse:Bash hook error: use an agent", **by_hook),
        denial("PreToolUse:Bash hook error: use an agent"),  # older clients did not say who
        denial("Permission to use Bash has been denied.", **by_rule),
        denial("Permission to use Bash with command rm x has been denied.", "automode-blocked"),
        denial("The user said no", "user-rejected"),
        user("the word toolDenialKind in a prompt"),
        user([result("toolu_x", 'text with "toolDenialKind":"permission-rule" in it')]),
    ]
    write(tmp_path / "fork.jsonl", *({**row, "sessionId": "fork"} for row in rows))
    found = audited(tmp_path, *rows)["hooks"]["denials"]
    assert {(row["source"], row["kind"], row["reason"], row["count"]) for row in found} == {
        ("hook", "permission-rule", "use an agent", 2),
        ("config", "permission-rule", None, 1),
        ("config", "automode-blocked", None, 1),
        ("not recorded", "user-rejected", "The user said no", 1),
    }


def test_the_event_log_names_the_hook(tmp_path: Path) -> None:
    row = denial("PreToolUse:Bash hook error: use an agent")
    write(tmp_path / "s1.jsonl", row)
    names = {row["message"]["content"][0]["tool_use_id"]: "delegate"}
    found = Audit(files.collect([tmp_path], use_index=False), Filter(), names).report("day")
    assert [(denied["hook"], denied["count"]) for denied in found["hooks"]["denials"]] == [("delegate", 1)]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("[cchooks] 13,892 characters (3,000 lines) of Bash output were spilled to /x/y.txt\nSearch it", 1),
        ("     1\t[cchooks] 90,000 characters (1 line) were spilled; the file itself is unchanged: /x/y.py", 1),
        ("some names\n[cchooks] 9,000 characters (80 lines) of Grep output were spilled to /x/y.txt", 1),
        ([{"type": "text", "text": POINTER}], 1),
        ([IMAGE, {"type": "text", "text": POINTER}], 1),
        ("the log says: [cchooks] 13,892 characters (3,000 lines) of Bash output were spilled to /x/y.txt", 0),
        ("[cchooks] something else", 0),
        ("    [cchooks] 13,892 characters (3,000 lines) of Bash output were spilled to ~/x.txt", 0),  # an example
        ("name\n" * 1_800 + "[cchooks] 9,000 characters (80 lines) of Grep output were spilled to /x/y.txt", 1),
    ],
)
def test_spills_that_reached_the_model(tmp_path: Path, text: Any, number: int) -> None:
    row = user([result("toolu_1", text)], toolUseResult={"stdout": text})
    found = audited(tmp_path, user("prompt"), row, {**row, "uuid": unique("uuid")})
    assert found["hooks"]["spills"] == {"reached_the_model": number, "sessions": number}


def test_a_pointer_behind_its_own_text_in_a_large_row(tmp_path: Path) -> None:
    text = "[cchooks] 13,892 characters (3,000 lines) of Bash output were spilled to /x/y.txt\n" + "x" * 50_000
    row = user([result("toolu_1", text)], toolUseResult={"originalFile": "y" * 100_000})
    assert audited(tmp_path, user("prompt"), row)["hooks"]["spills"]["reached_the_model"] == 1


def test_a_pointer_behind_much_text_of_another_script(tmp_path: Path) -> None:
    text = "好" * 3_300
    row = user([result("toolu_1", f"{text}\n{POINTER}")])
    row["toolUseResult"] = {"stdout": text, "stderr": POINTER, "interrupted": False}
    path = tmp_path / "s1.jsonl"
    path.write_text(
        "".join(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n" for made in (user("x"), row))
    )
    assert report(tmp_path)["hooks"]["spills"]["reached_the_model"] == 1


@pytest.mark.parametrize("place", ["in front", "behind"])
def test_a_denial_wherever_its_kind_stands(tmp_path: Path, place: str) -> None:
    row = denial("no", "user-rejected", userFeedback="word " * 1000)
    kind = {"toolDenialKind": row.pop("toolDenialKind")}
    row = {"parentUuid": None, **kind, **row} if place == "in front" else {**row, **kind, "userFeedback": "w" * 5000}
    found = audited(tmp_path, user("prompt"), row)
    assert [(denied["kind"], denied["count"]) for denied in found["hooks"]["denials"]] == [("user-rejected", 1)]


@pytest.mark.parametrize("printed", [10, 600, 3_900])
def test_a_pointer_behind_what_a_command_printed(tmp_path: Path, printed: int) -> None:
    text = "o" * printed
    row = user([result("toolu_1", f"{text}\n{POINTER}")], toolUseResult={"stdout": text, "stderr": POINTER})
    assert audited(tmp_path, user("prompt"), row)["hooks"]["spills"]["reached_the_model"] == 1


def test_a_denial_of_a_command_that_complained_of_nothing(tmp_path: Path) -> None:
    row = denial("no", toolUseResult={"stdout": "", "stderr": "", "interrupted": False})
    kind = row.pop("toolDenialKind")
    found = audited(tmp_path, user("prompt"), {**row, "toolDenialKind": kind})
    assert sum(row["count"] for row in found["hooks"]["denials"]) == 1


def test_a_denial_at_the_end_of_a_large_row(tmp_path: Path) -> None:
    row = denial("z" * 60_000, toolUseResult="z" * 60_000)
    kind = row.pop("toolDenialKind")
    found = audited(tmp_path, user("prompt"), {**row, "toolDenialKind": kind})
    assert sum(row["count"] for row in found["hooks"]["denials"]) == 1


def hook(kind: str, command: str, took: Any, event: str = "PostToolUse") -> Row:
    held = {"type": kind, "hookEvent": event, "command": command, "durationMs": took, "hookName": f"{event}:Bash"}
    return {"parentUuid": None, "isSidechain": False, "attachment": held, "type": "attachment", "uuid": unique("uuid")}


@pytest.mark.parametrize(
    ("errors", "failed"),
    [
        ([], []),
        (["stopping: command not found"], ["stopping"]),
        (["x"], ["other"]),
        (["x", "y"], ["other", "stopping"]),
    ],
)
def test_stop_hooks_that_failed(tmp_path: Path, errors: list[str], failed: list[str]) -> None:
    infos = [{"command": "/x/other", "durationMs": 1}, {"command": "/x/stopping", "durationMs": 8}]
    row = {"type": "system", "subtype": "stop_hook_summary", "uuid": "u1", "hookInfos": infos, "hookErrors": errors}
    runs = audited(tmp_path, row)["hooks"]["runs"]
    assert [run["command"] for run in runs if run["errors"]] == failed


def test_runs_of_hooks(tmp_path: Path) -> None:
    rows = [
        hook("hook_success", "/home/u/bin/cchooks-spill", 10),
        hook("hook_success", '"/home/u/bin/cchooks-spill" --flag', 30),
        hook("hook_error_during_execution", "cchooks-spill", None),
        hook("hook_non_blocking_error", "cchooks-spill", 80),
        hook("hook_additional_context", "", None),
        {
            "type": "system",
            "subtype": "stop_hook_summary",
            "uuid": "u1",
            "hookInfos": [{"command": "python3 /x/stop.py", "durationMs": 7}, {"command": "other", "durationMs": 8}],
        },
    ]
    found = audited(tmp_path, *rows, *rows)["hooks"]["runs"]
    assert found[0] == {
        "event": "PostToolUse",
        "command": "cchooks-spill",
        "runs": 4,
        "errors": {"hook_error_during_execution": 1, "hook_non_blocking_error": 1},
        "median_ms": 30,
        "longest_ms": 80,
    }
    assert [(run["event"], run["command"], run["runs"]) for run in found[1:]] == [
        ("Stop", "other", 1),
        ("Stop", "stop.py", 1),
    ]
