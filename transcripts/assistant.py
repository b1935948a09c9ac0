"""Assistant rows into requests: a row for each content block, the last one with the usage that counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .moments import moment
from .records import (
    ADVISOR_BLOCKS,
    AGENT,
    DROPPED,
    KEPT_COMPLETE,
    NOT_THE_SUM,
    NOTES,
    OUTPUT,
    PARTS,
    SHRUNK,
    SIDECHAIN,
    TOP,
    UNFINISHED,
)
from .usage import count, measure, serving

if TYPE_CHECKING:
    from collections.abc import Callable

    from .decode import Row
    from .records import Digest

    Making = list[Any]  # a request's fields in the order of `records.Request`

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
        self, digest: Digest, owner: str, first: Callable[[Row], None], command: Callable[[Row, Row], None]
    ) -> None:
        self.digest = digest
        self.requests = digest.requests
        self.owner = owner
        self.first = first
        self.command = command
        self.newest = ""
        self.made: Making = []  # the request of the newest key
        self.usage: Row | None = None  # of its last row; measured when another request's row comes

    def take(self, row: Row, notes: int = 0) -> None:
        """Take a row."""
        message, key = row.get("message"), row.get("requestId")
        if not isinstance(message, dict):
            self.digest.counts["foreign"] += 1
            return
        if not isinstance(key, str) or not key:
            key = string(message.get("id")) or string(row.get("uuid"))
        if (key != self.newest or not key) and not self._turn_to(key, row, message):
            return
        made = self.made
        if notes:
            made[NOTES] |= notes
        usage = message.get("usage")
        if isinstance(usage, dict):
            self._use(made, usage, message.get("stop_reason") is not None or bool(usage.get("iterations")))
        content = message.get("content")
        if isinstance(content, list):
            for block in content:
                if isinstance(block, dict) and "name" in block:
                    self._call(made, row, block)
        if "input_transformations" in message:
            dropped = message["input_transformations"]
            made[DROPPED] = max(made[DROPPED], len(dropped) if isinstance(dropped, list) else 0)

    def settle(self) -> None:
        """Measure the newest request by the usage that counts: the last one, unless it was incomplete."""
        usage, made = self.usage, self.made
        if usage is None:
            return
        self.usage = None
        top, context, segments = measure(usage)
        made[TOP:PARTS] = *top, context
        made[PARTS] = [[part.kind, part.model, *part.tokens] for part in segments] if segments else []
        if segments:
            parts = [part.tokens for part in serving(segments)]
            if parts and top != tuple(map(sum, zip(*parts, strict=True))):
                made[NOTES] |= NOT_THE_SUM

    def _use(self, made: Making, usage: Row, complete: bool) -> None:
        """Let a row's usage count instead of the one before it, unless only that one was complete."""
        if complete:
            made[UNFINISHED] = False
        elif not made[UNFINISHED]:
            made[NOTES] |= KEPT_COMPLETE
            return
        before = made[OUTPUT] if self.usage is None else self.usage.get("output_tokens")
        told = usage.get("output_tokens")
        if told != before and count(told) < count(before):
            made[NOTES] |= SHRUNK
        self.usage = usage

    def _turn_to(self, key: str, row: Row, message: Row) -> bool:
        """Make the request of `key` the newest; False where the row is of none."""
        self.settle()
        made = self.requests.get(key) or self._begin(key, row, message)
        if made is None:
            return False
        self.newest, self.made = key, made
        lane = self.digest.recent.setdefault(lane_of(made[SIDECHAIN], made[AGENT]), [])
        if not lane or lane[-1] != key:
            lane.append(key)
            del lane[:-_RECENT]
        return True

    def _begin(self, key: str, row: Row, message: Row) -> Making | None:
        """A new request, or None where the row is none: made by the client itself, or without any id."""
        self.first(row)
        model, session = message.get("model"), row.get("sessionId")
        if model == SYNTHETIC:
            self.digest.synthetic.append(string(row.get("uuid")))
            return None
        if not key:
            self.digest.counts["foreign"] += 1
            return None
        sidechain = row.get("isSidechain") is True
        made = self.requests[key] = [
            key,
            string(message.get("id")),
            key == row.get("requestId"),
            moment(row.get("timestamp")),
            session if isinstance(session, str) and session else self.owner,
            string(row.get("agentId")) if sidechain else "",
            sidechain,
            model if isinstance(model, str) else "",
            0,
            0,
            0,
            0,
            0,
            [],
            [],
            True,
            0,
            0,
            string(row.get("requestSessionId")),
        ]
        if self.digest.costs:
            self.digest.costs = [cost._replace(later_requests=cost.later_requests + 1) for cost in self.digest.costs]
        return made

    def _call(self, made: Making, row: Row, block: Row) -> None:
        name, kind = block["name"], block.get("type")
        if name == "advisor" and kind == "server_tool_use":
            call = string(block.get("id")) or f"{row.get('uuid')} {len(made[ADVISOR_BLOCKS])}"
            if call not in made[ADVISOR_BLOCKS]:
                made[ADVISOR_BLOCKS].append(call)
        elif name == "Bash" and kind == "tool_use":
            self.command(row, block)


def lane_of(sidechain: bool, agent: str) -> str:
    """The conversation of its file that a row belongs to: empty is the main one."""
    return (agent or "sidechain") if sidechain else ""


def string(value: Any) -> str:
    """The value where it is a string, else an empty one."""
    return value if isinstance(value, str) else ""
