"""Where spilled output goes, and how it is written.

The session's own `tool-results` folder comes first: the client lets the model read it without a permission prompt, on
the main thread and in subagents, and cleans it with the session. Where that cannot be had, a folder in the project that
git ignores, then the platform's cache folder. Every such folder is called `tool-results`, which is how a command that
reads a spilled file back is recognised.
"""

from __future__ import annotations

import os
import time

from . import folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER = "tool-results"
_PROJECT = ".cchooks"
_TOMBSTONE = "This output was removed by cchooks on {day} to keep its folder small. Run the command again.\n"
_DAY = 86400


class Place:
    """A folder for spilled files.

    Attributes:
        path: the folder, absolute.
        root: what expiry covers: the folder of all sessions; empty where the client cleans up itself.
    """

    __slots__ = ("path", "root")

    def __init__(self, path: str, root: str = "") -> None:
        self.path = path
        self.root = root


def places(payload: dict[str, Any], configured: str) -> list[Place]:
    """Where this call's output may go, best first; `configured` is the config's `folder`, or empty."""
    session = _safe(payload.get("session_id"), "session")
    project = os.environ.get("CLAUDE_PROJECT_DIR") or payload.get("cwd")
    project = project if isinstance(project, str) and os.path.isabs(project) else ""
    if configured:
        root = os.path.join(project, os.path.expanduser(configured), FOLDER)
        return [Place(os.path.join(root, session), root)] if os.path.isabs(root) else []
    found = [Place(path) for path in [session_folder(payload)] if path]
    roots = [os.path.join(project, _PROJECT, FOLDER)] if project and os.path.isdir(project) else []
    roots.append(os.path.join(folders.cache_dir(), FOLDER))
    return found + [Place(os.path.join(root, session), root) for root in roots]


def session_folder(payload: dict[str, Any]) -> str:
    """The session's own folder: its transcript's path without `.jsonl`, then `tool-results`; empty where unknown.

    The transcript itself need not exist (a session that keeps none), but the client's config folder three levels above
    does: without it the path is not the client's, and nothing is created there.
    """
    transcript = payload.get("transcript_path")
    if not (isinstance(transcript, str) and os.path.isabs(transcript) and transcript.endswith(".jsonl")):
        return ""
    parent = os.path.dirname(transcript)
    client = os.path.dirname(os.path.dirname(parent))
    if os.path.isdir(parent) or (os.path.isdir(client) and client != os.path.dirname(client)):
        return os.path.join(transcript.removesuffix(".jsonl"), FOLDER)
    return ""


def roots(payload: dict[str, Any], configured: str) -> list[str]:
    """Folders below which a path with a `tool-results` part is a spilled file, or one that the client saved."""
    found = [place.root or place.path for place in places(payload, configured)]
    transcript = payload.get("transcript_path")
    if isinstance(transcript, str) and os.path.isabs(transcript):
        # Any session's: a resumed or forked session points to files of the one before.
        found.append(os.path.dirname(os.path.dirname(transcript)))
    return found


def saved(payload: dict[str, Any]) -> list[str]:
    """Names of the files in the session's own folder that no other word could be taken for."""
    try:
        names = os.listdir(session_folder(payload) or os.devnull)
    except OSError:
        return []
    return [name for name in names if len(name) > 12 and not name.startswith(".")]


def write(places: list[Place], name: str, text: str, days: int, megabytes: int) -> str:
    """Write `text` into the first folder that takes it and return the file's path; empty where none does.

    The file's bytes are the text's UTF-8, lone surrogates as they are. The same name and text again is the same file;
    the same name with another text gets a suffix.
    """
    data = text.encode("utf-8", "surrogatepass")
    for place in places:
        try:
            _make(place)
            path = _put(place.path, name, data)
        except (OSError, ValueError):  # ValueError: a NUL byte in the path
            continue
        if place.root:
            _expire(place, days, megabytes)
        return path
    return ""


def file_name(tool: str, call: Any, part: str, text: str) -> str:
    """A name built from the tool and the call's id, of letters, digits, `-` and `_` only.

    Clients that give no id get one made from the text.
    """
    stem = _safe(tool, "tool") + "-" + (_safe(call, "") or checksum(text.encode("utf-8", "surrogatepass")))
    return f"{stem}-{part}.txt" if part else f"{stem}.txt"


def checksum(data: bytes) -> str:
    """Eight hexadecimal digits that tell one text from another."""
    from binascii import crc32

    return f"{crc32(data):08x}"


def _safe(name: Any, default: str) -> str:
    kept = [c for c in name if c.isascii() and (c.isalnum() or c in "-_")] if isinstance(name, str) else []
    return "".join(kept[:100]) or default  # with all its parts a name stays below the 255 bytes of a file system


def _make(place: Place) -> None:
    os.makedirs(place.path, mode=0o700, exist_ok=True)
    if os.path.basename(os.path.dirname(place.root)) == _PROJECT:
        ignore = os.path.join(os.path.dirname(place.root), ".gitignore")
        if not os.path.exists(ignore):
            with open(ignore, "x") as file:
                file.write("*\n")


def _put(folder: str, name: str, data: bytes) -> str:
    path = os.path.join(folder, name)
    if _holds(path, data):
        return path
    if os.path.lexists(path):
        path = path.removesuffix(".txt") + f"-{checksum(data)}.txt"
    draft = os.path.join(folder, f".{name}.{os.getpid()}.draft")
    try:
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with open(file, "wb") as out:
            out.write(data)
        os.replace(draft, path)
    except OSError:
        if os.path.lexists(draft):
            os.unlink(draft)
        raise
    return path


def _holds(path: str, data: bytes) -> bool:
    try:
        if os.stat(path).st_size != len(data):
            return False
        with open(path, "rb") as file:
            return file.read() == data
    except OSError:
        return False


def _expire(place: Place, days: int, megabytes: int) -> None:
    """Keep the folder of all sessions within its age and size, oldest files first, never the current session's.

    An expired file keeps its name and says what happened, so that a pointer to it still leads to an answer; what is
    left of it goes after a year.
    """
    budget, now = megabytes * 1_000_000, time.time()
    for modified, size, path in _files(place):
        budget -= size
        try:
            if now - modified > 365 * _DAY:
                os.unlink(path)
            elif (budget < 0 or now - modified > days * _DAY) and size > len(_TOMBSTONE) + 10:
                _bury(path, modified)
        except OSError:
            continue


def _files(place: Place) -> list[tuple[float, int, str]]:
    """The other sessions' files, newest first: (modified, bytes, path)."""
    found = []
    try:
        for session in os.scandir(place.root):
            if session.is_dir(follow_symlinks=False) and session.path != place.path:
                for file in os.scandir(session.path):
                    if file.is_file(follow_symlinks=False):
                        status = file.stat(follow_symlinks=False)
                        found.append((status.st_mtime, status.st_size, file.path))
    except OSError:
        pass
    return sorted(found, reverse=True)


def _bury(path: str, modified: float) -> None:
    day = time.strftime("%Y-%m-%d", time.gmtime())
    with open(path, "r+") as file:
        file.truncate()
        file.write(_TOMBSTONE.format(day=day))
    os.utime(path, (modified, modified))
