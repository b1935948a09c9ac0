"""What the installer's tests share: a settings file to work on, and a look at what a command did to it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .conftest import Home

FOREIGN = {"type": "command", "command": "/opt/acme/audit", "timeout": 7}
FOREIGN_GROUP = {"matcher": "Bash", "hooks": [FOREIGN]}
DEFAULT_HOOKS = ["delegate", "launch", "spill"]
HOOKS = ["childenv", *DEFAULT_HOOKS]


class Lab:
    """A home with a settings file, and the installed `cchooks` in it."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.file = home.settings
        self.env: dict[str, str] = {}

    def write(self, content: bytes | str | Any, path: Path | None = None) -> bytes:
        """Make the settings file; an object is written as the client writes it."""
        path = path or self.file
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str | bytes) else json.dumps(content, indent=2) + "\n"
        data = text if isinstance(text, bytes) else text.encode()
        path.write_bytes(data)
        return data

    def value(self, path: Path | None = None) -> Any:
        """What the settings file says."""
        return json.loads((path or self.file).read_bytes().decode("utf-8-sig"))

    def run(self, *words: str, status: int | None = 0, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run `cchooks`; its exit status must be `status` unless that is None."""
        done = self.home.run("cchooks", *words, env=self.env, cwd=cwd)
        assert "Traceback" not in done.stderr, done.stderr
        assert status is None or done.returncode == status, (done.returncode, done.stdout, done.stderr)
        return done

    def json(self, *words: str, status: int | None = 0, cwd: Path | None = None) -> Any:
        """Run `cchooks ... --json` and parse what it prints."""
        return json.loads(self.run(*words, "--json", status=status, cwd=cwd).stdout)

    def snapshot(self, path: Path | None = None) -> object:
        """Everything that must stay as it is where a file is to be untouched."""
        path = path or self.file
        stat = path.stat()
        return path.read_bytes(), stat.st_mtime_ns, stat.st_mode, stat.st_ino, sorted(path.parent.iterdir())

    def refused(self, *words: str, status: int = 1) -> str:
        """Run a command that must leave the settings file untouched; what it said."""
        before = self.snapshot()
        done = self.run(*words, status=status)
        assert self.snapshot() == before
        return done.stdout + done.stderr

    def ours(self, path: Path | None = None) -> list[tuple[str, Any, dict[str, Any]]]:
        """(event, matcher, handler) of each handler whose command has one of our names."""
        return entries(self.value(path))

    def hooks(self, path: Path | None = None) -> set[str]:
        """Names of the hooks that have an entry."""
        return {Path(handler["command"]).name.removeprefix("cchooks-") for _, _, handler in self.ours(path)}

    def command(self, hook: str) -> str:
        """The command that user scope gets for a hook."""
        return str(self.home.suite.bin(f"cchooks-{hook}"))

    def entry(self, hook: str, **fields: Any) -> dict[str, Any]:
        """The handler that user scope gets for a hook."""
        return {"type": "command", "command": self.command(hook), "args": [], "timeout": 10, **fields}

    def receipt(self) -> Any:
        """The receipt's entry for the settings file."""
        return json.loads((self.home.state / "receipt.json").read_text())["files"].get(str(self.file.resolve()))

    def edit_receipt(self, **fields: Any) -> None:
        """Change the receipt's entry for the settings file."""
        path = self.home.state / "receipt.json"
        whole = json.loads(path.read_text())
        whole["files"][str(self.file.resolve())].update(fields)
        path.write_text(json.dumps(whole))

    def backups(self) -> list[Path]:
        """Every backup, the pristine one included."""
        return sorted((self.home.state / "backups").glob("*/*.json"))


def entries(value: Any) -> list[tuple[str, Any, dict[str, Any]]]:
    """(event, matcher, handler) of each handler in a settings object whose command has one of our names."""
    return [
        (event, group.get("matcher"), handler)
        for event, groups in (value.get("hooks") or {}).items()
        for group in groups or ()
        for handler in group["hooks"]
        if Path(str(handler.get("command"))).name.startswith("cchooks-")
    ]


def executable(path: Path, text: str) -> Path:
    """A shell script that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def git(folder: Path, *words: str) -> str:
    """Run git without the machine's own configuration."""
    env = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "PATH": "/usr/bin:/bin:/usr/local/bin"}
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *identity, *words], cwd=folder, env=env, capture_output=True, text=True, check=True)
    return done.stdout
