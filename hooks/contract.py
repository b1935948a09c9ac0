"""What every hook promises, and the one frame that keeps it.

1. One console script a hook, no arguments. The payload is one JSON object on stdin; stdout gets at most one JSON object
   and a newline.
2. Exit status 0, and 1 for a bug. Never 2, which the client reads as a denial. An argument, an empty, cut or foreign
   stdin, a broken config file: status 0, nothing on stdout, one line on stderr, and the tool call goes on.
3. Silent unless there is something to say, and never `permissionDecision: "allow"`: no hook removes a check.
4. A hook is `decide(payload, config)`, which returns the decision or None. What it must write (a spilled file, an
   event) it writes before it answers.
5. On the way to silence only the standard library, and no `json`: `may_speak(raw)` looks at the payload's bytes and
   says False only when the hook has surely nothing to say. JSON escaping makes such looks safe: inside a JSON string
   every quote is escaped, so `"Bash"` with its quotes can only be a whole string.
6. Text that the model reads is short, the same each time, and says what happened, where the full thing is, what to do.
7. Unknown fields are ignored, unknown shapes pass unchanged: clients older and newer are served alike.
8. The config is read at each call; without a config file nothing is opened but stdin.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

    Payload = dict[str, Any]
    Config = dict[str, Any]
    Decision = dict[str, Any]


def run(
    hook: str,
    decide: Callable[[Payload, Config], Decision | None],
    may_speak: Callable[[bytes], bool],
    defaults: Config,
    allowed: Mapping[str, tuple[Any, ...]] | None = None,
    user_only: tuple[str, ...] = (),
) -> NoReturn:
    """Read the payload, ask `decide`, print its decision, and end the process.

    Args:
        hook: the hook's name, which is also its table in the config.
        decide: the hook itself; a dict is printed as it is, None is silence.
        may_speak: the look at the raw bytes that spares parsing them.
        defaults: the hook's config table with its default values.
        allowed: choices and ranges of config values, see `config.py`.
        user_only: keys that a project's config cannot set.
    """
    gc.disable()  # the process lives for milliseconds; looking for garbage is an eighth of its work on a long command
    _forget_pythonpath()
    try:
        status = _answer(hook, decide, may_speak, _Config(hook, defaults, allowed or {}, user_only))
    except (Exception, SystemExit) as error:  # whatever fails in here must never become a denial
        _note(hook, f"bug, the tool call goes on: {type(error).__name__}: {error}")
        status = 1
    _leave(status)


def main_thread(payload: Payload) -> bool:
    """Whether the call comes from the main thread: no `agent_id`, or one that is not a non-empty string."""
    agent = payload.get("agent_id")
    return not (isinstance(agent, str) and agent)


class _Config:
    """The hook's config table, not yet read."""

    __slots__ = ("_allowed", "_defaults", "_hook", "_user_only")

    def __init__(
        self, hook: str, defaults: Config, allowed: Mapping[str, tuple[Any, ...]], user_only: tuple[str, ...]
    ) -> None:
        self._hook = hook
        self._defaults = defaults
        self._allowed = allowed
        self._user_only = user_only

    def read(self, payload: Payload) -> tuple[Config, list[str]]:
        """The values in force for this call, and notes on files that could not be read."""
        from . import config

        project = os.environ.get("CLAUDE_PROJECT_DIR") or payload.get("cwd")
        folder = project if isinstance(project, str) else None
        return config.load(self._hook, self._defaults, self._allowed, folder, self._user_only)


def _answer(
    hook: str, decide: Callable[[Payload, Config], Decision | None], may_speak: Callable[[bytes], bool], table: _Config
) -> int:
    if len(sys.argv) > 1:
        _note(hook, f"takes no arguments, found {sys.argv[1]!r}; nothing done")
        return 0
    raw = sys.stdin.buffer.read() if sys.stdin else b""
    if not _looks_whole(raw):
        _note(hook, f"expected a hook payload (one JSON object) on stdin, found {_glimpse(raw)}; nothing done")
        return 0
    if not may_speak(raw):
        return 0
    try:
        payload = _parse(raw)
    except (ValueError, RecursionError) as error:
        _note(hook, f"the payload ({_glimpse(raw)}) cannot be read: {error}; nothing done")
        return 0
    del raw
    config, notes = table.read(payload)
    decision = decide(payload, config)
    if notes:
        _note(hook, notes[0])
    if decision is not None:
        _print(decision)
    return 0


def _forget_pythonpath() -> None:
    # It is the project's: a `json.py` on it would switch the hooks off.
    names = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:] = [entry for entry in sys.path if entry not in names]


def _looks_whole(raw: bytes) -> bool:
    """Whether the bytes can be a hook payload; a look that needs no parser."""
    return raw.lstrip()[:1] == b"{" and raw.rstrip()[-1:] == b"}" and b'"hook_event_name"' in raw


def _parse(raw: bytes) -> Payload:
    from .fastjson import loads

    payload: Payload = loads(raw)  # an object: it begins with a brace
    return payload


def _print(decision: Decision) -> None:
    from .fastjson import dumps

    sys.stdout.buffer.write(dumps(decision).encode() + b"\n")
    sys.stdout.buffer.flush()


def _note(hook: str, text: str) -> None:
    """One line on stderr; the client shows it in its debug log only."""
    line = " ".join(f"cchooks-{hook}: {text}".split())
    try:
        sys.stderr.write(line.encode("ascii", "backslashreplace").decode() + "\n")
        sys.stderr.flush()
    except (OSError, AttributeError):  # stderr is closed, or was never there
        return


def _glimpse(raw: bytes) -> str:
    return f"{len(raw)} bytes that begin {raw[:20]!r}" if raw else "nothing"


def _leave(status: int) -> NoReturn:
    # Tearing the interpreter down costs 2 ms of about 12; everything was flushed, and there is nothing else to close.
    os._exit(status)
