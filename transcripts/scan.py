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
    from io import FileIO

BLOCK = 1 << 18  # bytes read at a time; more for a longer line
LONG = 8 << 20  # bytes from which a line is reported as long
LONGEST = 64 << 20  # bytes of the longest line that is read; a longer one is counted and left out
_blocks: list[bytearray] = []  # of readers that are done: memory that is given back and taken again costs a tenth

# The plain members that a row begins with, up to its first brace: a key found there is the row's own, and a brace in a
# string only makes the look shorter. The group tells of which row: one with its type in front and no brace in it, a
# user's, another one with a message, an attachment that is no hook's.
head_of = re.compile(
    rb'\{(?:"type":"([\w-]+)"[^{]*+\Z|[^{]*+(?:(?<="type":"user","message":)()|(?<="message":)()'
    rb'|(?<="attachment":)\{"type":"(?!hook_)()))'
).match
TYPED, USER, MESSAGE = 1, 2, 3

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

SKIP, DECODE, QUIET = 0, 1, 2
_LARGE = 1 << 14  # bytes from which a row is large
_BEFORE = 16 << 10  # bytes of a message with a plain result in which a pointer begins
_FIRST = 1 << 9  # the same where nothing stands before it
_KEYS = 3 << 8  # bytes that hold the keys in front of a result, or those behind it
_TAIL = 1 << 12  # bytes at the end of a user row that hold the kind of a denial
_DENIED = b"toolDenialKind"
_POINTER = b"[cchooks]"
_RESULT = b'"content":"'
_SILENT = b'"stderr":"",'
_COMMAND = b'"interrupted":'
_ASSISTANT = b'"type":"assistant"'


def look(head: re.Match[bytes], block: bytearray, stop: int) -> int:
    """What the bytes of a row prove, which is not just one with a message.

    Returns:
        `SKIP`: nothing in it counts. `QUIET`: it is a user's, tells of no denied call and holds no pointer of the spill
        hook. `DECODE`: neither is proven.
    """
    if head.lastindex == TYPED:
        return SKIP if head[TYPED] in _METADATA else DECODE
    if head.lastindex == USER:
        return DECODE if _told(block, head.start(), head.end(), stop) else QUIET
    return DECODE if block.find(_ASSISTANT, head.end(), stop) >= 0 else SKIP


def _told(block: bytearray, begin: int, message: int, stop: int) -> bool:
    """Whether a user's row, whose message begins there, can tell of a denied call, or hold a pointer of the spill hook.

    What follows the kind of a denial is short in a large row, so its end tells. A pointer begins a result of plain
    text; only what a command complained of can stand behind something: what it printed.
    """
    end = block[max(0, stop - _KEYS) : stop]
    # Most rows are of a command that complained of nothing, and was not denied: for that a rare letter is enough.
    if _SILENT in end and b"K" not in end:
        return _POINTER in block[message : message + _FIRST]
    tail = begin if stop - begin < _LARGE else stop - _TAIL
    if block.find(_ASSISTANT, tail, stop) >= 0:  # another row, behind one that was never finished
        return True
    if block.find(_DENIED, tail, stop) >= 0 or block.find(_DENIED, begin, message) >= 0:
        return True
    if _COMMAND in end or block.find(_RESULT, message, message + _KEYS) < 0:
        return block.find(_POINTER, message, stop) >= 0
    return _POINTER in block[message : message + _BEFORE]


class Reader:
    """The bytes of one open file, from `offset` on.

    Attributes:
        offset: behind the last whole line that was given out.
        unfinished: whether the file ended in the middle of a line; that line was given out too.
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
                break
        return block
