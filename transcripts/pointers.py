"""Which spills can be shown: their pointer stands in the session's transcript, as the result of the same call."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import files

if TYPE_CHECKING:
    from .eventlog import Event


class Pointers:
    """The pointers in the transcripts of sessions, read when they are first asked for.

    Args:
        projects: the client's projects folder.
    """

    def __init__(self, projects: str) -> None:
        self.projects = projects
        self.found: dict[str, set[tuple[str, str]]] = {}

    def shows(self, event: Event) -> bool:
        """Whether the pointer of a spill stands in the transcript."""
        session, call, path = event.get("session"), event.get("id"), event.get("path")
        if not isinstance(session, str) or not isinstance(call, str):
            return False
        if session not in self.found:
            self.found[session] = self._read(session)
        return (call, path if isinstance(path, str) else "") in self.found[session]

    def _folders(self) -> list[str]:
        try:
            return [entry.path for entry in os.scandir(self.projects)]
        except OSError:
            return []

    def _read(self, session: str) -> set[tuple[str, str]]:
        if not session or "/" in session or "\\" in session:
            return set()
        own: list[str] = []
        for folder in self._folders():
            paths = (os.path.join(folder, f"{session}.jsonl"), os.path.join(folder, session))
            own += [path for path in paths if os.path.exists(path)]
        read = files.collect(own, use_index=False)
        return {(spill.tool_use_id, spill.path) for one in read.transcripts for spill in one.digest.spills}
