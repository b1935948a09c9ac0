"""doctor: what makes the client run no hook of ours, though the entries are right.

Measured on Claude Code 2.1.332: of `disableAllHooks` the most specific file wins, and an administrator's true over all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import managed
from .errors import RefusalError
from .finding import BROKEN, NOTICE, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .registered import Session

_OFF = ("", "0", "false", "no", "off")
_SAFE_MODES = ("CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE")
_ADMINISTRATOR = "ask the administrator of this machine"


def findings(session: Session) -> Iterator[Finding]:
    """Everything that keeps hooks from running, and the one switch that silences delegate."""
    yield from _managed()
    yield from _disabled(session)
    yield from _safe_mode("the environment", session.environ, "")
    for layer in session.layers:
        variables = layer.value.get("env")
        yield from _safe_mode("`env`", variables if isinstance(variables, dict) else {}, layer.path)
    if session.has("delegate") and session.environ.get("CCHOOKS_DELEGATE", "").lower() == "off":
        reason = "CCHOOKS_DELEGATE=off is in this environment: delegate is silent in sessions started from it"
        yield Finding("run.delegateOff", NOTICE, reason, fix="unset CCHOOKS_DELEGATE")


def _managed() -> Iterator[Finding]:
    for path, value in managed.load():
        if isinstance(value, RefusalError):
            reason = f"{value.message.removeprefix(f'{path}: ')}, so what it rules cannot be told"
            yield Finding("policy.readable", NOTICE, reason, path, _ADMINISTRATOR)
    for key, path, effect in managed.rulings():
        yield Finding(f"inert.{key}", BROKEN, f"`{key}` is set, so {effect}", path, _ADMINISTRATOR)


def _disabled(session: Session) -> Iterator[Finding]:
    switches = [layer for layer in session.layers if isinstance(layer.value.get("disableAllHooks"), bool)]
    if switches and switches[-1].value["disableAllHooks"]:
        path = switches[-1].path
        reason = "`disableAllHooks` is true: the client runs no hook at all"
        yield Finding("inert.disableAllHooks", BROKEN, reason, path, f"set `disableAllHooks` to false in {path}")


def _safe_mode(place: str, variables: Mapping[str, Any], path: str) -> Iterator[Finding]:
    for name in _SAFE_MODES:
        if str(variables.get(name, "")).lower() not in _OFF:
            fix = f"take {name} out of {path}" if path else f"unset {name}"
            yield Finding("inert.safeMode", BROKEN, f"{name} is set in {place}: the client runs no hook", path, fix)
