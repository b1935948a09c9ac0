"""Sums over requests, in groups: by day, session, model or kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .usage import serving

if TYPE_CHECKING:
    from .records import Request

GROUPS = ("day", "session", "model", "kind")


@dataclass
class Sum:
    """What a group of requests adds up to; advisor, declined and API-side compaction tokens stand apart."""

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

    def add(self, request: Request) -> None:
        """Add one request."""
        self.requests += 1
        self.without_request_id += not request.keyed
        self.unfinished += request.unfinished
        self.input += request.input
        self.cache_read += request.cache_read
        self.cache_creation += request.cache_creation
        self.output += request.output
        self.peak_context = max(self.peak_context, request.context)
        self.peak_top_level = max(self.peak_top_level, request.volume)
        self.dropped_thinking += request.dropped
        self.sessions.add(request.session)
        if request.time:
            self.first = min(self.first or request.time, request.time)
            self.last = max(self.last, request.time)
            self.hours.add(request.time[:13])
        if request.parts or request.advisor_blocks:
            self._add_segments(request)

    def _add_segments(self, request: Request) -> None:
        calls, segments = request.advisor_calls, request.segments
        self.advisor_requests += calls > 0
        self.advisor_calls += calls
        fallback = any(part.kind == "fallback_message" for part in segments)
        self.fallback_requests += fallback
        used = serving(tuple(segments))
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


def group_of(by: str, request: Request, kind: str) -> str:
    """The name of the group that a request belongs to."""
    if by == "day":
        return request.time[:10] or "no time recorded"
    return {"session": request.session, "model": request.model or "not recorded", "kind": kind}[by]
