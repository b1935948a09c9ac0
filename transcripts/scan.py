"""The lines of a transcript, and from the bytes of each what proves that it need not be decoded.

A transcript is mostly rows that say nothing about requests: tool results, prompt snapshots, metadata. JSON escaping
makes their heads tell: inside a string every quote is escaped, so a key with its quotes, reached through plain members
from the row's first byte, can be nothing else. A row whose head is of any other form is decoded: a space after a
colon, another order of keys or an unknown type costs time, never a request.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

BLOCK = 1 << 20  # bytes read at a time; a longer line makes the buffer grow
LONG = 8 << 20  # bytes from which a line is reported as long
LONGEST = 64 << 20  # bytes of the longest line that is read; a longer one is counted and left out

# Behind plain members, the first of: the row's type; its attachment's type; a message (with its id among its own plain
# members) whose first block is of text or thinking.
HEAD = re.compile(
    rb'\{(?:"(?!type")\w+":(?:"[^"\\]*"|\w+),)*'
    rb'(?:"type":"([\w-]+)"|"attachment":\{"type":"(\w+)"|'
    rb'"message":\{((?:"(?!content")\w+":(?:"[^"\\]*"|\w+),)*)'
    rb'"content":\[\{"type":"(?:text|thinking|redacted_thinking)")'
)
_NAMED = b'"name":"'

# Metadata of a session and the client's own bookkeeping: nothing of them is counted.
METADATA = frozenset(
    [
        "agent-color",
        "agent-name",
        "agent-setting",
        "ai-title",
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "atis-latch",
        "attribution-snapshot",
        "bridge-session",
        "content-replacement",
        "continued-in",
        "custom-title",
        "file-history-delta",
        "file-history-snapshot",
        "fork-context-ref",
        "frame-link",
        "history-suppression",
        "last-prompt",
        "marble-origami-commit",
        "marble-origami-snapshot",
        "mode",
        "permission-mode",
        "pr-link",
        "queue-operation",
        "relocated",
        "session-kind",
        "speculation-accept",
        "summary",
        "tag",
        "task-summary",
        "tools-used",
        "worktree-state",
    ]
)
METADATA_BYTES = frozenset(name.encode() for name in METADATA)

SMALL = 1 << 14  # bytes up to which a user row is searched as a whole
_TAIL = 1 << 13
_CLOSED = ord("}")
_DENIED = b"toolDenialKind"
_POINTER = b"[cchooks] "
_PLAIN_RESULT = b'"type":"tool_result","content":"'


def denied_or_spilled(buffer: bytearray, begin: int, stop: int) -> bool:
    """Whether a user row can tell of a denied call, or hold a pointer of the spill hook.

    A row over 16 KB holds a tool's output. A denied call has none, and what follows the kind of denial is short, so the
    row's end tells. Of a plain text result at most the short strings in front of a pointer stand before it.
    """
    if stop - begin <= SMALL:
        return buffer.find(_DENIED, begin, stop) >= 0 or buffer.find(_POINTER, begin, stop) >= 0
    if buffer.find(_DENIED, stop - _TAIL, stop) >= 0:
        return True
    plain = buffer.find(_PLAIN_RESULT, begin, begin + 2048) >= 0
    return buffer.find(_POINTER, begin, begin + SMALL if plain else stop) >= 0


def calls_nothing(buffer: bytearray, begin: int, stop: int) -> bool:
    """Whether a row of compact JSON has no block that names a tool, and is whole as far as its last byte tells."""
    return stop - begin < SMALL and buffer[stop - 1] == _CLOSED and buffer.find(_NAMED, begin, stop) < 0


class Reader:
    """The lines of one open file, from `offset` on.

    Attributes:
        offset: bytes up to the end of the last whole line that was given out.
        unfinished: whether the file ended in the middle of a line; that line was given out too.
        long: lines over `LONG`.
        too_long: lines over `LONGEST`, left out.
    """

    def __init__(self, file: BinaryIO, offset: int = 0) -> None:
        self.file = file
        self.offset = offset
        self.unfinished = False
        self.long = 0
        self.too_long = 0
        file.seek(offset)

    def lines(self) -> Iterator[tuple[bytearray, int, int]]:
        """Each line as its place in a buffer, which holds it until the next one is asked for."""
        buffer, held, start = bytearray(BLOCK), 0, self.offset
        while True:
            with memoryview(buffer) as view:
                got = self.file.readinto(view[held:])  # type: ignore[attr-defined]
            end, begin = held + got, 0
            stop = buffer.find(b"\n", held, end)  # what was held has no newline in it
            while stop >= 0:
                if stop - begin > LONG:
                    self.long += 1
                yield buffer, begin, stop
                begin = stop + 1
                self.offset = start + begin
                stop = buffer.find(b"\n", begin, end)
            start += begin
            held = end - begin
            if not got:
                break
            if held == len(buffer):
                buffer, held = self._larger(buffer)
                start = self.offset
            elif begin:
                buffer[:held] = buffer[begin:end]
        if held:
            self.unfinished = True
            yield buffer, 0, held

    def _larger(self, full: bytearray) -> tuple[bytearray, int]:
        """A larger buffer that begins with the full one; an empty one behind a line that is too long."""
        if len(full) < LONGEST:
            return full + bytearray(len(full)), len(full)
        self.too_long += 1
        self.offset += len(full)
        while block := self.file.read(BLOCK):
            end = block.find(b"\n") + 1
            self.offset += end or len(block)
            if end:
                self.file.seek(self.offset)
                break
        return bytearray(BLOCK), 0
