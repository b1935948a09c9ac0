"""Running a registered hook as the client would, on a made-up payload, in a throw-away folder.

The exec form (`args` present) starts the command without a shell and looks a bare name up on PATH; without `args` a
shell runs it. In both `${CLAUDE_PROJECT_DIR}` stands for the project. What the hook writes goes into the folder.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Json = dict[str, Any]

OUTPUT = "".join(f"line {number} of a long output\n" for number in range(1, 1001))
_DEFAULT_TIMEOUT = 60.0  # seconds, where the entry names none
_LONGEST_TIMEOUT = 100_000.0
_OWN_PROCESS_GROUP = {"start_new_session": True} if os.name == "posix" else {}


@dataclass(frozen=True)
class Answer:
    """What came of one start.

    Attributes:
        status: the exit status; None where it could not be started or was ended after its timeout.
        seconds: from the start to the end.
        error: why there is no status, in words.
    """

    status: int | None
    stdout: str
    stderr: str
    seconds: float
    error: str = ""


@dataclass(frozen=True)
class Trial:
    """One payload and what the hook must make of it.

    Attributes:
        about: the payload in a word or two, for a message.
        fields: the payload beside what every payload has.
        wrong: what is wrong with the decision (None for silence), in words; empty where it is right.
    """

    about: str
    event: str
    fields: Json
    wrong: Callable[[Json | None, Room], str]


class Room:
    """The throw-away folder of a probe: state, config, transcripts and a project, all empty."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.project = root / "project"
        self.transcript = root / "client" / "projects" / "project" / "00000000-0000-4000-8000-000000000000.jsonl"
        self.exports = root / "exports"
        for folder in (self.project, self.transcript.parent):
            folder.mkdir(parents=True, exist_ok=True)

    def payload(self, event: str, fields: Json) -> Json:
        """A payload as the client of today sends it."""
        common = {
            "session_id": self.transcript.stem,
            "transcript_path": str(self.transcript),
            "cwd": str(self.project),
            "permission_mode": "default",
            "hook_event_name": event,
        }
        return {**common, **fields}

    def environment(self) -> dict[str, str]:
        """The environment of the caller, with every place the suite writes to or reads from in this folder."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("CCHOOKS_") and name not in ("CLAUDE_JOB_DIR", "CLAUDE_ENV_FILE")
        }
        return {
            **kept,
            "CCHOOKS_CONFIG_DIR": str(self.root / "config"),
            "CCHOOKS_STATE_DIR": str(self.root / "state"),
            "XDG_CONFIG_HOME": str(self.root / "config"),
            "XDG_STATE_HOME": str(self.root / "state"),
            "XDG_CACHE_HOME": str(self.root / "cache"),
            "CLAUDE_PROJECT_DIR": str(self.project),
            "CLAUDE_ENV_FILE": str(self.exports),
            "PYTHONDONTWRITEBYTECODE": "1",
        }


def trials(hook: str, event: str) -> list[Trial]:
    """The payloads for a hook registered for an event: one it is silent on and one it speaks to.

    A hook that is not known here gets a payload that no hook has anything to say to, and may answer what it likes.
    """
    known = [trial for trial in _TRIALS.get(hook, []) if trial.event == event]
    return known or [Trial("an ordinary call", event, _bash("true"), lambda _decision, _room: "")]


def start(handler: Mapping[str, Any], payload: Json, room: Room, project: str) -> Answer:
    """Run a handler on a payload.

    Args:
        handler: the entry in the settings.
        payload: what it gets on stdin.
        room: where it may write.
        project: the project that `${CLAUDE_PROJECT_DIR}` in the command stands for.
    """
    limit = _limit(handler)
    begin = time.monotonic()
    try:
        process = subprocess.Popen(
            command_line(handler, project),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=room.environment(),
            cwd=project,
            **_OWN_PROCESS_GROUP,  # type: ignore[call-overload]
        )
    except (OSError, ValueError) as error:
        return Answer(None, "", "", 0.0, _why(handler, error))
    try:
        stdout, stderr = process.communicate(json.dumps(payload).encode(), timeout=limit)
    except subprocess.TimeoutExpired:
        _end(process)
        return Answer(None, "", "", time.monotonic() - begin, f"did not end within its timeout of {limit} seconds")
    seconds = time.monotonic() - begin
    return Answer(process.returncode, stdout.decode(errors="replace"), stderr.decode(errors="replace"), seconds)


def command_line(handler: Mapping[str, Any], project: str) -> list[str]:
    """What the client starts for a handler."""
    args = handler.get("args", [])
    words = [handler["command"], *map(str, args if isinstance(args, list) else [])]
    words = [word.replace("${CLAUDE_PROJECT_DIR}", project) for word in words]
    if "args" in handler:
        return words
    return [os.environ.get("COMSPEC", "cmd.exe"), "/c", words[0]] if sys.platform == "win32" else ["sh", "-c", words[0]]


def judge(answer: Answer, trial: Trial, room: Room) -> str:
    """What is wrong with an answer, in words; empty where it is right."""
    if answer.status is None:
        return answer.error
    said = answer.stderr.strip().splitlines()[-1:] or ["nothing on stderr"]
    if answer.status == 2:
        return f"ends with status 2, which denies every call of the tool: {said[0]}"
    if answer.status:
        return f"ends with status {answer.status}, expected 0: {said[0]}"
    decision: Json | None = None
    if answer.stdout:
        try:
            decision = json.loads(answer.stdout)
        except ValueError:
            return f"prints {answer.stdout[:40]!r}, expected one JSON object or nothing"
        if not isinstance(decision, dict):
            return f"prints {answer.stdout[:40]!r}, expected one JSON object or nothing"
    return trial.wrong(decision, room)


def _limit(handler: Mapping[str, Any]) -> float:
    """The entry's timeout in seconds; the default where it has none that the client accepts."""
    found = handler.get("timeout", _DEFAULT_TIMEOUT)
    usable = isinstance(found, int | float) and not isinstance(found, bool) and 0 < found < _LONGEST_TIMEOUT
    return found if usable else _DEFAULT_TIMEOUT


def _why(handler: Mapping[str, Any], error: Exception) -> str:
    command = handler["command"]
    if isinstance(error, FileNotFoundError):
        if not os.path.isabs(command):
            return f"{command} is not on PATH"
        if os.path.exists(command):
            return f"its interpreter is gone: {_interpreter(command)}"
        return "the file does not exist"
    if isinstance(error, PermissionError):
        return "may not be started: its mode, or a policy for programs in this folder, forbids it"
    return f"cannot be started: {getattr(error, 'strerror', None) or error}"


def _interpreter(command: str) -> str:
    with Path(command).open("rb") as file:
        first = file.readline(300)
    return first[2:].decode(errors="replace").strip() if first.startswith(b"#!") else "the file names none"


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and what it started, as the client does after the timeout."""
    if os.name == "posix":
        import signal

        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.communicate()


# What the hooks of the suite are tried on.


def _bash(command: str, **fields: Any) -> Json:
    call = {"command": command, "description": "tried by cchooks doctor"}
    return {"tool_name": "Bash", "tool_input": call, "tool_use_id": "toolu_doctor", **fields}


def _printed(stdout: str) -> Json:
    return {"stdout": stdout, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}


def _silent(decision: Json | None, _room: Room) -> str:
    return "" if decision is None else "speaks where it has nothing to say"


def _said(decision: Json | None) -> Json:
    said = (decision or {}).get("hookSpecificOutput")
    return said if isinstance(said, dict) else {}


def _denies(decision: Json | None, _room: Room) -> str:
    said = _said(decision)
    return "" if said.get("permissionDecision") == "deny" and said.get("permissionDecisionReason") else "does not deny"


def _spills(decision: Json | None, room: Room) -> str:
    shown = _said(decision).get("updatedToolOutput")
    pointer = shown.get("stdout") if isinstance(shown, dict) else None
    if not isinstance(pointer, str) or len(pointer) >= len(OUTPUT):
        return "does not replace a long output"
    kept = [file for file in room.root.rglob("*") if str(file) in pointer and file.is_file()]
    if not kept or kept[0].read_text("utf-8") != OUTPUT:
        return "points to a file that does not hold the output"
    return ""


def _exports(decision: Json | None, room: Room) -> str:
    if decision is not None:
        return "speaks where it has nothing to say"
    written = room.exports.read_text("utf-8") if room.exports.exists() else ""
    return "" if "export " in written else "writes no exports for the session's commands"


_TRIALS = {
    "spill": [
        Trial("a short output", "PostToolUse", _bash("true", tool_response=_printed("ok\n")), _silent),
        Trial("a long output", "PostToolUse", _bash("true", tool_response=_printed(OUTPUT)), _spills),
    ],
    "delegate": [
        Trial("a subagent's command", "PreToolUse", _bash("make test", agent_id="a0", agent_type="worker"), _silent),
        Trial("work on the main thread", "PreToolUse", _bash("make test"), _denies),
    ],
    "launch": [
        Trial("a command that starts nothing", "PreToolUse", _bash("git status"), _silent),
        Trial("a launch without settings", "PreToolUse", _bash('claude --bg "write the report"'), _denies),
    ],
    "childenv": [Trial("the start of a session", "SessionStart", {"source": "startup"}, _exports)],
}
