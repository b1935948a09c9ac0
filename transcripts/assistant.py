"""Assistant rows into requests: a row for each content block, the last one with the usage that counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .moments import moment
from .records import KEPT_COMPLETE, NOT_THE_SUM, SHRUNK, Request
from .usage import measured, serving

if TYPE_CHECKING:
    from collections.abc import Callable

    from .records import Digest
    from .rows import Block, Message, Row
    from .usage import Usage

SYNTHETIC = "<synthetic>"
_RECENT = 8  # requests kept for pairing: how far to walk back over zeroed copies


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
        self.usage: Usage | None = None  # of its last row; measured when another request's row comes

    def take(self, row: Row, notes: int = 0) -> None:
        """Take a row."""
        message = row.message
        if message is None:
            self.digest.count("foreign")
            return
        key = row.request_id or message.id or row.uuid or ""
        if (key != self.newest or not key) and not self._turn_to(key, row, message):
            return
        made, usage, content = self.made, message.usage, message.content
        if notes:
            made.notes |= notes
        if usage is not None:
            self._use(made, usage, message.stop_reason is not None or bool(usage.iterations))
        if content is not None and not isinstance(content, str):
            for block in content:
                if block.name is not None:
                    self._call(made, row, block)
        if message.input_transformations is not None:
            made.dropped = max(made.dropped, len(message.input_transformations))

    def settle(self) -> None:
        """Measure the newest request by the usage that counts: the last one, unless it was incomplete."""
        usage, made = self.usage, self.made
        if usage is None:
            return
        self.usage = None
        top, context, segments = measured(usage)
        made.input, made.cache_read, made.cache_creation, made.output = top
        made.context, made.segments = context, segments
        if segments:
            parts = [part.tokens for part in serving(segments)]
            if parts and top != tuple(map(sum, zip(*parts, strict=True))):
                made.notes |= NOT_THE_SUM

    def _use(self, made: Request, usage: Usage, complete: bool) -> None:
        """Let a row's usage count instead of the one before it, unless only that one was complete."""
        if complete:
            made.unfinished = False
        elif not made.unfinished:
            made.notes |= KEPT_COMPLETE
            return
        if usage.output_tokens < (made.output if self.usage is None else self.usage.output_tokens):
            made.notes |= SHRUNK
        self.usage = usage

    def _turn_to(self, key: str, row: Row, message: Message) -> bool:
        """Make the request of `key` the newest; False where the row is of none."""
        self.settle()
        made = self.requests.get(key) or self._begin(key, row, message)
        if made is None:
            return False
        self.newest, self.made = key, made
        self._remember(key, lane_of(made.sidechain, made.agent))
        return True

    def _remember(self, key: str, name: str) -> None:
        lane = self.digest.recent.get(name)
        if lane is None:
            lane = self.digest.recent[name] = []
        elif lane and lane[-1] == key:
            return
        lane.append(key)
        if len(lane) > _RECENT:
            del lane[0]

    def _begin(self, key: str, row: Row, message: Message) -> Request | None:
        """A new request, or None where the row is none: made by the client itself, or without any id."""
        self.first(row)
        if message.model == SYNTHETIC:
            self.digest.synthetic.append(row.uuid or "")
            return None
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
        if self.digest.costs:
            self.digest.costs = [cost._replace(later_requests=cost.later_requests + 1) for cost in self.digest.costs]
        return made

    def _call(self, made: Request, row: Row, block: Block) -> None:
        if block.name == "advisor" and block.type == "server_tool_use":
            call = block.id or f"{row.uuid} {len(made.advisor_blocks)}"
            if call not in made.advisor_blocks:
                made.advisor_blocks.append(call)
        elif block.name == "Bash" and block.type == "tool_use":
            self.command(row, block)


def lane_of(sidechain: bool, agent: str) -> str:
    """The conversation of its file that a row belongs to: empty is the main one."""
    return (agent or "sidechain") if sidechain else ""


def string(value: Any) -> str:
    """The value where it is a string, else an empty one."""
    return value if isinstance(value, str) else ""
