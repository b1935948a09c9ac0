"""Rows S75 to S83: which file is meant, and what is said about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .installer_lab import DEFAULT_HOOKS, Lab, git

if TYPE_CHECKING:
    from .conftest import Home


@pytest.fixture
def lab(home: Home) -> Lab:
    git(home.project, "init")
    return Lab(home)


def shared(lab: Lab) -> Path:
    return lab.home.project / ".claude" / "settings.json"


def local(lab: Lab) -> Path:
    return lab.home.project / ".claude" / "settings.local.json"


def test_s75_another_config_folder(lab: Lab) -> None:
    other = lab.home.root / "x"
    lab.env = {"CLAUDE_CONFIG_DIR": str(other)}
    lab.run("install", "--user")
    assert lab.hooks(other / "settings.json") == set(DEFAULT_HOOKS)
    assert not lab.home.config.exists()
    assert not (lab.home.home / ".claude.json").exists()


def test_s75_no_config_folder_named(lab: Lab) -> None:
    lab.env = {"CLAUDE_CONFIG_DIR": ""}
    lab.run("install")
    assert lab.hooks(lab.home.home / ".claude" / "settings.json") == set(DEFAULT_HOOKS)


@pytest.mark.parametrize("option", ["--project", "--local"])
@pytest.mark.parametrize("repository", [False, True])
def test_s77_the_home_folder_is_no_project(lab: Lab, option: str, repository: bool) -> None:
    here = lab.home.home
    if repository:
        git(here, "init")
        here = lab.home.home / "deep" / "down"
        here.mkdir(parents=True)
    said = lab.run("install", option, status=1, cwd=here).stderr
    assert "cchooks install --user" in said
    assert not lab.home.config.exists()


def test_s77_also_with_another_config_folder(lab: Lab) -> None:
    lab.env = {"CLAUDE_CONFIG_DIR": str(lab.home.root / "x")}
    assert "user's file" in lab.run("install", "--project", status=1, cwd=lab.home.home).stderr


def test_s78_project_from_a_sub_folder(lab: Lab) -> None:
    sub = lab.home.project / "sub"
    sub.mkdir()
    done = lab.run("install", "--project", cwd=sub)
    assert lab.hooks(shared(lab)) == set(DEFAULT_HOOKS)
    assert f"sessions started in {sub} do not read" in done.stderr
    assert not (sub / ".claude").exists()


def test_s79_local_from_a_sub_folder(lab: Lab) -> None:
    sub = lab.home.project / "sub"
    sub.mkdir()
    lab.run("install", "--local", cwd=sub)
    assert lab.hooks(local(lab)) == set(DEFAULT_HOOKS)
    assert not (sub / ".claude").exists()


def test_s79_outside_of_a_repository(lab: Lab) -> None:
    plain = lab.home.root / "plain"
    plain.mkdir()
    lab.run("install", "--local", cwd=plain)
    assert lab.hooks(plain / ".claude" / "settings.local.json") == set(DEFAULT_HOOKS)


def test_s80_worktree(lab: Lab) -> None:
    tree = lab.home.root / "tree"
    git(lab.home.project, "commit", "--allow-empty", "-m", "x")
    git(lab.home.project, "worktree", "add", str(tree))
    lab.run("install", "--local", cwd=tree)
    assert lab.hooks(tree / ".claude" / "settings.local.json") == set(DEFAULT_HOOKS)
    assert not local(lab).exists()
    assert git(tree, "status", "--porcelain") == ""


def test_s81_git_does_not_see_the_local_file(lab: Lab) -> None:
    exclude = lab.home.project / ".git" / "info" / "exclude"
    before = exclude.read_text()
    done = lab.run("install", "--local")
    assert git(lab.home.project, "status", "--porcelain") == ""
    assert "private exclude list" in done.stderr
    assert not (lab.home.project / ".gitignore").exists()
    assert not (lab.home.home / ".gitconfig").exists()
    assert not (lab.home.home / ".config" / "git").exists()
    lab.run("uninstall", "--local")
    assert exclude.read_text() == before
    assert not local(lab).parent.exists()


def test_s81_an_ignored_file_is_left_to_the_users_list(lab: Lab) -> None:
    (lab.home.project / ".gitignore").write_text(".claude/\n")
    exclude = lab.home.project / ".git" / "info" / "exclude"
    before = exclude.read_text()
    done = lab.run("install", "--local")
    assert "exclude" not in done.stderr
    assert exclude.read_text() == before


def test_s81_an_exclude_list_that_the_users_list_takes_back(lab: Lab) -> None:
    (lab.home.project / ".gitignore").write_text("!.claude/settings.local.json\n")
    assert "a .gitignore takes it back: keep it out of commits" in lab.run("install", "--local").stderr


def test_s81_inside_a_git_hook_of_another_repository(lab: Lab) -> None:
    other = lab.home.root / "other"
    other.mkdir()
    git(other, "init")
    lab.env = {"GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other), "GIT_INDEX_FILE": str(other / "x")}
    before = (other / ".git" / "info" / "exclude").read_text()
    lab.run("install", "--local")
    assert (other / ".git" / "info" / "exclude").read_text() == before
    assert git(lab.home.project, "status", "--porcelain") == ""


def test_s81_a_tracked_file(lab: Lab) -> None:
    lab.write("{}", local(lab))
    git(lab.home.project, "add", "-f", ".claude/settings.local.json")
    assert "is tracked by git" in lab.run("install", "--local").stderr


def test_s81_without_git(lab: Lab) -> None:
    lab.env = {"PATH": str(lab.home.suite.bin("python").parent)}
    done = lab.run("install", "--local")
    assert "keep /.claude/settings.local.json out of commits" in done.stderr


def test_s82_the_shared_file_gets_the_bare_name(lab: Lab) -> None:
    done = lab.run("install", "--project")
    commands = {handler["command"] for _, _, handler in lab.ours(shared(lab))}
    assert commands == {f"cchooks-{name}" for name in DEFAULT_HOOKS}
    assert all(handler["args"] == [] for _, _, handler in lab.ours(shared(lab)))
    assert "found on your PATH" in done.stderr
    assert str(lab.home.root) not in shared(lab).read_text()
    lab.run("uninstall", "--project")
    assert git(lab.home.project, "status", "--porcelain") == ""


def test_s82_the_bare_name_is_not_on_the_path(lab: Lab) -> None:
    lab.env = {"PATH": "/usr/bin:/bin"}
    done = lab.run("install", "--project")
    assert "cchooks-spill: not found on the PATH" in done.stderr
    assert "lets the call through" in done.stderr


def test_s82_an_absolute_path_in_the_shared_file_becomes_the_bare_name(lab: Lab) -> None:
    lab.write({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [lab.entry("launch")]}]}}, shared(lab))
    lab.run("install", "--project", "launch")
    assert [handler["command"] for _, _, handler in lab.ours(shared(lab))] == ["cchooks-launch"]


def test_s83_also_in_the_user_file(lab: Lab) -> None:
    lab.run("install")
    done = lab.run("install", "--project")
    assert f"also in {lab.file}: an identical entry runs once" in done.stderr
    assert "twice" in done.stderr
    assert lab.hooks(shared(lab)) == set(DEFAULT_HOOKS)


def test_scopes_do_not_mix(lab: Lab) -> None:
    lab.run("install", "spill")
    lab.run("install", "--local", "launch")
    lab.run("install", "--project", "delegate")
    assert [lab.hooks(path) for path in (lab.file, local(lab), shared(lab))] == [{"spill"}, {"launch"}, {"delegate"}]
    lab.run("uninstall", "--project")
    assert [lab.hooks(path) for path in (lab.file, local(lab))] == [{"spill"}, {"launch"}]


def test_two_scopes_at_once_are_wrong_usage(lab: Lab) -> None:
    assert "not allowed with" in lab.run("install", "--project", "--local", status=2).stderr
