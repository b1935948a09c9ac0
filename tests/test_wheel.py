"""What is packaged: the exact files of the wheel, and that every way to install gives the same commands."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest
from filelock import FileLock

from .conftest import COMPILER, ROOT, STARTED_WITH, Suite, copy_product

FOLDERS = {
    "cchooks_suite": ROOT / "installer",
    "cchooks_suite/hooks": ROOT / "hooks",
    "cchooks_suite/templates": ROOT / "settings-templates",
    "cchooks_suite/transcripts": ROOT / "transcripts",
}
ROWS = f"cchooks_suite/transcripts/_rows{sysconfig.get_config_var('EXT_SUFFIX')}"
REAL = ROOT / "tests" / "transcripts" / "real-2.1.332"
COMMANDS = ["cchooks", "cchooks-childenv", "cchooks-delegate", "cchooks-launch", "cchooks-spill"]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A folder with the sdist and with the wheel that was built from it, made once a test run."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if hasattr(request.config, "workerinput") else base) / "built"
    with FileLock(f"{shared}.lock"):
        if not (shared / "dist").exists():
            copy_product(shared)
            run(sys.executable, "-m", "build", "--no-isolation", str(shared))
    return shared / "dist"


def run(*command: str, **env: str) -> str:
    done = subprocess.run(command, env={**STARTED_WITH, **env}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_holds_exactly_the_product(built: Path) -> None:
    [wheel] = built.glob("*.whl")
    found = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    modules = {f"{name}/{path.name}" for name, folder in FOLDERS.items() for path in folder.glob("*.py")}
    data = {f"cchooks_suite/templates/{path.name}" for path in FOLDERS["cchooks_suite/templates"].glob("*.[jt]*")}
    scripts = {f"cchooks_suite-0.1.0.data/scripts/{name}" for name in COMMANDS if name != "cchooks"}
    typing = {"cchooks_suite/py.typed", "cchooks_suite/transcripts/_rows.pyi"}
    assert found == modules | data | scripts | typing | ({ROWS} if COMPILER else set())
    assert "cchooks_suite/templates/config.toml" in found


def test_the_sdist_holds_what_the_wheel_is_made_of(built: Path) -> None:
    [sdist] = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"hooks/bin/{name}" for name in COMMANDS if name != "cchooks"} <= names
    assert {"LICENSE", "README.md", "pyproject.toml", "settings-templates/spill.json", "installer/py.typed"} <= names
    assert "transcripts/_rows.c" in names


def test_the_wheel_says_what_it_is(built: Path) -> None:
    [wheel] = built.glob("cchooks_suite-0.1.0-*.whl")
    archive = zipfile.ZipFile(wheel)
    metadata = archive.read("cchooks_suite-0.1.0.dist-info/METADATA").decode()
    assert "Name: cchooks-suite\n" in metadata
    assert "Requires-Python: >=3.11\n" in metadata
    entry_points = archive.read("cchooks_suite-0.1.0.dist-info/entry_points.txt").decode()
    assert "cchooks = cchooks_suite.cli:console" in entry_points


@pytest.mark.parametrize("way", ["sdist", "editable", "no compiler"])
def test_other_ways_to_install_give_the_same_commands(way: str, built: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", str(tmp_path / "venv"))
    suite = Suite(tmp_path / "venv")
    copy_product(tmp_path / "source")
    [sdist] = built.glob("*.tar.gz")
    what = ["--editable", str(tmp_path / "source")] if way == "editable" else [str(sdist)]
    compiler = {"CC": "false"} if way == "no compiler" else {}
    run(str(suite.bin("python")), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what, **compiler)
    assert bool(list(tmp_path.glob(f"venv/lib/**/{ROWS}"))) == (COMPILER and way == "sdist")  # else in the source
    assert "spill" in run(str(suite.bin("cchooks")), "--help") + run(str(suite.bin("cchooks")), "config", "show")
    found = json.loads(run(str(suite.bin("cchooks")), "audit", "--json", "--no-index", str(REAL)))
    assert found["totals"]["requests"] > 0
    for name in COMMANDS[1:]:
        done = subprocess.run([str(suite.bin(name))], input=b"", capture_output=True, check=False)
        assert (done.returncode, done.stdout) == (0, b"")
        assert done.stderr.startswith(name.encode())


def test_the_project_never_names_the_other_one() -> None:
    assert "pip install cchooks" not in (ROOT / "README.md").read_text("utf-8")
