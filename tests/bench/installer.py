"""What an install costs, and whether the settings survive it: `python -m tests.bench.installer`.

Speed: `cchooks install` with nothing to do on a settings file of 1 MB with 2,000 foreign handlers, as a ratio to
starting the bare interpreter, runs in turn. Robustness: 500 installs and uninstalls killed at random moments; 16 of
them at once while another program rewrites the file; a full disk, where a small one can be mounted.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.conftest import Home, Suite, build_suite

if TYPE_CHECKING:
    from collections.abc import Mapping

BAR = 4.0
USERS = """{
    "model": "x",
    "counter": 0,
    "hooks": {
        "Stop": [{"hooks": []}]
    },
    "é": "\\u00e9"
}"""


def big_settings() -> str:
    """About 1 MB with 2,000 foreign handlers in 2,000 groups."""
    groups = [
        {
            "matcher": "Bash",
            "hooks": [
                {
                    "type": "command",
                    "command": f"/opt/acme/audit --rule {number} " + "x" * 150,
                    "args": ["a", "b"],
                    "timeout": 7,
                    "statusMessage": "m" * 80,
                }
            ],
        }
        for number in range(2000)
    ]
    hooks = {"PreToolUse": groups[:1000], "PostToolUse": groups[1000:]}
    return json.dumps({"model": "x", "hooks": hooks, "permissions": {"deny": ["Bash(rm *)"] * 100}}, indent=2)


def speed(env: Mapping[str, str], settings: Path, cchooks: Path, rounds: int) -> tuple[float, float]:
    """Ratios of the medians and of the minima: an install that changes nothing against the bare interpreter."""
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(big_settings())
    subprocess.run([cchooks, "install"], env=env, check=True, capture_output=True)
    commands = [[cchooks.parent / "python", "-I", "-c", "pass"], [cchooks, "install"]]
    times: list[list[float]] = [[], []]
    for _ in range(rounds):
        for command, row in zip(commands, times, strict=True):
            start = time.perf_counter()
            subprocess.run(command, env=env, check=True, capture_output=True)
            row.append(time.perf_counter() - start)
    settings.unlink()
    return statistics.median(times[1]) / statistics.median(times[0]), min(times[1]) / min(times[0])


def kills(env: Mapping[str, str], settings: Path, cchooks: Path, rounds: int, seed: int) -> int:
    """Kill installs and uninstalls at random moments; how many were killed before they ended.

    After each the file is whole and, but for our entries, the user's; after all of them an install and an uninstall
    that run to their end bring the user's bytes back and leave no temporary file.
    """
    chance = random.Random(seed)
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(USERS)
    killed = 0
    for number in range(rounds):
        words = ["install", "uninstall"] if number % 2 else ["install", "install"]
        process = subprocess.Popen(
            [cchooks, chance.choice(words)], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            process.wait(chance.uniform(0.02, 0.16))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            killed += 1
        process.wait()
        assert without_ours(json.loads(settings.read_bytes())) == json.loads(USERS)
    for word in ("install", "uninstall"):
        subprocess.run([cchooks, word], env=env, check=True, capture_output=True)
    assert settings.read_text() == USERS
    assert [path.name for path in settings.parent.iterdir()] == [settings.name]
    return killed


def crowd(env: Mapping[str, str], settings: Path, cchooks: Path, installers: int, writer: str) -> int:
    """Run installs and uninstalls at once while a program counts up in the file; how far it counted.

    The program reads, changes and writes without a lock, as the client does. It must find at each turn what it wrote
    the turn before.
    """
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(USERS)
    stop = threading.Event()
    counting = Counter(settings, writer, stop)
    counting.start()
    words = ["install" if number % 3 else "uninstall" for number in range(installers)]
    running = [
        subprocess.Popen([cchooks, word], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for word in words
    ]
    outcomes = [(process.communicate()[1], process.returncode) for process in running]
    stop.set()
    counting.join()
    assert counting.lost == []
    # A program that never rests may be said so; nothing else may fail.
    assert all(status == 0 or b"keeps writing it" in said for said, status in outcomes), outcomes
    value = json.loads(settings.read_bytes())
    assert without_ours(value) == {**json.loads(USERS), "counter": counting.count}
    subprocess.run([cchooks, "install"], env=env, check=True, capture_output=True)
    assert sum(1 for _ in _ours(json.loads(settings.read_bytes()))) == 4
    assert [path.name for path in settings.parent.iterdir()] == [settings.name]
    return counting.count


class Counter(threading.Thread):
    """Another program: counts up in the settings until it is stopped.

    Attributes:
        count: the last number it wrote.
        lost: (number found, number expected) wherever a change of its own was gone.
    """

    def __init__(self, settings: Path, how: str, stop: threading.Event) -> None:
        super().__init__()
        self.settings = settings
        self.how = how
        self.stop = stop
        self.count = 0
        self.lost: list[tuple[int, int]] = []
        self.chance = random.Random(0)

    def run(self) -> None:
        """Count."""
        while not self.stop.is_set():
            value = json.loads(self.settings.read_bytes())
            if value["counter"] != self.count:
                self.lost.append((value["counter"], self.count))
            self.count += 1
            self._write(json.dumps({**value, "counter": self.count}, indent=4))
            time.sleep(self.chance.uniform(0, 0.02))

    def _write(self, text: str) -> None:
        if self.how == "in place":
            self.settings.write_text(text)
            return
        fresh = self.settings.parent.parent / "fresh"
        fresh.write_text(text)
        fresh.replace(self.settings)


def full_disk(env: Mapping[str, str], cchooks: Path, mount: Path) -> str:
    """Install on a disk that has no room; what was said. Empty where no small disk can be mounted here."""
    mount.mkdir(parents=True)
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", mount], capture_output=True, check=False
    ).returncode:
        return ""
    try:
        settings = mount / "settings.json"
        settings.write_text(USERS)
        with (mount / "filler").open("wb", buffering=0) as filler, contextlib.suppress(OSError):
            while True:
                filler.write(b"x" * 4096)
        done = subprocess.run(
            [cchooks, "install"],
            env={**env, "CLAUDE_CONFIG_DIR": str(mount)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1, done
        assert settings.read_text() == USERS
        assert sorted(path.name for path in mount.iterdir()) == ["filler", "settings.json"]
        return done.stderr
    finally:
        subprocess.run(["umount", mount], check=False)


def without_ours(value: dict[str, Any]) -> dict[str, Any]:
    """A settings object without our groups and the events that only they were in."""
    hooks = {
        event: [group for group in groups if not any(True for _ in _ours({"hooks": {event: [group]}}))]
        for event, groups in value["hooks"].items()
    }
    return {**value, "hooks": {event: groups for event, groups in hooks.items() if groups}}


def _ours(value: dict[str, Any]) -> Any:
    for groups in value["hooks"].values():
        for group in groups:
            yield from (handler for handler in group["hooks"] if "cchooks-" in handler.get("command", ""))


def main() -> int:
    """Run everything; the exit status says whether the bar was held."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venv", type=Path, help="an environment with a regular install of the suite")
    parser.add_argument("--rounds", type=int, default=40, help="starts of each command for the ratio")
    parser.add_argument("--kills", type=int, default=500, help="runs that are killed")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cchooks-bench-") as folder:
        work = Path(folder)
        if not args.venv:
            build_suite(work / "venv", work / "source")
        suite = Suite((args.venv or work / "venv").resolve())
        cchooks = suite.bin("cchooks")

        def home(name: str) -> Home:
            return Home(work / name, suite)

        os.chdir(work)
        there = home("speed")
        median, least = speed(there.env, there.settings, cchooks, args.rounds)
        print(
            f"install with nothing to do, 1 MB, 2,000 handlers: {median:.2f} (median), {least:.2f} (minimum), bar {BAR}"
        )
        there = home("kills")
        killed = kills(there.env, there.settings, cchooks, args.kills, seed=0)
        print(f"killed {killed} of {args.kills} runs: the settings were whole each time")
        for writer in ("rename", "in place"):
            there = home(f"crowd {writer}")
            count = crowd(there.env, there.settings, cchooks, 16, writer)
            print(f"16 runs at once while a program wrote the file {count} times ({writer}): nothing lost")
        there = home("full")
        said = full_disk(there.env, cchooks, work / "mount")
        print(f"full disk: {said.splitlines()[0] if said else 'not tried, no disk can be mounted here'}")
        shutil.rmtree(work / "mount", ignore_errors=True)
    return 0 if median <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
