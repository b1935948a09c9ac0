"""Assistant rows into requests: a row for each content block, the last one with the usage that counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .moments import moment
from .records import Request
from .sums import KEPT_COMPLETE, NOT_THE_SUM, SHRUNK
from .usage import created, is_plain, measured, serving

if TYPE_CHECKING:
    from collections.abc import Callable

    from .records import Digest
    from .rows import Block, Message, Row
    from .usage import Usage

SYNTHETIC = "<synthetic>"
RECENT = 8  # requests kept for pairing: how far to walk back over zeroed copies


class Assistant:
    """The requests of one file, row by row in the file's order.

    Args:
        digest: where they go.
        owner: the session of rows that do not say.
        first: called with each row that begins a request, or stands for none.
        command: called with the row and the block of each Bash call.
    """

    def __init__(
        self, digest: Digest, owner: str, first: Callable[[Row], None], command: Callable[[Row, Block], None]
    ) -> None:
        self.digest = digest
        self.requests = digest.requests
        self.owner = owner
        self.first = first
        self.command = command
        self.newest = ""
        self.made = Request("", "", False, "", "", "", False, "")  # the request of the newest key
        self.used: list[Message] = []  # of its rows with a usage; measured when another request's row comes

    def take(self, row: Row, notes: int = 0) -> None:
        """Take a row."""
        message = row.message
        if message is None or message.model == SYNTHETIC:
            self._pass(row, message)
            return
        key = row.request_id or message.id or row.uuid or ""
        if (key != self.newest or not key) and not self._turn_to(key, row, message):
            return
        if notes:
            self.made.notes |= notes
        if message.usage is not None:
            self.used.append(message)
        content = message.content
        if type(content) is list:
            for block in content:
                if block.name == "Bash":
                    self.command(row, block)
                elif block.name == "advisor":
                    self._advised(row, block)
        if message.input_transformations is not None:
            self.made.dropped = max(self.made.dropped, len(message.input_transformations))

    def _pass(self, row: Row, message: Message | None) -> None:
        """Take note of a row that is of no request: one that the client made itself, or of another shape."""
        if message is None:
            self.digest.count("foreign")
        else:
            self.first(row)
            self.digest.synthetic.append(row.uuid or f"{self.owner} {len(self.digest.synthetic)}")

    def settle(self) -> None:
        """Measure the newest request by the usage that counts: the last one, unless only one before it was complete."""
        made, counts = self.made, None
        output = made.output
        for message in self.used:
            usage: Usage = message.usage  # type: ignore[assignment]
            if message.stop_reason is not None or usage.iterations:
                made.unfinished = False
                made.notes &= ~KEPT_COMPLETE
            elif not made.unfinished:
                made.notes |= KEPT_COMPLETE
                continue
            told = usage.output_tokens or measured(usage).top.output
            if told < output:
                made.notes |= SHRUNK
            counts, output = usage, told
        self.used.clear()
        if counts is not None:
            _measure(made, counts)

    def _turn_to(self, key: str, row: Row, message: Message) -> bool:
        """Make the request of `key` the newest; False where the row is of none."""
        self.settle()
        made = self.requests.get(key) or self._begin(key, row, message)
        if made is None:
            return False
        self.newest, self.made = key, made
        lane = self.digest.recent.setdefault(lane_of(made.sidechain, made.agent), [])
        if not lane or lane[-1] != key:
            lane.append(key)
        return True

    def _begin(self, key: str, row: Row, message: Message) -> Request | None:
        """A new request, or None where the row has no id at all."""
        self.first(row)
        if not key:
            self.digest.count("foreign")
            return None
        sidechain = row.is_sidechain is True
        made = self.requests[key] = Request(
            key,
            message.id or "",
            key == row.request_id,
            moment(row.timestamp),
            row.session_id or self.owner,
            (row.agent_id or "") if sidechain else "",
            sidechain,
            message.model or "",
        )
        for cost in self.digest.costs:
            cost.later_requests += 1
        return made

    def _advised(self, row: Row, block: Block) -> None:
        calls = self.made.advisor_blocks
        content = row.message.content if row.message else None
        place = [other is block for other in content].index(True) if isinstance(content, list) else 0
        call = block.id or f"{row.uuid} {place}"
        if block.type == "server_tool_use" and call not in calls:
            self.made.advisor_blocks = (*calls, call)


def _measure(made: Request, usage: Usage) -> None:
    made.notes &= ~NOT_THE_SUM
    if is_plain(usage):  # what `measured` would say, without its records: by far the most are plain
        made.input, made.cache_read, made.output = (
            usage.input_tokens,
            usage.cache_read_input_tokens,
            usage.output_tokens,
        )
        made.cache_creation = created(usage)
        made.context, made.segments = made.input + made.cache_read + made.cache_creation, ()
        return
    used = measured(usage)
    made.context, made.segments = used.context, used.segments
    made.input, made.cache_read, made.cache_creation, made.output = used.top
    parts = [part.tokens for part in serving(made.segments)]
    if parts and used.top != tuple(map(sum, zip(*parts, strict=True))):
        made.notes |= NOT_THE_SUM


def lane_of(sidechain: bool, agent: str) -> str:
    """The conversation of its file that a row belongs to: empty is the main one."""
    return (agent or "sidechain") if sidechain else ""


def string(value: Any) -> str:
    """The value where it is a string, else an empty one."""
    return value if isinstance(value, str) else ""
