"""The version of the client on the PATH: asked with a short timeout, and never needed."""

from __future__ import annotations

import os

_SECONDS = 5


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
