"""childenv (SessionStart): what the session's Bash tool starts has the advisor off and the auto-compact window set.

The client runs every Bash command of the session, its subagents' too, after the lines of the file named by
`CLAUDE_ENV_FILE`; its own process does not take them. So a `claude -p` in a script has
`CLAUDE_CODE_DISABLE_ADVISOR_TOOL=1`, and the session that runs the script keeps its own. The hook prints nothing.
"""

from __future__ import annotations

import os
import sys

from . import contract

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .contract import Config, Decision, Payload

# An empty value of `env` sets the variable to the empty string.
DEFAULTS: dict[str, Any] = {"advisor": "off", "window": 200_000, "env": {"*": ""}}
ALLOWED: dict[str, tuple[Any, ...]] = {"advisor": ("off", "unchanged"), "window": (100_000, 1_000_000)}
# A repository's own config must not set variables such as PATH on this machine.
USER_ONLY = ("env",)

ADVISOR = "CLAUDE_CODE_DISABLE_ADVISOR_TOOL"
WINDOW = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"
_BEGIN = "# cchooks-childenv: begin"
_END = "# cchooks-childenv: end"


def may_speak(raw: bytes) -> bool:
    """Whether a session starts."""
    return b'"SessionStart"' in raw


def decide(payload: Payload, config: Config) -> Decision | None:
    """Write the variables; there is never a decision. What cannot be done is one line on stderr."""
    path = os.environ.get("CLAUDE_ENV_FILE")
    if payload.get("hook_event_name") == "SessionStart" and path:
        notes = [f"[childenv.env] {name!r}: {wrong}" for name, wrong in left_out(config["env"])]
        try:
            append(path, lines(config))
        except OSError as error:
            notes = [f"CLAUDE_ENV_FILE {path}: {error.strerror}; nothing written"]
        if notes:
            _note("; ".join(notes))
    return None


def lines(config: Config) -> list[str]:
    """The `export` lines for this config, without what is left out."""
    values = {ADVISOR: "1"} if config["advisor"] == "off" else {}
    values[WINDOW] = str(config["window"])
    out = [name for name, _ in left_out(config["env"])]
    values |= {name: value for name, value in config["env"].items() if name not in (*out, "*")}
    return [f"export {name}={quoted(value)}" for name, value in values.items()]


def left_out(env: dict[str, str]) -> list[tuple[str, str]]:
    """The names in `[childenv.env]` that are not set, and why."""
    found = []
    for name, value in env.items():
        if name == "*":
            continue  # the table of defaults: any name
        if not is_name(name):
            found.append((name, "no name of a variable; left out"))
        elif "\0" in value:
            found.append((name, "a NUL in its value; left out"))
        elif name in (ADVISOR, WINDOW):
            found.append((name, f"set it by `{'advisor' if name == ADVISOR else 'window'}` in [childenv]; left out"))
    return found


def _note(text: str) -> None:
    line = " ".join(f"cchooks-childenv: {text}".split())
    if sys.stderr:
        sys.stderr.write(line.encode("ascii", "backslashreplace").decode() + "\n")


def is_name(name: str) -> bool:
    """Whether a shell takes this as a variable's name."""
    return name.isascii() and name.isidentifier()


def quoted(value: str) -> str:
    """The value as one word of a shell."""
    return "'" + value.replace("'", "'\\''") + "'"


def append(path: str, exports: list[str]) -> None:
    """Append our lines unless the last ones of ours in the file are the same; nothing else of the file is touched.

    Raises:
        OSError: the file cannot be read or written.
    """
    block = "\n".join([_BEGIN, *exports, _END]) + "\n"
    text = _read(path)
    if text[max(text.rfind(_BEGIN), 0) :].startswith(block):
        return
    if text and not text.endswith("\n"):
        block = "\n" + block
    # One write to a descriptor opened for appending: another hook's lines in the same file stay whole.
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, block.encode("utf-8", "surrogateescape"))
    finally:
        os.close(file)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def main() -> None:
    """Run the hook."""
    contract.run("childenv", decide, may_speak, DEFAULTS, ALLOWED, USER_ONLY)
