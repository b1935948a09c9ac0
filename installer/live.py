"""`cchooks doctor --live`: start the client once and see whether the hooks reach the model.

The client runs shut off, with a scripted API on loopback in place of a model, in a throw-away folder, in its default
permission mode. Our entries are those of the user's own files, foreign hooks are left out, and so is the user's
config. The script makes the calls that the hooks are there for, on the main thread and in a subagent; no rule allows
the launch, so nothing is started where the hook fails.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import client_version, doctor_entries
from .finding import BROKEN, OK, UNKNOWN, Finding
from .live_client import Sandbox
from .scripted_api import ScriptedAPI, agent, bash

if TYPE_CHECKING:
    from collections.abc import Callable

    from .live_client import Run
    from .registered import Registered, Session

OUTPUT = "seq 1 3000"
LAUNCH = 'claude --bg "write the report"'
EXPORT = "printenv CLAUDE_CODE_AUTO_COMPACT_WINDOW"
_ALLOWED = ("--allowedTools", "Bash(seq:*),Bash(printenv:*)")
_SECONDS = 120
_DENIED = "hook error"


def findings(session: Session, given: str | None) -> list[Finding]:
    """Start the client once; one finding for each hook that the run can show.

    Args:
        session: the files with the user's entries.
        given: the client's executable; None for `claude` on PATH.
    """
    client = given or client_version.find()
    if not client:
        reason = "no client to start: found no `claude` on PATH"
        return [Finding("live.client", BROKEN, reason, fix="cchooks doctor --live --client PATH")]
    if not session.registered:
        return [Finding("live.client", UNKNOWN, "nothing to show: no hook is registered", client)]
    with (
        tempfile.TemporaryDirectory(prefix="cchooks-live-", ignore_cleanup_errors=True) as folder,
        ScriptedAPI() as api,
    ):
        sandbox = Sandbox(Path(client).absolute(), Path(folder).resolve(), api)
        sandbox.settings.write_text(json.dumps(settings(session)), encoding="utf-8")
        try:
            run = sandbox.run(script(), *_ALLOWED, timeout=_SECONDS)
        except OSError as error:
            return [_failed(client, f"cannot be started: {error.strerror or error}")]
        except subprocess.TimeoutExpired:
            return [_failed(client, f"did not end within {_SECONDS} seconds")]
        if "toolu_live_agent" not in run.results:
            said = (run.stdout + run.stderr).strip()[-200:] or "nothing"
            return [_failed(client, f"ended with status {run.status} before the script did, and said: {said}")]
        return [_shown(session, hook, shows(run)) for hook, shows in _SHOWN.items() if session.has(hook)]


def script() -> list[Any]:
    """What the model is made to do."""
    calls = [bash("toolu_live_output", OUTPUT), bash("toolu_live_launch", LAUNCH), bash("toolu_live_export", EXPORT)]
    inner = [*calls, "done"]
    return [bash("toolu_live_work", OUTPUT), agent("toolu_live_agent", inner), "done"]


def settings(session: Session) -> dict[str, Any]:
    """Settings for the sandbox: our entries as they stand in the user's files, and the switch that stops all hooks."""
    hooks: dict[str, list[Any]] = {}
    for item in session.registered:
        matcher = {} if item.handler.matcher is None else {"matcher": item.handler.matcher}
        group = {**matcher, "hooks": [_placed(item)]}
        hooks.setdefault(item.handler.event, []).append(group)
    switches = [layer.value["disableAllHooks"] for layer in session.layers if "disableAllHooks" in layer.value]
    return {"hooks": hooks, **({"disableAllHooks": switches[-1]} if switches else {})}


def _placed(item: Registered) -> dict[str, Any]:
    """The handler with the project's folder filled in: the sandbox has another."""
    text = json.dumps(item.handler.value)
    root = item.layer.scope.root
    placed: dict[str, Any] = json.loads(text.replace("${CLAUDE_PROJECT_DIR}", json.dumps(root)[1:-1]) if root else text)
    return placed


def _spilled(run: Run) -> str:
    shown = run.seen("toolu_live_output")
    return "" if "[cchooks]" in shown else f"the model was shown {len(shown):,} characters of output"


def _delegated(run: Run) -> str:
    return "" if _DENIED in run.seen("toolu_live_work") else "work on the main thread was not denied"


def _launch_denied(run: Run) -> str:
    return "" if _DENIED in run.seen("toolu_live_launch") else "a launch without settings was not denied by the hook"


def _exported(run: Run) -> str:
    value = run.seen("toolu_live_export")
    return "" if value.isdigit() else f"the session's commands do not have the window: {value[:60]!r}"


_SHOWN: dict[str, Callable[[Run], str]] = {
    "spill": _spilled,
    "delegate": _delegated,
    "launch": _launch_denied,
    "childenv": _exported,
}
_SAYS = {
    "spill": "the model was shown a pointer in place of a long output",
    "delegate": "the model was told that its work on the main thread was denied",
    "launch": "the model was told that a launch without settings was denied",
    "childenv": "the session's commands have the auto-compact window",
}


def _shown(session: Session, hook: str, wrong: str) -> Finding:
    item = next(item for item in session.registered if item.hook == hook)
    if not wrong:
        return Finding(f"live.{hook}", OK, _SAYS[hook], item.layer.path)
    fix = f"{doctor_entries.install_command(item.layer.scope.name)} --force"
    return Finding(f"live.{hook}", BROKEN, f"in a real session {wrong}", item.layer.path, fix)


def _failed(client: str, reason: str) -> Finding:
    return Finding("live.client", BROKEN, reason, client, "cchooks doctor --live --client PATH")
