"""Every request once, however many files hold its rows.

Copies share a key; the fullest counts, because a resume may zero the usage of rows it copies. `/btw` replays a message
in a sidechain under a request id of its own: the replay is left out where the message stands elsewhere. Two requests of
the main conversation with one message id stay two, and are reported.

Most files share no request with another one. Of these the sums are enough, which were made when they were read.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from zlib import crc32

from msgspec import Raw, Struct, field
from msgspec.json import Decoder
from msgspec.structs import replace

from .decode import dumps
from .records import Request
from .sums import EMBEDDED, Cell, cells

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .files import Transcript

_requests = Decoder(list[Request])


class Kept(Struct, array_like=True):
    """The requests of one file.

    Attributes:
        names: checksums of all keys and messages. Files with none in common have no request in common; those with some
            may have: that is then seen from the requests themselves.
        repeats: whether two of them are of one message.
        cells: their sums.
        packed: themselves, as JSON.
    """

    names: set[int]
    repeats: bool
    cells: list[Cell]
    packed: Raw

    def read(self) -> dict[str, Request]:
        """The requests by key."""
        return {request.key: request for request in _requests.decode(self.packed)}


def kept(requests: Collection[Request]) -> Kept:
    """What is kept of the requests of a file."""
    messages = [request.message for request in requests if request.message]
    names = {crc32(name.encode()) for name in (*messages, *(request.key for request in requests))}
    repeats = len(set(messages)) < len(messages)
    return Kept(names, repeats, cells(requests), Raw(dumps(list(requests))))


class Requests(Struct):
    """The requests of all files.

    Attributes:
        order: the places of the files, those first that copied rows are from.
        alone: the places of files whose requests all count, and no other's do for them.
        counted: each request of the other files that counts, by key, with the place of the file it belongs to.
        replays: the keys of requests that were left out, each with that of the one that stands for it.
        anomalies: what was found on the way: `copies`, `replays`, `two_requests_one_message`.
    """

    order: list[int]
    alone: set[int]
    counted: dict[str, tuple[Request, int]] = field(default_factory=dict)
    replays: dict[str, str] = field(default_factory=dict)
    anomalies: Counter[str] = field(default_factory=Counter)

    def get(self, key: str) -> Request | None:
        """The request that stands for a key of a file that is not alone."""
        found = self.counted.get(key) or self.counted.get(self.replays.get(key, ""))
        return found[0] if found else None


def merged(transcripts: Sequence[Transcript], *, whole: bool = False) -> Requests:
    """The requests of the files, deduplicated across all of them; `whole`: none is left to its sums."""
    found = Requests(_origins_first(transcripts), set() if whole else _alone(transcripts))
    counted = found.counted
    for place in found.order:
        if place in found.alone:
            continue
        for key, request in transcripts[place].requests.read().items():
            before = counted.get(key)
            if before is None:
                counted[key] = (request, place)
            else:
                found.anomalies["copies"] += not (before[0].notes | request.notes) & EMBEDDED
                counted[key] = _one(before, (request, place))
    _merge_messages(found)
    return found


def _alone(transcripts: Sequence[Transcript]) -> set[int]:
    """The files that share no request and no message with another one, nor hold a message twice."""
    seen: set[int] = set()
    shared: set[int] = set()
    for transcript in transcripts:
        names = transcript.requests.names
        expected = len(seen) + len(names)
        seen |= names
        if len(seen) < expected:  # more than what is shared, but it saves to look for each name twice
            shared |= names
    return {
        place
        for place, transcript in enumerate(transcripts)
        if not transcript.requests.repeats and shared.isdisjoint(transcript.requests.names)
    }


def _origins_first(transcripts: Sequence[Transcript]) -> list[int]:
    """The files' places, those first that copied rows are from: a copy begins later, or says that it is one."""

    def order(place: int) -> tuple[bool, str, int, str]:
        one = transcripts[place]
        evidence = one.digest.evidence
        return evidence.origins > 0, evidence.began or "~", one.modified, one.path

    return sorted(range(len(transcripts)), key=order)


def _one(first: tuple[Request, int], second: tuple[Request, int]) -> tuple[Request, int]:
    """The fuller of two copies, with what either alone tells, in the file it is from."""
    (one, place), (other, elsewhere) = first, second
    fuller, lesser = (one, other) if one.size >= other.size else (other, one)
    more = [name for name in lesser.advisor_blocks if name not in fuller.advisor_blocks]
    own = one.notes & EMBEDDED and not other.notes & EMBEDDED  # an agent's file goes before its parent's
    origin = other if own else one
    kept = replace(
        fuller,
        advisor_blocks=(*fuller.advisor_blocks, *more),
        time=min(filter(None, (one.time, other.time)), default=""),
        session=origin.session,
        agent=origin.agent,
        sidechain=origin.sidechain,
        unfinished=one.unfinished and other.unfinished,
        notes=fuller.notes & ~EMBEDDED,
    )
    return kept, elsewhere if own else place


def _merge_messages(found: Requests) -> None:
    """One request for one message, save those that the main conversation itself holds under two request ids."""
    first: dict[str, str] = {}
    several: dict[str, list[str]] = {}
    for key, (request, _) in found.counted.items():
        before = first.setdefault(request.message, key)
        if before is not key and request.message:
            several.setdefault(request.message, [before]).append(key)
    for same in several.values():
        _merge(found, same)


def _merge(found: Requests, same: list[str]) -> None:
    main = [key for key in same if not found.counted[key][0].sidechain]
    keyed = [key for key in main or same if found.counted[key][0].keyed]
    kept = keyed or main[:1] or same[:1]
    kept = kept if main else kept[:1]
    fullest = max(kept, key=lambda key: found.counted[key][0].size)
    found.anomalies["two_requests_one_message"] += len(kept) > 1
    for key in same:
        if key not in kept:
            dropped = found.counted.pop(key)
            found.anomalies["replays"] += dropped[0].keyed  # else some rows of one request lack its id
            request, place = found.counted[fullest]
            whole = replace(_one((request, place), dropped)[0], key=request.key, keyed=request.keyed)
            found.counted[fullest] = (whole, place)
            found.replays[key] = fullest
