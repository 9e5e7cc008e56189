"""Commands in the documentation work as they are printed, and print what is printed below them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from support import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.ranks]

_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Shown:
    """A command of a page, and lines that it prints."""

    command: str
    lines: tuple[str, ...]


def commands_of(page: Path) -> list[Shown]:
    found = []
    for block in _BLOCK.findall(page.read_text()):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = part.rstrip("\n").split("\n")
            found.append(Shown(command.partition("  #")[0], tuple(lines)))
    return found


@pytest.mark.parametrize("name", ["README.md", "docs/tutorial.md"])
def test_every_command_of_a_page_prints_what_the_page_shows(name: str, tmp_path: Path) -> None:
    (tmp_path / "legacy_examples").symlink_to(ROOT / "legacy_examples")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    commands = commands_of(ROOT / name)
    assert commands

    for shown in commands:
        done = subprocess.run(
            shown.command,
            shell=True,
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{shown.command}\n{done.stdout}{done.stderr}"
        for line in shown.lines:
            assert line in done.stdout + done.stderr, shown.command
