"""Rows S87 to S98: what is written as the command, and that it runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cchooks_suite import client_version, executables, shebang
from cchooks_suite.errors import RefusalError

from .conftest import Home, Suite
from .installer_lab import DEFAULT_HOOKS, HOOKS, Lab, executable

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def lab(home: Home) -> Lab:
    return Lab(home)


@pytest.fixture
def moved(home: Home) -> Callable[[Path], Lab]:
    """Makes a copy of the installation in another folder, as a person would have installed it there."""

    def move(prefix: Path) -> Lab:
        shutil.copytree(home.suite.venv, prefix, symlinks=True)
        for path in (prefix / "bin").iterdir():
            if path.is_file() and not path.is_symlink():
                text = path.read_bytes()
                if text.startswith(b"#!") and bytes(home.suite.venv) in text.split(b"\n")[0]:
                    first = b"#!" + os.fsencode(prefix / "bin" / "python3")
                    path.write_bytes(first + b"\n" + text.split(b"\n", 1)[1])
        # `cchooks` itself is an entry point, for which pip writes the detour.
        cchooks = prefix / "bin" / "cchooks"
        if shebang.broken(str(cchooks)):
            cchooks.write_bytes(shebang.mended(cchooks.read_bytes(), os.fsencode(prefix / "bin" / "python3")))
        return Lab(Home(home.root, Suite(prefix)))

    return move


def test_s87_a_prefix_with_a_space(home: Home, moved: Any) -> None:
    lab = moved(home.root / "my tools" / "venv")
    lab.run("install", "--dry-run")
    with pytest.raises(FileNotFoundError):  # what pip leaves behind in such a folder
        subprocess.run([lab.command("spill")], check=False)
    assert "mended cchooks-childenv, cchooks-delegate, cchooks-launch, cchooks-spill" in lab.run("install").stderr
    for _, _, handler in lab.ours():
        assert handler["command"].startswith(str(home.root / "my tools" / "venv" / "bin" / "cchooks-"))
        assert not set(handler["command"]) & set("'\"\\")
        done = subprocess.run([handler["command"], *handler["args"]], input=b"{}", capture_output=True, check=False)
        assert done.returncode == 0
        assert done.stdout == b""
        assert done.stderr.startswith(Path(handler["command"]).name.encode())
    again = lab.run("install")
    assert "nothing to do" in again.stdout
    assert "mended" not in again.stderr


def test_s87_doctor_names_install_as_the_repair(home: Home, moved: Any) -> None:
    lab = moved(home.root / "my tools" / "venv")
    lab.write({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [lab.entry("launch")]}]}})
    [check] = [check for check in lab.json("doctor", status=1)["checks"] if check["state"] == "broken"]
    assert (check["id"], check["fix"]) == ("run.launch", "cchooks install --user")
    lab.run(*check["fix"].split()[1:])
    assert not [check for check in lab.json("doctor")["checks"] if check["state"] == "broken"]


@pytest.mark.parametrize("name", ["a b", "it's", 'quo"te $HOME `x` b', "long" * 30, "back\\slash b"])
def test_s87_the_detour_starts_any_interpreter(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    python = folder / "python"
    python.symlink_to(sys.executable)
    script = folder / "cchooks-x"
    script.write_bytes(b"#!" + os.fsencode(python) + b"\nimport sys\nprint(sys.argv[1:], sys.stdin.read())\n")
    script.chmod(0o755)
    needed = " " in str(python) or len(str(python)) > 125
    assert shebang.mend([str(script)]) == ([str(script)] if needed else [])
    assert shebang.mend([str(script)]) == []
    done = subprocess.run([script, "a b"], input="in", capture_output=True, text=True, check=True)
    assert done.stdout == "['a b'] in\n"


@pytest.mark.parametrize(
    ("version", "exec_form"),
    [
        ("2.1.139 (Claude Code)", True),
        ("2.1.332 (Claude Code)", True),
        ("3.0.0", True),
        ("2.1.138 (Claude Code)", False),
    ],
)
def test_s89_an_old_client_gets_the_shell_form(lab: Lab, version: str, exec_form: bool) -> None:
    folder = lab.home.root / "client"
    executable(folder / "claude", f'echo "{version}"')
    lab.env = {"PATH": f"{folder}:/usr/bin:/bin"}
    done = lab.run("install")
    assert {"args" in handler for _, _, handler in lab.ours()} == {exec_form}
    assert ("older than 2.1.139" in done.stderr) is not exec_form
    assert "nothing to do" in lab.run("install").stdout
    lab.env = {"PATH": "/usr/bin:/bin"}
    lab.run("install")
    assert {"args" in handler for _, _, handler in lab.ours()} == {True}
    assert len(lab.ours()) == 4


@pytest.mark.parametrize("receipt", [True, False])
def test_s89_entries_in_exec_form_change_with_the_rest(lab: Lab, receipt: bool) -> None:
    lab.run("install", "launch")
    if not receipt:
        (lab.home.state / "receipt.json").unlink()
    executable(lab.home.root / "client" / "claude", "echo 2.0.1")
    lab.env = {"PATH": f"{lab.home.root / 'client'}:/usr/bin:/bin"}
    lab.run("install", "launch", "spill")
    assert {"args" in handler for _, _, handler in lab.ours()} == {False}


@pytest.fixture
def client(lab: Lab) -> Callable[[str], None]:
    """Puts a client of some version on the PATH, which leaves a line in `asked` each time it is started."""

    def put(version: str) -> None:
        folder = lab.home.root / "client"
        executable(folder / "claude", f'echo asked >> {folder}/asked\necho "{version} (Claude Code)"')
        lab.env = {"PATH": f"{folder}:/usr/bin:/bin"}

    return put


def test_s89_entries_in_exec_form_change_when_the_client_is_an_old_one(lab: Lab, client: Any) -> None:
    lab.run("install")
    client("2.1.138")
    done = lab.run("install")
    assert "2.1.138: older than 2.1.139" in done.stderr
    assert {"args" in handler for _, _, handler in lab.ours()} == {False}
    client("2.1.139")
    lab.run("install")
    assert {"args" in handler for _, _, handler in lab.ours()} == {True}


def test_s89_a_client_is_asked_once(lab: Lab, client: Any) -> None:
    client("2.1.138")
    for _ in range(3):
        lab.run("install")
    assert (lab.home.root / "client" / "asked").read_text() == "asked\n"


def test_s89_the_shell_form_written_for_an_old_client_is_no_drift(lab: Lab, client: Any) -> None:
    client("2.1.138")
    lab.run("install")
    found = lab.json("status")
    assert {row["state"] for row in found["files"][0]["hooks"]} == {"installed", "absent"}
    checks = lab.json("doctor", status=None)["checks"]
    assert [check for check in checks if check["state"] in ("notice", "broken")] == []


@pytest.mark.parametrize("version", ["1.0.0", "1.0.37"])
@pytest.mark.parametrize("start", [None, "exec form"])
def test_s89_s105_a_client_that_knows_no_hooks(lab: Lab, client: Any, version: str, start: str | None) -> None:
    if start:
        lab.run("install")
        before = lab.snapshot()
    client(version)
    done = lab.run("install", status=1)
    assert f"is {version}, expected 1.0.38 or newer" in done.stderr
    assert "no hook was written" in done.stderr
    assert lab.snapshot() == before if start else not lab.file.exists()


def test_s89_the_shell_form_is_quoted(home: Home, moved: Any) -> None:
    lab = moved(home.root / "it's mine" / "venv")
    executable(home.root / "client" / "claude", "echo 2.0.1")
    lab.env = {"PATH": f"{home.root / 'client'}:/usr/bin:/bin"}
    lab.run("install", "launch")
    [(_, _, handler)] = lab.ours()
    assert "args" not in handler
    done = subprocess.run(["/bin/sh", "-c", handler["command"]], input=b"{}", capture_output=True, check=False)
    assert done.returncode == 0
    assert done.stderr.startswith(b"cchooks-launch:")
    lab.run("uninstall")
    assert not lab.file.exists()


@pytest.mark.parametrize("script", ["exit 3", "echo nonsense", "echo", "sleep 60", "kill -9 $$", "echo 2.1"])
def test_s89_a_client_that_does_not_say_its_version_is_no_obstacle(lab: Lab, script: str, monkeypatch: Any) -> None:
    path = executable(lab.home.root / "client" / "claude", f"exec {script}" if script.startswith("sleep") else script)
    monkeypatch.setattr(client_version, "_SECONDS", 0.2)
    assert client_version.ask(str(path)) is None
    if not script.startswith("sleep"):
        lab.env = {"PATH": f"{path.parent}:/usr/bin:/bin"}
        lab.run("install")
        assert lab.hooks() == set(DEFAULT_HOOKS)


@pytest.mark.parametrize("hook", HOOKS)
def test_s90_the_executable_does_the_same_without_args(lab: Lab, hook: str) -> None:
    """An old session may strip `args`; what is left is a shell command of one word."""
    command = ["/bin/sh", "-c", lab.command(hook)]
    done = subprocess.run(command, input=b"{}", env=lab.home.env, capture_output=True, check=False)
    assert done.returncode == 0
    assert done.stdout == b""


def test_s94_the_command_is_an_absolute_path(lab: Lab) -> None:
    lab.run("install")
    for _, _, handler in lab.ours():
        assert os.path.isabs(handler["command"])
        done = subprocess.run(
            [handler["command"]], input=b"{}", env={"PATH": "/nowhere"}, capture_output=True, check=False
        )
        assert done.returncode == 0


@pytest.mark.parametrize(
    "prefix",
    [".cache/uv/archive-v0/Ab12", ".cache/uv/environments-v2/x-1", "cache/builds-v0/.tmp1", ".local/pipx/.cache/3f"],
)
def test_s96_a_temporary_environment(home: Home, moved: Any, prefix: str) -> None:
    lab = moved(home.root / prefix)
    said = lab.run("install", status=1).stderr
    assert "temporary environment" in said
    assert "uv tool install" in said
    assert not lab.file.exists()


def test_s96_the_named_cache() -> None:
    assert executables.temporary("/x/uv/deep/y", {"UV_CACHE_DIR": "/x/uv"})
    assert not executables.temporary("/x/uvy/deep/y", {"UV_CACHE_DIR": "/x/uv"})
    assert not executables.temporary("/home/me/.local/share/uv/tools/cchooks-suite", {})
    assert not executables.temporary("/home/me/.local/share/pipx/venvs/cchooks-suite", {})


def test_s97_the_environment_of_a_project(home: Home, moved: Any) -> None:
    (home.project / "pyproject.toml").touch()
    lab = moved(home.project / ".venv")
    done = lab.run("install")
    assert f"is the environment of the project {home.project}" in done.stderr
    assert lab.hooks() == set(DEFAULT_HOOKS)
    assert "environment of the project" not in moved(home.root / "plain" / "venv").run("install").stderr


def test_s98_a_link_on_the_path_is_recorded(lab: Lab) -> None:
    folder = lab.home.root / "bin"
    folder.mkdir()
    for name in ("cchooks", *(f"cchooks-{hook}" for hook in HOOKS)):
        (folder / name).symlink_to(lab.home.suite.bin(name))
    lab.env = {"PATH": f"{lab.home.suite.venv / 'bin'}:{folder}:/usr/bin:/bin"}
    lab.run("install", "spill")
    assert {handler["command"] for _, _, handler in lab.ours()} == {str(folder / "cchooks-spill")}
    assert "nothing to do" in lab.run("install").stdout
    lab.run("uninstall")
    assert not lab.file.exists()


def test_s98_a_script_that_leads_here_is_recorded(lab: Lab) -> None:
    shims = lab.home.root / "manager" / "shims"
    for name in ("cchooks", *(f"cchooks-{hook}" for hook in HOOKS)):
        executable(shims / name, f'exec "{lab.home.suite.bin(name)}" "$@"\n')
    lab.env = {"PATH": f"{shims}:{lab.home.suite.venv / 'bin'}:/usr/bin:/bin"}
    lab.run("install", "spill")
    assert {handler["command"] for _, _, handler in lab.ours()} == {str(shims / "cchooks-spill")}


def test_s98_a_shim_that_only_its_manager_understands(lab: Lab) -> None:
    shims, other = lab.home.root / "shims", lab.home.root / "other"
    executable(lab.home.root / "manager", f'name=$1; shift; exec "{lab.home.suite.bin("cchooks").parent}/$name" "$@"\n')
    for name in ("cchooks", "cchooks-spill"):
        executable(shims / name, f'exec "{lab.home.root / "manager"}" {name} "$@"\n')
        executable(other / name, 'echo "cchooks 9.9.9 (/elsewhere)"\n')
    lab.env = {"PATH": f"{other}:{shims}:/usr/bin:/bin"}
    lab.run("install", "spill")
    assert {handler["command"] for _, _, handler in lab.ours()} == {str(shims / "cchooks-spill")}


def test_s98_a_version_managers_shim(tmp_path: Path) -> None:
    """The shim itself does not name the version; it stands in the manager's folder beside the versions."""
    program = executable(tmp_path / "manager" / "versions" / "3.11.7" / "bin" / "cchooks-spill", "exit 0")
    shim = executable(tmp_path / "manager" / "shims" / "cchooks-spill", "exec manager exec cchooks-spill")
    other = executable(tmp_path / "else" / "cchooks-spill", "exit 0")
    path = os.pathsep.join(map(str, ("", "relative", other.parent, program.parent, shim.parent)))
    assert executables.stable(str(program), path) == str(shim)
    assert executables.stable(str(program), str(other.parent)) == str(program)


def test_s98_of_two_links_the_one_without_a_version(tmp_path: Path) -> None:
    program = executable(tmp_path / "real" / "cchooks-spill", "exit 0")
    links = [tmp_path / "versions" / "3.11.7" / "bin" / "cchooks-spill", tmp_path / "shims" / "cchooks-spill"]
    for link in links:
        link.parent.mkdir(parents=True)
        link.symlink_to(program)
    assert executables.stable(str(program), f"{links[0].parent}:{links[1].parent}") == str(links[1])
    assert executables.stable(str(program), str(links[0].parent)) == str(program)


def test_s98_a_command_that_still_leads_here_is_kept(lab: Lab) -> None:
    """The PATH of another day must not make the entries flip."""
    folder = lab.home.root / "bin"
    folder.mkdir()
    (folder / "cchooks-launch").symlink_to(lab.home.suite.bin("cchooks-launch"))
    path = os.pathsep.join([str(folder), "/usr/bin", "/bin"])
    lab.env = {"PATH": path}
    lab.run("install", "launch")
    before = lab.snapshot()
    lab.env = {"PATH": "/usr/bin:/bin"}
    assert "nothing to do" in lab.run("install").stdout
    assert lab.snapshot() == before


def test_a_prefix_with_other_letters(home: Home, moved: Any) -> None:
    lab = moved(home.root / "Wörk 工具" / "venv")
    lab.run("install")
    assert f'"{home.root}/Wörk 工具/venv/bin/cchooks-spill"' in lab.file.read_text("utf-8")
    lab.run("uninstall")
    assert not lab.file.exists()


def test_an_installation_without_its_executables(home: Home, moved: Any) -> None:
    lab = moved(home.root / "venv")
    (home.root / "venv" / "bin" / "cchooks-spill").unlink()
    assert "cchooks-spill: not found, expected it beside `cchooks`" in lab.run("install", status=1).stderr
    assert not lab.file.exists()


def test_another_installation_takes_its_entries_over(home: Home, moved: Any) -> None:
    """The receipt says that we wrote the old path, so the entry is replaced and not doubled."""
    Lab(home).run("install")
    lab = moved(home.root / "venv2")
    lab.run("install")
    assert {Path(handler["command"]).parent for _, _, handler in lab.ours()} == {home.root / "venv2" / "bin"}
    assert len(lab.ours()) == 4


def test_print_config_is_what_install_writes(lab: Lab) -> None:
    printed = json.loads(lab.run("print-config").stdout)
    lab.run("install")
    assert printed == lab.value()
    project = json.loads(lab.run("print-config", "--project", "spill").stdout)
    assert {handler["command"] for group in project["hooks"]["PostToolUse"] for handler in group["hooks"]} == {
        "cchooks-spill"
    }


# Windows, as far as another system can tell (rows S125, S126).


def test_s125_the_launcher_with_forward_slashes() -> None:
    files = ["cchooks.exe", "cchooks-spill.exe", "python.exe"]
    found = executables.windows_command("C:\\Users\\A B\\venv\\Scripts", "cchooks-spill", files)
    assert found == "C:/Users/A B/venv/Scripts/cchooks-spill.exe"


@pytest.mark.parametrize("files", [["cchooks-spill.cmd"], ["cchooks-spill"], ["cchooks-spill-script.py"], []])
def test_s126_nothing_that_exec_form_can_start(files: list[str]) -> None:
    with pytest.raises(RefusalError, match=r"expected cchooks-spill\.exe"):
        executables.windows_command("C:/venv/Scripts", "cchooks-spill", files)


def test_s126_the_launcher_beside_a_shim() -> None:
    files = ["cchooks-spill.cmd", "CCHOOKS-SPILL.EXE"]
    assert executables.windows_command("C:/x", "cchooks-spill", files) == "C:/x/cchooks-spill.exe"


def test_s129_no_entry_names_an_interpreter(lab: Lab) -> None:
    lab.run("install", *HOOKS)
    assert {Path(handler["command"]).name for _, _, handler in lab.ours()} == {f"cchooks-{hook}" for hook in HOOKS}
    assert all(handler["args"] == [] for _, _, handler in lab.ours())
