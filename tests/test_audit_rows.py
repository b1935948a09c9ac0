"""Rows decoded straight into their fields: what is refused there is read in full, and gives the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from cchooks_suite.transcripts import digest, records, rows
from hypothesis import given, settings
from hypothesis import strategies as st

from .audit_rows import Row, advice, assistant, message, tokens, usage

if TYPE_CHECKING:
    from pathlib import Path

ODD: Any = st.one_of(
    st.booleans(), st.integers(-5, 10**9), st.sampled_from([None, 7.0, 1 << 70, "", "text", [], {"a": [1]}])
)
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


ROW = st.builds(
    assistant,
    st.one_of(
        st.builds(tokens, st.integers(2, 10**6), st.integers(0, 10**4)),
        st.builds(lambda a, b: usage(message(a), advice(), message(b)), st.integers(2, 10**6), st.integers(2, 10**6)),
    ),
    request=st.sampled_from(["r1", "r2", None]),
    identity=st.sampled_from(["m1", None]),
    stop=st.sampled_from([None, "end_turn"]),
    content=st.lists(st.sampled_from([LAUNCH, CALL, {"type": "text", "text": "x"}]), max_size=3),
).map(lambda row: {**row, "message": {**row["message"], "input_transformations": [{"type": "x"}]}})


@settings(max_examples=150, deadline=None)
@given(made=st.lists(ROW, min_size=1, max_size=4), data=st.data())
def test_a_row_refused_is_read_the_same(
    made: list[Row], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A value of any type in any place of a row: the digest is that of rows which are all decoded in full."""
    number = data.draw(st.integers(0, len(made) - 1))
    place = data.draw(st.sampled_from([place for place in _places(made[number]) if place and place != ("type",)]))
    made[number] = _replaced(made[number], place, data.draw(ODD))
    path = tmp_path_factory.getbasetemp() / "s1.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in made))
    found = _packed(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "row", _refuse)
        assert found == _packed(path)


def test_the_client_s_rows_are_not_refused() -> None:
    used = usage(message(5000), advice(), message(6000))
    line = json.dumps(assistant(used, content=[LAUNCH, CALL])).encode()
    read = rows.row(line).message
    assert read
    assert read.usage
    assert len(read.usage.iterations or []) == 3
    assert isinstance(read.content, list)
    assert read.content[0].input == rows.Input("claude --bg 'x'")


def _refuse(line: bytes) -> rows.Row:
    raise UnicodeDecodeError("utf-8", line, 0, 1, "refused")


def _packed(path: Path) -> Any:
    return json.loads(json.dumps(records.packed(digest.read(path)[0])))
