"""`cchooks audit` against ccusage on the same transcripts, as ratios: `python -m tests.bench.audit`.

Both commands, and audit a second time with its index, run in turn, once a round. The suite is installed regularly into
a clean virtual environment, unless `--venv` names one; npm installs ccusage, its version pinned (later ones may come
without their native part). The transcripts are generated once and kept, with ccusage, in `--folder`, by default one
in the system's folder for temporary files: over 600 MB.
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

from tests.bench import transcripts
from tests.conftest import Suite, build_suite

BARS = {"audit, first run": 2.5}  # times as fast as ccusage, by the medians
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


def measure(suite: Suite, folder: Path, config: Path, rounds: int) -> bool:
    """Print the table; whether every bar is met."""
    home, cache = folder / "home", folder / "cache"
    home.mkdir(parents=True, exist_ok=True)
    env = {**os.environ, "HOME": str(home), "CLAUDE_CONFIG_DIR": str(config), "XDG_CACHE_HOME": str(cache)}
    audit, other = [str(suite.bin("cchooks")), "audit", "--json"], ccusage(folder / "ccusage")
    runs: dict[str, list[Run]] = {"audit, first run": [], "audit, from the index": [], "ccusage": []}
    for _ in range(rounds):
        shutil.rmtree(cache, ignore_errors=True)
        for name, command in zip(runs, (audit, audit, other), strict=True):
            runs[name].append(run(command, env))
    print(f"{'':24}{'median s':>10}{'minimum s':>11}{'processor s':>13}{'peak MB':>9}", end="")
    print(f"   ccusage / this: {'median':>8}{'minimum':>9}{'processor':>11}")
    base, good = figures(runs["ccusage"]), True
    for name, made in runs.items():
        found = figures(made)
        ratios = [theirs / ours for theirs, ours in zip(base, found, strict=True)]
        missed = ratios[0] < BARS.get(name, 0)
        good &= not missed
        print(f"{name:24}{found[0]:10.3f}{found[1]:11.3f}{found[2]:13.3f}{max(one.peak for one in made):9.0f}", end="")
        print(f"{'':19}{ratios[0]:8.2f}{ratios[1]:9.2f}{ratios[2]:11.2f}{'  below the bar' if missed else ''}")
    return good


def figures(runs: list[Run]) -> tuple[float, float, float]:
    """Median and minimum by the clock, median of the processors' time, in seconds."""
    clock = [one.clock for one in runs]
    return statistics.median(clock), min(clock), statistics.median(one.processors for one in runs)


def main() -> int:
    """Run the benchmark; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venv", type=Path, help="a virtual environment with a regular install of the suite")
    parser.add_argument("--megabytes", type=float, default=500)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "cchooks-bench-audit")
    args = parser.parse_args()
    config = prepared(args.folder, args.megabytes)
    with tempfile.TemporaryDirectory() as scratch:
        venv = args.venv or Path(scratch) / "venv"
        if not args.venv:
            build_suite(venv, Path(scratch) / "source")
        return 0 if measure(Suite(venv.resolve()), args.folder, config, args.rounds) else 1


if __name__ == "__main__":
    sys.exit(main())
