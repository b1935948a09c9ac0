"""doctor: what makes the client run no hook of ours, though the entries are right.

Measured on Claude Code 2.1.332, value by value. In an administrator's file a value of the wrong type counts as set; in
other files it costs the file. Of `disableAllHooks` the most specific file wins, and an administrator's true over all.
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
    values: dict[str, tuple[str, Any]] = {}
    for path, value in managed.load():
        if isinstance(value, RefusalError):
            reason = f"{value.message.removeprefix(f'{path}: ')}, so what it rules cannot be told"
            yield Finding("policy.readable", NOTICE, reason, path, _ADMINISTRATOR)
        else:
            values |= {key: (path, value[key]) for key in _RULES if value.get(key) is not None}
    for key, (path, value) in values.items():
        why = _RULES[key](value)
        if why:
            yield Finding(f"inert.{key}", BROKEN, f"`{key}` is set: {why}", path, _ADMINISTRATOR)


def _only_managed(value: Any) -> str:
    return "" if value is False else "the client runs an administrator's hooks only, so ours are inert"


def _only_plugins(value: Any) -> str:
    free = value is False or (isinstance(value, list) and "hooks" not in value)
    return "" if free else "the client runs plugins' hooks only, so ours are inert; as a plugin they would run"


def _none_at_all(value: Any) -> str:
    return "the client runs no hook at all" if str(value).lower() not in _OFF else ""


_RULES = {
    "allowManagedHooksOnly": _only_managed,
    "strictPluginOnlyCustomization": _only_plugins,
    "disableAllHooks": _none_at_all,
}


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
