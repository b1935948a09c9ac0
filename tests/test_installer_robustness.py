"""Crashes and crowds: the settings are always whole, and nobody's change is lost; `bench/installer.py` does more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .bench import installer as storm

if TYPE_CHECKING:
    from .conftest import Home


@pytest.mark.parametrize("seed", [1, 2])
def test_killed_at_random_moments(home: Home, seed: int) -> None:
    storm.kills(home.env, home.settings, home.suite.bin("cchooks"), rounds=20, seed=seed)


@pytest.mark.parametrize("writer", ["rename", "in place"])
def test_many_installers_and_a_program_that_rewrites_the_file(home: Home, writer: str) -> None:
    storm.crowd(home.env, home.settings, home.suite.bin("cchooks"), installers=8, writer=writer)
