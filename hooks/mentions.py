"""Launches in what is no readable command: code of other languages, and commands that the reader gives up on."""

from __future__ import annotations

from .claude_cli import BACKGROUND, PRINT, is_client

ADVISOR = "CLAUDE_CODE_DISABLE_ADVISOR_TOOL"
WINDOW = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"
SMALLEST, LARGEST = 100_000, 1_000_000  # tokens: what the variable takes

_FAR = 24  # words between the client's name and its flag, in code
_SEPARATORS = str.maketrans(dict.fromkeys("'\"`[](){},;|&<>$", " "))
_QUOTES = str.maketrans(dict.fromkeys("'\" \t\\"))
# What a program in another language says when it starts another one, up to the arguments.
_CALLS = (
    "system(", "exec(", "execSync(", "execFile(", "execFileSync(", "execv(", "execvp(", "execl(", "execlp(", "execa(",
    "shell_exec(", "passthru(", "spawn(", "spawnSync(", "popen(", "Popen(", "run(", "call(", "check_call(",
    "check_output(", "getoutput(", "Process(", "subprocess_exec(", "subprocess_shell(", "Start-Process ", "system ",
    "exec ", "spawn ", "qx", "%x(", "%x{", "$`", "do shell script ", "do script ",
)  # fmt: skip
_BEFORE = 80  # characters between the call and the client's name


def squeezed(text: str) -> str:
    """The text without quotes, backslashes and line continuations."""
    return text.replace("\\\r\n", "").replace("\\\n", "").replace("\\", "").replace("'", "").replace('"', "")


def is_window(text: str) -> bool:
    """Whether the variable takes this value: a plain integer in range."""
    plain = text.isascii() and text.isdigit() and not text.startswith("0")
    return plain and len(text) < 9 and SMALLEST <= int(text) <= LARGEST


def names(text: str, kinds: list[str]) -> bool:
    """Whether the text, given up on by the reader, names the client and after it the flag of a launch."""
    return _launches(squeezed(text).translate(_SEPARATORS).split(), kinds, _FAR)


def names_client(text: str) -> bool:
    """Whether the client's name stands anywhere in the text."""
    return "claude" in squeezed(text)


def starts(code: str, kinds: list[str]) -> bool:
    """Whether code of another language plainly starts a launch: a call that starts programs, and the client's words.

    The words must stand behind such a call, or in a list of arguments, or be the value of a variable; what only prints
    them or writes them somewhere is none.
    """
    if not any(call in code for call in _CALLS):
        return False
    at = code.find("claude")
    while at >= 0:
        begin = at
        while begin and (code[begin - 1].isalnum() or code[begin - 1] in "/._~-@"):
            begin -= 1
        begin = _before_assignments(code, begin)
        if (_called(code[max(0, begin - _BEFORE) : begin]) or _is_argument(code, begin, at)) and _launches(
            _pieces(code[at:]), kinds, 0
        ):
            return True
        at = code.find("claude", at + 1)
    return False


def _called(before: str) -> bool:
    """Whether a call that starts programs is open where this text ends."""
    return any(call in before and ")" not in before.rpartition(call)[2] for call in _CALLS)


def _is_argument(code: str, begin: int, name: int) -> bool:
    """Whether the string that begins here is the client's name alone, or the value of a variable."""
    quote = code[begin - 1 : begin]
    if quote not in ("'", '"', "`"):
        return False
    return code.startswith("claude" + quote, name) or code[: begin - 1].rstrip().endswith("=")


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


def _pieces(text: str) -> list[str]:
    """The words of a call's arguments, up to where it ends."""
    return squeezed(text[:4000].partition(")")[0].translate(_SEPARATORS)).split()


def settles(text: str) -> str:
    """How a text that cannot be read gives both settings: `effective`, `accepted`, or nothing."""
    flat = text.translate(_QUOTES)
    for sign, how in ((":", "effective"), ("=", "accepted")):
        window = flat.partition(WINDOW + sign)[2]
        digits = window[: len(window) - len(window.lstrip("0123456789"))]
        if ADVISOR + sign + "1" in flat and is_window(digits) and (sign == "=" or "--settings" in flat):
            return how
    return ""


def _launches(words: list[str], kinds: list[str], limit: int) -> bool:
    """Whether the flag of a launch follows the client's name, which `limit` 0 wants first."""
    flags = (BACKGROUND if "background" in kinds else frozenset()) | (PRINT if "print" in kinds else frozenset())
    since = _FAR
    for index, word in enumerate(words):
        since += 1
        if is_client(word.rpartition("=")[2]) or "@anthropic-ai/claude-code" in word:
            if index and not limit:
                return False
            since = 0
        elif since < _FAR and word in flags:
            return True
    return False
