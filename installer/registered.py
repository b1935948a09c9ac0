"""The suite's hooks as a session started in a folder has them: which file registers what."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import catalogue, files, receipt, registration, scopes, transaction
from .errors import RefusalError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .catalogue import Hook
    from .ownership import Owner
    from .scopes import Scope
    from .settings import Handler, Settings


@dataclass(frozen=True)
class Layer:
    """One settings file that a session here reads.

    Attributes:
        scope: its scope.
        path: the file at the end of its links.
        settings: what it holds; None where it cannot be read.
    """

    scope: Scope
    path: str
    settings: Settings | None

    @property
    def value(self) -> dict[str, Any]:
        """The file's object; empty where it cannot be read."""
        return self.settings.value if self.settings else {}

    @property
    def handlers(self) -> Iterator[Handler]:
        """Every handler in it, foreign ones too."""
        return self.settings.handlers() if self.settings else iter(())


@dataclass(frozen=True)
class Registered:
    """One handler of ours where it stands."""

    hook: str
    layer: Layer
    handler: Handler

    @property
    def identity(self) -> tuple[Any, ...]:
        """What the client compares to run the same handler once."""
        value = self.handler.value
        return value.get("command"), repr(value.get("args")), value.get("if")


class Session:
    """What a session started in a folder would read.

    Attributes:
        cwd: the folder.
        environ: the environment it would be started with.
        hooks: every hook of the suite by name.
        owner: what makes a handler ours.
        layers: its settings files, the user's first; a later one is the more specific.
        unread: a project's shared file above the folder, which such a session does not read.
        registered: our handlers in `layers`, in order.
    """

    def __init__(self, cwd: str, environ: Mapping[str, str]) -> None:
        self.cwd = cwd
        self.environ = environ
        self.hooks: dict[str, Hook] = catalogue.hooks()
        self.owner: Owner = registration.owner(self.hooks, receipt.load())
        found = [_layer(scope) for scope in scopes.readable(cwd)]
        self.unread = [layer for layer in found if layer.scope.below and layer.scope.name == scopes.PROJECT]
        self.layers = [layer for layer in found if layer not in self.unread]
        self.registered = [
            Registered(hook, layer, handler)
            for layer in self.layers
            for handler in layer.handlers
            if (hook := self.owner.hook(handler.value))
        ]

    def has(self, hook: str) -> bool:
        """Whether a hook is registered at all."""
        return any(item.hook == hook for item in self.registered)

    def serves(self, hook: str, event: str) -> bool:
        """Whether a hook does anything on an event; of a hook that this version no longer has it is not known."""
        return hook not in self.hooks or any(slot.event == event for slot in self.hooks[hook].slots)

    def within(self, layer: Layer) -> list[Registered]:
        """Our handlers in one file."""
        return [item for item in self.registered if item.layer is layer]


def here() -> Session:
    """A session started in the current folder with this process's environment."""
    return Session(scopes.current_folder(), os.environ)


def _layer(scope: Scope) -> Layer:
    try:
        path = files.resolve(scope.path).path
        return Layer(scope, path, transaction.settled(path)[1])
    except RefusalError:
        return Layer(scope, scope.path, None)
