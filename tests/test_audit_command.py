"""`cchooks audit` as a person runs it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from cchooks_suite.transcripts import report as text_report
from cchooks_suite.transcripts import table
from cchooks_suite.transcripts.moments import argument, moment, seconds
from hypothesis import given
from hypothesis import strategies as st

from .audit_rows import (
    advice,
    assistant,
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
from .bench import transcripts

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from .conftest import Home


@pytest.fixture
def projects(home: Home) -> Path:
    """The client's projects folder with one session of the reference request, its agent, and another session."""
    root = home.config / "projects"
    used = usage(message(124_519), advice(124_900), message(127_361))
    write(
        root / "p" / "s1.jsonl",
        assistant(used, timestamp="2026-11-28T10:00:00.000Z"),
        boundary(254_808, timestamp="2026-11-28T10:05:00.000Z"),
        assistant(tokens(30_000), timestamp="2026-11-29T11:00:00.000Z"),
    )
    agent = assistant(tokens(9_000), timestamp="2026-11-28T10:01:00.000Z", isSidechain=True, agentId="a1")
    write(root / "p" / "s1" / "subagents" / "agent-a1.jsonl", agent)
    other = assistant(tokens(400), timestamp="2026-11-30T23:00:00.000Z", sessionId="s2", model="claude-haiku-5-5")
    write(root / "q" / "s2.jsonl", other)
    return root


def audit(home: Home, *arguments: str) -> dict[str, Any]:
    done = home.run("cchooks", "audit", "--json", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)  # type: ignore[no-any-return]


@pytest.mark.usefixtures("projects")
def test_a_person_reads_it_at_a_glance(home: Home) -> None:
    done = home.run("cchooks", "audit")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("3 transcripts, 0.0 MB · 2026-11-28 10:00 to 2026-11-30 23:00 UTC")
    [compaction] = [line for line in lines if " doubled " in line and "s1" in line]
    expected = ["s1", "main", "doubled", "auto", "254,808", "251,880", "127,361", "2.00", "1"]
    assert compaction.split() == ["2026-11-28", "10:05", *expected]
    assert any(line.split()[:3] == ["2026-11-28", "2", "127,361"] for line in lines)
    assert all(len(line) <= 160 for line in lines)
    assert "\x1b" not in done.stdout


@pytest.mark.usefixtures("projects")
def test_colour_where_it_is_asked_for(home: Home) -> None:
    done = home.run("cchooks", "audit", env={"FORCE_COLOR": "1", "COLUMNS": "160"})
    assert done.returncode == 0
    assert "254,808" in done.stdout


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="the system has no pseudo-terminals")
@pytest.mark.parametrize(("form", "drawn"), [("--by=day", True), ("--json", False), ("--csv", False)])
@pytest.mark.usefixtures("projects")
def test_a_progress_bar_on_a_terminal(home: Home, form: str, drawn: bool) -> None:
    ours, theirs = os.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "cchooks_suite.cli", "audit", form],  # rich is installed here
        env={**home.env, "TERM": "xterm"},
        check=True,
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    os.write(theirs, b"end")
    told = b""
    while not told.endswith(b"end"):
        told += os.read(ours, 1 << 16)
    os.close(ours)
    os.close(theirs)
    assert ("━".encode() in told) == drawn  # the bar
    assert drawn or told == b"end"
    assert b"2026-11-28" in done.stdout


@pytest.mark.usefixtures("projects")
def test_json_says_what_the_text_says(home: Home) -> None:
    found = audit(home)
    assert found["schema"] == 1
    assert found["scope"]["time_zone"] == "UTC"
    assert found["totals"]["requests"] == 4
    assert [group["day"] for group in found["groups"]] == ["2026-11-28", "2026-11-29", "2026-11-30"]
    assert found["compactions"]["counts"] == {"doubled": 1, "phantom": 0, "genuine": 0, "unknown": 0}


@pytest.mark.parametrize(
    ("arguments", "requests", "compactions"),
    [
        ([], 4, 1),
        (["--since", "2026-11-29"], 2, 0),
        (["--until", "2026-11-28"], 2, 1),
        (["--since", "2026-11-28T10:01"], 3, 1),
        (["--until", "2026-11-28T10:01"], 1, 0),
        (["--since", "2026-11-28T12:01+02:00", "--until", "2026-11-28T10:05"], 1, 0),
        (["--session", "s1"], 3, 1),
        (["--session", "s2"], 1, 0),
        (["--session", "s"], 4, 1),
        (["--session", "none"], 0, 0),
        (["--since", "2030-01-01"], 0, 0),
    ],
)
@pytest.mark.usefixtures("projects")
def test_filters(home: Home, arguments: list[str], requests: int, compactions: int) -> None:
    found = audit(home, *arguments)
    assert (found["totals"]["requests"], sum(found["compactions"]["counts"].values())) == (requests, compactions)


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("day", ["2026-11-28", "2026-11-29", "2026-11-30"]),
        ("session", ["s1", "s2"]),
        ("model", ["claude-haiku-5-5", "claude-opus-5-5"]),
        ("kind", ["main", "subagent"]),
    ],
)
@pytest.mark.usefixtures("projects")
def test_groups_as_json_csv_and_text(home: Home, by: str, names: list[str]) -> None:
    assert [group[by] for group in audit(home, "--by", by)["groups"]] == names
    done = home.run("cchooks", "audit", "--csv", "--by", by)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row[by] for row in rows] == [*names, "total"]
    assert sum(int(row["read_volume"]) for row in rows[:-1]) == int(rows[-1]["read_volume"]) == 291_280
    assert f"Requests by {by}" in home.run("cchooks", "audit", "--by", by).stdout


def test_paths_instead_of_the_projects_folder(home: Home, projects: Path) -> None:
    assert audit(home, str(projects / "q"))["totals"]["requests"] == 1
    assert audit(home, str(projects / "q" / "s2.jsonl"), str(projects / "p"))["totals"]["requests"] == 4
    assert audit(home, str(projects / "p"), str(projects))["totals"]["requests"] == 4


def test_the_config_folder_of_the_client(home: Home, projects: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    projects.rename(tmp_path / "elsewhere" / "projects")
    done = home.run("cchooks", "audit", "--json", env={"CLAUDE_CONFIG_DIR": str(tmp_path / "elsewhere")})
    assert json.loads(done.stdout)["totals"]["requests"] == 4


@pytest.mark.usefixtures("projects")
def test_a_second_run_says_the_same(home: Home) -> None:
    first = audit(home)
    assert list((home.home / ".cache" / "cchooks" / "audit").iterdir())
    assert audit(home) == first == audit(home, "--no-index")


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["/no/such/folder"], 1, "/no/such/folder: found nothing, expected transcripts or a folder of them"),
        (["--until", "9999-12-31"], 2, "--until: found '9999-12-31', expected a date, a time or an age such as 7d"),
        ([""], 2, "found an empty PATH, expected a file or folder"),
        (
            ["--since", "2026-12-01", "--until", "2026-11-30"],
            2,
            "--since 2026-12-01 --until 2026-11-30: expected --since to be the earlier one",
        ),
        (["--since", "yesterdayish"], 2, "--since: found 'yesterdayish', expected a date, a time or an age such as 7d"),
        (["--until", "2026-13-01"], 2, "--until: found '2026-13-01', expected a date, a time or an age such as 7d"),
    ],
)
@pytest.mark.usefixtures("projects")
def test_errors_are_one_line_and_a_hint(home: Home, arguments: list[str], status: int, said: str) -> None:
    done = home.run("cchooks", "audit", *arguments)
    assert (done.returncode, done.stdout) == (status, "")
    first, second = done.stderr.splitlines()
    assert first == f"error: {said}"
    assert second.startswith("hint: ")


@pytest.mark.parametrize("content", ["# Read me\n\nx\n", '{"a": 1}\n', "x"])
def test_a_file_that_is_no_transcript(home: Home, tmp_path: Path, content: str) -> None:
    (tmp_path / "README.md").write_text(content)
    done = home.run("cchooks", "audit", str(tmp_path / "README.md"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "README.md: found no row of a transcript, expected a .jsonl file of Claude Code" in done.stderr


def test_a_session_named_as_a_path(home: Home) -> None:
    done = home.run("cchooks", "audit", "56fdde35")
    assert done.stderr.splitlines()[1] == "hint: cchooks audit --session 56fdde35"


@pytest.mark.usefixtures("projects")
def test_a_filter_that_nothing_fits_says_so(home: Home) -> None:
    done = home.run("cchooks", "audit", "--session", "nope")
    assert done.stdout.splitlines()[0] == "3 transcripts, 0.0 MB · no request with --session nope"
    assert "Left out" not in done.stdout


@pytest.mark.usefixtures("projects")
def test_csv_has_the_same_header_whatever_is_found(home: Home) -> None:
    days = ("2026-01-01", "2030-01-01")
    first, second = (home.run("cchooks", "audit", "--csv", "--since", day).stdout.splitlines() for day in days)
    assert (len(first), len(second)) == (5, 2)
    assert first[0] == second[0]


def test_totals_of_the_client_outside_the_time_are_left_out(tmp_path: Path) -> None:
    for number in (1, 2):
        row = assistant(tokens(1000), sessionId=f"s{number}", timestamp=f"2026-11-0{number}T10:00:00.000Z")
        cost = {"type": "cost-state", "sessionId": f"s{number}", "modelUsage": {"m": {"inputTokens": 5}}}
        write(tmp_path / f"s{number}.jsonl", row, cost)
    assert {row["session"] for row in report(tmp_path)["cost_state"]} == {"s1", "s2"}
    assert {row["session"] for row in report(tmp_path, since="2026-11-02")["cost_state"]} == {"s2"}


def test_nothing_to_read(home: Home) -> None:
    projects = home.config / "projects"
    for _ in ("no folder", "an empty one"):
        done = home.run("cchooks", "audit")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"No transcripts yet below {projects}: Claude Code writes one for each session.\n"
        assert audit(home)["totals"]["requests"] == 0
        projects.mkdir(parents=True, exist_ok=True)
    done = home.run("cchooks", "audit", str(projects))
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{projects}: found no transcripts, expected .jsonl files" in done.stderr


def test_an_empty_file_that_is_named(home: Home) -> None:
    (home.project / "s1.jsonl").touch()
    found = audit(home, str(home.project / "s1.jsonl"))
    assert (found["totals"]["requests"], found["reading"]["rows"]) == (0, 0)


@pytest.mark.usefixtures("projects")
def test_a_report_says_what_it_was_narrowed_to(home: Home) -> None:
    done = home.run("cchooks", "audit", "--since", "2026-11-28", "--until", "2026-11-28", "--session", "s1")
    said = "with --since 2026-11-28 00:00 --until 2026-11-29 00:00 --session s1"
    assert done.stdout.splitlines()[0].endswith(said)


def test_text_that_the_terminal_cannot_hold(home: Home, projects: Path) -> None:
    row = user(
        [result(unique("toolu"), "PreToolUse:Bash hook error: größer … \x1b[31m")], toolDenialKind="permission-rule"
    )
    write(projects / "p" / "s3.jsonl", assistant(tokens(1000)), row)
    done = home.run("cchooks", "audit", env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert done.returncode == 0
    assert "gr\\xf6\\xdfer" in done.stdout
    assert "\x1b" not in done.stdout


def test_json_that_the_output_cannot_hold(home: Home, projects: Path) -> None:
    write(projects / "p" / "größer.jsonl", assistant(tokens(1000), sessionId="größer"))
    for form in ("--json", "--csv"):
        done = home.run("cchooks", "audit", form, "--by", "session", env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
        assert (done.returncode, done.stderr) == (0, "")
        if form == "--json":
            assert "größer" in {group["session"] for group in json.loads(done.stdout)["groups"]}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no device that is always full")
@pytest.mark.parametrize("form", ["--json", "--csv", "--by=day"])
@pytest.mark.usefixtures("projects")
def test_an_output_that_is_full(home: Home, form: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [str(home.suite.bin("cchooks")), "audit", form],
            env=home.env,
            check=False,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr == "error: the output could not be written: No space left on device\n"


def test_every_part_of_a_report_has_its_table(tmp_path: Path) -> None:
    transcripts.write(tmp_path, 2)
    call = assistant(tokens(1000), content=[bash("toolu_1", "claude --bg x")])
    held = {"type": "hook_success", "hookEvent": "PostToolUse", "command": "cchooks-spill", "durationMs": 5}
    cost = {"type": "cost-state", "sessionId": "s1", "modelUsage": {"m": {"inputTokens": 5}}}
    pointer = "[cchooks] 9 characters (1 line) of x output were spilled to /x"
    write(
        tmp_path / "s1.jsonl",
        call,
        user([result("toolu_1", "backgrounded · 0123abcd")]),
        user([result("toolu_2", pointer)]),
        {"type": "attachment", "attachment": held, "uuid": "u"},
        cost,
        b"{",
        {"type": "hologram"},
    )
    titles = [re.split(r":| \d", made.title)[0] for made in text_report.tables(report(tmp_path, "kind"))]
    assert titles == [
        "Requests by kind",
        "Apart from these",
        "Compactions",
        "Sessions launched with claude --bg or -p",
        "The client's own totals (cost-state) by session and model",
        "Denied calls",
        "Spills whose pointer reached the model",
        "Hook runs in the transcripts",
        "Found while reading",
    ]


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What `shown(report, columns)` prints to a terminal of so many columns, by rich unless `rich=False` is given."""

    def show(found: dict[str, Any], columns: int, *, rich: bool = True) -> str:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(table, "_width", lambda: columns)
        if rich:
            monkeypatch.setenv("FORCE_COLOR", "1")
        text_report.show(found)
        return capsys.readouterr().out

    return show


def test_rich_draws_every_table(tmp_path: Path, shown: Callable[..., str]) -> None:
    transcripts.write(tmp_path, 1)
    found = report(tmp_path, "model")
    found["groups"][0]["model"] = "odd[bold]name"
    printed = shown(found, 200)
    assert "odd[bold]name" in printed
    assert "\x1b[" in printed
    assert "doubled" in printed


def test_without_rich_it_is_plain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setenv("FORCE_COLOR", "1")
    for name in [name for name in sys.modules if name.split(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rich", None)
    transcripts.write(tmp_path, 1)
    text_report.show(report(tmp_path))
    assert "\x1b" not in capsys.readouterr().out


def test_a_plain_table() -> None:
    made = table.Table("Title", ["<name", "count"], [["a", "1"], ["long", "1,000"]], ["a note"])
    assert table.plain(made) == "Title\n  name  count\n  a         1\n  long  1,000\n  a note\n"


def test_signs_of_two_columns_are_counted_as_two() -> None:
    made = table.Table("Title", ["<name", "count"], [["日本", "1"], ["long", "1,000"]])
    assert table.plain(made) == "Title\n  name  count\n  日本      1\n  long  1,000\n"


def test_a_table_wider_than_the_terminal_shows_its_last_column_below() -> None:
    rows = [["a", "1", "because it is so"], ["long", "1,000", ""]]
    made = table.Table("Title", ["<name", "count", "<reason"], rows)
    wide = "Title\n  name  count  reason\n  a         1  because it is so\n  long  1,000\n"
    assert table.plain(made, 40) == wide
    narrow = "Title\n  name  count\n  a         1\n    reason: because it is so\n  long  1,000\n"
    assert table.plain(made, 20) == narrow


def test_a_table_wider_than_the_terminal_breaks_the_names_of_columns_first() -> None:
    rows = [["a", "1", "yes", ""], ["long", "1,000", "no", "7"]]
    made = table.Table("Title", ["<name", "real context", "<holds at all", "x"], rows, ["a note of some words"])
    broken = (
        "Title\n"
        "           real  holds\n"
        "  name  context  at all  x\n"
        "  a           1  yes\n"
        "  long    1,000  no      7\n"
        "  a note of some words\n"
    )
    assert "real context  holds at all" in table.plain(made, 40)
    made.rows = [["a", "1", "yes ok", ""], ["long", "1,000", "no", "7"]]
    assert table.plain(made, 30) == broken.replace("yes", "yes ok")
    assert table.plain(made, 16).endswith("\n  a note of some\n  words\n")


@pytest.mark.parametrize("by", ["day", "model", "kind"])
@pytest.mark.parametrize("form", ["plain", "rich"])
def test_a_report_fits_a_narrow_terminal(by: str, form: str, tmp_path: Path, shown: Callable[..., str]) -> None:
    transcripts.write(tmp_path, 1)
    printed = re.sub(r"\x1b\[[\d;]*m", "", shown(report(tmp_path, by), 84, rich=form == "rich"))
    groups = printed[: printed.index("Compactions")]
    assert max(map(len, groups.splitlines())) <= 84
    assert max(map(len, printed.splitlines())) <= 100


def test_rich_breaks_no_cell(tmp_path: Path, shown: Callable[..., str]) -> None:
    transcripts.write(tmp_path, 1)
    found = report(tmp_path, "session")
    printed = shown(found, 60)
    assert all(group["session"] in printed for group in found["groups"])
    assert "…" not in printed


# Times ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-11-30T09:14:41.691Z", "2026-11-30T09:14:41.691Z"),
        ("2026-11-30T09:14:41Z", "2026-11-30T09:14:41.000Z"),
        ("2026-11-30T09:14:41.691+02:00", "2026-11-30T07:14:41.691Z"),
        ("2026-11-30 09:14:41", "2026-11-30T09:14:41.000Z"),
        (1796030081394, "2026-11-30T09:14:41.394Z"),
        (1796030081.394, "2026-11-30T09:14:41.394Z"),
        ("2026-W48-1T10:06:12.592Z", "2026-11-23T10:06:12.592Z"),
        ("soon", ""),
        (None, ""),
        (True, ""),
        ([], ""),
        (-5, ""),
        (float("nan"), ""),
    ],
)
def test_moments(value: Any, expected: str) -> None:
    assert moment(value) == expected


@given(st.datetimes(timezones=st.timezones()))
def test_every_time_becomes_the_same_moment(value: datetime) -> None:
    made = moment(value.isoformat())
    if made:
        assert len(made) == 24
        assert abs(seconds(made) - value.timestamp()) < 0.0011


def test_times_of_the_command_line() -> None:
    from datetime import UTC
    from datetime import datetime as time

    now = time(2026, 11, 30, 12, tzinfo=UTC)
    assert argument("7d", now) == "2026-11-23T12:00:00.000Z"
    assert argument("90m", now) == "2026-11-30T10:30:00.000Z"
    assert argument("2026-11-30", now) == "2026-11-30T00:00:00.000Z"
    assert argument("2026-11-30", now, end=True) == "2026-12-01T00:00:00.000Z"
    assert argument("2026-11-30T08:00-01:00", now, end=True) == "2026-11-30T09:00:00.000Z"
