"""The assistant's rows, decoded straight into the fields that are read of them.

To pass over what nobody reads is several times as fast as to build every value. The fields have the types that the
client writes: a row of any other shape, or one that is no assistant's, is refused here, decoded in full elsewhere, and
`row_of` takes of it what is usable. They stand in the client's order, in which they are found fastest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from msgspec.json import Decoder

from .usage import Usage, odd, usage_of

if TYPE_CHECKING:
    from collections.abc import Callable


class Input(Struct, gc=False):
    """The input of a tool call."""

    command: str | None = None


class Block(Struct, gc=False):
    """A block of a message's content."""

    type: str | None = None
    id: str | None = None
    name: str | None = None
    input: Input | None = None


class Message(Struct, gc=False):
    """What the API answered."""

    id: str | None = None
    model: str | None = None
    content: list[Block] | str | None = None
    stop_reason: str | None = None
    usage: Usage | None = None
    input_transformations: list[Any] | None = None


class Row(Struct, gc=False, rename="camel"):
    """A row of a conversation; what the client leaves out is None."""

    type: Literal["assistant"]
    is_sidechain: bool | None = None
    agent_id: str | None = None
    message: Message | None = None
    request_id: str | None = None
    uuid: str | None = None
    timestamp: str | int | float | None = None
    entrypoint: str | None = None
    cwd: str | None = None
    session_id: str | None = None
    version: str | None = None
    request_session_id: str | None = None
    forked_from: Any = None
    session_kind: str | None = None
    team_name: str | None = None


row: Callable[[memoryview], Row] = Decoder(Row).decode
"""The assistant's row that a line holds, which is known to be UTF-8: bytes that are passed over are not held to it.

Raises `decode.REFUSALS` where the line holds none, or one of another shape.
"""


def odd_counts(values: dict[str, Any]) -> int:
    """How many token counts of a row of any shape were taken as 0, because they are none."""
    message = values.get("message")
    used = message.get("usage") if isinstance(message, dict) else None
    return odd(used) if isinstance(used, dict) else 0


def row_of(values: dict[str, Any]) -> Row:
    """What is usable of a row of any shape, and of any type."""
    message, time, sidechain = values.get("message"), values.get("timestamp"), values.get("isSidechain")
    return Row(
        "assistant",
        message=_message(message) if isinstance(message, dict) else None,
        timestamp=time if isinstance(time, str | int | float) else None,
        is_sidechain=sidechain is True,
        forked_from=values.get("forkedFrom"),
        **{name: text(values.get(key)) for name, key in _TEXTS.items()},
    )


_TEXTS = {
    "request_id": "requestId",
    "uuid": "uuid",
    "session_id": "sessionId",
    "agent_id": "agentId",
    "request_session_id": "requestSessionId",
    "session_kind": "sessionKind",
    "team_name": "teamName",
    "version": "version",
    "entrypoint": "entrypoint",
    "cwd": "cwd",
}


def _message(values: dict[str, Any]) -> Message:
    stop, used, content = values.get("stop_reason"), values.get("usage"), values.get("content")
    dropped = values.get("input_transformations")
    return Message(
        text(values.get("id")),
        text(values.get("model")),
        [_block(block) for block in content if isinstance(block, dict)] if isinstance(content, list) else None,
        None if stop is None else str(stop),
        usage_of(used) if isinstance(used, dict) else None,
        dropped if isinstance(dropped, list) else None,
    )


def _block(values: dict[str, Any]) -> Block:
    given = values.get("input")
    command = Input(text(given.get("command"))) if isinstance(given, dict) else None
    return Block(text(values.get("type")), text(values.get("id")), text(values.get("name")), command)


def text(value: Any) -> str | None:
    """The value where it is a string."""
    return value if isinstance(value, str) else None
