"""What is kept of a transcript: small records, each with what tells its copies in other files apart from new ones.

Resume, fork and hand-over copy rows into other files, so nothing is summed before all files are known. The records of
one file are its `Digest`, which the index stores.
"""

from __future__ import annotations

from msgspec import Struct, field

from .usage import Segment


class Request(Struct, array_like=True, gc=False):
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
        segments: where they say more than the top does.
        advisor_blocks: ids of its calls of the advisor.
        unfinished: no row of it is complete: its output is a lower bound.
        notes: bits, `sums.KEPT_COMPLETE` and the like.
        dropped: thinking blocks that the API dropped from its input.
    """

    key: str
    message: str
    keyed: bool
    time: str
    session: str
    agent: str
    sidechain: bool
    model: str
    input: int = 0
    cache_read: int = 0
    cache_creation: int = 0
    output: int = 0
    context: int = 0
    segments: tuple[Segment, ...] = ()
    advisor_blocks: tuple[str, ...] = ()
    unfinished: bool = True
    notes: int = 0
    dropped: int = 0

    @property
    def tokens(self) -> tuple[int, int, int, int]:
        """The four counts on top."""
        return self.input, self.cache_read, self.cache_creation, self.output

    @property
    def volume(self) -> int:
        """What was read for it: the context of the usage on top."""
        return self.input + self.cache_read + self.cache_creation

    @property
    def advisor_calls(self) -> int:
        """The larger of its advisor segments and its call blocks: either may be missing."""
        return max(sum(part.kind == "advisor_message" for part in self.segments), len(self.advisor_blocks))

    @property
    def size(self) -> tuple[int, int]:
        """By which the fullest of its copies is found: the tokens on top, then those of the segments."""
        return self.volume + self.output, sum(sum(part.tokens) for part in self.segments)


class Before(Struct, array_like=True):
    """A request before a boundary: its key, real context, read volume and advisor calls."""

    key: str
    context: int
    volume: int
    advisor_calls: int


class Boundary(Struct, array_like=True):
    """A `compact_boundary` row.

    `before` holds the requests before it in its own file and lane, the nearest first; `follows` says that another
    boundary stands before it with no request in between.
    """

    uuid: str
    time: str
    session: str
    trigger: str
    before_tokens: int
    after_tokens: int
    before: list[Before]
    follows: bool


class CostState(Struct, array_like=True):
    """The last `cost-state` row of a file: cumulative tokens of the session by model, and requests told after it."""

    session: str
    models: dict[str, list[int]]
    later_requests: int


class Denial(Struct, array_like=True):
    """A tool call that was not allowed: `source` is hook, rule, user or another of the client's words."""

    uuid: str
    time: str
    session: str
    kind: str
    source: str
    tool_use_id: str
    reason: str
    sidechain: bool


class HookRun(Struct, array_like=True):
    """A hook's run that left a row: its outcome in the client's words, and milliseconds (-1 where not recorded)."""

    uuid: str
    time: str
    session: str
    event: str
    command: str
    outcome: str
    milliseconds: int


class Spill(Struct, array_like=True):
    """A pointer of the spill hook in a result that the model was given."""

    tool_use_id: str
    time: str
    session: str
    path: str


class Command(Struct, array_like=True):
    """A Bash command that may start a session, and the sessions that its result names (ids or their beginnings).

    `closed`: no result of it is awaited any more.
    """

    tool_use_id: str
    time: str
    session: str
    cwd: str
    text: str
    started: list[str]
    closed: bool = False


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
        requests: by key; none in the index, which keeps them apart.
        recent: for each lane (agent, or empty for the main one) the keys of its last requests since its last boundary,
            the newest last.
        counts: rows by what was wrong with them, or special: `rows`, `broken`, `blank`, `repaired`, `too_long`, `long`,
            `unfinished_line`, `foreign`; `odd_counts`: token counts that are none.
        unknown: rows of types that are not known, by type.
        synthetic: uuids of rows that the client made itself in the model's name.
    """

    evidence: Evidence = field(default_factory=Evidence)
    requests: dict[str, Request] = {}
    boundaries: list[Boundary] = []
    costs: list[CostState] = []
    denials: list[Denial] = []
    hooks: list[HookRun] = []
    spills: list[Spill] = []
    commands: list[Command] = []
    synthetic: list[str] = []
    recent: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    unknown: dict[str, int] = {}

    def count(self, what: str, number: int = 1) -> None:
        """Add to one of the counts."""
        self.counts[what] = self.counts.get(what, 0) + number
