"""What kind of session a file or a request is from, and how that is recognised."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .digest import is_agents

if TYPE_CHECKING:
    from .records import Evidence

MAIN, BACKGROUND, HEADLESS, TEAMMATE = "main", "background", "headless", "teammate"
SUBAGENT, WORKFLOW, COMPACTION = "subagent", "workflow", "compaction"

# In the order in which they are tried; `cchooks audit --by kind` prints these lines.
RECOGNISED = {
    COMPACTION: "a request that wrote a summary (old clients: a file named agent-acompact-*)",
    WORKFLOW: "an agent of a workflow (file below subagents/workflows/)",
    SUBAGENT: "an agent of a session (file below subagents/, or row with isSidechain)",
    TEAMMATE: "a session of an agent team (row with teamName in a file of its own)",
    BACKGROUND: "started with `claude --bg` (row with sessionKind bg, or named by such a command in the transcripts)",
    HEADLESS: "started with `claude -p` or by an SDK (entrypoint sdk-cli or another sdk)",
    MAIN: "a session that somebody types into (everything else)",
}


def kind_of_file(path: str, evidence: Evidence, background: set[str]) -> str:
    """The kind of a file's session; `background` holds the sessions (or their beginnings) that launches named."""
    parts = path.split(os.sep)
    if parts[-1].startswith("agent-acompact"):
        return COMPACTION
    if is_agents(path):
        return WORKFLOW if "workflows" in parts[parts.index("subagents") :] else SUBAGENT
    if evidence.team:
        return TEAMMATE
    if evidence.session_kind == "bg" or evidence.session in background or evidence.session[:8] in background:
        return BACKGROUND
    return HEADLESS if evidence.entrypoint.startswith("sdk") else MAIN


def kind_of(sidechain: bool, kind: str) -> str:
    """The kind of requests in a file of the given kind: a sidechain in a main file is a subagent's."""
    return SUBAGENT if sidechain and kind not in {WORKFLOW, COMPACTION, SUBAGENT} else kind
