"""The audit: from the transcripts to one report, a plain JSON value that text, tables and programs are made from."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from . import compactions, coststate, hookcheck, launches, sessions
from .digest import owner_of
from .requests import merged
from .sums import GROUPS, Sum, cells

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from .compactions import Compaction
    from .files import Found, Transcript
    from .launches import Launch
    from .records import CostState, Request
    from .sums import Cell

SCHEMA = 1  # of the report; raised when a field changes its meaning or goes away
_BROKEN = ("blank", "broken", "unfinished_line", "repaired", "foreign", "odd_counts", "long", "too_long")


class Filter(Struct, frozen=True):
    """What of the transcripts is wanted: moments (`since` included, `until` not), and the beginning of a session id."""

    since: str = ""
    until: str = ""
    session: str = ""

    def takes(self, time: str, session: str) -> bool:
        """Whether a record is wanted; one without a time is not wanted where a time is asked for."""
        if self.since and not time >= self.since:
            return False
        if self.until and not (time and time < self.until):
            return False
        return session.startswith(self.session)


class Audit:
    """All that is known of the transcripts, and the parts of the report."""

    def __init__(self, found: Found, wanted: Filter, hooks: Mapping[str, str]) -> None:
        self.found = found
        self.transcripts = found.transcripts
        self.wanted = wanted
        self.hooks = hooks
        self.requests = merged(self.transcripts, whole=bool(wanted.since or wanted.until))
        self.commands = launches.commands(self.transcripts)
        background = launches.started_in_background(self.commands)
        self.kinds = [sessions.kind_of_file(t.path, t.digest.evidence, background) for t in self.transcripts]
        self.compactions = compactions.paired(self.transcripts, self.requests)

    def report(self, by: str) -> dict[str, Any]:
        """The whole report, grouped by `day`, `session`, `model` or `kind`."""
        taken_cells = self._cells(self.wanted)
        total, groups, by_session = _merged(taken_cells, by)
        narrowed = self.wanted != Filter()
        whole, _, sessions_whole = _merged(self._cells(Filter()), by) if narrowed else (total, groups, by_session)
        timed = self.wanted.since or self.wanted.until
        taken = [made for made in self.compactions if self.wanted.takes(made.boundary.time, made.boundary.session)]
        return {
            "schema": SCHEMA,
            "scope": self._scope(total),
            "totals": total.as_json() | {"left_out": self._left_out()},
            "by": by,
            "groups": list(_grouped(by, groups, taken_cells)),
            "kinds": sessions.RECOGNISED,
            "compactions": _compactions(taken, self.kinds),
            "cost_state": self._costs(by_session.keys() if timed else None),
            "launches": self._launches(sessions_whole),
            "hooks": self._hooks(),
            "reading": self._reading(whole),
        }

    def _cells(self, wanted: Filter) -> list[tuple[Cell, str]]:
        """The sums of all requests that are wanted, each with the kind of its requests."""
        members: defaultdict[int, list[Request]] = defaultdict(list)
        for request, place in self.requests.counted.values():
            if wanted.takes(request.time, request.session):
                members[place].append(request)
        found = {place: cells(requests) for place, requests in members.items()}
        found |= {place: self.transcripts[place].requests.cells for place in self.requests.alone}
        return [
            (cell, sessions.kind_of(cell.sidechain, self.kinds[place]))
            for place in sorted(found)
            for cell in found[place]
            if cell.session.startswith(wanted.session)
        ]

    def _scope(self, total: Sum) -> dict[str, Any]:
        return {
            "files": len(self.transcripts),
            "bytes": self.found.bytes,
            "since": self.wanted.since or None,
            "until": self.wanted.until or None,
            "session": self.wanted.session or None,
            "time_zone": "UTC",
            "first": total.first or None,
            "last": total.last or None,
        }

    def _left_out(self) -> dict[str, int]:
        """What was not counted because it stands elsewhere, or is no request."""
        made = {uuid for transcript in self.transcripts for uuid in transcript.digest.synthetic}
        anomalies = self.requests.anomalies
        return {"copies": anomalies["copies"], "replays": anomalies["replays"], "client_made_rows": len(made)}

    def _costs(self, wanted: Collection[str] | None) -> list[dict[str, Any]]:
        """Each wanted session's last `cost-state` beside all its rows: the record knows no time."""
        latest: dict[str, tuple[int, CostState]] = {}
        for transcript in self.transcripts:
            for cost in transcript.digest.costs:
                total = sum(map(sum, cost.models.values()))
                if cost.session not in latest or total >= latest[cost.session][0]:
                    latest[cost.session] = (total, cost)
        compacted = {made.boundary.session for made in self.compactions}
        members = self._members()
        rows = []
        for name in sorted(latest):
            if not name.startswith(self.wanted.session) or (wanted is not None and name not in wanted):
                continue
            mine = members.get(name, [])
            held = self._held(mine)
            copied = any(self.transcripts[place].digest.evidence.origins for place in mine) or any(
                cell.session != name for cell in held
            )
            session = coststate.Session(held, name in compacted, copied)
            rows += [_cost_row(row) for row in coststate.reconcile(latest[name][1], session)]
        return rows

    def _held(self, places: list[int]) -> list[Cell]:
        """The sums of all requests that files hold, copies included."""
        standing: dict[str, Request] = {}
        held: list[Cell] = []
        for place in places:
            requests = self.transcripts[place].requests
            if place in self.requests.alone:
                held += requests.cells
            else:
                found = filter(None, map(self.requests.get, requests.read()))
                standing |= {request.key: request for request in found}
        return held + cells(standing.values())

    def _members(self) -> dict[str, list[int]]:
        """The places of each session's files, those of its agents included."""
        members: dict[str, list[int]] = {}
        for place, transcript in enumerate(self.transcripts):
            members.setdefault(session_of(transcript), []).append(place)
        return members

    def _launches(self, by_session: dict[str, Sum]) -> list[dict[str, Any]]:
        """The wanted launches, each with all of the session that it started."""
        known = {
            session_of(transcript): (transcript.digest.evidence.began, transcript.digest.evidence.prompt)
            for transcript, kind in zip(self.transcripts, self.kinds, strict=True)
            if kind in {sessions.MAIN, sessions.BACKGROUND, sessions.HEADLESS, sessions.TEAMMATE}
        }
        denied = {denial.tool_use_id for transcript in self.transcripts for denial in transcript.digest.denials}
        compacted = Counter(made.boundary.session for made in self.compactions)
        found = launches.joined(self.commands, known, denied)
        return [
            _launch_row(launch, by_session.get(launch.session, Sum()), compacted[launch.session])
            for launch in found
            if self.wanted.takes(launch.command.time, launch.command.session)
            or (self.wanted.session and launch.session.startswith(self.wanted.session))
        ]

    def _hooks(self) -> dict[str, Any]:
        return {
            "denials": hookcheck.denials(self._once("denials", "uuid"), self.hooks),
            "spills": hookcheck.spills(self._once("spills", "tool_use_id")),
            "runs": hookcheck.runs(self._once("hooks", "uuid")),
        }

    def _once(self, records: str, key: str) -> Iterator[Any]:
        """The wanted records of a kind, each once: a resume or fork copies their rows."""
        seen: set[str] = set()
        for place in self.requests.order:
            for record in getattr(self.transcripts[place].digest, records):
                name = getattr(record, key)
                if name and name in seen:
                    continue
                seen.add(name)
                if self.wanted.takes(record.time, record.session):
                    yield record

    def _reading(self, whole: Sum) -> dict[str, Any]:
        counts: Counter[str] = Counter()
        unknown: Counter[str] = Counter()
        for transcript in self.transcripts:
            counts.update(transcript.digest.counts)
            unknown.update(transcript.digest.unknown)
        return {
            "rows": counts["rows"],
            **{name: counts[name] for name in _BROKEN},
            "unknown_types": dict(unknown.most_common()),
            "unreadable": [{"file": path, "reason": reason} for path, reason in self.found.unreadable],
            "two_requests_one_message": self.requests.anomalies["two_requests_one_message"],
            "later_row_smaller": whole.shrunk,
            "last_row_incomplete": whole.kept_complete,
            "top_level_not_the_sum": whole.not_the_sum,
        }


def _merged(cells: list[tuple[Cell, str]], by: str) -> tuple[Sum, dict[str, Sum], dict[str, Sum]]:
    """The total, the sums by group and the sums by session."""
    total = Sum()
    groups: dict[str, Sum] = {}
    by_session: dict[str, Sum] = {}
    group_of = GROUPS[by]
    for cell, kind in cells:
        groups.setdefault(group_of(cell, kind), Sum()).merge(cell.sum)
        by_session.setdefault(cell.session, Sum()).merge(cell.sum)
    for group in groups.values():
        total.merge(group)
    return total, groups, by_session


def _grouped(by: str, groups: dict[str, Sum], cells: list[tuple[Cell, str]]) -> Iterator[dict[str, Any]]:
    """The rows of the groups; a session's kind is that of its main conversation, where that is known."""
    kinds = {cell.session: kind for cell, kind in sorted(cells, key=lambda found: not found[0].sidechain)}
    today = datetime.now(UTC).date().isoformat()
    order = sorted(groups, key=lambda name: (groups[name].first, name)) if by == "session" else sorted(groups)
    for name in order:
        row = {by: name, **groups[name].as_json()}
        if by == "day":
            row["hours"] = sorted(int(hour[11:13]) for hour in groups[name].hours)
            row["over"] = name < today or not name[:1].isdigit()
        if by == "session":
            row["kind"] = kinds.get(name)
        yield row


def session_of(transcript: Transcript) -> str:
    """The session a file belongs to: as its rows say, else by its place."""
    return transcript.digest.evidence.session or owner_of(transcript.path)


def _compactions(taken: list[Compaction], kinds: list[str]) -> dict[str, Any]:
    counted = Counter(made.verdict for made in taken)
    return {
        "paired": "with the last request before it in its own file",
        "counts": {name: counted[name] for name in compactions.CLASSES},
        "list": [
            {
                "time": made.boundary.time or None,
                "session": made.boundary.session,
                "kind": kinds[made.place],
                "class": made.verdict,
                "trigger": made.boundary.trigger,
                "pre_tokens": made.boundary.before_tokens,
                "post_tokens": made.boundary.after_tokens or None,
                "real_context": made.real_context or None,
                "top_level": made.top_level or None,
                "ratio": round(made.ratio, 2) if made.ratio else None,
                "advisor_calls": made.advisor_calls,
                "note": made.note or None,
            }
            for made in taken
        ],
    }


def _cost_row(row: coststate.Reconciled) -> dict[str, Any]:
    return {
        "session": row.session,
        "model": row.model,
        "verdict": row.verdict,
        "recorded": dict(zip(coststate.FIELDS, row.recorded, strict=True)),
        "transcript": dict(zip(coststate.FIELDS, row.counted, strict=True)),
        "reasons": row.reasons,
    }


def _launch_row(launch: Launch, session: Sum, compacted: int) -> dict[str, Any]:
    asked = launch.asked
    return {
        "time": launch.command.time or None,
        "launched_by": launch.command.session,
        "kind": asked.kind,
        "denied": launch.denied,
        "advisor_off": asked.advisor_off,
        "window": asked.window or None,
        "effective": asked.effective,
        "faults": asked.faults,
        "session": launch.session or None,
        "found_by": launch.found_by or None,
        "requests": session.requests,
        "advisor_calls": session.advisor_calls,
        "peak_real_context": session.peak_context or None,
        "compactions": compacted,
        "holds": _holds(launch, session),
    }


def _holds(launch: Launch, session: Sum) -> bool | None:
    """Whether the session kept to what was asked: no advisor call, context within the window; None: cannot be told."""
    asked = launch.asked
    if not session.requests or (asked.advisor_off == "no" and not asked.window):
        return None
    advised = asked.advisor_off != "no" and session.advisor_calls > 0
    return not advised and not (asked.window and session.peak_context > asked.window)
