"""What `cchooks doctor` finds: one finding for each thing it looked at."""

from __future__ import annotations

from dataclasses import dataclass

OK, NOTICE, BROKEN, UNKNOWN = "ok", "notice", "broken", "unknown"


@dataclass(frozen=True)
class Finding:
    """The outcome of one check.

    Attributes:
        id: the check's name, `AREA.WHAT`; it does not change between versions.
        state: `ok`, `notice` (it works, and there is something to know), `broken`, or `unknown` (it cannot be told from
            here).
        reason: what was found and what was expected, in one line.
        file: the file it is about; may be empty.
        fix: one command, or one action where no command does it; empty where nothing is to be done.
    """

    id: str
    state: str
    reason: str
    file: str = ""
    fix: str = ""

    def as_json(self) -> dict[str, str]:
        """The object that `--json` prints."""
        return {"id": self.id, "state": self.state, "file": self.file, "reason": self.reason, "fix": self.fix}


def status(findings: list[Finding]) -> int:
    """The exit status: 1 with anything broken, 3 with a notice, else 0."""
    states = {finding.state for finding in findings}
    return 1 if BROKEN in states else 3 if NOTICE in states else 0
