"""Sums over requests, in groups: by day, session, model or kind."""

from __future__ import annotations

from collections import defaultdict
from operator import add, attrgetter
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from .usage import serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .records import Request

_ADDED = (
    "requests",
    "without_request_id",
    "unfinished",
    "input",
    "cache_read",
    "cache_creation",
    "output",
    "advisor_requests",
    "advisor_calls",
    "fallback_requests",
    "dropped_thinking",
    "kept_complete",
    "shrunk",
    "not_the_sum",
)
# Notes on a request, as bits.
KEPT_COMPLETE = 1  # its last row was incomplete, an earlier one was not and counts
SHRUNK = 2  # a later row told fewer output tokens than an earlier one
EMBEDDED = 4  # read from a progress row of the parent's file
NOT_THE_SUM = 8  # the top is not the sum over the serving segments

_FIELDS = attrgetter(
    "keyed", "unfinished", "input", "cache_read", "cache_creation", "output", "context", "session", "time"
)


class Sum(Struct, array_like=True):
    """What a group of requests adds up to; advisor, declined and API-side compaction tokens stand apart.

    `first` and `last` are the moments at which its first and its last request began, empty where no time is known;
    `hours` those of days that have requests, `2026-11-30T09`. `advised` are the tokens on top of requests with advisor
    calls, in the order of the four counts.
    """

    requests: int = 0
    without_request_id: int = 0
    unfinished: int = 0
    input: int = 0
    cache_read: int = 0
    cache_creation: int = 0
    output: int = 0
    peak_context: int = 0
    peak_top_level: int = 0
    advisor_requests: int = 0
    advisor_calls: int = 0
    fallback_requests: int = 0
    dropped_thinking: int = 0
    kept_complete: int = 0
    shrunk: int = 0
    not_the_sum: int = 0
    advised: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    apart: dict[str, list[int]] = field(default_factory=dict)
    sessions: set[str] = field(default_factory=set)
    first: str = ""
    last: str = ""
    hours: set[str] = field(default_factory=set)

    def merge(self, other: Sum) -> None:
        """Add another sum."""
        for name in _ADDED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.peak_context = max(self.peak_context, other.peak_context)
        self.peak_top_level = max(self.peak_top_level, other.peak_top_level)
        self.sessions |= other.sessions
        self.first = min(filter(None, (self.first, other.first)), default="")
        self.last = max(self.last, other.last)
        self.hours |= other.hours
        self.advised = list(map(add, self.advised, other.advised))
        for name, numbers in other.apart.items():
            self.apart[name] = list(map(add, self.apart.get(name, [0, 0, 0, 0]), numbers))

    @property
    def tokens(self) -> list[int]:
        """The four counts on top."""
        return [self.input, self.cache_read, self.cache_creation, self.output]

    def add_special(self, request: Request) -> None:
        """Add what a request's segments, calls and notes say beyond its top."""
        self.dropped_thinking += request.dropped
        self.kept_complete += bool(request.notes & KEPT_COMPLETE)
        self.shrunk += bool(request.notes & SHRUNK)
        self.not_the_sum += bool(request.notes & NOT_THE_SUM)
        calls, segments = request.advisor_calls, request.segments
        if calls:
            self.advisor_requests += 1
            self.advisor_calls += calls
            self.advised = list(map(add, self.advised, request.tokens))
        fallback = any(part.kind == "fallback_message" for part in segments)
        self.fallback_requests += fallback
        used = serving(segments)
        for part in segments:
            if part in used:
                continue
            name = {"advisor_message": "advisor", "message": "declined"}.get(part.kind, part.kind or "unknown")
            place = f"{name} {part.model or request.model}"
            self.apart[place] = list(map(add, self.apart.get(place, [0, 0, 0, 0]), part.tokens))

    def as_json(self) -> dict[str, Any]:
        """The group's numbers; `apart` by kind of segment and model."""
        keys = ("input", "cache_read", "cache_creation", "output")
        return {
            "requests": self.requests,
            "without_request_id": self.without_request_id,
            "unfinished": self.unfinished,
            "sessions": len(self.sessions),
            "tokens": dict(zip(keys, self.tokens, strict=True)),
            "read_volume": self.input + self.cache_read + self.cache_creation,
            "peak_real_context": self.peak_context,
            "peak_top_level": self.peak_top_level,
            "advisor": {"requests": self.advisor_requests, "calls": self.advisor_calls},
            "fallback_requests": self.fallback_requests,
            "thinking_blocks_dropped": self.dropped_thinking,
            "apart": [
                {"segment": name.split(" ", 1)[0], "model": name.split(" ", 1)[1], **dict(zip(keys, held, strict=True))}
                for name, held in sorted(self.apart.items())
            ],
            "first": self.first or None,
            "last": self.last or None,
        }


def summed(requests: Sequence[Request]) -> Sum:
    """The sum over some requests, at least one, a field of all of them at a time."""
    columns = zip(*map(_FIELDS, requests), strict=True)
    keyed, unfinished, given, read, created, output, context, session, time = columns
    times = list(filter(None, time))
    made = Sum(
        requests=len(requests),
        without_request_id=len(requests) - sum(keyed),
        unfinished=sum(unfinished),
        input=sum(given),
        cache_read=sum(read),
        cache_creation=sum(created),
        output=sum(output),
        peak_context=max(context),
        peak_top_level=max(map(add, map(add, given, read), created)),
        sessions=set(session),
        first=min(times, default=""),
        last=max(times, default=""),
        hours={time[:13] for time in times},
    )
    for request in requests:
        if request.segments or request.advisor_blocks or request.dropped or request.notes:
            made.add_special(request)
    return made


class Cell(Struct, array_like=True):
    """The sum over requests that every way of grouping keeps together; `day` is empty where no time is known."""

    day: str
    session: str
    model: str
    sidechain: bool
    sum: Sum


def cells(requests: Iterable[Request]) -> list[Cell]:
    """The sums over requests by day, session, model and whether they are outside the main conversation."""
    found: defaultdict[tuple[str, str, str, bool], list[Request]] = defaultdict(list)
    for request in requests:
        found[request.time[:10], request.session, request.model, request.sidechain].append(request)
    return [Cell(*place, summed(members)) for place, members in found.items()]


# The group that a cell of a file of some kind belongs to, by what is grouped by.
GROUPS: dict[str, Callable[[Cell, str], str]] = {
    "day": lambda cell, _: cell.day or "no time recorded",
    "session": lambda cell, _: cell.session,
    "model": lambda cell, _: cell.model or "not recorded",
    "kind": lambda _, kind: kind,
}
