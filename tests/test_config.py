"""The config: what the hooks take from it, what is reported, and the file that `cchooks config init` writes."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import platformdirs.macos
import platformdirs.unix
import pytest
from cchooks_suite import config_commands
from cchooks_suite.hooks import config, folders
from hypothesis import given
from hypothesis import strategies as st

from .conftest import ROOT, Home

TEMPLATE = ROOT / "settings-templates" / "config.toml"
DEFAULTS: dict[str, Any] = {
    "on": True,
    "limit": 5,
    "mode": "deny",
    "paths": [],
    "kinds": ["print"],
    "tools": {"Read": {"limit": 9}, "*": {"limit": 5}},
}
ALLOWED = {
    "mode": ("deny", "warn", "off"),
    "kinds": ("background", "print"),
    "limit": (1, 100),
    "tools.*.limit": (1, 50),
}


def user_file(home: Home, text: str) -> Path:
    path = home.home / ".config" / "cchooks" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def project_file(home: Home, text: str) -> Path:
    path = home.project / ".claude" / "cchooks.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


# Values.

BAD = [
    ({"limt": 5}, "limt", "an unknown key"),
    ({"limit": "5"}, "limit", "the string '5'"),
    ({"limit": 0}, "limit", "the integer 0"),
    ({"limit": True}, "limit", "true"),
    ({"limit": 5.0}, "limit", "the number 5.0"),
    ({"on": 1}, "on", "the integer 1"),
    ({"mode": "Deny"}, "mode", "the string 'Deny'"),
    ({"paths": "a"}, "paths", "the string 'a'"),
    ({"paths": ["a", 1]}, "paths", "a list"),
    ({"kinds": ["print", "x"]}, "kinds", "a list"),
    ({"tools": 1}, "tools", "the integer 1"),
    ({"tools": {"Read": {"limit": 51}}}, "tools.Read.limit", "the integer 51"),
    ({"tools": {"Bash": {"limt": 1}}}, "tools.Bash.limt", "an unknown key"),
]


@pytest.mark.parametrize(("table", "key", "found"), BAD, ids=str)
def test_a_value_that_does_not_fit_is_reported_and_left_out(table: dict[str, Any], key: str, found: str) -> None:
    [(where, was, expected)] = config.problems(table, DEFAULTS, ALLOWED)
    assert (where, was) == (key, found)
    assert expected
    assert config.merged(DEFAULTS, config.fitting(table, DEFAULTS, ALLOWED))["limit"] == 5


def test_good_values_stay_beside_bad_ones() -> None:
    table = {"limit": 7, "on": "yes", "tools": {"Bash": {"limit": 8, "x": 1}}}
    assert config.fitting(table, DEFAULTS, ALLOWED) == {"limit": 7, "tools": {"Bash": {"limit": 8}}}


TOML = st.recursive(
    st.one_of(st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from([*DEFAULTS, "Read", "x", "*"]), inner)
    ),
    max_leaves=6,
)


@given(TOML)
def test_whatever_stands_there_the_result_is_a_good_config(table: Any) -> None:
    result = config.merged(DEFAULTS, config.fitting(table, DEFAULTS, ALLOWED))
    assert config.problems({k: v for k, v in result.items() if k != "tools"}, DEFAULTS, ALLOWED) == []
    tools = {name: value for name, value in result["tools"].items() if name != "*"}
    assert config.problems({"tools": tools}, DEFAULTS, ALLOWED) == []


# Files.


def test_the_project_wins_key_by_key(home: Home) -> None:
    user_file(home, "[spill]\nthreshold = 2000\nhead = 10\n[spill.tools.Bash]\nhead = 1\ntail = 2\n")
    project_file(home, "[spill]\nhead = 20\n[spill.tools.Bash]\nhead = 3\n")
    shown = json.loads(home.run("cchooks", "config", "show", "--json").stdout)["spill"]
    assert (shown["threshold"], shown["head"]) == (2000, 20)
    assert shown["tools"]["Bash"] == {"head": 3, "tail": 2}


def test_show_prints_toml(home: Home) -> None:
    shown = tomllib.loads(home.run("cchooks", "config", "show").stdout)
    assert shown["spill"]["threshold"] == 4000


def test_a_change_counts_from_the_next_call(home: Home) -> None:
    call = {
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_response": {"stdout": "x" * 3000, "stderr": ""},
        "cwd": str(home.project),
    }
    assert home.run("cchooks-spill", stdin=json.dumps(call)).stdout == ""
    project_file(home, "[spill]\nthreshold = 1500\n")
    assert home.run("cchooks-spill", stdin=json.dumps(call)).stdout != ""
    project_file(home, "[spill]\nthreshold = 3500\n")
    assert home.run("cchooks-spill", stdin=json.dumps(call)).stdout == ""


# The commands.


def test_check_names_file_key_and_expected_type(home: Home) -> None:
    path = user_file(home, "[spill]\nthreshold = '4k'\n[spil]\nx = 1\n")
    done = home.run("cchooks", "config", "check")
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert f"error: {path}: `spill.threshold`: found the string '4k', expected an integer" in lines
    assert any(line.startswith(f"error: {path}: `spil`: found an unknown table, expected one of ") for line in lines)


def test_check_names_the_line_of_broken_toml(home: Home) -> None:
    path = project_file(home, "[spill]\nthreshold = \n")
    done = home.run("cchooks", "config", "check")
    assert done.returncode == 1
    assert str(path) in done.stderr
    assert "line 2" in done.stderr
    assert "Traceback" not in done.stderr


def test_check_as_json(home: Home) -> None:
    path = user_file(home, "[spill]\nhead = -1\n")
    report = json.loads(home.run("cchooks", "config", "check", "--json").stdout)
    assert report["files"] == [str(path)]
    assert [(p["file"], p["key"]) for p in report["problems"]] == [(str(path), "spill.head")]


def test_check_without_a_file_says_so(home: Home) -> None:
    done = home.run("cchooks", "config", "check")
    assert (done.returncode, done.stderr) == (0, "")
    assert "the defaults are in force" in done.stdout


def test_init_writes_the_commented_file_and_never_twice(home: Home) -> None:
    done = home.run("cchooks", "config", "init")
    path = home.home / ".config" / "cchooks" / "config.toml"
    assert done.returncode == 0
    assert str(path) in done.stdout
    assert path.read_text("utf-8") == TEMPLATE.read_text("utf-8")
    path.write_text("# mine\n")
    again = home.run("cchooks", "config", "init")
    assert again.returncode == 1
    assert path.read_text("utf-8") == "# mine\n"
    assert home.run("cchooks", "config", "init", "--project").returncode == 0
    assert (home.project / ".claude" / "cchooks.toml").is_file()
    assert home.run("cchooks", "config", "check").returncode == 0


def test_init_names_a_link_that_leads_nowhere(home: Home) -> None:
    path = user_file(home, "")
    path.unlink()
    path.symlink_to(home.root / "nowhere")
    done = home.run("cchooks", "config", "init")
    assert done.returncode == 1
    assert "is a link to a file that is not there" in done.stderr
    assert not (home.root / "nowhere").exists()


def test_a_projects_file_does_not_say_where_output_goes(home: Home) -> None:
    path = project_file(home, '[spill]\nfolder = "x"\nkeep_days = 1\nhead = 9\n')
    shown = json.loads(home.run("cchooks", "config", "show", "--json").stdout)["spill"]
    assert (shown["folder"], shown["keep_days"], shown["head"]) == ("", 30, 9)
    done = home.run("cchooks", "config", "check")
    assert done.returncode == 1
    assert f"error: {path}: `spill.folder`: found a key of the user's own" in done.stderr


def test_a_file_nested_without_end_is_no_bug(home: Home) -> None:
    project_file(home, "a = " + "[" * 3000 + "\n")
    done = home.run("cchooks", "config", "check")
    assert (done.returncode, done.stderr.count("nested too deep")) == (1, 1)


def test_init_that_cannot_write_is_one_line(home: Home) -> None:
    (home.home / ".config").write_text("a file where a folder should be")
    done = home.run("cchooks", "config", "init")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1


# The template is the documentation of every key.


def without_comment_signs(text: str) -> str:
    """The template with its settings, which stand right behind a `#`, switched on."""
    return "\n".join(line[1:] if line.startswith("#") and line[1:2].strip() else line for line in text.splitlines())


def test_the_template_holds_every_key_with_its_default() -> None:
    text = TEMPLATE.read_text("utf-8")
    assert all(value in ({}, {"tools": {"Read": {}}}) or not leaves(value) for value in tomllib.loads(text).values())
    documented = tomllib.loads(without_comment_signs(text))
    expected = {
        hook: config_commands._without_free_names(schema.defaults) for hook, schema in config_commands.schemas().items()
    }
    assert leaves(documented) == leaves(expected)
    assert config_commands.problems(documented) == []


def leaves(table: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Every key by its dotted path; empty tables do not count."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        found |= leaves(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return found


# The folders, found by hand, are platformdirs'.


@pytest.mark.parametrize(
    "variables",
    [{}, {"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "/k"}, {"XDG_CONFIG_HOME": " "}],
    ids=str,
)
def test_the_folders_on_linux(variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert_same(platformdirs.unix.Unix("cchooks", appauthor=False))


def test_the_folders_on_macos(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    assert_same(platformdirs.macos.MacOS("cchooks", appauthor=False))


def test_the_folders_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    from platformdirs.windows import Windows

    monkeypatch.setenv("LOCALAPPDATA", "/users/me/AppData/Local")
    for name in ("_resolve_win_folder", "get_win_folder"):  # they ask the registry, which is not here
        monkeypatch.setattr(f"platformdirs.windows.{name}", lambda _: "/users/me/AppData/Local", raising=False)
    monkeypatch.setattr("sys.platform", "win32")
    assert_same(Windows("cchooks", appauthor=False))


def assert_same(expected: Any) -> None:
    assert folders.config_dir() == expected.user_config_dir
    assert folders.state_dir() == expected.user_state_dir
    assert folders.cache_dir() == expected.user_cache_dir
