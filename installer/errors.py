"""What can be refused, and how it is said."""

from __future__ import annotations


class RefusalError(Exception):
    """Something was asked that is refused; nothing was changed.

    Attributes:
        message: `FILE: what was found, what was expected`, one line.
        hint: a command or an action that helps; may be empty.
        snippet: JSON text to add by hand where a file cannot be written; may be empty.
    """

    def __init__(self, message: str, hint: str = "", snippet: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.snippet = snippet


class UsageError(Exception):
    """A command line that argparse accepts and that makes no sense; exit status 2."""


class OutputError(Exception):
    """What is printed cannot be written; the message is the system's reason."""


class ChangedMeanwhileError(Exception):
    """Another program wrote the file between our read and our replace: plan anew on its new bytes."""
