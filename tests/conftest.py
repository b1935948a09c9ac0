"""Fixtures of all tests: a clean environment, the suite as a person installs it, and a home to use it in."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from filelock import FileLock

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = (
    "pyproject.toml",
    "setup.py",
    "README.md",
    "LICENSE",
    "hooks",
    "installer",
    "settings-templates",
    "transcripts",
)
COMPILER = any(map(shutil.which, ("cc", "gcc", "clang")))  # an install compiles transcripts/_rows.c
STARTED_WITH = dict(os.environ)  # pip and npm find their own configuration through it
# No test fails because the machine is busy.
hypothesis.settings.register_profile("suite", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("suite")
BIN = "Scripts" if os.name == "nt" else "bin"


@pytest.fixture(scope="session", autouse=True)
def _nothing_of_this_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests and what they start see an empty home, and no variable that the client or the suite looks at."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [*os.environ]:
            if name.startswith(("CLAUDE", "CCHOOKS_", "ANTHROPIC_", "XDG_")):
                patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("USERPROFILE", str(home))
        yield


@dataclass(frozen=True)
class Suite:
    """The suite in a virtual environment of its own, from a regular install as a person makes it."""

    venv: Path

    def bin(self, name: str) -> Path:
        """The path of an executable in the environment: `cchooks`, `cchooks-spill`, `python`."""
        return self.venv / BIN / (f"{name}.exe" if os.name == "nt" else name)

    @property
    def env(self) -> dict[str, str]:
        """This process's environment with the suite's executables on PATH, and those of no other installation."""
        others = [folder for folder in os.get_exec_path() if not list(Path(folder).glob("cchooks*"))]
        return {**os.environ, "PATH": os.pathsep.join([str(self.venv / BIN), *others])}


def pytest_configure() -> None:
    """Take back what a shell in the background, or nohup, hands down: programs started here inherit ignored signals."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.fixture(scope="session")
def suite(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Suite:
    """The suite, regularly installed once a test run.

    A wheel is built from a copy of the work tree's product files, those not committed yet included, so that nothing
    is left in the checkout; then it is installed into a new virtual environment, whose pip stays as it comes with
    Python. All workers of pytest-xdist share the environment. Where CCHOOKS_TEST_VENV names a virtual environment, that
    one is used as it is.
    """
    given = STARTED_WITH.get("CCHOOKS_TEST_VENV")
    if given:
        return Suite(Path(given).resolve())
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if hasattr(request.config, "workerinput") else base
    venv = shared / "suite"
    with FileLock(shared / "suite.lock"):
        if not (venv / "ready").exists():
            build_suite(venv, shared / "suite-source")
            (venv / "ready").touch()
    return Suite(venv)


def build_suite(venv: Path, work: Path) -> None:
    """Make the virtual environment `venv` with the suite in it; `work` is a folder for what the build leaves behind."""
    copy_product(work)
    _call(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(work / "dist"), str(work))
    [wheel] = (work / "dist").glob("*.whl")
    _call(sys.executable, "-m", "venv", str(venv))
    pip = [str(Suite(venv).bin("python")), "-m", "pip", "--disable-pip-version-check", "--quiet"]
    _call(*pip, "install", str(wheel))


def copy_product(target: Path) -> None:
    """Copy the files that make the product into a new folder `target`, without what git ignores."""
    listed = _call("git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z", "--", *PRODUCT)
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def _call(*command: str) -> str:
    done = subprocess.run(command, env=STARTED_WITH, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}", pytrace=False)
    return done.stdout


@dataclass
class Home:
    """A person's home and project, both empty, and the suite's commands in them."""

    root: Path
    suite: Suite
    extra: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for folder in (self.home, self.project):
            folder.mkdir(parents=True, exist_ok=True)

    @property
    def home(self) -> Path:
        """HOME; the client's config folder in it is not made."""
        return self.root / "home"

    @property
    def config(self) -> Path:
        """CLAUDE_CONFIG_DIR, below the home."""
        return self.home / ".claude"

    @property
    def settings(self) -> Path:
        """The user's settings file."""
        return self.config / "settings.json"

    @property
    def state(self) -> Path:
        """The suite's state folder."""
        return self.home / ".local" / "state" / "cchooks"

    @property
    def project(self) -> Path:
        """The folder that commands start in."""
        return self.root / "project"

    @property
    def env(self) -> dict[str, str]:
        """The environment of what is started here; `extra` is in it."""
        return {
            **self.suite.env,
            "HOME": str(self.home),
            "USERPROFILE": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.config),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_STATE_HOME": str(self.home / ".local" / "state"),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            **self.extra,
        }

    def run(
        self,
        name: str,
        *arguments: str,
        stdin: bytes | str = b"",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run an executable of the suite to its end; what it printed is UTF-8 text, other bytes as surrogates."""
        return subprocess.run(
            [str(self.suite.bin(name)), *arguments],
            input=stdin if isinstance(stdin, str) else stdin.decode("utf-8", "surrogateescape"),
            env={**self.env, **(env or {})},
            cwd=cwd or self.project,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            check=False,
        )


@pytest.fixture
def home(tmp_path: Path, suite: Suite) -> Home:
    """A person's empty home with the installed suite."""
    return Home(tmp_path, suite)
