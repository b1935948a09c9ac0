"""Rows of transcripts in the client's shape, written by hand, and what the audit makes of them."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

from cchooks_suite.transcripts import files
from cchooks_suite.transcripts.audit import Audit, Filter

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, Any]

MODEL, ADVISOR = "claude-opus-5-5", "claude-fable-5-1"
_numbers = itertools.count(1)


def unique(prefix: str) -> str:
    """An id that no other row has."""
    return f"{prefix}_{next(_numbers):06}"


def tokens(context: int, output: int = 10, **more: Any) -> Row:
    """A segment's or a top level's counts: `context` is input plus cache."""
    return {
        "input_tokens": 2,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": context - 2,
        "output_tokens": output,
        **more,
    }


def usage(*segments: Row) -> Row:
    """The usage of an advisor request or a plain one: the top level sums the main model's segments."""
    main = [part for part in segments if part["type"] == "message"]
    keys = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    return {**{key: sum(part[key] for part in main) for key in keys}, "iterations": list(segments)}


def message(context: int, output: int = 10) -> Row:
    """A segment of the main model."""
    return {"type": "message", **tokens(context, output)}


def advice(read: int = 1000, output: int = 700) -> Row:
    """A segment of the advisor."""
    return {"type": "advisor_message", "model": ADVISOR, **tokens(read, output)}


def assistant(used: Row | None, *, request: str | None = "", identity: str | None = "", **more: Any) -> Row:
    """A row of a response; ids are new unless given, None leaves them out.

    `stop`, `content`, `model` go into the message, everything else into the row.
    """
    held = {
        "id": unique("msg") if identity == "" else identity,
        "type": "message",
        "role": "assistant",
        "model": more.pop("model", MODEL),
        "content": more.pop("content", [{"type": "text", "text": "x"}]),
        "stop_reason": more.pop("stop", "end_turn"),
        "usage": used,
    }
    held = {key: value for key, value in held.items() if value is not None or key in {"stop_reason", "usage"}}
    row = {"parentUuid": None, "isSidechain": False, "message": held}
    if request is not None:
        row["requestId"] = request or unique("req")
    return {
        **row,
        "type": "assistant",
        "uuid": unique("uuid"),
        "timestamp": "2026-11-30T10:00:00.000Z",
        **tail(),
        **more,
    }


def user(content: Any, **more: Any) -> Row:
    """A row of the user: a prompt, or a list of results."""
    row = {"parentUuid": None, "isSidechain": False, "type": "user", "message": {"role": "user", "content": content}}
    return {**row, "uuid": unique("uuid"), "timestamp": "2026-11-30T10:00:00.000Z", **tail(), **more}


def result(tool_use_id: str, text: Any) -> Row:
    """A tool's result, for `user([...])`."""
    return {"tool_use_id": tool_use_id, "type": "tool_result", "content": text, "is_error": False}


def bash(tool_use_id: str, command: str) -> Row:
    """A call of Bash, for an assistant's content."""
    return {"type": "tool_use", "id": tool_use_id, "name": "Bash", "input": {"command": command}}


def boundary(pre: int, **more: Any) -> Row:
    """A compaction."""
    meta = {"trigger": "auto", "preTokens": pre, "postTokens": 9000}
    row = {"parentUuid": None, "logicalParentUuid": "x", "isSidechain": False, "type": "system"}
    row |= {"subtype": "compact_boundary", "compactMetadata": meta}
    return {**row, "uuid": unique("uuid"), "timestamp": "2026-11-30T10:00:00.000Z", **tail(), **more}


def tail() -> Row:
    """What every row of a conversation ends with."""
    return {"entrypoint": "cli", "cwd": "/home/u/project", "sessionId": "s1", "version": "2.1.332", "gitBranch": "main"}


def as_bytes(rows: list[Row | bytes]) -> bytes:
    """Rows as the client writes them; bytes are taken as a line of their own."""
    lines = [row if isinstance(row, bytes) else json.dumps(row, separators=(",", ":")).encode() for row in rows]
    return b"".join(line + b"\n" for line in lines)


def write(path: Path, *rows: Row | bytes) -> Path:
    """Write a transcript."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(as_bytes(list(rows)))
    return path


def report(root: Path, by: str = "day", *, use_index: bool = False, **wanted: str) -> dict[str, Any]:
    """The audit's report on what is below `root`."""
    return Audit(files.collect([root], use_index=use_index), Filter(**wanted), {}).report(by)


def audited(root: Path, *rows: Row | bytes) -> dict[str, Any]:
    """The report on one transcript with these rows."""
    write(root / "s1.jsonl", *rows)
    return report(root)
