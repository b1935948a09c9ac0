"""Which programs a shell command starts, well enough to find an executable of ours behind other words.

Not a shell's grammar: substitutions inside double quotes and functions are passed over.
"""

from __future__ import annotations

import os
import re
import shlex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_OPERATORS = "();<>|&\n"
_KEYWORDS = frozenset(("if", "then", "else", "elif", "do", "while", "until", "!", "{"))
_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "eval"))
_WRAPPERS = ("env", "ionice", "nice", "nohup", "python", "setsid", "stdbuf", "sudo", "doas", "timeout", "uv", "xargs")
# Words that start the command that follows them.
_STARTERS = _SHELLS.union(_WRAPPERS, ("builtin", "command", "exec", "run", "time"))
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_AMOUNT = re.compile(r"[\d.]+[smhd]?$")  # `timeout 5s`, `nice -n 5`
_HOME = re.compile(r"(~|\$HOME|\$\{HOME\})(?=/)")
_DEEPEST = 5  # `sh -c "sh -c ..."`


def started(command: str, depth: int = 0) -> list[str]:
    """The programs in the order in which they stand, the home folder put in; none where a quote does not end."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    try:
        words = list(lexer)
    except ValueError:
        return []
    return [program for simple in _simple(words) for program in _program(simple, depth)]


def _simple(words: list[str]) -> Iterator[list[str]]:
    """The simple commands without their redirections."""
    found: list[str] = []
    skip = False
    for word in words:
        operator = bool(word) and set(word) <= set(_OPERATORS)
        if operator and set(word) & set("<>"):
            skip = True
        elif operator:
            yield found
            found, skip = [], False
        elif skip:
            skip = False
        else:
            found.append(word)
    yield found


def _program(words: list[str], depth: int) -> list[str]:
    """The program of a simple command, behind assignments and words that start another; of a script in `-c`, all."""
    before, starter = "", ""
    for word in words:
        name = os.path.basename(word)
        script = starter in _SHELLS and (starter == "eval" or re.fullmatch(r"-\w*c", before))
        if script and depth < _DEEPEST:
            return started(word, depth + 1)
        if name.rstrip("0123456789.") in _STARTERS:
            starter = name
        elif not (name in _KEYWORDS or _ASSIGNMENT.match(word) or (starter and _is_option(word))):
            return [_HOME.sub(lambda _: os.path.expanduser("~"), word, count=1)]
        before = word
    return []


def _is_option(word: str) -> bool:
    return word.startswith("-") or _AMOUNT.match(word) is not None
