"""One file read into its digest: which rows are looked at, and what is taken from each."""

from __future__ import annotations

import os
import re
import zlib
from typing import TYPE_CHECKING, Any

from . import rows, scan
from .assistant import RECENT, Assistant, lane_of, string
from .decode import REFUSALS, encodable, lenient, loads, texts
from .moments import moment
from .records import Before, Boundary, Command, CostState, Denial, Digest, HookRun, Spill
from .sums import EMBEDDED
from .usage import count

if TYPE_CHECKING:
    from io import FileIO

    from .decode import Row
    from .records import Evidence
    from .rows import Block

try:
    from ._rows import next_row as _next_row
except ImportError:  # no compiler was there when the suite was installed
    from .scan import next_row as _next_row

_METADATA = frozenset(name.encode() for name in scan.METADATA)
_WAITING = 64  # launches whose result has not been seen yet
_PROMPT = 1 << 18  # bytes of a user row that is decoded for the first prompt alone
_RESULT = b'"type":"tool_result"'

# Patterns are compiled when they are first needed: most runs need few of them.
_POINTED = (
    r"(?m)^(?: *\d+[\t→])?\[cchooks\] [\d,]+ characters \([\d,]+ lines?\)"
    r"(?: of .+? output|, the first of [\d,]+ lines,)? were spilled(?: to |; the file itself is unchanged: )(.+)$"
)
_FLAG = r"--b|-p\b|--print|bg"
# Who denied, where the row does not say: clients before about 2.1.3 wrote only what the model is told.
_DENIERS = (
    ("hook", r"PreToolUse:\S+ hook error:"),
    ("config", r"(?s)Permission to use \S+ .*has been denied"),
)
_STARTED = r'backgrounded · ([0-9a-f]{8})\b|"session_id": ?"([0-9a-f-]{36})"'


def read(path: str | os.PathLike[str], digest: Digest | None = None, offset: int = 0) -> tuple[Digest, int, bool]:
    """Read a file from `offset` on into `digest`.

    Returns:
        The digest, the offset behind its last whole line, and whether an unfinished line follows it.

    Raises:
        OSError: the file cannot be read.
    """
    with open(path, "rb", buffering=0) as file:
        scanner = Scanner(os.fspath(path), digest or Digest())
        lines = scanner.read(file, offset)
        del scanner.assistant  # they refer to each other, and the audit looks for no garbage of that kind
        return scanner.digest, lines.offset, lines.unfinished


class Scanner:
    """Fills the digest of one file, row by row in the file's order."""

    def __init__(self, path: str, digest: Digest) -> None:
        self.digest = digest
        self.owner = owner_of(path)
        self.known = _is_known(digest.evidence)
        self.waiting = {command.tool_use_id.encode(): command for command in digest.commands if not command.closed}
        self.assistant = Assistant(digest, self.owner, self._evidence, self._command)

    def read(self, file: FileIO, offset: int) -> scan.Reader:
        """Take every line from `offset` on."""
        reader = scan.Reader(file, offset)
        for block, end in reader.blocks():
            if reader.unfinished:  # what is proven of a row is so of a whole one
                self.digest.count("rows")
                self.digest.count("long", end > scan.LONG)
                self._any(block[:end], unfinished=True)
            else:
                self._take(block, end)
        self.digest.count("too_long", reader.too_long)
        self.assistant.settle()
        for boundary in self.digest.boundaries:  # rows of the requests before it can follow it
            boundary.before = [self._before(made.key) for made in boundary.before]
        for lane in self.digest.recent.values():
            del lane[:-RECENT]
        return reader

    def _take(self, block: bytearray, end: int) -> None:
        """Take every line of a block: only what has to be is decoded, and most of that straight into a row."""
        next_row, decode, take = _next_row, rows.row, self.assistant.take
        view, large, waiting, evidence = memoryview(block), scan.LONG, self.waiting, self.digest.evidence
        number = long = begin = 0
        while True:
            quiet = bool(evidence.prompt) and not waiting  # no row of a user is awaited
            kind, is_text, begin, stop, passed = next_row(block, begin, end, quiet, _METADATA)
            number += passed
            if kind == scan.END:
                break
            number += 1
            if stop - begin > large:
                long += 1
            if not is_text:
                self._any(block[begin:stop])
            elif kind == scan.DECODE or (kind == scan.QUIET and self._awaited(block, begin, stop)):
                try:
                    row = decode(view[begin:stop])
                except REFUSALS:
                    self._any(block[begin:stop])
                else:
                    take(row)
            begin = stop + 1
        self.digest.count("rows", number)
        self.digest.count("long", long)

    def _any(self, line: bytearray, *, unfinished: bool = False) -> None:
        """Take a line of any shape."""
        try:
            row = loads(line)
        except REFUSALS:
            row = self._repaired(line)
        if not isinstance(row, dict):
            self._broken(line, unfinished)
        elif row.get("type") == "assistant":
            if odd := rows.odd_counts(row):
                self.digest.count("odd_counts", odd)
            self.assistant.take(rows.row_of(row))
        else:
            self._row(row)

    def _awaited(self, block: bytearray, begin: int, stop: int) -> bool:
        """Whether a user's row holds the first prompt, the result of a launch, or what no row before it told."""
        open_questions = not self.digest.evidence.prompt and stop - begin < _PROMPT
        if open_questions and (not self.known or block.find(_RESULT, begin, stop) < 0):
            return True
        return bool(self.waiting) and any(block.find(name, begin, stop) >= 0 for name in self.waiting)

    def _repaired(self, line: bytearray) -> Any:
        value = lenient(line)
        self.digest.count("repaired", isinstance(value, dict))
        return value

    def _broken(self, line: bytearray, unfinished: bool) -> None:
        self.digest.count("blank" if not line.strip() else "unfinished_line" if unfinished else "broken")

    def _row(self, row: Row) -> None:
        kind = row.get("type")
        name = kind if isinstance(kind, str) else "no type" if kind is None else str(kind)[:60]
        if name in _TAKE:
            _TAKE[name](self, row)
        elif name not in scan.METADATA:
            self.digest.unknown[name[:60]] = self.digest.unknown.get(name[:60], 0) + 1

    def _command(self, row: rows.Row, block: Block) -> None:
        text = block.input.command if block.input else None
        if not text or "claude" not in text.lower() or block.type != "tool_use" or not re.search(_FLAG, text):
            return
        name, session = block.id or "", row.session_id or self.owner
        command = Command(name, moment(row.timestamp), session, row.cwd or "", text, [])
        if name and name.encode() not in self.waiting:
            self.digest.commands.append(command)
            self.waiting[name.encode()] = command
            if len(self.waiting) > _WAITING:
                self.waiting.pop(next(iter(self.waiting))).closed = True

    def _user(self, row: Row) -> None:
        self._evidence(rows.row_of(row))
        message = row.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        results = [block for block in blocks if block.get("type") == "tool_result"]
        if not self.digest.evidence.prompt and not results and not row.get("isMeta"):
            self._prompt(content)
        for block in results:
            self._result(row, block)

    def _prompt(self, content: Any) -> None:
        text = "\n".join(texts(content)).strip()
        if text:
            self.digest.evidence.prompt = fingerprint(text)

    def _result(self, row: Row, block: Row) -> None:
        name, given = string(block.get("tool_use_id")), list(texts(block.get("content")))
        time, session = moment(row.get("timestamp")), string(row.get("sessionId")) or self.owner
        if row.get("toolDenialKind"):
            self._denial(row, name, time, session, " ".join(given))
        for text in given:
            found = re.search(_POINTED, text) if "[cchooks] " in text else None
            if found:
                self.digest.spills.append(Spill(name, time, session, found[1].strip()))
        command = self.waiting.pop(name.encode(), None)
        if command is not None:
            command.closed = True
            ids = [started or other for text in given for started, other in re.findall(_STARTED, text)]
            command.started.extend(dict.fromkeys(ids))

    def _denial(self, row: Row, name: str, time: str, session: str, reason: str) -> None:
        decision = row.get("permissionDecision")
        source = string(decision.get("source")) if isinstance(decision, dict) else ""
        source = source or next((name for name, says in _DENIERS if re.match(says, reason)), "not recorded")
        kind, side = string(row.get("toolDenialKind")), row.get("isSidechain") is True
        uuid = string(row.get("uuid")) or name
        self.digest.denials.append(Denial(uuid, time, session, kind, source, name, reason[:400], side))

    def _system(self, row: Row) -> None:
        subtype = row.get("subtype")
        if subtype == "compact_boundary":
            self._boundary(row)
        elif subtype == "stop_hook_summary":
            infos, errors = row.get("hookInfos"), row.get("hookErrors")
            ran = [info for info in infos if isinstance(info, dict)] if isinstance(infos, list) else []
            failed = _failed(
                ran, [error for error in errors if isinstance(error, str)] if isinstance(errors, list) else []
            )
            for number, info in enumerate(ran):
                outcome = "hook_error_during_execution" if number in failed else "hook_success"
                own = {**row, "uuid": f"{row.get('uuid')} {number}"}
                self._hook(own, {**info, "hookEvent": "Stop", "type": outcome})

    def _boundary(self, row: Row) -> None:
        meta = row.get("compactMetadata")
        meta = meta if isinstance(meta, dict) else {}
        lane = lane_of(row.get("isSidechain") is True, string(row.get("agentId")))
        recent = self.digest.recent.get(lane)
        time, session = moment(row.get("timestamp")), string(row.get("sessionId")) or self.owner
        before, after = count(meta.get("preTokens")), count(meta.get("postTokens"))
        uuid = string(row.get("uuid")) or f"{session} {time} {before}"
        trigger = string(meta.get("trigger")) or "not recorded"
        self.assistant.settle()
        self.assistant.newest = ""
        made = [self._before(key) for key in (recent or [])[: -RECENT - 1 : -1]]
        self.digest.boundaries.append(Boundary(uuid, time, session, trigger, before, after, made, recent == []))
        self.digest.recent[lane] = []

    def _before(self, key: str) -> Before:
        request = self.digest.requests[key]
        return Before(key, request.context, request.volume, request.advisor_calls)

    def _cost(self, row: Row) -> None:
        models = row.get("modelUsage")
        if not isinstance(models, dict):
            return
        fields = ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens", "outputTokens")
        counted = {
            name: [count(used.get(key)) for key in fields] for name, used in models.items() if isinstance(used, dict)
        }
        self.digest.costs = [CostState(string(row.get("sessionId")) or self.owner, counted, 0)]

    def _attachment(self, row: Row) -> None:
        held = row.get("attachment")
        kind = held.get("type") if isinstance(held, dict) else None
        if isinstance(held, dict) and isinstance(kind, str) and kind.startswith("hook_"):
            self._hook(row, held)

    def _hook(self, row: Row, held: Row) -> None:
        time, session = moment(row.get("timestamp")), string(row.get("sessionId")) or self.owner
        event, command = string(held.get("hookEvent")), string(held.get("command")) or string(held.get("hookName"))
        took = held.get("durationMs")
        spent = int(took) if isinstance(took, int | float) and abs(took) < 1e15 else -1
        outcome = string(held.get("type"))
        self.digest.hooks.append(HookRun(string(row.get("uuid")), time, session, event, command[:200], outcome, spent))

    def _progress(self, row: Row) -> None:
        """Old clients put the messages of agents into the parent's file as well; the key makes them one."""
        data = row.get("data")
        inner = data.get("message") if isinstance(data, dict) else None
        if isinstance(inner, dict) and inner.get("type") == "assistant":
            agent = {"agentId": data.get("agentId"), "isSidechain": True} if isinstance(data, dict) else {}
            self.assistant.take(rows.row_of({**row, **inner, **agent}), notes=EMBEDDED)

    def _evidence(self, row: rows.Row) -> None:
        """Note what the row says about its session, as far as no row before it did."""
        known = self.digest.evidence
        if row.request_session_id or row.forked_from:
            known.origins += 1
        if row.session_kind:  # a session can become one of the background, or a teammate's, after it began
            known.session_kind = row.session_kind
        if row.team_name:
            known.team = row.team_name
        if self.known:
            return
        known.session = known.session or row.session_id or ""
        known.entrypoint = known.entrypoint or row.entrypoint or ""
        known.version = known.version or row.version or ""
        known.cwd = known.cwd or row.cwd or ""
        known.began = known.began or moment(row.timestamp)
        self.known = _is_known(known)


_TAKE = {
    "user": Scanner._user,
    "system": Scanner._system,
    "attachment": Scanner._attachment,
    "cost-state": Scanner._cost,
    "progress": Scanner._progress,
}


def _is_known(evidence: Evidence) -> bool:
    """Whether a row has told what rows say of their session."""
    return bool(evidence.version and evidence.began)


def _failed(ran: list[Row], errors: list[str]) -> set[int]:
    """Which of the hooks failed: those that an error names, else the first ones."""
    named = {
        number
        for number, info in enumerate(ran)
        if any(os.path.basename(string(info.get("command")).split(" ")[0]) in error for error in errors)
    }
    others = [number for number in range(len(ran)) if number not in named]
    return named | set(others[: max(0, len(errors) - len(named))])


def fingerprint(text: str) -> str:
    """A short digest of a prompt, by which a launch finds its session without the text being kept."""
    data = text.strip().encode("utf-8", "replace")
    return f"{len(data):x}-{zlib.crc32(data):08x}-{zlib.adler32(data):08x}"


def owner_of(path: str) -> str:
    """The session that a file belongs to by its place, for rows that do not say."""
    *folders, name = path.split(os.sep)
    if is_agents(path):
        return encodable(folders[folders.index("subagents") - 1])
    return encodable(os.path.splitext(name)[0])


def is_agents(path: str) -> bool:
    """Whether a file is an agent's, by its name and place."""
    *folders, name = path.split(os.sep)
    return name.startswith("agent-") and "subagents" in folders[1:]
