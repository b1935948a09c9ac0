"""A tiny MCP server on stdio for the tests: its tools answer with each kind of content a client must handle.

Standard library only. Messages are JSON-RPC, one a line: https://modelcontextprotocol.io/specification .
"""

from __future__ import annotations

import base64
import json
import struct
import sys
import zlib
from typing import Any

SIZE = {"type": "object", "properties": {"characters": {"type": "integer"}}}


def png(side: int = 48) -> bytes:
    """A square image with `side` pixels of different colours on a side, not compressed: 7 KB."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = b"".join(b"\0" + bytes((x * y + c * 80) % 256 for x in range(side) for c in range(3)) for y in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b"")


def lines(characters: int) -> str:
    """Numbered lines, `characters` long in all."""
    text = "".join(f"line {number} of the answer\n" for number in range(1, characters // 16 + 2))
    return text[:characters]


def text(characters: int = 100) -> dict[str, Any]:
    """Answer with one text block."""
    return {"content": [{"type": "text", "text": lines(characters)}]}


def picture(characters: int = 100) -> dict[str, Any]:
    """Answer with a text block and an image."""
    image = {"type": "image", "data": base64.b64encode(png()).decode(), "mimeType": "image/png"}
    return {"content": [{"type": "text", "text": lines(characters)}, image]}


def structured(characters: int = 100) -> dict[str, Any]:
    """Answer with structured content, and the same as text as the protocol asks for."""
    rows = {"title": "report", "body": lines(characters), "count": 2}
    return {"content": [{"type": "text", "text": json.dumps(rows)}], "structuredContent": rows}


def only_structured(characters: int = 100) -> dict[str, Any]:
    """Answer with structured content beside an empty list of blocks."""
    return {"content": [], "structuredContent": {"body": lines(characters)}}


def resource(characters: int = 100) -> dict[str, Any]:
    """Answer with an embedded resource."""
    inner = {"uri": "note://one", "mimeType": "text/plain", "text": lines(characters)}
    return {"content": [{"type": "text", "text": "a note"}, {"type": "resource", "resource": inner}]}


def failing(characters: int = 100) -> dict[str, Any]:
    """Answer with an error of the tool."""
    return {"content": [{"type": "text", "text": lines(characters)}], "isError": True}


TOOLS = {tool.__name__: tool for tool in (text, picture, structured, only_structured, resource, failing)}


def answer(method: str, parameters: dict[str, Any]) -> dict[str, Any] | None:
    """The result of a request; None where the method is not known."""
    if method == "initialize":
        version = parameters.get("protocolVersion", "2025-06-18")
        about = {"name": "answers", "version": "1"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
    if method == "tools/list":
        return {"tools": [{"name": n, "description": t.__doc__, "inputSchema": SIZE} for n, t in TOOLS.items()]}
    if method == "tools/call":
        return TOOLS[parameters["name"]](**parameters.get("arguments", {}))
    return {} if method == "ping" else None


def main() -> None:
    """Answer until stdin ends."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        result = answer(message["method"], message.get("params") or {})
        error = {"error": {"code": -32601, "message": "no such method"}}
        reply = {"jsonrpc": "2.0", "id": message["id"], **({"result": result} if result is not None else error)}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
