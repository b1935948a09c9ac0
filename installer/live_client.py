"""Running the real client shut off from everything but a scripted API: home, project and environment are its own.

A `Sandbox` is one throw-away folder with all that the client reads and writes; `cchooks doctor --live` and the tests
use it.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import scripted_api

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .scripted_api import Request, ScriptedAPI

_KEY = "sk-ant-scripted"
# What a program needs of the machine it runs on; everything else of the caller's environment stays out.
_KEPT = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "COMSPEC", "PATHEXT", "NUMBER_OF_PROCESSORS")


@dataclass(frozen=True)
class Run:
    """One finished run of the client: its exit status, what it printed, and the requests it made."""

    status: int
    stdout: str
    stderr: str
    requests: list[Request]

    @property
    def results(self) -> dict[str, dict[str, Any]]:
        """The `tool_result` blocks the model was given, by `tool_use_id`."""
        return scripted_api.tool_results(self.requests)

    def seen(self, tool_use_id: str) -> str:
        """The text the model was given as the result of a tool call.

        Raises:
            KeyError: no request holds a result of that call.
        """
        return scripted_api.text_of(self.results[tool_use_id].get("content"))

    @property
    def answer(self) -> dict[str, Any]:
        """The client's own report, of a run with `--output-format json`."""
        return json.loads(self.stdout)  # type: ignore[no-any-return]


@dataclass
class Sandbox:
    """A home, a config folder and a trusted project of the client's own below `root`.

    Args:
        client: the client's executable.
        root: the folder; it is made, and whoever made it removes it.
        api: the running API that the client is pointed to.
        extra: more variables for the client's environment, and so for its hooks.
    """

    client: Path
    root: Path
    api: ScriptedAPI
    extra: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for folder in (self.config, self.project, self.temp):
            folder.mkdir(parents=True, exist_ok=True)
        # Where CLAUDE_CONFIG_DIR is set, the client keeps this file in that folder.
        (self.config / ".claude.json").write_text(json.dumps(self._first_run_done()), encoding="utf-8")

    @property
    def home(self) -> Path:
        """HOME."""
        return self.root / "home"

    @property
    def config(self) -> Path:
        """CLAUDE_CONFIG_DIR: settings, sessions, transcripts."""
        return self.home / ".claude"

    @property
    def project(self) -> Path:
        """The folder that sessions start in."""
        return self.root / "project"

    @property
    def temp(self) -> Path:
        """TMPDIR."""
        return self.root / "tmp"

    @property
    def settings(self) -> Path:
        """The user's settings file; it may not exist."""
        return self.config / "settings.json"

    def environment(self) -> dict[str, str]:
        """The client's whole environment."""
        return {
            **{name: os.environ[name] for name in _KEPT if name in os.environ},
            "HOME": str(self.home),
            "USERPROFILE": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.config),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_STATE_HOME": str(self.home / ".local" / "state"),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "TMPDIR": str(self.temp),
            "CLAUDE_CODE_TMPDIR": str(self.temp),
            "TERM": "dumb",
            "ANTHROPIC_BASE_URL": self.api.url,
            "ANTHROPIC_API_KEY": _KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "IS_SANDBOX": "1",  # the client refuses --dangerously-skip-permissions to root elsewhere
            **self.extra,
        }

    def run(
        self,
        steps: list[Any],
        *arguments: str,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float = 120,
    ) -> Run:
        """Play a script in print mode; `arguments` are further ones of the client.

        Raises:
            OSError: the client cannot be started.
            subprocess.TimeoutExpired: it did not end in `timeout` seconds.
        """
        command = ["-p", scripted_api.prompt(steps), "--output-format", "json", *arguments]
        return self.execute(command, cwd=cwd, env=env, timeout=timeout)

    def execute(
        self,
        arguments: Sequence[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float = 120,
    ) -> Run:
        """Run the client with exactly these arguments; the requests are those made meanwhile."""
        before = len(self.api.requests)
        done = subprocess.run(
            [str(self.client), *arguments],
            cwd=cwd or self.project,
            env={**self.environment(), **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout,
            check=False,
        )
        return Run(done.returncode, done.stdout, done.stderr, self.api.requests[before:])

    def _first_run_done(self) -> dict[str, Any]:
        projects = {str(self.project): {"hasTrustDialogAccepted": True}}
        # An interactive or background session uses a key only after a person approved it, by its last 20 characters.
        approved = {"approved": [_KEY[-20:]], "rejected": []}
        return {"hasCompletedOnboarding": True, "customApiKeyResponses": approved, "projects": projects}
