"""Rows S99 to S105: entries of another version, and clients of another version."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cchooks_suite import __version__, catalogue, matching, merge, registration, settings
from cchooks_suite.catalogue import Slot
from cchooks_suite.ownership import Owner

from .conftest import ROOT
from .installer_lab import FOREIGN, Lab, executable

if TYPE_CHECKING:
    from .conftest import Home


@pytest.fixture
def lab(home: Home) -> Lab:
    return Lab(home)


def test_the_version_is_that_of_the_package() -> None:
    assert f'\nversion = "{__version__}"' in (ROOT / "pyproject.toml").read_text()


@pytest.mark.parametrize("quoted", ["{}", "'{}'", '"{}"'])
def test_s99_the_shell_form_becomes_the_exec_form_in_place(lab: Lab, quoted: str) -> None:
    old = {"type": "command", "command": quoted.format(lab.command("launch")), "timeout": 10}
    lab.write({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [FOREIGN, old, FOREIGN]}]}})
    lab.run("install", "launch")
    [group] = lab.value()["hooks"]["PreToolUse"]
    assert group["hooks"][0] == group["hooks"][2] == FOREIGN
    assert group["hooks"][1] == lab.entry("launch")


def test_s99_both_forms_become_one(lab: Lab) -> None:
    old = {"type": "command", "command": lab.command("launch"), "timeout": 10}
    lab.write({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [old, lab.entry("launch")]}]}})
    lab.run("install", "launch")
    assert lab.ours() == [("PreToolUse", "Bash", lab.entry("launch"))]


def merged(
    file: dict[str, Any], slots: list[Slot], owner: Owner, rows: list[Any], retired: dict[str, str | None]
) -> Any:
    parsed = settings.parse(json.dumps(file).encode(), "x")
    found = matching.match(parsed, slots, owner, rows, known={"new": {"PreToolUse"}}, retired=retired)
    return merge.install(parsed, found, {}, "x")[0].value


def handler(name: str, **fields: Any) -> dict[str, Any]:
    return {"type": "command", "command": f"cchooks-{name}", "args": [], "timeout": 10, **fields}


def test_s101_a_renamed_hook_is_migrated_in_place() -> None:
    file = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [handler("old", timeout=99)]}, {"hooks": [FOREIGN]}]}}
    rows = [{"hook": "old", "event": "PreToolUse", "matcher": "Bash", "handler": handler("old")}]
    owner = Owner(["new"], retired={"old": "new"})
    made = merged(file, [Slot("new", "PreToolUse", "Bash", handler("new"))], owner, rows, {"old": "new"})
    assert made["hooks"]["PreToolUse"] == [
        {"matcher": "Bash", "hooks": [handler("new", timeout=99)]},
        {"hooks": [FOREIGN]},
    ]


def test_s101_a_dropped_hook_is_removed() -> None:
    file = {"hooks": {"Stop": [{"hooks": [handler("old"), FOREIGN]}]}}
    owner = Owner(["new"], retired={"old": None})
    made = merged(file, [Slot("new", "PreToolUse", "Bash", handler("new"))], owner, [], {"old": None})
    assert made["hooks"]["Stop"] == [{"hooks": [FOREIGN]}]
    assert made["hooks"]["PreToolUse"] == [{"matcher": "Bash", "hooks": [handler("new")]}]


def test_s101_the_recorded_choice_follows_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "RETIRED", {"old": "spill", "gone": None})
    entry = {"chosen": ["gone", "launch", "old"]}
    assert registration.chosen([], entry, catalogue.hooks()) == ["launch", "spill"]


def test_s101_every_executable_of_a_retired_name_is_still_installed(lab: Lab) -> None:
    for name in catalogue.RETIRED:
        assert lab.home.suite.bin(f"cchooks-{name}").exists()


def test_s102_an_upgrade_that_cannot_be_written(lab: Lab) -> None:
    old = {"type": "command", "command": lab.command("launch"), "timeout": 10}
    lab.write({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [old]}]}})
    lab.file.parent.chmod(0o555)
    try:
        said = lab.refused("install", "launch")
    finally:
        lab.file.parent.chmod(0o755)
    assert "is read-only" in said
    assert Path(old["command"]).exists()


def test_s103_a_matcher_we_wrote_follows_the_new_version(lab: Lab) -> None:
    lab.run("install", "launch")
    lab.write(lab.file.read_text().replace('"matcher": "Bash"', '"matcher": "Task"'))
    rows = lab.receipt()["entries"]
    lab.edit_receipt(entries=[{**rows[0], "matcher": "Task"}])
    done = lab.run("install")
    assert "updated launch on PreToolUse (Bash): matcher" in done.stdout
    assert lab.ours() == [("PreToolUse", "Bash", lab.entry("launch"))]


def test_s103_of_two_matchers_only_the_old_one_changes(lab: Lab) -> None:
    lab.run("install", "spill")
    lab.write(lab.file.read_text().replace('"mcp__.*"', '"mcp__old"'))
    rows = lab.receipt()["entries"]
    lab.edit_receipt(entries=[rows[0], {**rows[1], "matcher": "mcp__old"}])
    lab.run("install")
    assert [matcher for _, matcher, _ in lab.ours()] == [rows[0]["matcher"], "mcp__.*"]


def test_an_older_version_does_not_downgrade_silently(lab: Lab) -> None:
    lab.run("install", "launch")
    rows = lab.receipt()["entries"]
    newer = lab.entry("launch", timeout=77)
    lab.write(lab.file.read_text().replace('"timeout": 10', '"timeout": 77'))
    lab.edit_receipt(version="99.0.0", entries=[{**rows[0], "handler": newer}])
    said = lab.refused("install")
    assert f"written by cchooks 99.0.0, this is {__version__}" in said
    lab.write(lab.file.read_text().replace('"timeout": 77', '"timeout": 10'))
    assert "nothing to do" in lab.run("install").stdout
    assert lab.receipt()["version"] == "99.0.0"
    lab.write(lab.file.read_text().replace('"timeout": 10', '"timeout": 77'))
    lab.run("install", "--force")
    assert lab.ours()[0][2]["timeout"] == 10


def test_s105_a_client_that_does_not_know_an_event(lab: Lab) -> None:
    folder = lab.home.root / "client"
    executable(folder / "claude", "echo 1.0.50")
    lab.env = {"PATH": f"{folder}:/usr/bin:/bin"}
    before = {"hooks": {"SessionStart": [{"hooks": [FOREIGN]}]}}
    lab.write(before)
    done = lab.run("install", "childenv", "launch")
    assert "childenv is not registered for SessionStart, which 1.0.62 was the first to have" in done.stderr
    assert "installed launch in" in done.stdout
    assert lab.hooks() == {"launch"}
    assert lab.value()["hooks"]["SessionStart"] == before["hooks"]["SessionStart"]


def test_removing_the_package_first_leaves_entries_that_only_fail_to_start(lab: Lab) -> None:
    """A session that still calls a removed hook: the spawn fails, and there is no status 2 that would deny the call."""
    lab.run("install")
    commands = [item["command"] for _, _, item in lab.ours()]
    assert all(Path(command).name.startswith("cchooks-") for command in commands)
    for command in commands:
        done = subprocess.run(["/bin/sh", "-c", f"exec '{command}-gone'"], capture_output=True, check=False)
        assert done.returncode == 127
