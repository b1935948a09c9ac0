"""Rows S1 to S16: what is read, and what is refused."""

from __future__ import annotations

import json
import re
import subprocess
import threading
import time
from typing import TYPE_CHECKING

import pytest
from cchooks_suite import settings
from cchooks_suite.settings import TornFileError

from .installer_lab import DEFAULT_HOOKS, FOREIGN, Lab

if TYPE_CHECKING:
    from .conftest import Home


@pytest.fixture
def lab(home: Home) -> Lab:
    return Lab(home)


def test_s1_no_config_folder(lab: Lab) -> None:
    lab.run("install")
    assert list(lab.value()) == ["hooks"]
    assert lab.hooks() == set(DEFAULT_HOOKS)
    text = lab.file.read_text()
    assert text.startswith('{\n  "hooks": {\n    "')
    assert text.endswith("}\n")
    assert not text.endswith("\n\n")
    assert lab.file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("blank", ["", " ", "\n", " \t\r\n "])
def test_s2_a_blank_file_counts_as_empty(lab: Lab, blank: str) -> None:
    lab.write(blank)
    lab.run("install")
    assert lab.hooks() == set(DEFAULT_HOOKS)
    lab.run("uninstall")
    assert lab.file.read_bytes() == blank.encode()


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ('{"a": 1,}', "column 8", "a trailing comma"),
        ('{"a": [1, 2, ]}', "column 12", "a trailing comma"),
        ('{"a": {"b": 1 , }}', "column 15", "a trailing comma"),
        ('{"hooks": {"Stop": [{"hooks": []},]}}', "column 34", "a trailing comma"),
        ('{"hooks": {"Stop": [{"hooks": [1,]}]}}', "column 33", "a trailing comma"),
        ('{"a": 1 "b": 2}', "column 9", "expected `,` or `}`"),
        ('{"a" 1}', "column 6", "expected `:` after the key"),
        ('{"a": tru}', "column 7", "expected a value"),
        ('{"a": "x}', "column 7", "a string that does not end"),
        ('{"a": NaN}', "column 7", "`NaN` is not JSON"),
        ('{"a": 1', "column 8", "the text ends in the middle"),
        ('{"a": 1} x', "column 10", "more text after the end"),
    ],
)
def test_s3_what_is_wrong_and_where(text: str, place: str, reason: str) -> None:
    with pytest.raises(TornFileError, match=re.escape(f"f: line 1, {place}: found no JSON: {reason}")):
        settings.parse(text.encode(), "f")


@pytest.mark.parametrize("command", ["install", "uninstall", "status"])
def test_s3_s4_trailing_comma(lab: Lab, command: str) -> None:
    lab.write('{\n  "model": "x",\n  "env": {},\n}\n')
    said = lab.refused(command)
    assert f"{lab.file}: line 3, column 12: found no JSON: a trailing comma, which the client does not accept" in said
    assert "nothing to remove" not in said
    assert "removed" not in said


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("// mine\n{}", "line 1, column 1"),
        ('{\n  /* mine */ "model": "x"\n}', "line 2, column 3"),
        ('{"model": "x"} // mine', "line 1, column 16"),
        ('{"hooks": {"PreToolUse": [ // mine\n]}}', "line 1, column 28"),
    ],
)
def test_s5_comment(lab: Lab, text: str, place: str) -> None:
    lab.write(text)
    said = lab.refused("install")
    assert place in said
    assert "a comment, which the client does not accept either" in said


@pytest.mark.parametrize("root", ["[]", '"x"', "null", "3", "true", "[{}]"])
@pytest.mark.parametrize("command", ["install", "uninstall", "status"])
def test_s6_root_is_no_object(lab: Lab, root: str, command: str) -> None:
    lab.write(root)
    assert "root is not an object" in lab.refused(command)


def test_s7_byte_order_mark(lab: Lab) -> None:
    before = lab.write(b'\xef\xbb\xbf{\n  "model": "x"\n}\n')
    done = lab.run("install")
    assert "desktop app" in done.stderr
    assert lab.file.read_bytes().startswith(b"\xef\xbb\xbf{")
    after = lab.snapshot()
    lab.run("install")
    assert lab.snapshot() == after
    lab.run("uninstall")
    assert lab.file.read_bytes() == before


def test_s7_the_mark_goes_when_asked(lab: Lab) -> None:
    lab.write(b'\xef\xbb\xbf{"model": "x"}')
    assert "byte order mark at the beginning of the file is taken out" in lab.run("install", "--fix-encoding").stderr
    assert lab.file.read_bytes().startswith(b'{"model"')
    lab.run("uninstall")
    assert lab.file.read_bytes() == b'{"model": "x"}'


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"model": "caf\xe9", "x": 1}', "byte 14 (0xe9) is not UTF-8"),
        (b'\xef\xbb\xbf{"model": "caf\xe9", "x": 1}', "byte 17 (0xe9) is not UTF-8"),
        ('{"model": "x"}'.encode("utf-16"), "UTF-16"),
    ],
)
@pytest.mark.parametrize("command", ["install", "uninstall", "status"])
def test_s9_not_utf8(lab: Lab, data: bytes, said: str, command: str) -> None:
    lab.write(data)
    assert said in lab.refused(command)


@pytest.mark.parametrize(
    ("hooks", "kind"), [("[]", "a list"), ('"x"', "a string"), ("7", "a number"), ("true", "a boolean")]
)
def test_s10_hooks_is_no_object(lab: Lab, hooks: str, kind: str) -> None:
    lab.write(f'{{"hooks": {hooks}}}')
    assert f"`hooks` is {kind}, expected an object" in lab.refused("install")


@pytest.mark.parametrize(
    "text", ['{"hooks": null}', '{"hooks": {"PreToolUse": null}}', '{"hooks": {"PreToolUse": null, "Stop": null}}']
)
def test_s11_null_is_absent(lab: Lab, text: str) -> None:
    lab.write(text)
    done = lab.run("install")
    assert "was null, which counts as absent" in done.stderr
    assert lab.hooks() == set(DEFAULT_HOOKS)
    lab.run("uninstall")
    assert lab.file.read_text() == text


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
@pytest.mark.parametrize(("value", "kind"), [("{}", "an object"), ('"x"', "a string"), ("false", "a boolean")])
def test_s12_an_event_of_ours_is_no_list(lab: Lab, event: str, value: str, kind: str) -> None:
    lab.write(f'{{"hooks": {{"{event}": {value}}}}}')
    for words in (["install"], ["install", "--force"]):
        said = lab.refused(*words)
        assert f"`hooks.{event}` is {kind}, expected a list; the client ignores the whole file" in said


BAD_GROUPS = {
    "matcher null": {"matcher": None, "hooks": [FOREIGN]},
    "matcher list": {"matcher": ["Bash"], "hooks": [FOREIGN]},
    "no hooks": {"matcher": "Bash"},
    "handler directly": FOREIGN,
    "timeout zero": {"hooks": [{**FOREIGN, "timeout": 0}]},
    "timeout text": {"hooks": [{**FOREIGN, "timeout": "5"}]},
    "handler null": {"hooks": [None]},
    "no type": {"hooks": [{"command": "x"}]},
    "args text": {"hooks": [{**FOREIGN, "args": "x"}]},
    "group null": None,
    "http without url": {"hooks": [{"type": "http"}]},
}


@pytest.mark.parametrize("event", ["PreToolUse", "Stop"])
@pytest.mark.parametrize("name", BAD_GROUPS)
def test_s13_a_foreign_entry_makes_the_client_drop_the_file(lab: Lab, name: str, event: str) -> None:
    lab.write({"hooks": {event: [BAD_GROUPS[name]]}})
    said = lab.refused("install")
    assert f"hooks.{event}[0]" in said
    assert "--force" in said
    foreign = lab.file.read_text().split("[", 1)[1].rsplit("]", 1)[0].strip()
    lab.run("install", "--force")
    assert foreign in lab.file.read_text()
    assert lab.value()["hooks"][event][0] == BAD_GROUPS[name]
    assert '"cchooks' not in foreign
    assert f"{lab.command('delegate')}" in lab.file.read_text()


def test_s13_an_unknown_event_is_the_users_own_business(lab: Lab) -> None:
    lab.write({"hooks": {"Later": {"any": "shape"}}})
    lab.run("install")
    assert lab.value()["hooks"]["Later"] == {"any": "shape"}


@pytest.mark.parametrize("command", ["install", "uninstall"])
@pytest.mark.parametrize(
    ("text", "key", "lines"),
    [
        ('{\n  "hooks": {},\n  "model": "x",\n  "hooks": {}\n}', "hooks", "2 and 4"),
        ('{"hooks": {\n"PreToolUse": [],\n"PreToolUse": []}}', "PreToolUse", "2 and 3"),
        ('{"hooks": {\n"Stop": [],\n\n"Stop": []}}', "Stop", "2 and 4"),
    ],
)
def test_s14_s15_a_key_twice(lab: Lab, text: str, key: str, lines: str, command: str) -> None:
    lab.write(text)
    assert f"`{key}` stands twice, in lines {lines}" in lab.refused(command)


def test_s15_an_entry_of_ours_hidden_by_a_repeated_key(lab: Lab) -> None:
    hidden = '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "cchooks-launch"}], "hooks": []}]}}'
    lab.write(hidden)
    assert "`hooks` stands twice" in lab.refused("uninstall")


@pytest.mark.parametrize("half", ['{"model": "x", "env": {"A": "1', "", '{"model": "\xc3'])
def test_s16_a_file_that_is_just_being_written(lab: Lab, half: str) -> None:
    lab.write(half.encode("latin-1"))
    whole = '{"model": "x", "env": {"A": "1"}}'

    def finish() -> None:
        time.sleep(0.1)
        lab.file.write_text(whole)

    writer = threading.Thread(target=finish)
    writer.start()
    done = subprocess.run(
        [str(lab.home.suite.bin("cchooks")), "install"],
        env=lab.home.env,
        cwd=lab.home.project,
        capture_output=True,
        check=False,
    )
    writer.join()
    assert done.returncode == 0, done.stderr
    assert lab.value()["env"] == {"A": "1"}
    assert lab.hooks() == set(DEFAULT_HOOKS)


@pytest.mark.parametrize("make", ["folder", "fifo"])
def test_something_else_than_a_file(lab: Lab, make: str) -> None:
    lab.file.parent.mkdir(parents=True)
    if make == "folder":
        lab.file.mkdir()
    else:
        import os

        os.mkfifo(lab.file)
    assert "expected a file" in lab.run("install", status=1).stderr


def test_nested_beyond_what_anyone_writes(lab: Lab) -> None:
    text = '{"x": ' + "[" * 1500 + "]" * 1500 + "}"
    lab.write(text)
    lab.run("install")
    lab.run("uninstall")
    assert lab.file.read_text() == text


@pytest.mark.parametrize("number", ["9007199254740993123456789", "1" * 5000, "1E400", "-0.0", "1.10"])
def test_numbers_stay_as_they_are_spelled(lab: Lab, number: str) -> None:
    text = f'{{"x": {number}}}'
    lab.write(text)
    lab.run("install")
    assert f'"x": {number}' in lab.file.read_text()
    lab.run("uninstall")
    assert lab.file.read_text() == text


@pytest.mark.parametrize(
    "text", ['{"x": NaN}', '{"x": -Infinity}', '{"x": "a\tb"}', "{'x': 1}", '{"x": 1}}', '{"x": 01}', "{x: 1}"]
)
def test_what_only_lenient_readers_accept(lab: Lab, text: str) -> None:
    lab.write(text)
    assert "line 1, column" in lab.refused("install")


@pytest.mark.parametrize("depth", [900, 990, 1500, 3000])
def test_values_nested_deeper_than_a_stack(lab: Lab, depth: int) -> None:
    deep = "[" * depth + "]" * depth
    text = '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "/x", "later": ' + deep + "}]}]}}\n"
    lab.write(text)
    assert lab.json("install", "--dry-run")["state"] == "dry-run"
    lab.run("install")
    lab.run("uninstall")
    assert lab.file.read_text() == text


def test_values_nested_deeper_than_any_program_reads(lab: Lab) -> None:
    lab.write("[" * 100_000)
    done = lab.run("install", "--json", status=1)
    assert "nested too deeply" in json.loads(done.stdout)["error"]
