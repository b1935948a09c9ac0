"""Records what the real client sends to hooks, as case files for the replay: `python -m tests.record`.

The pinned client plays a script against the scripted API, with a hook entry that only keeps its stdin. Ids and paths
are made neutral, the installed hook is asked for its decision, and `tests/payloads/<hook>/<case>.json` is written. The
decision is what the hook says today: read it before you commit it.

    python -m tests.record                      every case
    python -m tests.record bash-large read-pdf  some of them
    python -m tests.record --raw FOLDER         the payloads alone, without a decision

To record a situation of your own, add a line to `CASES` and its step to `main_thread` or `subagent`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cchooks_suite.live_client import Sandbox
from cchooks_suite.scripted_api import ScriptedAPI, agent, bash, call, prompt

from . import replay
from .client.conftest import CLIENT, NO_QUESTIONS, find_client
from .client.mcp_server import png
from .conftest import ROOT, Home, Suite, build_suite

Json = dict[str, Any]

KEEP = """
import json, os, sys
kept = {"payload": json.load(sys.stdin), "env": {k: v for k, v in os.environ.items() if k == "CLAUDE_JOB_DIR"}}
with open(os.path.join(os.environ["RECORDED"], f"{os.getpid()}.json"), "x") as file:
    json.dump(kept, file)
"""
EVENTS = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "SessionStart")


@dataclass(frozen=True)
class Case:
    """One case file: which payload of the recorded ones it is, and why it is kept.

    A payload is found by its event and the call's id (`toolu_` and the key); a session's start by the event alone.
    """

    key: str
    about: str
    hook: str = "spill"
    event: str = "PostToolUse"
    call: str = ""

    @property
    def name(self) -> str:
        """The name of the file, without its ending."""
        return f"recorded-{self.key}"


CASES = [
    Case("bash-small", "three short lines pass"),
    Case("bash-large", "13,892 characters become a pointer"),
    Case("bash-large-stderr", "what a command prints on stderr comes merged into stdout"),
    Case("bash-persisted", "106 KB: the client saved the output itself and shows 2 KB"),
    Case(
        "bash-failing",
        "a failing command is another event, whose result cannot be replaced",
        event="PostToolUseFailure",
    ),
    Case("bash-image", "a command printed an image as a data URL"),
    Case("bash-head-of-saved", "head on a file that the client saved is a deliberate look"),
    Case("read-small", "a short file passes"),
    Case("read-large", "a long file is pointed to where it is; nothing is copied"),
    Case("read-part", "a Read with offset and limit is deliberate"),
    Case("read-saved", "reading back what the client saved passes"),
    Case("read-image", "an image's base64 stays whole"),
    Case("read-notebook", "a notebook's cells stay as they are"),
    Case("read-pdf", "a PDF's base64 stays whole"),
    Case("mcp-text", "a long text block of an MCP tool becomes a pointer"),
    Case("mcp-picture", "the image beside a long text block stays"),
    Case("mcp-structured", "structured content comes as a string of JSON"),
    Case("mcp-resource", "an embedded resource comes as a text block"),
    Case("mcp-saved", "over the client's token limit it saved the result itself and says so in a string"),
    Case("mcp-failing", "a failing MCP tool is another event", event="PostToolUseFailure"),
    Case("write", "Write is not spill's business, however long the file"),
    Case("edit", "Edit is not spill's business"),
    Case("agent", "a subagent's answer is not spill's business"),
    Case("subagent-bash-large", "a subagent's output is spilled as well"),
    Case("subagent-read-large", "a subagent reads a file to work on it, so it passes"),
    Case("pre-bash", "Bash on the main thread", "delegate", "PreToolUse", "bash-large"),
    Case("pre-bash-glance", "a glance on the main thread", "delegate", "PreToolUse", "glance"),
    Case("pre-write", "Write on the main thread", "delegate", "PreToolUse", "write"),
    Case("pre-edit", "Edit on the main thread", "delegate", "PreToolUse", "edit"),
    Case("pre-subagent-bash", "Bash in a subagent", "delegate", "PreToolUse", "subagent-bash-large"),
    Case("pre-background-bash", "Bash in a background session", "delegate", "PreToolUse", "background"),
    Case("pre-launch", "a launch on the main thread", "launch", "PreToolUse", "launch"),
    Case("pre-subagent-launch", "a launch in a subagent", "launch", "PreToolUse", "subagent-launch"),
    Case("session-start", "a session begins", "childenv", "SessionStart"),
]


def main(arguments: list[str] | None = None) -> int:
    """Record, and write the case files."""
    parser = argparse.ArgumentParser(prog="python -m tests.record", description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help="keys of cases to write; all of them if none is named")
    parser.add_argument("--raw", type=Path, metavar="FOLDER", help="write the payloads alone into this folder")
    asked = parser.parse_args(arguments)
    unknown = set(asked.cases) - {case.key for case in CASES}
    if unknown:
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    cases = [case for case in CASES if not asked.cases or case.key in asked.cases]
    with tempfile.TemporaryDirectory(prefix="cchooks-record-") as work:
        recorded = Recording(Path(work)).play()
        writer = _raw_writer(asked.raw) if asked.raw else _case_writer(Path(work))
        for case in cases:
            sys.stdout.write(f"{writer(case, recorded.find(case))}\n")
    return 0


@dataclass
class Recording:
    """What the hooks were sent in two sessions, one in the foreground and one in the background.

    Attributes:
        kept: each payload with the variables of the hook's environment that matter.
    """

    work: Path
    kept: list[Json] = field(default_factory=list)

    def play(self) -> Recording:
        """Run both sessions; returns itself."""
        folder = self.work / "recorded"
        folder.mkdir()
        with ScriptedAPI() as api:
            self.sandbox = Sandbox(find_client(), self.work / "sandbox", api, {"RECORDED": str(folder)})
            self._prepare()
            options = (NO_QUESTIONS, "--mcp-config", str(self.mcp), "--disallowedTools", "Bash(claude:*)")
            run = self.sandbox.run(main_thread(self.sandbox.project), *options)
            if run.status:
                raise SystemExit(f"error: the client ended with {run.status}\n{run.stdout}{run.stderr}")
            self._background(api)
        for file in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns):
            self.kept.append(json.loads(file.read_text("utf-8")))
        return self

    def find(self, case: Case) -> Json:
        """The payload and environment of a case.

        Raises:
            SystemExit: the client sent nothing of the kind.
        """
        wanted = f"toolu_{case.call or case.key}".replace("-", "_")
        for kept in self.kept:
            payload = kept["payload"]
            if payload["hook_event_name"] == case.event and payload.get("tool_use_id", wanted) == wanted:
                return neutral(kept, self.sandbox)
        raise SystemExit(f"error: the client sent no {case.event} for {wanted}")

    def _prepare(self) -> None:
        handler = {"type": "command", "command": sys.executable, "args": ["-c", KEEP], "timeout": 10}
        groups = {event: [{"hooks": [handler]}] for event in EVENTS}
        self.sandbox.settings.write_text(json.dumps({"hooks": groups}), "utf-8")
        server = {"command": sys.executable, "args": [str(ROOT / "tests" / "client" / "mcp_server.py")]}
        self.mcp = self.work / "mcp.json"
        self.mcp.write_text(json.dumps({"mcpServers": {"answers": server}}), "utf-8")
        write_samples(self.sandbox.project)

    def _background(self, api: ScriptedAPI) -> None:
        script = prompt([bash("toolu_background", "seq 1 3000"), "done in the background"])
        self.sandbox.execute(["--bg", script, "--permission-mode", "dontAsk", "--allowedTools", "Bash"])
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not any("toolu_background" in json.dumps(r.body) for r in api.requests):
            time.sleep(0.1)
        self.sandbox.execute(["daemon", "stop", "--any"])


def write_samples(project: Path) -> None:
    """The files that the script reads."""
    (project / "small.txt").write_text("one\ntwo\nthree\n", "utf-8")
    (project / "large.txt").write_text("".join(f"line {n} of a long report\n" for n in range(1, 1201)), "utf-8")
    (project / "image.png").write_bytes(png())
    (project / "page.pdf").write_bytes(pdf("a page of text " * 300))
    source = [f"print({n})  # one of many lines in a cell\n" for n in range(1, 201)]
    cell = {"cell_type": "code", "id": "cell-1", "metadata": {}, "source": source, "outputs": [], "execution_count": 1}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (project / "notes.ipynb").write_text(json.dumps(notebook), "utf-8")


def pdf(text: str) -> bytes:
    """A PDF of one page that shows `text`."""
    content = f"BT /F1 24 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 %s >> >> >>"
        % b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
    ]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table) + trailer


def main_thread(project: Path) -> list[Any]:
    """The script of the foreground session."""
    return [
        bash("toolu_bash_small", "seq 1 3"),
        bash("toolu_bash_large", "seq 1 3000"),
        bash("toolu_bash_large_stderr", "seq 1 3000 >&2"),
        bash("toolu_bash_failing", "seq 1 3000; exit 3"),
        bash("toolu_bash_image", "printf 'data:image/png;base64,%s' \"$(base64 -w0 image.png)\""),
        bash("toolu_glance", "git status -s && git log --oneline -10 2>&1 | head"),
        bash("toolu_bash_persisted", "seq 1 20000"),
        bash("toolu_saved_too", "seq 1 7000"),
        call("Read", "toolu_read_saved", file_path="{LAST_PATH}"),
        call("Read", "toolu_read_small", file_path=str(project / "small.txt")),
        call("Read", "toolu_read_large", file_path=str(project / "large.txt")),
        call("Read", "toolu_read_part", file_path=str(project / "large.txt"), offset=100, limit=900),
        call("Read", "toolu_read_image", file_path=str(project / "image.png")),
        call("Read", "toolu_read_notebook", file_path=str(project / "notes.ipynb")),
        call("Read", "toolu_read_pdf", file_path=str(project / "page.pdf")),
        call("mcp__answers__text", "toolu_mcp_text", characters=9000),
        call("mcp__answers__picture", "toolu_mcp_picture", characters=9000),
        call("mcp__answers__structured", "toolu_mcp_structured", characters=9000),
        call("mcp__answers__resource", "toolu_mcp_resource", characters=9000),
        call("mcp__answers__failing", "toolu_mcp_failing", characters=9000),
        call("mcp__answers__text", "toolu_mcp_saved", characters=400_000),
        bash("toolu_bash_head_of_saved", "head -c 6000 {LAST_PATH}"),
        call("Write", "toolu_write", file_path=str(project / "new.txt"), content="a line that is written\n" * 250),
        call("Edit", "toolu_edit", file_path=str(project / "small.txt"), old_string="two", new_string="2"),
        agent("toolu_agent", subagent(project)),
        bash("toolu_launch", 'claude --bg "write the report"'),
        "end",
    ]


def subagent(project: Path) -> list[Any]:
    """The script of the subagent in the foreground session; it ends with a long answer."""
    return [
        bash("toolu_subagent_bash_large", "seq 1 3000"),
        call("Read", "toolu_subagent_read_large", file_path=str(project / "large.txt")),
        bash("toolu_subagent_launch", 'claude --bg "write the report"'),
        "a sentence of the answer. " * 250,
    ]


def neutral(kept: Json, sandbox: Sandbox) -> Json:
    """The same with ids counted up, times and tokens fixed, and the sandbox's paths below /home/user."""
    text = json.dumps(kept)
    text = text.replace(str(sandbox.project), "/home/user/project").replace(str(sandbox.home), "/home/user")
    text = text.replace(re.sub(r"[^A-Za-z0-9]", "-", str(sandbox.project)), "-home-user-project")
    text = text.replace(str(sandbox.root), "/tmp")
    text = _numbered(text, r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "00000000-0000-4000-8000-{:012}")
    text = _numbered(text, r"(?<=/jobs/)[0-9a-f]{8}\b", "{:08}")
    text = _numbered(text, r"\ba[0-9a-f]{16}\b", "a{:016}")
    text = _numbered(text, r"(?<=/tool-results/)b[0-9a-z]{8}(?=\.txt)", "b{:08}")
    text = re.sub(r"(?<=-)\d{13}(?:-[0-9a-z]{6})?\b", "1700000000000", text)
    text = re.sub(r'("(?:duration_ms|durationMs|totalDurationMs|totalTokens|input_tokens)": )\d+', r"\g<1>10", text)
    fixed: Json = json.loads(text)
    return fixed


def _numbered(text: str, pattern: str, form: str) -> str:
    found = dict.fromkeys(re.findall(pattern, text))
    for number, name in enumerate(found, 1):
        text = text.replace(name, form.format(number))
    return text


def _raw_writer(folder: Path) -> Any:
    folder.mkdir(parents=True, exist_ok=True)

    def write(case: Case, recorded: Json) -> Path:
        return _write(folder / f"{case.hook}-{case.name}.json", {"about": case.about, **_tidy(recorded)})

    return write


def _case_writer(work: Path) -> Any:
    build_suite(work / "suite", work / "source")

    def write(case: Case, recorded: Json) -> Path:
        path = replay.PAYLOADS / case.hook / f"{case.name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {"about": f"{case.about} (client {CLIENT})", **_tidy(recorded), "decision": None}
        _write(path, content)
        home = Home(work / "homes" / case.key, Suite(work / "suite"))
        done = replay.run(case.hook, replay.load(path, home), home)
        if done.returncode or done.stderr:
            raise SystemExit(f"error: cchooks-{case.hook} on {path}: {done.returncode} {done.stderr}")
        decision = done.stdout.replace(str(home.project), "/home/user/project").replace(str(home.home), "/home/user")
        return _write(path, {**content, "decision": json.loads(decision or "null")})

    return write


def _tidy(recorded: Json) -> Json:
    return {"payload": recorded["payload"], **({"env": recorded["env"]} if recorded["env"] else {})}


def _write(path: Path, content: Json) -> Path:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return path


if __name__ == "__main__":
    sys.exit(main())
