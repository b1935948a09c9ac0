"""Rows S109, S112, S116, S117, S123: what `status` says, that it writes nothing, and what `install` says first."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from .installer_lab import DEFAULT_HOOKS, FOREIGN_GROUP, HOOKS, Lab

if TYPE_CHECKING:
    from .conftest import Home


@pytest.fixture
def lab(home: Home) -> Lab:
    return Lab(home)


def states(lab: Lab, status: int) -> dict[str, str]:
    found = lab.json("status", status=status)
    assert found["status"] == status
    return {row["hook"]: row["state"] for row in found["files"][0]["hooks"]}


def test_nothing_installed(lab: Lab) -> None:
    done = lab.run("status")
    assert f"user: {lab.file}: not there" in done.stdout
    assert "hint: cchooks install" in done.stderr
    assert states(lab, 0) == dict.fromkeys(HOOKS, "absent")


def test_installed(lab: Lab) -> None:
    lab.run("install")
    assert states(lab, 0) == {**dict.fromkeys(DEFAULT_HOOKS, "installed"), "childenv": "absent"}
    assert lab.run("status").stderr == ""


def test_s109_an_event_is_missing(lab: Lab) -> None:
    lab.run("install")
    value = lab.value()
    del value["hooks"]["PostToolUse"][1]
    lab.write(value)
    assert states(lab, 1)["spill"] == "partial"
    done = lab.run("status", status=1)
    assert "partial: missing: PostToolUse (mcp__.*)" in done.stdout
    assert "hint: cchooks install" in done.stderr
    lab.run("install")
    assert states(lab, 0)["spill"] == "installed"


def test_s110_under_another_event(lab: Lab) -> None:
    lab.write({"hooks": {"Stop": [{"hooks": [lab.entry("launch")]}]}})
    done = lab.run("status", status=1)
    assert "launch    partial: an entry under Stop, expected PreToolUse" in done.stdout


def test_s110_another_matcher(lab: Lab) -> None:
    lab.write({"hooks": {"PreToolUse": [{"matcher": "Read", "hooks": [lab.entry("launch")]}]}})
    done = lab.run("status", status=3)
    assert "launch    drifted: PreToolUse (Bash): matcher is Read, shipped Bash" in done.stdout
    assert "with --force it resets" in done.stderr


def test_s117_lost(lab: Lab) -> None:
    lab.write({"model": "x"})
    lab.run("install")
    lab.write({"model": "x"})
    before = lab.snapshot()
    done = lab.run("status", status=1)
    assert re.search(r"spill +lost: lost since \d{4}-\d\d-\d\d \d\d:\d\d UTC", done.stdout)
    assert "the client writes back an older copy" in done.stdout
    assert "cchooks install" in done.stderr
    assert lab.snapshot() == before
    lab.run("install")
    assert states(lab, 0)["spill"] == "installed"


def test_s117_the_file_is_gone(lab: Lab) -> None:
    lab.run("install")
    lab.file.unlink()
    assert "the file is gone" in lab.run("status", status=1).stdout


def test_after_uninstall_nothing_is_lost(lab: Lab) -> None:
    lab.run("install")
    lab.run("uninstall")
    assert states(lab, 0) == dict.fromkeys(HOOKS, "absent")


def test_duplicated(lab: Lab) -> None:
    lab.run("install")
    value = lab.value()
    value["hooks"]["PreToolUse"] *= 8
    lab.write(value)
    assert states(lab, 3)["launch"] == "duplicated"
    assert "8 entries, expected 1" in lab.run("status", status=3).stdout


def test_an_executable_that_is_gone(lab: Lab) -> None:
    lab.run("install", "launch")
    gone = str(lab.home.root / "gone" / "cchooks-launch")
    lab.write(lab.file.read_text().replace(lab.command("launch"), gone))
    rows = lab.receipt()["entries"]
    lab.edit_receipt(entries=[{**rows[0], "handler": lab.entry("launch", command=gone)}])
    assert states(lab, 1)["launch"] == "broken"
    assert f"{gone} is not there" in lab.run("status", status=1).stdout
    lab.run("install")
    assert states(lab, 0)["launch"] == "installed"


def test_look_alikes(lab: Lab) -> None:
    lab.write({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/opt/x/cchooks-spill", "args": []}]}]}})
    assert "looks like ours, not installed by us" in lab.run("status", status=3).stderr


def test_a_file_that_the_client_drops(lab: Lab) -> None:
    lab.write({"hooks": {"PreToolUse": [{"matcher": None, "hooks": []}]}})
    done = lab.run("status", status=1)
    assert "the client drops the whole file" in done.stderr


def test_another_setting_makes_the_client_drop_the_file(lab: Lab) -> None:
    lab.write({"model": None})
    assert "`model` is null, expected a string: the client drops the whole file" in lab.run("install").stderr
    assert lab.hooks() == set(DEFAULT_HOOKS)
    assert "`model` is null" in lab.run("status", status=1).stderr


def test_other_projects_are_named(lab: Lab) -> None:
    other = lab.home.root / "other"
    other.mkdir()
    lab.run("install", "--project", "launch", cwd=other)
    file = other / ".claude" / "settings.json"
    assert f"elsewhere: {file}" in lab.run("status").stdout
    file.write_text("{}")
    assert "launch    lost" in lab.run("status").stdout
    assert lab.run("status", status=1, cwd=other)
    shutil.rmtree(other)
    assert "elsewhere" not in lab.run("status").stdout


@pytest.mark.parametrize("start", ["nothing", "installed", "lost", "broken"])
@pytest.mark.parametrize("command", ["status", "doctor"])
def test_s123_looking_writes_nothing(lab: Lab, start: str, command: str) -> None:
    if start != "nothing":
        lab.write({"hooks": {"PreToolUse": [FOREIGN_GROUP]}})
        lab.run("install")
    if start == "lost":
        lab.write({"model": "x"})
    if start == "broken":
        lab.write("{")
    before = {path: path.lstat().st_mtime_ns for path in lab.home.root.rglob("*")}
    for words in ([command], [command, "--json"]):
        lab.run(*words, status=None)
    assert {path: path.lstat().st_mtime_ns for path in lab.home.root.rglob("*")} == before


@pytest.mark.parametrize("value", [True, "yes", 1, {}])
def test_s112_only_managed_hooks(lab: Lab, value: Any) -> None:
    managed = lab.home.root / "managed"
    lab.write({"allowManagedHooksOnly": value}, managed / "managed-settings.json")
    lab.env = {"CCHOOKS_MANAGED_DIR": str(managed)}
    done = lab.run("install")
    assert "`allowManagedHooksOnly` is set" in done.stderr.splitlines()[0]
    assert lab.hooks() == set(DEFAULT_HOOKS)


def test_s112_in_a_fragment_and_switched_off(lab: Lab) -> None:
    managed = lab.home.root / "managed"
    lab.write({"allowManagedHooksOnly": False, "disableAllHooks": None}, managed / "managed-settings.json")
    lab.env = {"CCHOOKS_MANAGED_DIR": str(managed)}
    assert "allowManagedHooksOnly" not in lab.run("install").stderr
    lab.write({"allowManagedHooksOnly": True}, managed / "managed-settings.d" / "10-hooks.json")
    assert "10-hooks.json: `allowManagedHooksOnly` is set" in lab.run("install").stderr


@pytest.mark.parametrize("value", [True, ["hooks"], ["skills", "hooks"]])
def test_s115_only_plugins(lab: Lab, value: Any) -> None:
    managed = lab.home.root / "managed"
    lab.write({"strictPluginOnlyCustomization": value}, managed / "managed-settings.json")
    lab.env = {"CCHOOKS_MANAGED_DIR": str(managed)}
    assert "`strictPluginOnlyCustomization` is set" in lab.run("install").stderr


@pytest.mark.parametrize("scope", ["--user", "--project"])
def test_s116_the_plugin_is_on(lab: Lab, scope: str) -> None:
    lab.write({"enabledPlugins": {"cchooks@market": True, "other@market": True}})
    said = lab.refused("install", scope)
    assert "the plugin 'cchooks@market' is on, so every hook would run twice" in said
    assert "claude plugin disable cchooks@market" in said
    lab.run("install", scope, "--force")


@pytest.mark.parametrize("plugins", [{"cchooks@market": False}, {"mycchooks@market": True}, [], None])
def test_s116_another_plugin_or_off(lab: Lab, plugins: Any) -> None:
    lab.write({"enabledPlugins": plugins})
    lab.run("install")
    assert lab.hooks() == set(DEFAULT_HOOKS)


# The command line itself.


def test_the_output_of_install_tells_a_newcomer(lab: Lab) -> None:
    lab.write({"model": "x"})
    out = lab.run("install").stdout
    for text in (
        f"installed delegate, launch, spill in {lab.file}",
        "from now on",
        "on the main thread",
        "cchooks install launch spill",
        "CCHOOKS_DELEGATE=off",
        f"backup: {lab.home.state}",
        "undo: cchooks uninstall",
    ):
        assert text in out


def test_json_has_stable_keys(lab: Lab) -> None:
    lab.write({"model": "x"})
    keys = [
        "command",
        "state",
        "scope",
        "file",
        "target",
        "hooks",
        "added",
        "updated",
        "removed",
        "kept",
        "backup",
        "notes",
    ]
    assert list(lab.json("install")) == keys
    assert list(lab.json("install", "--dry-run")) == [*keys, "diff"]
    assert list(lab.json("status")) == ["command", "status", "files"]
    assert list(lab.json("uninstall")) == ["command", "files", "elsewhere"]
    lab.write("{")
    refused = lab.json("install", status=1)
    assert refused["state"] == "refused"
    assert str(lab.file) in refused["error"]


def test_wrong_usage_is_2(lab: Lab) -> None:
    for words in (["instal"], ["install", "--nope"], []):
        assert lab.run(*words, status=2)


def test_version_and_help(lab: Lab) -> None:
    assert lab.run("--version").stdout.startswith("cchooks 0.")
    assert "uninstall" in lab.run("--help").stdout


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion(lab: Lab, shell: str) -> None:
    script = lab.run("completion", shell).stdout
    assert "--dry-run" in script
    if shell == "bash":
        assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0


def test_no_colour_where_none_is_wanted(lab: Lab) -> None:
    lab.write({"model": "x"})
    assert "\033[" not in lab.run("install", "--dry-run").stdout
    lab.env = {"FORCE_COLOR": "1"}
    assert "\033[32m+" in lab.run("install", "--dry-run").stdout
    lab.env = {"FORCE_COLOR": "1", "NO_COLOR": "1"}
    assert "\033[" not in lab.run("install", "--dry-run").stdout


def test_an_interrupt_is_130(lab: Lab) -> None:
    code = (
        "import os, signal, sys\n"
        "from cchooks_suite import transaction\n"
        "transaction.settled = lambda path: os.kill(os.getpid(), signal.SIGINT)\n"
        "from cchooks_suite.cli import main\n"
        "sys.exit(main(['install']))"
    )
    done = lab.home.run("python", "-c", code)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr


def test_a_bug_is_one_line(lab: Lab) -> None:
    code = (
        "import sys\n"
        "from cchooks_suite import transaction\n"
        "def settled(path): raise KeyError('oh\\nno')\n"
        "transaction.settled = settled\n"
        "from cchooks_suite.cli import main\n"
        "sys.exit(main(['install']))"
    )
    done = lab.home.run("python", "-c", code)
    assert done.returncode == 1
    assert done.stderr.startswith("error: unexpected KeyError: ")
    assert "hint: CCHOOKS_DEBUG=1" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Traceback" in lab.home.run("python", "-c", code, env={"CCHOOKS_DEBUG": "1"}).stderr
    told = json.loads(lab.home.run("python", "-c", code.replace("'install'", "'install', '--json'")).stdout)
    assert told["error"].startswith("unexpected KeyError: ")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams(lab: Lab, closed: str) -> None:
    command = f"'{lab.home.suite.bin('cchooks')}' install {closed}"
    done = subprocess.run(["/bin/sh", "-c", command], env=lab.home.env, cwd=lab.home.project, check=False)
    assert done.returncode == 0
    assert lab.hooks() == set(DEFAULT_HOOKS)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", ["status", "status --json", "doctor", "print-config", "uninstall --json", "--help"])
def test_no_room_for_the_output(lab: Lab, command: str, unbuffered: str) -> None:
    line = f"'{lab.home.suite.bin('cchooks')}' {command} >/dev/full"
    env = {**lab.home.env, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        ["/bin/sh", "-c", line], env=env, cwd=lab.home.project, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    assert "unexpected" not in done.stderr
    if command == "--help" and unbuffered:  # argparse itself passes over the error
        return
    assert done.returncode == 1
    assert "error: the output could not be written: No space left on device" in done.stderr


def test_a_reader_that_stops_reading(lab: Lab) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [str(lab.home.suite.bin("cchooks")), "--help"],
        env=lab.home.env,
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)
    assert b"Traceback" not in done.stderr


def test_an_install_without_changes_imports_little(lab: Lab) -> None:
    """Counted in modules: each of these costs more than the whole work on a big file."""
    lab.run("install")
    done = subprocess.run(
        [str(lab.home.suite.bin("python")), "-X", "importtime", str(lab.home.suite.bin("cchooks")), "install"],
        env=lab.home.env,
        cwd=lab.home.project,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    heavy = {
        "filelock",
        "typing",
        "pathlib",
        "subprocess",
        "hashlib",
        "difflib",
        "platformdirs",
        "msgspec",
        "shutil",
        "ctypes",
    }
    assert "cchooks_suite.matching" in loaded
    assert "cchooks_suite.merge" not in loaded
    assert loaded & heavy == set()
    assert json.loads(lab.file.read_text())
