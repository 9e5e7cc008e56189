"""Trials that reviewers wrote to break `migrate`, and realistic ones that no rule was made for.

What `run` trains, `migrate` finishes, and what it writes trains the same to the end.
`nox -s foreign -- tests --verify` tries the first form of all of them.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support import pedl2det

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
SMALL = sorted(path.name for path in (HERE / "small_trials").iterdir() if path.is_dir())


@pytest.mark.turns(12)
@pytest.mark.parametrize("name", SMALL)
def test_what_is_written_trains_the_same_to_the_end(name: str, tmp_path: Path) -> None:
    trial = shutil.copytree(HERE / "small_trials" / name, tmp_path / name)

    done = pedl2det("migrate", "--force", trial)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "verify: equal for all " in done.stderr
