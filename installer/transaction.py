"""A change of a settings file, from the first read to the receipt, that survives a crash at any point.

Read, plan; no change: stop, nothing was locked or created. Else lock, read again, plan, keep a backup, write the
receipt, replace, read back. Whoever writes the file meanwhile wins, and the plan is made anew on what they wrote.
"""

from __future__ import annotations

import os
import time

from . import backups, files, lock, receipt, settings
from .errors import ChangedMeanwhileError, RefusalError
from .settings import Settings, TornFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Planner = Callable[[bytes | None, Settings, dict[str, dict[str, Any]]], "Plan"]

_TRIES = 60
_REWRITTEN = 8


class Plan:
    """What is to become of one file.

    Attributes:
        after: the file's new bytes; None to delete it.
        entry: the receipt's new entry; None to take it out.
        adds: whether entries are added or changed, which decides when the receipt is written.
        holds: whether bytes read back, when they differ from `after`, still hold what was planned.
        report: what the planner says to the person.
    """

    __slots__ = ("adds", "after", "entry", "holds", "report")

    def __init__(
        self,
        after: bytes | None,
        entry: dict[str, Any] | None,
        *,
        adds: bool,
        holds: Callable[[bytes | None], bool],
        report: Any,
    ) -> None:
        self.after = after
        self.entry = entry
        self.adds = adds
        self.holds = holds
        self.report = report


class Outcome:
    """What was done.

    Attributes:
        plan: the plan that was carried out, or would be.
        before: the bytes it was made on; None where there was no file.
        changed: whether the settings file is (or would be) another one.
        written: whether anything was written.
        backup: where the bytes of before are kept; empty where nothing had to be.
    """

    __slots__ = ("backup", "before", "changed", "plan", "written")

    def __init__(self, plan: Plan, before: bytes | None) -> None:
        self.plan = plan
        self.before = before
        self.changed = plan.after != before
        self.written = False
        self.backup = ""


def settled(path: str) -> tuple[bytes | None, Settings]:
    """A file's bytes and what they say; one that is just being written is waited for, for half a second.

    Raises:
        RefusalError: it cannot be read, or is still not whole.
    """
    for pause in (0.02, 0.05, 0.1, 0.1, 0.1, 0.15, 0.0):
        data = files.read(path)
        try:
            parsed = settings.parse(data or b"", path)
        except TornFileError:
            if not pause or not _fresh(path):
                raise
        else:
            if data is None or parsed.root or not pause or not _fresh(path):
                return data, parsed
        time.sleep(pause)
    raise AssertionError("the last round returns or raises")


def carry_out(
    target: files.Target,
    planner: Planner,
    *,
    dry: bool,
    check: Callable[[Outcome], None],
    prepare: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Plan and, where something changes, write.

    Args:
        target: the file.
        planner: makes a plan from the bytes, the parsed file and the receipt's entries; may raise a RefusalError.
        dry: only plan.
        check: called before the first write, with what would be done; may raise a RefusalError.
        prepare: called when the file would change; says whether it learnt something that makes another plan.

    Raises:
        RefusalError: the plan or the write is refused; the file is as it was.
    """
    outcome = _planned(target, planner)
    if outcome.changed and prepare():
        outcome = _planned(target, planner)
    leftover = files.strays(target.path)
    if dry or not (outcome.changed or leftover or _outdated(target, outcome.plan)):
        return outcome
    check(outcome)
    with lock.held():
        files.remove_strays(receipt.path())
        files.remove_strays(target.path)
        try:
            return _written(target, planner)
        except OSError as error:
            raise RefusalError(
                f"{target.path}: could not be written: {error.strerror or error}; it is as it was",
                "make room or give the permission, or add by hand what `cchooks print-config` shows",
            ) from None


def _planned(target: files.Target, planner: Planner) -> Outcome:
    before, parsed = settled(target.path)
    return Outcome(planner(before, parsed, receipt.load()), before)


def _outdated(target: files.Target, plan: Plan) -> bool:
    return receipt.load().get(target.path) != plan.entry


def _written(target: files.Target, planner: Planner) -> Outcome:
    rewritten = 0
    for attempt in range(_TRIES):
        outcome = _planned(target, planner)
        try:
            _write(target, outcome)
        except ChangedMeanwhileError:
            time.sleep(min(0.002 * attempt, 0.1))
            continue
        back = files.read(target.path)
        if back == outcome.plan.after or outcome.plan.holds(back):
            return outcome
        rewritten += 1
        if rewritten == _REWRITTEN:
            break
    raise RefusalError(
        f"{target.path}: another program keeps writing it, expected it to rest",
        "end the other program or wait for it, then run the command again",
    )


def _write(target: files.Target, outcome: Outcome) -> None:
    plan = outcome.plan
    if files.resolve(target.given).path != target.path:
        raise RefusalError(f"{target.given}: leads to another file than a moment ago", "run the command again")
    if not outcome.changed:
        receipt.save(target.path, plan.entry)
        outcome.written = True
        return
    made = files.make_folder(target.folder)
    if plan.entry is not None and made:
        plan.entry["folders"] = made
    former = receipt.load().get(target.path)
    try:
        if outcome.before is not None:
            outcome.backup = backups.save(target.path, outcome.before)
        if plan.adds:
            receipt.save(target.path, plan.entry)
        files.replace(target.path, outcome.before, plan.after)
    except BaseException:
        _take_back(target, former, made, outcome)
        raise
    outcome.written = True
    if not plan.adds:
        receipt.save(target.path, plan.entry)


def _take_back(target: files.Target, former: dict[str, Any] | None, made: list[str], outcome: Outcome) -> None:
    """The replace failed: the backup and the folders go, and the receipt says again what it said."""
    remove_folders(made)
    if outcome.backup:
        os.unlink(outcome.backup)
        outcome.backup = ""
    try:
        receipt.save(target.path, former)
    except OSError:  # the disk is full: the receipt claims more than there is, which `status` shows
        return


def remove_folders(made: list[str]) -> None:
    """Remove folders that we made, innermost first, as far as they are empty."""
    for folder in reversed(made):
        try:
            os.rmdir(folder)
        except OSError:
            return


def _fresh(path: str) -> bool:
    """Whether the file was written within the last seconds."""
    try:
        return abs(time.time() - os.stat(path).st_mtime) < 5
    except OSError:
        return True
