"""Launches in what is no readable command, as far as its words tell."""

from __future__ import annotations

from .claude_cli import BACKGROUND, PRINT, is_client

ADVISOR = "CLAUDE_CODE_DISABLE_ADVISOR_TOOL"
WINDOW = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"
SMALLEST, LARGEST = 100_000, 1_000_000  # tokens: what the variable takes

_FAR = 24  # words between the client's name and its flag, in code
_SEPARATORS = str.maketrans(dict.fromkeys("'\"`[](){},;|&<>$", " "))
_QUOTES = str.maketrans(dict.fromkeys("'\" \t\\"))


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


def starts_with_launch(text: str, kinds: list[str]) -> bool:
    """Whether the text, of code in another language, begins with the client's name and holds the flag of a launch."""
    return _launches(squeezed(text.translate(_SEPARATORS)).split(), kinds, 0)


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
