"""launch (PreToolUse on Bash): a background Claude session starts with settings that hold.

A command that starts one must switch the advisor off and set the auto-compact window, by `--settings`. Of
`claude --bg "x"` the denial shows `claude --bg --settings '{"env":{..}}' "x"`; with the two variables in front of it,
which a running supervisor ignores, it is changed to that.
"""

from __future__ import annotations

from . import contract

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .contract import Config, Decision, Payload
    from .verdicts import Verdict

DEFAULTS: dict[str, Any] = {"missing": "deny", "ineffective": "fix", "window": 200_000, "kinds": ["background"]}
ALLOWED: dict[str, tuple[Any, ...]] = {
    "missing": ("deny", "fix"),
    "ineffective": ("fix", "warn", "deny"),
    "window": (100_000, 1_000_000),
    "kinds": ("background", "print"),
}
_LONGEST = 6000  # characters of a corrected command that a reason shows

# A command that names the client and holds none of these has no `--bg` or `-p` in it, however it is put together.
_FLAG_SIGNS = (b"bg", b"backg", b"-p", b"cp", b"print", b"$", b"{")

_RULES = {
    "background": "A background Claude session must start with the advisor off and an auto-compact window set, by"
    " --settings: a running supervisor ignores the environment of the command.",
    "print": "A Claude session in print mode must start with the advisor off and an auto-compact window set.",
}


def may_speak(raw: bytes) -> bool:
    """Whether the command may name the client or the flag, whatever quotes and escapes stand between the letters."""
    if b'"Bash"' not in raw or b'"PreToolUse"' not in raw:
        return False
    if b"\\u00" in raw:
        return True
    start = raw.find(b'"command"')
    while start >= 0:
        end = _string_end(raw, raw.find(b'"', start + 9) + 1)
        if _mentions(raw[start + 9 : end]):
            return True
        start = raw.find(b'"command"', start + 9)
    return False


def _string_end(raw: bytes, start: int) -> int:
    """Where the JSON string that begins at `start` ends."""
    end = raw.find(b'"', start)
    while end > 0:
        backslashes = end - len(raw[:end].rstrip(b"\\"))
        if not backslashes % 2:
            return end
        end = raw.find(b'"', end + 1)
    return len(raw)


def _mentions(command: bytes) -> bool:
    plain = command.replace(b"\\\\\\r\\n", b"").replace(b"\\\\\\n", b"").translate(None, b"\\\"'")
    if b"claude" in plain or b"CLAUDE" in plain:
        return any(sign in plain for sign in _FLAG_SIGNS)
    return b"--b" in plain or (b"$'" in command and b"\\\\" in command)


def decide(payload: Payload, config: Config) -> Decision | None:
    """The denial with the corrected command, the changed input, or None where every launch is in order."""
    given = payload.get("tool_input")
    command = given.get("command") if isinstance(given, dict) else None
    if payload.get("hook_event_name") != "PreToolUse" or payload.get("tool_name") != "Bash":
        return None
    if not isinstance(command, str):
        return None
    kinds = [kind for kind in ALLOWED["kinds"] if kind in config["kinds"]]
    directory = payload.get("cwd")
    judgement = _Judgement(command, kinds, directory if isinstance(directory, str) else None, config["window"])
    if not judgement.verdicts and not judgement.unreadable:
        return None
    return _answer(judgement, payload, config)


class _Judgement:
    """A command judged: the verdicts that are not "in order", and the corrected command where there can be one."""

    def __init__(self, command: str, kinds: list[str], directory: str | None, window: int) -> None:
        from .shell import Unreadable

        self.unreadable = False
        self.verdicts: list[Verdict] = []
        self.corrected = ""
        try:
            self._find(command, kinds, directory, window)
        except Unreadable:
            from . import mentions

            self.unreadable = mentions.names(command, kinds) and mentions.settles(command) != "effective"

    def _find(self, command: str, kinds: list[str], directory: str | None, window: int) -> None:
        from .launches import Finder
        from .texts import NoPlace, fixed
        from .verdicts import change, judged

        finder = Finder(command, kinds, directory)
        verdicts = [judged(launch, finder.files, window) for launch in finder.find()]
        self.verdicts = [verdict for verdict in verdicts if verdict.faults or verdict.missing or verdict.accepted]
        try:
            for verdict in self.verdicts:
                change(verdict, window)
            self.corrected = fixed(finder.texts) if self.verdicts else ""
        except NoPlace:
            self.corrected = ""

    @property
    def kind(self) -> str:
        """The kind of launch that the texts speak of."""
        prints = bool(self.verdicts) and all(verdict.launch.kind == "print" for verdict in self.verdicts)
        return "print" if prints else "background"

    @property
    def faults(self) -> list[str]:
        found: list[str] = []
        for verdict in self.verdicts:
            found += [fault for fault in verdict.faults if fault not in found]
        return found

    @property
    def missing(self) -> list[str]:
        return [name for name in _names() if any(name in verdict.missing for verdict in self.verdicts)]


def _names() -> tuple[str, str]:
    from .mentions import ADVISOR, WINDOW

    return f"{ADVISOR}=1", WINDOW


def _answer(judgement: _Judgement, payload: Payload, config: Config) -> Decision:
    faults, missing = judgement.faults, judgement.missing
    wanted = config["missing"] if missing else config["ineffective"]
    if judgement.unreadable or faults or wanted == "deny" or (missing and not judgement.corrected):
        return _deny(judgement, payload, config["window"])
    if wanted == "fix" and judgement.corrected:
        return _fix(judgement, payload)
    return _warn(payload, config["window"])


def _deny(judgement: _Judgement, payload: Payload, window: int) -> Decision:
    _record(payload, "deny")
    return _decision(permissionDecision="deny", permissionDecisionReason=_reason(judgement, window))


def _fix(judgement: _Judgement, payload: Payload) -> Decision:
    _record(payload, "fix")
    return _decision(
        updatedInput={**payload["tool_input"], "command": judgement.corrected},
        additionalContext="The command was changed before it ran: --settings now holds the advisor switch and the"
        " auto-compact window, since a running supervisor ignores the environment of `claude --bg`.",
    )


def _warn(payload: Payload, window: int) -> Decision:
    _record(payload, "warn")
    return _decision(
        additionalContext="The advisor switch and the auto-compact window are only in the environment of this command,"
        " which a running supervisor ignores. In --settings they hold: " + form(window, "background")
    )


def _decision(**fields: Any) -> Decision:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **fields}}


def _record(payload: Payload, event: str) -> None:
    from . import events

    events.record("launch", event, payload)


def form(window: int, kind: str) -> str:
    """How a launch of this kind looks whose settings hold."""
    from .fastjson import dumps
    from .mentions import ADVISOR, WINDOW
    from .texts import quoted

    settings = dumps({"env": {ADVISOR: "1", WINDOW: str(window)}})
    return f'claude {"-p" if kind == "print" else "--bg"} --settings {quoted(settings)} "PROMPT"'


def _reason(judgement: _Judgement, window: int) -> str:
    found = judgement.faults
    if judgement.missing:
        found = [*found, "not set: " + " and ".join(judgement.missing)]
    if not found:
        found = ["they are set in the environment only"]
    if judgement.unreadable:
        found = ["the command cannot be read, but plainly names a start of claude"]
    kind = judgement.kind
    said = f"{_RULES[kind]} Here: {'; '.join(found)}."
    if judgement.corrected and len(judgement.corrected) <= _LONGEST:
        return f"{said} Nothing was run. The corrected command:\n{judgement.corrected}"
    return f"{said} Nothing was run. The form to use: {form(window, kind)}"


def main() -> None:
    """Run the hook."""
    contract.run("launch", decide, may_speak, DEFAULTS, ALLOWED)
