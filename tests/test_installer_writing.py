"""Rows S51 to S74: how the file is replaced, and when it is not."""

from __future__ import annotations

import json
import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cchooks_suite import exchange, files, receipt, transaction
from cchooks_suite.cli import main
from cchooks_suite.errors import ChangedMeanwhileError, RefusalError
from cchooks_suite.settings import Settings
from filelock import FileLock

from .installer_lab import DEFAULT_HOOKS, FOREIGN_GROUP, Lab, entries

if TYPE_CHECKING:
    from .conftest import Home


@pytest.fixture
def lab(home: Home) -> Lab:
    return Lab(home)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    monkeypatch.setenv("CCHOOKS_STATE_DIR", str(folder))
    return folder


def link(lab: Lab, *hops: str) -> Path:
    """Make the settings file a chain of links through `hops`, the last of which is the file."""
    lab.file.parent.mkdir(parents=True, exist_ok=True)
    place = lab.file
    for hop in hops:
        following = Path(hop) if hop.startswith("/") else place.parent / hop
        following.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(hop)
        place = following
    return place


@pytest.mark.parametrize(
    "hops", [["dot/s.json"], ["a.json", "dot/s.json"], ["../dots/a.json", "b.json", "deep/c.json"]]
)
def test_s51_s52_links_are_kept(lab: Lab, hops: list[str]) -> None:
    target = link(lab, *hops)
    before = lab.write({"model": "x"}, target)
    links = {path: path.readlink() for path in lab.home.home.rglob("*") if path.is_symlink()}
    inode = target.stat().st_ino
    lab.run("install")
    assert {path: path.readlink() for path in lab.home.home.rglob("*") if path.is_symlink()} == links
    assert len(links) == len(hops)
    assert lab.hooks(target) == set(DEFAULT_HOOKS)
    assert target.stat().st_ino != inode
    lab.run("uninstall")
    assert {path: path.readlink() for path in lab.home.home.rglob("*") if path.is_symlink()} == links
    assert target.read_bytes() == before


def test_s51_the_config_folder_is_a_link(lab: Lab) -> None:
    real = lab.home.root / "dotfiles"
    real.mkdir()
    lab.home.config.symlink_to(real)
    lab.run("install")
    assert lab.home.config.is_symlink()
    assert lab.hooks(real / "settings.json") == set(DEFAULT_HOOKS)


def test_s51_one_receipt_for_a_file_under_two_names(lab: Lab) -> None:
    real = lab.home.root / "dotfiles"
    real.mkdir()
    lab.home.config.symlink_to(real)
    lab.run("install")
    lab.env = {"CLAUDE_CONFIG_DIR": str(real)}
    lab.run("install", "spill")
    assert list(json.loads((lab.home.state / "receipt.json").read_text())["files"]) == [str(real / "settings.json")]
    lab.run("uninstall")
    assert not (real / "settings.json").exists()


def test_s51_the_temporary_file_stands_beside_the_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "dot" / "s.json"
    target.parent.mkdir()
    target.write_bytes(b"old")
    seen: list[str] = []
    real = files._swap_in

    def look(*words: Any) -> None:
        seen.extend(os.listdir(target.parent))
        real(*words)

    monkeypatch.setattr(files, "_swap_in", look)
    files.replace(str(target), b"old", b"new")
    assert any(name.startswith(".s.json.cchooks-") for name in seen)
    assert [path.name for path in target.parent.iterdir()] == ["s.json"]
    assert target.read_bytes() == b"new"


def test_s54_dangling_link(lab: Lab) -> None:
    target = link(lab, "s.json")
    lab.run("install")
    assert lab.file.is_symlink()
    assert lab.hooks(target) == set(DEFAULT_HOOKS)
    lab.run("uninstall")
    assert lab.file.is_symlink()
    assert not target.exists()


def test_s54_dangling_link_into_a_missing_folder(lab: Lab) -> None:
    target = link(lab, "dot/s.json")
    target.parent.rmdir()
    said = lab.run("install", status=1).stderr
    assert f"whose folder {target.parent} does not exist" in said
    assert lab.file.is_symlink()
    assert not target.parent.exists()


def test_links_in_a_circle(lab: Lab) -> None:
    lab.file.parent.mkdir(parents=True)
    lab.file.symlink_to("other.json")
    (lab.file.parent / "other.json").symlink_to("settings.json")
    for command in ("install", "uninstall", "status"):
        assert "circle" in lab.run(command, status=1).stdout + lab.run(command, status=1).stderr


@pytest.mark.parametrize("what", ["folder", "file"])
def test_s56_read_only_store(lab: Lab, what: str) -> None:
    store = lab.home.root / "store"
    target = store / "s.json"
    lab.write({"model": "x"}, target)
    lab.home.config.mkdir(parents=True)
    lab.file.symlink_to(target)
    locked = store if what == "folder" else target
    locked.chmod(0o555 if what == "folder" else 0o444)
    try:
        done = lab.run("install", status=1)
    finally:
        locked.chmod(0o755)
    assert "is read-only" in done.stderr
    assert [event for event, _, _ in entries(json.loads(done.stdout))]
    assert [path.name for path in store.iterdir()] == ["s.json"]
    assert lab.value(target) == {"model": "x"}
    assert lab.backups() == []


def test_s56_json_is_one_object_with_the_snippet(lab: Lab) -> None:
    lab.write({"model": "x"})
    lab.file.chmod(0o444)
    found = lab.json("install", status=1)
    assert (found["command"], found["state"]) == ("install", "refused")
    assert "is read-only" in found["error"]
    assert found["snippet"] == json.loads(lab.run("print-config").stdout)


def test_s57_read_only_and_installed(lab: Lab) -> None:
    lab.run("install")
    before = lab.snapshot()
    lab.file.parent.chmod(0o555)
    lab.file.chmod(0o444)
    try:
        assert "nothing to do" in lab.run("install").stdout
    finally:
        lab.file.parent.chmod(0o755)
        lab.file.chmod(0o600)
    assert lab.snapshot() == before


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o640, 0o664, 0o400 | 0o200 | 0o111])
def test_s58_s59_the_mode_is_kept(lab: Lab, mode: int) -> None:
    lab.write({"model": "x"})
    lab.file.chmod(mode)
    lab.run("install")
    assert stat.S_IMODE(lab.file.stat().st_mode) == mode
    assert [stat.S_IMODE(path.stat().st_mode) for path in lab.backups()] == [0o600]
    assert stat.S_IMODE(lab.backups()[0].parent.stat().st_mode) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_bytes(b"old")
    os.chown(path, 1234, 2345)
    files.replace(str(path), b"old", b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no extended attributes here")
def test_extended_attributes_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_bytes(b"old")
    try:
        os.setxattr(path, "user.note", b"mine")
    except OSError:
        pytest.skip("the file system has no extended attributes")
    files.replace(str(path), b"old", b"new")
    assert os.getxattr(path, "user.note") == b"mine"


KILLER = """
import os, signal, sys
from cchooks_suite import files
swap = files._swap_in
def killed(*words):
    os.kill(os.getpid(), signal.SIGKILL)
files._swap_in = killed
files._put_new = killed
from cchooks_suite.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("start", ['{\n  "model": "x"\n}\n', None])
def test_s60_killed_between_write_and_rename(lab: Lab, start: str | None) -> None:
    if start is not None:
        lab.write(start)
    done = subprocess.run(
        [lab.home.suite.bin("python"), "-c", KILLER, "install"], env=lab.home.env, cwd=lab.home.project, check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert (lab.file.read_text() if lab.file.exists() else None) == start
    assert any(path.name.endswith(".tmp") for path in lab.file.parent.iterdir())
    lab.run("install")
    assert not list(lab.home.home.rglob("*.tmp"))
    assert lab.hooks() == set(DEFAULT_HOOKS)
    lab.run("uninstall")
    assert (lab.file.read_text() if lab.file.exists() else None) == start


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_s60_told_to_end_while_it_writes(lab: Lab, number: int) -> None:
    before = lab.write({"model": "x"})
    code = KILLER.replace("signal.SIGKILL", str(int(number)))
    done = subprocess.run(
        [lab.home.suite.bin("python"), "-c", code, "install"],
        env=lab.home.env,
        cwd=lab.home.project,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 128 + number
    assert done.stderr == b""
    assert lab.file.read_bytes() == before
    assert not list(lab.home.home.rglob("*.tmp"))


def test_s60_a_stray_goes_even_when_nothing_changes(lab: Lab) -> None:
    lab.run("install")
    stray = lab.file.parent / ".settings.json.cchooks-999999999-ab.tmp"
    kept = lab.file.parent / f".settings.json.cchooks-{os.getpid()}-ab.tmp"
    for path in (stray, kept):
        path.write_text("x")
    before = lab.file.stat().st_mtime_ns
    lab.run("install", "--dry-run")
    assert stray.exists()
    lab.run("install")
    assert not stray.exists()
    assert kept.exists()
    assert lab.file.stat().st_mtime_ns == before


@pytest.mark.parametrize(("command", "size"), [("install", 5000), ("install", 3300), ("uninstall", 5000)])
def test_s61_no_room_for_the_temporary_file(lab: Lab, command: str, size: int) -> None:
    """The limit on a file's size fails a write half-way, as a full disk does: the backup's, or the settings'."""
    lab.write({"model": "x", "filler": "y" * size})
    if command == "uninstall":
        lab.run("install")
    before = lab.snapshot()
    backups = lab.backups()
    done = subprocess.run(
        [str(lab.home.suite.bin("cchooks")), command],
        env=lab.home.env,
        cwd=lab.home.project,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
        check=False,
    )
    assert done.returncode == 1
    assert f"{lab.file}: could not be written" in done.stderr
    assert lab.snapshot() == before
    assert lab.backups() == backups
    assert not list(lab.home.home.rglob("*.tmp"))
    states = {row["state"] for row in lab.json("status")["files"][0]["hooks"]}
    assert states == ({"absent"} if command == "install" else {"absent", "installed"})


def planner(added: str) -> transaction.Planner:
    """Adds one key at the end of an object."""

    def plan(before: bytes | None, file: Settings, _: Any) -> transaction.Plan:
        data = json.dumps({**file.value, added: 1}).encode() if added not in file.value else before
        return transaction.Plan(data, None, adds=True, holds=lambda back: back == data, report=None)

    return plan


def test_s62_another_program_writes_before_our_rename(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In each of the gaps: before the comparison, between comparison and swap, and right after the swap."""
    path = tmp_path / "s.json"
    target = files.Target(str(path), str(path), [])

    def run(gap: str) -> Any:
        path.write_text('{"model": "x"}')
        others = iter([{"model": "x", "theme": "dark"}, {"model": "x", "theme": "light", "more": 1}])
        real = getattr(files, gap)

        def late(*words: Any, **options: Any) -> Any:
            found = real(*words) if gap == "_bytes" else None
            other = next(others, None)
            if other:
                fresh = tmp_path / "other"
                fresh.write_text(json.dumps(other))
                fresh.replace(path)
            return found if gap == "_bytes" else real(*words, **options)

        monkeypatch.setattr(files, gap, late)
        transaction.carry_out(target, planner("ours"), dry=False, check=lambda _: None)
        monkeypatch.setattr(files, gap, real)
        return json.loads(path.read_text())

    for gap in ("_prepared", "_swap_in", "_bytes"):
        value = run(gap)
        assert value["theme"] == "light", gap
        assert value["ours"] == 1, gap
    assert [found.name for found in tmp_path.iterdir() if found.is_file()] == ["s.json"]


@pytest.mark.skipif(exchange.swapper() is None, reason="this system cannot swap two files")
def test_s62_two_programs_write_around_our_swap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first between comparison and swap, the second before its file is put back: the newer one stays."""
    path = tmp_path / "s.json"
    path.write_text("old")
    swap = exchange.swapper()
    assert swap
    others = iter(["first", "second"])

    def swapped(source: str, target: str) -> bool:
        other = next(others, None)
        if other:
            (tmp_path / "fresh").write_text(other)
            (tmp_path / "fresh").replace(path)
        return swap(source, target)

    monkeypatch.setattr(exchange, "swapper", lambda: swapped)
    with pytest.raises(ChangedMeanwhileError):
        files.replace(str(path), b"old", b"ours")
    assert path.read_text() == "second"
    assert [found.name for found in tmp_path.iterdir()] == ["s.json"]


def test_s62_a_file_that_appears_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.json"

    real = files._put_new

    def late(*words: Any) -> None:
        path.write_text('{"theme": "dark"}')
        real(*words)

    monkeypatch.setattr(files, "_put_new", late)
    with pytest.raises(ChangedMeanwhileError):
        files.replace(str(path), None, b"{}")
    assert path.read_text() == '{"theme": "dark"}'


def test_s62_a_file_that_changes_before_its_deletion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.json"
    path.write_text("old")
    real = os.rename

    def late(source: str, target: str) -> None:
        path.write_text("new")
        real(source, target)

    monkeypatch.setattr(files.os, "rename", late)
    with pytest.raises(ChangedMeanwhileError):
        files.replace(str(path), b"old", None)
    monkeypatch.undo()
    assert path.read_text() == "new"
    assert [found.name for found in tmp_path.iterdir()] == ["s.json"]


def test_s62_a_program_that_never_rests(tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.json"
    path.write_text("{}")
    count = iter(range(10**6))
    real = files._prepared

    def restless(*words: Any, **options: Any) -> str:
        if words[0] == str(path):
            path.write_text(json.dumps({"n": next(count)}))
        return real(*words, **options)

    monkeypatch.setattr(files, "_prepared", restless)
    monkeypatch.setattr(transaction, "_LONGEST", 0.2)
    with pytest.raises(RefusalError, match="another program keeps writing it"):
        transaction.carry_out(files.Target(str(path), str(path), []), planner("ours"), dry=False, check=lambda _: None)
    assert "ours" not in json.loads(path.read_text())
    assert not list(state.rglob("*Z.json"))


@pytest.mark.parametrize("start", [None, {"model": "x"}])
def test_s64_two_at_once(lab: Lab, start: Any) -> None:
    if start:
        lab.write(start)
    runs = [
        subprocess.Popen(
            [str(lab.home.suite.bin("cchooks")), "install"],
            env=lab.home.env,
            cwd=lab.home.project,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    for run in runs:
        assert run.communicate()[1] == b""
        assert run.returncode == 0
    assert len(lab.ours()) == 4
    lab.run("uninstall")
    assert (lab.value() if lab.file.exists() else None) == start


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_s64_a_lock_that_another_process_keeps(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    lab.run("install", "spill")
    monkeypatch.setattr("cchooks_suite.lock.WAIT", 0.2)
    monkeypatch.setattr("cchooks_suite.lock.SILENT", 0.1)
    for name, value in lab.home.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", [str(lab.home.suite.bin("cchooks"))])
    before = lab.snapshot()
    with FileLock(lab.home.state / "lock"):
        assert main([command, "spill" if command == "uninstall" else "launch"]) == 1
    said = capsys.readouterr().err
    assert f"note: waiting for another run of cchooks, which holds {lab.home.state / 'lock'}" in said
    assert f"error: {lab.home.state / 'lock'}: found it locked" in said
    assert lab.snapshot() == before


def test_s66_looking_needs_no_lock_and_creates_nothing(lab: Lab) -> None:
    lab.home.config.mkdir(parents=True)
    lab.home.config.chmod(0o555)
    try:
        before = sorted(lab.home.root.rglob("*"))
        lab.run("install", "--dry-run")
        lab.run("status")
        lab.run("uninstall", "--dry-run")
        lab.run("print-config")
        assert sorted(lab.home.root.rglob("*")) == before
    finally:
        lab.home.config.chmod(0o755)


def test_s67_one_pristine_backup(lab: Lab) -> None:
    before = lab.write({"model": "x"})
    done = lab.run("install")
    [pristine] = lab.backups()
    assert str(pristine) in done.stdout
    assert pristine.name == "pristine.json"
    assert pristine.read_bytes() == before
    lab.write({"model": "y"})
    lab.run("install")
    assert pristine.read_bytes() == before


def test_s67_a_file_that_we_made_has_no_pristine_copy(lab: Lab) -> None:
    lab.run("install")
    assert lab.backups() == []
    lab.run("uninstall")
    assert [path.name for path in lab.backups()] != ["pristine.json"]
    before = lab.write({"model": "x"})
    lab.run("install")
    assert [path.read_bytes() for path in lab.backups() if path.name == "pristine.json"] == [before]


def test_s68_a_bounded_number_of_backups(lab: Lab) -> None:
    lab.write({"model": "x"})
    for number in range(20):
        lab.run("uninstall" if number % 2 else "install", "launch")
        lab.run("install", "launch") if number % 2 == 0 else None
    names = [path.name for path in lab.backups()]
    assert len(names) == 6
    assert names[-1] == "pristine.json"
    assert lab.value() == {"model": "x"}


def test_s70_dry_run(lab: Lab) -> None:
    done = lab.run("install", "--dry-run")
    assert list(lab.home.home.iterdir()) == []
    assert f"+++ {lab.file}" in done.stdout
    assert '+  "hooks": {' in done.stdout


def test_s70_dry_run_names_the_target_and_writes_nothing(lab: Lab) -> None:
    target = link(lab, "dot/s.json")
    lab.write('{"model": "x"}', target)
    before = {path: path.lstat().st_mtime_ns for path in lab.home.home.rglob("*")}
    done = lab.run("install", "--dry-run")
    assert f"--- {target}\n+++ {target}\n" in done.stdout
    assert '-{"model": "x"}\n\\ No newline at end of file' in done.stdout
    assert {path: path.lstat().st_mtime_ns for path in lab.home.home.rglob("*")} == before


def test_s72_installing_the_package_touches_no_settings(lab: Lab) -> None:
    """The package has no code that runs at its installation, and importing it does nothing."""
    done = subprocess.run(
        [lab.home.suite.bin("python"), "-c", "import cchooks_suite, cchooks_suite.cli, cchooks_suite.install"],
        env=lab.home.env,
        check=False,
    )
    assert done.returncode == 0
    assert list(lab.home.home.iterdir()) == []


def test_s73_what_was_written_is_read_back(tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that puts its old copy over ours each time: said, not hidden."""
    path = tmp_path / "s.json"
    path.write_text("{}")
    real = files._swap_in

    def overwritten(*words: Any) -> None:
        real(*words)
        path.write_text("{}")

    monkeypatch.setattr(files, "_swap_in", overwritten)
    monkeypatch.setattr(transaction, "_LONGEST", 0.2)
    with pytest.raises(RefusalError, match="another program keeps writing it"):
        transaction.carry_out(files.Target(str(path), str(path), []), planner("ours"), dry=False, check=lambda _: None)


def test_s73_a_file_that_would_be_dead_is_not_written(lab: Lab) -> None:
    """What we would write passes the client's rules; a template that breaks them is refused."""
    code = (
        "from cchooks_suite import catalogue; real = catalogue.hooks\n"
        "def broken(folder=None):\n"
        "    found = real(folder)\n"
        "    found['launch'].slots[0].handler['timeout'] = 0\n"
        "    return found\n"
        "catalogue.hooks = broken\n"
        "import sys; from cchooks_suite.cli import main; sys.exit(main(['install', 'launch']))"
    )
    lab.write({"model": "x"})
    before = lab.snapshot()
    done = lab.home.run("python", "-c", code)
    assert done.returncode == 1
    assert "hooks.PreToolUse[0].hooks[0].timeout" in done.stderr
    assert lab.snapshot() == before


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_s74_root_in_anothers_home(lab: Lab, command: str) -> None:
    lab.write({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [lab.entry("launch")]}]}})
    for path in (lab.home.home, lab.file.parent, lab.file):
        os.chown(path, 1234, 2345)
    said = lab.refused(command)
    assert "running as root on a file of user 1234" in said
    lab.run(command, "--force")
    owners = {(path.stat().st_uid, path.stat().st_gid) for path in lab.home.home.rglob("*")}
    assert owners == {(1234, 2345)}


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_s74_sudo(lab: Lab) -> None:
    lab.env = {"SUDO_USER": "someone"}
    lab.write({"model": "x"})
    assert "running as root on a file of someone" in lab.refused("install")
    lab.run("install", "--dry-run")
    lab.run("install", "--force")
    assert lab.hooks() == set(DEFAULT_HOOKS)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_s74_sudo_by_root_on_roots_own_files(lab: Lab) -> None:
    lab.env = {"SUDO_USER": "root"}
    lab.run("install")
    for path in (lab.home.home, lab.file.parent, lab.file):
        os.chown(path, 1234, 2345)
    assert "running as root on a file of user 1234" in lab.refused("uninstall")


def test_an_unwritable_state_folder(lab: Lab) -> None:
    lab.write({"hooks": {"PreToolUse": [FOREIGN_GROUP]}})
    blocked = lab.home.root / "blocked"
    blocked.write_text("a file, no folder")
    lab.env = {"CCHOOKS_STATE_DIR": str(blocked / "state")}
    assert "expected a folder for the receipt and the backups" in lab.refused("install")


def test_the_receipt_says_what_is_there(lab: Lab) -> None:
    lab.write({"model": "x"})
    lab.run("install", "launch")
    entry = lab.receipt()
    assert entry["digest"] == receipt.digest(lab.file.read_bytes())
    assert entry["scope"] == "user"
    assert entry["given"] == str(lab.file)
    assert entry["created"] is False
    assert entry["entries"] == [
        {"hook": "launch", "event": "PreToolUse", "matcher": "Bash", "handler": lab.entry("launch")}
    ]
    assert stat.S_IMODE((lab.home.state / "receipt.json").stat().st_mode) == 0o600


def test_a_process_that_lacks_a_home_still_answers(lab: Lab) -> None:
    gone = lab.home.root / "gone"
    gone.mkdir()
    cchooks = str(lab.home.suite.bin("cchooks"))
    code = (
        f"import os, subprocess, sys; os.chdir({str(gone)!r}); os.rmdir({str(gone)!r}); "
        f"sys.exit(subprocess.run([{cchooks!r}, 'install', '--local']).returncode)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=lab.home.env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "the current folder cannot be found" in done.stderr


# Windows, as far as another system can tell (rows S127, S131).


class SharingError(OSError):
    winerror = 32


class OtherError(OSError):
    winerror = 17


@pytest.mark.parametrize(("failures", "works"), [(0, True), (1, True), (9, True), (10, False)])
def test_s127_a_file_held_open_is_tried_again(failures: int, works: bool) -> None:
    calls: list[tuple[str, str]] = []
    pauses: list[float] = []

    def rename(source: str, target: str) -> None:
        calls.append((source, target))
        if len(calls) <= failures:
            raise SharingError

    if works:
        files.renamed(rename, "a", "b", pauses.append)
    else:
        with pytest.raises(SharingError):
            files.renamed(rename, "a", "b", pauses.append)
    assert len(calls) == min(failures + 1, 10)
    assert sum(pauses) < 1


def test_s127_another_error_is_not_tried_again() -> None:
    pauses: list[float] = []

    def rename(source: str, target: str) -> None:
        raise OtherError

    with pytest.raises(OtherError):
        files.renamed(rename, "a", "b", pauses.append)
    assert pauses == []


def test_without_a_swap_the_file_is_replaced_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system cannot swap two files, the comparison before the rename is what guards."""
    monkeypatch.setattr(exchange.sys, "platform", "darwin")
    path = tmp_path / "s.json"
    path.write_bytes(b"old")
    files.replace(str(path), b"old", b"new")
    assert path.read_bytes() == b"new"
    with pytest.raises(ChangedMeanwhileError):
        files.replace(str(path), b"old", b"newer")
    assert [found.name for found in tmp_path.iterdir()] == ["s.json"]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_s131_line_ends_and_no_mark(lab: Lab, newline: str) -> None:
    before = lab.write('{\n  "model": "x",\n  "hooks": {\n    "Stop": []\n  }\n}\n'.replace("\n", newline))
    lab.run("install")
    data = lab.file.read_bytes()
    assert not data.startswith(b"\xef\xbb\xbf")
    assert data.count(b"\n") == data.count(newline.encode())
    assert data.count(b"\r") == (data.count(b"\n") if newline == "\r\n" else 0)
    lab.run("uninstall")
    assert lab.file.read_bytes() == before


def test_a_second_name_of_the_file_is_told_of(lab: Lab) -> None:
    lab.write({"model": "x"})
    second = lab.home.root / "dotfiles.json"
    second.hardlink_to(lab.file)
    assert "a second name (a hard link)" in lab.run("install").stderr
    assert "hard link" not in lab.run("install").stderr
