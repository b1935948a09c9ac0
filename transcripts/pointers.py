"""Which spills can be shown: their pointer stands in the session's transcript, as the result of the same call."""

from __future__ import annotations

from pathlib import Path
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
        self.projects = Path(projects)
        self.found: dict[str, set[tuple[str, str]]] = {}

    def shows(self, event: Event) -> bool:
        """Whether the pointer of a spill stands in the transcript."""
        session, call, path = event.get("session"), event.get("id"), event.get("path")
        if not isinstance(session, str) or not isinstance(call, str):
            return False
        if session not in self.found:
            self.found[session] = self._read(session)
        return (call, path if isinstance(path, str) else "") in self.found[session]

    def _read(self, session: str) -> set[tuple[str, str]]:
        if not session or "/" in session or "\\" in session or not self.projects.is_dir():
            return set()
        own = [path for folder in self.projects.iterdir() for path in (folder / f"{session}.jsonl", folder / session)]
        read = files.collect([path for path in own if path.exists()], use_index=False)
        return {(spill.tool_use_id, spill.path) for one in read.transcripts for spill in one.digest.spills}
