"""spill (PostToolUse): replaces oversized tool output by a pointer to a file.

The replacement is the tool's own result with only its long strings changed. Of `seq 1 3000` it leaves that 13,892
characters of Bash output were spilled to `.../tool-results/Bash-toolu_01.txt`, how to read them there, and the first
and last 400 characters.
"""

from __future__ import annotations

import os

from . import contract

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .contract import Config, Decision, Payload

# Per tool as well: [spill.tools.NAME] has the same keys as [spill], and `subagents`.
_TOOL: dict[str, Any] = {"enabled": True, "threshold": 4000, "head": 400, "tail": 400, "subagents": True}
DEFAULTS: dict[str, Any] = {
    "enabled": True,
    "threshold": 4000,
    "head": 400,
    "tail": 400,
    "folder": "",
    "keep_days": 30,
    "keep_megabytes": 1000,
    "tools": {"Read": {"threshold": 20000, "subagents": False}, "*": _TOOL},
}
_FLOOR = 1000  # lowest threshold a config may set: a shorter string never makes the hook speak
_SIZES = {"threshold": (_FLOOR, 10**9), "head": (0, 10**6), "tail": (0, 10**6)}
ALLOWED: dict[str, tuple[Any, ...]] = {
    **_SIZES,
    **{f"tools.*.{key}": limits for key, limits in _SIZES.items()},
    "keep_days": (1, 36500),
    "keep_megabytes": (1, 10**6),
}
# A repository's own config must not say where output goes on this machine, or how long it is kept.
USER_ONLY = ("folder", "keep_days", "keep_megabytes")

_COMMANDS = ("Bash", "PowerShell")
_READERS = (b'"Read"', b'"Bash"', b'"Grep"')  # tools that read a file that the model knows
_SHOWN = 30000  # characters of command output that the client shows at most


def may_speak(raw: bytes) -> bool:
    """Whether a result string can be over the threshold, or the call can read a spilled file back."""
    if b'"PostToolUse"' not in raw:
        return False
    if b"tool-results" in raw or len(raw) > 65536:
        return True
    if any(tool in raw for tool in _READERS) and _points(raw):
        return True
    # Inside a JSON string every quote is escaped, so this key can be nothing else; later keys are scanned too.
    result = raw[max(raw.find(b'"tool_response"'), 0) :]
    listing = b'"Grep"' in raw or b'"Glob"' in raw
    longest = len(result) if listing else max(map(_characters, result.replace(b'\\"', b".").split(b'"')))
    return longest > DEFAULTS["threshold"] or (longest > _FLOOR and _configured(raw))


def _characters(text: bytes) -> int:
    """At least the characters of a JSON string: a byte is at most one, an escaped line feed is one of two bytes."""
    return len(text) if len(text) <= _FLOOR else len(text.decode(errors="replace")) - text.count(b"\\n")


def decide(payload: Payload, config: Config) -> Decision | None:
    """The result with its long strings replaced by pointers, or None where nothing is to be replaced."""
    tool, result = payload.get("tool_name"), payload.get("tool_response")
    if payload.get("hook_event_name") != "PostToolUse" or not isinstance(tool, str):
        return None
    shape = _SHAPES.get(tool) or (_mcp if tool.startswith("mcp__") else None)
    if shape is None:
        return None
    from . import readback

    if readback.names_saved_output(payload, config["folder"]):
        if not readback.of_the_clients_own(payload):
            _record_read_back(payload)
        return None
    limits = _limits(tool, config)
    spiller = _Spiller(payload, tool, limits, config)
    if limits["enabled"] and (limits["subagents"] or contract.main_thread(payload)):
        replaced = shape(result, spiller)
    if not spiller.spilled:
        if _pointed_to(payload):
            _record_read_back(payload)
        return None
    spiller.record()
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": replaced}}


def main() -> None:
    """Run the hook; ends the process."""
    contract.run("spill", decide, may_speak, DEFAULTS, ALLOWED, USER_ONLY)


class _Spiller:
    """Turns the long strings of one result into pointers, and remembers what it did for the event log.

    Attributes:
        call: the tool's input.
        spilled: characters of each text, of its pointer, and the file.
    """

    def __init__(self, payload: Payload, tool: str, limits: Config, config: Config) -> None:
        self.payload = payload
        self.call = payload.get("tool_input")
        self.tool = tool
        self.limits = limits
        self.config = config
        self.spilled: list[tuple[int, int, str]] = []

    def text(self, text: str, part: str = "") -> str:
        """The pointer to a string, or the string itself: short, not written, or no longer than its pointer.

        `part` tells the strings of one result apart: `stderr`, a block's number, empty where there is only one.
        """
        return self._point(text, part, self._excerpt(text, tail=self.tool in _COMMANDS))

    def names(self, names: list[str]) -> list[str]:
        """The list's first entries and a pointer entry, or the list itself."""
        whole = "\n".join(names)
        kept = _first(names, self.limits["head"])
        pointer = self._point(whole, "filenames", "")
        if pointer == whole:
            return names
        shortened = [*kept, pointer.removesuffix("\n")]
        _, _, path = self.spilled.pop()
        self.spilled.append((len(whole), len("\n".join(shortened)), path))
        return shortened

    def file(self, text: str, path: str, lines: Any) -> str:
        """The pointer to a file's text, which names the file itself: nothing is copied.

        `lines` are the whole file's; of a long file the client gives only the beginning.
        """
        from . import pointed

        if len(text) <= self.limits["threshold"]:
            return text
        said = self._shorter(text, path, _file_head(text, path, lines) + self._excerpt(text, tail=False))
        if said != text:
            pointed.note(self.payload, path)
        return said

    def record(self) -> None:
        """One event for the call; `avoided` counts no more than the client itself would have shown."""
        limit = _SHOWN if self.tool in _COMMANDS else None
        shown = sum(min(chars, limit or chars) for chars, _, _ in self.spilled)
        returned = sum(pointer for _, pointer, _ in self.spilled)
        chars = sum(chars for chars, _, _ in self.spilled)
        path = self.spilled[0][2]
        avoided = max(0, shown - returned)
        _record(self.payload, "spill", chars=chars, avoided=avoided, returned=returned, path=path)

    def _excerpt(self, text: str, *, tail: bool) -> str:
        # Never so much that the pointer is no shorter than the text.
        head, last = (min(self.limits[key], len(text) // 4) for key in ("head", "tail"))
        return _excerpt(text, head, last if tail else 0)

    def _point(self, text: str, part: str, excerpt: str) -> str:
        from . import store

        if len(text) <= self.limits["threshold"]:
            return text
        name = store.file_name(self.tool, self.payload.get("tool_use_id"), part, text)
        places = store.places(self.payload, self.config["folder"])
        path = store.write(places, name, text, self.config["keep_days"], self.config["keep_megabytes"])
        return self._shorter(text, path, _output_head(self.tool, part, text, path) + excerpt) if path else text

    def _shorter(self, text: str, path: str, pointer: str) -> str:
        if len(pointer) >= len(text):
            return text
        self.spilled.append((len(text), len(pointer), path))
        return pointer


# What a pointer says. Text of the tool's own stands only behind the word "Excerpt".


def _output_head(tool: str, part: str, text: str, path: str) -> str:
    from . import store

    what = store.safe(tool, "the tool's") + (" stderr" if part == "stderr" else "")
    return f"[cchooks] {_size(text)} of {what} output were spilled to {path}\n{_how_to_read(text)}\n"


def _file_head(text: str, path: str, lines: Any) -> str:
    part = f", the first of {lines:,} lines," if isinstance(lines, int) and lines > _lines(text) + 1 else ""
    return f"[cchooks] {_size(text)}{part} were spilled; the file itself is unchanged: {path}\n{_how_to_read(text)}\n"


def _lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n"))


def _size(text: str) -> str:
    lines = _lines(text)
    return f"{len(text):,} characters ({lines:,} line{'s' if lines > 1 else ''})"


def _how_to_read(text: str) -> str:
    if len(text) > 2000 * (text.count("\n") + 1):  # lines too long to be read by number
        return "Its lines are long: search it with grep -o, or take a part with head -c or cut -c."
    return "Search it with grep -n, or Read the part you need with offset and limit."


def _first(names: list[str], characters: int) -> list[str]:
    """The first names that together, a line each, stay within so many characters."""
    kept = []
    for name in names:
        characters -= len(name) + 1
        if characters < 0:
            break
        kept.append(name)
    return kept


def _excerpt(text: str, head: int, tail: int) -> str:
    first = f"Excerpt, first {head:,} characters:\n{text[:head]}\n" if head else ""
    last = f"Excerpt, last {tail:,} characters:\n{text[-tail:]}\n" if tail else ""
    return (first + last).removesuffix("\n")


# The shapes: each takes a result and returns it with only its long strings replaced, or as it is where it is unknown.


def _command(result: Any, spiller: _Spiller) -> Any:
    if not isinstance(result, dict) or result.get("isImage") or result.get("persistedOutputPath"):
        return result
    changed = dict(result)
    for key, part in (("stdout", ""), ("stderr", "stderr")):
        if isinstance(result.get(key), str) and not result[key].startswith("data:image/"):
            changed[key] = spiller.text(result[key], part)
    return changed


def _read(result: Any, spiller: _Spiller) -> Any:
    file = result.get("file") if isinstance(result, dict) and result.get("type") == "text" else None
    call = spiller.call
    if not isinstance(file, dict) or not isinstance(call, dict):
        return result
    text, path = file.get("content"), file.get("filePath")
    deliberate = call.get("offset") is not None or call.get("limit") is not None
    if deliberate or not isinstance(text, str) or not isinstance(path, str):
        return result
    return {**result, "file": {**file, "content": spiller.file(text, path, file.get("totalLines"))}}


def _search(result: Any, spiller: _Spiller) -> Any:
    if not isinstance(result, dict):
        return result
    changed = _with_text(result, "content", spiller)
    names = result.get("filenames")
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        changed["filenames"] = spiller.names(names)
    return changed


def _fetch(result: Any, spiller: _Spiller) -> Any:
    return _with_text(result, "result", spiller) if isinstance(result, dict) else result


def _web_search(result: Any, spiller: _Spiller) -> Any:
    if not isinstance(result, dict) or not isinstance(result.get("results"), list):
        return result
    entries = enumerate(result["results"], 1)
    return {**result, "results": [spiller.text(e, str(n)) if isinstance(e, str) else e for n, e in entries]}


def _mcp(result: Any, spiller: _Spiller) -> Any:
    if isinstance(result, str):
        return spiller.text(result)
    if not isinstance(result, list):
        return result
    return [
        _with_text(block, "text", spiller, str(number))
        if isinstance(block, dict) and block.get("type") == "text"
        else block
        for number, block in enumerate(result, 1)
    ]


def _with_text(result: dict[str, Any], key: str, spiller: _Spiller, part: str = "") -> dict[str, Any]:
    value = result.get(key)
    return {**result, key: spiller.text(value, part)} if isinstance(value, str) else dict(result)


_SHAPES: dict[str, Callable[[Any, _Spiller], Any]] = {
    "Bash": _command,
    "PowerShell": _command,
    "Read": _read,
    "Grep": _search,
    "Glob": _search,
    "WebFetch": _fetch,
    "WebSearch": _web_search,
}


def _limits(tool: str, config: Config) -> Config:
    """The tool's own limits over the general ones over the defaults."""
    own = config["tools"].get(tool, {})
    return {key: own.get(key, config.get(key, default)) for key, default in _TOOL.items()}


def _record(payload: Payload, event: str, **fields: Any) -> None:
    from . import events

    events.record("spill", event, payload, **fields)


def _record_read_back(payload: Payload) -> None:
    from . import readback

    result = payload.get("tool_response")
    file = result.get("file") if isinstance(result, dict) else None
    shown = file.get("content") if isinstance(file, dict) else result
    returned = sum(map(len, readback.strings(shown)))
    if returned:
        _record(payload, "readback", returned=returned)


def _points(raw: bytes) -> bool:
    from . import pointed

    return pointed.known(raw)


def _pointed_to(payload: Payload) -> bool:
    from . import pointed

    return pointed.named(payload)


def _configured(raw: bytes) -> bool:
    """Whether a config file exists, which may lower the threshold; True where the payload's folder cannot be told."""
    from . import config

    project = os.environ.get("CLAUDE_PROJECT_DIR", "")
    if not project:
        cwd = raw[raw.find(b'"cwd"') + 5 :].split(b'"', 2)
        if len(cwd) < 3 or b"\\" in cwd[1]:
            return True
        project = os.fsdecode(cwd[1])
    return bool(config.files(project))
