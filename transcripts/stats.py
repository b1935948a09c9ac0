"""What the hooks kept out of the context, from their events: a share that can only be too small.

For a session, *without* is what would have reached the model: `avoided` (characters of output, as far as the client
itself would have shown them, minus the pointer) and `returned`. *With* is what did: the pointers, and every later
read-back of a spilled file. What was written to files is in neither.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from .moments import moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .eventlog import Event

_MOST = 1 << 53  # a larger number is no count of characters
CHARACTERS_A_TOKEN = 4  # for "about N tokens" only


class Compression(Struct):
    """Characters of a session, or of many."""

    avoided: int
    returned: int

    @property
    def without(self) -> int:
        """Characters that would have reached the model."""
        return self.avoided + self.returned

    @property
    def percent(self) -> float | None:
        """Kept out, in percent to one decimal; never 100.0 while anything was returned. None: there was nothing."""
        if not self.without:
            return None
        if not self.returned:
            return 100.0
        kept = self.without - max(1, self.returned)
        tenths = (2000 * kept + self.without) // (2 * self.without)  # rounded half up, in whole numbers
        return min(tenths, 999) / 10

    @property
    def multiplier(self) -> float | None:
        """How many times as much it would have been; None where nothing was returned."""
        return round(self.without / self.returned, 1) if self.returned else None


def sessions(events: Iterable[Event], shown: Callable[[Event], bool] | None = None) -> list[dict[str, Any]]:
    """Each session's figures, in the order of their last events.

    Args:
        events: of the log, oldest first.
        shown: for `--verify`: whether the pointer of a spill stands in the session's transcript.
    """
    groups: dict[str, list[Event]] = {}
    for event in events:
        name = event.get("session")
        groups.setdefault(name if isinstance(name, str) else "", []).append(event)
    figures = [_session(name, group, shown) for name, group in groups.items()]
    return sorted(figures, key=lambda row: row["last"] or "")


def total(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The figures of several sessions taken together."""
    listed = list(rows)
    compression = Compression(sum(row["avoided"] for row in listed), sum(row["returned"] for row in listed))
    return {"sessions": len(listed), "spills": sum(row["spills"] for row in listed), **_figures(compression)}


def lifetime(events: Iterable[Event]) -> dict[str, Any]:
    """Totals of everything the log still holds: what tools put out and files took, not what was kept out."""
    listed = list(events)
    spills = [event for event in listed if event["event"] == "spill"]
    return {
        "definition": "all events the log still holds: characters of the outputs that were spilled, as the tools gave"
        " them, without regard to what the client would have shown or what was read back",
        "since": min((time for event in listed if (time := moment(event.get("time")))), default=None),
        "sessions": len({event.get("session") for event in listed}),
        "spills": len(spills),
        "spilled_characters": sum(_number(event, "chars") for event in spills),
        "read_backs": sum(event["event"] == "readback" for event in listed),
        "decisions": decisions(listed),
    }


def decisions(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Denials, warnings and corrections by hook."""
    counted = Counter(
        (str(event.get("hook")), event["event"]) for event in events if event["event"] not in {"spill", "readback"}
    )
    return [{"hook": hook, "event": name, "count": number} for (hook, name), number in sorted(counted.items())]


def _session(name: str, events: list[Event], shown: Callable[[Event], bool] | None) -> dict[str, Any]:
    spills = [event for event in events if event["event"] == "spill"]
    counted = [event for event in spills if shown(event)] if shown else spills
    first = min((_time(event) for event in counted), default=None)
    read_all = [event for event in events if event["event"] == "readback"]
    read_backs = [event for event in read_all if first is not None and _time(event) >= first]
    others = [event for event in read_all if first is None or _time(event) < first]
    returned = sum(_number(event, "returned") for event in (*counted, *read_backs))
    compression = Compression(sum(_number(event, "avoided") for event in counted), returned)
    times = [time for event in events if (time := moment(event.get("time")))]
    return {
        "session": name or None,
        "first": min(times, default=None),
        "last": max(times, default=None),
        "spills": len(counted),
        "not_shown": len(spills) - len(counted) if shown else None,
        "read_backs": len(read_backs),
        "read_back_characters": sum(_number(event, "returned") for event in read_backs),
        "other_read_backs": len(others),
        "other_read_back_characters": sum(_number(event, "returned") for event in others),
        **_figures(compression),
        "decisions": decisions(events),
    }


def _figures(compression: Compression) -> dict[str, Any]:
    return {
        "avoided": compression.avoided,
        "returned": compression.returned,
        "without": compression.without,
        "with": compression.returned,
        "kept_out_percent": compression.percent,
        "multiplier": compression.multiplier,
    }


def _time(event: Event) -> float:
    time = event.get("time")
    return time if isinstance(time, int | float) else 0.0


def _number(event: Event, name: str) -> int:
    value = event.get(name)
    return value if type(value) is int and 0 < value < _MOST else 0
