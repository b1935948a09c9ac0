"""Reading files: whatever stands in a line, no request is lost, nothing is fatal, and what is wrong is reported."""

from __future__ import annotations

import io
import json
import os
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from cchooks_suite.transcripts import decode, digest, files, records, scan, workers
from hypothesis import given, settings
from hypothesis import strategies as st

from .audit_rows import (
    Row,
    advice,
    as_bytes,
    assistant,
    audited,
    boundary,
    message,
    report,
    result,
    tokens,
    usage,
    user,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path


def compact(row: Row) -> bytes:
    return json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode()


def spaced(row: Row) -> bytes:
    return json.dumps(row, separators=(" , ", " : ")).encode()


def reordered(row: Row) -> bytes:
    return compact(dict(reversed(row.items())))


def with_text(text: str) -> Row:
    return assistant(tokens(5000), content=[{"type": "text", "text": text}])


@pytest.mark.parametrize(
    "line",
    [
        spaced(assistant(tokens(5000))),
        reordered(assistant(tokens(5000))),
        b"  " + compact(assistant(tokens(5000))) + b" \r",
        compact(with_text("one\u2028two\u2029three\u0085four")),
        compact(with_text('"type":"user","message":{"role":"user"} {')),
        compact(with_text("x" * 3_000_000)),
        compact(assistant(tokens(5000), version="nightly build")),
        compact(
            assistant(tokens(5000), content=[{"type": "tool_use", "name": "X", "input": {"id": None, "model": None}}])
        ),
        compact(assistant(tokens(5000), content=[{"type": "tool_use", "name": "X", "input": {"usage": {"a": [1]}}}])),
        compact({**assistant(tokens(5000)), "a": {"type": "user"}, "b": '{"type":"user"}'}),
        compact({"note": {"type": "user"}, **assistant(tokens(5000))}),
        compact(assistant({**tokens(5000), "iterations": None, "output_tokens_details": None, "cache_creation": None})),
        compact(assistant(tokens(5000), model=None)),
        compact({**assistant(tokens(5000)), "timestamp": None, "sessionId": None, "cwd": None}),
    ],
)
def test_no_spelling_hides_a_request(tmp_path: Path, line: bytes) -> None:
    found = audited(tmp_path, line)
    assert (found["totals"]["requests"], found["totals"]["read_volume"]) == (1, 5000)
    assert found["reading"]["broken"] == found["reading"]["repaired"] == 0


@pytest.mark.parametrize(
    "line",
    [
        compact(with_text("half")).replace(b"half", b"half \\ud83d pair"),
        compact(with_text("odd")).replace(b"odd", b"odd \xff\xfe byte"),
        compact(with_text("x")).replace(b'"output_tokens":10', b'"output_tokens":10,"cost":NaN'),
        b"\xef\xbb\xbf" + compact(with_text("mark")),
    ],
)
def test_what_a_strict_reader_refuses_is_read_and_counted(tmp_path: Path, line: bytes) -> None:
    found = audited(tmp_path, line)
    assert (found["totals"]["requests"], found["reading"]["repaired"]) == (1, 1)


def test_half_a_pair_in_a_kept_field_can_be_written_again(tmp_path: Path) -> None:
    line = compact(assistant(tokens(5000), model="half")).replace(b'"half"', b'"half \\ud83d"')
    write(tmp_path / "s1.jsonl", line)
    found = report(tmp_path, "model")
    assert [group["model"] for group in found["groups"]] == ["half \ufffd"]


@pytest.mark.parametrize(
    "line", [b"{", b"null", b"[1]", b"x" * 100, compact(assistant(tokens(1)))[:-30], b"\x00" * 10, b'{"a":' * 5000]
)
def test_a_broken_line_is_counted_and_not_fatal(tmp_path: Path, line: bytes) -> None:
    found = audited(tmp_path, assistant(tokens(5000)), line, assistant(tokens(6000)))
    assert found["totals"]["read_volume"] == 11_000
    assert found["reading"]["broken"] == 1


def test_empty_lines_are_nothing(tmp_path: Path) -> None:
    found = audited(tmp_path, b"", assistant(tokens(5000)), b"  ", b"")
    assert (found["totals"]["requests"], found["reading"]["broken"], found["reading"]["blank"]) == (1, 0, 3)


def test_folders_in_folders_deeper_than_calls_can_be(tmp_path: Path) -> None:
    folders = [tmp_path / "d"]
    for _ in range(1100):
        folders.append(folders[-1] / "d")
    for folder in folders:
        folder.mkdir()
    path = write(folders[-1] / "s1.jsonl", assistant(tokens(5000)))
    try:
        assert report(tmp_path)["totals"]["requests"] == 1
    finally:
        path.unlink()
        for folder in reversed(folders):  # shutil.rmtree cannot
            folder.rmdir()


TORN = b'{"parentUuid":null,"isSidechain":false,"attachment":{"type":"date","te'
CUT = as_bytes([user([result("toolu_1", "text " * 400)])])[:-60]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (CUT, "broken"),
        (b'{"type":"mode","mo', "broken"),
        (b'{"type":"mode","mo' + as_bytes([assistant(tokens(900))])[:-1], "broken"),
        (CUT + as_bytes([assistant(tokens(900))])[:-1], "broken"),
        (CUT + as_bytes([assistant(tokens(900), cwd="/" + "long" * 300)])[:-1], "broken"),
        (TORN + as_bytes([assistant(tokens(900))])[:-1], "broken"),
        (CUT + as_bytes([boundary(900)])[:-1], "broken"),
        (CUT + as_bytes([user("x")])[:-1], "broken"),
        (CUT + b"\xff}", "broken"),
        (b'{"type":"mode","mode":"x"} rubbish }', "broken"),
        (as_bytes([user([result("toolu_1", "text")])])[:-1].replace(b"text", b"t\xff"), "repaired"),
        (b'{"type":"mode","mode":"\xff"}', "repaired"),
    ],
)
def test_what_is_wrong_with_a_row_that_counts_nothing_is_counted(tmp_path: Path, line: bytes, problem: str) -> None:
    found = audited(tmp_path, user("prompt"), assistant(tokens(5000)), line, assistant(tokens(6000)))
    assert found["totals"]["read_volume"] == 11_000
    assert found["reading"][problem] == 1


@pytest.mark.parametrize("line", [CUT, b'{"type":"mode","mo', CUT[: CUT.index(b"}")] + b"}"])
def test_a_torn_last_row_of_any_kind_is_counted(tmp_path: Path, line: bytes) -> None:
    path = write(tmp_path / "s1.jsonl", user("prompt"), assistant(tokens(5000)), line)
    path.write_bytes(path.read_bytes()[:-1])
    assert report(tmp_path)["reading"]["unfinished_line"] == 1


def test_a_project_named_like_the_folder_of_results(tmp_path: Path) -> None:
    write(tmp_path / "-home-u-tool-results" / "s1.jsonl", assistant(tokens(5000)))
    write(tmp_path / "-home-u-tool-results" / "s1" / "tool-results" / "s2.jsonl", assistant(tokens(5000)))
    assert report(tmp_path)["totals"]["requests"] == 1


def test_a_pipe_is_reported_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.jsonl")
    found = audited(tmp_path, assistant(tokens(5000)))
    assert found["reading"]["unreadable"] == [{"file": str(tmp_path / "x.jsonl"), "reason": "no regular file"}]


def test_a_link_to_a_folder_whose_name_begins_alike(tmp_path: Path) -> None:
    write(tmp_path / "a-b" / "s2.jsonl", assistant(tokens(5000)))
    write(tmp_path / "a" / "s1.jsonl", assistant(tokens(5000)))
    (tmp_path / "a" / "s2.jsonl").symlink_to(tmp_path / "a-b" / "s2.jsonl")
    assert report(tmp_path / "a")["totals"]["requests"] == 1


def test_an_unfinished_last_row_is_counted(tmp_path: Path) -> None:
    whole = as_bytes([assistant(tokens(5000)), assistant(tokens(6000))])
    (tmp_path / "s1.jsonl").write_bytes(whole[:-40])
    found = report(tmp_path)
    assert found["totals"]["read_volume"] == 5000
    assert (found["reading"]["unfinished_line"], found["reading"]["broken"]) == (1, 0)


def test_a_last_row_that_only_lacks_its_newline_counts(tmp_path: Path) -> None:
    (tmp_path / "s1.jsonl").write_bytes(as_bytes([assistant(tokens(5000))])[:-1])
    found = report(tmp_path)
    assert (found["totals"]["read_volume"], found["reading"]["unfinished_line"]) == (5000, 0)


def test_an_unknown_type_is_counted(tmp_path: Path) -> None:
    found = audited(tmp_path, {"type": "hologram", "sessionId": "s1"}, {"x": 1}, assistant(tokens(5000)))
    assert found["reading"]["unknown_types"] == {"hologram": 1, "no type": 1}
    assert found["totals"]["requests"] == 1


@pytest.mark.parametrize("kind", sorted(scan.METADATA)[:40])
def test_known_metadata_is_passed_over(tmp_path: Path, kind: str) -> None:
    found = audited(tmp_path, {"type": kind, "sessionId": "s1"}, {"sessionId": "s1", "type": kind})
    assert found["reading"]["unknown_types"] == {}


@pytest.mark.parametrize("more", [{}, {"message": "x"}, {"message": {}}, {"message": {"id": 5}, "requestId": 5}])
def test_an_assistant_row_of_another_shape_is_reported(tmp_path: Path, more: Row) -> None:
    assert audited(tmp_path, {"type": "assistant", **more})["reading"]["foreign"] == 1


@pytest.mark.parametrize(
    "row",
    [
        {"type": "user"},
        {"type": "user", "message": None, "toolDenialKind": "x"},
        {
            "type": "user",
            "message": {"content": [None, 5, {"type": "tool_result", "content": [None]}]},
            "toolDenialKind": "x",
        },
        {"type": "system", "subtype": "stop_hook_summary", "hookInfos": [None, {"durationMs": "x"}]},
        {"type": "attachment", "attachment": None},
        {"type": "attachment", "attachment": {"type": "hook_success", "durationMs": None}},
        {"type": "cost-state", "modelUsage": {"m": None, "n": {"inputTokens": "x"}}},
        {"type": "cost-state"},
        {"type": "progress", "data": None},
        {"type": "progress", "data": {"message": {"type": "assistant", "message": {"id": "m", "usage": None}}}},
        {"type": ["assistant"]},
        {"type": "assistant", "message": {"id": "m", "content": [None, 5, {"name": ["x"]}], "usage": []}},
    ],
)
def test_foreign_shapes_are_not_fatal(tmp_path: Path, row: Row) -> None:
    assert audited(tmp_path, row, assistant(tokens(5000)))["totals"]["read_volume"] == 5000


def test_a_line_of_50_megabytes(tmp_path: Path) -> None:
    image = user([result("toolu_1", [{"type": "image", "source": {"data": "A" * 50_000_000}}])])
    found = audited(tmp_path, assistant(tokens(5000)), image, with_text("y" * 9_000_000), assistant(tokens(6000)))
    assert found["totals"]["read_volume"] == 16_000
    assert (found["reading"]["long"], found["reading"]["too_long"]) == (2, 0)


def test_a_long_last_line(tmp_path: Path) -> None:
    path = write(tmp_path / "s1.jsonl", assistant(tokens(5000)), with_text("y" * 9_000_000))
    path.write_bytes(path.read_bytes()[:-1])
    found = report(tmp_path)
    assert (found["totals"]["requests"], found["reading"]["long"], found["reading"]["rows"]) == (2, 1, 2)


def test_a_line_over_the_limit_is_left_out_and_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "BLOCK", 1 << 12)
    monkeypatch.setattr(scan, "_blocks", [])
    monkeypatch.setattr(scan, "LONGEST", 1 << 14)
    long = with_text("y" * 100_000)
    found = audited(tmp_path, assistant(tokens(5000)), long, assistant(tokens(6000)), long)
    assert found["totals"]["read_volume"] == 11_000
    assert found["reading"]["too_long"] == 2


def test_a_file_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nothing")
    found = audited(tmp_path, assistant(tokens(5000)))
    assert found["totals"]["requests"] == 1
    assert [item["file"] for item in found["reading"]["unreadable"]] == [str(tmp_path / "gone.jsonl")]


def test_a_folder_that_cannot_be_read_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "open" / "s1.jsonl", assistant(tokens(5000)))
    write(tmp_path / "closed" / "s2.jsonl", assistant(tokens(5000)))
    scandir = os.scandir

    def refusing(path: str) -> Any:
        if path.endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    found = report(tmp_path)
    assert found["totals"]["requests"] == 1
    assert found["reading"]["unreadable"] == [{"file": str(tmp_path / "closed"), "reason": "Permission denied"}]


@pytest.mark.parametrize("alone", [files.ALONE, 1])
def test_names_that_are_no_utf8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alone: int) -> None:
    monkeypatch.setattr(files, "ALONE", alone)
    monkeypatch.setattr(files, "_SHARE", 1)
    monkeypatch.setattr(workers, "cores", lambda: 2)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / os.fsdecode(b"r\xff")
    for number in range(6):
        row = assistant(tokens(5000))
        del row["sessionId"]
        write(root / os.fsdecode(b"p\xfe") / os.fsdecode(b"session-\xfd%d.jsonl" % number), row)
    (root / os.fsdecode(b"gone\xfc.jsonl")).symlink_to(root / "nothing")
    for use_index in (False, True, True):
        found = report(root, use_index=use_index)
        assert (found["totals"]["requests"], found["totals"]["sessions"]) == (6, 6)
        assert [item["file"] for item in found["reading"]["unreadable"]] == [f"{tmp_path}/r\\xff/gone\\xfc.jsonl"]
    assert files.collect([root]).files_read == 0


# The shortcuts against plain decoding ---------------------------------------------------------------------------

LINES = st.lists(st.binary(max_size=40).map(lambda data: data.replace(b"\n", b" ")), max_size=30)


@given(LINES, st.integers(1, 64), st.booleans())
def test_lines_are_those_of_the_file(lines: list[bytes], block: int, ended: bool) -> None:
    data = b"\n".join(lines) + (b"\n" if ended else b"")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "BLOCK", block)
        patch.setattr(scan, "_blocks", [])
        reader = scan.Reader(io.BytesIO(data))
        found = [bytes(block[:end]) for block, end in reader.blocks()]
    whole = data.split(b"\n")
    assert b"".join(found) == data
    assert all(part.endswith(b"\n") for part in found[:-1])
    assert reader.unfinished == bool(whole[-1])
    assert reader.offset == len(data) - len(whole[-1])


def _rows() -> st.SearchStrategy[list[Row]]:
    block = st.sampled_from(
        [
            {"type": "text", "text": 'say "name":"Bash" {'},
            {"type": "thinking", "thinking": "", "signature": "QUJD"},
            {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {}},
            {"type": "server_tool_use", "id": "srv_1", "name": "advisor", "input": {}},
        ]
    )
    used = st.one_of(
        st.none(),
        st.builds(tokens, st.integers(2, 10**6), st.integers(0, 10**4)),
        st.builds(lambda a, b: usage(message(a), advice(), message(b)), st.integers(2, 10**6), st.integers(2, 10**6)),
    )
    row = st.builds(
        assistant,
        used,
        request=st.sampled_from(["r1", "r2", "r3", None]),
        identity=st.sampled_from(["m1", "m2", None]),
        stop=st.sampled_from([None, "end_turn"]),
        content=st.lists(block, max_size=3),
        timestamp=st.sampled_from(["2026-11-30T10:00:00.000Z", "2026-11-29T10:00:00.000Z"]),
    )
    # All rows of a request are of one conversation.
    row = row.map(lambda made: {**made, "isSidechain": made.get("requestId") == "r3"})
    other = st.sampled_from([user("hello"), user([result("toolu_1", "x")]), {"type": "mode", "mode": "x"}])
    return st.lists(st.one_of(row, row, row, other, st.builds(boundary, st.integers(1, 10**6))), max_size=12)


@settings(max_examples=300, deadline=None)
@given(rows=_rows(), split=st.integers(0, 12))
def test_shortcuts_change_nothing(rows: list[Row], split: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Compact rows, of which most are never decoded, give what spaced ones give, which are decoded one by one."""
    folder = tmp_path_factory.getbasetemp()
    quick, slow = folder / "quick.jsonl", folder / "slow.jsonl"
    quick.write_bytes(b"".join(compact(row) + b"\n" for row in rows))
    slow.write_bytes(b"".join(spaced(row) + b"\n" for row in rows))
    expected = _plain(slow)
    assert _plain(quick) == expected
    head = b"".join(compact(row) + b"\n" for row in rows[:split])
    quick.write_bytes(head)
    first, offset, _ = digest.read(quick)
    quick.write_bytes(b"".join(compact(row) + b"\n" for row in rows))
    again = msgspec.json.decode(decode.dumps(first), type=records.Digest)
    assert json.loads(decode.dumps(digest.read(quick, again, offset)[0])) == expected


def _plain(path: Path) -> Any:
    found = digest.read(path)[0]
    for request in found.requests.values():
        request.session = "s1"
    return json.loads(decode.dumps(found))
