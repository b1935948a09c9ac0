"""What a hook call costs, as a ratio to starting the bare interpreter: `python -m tests.bench.hooks`.

Every row's command and the interpreter's `python -I -c pass` run in turn, once a round, so that what else the machine
does falls on all of them alike. Printed are the ratios of the medians and of the minima. The suite is installed
regularly into a clean virtual environment, unless `--venv` names one.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.conftest import Suite, build_suite

SESSION = "00000000-0000-0000-0000-000000000000"
WORDS = "git status -s && echo --- && git log --oneline -10 2>&1 | head -5; "


def payload(home: Path, event: str, tool: str, call: dict[str, Any], **fields: Any) -> bytes:
    known = {
        "session_id": SESSION,
        "transcript_path": str(home / ".claude" / "projects" / "-project" / f"{SESSION}.jsonl"),
        "cwd": str(home),
        "permission_mode": "default",
        "hook_event_name": event,
        "tool_name": tool,
        "tool_input": call,
        "tool_use_id": "toolu_000000000000000000000000",
    }
    return json.dumps({**known, **fields}, separators=(",", ":")).encode()


def result(characters: int) -> dict[str, Any]:
    text = "\n".join(f"line {n} of the output" for n in range(characters // 20))[:characters]
    return {"stdout": text, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}


def rows(home: Path) -> list[tuple[str, float, str, bytes]]:
    """What is measured: (row, bar, hook, stdin)."""

    def bash(command: str, **fields: Any) -> bytes:
        return payload(home, "PreToolUse", "Bash", {"command": command, "description": "x"}, **fields)

    def done(characters: int) -> bytes:
        return payload(home, "PostToolUse", "Bash", {"command": "make"}, tool_response=result(characters))

    two_kb = (WORDS * 40)[:2048].rpartition(";")[0]
    launch = 'claude --bg "fix the tests"'
    hundred_kb = (WORDS * 2000)[: 100 * 1000].rpartition(";")[0]
    return [
        ("spill, silent on 500 characters", 1.2, "spill", done(500)),
        ("spill, silent on 3,900 characters", 1.2, "spill", done(3900)),
        ("delegate, silent on a subagent", 1.2, "delegate", bash("make", agent_id="a1")),
        ("launch, silent on `ls`", 1.2, "launch", bash("ls")),
        ("spill, speaks on 20 KB", 2.0, "spill", done(20000)),
        ("delegate, denies `make`", 2.0, "delegate", bash("make")),
        ("delegate, passes a glance", 2.0, "delegate", bash(WORDS + "ls")),
        ("delegate, 2 KB command", 2.0, "delegate", bash(two_kb)),
        ("launch, denies", 2.0, "launch", bash(launch)),
        ("launch, 2 KB command that mentions claude", 2.0, "launch", bash(f"{two_kb}; {launch}")),
        ("delegate, 100 KB command", 6.0, "delegate", bash(hundred_kb)),
        ("launch, 100 KB command", 6.0, "launch", bash(f"{hundred_kb[:99000].rpartition(';')[0]}; {launch}")),
    ]


def run(command: list[str], stdin: bytes, env: dict[str, str]) -> tuple[float, int]:
    """Seconds from start to exit, and the peak of its memory in KiB."""
    with tempfile.TemporaryFile() as file, open(os.devnull, "r+b") as null:
        file.write(stdin)
        file.seek(0)
        start = time.perf_counter()
        redirect = [(os.POSIX_SPAWN_DUP2, source.fileno(), fd) for source, fd in ((file, 0), (null, 1), (null, 2))]
        child = os.posix_spawn(command[0], command, env, file_actions=redirect)
        _, status, usage = os.wait4(child, 0)
        elapsed = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{command}: ended with {os.waitstatus_to_exitcode(status)}")
    return elapsed, usage.ru_maxrss


def measure(suite: Suite, home: Path, rounds: int) -> bool:
    """Print the table; whether every ratio of the medians is within its bar."""
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    (home / ".claude").mkdir()
    bare, table = [str(suite.bin("python")), "-I", "-c", "pass"], rows(home)
    seconds: list[list[float]] = [[] for _ in range(len(table) + 1)]
    for _ in range(rounds):
        seconds[0].append(run(bare, b"", env)[0])
        for number, (_, _, hook, stdin) in enumerate(table, 1):
            seconds[number].append(run([str(suite.bin(f"cchooks-{hook}"))], stdin, env)[0])
    base = seconds[0]
    print(f"bare interpreter: median {statistics.median(base) * 1e3:.1f} ms, minimum {min(base) * 1e3:.1f} ms\n")
    print(f"{'call':44} {'bar':>5} {'median':>7} {'minimum':>8}")
    good = True
    for (name, bar, _, _), taken in zip(table, seconds[1:], strict=True):
        ratio = statistics.median(taken) / statistics.median(base)
        good &= ratio <= bar
        print(f"{name:44} {bar:5.1f} {ratio:7.2f} {min(taken) / min(base):8.2f}{'  over' if ratio > bar else ''}")
    return memory(suite, home, env) and good


def memory(suite: Suite, home: Path, env: dict[str, str]) -> bool:
    """Print the peak of the memory on 10 MB payloads, as a multiple of the payload."""
    good = True
    for kind, text in {"ASCII": "line of output\n" * 700_000, "wide": "\U0001f600 wide, with é\n" * 500_000}.items():
        answer = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
        stdin = payload(home, "PostToolUse", "Bash", {"command": "make"}, tool_response=answer)
        _, peak = run([str(suite.bin("cchooks-spill"))], stdin, env)
        ratio = peak * 1024 / len(stdin)
        good &= ratio <= 12
        print(f"{f'memory of spill, {len(stdin) / 1e6:.0f} MB payload, {kind}':44} {12.0:5.1f} {ratio:7.2f}")
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--venv", type=Path, help="a virtual environment with a regular install of the suite")
    parser.add_argument("--rounds", type=int, default=40)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        venv = args.venv or Path(scratch) / "venv"
        if not args.venv:
            build_suite(venv, Path(scratch) / "source")
        home = Path(scratch) / "home"
        home.mkdir()
        return 0 if measure(Suite(venv), home, args.rounds) else 1


if __name__ == "__main__":
    sys.exit(main())
