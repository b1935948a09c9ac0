"""What speaks against writing into a settings file, or keeps hooks in it from running: refusals and notes."""

from __future__ import annotations

import os
import sys

from . import executables, files, plugins, scopes, transaction, validity
from .errors import RefusalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .files import Target
    from .scopes import Scope
    from .settings import Settings

    Note = tuple[str, str]
    Others = list[tuple[Scope, Settings]]


def refuse_temporary() -> None:
    """Refuse to register executables that will be gone soon."""
    if executables.temporary(sys.prefix, os.environ):
        raise RefusalError(
            f"{sys.prefix}: is a temporary environment that vanishes with the cache, expected a lasting installation",
            "uv tool install SOURCE, with the source that uvx was given; then `cchooks install`",
        )


def refuse_root(target: Target) -> None:
    """Refuse to write as root into a home that is not root's."""
    if not hasattr(os, "geteuid") or os.geteuid():
        return
    place = target.path
    while not os.path.exists(place):
        place = os.path.dirname(place)
    owner, person = os.stat(place).st_uid, os.environ.get("SUDO_USER", "root")
    if owner or person not in ("", "root"):
        who = f"user {owner}" if person in ("", "root") else person
        raise RefusalError(
            f"{target}: running as root on a file of {who}, expected that user", "run it without sudo, or with --force"
        )


def refuse_unwritable(target: Target, hint: str, snippet: str = "") -> None:
    """Refuse before any temporary file is made; `snippet` is what to add by hand."""
    if not files.writable(target.path):
        message = f"{target}: is read-only, expected a file that may be replaced; it is as it was"
        raise RefusalError(message, hint, snippet)


def refuse_plugin(where: str, value: dict[str, Any]) -> None:
    """Refuse beside a plugin of ours that is on."""
    for name, on in plugins.enabled(value):
        if on:
            raise RefusalError(
                f"{where}: the plugin {name!r} is on, so every hook would run twice",
                f"claude plugin disable {name}, or keep the plugin and run `cchooks uninstall`",
            )


def refuse_dead(target: Target, value: dict[str, Any]) -> None:
    """Refuse a file that the client would drop because of its `hooks`, our entries with it."""
    found = validity.problems(value)
    if found:
        raise RefusalError(
            f"{target}: `{found[0].where}` is {found[0].what}; {found[0].effect}",
            "correct that entry, which is not ours; --force installs beside it all the same",
        )


def other_files(scope: Scope) -> Others:
    """The other files that a session here reads, as far as they can be read."""
    found = []
    for other in scopes.readable():
        if other.path == scope.path:
            continue
        try:
            data, file = transaction.settled(files.resolve(other.path).path)
        except RefusalError:
            continue
        if data is not None:
            found.append((other, file))
    return found


def notes(target: Target, file: Settings, events: Iterable[str]) -> list[Note]:
    """What to know about a file before something is put under `events`: (`warning` or `note`, one line)."""
    found: list[Note] = []
    if file.value.get("disableAllHooks"):
        found.append(("warning", "`disableAllHooks` is on in this file: no hook runs until it is taken out"))
    if os.path.exists(target.path) and os.stat(target.path).st_nlink > 1:
        found.append(("warning", "the file has a second name (a hard link), which keeps what was there before"))
    if file.marked:
        text = "the file begins with a byte order mark, which the desktop app rejects; see --fix-encoding"
        found.append(("warning", text))
    dead = [("warning", f"`{one.where}` is {one.what}: {one.effect}") for one in validity.elsewhere(file.value)]
    return found + dead + _nulls(file.value.get("hooks", {}), events)


def _nulls(hooks: Any, events: Iterable[str]) -> list[Note]:
    names = [name for name in events if isinstance(hooks, dict) and hooks.get(name, 0) is None]
    if hooks is None:
        names = ["hooks"]
    return [("note", f"{', '.join(f'`{name}`' for name in names)} was null, which counts as absent")] if names else []
