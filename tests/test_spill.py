"""spill: which strings are replaced, where they go, and what must never happen."""

from __future__ import annotations

import copy
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cchooks_suite.hooks import config, spill, store
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from . import replay
from .conftest import Home
from .test_replay import differences

SESSION = "00000000-0000-0000-0000-000000000000"
LONG = "\n".join(f"line {n} of a long output" for n in range(400))


def payload(home: Home, tool: str, result: Any, **fields: Any) -> dict[str, Any]:
    home.config.mkdir(exist_ok=True)
    return {
        "hook_event_name": "PostToolUse",
        "session_id": SESSION,
        "transcript_path": str(home.config / "projects" / "-project" / f"{SESSION}.jsonl"),
        "cwd": str(home.project),
        "tool_name": tool,
        "tool_input": {},
        "tool_response": result,
        "tool_use_id": "toolu_1",
        **fields,
    }


def bash(home: Home, text: str = LONG, **fields: Any) -> dict[str, Any]:
    return payload(home, "Bash", {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}, **fields)


def ask(home: Home, call: dict[str, Any]) -> Any:
    done = home.run("cchooks-spill", stdin=json.dumps(call))
    assert (done.returncode, done.stderr) == (0, "")
    return replay.decision(done)


def output(decision: Any) -> Any:
    return decision["hookSpecificOutput"]["updatedToolOutput"]


def spilled(home: Home) -> list[Path]:
    return sorted(home.root.rglob("tool-results/**/*.txt"))


# What is replaced.


@pytest.mark.parametrize(("length", "speaks"), [(4000, False), (4001, True)])
def test_the_threshold_is_in_characters(length: int, speaks: bool, home: Home) -> None:
    assert (ask(home, bash(home, "é" * length)) is not None) == speaks
    assert (ask(home, bash(home, "\U0001f600" * length, tool_use_id="toolu_2")) is not None) == speaks


UNTOUCHED: dict[str, tuple[str, Any]] = {
    "the client saved it": (
        "Bash",
        {"stdout": LONG, "stderr": "", "persistedOutputPath": "/x", "persistedOutputSize": 9},
    ),
    "an image of Bash": ("Bash", {"stdout": LONG, "stderr": "", "isImage": True}),
    "a bare string of Bash": ("Bash", LONG),
    "a list of Bash": ("Bash", [LONG]),
    "null": ("Bash", None),
    "an image": ("Read", {"type": "image", "file": {"base64": LONG, "type": "image/png", "originalSize": 1}}),
    "a PDF": ("Read", {"type": "pdf", "file": {"filePath": "/a", "base64": LONG * 3, "originalSize": 1}}),
    "a notebook": ("Read", {"type": "notebook", "file": {"filePath": "/a", "cells": [{"source": LONG * 3}]}}),
    "a file that did not change": ("Read", {"type": "file_unchanged", "file": {"filePath": "/a", "content": LONG * 3}}),
    "a text without a path": ("Read", {"type": "text", "file": {"content": LONG * 3}}),
    "an image of MCP": ("mcp__a__b", [{"type": "image", "data": LONG, "mimeType": "image/png"}]),
    "a resource of MCP": ("mcp__a__b", [{"type": "resource", "resource": {"uri": "x", "text": LONG}}]),
    "a block of MCP of another type": ("mcp__a__b", [{"type": "note", "text": LONG}]),
    "an object of MCP": ("mcp__a__b", {"content": LONG}),
    "a tool it does not know": ("Frobnicate", {"stdout": LONG}),
    "a subagent's report": ("Agent", {"content": [{"type": "text", "text": LONG}]}),
    "names that are not all strings": ("Glob", {"filenames": [LONG, None], "numFiles": 2}),
}


@pytest.mark.parametrize(("tool", "result"), UNTOUCHED.values(), ids=UNTOUCHED)
def test_what_passes_untouched(tool: str, result: Any, home: Home) -> None:
    assert ask(home, payload(home, tool, result)) is None
    assert spilled(home) == []
    assert not home.state.exists()


def test_a_failing_command_passes(home: Home) -> None:
    call = bash(home) | {"hook_event_name": "PostToolUseFailure", "error": LONG}
    assert ask(home, call) is None


def test_blocks_beside_a_long_text_stay(home: Home) -> None:
    blocks = [
        {"type": "text", "text": LONG, "annotations": {"a": 1}},
        {"type": "image", "data": LONG},
        {"type": "text", "text": "x"},
    ]
    new = output(ask(home, payload(home, "mcp__a__b", blocks)))
    assert new[1:] == blocks[1:]
    assert new[0]["annotations"] == {"a": 1}
    assert str(spilled(home)[0]) in new[0]["text"]


def read(home: Home, path: str, **fields: Any) -> dict[str, Any]:
    file = {"filePath": path, "content": LONG * 3, "numLines": 1200, "startLine": 1, "totalLines": 1200}
    result = {"type": "text", "file": file, "artifactRead": {"slug": "a", "ver": "1"}}
    return payload(home, "Read", result, **{"tool_input": {"file_path": path}, **fields})


def test_a_read_points_to_the_file_itself(home: Home) -> None:
    new = output(ask(home, read(home, "/srv/app/main.py")))
    assert "/srv/app/main.py" in new["file"]["content"]
    assert new["file"]["numLines"] == 1200
    assert new["artifactRead"] == {"slug": "a", "ver": "1"}
    assert spilled(home) == []


@pytest.mark.parametrize("part", [{"offset": 1}, {"limit": 2000}, {"offset": 0, "limit": 0}], ids=str)
def test_a_read_of_a_part_is_deliberate(part: dict[str, int], home: Home) -> None:
    call = read(home, "/srv/app/main.py", tool_input={"file_path": "/srv/app/main.py", **part})
    assert ask(home, call) is None


@pytest.mark.parametrize("agent", ["a1", None, "", 7], ids=repr)
def test_only_the_main_threads_reads_are_spilled(agent: Any, home: Home) -> None:
    assert (ask(home, read(home, "/srv/app/main.py", agent_id=agent)) is None) == (agent == "a1")
    assert ask(home, bash(home, agent_id=agent)) is not None


def test_an_excerpt_is_never_most_of_the_text(home: Home) -> None:
    file = home.project / ".claude" / "cchooks.toml"
    file.parent.mkdir()
    file.write_text("[spill]\nthreshold = 1000\nhead = 5000\ntail = 5000\n")
    assert len(output(ask(home, bash(home, "x" * 2000)))["stdout"]) < 1500


def test_a_pointer_that_is_no_shorter_is_not_used(home: Home) -> None:
    file = home.project / ".claude" / "cchooks.toml"
    file.parent.mkdir()
    file.write_text("[spill]\nthreshold = 1000\n")
    deep = home.config.joinpath("projects", *["p" * 200] * 4)
    deep.mkdir(parents=True)
    assert ask(home, bash(home, "x" * 1001, transcript_path=str(deep / "s.jsonl"))) is None


def test_the_config_spills_a_subagents_reads(home: Home) -> None:
    file = home.project / ".claude" / "cchooks.toml"
    file.parent.mkdir()
    file.write_text("[spill.tools.Read]\nsubagents = true\nhead = 7\n")
    new = output(ask(home, read(home, "/srv/app/main.py", agent_id="a1")))
    assert new["file"]["content"].endswith("Excerpt, first 7 characters:\nline 0 ")


def test_of_a_long_file_the_pointer_names_all_lines(home: Home) -> None:
    call = read(home, "/srv/app/log.txt")
    call["tool_response"]["file"] |= {"totalLines": 6001, "truncatedByTokenCap": True}
    assert ", the first of 6,001 lines, were spilled" in output(ask(home, call))["file"]["content"]


def test_a_tools_name_is_no_sentence(home: Home) -> None:
    new = output(ask(home, payload(home, "mcp__[x] ignore\nAll good", LONG)))
    assert "of mcp__xignoreAllgood output were spilled" in new


@pytest.mark.parametrize("names", [["a" * 5000], ["a" * 5000, "b"], ["a\nb" * 200] * 25], ids=len)
def test_a_list_of_few_long_names_is_a_pointer_alone(names: list[str], home: Home) -> None:
    new = output(ask(home, payload(home, "Glob", {"filenames": names, "numFiles": len(names)})))
    [pointer] = new["filenames"]
    assert str(spilled(home)[0]) in pointer


# Reading back.


def back(home: Home) -> dict[str, str]:
    """A file's path as a model may write it."""
    below = f"projects/-project/{SESSION}/tool-results"
    folder = home.config / below
    return {
        "whole": f"cat {folder}/gone.txt",
        "from the home folder": f"cat ~/.claude/{below}/gone.txt",
        "by a variable": f'cat "$HOME/.claude/{below}/gone.txt"',
        "quoted in part": f'cat "${{HOME}}"/.claude/{below}/"gone.txt"',
        "by the client's variable": f"cat $CLAUDE_CONFIG_DIR/{below}/gone.txt",
        "with a backslash": f"cat {str(folder).replace('-', chr(92) + '-')}/gone.txt",
        "after cd": f"cd ~/.claude && cat {below}/gone.txt",
        "in the folder": f"cd {folder} && ls",
        "by its name alone": "cd there && cat Bash-toolu_1.txt",
        "by a link": "tail -n 300 link.txt",
        "the client's own file": f"head -n 500 {folder}/toolu_9.json",
        "another session's": f"cat {home.config}/projects/-project/11111111/tool-results/b.txt",
        "a background task's": f"cat /tmp/claude-0/-project/{SESSION}/tasks/b1.output",
    }


HOWS = [
    "whole",
    "from the home folder",
    "by a variable",
    "quoted in part",
    "by the client's variable",
    "with a backslash",
    "after cd",
    "in the folder",
    "by its name alone",
    "by a link",
    "the client's own file",
    "another session's",
    "a background task's",
]


@pytest.mark.parametrize("how", HOWS)
def test_reading_a_spilled_file_back_passes(how: str, home: Home) -> None:
    assert ask(home, bash(home)) is not None
    (home.config / "projects" / "-project" / "11111111").mkdir()
    (home.project / "link.txt").symlink_to(spilled(home)[0])
    call = bash(home, tool_use_id="toolu_2", tool_input={"command": back(home)[how]})
    assert ask(home, call) is None
    assert len(spilled(home)) == 1


def test_reading_a_link_to_a_spilled_file_passes(home: Home) -> None:
    assert ask(home, bash(home)) is not None
    link = home.project / "link.txt"
    link.symlink_to(spilled(home)[0])
    assert ask(home, read(home, str(link))) is None


def test_a_long_command_is_looked_at_in_no_time(home: Home) -> None:
    call = bash(home, tool_input={"command": "cat " + "../" * 1_000_000 + "tool-results/x"})
    assert ask(home, call) is not None


def test_reading_back_from_the_project_folder_passes(home: Home) -> None:
    lost = bash(home) | {"transcript_path": None}
    path = output(ask(home, lost))["stdout"].split(" spilled to ")[1].split("\n")[0]
    assert Path(path) == home.project / ".cchooks" / "tool-results" / SESSION / "Bash-toolu_1.txt"
    for command in (
        f"cat {path}",
        f"cat {os.path.relpath(path, home.project)}",
        f"cd .cchooks; cat tool-results/{SESSION}/x",
        "grep -rn 1 ./.cchooks",
    ):
        assert ask(home, lost | {"tool_use_id": "toolu_2", "tool_input": {"command": command}}) is None
    whole = read(home, path) | {"transcript_path": None}
    assert ask(home, whole) is None


@pytest.mark.parametrize("command", ["cat ~/out/tool-results/S/x", "cd ~/out && cat tool-results/{SESSION}/x"])
def test_reading_back_from_a_folder_of_the_users_own_passes(command: str, home: Home) -> None:
    config_file = home.home / ".config" / "cchooks" / "config.toml"
    config_file.parent.mkdir(parents=True)
    config_file.write_text('[spill]\nfolder = "~/out"\n')
    assert ask(home, bash(home)) is not None
    assert [path.parent.parent for path in spilled(home)] == [home.home / "out" / "tool-results"]
    call = bash(home, tool_use_id="toolu_2", tool_input={"command": command.replace("{SESSION}", SESSION)})
    assert ask(home, call) is None


def test_a_projects_own_folder_of_that_name_is_no_spill(home: Home) -> None:
    call = bash(home, tool_input={"command": "cat /srv/app/tool-results/report.txt"})
    assert ask(home, call) is not None


# The file.


@pytest.mark.parametrize(
    "text", [LONG, "\ud800" * 5000, "a\r\nb\u2028\x00\x1b" * 1000, '"\\' * 3000, "\U0001f600é" * 3000], ids=ascii
)
def test_the_files_bytes_are_the_strings(text: str, home: Home) -> None:
    assert ask(home, bash(home, text)) is not None
    [file] = spilled(home)
    assert file.read_bytes() == text.encode("utf-8", "surrogatepass")


def test_the_file_is_in_the_sessions_folder_and_private(home: Home) -> None:
    ask(home, bash(home))
    [file] = spilled(home)
    assert file.parent == home.config / "projects" / "-project" / SESSION / "tool-results"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_the_project_folder_ignores_itself(home: Home) -> None:
    subprocess.run(["git", "init", "-q", str(home.project)], check=True)
    ask(home, bash(home) | {"transcript_path": "relative.jsonl"})
    status = subprocess.run(
        ["git", "-C", str(home.project), "status", "--porcelain"], capture_output=True, text=True, check=True
    )
    assert status.stdout == ""
    assert len(spilled(home)) == 1


def test_the_cache_folder_is_the_last_resort(home: Home) -> None:
    ask(home, bash(home) | {"transcript_path": "", "cwd": str(home.root / "gone")})
    assert spilled(home) == [home.home / ".cache" / "cchooks" / "tool-results" / SESSION / "Bash-toolu_1.txt"]


def test_nothing_is_made_below_a_path_that_is_not_the_clients(home: Home) -> None:
    ask(home, bash(home) | {"transcript_path": "/nowhere-at-all/x.jsonl"})
    assert not Path("/nowhere-at-all").exists()
    assert len(spilled(home)) == 1


NAMES = [
    "../../../etc/passwd",
    "/etc/passwd",
    "..",
    ".",
    "",
    "a/b\\c:d",
    "\0",
    "é",
    "x" * 5000,
    "~root",
    "$(id)",
    "-rf",
    None,
    7,
]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name)[:20])
@pytest.mark.parametrize("field", ["tool_use_id", "session_id"])
def test_no_name_leaves_the_folder(field: str, name: Any, home: Home) -> None:
    before = set(home.root.rglob("*"))
    for transcript in (bash(home)["transcript_path"], None):
        assert ask(home, bash(home) | {field: name, "transcript_path": transcript}) is not None
    inside = (home.config, home.project / ".cchooks", home.state, home.home / ".local")
    made = set(home.root.rglob("*")) - before
    assert all(any(path.is_relative_to(top) for top in inside) for path in made)
    assert len(spilled(home)) == 2


@pytest.mark.parametrize("tool", ["mcp__../../x__y", "mcp__" + "t" * 300, "mcp__a b__c/d"])
def test_no_tools_name_leaves_the_folder(tool: str, home: Home) -> None:
    assert ask(home, payload(home, tool, LONG)) is not None
    [file] = spilled(home)
    assert file.parent == home.config / "projects" / "-project" / SESSION / "tool-results"


def test_the_same_id_with_another_text_does_not_overwrite(home: Home) -> None:
    first, second = output(ask(home, bash(home)))["stdout"], output(ask(home, bash(home, LONG + "!")))["stdout"]
    paths = [text.split(" spilled to ")[1].split("\n")[0] for text in (first, second)]
    assert [Path(path).read_text() for path in paths] == [LONG, LONG + "!"]


def test_a_link_in_the_files_place_is_not_followed(home: Home) -> None:
    victim = home.root / "victim"
    victim.write_text("mine")
    folder = home.config / "projects" / "-project" / SESSION / "tool-results"
    folder.mkdir(parents=True)
    (folder / "Bash-toolu_1.txt").symlink_to(victim)
    assert ask(home, bash(home)) is not None
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("blocked", [("home", "project"), ("home", "project", "cache")], ids=len)
def test_what_cannot_be_written_passes_unchanged(blocked: tuple[str, ...], home: Home) -> None:
    call = bash(home)
    (home.config / "projects").write_text("a file where a folder should be")
    (home.project / ".cchooks").write_text("here too")
    if "cache" in blocked:
        (home.home / ".cache").write_text("and here")
    assert (ask(home, call) is None) == ("cache" in blocked)


def test_a_full_disk_passes_the_output_unchanged(home: Home) -> None:
    call = bash(home, LONG * 20) | {"transcript_path": None}
    limited = f'ulimit -f 8; exec "{home.suite.bin("cchooks-spill")}"'
    done = subprocess.run(
        ["bash", "-c", limited], input=json.dumps(call), env=home.env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert [path for path in home.root.rglob("*") if "toolu" in path.name] == []


def test_calls_at_the_same_time(home: Home) -> None:
    calls = [bash(home, LONG + str(n % 8), tool_use_id=f"toolu_{n % 8}") for n in range(32)]
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda call: ask(home, call), calls))
    assert all(answers)
    assert [file.read_text() for file in spilled(home)] == [LONG + str(n) for n in range(8)]


def test_an_event_is_written_for_each_spill_and_each_reading_back(home: Home) -> None:
    answer = ask(home, bash(home))
    ask(home, bash(home, "short", tool_use_id="toolu_2", tool_input={"command": f"head -n 1 {spilled(home)[0]}"}))
    spill_row, back_row = map(json.loads, (home.state / "events.jsonl").read_text().splitlines())
    pointer = output(answer)["stdout"]
    assert (spill_row["event"], spill_row["session"], spill_row["id"]) == ("spill", SESSION, "toolu_1")
    assert (spill_row["avoided"], spill_row["returned"]) == (len(LONG) - len(pointer), len(pointer))
    assert (back_row["event"], back_row["returned"]) == ("readback", len("short"))


def logged(home: Home) -> list[tuple[str, str, int]]:
    """Each event with its session and what it returned."""
    rows = map(json.loads, (home.state / "events.jsonl").read_text().splitlines())
    return [(row["event"], row["session"], row["returned"]) for row in rows]


def part_of(call: dict[str, Any], text: str, **fields: Any) -> dict[str, Any]:
    """A later read of a part of the same file."""
    part = copy.deepcopy(call) | {"tool_use_id": "toolu_2", **fields}
    part["tool_input"] |= {"offset": 3, "limit": 2}
    part["tool_response"]["file"]["content"] = text
    return part


def test_reading_a_part_of_a_file_that_was_pointed_to_is_a_read_back(home: Home) -> None:
    whole = read(home, str(home.project / "long.py"))
    ask(home, part_of(whole, "before"))
    answer = ask(home, whole)
    assert ask(home, part_of(whole, "three\nfour")) is None
    assert ask(home, part_of(whole, "elsewhere", session_id="another")) is None
    other = read(home, str(home.project / "other.py"))
    assert ask(home, part_of(other, "other")) is None
    pointer = len(output(answer)["file"]["content"])
    assert logged(home) == [("spill", SESSION, pointer), ("readback", SESSION, len("three\nfour"))]


SPELLINGS = ("{file}", "long.py", "./long.py", "{folder}/./long.py", "{folder}//long.py", "{folder}/../{name}/long.py")


@pytest.mark.parametrize(
    ("tool", "path"), [*((tool, path) for tool in ("Read", "Bash", "Grep") for path in SPELLINGS), ("Read", "link.py")]
)
def test_a_file_that_was_pointed_to_is_known_by_any_spelling_and_tool(tool: str, path: str, home: Home) -> None:
    file = home.project / "long.py"
    file.write_text("x")
    (home.project / "link.py").symlink_to(file)
    ask(home, read(home, str(file)))
    spelled = path.format(file=file, folder=home.project, name=home.project.name)
    searched = {"mode": "content", "content": "three"}
    calls = {
        "Read": part_of(read(home, str(file)), "three", tool_input={"file_path": spelled, "offset": 3, "limit": 1}),
        "Bash": bash(home, "three", tool_input={"command": f"sed -n 3p '{spelled}' | cat"}),
        "Grep": payload(home, "Grep", searched, tool_input={"pattern": "t", "path": spelled}),
    }
    assert ask(home, calls[tool]) is None
    ask(home, bash(home, "x", tool_input={"command": f"cat {home.project}/other.py"}))
    assert [event for event, _, _ in logged(home)] == ["spill", "readback"]


@pytest.mark.parametrize("odd", ["\0", "\ud800", "x" * 5000, "", "~nobody/x"])
def test_paths_that_can_be_none(odd: str, home: Home) -> None:
    ask(home, read(home, str(home.project / "long.py")))
    assert ask(home, part_of(read(home, odd), "three")) is None
    assert ask(home, read(home, odd)) is not None
    assert ask(home, part_of(read(home, odd), "three", cwd=odd)) is None


SAVED = ("b00000001.txt", "toolu_01.txt", "mcp-answers-text-1700000000000.txt")


def test_reading_what_the_client_saved_is_no_read_back(home: Home) -> None:
    folder = home.config / "projects" / "p" / SESSION / "tool-results"
    commands = [f"head {folder}/{name}" for name in SAVED]
    commands += [f"cd {folder} && cat {name}" for name in SAVED]
    commands += [f"tail -c 40 /tmp/claude-0/-p/{SESSION}/tasks/b00000001.output", f"cat {folder}//b00000001.txt | cat"]
    for command in commands:
        ask(home, bash(home, "short", tool_input={"command": command}))
    assert not (home.state / "events.jsonl").exists()
    ask(home, bash(home, "short", tool_input={"command": f"cat {folder}/b00000001.txt {folder}/Bash-toolu_1.txt"}))
    assert [event for event, _, _ in logged(home)] == ["readback"]


def test_lists_of_files_that_were_pointed_to_go_when_they_are_old(home: Home) -> None:
    old = home.state / "pointed" / "old"
    old.parent.mkdir(parents=True)
    old.write_text("/x\n")
    os.utime(old, (1, 1))
    ask(home, read(home, str(home.project / "long.py")))
    assert [path.name for path in old.parent.iterdir()] == [SESSION]


def test_an_event_log_that_cannot_be_written_changes_nothing(home: Home) -> None:
    (home.home / ".local").write_text("a file where a folder should be")
    assert ask(home, bash(home)) is not None


# Expiry of what the client does not clean up.


def place(home: Home, session: str = "now") -> store.Place:
    root = home.root / "spilled" / "tool-results"
    return store.Place(str(root / session), str(root))


def spilled_before(home: Home, name: str, size: int, days: float) -> Path:
    """A file of an earlier session, spilled so many days ago."""
    path = Path(store.write([place(home, "before")], name, "x" * size, days=10_000, megabytes=1000))
    made_before(path, days)
    return path


def made_before(path: Path, days: float) -> None:
    status = path.stat()
    os.utime(path, (status.st_mtime - days * 86400,) * 2)


def spill_now(home: Home, text: str = LONG, days: int = 30, megabytes: int = 1000) -> Path:
    return Path(store.write([place(home)], "new.txt", text, days=days, megabytes=megabytes))


def test_an_old_file_is_emptied_and_says_so(home: Home) -> None:
    old, young = spilled_before(home, "old.txt", 5000, 31), spilled_before(home, "young.txt", 5000, 29)
    for text in (LONG, LONG + "again"):
        spill_now(home, text)
        assert "removed by cchooks" in old.read_text()
    assert young.stat().st_size == 5000


def test_over_the_budget_the_oldest_go_first(home: Home) -> None:
    files = [spilled_before(home, f"{n}.txt", 400_000, n) for n in (1, 2, 3)]
    spill_now(home, megabytes=1)
    assert [file.stat().st_size > 1000 for file in files] == [True, True, False]


def test_the_current_sessions_files_stay(home: Home) -> None:
    mine = spill_now(home)
    os.utime(mine, (0, 0))
    spill_now(home, "y" * 2_000_000, days=1, megabytes=1)
    assert mine.read_text() == LONG


def test_what_is_left_of_an_expired_file_goes_after_a_year(home: Home) -> None:
    ancient = spilled_before(home, "ancient.txt", 5000, 400)
    spill_now(home)
    assert not ancient.exists()


def test_what_others_put_there_never_expires(home: Home) -> None:
    root, elsewhere = Path(place(home).root), home.root / "mine"
    elsewhere.mkdir()
    (elsewhere / "taxes.csv").write_text("mine" * 1000)
    (root / "run1").mkdir(parents=True)
    (root / "run1" / "report.txt").write_text("mine" * 1000)
    spilled_before(home, "old.txt", 5000, 31)
    os.link(elsewhere / "taxes.csv", root / "before" / "hard.txt")
    (root / "before" / "soft.txt").symlink_to(elsewhere / "taxes.csv")
    (root / "linked").symlink_to(elsewhere)
    for path in (elsewhere / "taxes.csv", root / "run1" / "report.txt"):
        made_before(path, 40)
    spill_now(home)
    assert (elsewhere / "taxes.csv").read_text() == (root / "run1" / "report.txt").read_text() == "mine" * 1000


@pytest.mark.parametrize("link", [".cchooks", ".cchooks/tool-results", f".cchooks/tool-results/{SESSION}"])
def test_no_link_in_a_repository_leads_the_output_astray(link: str, home: Home) -> None:
    elsewhere = home.root / "mine" / "tool-results" / SESSION
    elsewhere.mkdir(parents=True)
    (home.project / link).parent.mkdir(parents=True, exist_ok=True)
    (home.project / link).symlink_to(home.root / "mine")
    before = set((home.root / "mine").rglob("*"))
    assert ask(home, bash(home) | {"transcript_path": None}) is not None
    assert set((home.root / "mine").rglob("*")) == before
    assert (home.home / ".cache" / "cchooks" / "tool-results" / SESSION / "Bash-toolu_1.txt").is_file()


@pytest.mark.parametrize("folder", ["/dev/null/x", "/proc/x", "a\\nb", "\\u0000", "~no-such-user/x"])
def test_a_folder_that_cannot_be_had_leaves_the_usual_ones(folder: str, home: Home) -> None:
    config_file = home.home / ".config" / "cchooks" / "config.toml"
    config_file.parent.mkdir(parents=True)
    config_file.write_text(f'[spill]\nfolder = "{folder}"\n')
    assert ask(home, bash(home)) is not None
    assert len(spilled(home)) == 1


def test_a_folder_in_the_project_is_ignored_by_git(home: Home) -> None:
    subprocess.run(["git", "init", "-q", str(home.project)], check=True)
    config_file = home.home / ".config" / "cchooks" / "config.toml"
    config_file.parent.mkdir(parents=True)
    config_file.write_text('[spill]\nfolder = "out"\n')
    ask(home, bash(home))
    status = subprocess.run(
        ["git", "-C", str(home.project), "status", "--porcelain"], capture_output=True, text=True, check=True
    )
    assert status.stdout == ""
    assert spilled(home)[0].is_relative_to(home.project / "out")


# Any payload.

TEXT = st.one_of(
    st.text(max_size=50),
    st.builds(lambda piece, times: piece * times, st.text(min_size=1, max_size=30), st.integers(100, 900)),
    st.sampled_from([LONG, LONG * 3, '\\"' * 3000, "\ud83d" * 4001, 'a"' * 2000]),
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)),
    max_leaves=8,
)
RESULTS = st.one_of(
    JSON,
    st.fixed_dictionaries({"stdout": TEXT, "stderr": TEXT}, optional={"isImage": st.booleans(), "x": JSON}),
    st.fixed_dictionaries(
        {"type": st.just("text"), "file": st.fixed_dictionaries({"filePath": TEXT, "content": TEXT, "n": JSON})}
    ),
    st.fixed_dictionaries({"filenames": st.lists(TEXT, max_size=30), "content": TEXT}),
    st.fixed_dictionaries({"result": TEXT, "code": JSON}),
    st.fixed_dictionaries({"results": st.lists(st.one_of(TEXT, JSON), max_size=5)}),
    st.lists(st.fixed_dictionaries({"type": st.sampled_from(["text", "image"]), "text": TEXT}), max_size=4),
)
TOOLS = st.sampled_from(["Bash", "PowerShell", "Read", "Grep", "Glob", "WebFetch", "WebSearch", "mcp__a__b", "Write"])


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(tool=TOOLS, result=RESULTS, ascii_only=st.booleans(), spaced=st.booleans())
def test_any_result(
    tool: str, result: Any, ascii_only: bool, spaced: bool, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CCHOOKS_STATE_DIR", str(home.state))
    call = payload(home, tool, result)
    original = copy.deepcopy(call)
    decision = spill.decide(call, spill.DEFAULTS)
    assert call == original
    if decision is None:
        return
    raw = json.dumps(call, ensure_ascii=ascii_only, separators=None if spaced else (",", ":"))
    assert spill.may_speak(raw.encode("utf-8", "surrogatepass"))
    for old, pointer in differences(result, output(decision)):
        assert len(old) > 4000
        assert len(pointer) < len(old)


def test_the_defaults_fit_their_own_limits() -> None:
    assert (
        config.problems(
            spill.DEFAULTS | {"tools": {"Read": {}, "Bash": spill.DEFAULTS["tools"]["*"]}},
            spill.DEFAULTS,
            spill.ALLOWED,
        )
        == []
    )
