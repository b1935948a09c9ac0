"""The recorded cases are what the client of today sends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from .. import record, replay

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def raw(client: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the payload of each case, recorded anew."""
    folder = tmp_path_factory.mktemp("raw")
    assert client
    assert record.main(["--raw", str(folder)]) == 0
    return folder


def test_a_new_recording_equals_the_committed_one(raw: Path) -> None:
    compared = 0
    for case in record.CASES:
        committed = replay.PAYLOADS / case.hook / f"{case.name}.json"
        if committed.exists():
            new = json.loads((raw / f"{case.hook}-{case.name}.json").read_text("utf-8"))
            assert json.loads(committed.read_text("utf-8"))["payload"] == new["payload"], case.name
            compared += 1
    assert compared >= 25


def test_nothing_of_the_machine_is_in_a_recording(raw: Path) -> None:
    for file in raw.iterdir():
        assert "cchooks-record-" not in file.read_text("utf-8"), file.name
