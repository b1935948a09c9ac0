"""The contract of every hook that the templates folder names, on the installed executables."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from . import replay
from .conftest import ROOT, Home, Suite

HOOKS = sorted(path.stem for path in (ROOT / "settings-templates").glob("*.json"))

FOREIGN = {
    "empty": b"",
    "blanks": b" \n\t ",
    "half an object": b'{"hook_event_name": "PostToolUse", "tool_name": "Ba',
    "an array": b'["hook_event_name"]',
    "a string": b'"hook_event_name"',
    "prose": b"hello",
    "an empty object": b"{}",
    "another object": b'{"name": "Bash"}',
    "a file in Latin-1": b'{"name": "caf\xe9"}',
    "not JSON between braces": b"{tool_name: Bash}",
    "a NUL byte": b"\x00{}",
    "zeros": bytes(5000),
}


def test_there_are_hooks() -> None:
    assert {"spill", "delegate", "launch", "childenv"} <= set(HOOKS)


@pytest.mark.parametrize("stdin", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize("hook", HOOKS)
def test_foreign_stdin_lets_the_call_go_on(hook: str, stdin: bytes, home: Home) -> None:
    done = call(home, hook, stdin)
    assert (done.returncode, done.stdout) == (0, b"")
    assert_one_line(hook, done.stderr)


@pytest.mark.parametrize("hook", HOOKS)
def test_a_payload_cut_anywhere_lets_the_call_go_on(hook: str, home: Home) -> None:
    raw = json.dumps(speaking(hook, home)["payload"]).encode()
    for end in (len(raw) // 4, len(raw) // 2, len(raw) - 1):
        done = call(home, hook, raw[:end])
        assert (done.returncode, done.stdout) == (0, b"")
        assert_one_line(hook, done.stderr)


@pytest.mark.parametrize("hook", HOOKS)
def test_broken_json_that_would_be_spoken_to_lets_the_call_go_on(hook: str, home: Home) -> None:
    raw = json.dumps(speaking(hook, home)["payload"]).encode()
    for broken in (raw[:-1] + b",}", raw.replace(b'": ', b'" ', 1), b'{"a":' * 100_000 + raw + b"}"):
        done = call(home, hook, broken)
        assert (done.returncode, done.stdout) == (0, b"")
        assert_one_line(hook, done.stderr)


@pytest.mark.parametrize("argument", ["--help", "--frobnicate", "x", "-"])
@pytest.mark.parametrize("hook", HOOKS)
def test_an_argument_is_never_a_denial(hook: str, argument: str, home: Home) -> None:
    done = call(home, hook, json.dumps(speaking(hook, home)["payload"]).encode(), argument)
    assert (done.returncode, done.stdout) == (0, b"")
    assert_one_line(hook, done.stderr)


@pytest.mark.parametrize("hook", HOOKS)
def test_closed_streams_are_no_denial(hook: str, home: Home) -> None:
    script = 'exec "$0" <&- >&- 2>&-'
    done = subprocess.run(
        ["sh", "-c", script, str(home.suite.bin(f"cchooks-{hook}"))], env=home.env, capture_output=True, check=False
    )
    assert done.returncode in (0, 1)


@pytest.mark.parametrize("hook", [h for h in HOOKS if h != "childenv"])  # childenv prints nothing, ever
def test_a_closed_stdout_is_no_denial(hook: str, home: Home) -> None:
    case = speaking(hook, home)
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" >&-', str(home.suite.bin(f"cchooks-{hook}"))],
        input=json.dumps(case["payload"]).encode(),
        env={**home.env, **case.get("env", {})},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert_one_line(hook, done.stderr)


@pytest.mark.parametrize("text", ["[spill\n", 'spill = "x"', "\xe9 = 1", "[spill]\nthreshold = -1\n"], ids=repr)
@pytest.mark.parametrize("hook", HOOKS)
def test_a_broken_config_file_leaves_the_defaults(hook: str, text: str, home: Home) -> None:
    case = speaking(hook, home)
    if "config" in case:
        pytest.skip("the case is about a config file of its own")
    file = home.home / ".config" / "cchooks" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_bytes(text.encode("latin-1"))
    done = replay.run(hook, case, home)
    assert done.returncode == 0
    assert replay.decision(done) == case["decision"]
    assert done.stderr.count("\n") <= 1


@pytest.mark.parametrize("hook", HOOKS)
def test_unknown_fields_change_nothing(hook: str, home: Home) -> None:
    case = speaking(hook, home)
    case["payload"] |= {"new_field": {"a": [1, None]}, "x" * 50: True}
    assert replay.decision(replay.run(hook, case, home)) == case["decision"]


@pytest.mark.parametrize("field", ["tool_name", "tool_input", "tool_response", "tool_use_id", "session_id", "cwd"])
@pytest.mark.parametrize("value", [None, 7, [], {}, ""], ids=repr)
@pytest.mark.parametrize("hook", HOOKS)
def test_a_field_of_another_kind_is_no_bug(hook: str, value: Any, field: str, home: Home) -> None:
    case = speaking(hook, home)
    case["payload"][field] = value
    done = replay.run(hook, case, home)
    assert (done.returncode, done.stderr) == (0, "")
    replay.decision(done)


@pytest.mark.parametrize("hook", HOOKS)
def test_the_projects_pythonpath_does_not_reach_the_hook(hook: str, home: Home) -> None:
    for name in ("json", "re", "time", "typing", "tomllib"):
        (home.project / f"{name}.py").write_text("raise SystemExit(2)\n")
    case = {**speaking(hook, home), "config": ""}  # a config file, so that the parser of TOML is imported
    case["env"] = {**case.get("env", {}), "PYTHONPATH": str(home.project)}
    done = replay.run(hook, case, home)
    assert (done.returncode, done.stderr) == (0, "")
    assert replay.decision(done) == case["decision"]


# The way to silence.

UNPARSED = [path for path in replay.CASES if json.loads(path.read_text("utf-8")).get("unparsed")]

BANNED = {
    "json",
    "re",
    "typing",
    "pathlib",
    "msgspec",
    "orjson",
    "platformdirs",
    "tomli_w",
    "tomllib",
    "argparse",
    "subprocess",
}


@pytest.mark.parametrize("path", UNPARSED, ids=replay.case_id)
def test_the_way_to_silence_imports_next_to_nothing(path: Path, home: Home) -> None:
    case = replay.load(path, home)
    assert case["decision"] is None
    modules = imported(path.parent.name, case, home)
    assert not BANNED & modules
    frame = {"cchooks_suite", *(f"cchooks_suite.hooks{m}" for m in ("", ".contract", ".config", ".folders"))}
    own = {module for module in modules if module.startswith("cchooks_suite")}
    assert own - frame == {f"cchooks_suite.hooks.{path.parent.name}"}


@pytest.mark.parametrize("hook", HOOKS)
def test_speaking_needs_no_third_party_package(hook: str, home: Home) -> None:
    assert not {"msgspec", "orjson", "platformdirs", "tomli_w", "filelock", "argparse"} & imported(
        hook, speaking(hook, home), home
    )


def imported(hook: str, case: dict[str, Any], home: Home) -> set[str]:
    """Every module that one call of the hook imports, the interpreter's own included."""
    done = subprocess.run(
        [str(home.suite.bin("python")), "-X", "importtime", str(home.suite.bin(f"cchooks-{hook}"))],
        input=json.dumps(case["payload"]),
        env={**home.env, **case.get("env", {})},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


@pytest.mark.parametrize("path", UNPARSED, ids=replay.case_id)
def test_without_a_config_file_nothing_is_opened(path: Path, home: Home) -> None:
    hook, case = path.parent.name, replay.load(path, home)
    watch = (
        "import sys\n"
        "def seen(event, args):\n"
        "    if event == 'open' and not str(args[0]).endswith(('.py', '.pyc')): sys.stderr.write(f'{args[0]}\\n')\n"
        "sys.argv = ['cchooks']\n"
        "sys.addaudithook(seen)\n"
        f"from cchooks_suite.hooks.{hook} import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [str(home.suite.bin("python")), "-c", watch],
        input=json.dumps(case["payload"]),
        env={**home.env, **case.get("env", {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


BUGS = {"division by zero": "1 / 0", "SystemExit": "sys.exit(2)"}


@pytest.mark.parametrize(("says", "bug"), BUGS.items(), ids=BUGS)
def test_a_bug_is_one_line_and_status_1(says: str, bug: str, suite: Suite) -> None:
    program = (
        "import sys\n"
        "sys.argv = ['cchooks-x']\n"
        "from cchooks_suite.hooks.contract import run\n"
        f"run('x', lambda payload, config: {bug}, lambda raw: True, {{}})\n"
    )
    done = subprocess.run(
        [str(suite.bin("python")), "-c", program], input=b'{"hook_event_name": "x"}', capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, b"")
    assert_one_line("x", done.stderr)
    assert says.encode() in done.stderr


# The places that belong to a hook.


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_has_all_its_places(hook: str, suite: Suite) -> None:
    assert (ROOT / "hooks" / f"{hook}.py").is_file()
    assert suite.bin(f"cchooks-{hook}").is_file()
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert f"hooks/bin/cchooks-{hook}" in pyproject["tool"]["setuptools"]["script-files"]
    assert f"**{hook}**" in (ROOT / "README.md").read_text("utf-8")
    assert any(path.parent.name == hook for path in UNPARSED) or hook == "childenv"
    silences = [json.loads(path.read_text("utf-8"))["decision"] is None for path in cases(hook)]
    assert set(silences) == ({True} if hook == "childenv" else {True, False})


@pytest.mark.parametrize("hook", HOOKS)
def test_a_template_registers_its_own_executable(hook: str) -> None:
    template = json.loads((ROOT / "settings-templates" / f"{hook}.json").read_text("utf-8"))
    assert set(template) == {"about", "default", "hooks"}
    handlers = [handler for groups in template["hooks"].values() for group in groups for handler in group["hooks"]]
    assert {json.dumps(handler) for handler in handlers} == {
        json.dumps({"type": "command", "command": f"cchooks-{hook}", "args": [], "timeout": 10})
    }


@pytest.mark.parametrize("path", replay.CASES, ids=replay.case_id)
def test_a_case_says_what_it_is_about(path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))
    assert {"about", "payload", "decision"} <= set(case)
    assert set(case) <= {"about", "payload", "decision", "env", "config", "files", "unparsed"}
    assert case["about"]
    assert case["payload"]["hook_event_name"]


def cases(hook: str) -> list[Path]:
    return [path for path in replay.CASES if path.parent.name == hook]


def speaking(hook: str, home: Home) -> dict[str, Any]:
    """A case in which the hook speaks; childenv, which never does, has one in which it acts."""
    loaded = [replay.load(path, home) for path in cases(hook)]
    plain = [case for case in loaded if "config" not in case and "files" not in case]
    return next(case for case in plain if case["decision"] is not None or hook == "childenv")


def call(home: Home, hook: str, stdin: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [str(home.suite.bin(f"cchooks-{hook}")), *arguments],
        input=stdin,
        env=home.env,
        capture_output=True,
        check=False,
    )


def assert_one_line(hook: str, stderr: bytes) -> None:
    assert stderr.startswith(f"cchooks-{hook}: ".encode())
    assert stderr.endswith(b"\n")
    assert stderr.count(b"\n") == 1
