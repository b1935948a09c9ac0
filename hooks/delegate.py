"""delegate (PreToolUse): keeps hands-on work off the main thread and points to the Agent tool.

Denied on the main thread are Bash, PowerShell, Write, Edit, MultiEdit and NotebookEdit. Subagents always pass. So do
commands that only look (`glance.py`), files that coordination needs (plans, memory, the session's scratchpad, the
config's `paths`), background sessions, which are workers, and sessions with `CCHOOKS_DELEGATE=off` or of an exempt
agent type.
"""

from __future__ import annotations

import os

from . import contract

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .contract import Config, Decision, Payload

DEFAULTS: dict[str, Any] = {
    "mode": "deny",
    "background": False,
    "agents": [],
    "paths": [],
    "glance": {"allow": []},
}
ALLOWED: dict[str, tuple[Any, ...]] = {"mode": ("deny", "warn", "off")}

_HAND_OVER = (
    "is left to subagents here. Use the Agent tool: state the goal and the acceptance criteria, "
    "have long output written to files, ask for path and conclusion. Still direct: "
)
_LOOKING = "commands that only look (git status/log/diff, ls, cat, head, grep, rg, find)"
REASONS = {
    "Bash": f"This command {_HAND_OVER}{_LOOKING} and write no file.",
    "PowerShell": f"PowerShell {_HAND_OVER}reading, searching, and Bash {_LOOKING}.",
    "Write": f"Changing files {_HAND_OVER}plan and memory files, reading, {_LOOKING}.",
    "NotebookEdit": f"Changing notebooks {_HAND_OVER}reading, {_LOOKING}.",
}
_PATH_KEYS = {"Write": "file_path", "NotebookEdit": "notebook_path"}
_KINDS = {tool: tool for tool in REASONS} | {"Edit": "Write", "MultiEdit": "Write"}


def may_speak(raw: bytes) -> bool:
    """Whether the call can be one of the main thread's that are restricted."""
    if b'"PreToolUse"' not in raw or _switched_off():
        return False
    if not any(b'"%s"' % tool.encode() in raw for tool in _KINDS):
        return False
    return not _names_an_agent(raw) and (not _is_background() or _is_configured())


def _names_an_agent(raw: bytes) -> bool:
    """Whether the payload surely has a non-empty `agent_id`, which the client puts before the call's own fields."""
    before = raw[: max(raw.find(b'"tool_input"'), 0)]
    _, found, value = before.partition(b'"agent_id"')
    colon, value = value.lstrip()[:1], value.lstrip()[1:].lstrip()
    return bool(found) and colon == b":" and value[:1] == b'"' != value[1:2] and raw.count(b'"agent_id"') == 1


def decide(payload: Payload, config: Config) -> Decision | None:
    """The denial, or None where the call may go on."""
    kind = _KINDS.get(str(payload.get("tool_name")))
    if kind is None or payload.get("hook_event_name") != "PreToolUse" or _exempt(payload, config):
        return None
    given = payload.get("tool_input")
    call: dict[str, Any] = given if isinstance(given, dict) else {}
    if kind == "Bash" and _is_glance(call.get("command"), config):
        return None
    if kind in _PATH_KEYS and _is_open(call.get(_PATH_KEYS[kind]), payload, config):
        return None
    return _answer(kind, payload, config["mode"])


def main() -> None:
    """Run the hook; ends the process."""
    contract.run("delegate", decide, may_speak, DEFAULTS, ALLOWED)


def _answer(kind: str, payload: Payload, mode: str) -> Decision:
    from . import events

    events.record("delegate", mode, payload)
    answer = {"hookEventName": "PreToolUse"}
    if mode == "warn":
        answer["additionalContext"] = REASONS[kind]
    else:
        answer |= {"permissionDecision": "deny", "permissionDecisionReason": REASONS[kind]}
    return {"hookSpecificOutput": answer}


# Who is exempt


def _exempt(payload: Payload, config: Config) -> bool:
    if not contract.main_thread(payload) or config["mode"] == "off" or _switched_off():
        return True
    agent = payload.get("agent_type")
    return (_is_background() and not config["background"]) or (bool(agent) and agent in config["agents"])


def _switched_off() -> bool:
    return os.environ.get("CCHOOKS_DELEGATE", "").lower() == "off"


def _is_background() -> bool:
    """Whether this is a session started by `claude --bg`, whose hooks have the variable."""
    return bool(os.environ.get("CLAUDE_JOB_DIR"))


def _is_configured() -> bool:
    """Whether there may be a config file, which can restrict background sessions too."""
    from . import config

    project = os.environ.get("CLAUDE_PROJECT_DIR")
    return not project or bool(config.files(project))


# What is open to the main thread


def _is_glance(command: object, config: Config) -> bool:
    from . import glance

    return isinstance(command, str) and glance.is_ephemeral(command, config["glance"]["allow"])


def _is_open(path: object, payload: Payload, config: Config) -> bool:
    """Whether the path, with links and `..` resolved, is in a place that coordination needs."""
    if not isinstance(path, str) or not path or "\0" in path:
        return False
    project = os.environ.get("CLAUDE_PROJECT_DIR") or str(payload.get("cwd") or "")
    real = _real(path, str(payload.get("cwd") or ""))
    if any(_is_in(real, _real(folder, project)) for folder in _folders(payload, config, project)):
        return True
    projects = _real("projects", _client_folder())
    below = real[len(projects) :].split(os.sep) if _is_in(real, projects) else []
    return len(below) > 3 and below[2] == "memory"  # projects/NAME/memory/FILE


def _folders(payload: Payload, config: Config, project: str) -> Iterator[str]:
    yield from (os.path.join(_client_folder(), name) for name in ("plans", "agent-memory"))
    scratchpad = payload.get("scratchpad_dir")
    if isinstance(scratchpad, str) and os.path.isabs(scratchpad):
        yield scratchpad
    yield from filter(None, config["paths"])
    yield from _moved(project)


def _moved(project: str) -> Iterator[str]:
    """The folders that the client's settings name for plans and memory instead of its own."""
    from .fastjson import loads

    places = [_client_folder(), os.path.join(project, ".claude")] if project else [_client_folder()]
    for file in [os.path.join(place, name) for place in places for name in ("settings.json", "settings.local.json")]:
        try:
            with open(file, encoding="utf-8-sig") as text:
                settings = loads(text.read())
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(settings, dict):
            named = (settings.get("plansDirectory"), settings.get("autoMemoryDirectory"))
            yield from (folder for folder in named if isinstance(folder, str) and folder)


def _client_folder() -> str:
    return os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")


def _real(path: str, base: str) -> str:
    return os.path.realpath(os.path.join(base, os.path.expanduser(path)))


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
