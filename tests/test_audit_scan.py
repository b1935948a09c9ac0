"""Which lines a reader need not see: what the bytes of a row prove, by the same rules in C and in Python."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest
from cchooks_suite.transcripts import decode, digest, scan
from hypothesis import given
from hypothesis import strategies as st

from .audit_rows import assistant, boundary, result, tokens, user
from .bench import transcripts
from .conftest import COMPILER, ROOT, Suite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    NextRow = Callable[[bytearray, int, int, bool, frozenset[bytes]], tuple[int, bool, int, int, int]]

METADATA = frozenset(name.encode() for name in scan.METADATA)
DATE = {"parentUuid": None, "isSidechain": False, "attachment": {"type": "date"}, "type": "attachment"}


def compiled() -> NextRow:
    if not COMPILER:
        pytest.skip("there is no C compiler")
    from cchooks_suite.transcripts import _rows

    return _rows.next_row


@pytest.fixture(params=["compiled", "plain"])
def next_row(request: pytest.FixtureRequest) -> NextRow:
    """One of the two: by default readers use the compiled one."""
    return compiled() if request.param == "compiled" else scan.next_row


def line(row: Any) -> bytes:
    return row if isinstance(row, bytes) else json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode()


def proven(next_row: NextRow, row: Any) -> int:
    """What is proven of one line: the caller asks for those of users, so only `SKIP` is passed over."""
    block = bytearray(line(row) + b"\n")
    kind, _, _, _, passed = next_row(block, 0, len(block), False, METADATA)
    return scan.SKIP if passed else kind


LAST = {"sourceToolAssistantUUID": "u1", "permissionDecision": {"decision": "accept"}}
LARGE = "0 [ ] K : text\n" * 3000
QUIET = {
    "prompt": user("hello"),
    "result": user([result("toolu_1", "text")], toolUseResult={"stdout": "text", "stderr": ""}, **LAST),
    "large": user([result("toolu_1", LARGE)], toolUseResult={"stdout": LARGE}, **LAST),
    "names in text": user([result("toolu_1", '{"message": {"type":"assistant"}}')]),
    "objects": user("x", toolUseResult={"a": [{"b": 1}, {"c": {"d": 2}}], "e": [[{"f": 3}]]}),
    "letters": user("the [cchook]s of tool Denial Kind, toolDenialkind and cchooks"),
    "one byte short": user("[cchooks toolDenialKin"),
}
SKIP = {
    "metadata": {"type": "mode", "mode": "normal"},
    "metadata with a dash": {"type": "permission-mode"},
    "attachment": DATE,
    "attachment with all sorts of keys": {**DATE, "attachment": {"type": "tools", "message": {"type": "object"}}},
}
DECODE = {
    "assistant": assistant(tokens(5)),
    "boundary": boundary(5),
    "unknown type": {"type": "hologram", "mode": "x"},
    "beginning of a type": {"type": "mod", "mode": "x"},
    "metadata with more": {"type": "mode", "mode": {"a": 1}},
    "metadata, its type later": {"mode": "x", "type": "mode"},
    "metadata that is torn": b'{"type":"mode","mo',
    "metadata's type alone": b'{"type":"mode}',
    "no name": b'{"type":"","x":1}',
    "hook": {**DATE, "attachment": {"type": "hook_success"}},
    "attachment of another form": {**DATE, "attachment": {"kind": "date"}},
    "attachment and a row behind": line(DATE)[:-24] + line(assistant(tokens(5))),
    "denial in front": {"toolDenialKind": "x", **user("no")},
    "denial behind": user("no", toolDenialKind="x"),
    "denial in the middle": user("no", a=LARGE, toolDenialKind="x", b=LARGE),
    "pointer": user([result("toolu_1", "[cchooks] 5 characters")]),
    "pointer behind a text": user([result("toolu_1", LARGE + "[cchooks] 5 characters")], **LAST),
    "pointer at the end": user("x", a="[cchooks]"),
    "pointer where the message begins": b'{"type":"user","message":{[cchooks]}',
    "space in front": b" " + line(user("x")),
    "no brace in front": b'"type":"user","message":{}}',
    "attachment and a user's behind": line(DATE)[:-24] + line({"parentUuid": None, "toolDenialKind": "x"}),
    "metadata with an open brace": b'{"type":"mode","mode":{"a":1}',
    "metadata, rubbish behind": b'{"type":"mode","mode":"x"} rubbish }',
    "user and a boundary behind": line(user(LARGE))[:-50] + line(boundary(5)),
    "whole rows in one": line(user("x")) + line({"type": "mode", "mode": "x"}),
    "metadata behind a users'": line(user("x" * 99))[:-200] + line({"type": "mode", "mode": "x"}),
    "metadata behind an attachment": line(DATE)[:-24] + line({"type": "mode", "mode": "x"}),
    "a row right behind a brace": b'{"type":"user","message":{{"a":1}}',
    "a row right behind a colon": b'{"type":"user","message":{"a":' + line(assistant(tokens(5))),
    "two rows in one": line(user(LARGE))[:-50] + line(assistant(tokens(5))),
    "two users' rows in one": line(user(LARGE))[:-50] + line(user("x")),
    "user that is torn": line(user("x"))[:-1],
    "user, spaced": json.dumps(user("x")).encode(),
    "no row": b"x",
    "brace": b"{",
    "braces": b"{}",
    "blank": b"",
}


@pytest.mark.parametrize("name", QUIET)
def test_a_users_row_that_tells_nothing(next_row: NextRow, name: str) -> None:
    assert proven(next_row, QUIET[name]) == scan.QUIET


@pytest.mark.parametrize("name", SKIP)
def test_a_row_that_counts_for_nothing(next_row: NextRow, name: str) -> None:
    assert proven(next_row, SKIP[name]) == scan.SKIP


@pytest.mark.parametrize("name", DECODE)
def test_a_row_of_which_nothing_is_proven(next_row: NextRow, name: str) -> None:
    assert proven(next_row, DECODE[name]) == scan.DECODE


def test_the_next_row_is_told_with_its_place_and_what_was_passed_over(next_row: NextRow) -> None:
    rows = [{"type": "mode"}, user("x"), DATE, assistant(tokens(5)), {"type": "mode"}, user("y")]
    lines = [line(row) for row in rows]
    block = bytearray(b"\n".join(lines) + b"\nrest")
    ends = [sum(len(before) + 1 for before in lines[: number + 1]) for number in range(len(lines))]
    end = ends[-1]
    assert next_row(block, 0, end, False, METADATA) == (scan.QUIET, True, ends[0], ends[1] - 1, 1)
    assert next_row(block, 0, end, True, METADATA) == (scan.DECODE, True, ends[2], ends[3] - 1, 3)
    assert next_row(block, ends[3], end, True, METADATA) == (scan.END, True, end, end, 2)
    assert next_row(block, ends[4], end - 3, True, METADATA) == (scan.DECODE, True, ends[4], end - 3, 0)  # cut short
    assert next_row(block, end, end, True, METADATA) == (scan.END, True, end, end, 0)


@pytest.mark.parametrize("size", range(scan._NEAR - 3, scan._NEAR + 4))
def test_how_far_from_its_end_a_row_is_seen_to_begin(next_row: NextRow, size: int) -> None:
    last = b'{"type":"mode","mode":"' + b"x" * (size - 25) + b'"}'
    assert len(last) == size
    expected = scan.DECODE if size < scan._NEAR else scan.QUIET
    assert proven(next_row, line(user("x" * 99))[:-200] + last) == expected


def test_a_line_that_is_long_is_not_passed_over(next_row: NextRow) -> None:
    for size, passed in ((scan.LONG, 1), (scan.LONG + 1, 0)):
        row = line({"type": "mode", "mode": ""})
        block = bytearray(row[:-2] + b"x" * (size - len(row)) + row[-2:] + b"\n")
        assert next_row(block, 0, len(block), True, METADATA)[4] == passed


def test_the_letters_of_a_type(next_row: NextRow) -> None:
    block = bytearray(b'{"type":"aZ_0-9"}\n')
    assert next_row(block, 0, len(block), True, frozenset({b"aZ_0-9"}))[4] == 1
    assert next_row(block, 0, len(block), True, frozenset({b"aZ_0-"}))[4] == 0


LEADS = b"\x7f\x80\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xff"  # where the rules change
OTHERS = b"\x00\x7f\x80\xbf\xc0"


@pytest.mark.parametrize("lead", LEADS)
def test_a_line_that_is_no_utf8_is_told(next_row: NextRow, lead: int) -> None:
    ends = [bytes(end) for size in range(3) for end in itertools.product(OTHERS, repeat=size)]
    for data in (bytes((lead, second)) + end for second in range(256) for end in ends if second != ord("\n")):
        block = bytearray(b'{"type":"mode","mode":"' + data + b'"}\n')
        is_text = True
        try:
            data.decode()
        except UnicodeDecodeError:
            is_text = False
        kind, found, _, _, passed = next_row(block, 0, len(block), True, METADATA)
        assert found == is_text, data
        assert is_text or (kind, passed) in ((scan.SKIP, 0), (scan.DECODE, 0))


@pytest.mark.parametrize("before", range(220, 270))
def test_text_beyond_ascii_anywhere_in_a_line(next_row: NextRow, before: int) -> None:
    for text, passed in (("\N{SNOWMAN}".encode(), 1), ("\N{SNOWMAN}".encode()[:2], 0), (b"\xff", 0)):
        block = bytearray(b'{"type":"mode","mode":"' + b"x" * before + text + b'"}\n')
        assert next_row(block, 0, len(block), True, METADATA)[4] == passed
        cut = bytearray(b"x" * before + text)  # nothing behind it in the block
        assert next_row(cut, 0, len(cut), True, METADATA)[1] == bool(passed)
        assert not next_row(cut, 0, len(cut) - 1, True, METADATA)[1] or text == b"\xff"


@pytest.mark.parametrize("content", [b"x", "ä".encode(), b"\xff"])
@pytest.mark.parametrize("head", [b"x", "ä".encode(), b"\xff"])
def test_text_beyond_ascii_on_both_sides_of_a_message(next_row: NextRow, head: bytes, content: bytes) -> None:
    block = bytearray(b'{"cwd":"%b","type":"user","message":{"content":"%b"}}\n' % (head, content))
    assert next_row(block, 0, len(block), False, METADATA)[1] == (b"\xff" not in head + content)


PIECES = st.sampled_from(
    [
        b'{"type":"',
        b'"type":"user",',
        b'"message":',
        b'"attachment":',
        b'"type":"assistant"',
        b"toolDenialKind",
        b"[cchooks]",
        b"hook_",
        b"mode",
        b'"',
        b"{",
        b"}",
        b"\n",
        b":",
        "ä".encode(),
        b"\xc3",
        b"x" * 20,
    ]
)


@given(st.lists(st.one_of(PIECES, st.binary(max_size=3)), max_size=40), st.integers(0, 60), st.booleans(), st.data())
def test_both_give_the_same_answers(pieces: list[bytes], begin: int, quiet: bool, data: st.DataObject) -> None:
    block = bytearray(b"".join(pieces))
    end = data.draw(st.integers(0, len(block)))
    while True:
        answer = compiled()(block, begin, end, quiet, METADATA)
        assert answer == scan.next_row(block, begin, end, quiet, METADATA)
        if answer[0] == scan.END:
            break
        begin = answer[3] + 1


@given(st.lists(st.sampled_from([*QUIET.values(), *SKIP.values(), *DECODE.values()]), max_size=6), st.booleans())
def test_both_give_the_same_answers_on_rows(rows: list[Any], quiet: bool) -> None:
    block, begin = bytearray(b"\n".join(map(line, rows))), 0
    while begin <= len(block):
        answer = compiled()(block, begin, len(block), quiet, METADATA)
        assert answer == scan.next_row(block, begin, len(block), quiet, METADATA)
        begin = answer[3] + 1


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((b"bytes", 0, 5, True, METADATA), TypeError),
        ((bytearray(5), 0, 5, True), TypeError),
        ((bytearray(5), "0", 5, True, METADATA), TypeError),
        ((bytearray(b"x" * 5), 0, 6, True, METADATA), IndexError),
        ((bytearray(b"x" * 5), -1, 5, True, METADATA), IndexError),
        ((bytearray(b'{"type":"mode"}'), 0, 15, True, None), (TypeError, SystemError)),
    ],
)
def test_the_compiled_one_reads_nothing_but_the_block(arguments: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        compiled()(*arguments)


def test_a_folder_gives_the_same_digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transcripts.write(tmp_path, 6, seed=5)
    paths = sorted([*tmp_path.rglob("*.jsonl"), *(ROOT / "tests" / "transcripts").rglob("*.jsonl")])

    def digests(next_row: NextRow) -> list[bytes]:
        monkeypatch.setattr(digest, "_next_row", next_row)
        return [decode.dumps(digest.read(path)) for path in paths]

    assert len(paths) > 10
    assert digests(compiled()) == digests(scan.next_row)


def test_the_clients_rows_of_users_are_passed_over_unless_they_tell(next_row: NextRow) -> None:
    lines = [
        line for path in (ROOT / "tests" / "transcripts").rglob("*.jsonl") for line in path.read_bytes().split(b"\n")
    ]
    users = [line for line in lines if b'"type":"user","message":' in line]
    assert len(users) > 60
    for line in users:
        tells = b"toolDenialKind" in line or b"[cchooks]" in line
        assert proven(next_row, line) == (scan.DECODE if tells else scan.QUIET), line


def test_an_install_has_the_compiled_one(suite: Suite) -> None:
    compiled()
    [folder] = (suite.venv / "lib").glob("python*/site-packages/cchooks_suite/transcripts")
    assert list(folder.glob("_rows.*.so"))
