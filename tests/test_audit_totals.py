"""Whole folders: a synthetic one whose totals are known by construction, and sessions of the real client."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .audit_rows import report
from .bench import transcripts

if TYPE_CHECKING:
    from .bench.transcripts import Totals

REAL = Path(__file__).parent / "transcripts"


@pytest.mark.parametrize(("megabytes", "seed"), [(1, 1), (3, 2), (6, 3)])
def test_a_folder_with_known_totals(tmp_path: Path, megabytes: float, seed: int) -> None:
    expected: Totals = transcripts.write(tmp_path, megabytes, seed)
    found = report(tmp_path)
    total = found["totals"]
    [advisor] = [part for part in total["apart"] if part["segment"] == "advisor"]
    assert expected.advisor_calls
    assert expected.compactions == found["compactions"]["counts"]
    assert {
        "requests": total["requests"],
        "without_request_id": total["without_request_id"],
        **total["tokens"],
        "peak_context": total["peak_real_context"],
        "advisor_requests": total["advisor"]["requests"],
        "advisor_calls": total["advisor"]["calls"],
        "advisor_input": advisor["input"],
        "advisor_output": advisor["output"],
        "fallback_requests": total["fallback_requests"],
        "denials": sum(row["count"] for row in found["hooks"]["denials"]),
        "synthetic_rows": total["left_out"]["client_made_rows"],
        "files": found["scope"]["files"],
        "lines": found["reading"]["rows"],
        "bytes": found["scope"]["bytes"],
    } == {name: value for name, value in vars(expected).items() if name not in {"compactions", "assistant_rows"}}
    assert found["reading"]["broken"] == found["reading"]["foreign"] == 0
    assert found["reading"]["unknown_types"] == {}


def test_groups_add_up_to_the_total(tmp_path: Path) -> None:
    transcripts.write(tmp_path, 2, 7)
    for by in ("day", "session", "model", "kind"):
        found = report(tmp_path, by)
        for name in ("requests", "read_volume", "without_request_id", "unfinished"):
            assert sum(group[name] for group in found["groups"]) == found["totals"][name]


@pytest.mark.parametrize("by", ["day", "session", "model", "kind"])
def test_sums_made_while_reading_are_those_of_the_requests(tmp_path: Path, by: str) -> None:
    """With a time that all requests are after, every file is summed from its requests, and not only a few."""
    transcripts.write(tmp_path, 3, 11)
    for root in (tmp_path, *REAL.iterdir()):
        quick, slow = report(root, by), report(root, by, since="2000-01-01")
        assert slow["scope"].pop("since")
        assert not quick["scope"].pop("since")
        assert quick == slow


def part_of(expected: Any, found: Any) -> Any:
    """What `found` says to each value that is expected."""
    if isinstance(expected, dict):
        return {key: part_of(value, found[key]) for key, value in expected.items()}
    if isinstance(expected, list):
        assert len(expected) == len(found)
        return [part_of(one, other) for one, other in zip(expected, found, strict=True)]
    return found


@pytest.mark.parametrize("folder", sorted(REAL.iterdir()), ids=lambda folder: folder.name)
def test_sessions_of_the_real_client(folder: Path) -> None:
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    assert part_of(expected["report"], report(folder / "projects", expected["by"])) == expected["report"]
