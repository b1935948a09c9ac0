"""Which tools a matcher of the client fires for.

Measured on Claude Code 2.1.332: a matcher of letters, digits, `_`, `-`, spaces, `|` and `,` is a list of exact names;
any other character makes the whole of it a regular expression that is searched for anywhere in the tool's name. No
matcher, an empty one and `*` fire for every tool.
"""

from __future__ import annotations

import re

_LIST = re.compile(r"[A-Za-z0-9_\- |,]*")
_SEPARATOR = re.compile(r"[|,]")


def fires(matcher: str | None, tool: str) -> bool:
    """Whether a group with this matcher runs for a tool; False for an expression that cannot be read."""
    if matcher in (None, "", "*"):
        return True
    text = str(matcher)
    if _LIST.fullmatch(text):
        return tool in [name.strip() for name in _SEPARATOR.split(text)]
    try:
        return re.search(text, tool) is not None
    except re.error:
        return False


def examples(matcher: str | None) -> list[str]:
    """Tools that a matcher of the suite's own means: the names in it, and an MCP tool for `mcp__.*`."""
    if matcher is None:
        return []
    names = [name.strip() for name in _SEPARATOR.split(matcher)]
    return [name.removesuffix(".*") + "server__tool" if name.endswith("__.*") else name for name in names]
