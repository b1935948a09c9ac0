"""`cchooks doctor --live` with the real client: it starts it once and shows what reached the model."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ..conftest import Home

HEALTHY, BROKEN = 0, 1


def live(home: Home, client: Path, *words: str) -> tuple[int, dict[str, dict[str, str]]]:
    """The exit status, and the findings that the client's run gave, by id."""
    done = home.run("cchooks", "doctor", "--live", "--client", str(client), "--json", *words)
    checks = json.loads(done.stdout)["checks"]
    return done.returncode, {check["id"]: check for check in checks if check["id"].startswith("live.")}


def install(home: Home, *words: str) -> None:
    done = home.run("cchooks", "install", *words)
    assert done.returncode == 0, done.stderr


def change(home: Home, **members: Any) -> None:
    content = json.loads(home.settings.read_text())
    home.settings.write_text(json.dumps({**content, **members}))


def test_every_hook_reaches_the_model(home: Home, client: Path) -> None:
    names = ["childenv", "delegate", "launch", "spill"]
    install(home, *names)

    status, found = live(home, client)

    assert {name: check["state"] for name, check in found.items()} == {f"live.{name}": "ok" for name in names}
    assert status == HEALTHY


def test_the_client_on_path_is_found(home: Home, client: Path) -> None:
    install(home, "spill")
    (home.root / "bin").mkdir()
    (home.root / "bin" / "claude").symlink_to(client)
    home.extra["PATH"] = f"{home.root}/bin:{home.env['PATH']}"

    done = home.run("cchooks", "doctor", "--live")

    assert done.returncode == HEALTHY, done.stdout
    assert "the model was shown a pointer" in done.stdout
    assert "the client is 2." in done.stdout


def test_nothing_is_written_and_nothing_runs_on(home: Home, client: Path, tmp_path_factory: Any) -> None:
    install(home, "spill")
    throw_away = tmp_path_factory.mktemp("throw-away")
    home.extra["TMPDIR"] = str(throw_away)
    before = {path: path.stat().st_mtime_ns for path in home.root.rglob("*")}

    live(home, client)

    assert {path: path.stat().st_mtime_ns for path in home.root.rglob("*")} == before
    assert not any(throw_away.iterdir())
    processes = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(throw_away) not in processes


def test_only_what_is_installed_is_shown(home: Home, client: Path) -> None:
    install(home, "spill")

    assert set(live(home, client)[1]) == {"live.spill"}


def test_an_entry_that_never_fires(home: Home, client: Path) -> None:
    install(home, "spill")
    home.settings.write_text(home.settings.read_text().replace('"Bash|', '"BASH|'))

    status, found = live(home, client)

    assert status == BROKEN
    assert "13,892 characters" in found["live.spill"]["reason"]
    assert found["live.spill"]["fix"] == "cchooks install --user --force"


def test_a_switch_that_stops_all_hooks(home: Home, client: Path) -> None:
    install(home, "spill", "launch", "delegate", "childenv")
    change(home, disableAllHooks=True)

    status, found = live(home, client)

    assert status == BROKEN
    assert [check["state"] for check in found.values()] == ["broken"] * 4


def test_a_foreign_hook_does_not_run(home: Home, client: Path) -> None:
    install(home, "spill")
    hooks = json.loads(home.settings.read_text())["hooks"]
    mark = home.root / "was-run"
    hooks["PreToolUse"] = [{"hooks": [{"type": "command", "command": "/usr/bin/touch", "args": [str(mark)]}]}]
    change(home, hooks=hooks)

    assert live(home, client)[1]["live.spill"]["state"] == "ok"
    assert not mark.exists()


@pytest.mark.parametrize("words", [["--client", "/no/such/client"], []], ids=["named", "on PATH"])
def test_without_a_client(home: Home, words: list[str]) -> None:
    install(home, "spill")

    done = home.run("cchooks", "doctor", "--live", *words, env={"PATH": f"{home.suite.venv}/bin:/usr/bin:/bin"})

    assert done.returncode == BROKEN
    assert "broken: " in done.stdout
    assert "hint: cchooks doctor --live --client PATH" in done.stdout


def test_a_client_that_is_something_else(home: Home) -> None:
    install(home, "spill")

    status, found = live(home, Path("/bin/true"))

    assert status == BROKEN
    assert "before the script did" in found["live.client"]["reason"]


def test_nothing_installed_shows_nothing(home: Home, client: Path) -> None:
    assert live(home, client)[1]["live.client"]["state"] == "unknown"
