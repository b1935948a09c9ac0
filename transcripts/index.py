"""The index: digests of the files below a folder as they were last read, so that only what is new is read again.

It is a cache. A file is known by device, inode, size and time of change; one that only grew is read from where it was
left, when the bytes before that place are still the same. An index that is missing, cut, damaged or of another version
is made anew; one that cannot be written is done without.
"""

from __future__ import annotations

import os
import time
import zlib
from typing import TYPE_CHECKING

from cchooks_suite.hooks import folders
from msgspec import Struct
from msgspec.json import Decoder

from .decode import REFUSALS, dumps, encodable
from .digest import read
from .records import Digest
from .requests import Kept, kept

if TYPE_CHECKING:
    from collections.abc import Sequence

VERSION = 3  # of the records and of the rules they are made by: raise it with any change of either
_KEPT = 20  # index files of different folders
_LEFT = 3600  # seconds after which nobody writes a file any more
_CHECKED = 4096  # bytes before the place where a file was left that must be the same


class Entry(Struct, array_like=True):
    """One file as it was read: its stamp, the offset behind its last whole line, a checksum of the bytes before it."""

    stamp: list[int]
    offset: int
    checksum: int
    digest: Digest
    requests: Kept


_parts = Decoder(list[list[tuple[bytes, Entry]]])


def stamp(status: os.stat_result) -> list[int]:
    """What tells an unchanged file: device, inode, size, times of change of its content and of its inode, in ns."""
    return [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]


def place(root: str) -> str:
    """The index file of a folder or file."""
    name = os.fsencode(root)
    return os.path.join(folders.cache_dir(), "audit", f"{zlib.crc32(name):08x}{zlib.adler32(name):08x}.json")


def load(root: str) -> dict[bytes, Entry]:
    """The entries of a root's index by path; none where there is no good one."""
    try:
        if not os.path.isfile(place(root)):
            return {}
        with open(place(root), "rb", buffering=0) as file:
            data = file.readall()
        end = data.index(b"\n")
        body = memoryview(data)[end + 1 :]
        if data[:end] != _head(root, [body]):
            return {}
        return {path: entry for part in _parts.decode(body) for path, entry in part}
    except (OSError, ValueError, *REFUSALS):
        return {}


def pack(entries: dict[bytes, Entry]) -> bytes:
    """Entries by path as a JSON array of pairs; the paths, which can have any bytes, in base64."""
    return dumps(list(entries.items()))


def save(root: str, parts: Sequence[bytes | memoryview]) -> bool:
    """Write a root's index in one step; False where it cannot be written.

    Each part is made by `pack`, maybe in another process.
    """
    target = place(root)
    body = [piece for part in parts for piece in (b",", part)]
    body[0] = b"["
    body.append(b"]")
    try:
        os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
        draft = f"{target}.{os.getpid()}"
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.writelines((_head(root, body), b"\n", *body))
        os.replace(draft, target)
        _prune(os.path.dirname(target))
    except OSError:
        return False
    return True


def _head(root: str, body: Sequence[bytes | memoryview]) -> bytes:
    """The first line of an index: for which version and root it is, and what its body must be."""
    checksum = 0
    for piece in body:
        checksum = zlib.crc32(piece, checksum)
    size = sum(map(len, body))
    return dumps({"version": VERSION, "root": encodable(root), "bytes": size, "checksum": checksum})


def refreshed(path: str, entry: Entry | None) -> Entry:
    """The entry of a file read anew, from where `entry` left it if the file only grew.

    Raises:
        OSError: the file cannot be read.
    """
    status = os.stat(path)
    digest, offset = Digest(), 0
    if entry is not None and _grew(path, entry, status):
        digest, offset = entry.digest, entry.offset
        digest.requests = entry.requests.read()
    digest, offset, unfinished = read(path, digest, offset)
    # A line that was taken without its end would be taken twice: such a file is read from the start next time.
    end = 0 if unfinished else offset
    requests, digest.requests = kept(digest.requests.values()), {}
    return Entry(stamp(status), end, _checksum(path, end), digest, requests)


def _grew(path: str, entry: Entry, status: os.stat_result) -> bool:
    same_file = entry.stamp[:2] == [status.st_dev, status.st_ino]
    if not (same_file and 0 < entry.offset <= status.st_size and entry.stamp[2] < status.st_size):
        return False
    return entry.checksum == _checksum(path, entry.offset)


def _checksum(path: str, end: int) -> int:
    with open(path, "rb", buffering=0) as file:
        start = max(0, end - _CHECKED)
        file.seek(start)
        return zlib.crc32(file.read(end - start))


def _prune(folder: str) -> None:
    """Keep the newest index files, and none that an interrupted run left half-written."""
    now = time.time()
    ages = {file.path: now - file.stat().st_mtime for file in os.scandir(folder)}
    kept = sorted((path for path in ages if path.endswith(".json")), key=ages.__getitem__)
    left = [path for path, age in ages.items() if not path.endswith(".json") and age > _LEFT]
    for path in (*kept[_KEPT:], *left):
        os.unlink(path)
