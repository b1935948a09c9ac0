"""Reading the case files of the hooks, and running one in a person's home.

A case is a file `tests/payloads/<hook>/<situation>.json` with

- `about`: why it exists, in a sentence;
- `payload`: what the client sent, with ids zeroed and paths below `/home/user` and `/home/user/project`;
- `decision`: what the hook prints, or null for silence;
- `env`, `config`, `files` (optional): more variables, the text of the user's config file, and files by their path;
- `unparsed` (optional): true where the hook must come to its silence without parsing the payload.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .conftest import Home

PAYLOADS = Path(__file__).parent / "payloads"
CASES = sorted(PAYLOADS.glob("*/*.json"))


def case_id(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def load(path: Path, home: Home) -> dict[str, Any]:
    """The case with its paths in `home`."""
    text = path.read_text("utf-8")
    text = text.replace("/home/user/project", str(home.project)).replace("/home/user", str(home.home))
    case: dict[str, Any] = json.loads(text)
    return case


def run(hook: str, case: dict[str, Any], home: Home) -> subprocess.CompletedProcess[str]:
    """Run the installed hook on the case, with what the case says of its surroundings."""
    home.config.mkdir(exist_ok=True)
    for name, text in {**case.get("files", {}), **_config(case, home)}.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, "utf-8")
    return home.run(f"cchooks-{hook}", stdin=json.dumps(case["payload"]), env=case.get("env"))


def decision(done: subprocess.CompletedProcess[str]) -> Any:
    """What the hook printed: one JSON object, or nothing."""
    assert done.stdout == "" or done.stdout.endswith("}\n")
    return json.loads(done.stdout) if done.stdout else None


def _config(case: dict[str, Any], home: Home) -> dict[str, str]:
    path = home.home / ".config" / "cchooks" / "config.toml"
    return {str(path): case["config"]} if "config" in case else {}
