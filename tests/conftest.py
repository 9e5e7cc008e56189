"""Fixtures of all tests; and Keras 2, before any test loads TensorFlow."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

import support
from pedl2det_runtime import stub_path
from pedl2det_runtime.backends import keras_versions
from pedl2det_runtime.errors import WrongKerasError
from support import EXAMPLES
from zygote import Zygote

# How long an example takes depends on the machine: no test is about that.
hypothesis.settings.register_profile("steady", deadline=None)
hypothesis.settings.load_profile("steady")

pytest_plugins = ["costs", "promises", "stamps", "turns"]
collect_ignore = ["corpus"]  # projects of others, with tests of their own

with contextlib.suppress(WrongKerasError):  # the tests of the codemods need no TensorFlow
    keras_versions.choose_keras_2()
stub_path.serve_first()  # ``import determined`` in a test means the runtime


@pytest.fixture(autouse=True, scope="session")
def journals(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The journals of migrations stay among the tests' own files."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))


@pytest.fixture(autouse=True, scope="session")
def zygote() -> Iterator[Zygote]:
    """What forks the processes of tests, in which TensorFlow would take seconds to start."""
    support.zygote = Zygote()
    yield support.zygote
    support.zygote.stop()


@pytest.fixture(autouse=True)
def _working_directory() -> Iterator[None]:
    """Bring the process back from a trial that it has trained: its directory may be removed."""
    before = Path.cwd()
    yield
    os.chdir(before)


@pytest.fixture
def example(tmp_path: Path) -> Callable[[str], Path]:
    """Copies an example, data and all."""

    def copy(name: str) -> Path:
        return Path(shutil.copytree(EXAMPLES / name, tmp_path / name))

    return copy
