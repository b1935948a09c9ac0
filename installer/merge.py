"""The text of a settings file with our handlers put in, or taken out; everything else stays as it is.

Layout of what is put in: that of the file. A container that stands on one line gets its new part on the same line.
"""

from __future__ import annotations

from . import settings, splice
from .errors import RefusalError
from .jsontext import Node
from .settings import Handler, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .catalogue import Slot
    from .matching import Matching, Pair
    from .splice import Edit

    Before = dict[str, str]


def install(file: Settings, found: Matching, before: Mapping[str, str], path: str) -> tuple[Settings, Before]:
    """Put in what is missing, change what differs, take out what is too much.

    Args:
        file: the file as it is.
        found: what of ours is in it.
        before: the text of containers that were empty before our first entry, as the receipt has it.
        path: the file's name, for messages.

    Returns:
        The new file (the same object where nothing changes), and `before` brought up to date.

    Raises:
        RefusalError: `hooks` or an event of ours is nothing that a handler can be put into.
    """
    settings.refuse_unmergeable(file, {pair.slot.event for pair in found.pairs}, path)
    moved = [pair for pair in found.pairs if pair.handler and pair.rematched and not pair.handler.alone]
    added = [pair.slot for pair in found.pairs if pair.handler is None or pair in moved]
    gone = [item.handler for item in found.surplus] + [pair.handler for pair in moved if pair.handler]
    edits = [edit for pair in found.pairs if pair not in moved for edit in _changes(file, pair)]
    edits += _removal(file, gone, before, {slot.event for slot in added})
    texts = dict(before)
    full = _full(file)
    if edits:
        file = _edited(file, edits, path)
    if added:
        file = _edited(file, _additions(file, added, texts, full), path)
    return file, texts


def uninstall(file: Settings, gone: Sequence[Handler], before: Mapping[str, str], path: str) -> Settings:
    """Take handlers out, and the containers that are empty then: they become what they were before, or go too."""
    return _edited(file, _removal(file, gone, before, set()), path) if gone else file


def _edited(file: Settings, edits: list[Edit], path: str) -> Settings:
    text = splice.apply(file.text, edits)
    try:
        data = Settings(text, file.marked, None).encode()
    except UnicodeEncodeError:
        raise RefusalError(f"{path}: an executable's path is not UTF-8, expected one that JSON can hold") from None
    return settings.parse(data, path)


def _changes(file: Settings, pair: Pair) -> list[Edit]:
    handler = pair.handler
    if handler is None or not pair.changed:
        return []
    layout = splice.Layout(file.text, file.root)
    group = _group(file, handler)
    edits = []
    if pair.wanted or pair.dropped:
        edits = splice.set_members(file.text, _handlers(group)[handler.index], pair.wanted, pair.dropped, layout)
    if pair.rematched:
        matcher = {} if pair.slot.matcher is None else {"matcher": pair.slot.matcher}
        edits += splice.set_members(file.text, group, matcher, set() if matcher else {"matcher"}, layout)
    return edits


def _group(file: Settings, handler: Handler) -> Node:
    event = file.event(handler.event)
    return (file.groups(event).items or [])[handler.group] if event else Node({}, 0, 0, [])


def _handlers(group: Node) -> list[Node]:
    member = group.member("hooks")
    return (member.items if member else None) or []


def _removal(file: Settings, gone: Sequence[Handler], before: Mapping[str, str], refilled: set[str]) -> list[Edit]:
    """Edits that take handlers out.

    Args:
        file: the file.
        gone: what goes.
        before: what containers were before us.
        refilled: events that get handlers of ours right afterwards; their lists stay.
    """
    hooks = file.hooks
    if not gone or hooks is None:
        return []
    edits: list[Edit] = []
    empty: set[int] = set()
    for number, event in enumerate(hooks.items or []):
        leaving = [handler for handler in gone if handler.event == event.key]
        if leaving and not _remove_groups(file.groups(event), leaving, edits):
            original = before.get(f"hooks.{event.key}")
            if event.key in refilled:
                edits.append((event.start, event.end, "[]"))
            elif original is not None:
                edits.append((event.start, event.end, original))
            else:
                empty.add(number)
    if not empty:
        return edits
    if len(empty) < len(hooks.items or []) or "hooks" in before or refilled:
        return edits + _emptied(hooks, empty, before.get("hooks", "{}"))
    return edits + _remove_hooks(file, before)


def _remove_groups(event: Node, leaving: list[Handler], edits: list[Edit]) -> bool:
    """Add the edits for one event; False, and none, where nothing would be left in its list."""
    found: list[Edit] = []
    empty = set()
    for number in sorted({handler.group for handler in leaving}):
        group = (event.items or [])[number]
        indexes = {handler.index for handler in leaving if handler.group == number}
        member = group.member("hooks")
        if member and len(indexes) < len(member.items or []):
            found += splice.remove(member, indexes)
        else:
            empty.add(number)
    if len(empty) == len(event.items or []):
        return False
    edits += found + (splice.remove(event, empty) if empty else [])
    return True


def _emptied(container: Node, gone: set[int], original: str) -> list[Edit]:
    if len(gone) < len(container.items or []):
        return splice.remove(container, gone)
    return [(container.start, container.end, original)]


def _remove_hooks(file: Settings, before: Mapping[str, str]) -> list[Edit]:
    root = file.root
    if root is None:
        return []
    gone = {number for number, node in enumerate(root.items or []) if node.key == "hooks"}
    original = before.get("", "{}")
    if len(gone) == len(root.items or []) and not original.startswith("{"):
        return [(0, len(file.text), original)]
    return _emptied(root, gone, original)


def _full(file: Settings) -> set[str | None]:
    """The containers that hold something: `hooks` and the names of events."""
    hooks = file.hooks
    events = (hooks.items or []) if hooks else []
    return {node.key for node in [*events, *([hooks] if hooks else [])] if node.value}


def _additions(file: Settings, slots: Sequence[Slot], texts: Before, full: set[str | None]) -> list[Edit]:
    """Edits that put new groups in.

    Args:
        file: the file.
        slots: what is put in.
        texts: gets the text of each container that was empty and is filled now.
        full: containers that held something before anything was taken out.
    """
    events: dict[str, list[Any]] = {}
    for slot in slots:
        events.setdefault(slot.event, []).append(slot.group)
    layout = splice.Layout(file.text, file.root)
    root, hooks = file.root, file.hooks
    if root is None:
        texts.clear()
        texts[""] = file.text
        body = splice.render({"hooks": events}, layout, "")
        return [(0, len(file.text), body + layout.newline)]
    if hooks is None:
        texts.clear()
        if not root.items:
            texts[""] = file.text[root.start : root.end]
        return [splice.append(file.text, root, [("hooks", events)], layout, "")]
    if hooks.value is None:
        texts.clear()
        texts["hooks"] = "null"
        indent = splice.line_indent(file.text, hooks.begin)
        return [(hooks.start, hooks.end, splice.render(events, layout, indent))]
    return _into_hooks(file, hooks, events, texts, full)


def _into_hooks(
    file: Settings, hooks: Node, events: dict[str, list[Any]], texts: Before, full: set[str | None]
) -> list[Edit]:
    layout = splice.Layout(file.text, file.root)
    edits: list[Edit] = []
    missing: list[tuple[str | None, Any]] = []
    for name, groups in events.items():
        member = hooks.member(name)
        event = file.groups(member) if member else None
        if event is None:
            texts.pop(f"hooks.{name}", None)
            missing.append((name, groups))
            continue
        indent = splice.line_indent(file.text, event.begin)
        if name not in full:
            texts[f"hooks.{name}"] = file.text[event.start : event.end]
        if event.value is None:
            edits.append((event.start, event.end, splice.render(groups, layout, indent)))
        else:
            edits.append(splice.append(file.text, event, [(None, group) for group in groups], layout, indent))
    if missing:
        if "hooks" not in full:
            texts["hooks"] = file.text[hooks.start : hooks.end]
        indent = splice.line_indent(file.text, hooks.begin)
        edits.append(splice.append(file.text, hooks, missing, layout, indent))
    return edits
