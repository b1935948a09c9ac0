"""`cchooks doctor`, the installed command on a person's files: the situations of the case list and more of a kind."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from cchooks_suite import doctor_entries, matchers, obstacles, probe, registered, rewriters
from cchooks_suite.finding import Finding, status
from hypothesis import given
from hypothesis import strategies as st

from .conftest import Home

HEALTHY, BROKEN, NOTICES = 0, 1, 3
TOOLS = "Bash|PowerShell|Read|Grep|Glob|WebFetch|WebSearch"


class Report:
    """What doctor said: its exit status, and its findings by id."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        assert done.stderr == ""
        self.status = done.returncode
        self.checks: list[dict[str, str]] = json.loads(done.stdout)["checks"]
        for check in self.checks:
            assert bool(check["fix"]) == (check["state"] in ("broken", "notice")), check

    def __getitem__(self, name: str) -> dict[str, str]:
        [found] = [check for check in self.checks if check["id"] == name]
        return found

    def ids(self, *states: str) -> set[str]:
        return {check["id"] for check in self.checks if check["state"] in states}


def doctor(home: Home, **more: Any) -> Report:
    return Report(home.run("cchooks", "doctor", "--json", **more))


@pytest.fixture
def installed(home: Home) -> Home:
    """A home with spill installed for the user."""
    install(home, "spill")
    return home


def install(home: Home, *words: str, cwd: Path | None = None) -> None:
    done = home.run("cchooks", "install", *words, cwd=cwd)
    assert done.returncode == 0, done.stderr


def settings(home: Home) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(home.settings.read_text())
    return content


def change(home: Home, **members: Any) -> None:
    home.settings.write_text(json.dumps({**settings(home), **members}, indent=2))


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def registered_from(home: Home, executable: Path) -> None:
    """As if `install` had written this executable: in the settings and on the receipt."""
    for file in (home.settings, home.state / "receipt.json"):
        file.write_text(file.read_text().replace(str(home.suite.bin("cchooks-spill")), str(executable)))


def files_below(folder: Path) -> dict[str, tuple[int, int, int]]:
    return {str(p): (p.stat().st_mtime_ns, p.stat().st_size, p.stat().st_mode) for p in folder.rglob("*")}


# Healthy.


def test_s120_all_fine_is_short_and_says_what_could_not_be_checked(installed: Home) -> None:
    done = installed.run("cchooks", "doctor")

    assert (done.returncode, done.stderr) == (HEALTHY, "")
    lines = done.stdout.splitlines()
    assert len(lines) < 10
    assert lines[-1].startswith("Healthy")
    assert "trust" in done.stdout
    assert "sessions that run already" in done.stdout
    assert "hint" not in done.stdout


def test_the_report_for_a_person_begins_with_what_is_broken(installed: Home) -> None:
    registered_from(installed, installed.root / "old" / "cchooks-spill")
    change(installed, enabledPlugins={"cchooks@market": True})

    done = installed.run("cchooks", "doctor")

    assert (done.returncode, done.stderr) == (BROKEN, "")
    lines = done.stdout.splitlines()
    words = [line.partition(":")[0] for line in lines if not line.startswith("  hint: ")]
    assert words[:3] == ["broken", "notice", "not checked"]
    assert lines[0].startswith(f"broken: {installed.settings}: ")
    assert lines[1] == "  hint: cchooks install --user"
    assert lines[-1] == "Broken: 1 to repair, 1 notice."
    assert "\033" not in done.stdout


def test_s114_policy_from_elsewhere_cannot_be_told_from_files(installed: Home) -> None:
    check = doctor(installed)["policy.elsewhere"]

    assert check["state"] == "unknown"
    assert "/status" in check["reason"]


def test_s122_json_has_the_same_keys_for_each_check(installed: Home) -> None:
    done = installed.run("cchooks", "doctor", "--json")
    report = json.loads(done.stdout)

    assert list(report) == ["command", "state", "checks"]
    assert report["state"] == "healthy"
    assert {tuple(check) for check in report["checks"]} == {("id", "state", "file", "reason", "fix")}
    assert {check["state"] for check in report["checks"]} <= {"ok", "notice", "broken", "unknown"}


@pytest.mark.parametrize("words", [[], ["--json"]], ids=["text", "json"])
def test_s66_s108_s123_nothing_is_written(installed: Home, tmp_path_factory: Any, words: list[str]) -> None:
    throw_away = tmp_path_factory.mktemp("throw-away")
    installed.extra["TMPDIR"] = str(throw_away)
    before = files_below(installed.root), files_below(installed.suite.venv)

    assert installed.run("cchooks", "doctor", *words).returncode == HEALTHY
    assert (files_below(installed.root), files_below(installed.suite.venv)) == before
    assert not any(throw_away.iterdir())


def test_nothing_installed_is_a_notice(home: Home) -> None:
    report = doctor(home)

    assert report.status == NOTICES
    assert report["entry.none"]["fix"] == "cchooks install"


def test_s129_a_python_that_only_points_to_a_store_is_irrelevant(installed: Home) -> None:
    for name in ("python", "python3"):
        script(installed.root / "stub" / name, "#!/bin/sh\necho 'Python was not found' >&2\nexit 9\n")

    report = doctor(installed, env={"PATH": f"{installed.root}/stub:{installed.env['PATH']}"})

    assert report.status == HEALTHY


# Running what is registered.


def test_s106_a_deleted_executable(installed: Home) -> None:
    gone = installed.root / "old" / "cchooks-spill"
    registered_from(installed, gone)

    report = doctor(installed)

    assert report.status == BROKEN
    check = report["run.spill"]
    assert check["state"] == "broken"
    assert check["file"] == str(installed.settings)
    assert str(gone) in check["reason"]
    assert "PostToolUse" in check["reason"]
    assert check["fix"] == "cchooks install --user"
    assert installed.run("cchooks", "install", "--user").returncode == 0
    assert doctor(installed).status == HEALTHY


def test_a_deleted_executable_that_no_receipt_knows(installed: Home) -> None:
    registered_from(installed, installed.root / "old" / "cchooks-spill")
    (installed.state / "receipt.json").unlink()

    report = doctor(installed)

    assert report.status == BROKEN
    assert all("does not exist" in c["reason"] for c in report.checks if c["id"] == "entry.executable")


IDLE = "#!/bin/sh\ncat >/dev/null\n"
POINTS_NOWHERE = """#!/bin/sh
grep -q 'long output' || exit 0
echo '{"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": {"stdout": "/nowhere"}}}'
"""
POINTS_TO_ANOTHER = """#!/bin/sh
grep -q 'long output' || exit 0
mkdir -p "$CCHOOKS_STATE_DIR" && echo another >"$CCHOOKS_STATE_DIR/file"
cat <<END
{"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": {"stdout": "$CCHOOKS_STATE_DIR/file"}}}
END
"""
BAD_HOOKS = {
    "s107 interpreter gone": ("#!/no/such/python\n", "its interpreter is gone: /no/such/python"),
    "s107 interpreter gone, with env": ("#!/usr/bin/env no-such-python\n", "status 127"),
    "denies everything": ("#!/bin/sh\ncat >/dev/null\necho boom >&2\nexit 2\n", "denies every call"),
    "crashes": ("#!/bin/sh\ncat >/dev/null\necho boom >&2\nexit 1\n", "ends with status 1, expected 0: boom"),
    "prints prose": ("#!/bin/sh\ncat >/dev/null\necho hello\n", "expected one JSON object"),
    "prints a list": ("#!/bin/sh\ncat >/dev/null\necho '[]'\n", "expected one JSON object"),
    "prints two objects": ("#!/bin/sh\ncat >/dev/null\necho '{}{}'\n", "expected one JSON object"),
    "says nothing ever": (IDLE, "does not replace a long output"),
    "speaks always": ("#!/bin/sh\ncat >/dev/null\necho '{}'\n", "speaks where it has nothing to say"),
    "hangs": ("#!/bin/sh\nexec sleep 600\n", "did not end within its timeout of 1 seconds"),
    "hangs in a child": ("#!/bin/sh\nsleep 600\n", "did not end within its timeout of 1 seconds"),
    "points to another file": (POINTS_TO_ANOTHER, "points to a file that does not hold the output"),
    "another shape": (
        "#!/bin/sh\ngrep -q 'long output' || exit 0\necho '{\"hookSpecificOutput\": \"x\"}'\n",
        "does not replace a long output",
    ),
    "points to nothing": (POINTS_NOWHERE, "points to a file that does not hold the output"),
}


@pytest.mark.parametrize(("text", "words"), BAD_HOOKS.values(), ids=BAD_HOOKS)
def test_s107_s108_what_is_registered_is_run_and_judged(installed: Home, text: str, words: str) -> None:
    registered_from(installed, script(installed.root / "other" / "cchooks-spill", text))
    installed.settings.write_text(installed.settings.read_text().replace('"timeout": 10', '"timeout": 1'))

    report = doctor(installed)

    assert report.status == BROKEN
    assert report["run.spill"]["state"] == "broken"
    assert words in report["run.spill"]["reason"]
    assert report["run.spill"]["fix"] == "cchooks install --user"


def test_s130_an_executable_that_may_not_be_started(installed: Home) -> None:
    executable = script(installed.root / "other" / "cchooks-spill", "#!/bin/sh\n")
    executable.chmod(0o644)
    registered_from(installed, executable)

    report = doctor(installed)

    assert report.status == BROKEN
    assert "policy" in report["run.spill"]["reason"]


def test_an_executable_of_this_installation_that_fails_cannot_be_mended_by_install(installed: Home) -> None:
    """The entry is right; what it leads to is not."""
    own = installed.suite.bin("cchooks-spill")
    link = script(installed.root / "shim" / "cchooks-spill", f"#!/bin/sh\n# {own}\nexit 1\n")
    registered_from(installed, link)
    path = f"{link.parent}:{installed.env['PATH']}"

    report = doctor(installed, env={"PATH": path})

    assert report["run.spill"]["fix"].startswith("install the package again")


def test_a_bare_name_that_is_not_on_path(home: Home) -> None:
    subprocess.run(["git", "init", "-q", str(home.project)], check=True)
    install(home, "--project", "spill")

    report = doctor(home, env={"PATH": "/usr/bin:/bin"})

    assert report.status == BROKEN
    assert "cchooks-spill is not on PATH" in report["run.spill"]["reason"]
    assert report["run.spill"]["fix"].startswith(f"export PATH={home.suite.venv}")
    assert doctor(home).status == HEALTHY


def test_an_entry_without_args_is_run_through_a_shell(installed: Home) -> None:
    hooks = settings(installed)["hooks"]
    for group in hooks["PostToolUse"]:
        del group["hooks"][0]["args"]
    change(installed, hooks=hooks)

    report = doctor(installed)

    assert report["run.spill"]["state"] == "ok"
    assert report.status == NOTICES


@pytest.mark.parametrize(
    ("hook", "event"),
    [
        ("spill", "PostToolUse"),
        ("delegate", "PreToolUse"),
        ("launch", "PreToolUse"),
        ("childenv", "SessionStart"),
    ],
)
def test_each_hook_is_tried_on_what_it_must_act_on(home: Home, hook: str, event: str) -> None:
    install(home, hook)
    assert doctor(home)[f"run.{hook}"]["state"] == "ok"

    home.settings.write_text(
        home.settings.read_text().replace(
            str(home.suite.bin(f"cchooks-{hook}")), str(script(home.home / ".local" / "bin" / f"cchooks-{hook}", IDLE))
        )
    )
    check = doctor(home)[f"run.{hook}"]
    assert check["state"] == "broken"
    assert event in check["reason"]


def test_a_hook_that_is_not_known_here_is_started_all_the_same(tmp_path: Path) -> None:
    [trial] = probe.trials("new", "Stop")
    room = probe.Room(tmp_path)
    broken = {"type": "command", "command": str(script(tmp_path / "cchooks-new", "#!/bin/sh\nexit 3\n")), "args": []}
    idle = {"type": "command", "command": str(script(tmp_path / "idle", IDLE)), "args": []}

    answers = [probe.start(h, room.payload("Stop", trial.fields), room, str(tmp_path)) for h in (broken, idle)]

    assert [probe.judge(answer, trial, room) for answer in answers] == [
        "ends with status 3, expected 0: nothing on stderr",
        "",
    ]


# The entries.


def test_s109_one_of_two_entries_missing(installed: Home) -> None:
    hooks = settings(installed)["hooks"]
    del hooks["PostToolUse"][1]
    change(installed, hooks=hooks)

    report = doctor(installed)

    assert report.status == BROKEN
    assert "mcp__.*" in report["entry.partial"]["reason"]
    assert report["entry.partial"]["fix"] == "cchooks install --user"


def test_s110_an_entry_under_the_wrong_event(installed: Home) -> None:
    change(installed, hooks={"SessionStart": settings(installed)["hooks"]["PostToolUse"]})

    report = doctor(installed)

    assert report.status == BROKEN
    assert "SessionStart" in report["entry.partial"]["reason"]
    assert "PostToolUse" in report["entry.partial"]["reason"]


def test_s110_an_entry_with_another_matcher(installed: Home) -> None:
    hooks = settings(installed)["hooks"]
    hooks["PostToolUse"][0]["matcher"] = "Bash"
    change(installed, hooks=hooks)

    report = doctor(installed)

    assert report.status == NOTICES
    assert "Bash" in report["entry.drifted"]["reason"]
    assert TOOLS in report["entry.drifted"]["reason"]


@pytest.mark.parametrize("matcher", ["bash", "Bash(git:*)", "^Bsh$", "("])
def test_s110_a_matcher_that_never_fires(installed: Home, matcher: str) -> None:
    hooks = settings(installed)["hooks"]
    hooks["PostToolUse"][0]["matcher"] = matcher
    change(installed, hooks=hooks)

    report = doctor(installed)

    assert report.status == BROKEN
    assert f"`{matcher}`" in report["entry.matcher"]["reason"]
    assert TOOLS in report["entry.matcher"]["reason"]
    assert sum(matcher in check["reason"] for check in report.checks) == 1


def test_a_change_of_the_users_is_not_as_shipped(installed: Home) -> None:
    installed.settings.write_text(installed.settings.read_text().replace('"timeout": 10', '"timeout": 30'))
    install(installed)

    report = doctor(installed)

    assert report.status == HEALTHY
    assert "registered with your change" in report["entry.installed"]["reason"]
    assert "timeout is 30, shipped 10" in report["entry.installed"]["reason"]
    assert not any("as shipped" in check["reason"] for check in report.checks)


def test_s110_under_an_event_that_it_does_not_serve_a_hook_is_not_tried(installed: Home) -> None:
    change(installed, hooks={"PostToolUseFailure": settings(installed)["hooks"]["PostToolUse"]})

    report = doctor(installed)

    assert report.status == BROKEN
    assert not any(check["id"] == "run.spill" for check in report.checks)


def test_s117_entries_lost_since_they_were_written(installed: Home) -> None:
    installed.settings.write_text('{"theme": "dark"}\n')

    report = doctor(installed)

    assert report.status == BROKEN
    assert "lost since" in report["entry.lost"]["reason"]
    assert report["entry.lost"]["fix"] == "cchooks install --user"
    assert installed.settings.read_text() == '{"theme": "dark"}\n'


def test_s118_a_file_that_is_not_json(installed: Home) -> None:
    installed.settings.write_text('{"hooks": {},}\n')

    report = doctor(installed)

    assert report.status == BROKEN
    assert report["file.readable"]["file"] == str(installed.settings)
    assert "line 1" in report["file.readable"]["reason"]
    assert installed.settings.read_text() == '{"hooks": {},}\n'


DEAD = {
    "matcher null": ({"matcher": None, "hooks": []}, "hooks.PreToolUse[0].matcher"),
    "no hooks": ({"matcher": "Bash"}, "hooks.PreToolUse[0]"),
    "handler under the event": ({"type": "command", "command": "/opt/acme/audit"}, "hooks.PreToolUse[0]"),
    "timeout 0": (
        {"hooks": [{"type": "command", "command": "/opt/acme/audit", "timeout": 0}]},
        "hooks.PreToolUse[0].hooks[0].timeout",
    ),
}


@pytest.mark.parametrize(("group", "place"), DEAD.values(), ids=DEAD)
def test_s118_a_file_that_the_client_drops_for_a_foreign_entry(installed: Home, group: Any, place: str) -> None:
    change(installed, hooks={**settings(installed)["hooks"], "PreToolUse": [group]})
    before = installed.settings.read_bytes()

    report = doctor(installed)

    assert report.status == BROKEN
    assert f"`{place}`" in report["file.valid"]["reason"]
    assert "whole file" in report["file.valid"]["reason"]
    assert installed.settings.read_bytes() == before


@pytest.mark.parametrize("value", ["true", 1, None])
def test_s118_a_switch_of_the_wrong_type_costs_the_file(installed: Home, value: Any) -> None:
    change(installed, disableAllHooks=value)

    report = doctor(installed)

    assert report.status == BROKEN
    assert "`disableAllHooks`" in report["file.valid"]["reason"]


def test_s119_duplicates_are_counted(installed: Home) -> None:
    hooks = settings(installed)["hooks"]
    hooks["PostToolUse"] = [hooks["PostToolUse"][0]] * 8 + [hooks["PostToolUse"][1]]
    change(installed, hooks=hooks)

    report = doctor(installed)

    assert report.status == NOTICES
    assert "9 entries, expected 2" in report["entry.duplicated"]["reason"]
    assert report["entry.duplicated"]["fix"] == "cchooks install --user"


def test_a_foreign_entry_of_our_name_is_named_and_not_run(installed: Home) -> None:
    executable = script(installed.root / "acme" / "cchooks-spill", f"#!/bin/sh\ntouch {installed.root}/was-run\n")
    hooks = settings(installed)["hooks"]
    hooks["PostToolUse"].append({"hooks": [{"type": "command", "command": str(executable), "args": []}]})
    change(installed, hooks=hooks)

    report = doctor(installed)

    assert report.status == NOTICES
    assert "not installed by us" in report["entry.lookalike"]["reason"]
    assert not (installed.root / "was-run").exists()


def test_s97_an_executable_in_a_projects_environment(installed: Home) -> None:
    project = installed.root / "work"
    executable = project / ".venv" / "bin" / "cchooks-spill"
    script(executable, installed.suite.bin("cchooks-spill").read_text())
    (project / ".venv" / "pyvenv.cfg").touch()
    (project / "pyproject.toml").touch()
    registered_from(installed, executable)

    report = doctor(installed)

    assert report["entry.projectVenv"]["state"] == "notice"
    assert str(executable) in report["entry.projectVenv"]["reason"]
    assert report["run.spill"]["state"] == "ok"


def test_registered_twice_in_different_forms(installed: Home) -> None:
    subprocess.run(["git", "init", "-q", str(installed.project)], check=True)
    install(installed, "--project", "spill")

    report = doctor(installed)

    assert report.status == NOTICES
    assert "runs twice" in report["entry.twice"]["reason"]
    assert report["entry.twice"]["file"] == str(installed.project / ".claude" / "settings.json")
    assert report["entry.twice"]["fix"] == "cchooks uninstall --project"


def test_registered_twice_in_the_same_form_runs_once(installed: Home) -> None:
    subprocess.run(["git", "init", "-q", str(installed.project)], check=True)
    install(installed, "--local", "spill")

    report = doctor(installed)

    assert report.status == HEALTHY
    assert [check["id"] for check in report.checks].count("run.spill") == 1


def test_s116_a_plugin_beside_our_entries(installed: Home) -> None:
    change(installed, enabledPlugins={"cchooks@market": True, "other@market": True})

    report = doctor(installed)

    assert report.status == NOTICES
    assert "runs twice" in report["entry.plugin"]["reason"]
    assert report["entry.plugin"]["fix"] == "claude plugin disable cchooks@market"


def test_s116_a_plugin_alone_provides_the_hooks(home: Home) -> None:
    home.config.mkdir()
    home.settings.write_text(json.dumps({"enabledPlugins": {"cchooks@cchooks": True}}))

    report = doctor(home)

    assert report.status == HEALTHY
    assert "provides the hooks" in report["entry.plugin"]["reason"]
    assert not any(check["id"] == "entry.none" for check in report.checks)


def test_a_current_folder_that_was_deleted(home: Home) -> None:
    command = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"'
    for words in (["doctor"], ["config", "check"], ["install", "--local"]):
        done = subprocess.run(
            ["/bin/sh", "-c", command, str(home.suite.bin("cchooks")), *words],
            cwd=home.project,
            env=home.env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        assert done.stderr.startswith("error: the current folder cannot be found: ")
        assert done.stderr.count("\n") == 2


def test_s86_a_local_file_beside_the_users_is_not_read(installed: Home) -> None:
    (installed.config / "settings.local.json").write_text(installed.settings.read_text())

    report = doctor(installed)

    assert report.status == NOTICES
    assert report["file.unread"]["file"] == str(installed.config / "settings.local.json")


# Where it is looked at from.


def test_s80_a_worktree(home: Home) -> None:
    git = ["git", "-C", str(home.project), "-c", "user.name=x", "-c", "user.email=x@x"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "start"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(home.root / "tree")], check=True, capture_output=True)
    install(home, "--local", "spill", cwd=home.root / "tree")

    report = doctor(home, cwd=home.root / "tree")

    assert report.status == NOTICES
    assert report["file.worktree"]["file"] == str(home.root / "tree" / ".claude" / "settings.local.json")
    assert "CLAUDE_PROJECT_DIR" in report["file.worktree"]["reason"]
    assert str(home.project) in report["file.worktree"]["reason"]
    assert doctor(home).status == NOTICES  # nothing is installed in the original checkout


def test_the_shared_file_is_not_read_from_a_folder_below(home: Home) -> None:
    subprocess.run(["git", "init", "-q", str(home.project)], check=True)
    install(home, "--project", "spill")
    (home.project / "sub").mkdir()

    report = doctor(home, cwd=home.project / "sub")

    assert report.status == NOTICES
    assert str(home.project / "sub") in report["file.below"]["reason"]
    assert "run.spill" not in report.ids("ok", "broken")


def test_a_switch_in_the_shared_file_does_not_count_below(installed: Home) -> None:
    subprocess.run(["git", "init", "-q", str(installed.project)], check=True)
    for folder in (".claude", "sub"):
        (installed.project / folder).mkdir()
    (installed.project / ".claude" / "settings.json").write_text('{"disableAllHooks": true}')

    assert doctor(installed).status == BROKEN
    assert doctor(installed, cwd=installed.project / "sub").status == HEALTHY


# What keeps every hook from running.

MANAGED = {
    "s112 true": ({"allowManagedHooksOnly": True}, "inert.allowManagedHooksOnly"),
    "s112 a string": ({"allowManagedHooksOnly": "true"}, "inert.allowManagedHooksOnly"),
    "s112 a number": ({"allowManagedHooksOnly": 1}, "inert.allowManagedHooksOnly"),
    "s112 a list": ({"allowManagedHooksOnly": []}, "inert.allowManagedHooksOnly"),
    "s112 false": ({"allowManagedHooksOnly": False}, None),
    "s112 null": ({"allowManagedHooksOnly": None}, None),
    "s115 a list with hooks": (
        {"strictPluginOnlyCustomization": ["skills", "hooks"]},
        "inert.strictPluginOnlyCustomization",
    ),
    "s115 true": ({"strictPluginOnlyCustomization": True}, "inert.strictPluginOnlyCustomization"),
    "s115 a string": ({"strictPluginOnlyCustomization": "skills"}, "inert.strictPluginOnlyCustomization"),
    "s115 a list without hooks": ({"strictPluginOnlyCustomization": ["skills"]}, None),
    "s115 false": ({"strictPluginOnlyCustomization": False}, None),
    "all hooks off": ({"disableAllHooks": True}, "inert.disableAllHooks"),
    "all hooks off, a string": ({"disableAllHooks": "true"}, "inert.disableAllHooks"),
    "all hooks off: false": ({"disableAllHooks": False}, None),
}


@pytest.mark.parametrize("file", ["managed-settings.json", "managed-settings.d/10-hooks.json"])
@pytest.mark.parametrize(("value", "check"), MANAGED.values(), ids=MANAGED)
def test_s112_s115_an_administrators_file(installed: Home, value: Any, check: str | None, file: str) -> None:
    place = installed.root / "managed" / file
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps(value))

    report = doctor(installed, env={"CCHOOKS_MANAGED_DIR": str(installed.root / "managed")})

    assert report.status == (BROKEN if check else HEALTHY)
    if check:
        assert report[check]["file"] == str(place)
        assert report[check]["fix"]


def test_a_later_fragment_wins(installed: Home) -> None:
    folder = installed.root / "managed"
    (folder / "managed-settings.d").mkdir(parents=True)
    (folder / "managed-settings.json").write_text('{"allowManagedHooksOnly": true}')
    (folder / "managed-settings.d" / "10.json").write_text('{"allowManagedHooksOnly": false}')

    assert doctor(installed, env={"CCHOOKS_MANAGED_DIR": str(folder)}).status == HEALTHY


def test_an_administrators_file_that_cannot_be_read(installed: Home) -> None:
    (installed.root / "managed").mkdir()
    (installed.root / "managed" / "managed-settings.json").write_text("{")

    report = doctor(installed, env={"CCHOOKS_MANAGED_DIR": str(installed.root / "managed")})

    assert report.status == NOTICES
    assert report["policy.readable"]["state"] == "notice"


SWITCHES = [
    (True, None, None, BROKEN),
    (False, None, None, HEALTHY),
    (None, True, None, BROKEN),
    (None, None, True, BROKEN),
    (True, False, None, HEALTHY),
    (True, None, False, HEALTHY),
    (None, True, False, HEALTHY),
    (False, False, True, BROKEN),
]


@pytest.mark.parametrize(("user", "project", "local", "expected"), SWITCHES)
def test_the_most_specific_switch_counts(
    installed: Home, user: bool | None, project: bool | None, local: bool | None, expected: int
) -> None:
    if user is not None:
        change(installed, disableAllHooks=user)
    (installed.project / ".claude").mkdir()
    for name, value in (("settings.json", project), ("settings.local.json", local)):
        if value is not None:
            (installed.project / ".claude" / name).write_text(json.dumps({"disableAllHooks": value}))

    report = doctor(installed)

    assert report.status == expected
    assert ("inert.disableAllHooks" in report.ids("broken")) == (expected == BROKEN)


@pytest.mark.parametrize("name", ["CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE"])
@pytest.mark.parametrize(("value", "expected"), [("1", BROKEN), ("true", BROKEN), ("0", HEALTHY), ("false", HEALTHY)])
def test_safe_mode_in_the_environment_or_the_settings(installed: Home, name: str, value: str, expected: int) -> None:
    assert doctor(installed, env={name: value}).status == expected
    change(installed, env={name: value})
    assert doctor(installed).status == expected


def test_delegate_switched_off_for_sessions_from_here(home: Home) -> None:
    install(home, "delegate")

    report = doctor(home, env={"CCHOOKS_DELEGATE": "off"})

    assert report["run.delegateOff"]["state"] == "notice"


# Other hooks on the same results.

REPLACES = '#!/bin/sh\necho \'{"hookSpecificOutput": {"updatedToolOutput": {}}}\'\n'
COUNTS = "#!/bin/sh\nwc -c\n"


@pytest.mark.parametrize(
    ("matcher", "event", "text", "expected"),
    [
        ("Bash", "PostToolUse", REPLACES, "notice"),
        (None, "PostToolUse", REPLACES, "notice"),
        ("mcp__.*", "PostToolUse", REPLACES, "notice"),
        ("Re.d", "PostToolUse", REPLACES, "notice"),
        ("Bash", "PostToolUse", COUNTS, "unknown"),
        ("Edit|Write", "PostToolUse", REPLACES, None),
        ("Bash", "PreToolUse", REPLACES, None),
    ],
)
def test_other_rewriters_are_named_and_which_wins(
    installed: Home, matcher: str | None, event: str, text: str, expected: str | None
) -> None:
    other = script(installed.root / "acme" / "rewrite", text)
    group = {"hooks": [{"type": "command", "command": str(other), "args": []}]}
    hooks = settings(installed)["hooks"]
    hooks.setdefault(event, []).append({"matcher": matcher, **group} if matcher else group)
    change(installed, hooks=hooks)

    report = doctor(installed)

    assert report.status == (NOTICES if expected == "notice" else HEALTHY)
    if expected is None:
        assert "spill.rewriter" not in report.ids("ok", "notice", "unknown", "broken")
    else:
        assert report["spill.rewriter"]["state"] == expected
        assert "ends last" in report["spill.rewriter"]["reason"]


# The client and the config.


@pytest.mark.parametrize(("version", "state"), [("2.1.332", "ok"), ("2.1.100", "broken"), ("nonsense", "unknown")])
def test_the_age_of_the_client(installed: Home, version: str, state: str) -> None:
    script(installed.root / "client" / "claude", f"#!/bin/sh\necho '{version} (Claude Code)'\n")

    report = doctor(installed, env={"PATH": f"{installed.root}/client:{installed.env['PATH']}"})

    assert report["client.version"]["state"] == state


def test_a_config_file_with_what_the_hooks_ignore(installed: Home) -> None:
    place = installed.home / ".config" / "cchooks" / "config.toml"
    place.parent.mkdir(parents=True)
    place.write_text('[spill]\nthreshold = "many"\n')

    report = doctor(installed)

    assert report.status == NOTICES
    assert report["config.fits"]["file"] == str(place)
    assert "spill.threshold" in report["config.fits"]["reason"]
    assert report["run.spill"]["state"] == "ok"


def test_a_config_of_the_users_does_not_change_what_a_hook_is_tried_on(installed: Home) -> None:
    place = installed.home / ".config" / "cchooks" / "config.toml"
    place.parent.mkdir(parents=True)
    place.write_text("[spill]\nenabled = false\n")

    assert doctor(installed).status == HEALTHY


# Pure parts.

FIRES = [
    (None, "Bash", True),
    ("", "Bash", True),
    ("*", "mcp__a__b", True),
    ("Bash|Read", "Bash", True),
    ("Bash|Read", "Read", True),
    ("Bash,Read", "Read", True),
    ("Bash | Read", "Read", True),
    (" Bash", "Bash", True),
    ("Rea", "Read", False),
    ("ash|rea", "Read", False),
    ("bash", "Bash", False),
    ("ead|x-y", "Read", False),
    ("ead|x:y", "Read", True),
    ("ead|x/y", "Read", True),
    ("Re.d", "Read", True),
    ("^Read$", "Read", True),
    ("^Read$", "NotebookRead", False),
    ("Bash|mcp__.*", "Bash", True),
    ("Bash|mcp__.*", "Read", False),
    ("ea|mcp__.*", "Read", True),
    ("mcp__.*", "mcp__a__b", True),
    ("mcp__a", "mcp__a__b", False),
    ("mcp__a__.*", "mcp__a__b", True),
    ("(", "Bash", False),
]


@pytest.mark.parametrize(("matcher", "tool", "expected"), FIRES)
def test_which_tools_a_matcher_fires_for(matcher: str | None, tool: str, expected: bool) -> None:
    """As measured on the client."""
    assert matchers.fires(matcher, tool) == expected


def test_a_hook_is_tried_with_every_place_in_the_throw_away_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CCHOOKS_DELEGATE", "CCHOOKS_STATE_DIR", "CLAUDE_JOB_DIR", "CLAUDE_ENV_FILE", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, "/home/user/x")

    found = probe.Room(tmp_path).environment()

    ours = {name: value for name, value in found.items() if name.startswith(("CCHOOKS_", "CLAUDE_", "XDG_"))}
    assert {"CCHOOKS_STATE_DIR", "CLAUDE_ENV_FILE", "CLAUDE_PROJECT_DIR", "XDG_CONFIG_HOME"} <= set(ours)
    assert all(value.startswith(str(tmp_path)) for value in ours.values())


ODD = st.sampled_from(
    [None, True, 0, -1, 1.5, 10**30, "", "x", "\0", "Bash", "cchooks-spill", [], [1], ["a"], {}, {"a": 1}]
)
COMMANDS = st.sampled_from(
    ["cchooks-spill", "/opt/x/cchooks-spill", "cchooks-delegate --now", "echo\nupdatedToolOutput"]
)
HANDLERS = st.fixed_dictionaries(
    {"type": st.just("command"), "command": COMMANDS},
    optional=dict.fromkeys(("args", "timeout", "if", "url"), ODD),
)
GROUPS = st.fixed_dictionaries({"hooks": st.lists(HANDLERS | ODD)}, optional={"matcher": ODD | st.just("(")})
EVENTS = st.sampled_from(["PostToolUse", "PreToolUse", "SessionStart", "Unknown"])
SETTINGS = st.fixed_dictionaries(
    {"hooks": st.dictionaries(EVENTS, st.lists(GROUPS, min_size=1) | st.lists(GROUPS | ODD) | ODD) | ODD},
    optional={"env": ODD, "enabledPlugins": ODD, "disableAllHooks": ODD},
)


@given(user=SETTINGS | ODD, project=SETTINGS, administrator=ODD | SETTINGS)
def test_whatever_stands_in_the_files_is_reported(user: Any, project: Any, administrator: Any) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        root = Path(folder)
        for name, content in (
            ("home/.claude/settings.json", user),
            ("project/.claude/settings.json", project),
            ("managed/managed-settings.json", administrator),
        ):
            (root / name).parent.mkdir(parents=True)
            (root / name).write_text(json.dumps(content))
        patch.setenv("HOME", f"{root}/home")
        patch.setenv("CCHOOKS_MANAGED_DIR", f"{root}/managed")
        patch.chdir(root / "project")
        session = registered.here()
        found = [*doctor_entries.findings(session), *obstacles.findings(session), *rewriters.findings(session)]

        for finding in found:
            assert bool(finding.fix) == (finding.state in ("broken", "notice"))
            assert "\n" not in finding.reason
        for item in session.registered:
            assert all(isinstance(word, str) for word in probe.command_line(item.handler.value, str(root)))


def test_what_the_client_would_start() -> None:
    line = {"command": "${CLAUDE_PROJECT_DIR}/run me", "args": ["${CLAUDE_PROJECT_DIR}/x", "~", "$HOME"]}

    assert probe.command_line(line, "/p") == ["/p/run me", "/p/x", "~", "$HOME"]
    assert probe.command_line({"command": "a 'b c'"}, "/p") == ["sh", "-c", "a 'b c'"]


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ([], HEALTHY),
        (["ok", "unknown"], HEALTHY),
        (["ok", "notice"], NOTICES),
        (["notice", "broken"], BROKEN),
    ],
)
def test_the_exit_status(states: list[str], expected: int) -> None:
    assert status([Finding("x.y", state, "") for state in states]) == expected
