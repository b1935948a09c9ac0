"""Launches in code of other languages: a call that starts programs, and in its arguments the client's words.

No such language is read here. Only strings, calls and assignments are looked for, and a launch is what a call plainly
runs: the program that a list of arguments begins with, a text for a shell, or a variable with one of them that a call
is given. What the code only prints, compares or passes to a program such as `grep` is none.
"""

from __future__ import annotations

from . import mentions
from .wrappers import DATA, WRAPPERS

# What a program in another language says when it starts another one, up to the arguments.
_CALLS = (
    "system(", "exec(", "execSync(", "execFile(", "execFileSync(", "execv(", "execve(", "execvp(", "execl(", "execlp(",
    "execa(", "shell_exec(", "passthru(", "spawn(", "spawnSync(", "spawnl(", "spawnlp(", "spawnv(", "spawnvp(",
    "os.execute(", "popen(", "Popen(", "run(", "call(", "check_call(", "check_output(", "getoutput(", "Process(",
    "Command(", "subprocess_exec(", "subprocess_shell(", "Start-Process ", "system ", "exec ", "spawn ", "qx", "%x(",
    "%x{", "$`", "do shell script ", "do script ",
)  # fmt: skip
_BEFORE = 80  # characters between a call and the client's name
_ARGUMENTS = 400  # characters of a call's arguments, and from an assignment to the client's name
_AFTER = 4000  # characters behind the client's name
_QUOTES = ("'", '"', "`")
_SEPARATORS = str.maketrans(dict.fromkeys(";&|(\n", ";"))
_NO_NAME = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}


def starts(code: str, kinds: list[str]) -> bool:
    """Whether code plainly starts a launch."""
    if not any(call in code for call in _CALLS):
        return False
    at = code.find("claude")
    while at >= 0:
        begin = at
        while begin and (code[begin - 1].isalnum() or code[begin - 1] in "/._~-@"):
            begin -= 1
        begin = _before_assignments(code, begin)
        run = _called(code[max(0, begin - _BEFORE) : begin]) or _is_argument(code, begin, at)
        if run and mentions.starts_with_launch(code[at : at + _AFTER].partition(")")[0], kinds):
            return True
        at = code.find("claude", at + 1)
    return False


def _before_assignments(code: str, at: int) -> int:
    """Where the `NAME=VALUE` words in front of a command begin."""
    while code[at - 1 : at] == " ":
        start = at - 1
        while start and (code[start - 1].isalnum() or code[start - 1] in "_="):
            start -= 1
        if "=" not in code[start:at]:
            break
        at = start
    return at


def _called(before: str) -> bool:
    """Whether a call is open where this text ends, and runs what follows."""
    for call in _CALLS:
        given = before.rpartition(call)[2] if call in before else ")"
        if ")" not in given and _runs(given):
            return True
    return False


def _runs(given: str) -> bool:
    """Whether a call whose arguments begin like this, up to the client's name, runs the client."""
    start = next((at for at, char in enumerate(given) if char in _QUOTES), len(given))
    program, closed, _ = given[start + 1 :].partition(given[start : start + 1] or " ")
    if closed:
        name = (program.split() or [""])[0].rpartition("/")[2]
        return name in WRAPPERS and f" {name} " not in DATA
    words = program.translate(_SEPARATORS).rpartition(";")[2].split()
    return not words or f" {words[0]} " not in DATA


def _is_argument(code: str, begin: int, name: int) -> bool:
    """Whether the string that begins here is the client's name alone, or the value of a variable that a call gets."""
    quote = code[begin - 1 : begin]
    if quote not in _QUOTES:
        return False
    before = code[max(0, begin - _ARGUMENTS) : begin - 1]
    variable, assigned, value = before.rpartition("=")
    alone = code.startswith("claude" + quote, name)
    if not assigned or not _is_value(value):
        return alone
    if value.strip() and not alone:
        return False  # one of a list of texts
    names = variable.replace(";", "\n").rpartition("\n")[2].partition(":")[0].translate(_NO_NAME).split()
    return variable[-1:] not in tuple("=!<>") and bool(names) and _passed(code, names[-1])


def _is_value(text: str) -> bool:
    """Whether an assignment is not over where this text ends."""
    return not any(char in text for char in ";)") and ("\n" not in text or text.lstrip()[:1] in ("[", "(", "{"))


def _passed(code: str, variable: str) -> bool:
    """Whether a call is given the variable, or one made of it."""
    code = code.replace(";", "\n")
    names = {variable}
    for line in code.split("\n"):
        to, made, of = line.partition("=" if "=" in line else " in ")
        if made and not names.isdisjoint(of.translate(_NO_NAME).split()):
            names.update(to.partition(":")[0].translate(_NO_NAME).split()[-1:])
    for call in _CALLS:
        at = code.find(call)
        while at >= 0:
            given = code[at + len(call) : at + len(call) + _ARGUMENTS]
            end = max(given.find(")"), given.find("\n"))
            if not names.isdisjoint(given[: end if end >= 0 else None].translate(_NO_NAME).split()):
                return True
            at = code.find(call, at + 1)
    return False
