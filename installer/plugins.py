"""Plugins of the client that carry the suite: beside our entries every hook would run twice."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAMES = ("cchooks", "cchooks-suite")


def enabled(value: dict[str, Any]) -> list[tuple[str, bool]]:
    """The plugins of ours that a settings object names as `NAME@MARKETPLACE`, and whether each is on."""
    plugins = value.get("enabledPlugins")
    if not isinstance(plugins, dict):
        return []
    return [(name, bool(on)) for name, on in plugins.items() if name.partition("@")[0] in NAMES]
