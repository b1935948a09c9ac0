"""Every case through the installed executable: the whole decision, and what holds for each of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from . import replay
from .conftest import Home


@pytest.mark.parametrize("path", replay.CASES, ids=replay.case_id)
def test_case(path: Path, home: Home) -> None:
    case = replay.load(path, home)
    done = replay.run(path.parent.name, case, home)
    assert (done.returncode, done.stderr) == (0, "")
    assert replay.decision(done) == case["decision"]
    assert '"allow"' not in done.stdout
    assert_nothing_left(home)
    assert_same_again(path, case, home, done.stdout)


def assert_nothing_left(home: Home) -> None:
    """No half-written file stays behind."""
    assert not [file for file in home.root.rglob("*") if file.name.endswith((".draft", ".lock", ".tmp"))]


def assert_same_again(path: Path, case: dict[str, Any], home: Home, stdout: str) -> None:
    """The same call again gives the same answer and no second file."""
    before = set(home.root.rglob("*.txt"))
    assert replay.run(path.parent.name, case, home).stdout == stdout
    assert set(home.root.rglob("*.txt")) == before


@pytest.mark.parametrize("path", [p for p in replay.CASES if p.parent.name == "spill"], ids=replay.case_id)
def test_spill_changes_long_strings_only_and_keeps_them_on_disk(path: Path, home: Home) -> None:
    case = replay.load(path, home)
    decision = replay.decision(replay.run("spill", case, home))
    if decision is None:
        return
    assert list(decision) == ["hookSpecificOutput"]
    assert list(decision["hookSpecificOutput"]) == ["hookEventName", "updatedToolOutput"]
    changed = dict(differences(case["payload"]["tool_response"], decision["hookSpecificOutput"]["updatedToolOutput"]))
    assert changed
    kept = [file.read_bytes() for file in home.root.rglob("tool-results/**/*.txt")]
    for old, pointer in changed.items():
        assert len(pointer) < len(old)
        if case["payload"]["tool_name"] == "Read":
            assert case["payload"]["tool_response"]["file"]["filePath"] in pointer
            assert not kept
        else:
            assert old.encode("utf-8", "surrogatepass") in kept


def differences(old: Any, new: Any) -> list[tuple[str, str]]:
    """The strings that were replaced, each with what stands in its place; all else must be equal."""
    if isinstance(old, dict):
        assert list(old) == list(new)
        return [pair for key in old for pair in _of_key(key, old[key], new[key])]
    if isinstance(old, list):
        assert len(old) == len(new)
        return [pair for a, b in zip(old, new, strict=True) for pair in differences(a, b)]
    if isinstance(old, str) and old != new:
        return [(old, new)]
    assert json.dumps(old) == json.dumps(new)
    return []


def _of_key(key: str, old: Any, new: Any) -> list[tuple[str, str]]:
    if key != "filenames" or old == new:
        return differences(old, new)
    assert old[: len(new) - 1] == new[:-1]
    return [("\n".join(old), "\n".join(new))]
