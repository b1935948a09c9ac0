"""childenv: the lines it leaves for the session's Bash tool, which a real shell reads."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cchooks_suite.hooks import childenv
from hypothesis import given
from hypothesis import strategies as st

from .conftest import Home

BOTH = {"CLAUDE_CODE_DISABLE_ADVISOR_TOOL": "1", "CLAUDE_CODE_AUTO_COMPACT_WINDOW": "200000"}


def start(home: Home, source: str = "startup", config: str = "", says: str = "") -> Path:
    """Run the installed hook as the client does at the start of a session; returns the file that it was given.

    What it says on stderr is nothing, or one line with `says` in it.
    """
    file = home.root / "session.sh"
    if config:
        path = home.home / ".config" / "cchooks" / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(config, "utf-8")
    payload = {"hook_event_name": "SessionStart", "source": source, "session_id": "0", "cwd": str(home.project)}
    done = home.run("cchooks-childenv", stdin=json.dumps(payload), env={"CLAUDE_ENV_FILE": str(file)})
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (0, "", bool(says))
    assert says in done.stderr
    return file


def variables(file: Path) -> dict[str, str]:
    """What a program gets that a shell starts after it has read the file."""
    script = '. "$0" && env -0'
    done = subprocess.run(
        ["bash", "-c", script, str(file)], env={"PATH": "/usr/bin:/bin"}, capture_output=True, check=True
    )
    pairs = (item.partition("=") for item in done.stdout.decode("utf-8", "surrogateescape").split("\0") if item)
    return {name: value for name, _, value in pairs if name not in ("PATH", "PWD", "OLDPWD", "SHLVL", "_")}


def test_both_settings_reach_what_the_shell_starts(home: Home) -> None:
    assert variables(start(home)) == BOTH


def test_the_lines_stand_there_once_whatever_began_the_session(home: Home) -> None:
    first = start(home).read_text()
    for source in ("resume", "clear", "compact", "startup"):
        assert start(home, source).read_text() == first


def test_lines_of_others_stay(home: Home) -> None:
    file = home.root / "session.sh"
    file.write_bytes(b"export A=1\nexport B='\xe9'")
    assert start(home).read_bytes().startswith(b"export A=1\nexport B='\xe9'\n")
    before = file.read_bytes() + b"export C=3\n"
    file.write_bytes(before)
    assert start(home, "compact").read_bytes() == before
    assert variables(file) == {**BOTH, "A": "1", "B": "\udce9", "C": "3"}


def test_a_changed_config_takes_effect_at_the_next_start(home: Home) -> None:
    start(home)
    file = start(home, "resume", "[childenv]\nwindow = 300000\n")
    assert variables(file)["CLAUDE_CODE_AUTO_COMPACT_WINDOW"] == "300000"
    assert start(home, "resume").read_text() == file.read_text()


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ('[childenv]\nadvisor = "unchanged"\n', {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "200000"}),
        ("[childenv]\nwindow = 50000\n", BOTH),
        ('[childenv]\nwindow = "300000"\n', BOTH),
        ('[childenv]\nadvisor = "on"\n', BOTH),
        ('[childenv.env]\nA = "it\'s $HOME `x` \\\\"\nB = ""\n', {**BOTH, "A": "it's $HOME `x` \\", "B": ""}),
        ('[childenv.env]\nA = "two\\nlines"\n', {**BOTH, "A": "two\nlines"}),
        ("[childenv.env]\nA = 1\nB = []\n", BOTH),
    ],
)
def test_values_come_from_the_config(config: str, expected: dict[str, str], home: Home) -> None:
    assert variables(start(home, config=config)) == expected


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ('"A B" = "1"\n"1A" = "1"\n"A;touch x" = "1"\n"\\u00e9" = "1"\n"" = "1"\n', "'A B': no name of a variable"),
        ('B = "nul \\u0000"\n', "'B': a NUL in its value"),
        ('CLAUDE_CODE_AUTO_COMPACT_WINDOW = "500k"\n', "set it by `window` in [childenv]"),
        ('CLAUDE_CODE_DISABLE_ADVISOR_TOOL = "0"\n', "set it by `advisor` in [childenv]"),
    ],
)
def test_what_cannot_be_set_is_left_out_and_named(config: str, says: str, home: Home) -> None:
    config = '[childenv.env]\nGOOD = "1"\n' + config
    assert variables(start(home, config=config, says=says)) == {**BOTH, "GOOD": "1"}


@given(st.dictionaries(st.text(max_size=8), st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=4))
def test_no_name_and_no_value_leaves_its_line(env: dict[str, str]) -> None:
    config: dict[str, Any] = {**childenv.DEFAULTS, "env": env}
    script = "\n".join(childenv.lines(config)) + "\nenv -0"
    done = subprocess.run(["bash", "-c", script], env={}, capture_output=True, check=True)
    assert done.stderr == b""
    got = dict(item.split("=", 1) for item in done.stdout.decode().split("\0") if item)
    wanted = {name: value for name, value in env.items() if childenv.is_name(name) and "\0" not in value}
    readonly = (
        "_",
        "UID",
        "EUID",
        "PPID",
        "BASHOPTS",
        "SHELLOPTS",
        "BASH_VERSINFO",
        "SHLVL",
        "PWD",
        "RANDOM",
        "SECONDS",
    )
    assert {name: got[name] for name in wanted if name not in readonly} == {
        name: value for name, value in wanted.items() if name not in readonly
    }


@pytest.mark.parametrize("event", ["SessionEnd", "PreToolUse"])
def test_other_events_write_nothing(event: str, home: Home) -> None:
    file = home.root / "session.sh"
    home.run("cchooks-childenv", stdin=json.dumps({"hook_event_name": event}), env={"CLAUDE_ENV_FILE": str(file)})
    assert not file.exists()


def test_without_a_file_nothing_is_done(home: Home) -> None:
    done = home.run("cchooks-childenv", stdin=json.dumps({"hook_event_name": "SessionStart"}))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", ["missing/session.sh", "."])
def test_a_file_that_cannot_be_written_is_one_line(name: str, home: Home) -> None:
    done = home.run(
        "cchooks-childenv",
        stdin=json.dumps({"hook_event_name": "SessionStart"}),
        env={"CLAUDE_ENV_FILE": str(home.root / name)},
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (0, "", 1)
    assert done.stderr.startswith(f"cchooks-childenv: CLAUDE_ENV_FILE {home.root / name}: ")


def test_a_projects_own_config_sets_no_variables(home: Home) -> None:
    file, out = home.project / ".claude" / "cchooks.toml", home.root / "env.sh"
    file.parent.mkdir()
    file.write_text('[childenv]\nwindow = 300000\n[childenv.env]\nPATH = "/evil"\n')
    payload = {"hook_event_name": "SessionStart", "source": "startup", "cwd": str(home.project)}
    done = home.run("cchooks-childenv", stdin=json.dumps(payload), env={"CLAUDE_ENV_FILE": str(out)})
    assert (done.returncode, done.stdout) == (0, "")
    assert "300000" in out.read_text()
    assert "/evil" not in out.read_text()
