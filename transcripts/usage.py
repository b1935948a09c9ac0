"""The `usage` of a request: its tokens, its segments, and how much context the model really saw.

`usage.iterations` lists the segments of a request. With the advisor, the fields on top are the sum over all segments
of the main model (`message`); the advisor's own (`advisor_message`) are in none of them. After a refusal the declined
model is the `message` segment, `fallback_message` is the one that served, and the top is that one alone. API-side
`compaction` segments are outside the top as well.

A fork or resume zeroes the top of rows that it copies, and leaves the segments: the top is then summed again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

_FLAT = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")


class Tokens(NamedTuple):
    """Token counts; a missing or foreign value counts as 0."""

    input: int
    cache_read: int
    cache_creation: int
    output: int

    @property
    def context(self) -> int:
        """What the model was given to read."""
        return self.input + self.cache_read + self.cache_creation


class Segment(NamedTuple):
    """One segment of `usage.iterations`; `model` is empty where it is the request's own."""

    kind: str
    model: str
    tokens: Tokens


class Used(NamedTuple):
    """What a usage object says.

    Attributes:
        top: the fields on top: the read volume.
        context: the real context: the largest serving segment, or the top where no segments are listed.
        segments: all of them, where they say more than the top does; else empty.
    """

    top: Tokens
    context: int
    segments: tuple[Segment, ...]


def measure(usage: dict[str, Any]) -> Used:
    """The tokens, real context and segments of a usage object."""
    top = tokens(usage)
    listed = usage.get("iterations")
    if not listed or not isinstance(listed, list) or (len(listed) == 1 and _same(listed[0], usage)):
        return Used(top, top[0] + top[1] + top[2], ())
    segments = tuple([_segment(part) for part in listed if isinstance(part, dict)])
    used = [part.tokens for part in serving(segments)]
    if used and not any(count(usage.get(name)) for name in _FLAT):
        top = Tokens(*map(sum, zip(*used, strict=True)))
    return Used(top, max([part.context for part in used], default=top.context), segments)


def _same(part: Any, usage: dict[str, Any]) -> bool:
    """Whether a segment is the main model's and says what the top says."""
    return (
        isinstance(part, dict)
        and part.get("type") == "message"
        and part.get("input_tokens") == usage.get("input_tokens")
        and part.get("cache_read_input_tokens") == usage.get("cache_read_input_tokens")
        and part.get("cache_creation_input_tokens") == usage.get("cache_creation_input_tokens")
        and part.get("output_tokens") == usage.get("output_tokens")
    )


def serving(segments: tuple[Segment, ...]) -> list[Segment]:
    """The segments whose answer was used: of the fallback model where there is one, else of the main model."""
    fallback = [part for part in segments if part.kind == "fallback_message"]
    return fallback or [part for part in segments if part.kind == "message"]


def tokens(usage: dict[str, Any]) -> Tokens:
    """The four counts of a usage object or a segment.

    Clients before 2.1.152 wrote the flat cache creation as 0 where only the nested one was given.
    """
    read, cached = usage.get("input_tokens"), usage.get("cache_read_input_tokens")
    created, told = usage.get("cache_creation_input_tokens"), usage.get("output_tokens")
    if not type(read) is type(cached) is type(created) is type(told) is int or min(read, cached, created, told) < 0:
        read, cached, created, told = count(read), count(cached), count(created), count(told)
    if not created:
        nested = usage.get("cache_creation")
        if isinstance(nested, dict):
            created = count(nested.get("ephemeral_5m_input_tokens")) + count(nested.get("ephemeral_1h_input_tokens"))
    return Tokens(read, cached, created, told)


def _segment(part: dict[str, Any]) -> Segment:
    kind, model = part.get("type"), part.get("model")
    return Segment(kind if isinstance(kind, str) else "", model if isinstance(model, str) else "", tokens(part))


def count(value: Any) -> int:
    """A count as the client writes it; 0 for anything else."""
    if type(value) is int:
        return max(0, value)
    return int(value) if isinstance(value, float) and value > 0 and value.is_integer() else 0
