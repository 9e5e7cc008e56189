"""What several test files share."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pedl2det_runtime import keras_versions

keras_versions.choose_keras_2()  # before any test loads TensorFlow


def pytest_addoption(parser: pytest.Parser) -> None:
    """Conformance outcomes go to a directory."""
    parser.addoption("--promises", metavar="DIR", help="write the outcome of every @promise here")


ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "legacy_examples"
LEGACY = ("iris", "digits")


def pedl2det(
    *arguments: object, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "pedl2det", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.fixture
def example(tmp_path: Path) -> Callable[[str], Path]:
    """Copies an example, data and all."""

    def copy(name: str) -> Path:
        return Path(shutil.copytree(EXAMPLES / name, tmp_path / name))

    return copy


def write_tree(directory: Path, files: dict[str, str]) -> Path:
    """Write some files below a directory."""
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return directory


def read_tree(directory: Path) -> dict[str, bytes]:
    """Every file below a directory, by name."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
