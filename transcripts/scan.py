"""The lines of a transcript, and from the bytes of each what proves that it need not be decoded.

A transcript is mostly rows that say nothing about requests: tool results, prompt snapshots, metadata. JSON escaping
makes their heads tell: inside a string every quote is escaped, so a key with its quotes, reached through plain members
from the row's first byte, can be nothing else. A row whose head is of any other form is decoded: a space after a
colon, another order of keys or an unknown type costs time, never a request.

`next_row` is what every byte goes through. _rows.c has it too, by the same rules and several times as fast.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import FileIO

BLOCK = 1 << 18  # bytes read at a time; more for a longer line
LONG = 8 << 20  # bytes from which a line is reported as long
LONGEST = 64 << 20  # bytes of the longest line that is read; a longer one is counted and left out
_NEAR = 2 << 10  # bytes at the end of a user's row in which another one is seen to begin
_blocks: list[bytearray] = []  # of readers that are done: memory that is given back and taken again costs a tenth

# The plain members that a row begins with, up to its first brace: a key found there is the row's own, and a brace in a
# string only makes the look shorter. The group tells of which row: one with its type in front and no brace in it, a
# user's, another one with a message, an attachment that is no hook's. Of the last three the match ends at that brace.
_head = re.compile(
    rb'\{(?:"type":"([\w-]+)"[^{]*+\Z|[^{]*+(?:(?<="type":"user","message":)()|(?<="message":)()'
    rb'|(?<="attachment":)(?=\{"type":"(?!hook_))()))'
).match
_TYPED, _USER, _MESSAGE = 1, 2, 3
_BRACE = ord("}")

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

SKIP, DECODE, QUIET, END = range(4)
_DENIED = b"toolDenialKind"
_POINTER = b"[cchooks]"
_MESSAGE_KEY = b'"message":'
_OBJECT = b'{"'


def next_row(
    block: bytearray, begin: int, end: int, quiet: bool, metadata: frozenset[bytes]
) -> tuple[int, bool, int, int, int]:
    """The next line of a block that its reader has to see, from `begin` on.

    Lines that count for nothing but their number are passed over; not so those that are long or no UTF-8, because that
    is counted as well.

    Args:
        block: the bytes, up to `end`.
        begin: where the first of the lines begins.
        end: behind the last one.
        quiet: whether rows that are `QUIET` are passed over as well.
        metadata: the types of rows that count for nothing.

    Returns:
        What is proven of the line (`END`: there is none; else see `look`), whether it is UTF-8, where it begins and
        ends, how many lines were passed over.
    """
    passed = 0
    while begin < end:
        stop = block.find(b"\n", begin, end)
        if stop < 0:
            stop = end
        kind, text = look(block, begin, stop, metadata), _is_text(block[begin:stop])
        if kind == DECODE or (kind == QUIET and not quiet) or not text or stop - begin > LONG:
            return kind, text, begin, stop, passed
        begin = stop + 1
        passed += 1
    return END, True, end, end, passed


def look(block: bytearray, begin: int, stop: int, metadata: frozenset[bytes]) -> int:
    """What the bytes of a row prove.

    Returns:
        `SKIP`: nothing in it counts. `QUIET`: it is a user's, tells of no denied call and holds no pointer of the spill
        hook. `DECODE`: neither is proven.
    """
    head = _head(block, begin, stop)
    if head is None or head.lastindex == _MESSAGE or block[stop - 1] != _BRACE:
        return DECODE
    if head.lastindex == _TYPED:
        return SKIP if head[_TYPED] in metadata and block.find(b"}", begin, stop) == stop - 1 else DECODE
    brace = head.end()
    if head.lastindex == _USER:
        return DECODE if _told(block, begin, brace, stop) else QUIET
    return DECODE if _glued(block, brace, stop) else SKIP


def _told(block: bytearray, begin: int, message: int, stop: int) -> bool:
    """Whether a user's row, whose message begins there, can tell of a denied call, or hold a pointer of the spill hook.

    A second message is of another row, behind one that was never finished; of one without a message only the number of
    broken lines would tell, so a short one is enough to look for.
    """
    return (
        block.find(_DENIED, begin, stop) >= 0
        or _glued(block, max(message, stop - _NEAR), stop)
        or block.find(_MESSAGE_KEY, message, stop) >= 0
        or block.find(_POINTER, message, stop) >= 0
    )


def _glued(block: bytearray, brace: int, stop: int) -> bool:
    """Whether behind a brace an object begins where none can: with it another row, behind one that was not finished."""
    while (brace := block.find(_OBJECT, brace + 1, stop)) >= 0:
        if block[brace - 1] not in b":[,":
            return True
    return False


def _is_text(line: bytearray) -> bool:
    try:
        return line.isascii() or line.decode() is not None
    except UnicodeDecodeError:
        return False


class Reader:
    """The bytes of one open file, from `offset` on.

    Attributes:
        offset: behind the last whole line that was given out.
        unfinished: whether the file ended in the middle of a line; unless that is too long, it was given out too.
        too_long: lines over `LONGEST`, left out.
    """

    def __init__(self, file: FileIO, offset: int = 0) -> None:
        self.file = file
        self.offset = offset
        self.unfinished = False
        self.too_long = 0

    def blocks(self) -> Iterator[tuple[bytearray, int]]:
        """Blocks of bytes, each with the end of its whole lines, or in the end of one that is unfinished.

        A block holds its lines until the next one is asked for.
        """
        kept = _blocks.pop() if _blocks else bytearray(BLOCK)
        block = kept
        while filled := self._fill(block):
            end = block.rfind(b"\n", 0, filled) + 1
            if not end and filled == len(block):
                block = bytearray(2 * filled) if filled < LONGEST else self._pass_over(kept, filled)
                continue
            self.offset += end
            self.unfinished = not end
            yield block, end or filled
            if self.unfinished:
                break
            block = kept
        _blocks.append(kept)

    def _fill(self, block: bytearray) -> int:
        """Read from the offset on into a block; how many bytes."""
        self.file.seek(self.offset)
        return self.file.readinto(block)

    def _pass_over(self, block: bytearray, filled: int) -> bytearray:
        """Go behind a line that is too long, of which so much was read; the next block."""
        self.too_long += 1
        self.offset += filled
        while filled := self._fill(block):
            end = block.find(b"\n", 0, filled) + 1
            self.offset += end or filled
            if end:
                return block
        self.unfinished = True
        return block
