"""Rows S19 to S35: what is put in, and what stays as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cchooks_suite import catalogue, matching, merge, ownership, settings
from cchooks_suite.catalogue import Slot

from .installer_lab import DEFAULT_HOOKS, FOREIGN, FOREIGN_GROUP, Lab, entries

if TYPE_CHECKING:
    from .conftest import Home

CASES = Path(__file__).parent / "settings"


@pytest.fixture
def lab(home: Home) -> Lab:
    return Lab(home)


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir() if path.is_dir()))
def test_golden(case: str) -> None:
    """`after.json` is `before.json` with the default hooks of bare names in it, and goes back to it."""
    before, after = ((CASES / case / name).read_bytes() for name in ("before.json", "after.json"))
    file = settings.parse(before, "before.json")
    slots = [slot for name in DEFAULT_HOOKS for slot in catalogue.hooks()[name].slots]
    owner = ownership.Owner(catalogue.hooks())
    made, texts = merge.install(file, matching.match(file, slots, owner), {}, "x")
    assert made.encode().decode() == after.decode()
    gone = [item.handler for item in matching.match(made, [], owner).surplus]
    assert merge.uninstall(made, gone, texts, "x").encode() == before


def test_s19_the_rest_is_equal_by_value_and_order(lab: Lab) -> None:
    before = {
        "model": "x",
        "env": {"B": "1", "A": "2"},
        "permissions": {"deny": ["Bash(rm *)"], "allow": []},
        "statusLine": {"type": "command", "command": "x"},
        "laterKey": [1, {"a": None}],
    }
    lab.write(before)
    lab.run("install")
    after = lab.value()
    after.pop("hooks")
    assert json.dumps(after) == json.dumps(before)


def test_s20_a_foreign_group_stays_first(lab: Lab) -> None:
    lab.write({"hooks": {"SessionStart": [{"hooks": [FOREIGN]}]}})
    lab.run("install", "childenv")
    groups = lab.value()["hooks"]["SessionStart"]
    assert groups == [{"hooks": [FOREIGN]}, {"hooks": [lab.entry("childenv")]}]


def test_s21_foreign_fields_survive(lab: Lab) -> None:
    rich = {
        **FOREIGN,
        "args": ["a b", "é"],
        "if": "Bash(git *)",
        "shell": "bash",
        "async": True,
        "statusMessage": "…",
        "laterField": {"x": [1.0, 10**30]},
    }
    http = {"type": "http", "url": "http://127.0.0.1:1/x", "headers": {"X-A": "b"}, "timeout": 3}
    before = lab.write(
        {"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [rich, http]}], "Stop": [{"hooks": [http]}]}}
    )
    lab.run("install")
    value = lab.value()["hooks"]
    assert value["PreToolUse"][0]["hooks"] == [rich, http]
    assert value["Stop"] == [{"hooks": [http]}]
    lab.run("uninstall")
    assert lab.file.read_bytes() == before


def test_s23_a_second_install_writes_nothing(lab: Lab) -> None:
    lab.write({"model": "x"})
    lab.run("install")
    before, backups = lab.snapshot(), lab.backups()
    state = {path: path.stat().st_mtime_ns for path in lab.home.state.rglob("*")}
    for _ in range(3):
        assert "nothing to do" in lab.run("install").stdout
    assert lab.snapshot() == before
    assert lab.backups() == backups
    assert {path: path.stat().st_mtime_ns for path in lab.home.state.rglob("*")} == state


@pytest.mark.parametrize("matcher", ["Bash", "*", "Bash|Read", None])
def test_s24_copies_collapse(lab: Lab, matcher: str | None) -> None:
    ours = lab.entry("launch")
    group = {**({"matcher": matcher} if matcher else {}), "hooks": [ours, FOREIGN, ours]}
    lab.write({"hooks": {"PreToolUse": [group] * 4}})
    done = lab.run("install", "launch")
    assert "removed 7 entries of launch that stood more than once" in done.stdout
    assert len(lab.ours()) == 1
    groups = lab.value()["hooks"]["PreToolUse"]
    assert [handler for group in groups for handler in group["hooks"] if handler == FOREIGN] == [FOREIGN] * 4


def test_s24_copies_without_foreign_handlers(lab: Lab) -> None:
    lab.run("install")
    value = lab.value()
    value["hooks"]["PreToolUse"] *= 4
    value["hooks"]["PostToolUse"] *= 4
    lab.write(value)
    lab.run("install")
    assert len(lab.ours()) == 4
    assert all(len(group["hooks"]) == 1 for groups in lab.value()["hooks"].values() for group in groups)


def test_s26_all_hooks_disabled(lab: Lab) -> None:
    lab.write({"disableAllHooks": True})
    done = lab.run("install")
    assert "`disableAllHooks` is on" in done.stderr
    assert lab.value()["disableAllHooks"] is True
    assert lab.hooks() == set(DEFAULT_HOOKS)


def test_s27_the_choice_is_remembered(lab: Lab) -> None:
    lab.run("install", "launch", "spill")
    assert lab.hooks() == {"launch", "spill"}
    lab.run("install")
    assert lab.hooks() == {"launch", "spill"}
    lab.file.unlink()
    lab.run("install")
    assert lab.hooks() == {"launch", "spill"}


def test_s27_named_hooks_are_those_and_no_others(lab: Lab) -> None:
    lab.run("install")
    done = lab.run("install", "spill", "launch")
    assert "removed 1 entry of delegate" in done.stdout
    assert "to have all of them: cchooks install delegate launch spill\n" in done.stdout
    assert lab.hooks() == {"launch", "spill"}
    lab.run("install", "spill", "launch", "delegate")
    assert lab.hooks() == set(DEFAULT_HOOKS)


def test_s27_taking_one_out_is_a_choice_too(lab: Lab) -> None:
    lab.run("install")
    lab.run("uninstall", "delegate")
    lab.run("install")
    assert lab.hooks() == {"launch", "spill"}


def test_an_unknown_hook_is_wrong_usage(lab: Lab) -> None:
    for command in ("install", "uninstall", "print-config"):
        said = lab.run(command, "spil", status=2).stderr
        assert "no hook is named 'spil'; there are childenv, delegate, launch, spill" in said
    assert not lab.file.exists()


def test_s28_tabs_and_no_final_newline(lab: Lab) -> None:
    lab.write('{\n\t"model": "x"\n}')
    diff = lab.run("install", "--dry-run").stdout
    lab.run("install")
    text = lab.file.read_text()
    assert text.endswith("\n}")
    lines = text.split("\n")[2:-1]
    assert all(line.startswith("\t") and not line.lstrip("\t").startswith(" ") for line in lines)
    body = [line for line in diff.splitlines() if line[:1] in "+-" and not line.startswith(("+++", "---"))]
    assert [line for line in body if line.startswith("-")] == ['-\t"model": "x"']
    assert body[1] == '+\t"model": "x",'


def test_s29_bytes_outside_hooks_and_foreign_groups(lab: Lab) -> None:
    head = (
        '{\n    "zeta" : 1,\n    "alpha":[1,2],   "beta": {"x":1},\n    "hooks": {\n        "Stop": [{"hooks":[]}],\n'
    )
    group = '            {"hooks": [ {"timeout":7,"type":"command" , "command":"/opt/acme/audit"} ], "matcher":"Bash"}'
    tail = '\n        ]\n    },\n    "omega": "last"\n}\n'
    lab.write(head + '        "PreToolUse": [\n' + group + tail)
    lab.run("install")
    text = lab.file.read_text()
    assert text.startswith(head + '        "PreToolUse": [\n' + group + ',\n            {\n                "matcher": ')
    assert text.endswith('\n    },\n    "omega": "last"\n}\n')


@pytest.mark.parametrize(
    "spelled", ["é", "\\u00e9", "&&", "<", "\\/", "\\u003c", "\\ud83d\\ude00", "😀", "\\ud800", "\\u2028"]
)
def test_s30_strings_stay_as_they_are_spelled(lab: Lab, spelled: str) -> None:
    hooks = f'{{"Stop": [{{"hooks": [{{"type": "command", "command": "{spelled}"}}]}}]}}'
    text = f'{{\n  "a": "{spelled}",\n  "hooks": {hooks}\n}}\n'
    lab.write(text)
    lab.run("install")
    assert lab.file.read_text().count(f'"{spelled}"') == 2
    lab.run("uninstall")
    assert lab.file.read_text() == text


@pytest.mark.parametrize(("text", "separators"), [('{"model":"x"}', (",", ":")), ('{"model": "x"}', (", ", ": "))])
def test_s33_one_line_stays_one_line(lab: Lab, text: str, separators: tuple[str, str]) -> None:
    lab.write(text)
    lab.run("install")
    made = lab.file.read_text()
    assert made == json.dumps(json.loads(made), separators=separators)
    lab.run("install")
    assert lab.file.read_text() == made
    lab.run("uninstall")
    assert lab.file.read_text() == text


def test_s34_the_users_timeout_stays(lab: Lab) -> None:
    lab.run("install", "launch")
    lab.write(lab.file.read_text().replace('"timeout": 10', '"timeout": 30'))
    before = lab.snapshot()
    done = lab.run("install")
    assert "kept your change" in done.stdout
    assert lab.snapshot() == before
    assert lab.receipt()["entries"][0]["kept"] == {"timeout": 30}
    [row] = lab.json("status")["files"][0]["hooks"][2:3]
    assert row == {"hook": "launch", "state": "installed", "detail": "PreToolUse (Bash): timeout is 30, shipped 10"}


def test_s34_the_users_matcher_and_fields_stay(lab: Lab) -> None:
    lab.run("install", "launch")
    value = lab.value()
    [group] = value["hooks"]["PreToolUse"]
    group["matcher"] = "Bash|PowerShell"
    group["hooks"][0]["statusMessage"] = "checking"
    before = lab.write(value)
    lab.run("install")
    assert lab.file.read_bytes() == before
    lab.run("install", "--force")
    assert lab.ours() == [("PreToolUse", "Bash", lab.entry("launch"))]


def test_s35_a_value_we_wrote_follows_the_new_version(lab: Lab) -> None:
    lab.run("install", "launch")
    old = lab.entry("launch", timeout=5)
    lab.write(lab.file.read_text().replace('"timeout": 10', '"timeout": 5'))
    rows = lab.receipt()["entries"]
    lab.edit_receipt(entries=[{**rows[0], "handler": old}], version="0.0.1")
    done = lab.run("install")
    assert "updated launch on PreToolUse (Bash): timeout" in done.stdout
    assert lab.ours()[0][2]["timeout"] == 10


@pytest.mark.parametrize("timeout", [0, -1, "10", True, None])
def test_an_invalid_timeout_of_ours_is_corrected(lab: Lab, timeout: Any) -> None:
    lab.run("install", "launch")
    lab.write({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [lab.entry("launch", timeout=timeout)]}]}})
    lab.run("install")
    assert lab.ours()[0][2]["timeout"] == 10


def test_an_entry_under_an_event_the_hook_does_not_serve_moves(lab: Lab) -> None:
    lab.write({"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [lab.entry("launch")]}]}})
    done = lab.run("install", "launch")
    assert "removed 1 entry of launch under PostToolUse, where it does nothing" in done.stdout
    assert [(event, matcher) for event, matcher, _ in lab.ours()] == [("PreToolUse", "Bash")]
    assert "PostToolUse" not in lab.value()["hooks"]


def test_a_matcher_that_changes_leaves_a_shared_group_alone() -> None:
    """Ours stands in a group with a foreign handler: the group keeps its matcher, ours moves to one of its own."""
    old = {"type": "command", "command": "cchooks-x", "args": [], "timeout": 10}
    file = settings.parse(
        json.dumps({"hooks": {"PreToolUse": [{"matcher": "Task", "hooks": [FOREIGN, old]}]}}).encode(), "x"
    )
    rows = [{"hook": "x", "event": "PreToolUse", "matcher": "Task", "handler": old}]
    found = matching.match(file, [Slot("x", "PreToolUse", "Agent", old)], ownership.Owner(["x"]), rows)
    made, _ = merge.install(file, found, {}, "x")
    assert made.value["hooks"]["PreToolUse"] == [
        {"matcher": "Task", "hooks": [FOREIGN]},
        {"matcher": "Agent", "hooks": [old]},
    ]


def test_dry_run_of_everything_shows_what_install_does(lab: Lab) -> None:
    lab.write({"hooks": {"PreToolUse": [FOREIGN_GROUP]}})
    planned = lab.json("install", "--dry-run")
    done = lab.json("install")
    assert planned["state"] == "dry-run"
    assert done["state"] == "changed"
    assert {key: planned[key] for key in ("added", "updated", "removed", "hooks")} == {
        key: done[key] for key in ("added", "updated", "removed", "hooks")
    }
    added = [line for line in planned["diff"].splitlines() if line.startswith("+ ") and '"command": "' in line]
    assert len(added) == len(entries(lab.value()))
