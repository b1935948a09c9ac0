"""Which file a scope means, and what is wrong with it from here.

Facts about the client: in a sub-folder of a repository a session reads the git root's local file and not its shared
one; `settings.local.json` beside the user file is not read; in the home folder the user file is the project file too.
"""

from __future__ import annotations

import os

from .errors import RefusalError

USER, PROJECT, LOCAL = "user", "project", "local"
NAMES = (USER, PROJECT, LOCAL)


class Scope:
    """A settings file of the client.

    Attributes:
        name: `user`, `project` or `local`.
        path: the file as named, links not followed.
        root: the project's root; empty in user scope.
        below: whether the current folder is somewhere below the root.
    """

    __slots__ = ("below", "name", "path", "root")

    def __init__(self, name: str, path: str, root: str = "", below: bool = False) -> None:
        self.name = name
        self.path = path
        self.root = root
        self.below = below


def user_folder() -> str:
    """The client's config folder: `CLAUDE_CONFIG_DIR`, or `.claude` in the home folder."""
    return os.path.abspath(os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude"))


def git_root(folder: str) -> str | None:
    """The nearest folder from here upwards that holds `.git`, a folder or (in a worktree) a file; None without one."""
    while True:
        if os.path.exists(os.path.join(folder, ".git")):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def scope(name: str, cwd: str | None = None) -> Scope:
    """The file of a scope, seen from a folder (the current one by default).

    Raises:
        RefusalError: the project's file would be the user's own, or one that no session reads.
    """
    if name == USER:
        return Scope(USER, os.path.join(user_folder(), "settings.json"))
    here = cwd or current_folder()
    root = git_root(here) or here
    file = "settings.json" if name == PROJECT else "settings.local.json"
    found = Scope(name, os.path.join(root, ".claude", file), root, root != here)
    _refuse_home(found)
    return found


def readable(cwd: str | None = None) -> list[Scope]:
    """The scopes that mean a file from here; in the home folder only the user's."""
    found = []
    for name in NAMES:
        try:
            found.append(scope(name, cwd))
        except RefusalError:
            continue
    return found


def current_folder() -> str:
    """The current folder.

    Raises:
        RefusalError: it was deleted.
    """
    try:
        return os.getcwd()
    except OSError as error:
        raise RefusalError(f"the current folder cannot be found: {error.strerror}", "cd to one that exists") from None


def _refuse_home(found: Scope) -> None:
    home = os.path.realpath(os.path.expanduser("~"))
    same = os.path.realpath(os.path.dirname(found.path)) == os.path.realpath(user_folder())
    if os.path.realpath(found.root) != home and not same:
        return
    if found.name == PROJECT:
        raise RefusalError(
            f"{found.path}: is the user's file for every session, expected a project's",
            "cchooks install --user",
        )
    raise RefusalError(
        f"{found.path}: no session reads a local file beside the user's, expected a project's", "cchooks install --user"
    )
