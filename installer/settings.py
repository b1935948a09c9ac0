"""A settings file as text plus what stands where in it; nothing here opens a file.

The client's rules are kept: UTF-8, a byte order mark accepted, strict JSON, an object at the root.
"""

from __future__ import annotations

import gc

from . import jsontext
from .catalogue import PREFIX
from .errors import RefusalError
from .jsontext import BLANKS, JsonError, Node, kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MARK = b"\xef\xbb\xbf"
CHECK = "correct the file, then run the command again"


class TornFileError(RefusalError):
    """The text is not whole JSON; it may be that another program is just writing it."""


class Handler:
    """One handler where it stands.

    Attributes:
        event: name of the event.
        group: index of the group in the event's list.
        index: index of the handler in the group's list.
        matcher: the group's matcher; None where it has none.
        value: the handler's object.
        alone: whether the group holds no other handler.
    """

    __slots__ = ("alone", "event", "group", "index", "matcher", "value")

    def __init__(self, event: str, group: int, index: int, matcher: Any, value: dict[str, Any], alone: bool) -> None:
        self.event = event
        self.group = group
        self.index = index
        self.matcher = matcher
        self.value = value
        self.alone = alone

    @property
    def where(self) -> str:
        """The handler's place for a message: `hooks.PreToolUse[0].hooks[1]`."""
        return f"hooks.{self.event}[{self.group}].hooks[{self.index}]"


class Settings:
    """The parsed file.

    Attributes:
        text: the file's text without a byte order mark.
        marked: whether it begins with a byte order mark.
        root: the root object, taken apart down to the events; None where the file is blank.
    """

    def __init__(self, text: str, marked: bool, root: Node | None) -> None:
        self.text = text
        self.marked = marked
        self.root = root
        self._handlers: dict[str, list[Handler]] = {}

    @property
    def value(self) -> dict[str, Any]:
        """The root object; empty where the file is blank."""
        return self.root.value if self.root else {}

    def groups(self, event: Node) -> Node:
        """The node of an event's list, taken apart into its groups and their handlers."""
        return jsontext.expand(self.text, event, 3)

    @property
    def hooks(self) -> Node | None:
        """The `hooks` member, whatever it holds."""
        return self.root.member("hooks") if self.root else None

    def event(self, name: str) -> Node | None:
        """The member of `hooks` for an event, whatever it holds."""
        return self.hooks.member(name) if self.hooks else None

    def handlers(self, naming: str = "") -> Iterator[Handler]:
        """Every handler that is an object, under any event, in the file's order.

        Args:
            naming: only those whose command or one of whose arguments contains this.
        """
        if naming not in self._handlers:
            self._handlers[naming] = list(self._find(naming))
        return iter(self._handlers[naming])

    def _find(self, naming: str) -> Iterator[Handler]:
        hooks = self.value.get("hooks")
        for event, groups in hooks.items() if isinstance(hooks, dict) else ():
            for number, group in enumerate(groups if isinstance(groups, list) else ()):
                found = group.get("hooks") if isinstance(group, dict) else None
                handlers = found if isinstance(found, list) else []
                for index, value in enumerate(handlers):
                    if isinstance(value, dict) and _names(value, naming):
                        yield Handler(event, number, index, group.get("matcher"), value, len(handlers) == 1)

    def encode(self) -> bytes:
        """The file's bytes."""
        return (MARK if self.marked else b"") + self.text.encode()


def _names(handler: dict[str, Any], text: str) -> bool:
    if not text or text in str(handler.get("command")):
        return True
    args = handler.get("args")
    return bool(args) and isinstance(args, list) and any(text in str(word) for word in args)


def parse(data: bytes, path: str) -> Settings:
    """Read the bytes of a settings file.

    Args:
        data: the whole file.
        path: the file's name, for messages.

    Raises:
        TornFileError: it is not JSON, or not whole.
        RefusalError: it is JSON, and not what a settings file holds.
    """
    marked = data.startswith(MARK)
    text = _decoded(data, path)
    if not text.strip(BLANKS):
        return Settings(text, marked, None)
    collecting = gc.isenabled()
    gc.disable()  # it would go through the many objects of a big file again and again, and free nothing
    try:
        root = jsontext.parse(text, depth=1, deeper={"hooks": 1})
    except JsonError as error:
        line, column = jsontext.position(text, error.position)
        raise TornFileError(f"{path}: line {line}, column {column}: found no JSON: {error.reason}", CHECK) from None
    finally:
        if collecting:
            gc.freeze()
            gc.enable()
    if not isinstance(root.value, dict):
        raise RefusalError(f"{path}: the root is not an object: found {kind(root.value)}", CHECK)
    settings = Settings(text, marked, root)
    _refuse_repeated(settings, path)
    return settings


def refuse_unmergeable(settings: Settings, events: set[str], path: str) -> None:
    """Refuse a `hooks` value into which handlers for `events` cannot be put.

    Raises:
        RefusalError: `hooks` is no object, or one of the events is no list; null counts as absent.
    """
    hooks = settings.value.get("hooks")
    dead = "the client ignores the whole file because of it"
    if hooks is not None and not isinstance(hooks, dict):
        raise RefusalError(f"{path}: `hooks` is {kind(hooks)}, expected an object; {dead}", CHECK)
    for event in sorted(events & set(hooks or ())):
        groups = (hooks or {})[event]
        if groups is not None and not isinstance(groups, list):
            raise RefusalError(f"{path}: `hooks.{event}` is {kind(groups)}, expected a list; {dead}", CHECK)


def _decoded(data: bytes, path: str) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise RefusalError(f"{path}: found UTF-16 text, expected UTF-8", CHECK)
    body = data.removeprefix(MARK)
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        at = error.start + len(data) - len(body)
        message = f"{path}: byte {at} (0x{data[at]:02x}) is not UTF-8, expected UTF-8"
        if at >= len(data) - 3:  # a character cut in two
            raise TornFileError(message, CHECK) from None
        raise RefusalError(message, CHECK) from None


def _hides(settings: Settings, hooks: Node) -> bool:
    """Whether the text of `hooks` names us more often than the parsed commands do: a repeated key may hide an entry."""
    named = settings.text.count(PREFIX, hooks.start, hooks.end)
    return named != sum(str(handler.value.get("command")).count(PREFIX) for handler in settings.handlers(PREFIX))


def _refuse_repeated(settings: Settings, path: str) -> None:
    """Two members of one name: the client reads the last, so an edit of either may lose the user's other one."""
    root, hooks = settings.root, settings.hooks
    pairs = [pair for pair in root.repeated() if pair[0].key == "hooks"] if root else []
    pairs += hooks.repeated() if hooks else []
    if hooks and not pairs and _hides(settings, hooks):
        groups = [group for event in hooks.items or [] for group in settings.groups(event).items or []]
        pairs = [pair for group in groups for pair in group.repeated()]
    if pairs:
        first, second = (jsontext.position(settings.text, node.begin)[0] for node in pairs[0])
        raise RefusalError(
            f"{path}: `{pairs[0][0].key}` stands twice, in lines {first} and {second}; the client reads only the last",
            "merge the two by hand, then run the command again",
        )
