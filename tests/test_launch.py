"""launch: the verdict on every command of the case files, what its texts say, and that a correction is one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cchooks_suite.hooks import launch, shell
from cchooks_suite.hooks.claude_cli import LISTS, OPTIONAL, VALUES
from cchooks_suite.hooks.settings_text import with_env
from cchooks_suite.hooks.wrappers import WRAPPERS, Wrapper
from hypothesis import given
from hypothesis import strategies as st

CASES = Path(__file__).parent / "cases"
ADVISOR = "CLAUDE_CODE_DISABLE_ADVISOR_TOOL"
WINDOW = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"
PREFIX = f"{ADVISOR}=1 {WINDOW}=200000"
SETTINGS = json.dumps({"env": {ADVISOR: "1", WINDOW: "200000"}}, separators=(",", ":"))
BOTH = ["background", "print"]


def rows(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (CASES / name).read_text("utf-8").splitlines()]


COMMANDS = [*rows("launch.jsonl"), *rows("launch-more.jsonl")]
ORDINARY = [json.loads(line) for line in (CASES / "ordinary.jsonl").read_text("utf-8").splitlines()]
GLANCES = [line for line in (CASES / "glances.txt").read_text("utf-8").splitlines() if not line.startswith("##")]


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events go to a folder of the test's own."""
    monkeypatch.setenv("CCHOOKS_STATE_DIR", str(tmp_path / "state"))


def payload(command: str, cwd: str = "/nowhere") -> dict[str, Any]:
    return {
        "session_id": "00000000-0000-4000-8000-000000000001",
        "cwd": cwd,
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command, "description": "start", "timeout": 5000},
        "tool_use_id": "toolu_1",
    }


def decide(command: str, cwd: str = "/nowhere", **config: Any) -> dict[str, Any] | None:
    """What the hook says inside of `hookSpecificOutput`, after the look at the raw bytes."""
    call = payload(command, cwd)
    if not launch.may_speak(json.dumps(call).encode()):
        return None
    decision = launch.decide(call, {**launch.DEFAULTS, **config})
    if decision is None:
        return None
    assert list(decision) == ["hookSpecificOutput"]
    said = decision["hookSpecificOutput"]
    assert said.pop("hookEventName") == "PreToolUse"
    return said


def verdict(command: str, cwd: str = "/nowhere", **config: Any) -> str:
    said = decide(command, cwd, **config)
    if said is None:
        return "silent"
    if "permissionDecision" in said:
        assert said["permissionDecision"] == "deny"
        return "deny"
    return "fix" if "updatedInput" in said else "warn"


def corrected(command: str, cwd: str = "/nowhere", **config: Any) -> str | None:
    """The command that the hook shows or runs instead; None where it shows none."""
    said = decide(command, cwd, **config)
    assert said is not None
    if "updatedInput" in said:
        return said["updatedInput"]["command"]
    return said.get("permissionDecisionReason", "").partition("The corrected command:\n")[2] or None


def kinds(row: dict[str, str]) -> list[str]:
    return BOTH if row["id"].startswith("LP") else ["background"]


# The case files

EXPECTED = {"deny": {"deny"}, "allow": {"silent", "fix", "warn"}, "not-a-launch": {"silent"}}


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row["id"])
def test_verdict(row: dict[str, str]) -> None:
    assert verdict(row["command"], kinds=kinds(row)) in EXPECTED[row["verdict"]]


@pytest.mark.parametrize(
    "row", [row for row in COMMANDS if row["verdict"] != "not-a-launch"], ids=lambda row: row["id"]
)
def test_what_is_shown_or_run_instead_is_in_order(row: dict[str, str]) -> None:
    said = decide(row["command"], kinds=kinds(row))
    instead = corrected(row["command"], kinds=kinds(row)) if said is not None else None
    if instead is not None:
        assert verdict(instead, kinds=kinds(row)) == "silent"


@pytest.mark.parametrize("row", rows("launch.jsonl"), ids=lambda row: row["id"])
def test_only_code_and_syntax_errors_have_no_correction(row: dict[str, str]) -> None:
    said = decide(row["command"], kinds=kinds(row))
    if said is not None and row["id"] not in ("L184", "L188"):
        assert corrected(row["command"], kinds=kinds(row)) is not None


@pytest.mark.parametrize("command", GLANCES, ids=range(len(GLANCES)))
def test_commands_that_only_look_pass(command: str) -> None:
    assert verdict(command) == "silent"


@pytest.mark.parametrize("command", ORDINARY, ids=range(len(ORDINARY)))
def test_ordinary_commands_pass(command: str) -> None:
    assert verdict(command) == "silent"


def test_print_mode_only_where_it_is_asked_for() -> None:
    assert [verdict(row["command"]) for row in COMMANDS if row["id"].startswith("LP")] == ["silent"] * 9


@pytest.mark.parametrize("row", rows("launch.jsonl"), ids=lambda row: row["id"])
def test_commands_around_it_change_no_verdict(row: dict[str, str]) -> None:
    alone = verdict(row["command"], kinds=kinds(row))
    around = f"git status -s && npm ci 2>&1 | tail -3; ls > /dev/null\n{row['command']}\nfind . -name x; echo done"
    assert verdict(around, kinds=kinds(row)) == alone


# The table of wrappers

NOT_IN_FRONT = {  # rows whose commands do not stand in their words
    "shell", "script", "stdin", "cron", "alias", "none", "code", "find", "dashes",
}  # fmt: skip


def example(name: str, row: Wrapper) -> str:
    action = row.actions.split(", ")[0]
    operands = " ".join(["o"] * row.operands)
    launched = "'claude --bg x'" if row.way in ("first", "texts") else "claude --bg x"
    return " ".join(part for part in (name, action, operands, launched) if part)


EXAMPLES = [
    example(name, row)
    for name, found in WRAPPERS.items()
    for row in (found if isinstance(found, tuple) else (found,))
    if row.way not in NOT_IN_FRONT
]


@pytest.mark.parametrize("command", EXAMPLES)
def test_a_launch_behind_each_wrapper(command: str) -> None:
    assert verdict(command) == "deny"
    instead = corrected(command)
    assert instead is not None
    assert verdict(instead) == "silent"


@pytest.mark.parametrize("command", EXAMPLES)
def test_no_launch_behind_each_wrapper(command: str) -> None:
    assert verdict(command.replace("claude --bg x", "claude --version")) == "silent"


@pytest.mark.parametrize(
    ("command", "reaches"),
    [
        (f"{PREFIX} nohup claude --bg x", True),
        (f"{PREFIX} sudo claude --bg x", False),
        (f"{PREFIX} sudo -E claude --bg x", True),
        (f"sudo {PREFIX} claude --bg x", True),
        (f"{PREFIX} doas claude --bg x", False),
        (f"{PREFIX} env -i claude --bg x", False),
        (f"env -i {PREFIX} claude --bg x", True),
        (f"{PREFIX} env -u{WINDOW} claude --bg x", False),
        (f"{PREFIX} env --unset={ADVISOR} claude --bg x", False),
        (f"{PREFIX} ssh box claude --bg x", False),
        (f"ssh box {PREFIX} claude --bg x", True),
        (f"{PREFIX} docker exec -e {ADVISOR} -e {WINDOW} c claude --bg x", True),
        (f"{PREFIX} docker exec -e {ADVISOR} c claude --bg x", False),
        (f"{PREFIX} exec -c claude --bg x", False),
        (f"{PREFIX} su - bob -c 'claude --bg x'", False),
        (f"{PREFIX} su bob -c 'claude --bg x'", True),
        (f"timeout 5 {PREFIX} claude --bg x", False),
        (f"{PREFIX}; bash -c 'claude --bg x'", False),
        (f"{PREFIX}; echo 'claude --bg x' | sh", False),
        (f"export {PREFIX}; echo 'claude --bg x' | sh", True),
        (f"{PREFIX.replace(' ', '; ')}; export {ADVISOR} {WINDOW}; bash -c 'claude --bg x'", True),
    ],
)
def test_the_environment_behind_a_wrapper(command: str, reaches: bool) -> None:
    assert verdict(command) == ("fix" if reaches else "deny")


def test_assignments_that_a_wrapper_would_run_are_taken_out() -> None:
    instead = corrected(f"timeout 600 {PREFIX} claude --bg x")
    assert instead == f"timeout 600 claude --bg --settings '{SETTINGS}' x"


@pytest.mark.parametrize(
    ("code", "starts"),
    [
        ("import os; os.system('claude --bg x')", True),
        ("import os; os.system('cd a && claude --bg x')", True),
        ("subprocess.run(['claude', '--bg', 'x'])", True),
        ("c = ['claude', '--bg']; subprocess.run(c + ['x'])", True),
        ("c = 'claude --bg x'; os.system(c)", True),
        ("print('claude --bg x')", False),
        ("print(subprocess.run(['git']).stdout, 'claude --bg x')", False),
        ("os.system('git status'); print('run claude --bg x')", False),
        ("subprocess.run(['claude', '--version']); print('--bg')", False),
        ("f = open('a'); f.write('Start it with claude --bg')", False),
    ],
)
def test_code_of_another_language(code: str, starts: bool) -> None:
    for command in (
        f'python3 -c "{code}"',
        f"python3 - <<'E'\n{code}\nE",
        f"cat > a.py <<'E'\n{code}\nE\npython3 a.py",
    ):
        assert verdict(command) == ("deny" if starts else "silent")


# The client's command line


@pytest.mark.parametrize("option", sorted(VALUES | LISTS))
def test_the_value_of_an_option_is_no_flag(option: str) -> None:
    assert verdict(f"claude {option} --bg x") == "silent"
    assert verdict(f"claude {option} v --bg x") == ("silent" if option == "--exec" else "deny")


@pytest.mark.parametrize("option", sorted(OPTIONAL - {"--cloud", "--remote"}))
def test_an_optional_value_does_not_look_like_an_option(option: str) -> None:
    assert verdict(f"claude {option} --bg x") == "deny"


@pytest.mark.parametrize(
    ("arguments", "starts"),
    [
        ("--allowedTools Bash Edit --bg", True),
        ("--allowedTools --bg Edit", False),
        ("--settings", False),
        ("--bg --settings", True),
        ("mcp list --bg", True),
        ("logs --bg", False),
        ("daemon status --bg", False),
        ("--bg --cloud x", False),
        ("--bg -- -p", True),
        ("x -- --bg", False),
        ("--bg --exec=true", False),
        ("--bg --name --exec x", True),
        ("--bg --exec pytest --settings x", False),
    ],
)
def test_arguments(arguments: str, starts: bool) -> None:
    assert verdict(f"claude {arguments}") == ("deny" if starts else "silent")


@pytest.mark.parametrize(
    ("arguments", "prints"),
    [
        ("-p x", True),
        ("-cp x", True),
        ("-pc", True),
        ("--print", True),
        ("-rp", False),
        ("-np", False),
        ("--print=x", False),
        ("mcp add -p x", False),
        ("-p mcp", True),
        ("--model -p x", False),
        ("-- -p", False),
        ("--debug -p x", True),
    ],
)
def test_print_mode(arguments: str, prints: bool) -> None:
    assert verdict(f"claude {arguments}", kinds=["print"]) == ("deny" if prints else "silent")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ('"$PYTHON" -m pytest -p no:cacheprovider; echo claude', "silent"),
        ('"$RUN" --bg x; echo claude', "deny"),
        ('"$RUN" --bg x', "silent"),
        ('RUN=./server; "$RUN" --bg x; echo claude', "silent"),
        ("$CLAUDE_BIN -p x", "deny"),
        ('"$(which claude)" -p x', "deny"),
        ("claude $FLAGS x", "silent"),
        ("FLAGS=$(echo --bg); claude $FLAGS x", "deny"),
        ('claude "$(grep -p -- --bg x)"', "silent"),
    ],
)
def test_names_and_flags_that_are_not_known(command: str, expected: str) -> None:
    assert verdict(command, kinds=BOTH) == expected


# The settings

GOOD = {"env": {ADVISOR: "1", WINDOW: "200000"}}


def with_settings(settings: Any) -> str:
    return f"claude --bg --settings '{json.dumps(settings)}' x"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (GOOD, "silent"),
        ({"env": {ADVISOR: 1, WINDOW: 150000}}, "silent"),
        ({"env": {ADVISOR: "1"}, "autoCompactWindow": 150000}, "silent"),
        ({"env": {ADVISOR: "1"}, "autoCompactWindow": 50000}, "deny"),
        ({"env": {ADVISOR: "1"}, "autoCompactWindow": "auto"}, "deny"),
        ({"env": {ADVISOR: "1", WINDOW: "500k"}, "autoCompactWindow": 150000}, "deny"),
        ({"env": {ADVISOR: "1"}}, "deny"),
        ({"env": {WINDOW: "200000"}}, "deny"),
        ({"env": {ADVISOR: True, WINDOW: "200000"}}, "deny"),
        ({"env": {ADVISOR: "0", WINDOW: "200000"}}, "deny"),
        ({"env": {ADVISOR: "1", WINDOW: "99999"}}, "deny"),
        ({"env": {ADVISOR: "1", WINDOW: "1000001"}}, "deny"),
        ({"env": {ADVISOR: "1", WINDOW: " 200000"}}, "deny"),
        ({"env": {ADVISOR: "1", WINDOW: None}}, "deny"),
        ({}, "deny"),
        ({"env": []}, "deny"),
        ([], "deny"),
    ],
    ids=json.dumps,
)
def test_settings(settings: Any, expected: str) -> None:
    assert verdict(with_settings(settings)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("200000", "fix"),
        ("200k", "fix"),
        ("1M", "fix"),
        ("200", "fix"),
        ("0.5m", "fix"),
        ("99", "deny"),
        ("1001", "deny"),
        ("auto", "deny"),
        ("50k", "deny"),
        ("2M", "deny"),
        ("''", "deny"),
        ("200kk", "deny"),
        ("-5", "deny"),
        ('"$N"', "deny"),
    ],
)
def test_autocompact(value: str, expected: str) -> None:
    assert verdict(f"{ADVISOR}=1 claude --bg --autocompact {value} x") == expected
    assert verdict(f"{ADVISOR}=1 claude --bg --autocompact={value} x") == expected


def test_the_variable_wins_over_the_option() -> None:
    assert verdict(f"{ADVISOR}=1 {WINDOW}=500k claude --bg --autocompact 200000 x") == "deny"


def test_the_last_settings_count() -> None:
    assert verdict(f"claude --bg --settings '{{}}' --settings '{SETTINGS}' x") == "silent"
    assert verdict(f"claude --bg --settings '{SETTINGS}' --settings '{{}}' x") == "deny"


def test_settings_hold_against_a_bad_prefix() -> None:
    assert verdict(f"{ADVISOR}=0 {WINDOW}=500k claude --bg --settings '{SETTINGS}' x") == "silent"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "good.json").write_text(SETTINGS)
    (tmp_path / "sub" / "bom.json").write_bytes(b"\xef\xbb\xbf" + SETTINGS.encode())
    (tmp_path / "model.json").write_text('{"model": "opus", "env": {"A": "it\'s"}}')
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "latin.json").write_bytes(b'{"a": "\xe9"}')
    return tmp_path


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("claude --bg --settings good.json x", "silent"),
        ("claude --bg --settings=good.json x", "silent"),
        ("claude --bg --settings ./good.json x", "silent"),
        ("cd sub && claude --bg --settings ../good.json x", "silent"),
        ("cd sub && claude --bg --settings bom.json x", "silent"),
        ("(cd sub); claude --bg --settings good.json x", "silent"),
        ("cd sub && claude --bg --settings good.json x", "deny"),
        ("cd $D && claude --bg --settings good.json x", "deny"),
        ("true && cd sub; claude --bg --settings good.json x", "deny"),
        ("ssh box claude --bg --settings good.json x", "deny"),
        ("env -C sub claude --bg --settings good.json x", "deny"),
        ("env -C sub claude --bg --settings bom.json x", "silent"),
        ("env --chdir=sub claude --bg --settings bom.json x", "silent"),
        ("sudo -D sub claude --bg --settings bom.json x", "silent"),
        ("sudo --chdir=sub claude --bg --settings good.json x", "deny"),
        ("tmux new -c sub -d claude --bg --settings bom.json x", "silent"),
        ("cp t good.json; claude --bg --settings good.json x", "deny"),
        ("claude --bg --settings broken.json x", "deny"),
        ("claude --bg --settings latin.json x", "deny"),
        ("claude --bg --settings sub x", "deny"),
        ("claude --bg --settings /dev/zero x", "deny"),
        ("claude --bg --settings model.json x", "deny"),
        (f"{PREFIX} claude --bg --settings model.json x", "fix"),
        (f"{PREFIX} claude --bg --settings broken.json x", "deny"),
    ],
)
def test_settings_files(command: str, expected: str, project: Path) -> None:
    assert verdict(command, cwd=str(project)) == expected


def test_a_settings_file_is_merged_into_the_correction(project: Path) -> None:
    instead = corrected(f"{PREFIX} claude --bg --settings model.json x", cwd=str(project))
    merged = {"model": "opus", "env": {"A": "it's", ADVISOR: "1", WINDOW: "200000"}}
    [words] = [[word.text for word in command.words] for command in shell.read(str(instead))]
    assert words[:3] == ["claude", "--bg", "--settings"]
    assert json.loads(words[3]) == merged
    assert words[4:] == ["x"]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (f"ssh box '{PREFIX} claude --bg --settings x'", "x is a file elsewhere"),
        ("claude --bg --settings nofile.json x", "nofile.json: No such file"),
        ("claude --bg --settings broken.json x", "not valid JSON"),
        ('claude --bg --settings "$S" x', "not known before"),
        ("claude --bg --settings latin.json x", "not UTF-8"),
        ("ssh box claude --bg --settings a.json x", "a.json is a file elsewhere"),
        (f"{WINDOW}=500k {ADVISOR}=1 claude --bg x", f"{WINDOW} is 500k, it must be a plain integer from 100000"),
        (f"{WINDOW}= {ADVISOR}=1 claude --bg x", f"{WINDOW} is empty"),
        (f"{WINDOW}=200000 {ADVISOR}=0 claude --bg x", f"{ADVISOR} is 0, it must be 1"),
        ("claude --bg -p x", "refuses --bg together with -p"),
        ("claude --bg x", f"not set: {ADVISOR}=1 and {WINDOW}"),
        ("claude --bg x)", "cannot be read"),
    ],
)
def test_the_reason_says_what_is_wrong(command: str, says: str, project: Path) -> None:
    said = decide(command, cwd=str(project))
    assert said is not None
    assert says in said["permissionDecisionReason"]


# What is shown and run instead


@pytest.mark.parametrize(
    ("command", "instead"),
    [
        ('claude --bg "x"', f"claude --bg --settings '{SETTINGS}' \"x\""),
        ("$(claude --bg x) y", f"$(claude --bg --settings '{SETTINGS}' x) y"),
        ("`claude --bg x` y", f"`claude --bg --settings '{SETTINGS}' x` y"),
        ("exec 3< <(claude --bg x)", f"exec 3< <(claude --bg --settings '{SETTINGS}' x)"),
        ("claude --bg x --settings", f"claude --bg x --settings '{SETTINGS}'"),
        ('claude "x" --bg # why', f"claude \"x\" --bg --settings '{SETTINGS}' # why"),
        (
            "claude --bg a; claude --bg b",
            f"claude --bg --settings '{SETTINGS}' a; claude --bg --settings '{SETTINGS}' b",
        ),
        (f"{WINDOW}=500k claude --bg x", f"{WINDOW}=200000 claude --bg --settings '{SETTINGS}' x"),
        (f"export {ADVISOR}=0; claude --bg x", f"export {ADVISOR}=1; claude --bg --settings '{SETTINGS}' x"),
        ("claude --bg -p x", f"claude --bg --settings '{SETTINGS}' x"),
        ("claude -cp --bg x", f"claude -c --bg --settings '{SETTINGS}' x"),
        ("bash -c 'claude --bg x'", f"bash -c 'claude --bg --settings '\\''{SETTINGS}'\\'' x'"),
        ('bash -c "claude --bg $t"', "bash -c \"claude --bg --settings '" + SETTINGS.replace('"', '\\"') + "' $t\""),
        ("cat <<'E' | sh\nclaude --bg x\nE", f"cat <<'E' | sh\nclaude --bg --settings '{SETTINGS}' x\nE"),
        ("sh <<-E\n\tclaude --bg x\t\ty\n\tE\n", f"sh <<-E\n\tclaude --bg --settings '{SETTINGS}' x\t\ty\n\tE\n"),
        ("C=claude; $C --bg x", f"C=claude; $C --bg --settings '{SETTINGS}' x"),
        ("c='claude --bg x'; eval \"$c\"", f"c='claude --bg --settings '\\''{SETTINGS}'\\'' x'; eval \"$c\""),
        (f"{PREFIX} claude --bg x", f"{PREFIX} claude --bg --settings '{SETTINGS}' x"),
        (f"{PREFIX} claude x --bg # y", f"{PREFIX} claude x --bg --settings '{SETTINGS}' # y"),
        ("C='claude --bg --model'; $C opus x", f"C='claude --bg --model'; $C opus --settings '{SETTINGS}' x"),
        ("claude --bg --settings", f"claude --bg --settings '{SETTINGS}'"),
        ("watch -x claude --bg x", f"watch -x claude --bg --settings '{SETTINGS}' x"),
        ("parallel -q claude --bg ::: a", f"parallel -q claude --bg --settings '{SETTINGS}' ::: a"),
        ("find . -exec A=1 claude --bg {} \\;", f"find . -exec claude --bg --settings '{SETTINGS}' {{}} \\;"),
        (
            'claude --bg --settings \'{ "a": "é", "b": 1.50 }\' x',
            f'claude --bg --settings \'{{ "a": "é", "b": 1.50,{SETTINGS[1:-1]} }}\' x',
        ),
        (
            'claude --bg --settings \'{"env": {"}": "{"}, "d": {"env": {}}}\' x',
            f'claude --bg --settings \'{{"env": {{"}}": "{{",{SETTINGS[8:-2]}}}, "d": {{"env": {{}}}}}}\' x',
        ),
        ("claude --bg --autocompact auto x", f"claude --bg --settings '{SETTINGS}' --autocompact 200000 x"),
    ],
)
def test_the_corrected_command(command: str, instead: str) -> None:
    assert corrected(command) == instead


def test_what_is_ineffective_is_named() -> None:
    said = decide(f"{PREFIX} claude --bg x", ineffective="deny")
    assert said is not None
    assert "Here: they are set in the environment only. Nothing was run." in said["permissionDecisionReason"]


def test_the_wanted_window_is_shown() -> None:
    assert '"300000"' in str(corrected("claude --bg x", window=300_000))


def test_a_window_that_is_there_is_kept() -> None:
    assert '"150000"' in str(corrected(f"{WINDOW}=150000 claude --bg x"))
    assert WINDOW not in str(corrected("claude --bg --autocompact 150k x"))


def test_a_fix_keeps_the_rest_of_the_input() -> None:
    said = decide(f"{PREFIX} claude --bg x")
    assert said is not None
    assert list(said["updatedInput"]) == ["command", "description", "timeout"]
    assert {**said["updatedInput"], "command": ""} == {**payload("")["tool_input"], "command": ""}
    assert "supervisor ignores" in said["additionalContext"]


def test_a_long_command_is_not_repeated_in_the_reason() -> None:
    said = decide("claude --bg " + "x" * 20_000)
    assert said is not None
    assert len(said["permissionDecisionReason"]) < 1000
    assert f"claude --bg --settings '{SETTINGS}' \"PROMPT\"" in said["permissionDecisionReason"]


@pytest.mark.parametrize("kind", ["claude --bg x", "bash -c 'claude --bg x)'", "node -e \"spawn('claude', ['--bg'])\""])
def test_the_form_shown_is_in_order(kind: str) -> None:
    assert verdict(kind) == "deny"
    assert verdict(launch.form(200_000, "background")) == "silent"
    assert verdict(launch.form(200_000, "print"), kinds=["print"]) == "silent"


# The policies


@pytest.mark.parametrize(
    ("command", "config", "expected"),
    [
        ("claude --bg x", {"missing": "fix"}, "fix"),
        ("claude --bg x)", {"missing": "fix"}, "deny"),
        (f"{WINDOW}=500k claude --bg x", {"missing": "fix"}, "deny"),
        (f"{PREFIX} claude --bg x", {"ineffective": "warn"}, "warn"),
        (f"{PREFIX} claude --bg x", {"ineffective": "deny"}, "deny"),
        ("claude --bg x", {"ineffective": "warn"}, "deny"),
        (f"{PREFIX} claude -p x", {"kinds": BOTH}, "silent"),
        ("claude -p x", {"kinds": BOTH, "missing": "fix"}, "fix"),
        ("claude --bg x", {"kinds": ["print"]}, "silent"),
        ("claude --bg x", {"kinds": []}, "silent"),
        ("claude --bg x", {"kinds": ["unheard-of"]}, "silent"),
        (f"python3 -c \"import os; os.system('{PREFIX} claude --bg x')\"", {}, "warn"),
        (f"python3 -c \"import os; os.system('{PREFIX} claude --bg x')\"", {"ineffective": "deny"}, "deny"),
    ],
)
def test_policy(command: str, config: dict[str, Any], expected: str) -> None:
    assert verdict(command, **config) == expected


def test_the_hooks_own_environment_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ADVISOR, "1")
    monkeypatch.setenv(WINDOW, "200000")
    assert verdict("claude --bg x") == "fix"
    assert verdict("env -i claude --bg x") == "deny"
    assert verdict(f"unset {ADVISOR}; claude --bg x") == "deny"
    assert verdict(f"{WINDOW}=7 claude --bg x") == "deny"


def test_an_event_for_each_decision(tmp_path: Path) -> None:
    for command in ("claude --bg x", f"{PREFIX} claude --bg x", "ls"):
        decide(command)
    decide(f"{PREFIX} claude --bg x", ineffective="warn")
    events = [json.loads(line) for line in (tmp_path / "state" / "events.jsonl").read_text().splitlines()]
    assert [(event["hook"], event["event"]) for event in events] == [
        ("launch", "deny"),
        ("launch", "fix"),
        ("launch", "warn"),
    ]


# The look at the raw bytes


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "git status",
        "cat ~/.claude/settings.json",
        "ls ~/.claude",
        "claude",
        "claude update",
        "echo 'it\\'",
        "x" * 99,
    ],
)
def test_silence_without_parsing(command: str) -> None:
    assert not launch.may_speak(json.dumps(payload(command, cwd="/home/claude --bg")).encode())


@pytest.mark.parametrize("row", [row for row in COMMANDS if row["verdict"] == "deny"], ids=lambda row: row["id"])
def test_the_look_at_the_bytes_misses_no_spelling_of_the_payload(row: dict[str, str]) -> None:
    call = payload(row["command"])
    assert launch.may_speak(json.dumps(call).encode())
    assert launch.may_speak(json.dumps(call, ensure_ascii=False, indent=1).encode())
    escaped = json.dumps(call).replace("claude", "\\u0063laude").replace("--bg", "\\u002d-bg")
    assert launch.may_speak(escaped.encode())


# Properties

words = st.sampled_from(
    ["x", '"a b"', "'it is'", "$x", '"$(cat t)"', "a\\ b", "--model opus", "-c", "*.md", '"--bg"', "{a,b}", "é"]
)
before = st.sampled_from(
    [
        "",
        "cd a && ",
        "true; ",
        "if true; then ",
        "x=1 ",
        "nohup ",
        "time ",
        "(",
        "echo a | ",
        "# c\n",
        "cat <<E\n$x\nE\n",
    ]
)


@st.composite
def launches(draw: st.DrawFn) -> str:
    ending = {"if true; then ": "; fi", "(": ")"}
    start = draw(before)
    inner = " ".join(["claude", *draw(st.lists(words, max_size=3)), "--bg", *draw(st.lists(words, max_size=3))])
    return f"{start}{inner}{ending.get(start, '')}{draw(st.sampled_from(['', ' # claude --bg', ' > log', ' &']))}"


def seen(text: str) -> list[list[str]]:
    return [[word.text for word in command.words] for command in shell.read(text)]


@given(launches(), st.sampled_from(["", PREFIX + " "]))
def test_the_change_is_two_words(command: str, prefix: str) -> None:
    command = command.replace("nohup claude " if "nohup" in command else "claude ", prefix + "claude ", 1)
    instead = corrected(command)
    if instead is None:
        return
    assert verdict(instead) == "silent"
    old, new = seen(command), seen(instead)
    assert len(old) == len(new)
    for mine, other in zip(old, new, strict=True):
        if mine != other:
            at = other.index("--settings")
            assert other[at + 1] == SETTINGS
            assert other[:at] + other[at + 2 :] == mine
    assert old != new


PIECES = [
    *"abc \n\t'\"\\$(){}|&;<>=-`#*[]~",
    "claude ",
    "--bg ",
    "$(",
    "<<E\n",
    "\nE\n",
    "do ",
    "x='",
    "${x}",
    "bash -c ",
]


@given(st.lists(st.sampled_from(PIECES)))
def test_any_text_has_a_verdict(pieces: list[str]) -> None:
    assert verdict("".join(pieces), kinds=BOTH) in ("silent", "deny", "fix", "warn")


@given(
    st.lists(st.sampled_from([*(row["command"] for row in COMMANDS), "&&", "|", ";", "\n", "(", ")", "'"]), max_size=4)
)
def test_any_mixture_has_a_verdict(parts: list[str]) -> None:
    command = " ".join(parts)
    assert verdict(command) in ("silent", "deny", "fix", "warn")


@pytest.mark.parametrize("value", [None, 7, [], {}, "", {"command": None}, {"command": []}, {"cmd": "claude --bg x"}])
def test_an_input_of_another_kind_is_silence(value: Any) -> None:
    call = {**payload(""), "tool_input": value}
    assert launch.decide(call, launch.DEFAULTS) is None


@pytest.mark.parametrize(
    "command", ["C='claude --bg -- x'; $C", "C='claude --bg --'; $C x", 'c=(claude --bg --); "${c[@]}" x']
)
def test_without_a_place_for_settings_there_is_only_the_form(command: str) -> None:
    assert verdict(command) == "deny"
    assert corrected(command) is None


settings_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["env", "a", "{", '"']), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from(["a", "}", '"', "model"]), settings_values, max_size=3),
    st.none() | st.dictionaries(st.sampled_from(["A", "}", '"']), st.text(max_size=5), max_size=3),
    st.sampled_from([None, 1]),
)
def test_variables_are_added_to_any_settings(
    settings: dict[str, Any], env: dict[str, str] | None, indent: int | None
) -> None:
    if env is not None:
        settings = {**settings, "env": env, "z": 1}
    text = json.dumps(settings, indent=indent)
    wanted = {**settings, "env": {**(env or {}), ADVISOR: "1"}}
    made = with_env(text, wanted)
    assert json.loads(made) == wanted
    assert any(made.startswith(text[:at]) and made.endswith(text[at:]) for at in range(len(text)))


# What would take for ever

CATS = "|cat" * 3000


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (f"echo 'claude --bg x' {CATS}|bash", "deny"),
        (f"echo claude {CATS}|bash", "silent"),
        ("echo 'claude --bg x' " + "|cat - -" * 25 + "|bash", "deny"),
        ("a=claude; " + 'a="$a $a"; ' * 400 + "claude --bg x", "deny"),
        ("a=claude; " + 'a="$a $a"; ' * 400 + "$a", "silent"),
        ("a=(claude x); " + 'a+=("${a[@]}"); ' * 40 + "claude --bg", "deny"),
        ("a='" + "x " * 3000 + "'; " + "echo $a $a; " * 5000 + "claude --bg x", "deny"),
        ("claude " + "{a,b}" * 20 + " --bg", "deny"),
        ("claude --bg " + "{" * 90_000, "deny"),
        ("claude --bg " + "{a," * 9000, "deny"),
    ],
    ids=range(10),
)
def test_what_doubles_itself_has_a_verdict(command: str, expected: str) -> None:
    assert verdict(command) == expected


def test_a_folder_changed_by_pushd_is_known(project: Path) -> None:
    assert verdict("pushd sub && claude --bg --settings bom.json x", cwd=str(project)) == "silent"
    assert verdict("pushd +1 && claude --bg --settings good.json x", cwd=str(project)) == "deny"
