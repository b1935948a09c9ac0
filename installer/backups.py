"""Copies of a settings file from before our changes: the first one for ever, the later ones up to a number."""

from __future__ import annotations

import os

from cchooks_suite.hooks import folders

from . import files

KEPT = 5
PRISTINE = "pristine.json"


def folder(target: str) -> str:
    """The folder of a file's backups; it may not exist."""
    from hashlib import sha256

    name = "".join(letter if letter.isalnum() else "-" for letter in target)[-60:].strip("-")
    return os.path.join(folders.state_dir(), "backups", f"{name}-{sha256(os.fsencode(target)).hexdigest()[:8]}")


def pristine(target: str) -> str | None:
    """The copy from before the first change; None where there is none."""
    path = os.path.join(folder(target), PRISTINE)
    return path if os.path.exists(path) else None


def save(target: str, data: bytes, *, first: bool, durable: bool = True) -> str:
    """Keep a copy of the bytes that are about to be replaced; where it is.

    Args:
        target: the settings file.
        data: its bytes.
        first: whether nothing of ours is in them yet, so that they can be the pristine copy.
        durable: have the copy on the disk at once.

    Raises:
        OSError: the state folder cannot be written.
    """
    place = folder(target)
    files.make_folder(place, 0o700)
    pristine_copy = os.path.join(place, PRISTINE)
    if first and not os.path.exists(pristine_copy):
        files.write(pristine_copy, data, durable=durable)
        return pristine_copy
    import time

    seconds, rest = divmod(time.time_ns(), 10**9)
    path = os.path.join(place, time.strftime("%Y%m%dT%H%M%S", time.gmtime(seconds)) + f".{rest:09d}Z.json")
    files.write(path, data, durable=durable)
    for old in later(target)[:-KEPT]:
        os.unlink(old)
    return path


def later(target: str) -> list[str]:
    """The copies from before later changes, oldest first."""
    place = folder(target)
    if not os.path.isdir(place):
        return []
    names = [name for name in os.listdir(place) if name.endswith("Z.json") and not name.startswith(".")]
    return [os.path.join(place, name) for name in sorted(names)]
