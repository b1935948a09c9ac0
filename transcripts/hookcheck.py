"""What the hooks did as the transcripts tell it: denials, spills that reached the model, runs and errors."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .records import Denial, HookRun, Spill

ERRORS = ("hook_error_during_execution", "hook_non_blocking_error", "hook_blocking_error", "hook_cancelled")
_REASON = 60  # characters of a reason that tell denials of unnamed hooks apart


def denials(found: Iterable[Denial], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Denials by who denied: the hook as the event log names it by tool_use_id, else what the model was told."""
    counted: Counter[tuple[str, str, str, str]] = Counter()
    for denial in found:
        hook = names.get(denial.tool_use_id, "")
        told = not hook and denial.source in {"hook", "not recorded"}
        source = "hook" if hook else denial.source
        counted[source, hook, denial.kind, shortened(denial.reason) if told else ""] += 1
    return [
        {"source": source, "hook": hook or None, "kind": kind, "reason": reason or None, "count": number}
        for (source, hook, kind, reason), number in counted.most_common()
    ]


def spills(found: Iterable[Spill]) -> dict[str, int]:
    """Pointers that stand in results: calls, and sessions with any."""
    listed = list(found)
    return {"reached_the_model": len(listed), "sessions": len({spill.session for spill in listed})}


def runs(found: Iterable[HookRun]) -> list[dict[str, Any]]:
    """Runs that left a row, by event and command: a silent run leaves none."""
    groups: dict[tuple[str, str], list[HookRun]] = {}
    for run in found:
        if run.outcome != "hook_additional_context":
            groups.setdefault((run.event, name_of(run.command)), []).append(run)
    result = []
    for (event, command), members in sorted(groups.items()):
        times = [run.milliseconds for run in members if run.milliseconds >= 0]
        errors = Counter(run.outcome for run in members if run.outcome in ERRORS)
        result.append(
            {
                "event": event,
                "command": command,
                "runs": len(members),
                "errors": dict(errors),
                "median_ms": _median(times),
                "longest_ms": max(times, default=None),
            }
        )
    return result


def _median(times: list[int]) -> float | None:
    """The middle value, of two the mean; `statistics` takes longer to import than all of this."""
    ordered = sorted(times)
    middle = len(ordered) // 2
    if not ordered:
        return None
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def name_of(command: str) -> str:
    """The program of a hook's command without folders and arguments; of an interpreter, its script."""
    words = [word.strip("\"'") for word in command.split()]
    names = [
        word.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] for word in words if word and not word.startswith("-")
    ]
    if len(names) > 1 and re.fullmatch(r"(python|node|bash|sh|zsh|ruby|perl)[\d.]*(\.exe)?", names[0]):
        return names[1]
    return names[0] if names else command[:40]


def shortened(reason: str) -> str:
    """The beginning of a denial's reason, without the client's own words in front."""
    text = " ".join(reason.split("hook error:", 1)[-1].split())
    return text if len(text) <= _REASON else text[: _REASON - 1] + "…"
