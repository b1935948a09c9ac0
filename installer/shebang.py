"""Executables whose first line the system cannot follow: the interpreter's path has a blank, or is too long.

pip writes the path after `#!` as it is, and the kernel takes what follows the first blank for an argument. A detour
through sh, which takes the path in quotes, starts every such executable.
"""

from __future__ import annotations

import os
import sys

from . import files
from .errors import ChangedMeanwhileError, RefusalError

_LONGEST = 127  # bytes of the first line that every kernel reads


def broken(program: str) -> bytes | None:
    """The interpreter that a script names in a first line that the system cannot follow; None where it can."""
    try:
        with open(program, "rb") as file:
            first = file.readline(4096).rstrip(b"\r\n")
    except OSError:
        return None
    interpreter = first[2:].strip()
    if not first.startswith(b"#!/") or (b" " not in interpreter and len(first) <= _LONGEST):
        return None
    return interpreter if os.path.isfile(interpreter) else None


def mended(text: bytes, interpreter: bytes) -> bytes:
    """A Python script's text with the detour, which Python itself reads as a string."""
    quoted = interpreter
    for special in (b"\\", b'"', b"$", b"`"):
        quoted = quoted.replace(special, b"\\" + special)
    return b"#!/bin/sh\n'''exec' \"" + quoted + b'" "$0" "$@"\n\' \'\'\'\n' + text.partition(b"\n")[2]


def mend(programs: list[str]) -> list[str]:
    """Mend the scripts that need it; which they were.

    Raises:
        RefusalError: one of them may not be written.
    """
    found = [] if sys.platform == "win32" else [(path, broken(path)) for path in programs]
    done = []
    for path, interpreter in found:
        if interpreter is None:
            continue
        real = os.path.realpath(path)
        text = files.read(real) or b""
        try:
            files.replace(real, text, mended(text, interpreter))
        except (OSError, ChangedMeanwhileError):
            raise RefusalError(
                f"{path}: cannot be started, for the path of its interpreter has a blank or is too long",
                "install the package in a folder with a short path without blanks",
            ) from None
        done.append(path)
    return done
