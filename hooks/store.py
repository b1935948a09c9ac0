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
PROJECT = ".cchooks"
_MARK = ".cchooks-session"  # in a session's folder that was made here: only its files ever expire
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
    session, project = safe(payload.get("session_id"), "session"), project_folder(payload)
    own = session_folder(payload)
    found = [Place(own)] if own else []
    roots = [os.path.join(project, PROJECT, FOLDER)] if project else []
    found += [Place(os.path.join(root, session), root) for root in [*roots, os.path.join(folders.cache_dir(), FOLDER)]]
    root = configured_root(configured, project)
    return [Place(os.path.join(root, session), root), *found] if root else found


def project_folder(payload: dict[str, Any]) -> str:
    """The folder the session works in; empty where it is not known or not there."""
    project = os.environ.get("CLAUDE_PROJECT_DIR") or payload.get("cwd")
    return project if isinstance(project, str) and os.path.isabs(project) and os.path.isdir(project) else ""


def configured_root(configured: str, project: str) -> str:
    """The `tool-results` folder below the config's `folder`; empty where none is set or it cannot be a path."""
    root = os.path.join(project, os.path.expanduser(configured), FOLDER)
    return root if configured and configured.isprintable() and os.path.isabs(root) else ""


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
    stem = safe(tool, "tool") + "-" + (safe(call, "") or checksum(text.encode("utf-8", "surrogatepass")))
    return f"{stem}-{part}.txt" if part else f"{stem}.txt"


def checksum(data: bytes) -> str:
    """Eight hexadecimal digits that tell one text from another."""
    from binascii import crc32

    return f"{crc32(data):08x}"


def safe(name: Any, default: str) -> str:
    """What is left of a name without all that could leave a folder or a line; at most 100 characters."""
    kept = [c for c in name if c.isascii() and (c.isalnum() or c in "-_")] if isinstance(name, str) else []
    return "".join(kept[:100]) or default  # with all its parts a file's name stays below the 255 bytes it may have


def _make(place: Place) -> None:
    """Make the folder, where it is ours, or can be.

    Raises:
        OSError: it cannot be made, or a link leads somewhere else. A repository may bring such a link.
    """
    if not place.root:
        os.makedirs(place.path, mode=0o700, exist_ok=True)
        return
    if any(map(os.path.islink, (os.path.dirname(place.root), place.root, place.path))):
        raise OSError(f"{place.path}: a link")
    os.makedirs(place.root, mode=0o700, exist_ok=True)
    ignore = os.path.join(place.root, ".gitignore")
    if not os.path.lexists(ignore):
        with open(ignore, "x") as file:
            file.write("*\n")
    if not os.path.isdir(place.path):
        os.mkdir(place.path, mode=0o700)
        with open(os.path.join(place.path, _MARK), "x"):
            pass


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
    """What was spilled by other sessions, newest first: (modified, bytes, path)."""
    found = []
    try:
        for session in os.scandir(place.root):
            if session.path != place.path and _is_ours(session):
                for file in os.scandir(session.path):
                    status = file.stat(follow_symlinks=False)
                    if file.is_file(follow_symlinks=False) and status.st_nlink == 1 and file.name != _MARK:
                        found.append((status.st_mtime, status.st_size, file.path))
    except OSError:
        pass
    return sorted(found, reverse=True)


def _is_ours(session: os.DirEntry[str]) -> bool:
    return session.is_dir(follow_symlinks=False) and os.path.isfile(os.path.join(session.path, _MARK))


def _bury(path: str, modified: float) -> None:
    day = time.strftime("%Y-%m-%d", time.gmtime())
    with open(path, "r+") as file:
        file.truncate()
        file.write(_TOMBSTONE.format(day=day))
    os.utime(path, (modified, modified))
