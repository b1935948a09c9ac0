"""Rows S36 to S50: whose entry it is, and what uninstall takes out."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from cchooks_suite.ownership import Owner

from .installer_lab import DEFAULT_HOOKS, FOREIGN, FOREIGN_GROUP, Lab, git

if TYPE_CHECKING:
    from .conftest import Home

STRANGE = {"type": "command", "command": "/opt/other/cchooks-spill", "args": []}


@pytest.fixture
def lab(home: Home) -> Lab:
    return Lab(home)


@pytest.mark.parametrize("first", [True, False])
def test_s36_a_shared_group_keeps_the_foreign_handler(lab: Lab, first: bool) -> None:
    ours = lab.entry("launch")
    handlers = [FOREIGN, ours] if first else [ours, FOREIGN]
    lab.write({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": handlers}]}})
    lab.run("uninstall")
    assert lab.value() == {"hooks": {"PreToolUse": [FOREIGN_GROUP]}}


def test_s37_what_is_empty_then_goes_too(lab: Lab) -> None:
    text = '{\n  "model": "x",\n  "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [OURS]}]},\n  "env": {}\n}\n'
    lab.write(text.replace("OURS", json.dumps(lab.entry("launch"))))
    lab.run("uninstall")
    assert lab.file.read_text() == '{\n  "model": "x",\n  "env": {}\n}\n'


def test_s37_an_event_of_others_stays(lab: Lab) -> None:
    groups = [{"matcher": "Bash", "hooks": [lab.entry("launch")]}]
    lab.write({"hooks": {"PreToolUse": groups, "Stop": [FOREIGN_GROUP]}})
    lab.run("uninstall")
    assert lab.value() == {"hooks": {"Stop": [FOREIGN_GROUP]}}


def test_s39_the_file_we_made_goes(lab: Lab) -> None:
    lab.run("install")
    lab.run("uninstall")
    assert not lab.file.exists()
    assert not lab.file.parent.exists()


def test_s39_a_file_that_was_there_stays(lab: Lab) -> None:
    lab.write("{}")
    lab.run("install")
    lab.run("uninstall")
    assert lab.file.read_text() == "{}"


def test_s39_a_file_we_made_with_something_of_the_users_stays(lab: Lab) -> None:
    lab.run("install")
    value = lab.value()
    lab.write({**value, "model": "x"})
    lab.run("uninstall")
    assert lab.value() == {"model": "x"}


def test_s39_a_file_of_the_users_in_place_of_the_one_we_made(lab: Lab) -> None:
    lab.run("install")
    lab.file.unlink()
    lab.write("{}\n")
    lab.run("install")
    lab.run("uninstall")
    assert lab.file.read_text() == "{}\n"


def test_s39_without_a_receipt_an_empty_object_stays(lab: Lab) -> None:
    lab.run("install")
    (lab.home.state / "receipt.json").unlink()
    lab.run("uninstall")
    assert lab.value() == {}


def test_s41_the_same_name_in_another_folder(lab: Lab) -> None:
    lab.write({"hooks": {"PostToolUse": [{"hooks": [STRANGE]}]}})
    before = lab.snapshot()
    done = lab.run("uninstall")
    assert "looks like ours, not installed by us" in done.stderr
    assert lab.snapshot() == before
    lab.run("uninstall", "--all-matching")
    assert lab.value() == {}


def test_s41_install_says_that_both_run(lab: Lab) -> None:
    lab.write({"hooks": {"PostToolUse": [{"hooks": [STRANGE]}]}})
    assert "both will run" in lab.run("install", "spill").stderr
    assert len(lab.ours()) == 3
    lab.run("install", "spill", "--all-matching")
    assert [handler["command"] for _, _, handler in lab.ours()] == [lab.command("spill")] * 2


BEHIND = [
    "~/v/bin/{name}",
    "$HOME/v/bin/{name}",
    '"${{HOME}}/v/bin/{name}" --x',
    "exec {path}",
    "{path} 2>/dev/null",
    "{path} || true",
    "CCHOOKS_X=1 {path}",
    "bash {path}",
    "/bin/sh -c {path}",
    "sh -c 'cd / && exec {path} 2>&1'",
    "cd /tmp; {path}",
    "test -x {path} && {path}",
    "if true; then {path}; fi",
    "timeout 5s env -i A=b {path}",
    "/usr/bin/python3.11 -E {path}",
    "$CLAUDE_PROJECT_DIR/.venv/bin/{name} | cat",
]


def behind(lab: Lab, form: str) -> dict[str, Any]:
    return {"type": "command", "command": form.format(name="cchooks-launch", path=lab.command("launch"))}


@pytest.mark.parametrize("form", BEHIND)
def test_s41_our_executable_behind_other_words_of_a_shell(lab: Lab, form: str) -> None:
    before = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [behind(lab, form)]}]}}
    lab.write(before)
    assert "looks like ours, not installed by us; both will run" in lab.run("install", "launch").stderr
    [check] = [check for check in lab.json("doctor", status=3)["checks"] if check["id"] == "entry.lookalike"]
    assert "runs twice" in check["reason"]
    done = lab.run("uninstall")
    assert "looks like ours, not installed by us; it stays" in done.stderr
    assert "names cchooks" not in done.stderr
    assert lab.value() == before
    lab.run("uninstall", "--all-matching")
    assert lab.value() == {}


@pytest.mark.parametrize(
    "value",
    [
        {"command": "/bin/sh", "args": ["-c", "exec cchooks-spill"]},
        {"command": "env", "args": ["A=b c", "/opt/my tools/cchooks-spill"]},
    ],
)
def test_s41_our_executable_among_the_arguments(value: dict[str, Any]) -> None:
    owner = Owner(["spill"])
    assert (owner.hook(value), owner.looks_alike(value)) == (None, "spill")
    assert Owner(["spill"], everything=True).hook(value) == "spill"


@pytest.mark.parametrize(
    "command",
    [
        "echo cchooks-spill",
        "cat < cchooks-spill",
        "x > cchooks-spill",
        "ls /opt/cchooks-spill/bin",
        "cchooks-spillage",
        "echo 'cchooks-spill",
        "/opt/acme/audit --log=cchooks-spill",
        "sh script cchooks-spill",
    ],
)
def test_s41_commands_that_only_name_it(command: str) -> None:
    assert Owner(["spill"], everything=True).hook({"type": "command", "command": command}) is None


MISPLACED = [
    ({"PreToolUse": ["OURS"]}, "hooks.PreToolUse[0].command"),
    ({"PreToolUse": {"hooks": ["OURS"]}}, "hooks.PreToolUse.hooks[0].command"),
    ({"PreToolUse": [{"matcher": "Bash", "hooks": "OURS"}]}, "hooks.PreToolUse[0].hooks.command"),
    ({"hooks": {"PreToolUse": [{"hooks": ["OURS"]}]}}, "hooks.hooks.PreToolUse[0].hooks[0].command"),
]


@pytest.mark.parametrize(("hooks", "where"), MISPLACED)
def test_s41_our_handler_where_the_client_looks_for_none(lab: Lab, hooks: Any, where: str) -> None:
    text = json.dumps({"hooks": hooks}).replace('"OURS"', json.dumps(lab.entry("launch")))
    lab.write(text)
    before = lab.snapshot()
    done = lab.run("uninstall")
    assert f"note: {where} runs cchooks where the client looks for no handler" in done.stderr
    assert lab.json("uninstall")["files"][0]["mentions"] == [where]
    assert lab.snapshot() == before


def test_s49_one_file_of_several_is_refused(lab: Lab) -> None:
    git(lab.home.project, "init")
    lab.run("install", "--local")
    lab.run("install")
    lab.file.chmod(0o444)
    done = lab.run("uninstall", "--everywhere", status=1)
    assert "is read-only" in done.stderr
    assert "removed 4 entries" in done.stdout
    assert "the package may go now" not in done.stdout
    rows = {row["file"]: row for row in lab.json("uninstall", "--everywhere", status=1)["files"]}
    assert rows[str(lab.file)]["state"] == "refused"
    assert "is read-only" in rows[str(lab.file)]["error"]
    lab.file.chmod(0o644)
    assert "the package may go now" in lab.run("uninstall", "--everywhere").stdout


def test_s43_without_a_receipt(lab: Lab) -> None:
    lab.write({"hooks": {"PreToolUse": [FOREIGN_GROUP]}})
    before = lab.file.read_bytes()
    lab.run("install")
    (lab.home.state / "receipt.json").unlink()
    done = lab.run("uninstall")
    assert "no receipt for this file: went by the executables' names and folders" in done.stderr
    assert lab.file.read_bytes() == before


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"schema": 9, "files": {}}', '{"schema": 1, "files": {"x": 3}}', '{"schema": 1}']
)
def test_s43_a_receipt_that_is_none(lab: Lab, text: str) -> None:
    before = lab.write({"model": "x"})
    lab.run("install")
    (lab.home.state / "receipt.json").write_text(text)
    assert "nothing to do" in lab.run("install").stdout
    assert "installed" in lab.run("status").stdout
    lab.run("uninstall")
    assert lab.file.read_bytes() == before


@pytest.mark.parametrize("kept", [("type", "command"), ("type", "command", "timeout"), ("command",)])
def test_s44_entries_that_lost_keys(lab: Lab, kept: tuple[str, ...]) -> None:
    lab.run("install", "launch")
    [(_, _, handler)] = lab.ours()
    lab.write({"hooks": {"PreToolUse": [{"hooks": [{key: handler[key] for key in kept}]}]}})
    assert "launch    drifted" in lab.run("status", status=None).stdout.replace("outdated", "drifted")
    lab.run("uninstall")
    assert not lab.file.exists()


def test_s45_what_the_user_did_meanwhile_stays(lab: Lab) -> None:
    lab.write('{\n  "model": "x"\n}\n')
    lab.run("install")
    text = lab.file.read_text()
    lab.write(
        text.replace('"model": "x",', '"model": "y",\n  "theme": "dark",').replace("\n}\n", ',\n  "last": [1]\n}\n')
    )
    lab.run("uninstall")
    assert lab.file.read_text() == '{\n  "model": "y",\n  "theme": "dark",\n  "last": [1]\n}\n'


@pytest.mark.parametrize("start", [None, "{}", '{"hooks": {"Stop": []}}', '{"hooks": []}', ""])
def test_s46_nothing_installed(lab: Lab, start: str | None) -> None:
    if start is not None:
        lab.write(start)
        before = lab.snapshot()
    assert "nothing to remove" in lab.run("uninstall").stdout
    assert not lab.home.state.exists()
    if start is None:
        assert not lab.file.parent.exists()
    else:
        assert lab.snapshot() == before


def test_s48_an_entry_whose_executable_is_gone(lab: Lab) -> None:
    """The entry names an executable and no interpreter: starting it is a spawn error, never a status 2."""
    lab.run("install")
    for _, _, handler in lab.ours():
        assert handler["args"] == []
        gone = handler["command"] + "-gone"
        with pytest.raises(FileNotFoundError):
            subprocess.run([gone, *handler["args"]], check=False)


def test_s49_entries_in_two_scopes(lab: Lab) -> None:
    git(lab.home.project, "init")
    lab.run("install")
    lab.run("install", "--local", "launch")
    local = lab.home.project / ".claude" / "settings.local.json"
    done = lab.run("uninstall")
    assert f"{local}: 1 of our entries stay there" in done.stderr
    assert "--everywhere" in done.stderr
    assert not lab.file.exists()
    assert local.exists()


def test_s49_everywhere(lab: Lab) -> None:
    other = lab.home.root / "other"
    for folder in (lab.home.project, other):
        folder.mkdir(exist_ok=True)
        git(folder, "init")
    lab.run("install")
    lab.run("install", "--local", "launch")
    lab.run("install", "--project", "spill", cwd=other)
    lab.run("uninstall", "--everywhere")
    assert not list(lab.home.root.rglob("settings*.json"))
    assert git(lab.home.project, "status", "--porcelain", "--ignored") == ""


def test_s50_what_names_us_and_was_never_ours(lab: Lab) -> None:
    before = {
        "env": {"CCHOOKS_DELEGATE": "off"},
        "permissions": {"allow": ["Bash(cchooks status)"]},
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo cchooks-spill >> log"}]}]},
    }
    lab.write(before)
    lab.run("install")
    done = lab.run("uninstall")
    for where in ("env.CCHOOKS_DELEGATE", "permissions.allow[0]", "hooks.Stop[0].hooks[0].command"):
        assert f"{where} names cchooks and stays" in done.stderr
    assert lab.value() == before


def test_part_of_the_hooks(lab: Lab) -> None:
    lab.write({"model": "x"})
    lab.run("install")
    lab.run("uninstall", "spill", "launch")
    assert lab.hooks() == {"delegate"}
    assert {row["hook"] for row in lab.receipt()["entries"]} == {"delegate"}
    lab.run("uninstall")
    assert lab.value() == {"model": "x"}
    assert lab.receipt() is None


def test_uninstall_dry_run(lab: Lab) -> None:
    lab.write({"model": "x"})
    lab.run("install")
    before = lab.snapshot()
    done = lab.run("uninstall", "--dry-run")
    assert '-  "hooks": {' in done.stdout
    assert lab.snapshot() == before
    assert lab.hooks() == set(DEFAULT_HOOKS)


OWNED: list[tuple[dict[str, Any], str | None]] = [
    ({"command": "cchooks-spill", "args": []}, "spill"),
    ({"command": "cchooks-spill"}, "spill"),
    ({"command": "/ours/bin/cchooks-spill", "args": []}, "spill"),
    ({"command": "/ours/bin/cchooks-spill", "args": ["--x"]}, "spill"),
    ({"command": "'/ours/bin/cchooks-spill'"}, "spill"),
    ({"command": '"/ours/bin/cchooks-spill"'}, "spill"),
    ({"command": "'/with a space/cchooks-spill'"}, "spill"),
    ({"command": "/with a space/cchooks-spill"}, "spill"),
    ({"command": "/with a space/cchooks-spill", "args": []}, "spill"),
    ({"command": "/written/by us/cchooks-spill"}, "spill"),
    ({"command": "C:/Ours/Scripts/cchooks-spill.exe", "args": []}, "spill"),
    ({"command": "C:\\Ours\\Scripts\\cchooks-spill.EXE", "args": []}, "spill"),
    ({"command": "cchooks-old", "args": []}, "old"),
    ({"command": "/opt/other/cchooks-spill", "args": []}, None),
    ({"command": "/ours/bin/cchooks-spill2", "args": []}, None),
    ({"command": "/ours/bin/my-cchooks-spill", "args": []}, None),
    ({"command": "/ours/bin/cchooks-spill.sh", "args": []}, None),
    ({"command": "/ours/bin/CCHOOKS-SPILL", "args": []}, None),
    ({"command": "/ours/cchooks-spill/run", "args": []}, None),
    ({"command": "/ours/bin/cchooks", "args": []}, None),
    ({"command": "echo cchooks-spill"}, None),
    ({"command": "cchooks-spill && rm x"}, None),
    ({"command": "cchooks-spill | tee log"}, None),
    ({"command": "cchooks-spill; true"}, None),
    ({"command": "X=1 cchooks-spill"}, None),
    ({"command": "'unclosed cchooks-spill"}, None),
    ({"command": "/usr/bin/env", "args": ["cchooks-spill"]}, None),
    ({"command": ["cchooks-spill"]}, None),
    ({"command": None}, None),
    ({"type": "http", "url": "http://x/cchooks-spill"}, None),
    ({}, None),
]


@pytest.mark.parametrize(("handler", "hook"), OWNED, ids=[str(handler.get("command")) for handler, _ in OWNED])
def test_owned_by_the_exact_name_and_the_folder(handler: dict[str, Any], hook: str | None) -> None:
    folders = ["/ours/bin", "/with a space", "C:\\Ours\\Scripts"]
    owner = Owner(["spill", "launch"], folders, ["/written/by us/cchooks-spill"], retired={"old": "spill"})
    assert owner.hook(handler) == hook


def test_lookalikes() -> None:
    owner = Owner(["spill"], ["/ours"])
    assert owner.looks_alike({"command": "/opt/cchooks-spill", "args": []}) == "spill"
    assert owner.looks_alike({"command": "/ours/cchooks-spill", "args": []}) is None
    assert owner.looks_alike({"command": "/opt/cchooks-else", "args": []}) is None
    assert Owner(["spill"], everything=True).hook({"command": "/opt/cchooks-spill", "args": []}) == "spill"
