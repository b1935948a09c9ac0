"""Assistant rows into requests: a row for each content block, the last one with the usage that counts.

The early rows of a request say nothing that its last row does not. Those that call nothing stay bytes, and are decoded
only when the row that follows them is of another request, or incomplete.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .moments import moment
from .records import (
    ADVISOR_BLOCKS,
    AGENT,
    DROPPED,
    KEPT_COMPLETE,
    KEY,
    NOT_THE_SUM,
    NOTES,
    OUTPUT,
    PARTS,
    SHRUNK,
    SIDECHAIN,
    TIME,
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
_REQUEST_ID = b'"requestId":"'
_TIME = b'"timestamp":"'
_TOLD = b'"output_tokens":'
_DIGITS = re.compile(rb"\d+")


class Assistant:
    """The requests of one file, row by row in the file's order.

    Args:
        digest: where they go.
        owner: the session of rows that do not say.
        decode: makes a row of a line; None where it is none.
        other: takes a row that turns out to be of another type.
        first: called with each row that begins a request, or stands for none.
        command: called with the row and the block of each Bash call.
    """

    def __init__(
        self,
        digest: Digest,
        owner: str,
        decode: Callable[[bytes | memoryview], Row | None],
        other: Callable[[Row], None],
        first: Callable[[Row], None],
        command: Callable[[Row, Row], None],
    ) -> None:
        self.digest = digest
        self.requests = digest.requests
        self.owner = owner
        self.decode = decode
        self.other = other
        self.first = first
        self.command = command
        self.newest = ""
        self.held: list[tuple[bytes, int, int]] = []  # rows of one message, as places in their blocks
        self.held_members = b""

    def hold(self, block: bytes, begin: int, stop: int, members: bytes) -> None:
        """Keep a row that calls nothing until the next row tells whether it matters.

        `members` are the plain members of its message, the id among them: equal for the rows of one message.
        """
        if members != self.held_members:
            self.release()
            self.held_members = members
        self.held.append((block, begin, stop))

    def release(self) -> None:
        """Take the rows held: the newest is the last of its request."""
        while self.held:
            self._take_line(*self.held.pop())

    def take(self, row: Row, notes: int = 0) -> None:
        """Take a decoded row, and before it the rows held."""
        if self.held:
            self._take_held(row)
        message = row.get("message")
        if not isinstance(message, dict):
            self.digest.counts["foreign"] += 1
            return
        key = row.get("requestId")
        if not isinstance(key, str) or not key:
            key = string(message.get("id")) or string(row.get("uuid"))
        made = self.requests.get(key)
        if made is None:
            made = self._begin(key, row, message)
            if made is None:
                return
        if made[KEY] != self.newest:
            self._newest(made)
        if notes:
            made[NOTES] |= notes
        usage = message.get("usage")
        if isinstance(usage, dict):
            self._use(made, usage, whole(message, usage))
        self._calls(made, row, message.get("content"))
        dropped = message.get("input_transformations")
        if isinstance(dropped, list):
            made[DROPPED] = max(made[DROPPED], len(dropped))

    def _take_held(self, row: Row) -> None:
        """Take the rows held, leaving out those that `row`, a later one of their request, makes void."""
        held, self.held = self.held, []
        mark, complete = _mark(row, self.held_members)
        self.held_members = b""
        for block, begin, stop in held:
            void = mark and block.rfind(mark, begin, stop) >= 0 and (complete or _incomplete(block, begin, stop))
            if not (void and self._leave_out(block, begin, stop, row)):
                self._take_line(block, begin, stop)

    def _leave_out(self, block: bytes, begin: int, stop: int, later: Row) -> bool:
        """Note what only the earlier row tells: when the request began; False where it cannot be told."""
        key, message = later["requestId"], later["message"]
        made = self.requests.get(key)
        if made is None:
            place = block.rfind(_TIME, begin, stop) + len(_TIME)
            time = moment(block[place : place + 24].decode(errors="replace")) if place >= len(_TIME) else ""
            made = self._begin(key, later, message) if time else None
            if made is None:
                return False
            made[TIME] = time
        place = block.rfind(_TOLD, begin, stop)
        told = _DIGITS.match(block, place + len(_TOLD)) if place >= 0 else None
        if told and int(told[0]) > count(message["usage"].get("output_tokens")):
            made[NOTES] |= SHRUNK
        return True

    def _take_line(self, block: bytes, begin: int, stop: int) -> None:
        with memoryview(block)[begin:stop] as line:
            row = self.decode(line)
        if row is not None and row.get("type") == "assistant":
            self.take(row)
        elif row is not None:
            self.other(row)

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
            *(0, 0, 0, 0, 0),
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

    def _newest(self, made: Making) -> None:
        self.newest = key = made[KEY]
        lane = self.digest.recent.setdefault(lane_of(made[SIDECHAIN], made[AGENT]), [])
        if not lane or lane[-1] != key:
            lane.append(key)
            del lane[:-_RECENT]

    def _use(self, made: Making, usage: Row, complete: bool) -> None:
        """Let a row's usage count: the last one, unless it is incomplete and an earlier one is not."""
        if complete:
            made[UNFINISHED] = False
        elif not made[UNFINISHED]:
            made[NOTES] |= KEPT_COMPLETE
            return
        top, context, segments = measure(usage)
        if top[3] < made[OUTPUT]:
            made[NOTES] |= SHRUNK
        made[TOP:PARTS] = *top, context
        made[PARTS] = [[part.kind, part.model, *part.tokens] for part in segments] if segments else []
        if segments:
            parts = [part.tokens for part in serving(segments)]
            if parts and top != tuple(map(sum, zip(*parts, strict=True))):
                made[NOTES] |= NOT_THE_SUM

    def _calls(self, made: Making, row: Row, content: Any) -> None:
        for block in content if isinstance(content, list) else ():
            name = block.get("name") if isinstance(block, dict) else None
            if name == "advisor" and block.get("type") == "server_tool_use":
                call = string(block.get("id")) or f"{row.get('uuid')} {len(made[ADVISOR_BLOCKS])}"
                if call not in made[ADVISOR_BLOCKS]:
                    made[ADVISOR_BLOCKS].append(call)
            elif name == "Bash" and block.get("type") == "tool_use":
                self.command(row, block)


def _mark(row: Row, members: bytes) -> tuple[bytes, bool]:
    """What an earlier row of the same request holds, and whether `row` is complete; nothing where it cannot be told."""
    message, request_id = row.get("message"), row.get("requestId")
    if not isinstance(message, dict) or not isinstance(request_id, str):
        return b"", False
    usage, identity = message.get("usage"), string(message.get("id"))
    if not isinstance(usage, dict) or not identity or b'"id":"%s"' % identity.encode() not in members:
        return b"", False
    return b'"requestId":"%s"' % request_id.encode(), whole(message, usage)


def _incomplete(block: bytes, begin: int, stop: int) -> bool:
    return block.rfind(b'"stop_reason":"', begin, stop) < 0 and block.rfind(b'"iterations":[{', begin, stop) < 0


def whole(message: Row, usage: Row) -> bool:
    """Whether a row has the request's final usage: a stop reason, or the list of segments."""
    return message.get("stop_reason") is not None or bool(usage.get("iterations"))


def lane_of(sidechain: bool, agent: str) -> str:
    """The conversation of its file that a row belongs to: empty is the main one."""
    return (agent or "sidechain") if sidechain else ""


def string(value: Any) -> str:
    """The value where it is a string, else an empty one."""
    return value if isinstance(value, str) else ""
