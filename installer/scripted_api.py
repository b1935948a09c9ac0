"""A stand-in for the Messages API on loopback that answers from a script in the prompt.

It lets the real client run without a model, a network or an account: `cchooks doctor --live` and the tests drive the
client with it and look at what reached it. The script stands behind the mark `SCRIPT:` in the newest user text that has
one, as JSON: a list of steps. Step k answers the request that holds k assistant messages after it, so nothing is kept
between requests, and a subagent plays the script in its own prompt. A step is

- a text, which ends the turn,
- a tool call `{"tool": NAME, "input": {...}}`, with an optional `"id"` to find its result by,
- a list of texts and tool calls, made in parallel,
- `{"usage": {...}, "step": STEP}`: any of these with the usage to report.

`{LAST_PATH}` in a step stands for the file that the newest tool result with a path points to. After its last step, and
without a script or tools, the answer is the text `done`.
"""

from __future__ import annotations

import json
import re
import threading
import uuid
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

    Json = dict[str, Any]

MARK = "SCRIPT:"
PLACEHOLDER = "{LAST_PATH}"
END = "done"
_SAVED = re.compile(r"/[^\s\"'`<>|]*/tool-results/[^\s\"'`<>|)\]]+")
_ABSOLUTE = re.compile(r"(?<![\w./~-])/[\w.@+~-]+(?:/[\w.@+~-]+)+")


@dataclass(frozen=True)
class Request:
    """One request of the client: its path without the query, and its JSON body (empty where it was not an object)."""

    path: str
    body: Json

    @property
    def is_turn(self) -> bool:
        """Whether it asks for an answer of the model, as opposed to a token count or anything else."""
        return self.path.endswith("/messages")


class ScriptedAPI:
    """The server: `start` and `stop`, or a `with` block; `url` is what ANTHROPIC_BASE_URL must be.

    Args:
        log: a file that gets each request as a line of JSON (`path` and `body`), beside the list in memory.
        port: where to listen on 127.0.0.1; 0 takes a free port.
    """

    def __init__(self, log: Path | None = None, port: int = 0) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._requests: list[Request] = []
        self._server = _Server(("127.0.0.1", port), self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """The base URL, without a slash at its end."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def requests(self) -> list[Request]:
        """The requests so far, oldest first; a copy."""
        with self._lock:
            return list(self._requests)

    def clear(self) -> None:
        """Forget the requests so far; the log file keeps them."""
        with self._lock:
            self._requests.clear()

    def start(self) -> ScriptedAPI:
        """Serve in a thread of its own; returns itself."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """End serving and free the port."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def __enter__(self) -> ScriptedAPI:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def add(self, request: Request) -> None:
        """Keep a request."""
        with self._lock:
            self._requests.append(request)
            if self._log is not None:
                with self._log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"path": request.path, "body": request.body}) + "\n")


def prompt(steps: list[Any]) -> str:
    """The prompt that plays `steps`."""
    return f"{MARK} {json.dumps(steps)}"


def call(tool: str, name: str, **arguments: Any) -> Json:
    """The step that calls a tool; `name` is its `tool_use_id`, by which the result is found."""
    return {"tool": tool, "id": name, "input": arguments}


def bash(name: str, command: str) -> Json:
    """The step that runs a command with Bash."""
    return call("Bash", name, command=command, description="a scripted command")


def agent(name: str, steps: list[Any], kind: str = "general-purpose") -> Json:
    """The step that starts a subagent which plays `steps`, and waits for its answer."""
    return call(
        "Agent", name, description="a scripted agent", prompt=prompt(steps), subagent_type=kind, run_in_background=False
    )


def tool_results(requests: list[Request]) -> dict[str, Json]:
    """What the model was given as results: the `tool_result` blocks of all requests by their `tool_use_id`."""
    found: dict[str, Json] = {}
    for request in requests:
        for message in request.body.get("messages", []) if request.is_turn else []:
            for block in _blocks(message):
                if block.get("type") == "tool_result":
                    found[block["tool_use_id"]] = block
    return found


def text_of(content: Any) -> str:
    """The text of a message's or a result's content: a string as it is, a list's text blocks joined by newlines."""
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content or [] if block.get("type") == "text")


def answer(body: Json) -> tuple[list[Json], str, Json | None]:
    """What the script says to this request: the content blocks, the stop reason, and the usage where it is given."""
    messages = body.get("messages") or []
    steps, turn = _script(messages) if body.get("tools") else ([], 0)
    step = _with_last_path(steps[turn], messages) if turn < len(steps) else END
    usage = None
    if isinstance(step, dict) and "step" in step:
        usage, step = step.get("usage"), step["step"]
    blocks = [_block(part) for part in (step if isinstance(step, list) else [step])]
    stop = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
    return blocks, stop, usage


def _script(messages: list[Json]) -> tuple[list[Any], int]:
    """The newest script, and how many of its steps were played."""
    played = 0
    for message in reversed(messages):
        if message.get("role") == "assistant":
            played += 1
            continue
        for block in reversed(_blocks(message)):
            text = block.get("text") or ""
            place = text.find(MARK) if block.get("type") == "text" else -1
            if place >= 0:
                steps = _first_json(text[place + len(MARK) :].lstrip())
                return (steps if isinstance(steps, list) else [steps]), played
    return [], 0


def _first_json(text: str) -> Any:
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except ValueError as error:
        return f"the script is not JSON: {error}"


def _blocks(message: Json) -> list[Json]:
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def _with_last_path(value: Any, messages: list[Json]) -> Any:
    """The value with its placeholders filled in, except in the script of a subagent, which has results of its own."""
    if isinstance(value, str):
        needed = PLACEHOLDER in value and MARK not in value
        return value.replace(PLACEHOLDER, _last_path(messages)) if needed else value
    if isinstance(value, dict):
        return {key: _with_last_path(item, messages) for key, item in value.items()}
    return [_with_last_path(item, messages) for item in value] if isinstance(value, list) else value


def _last_path(messages: list[Json]) -> str:
    """The path in the newest result that names one: a saved result's where there is one, else the first path."""
    for message in reversed(messages):
        for block in reversed(_blocks(message)):
            text = text_of(block.get("content")) if block.get("type") == "tool_result" else ""
            found = _SAVED.search(text) or _ABSOLUTE.search(text)
            if found:
                return found[0].rstrip(".,:;")
    return "/no/path/in/the/results"


def _block(part: Any) -> Json:
    if isinstance(part, dict):
        name = part.get("id") or f"toolu_{uuid.uuid4().hex[:24]}"
        return {"type": "tool_use", "id": name, "name": part["tool"], "input": part["input"]}
    return {"type": "text", "text": str(part)}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], api: ScriptedAPI) -> None:
        super().__init__(address, _Handler)
        self.api = api

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent: a client that ends in the middle of an answer is nothing to report."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_HEAD(self) -> None:
        """Say that the server is there."""
        self._send(b"", "application/json")

    def do_GET(self) -> None:
        """Nothing is offered besides messages."""
        self._send(b"{}", "application/json")

    def do_POST(self) -> None:
        """Keep the request and answer it."""
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        request = Request(self.path.split("?")[0], _object(raw))
        self.server.api.add(request)
        tokens = len(raw) // 4
        if request.path.endswith("/count_tokens"):
            self._send(json.dumps({"input_tokens": tokens}).encode(), "application/json")
        elif request.is_turn:
            self._answer(request.body, tokens)
        else:
            self._send(b"{}", "application/json")

    def _answer(self, body: Json, tokens: int) -> None:
        blocks, stop, given = answer(body)
        usage = given or {
            "input_tokens": tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 5,
        }
        message = {
            "id": f"msg_{uuid.uuid4().hex[:24]}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
            "content": blocks,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": usage,
        }
        if body.get("stream"):
            self._stream(_events(message))
        else:
            self._send(json.dumps(message).encode(), "application/json")

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, events: Iterator[Json]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.send_header("request-id", f"req_{uuid.uuid4().hex[:24]}")
        self.end_headers()
        for event in events:
            line = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """Print nothing."""


def _object(raw: bytes) -> Json:
    try:
        body = json.loads(raw)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _events(message: Json) -> Iterator[Json]:
    """The message as the stream's events: https://docs.claude.com/en/api/messages-streaming ."""
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        start: Json = {"type": "text", "text": ""}
        delta: Json = {"type": "text_delta", "text": block.get("text")}
        if block["type"] == "tool_use":
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": message["usage"]}
    yield {"type": "message_stop"}
