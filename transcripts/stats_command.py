"""`cchooks stats`: what the hooks kept out of the context, what they denied, by session."""

from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from .moments import WHEN, option

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace, _SubParsersAction

_LISTED = 20
_BAR = 20
_DONE = {"deny": ("denied", "call"), "warn": ("warned of", "call"), "fix": ("corrected", "command")}
_ABOUT = """\
Says what the hooks kept out of the context, from their event log.

kept out = 1 - with / without, in characters. "With" is what reached the model: pointers, and what was read back of
spilled files, also by a subagent. "Without" is that and what was kept out: of an output at most what the client itself
would have shown.
"""


def add_parser(subparsers: _SubParsersAction[Any]) -> None:
    """Add the sub-command; `func` takes the parsed arguments and gives the exit status."""
    parser: ArgumentParser = subparsers.add_parser("stats", help="what the hooks did", description=_ABOUT)
    parser.add_argument("--session", metavar="ID", default="", help="only this session; the id's beginning is enough")
    parser.add_argument("--since", metavar="WHEN", help=f"from then on: {WHEN}")
    parser.add_argument(
        "--verify", action="store_true", help="count only spills whose pointer stands in the session's transcript"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.set_defaults(func=run)
    parser.formatter_class = RawDescriptionHelpFormatter  # last: each argument makes one, which imports shutil


def run(args: Namespace) -> int:
    """Print the figures; 0 also where there are none.

    Raises:
        UsageError: a time cannot be understood.
    """
    from .decode import encodable

    report = collect(encodable(args.session), option("since", args.since, datetime.now(UTC)), verify=args.verify)
    from .table import printable, write, write_json

    if args.json:
        write_json(report)
    else:
        write("\n".join(map(printable, _lines(report))).rstrip("\n") + "\n")
    return 0


def collect(session: str, since: str, *, verify: bool) -> dict[str, Any]:
    """The report as plain JSON values."""
    from . import eventlog, stats
    from .files import projects_folder
    from .moments import moment
    from .pointers import Pointers

    log = eventlog.read()
    taken = [
        event
        for event in log.events
        if moment(event.get("time")) >= since and str(event.get("session") or "").startswith(session)
    ]
    pointers = Pointers(projects_folder())
    rows = stats.sessions(taken, pointers.shows if verify else None)
    return {
        "schema": 1,
        "verified": verify,
        "session": session or None,
        "since": since or None,
        "sessions": rows,
        "total": stats.total(rows),
        "lifetime": stats.lifetime(log.events),
        "log": {
            "events": len(log.events),
            "broken_lines": log.broken,
            "repeated": log.repeated,
            "unreadable": log.unreadable,
        },
    }


def _lines(report: dict[str, Any]) -> list[str]:
    rows, chosen = report["sessions"], report["session"] or report["since"]
    lines = []
    for row in rows[-_LISTED:]:
        lines += [*_session(row), ""]
    if not rows:
        lines += [_nothing(report, chosen), ""]
    if len(rows) > _LISTED:
        lines += [f"The {_LISTED} sessions last active of {len(rows):,}; --json has all.", ""]
    if report["total"]["kept_out_percent"] is not None and len(rows) > 1:
        lines += [f"All {len(rows):,} sessions", *_kept_out(report["total"]), ""]
    return (lines if chosen else lines + _lifetime(report) + [""]) + _damage(report["log"])


def _nothing(report: dict[str, Any], chosen: str) -> str:
    if chosen:
        return "No session with events matches."
    log = report["log"]
    return (
        "No event could be read." if log["broken_lines"] or log["unreadable"] else "No spill yet, and nothing denied."
    )


def _damage(log: dict[str, Any]) -> list[str]:
    broken = (
        [f"{_count(log['broken_lines'], 'line')} of the event log could not be read"] if log["broken_lines"] else []
    )
    return broken + [f"not read: {text}" for text in log["unreadable"]]


def _session(row: dict[str, Any]) -> list[str]:
    span = f"{_short(row['first'])} to {_short(row['last'])} UTC" if row["first"] else "time not recorded"
    lines = [f"Session {row['session'] or 'without an id'} · {span}"]
    if row["kept_out_percent"] is None:
        kept = f"  {_count(row['spills'], 'spill')} that kept nothing out." if row["spills"] else "  No spill yet."
        lines.append("  No spill that can be shown." if row["not_shown"] else kept)
    else:
        lines += _kept_out(row)
        lines.append(f"  {_count(row['spills'], 'spill')}, {_count(row['read_backs'], 'read-back')}")
    if row["read_back_characters"] > row["avoided"]:
        back = f"{row['read_back_characters']:,} characters"
        lines.append(f"  read back: {back}, more than the {row['avoided']:,} that the spills kept out")
    if row["other_read_backs"]:
        others = _count(row["other_read_backs"], "read-back")
        characters = _count(row["other_read_back_characters"], "character")
        lines.append(f"  not in these figures: {others} of {characters}, of files whose spill is not counted here")
    if row["not_shown"]:
        missing = _count(row["not_shown"], "spill")
        lines.append(
            f"  {missing} left out: no pointer found in a transcript of the session. It may be gone, or another"
        )
        lines.append("  hook may have replaced the result: `cchooks doctor` looks for one")
    return [*lines, *(f"  {text}" for text in _decisions(row["decisions"]))]


def _kept_out(row: dict[str, Any]) -> list[str]:
    times = f", {row['multiplier']:,.1f} times as much without" if row["multiplier"] else ""
    return [
        f"  kept out {_bar(row['kept_out_percent'])} {row['kept_out_percent']:.1f} %{times}",
        f"  without the hooks {_characters(row['without'])}, with them {_characters(row['with'])}",
    ]


def _lifetime(report: dict[str, Any]) -> list[str]:
    total, log = report["lifetime"], report["log"]
    lines = ["All that the event log holds (what tools put out, not what was kept out)"]
    if not log["events"]:
        return [*lines, "  nothing yet"]
    since = f" since {_short(total['since'])} UTC" if total["since"] else ""
    lines.append(f"  {_count(log['events'], 'event')} of {_count(total['sessions'], 'session')}{since}")
    spilled = f"{_count(total['spills'], 'spill')} of {_count(total['spilled_characters'], 'character')}"
    lines.append(f"  {spilled}; {_count(total['read_backs'], 'read-back')}")
    lines += [f"  {text}" for text in _decisions(total["decisions"])]
    return lines


def _decisions(rows: list[dict[str, Any]]) -> list[str]:
    return [f"{row['hook']}: {_done(row['event'], row['count'])}" for row in rows]


def _done(event: str, number: int) -> str:
    if event not in _DONE:
        return f"{event} {number:,}"
    verb, what = _DONE[event]
    return f"{verb} {_count(number, what)}"


def _characters(number: int) -> str:
    from .stats import CHARACTERS_A_TOKEN

    about = f" (about {_count(round(number / CHARACTERS_A_TOKEN), 'token')} at {CHARACTERS_A_TOKEN} characters each)"
    return _count(number, "character") + (about if number else "")


def _bar(percent: float) -> str:
    full = int(percent / 100 * _BAR)
    return "[" + "#" * full + "." * (_BAR - full) + "]"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _short(moment: str) -> str:
    return moment[:16].replace("T", " ")
