"""`cchooks stats`: a share kept out of the context that can only be too small."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from cchooks_suite.hooks import events
from cchooks_suite.transcripts.stats import Compression, lifetime, sessions
from hypothesis import given
from hypothesis import strategies as st

from .audit_rows import assistant, result, tokens, user, write

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Home

Event = dict[str, Any]


def spill(avoided: int, returned: int, **more: Any) -> Event:
    return {
        "time": 10.0,
        "hook": "spill",
        "event": "spill",
        "session": "s1",
        "avoided": avoided,
        "returned": returned,
        **more,
    }


def read_back(returned: int, **more: Any) -> Event:
    return {"time": 20.0, "hook": "spill", "event": "readback", "session": "s1", "returned": returned, **more}


@pytest.mark.parametrize(
    ("avoided", "returned", "percent", "multiplier"),
    [
        (0, 0, None, None),
        (9000, 1000, 90.0, 10.0),
        (498_528, 0, 100.0, None),  # nothing returned: no multiplier
        (10**9, 1, 99.9, 10**9 + 1),  # never 100.0 while anything was returned
        (9_990, 10, 99.9, 1000.0),
        (99_951, 49, 99.9, 2040.8),
        (9539, 461, 95.4, 21.7),  # 95.39 is rounded, not cut
        (9535, 465, 95.4, 21.5),  # half up
        (0, 500, 0.0, 1.0),
        (1, 0, 100.0, None),
        (1, 1, 50.0, 2.0),
        (1, 2, 33.3, 1.5),
    ],
)
def test_strict_compression(avoided: int, returned: int, percent: float | None, multiplier: float | None) -> None:
    made = Compression(avoided, returned)
    assert (made.percent, made.multiplier) == (percent, multiplier)


@given(st.integers(0, 10**12), st.integers(0, 10**12))
def test_the_share_is_exact_and_capped(avoided: int, returned: int) -> None:
    made = Compression(avoided, returned)
    if not avoided + returned:
        assert made.percent is None
        return
    assert made.percent is not None
    exact = 100 * (1 - Fraction(max(1, returned) if returned else 0, avoided + returned))
    assert (
        made.percent == 99.9
        if returned and exact >= Fraction(9995, 100)
        else abs(made.percent - exact) <= Fraction(51, 1000)
    )
    assert (made.percent == 100.0) == (returned == 0)


def test_a_session_adds_pointers_and_read_backs() -> None:
    [row] = sessions([spill(29_000, 1000, chars=500_000), spill(900, 100), read_back(400)])
    assert (row["without"], row["with"]) == (29_900 + 1500, 1500)
    assert (row["spills"], row["read_backs"], row["kept_out_percent"]) == (2, 1, 95.2)


def test_what_was_written_to_files_is_in_neither_side() -> None:
    [row] = sessions([spill(29_000, 1000, chars=10**9, path="/x")])
    assert row["without"] == 30_000


def test_a_read_back_before_any_spill_is_none_of_a_spilled_file() -> None:
    [row] = sessions([read_back(400, time=5.0), spill(900, 100)])
    assert (row["read_backs"], row["returned"]) == (0, 100)
    [row] = sessions([read_back(400)])
    assert (row["returned"], row["kept_out_percent"]) == (0, None)


def test_sessions_stand_apart() -> None:
    rows = sessions([spill(900, 100, session="b", time=30.0), spill(50, 50), read_back(10, session="b", time=40.0)])
    assert [(row["session"], row["kept_out_percent"]) for row in rows] == [("s1", 50.0), ("b", 89.1)]


def test_decisions_by_hook() -> None:
    denied = {"hook": "delegate", "event": "deny", "session": "s1"}
    [row] = sessions([denied, denied, {"hook": "launch", "event": "fix", "session": "s1"}])
    assert row["decisions"] == [
        {"hook": "delegate", "event": "deny", "count": 2},
        {"hook": "launch", "event": "fix", "count": 1},
    ]
    assert row["kept_out_percent"] is None


@pytest.mark.parametrize("odd", [None, "5", -5, True, 1.5, [], {}, 10**400])
def test_foreign_numbers_count_nothing(odd: Any) -> None:
    [row] = sessions([spill(odd, odd, time=odd, chars=odd)])
    assert (row["without"], row["kept_out_percent"]) == (0, None)
    assert lifetime([spill(odd, odd, chars=odd)])["spilled_characters"] == 0


def test_lifetime_has_its_own_definition() -> None:
    total = lifetime([spill(29_000, 1000, chars=500_000), spill(1, 1, chars=7, session="s2"), read_back(400)])
    assert (total["sessions"], total["spills"], total["spilled_characters"], total["read_backs"]) == (2, 2, 500_007, 1)
    assert "kept_out_percent" not in total
    assert total["definition"]


# The command ----------------------------------------------------------------------------------------------------


@pytest.fixture
def log(home: Home) -> Path:
    """A log: a session with a spill read back and a denial, one whose pointer nobody returned, one without a spill."""
    rows: list[Event] = [
        spill(29_000, 1000, id="toolu_1", path="/x/a.txt", chars=500_000, time=1796030000.0),
        spill(29_000, 1000, id="toolu_1", path="/x/a.txt", chars=500_000, time=1796030000.5),
        spill(1000, 500, id="toolu_2", path="/x/b.txt", chars=1500, time=1796030001.0),
        read_back(500, id="toolu_3", time=1796030002.0),
        {"time": 1796030003.0, "hook": "delegate", "event": "deny", "session": "s1", "id": "toolu_4"},
        spill(700, 0, session="s2", id="toolu_5", time=1796116400.0),
        {"time": 1796116500.0, "hook": "launch", "event": "fix", "session": "s3", "id": "toolu_6"},
    ]
    return write(home.state / events.FILE_NAME, *rows, b'{"torn')


def stats(home: Home, *arguments: str) -> dict[str, Any]:
    done = home.run("cchooks", "stats", "--json", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def said(characters: int) -> str:
    return f"{characters:,} characters (about {characters // 4:,} tokens at 4 characters each)"


@pytest.mark.usefixtures("log")
def test_a_person_reads_it(home: Home) -> None:
    done = home.run("cchooks", "stats")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "Session s1 · 2026-11-30 09:13 to 2026-11-30 09:13 UTC",
        "  kept out [##################..] 93.8 %, 16.0 times as much without",
        f"  without the hooks {said(32_000)}, with them {said(2_000)}",
        "  2 spills, 1 read-back",
        "  delegate: denied 1 call",
        "",
        "Session s2 · 2026-12-01 09:13 to 2026-12-01 09:13 UTC",
        "  kept out [####################] 100.0 %",
        f"  without the hooks {said(700)}, with them 0 characters",
        "  1 spill, 0 read-backs",
        "",
        "Session s3 · 2026-12-01 09:15 to 2026-12-01 09:15 UTC",
        "  No spill yet.",
        "  launch: corrected 1 command",
        "",
        "All 3 sessions",
        "  kept out [##################..] 93.9 %, 16.4 times as much without",
        f"  without the hooks {said(32_700)}, with them {said(2_000)}",
        "",
        "All that the event log holds (what tools put out, not what was kept out)",
        "  6 events of 3 sessions since 2026-11-30 09:13 UTC",
        "  3 spills of 501,500 characters; 1 read-back",
        "  delegate: denied 1 call",
        "  launch: corrected 1 command",
        "",
        "1 line of the event log could not be read",
    ]


def test_sessions_whose_spills_kept_nothing_out(home: Home) -> None:
    write(home.state / events.FILE_NAME, spill(0, 0, id="toolu_1"), spill(0, 0, id="toolu_2", session="s2"))
    lines = home.run("cchooks", "stats").stdout.splitlines()
    assert lines.count("  1 spill that kept nothing out.") == 2
    assert "%" not in "".join(lines)


def test_more_read_back_than_kept_out(home: Home) -> None:
    rows = (spill(12_764, 1128, id="toolu_1", time=1.0), read_back(14_015, id="toolu_2", time=2.0))
    write(home.state / events.FILE_NAME, *rows)
    lines = home.run("cchooks", "stats").stdout.splitlines()
    assert "  read back: 14,015 characters, more than the 12,764 that the spills kept out" in lines
    assert "  kept out [#########...........] 45.7 %, 1.8 times as much without" in lines


def test_read_backs_of_what_another_session_spilled(home: Home) -> None:
    write(home.state / events.FILE_NAME, spill(700, 500, time=1.0), read_back(900, session="s2", time=2.0))
    lines = home.run("cchooks", "stats", "--session", "s2").stdout.splitlines()
    assert lines[1:3] == [
        "  No spill yet.",
        "  not in these figures: 1 read-back of 900 characters, of files whose spill is not counted here",
    ]


def test_a_log_of_garbage_and_one_that_is_a_folder(home: Home) -> None:
    write(home.state / events.FILE_NAME, b"garbage", b"more")
    lines = home.run("cchooks", "stats").stdout.splitlines()
    assert (lines[0], lines[-1]) == ("No event could be read.", "2 lines of the event log could not be read")
    (home.state / events.FILE_NAME).unlink()
    (home.state / events.FILE_NAME).mkdir()
    lines = home.run("cchooks", "stats").stdout.splitlines()
    assert (lines[0], lines[-1]) == (
        "No event could be read.",
        f"not read: {home.state / events.FILE_NAME}: Is a directory",
    )


def test_names_that_a_terminal_would_act_on(home: Home) -> None:
    write(home.state / events.FILE_NAME, spill(700, 500, session="s\x1b[31m", hook="a\x07b"))
    said = home.run("cchooks", "stats").stdout
    assert "\x1b" not in said
    assert "s\\x1b[31m" in said


def test_verify_of_a_session_that_can_be_no_file(home: Home) -> None:
    write(home.state / events.FILE_NAME, spill(700, 500, session="s" * 300, id="toolu_1", path="/x"))
    (home.config / "projects" / "p").mkdir(parents=True)
    [row] = stats(home, "--verify")["sessions"]
    assert (row["spills"], row["not_shown"]) == (0, 1)


def test_no_spill_yet(home: Home) -> None:
    done = home.run("cchooks", "stats")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == "No spill yet, and nothing denied."
    assert "[" not in done.stdout
    assert "%" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ([], ["s1", "s2", "s3"]),
        (["--session", "s2"], ["s2"]),
        (["--session", "x"], []),
        (["--since", "2026-12-01"], ["s2", "s3"]),
        (["--since", "2026-12-01T09:14"], ["s3"]),
    ],
)
@pytest.mark.usefixtures("log")
def test_filters(home: Home, arguments: list[str], names: list[str]) -> None:
    found = stats(home, *arguments)
    assert [row["session"] for row in found["sessions"]] == names
    assert found["lifetime"]["spills"] == 3
    assert found["log"] == {"events": 6, "broken_lines": 1, "repeated": 1, "unreadable": []}


@pytest.mark.usefixtures("log")
def test_a_time_that_makes_no_sense(home: Home) -> None:
    done = home.run("cchooks", "stats", "--since", "soon")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: --since: found 'soon', expected a date, a time or an age such as 7d\nhint: ")


POINTER = "[cchooks] 500,000 characters (9 lines) of Bash output were spilled to {}\nSearch it with grep -n"


@pytest.mark.parametrize(
    ("file", "call", "path", "spills"),
    [
        ("p/s1.jsonl", "toolu_1", "/x/a.txt", 1),
        ("p/s1/subagents/agent-a.jsonl", "toolu_1", "/x/a.txt", 1),
        ("p/s1.jsonl", "toolu_1", "/x/other.txt", 0),
        ("p/s1.jsonl", "toolu_9", "/x/a.txt", 0),
        ("p/other.jsonl", "toolu_1", "/x/a.txt", 0),
    ],
)
@pytest.mark.usefixtures("log")
def test_verify_counts_what_can_be_shown(home: Home, file: str, call: str, path: str, spills: int) -> None:
    row = user([result(call, POINTER.format(path))])
    write(home.config / "projects" / file, user("prompt"), assistant(tokens(1000)), row)
    [found] = stats(home, "--verify", "--session", "s1")["sessions"]
    assert (found["spills"], found["not_shown"]) == (spills, 2 - spills)
    assert found["without"] == (30_500 if spills else 0)
    said = home.run("cchooks", "stats", "--verify", "--session", "s1").stdout
    assert f"{2 - spills} spill{'s' if spills == 0 else ''} left out: no pointer found in a transcript" in said


@pytest.mark.usefixtures("log")
def test_verify_without_transcripts(home: Home) -> None:
    assert [row["spills"] for row in stats(home, "--verify")["sessions"]] == [0, 0, 0]


def test_the_hooks_own_events_are_understood(home: Home) -> None:
    """The installed spill hook writes what `stats` reads: Bash output counts at most what the client shows."""
    transcript = home.config / "projects" / "p" / "s1.jsonl"
    transcript.parent.mkdir(parents=True)
    payload = {
        "session_id": "s1",
        "transcript_path": str(transcript),
        "cwd": str(home.project),
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "seq 1 9"},
        "tool_use_id": "toolu_1",
        "tool_response": {"stdout": "x" * 60_000, "stderr": "", "interrupted": False, "isImage": False},
    }
    done = home.run("cchooks-spill", stdin=json.dumps(payload))
    pointer = json.loads(done.stdout)["hookSpecificOutput"]["updatedToolOutput"]["stdout"]
    write(transcript, user("prompt"), user([result("toolu_1", pointer)]))
    [row] = stats(home, "--verify")["sessions"]
    assert (row["spills"], row["not_shown"]) == (1, 0)
    assert (row["without"], row["with"]) == (30_000, len(pointer))


def test_a_session_that_is_not_there(home: Home) -> None:
    done = home.run("cchooks", "stats", "--session", "nope")
    assert done.stdout.splitlines()[0] == "No session with events matches."
