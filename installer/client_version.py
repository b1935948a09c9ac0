"""The version of the client on the PATH: asked with a short timeout, and never needed."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SECONDS = 5


class Client:
    """The client on the PATH as an installation met it.

    Attributes:
        program: its executable.
        version: its version; None where it does not say one in time.
        mark: what changes when another client is put in the program's place. A version manager's shim stays the same;
            then the version on record is that of the last change of the settings.
        fresh: whether it was asked just now, and the version is not that on record.
    """

    __slots__ = ("fresh", "mark", "program", "version")

    def __init__(self, program: str, recorded: Any = None) -> None:
        """Take the version from the record (as of `as_entry`) of the same client, else ask for it."""
        self.program = program
        self.mark = _mark(program)
        self.fresh = not isinstance(recorded, dict) or recorded.get("mark") != self.mark
        self.version = ask(program) if self.fresh else parse(str(recorded.get("version")))

    def as_entry(self) -> dict[str, Any]:
        """What the receipt says of it."""
        return {"mark": self.mark, "version": shown(self.version) if self.version else None}


def find(path: str | None = None) -> str | None:
    """The client's executable on the search path; None without one."""
    for folder in (os.environ.get("PATH", "") if path is None else path).split(os.pathsep):
        for name in ("claude", "claude.exe"):
            candidate = os.path.join(folder, name)
            if folder and os.path.isfile(candidate) and os.access(candidate, os.X_OK):
                return candidate
    return None


def ask(program: str) -> tuple[int, ...] | None:
    """Its version; None where it does not say one in time."""
    import subprocess

    try:
        answer = subprocess.run(
            [program, "--version"],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return parse(answer.stdout)


def parse(text: str) -> tuple[int, ...] | None:
    """The version in `2.1.332 (Claude Code)`; None where there is none."""
    words = text.split(maxsplit=1)
    parts = words[0].partition("-")[0].split(".") if words else []
    return tuple(map(int, parts)) if len(parts) == 3 and all(part.isdecimal() for part in parts) else None


def shown(version: tuple[int, ...]) -> str:
    """A version as a person writes it."""
    return ".".join(map(str, version))


def _mark(program: str) -> str:
    path = os.path.realpath(program)
    try:
        found = os.stat(path)
    except OSError:  # it was there a moment ago
        return path
    return f"{path}:{found.st_size}:{found.st_mtime_ns}:{found.st_ctime_ns}"
