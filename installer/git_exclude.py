"""Keep a local settings file out of `git status` through the repository's own private exclude list."""

from __future__ import annotations

import os
import subprocess

from . import files, lock, receipt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .files import Target


def hide(root: str, target: Target) -> list[str]:
    """Put the file on the list where git would show it; what to know about it."""
    line = "/" + os.path.relpath(target.given, root).replace(os.sep, "/")
    if not os.path.exists(os.path.join(root, ".git")):
        return []
    ignored = _git(root, "check-ignore", "-q", "--", target.given)
    tracked = _git(root, "ls-files", "--error-unmatch", "--", target.given)
    if ignored is None or tracked is None:
        return [f"git is not there to ask: keep {line} out of commits"]
    if tracked.returncode == 0:
        return [f"{line} is tracked by git: everyone gets the entries, with paths of this machine"]
    if ignored.returncode != 1:
        return []
    place = _git(root, "rev-parse", "--git-path", "info/exclude")
    if place is None or place.returncode:
        return [f"keep {line} out of commits: this is no repository that git can read"]
    path = os.path.join(root, place.stdout.strip())
    _append(path, line)
    seen = _git(root, "check-ignore", "-q", "--", target.given)
    with lock.held():
        entry = receipt.load().get(target.path)
        if entry:
            receipt.save(target.path, {**entry, "exclude": path, "excluded": line})
    if seen is None or seen.returncode:
        return [
            f"{line} is on the private exclude list, {path}, and a .gitignore takes it back: keep it out of commits"
        ]
    return [f"{line} was put on the repository's private exclude list, {path}"]


def show_again(entry: dict[str, object]) -> None:
    """Take the line out again that `hide` put in."""
    path, line = entry.get("exclude"), entry.get("excluded")
    if not isinstance(path, str) or not isinstance(line, str) or not os.path.isfile(path):
        return
    with open(path, "rb") as file:
        lines = file.read().splitlines(keepends=True)
    kept = [found for found in lines if found.strip() != line.encode()]
    if len(kept) != len(lines):
        files.write(path, b"".join(kept))


def _append(path: str, line: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    old = b""
    if os.path.exists(path):
        with open(path, "rb") as file:
            old = file.read()
    with open(path, "ab") as file:
        file.write((b"\n" if old and not old.endswith(b"\n") else b"") + line.encode() + b"\n")


def _git(root: str, *words: str) -> subprocess.CompletedProcess[str] | None:
    # Inside a git hook these variables lead to the repository that runs it, wherever `root` is.
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    command = ["git", "-C", root, *words]
    try:
        return subprocess.run(command, env=env, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
