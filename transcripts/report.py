"""The audit's report for a person: the answer to each question in a table, in the order in which they are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import table
from .table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

_LISTED = 25  # rows of a list; --json has all

_OF_SESSION = ("requests", "advisor_calls", "peak_real_context", "compactions")
_CLASSES = {
    "doubled": "the client took the top level, a sum of segments, for the context, and compacted far too early",
    "phantom": "the client took the context (preTokens) for over 1.3 times what the request before it really held",
    "genuine": "the context was about as large as the client took it for",
    "unknown": "no request before it to compare with",
}
# What can be found while reading: of one, and of more.
_PROBLEMS = {
    "broken": ("line that is no JSON object", "lines that are no JSON object"),
    "unfinished_line": ("unfinished last line", "unfinished last lines"),
    "repaired": (
        "row read in spite of bytes that are not UTF-8, half a surrogate pair or NaN",
        "rows read in spite of bytes that are not UTF-8, half surrogate pairs or NaN",
    ),
    "foreign": ("assistant row of another shape", "assistant rows of another shape"),
    "odd_counts": ("token count that is none, taken as 0", "token counts that are none, taken as 0"),
    "long": ("line over 8 MiB", "lines over 8 MiB"),
    "too_long": ("line over 64 MiB, left out", "lines over 64 MiB, left out"),
    "two_requests_one_message": (
        "message with two request ids in the main conversation, counted as two",
        "messages with two request ids in the main conversation, counted as two",
    ),
    "later_row_smaller": (
        "request whose last row told less output than an earlier one; the last counts",
        "requests whose last row told less output than an earlier one; the last counts",
    ),
    "last_row_incomplete": (
        "request whose last row was incomplete; an earlier one counts",
        "requests whose last row was incomplete; an earlier one counts",
    ),
    "top_level_not_the_sum": (
        "request whose top level is not the sum of its segments",
        "requests whose top level is not the sum of its segments",
    ),
}


def show(report: dict[str, Any]) -> None:
    """Print the report."""
    table.show(_heading(report), tables(report))


def tables(report: dict[str, Any]) -> Iterator[Table]:
    """The tables of a report; those that have nothing to say are left out."""
    yield _groups(report)
    yield from _apart(report["totals"])
    yield _compactions(report["compactions"])
    yield from _launches(report["launches"])
    yield from _costs(report["cost_state"])
    yield from _hooks(report["hooks"])
    yield from _reading(report["reading"])


def _heading(report: dict[str, Any]) -> str:
    scope = report["scope"]
    span = "times not recorded" if report["totals"]["requests"] else "no request"
    if scope["first"]:
        span = f"{_time(scope['first'])} to {_time(scope['last'])} UTC"
    return f"{_many(scope['files'], 'transcript')}, {scope['bytes'] / 1e6:,.1f} MB · {span}{_asked_for(scope)}"


def _asked_for(scope: dict[str, Any]) -> str:
    """What the requests of a report were narrowed to."""
    given = [f"--{name} {_time(scope[name])}" for name in ("since", "until") if scope[name]]
    given += [f"--session {scope['session']}"] if scope["session"] else []
    return f" with {' '.join(given)}" if given else ""


def _groups(report: dict[str, Any]) -> Table:
    by, total = report["by"], report["totals"]
    columns = [f"<{by}", "requests", "peak real context", "peak top level", "read volume", "output", "advisor calls"]
    columns += {"day": ["<hours (UTC)"], "session": ["<kind"]}.get(by, [])
    rows = []
    for group in report["groups"]:
        name = group[by]
        extra = {"day": [_hours(group)] if by == "day" else [], "session": [group.get("kind") or ""]}.get(by, [])
        rows.append([name, *_numbers(group), *extra])
    if len(rows) != 1:
        rows.append(["total", *_numbers(total), *([""] if by in {"day", "session"} else [])])
    notes = [f"{group['kind']}: {report['kinds'][group['kind']]}" for group in report["groups"] if by == "kind"]
    notes += _about(total, narrowed=bool(_asked_for(report["scope"])))
    return Table(f"Requests by {by}", columns, rows, notes, total=len(rows) > 1)


def _about(total: dict[str, Any], *, narrowed: bool) -> Iterator[str]:
    """What the numbers mean, and what is not in them."""
    if total["requests"]:
        yield (
            "In tokens. Real context is what the model read at once. The top level is what the client records of a "
            "request: with the advisor, the sum over its segments. Read volume is all top levels together."
        )
    left = total["left_out"]
    counted = [
        _many(left["copies"], "copy in another file", "copies in other files"),
        _many(left["replays"], "replay of a message", "replays of messages"),
        _many(left["client_made_rows"], "row the client made itself", "rows the client made itself"),
    ]
    if total["without_request_id"]:
        yield f"Counted by their message, for want of a request id: {_many(total['without_request_id'], 'request')}."
    if any(left.values()) and not narrowed:
        yield f"Left out: {', '.join(said for said in counted if not said.startswith('0 '))}."
    if total["unfinished"]:
        yield f"Output is a lower bound: {_many(total['unfinished'], 'request')} never got a final row."
    if total["thinking_blocks_dropped"]:
        dropped = _many(total["thinking_blocks_dropped"], "thinking block")
        yield f"The API dropped {dropped}: they no longer fitted the history before them."


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
    return text if group["over"] else f"{text} (day not over)"


def _apart(total: dict[str, Any]) -> Iterator[Table]:
    columns = ["<segment", "<model", "input", "cache read", "cache creation", "output"]
    keys = ("input", "cache_read", "cache_creation", "output")
    rows = [[part["segment"], part["model"], *(f"{part[key]:,}" for key in keys)] for part in total["apart"]]
    if rows or total["advisor"]["calls"]:
        calls = total["advisor"]
        notes = (
            [f"Advisor calls: {calls['calls']:,}, in {_many(calls['requests'], 'request')}."] if calls["calls"] else []
        )
        if total["fallback_requests"]:
            notes.append(f"Served by a fallback model: {_many(total['fallback_requests'], 'request')}.")
        yield Table("Apart from these: tokens in no top level", columns, rows, [*notes, *_segments(total["apart"])])


def _segments(parts: list[dict[str, Any]]) -> list[str]:
    """What the segments are whose names do not say it."""
    if any(part["segment"] == "declined" for part in parts):
        return ["declined: read by a model that refused, before another one served the request"]
    return []


def _compactions(found: dict[str, Any]) -> Table:
    counts = found["counts"]
    if not found["list"]:
        return Table("Compactions: none", [], [])
    columns = ["<time", "<session", "<kind", "<class", "<trigger", "preTokens", "top level", "real context", "ratio"]
    rows = [
        [
            _time(made["time"]),
            made["session"][:8],
            made["kind"],
            made["class"],
            made["trigger"],
            f"{made['pre_tokens']:,}",
            _number(made["top_level"]),
            _number(made["real_context"]),
            "-" if made["ratio"] is None else f"{made['ratio']:.2f}",
            str(made["advisor_calls"]),
            made["note"] or "",
        ]
        for made in found["list"][-_LISTED:]
    ]
    said = ", ".join(f"{number:,} {name}" for name, number in counts.items() if number)
    notes = [*_more(found["list"], "newest"), *(f"{name}: {_CLASSES[name]}" for name in counts if counts[name])]
    notes.append("top level, real context and advisor calls are those of the request before it")
    return Table(f"Compactions: {said}", [*columns, "advisor calls", "<note"], rows, notes)


def _launches(found: list[dict[str, Any]]) -> Iterator[Table]:
    if not found:
        return
    from cchooks_suite.hooks.launches import FLAGS

    columns = ["<time", "<with", "<advisor off by", "window", "<session", "requests", "advisor calls"]
    rows = [
        [
            _time(launch["time"]),
            FLAGS[launch["kind"]],
            launch["advisor_off"],
            _number(launch["window"]),
            "denied" if launch["denied"] else (launch["session"][:8] if launch["session"] else "not found"),
            *(_number(launch[name] if launch["requests"] else None) for name in _OF_SESSION),
            {True: "yes", False: "no", None: "-"}[launch["holds"]],
            _asked(launch),
        ]
        for launch in found[-_LISTED:]
    ]
    notes = ["holds: no advisor call where it was switched off, no context over the window; -: cannot be told"]
    title = f"Sessions launched with claude --bg or -p: {len(found):,}"
    columns += ["peak real context", "compactions", "<holds", "<what the command lacks"]
    yield Table(title, columns, rows, [*_more(found, "newest"), *notes])


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
    title = (
        f"The client's own totals (cost-state) by session and model: {len(equal):,} of {len(found):,} as counted here"
    )
    notes = (
        ["where two numbers stand: counted here/recorded by the client", *_more(different, "last")] if different else []
    )
    yield Table(title, columns, rows, notes if different else [])


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
        notes = ["by a hook, by a rule of the settings (config) or by the user; kind: the client's own word for it"]
        yield Table("Denied calls", columns, rows, notes)
    if found["spills"]["reached_the_model"]:
        spills = found["spills"]
        said = f"{spills['reached_the_model']:,} in {_many(spills['sessions'], 'session')}"
        yield Table(f"Spills whose pointer reached the model: {said}", [], [])
    if found["runs"]:
        columns = ["<event", "<hook", "runs", "errors", "median ms", "longest ms"]
        rows = [
            [
                row["event"],
                row["command"],
                f"{row['runs']:,}",
                f"{sum(row['errors'].values()):,}",
                "-" if row["median_ms"] is None else f"{row['median_ms']:,.1f}".removesuffix(".0"),
                _number(row["longest_ms"]),
            ]
            for row in found["runs"]
        ]
        yield Table("Hook runs in the transcripts", columns, rows, ["a run that says nothing leaves no trace there"])


def _reading(found: dict[str, Any]) -> Iterator[Table]:
    notes = [_many(found[name], *texts) for name, texts in _PROBLEMS.items() if found[name]]
    if found["unknown_types"]:
        listed = ", ".join(f"{name} ({number:,})" for name, number in list(found["unknown_types"].items())[:8])
        notes.append(f"rows of unknown types: {listed}")
    notes += [f"not read: {item['file']}: {item['reason']}" for item in found["unreadable"][:_LISTED]]
    if notes:
        yield Table(f"Found while reading {_many(found['rows'], 'row')}", [], [], notes)


def _more(found: list[Any], which: str) -> list[str]:
    return [f"The {_LISTED} {which} of {len(found):,}; --json has all."] if len(found) > _LISTED else []


def _many(number: int, one: str, more: str = "") -> str:
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"


def _time(moment: str | None) -> str:
    return moment[:16].replace("T", " ") if moment else "no time"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"
