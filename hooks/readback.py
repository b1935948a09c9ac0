"""Whether a call reads saved output back: a spilled file, or one that the client saved itself.

Such a call always passes, or the model would get a pointer to a pointer. It is told by the words of the call: a path,
however it is quoted or shortened, or a file's name alone.
"""

from __future__ import annotations

import os

from . import folders, store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# How the names of spilled files begin: with the tool's.
_OURS = ("Bash-", "PowerShell-", "Grep-", "Glob-", "WebFetch-", "WebSearch-", "mcp__")
_LOOKED_AT = 100_000  # characters of a string, and
_WORDS = 200  # words of it that may be paths of links


def names_saved_output(payload: dict[str, Any], configured: str) -> bool:
    """Whether the tool's input, or its working folder, names saved output; `configured` is the config's `folder`."""
    cwd = payload.get("cwd")
    here = cwd if isinstance(cwd, str) else ""
    words = [_plain(word[:_LOOKED_AT]) for word in [*strings(payload.get("tool_input")), here] if word]
    roots = [_plain(root) for root in _roots(payload, configured)]
    if any(root in word for root in roots for word in words):
        return True
    tails = [_plain(tail) for tail in _tails(payload)]
    if any(tail in word for tail in tails for word in words):
        return True
    if any(name in word for name in _saved(payload) for word in words):
        return True
    return any(path.startswith(root) for word in words for path in _real_paths(word, here) for root in roots)


def of_the_clients_own(payload: dict[str, Any]) -> bool:
    """Whether such a call names files that the client saved itself, and none that was spilled."""
    names = [os.path.basename(word) for text in strings(payload.get("tool_input")) for word in words(text)]
    return any(map(_by_the_client, names)) and not any(name.startswith(_OURS) for name in names)


def _by_the_client(name: str) -> bool:
    """As the client names its files: `b` and eight signs, the call's id, or a server and its tool."""
    stem, _, kind = name.rpartition(".")
    numbered = stem[:1] == "b" and len(stem) == 9 and stem.isalnum() and kind in {"txt", "output"}
    return numbered or name.startswith(("toolu_", "mcp-"))


def words(command: Any) -> list[str]:
    """The words of a command, as far as paths are concerned; none of what is no text."""
    text = command if isinstance(command, str) else ""
    for sign in "'\"\\;|&<>()":
        text = text.replace(sign, " ")
    return text.split()


def strings(value: Any) -> Iterator[str]:
    """Every string in a JSON value, however deep."""
    rest = [value]
    while rest:
        item = rest.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            rest.extend(item.values())
        elif isinstance(item, list):
            rest.extend(item)


def _plain(text: str) -> str:
    """The text without quotes and backslashes, and with the home folder written out."""
    for mark in ("\\", "'", '"'):
        text = text.replace(mark, "")
    home = os.path.expanduser("~")
    return text.replace("${HOME}", home).replace("$HOME", home).replace("~/", f"{home}/")


def _roots(payload: dict[str, Any], configured: str) -> Iterator[str]:
    """Folders that hold nothing but saved output."""
    project = store.project_folder(payload)
    own = [os.path.join(folders.cache_dir(), store.FOLDER), store.session_folder(payload)]
    own += [os.path.join(project, store.PROJECT)] if project else []
    for root in [*own, store.configured_root(configured, project)]:
        if root:
            yield from {root, os.path.realpath(root)}


def _tails(payload: dict[str, Any]) -> Iterator[str]:
    """Ends of paths to saved output that stand in a word after `cd`, or name an earlier session of the project."""
    session, transcript = payload.get("session_id"), payload.get("transcript_path")
    if isinstance(session, str) and session:
        yield from (f"{session}/{store.FOLDER}", f"{store.FOLDER}/{session}", f"{session}/tasks/")
    if isinstance(transcript, str) and os.path.isabs(transcript):
        yield from _other_sessions(os.path.dirname(transcript))


def _other_sessions(project: str) -> Iterator[str]:
    """A resumed or forked session points to files of the one before."""
    try:
        with os.scandir(project) as entries:
            names = [entry.name for entry in entries if entry.is_dir()]
    except OSError:
        return
    yield from (f"{name}/{store.FOLDER}" for name in names)


def _saved(payload: dict[str, Any]) -> list[str]:
    """Names of the files in the session's own folder that no other word could be taken for."""
    try:
        names = os.listdir(store.session_folder(payload) or os.devnull)
    except OSError:
        return []
    return [name for name in names if len(name) > 12 and not name.startswith(".")]


def _real_paths(text: str, here: str) -> Iterator[str]:
    """Where the words of the text lead that are paths."""
    for word in text.split()[:_WORDS]:
        path = os.path.join(here, word)
        if len(path) < 4096 and "\0" not in path and os.path.lexists(path):
            yield os.path.realpath(path)
