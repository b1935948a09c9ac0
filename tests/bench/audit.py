"""`cchooks audit` against ccusage on the same transcripts, in one interleaved run; prints ratios, asserts nothing.

Needs npm for ccusage (its version is pinned: later ones may come without their native part) and a regular install of
the suite. Usage: python tests/bench/audit.py [--megabytes 500] [--rounds 7] [--folder WORK] [--cchooks PATH]
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

import transcripts

CCUSAGE = "ccusage@20.0.24"


class Run(NamedTuple):
    """Seconds of a run by the clock and of the processors, and peak memory of its largest process in megabytes."""

    clock: float
    processors: float
    peak: float


def run(command: list[str], env: dict[str, str]) -> Run:
    """Run a command to its end."""
    began = time.perf_counter()
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    took = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return Run(took, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def ccusage(folder: Path) -> list[str]:
    """The command of ccusage, installed below `folder` at the first use."""
    found = folder / "node_modules" / ".bin" / "ccusage"
    if not found.exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", CCUSAGE], check=True)
    return [str(found), "daily", "--json", "--offline"]


def prepared(work: Path, megabytes: float) -> Path:
    """A client's config folder with the transcripts, made once for each size."""
    config = work / f"config-{megabytes:g}"
    if not config.exists():
        draft = work / "draft"
        shutil.rmtree(draft, ignore_errors=True)
        # In a process of its own: what it keeps in memory would count as memory of every process started here.
        made = [sys.executable, transcripts.__file__, str(draft / "projects"), str(megabytes)]
        subprocess.run(made, check=True)
        draft.rename(config)
    return config


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=500)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "cchooks-bench-audit")
    parser.add_argument("--cchooks", default=shutil.which("cchooks"), help="the installed command")
    args = parser.parse_args()
    config = prepared(args.folder, args.megabytes)
    home, cache = args.folder / "home", args.folder / "cache"
    home.mkdir(parents=True, exist_ok=True)
    env = {**os.environ, "HOME": str(home), "CLAUDE_CONFIG_DIR": str(config), "XDG_CACHE_HOME": str(cache)}
    audit, other = [args.cchooks, "audit", "--json"], ccusage(args.folder / "ccusage")
    runs: dict[str, list[Run]] = {"audit, first run": [], "audit, from the index": [], "ccusage": []}
    for _ in range(args.rounds):
        shutil.rmtree(cache, ignore_errors=True)
        for name, command in zip(runs, (audit, audit, other), strict=True):
            runs[name].append(run(command, env))
    base = runs["ccusage"]
    print(f"{'':24}{'median s':>10}{'minimum s':>11}{'processor s':>13}{'peak MB':>9}", end="")
    print(f"{'ccusage / this':>16}{'minima':>8}{'processor':>11}")
    least_used = min(one.processors for one in base)
    for name, made in runs.items():
        clock, processors, peak = zip(*made, strict=True)
        median, least = statistics.median(clock), min(clock)
        ratios = statistics.median(one.clock for one in base) / median, min(one.clock for one in base) / least
        used = statistics.median(processors)
        print(f"{name:24}{median:10.2f}{least:11.2f}{used:13.2f}{max(peak):9.0f}", end="")
        print(f"{ratios[0]:16.2f}{ratios[1]:8.2f}{least_used / min(processors):11.2f}")


if __name__ == "__main__":
    main()
