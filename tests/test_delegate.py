"""delegate: who is restricted, what stays open, what the denial says, and the look at the bytes before parsing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cchooks_suite.hooks import delegate
from hypothesis import given
from hypothesis import strategies as st

from .conftest import Home

TOOLS = ["Bash", "PowerShell", "Write", "Edit", "MultiEdit", "NotebookEdit"]


@pytest.fixture(autouse=True)
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The client's config folder; plans, memory and a project are beside each other below `tmp_path`."""
    folder = tmp_path / "claude"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder))
    monkeypatch.setenv("CCHOOKS_STATE_DIR", str(tmp_path / "state"))
    (folder / "plans").mkdir(parents=True)
    (tmp_path / "project").mkdir()
    return folder


def payload(tool: str, call: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "session_id": "s1",
        "cwd": fields.pop("cwd", "/nowhere"),
        **fields,
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": call,
        "tool_use_id": "toolu_1",
    }


def config(**values: Any) -> dict[str, Any]:
    return {**delegate.DEFAULTS, **values}


def reason(decision: Any) -> str:
    """The text of a denial, an empty string for silence."""
    if decision is None:
        return ""
    answer = decision["hookSpecificOutput"]
    assert set(answer) == {"hookEventName", "permissionDecision", "permissionDecisionReason"}
    assert (answer["hookEventName"], answer["permissionDecision"]) == ("PreToolUse", "deny")
    return str(answer["permissionDecisionReason"])


def denied(tool: str, call: dict[str, Any], **fields: Any) -> str:
    return reason(delegate.decide(payload(tool, call, **fields), config()))


def writes(path: Path | str, values: dict[str, Any] | None = None, **fields: Any) -> bool:
    """Whether the main thread may write the file."""
    given = payload("Write", {"file_path": str(path), "content": "x"}, **fields)
    return delegate.decide(given, config(**(values or {}))) is None


class TestReasons:
    def test_one_for_each_kind_of_tool(self) -> None:
        call = {"command": "make", "file_path": "/x/a", "notebook_path": "/x/a"}
        given = {tool: denied(tool, call) for tool in TOOLS}
        assert given["Write"] == given["Edit"] == given["MultiEdit"]
        assert len(set(given.values())) == 4

    @pytest.mark.parametrize("tool", TOOLS)
    def test_says_what_to_do_in_300_characters(self, tool: str) -> None:
        text = denied(tool, {"command": "make", "file_path": "/x/a"})
        assert len(text) <= 300
        assert "\n" not in text
        for part in ("Agent tool", "goal", "acceptance criteria", "files", "Still direct:", "git status"):
            assert part in text

    @pytest.mark.parametrize("tool", TOOLS)
    def test_does_not_name_the_off_switch(self, tool: str) -> None:
        text = denied(tool, {"command": "make", "file_path": "/x/a"}).lower()
        assert not any(word in text for word in ("cchooks", "config", "off ", "environment", "variable"))

    def test_is_the_same_whatever_was_asked(self) -> None:
        commands = ["make", "git push", "rm -rf /", "x" * 200_000, "ls 'open", "\ud800", ""]
        assert len({denied("Bash", {"command": command}) for command in commands}) == 1

    def test_what_it_names_really_passes(self) -> None:
        text = delegate.REASONS["Bash"]
        named = text[text.index("(") + 1 : text.index(")")].replace(
            "git status/log/diff", "git status, git log, git diff"
        )
        operands = {"cat": " a", "head": " a", "grep": " x a", "rg": " x", "find": " ."}
        for name in named.split(", "):
            assert not denied("Bash", {"command": name + operands.get(name, "")})


class TestWho:
    @pytest.mark.parametrize("agent", ["a1", "0", " ", "null"])
    def test_a_subagent_passes(self, agent: str) -> None:
        assert not denied("Bash", {"command": "make"}, agent_id=agent)

    @pytest.mark.parametrize("agent", ["", None, 0, 1, True, False, [], ["a"], {}, {"id": "a"}])
    def test_everything_else_is_the_main_thread(self, agent: Any) -> None:
        assert denied("Bash", {"command": "make"}, agent_id=agent)

    def test_an_agent_type_alone_makes_no_subagent(self) -> None:
        assert denied("Bash", {"command": "make"}, agent_type="builder")

    @pytest.mark.parametrize("agent_type", [None, 7, ["builder"], {"a": 1}])
    def test_an_agent_type_of_unknown_shape(self, agent_type: Any) -> None:
        given = payload("Bash", {"command": "make"}, agent_type=agent_type)
        assert reason(delegate.decide(given, config(agents=["builder"])))

    def test_a_background_session_passes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CLAUDE_JOB_DIR", "/jobs/1")
        given = payload("Bash", {"command": "make"})
        assert delegate.decide(given, config()) is None
        assert reason(delegate.decide(given, config(background=True)))

    def test_an_empty_job_folder_is_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CLAUDE_JOB_DIR", "")
        assert denied("Bash", {"command": "make"})

    def test_other_variables_of_the_client_make_no_subagent(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_AGENT_ID", "CLAUDE_CODE_CHILD_SESSION"):
            monkeypatch.setenv(name, "1")
        assert denied("Bash", {"command": "make"})

    @pytest.mark.parametrize("tool", ["Read", "Grep", "Agent", "bash", "write", "mcp__x__Bash", "BashOutput", 7, None])
    def test_other_tools_pass(self, tool: Any) -> None:
        assert delegate.decide(payload(tool, {"command": "make", "file_path": "/x"}), config()) is None


class TestPaths:
    def test_plans_and_memory(self, client: Path) -> None:
        assert writes(client / "plans" / "a.md")
        assert writes(client / "plans" / "sub" / "a.md")
        assert writes(client / "projects" / "-x" / "memory" / "MEMORY.md")
        assert writes(client / "agent-memory" / "builder" / "MEMORY.md")

    @pytest.mark.parametrize(
        "path",
        [
            "settings.json",
            "plans.md",
            "plansx/a.md",
            "plans/../settings.json",
            "plans/../../project/a.py",
            "projects/-x/a.jsonl",
            "projects/memory/a.md",
            "projects/-x/memory",
            "projects/-x/memoryx/a.md",
            "projects/-x/memory/../a.jsonl",
            "projects/-x/y/memory/a.md",
            "memory/a.md",
            "",
        ],
    )
    def test_what_only_looks_like_them(self, client: Path, path: str) -> None:
        assert not writes(client / path)

    def test_a_link_is_followed(self, client: Path, tmp_path: Path) -> None:
        (client / "plans" / "out").symlink_to(tmp_path / "project")
        (client / "plans" / "file.md").symlink_to(tmp_path / "project" / "a.py")
        assert not writes(client / "plans" / "out" / "a.py")
        assert not writes(client / "plans" / "file.md")

    def test_a_link_into_the_plans_leads_there(self, client: Path, tmp_path: Path) -> None:
        (tmp_path / "project" / "plans").symlink_to(client / "plans")
        assert writes(tmp_path / "project" / "plans" / "a.md")

    def test_a_config_folder_that_is_a_link(
        self, client: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "link").symlink_to(client)
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "link"))
        assert writes(tmp_path / "link" / "plans" / "a.md")
        assert writes(client / "plans" / "a.md")

    def test_the_default_config_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("CLAUDE_CONFIG_DIR")
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("USERPROFILE", str(tmp_path))
        assert writes(tmp_path / ".claude" / "plans" / "a.md")
        assert writes("~/.claude/plans/a.md")

    def test_the_scratchpad(self, tmp_path: Path) -> None:
        pad = tmp_path / "pad"
        assert writes(pad / "a", scratchpad_dir=str(pad))
        assert not writes(tmp_path / "padx", scratchpad_dir=str(pad))
        for other in ("", "pad", None, 7, [str(pad)]):
            assert not writes(pad / "a", scratchpad_dir=other)

    def test_the_configs_paths(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        project = tmp_path / "project"
        values = {"paths": ["docs", str(tmp_path / "notes"), "TODO.md", ""]}
        for root in ("CLAUDE_PROJECT_DIR", ""):
            if root:
                monkeypatch.setenv(root, str(project))
            assert writes(project / "docs" / "a.md", values, cwd=str(project))
            assert writes(tmp_path / "notes" / "b" / "a.md", values, cwd=str(project))
            assert writes(project / "TODO.md", values, cwd=str(project))
            assert writes("TODO.md", values, cwd=str(project))
            assert not writes(project / "a.md", values, cwd=str(project))
            assert not writes(project / "docs" / ".." / "a.md", values, cwd=str(project))

    def test_a_relative_entry_belongs_to_the_project(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        project = tmp_path / "project"
        monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(project))
        below = str(project / "below")
        assert not writes(project / "below" / "docs" / "a.md", {"paths": ["docs"]}, cwd=below)
        assert writes(project / "docs" / "a.md", {"paths": ["docs"]}, cwd=below)

    @pytest.mark.parametrize("path", ["", None, 7, [], {}, "\0", "a\0b"])
    def test_a_path_of_unknown_shape(self, path: Any) -> None:
        assert denied("Write", {"file_path": path})

    def test_no_path_opens_bash(self, client: Path) -> None:
        plan = str(client / "plans" / "a.md")
        assert denied("Bash", {"command": f"echo x > {plan}", "file_path": plan})
        assert denied("PowerShell", {"command": "x", "file_path": plan})

    @pytest.mark.parametrize("place", ["user", "project", "local"])
    def test_folders_that_the_settings_move(self, client: Path, tmp_path: Path, place: str) -> None:
        project = tmp_path / "project"
        (project / ".claude").mkdir()
        file = {
            "user": client / "settings.json",
            "project": project / ".claude" / "settings.json",
            "local": project / ".claude" / "settings.local.json",
        }[place]
        file.write_text(
            json.dumps({"plansDirectory": "plans", "autoMemoryDirectory": str(tmp_path / "brain")}), "utf-8-sig"
        )
        assert writes(project / "plans" / "a.md", cwd=str(project))
        assert writes(tmp_path / "brain" / "a.md", cwd=str(project))
        assert not writes(project / "a.md", cwd=str(project))

    @pytest.mark.parametrize(
        "text", ["", "{", "[]", "7", '{"plansDirectory": 7}', '{"plansDirectory": ""}', '{"a": ' * 9999]
    )
    def test_settings_that_name_nothing(self, client: Path, tmp_path: Path, text: str) -> None:
        (client / "settings.json").write_text(text, "utf-8")
        assert not writes(tmp_path / "project" / "a.md", cwd=str(tmp_path / "project"))


class TestEvents:
    @pytest.fixture(autouse=True)
    def state_folder_of_the_home(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("CCHOOKS_STATE_DIR")

    @pytest.mark.parametrize("mode", ["deny", "warn"])
    def test_each_is_recorded(self, home: Home, mode: str) -> None:
        (home.home / ".config" / "cchooks").mkdir(parents=True)
        (home.home / ".config" / "cchooks" / "config.toml").write_text(f'[delegate]\nmode = "{mode}"\n', "utf-8")
        given = payload("Bash", {"command": "make"}, cwd=str(home.project))
        assert home.run("cchooks-delegate", stdin=json.dumps(given)).stdout
        [row] = [json.loads(line) for line in (home.state / "events.jsonl").read_text("utf-8").splitlines()]
        row.pop("time")
        expected = {"hook": "delegate", "event": mode, "session": "s1", "tool": "Bash", "id": "toolu_1"}
        assert row == expected

    def test_silence_is_not(self, home: Home) -> None:
        given = payload("Bash", {"command": "ls"}, cwd=str(home.project))
        assert not home.run("cchooks-delegate", stdin=json.dumps(given)).stdout
        assert not home.state.exists()

    def test_a_log_that_cannot_be_written_changes_no_answer(self, home: Home) -> None:
        home.state.parent.mkdir(parents=True)
        home.state.write_text("in the way", "utf-8")
        given = payload("Bash", {"command": "make"}, cwd=str(home.project))
        done = home.run("cchooks-delegate", stdin=json.dumps(given))
        assert reason(json.loads(done.stdout))


class TestBytes:
    """`may_speak` may say yes too often, and never no where `decide` would speak."""

    @pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), (" ,\n", " :\t")])
    @pytest.mark.parametrize("tool", TOOLS)
    def test_spares_the_parser_for_subagents(self, tool: str, separators: tuple[str, str]) -> None:
        given = payload(tool, {"command": "make"}, agent_id="a1")
        assert not delegate.may_speak(json.dumps(given, separators=separators).encode())

    def test_spares_the_parser_for_other_tools(self) -> None:
        assert not delegate.may_speak(json.dumps(payload("Read", {"file_path": "/x/Write"})).encode())

    def test_spares_the_parser_where_nothing_can_restrict_a_background_session(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        raw = json.dumps(payload("Bash", {"command": "make"})).encode()
        monkeypatch.setenv("CLAUDE_JOB_DIR", "/jobs/1")
        assert delegate.may_speak(raw)  # the project is not known, so its config is not
        monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path))
        assert not delegate.may_speak(raw)
        (tmp_path / ".claude").mkdir()
        (tmp_path / ".claude" / "cchooks.toml").touch()
        assert delegate.may_speak(raw)

    @given(
        tool=st.sampled_from([*TOOLS, "Read", "Agent"]),
        agent=st.sampled_from(["a1", "", None, 7, "absent"]),
        inner=st.sampled_from(["a1", "", "absent"]),
        text=st.sampled_from(
            ["make", "ls", '"agent_id":"a1"', '\\"agent_id\\": \\"a1\\"', '"tool_input"', '"PreToolUse"']
        ),
        shuffle=st.randoms(use_true_random=False),
        blanks=st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : ")]),
    )
    def test_never_silences_a_denial(
        self, tool: str, agent: Any, inner: str, text: str, shuffle: Any, blanks: tuple[str, str]
    ) -> None:
        call = {"command": text, "file_path": f"/x/{text}", **({} if inner == "absent" else {"agent_id": inner})}
        given = payload(tool, call, note=text, **({} if agent == "absent" else {"agent_id": agent}))
        keys = list(given)
        shuffle.shuffle(keys)
        raw = json.dumps({key: given[key] for key in keys}, separators=blanks).encode()
        if delegate.decide(given, config()) is not None:
            assert delegate.may_speak(raw)


def test_only_the_path_that_the_tool_writes_counts(client: Path) -> None:
    plan, other = str(client / "plans" / "a.md"), "/srv/app/a.ipynb"
    assert denied("NotebookEdit", {"file_path": plan, "notebook_path": other})
    assert denied("Write", {"file_path": other, "notebook_path": plan})
    assert denied("Edit", {"notebook_path": plan})


def test_an_empty_agent_type_is_nobodys_name() -> None:
    call = payload("Write", {"file_path": "/srv/app/a"}, agent_type="")
    assert reason(delegate.decide(call, config(agents=[""])))
