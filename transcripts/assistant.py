"""Assistant rows into requests: a row for each content block, the last one with the usage that counts.

The early rows of a request say nothing that its last row does not: they are kept as bytes, and decoded only when the
row that follows them is incomplete or of another request.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from . import records
from .moments import moment
from .records import Request
from .usage import Tokens, count, measure, serving

if TYPE_CHECKING:
    from collections.abc import Callable

    from .decode import Row
    from .records import Digest

SYNTHETIC = "<synthetic>"
_NOTHING = Tokens(0, 0, 0, 0)
_RECENT = 8  # requests kept for pairing: how far to walk back over zeroed copies
_ID = re.compile(rb'"id":"([^"]+)"')
_TIME = b'"timestamp":"'
_OUTPUT = b'"output_tokens":'


class Assistant:
    """The requests of one file, row by row in the file's order.

    Args:
        digest: where they go.
        owner: the session of rows that do not say.
        decode: makes a row of a line; None where it is none.
        first: called with each row that begins a request, or stands for none.
        command: called with the row and the block of each Bash call.
    """

    def __init__(
        self,
        digest: Digest,
        owner: str,
        decode: Callable[[bytearray], Row | None],
        first: Callable[[Row], None],
        command: Callable[[Row, Row], None],
    ) -> None:
        self.digest = digest
        self.owner = owner
        self.decode = decode
        self.first = first
        self.command = command
        self.usages: dict[str, Row] = {}
        self.newest: Request | None = None
        self.held: list[bytearray] = []  # rows of one message
        self.held_id = b""

    def hold(self, line: bytearray, members: bytes) -> None:
        """Keep a row that calls nothing until the next row tells whether it matters; `members` has its message's id."""
        found = _ID.search(members)
        identity = found[1] if found else b""
        if identity != self.held_id or not identity:
            self.release()
            self.held_id = identity
        self.held.append(line)

    def release(self) -> None:
        """Take the rows held: the newest is the last of its request."""
        if self.held:
            self._decoded(self.held.pop())
        if self.held:  # the newest could not be decoded
            self.held_id = b""
            self.release()

    def take(self, row: Row, notes: int = 0) -> None:
        """Take a decoded row, and before it the rows held."""
        if self.held:
            self._take_held(row)
        message = row.get("message")
        if not isinstance(message, dict):
            self.digest.counts["foreign"] += 1
            return
        key = row.get("requestId") or message.get("id") or row.get("uuid")
        request = self.digest.requests.get(key) if isinstance(key, str) else None
        if request is None:
            request = self._begin(key, row, message)
            if request is None:
                return
        if request is not self.newest:
            self._newest(request)
        request.notes |= notes
        usage = message.get("usage")
        if isinstance(usage, dict):
            self._use(request, usage, whole(message, usage))
        self._calls(request, row, message.get("content"))
        if "input_transformations" in message:
            request.dropped = max(request.dropped, len(message["input_transformations"] or ()))

    def settle(self) -> None:
        """Take what is held and measure each request by the usage that counts."""
        self.release()
        for key, usage in self.usages.items():
            request = self.digest.requests[key]
            request.top, request.context, request.segments = measure(usage)
            if request.segments and _differs(request):
                request.notes |= records.NOT_THE_SUM

    def _take_held(self, row: Row) -> None:
        """Take the rows held, leaving out those that `row`, a later one of their request, makes void."""
        held, self.held = self.held, []
        mark, complete = _mark(row, self.held_id)
        self.held_id = b""
        for line in held:
            void = mark and line.rfind(mark) >= 0 and (complete or _incomplete(line))
            if not (void and self._leave_out(line, row)):
                self._decoded(line)

    def _leave_out(self, line: bytearray, later: Row) -> bool:
        """Note what only the earlier row tells: when the request began; False where it cannot be told."""
        key, message = later["requestId"], later["message"]
        request = self.digest.requests.get(key)
        if request is None:
            place = line.rfind(_TIME) + len(_TIME)
            time = moment(line[place : place + 24].decode(errors="replace"))
            if place < len(_TIME) or not time:
                return False
            request = self._begin(key, later, message)
            if request is None:
                return False
            request.time = time
        place = line.rfind(_OUTPUT)
        digits = line[place + len(_OUTPUT) : line.find(b",", place)]
        if place >= 0 and digits.isdigit() and int(digits) > count(message["usage"].get("output_tokens")):
            request.notes |= records.SHRUNK
        return True

    def _decoded(self, line: bytearray) -> None:
        row = self.decode(line)
        if row is not None:
            self.take(row)

    def _begin(self, key: Any, row: Row, message: Row) -> Request | None:
        """A new request, or None where the row is none: made by the client itself, or without any id."""
        self.first(row)
        if message.get("model") == SYNTHETIC:
            self.digest.synthetic.append(string(row.get("uuid")))
            return None
        if not isinstance(key, str):
            self.digest.counts["foreign"] += 1
            return None
        sidechain = row.get("isSidechain") is True
        made = Request(
            key=key,
            message=string(message.get("id")),
            keyed=key == row.get("requestId"),
            time=moment(row.get("timestamp")),
            session=string(row.get("sessionId")) or self.owner,
            agent=string(row.get("agentId")) if sidechain else "",
            sidechain=sidechain,
            model=string(message.get("model")),
            top=_NOTHING,
            context=0,
            segments=(),
            advisor_blocks=(),
            unfinished=True,
            notes=0,
            dropped=0,
            origin=string(row.get("requestSessionId")),
        )
        self.digest.requests[key] = made
        self.digest.costs = [cost._replace(later_requests=cost.later_requests + 1) for cost in self.digest.costs]
        return made

    def _newest(self, request: Request) -> None:
        self.newest = request
        lane = self.digest.recent.setdefault(request.lane, [])
        if not lane or lane[-1] != request.key:
            lane.append(request.key)
            del lane[:-_RECENT]

    def _use(self, request: Request, usage: Row, complete: bool) -> None:
        """Let a row's usage count: the last one, unless it is incomplete and an earlier one is not."""
        if complete:
            request.unfinished = False
        elif not request.unfinished:
            request.notes |= records.KEPT_COMPLETE
            return
        before = self.usages.get(request.key)
        self.usages[request.key] = usage
        if before is not None and count(usage.get("output_tokens")) < count(before.get("output_tokens")):
            request.notes |= records.SHRUNK

    def _calls(self, request: Request, row: Row, content: Any) -> None:
        for block in content if isinstance(content, list) else ():
            name = block.get("name") if isinstance(block, dict) else None
            if name == "advisor" and block.get("type") == "server_tool_use":
                call = string(block.get("id")) or f"{row.get('uuid')} {len(request.advisor_blocks)}"
                if call not in request.advisor_blocks:
                    request.advisor_blocks += (call,)
            elif name == "Bash" and block.get("type") == "tool_use":
                self.command(row, block)


def _mark(row: Row, identity: bytes) -> tuple[bytes, bool]:
    """What an earlier row of the same request holds, and whether `row` is complete; nothing where it cannot be told."""
    message, request_id = row.get("message"), row.get("requestId")
    if not isinstance(message, dict) or not isinstance(request_id, str) or not identity:
        return b"", False
    usage = message.get("usage")
    if not isinstance(usage, dict) or string(message.get("id")).encode() != identity:
        return b"", False
    return b'"requestId":"%s"' % request_id.encode(), whole(message, usage)


def _incomplete(line: bytearray) -> bool:
    return line.rfind(b'"stop_reason":"') < 0 and line.rfind(b'"iterations":[{') < 0


def whole(message: Row, usage: Row) -> bool:
    """Whether a row has the request's final usage: a stop reason, or the list of segments."""
    return message.get("stop_reason") is not None or bool(usage.get("iterations"))


def string(value: Any) -> str:
    """The value where it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def _differs(request: Request) -> bool:
    parts = [part.tokens for part in serving(request.segments)]
    return bool(parts) and request.top != tuple(map(sum, zip(*parts, strict=True)))
