"""Launches found in transcripts beside the sessions they started: did the settings hold?

The launch hook's own analysis says what a command asks for. A session is found by the id that the command printed, else
by its first prompt when that stands in the command as a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from .digest import fingerprint
from .moments import seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cchooks_suite.hooks.verdicts import Verdict

    from .files import Transcript
    from .records import Command

_KINDS = ["background", "print"]
_WINDOW = 200_000  # what the analysis suggests where none is asked for; not used here
_LATEST = 900  # seconds after the command within which a session found by its prompt began


class Asked(Struct):
    """One start of the client in a command.

    Attributes:
        kind: background or print.
        advisor_off: settings, environment or no: where the advisor was switched off.
        window: the auto-compact window asked for, 0 where none or no valid one was.
        effective: whether it can hold: a running supervisor ignores the environment of `claude --bg`.
        faults: what is wrong with it, in words.
    """

    kind: str
    advisor_off: str
    window: int
    effective: bool
    faults: list[str]


class Launch(Struct):
    """A command's start of the client and the session it started; `session` is empty where none was found."""

    command: Command
    asked: Asked
    session: str
    found_by: str
    denied: bool


def commands(transcripts: Iterable[Transcript]) -> list[Command]:
    """The commands that may start a session, each call once."""
    found: dict[str, Command] = {}
    for transcript in transcripts:
        for command in transcript.digest.commands:
            before = found.get(command.tool_use_id)
            if before is None or len(command.started) > len(before.started):
                found[command.tool_use_id] = command
    return sorted(found.values(), key=lambda command: command.time)


def started_in_background(found: Iterable[Command]) -> set[str]:
    """The beginnings of ids that `claude --bg` printed."""
    return {name for command in found for name in command.started if len(name) == 8}


def joined(found: Sequence[Command], sessions: dict[str, tuple[str, str]], denied: set[str]) -> list[Launch]:
    """Every launch in the commands.

    Args:
        found: the commands.
        sessions: by id, the moment it began and the fingerprint of its first prompt.
        denied: tool_use_ids of calls that were not allowed.
    """
    result, open_ones = [], []
    for command in found:
        launches = asked(command)
        names = list(command.started)
        for launch in launches:
            session, how = _printed(names, launch.kind, sessions)
            made = Launch(command, launch, session, how, command.tool_use_id in denied)
            result.append(made)
            if not session and not made.denied and len(launches) == 1:
                open_ones.append(made)
    others = {name: told for name, told in sessions.items() if name not in {made.session for made in result}}
    for made in reversed(open_ones):  # of a launch that failed and its second try, the later one started the session
        made.session = _by_prompt(made.command, others)
        if made.session:
            made.found_by = "first prompt"
            del others[made.session]
    return result


def asked(command: Command) -> list[Asked]:
    """The starts of the client in a command; none where it cannot be read."""
    from cchooks_suite.hooks.launches import Finder
    from cchooks_suite.hooks.shell import Unreadable
    from cchooks_suite.hooks.verdicts import judged

    try:
        finder = Finder(command.text, _KINDS, command.cwd or None)
        return [_asked(judged(launch, finder.files, _WINDOW)) for launch in finder.find()]
    except (Unreadable, RecursionError):
        return []


def _asked(verdict: Verdict) -> Asked:
    from cchooks_suite.hooks.mentions import ADVISOR

    environment = verdict.settings.get("env", {})
    if str(environment.get(ADVISOR)) == "1":
        advisor = "settings"
    else:
        given = verdict.launch.advisor
        advisor = "environment" if given is not None and given.text == "1" else "no"
    kind = verdict.launch.kind
    effective = not (verdict.faults or verdict.missing or verdict.accepted)
    faults = [*verdict.faults, *(f"{name} not set" for name in verdict.missing)]
    return Asked(kind, advisor, verdict.window or 0, effective, faults)


def _printed(names: list[str], kind: str, sessions: dict[str, tuple[str, str]]) -> tuple[str, str]:
    """The session of the next id of the launch's kind that the result names; the id is used up."""
    for name in names:
        if (len(name) == 8) == (kind == "background"):
            names.remove(name)
            whole = [session for session in sessions if session.startswith(name)]
            return (whole[0], "id in the result") if len(whole) == 1 else (name, "id in the result, no transcript")
    return "", ""


def _by_prompt(command: Command, sessions: dict[str, tuple[str, str]]) -> str:
    """The one session that began soon after the command, with a word of the command as its first prompt."""
    from cchooks_suite.hooks.shell import read

    if not command.time:
        return ""
    start = seconds(command.time)
    prompts = {fingerprint(word.text) for part in read(command.text) for word in part.words if word.text}
    fitting = [
        session
        for session, (began, prompt) in sessions.items()
        if prompt in prompts and began and -5 <= seconds(began) - start <= _LATEST and session != command.session
    ]
    return fitting[0] if len(fitting) == 1 else ""
