"""What holds for every settings file: generated ones, in any layout."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cchooks_suite import catalogue, jsontext, matching, merge, settings, validity
from cchooks_suite.ownership import Owner
from cchooks_suite.settings import Settings
from cchooks_suite.shell_words import started
from hypothesis import given
from hypothesis import strategies as st

from .installer_lab import entries

HOOKS = catalogue.hooks()
OWNER = Owner(HOOKS)
EVENTS = ["PreToolUse", "PostToolUse", "SessionStart", "Stop", "Later"]
BEHIND = "exec '/opt/acme tools/cchooks-launch' 2>/dev/null"

texts = st.text(max_size=8)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)
handlers = st.fixed_dictionaries(
    {
        "type": st.just("command"),
        "command": st.sampled_from(
            ["/opt/acme/audit", "echo 'é' \\ \"x\"", "cchooks-other", "x cchooks-spill", BEHIND]
        ),
    },
    optional={
        "timeout": st.integers(1, 600),
        "args": st.lists(texts, max_size=2),
        "statusMessage": texts,
        "async": st.booleans(),
        "later": values,
    },
)
groups = st.fixed_dictionaries(
    {"hooks": st.lists(handlers, max_size=3)},
    optional={"matcher": st.sampled_from(["Bash", "*", "", "a|b"]), "later": values},
)
hooks_values = (
    st.dictionaries(st.sampled_from(EVENTS), st.lists(groups, max_size=3) | st.none(), max_size=4) | st.none()
)
objects = st.tuples(
    st.dictionaries(texts.filter(lambda key: key != "hooks"), values, max_size=3),
    st.just({}) | hooks_values.map(lambda found: {"hooks": found}),
    st.dictionaries(texts.filter(lambda key: key != "hooks"), values, max_size=2),
).map(lambda parts: {**parts[0], **parts[1], **parts[2]})


@st.composite
def spelled(draw: st.DrawFn) -> str:
    """A settings object as text: any indent, any blanks between tokens, either spelling of what may be escaped."""
    value = draw(objects)
    style = draw(st.sampled_from(["pretty", "compact", "wild"]))
    ascii_only = draw(st.booleans())
    if style == "pretty":
        text = json.dumps(value, indent=draw(st.sampled_from([1, 2, 4, "\t"])), ensure_ascii=ascii_only)
    elif style == "compact":
        separators = draw(st.sampled_from([(",", ":"), (", ", ": ")]))
        text = json.dumps(value, separators=separators, ensure_ascii=ascii_only)
    else:
        blanks = st.text(" \t\n\r", max_size=3)
        text = _wild(value, lambda: draw(blanks), ascii_only)
    end = draw(st.sampled_from(["", "\n", " \n", "\r\n"]))
    text = draw(st.sampled_from(["", "", "\n", "  "])) + text + end
    return text.replace("\n", "\r\n") if draw(st.booleans()) and "\r" not in text else text


def _wild(value: Any, blank: Any, ascii_only: bool) -> str:
    if isinstance(value, dict) and value:
        parts = [
            f"{blank()}{json.dumps(key, ensure_ascii=ascii_only)}{blank()}:{blank()}"
            f"{_wild(member, blank, ascii_only)}{blank()}"
            for key, member in value.items()
        ]
        return "{" + ",".join(parts) + "}"
    if isinstance(value, list) and value:
        return "[" + ",".join(f"{blank()}{_wild(element, blank, ascii_only)}{blank()}" for element in value) + "]"
    if isinstance(value, dict | list):
        return blank().join("{}" if isinstance(value, dict) else "[]")
    return json.dumps(value, ensure_ascii=ascii_only)


choices = st.lists(st.sampled_from(sorted(HOOKS)), min_size=1, max_size=4, unique=True)


def install(
    file: Settings, names: list[str], rows: Any = (), before: Any = None
) -> tuple[Settings, dict[str, str], list[Any]]:
    slots = [slot for name in names for slot in HOOKS[name].slots]
    known = {name: {slot.event for slot in hook.slots} for name, hook in HOOKS.items()}
    found = matching.match(file, slots, OWNER, rows, known=known)
    made, texts = merge.install(file, found, before or {}, "x")
    return made, texts, [pair.as_entry() for pair in found.pairs]


def uninstall(file: Settings, texts: dict[str, str]) -> Settings:
    gone = [item.handler for item in matching.match(file, [], OWNER).surplus]
    return merge.uninstall(file, gone, texts, "x")


def outside(file: Settings) -> tuple[str, str] | None:
    """The text before and after the value of `hooks`."""
    hooks = file.hooks
    return (file.text[: hooks.start], file.text[hooks.end :]) if hooks else None


def parsed(text: str, marked: bool) -> Settings:
    return settings.parse((b"\xef\xbb\xbf" if marked else b"") + text.encode("utf-8"), "x")


@given(spelled(), st.booleans(), choices)
def test_install_twice_is_install_once(text: str, marked: bool, names: list[str]) -> None:
    once, texts, rows = install(parsed(text, marked), names)
    twice, again, _ = install(once, names, rows, texts)
    assert twice is once
    assert again == texts
    assert install(once, names)[0] is once


@given(spelled(), st.booleans(), choices)
def test_uninstall_after_install_is_the_users_bytes(text: str, marked: bool, names: list[str]) -> None:
    file = parsed(text, marked)
    made, texts, _ = install(file, names)
    assert uninstall(made, texts).encode() == file.encode()


@given(spelled(), st.booleans(), choices, choices)
def test_changes_of_the_choice_leave_no_trace(text: str, marked: bool, first: list[str], second: list[str]) -> None:
    file = parsed(text, marked)
    made, texts, rows = install(file, first)
    made, texts, _ = install(made, second, rows, texts)
    assert {handler["command"] for _, _, handler in entries(made.value)} >= {f"cchooks-{name}" for name in second}
    assert uninstall(made, texts).encode() == file.encode()


@given(spelled(), choices)
def test_bytes_outside_hooks_never_change(text: str, names: list[str]) -> None:
    file = parsed(text, marked=False)
    made, texts, _ = install(file, names)
    around = outside(file)
    if around:
        assert outside(made) == around
    else:
        hooks = made.hooks
        assert hooks
        assert {key: value for key, value in made.value.items() if key != "hooks"} == file.value
    back = uninstall(made, texts)
    assert back.value == file.value


@given(spelled(), choices)
def test_foreign_groups_keep_their_text(text: str, names: list[str]) -> None:
    file = parsed(text, marked=False)
    made, _, _ = install(file, names)
    assert _groups(file) == [
        found for found in _groups(made) if not any(map(OWNER.hook, json.loads(found[1])["hooks"]))
    ]


def _groups(file: Settings) -> list[tuple[str | None, str]]:
    events = (file.hooks.items or []) if file.hooks else []
    return [
        (event.key, file.text[group.start : group.end]) for event in events for group in file.groups(event).items or []
    ]


@given(spelled(), choices)
def test_what_is_written_passes_the_clients_rules(text: str, names: list[str]) -> None:
    made, _, _ = install(parsed(text, marked=False), names)
    assert validity.problems(made.value) == []
    assert json.loads(made.text) == made.value


@given(spelled(), choices)
def test_without_a_receipt_the_values_come_back(text: str, names: list[str]) -> None:
    """Containers that were empty go where no receipt says that they were there; nothing else changes."""
    file = parsed(text, marked=False)
    made, _, _ = install(file, names)
    back = uninstall(made, {}).value
    assert {key: value for key, value in back.items() if key != "hooks"} == {
        key: value for key, value in file.value.items() if key != "hooks"
    }
    full = {event: found for event, found in (file.value.get("hooks") or {}).items() if found}
    assert {event: found for event, found in (back.get("hooks") or {}).items() if found} == full


@given(spelled())
def test_the_reader_says_what_json_says(text: str) -> None:
    node = jsontext.parse(text, depth=2)
    assert node.value == json.loads(text)
    for item in node.items or []:
        assert json.loads(text[item.start : item.end]) == item.value


@given(spelled(), st.data())
def test_a_cut_file_is_refused_and_never_read_as_another(text: str, data: st.DataObject) -> None:
    cut = text.rstrip()[: data.draw(st.integers(1, max(1, len(text.rstrip()) - 1)))]
    if cut.strip() and cut != text.rstrip():
        with pytest.raises(settings.TornFileError):
            settings.parse(cut.encode(), "x")


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        file = settings.parse(data, "x")
    except settings.RefusalError:
        return
    assert file.encode() == data


@given(st.lists(st.text("ab '\"\\$(){};&|<>\n=-`~#", max_size=6) | st.sampled_from(["sh -c ", "exec ", "eval "])))
def test_any_shell_text_can_be_looked_through(parts: list[str]) -> None:
    text = "".join(parts)
    assert all(isinstance(program, str) for program in started(text))
    assert "/opt/cchooks-spill" in started(
        f"exec /opt/cchooks-spill; {text.replace(chr(39), '').replace(chr(34), '')}x"
    )
