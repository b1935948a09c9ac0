"""Times of rows and of the command line, as UTC text that sorts: `2026-11-30T09:14:41.691Z`."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from cchooks_suite.errors import UsageError

WHEN = "2026-11-30, 2026-11-30T14:00 (UTC), 2w, 7d, 12h, 30m (minutes)"  # what `argument` understands


def moment(value: Any) -> str:
    """A row's timestamp (ISO 8601 text, or seconds or milliseconds since the epoch); empty where there is none."""
    if isinstance(value, str):
        try:
            parsed = datetime.fromisoformat(value)
        except ValueError:
            return ""
        if len(value) == 24 and value[7] == "-" and value[10] == "T" and value[19] == "." and value[23] == "Z":
            return value  # the client's own form, and the one that is wanted
        return _text(parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC))
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e14:
        return _text(datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC))
    return ""


def argument(text: str, now: datetime, *, end: bool = False) -> str:
    """A time of the command line: a date, a date and time (UTC unless it names a zone), or an age like `7d` or `12h`.

    With `end`, a bare date means the end of that day: the first moment of the next.

    Raises:
        ValueError: it is none of these.
    """
    age = re.fullmatch(r"(\d{1,5})([wdhm])", text.strip())
    if age:
        unit = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes"}[age[2]]
        return _text(now - timedelta(**{unit: int(age[1])}))
    parsed = datetime.fromisoformat(text.strip())
    if end and len(text.strip()) <= len("2026-11-30"):
        parsed += timedelta(days=1)
    return _text(parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC))


def option(name: str, text: str | None, now: datetime, *, end: bool = False) -> str:
    """The time that an option of the command line gives, as `argument` reads it; empty where it is not given.

    Raises:
        UsageError: it cannot be understood.
    """
    try:
        return argument(text, now, end=end) if text else ""
    except (ValueError, OverflowError):
        raise UsageError(f"--{name}: found {text!r}, expected a date, a time or an age such as 7d") from None


def seconds(text: str) -> float:
    """Seconds since the epoch of a moment."""
    return datetime.fromisoformat(text).timestamp()


def _text(value: datetime) -> str:
    try:
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (OverflowError, ValueError):
        return ""
