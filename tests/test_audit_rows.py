"""Rows decoded straight into their fields: what is refused there is read in full, and gives the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from cchooks_suite.transcripts import decode, digest, rows

from .audit_rows import Row, advice, assistant, message, tokens, usage

if TYPE_CHECKING:
    from pathlib import Path

LAUNCH = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "claude --bg 'x'"}}
CALL = {"type": "server_tool_use", "id": "srv_1", "name": "advisor", "input": {}}


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of a row at which a value stands."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in items for place in _places(item, (*path, key)))]


def _replaced(row: Row, place: tuple[Any, ...], value: Any) -> Row:
    made = json.loads(json.dumps(row))
    held = made
    for key in place[:-1]:
        held = held[key]
    held[place[-1]] = value
    return made


def _row() -> Row:
    """A row with every field that is read."""
    used = usage(message(5000), advice(), message(6000))
    used["cache_creation"] = {"ephemeral_5m_input_tokens": 7, "ephemeral_1h_input_tokens": 8}
    row = assistant(used, request="r1", identity="m1", content=[LAUNCH, CALL], sessionKind="bg", teamName="t")
    row["message"]["input_transformations"] = [{"type": "x"}]
    return {**row, "agentId": "a", "isSidechain": True, "requestSessionId": "s0", "forkedFrom": {"sessionId": "s0"}}


@pytest.mark.parametrize("odd", [None, True, -5, 7, 7.0, 1 << 70, "", "text", [], {}, {"a": [1]}, [{"a": 1}, 5]])
def test_a_row_refused_is_read_the_same(odd: Any, tmp_path: Path) -> None:
    """A value of any type in any place of a row: the digest is that of rows which are all decoded in full."""
    before, row = assistant(tokens(5000, 3), request="r1", identity="m1", stop=None), _row()
    for place in _places(row)[1:]:
        path = tmp_path / "s1.jsonl"
        path.write_text("".join(json.dumps(made) + "\n" for made in (before, _replaced(row, place, odd))))
        found = _packed(path)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rows, "row", _refuse)
            assert found == _packed(path), place


def test_the_client_s_rows_are_not_refused() -> None:
    read = rows.row(json.dumps(_row())).message
    assert read
    assert read.usage
    assert len(read.usage.iterations or []) == 3
    assert isinstance(read.content, list)
    assert read.content[0].input == rows.Input("claude --bg 'x'")


def _refuse(line: str | memoryview) -> rows.Row:
    raise UnicodeDecodeError("utf-8", b"", 0, 1, "refused")


def _packed(path: Path) -> Any:
    return json.loads(decode.dumps(digest.read(path)[0]))
