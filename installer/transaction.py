"""A change of a settings file, from the first read to the receipt, that survives a crash at any point.

Read, plan; no change: stop, nothing was locked or created. Else lock, read again, plan, keep a backup, write the
receipt, replace, read back. Whoever writes the file meanwhile wins, and the plan is made anew on what they wrote.
"""

from __future__ import annotations

import os
import time

from . import files, receipt, settings
from .errors import ChangedMeanwhileError, RefusalError
from .settings import Settings, TornFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Planner = Callable[[bytes | None, Settings, dict[str, dict[str, Any]]], "Plan"]

_STEADY = 0.5  # seconds after which a text that is not whole will not become so
_RECENT = 5  # seconds within which a file counts as just written
_LONGEST = 10  # seconds to try while another program keeps writing
_PATIENT = 4  # attempts


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
    """A file's bytes and what they say; one that is just being written is waited for.

    Text that is not whole, or blank, counts once it has stayed the same for half a second, or is not of just now.

    Raises:
        RefusalError: it cannot be read, or is still not whole.
    """
    start = time.monotonic()
    seen: object = None
    while True:
        changed = _changed(path)
        data = files.read(path)
        error = None
        try:
            parsed = settings.parse(data or b"", path)
        except TornFileError as torn:
            error = torn
        if data is None or (not error and parsed.root):
            return data, parsed
        now = time.monotonic()
        if (data, changed) != seen:
            seen, since = (data, changed), now
        if now - since >= _STEADY or now - start >= _LONGEST or abs(time.time() - changed) > _RECENT:
            if error:
                raise error
            return data, parsed
        time.sleep(0.02)


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
    from . import lock

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
    start = time.monotonic()
    attempt = 0
    while time.monotonic() - start < _LONGEST:
        outcome = _planned(target, planner)
        try:
            _write(target, outcome, attempt)
        except ChangedMeanwhileError:
            pass
        else:
            back = files.read(target.path)
            if back == outcome.plan.after or outcome.plan.holds(back):
                return outcome
        attempt += 1
        time.sleep(os.urandom(1)[0] / 25600)  # up to 10 ms, so that two programs do not keep step
    raise RefusalError(
        f"{target.path}: another program keeps writing it, expected it to rest",
        "end the other program or wait for it, then run the command again",
    )


def _write(target: files.Target, outcome: Outcome, attempt: int) -> None:
    """Carry a plan out.

    Waiting for the disk takes most of the time, in which another program can write. After some attempts that met one
    the copies are brought to the disk afterwards, and after some more the settings too.
    """
    from . import backups

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
    patient = attempt < _PATIENT
    try:
        if outcome.before is not None:
            outcome.backup = backups.save(target.path, outcome.before, first=former is None, durable=patient)
        if plan.adds:
            receipt.save(target.path, plan.entry, durable=patient)
        files.replace(target.path, outcome.before, plan.after, durable=attempt < 2 * _PATIENT)
    except BaseException:
        _take_back(target, former, made, outcome)
        raise
    outcome.written = True
    if not plan.adds:
        receipt.save(target.path, plan.entry)
    for copy in () if patient else (outcome.backup, receipt.path()):
        files.sync(copy)


def _take_back(target: files.Target, former: dict[str, Any] | None, made: list[str], outcome: Outcome) -> None:
    """The replace failed: the backup and the folders go, and the receipt says again what it said."""
    remove_folders(made)
    if outcome.backup:
        os.unlink(outcome.backup)
        outcome.backup = ""
    try:
        receipt.save(target.path, former, durable=False)
    except OSError:  # the disk is full: the receipt claims more than there is, which `status` shows
        return


def remove_folders(made: list[str]) -> None:
    """Remove folders that we made, innermost first, as far as they are empty."""
    for folder in reversed(made):
        try:
            os.rmdir(folder)
        except OSError:
            return


def _changed(path: str) -> float:
    """When a file was last written, in seconds since the epoch; 0 where there is none."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0
