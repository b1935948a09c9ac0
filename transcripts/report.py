"""The audit's report for a person: the answer to each question in a table, in the order in which they are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import table
from .table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

_LISTED = 25  # rows of a list; --json has all

_PROBLEMS = {
    "broken": "lines that are no JSON object",
    "unfinished_line": "unfinished last lines",
    "repaired": "rows read in spite of bytes that are not UTF-8, half surrogates or NaN",
    "foreign": "assistant rows of another shape",
    "long": "lines over 8 MiB",
    "too_long": "lines over 64 MiB, left out",
    "two_requests_one_message": "messages with two request ids in the main conversation, counted as two",
    "later_row_smaller": "requests whose last row told less output than an earlier one; the last counts",
    "last_row_incomplete": "requests whose last row was incomplete; an earlier one counts",
    "top_level_not_the_sum": "requests whose top level is not the sum of its segments",
}


def show(report: dict[str, Any]) -> None:
    """Print the report."""
    table.show(_heading(report["scope"]), tables(report))


def tables(report: dict[str, Any]) -> Iterator[Table]:
    """The tables of a report; those that have nothing to say are left out."""
    yield _groups(report)
    yield from _apart(report["totals"])
    yield _compactions(report["compactions"])
    yield from _launches(report["launches"])
    yield from _costs(report["cost_state"])
    yield from _hooks(report["hooks"])
    yield from _reading(report["reading"])


def _heading(scope: dict[str, Any]) -> str:
    span = f"{_time(scope['first'])} to {_time(scope['last'])} UTC" if scope["first"] else "no requests"
    return f"{scope['files']:,} transcripts, {scope['bytes'] / 1e6:,.1f} MB · {span}"


def _groups(report: dict[str, Any]) -> Table:
    by, total = report["by"], report["totals"]
    columns = [f"<{by}", "requests", "peak real", "peak top", "read volume", "output", "advisor"]
    columns += {"day": ["<hours (UTC)"], "session": ["<kind"]}.get(by, [])
    rows = []
    for group in report["groups"]:
        name = group[by][:36]
        extra = {"day": [_hours(group)] if by == "day" else [], "session": [group.get("kind") or ""]}.get(by, [])
        rows.append([name, *_numbers(group), *extra])
    if len(rows) != 1:
        rows.append(["total", *_numbers(total), *([""] if by in {"day", "session"} else [])])
    notes = []
    if by == "kind":
        notes = [f"{group['kind']}: {report['kinds'][group['kind']]}" for group in report["groups"]]
    left = total["left_out"]
    counted = f"{left['copies']:,} copies in other files, {left['replays']:,} replays of a message, "
    notes.append(f"Not counted again: {counted}{left['client_made_rows']:,} rows the client made itself.")
    if total["without_request_id"]:
        notes.append(f"Among them without a request id: {_requests(total['without_request_id'])}.")
    if total["unfinished"]:
        notes.append(f"Output is a lower bound: {_requests(total['unfinished'])} never got a final row.")
    if total["thinking_blocks_dropped"]:
        notes.append(f"The API dropped {total['thinking_blocks_dropped']:,} thinking blocks after edits of a history.")
    return Table(f"Requests by {by}", columns, rows, notes, total=len(rows) > 1)


def _numbers(group: dict[str, Any]) -> list[str]:
    numbers = (group["requests"], group["peak_real_context"], group["peak_top_level"], group["read_volume"])
    return [f"{number:,}" for number in (*numbers, group["tokens"]["output"], group["advisor"]["calls"])]


def _hours(group: dict[str, Any]) -> str:
    """The hours of a day that have requests, as ranges; a day that is not over says so."""
    ranges: list[list[int]] = []
    for hour in group["hours"]:
        if ranges and hour == ranges[-1][1] + 1:
            ranges[-1][1] = hour
        else:
            ranges.append([hour, hour])
    text = " ".join(f"{first:02}" if first == last else f"{first:02}-{last:02}" for first, last in ranges)
    return text if group["over"] else f"{text} (not over)"


def _apart(total: dict[str, Any]) -> Iterator[Table]:
    columns = ["<segment", "<model", "input", "cache read", "cache creation", "output"]
    keys = ("input", "cache_read", "cache_creation", "output")
    rows = [[part["segment"], part["model"], *(f"{part[key]:,}" for key in keys)] for part in total["apart"]]
    if rows or total["advisor"]["calls"]:
        calls = total["advisor"]
        notes = [f"Advisor calls: {calls['calls']:,}, in {_requests(calls['requests'])}."] if calls["calls"] else []
        if total["fallback_requests"]:
            notes.append(f"Served by a fallback model: {_requests(total['fallback_requests'])}.")
        yield Table("Apart from these: tokens in no top level", columns, rows, notes)


def _compactions(found: dict[str, Any]) -> Table:
    counts = found["counts"]
    if not found["list"]:
        return Table("Compactions: none", [], [])
    columns = ["<time", "<session", "<class", "<trigger", "preTokens", "real context", "ratio", "advisor", "<note"]
    rows = [
        [
            _time(made["time"]),
            made["session"][:8],
            made["class"],
            made["trigger"],
            f"{made['pre_tokens']:,}",
            _number(made["real_context"]),
            "-" if made["ratio"] is None else f"{made['ratio']:.2f}",
            str(made["advisor_calls"]),
            made["note"] or "",
        ]
        for made in found["list"][-_LISTED:]
    ]
    said = ", ".join(f"{number:,} {name}" for name, number in counts.items() if number)
    notes = _more(found["list"], "newest")
    if counts["doubled"] or counts["phantom"]:
        notes.append(
            "doubled: the client took a sum of segments for the context; phantom: preTokens over 1.3 times it."
        )
    return Table(f"Compactions: {said}", columns, rows, notes)


def _launches(found: list[dict[str, Any]]) -> Iterator[Table]:
    if not found:
        return
    columns = ["<time", "<kind", "<advisor off by", "window", "<session", "requests", "advisor calls", "peak real"]
    rows = [
        [
            _time(launch["time"]),
            launch["kind"],
            launch["advisor_off"],
            _number(launch["window"]),
            "denied" if launch["denied"] else (launch["session"] or "not found")[:9],
            str(launch["requests"]),
            str(launch["advisor_calls"]),
            _number(launch["peak_real_context"]),
            str(launch["compactions"]),
            {True: "yes", False: "no", None: "-"}[launch["holds"]],
            _asked(launch),
        ]
        for launch in found[-_LISTED:]
    ]
    yield Table("Launched sessions", [*columns, "compactions", "<holds", "<asked"], rows, _more(found, "newest"))


def _asked(launch: dict[str, Any]) -> str:
    """What is wrong with what a launch asked for."""
    if launch["advisor_off"] == "no" and not launch["window"] and all("not set" in fault for fault in launch["faults"]):
        return "nothing asked for"
    return "; ".join(launch["faults"]) or ("" if launch["effective"] else "only in the environment")


def _costs(found: list[dict[str, Any]]) -> Iterator[Table]:
    if not found:
        return
    equal = [row for row in found if row["verdict"] == "equal"]
    different = [row for row in found if row["verdict"] != "equal"]
    rows = [
        [
            row["session"][:8],
            row["model"],
            row["verdict"],
            *(_pair(row, field) for field in ("input", "cache_read", "cache_creation", "output")),
            "; ".join(row["reasons"]),
        ]
        for row in different[-_LISTED:]
    ]
    columns = ["<session", "<model", "<verdict", "input", "cache read", "cache creation", "output", "<known reasons"]
    title = f"The client's own record: {len(equal):,} of {len(found):,} equal on input and cache"
    notes = ["transcript/recorded where they differ", *_more(different, "last")] if different else []
    yield Table(title, columns, rows, notes)


def _pair(row: dict[str, Any], field: str) -> str:
    ours, theirs = row["transcript"][field], row["recorded"][field]
    return f"{ours:,}" if ours == theirs else f"{ours:,}/{theirs:,}"


def _hooks(found: dict[str, Any]) -> Iterator[Table]:
    if found["denials"]:
        columns = ["<denied by", "<kind", "times", "<reason"]
        rows = [
            [
                f"hook {row['hook']}" if row["hook"] else row["source"],
                row["kind"],
                f"{row['count']:,}",
                row["reason"] or "",
            ]
            for row in found["denials"]
        ]
        yield Table("Denied calls", columns, rows)
    if found["spills"]["reached_the_model"]:
        spills = found["spills"]
        yield Table(
            f"Spills that reached the model: {spills['reached_the_model']:,} in {spills['sessions']:,} sessions", [], []
        )
    if found["runs"]:
        columns = ["<event", "<hook", "runs", "errors", "median ms", "longest ms"]
        rows = [
            [
                row["event"],
                row["command"],
                f"{row['runs']:,}",
                f"{sum(row['errors'].values()):,}",
                _number(row["median_ms"]),
                _number(row["longest_ms"]),
            ]
            for row in found["runs"]
        ]
        yield Table("Hook runs that left a row", columns, rows)


def _denier(row: dict[str, Any]) -> str:
    return f"hook {row['hook']}" if row["hook"] else str(row["source"])


def _reading(found: dict[str, Any]) -> Iterator[Table]:
    notes = [f"{found[name]:,} {text}" for name, text in _PROBLEMS.items() if found[name]]
    if found["unknown_types"]:
        listed = ", ".join(f"{name} ({number:,})" for name, number in list(found["unknown_types"].items())[:8])
        notes.append(f"rows of unknown types: {listed}")
    notes += [f"not read: {item['file']}: {item['reason']}" for item in found["unreadable"][:_LISTED]]
    if notes:
        yield Table(f"Found while reading {found['rows']:,} rows", [], [], notes)


def _more(found: list[Any], which: str) -> list[str]:
    return [f"The {_LISTED} {which} of {len(found):,}; --json has all."] if len(found) > _LISTED else []


def _requests(number: int) -> str:
    return f"{number:,} request{'' if number == 1 else 's'}"


def _time(moment: str | None) -> str:
    return moment[:16].replace("T", " ") if moment else "no time"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"
