"""What is kept of a transcript: small records, each with what tells its copies in other files apart from new ones.

Resume, fork and hand-over copy rows into other files, so nothing is summed before all files are known. The records of
one file are its `Digest`, which the index stores.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from msgspec import Struct, field

from .usage import Segment, Tokens

# Notes on a request, as bits.
KEPT_COMPLETE = 1  # its last row was incomplete, an earlier one was not and counts
SHRUNK = 2  # a later row told fewer output tokens than an earlier one
EMBEDDED = 4  # read from a progress row of the parent's file
NOT_THE_SUM = 8  # the top is not the sum over the serving segments


class Request(NamedTuple):
    """One request as one file tells it.

    Attributes:
        key: requestId, else message.id, else the row's uuid.
        message: message.id, or empty.
        keyed: whether it has a requestId.
        time: of its first row; empty where there is none.
        agent: agentId of a sidechain row, or empty.
        sidechain: whether it is outside the main conversation of its file.
        input, cache_read, cache_creation, output: its usage on top.
        context: its real context.
        parts: its segments where they say more than the top does, see `segments`.
        advisor_blocks: ids of its calls of the advisor.
        unfinished: no row of it is complete: its output is a lower bound.
        notes: `KEPT_COMPLETE` and the like.
        dropped: thinking blocks that the API dropped from its input.
        origin: the session that a copied row says it was made in, or empty.
    """

    key: str
    message: str
    keyed: bool
    time: str
    session: str
    agent: str
    sidechain: bool
    model: str
    input: int
    cache_read: int
    cache_creation: int
    output: int
    context: int
    parts: list[list[Any]]
    advisor_blocks: list[str]
    unfinished: bool
    notes: int
    dropped: int
    origin: str

    @property
    def volume(self) -> int:
        """What was read for it: the context of the usage on top."""
        return self.input + self.cache_read + self.cache_creation

    @property
    def segments(self) -> list[Segment]:
        """Its segments, where they say more than the top does."""
        return [Segment(kind, model, Tokens(*counts)) for kind, model, *counts in self.parts]

    @property
    def advisor_calls(self) -> int:
        """The larger of its advisor segments and its call blocks: either may be missing."""
        return max(sum(bool(part[0] == "advisor_message") for part in self.parts), len(self.advisor_blocks))

    @property
    def size(self) -> tuple[int, int]:
        """By which the fullest of its copies is found: the tokens on top, then those of the segments."""
        return self.volume + self.output, sum(sum(part.tokens) for part in self.segments)


# Places in a request that is being made, a list of its fields.
KEY, MESSAGE, KEYED, TIME, SESSION, AGENT, SIDECHAIN, MODEL, TOP = range(9)
OUTPUT, CONTEXT, PARTS, ADVISOR_BLOCKS, UNFINISHED, NOTES, DROPPED, ORIGIN = range(11, 19)


class Boundary(NamedTuple):
    """A `compact_boundary` row.

    `before` holds the keys of the requests before it in its own file and lane, the nearest first; `follows` says that
    another boundary stands before it with no request in between.
    """

    uuid: str
    time: str
    session: str
    trigger: str
    before_tokens: int
    after_tokens: int
    before: list[str]
    follows: bool


class CostState(NamedTuple):
    """The last `cost-state` row of a file: cumulative tokens of the session by model, and requests told after it."""

    session: str
    models: dict[str, list[int]]
    later_requests: int


class Denial(NamedTuple):
    """A tool call that was not allowed: `source` is hook, rule, user or another of the client's words."""

    uuid: str
    time: str
    session: str
    kind: str
    source: str
    tool_use_id: str
    reason: str
    sidechain: bool


class HookRun(NamedTuple):
    """A hook's run that left a row: its outcome in the client's words, and milliseconds (-1 where not recorded)."""

    uuid: str
    time: str
    session: str
    event: str
    command: str
    outcome: str
    milliseconds: int


class Spill(NamedTuple):
    """A pointer of the spill hook in a result that the model was given."""

    tool_use_id: str
    time: str
    session: str
    path: str


class Command(NamedTuple):
    """A Bash command that may start a session, and the sessions that its result names (ids or their beginnings)."""

    tool_use_id: str
    time: str
    session: str
    cwd: str
    text: str
    started: list[str]


class Evidence(Struct):
    """What rows of a file say about the kind of session they are from, and what a launch is found by."""

    session: str = ""
    entrypoint: str = ""
    session_kind: str = ""
    team: str = ""
    version: str = ""
    cwd: str = ""
    began: str = ""
    prompt: str = ""  # digest of the first prompt's text
    origins: int = 0  # rows that say they were copied


class Digest(Struct):
    """All that is kept of one file.

    Attributes:
        requests: by key, each a list of the fields of `Request`.
        recent: for each lane (agent, or empty for the main one) the keys of its last requests since its last boundary,
            the newest last.
        counts: rows by what was wrong with them, or special: `rows`, `broken`, `repaired`, `too_long`, `long`,
            `unfinished_line`, `foreign`.
        unknown: rows of types that are not known, by type.
        synthetic: uuids of rows that the client made itself in the model's name.
    """

    evidence: Evidence = field(default_factory=Evidence)
    requests: dict[str, list[Any]] = field(default_factory=dict)
    boundaries: list[Boundary] = field(default_factory=list)
    costs: list[CostState] = field(default_factory=list)
    denials: list[Denial] = field(default_factory=list)
    hooks: list[HookRun] = field(default_factory=list)
    spills: list[Spill] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    synthetic: list[str] = field(default_factory=list)
    recent: dict[str, list[str]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)


_LISTS: dict[str, Any] = {
    "boundaries": Boundary,
    "costs": CostState,
    "denials": Denial,
    "hooks": HookRun,
    "spills": Spill,
    "commands": Command,
}


def packed(digest: Digest) -> dict[str, Any]:
    """The digest as plain JSON values, for `unpacked`."""
    return {
        "evidence": [getattr(digest.evidence, name) for name in Evidence.__struct_fields__],
        "requests": list(digest.requests.values()),
        **{name: [tuple(record) for record in getattr(digest, name)] for name in _LISTS},
        "synthetic": digest.synthetic,
        "recent": digest.recent,
        "counts": digest.counts,
        "unknown": digest.unknown,
    }


def unpacked(values: dict[str, Any]) -> Digest:
    """The digest again.

    Raises:
        LookupError, TypeError, ValueError: the values are not a packed digest.
    """
    if any(len(made) != len(Request._fields) for made in values["requests"]):
        raise ValueError("a request of another shape")
    return Digest(
        evidence=Evidence(*values["evidence"]),
        requests={made[KEY]: made for made in values["requests"]},
        **{name: [record(*row) for row in values[name]] for name, record in _LISTS.items()},
        synthetic=values["synthetic"],
        recent=values["recent"],
        counts=Counter(values["counts"]),
        unknown=Counter(values["unknown"]),
    )
