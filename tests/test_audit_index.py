"""The index is a cache: it changes how fast a report comes, never what it says."""

from __future__ import annotations

import json
import os
import zlib
from typing import TYPE_CHECKING, Any

import pytest
from cchooks_suite.transcripts import digest, files, index, scan, workers

from .audit_rows import Row, as_bytes, assistant, bash, boundary, message, report, result, tokens, usage, user, write
from .bench import transcripts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


# Later Pythons warn of forks beside threads, which the test runner has and the command has not.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder, of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "cchooks" / "audit"


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    """A folder with two small sessions."""
    root = tmp_path / "projects"
    write(root / "p" / "s1.jsonl", assistant(tokens(5000)), user("x"))
    write(root / "p" / "s2.jsonl", assistant(tokens(7000), sessionId="s2"), boundary(7200, sessionId="s2"))
    return root


def read_anew(root: Path) -> int:
    """Files that a run with the index reads."""
    return files.collect([root]).files_read


def same_as_without(root: Path) -> dict[str, Any]:
    found = report(root, use_index=True)
    assert found == report(root)
    return found


def test_a_second_run_reads_nothing(sessions: Path) -> None:
    assert read_anew(sessions) == 2
    assert read_anew(sessions) == 0
    assert same_as_without(sessions)["totals"]["read_volume"] == 12_000


def test_a_changed_file_is_read_again_and_no_other(sessions: Path) -> None:
    read_anew(sessions)
    with (sessions / "p" / "s1.jsonl").open("ab") as file:
        file.write(as_bytes([assistant(tokens(900))]))
    assert read_anew(sessions) == 1
    assert same_as_without(sessions)["totals"]["read_volume"] == 12_900


def test_a_file_that_grew_is_read_from_where_it_was_left(sessions: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_anew(sessions)
    path = sessions / "p" / "s1.jsonl"
    before = path.stat().st_size
    with path.open("ab") as file:
        file.write(as_bytes([assistant(tokens(900))]))
    offsets: list[int] = []
    plain = index.read

    def read(path: str, digest: Any, offset: int) -> Any:
        offsets.append(offset)
        return plain(path, digest, offset)

    monkeypatch.setattr(index, "read", read)
    assert report(sessions, use_index=True)["totals"]["read_volume"] == 12_900
    assert offsets == [before]


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.replace(b"5000", b"5001"),
        lambda data: data[: len(data) // 2],
        lambda data: as_bytes([assistant(tokens(400))]) + data,
        lambda data: (
            data.replace(b'"cache_read_input_tokens":4998', b'"cache_read_input_tokens":4898') + data[:0] + b"{}\n"
        ),
        lambda _: b"",
        lambda data: data[:-1],
        lambda data: data + data[: len(data) // 3],
    ],
)
def test_a_rewritten_file_is_read_from_its_start(sessions: Path, change: Callable[[bytes], bytes]) -> None:
    path = sessions / "p" / "s1.jsonl"
    read_anew(sessions)
    path.write_bytes(change(path.read_bytes()))
    os.utime(path, ns=(1, 1))
    same_as_without(sessions)
    same_as_without(sessions)


def test_a_line_that_is_finished_later_counts_once(sessions: Path) -> None:
    path = sessions / "p" / "s1.jsonl"
    whole = as_bytes([assistant(tokens(5000)), assistant(tokens(6000)), assistant(tokens(100))])
    for end in range(len(whole) - 1500, len(whole) + 1, 97):
        path.write_bytes(whole[:end])
        same_as_without(sessions)
    path.write_bytes(whole)
    assert same_as_without(sessions)["totals"]["read_volume"] == 7000 + 11_100


LAUNCH = assistant(tokens(1000), content=[bash("toolu_1", "claude --bg x")])
MANY = [assistant(tokens(1000), content=[bash(f"toolu_{number}", "claude --bg x")]) for number in range(70)]
STARTED = user([result("toolu_1", "backgrounded · 01234567")])


def one(used: Row, **more: Any) -> Row:
    return assistant(used, request="req_1", identity="msg_1", **more)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param([LAUNCH], [STARTED], id="a launch is answered"),
        pytest.param([LAUNCH, user([result("toolu_1", "no id")])], [STARTED], id="a launch is answered twice"),
        pytest.param(MANY, [STARTED], id="a launch is answered after many others"),
        pytest.param(
            [user("x", version=None, entrypoint=None)],
            [assistant(tokens(9), entrypoint="sdk-cli")],
            id="no version first",
        ),
        pytest.param(
            [user("x", timestamp="bad", entrypoint=None)],
            [assistant(tokens(9), entrypoint="sdk-cli")],
            id="no time first",
        ),
        pytest.param(
            [one({**tokens(50), "iterations": [message(40)]})],
            [one(usage(message(50)))],
            id="a top that is the sum after all",
        ),
        pytest.param(
            [one({**tokens(2, 0), "input_tokens": 0, "iterations": [message(900, 100)]})],
            [one(tokens(900, 50), stop="end_turn")],
            id="a smaller output after a zeroed top",
        ),
        pytest.param([assistant(tokens(9)), b"x" * 20_000], [b"x" * 20_000 + b"\n", user("x")], id="too long a line"),
    ],
)
def test_a_file_that_grew_says_what_it_says_when_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: list[Row | bytes], after: list[Row | bytes]
) -> None:
    monkeypatch.setattr(scan, "BLOCK", 1 << 12)
    monkeypatch.setattr(scan, "_blocks", [])
    monkeypatch.setattr(scan, "LONGEST", 1 << 14)
    path = write(tmp_path / "projects" / "s1.jsonl", *before)
    if isinstance(before[-1], bytes):  # it is not finished
        path.write_bytes(path.read_bytes()[:-1])
    same_as_without(tmp_path / "projects")
    with path.open("ab") as file:
        file.write(as_bytes(after))
    for by in ("kind", "session"):
        assert report(tmp_path / "projects", by, use_index=True) == report(tmp_path / "projects", by)


def test_a_launch_whose_result_named_no_session_is_awaited_no_more(tmp_path: Path) -> None:
    rows = [LAUNCH, user([result("toolu_1", "no id")]), *MANY[2:5]]
    found = digest.read(write(tmp_path / "s1.jsonl", *rows))[0]
    assert list(digest.Scanner("s1.jsonl", found).waiting) == [b"toolu_2", b"toolu_3", b"toolu_4"]


def test_a_folder_that_is_named_twice(sessions: Path) -> None:
    assert files.collect([sessions, sessions]).files_read == 2
    assert read_anew(sessions) == 0


def test_a_removed_and_a_replaced_file(sessions: Path) -> None:
    read_anew(sessions)
    (sessions / "p" / "s1.jsonl").unlink()
    assert same_as_without(sessions)["totals"]["read_volume"] == 7000
    write(sessions / "p" / "s1.jsonl", assistant(tokens(300)))
    assert same_as_without(sessions)["totals"]["read_volume"] == 7300


def _other_version(data: bytes) -> bytes:
    head, body = data.split(b"\n", 1)
    return json.dumps({**json.loads(head), "version": index.VERSION + 1}).encode() + b"\n" + body


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda _: b"\x00" * 100,
        lambda data: data[:-10],
        lambda data: data + b" ",
        lambda data: data.replace(b"4998", b"4999"),
        lambda data: data.split(b"\n", 1)[0] + b"\n[]",
        _other_version,
    ],
)
def test_a_damaged_index_is_made_anew(sessions: Path, cache: Path, damage: Callable[[bytes], bytes]) -> None:
    read_anew(sessions)
    [path] = cache.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    assert read_anew(sessions) == 2
    assert read_anew(sessions) == 0
    same_as_without(sessions)


@pytest.mark.parametrize("digest", [{"requests": 5}, 7, {"requests": [[1]], "evidence": []}, None])
def test_an_index_with_other_content_is_made_anew(sessions: Path, cache: Path, digest: Any) -> None:
    read_anew(sessions)
    [path] = cache.iterdir()
    head, body = path.read_bytes().split(b"\n", 1)
    parts = json.loads(body)
    entries = [entry for part in parts for _, entry in part]
    assert len(entries) == 2
    for entry in entries:
        entry[3] = digest or {**entry[3], "requests": {"key": ["key"]}}
    body = json.dumps(parts).encode()
    head = json.dumps({**json.loads(head), "bytes": len(body), "checksum": zlib.crc32(body)}).encode()
    path.write_bytes(head + b"\n" + body)
    same_as_without(sessions)


def test_without_a_cache_folder_it_works(sessions: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    assert read_anew(sessions) == read_anew(sessions) == 2
    same_as_without(sessions)


def test_the_index_is_private_and_few_are_kept(sessions: Path, cache: Path, tmp_path: Path) -> None:
    for number in range(25):
        read_anew(write(tmp_path / f"{number}.jsonl", assistant(tokens(10))))
    read_anew(sessions)
    kept = list(cache.iterdir())
    assert len(kept) == 20
    assert {path.stat().st_mode & 0o777 for path in kept} == {0o600}


def test_what_interrupted_runs_left_goes_when_it_is_old(sessions: Path, cache: Path) -> None:
    read_anew(sessions)
    old, new = cache / "x.json.1", cache / "x.json.2"
    old.write_text("half")
    new.write_text("half")
    os.utime(old, (1, 1))
    (sessions / "p" / "s1.jsonl").unlink()
    read_anew(sessions)
    assert not old.exists()
    assert new.exists()


def test_a_file_changed_within_its_own_time(sessions: Path) -> None:
    """Same size and time of change: the inode's own time tells."""
    path = sessions / "p" / "s1.jsonl"
    read_anew(sessions)
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"4998", b"4898"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert same_as_without(sessions)["totals"]["read_volume"] == 11_900


@pytest.mark.parametrize("alone", [files.ALONE, 0])
def test_a_file_that_cannot_be_read_stays_out_of_the_index(
    sessions: Path, monkeypatch: pytest.MonkeyPatch, alone: int
) -> None:
    plain = index.refreshed

    def refusing(path: str, entry: Any) -> Any:
        if path.endswith("s2.jsonl"):
            raise PermissionError(13, "Permission denied", path)
        return plain(path, entry)

    monkeypatch.setattr(files, "ALONE", alone)
    monkeypatch.setattr(files, "_SHARE", 1)
    monkeypatch.setattr(workers, "cores", lambda: 2)
    with monkeypatch.context() as closed:
        closed.setattr(index, "refreshed", refusing)
        found = files.collect([sessions])
        assert [reason for _, reason in found.unreadable] == ["Permission denied"]
    assert read_anew(sessions) == 1


# Several processes ----------------------------------------------------------------------------------------------


def test_processes_share_the_work() -> None:
    found = dict(workers.share(200, lambda number: number * number, pack, unpack, 3))
    assert found == {number: number * number for number in range(200)}


def pack(answer: int) -> bytes:
    return json.dumps(answer).encode()


def unpack(data: memoryview) -> Any:
    return json.loads(bytes(data))


def test_the_work_of_a_process_that_died_is_done_again() -> None:
    parent = os.getpid()

    def work(number: int) -> int:
        if os.getpid() != parent:
            os._exit(9)
        return -number

    assert sorted(workers.share(50, work, pack, unpack, 3)) == [(number, -number) for number in range(50)]


def test_an_answer_that_was_cut_is_worked_out_again() -> None:
    whole = workers._ANSWER.pack(3, 5) + b"three" + workers._ANSWER.pack(4, 4) + b"four"
    assert list(workers._received(whole)) == [(3, b"three"), (4, b"four")]
    assert list(workers._received(whole[:-1])) == [(3, b"three")]
    assert list(workers._received(whole[:7])) == []


def test_two_processes_report_what_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transcripts.write(tmp_path / "t", 3, seed=5)
    alone = report(tmp_path / "t", "session")
    monkeypatch.setattr(files, "ALONE", 0)
    monkeypatch.setattr(files, "_SHARE", 10_000)
    monkeypatch.setattr(workers, "cores", lambda: 3)
    assert report(tmp_path / "t", "session") == alone
    assert report(tmp_path / "t", "session", use_index=True) == alone
    assert read_anew(tmp_path / "t") == 0
    assert report(tmp_path / "t", "session", use_index=True) == alone
