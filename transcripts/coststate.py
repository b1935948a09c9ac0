"""The client's own totals (`cost-state` rows) beside what the session's rows add up to.

Input and cache fields of a model are held to equality. Output is shown: rows of agents may keep the count that a
response began with. A difference is never silent: it is shown with what is known to cause it.
"""

from __future__ import annotations

from operator import add
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from .records import CostState
    from .sums import Cell

FIELDS = ("input", "cache_read", "cache_creation", "output")
EQUAL, LOWER, HIGHER, MIXED = "equal", "transcript lower", "transcript higher", "lower and higher"


class Reconciled(Struct):
    """One model of one session: both sides in the order of `FIELDS`, the verdict, and known reasons."""

    session: str
    model: str
    recorded: list[int]
    counted: list[int]
    verdict: str
    reasons: list[str]


class Session(Struct):
    """What of a session matters here: the sums of its requests, copies included, and what happened to it."""

    cells: list[Cell]
    compacted: bool
    copied: bool


def reconcile(cost: CostState, session: Session) -> list[Reconciled]:
    """Each model of a record, and each that only the rows have."""
    counted: dict[str, list[int]] = {}
    advised: dict[str, list[int]] = {}
    unfinished: set[str] = set()
    for cell in session.cells:
        _add(counted, cell.model, cell.sum.tokens)
        _add(advised, cell.model, cell.sum.advised)
        for name, numbers in cell.sum.apart.items():
            segment, model = name.split(" ", 1)
            if segment in {"advisor", "compaction"}:
                _add(counted, model, numbers)
            if segment == "advisor":
                _add(advised, model, numbers)
        if cell.sum.unfinished:
            unfinished.add(plain(cell.model))
    recorded: dict[str, list[int]] = {}
    for name, numbers in cost.models.items():
        _add(recorded, name, numbers)
    result = []
    for model in sorted(recorded.keys() | counted.keys()):
        told, added = recorded.get(model, [0] * 4), counted.get(model, [0] * 4)
        verdict = _verdict(told[:3], added[:3])
        reasons = _reasons(verdict, cost, session, model, known=model in counted)
        if verdict == LOWER and _twice(told, added, advised.get(model, [0] * 4)):
            reasons.insert(0, "the record counts advisor requests a second time")
        if told[3] != added[3] and model in unfinished:
            reasons.append("output: some requests never got their final row")
        result.append(Reconciled(cost.session, model, told, added, verdict, reasons))
    return result


def plain(model: str) -> str:
    """A model's id without the mark of its context size."""
    return model.removesuffix("[1m]")


def _add(counted: dict[str, list[int]], model: str, numbers: list[int]) -> None:
    counted[plain(model)] = list(map(add, counted.get(plain(model), [0] * 4), numbers))


def _verdict(recorded: list[int], counted: list[int]) -> str:
    lower = any(ours < theirs for theirs, ours in zip(recorded, counted, strict=True))
    higher = any(ours > theirs for theirs, ours in zip(recorded, counted, strict=True))
    return MIXED if lower and higher else LOWER if lower else HIGHER if higher else EQUAL


def _twice(recorded: list[int], counted: list[int], advised: list[int]) -> bool:
    """Whether a difference is exactly what the advisor requests hold."""
    return any(
        theirs - ours == held != 0 for theirs, ours, held in zip(recorded[:3], counted[:3], advised[:3], strict=True)
    )


def _reasons(verdict: str, cost: CostState, session: Session, model: str, *, known: bool) -> list[str]:
    reasons = []
    if verdict in {LOWER, MIXED}:
        if session.compacted and any(plain(cell.model) == model for cell in session.cells):
            reasons.append("the requests that compacted the session leave no row")
        if session.copied:
            reasons.append("the record goes on from the session that this one was copied from")
        if not known and not session.copied:
            reasons.append("only helper requests (titles, summaries) used this model; they leave no row")
    if verdict in {HIGHER, MIXED} and cost.later_requests:
        s = "" if cost.later_requests == 1 else "s"
        reasons.append(f"the record is older than {cost.later_requests} request{s} of the file")
    if verdict in {LOWER, MIXED} and not reasons:
        reasons.append("helper requests (titles, summaries) leave no row; agents' files may be missing")
    return reasons or (["no known reason"] if verdict != EQUAL else [])
