"""Compactions, each with the request before it: was the context really as large as the client took it to be?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .files import Transcript
    from .records import Boundary
    from .requests import Requests

DOUBLED, PHANTOM, GENUINE, UNKNOWN = "doubled", "phantom", "genuine", "unknown"
CLASSES = (DOUBLED, PHANTOM, GENUINE, UNKNOWN)
_DOUBLE = 1.8  # top level over real context
_NEAR = 0.1  # share of the top level that preTokens may be away from it
_PHANTOM = 1.3  # preTokens over real context


class Compaction(Struct):
    """A boundary, the place of its file, and the last request before it there; numbers are 0 where there is none."""

    boundary: Boundary
    place: int
    verdict: str
    real_context: int
    top_level: int
    ratio: float
    advisor_calls: int
    request: str
    note: str


def paired(transcripts: Sequence[Transcript], requests: Requests) -> list[Compaction]:
    """Every boundary once, in the order of time.

    Of copies that counts which has a request before it, and one of its own session: else it is a fork's.
    """
    found: dict[str, Compaction] = {}
    for place in requests.order:
        for boundary in transcripts[place].digest.boundaries:
            made = _pair(boundary, place, requests)
            before = found.get(boundary.uuid)
            if before is None or _rank(made, requests) > _rank(before, requests):
                found[boundary.uuid] = made
    return sorted(found.values(), key=lambda compaction: (compaction.boundary.time, compaction.boundary.uuid))


def _rank(made: Compaction, requests: Requests) -> tuple[bool, bool]:
    request = requests.get(made.request)
    return bool(made.request), request is not None and request.session == made.boundary.session


def classify(before_tokens: int, real_context: int, top_level: int) -> str:
    """The class of a compaction by its preTokens and the request before it."""
    if not real_context or not before_tokens:
        return UNKNOWN
    near = abs(before_tokens - top_level) <= _NEAR * top_level
    if near and top_level >= _DOUBLE * real_context:
        return DOUBLED
    return PHANTOM if before_tokens > _PHANTOM * real_context else GENUINE


def _pair(boundary: Boundary, place: int, requests: Requests) -> Compaction:
    before = (requests.get(made.key) or made for made in boundary.before)
    # A client-made or zeroed row is no request that filled the context: walk back over it.
    request = next((request for request in before if request.context), None)
    if request is None:
        note = "another compaction directly before it" if boundary.follows else "no request before it in its file"
        return Compaction(boundary, place, UNKNOWN, 0, 0, 0.0, 0, "", note)
    verdict = classify(boundary.before_tokens, request.context, request.volume)
    note = "" if boundary.before_tokens else "preTokens not recorded"
    ratio = boundary.before_tokens / request.context
    calls = request.advisor_calls
    return Compaction(boundary, place, verdict, request.context, request.volume, ratio, calls, request.key, note)
