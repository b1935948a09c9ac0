"""The event log: whole lines from any number of writers, bounded, and never in a hook's way."""

from __future__ import annotations

import json
import multiprocessing
import os
from pathlib import Path
from typing import Any

import pytest
from cchooks_suite.hooks import events
from cchooks_suite.transcripts import eventlog
from hypothesis import given
from hypothesis import strategies as st

PAYLOAD = {"session_id": "s1", "tool_name": "Bash", "tool_use_id": "toolu_1"}


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state folder, not made yet."""
    monkeypatch.setenv("CCHOOKS_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "state"


def logged(state: Path) -> list[dict[str, Any]]:
    """Every line of every file, oldest first."""
    paths = sorted(
        state.glob("events.jsonl*"), key=lambda path: int(path.suffix[1:].replace("jsonl", "0")), reverse=True
    )
    return [json.loads(line) for path in paths for line in path.read_bytes().splitlines()]


def test_an_event_is_one_line(state: Path) -> None:
    events.record("spill", "spill", PAYLOAD, avoided=5, path="/x")
    events.record("delegate", "deny", {**PAYLOAD, "agent_id": "a1"})
    first, second = logged(state)
    assert first.pop("time") <= second.pop("time")
    common = {"session": "s1", "tool": "Bash", "id": "toolu_1"}
    assert first == {"hook": "spill", "event": "spill", **common, "avoided": 5, "path": "/x"}
    assert second == {"hook": "delegate", "event": "deny", **common, "agent": "a1"}


def test_the_log_is_private(state: Path) -> None:
    events.record("spill", "spill", PAYLOAD)
    assert state.stat().st_mode & 0o777 == 0o700
    assert (state / events.FILE_NAME).stat().st_mode & 0o777 == 0o600


@given(st.text(), st.integers(), st.booleans() | st.none() | st.floats(allow_nan=False, allow_infinity=False))
def test_any_text_is_one_line(text: str, number: int, odd: Any) -> None:
    line = events.line("spill", "spill", {"session_id": text, "tool_use_id": odd}, {"path": text, "chars": number})
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    row = json.loads(line)
    assert (row["session"], row["path"], row["chars"], row["id"]) == (text, text, number, odd)


@pytest.mark.parametrize("odd", [{1}, b"bytes", float("nan"), object()])
def test_what_cannot_be_written_is_not_in_the_hooks_way(state: Path, odd: Any) -> None:
    events.record("spill", "spill", PAYLOAD, odd=odd)
    events.record("spill", "spill", PAYLOAD)
    assert len(logged(state)) == 1


@pytest.mark.parametrize("obstacle", ["file in the way", "folder in the way", "deep"])
def test_a_log_that_cannot_be_written_is_not_in_the_hooks_way(state: Path, obstacle: str) -> None:
    if obstacle == "file in the way":
        state.write_text("")
    elif obstacle == "folder in the way":
        (state / events.FILE_NAME).mkdir(parents=True)
    payload: dict[str, Any] = dict(PAYLOAD)
    if obstacle == "deep":
        for _ in range(100_000):
            payload = {"session_id": payload}
    events.record("spill", "spill", payload)


def test_a_short_write_leaves_the_next_line_whole(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda file, text: plain(file, text[: max(1, len(text) // 2)]))
        events.record("spill", "spill", PAYLOAD)
    events.record("delegate", "deny", PAYLOAD)
    log = eventlog.read(state)
    assert ([event["event"] for event in log.events], log.broken) == (["deny"], 1)


def test_a_full_file_is_rotated_and_the_oldest_dropped(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "LIMIT", 500)
    for number in range(100):
        events.record("spill", "spill", {**PAYLOAD, "tool_use_id": f"toolu_{number:03}"})
    names = sorted(path.name for path in state.iterdir())
    assert names == ["events.jsonl", *(f"events.jsonl.{number}" for number in range(1, events.KEPT + 1))]
    assert all(path.stat().st_size < 700 for path in state.iterdir())
    numbers = [int(event["id"][6:]) for event in logged(state)]
    assert numbers == list(range(numbers[0], 100))
    assert [int(event["id"][6:]) for event in eventlog.read(state).events] == numbers


def test_a_rotation_of_another_process_is_waited_for_by_nobody(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "LIMIT", 100)
    events.record("spill", "spill", PAYLOAD)
    lock = state / "events.jsonl.lock"
    lock.touch()
    events.record("spill", "spill", PAYLOAD)
    assert len((state / events.FILE_NAME).read_bytes().splitlines()) == 2
    os.utime(lock, (1, 1))
    for _ in range(2):  # the first finds the lock stale, the second rotates
        events.record("spill", "spill", PAYLOAD)
    assert not lock.exists()
    assert len((state / "events.jsonl.1").read_bytes().splitlines()) == 3
    assert len((state / events.FILE_NAME).read_bytes().splitlines()) == 1


def test_a_writer_that_comes_to_the_lock_late_rotates_nothing(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "LIMIT", 500)
    events.record("spill", "spill", PAYLOAD)
    assert events._rotate(str(state / events.FILE_NAME))
    assert [path.name for path in state.iterdir()] == [events.FILE_NAME]


def _writer(folder: str, writer: int, number: int, limit: int, kept: int) -> None:
    os.environ["CCHOOKS_STATE_DIR"] = folder
    events.LIMIT, events.KEPT = limit, kept
    for count in range(number):
        events.record("spill", "spill", {**PAYLOAD, "tool_use_id": f"{writer}-{count}"}, path="x" * (count * 37 % 5000))


@pytest.mark.parametrize(("limit", "kept"), [(1 << 30, 4), (100_000, 200)])
def test_many_writers_lose_and_tear_nothing(tmp_path: Path, limit: int, kept: int) -> None:
    context = multiprocessing.get_context("spawn")
    arguments = [(str(tmp_path / "state"), writer, 150, limit, kept) for writer in range(6)]
    processes = [context.Process(target=_writer, args=given) for given in arguments]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 6
    lines = [line for path in (tmp_path / "state").iterdir() for line in path.read_bytes().splitlines()]
    found = [json.loads(line)["id"] for line in lines]
    assert sorted(found) == sorted(f"{writer}-{count}" for writer in range(6) for count in range(150))
    assert (len(list((tmp_path / "state").iterdir())) > 1) == (limit < 1 << 30)


# The reader -----------------------------------------------------------------------------------------------------


def test_a_call_logged_twice_counts_once(state: Path) -> None:
    for _ in range(2):
        events.record("spill", "spill", PAYLOAD)
        events.record("spill", "readback", PAYLOAD)
        events.record("delegate", "deny", PAYLOAD)
        events.record("launch", "deny", {**PAYLOAD, "tool_use_id": None})
    events.record("spill", "spill", {**PAYLOAD, "session_id": "s2"})
    log = eventlog.read(state)
    assert [(event["hook"], event["event"]) for event in log.events] == [
        ("spill", "spill"),
        ("spill", "readback"),
        ("delegate", "deny"),
        ("launch", "deny"),
        ("launch", "deny"),
        ("spill", "spill"),
    ]
    assert log.repeated == 3
    assert eventlog.hook_names(log) == {"toolu_1": "delegate"}


def test_foreign_lines_are_counted_and_not_fatal(state: Path) -> None:
    state.mkdir()
    lines = [b"{", b"[]", b"null", b"{}", b'{"event":5}', b'{"event":"spill","id":[]}', b"\xff", b"", b"  "]
    (state / events.FILE_NAME).write_bytes(b"\n".join(lines) + b'\n{"event":"spill"}\n{"event":"sp')
    log = eventlog.read(state)
    assert (len(log.events), log.broken) == (1, 8)


def test_no_log_is_an_empty_one(state: Path) -> None:
    assert eventlog.read(state) == eventlog.Log([], 0, 0, [])


def test_a_rotation_while_reading_hides_nothing(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        events.record("spill", "spill", {**PAYLOAD, "tool_use_id": None}, number=number)
    plain = Path.open

    def rotating(path: Path, *arguments: Any) -> Any:
        file = plain(path, *arguments)
        if path.name == events.FILE_NAME:
            path.rename(state / "events.jsonl.1")
            path.touch()
        return file

    monkeypatch.setattr(Path, "open", rotating)
    assert [event["number"] for event in eventlog.read(state).events] == [0, 1, 2]
