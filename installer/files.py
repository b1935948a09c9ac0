"""Reading a settings file, and replacing it so that at every moment it is whole and nobody's change is lost."""

from __future__ import annotations

import os
import stat
import sys

from .errors import ChangedMeanwhileError, RefusalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_LINKS = 40
_SHARING = frozenset((5, 32, 33))  # Windows: access denied, sharing violation, lock violation


class Target:
    """A file as it was named and as it is.

    Attributes:
        given: the path as named.
        path: the file at the end of the chain of links; it may not exist.
        links: the links on the way, in order.
    """

    __slots__ = ("given", "links", "path")

    def __init__(self, given: str, path: str, links: list[str]) -> None:
        self.given = given
        self.path = path
        self.links = links

    @property
    def folder(self) -> str:
        """The folder in which the file itself stands."""
        return os.path.dirname(self.path)

    def __str__(self) -> str:
        return f"{self.given} -> {self.path}" if self.links else self.given


def resolve(given: str) -> Target:
    """Follow the whole chain of links.

    Raises:
        RefusalError: the links go in a circle, or the last one leads into a folder that does not exist.
    """
    path, links = os.path.abspath(given), []
    while os.path.islink(path):
        links.append(path)
        path = os.path.normpath(os.path.join(os.path.realpath(os.path.dirname(path)), os.readlink(path)))
        if len(links) > _MOST_LINKS:
            raise RefusalError(f"{given}: found links that go in a circle, expected a file")
    if links and not os.path.isdir(os.path.dirname(path)):
        raise RefusalError(
            f"{given}: found a link to {path}, whose folder {os.path.dirname(path)} does not exist",
            f"mkdir -p {os.path.dirname(path)}",
        )
    # One name for a file, whichever way led to its folder: the receipt goes by it.
    return Target(given, os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)), links)


def read(path: str) -> bytes | None:
    """The bytes of a regular file; None where there is none.

    Raises:
        RefusalError: it is something else than a file, or cannot be read.
    """
    try:
        kind = os.stat(path).st_mode
        if not stat.S_ISREG(kind):
            raise RefusalError(f"{path}: found {'a folder' if stat.S_ISDIR(kind) else 'a device'}, expected a file")
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RefusalError(f"{path}: cannot be read: {error.strerror}") from None


def writable(path: str) -> bool:
    """Whether the file may be replaced: it and its folder carry a write permission that holds for us.

    Root may write everything, so the permission bits are asked too: what nobody may write is read-only on purpose.
    """
    folder = os.path.dirname(path)
    while not os.path.exists(folder):
        folder = os.path.dirname(folder)
    for existing in {folder, path if os.path.exists(path) else folder}:
        bits = os.stat(existing).st_mode & 0o222
        if not bits or not os.access(existing, os.W_OK):
            return False
    return True


def replace(path: str, before: bytes | None, after: bytes | None, *, durable: bool = True) -> None:
    """Put `after` in place of `before`, or delete the file where `after` is None.

    Args:
        path: the file itself, no link.
        before: the bytes the plan was made on; None where there was no file.
        after: the bytes to write.
        durable: have the new bytes on the disk before they take their place, and not right afterwards.

    Raises:
        ChangedMeanwhileError: the file no longer holds `before`; it was left as it is.
        OSError: it could not be written; it was left as it is.
    """
    if after is None:
        _delete(path, before)
        return
    from . import exchange

    swap = exchange.swapper() if before is not None else None
    temporary = _prepared(path, after, durable=durable)
    try:
        if read(path) != before:
            raise ChangedMeanwhileError
        if before is None:
            _put_new(temporary, path)
        else:
            _swap_in(temporary, path, before, after, swap)
    finally:
        _unlink(temporary)
    if not durable:
        sync(path)
    sync(os.path.dirname(path))


def write(path: str, data: bytes, *, durable: bool = True) -> None:
    """Write a file of our own (receipt, backup) whole or not at all, mode 0600."""
    temporary = _prepared(path, data, 0o600, durable=durable)
    try:
        os.replace(temporary, path)
    finally:
        _unlink(temporary)


def sync(path: str) -> None:
    """Have a file or a folder on the disk, as far as the system can."""
    if sys.platform == "win32" and os.path.isdir(path):
        return
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:  # a file system that cannot
        return
    finally:
        os.close(handle)


def make_folder(path: str, mode: int = 0o777) -> list[str]:
    """Create a folder and what is missing above it; what was created, outermost first.

    Run by root they belong to the owner of the folder they were made in: no root-owned folder in another's home.
    """
    made: list[str] = []
    path = os.path.abspath(path)
    while not os.path.isdir(path):
        made.insert(0, path)
        path = os.path.dirname(path)
    for missing in made:
        os.makedirs(missing, mode=mode, exist_ok=True)
        adopt(missing)
    return made


def adopt(path: str) -> None:
    """Give what root created to the owner of its folder."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        above = os.stat(os.path.dirname(path))
        if above.st_uid:
            os.chown(path, above.st_uid, above.st_gid)


def strays(path: str) -> list[str]:
    """Temporary files that a killed run of ours left beside `path`."""
    mark = _mark(path)
    try:
        names = os.listdir(os.path.dirname(path))
    except OSError:
        return []
    return [
        os.path.join(os.path.dirname(path), name)
        for name in names
        if name.startswith(mark) and name.endswith(".tmp") and not _alive(name[len(mark) :].partition("-")[0])
    ]


def remove_strays(path: str) -> None:
    """Remove what a killed run of ours left beside `path`."""
    for stray in strays(path):
        _unlink(stray)


def is_sharing_error(error: OSError) -> bool:
    """Whether Windows refused because another program holds the file open; it often lets go in a moment."""
    return getattr(error, "winerror", None) in _SHARING


def renamed(
    rename: Callable[[str, str], None], source: str, target: str, pause: Callable[[float], None], tries: int = 10
) -> None:
    """Rename with short retries while another program holds the file open.

    Raises:
        OSError: it still does after half a second, or it is another error.
    """
    for attempt in range(tries):
        try:
            rename(source, target)
            return
        except OSError as error:
            if not is_sharing_error(error) or attempt == tries - 1:
                raise
            pause(0.05)


def _prepared(path: str, data: bytes, mode: int | None = None, *, durable: bool = True) -> str:
    """A temporary file beside `path` with its bytes, mode and owner."""
    folder = os.path.dirname(path)
    temporary = os.path.join(folder, f"{_mark(path)}{os.getpid()}-{os.urandom(4).hex()}.tmp")
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(file, rest) :]
            _like(file, temporary, path, mode)
            if durable:
                os.fsync(file)
        finally:
            os.close(file)
    except BaseException:
        _unlink(temporary)
        raise
    return temporary


def _like(file: int, temporary: str, path: str, mode: int | None) -> None:
    """Owner, mode and extended attributes of the file that will be replaced; a new file is 0600."""
    try:
        old = os.stat(path)
    except FileNotFoundError:
        old = None
    if old is None or mode is not None:
        adopt(temporary)
        return
    if not hasattr(os, "fchown"):
        return
    new = os.fstat(file)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        _give(file, path, old)
    for name in os.listxattr(path) if hasattr(os, "listxattr") else ():
        try:
            os.setxattr(file, name, os.getxattr(path, name))
        except OSError:  # an attribute that only the system sets
            continue
    os.fchmod(file, stat.S_IMODE(old.st_mode))


def _give(file: int, path: str, old: os.stat_result) -> None:
    try:
        os.fchown(file, old.st_uid, old.st_gid)
    except PermissionError:
        if os.fstat(file).st_uid != old.st_uid:
            raise RefusalError(f"{path}: belongs to another user, who would lose it by a replace") from None


def _swap_in(temporary: str, path: str, before: bytes, after: bytes, swap: Callable[[str, str], bool] | None) -> None:
    """Put the temporary file in place; where the system can, see what was really replaced and undo a wrong swap."""
    if swap is None or not swap(temporary, path):
        import time

        renamed(os.replace, temporary, path, time.sleep)
        return
    put, got = after, _bytes(temporary)
    if got == before:
        return
    for _ in range(_MOST_LINKS):
        # Another program wrote between the comparison and the swap: its file goes back. What then comes out is ours,
        # or what a third one wrote over ours meanwhile, and that goes back in turn.
        swap(temporary, path)
        came = _bytes(temporary)
        if came == put:
            break
        put, got = got, came
    raise ChangedMeanwhileError


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _put_new(temporary: str, path: str) -> None:
    """Put the temporary file where no file is."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise ChangedMeanwhileError from None
    except OSError:  # a file system without hard links
        if os.path.lexists(path):
            raise ChangedMeanwhileError from None
        os.rename(temporary, path)


def _delete(path: str, before: bytes | None) -> None:
    if before is None or read(path) != before:
        raise ChangedMeanwhileError
    aside = os.path.join(os.path.dirname(path), f"{_mark(path)}{os.getpid()}-{os.urandom(4).hex()}.tmp")
    os.rename(path, aside)
    try:
        if _bytes(aside) != before:
            _put_new(aside, path)
            raise ChangedMeanwhileError
    finally:
        _unlink(aside)
    sync(os.path.dirname(path))


def _mark(path: str) -> str:
    return f".{os.path.basename(path)}.cchooks-"


def _alive(process: str) -> bool:
    if not process.isdigit() or sys.platform == "win32":
        return process.isdigit()
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
