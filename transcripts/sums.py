"""Sums over requests, in groups: by day, session, model or kind."""

from __future__ import annotations

from operator import add, attrgetter
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from .usage import serving

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
)
_FIELDS = attrgetter(
    "keyed", "unfinished", "input", "cache_read", "cache_creation", "output", "context", "session", "time"
)


class Sum(Struct):
    """What a group of requests adds up to; advisor, declined and API-side compaction tokens stand apart.

    `first` and `last` are the moments at which its first and its last request began, empty where no time is known;
    `hours` those of days that have requests, `2026-11-30T09`.
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
        for name, numbers in other.apart.items():
            held = self.apart.setdefault(name, [0, 0, 0, 0])
            self.apart[name] = [a + b for a, b in zip(held, numbers, strict=True)]

    def add_segments(self, request: Request) -> None:
        """Add what a request's segments say beyond its top."""
        self.dropped_thinking += request.dropped
        calls, segments = request.advisor_calls, request.segments
        self.advisor_requests += calls > 0
        self.advisor_calls += calls
        fallback = any(part.kind == "fallback_message" for part in segments)
        self.fallback_requests += fallback
        used = serving(segments)
        for part in segments:
            if part in used:
                continue
            name = {"advisor_message": "advisor", "message": "declined"}.get(part.kind, part.kind or "unknown")
            held = self.apart.setdefault(f"{name} {part.model or request.model}", [0, 0, 0, 0])
            for index, number in enumerate(part.tokens):
                held[index] += number

    def as_json(self) -> dict[str, Any]:
        """The group's numbers; `apart` by kind of segment and model."""
        keys = ("input", "cache_read", "cache_creation", "output")
        return {
            "requests": self.requests,
            "without_request_id": self.without_request_id,
            "unfinished": self.unfinished,
            "sessions": len(self.sessions),
            "tokens": dict(zip(keys, (self.input, self.cache_read, self.cache_creation, self.output), strict=True)),
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
        if request.segments or request.advisor_blocks or request.dropped:
            made.add_segments(request)
    return made


# The group that a request belongs to, by what is grouped by.
GROUPS: dict[str, Callable[[Request, str], str]] = {
    "day": lambda request, _: request.time[:10] or "no time recorded",
    "session": lambda request, _: request.session,
    "model": lambda request, _: request.model or "not recorded",
    "kind": lambda _, kind: kind,
}
