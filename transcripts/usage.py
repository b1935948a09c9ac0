"""The `usage` of a request: its tokens, its segments, and how much context the model really saw.

`usage.iterations` lists the segments of a request. With the advisor, the fields on top are the sum over all segments
of the main model (`message`); the advisor's own (`advisor_message`) are in none of them. After a refusal the declined
model is the `message` segment, `fallback_message` is the one that served, and the top is that one alone. API-side
`compaction` segments are outside the top as well.

A fork or resume zeroes the top of rows that it copies, and leaves the segments: the top is then summed again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from msgspec import Meta, Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST = 1 << 53  # a larger number is no count
Count = Annotated[int, Meta(ge=0, le=_MOST)]
_COUNTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
_CREATED = ("ephemeral_1h_input_tokens", "ephemeral_5m_input_tokens")


class Created(Struct, gc=False):
    """The cache creation of a usage object, by how long it lives."""

    ephemeral_1h_input_tokens: Count = 0
    ephemeral_5m_input_tokens: Count = 0


class Counts(Struct, gc=False):
    """The counts of a usage object or of one of its segments, as the client writes them."""

    input_tokens: Count = 0
    cache_creation_input_tokens: Count = 0
    cache_read_input_tokens: Count = 0
    output_tokens: Count = 0
    cache_creation: Created | None = None


class Part(Counts, gc=False):
    """One element of `iterations`."""

    type: str | None = None
    model: str | None = None


class Usage(Counts, gc=False):
    """A usage object."""

    iterations: list[Part] | None = None


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


class Segment(Struct, array_like=True):
    """One segment of `usage.iterations`; `model` is empty where it is the request's own."""

    kind: str
    model: str
    tokens: Tokens


class Used(Struct):
    """What a usage object says.

    Attributes:
        top: the fields on top: the read volume.
        context: the real context: the largest serving segment, or the top where no segments are listed.
        segments: all of them, where they say more than the top does; else empty.
    """

    top: Tokens
    context: int
    segments: tuple[Segment, ...]


def measure(values: dict[str, Any]) -> Used:
    """The tokens, real context and segments of a usage object of any shape."""
    return measured(usage_of(values))


def measured(usage: Usage) -> Used:
    """The tokens, real context and segments of a usage object."""
    top = tokens(usage)
    if is_plain(usage):
        return Used(top, top.context, ())
    segments = tuple([Segment(part.type or "", part.model or "", tokens(part)) for part in usage.iterations or ()])
    used = [part.tokens for part in serving(segments)]
    if used and not (
        usage.input_tokens or usage.cache_read_input_tokens or usage.cache_creation_input_tokens or usage.output_tokens
    ):
        top = Tokens(*map(sum, zip(*used, strict=True)))
    return Used(top, max([part.context for part in used], default=top.context), segments)


def is_plain(usage: Usage) -> bool:
    """Whether the top says it all: no segments are listed, or only one of the main model that says the same."""
    listed = usage.iterations
    if not listed:
        return True
    part = listed[0]
    return (
        len(listed) == 1
        and part.type == "message"
        and part.input_tokens == usage.input_tokens
        and part.cache_read_input_tokens == usage.cache_read_input_tokens
        and part.cache_creation_input_tokens == usage.cache_creation_input_tokens
        and part.output_tokens == usage.output_tokens
    )


def serving(segments: Sequence[Segment]) -> list[Segment]:
    """The segments whose answer was used: of the fallback model where there is one, else of the main model."""
    fallback = [part for part in segments if part.kind == "fallback_message"]
    return fallback or [part for part in segments if part.kind == "message"]


def tokens(counts: Counts) -> Tokens:
    """The four counts of a usage object or a segment."""
    return Tokens(counts.input_tokens, counts.cache_read_input_tokens, created(counts), counts.output_tokens)


def created(counts: Counts) -> int:
    """The cache creation; clients before 2.1.152 wrote the flat one as 0 where only the nested one was given."""
    nested = counts.cache_creation
    if counts.cache_creation_input_tokens or nested is None:
        return counts.cache_creation_input_tokens
    return nested.ephemeral_5m_input_tokens + nested.ephemeral_1h_input_tokens


def usage_of(values: dict[str, Any]) -> Usage:
    """What is usable of a usage object of any shape."""
    listed = values.get("iterations")
    parts = [_part(part) for part in listed if isinstance(part, dict)] if isinstance(listed, list) else None
    return Usage(*_counts(values), iterations=parts)


def _part(values: dict[str, Any]) -> Part:
    kind, model = values.get("type"), values.get("model")
    return Part(
        *_counts(values), type=kind if isinstance(kind, str) else "", model=model if isinstance(model, str) else ""
    )


def _counts(values: dict[str, Any]) -> tuple[int, int, int, int, Created]:
    nested = values.get("cache_creation")
    nested = nested if isinstance(nested, dict) else {}
    return (
        count(values.get("input_tokens")),
        count(values.get("cache_creation_input_tokens")),
        count(values.get("cache_read_input_tokens")),
        count(values.get("output_tokens")),
        Created(*(count(nested.get(name)) for name in _CREATED)),
    )


def count(value: Any) -> int:
    """A count as the client writes it; 0 for anything else."""
    if type(value) is int:
        return value if 0 <= value <= _MOST else 0
    return int(value) if isinstance(value, float) and 0 < value <= _MOST and value.is_integer() else 0


def odd(values: dict[str, Any]) -> int:
    """How many counts of a usage object, its segments included, are no counts and were taken as 0."""
    listed = values.get("iterations")
    parts = [values, *(part for part in listed if isinstance(part, dict))] if isinstance(listed, list) else [values]
    given = [part.get(name) for part in parts for name in _COUNTS]
    nested = [part["cache_creation"] for part in parts if isinstance(part.get("cache_creation"), dict)]
    given += [part.get(name) for part in nested for name in _CREATED]
    return sum(value is not None and count(value) != value for value in given)
