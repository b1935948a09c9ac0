"""Where the hooks' executables are, and which path of theirs is written into settings."""

from __future__ import annotations

import os
import sys

from .catalogue import PREFIX
from .errors import RefusalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_ASKED: dict[str, bool] = {}  # folders of other executables of our names: whether they belong to this installation
_MANAGED = ("versions", "installs", "Cellar")  # folders in which version managers keep what their shims lead to


def folder() -> str:
    """The folder of this installation's executables: beside the running `cchooks`, or beside its interpreter.

    Raises:
        RefusalError: no executable of ours is in any of these.
    """
    candidates = own_folders()
    for candidate in candidates:
        if _holds_hooks(candidate):
            return candidate
    raise RefusalError(
        f"{candidates[0]}: found no executable {PREFIX}*, expected the hooks beside `cchooks`",
        "install the package again",
    )


def own_folders() -> list[str]:
    """Folders that may hold this installation's executables, likeliest first."""
    script = os.path.abspath(sys.argv[0]) if sys.argv and sys.argv[0] else sys.executable
    found = [os.path.dirname(os.path.realpath(script)), os.path.dirname(script), os.path.dirname(sys.executable)]
    return list(dict.fromkeys(found))


def known_folders() -> list[str]:
    """Folders whose executables of our names count as ours where no receipt says so."""
    home = os.path.expanduser("~")
    return [*own_folders(), os.path.join(home, ".local", "bin"), os.path.join(sys.prefix, "bin")]


def command(name: str, platform: str = sys.platform, path: str | None = None) -> str:
    """The command to write for an executable in the settings of this user: an absolute path, the stablest there is.

    Args:
        name: the executable's name, `cchooks-spill`.
        platform: as `sys.platform`.
        path: the search path; None for the environment's.

    Raises:
        RefusalError: this installation does not have that executable.
    """
    own = folder()
    if platform == "win32":
        return windows_command(own, name, os.listdir(own))
    program = os.path.join(own, name)
    if not os.access(program, os.X_OK):
        raise RefusalError(f"{program}: not found, expected it beside `cchooks`", "install the package again")
    return stable(program, os.environ.get("PATH", "") if path is None else path)


def stable(program: str, path: str) -> str:
    """The first file on the search path that leads to `program` and names no version; else `program`.

    A link or a version manager's shim stays where it is when what it leads to moves with the next version.
    """
    name = os.path.basename(program)
    for entry in path.split(os.pathsep):
        candidate = os.path.join(entry, name)
        lasting = os.path.isabs(entry) and not set(entry.split(os.sep)) & set(_MANAGED)
        if lasting and candidate != program and leads_to(candidate, program):
            return candidate
    return program


def leads_to(candidate: str, program: str) -> bool:
    """Whether starting `candidate` starts `program`.

    It does where it is the same file, a script that names it, or its version manager's shim; where none of that can be
    seen, the `cchooks` beside it is asked which installation it is.
    """
    if not (os.path.isfile(candidate) and os.access(candidate, os.X_OK)):
        return False
    if os.path.realpath(candidate) == os.path.realpath(program):
        return True
    folder = os.path.dirname(candidate)
    return _shim_folder(folder, program) or _names(candidate, program) or _says_so(folder)


def own_command() -> str:
    """How a person calls this `cchooks`: its bare name where the search path leads to one, else its path."""
    if not missing_on_path(["cchooks"], os.environ.get("PATH", "")):
        return "cchooks"
    return os.path.join(own_folders()[0], "cchooks")


def missing_on_path(names: Sequence[str], path: str) -> list[str]:
    """The executables that a search path does not lead to."""
    folders = [entry for entry in path.split(os.pathsep) if entry]
    return [name for name in names if not any(os.access(os.path.join(entry, name), os.X_OK) for entry in folders)]


def windows_command(own: str, name: str, files: Collection[str]) -> str:
    """The command on Windows: the absolute path of the `.exe` launcher with forward slashes.

    Raises:
        RefusalError: there is only a `.cmd` or a script, which exec form cannot start.
    """
    launcher = name + ".exe"
    if launcher not in {file.lower() for file in files}:
        found = next((file for file in files if file.lower().startswith(name + ".")), "nothing of that name")
        raise RefusalError(
            f"{own}: found {found}, expected {launcher}, which exec form can start", "install the package with pip"
        )
    return own.replace("\\", "/").rstrip("/") + "/" + launcher


def temporary(prefix: str, environment: Mapping[str, str]) -> bool:
    """Whether an installation's folder is a cache of `uvx` or `pipx run` that is emptied without notice."""
    parts = prefix.replace("\\", "/").rstrip("/").split("/")
    cache = environment.get("UV_CACHE_DIR", "").replace("\\", "/").rstrip("/")
    if cache and "/".join(parts).startswith(cache + "/"):
        return True
    if any(part.startswith(("archive-v", "environments-v", "builds-v")) and part[-1].isdigit() for part in parts):
        return True
    return any(part in "/".join(parts) + "/" for part in ("/pipx/.cache/", "/.cache/pipx/"))


def project_of(prefix: str, base_prefix: str) -> str | None:
    """The project's folder where an installation is a virtual environment inside one; else None."""
    parent = os.path.dirname(os.path.abspath(prefix))
    marks = (".git", "pyproject.toml", "setup.py", "package.json", "requirements.txt")
    inside = prefix != base_prefix and any(os.path.exists(os.path.join(parent, mark)) for mark in marks)
    return parent if inside else None


def _holds_hooks(path: str) -> bool:
    try:
        return any(name.startswith(PREFIX) for name in os.listdir(path))
    except OSError:
        return False


def _shim_folder(path: str, program: str) -> bool:
    root, name = os.path.split(path)
    inside = os.path.realpath(program).startswith(tuple(os.path.join(root, part) + os.sep for part in _MANAGED))
    return name == "shims" and inside


def _says_so(folder: str) -> bool:
    if folder not in _ASKED:
        _ASKED[folder] = f"({sys.prefix})" in _version(os.path.join(folder, "cchooks"))
    return _ASKED[folder]


def _version(program: str) -> str:
    import subprocess

    if not os.access(program, os.X_OK):
        return ""
    try:
        return subprocess.run([program, "--version"], capture_output=True, text=True, timeout=5, check=False).stdout
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""


def _names(candidate: str, program: str) -> bool:
    try:
        with open(candidate, "rb") as file:
            text = file.read(65536)
    except OSError:
        return False
    paths = {os.fsencode(program), os.fsencode(os.path.realpath(program))}
    return text.startswith(b"#!") and any(path in text for path in paths)
