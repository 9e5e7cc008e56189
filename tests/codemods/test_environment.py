"""Every Python file of this environment: nothing makes migrate fail, and nothing is changed."""

from __future__ import annotations

import shutil
import sysconfig
from pathlib import Path

import pytest

import pedl2det_names as names
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.engine import migrate
from pedl2det.findings import Unreadable
from support import EXAMPLES

pytestmark = pytest.mark.slow

INSTALLED = Path(sysconfig.get_path("purelib"))
SHARE = 100  # of the installed files, about, that are read


def test_a_run_over_all_that_is_installed_finds_nothing_to_rewrite() -> None:
    """With a ``determined`` among it, its own files may be named; none of them is rewritten."""
    packages = [path for path in sorted(INSTALLED.iterdir()) if path.name != "determined"]

    result = migrate([path for path in packages if path.is_dir() or path.suffix == ".py"])

    assert result.files == []
    assert [one for one in result.outcomes if one.status.is_finished] == []


def test_a_legacy_file_among_what_is_installed_is_found(tmp_path: Path) -> None:
    """The run above would say so if there were one."""
    shutil.copytree(EXAMPLES / "iris", tmp_path / "site-packages" / "iris")

    assert [one.status.is_finished for one in migrate([tmp_path]).outcomes] == [True]


def test_installed_files_are_read_and_their_names_resolved() -> None:
    """Without the question that most files answer with no: some of every package."""
    files = sorted(INSTALLED.rglob("*.py"))
    read = unreadable = 0
    for file in files[:: max(len(files) // SHARE, 1)]:
        try:
            source = Source.read(file)
        except Unreadable:
            unreadable += 1
            continue
        if "determined" not in file.parts:
            trial = Trial(file.parent, Modules({"module": source}))
            old = [one.dotted for one in trial.references if names.is_legacy(one.dotted)]
            assert old == [], file
        assert source.text.encode(source.encoding) in file.read_bytes()
        read += 1

    assert read > 50
    assert unreadable <= read / 50  # the tests of tools hold files that are no Python
