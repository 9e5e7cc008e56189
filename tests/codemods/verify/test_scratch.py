"""A killed verification leaves nothing for long, and no other one's directory is touched."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pedl2det.errors import Pedl2DetError
from pedl2det.verify import copies, prove
from pedl2det.verify.prove import verify_trial
from support import SMALL_TRIAL, write_tree


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary directories are."""
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


def verify_and_die(trial: Path) -> None:
    """Verify a trial in a process that is killed once its copies could be made."""
    child = os.fork()
    if not child:
        prove._verdict = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[assignment]
        verify_trial(trial)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL


def test_the_next_verification_removes_what_a_killed_one_left(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = write_tree(tmp_path / "trial", SMALL_TRIAL)
    verify_and_die(trial)
    (left,) = place.iterdir()
    (left / "copy").mkdir()
    stranger = place / "pedl2det-verify-a-file"
    stranger.touch()
    link = place / "pedl2det-verify-a-link"
    link.symlink_to(trial)

    def fail(*_: object) -> None:
        raise Pedl2DetError("no")

    monkeypatch.setattr(prove, "_verdict", fail)
    monkeypatch.setattr(copies, "_NEW", -1.0)
    with copies.scratch_directory() as running:
        verify_trial(trial)

        assert {*place.iterdir()} == {running, stranger, link}
    assert (trial / "model_def.py").is_file()


def test_a_directory_that_is_not_locked_yet_stays(place: Path) -> None:
    new = place / "pedl2det-verify-new"
    new.mkdir()
    with copies.scratch_directory():
        assert new.is_dir()
