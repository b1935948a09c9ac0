"""The README tells the truth: its demonstration runs, its commands exist, its links lead somewhere."""

from __future__ import annotations

import re
import subprocess

from .conftest import ROOT, Home

README = (ROOT / "README.md").read_text("utf-8")


def blocks(heading: str) -> list[str]:
    """The indented lines of a section, their indent taken off."""
    section = (
        README.partition(f"\n## {heading}\n")[2].partition("\n## ")[0] if heading else README.partition("\n## ")[0]
    )
    return [line[4:] for line in section.splitlines() if line.startswith("    ")]


def test_the_demonstration_prints_what_it_shows(home: Home) -> None:
    lines = blocks("")
    shown = next(number for number, line in enumerate(lines) if line.startswith("[cchooks]"))
    command = "\n".join(lines[:shown]).removeprefix("$ ")
    done = subprocess.run(
        ["bash", "-c", command], env=home.env, cwd=home.project, capture_output=True, text=True, check=True
    )
    printed = done.stdout.replace(str(home.home), "~").splitlines()
    assert printed[: len(lines) - shown - 1] == lines[shown:-1]


def test_every_command_is_in_the_table(home: Home) -> None:
    commands = re.findall(r"^    ([a-z-]+)", home.run("cchooks", "--help").stdout, re.MULTILINE)
    assert {"install", "uninstall", "status", "doctor", "audit", "stats"} <= set(commands)
    for command in commands:
        assert f"`cchooks {command}" in README or f"cchooks {command}" in " ".join(blocks("Install")), command


def test_the_two_commands_stand_first_in_their_sections() -> None:
    assert blocks("Install")[0].endswith("cchooks install")
    assert blocks("Test")[0].endswith("pytest -q -n auto")


def test_the_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).is_file(), target


def test_the_files_it_names_are_there() -> None:
    for name in re.findall(r"`((?:hooks|tests|settings-templates)/[\w./-]+)`", README):
        assert (ROOT / name).exists(), name
