"""The lines of a transcript, and from the bytes of each what proves that it need not be decoded.

A transcript is mostly rows that say nothing about requests: tool results, prompt snapshots, metadata. JSON escaping
makes their heads tell: inside a string every quote is escaped, so a key with its quotes, reached through plain members
from the row's first byte, can be nothing else. A row whose head is of any other form is decoded: a space after a
colon, another order of keys or an unknown type costs time, never a request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

BLOCK = 1 << 18  # bytes read at a time; more for a longer line
LONG = 8 << 20  # bytes from which a line is reported as long
LONGEST = 64 << 20  # bytes of the longest line that is read; a longer one is counted and left out

_HEAD = 1 << 10  # bytes of a row that its head is looked for in
_USER = b'"type":"user"'
_MESSAGE = b'"message":'
_ATTACHMENT = b'"attachment":'
_TYPE_FIRST = b'{"type":"'

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
_METADATA = frozenset(name.encode() for name in METADATA)

SKIP, DECODE, USER = 0, 1, 2
_LARGE = 1 << 14  # bytes of a user row from which only its beginning can hold a pointer
_TAIL = 1 << 12  # bytes at the end of a user row that hold the kind of a denial
_DENIED = b"toolDenialKind"
_POINTER = b"[cchooks]"
_PLAIN_RESULT = b'"type":"tool_result","content":"'


def look(block: bytes, begin: int, stop: int) -> int:
    """What the bytes of a row prove: that it can be skipped (`SKIP`), or is a user's (`USER`); else `DECODE`.

    Up to the first brace inside it a row has only plain members, so a key found there is the row's own. A brace inside
    a string only makes the look shorter.
    """
    brace = block.find(b"{", begin + 1, stop)
    head = block[begin:brace] if 0 <= brace < begin + _HEAD else block[begin : min(stop, begin + _HEAD)]
    if head.startswith(_TYPE_FIRST):
        return SKIP if head[9 : head.find(b'"', 9)] in _METADATA else DECODE
    if head.endswith(_MESSAGE):
        return USER if _USER in head else DECODE
    if head.endswith(_ATTACHMENT) and block.startswith(_TYPE_FIRST, brace):
        return DECODE if block.startswith(b"hook_", brace + len(_TYPE_FIRST)) else SKIP
    return DECODE


def denied_or_spilled(block: bytes, begin: int, stop: int) -> bool:
    """Whether a user row can tell of a denied call, or hold a pointer of the spill hook.

    What follows the kind of a denial is short, so the row's end tells. In a result of plain text only short strings
    stand before a pointer, so in a large row it stands at the result's beginning.
    """
    if block.find(_DENIED, max(begin, stop - _TAIL), stop) >= 0:
        return True
    large = stop - begin > _LARGE and block.find(_PLAIN_RESULT, begin, begin + _HEAD) >= 0
    return block.find(_POINTER, begin, begin + 2 * _HEAD if large else stop) >= 0


class Reader:
    """The lines of one open file, from `offset` on.

    Attributes:
        offset: where the block begins that lines are given out from; in the end, behind the last whole line.
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

    def lines(self) -> Iterator[tuple[bytes, int, int]]:
        """Each line as its place in a block of bytes."""
        size = BLOCK
        while block := self._block(size):
            begin, stop = 0, block.find(b"\n")
            if stop < 0 and len(block) == size:
                size = size * 2 if size < LONGEST else self._pass_over(size)
                continue
            while stop >= 0:
                if stop - begin > LONG:
                    self.long += 1
                yield block, begin, stop
                begin = stop + 1
                stop = block.find(b"\n", begin)
            if begin == 0:
                self.unfinished = True
                yield block, 0, len(block)
                return
            self.offset += begin
            size = BLOCK

    def _block(self, size: int) -> bytes:
        self.file.seek(self.offset)
        return self.file.read(size)

    def _pass_over(self, size: int) -> int:
        """Go behind a line that is too long; the size of the next block."""
        self.too_long += 1
        self.offset += size
        while block := self._block(BLOCK):
            end = block.find(b"\n") + 1
            self.offset += end or len(block)
            if end:
                break
        return BLOCK
