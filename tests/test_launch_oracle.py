"""launch against bash: random commands are run with a stand-in for the client that writes down what it was given.

Where the hook lets a command pass or changes it, every start of the stand-in had both settings; where it denies one, a
start had not. The corrected command starts the stand-in as often, with the same arguments and `--settings` beside them.
The commands are put together from harmless parts only.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cchooks_suite.hooks import launch
from cchooks_suite.hooks.texts import quoted

ADVISOR = "CLAUDE_CODE_DISABLE_ADVISOR_TOOL"
WINDOW = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"
STAND_IN = f"""#!{sys.executable} -IS
import os, sys
with open(os.environ["STARTS"], "a") as file:
    file.write(repr([sys.argv[1:], os.environ.get("{ADVISOR}"), os.environ.get("{WINDOW}")]) + "\\n")
"""
SETS = [
    f"{ADVISOR}=1",
    f"{WINDOW}=200000",
    f"{ADVISOR}=0",
    f"{WINDOW}=500k",
    f"{WINDOW}=",
    f"{ADVISOR}=1 {WINDOW}=300000",
]
GOOD = f"{ADVISOR}=1 {WINDOW}=200000"


class Maker:
    """Makes a random command from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.certain = True  # whether it is known without running the command which of its parts are run

    def one(self, *choices: str) -> str:
        return self.random.choice(choices)

    def sets(self) -> str:
        return self.one(GOOD, GOOD, GOOD, *SETS)

    def client(self) -> str:
        words = [self.one("x", '"a b"', "'it is'", "$1", '"$(echo t)"', "a\\ b", "-c", "*.none") for _ in range(2)]
        line = self.one(
            "claude --bg {0} {1}", "claude {0} --bg {1}", 'claude "--bg" {1}', "claude \\\n --background {0}",
            "'claude' --bg {0}", "C=claude; $C --bg {1}", "F=--bg; claude {0} $F", "A=(claude --bg); \"${{A[@]}}\" {0}",
            "claude --bg --model m {0} # {1}", "~/bin/claude --bg {0}", "{{ claude --bg {1}; }}", "(claude --bg {0})",
        )  # fmt: skip
        return line.format(*words)

    def simple(self) -> str:
        words = self.one("x", '"a b"', "'it is'")
        return (
            self.one("", self.sets() + " ", "env " + self.sets() + " ", "nohup ", "command ") + f"claude --bg {words}"
        )

    def command(self, depth: int) -> str:
        if depth <= 0:
            return self.one(self.client(), self.simple(), self.simple())
        inner = self.command(depth - 1)
        way = self.random.randrange(1000)
        return self.quoting(way, inner) if way % 3 == 0 else self.construct(way, inner)

    def quoting(self, way: int, inner: str) -> str:
        """The command as a text that another shell reads."""
        prefix = self.one("", "", self.sets() + " ")
        end = f"END{len(inner)}"
        document = f"<<'{end}'\n{inner}\n{end}\n"
        escaped = inner.replace("\\", "\\\\").replace("$", "\\$").replace("`", "\\`")
        unset = self.one("-u ", "-u", "--unset=") + self.one(ADVISOR, WINDOW, "X")
        ways = [
            f"{prefix}bash -c {quoted(inner)}",
            f'{prefix}bash -c "{escaped.replace(chr(34), chr(92) + chr(34))}"',
            f"{prefix}eval {quoted(inner)}",
            f"{prefix}bash {document}",
            f"{prefix}bash <<{end}\n{escaped}\n{end}\n",
            f"{prefix}bash <<< {quoted(inner)}",
            f"cat > script <<'{end}'\n{inner}\n{end}\n{prefix}bash script" if "script" not in inner else inner,
            f"cat <<'{end}' | {prefix}bash -s\n{inner}\n{end}\n",
            f"{prefix}timeout 9 env {unset} bash -c {quoted(inner)}",
            f'run() {{ bash -c "$1"; }}; {prefix}run {quoted(inner)}',
            f"{prefix}env bash -c {quoted(inner)}",
            f"{prefix}env -i PATH=$PATH HOME=$HOME STARTS=$STARTS {self.sets()} bash -c {quoted(inner)}",
        ]
        if "\\" not in inner:  # what echo makes of a backslash depends on the shell
            ways += [f"echo {quoted(inner)} | {prefix}bash", f"{prefix}bash <(echo {quoted(inner)})"]
        return ways[way % len(ways)]

    def construct(self, way: int, inner: str) -> str:
        """The command in or behind a construct of the shell."""
        sets = self.sets()
        end = "" if inner.endswith("\n") else "\n"
        only = self.one(ADVISOR, WINDOW)
        ways = [
            f"export {sets}; {inner}",
            f"export {sets} && {inner}",
            f"{sets}; {inner}",
            f"set -a; {sets}; {inner}",
            f"(export {sets}); {inner}",
            f"{{ export {sets}; }}\n{inner}",
            f"true | export {sets}; {inner}",
            f"export {sets} & {inner}",
            f"unset {only}; {inner}",
            f"export {sets}; export -n {only}; {inner}",
            f"declare -x {sets}; {inner}",
            f"echo go && export {sets}; {inner}",
            f"V={quoted(sets)}; export $V; {inner}",
            f"W=200000; export {ADVISOR}=1 {WINDOW}=$W; {inner}",
            f"eval {quoted('export ' + sets)}; {inner}",
            f"f() {{ export {sets}; }}; f; {inner}",
            f"f() {{ {inner}{end}}}; {self.one('', sets + ' ')}f x",
            f"g() {{ {inner}{end}}}; h() {{ {self.one('', sets + ' ')}g; }}; h",
            f"if true; then {inner}{end}fi",
            f"if true; then export {sets}; {inner}{end}fi",
            f"for i in 1; do {inner}{end}done",
            f"while true; do {inner}{end} break; done",
            f"case x in x) {inner}{end};; esac",
            f"({inner}{end})",
            f"x=$({inner}{end})",
            f"true && {{ {inner}{end}}}",
            f"[[ -z $({inner}{end}) ]]",
            f"! {{ {inner}{end}}}",
        ]
        # It is not known whether these are run, so that a launch behind them may be denied for nothing.
        unsure = [
            f"true || export {sets}; {inner}",
            f"false || export {sets}; {inner}",
            f"false && export {sets}; {inner}",
            f"if false; then export {sets}; fi; {inner}",
            f"for i in 1; do export {sets}; done; {inner}",
        ]
        chosen = way % (len(ways) + len(unsure))
        self.certain = self.certain and chosen < len(ways)
        return [*ways, *unsure][chosen]


def starts(command: str, home: Path) -> list[list[Any]]:
    """What the stand-in was given when bash ran the command."""
    log = home / "starts"
    log.write_text("")
    env = {"PATH": f"{home}/bin:/usr/bin:/bin", "HOME": str(home), "STARTS": str(log)}
    # nohup says something of its own on standard error
    subprocess.run(
        ["bash", "-c", command], env=env, cwd=home, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    return [eval(line) for line in log.read_text().splitlines()]  # noqa: S307 - our own stand-in wrote it


def has_both(start: list[Any]) -> bool:
    window = start[2] or ""
    return start[1] == "1" and window.isdigit() and 100_000 <= int(window) <= 1_000_000


def answer(command: str, home: Path) -> tuple[str, str]:
    """What the hook does with the command, and the command that it shows or runs instead."""
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}, "cwd": str(home)}
    if not launch.may_speak(json.dumps(call).encode()):
        return "silent", ""
    decision = launch.decide(call, launch.DEFAULTS)
    said = decision["hookSpecificOutput"] if decision else {}
    if "permissionDecision" in said:
        return "deny", said["permissionDecisionReason"].partition("The corrected command:\n")[2]
    return ("fix", said["updatedInput"]["command"]) if "updatedInput" in said else ("warn" if said else "silent", "")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    (home / "bin").mkdir()
    (home / "bin" / "claude").write_text(STAND_IN)
    (home / "bin" / "claude").chmod(0o755)
    return home


SEEDS = int(os.environ.get("LAUNCH_ORACLE_SEEDS", "150"))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_verdict_is_what_bash_does(seed: int, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCHOOKS_STATE_DIR", str(home / "state"))
    monkeypatch.setenv("HOME", str(home))
    maker = Maker(seed)
    command = maker.command(seed % 4)
    started = starts(command, home)
    verdict, instead = answer(command, home)
    if not all(map(has_both, started)):
        assert verdict == "deny", command
    elif started and maker.certain:
        assert verdict == "fix", command
    if instead:
        assert_same_with_settings(started, starts(instead, home), command + "\n--\n" + instead)
        assert answer(instead, home) == ("silent", ""), command + "\n--\n" + instead


def assert_same_with_settings(before: list[list[Any]], after: list[list[Any]], said: str) -> None:
    assert len(before) == len(after), said
    for old, new in zip(before, after, strict=True):
        at = new[0].index("--settings")
        env = json.loads(new[0][at + 1])["env"]
        assert has_both([None, env[ADVISOR], env[WINDOW]]), said
        assert new[0][:at] + new[0][at + 2 :] == old[0], said
