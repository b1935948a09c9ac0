"""Fixtures of the tests that run the real client: the pinned client, a scripted API, a sandbox, `cchooks` in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cchooks_suite.live_client import Sandbox
from cchooks_suite.scripted_api import ScriptedAPI
from filelock import FileLock

from ..conftest import ROOT, STARTED_WITH, Suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CLIENT = "2.1.332"
PACKAGE = f"@anthropic-ai/claude-code@{CLIENT}"
HERE = Path(__file__).resolve().parent
NO_QUESTIONS = "--dangerously-skip-permissions"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what stands in this folder."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.client)


class NoClientError(Exception):
    """npm cannot install the client; the text says why."""


@pytest.fixture(scope="session")
def client() -> Path:
    """The real client's executable.

    The tests are skipped only where npm cannot install it; with CCHOOKS_CLIENT_REQUIRED they fail there.
    """
    try:
        return find_client()
    except NoClientError as reason:
        end = pytest.fail if STARTED_WITH.get("CCHOOKS_CLIENT_REQUIRED") else pytest.skip
        end(f"the real client cannot be installed: {reason}")


def find_client() -> Path:
    """The pinned client, installed from npm into pytest's cache folder, once for all runs and workers.

    CCHOOKS_CLIENT names another executable to use.

    Raises:
        NoClientError: npm is not there, or cannot install it.
    """
    given = STARTED_WITH.get("CCHOOKS_CLIENT")
    if given:
        return Path(given).resolve(strict=True)
    folder = ROOT / ".pytest_cache" / "d" / f"claude-code-{CLIENT}"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "install.lock"):
        if not (folder / "installed").exists():
            _install(folder)
            (folder / "installed").touch()
    [executable] = folder.glob("node_modules/@anthropic-ai/claude-code-*/claude*")
    return executable


def _install(folder: Path) -> None:
    if shutil.which("npm", path=STARTED_WITH.get("PATH")) is None:
        raise NoClientError("there is no npm on PATH")
    command = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--ignore-scripts", PACKAGE]
    done = subprocess.run(command, env=STARTED_WITH, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoClientError(f"`npm install {PACKAGE}` said {done.stderr.strip()[-300:]}")


@pytest.fixture
def api(tmp_path: Path) -> Iterator[ScriptedAPI]:
    """A scripted API of the test's own; `api.jsonl` in the test's folder keeps its requests for a look afterwards."""
    with ScriptedAPI(log=tmp_path / "api.jsonl") as running:
        yield running


@pytest.fixture
def sandbox(client: Path, api: ScriptedAPI, tmp_path: Path) -> Sandbox:
    """An empty home and project of the client's own; `sandbox.run(steps)` plays a script."""
    return Sandbox(client, tmp_path, api)


@pytest.fixture
def cchooks(suite: Suite, sandbox: Sandbox) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The installed `cchooks` in the sandbox: `cchooks("install", "spill")`; a failure fails the test."""

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [str(suite.bin("cchooks")), *arguments],
            env={**sandbox.environment(), "PATH": suite.env["PATH"]},
            cwd=sandbox.project,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"cchooks {' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    return call


def write_settings(sandbox: Sandbox, settings: dict[str, Any]) -> None:
    """Make `settings` the user's settings."""
    sandbox.settings.write_text(json.dumps(settings, indent=2), encoding="utf-8")


def hook(command: Path | str, **fields: Any) -> dict[str, Any]:
    """A handler in exec form that runs an executable without arguments."""
    return {"type": "command", "command": os.fspath(command), "args": [], "timeout": 10, **fields}
