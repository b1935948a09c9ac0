"""Which handler in a file stands for which registration of ours, and how the two differ."""

from __future__ import annotations

from .catalogue import PREFIX, RETIRED, Slot
from .settings import Handler, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from .ownership import Owner

_FORM = ("type", "command", "args")
_ABSENT = object()


class Pair:
    """A registration of ours and the handler that stands for it.

    Attributes:
        slot: the registration as this version writes it.
        handler: where it stands; None where it is missing.
        wanted: members to set in the handler's object.
        dropped: members to take out of it.
        rematched: whether the group's matcher is to become the slot's.
        kept: the user's own values, by key; `matcher` among them. None for a value that was taken out.
    """

    __slots__ = ("dropped", "handler", "kept", "rematched", "slot", "wanted")

    def __init__(self, slot: Slot, handler: Handler | None) -> None:
        self.slot = slot
        self.handler = handler
        self.wanted: dict[str, Any] = {}
        self.dropped: set[str] = set()
        self.rematched = False
        self.kept: dict[str, Any] = {}

    @property
    def changed(self) -> bool:
        """Whether the file is to be changed for it."""
        return self.handler is None or bool(self.wanted or self.dropped) or self.rematched

    def as_entry(self) -> dict[str, Any]:
        """What the receipt says of it."""
        row = {
            "hook": self.slot.hook,
            "event": self.slot.event,
            "matcher": self.slot.matcher,
            "handler": self._as_written(),
        }
        return {**row, "kept": self.kept} if self.kept else row

    def _as_written(self) -> dict[str, Any]:
        command = self.handler.value.get("command") if self.handler and "command" not in self.wanted else None
        return {**self.slot.handler, "command": command} if command else self.slot.handler


class Surplus:
    """A handler of ours that is one too many.

    Attributes:
        handler: where it stands.
        hook: the hook it runs.
        why: `duplicate`, `misplaced` (an event the hook does not serve), `retired` or `unselected`.
    """

    __slots__ = ("handler", "hook", "why")

    def __init__(self, handler: Handler, hook: str, why: str) -> None:
        self.handler = handler
        self.hook = hook
        self.why = why


class Matching:
    """Everything of ours in a file.

    Attributes:
        pairs: one for each slot, in the slots' order.
        surplus: what is too much.
        lookalikes: handlers that run an executable of our name from an unknown folder.
    """

    def __init__(self, pairs: list[Pair], surplus: list[Surplus], lookalikes: list[Handler]) -> None:
        self.pairs = pairs
        self.surplus = surplus
        self.lookalikes = lookalikes


def match(
    settings: Settings,
    slots: Sequence[Slot],
    owner: Owner,
    entries: Sequence[Mapping[str, Any]] = (),
    *,
    known: Mapping[str, set[str]] | None = None,
    keeps: Callable[[str, str], bool] | None = None,
    force: bool = False,
    retired: Mapping[str, str | None] = RETIRED,
) -> Matching:
    """Compare a file with what should be in it.

    Args:
        settings: the file.
        slots: what should be there.
        owner: what makes a handler ours.
        entries: what the receipt says was written before.
        known: for every hook of the suite the events it serves, to tell `unselected` from `misplaced`.
        keeps: `(command, hook)`: whether a command found is as good as the one we would write.
        force: reset the user's own values too.
        retired: old names of hooks and what became of them.
    """
    mine: dict[tuple[str, str], list[Handler]] = {}
    surplus, lookalikes = [], []
    wanted = {(slot.hook, slot.event) for slot in slots}
    for handler in settings.handlers(PREFIX):
        name = owner.hook(handler.value)
        if name is None:
            if owner.looks_alike(handler.value):
                lookalikes.append(handler)
            continue
        hook = retired.get(name, name)
        if hook is not None and (hook, handler.event) in wanted:
            mine.setdefault((hook, handler.event), []).append(handler)
        else:
            surplus.append(Surplus(handler, name, _why(name, hook, handler.event, known or {}, wanted)))
    pairs: dict[int, Pair] = {}
    for key in dict.fromkeys((slot.hook, slot.event) for slot in slots):
        ours = [(number, slot) for number, slot in enumerate(slots) if (slot.hook, slot.event) == key]
        rows = [row for row in entries if (retired.get(row["hook"], row["hook"]), row.get("event")) == key]
        taken, rest = _assign([slot for _, slot in ours], mine.get(key, []), rows)
        surplus += [Surplus(handler, key[0], "duplicate") for handler in rest]
        for position, (number, slot) in enumerate(ours):
            pairs[number] = _compared(
                slot, taken.get(position), _row(rows, taken.get(position), position), keeps, force
            )
    return Matching([pairs[number] for number in range(len(slots))], surplus, lookalikes)


def _why(name: str, hook: str | None, event: str, known: Mapping[str, set[str]], wanted: set[tuple[str, str]]) -> str:
    if hook is None or hook not in known:
        return "retired" if name not in known else "unselected"
    if event not in known[hook]:
        return "misplaced"
    return "unselected" if not any(hook == other for other, _ in wanted) else "misplaced"


def _assign(
    slots: list[Slot], handlers: list[Handler], rows: list[Mapping[str, Any]]
) -> tuple[dict[int, Handler], list[Handler]]:
    """Give each slot its handler: by the matcher, by the matcher we wrote before, then what the user re-matched."""
    taken: dict[int, Handler] = {}
    rest = sorted(handlers, key=lambda handler: not handler.alone)
    former = [row.get("matcher") for row in rows]
    tries: list[Callable[[int, Slot, Handler], bool]] = [
        lambda _number, slot, handler: handler.matcher == slot.matcher,
        lambda number, _slot, handler: number < len(former) and handler.matcher == former[number],
        lambda _number, slot, handler: handler.matcher not in _matchers(slots, taken) and slot is not None,
    ]
    for fits in tries:
        for number, slot in enumerate(slots):
            found = next((handler for handler in rest if number not in taken and fits(number, slot, handler)), None)
            if found:
                taken[number] = found
                rest.remove(found)
    order = {id(handler): number for number, handler in enumerate(handlers)}
    return taken, sorted(rest, key=lambda handler: order[id(handler)])


def _matchers(slots: list[Slot], taken: dict[int, Handler]) -> list[Any]:
    return [slot.matcher for slot in slots] + [handler.matcher for handler in taken.values()]


def _row(rows: list[Mapping[str, Any]], handler: Handler | None, position: int) -> Mapping[str, Any] | None:
    same = [row for row in rows if handler and row.get("matcher") == handler.matcher]
    return same[0] if same else rows[position] if position < len(rows) else None


def _compared(
    slot: Slot,
    handler: Handler | None,
    row: Mapping[str, Any] | None,
    keeps: Callable[[str, str], bool] | None,
    force: bool,
) -> Pair:
    pair = Pair(slot, handler)
    if handler is None:
        return pair
    before = row["handler"] if row else {}
    for key, value in slot.handler.items():
        found = handler.value.get(key, _ABSENT)
        if found == value or (key == "command" and keeps and keeps(str(found), slot.hook)):
            continue
        if key in _FORM or force or _ours(key, found, before, known=row is not None):
            pair.wanted[key] = value
        else:
            pair.kept[key] = None if found is _ABSENT else found
    for key, found in handler.value.items():
        if key not in slot.handler and (key == "args" or force or (key in before and before[key] == found)):
            pair.dropped.add(key)
    if handler.matcher != slot.matcher:
        former = row is not None and row.get("matcher") == handler.matcher
        if force or former or not isinstance(handler.matcher, str | None):
            pair.rematched = True
        else:
            pair.kept["matcher"] = handler.matcher
    return pair


def _ours(key: str, found: Any, before: Mapping[str, Any], known: bool) -> bool:
    """Whether a value that differs from ours is not the user's: we wrote it, it never stood there, or it is invalid."""
    if found is _ABSENT:
        return not known or key not in before
    if key == "timeout" and (isinstance(found, bool) or not isinstance(found, int | float) or found <= 0):
        return True
    return key in before and before[key] == found
