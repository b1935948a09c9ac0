"""The transcripts below the paths of the command line: by the index what is known, by two processes what is new."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.json import Decoder

from . import index, workers
from .decode import dumps, encodable
from .index import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .records import Digest
    from .requests import Kept

    Progress = Callable[[int, int], None]

ALONE = 60_000_000  # bytes to read below which a second process costs more than it saves
_SHARE = 1_000_000  # bytes of the files that a process takes at a time
_PROCESSES = 4  # at most
_answers = Decoder(list[tuple[bytes, Entry | str]])


class Transcript(Struct):
    """One file and what is kept of it."""

    path: str
    digest: Digest
    requests: Kept
    modified: int


class Found(Struct):
    """What a run found.

    Attributes:
        transcripts: all files.
        unreadable: files that could not be read, each with the reason.
        bytes: of all files.
        files_read: of those that the index did not know.
    """

    transcripts: list[Transcript]
    unreadable: list[tuple[str, str]]
    bytes: int
    files_read: int


def projects_folder() -> str:
    """The client's folder of transcripts, below CLAUDE_CONFIG_DIR or `~/.claude`."""
    return os.path.join(os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude"), "projects")


class Stale(Struct):
    """A file to read, what the index knows of it, and its size."""

    path: str
    entry: Entry | None
    size: int


class Answer(Struct):
    """Paths, each with the file's new entry, or why it could not be read; as JSON too where another process read it."""

    files: list[tuple[bytes, Entry | str]]
    packed: bytes | memoryview = b""


def collect(
    roots: Sequence[str | os.PathLike[str]], progress: Progress | None = None, *, use_index: bool = True
) -> Found:
    """Read every transcript below `roots`, each file once."""
    transcripts: list[Transcript] = []
    unreadable: list[tuple[str, str]] = []
    total = files = 0
    seen: set[tuple[int, int]] = set()
    for root in dict.fromkeys([os.fspath(root) for root in roots]):
        known = index.load(root) if use_index else {}
        held, stale = _split(root, known, seen, unreadable)
        entries, parts = dict(held), []
        for answer in _read(stale, progress):
            new = {path: entry for path, entry in answer.files if not isinstance(entry, str)}
            unreadable += [(encodable(path), entry) for path, entry in answer.files if isinstance(entry, str)]
            entries |= new
            if use_index:
                parts.append(answer.packed if answer.packed and len(new) == len(answer.files) else index.pack(new))
        if use_index and (stale or len(known) != len(entries)):
            index.save(root, [index.pack(held), *parts])
        files += len(stale)
        for path, kept in sorted(entries.items()):
            total += kept.stamp[2]
            transcripts.append(Transcript(os.fsdecode(path), kept.digest, kept.requests, kept.stamp[3]))
    return Found(transcripts, unreadable, total, files)


def walk(root: str, unreadable: list[tuple[str, str]]) -> Iterator[str]:
    """The `.jsonl` files below a folder, however deep, or the file itself.

    Links to folders are not followed, nor are links to files elsewhere. Folders that cannot be read are added to
    `unreadable`, each with the reason.
    """
    if not os.path.isdir(root):
        if os.path.lexists(root):
            yield root
        return

    inside = os.path.join(os.path.realpath(root), "")
    folders = [root]
    while folders:
        try:
            with os.scandir(folders.pop()) as listed:
                entries = list(listed)
        except OSError as error:
            unreadable.append((encodable(error.filename), error.strerror or str(error)))
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "tool-results":  # results of tools, not transcripts
                    folders.append(entry.path)
            elif entry.name.endswith(".jsonl") and entry.name != "journal.jsonl" and _is_inside(entry, inside):
                yield entry.path


def _is_inside(entry: os.DirEntry[str], folder: str) -> bool:
    return not entry.is_symlink() or os.path.realpath(entry.path).startswith(folder)


def _split(
    root: str, known: dict[bytes, Entry], seen: set[tuple[int, int]], unreadable: list[tuple[str, str]]
) -> tuple[dict[bytes, Entry], list[Stale]]:
    """The files whose entry still holds, and those to read."""
    entries: dict[bytes, Entry] = {}
    stale: list[Stale] = []
    for path in walk(root, unreadable):
        try:
            status = os.stat(path)
        except OSError as error:
            unreadable.append((encodable(path), error.strerror or str(error)))
            continue
        if not stat.S_ISREG(status.st_mode):
            unreadable.append((encodable(path), "no regular file"))
            continue
        if (status.st_dev, status.st_ino) in seen:
            continue
        seen.add((status.st_dev, status.st_ino))
        name = os.fsencode(path)
        entry = known.get(name)
        if entry is not None and entry.stamp == index.stamp(status):
            entries[name] = entry
        else:
            stale.append(Stale(path, entry, status.st_size))
    return entries, stale


def _read(stale: list[Stale], progress: Progress | None) -> Iterator[Answer]:
    """The files read, a share of them at a time."""
    stale.sort(key=lambda task: -task.size)
    shares = _shares(stale)
    size = sum(task.size for task in stale)
    starts = [0]
    for share in shares:
        starts.append(starts[-1] + sum(task.size for task in share))
    processes = min(workers.cores(), _PROCESSES) if size >= ALONE else 1

    def work(number: int) -> Answer:
        return Answer([(os.fsencode(task.path), _refreshed(task)) for task in shares[number]])

    for number, answer in workers.share(len(shares), work, _pack, _unpack, processes):
        if progress:
            progress(starts[number + 1], size)
        yield answer


def _pack(answer: Answer) -> bytes:
    return dumps(answer.files)


def _unpack(packed: memoryview) -> Answer:
    return Answer(_answers.decode(packed), packed)


def _refreshed(task: Stale) -> Entry | str:
    try:
        return index.refreshed(task.path, task.entry)
    except OSError as error:
        return error.strerror or str(error)


def _shares(stale: list[Stale]) -> list[list[Stale]]:
    """The files, largest first, in shares of about `_SHARE` bytes."""
    shares: list[list[Stale]] = []
    filled = 0
    for task in stale:
        if not shares or filled + task.size > _SHARE:
            shares.append([])
            filled = 0
        shares[-1].append(task)
        filled += task.size
    return shares
