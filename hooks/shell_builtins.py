"""Builtins that change the shell they run in."""

from __future__ import annotations

from .words import unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .environment import Shell
    from .words import Argument


def _cd(given: list[Argument], shell: Shell) -> None:
    targets = [one for one in given[1:] if not one.text.startswith("-")]
    rotates = given[0].text == "popd" or (given[0].text == "pushd" and targets[:1] and targets[0].text.startswith("+"))
    shell.enter(unknown("") if rotates or len(targets) != 1 else targets[0])


def _unset(given: list[Argument], shell: Shell) -> None:
    for one in given[1:]:
        if not one.text.startswith("-"):
            shell.unset(one.text)


def _set(given: list[Argument], shell: Shell) -> None:
    at = 1
    while at < len(given):
        text = given[at].text
        if text == "--" or len(text) < 2 or text[0] not in "-+":
            shell.positional = [*(shell.positional or [unknown("$0")])[:1], *given[at + (text == "--") :]]
            return
        name = given[at + 1].text if text.endswith("o") and at + 1 < len(given) else ""
        if "a" in text[1:] or name == "allexport":
            shell.exports_all = text[0] == "-"
        at += 1 + bool(name)


def _shift(given: list[Argument], shell: Shell) -> None:
    known = shell.positional is not None and len(given) == 1
    shell.positional = [*shell.positional[:1], *shell.positional[2:]] if known and shell.positional else None


def read_into(given: list[Argument], shell: Shell, fed: str) -> None:
    """Carry out `read` and `mapfile`: variables get something of what is read."""
    for one in given[1:]:
        if one.known and not one.text.startswith("-"):
            shell.set(one.text, [unknown(fed)])


def _printf(given: list[Argument], shell: Shell) -> None:
    if len(given) > 2 and given[1].text == "-v":
        shell.set(given[2].text, [unknown(" ".join(one.written for one in given[3:]))])


CHANGES: dict[str, Callable[[list[Argument], Shell], None]] = {
    "cd": _cd,
    "pushd": _cd,
    "popd": _cd,
    "unset": _unset,
    "set": _set,
    "shift": _shift,
    "printf": _printf,
}
READERS = frozenset(("read", "mapfile", "readarray"))
