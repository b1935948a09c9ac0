"""Writes a folder of realistic session transcripts whose totals are known exactly by construction.

Row shapes, key order and the mix of sizes follow transcripts of the real client: a row for each content block, results
of tools stored twice, prompt snapshots, signatures, metadata rows after every turn, subagents in files of their own.
Woven in: resumes and forks that copy rows (some with the usage zeroed), asides that replay a message under a new
request id, requests without a request id, advisor and fallback requests, compactions of every class, client-made rows.

Usage: python tests/bench/transcripts.py FOLDER [MEGABYTES] [SEED]
"""

from __future__ import annotations

import argparse
import json
import random
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Usage = dict[str, Any]

MODEL, ADVISOR, FALLBACK = "claude-opus-5-5", "claude-fable-5-1", "claude-opus-5"
START = datetime(2026, 11, 2, 8, 0, tzinfo=UTC)
WORDS = ("the", "a", "of", "request", "file", "context", "read", "write", "test", "result", "value", "path", "line")


# How often each tool is called.
TOOLS = {"Bash": 50, "Read": 25, "Edit": 10, "Write": 10, "mcp__notes__read": 5}


@dataclass
class Totals:
    """What a right reader of the folder reports; token sums are over requests counted once."""

    requests: int = 0
    without_request_id: int = 0
    input: int = 0
    cache_read: int = 0
    cache_creation: int = 0
    output: int = 0
    peak_context: int = 0
    advisor_requests: int = 0
    advisor_calls: int = 0
    advisor_input: int = 0
    advisor_output: int = 0
    fallback_requests: int = 0
    compactions: dict[str, int] = field(
        default_factory=lambda: {"doubled": 0, "phantom": 0, "genuine": 0, "unknown": 0}
    )
    synthetic_rows: int = 0
    denials: int = 0
    files: int = 0
    lines: int = 0
    assistant_rows: int = 0
    bytes: int = 0


def usage(context: int, output: int, rng: random.Random) -> Usage:
    """One segment's usage: `context` tokens split over input, cache read and cache creation."""
    created = rng.randint(0, min(4000, context // 2))
    return {
        "input_tokens": 2,
        "cache_creation_input_tokens": created,
        "cache_read_input_tokens": context - 2 - created,
        "output_tokens": output,
        "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": created},
    }


def top_level(segments: list[Usage], iterations: list[Usage]) -> Usage:
    """The usage object of a row, whose top level sums `segments`."""
    keys = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    created = sum(part["cache_creation_input_tokens"] for part in segments)
    return {
        **{key: sum(part[key] for part in segments) for key in keys},
        "output_tokens_details": {"thinking_tokens": 0},
        "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
        "service_tier": "standard",
        "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": created},
        "inference_geo": "",
        "iterations": iterations,
        "speed": "standard",
    }


def answer(tool: str, text: str) -> tuple[Any, Any]:
    """What a tool's answer is to the model, and what the client keeps of it beside that."""
    path = "/home/u/project/a.py"
    if tool == "Bash":
        return text, {"stdout": text, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
    if tool == "Read":
        lines = text.split("\n")
        numbered = "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, 1))
        counts = {"numLines": len(lines), "startLine": 1, "totalLines": len(lines)}
        return numbered, {"type": "text", "file": {"filePath": path, "content": text, **counts}}
    if tool == "Edit":
        change = {"oldStart": 1, "oldLines": 3, "newStart": 1, "newLines": 3, "lines": text[:600].split("\n")}
        kept = {"filePath": path, "oldString": text[:200], "newString": text[:300], "originalFile": text}
        said = f"The file {path} has been updated successfully."
        return said, {**kept, "structuredPatch": [change], "userModified": False, "replaceAll": False}
    if tool == "Write":
        kept = {"type": "create", "filePath": path, "content": text[:9_000], "structuredPatch": []}
        return f"File created successfully at: {path}", {**kept, "originalFile": None, "userModified": False}
    blocks = [{"type": "text", "text": text}]
    return blocks, blocks


class Folder:
    """The folder under construction."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.rng = random.Random(seed)
        self.totals = Totals()
        self.text = " ".join(self.rng.choice(WORDS) for _ in range(60_000))
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        self.base64 = "".join(self.rng.choice(alphabet) for _ in range(40_000))
        self.code = "\n".join(f'    value[{i}] = "{self.rng.choice(WORDS)}"\t# {i}' for i in range(9_000))

    def uuid(self) -> str:
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))

    def id(self, prefix: str) -> str:
        return f"{prefix}_{self.rng.getrandbits(96):024x}"

    def cut(self, source: str, low: int, high: int) -> str:
        size = int(low * (high / low) ** self.rng.random())  # sizes spread evenly over the magnitudes
        start = self.rng.randint(0, max(0, len(source) - size))
        return source[start : start + size]


class Transcript:
    """One file: rows are made in the client's shape and kept as bytes until `save`."""

    def __init__(self, folder: Folder, session: str, path: Path, agent: str | None = None) -> None:
        self.folder, self.session, self.path, self.agent = folder, session, path, agent
        self.rows: list[Row] = []
        self.size = 0
        self.full = False
        self.parent: str | None = None
        self.clock = START + timedelta(seconds=folder.rng.randint(0, 20 * 86_400))
        self.context = folder.rng.randint(12_000, 30_000)
        self.last: tuple[int, int] | None = None  # top level and real context of the last request

    def add(self, row: Row) -> Row:
        self.rows.append(row)
        if not self.full:
            self.size += len(json.dumps(row, separators=(",", ":"))) + 1
        return row

    def entry(self, body: Row, after: Row | None = None) -> Row:
        """A row with the fields that conversation rows share, chained to the row before it."""
        self.clock += timedelta(milliseconds=self.folder.rng.randint(20, 9_000))
        agent = {"agentId": self.agent} if self.agent else {}
        row = {"parentUuid": self.parent, "isSidechain": self.agent is not None, **agent, **body}
        row |= {"uuid": self.folder.uuid(), "timestamp": self.moment(), **(after or {}), **self.tail()}
        self.parent = row["uuid"]
        return self.add(row)

    def moment(self) -> str:
        return self.clock.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def tail(self) -> Row:
        return {
            "userType": "external",
            "entrypoint": "cli",
            "cwd": "/home/u/project",
            "sessionId": self.session,
            "version": "2.1.332",
            "gitBranch": "main",
        }

    def meta(self) -> None:
        rows: tuple[Row, ...] = (
            {"type": "mode", "mode": "normal"},
            {"type": "permission-mode", "permissionMode": "default"},
            {"type": "atis-latch", "atis": ""},
        )
        for row in rows:
            self.add({**row, "sessionId": self.session})
        self.add({"type": "last-prompt", "lastPrompt": "do it", "leafUuid": self.parent, "sessionId": self.session})

    def surroundings(self) -> None:
        """What the client notes of a turn beside the prompt."""
        for kind in ("session_context", "date", "remote_session_change", "prompt_snapshot"):
            self.entry({"attachment": {"type": kind}, "type": "attachment"})

    def sent(self) -> None:
        """The client's note of a request that it sends."""
        rng = self.folder.rng
        ids = {"sessionId": self.session, "id": self.folder.uuid(), "timestamp": self.moment(), "version": "2.1.332"}
        shape = {"querySource": "sdk", "shapeHash": f"{rng.getrandbits(256):064x}", "echoWireToolInputs": False}
        self.add({"type": "api-request", **ids, **shape, "keep": 0, "requestDigest": f"{rng.getrandbits(256):064x}"})

    def snapshot(self) -> None:
        tools = [{"name": "Bash", "description": self.folder.cut(self.folder.text, 20_000, 50_000)}]
        held = {"type": "prompt_snapshot", "systemPrompt": ["You are"], "tools": tools}
        self.entry({"attachment": held, "type": "attachment"})

    def prompt(self, text: str) -> None:
        self.entry({"promptId": self.folder.uuid(), "type": "user", "message": {"role": "user", "content": text}})

    def result(self, call: Row, text: str, *, denied: bool = False) -> None:
        """The answer to a call; agents keep what the model is given alone, the main conversation what the tool gave."""
        content, stored = answer(call["name"], text)
        block = {"tool_use_id": call["id"], "type": "tool_result", "content": content, "is_error": False}
        decision = {"decision": "accept", "source": "config", "reasonType": "mode"}
        kind = {}
        if denied:
            block = {"type": "tool_result", "content": text, "is_error": True, "tool_use_id": call["id"]}
            decision = {"decision": "reject", "source": "hook", "reasonCode": "hook:PreToolUse"}
            kind, stored = {"toolDenialKind": "permission-rule"}, f"Error: {text}"
        kept = {} if self.agent else {"toolUseResult": stored}
        body = {"promptId": self.folder.uuid(), "type": "user", "message": {"role": "user", "content": [block]}}
        self.entry(body, {**kept, **kind, "sourceToolAssistantUUID": self.parent, "permissionDecision": decision})

    def blocks(self) -> list[Row]:
        """The content blocks of one response; the last one calls a tool."""
        folder, made = self.folder, []
        if folder.rng.random() < 0.75:
            made.append({"type": "thinking", "thinking": "", "signature": folder.cut(folder.base64, 400, 4_000)})
        if folder.rng.random() < 0.6:
            made.append({"type": "text", "text": folder.cut(folder.text, 60, 900)})
        for _ in range(1 if folder.rng.random() < 0.6 else 2):
            [name] = folder.rng.choices(list(TOOLS), list(TOOLS.values()))
            made.append({"type": "tool_use", "id": folder.id("toolu"), "name": name, "input": self.input(name)})
        return made

    def input(self, name: str) -> Row:
        """What a tool is called with."""
        folder, path = self.folder, {"file_path": "/home/u/project/a.py"}
        if name == "Bash":
            return {"command": folder.cut(folder.text, 20, 300), "description": "Look at it"}
        if name == "Write":
            return {**path, "content": folder.cut(folder.code, 500, 9_000)}
        if name == "Edit":
            old, new = folder.cut(folder.code, 40, 800), folder.cut(folder.code, 40, 800)
            return {**path, "old_string": old, "new_string": new}
        return path

    def response(self, blocks: list[Row], used: Usage, *, keyed: bool = True, final: bool = True) -> None:
        """The rows of one response: early ones with the usage that the stream began with, the last one complete."""
        ids = {"id": self.folder.id("msg"), "type": "message", "role": "assistant", "model": MODEL}
        request = {"requestId": self.folder.id("req")} if keyed else {}
        early = {**used, "output_tokens": min(used["output_tokens"], 3), "iterations": None}
        for index, block in enumerate(blocks):
            last = index == len(blocks) - 1
            message = {**ids, "content": [block], "stop_reason": "tool_use" if last and final else None}
            message |= {"stop_sequence": None, "usage": used if last else early}
            self.entry({"message": message, "apiBlockIndex": index, **request, "type": "assistant"})
        self.folder.totals.assistant_rows += len(blocks)

    def results(self, blocks: list[Row]) -> None:
        for block in blocks:
            if block["type"] == "tool_use":
                longest = 90_000 if block["name"] == "Read" else 30_000  # about what the client lets through
                self.result(block, self.folder.cut(self.folder.code, 150, longest))

    def request(self, kind: str = "plain") -> None:
        """One request of `kind`: plain, advisor, fallback, unkeyed or unfinished."""
        rng, totals = self.folder.rng, self.folder.totals
        output = rng.randint(5, 2_000)
        self.context += rng.randint(100, 2_500)
        blocks = self.blocks()
        if kind == "advisor":
            used = self.advised(blocks, output)
        elif kind == "fallback":
            served = usage(self.context, output, rng)
            declined = {"type": "message", "model": MODEL, **usage(self.context + 5_000, 0, rng)}
            used = top_level([served], [declined, {"type": "fallback_message", "model": FALLBACK, **served}])
            totals.fallback_requests += 1
        else:
            segment = usage(self.context, output, rng)
            used = top_level([segment], [{"type": "message", **segment}] if rng.random() < 0.7 else [])
        if kind == "unfinished":
            used = {**used, "iterations": None, "output_tokens": 3}
        self.sent()
        self.response(blocks, used, keyed=kind != "unkeyed", final=kind != "unfinished")
        self.count(used, keyed=kind != "unkeyed")
        self.results(blocks)

    def advised(self, blocks: list[Row], output: int) -> Usage:
        rng, totals = self.folder.rng, self.folder.totals
        first, second = usage(self.context - 60, 40, rng), usage(self.context, output, rng)
        asked = {"type": "advisor_message", "model": ADVISOR, "input_tokens": self.context + 300}
        asked |= {"output_tokens": 700, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
        blocks.insert(0, {"type": "server_tool_use", "id": self.folder.id("srvtoolu"), "name": "advisor", "input": {}})
        totals.advisor_requests += 1
        totals.advisor_calls += 1
        totals.advisor_input += asked["input_tokens"]
        totals.advisor_output += asked["output_tokens"]
        return top_level([first, second], [{"type": "message", **first}, asked, {"type": "message", **second}])

    def count(self, used: Usage, *, keyed: bool) -> None:
        totals = self.folder.totals
        totals.requests += 1
        totals.without_request_id += not keyed
        totals.input += used["input_tokens"]
        totals.cache_read += used["cache_read_input_tokens"]
        totals.cache_creation += used["cache_creation_input_tokens"]
        totals.output += used["output_tokens"]
        totals.peak_context = max(totals.peak_context, self.context)
        top = used["input_tokens"] + used["cache_read_input_tokens"] + used["cache_creation_input_tokens"]
        self.last = (top, self.context)

    def compaction(self, kind: str) -> None:
        """A boundary of the given class; the caller has made the request before it."""
        if kind == "unknown":
            before = 150_000
        else:
            assert self.last is not None
            top, real = self.last
            before = {"doubled": top + 900, "phantom": int(real * 1.5), "genuine": real + 700}[kind]
        meta = {"trigger": "auto", "preTokens": before, "postTokens": 9_000, "durationMs": 150}
        body = {"logicalParentUuid": self.parent, "type": "system", "subtype": "compact_boundary"}
        self.parent = None
        self.entry({**body, "content": "Conversation compacted", "level": "info", "compactMetadata": meta})
        summary = {"role": "user", "content": self.folder.cut(self.folder.text, 4_000, 12_000)}
        self.entry({"promptId": self.folder.uuid(), "type": "user", "message": summary}, {"isCompactSummary": True})
        self.context = 14_000
        self.folder.totals.compactions[kind] += 1

    def synthetic(self) -> None:
        message = {"id": self.folder.uuid(), "model": "<synthetic>", "role": "assistant", "type": "message"}
        message |= {
            "stop_reason": "stop_sequence",
            "usage": {"input_tokens": 0, "output_tokens": 0, "iterations": None},
        }
        self.entry({"type": "assistant"}, {"message": {**message, "content": [{"type": "text", "text": "Error"}]}})
        self.folder.totals.assistant_rows += 1
        self.folder.totals.synthetic_rows += 1

    def denial(self) -> None:
        reason = "PreToolUse:Bash hook error: On the main thread use the Agent tool"
        self.result({"name": "Bash", "id": self.folder.id("toolu")}, reason, denied=True)
        self.folder.totals.denials += 1

    def turn(self) -> None:
        rng = self.folder.rng
        self.prompt(self.folder.cut(self.folder.text, 30, 2_000))
        self.surroundings()
        for _ in range(rng.randint(4, 16)):
            chance = rng.random()
            kind = "advisor" if chance < 0.02 else "fallback" if chance < 0.023 else "plain"
            if chance > 0.995:
                kind = "unkeyed"
            elif self.agent and chance > 0.8:
                kind = "unfinished"
            self.request(kind)
        if self.context > 160_000:
            self.request("advisor")  # a doubled boundary needs one before it
            self.compaction(rng.choice(["doubled", "phantom", "genuine", "genuine"]))
        if rng.random() < 0.05:
            self.denial()
        if rng.random() < 0.03:
            self.synthetic()
        self.meta()

    def save(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in self.rows]
        data = ("\n".join(lines) + "\n").encode()
        self.path.write_bytes(data)
        totals = self.folder.totals
        totals.files, totals.lines, totals.bytes = totals.files + 1, totals.lines + len(lines), totals.bytes + len(data)


def main_session(folder: Folder, size: int) -> Transcript:
    """A main transcript of about `size` bytes."""
    session = folder.uuid()
    made = Transcript(folder, session, folder.root / "-home-u-project" / f"{session}.jsonl")
    made.meta()
    made.snapshot()
    while made.size < size:
        made.turn()
        if folder.rng.random() < 0.1:
            made.snapshot()
    made.save()
    return made


def subagent(folder: Folder, parent: Transcript, size: int, *, workflow: bool = False) -> None:
    """An agent's transcript of about `size` bytes, beside its parent."""
    agent = f"{folder.rng.getrandbits(68):017x}"
    below = parent.path.with_suffix("") / "subagents"
    below = below / "workflows" / "wf_1" if workflow else below
    made = Transcript(folder, parent.session, below / f"agent-{agent}.jsonl", agent)
    while made.size < size:
        made.turn()
    made.save()


def fork(folder: Folder, source: Transcript) -> None:
    """A copy of the last rows under a new session id, the first copied usages zeroed, then requests of its own."""
    session = folder.uuid()
    made = Transcript(folder, session, source.path.with_name(f"{session}.jsonl"))
    copied = [row for row in source.rows[-80:] if "uuid" in row]
    for index, original in enumerate(copied):
        row = {**original, "sessionId": session}
        if row["type"] == "assistant" and index < 20 and row["message"]["model"] != "<synthetic>":
            zero = {
                "input_tokens": 0,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
                "output_tokens": 0,
            }
            row["message"] = {**row["message"], "usage": zero}
        folder.totals.assistant_rows += row["type"] == "assistant"
        made.add(row)
    made.parent, made.clock, made.context = source.parent, source.clock, source.context
    made.request()
    made.save()


def aside(folder: Folder, source: Transcript) -> None:
    """A /btw file: a replay of one message under a new request id, in a sidechain."""
    row = next(row for row in source.rows if row["type"] == "assistant" and "requestId" in row)
    agent = f"{folder.rng.getrandbits(68):017x}"
    path = source.path.with_suffix("") / "subagents" / f"agent-{agent}.jsonl"
    made = Transcript(folder, source.session, path, agent)
    replay = {**row, "isSidechain": True, "agentId": agent, "uuid": folder.uuid(), "requestId": folder.id("req")}
    made.add(replay)
    folder.totals.assistant_rows += 1
    made.save()


def classes(folder: Folder) -> None:
    """A session with a compaction of each class that has a request before it."""
    session = folder.uuid()
    made = Transcript(folder, session, folder.root / "-home-u-other" / f"{session}.jsonl")
    made.context = 150_000
    for kind in ("doubled", "phantom", "genuine"):
        made.request("advisor")
        made.compaction(kind)
        made.request("fallback")
        made.request("unkeyed")
        made.synthetic()
        made.denial()
    made.save()


def orphan(folder: Folder) -> None:
    """A file that begins with a boundary: no request stands before it."""
    session = folder.uuid()
    made = Transcript(folder, session, folder.root / "-home-u-other" / f"{session}.jsonl")
    made.compaction("unknown")
    made.request()
    made.save()


def write(root: Path, megabytes: float, seed: int = 1) -> Totals:
    """Fill `root` with about `megabytes` of transcripts and say what they hold."""
    folder = Folder(root, seed)
    goal = int(megabytes * 1_000_000)
    mains: list[Transcript] = []
    if goal >= 200_000_000:
        main_session(folder, 60_000_000)
    while folder.totals.bytes < goal:
        parent = main_session(folder, int(min(goal / 12, 200_000 * 30 ** folder.rng.random())))
        parent.full = True
        mains.append(parent)
        for number in range(folder.rng.randint(2, 7)):
            if folder.totals.bytes < goal:
                subagent(folder, parent, int(min(goal / 12, 150_000 * 40 ** folder.rng.random())), workflow=number == 5)
        if len(mains) % 4 == 1:
            fork(folder, parent)
            aside(folder, parent)
        if len(mains) > 1:
            mains[-2].rows = []
    classes(folder)
    orphan(folder)
    return folder.totals


def main() -> None:
    """Write a folder and print its totals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("megabytes", type=float, nargs="?", default=500)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    args = parser.parse_args()
    print(write(args.folder, args.megabytes, args.seed))


if __name__ == "__main__":
    main()
