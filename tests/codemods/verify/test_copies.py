"""A copy holds all that a trial needs; nothing that is written into it reaches the original."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pedl2det.errors import Pedl2DetError
from pedl2det.verify import copies, prove
from pedl2det.verify.copies import Workshop, copy_paths, stamp_of
from pedl2det.verify.extent import Extent
from pedl2det.verify.prove import verify_trial
from support import SMALL_TRIAL, read_tree, write_tree

GUARDED = """\
import sys
from pathlib import Path
from pedl2det.verify import guarded
guarded.guard(Path(sys.argv[1]))
"""


@pytest.fixture
def anything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "LARGE", 1)


def copied(root: Path, budget: int | None = None) -> Path:
    target = root.parent / "copy"
    copy_paths(root, (root,), target, budget)
    return target


def test_results_caches_and_version_control_are_left_out(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "root",
        {
            "trial/model_def.py": "x = 1\n",
            "trial/runs/metrics.jsonl": "{}\n",
            "trial/runs/checkpoints/1/weights": "w",
            "data/checkpoints/weights.h5": "mine",
            ".git/HEAD": "ref",
            "env/pyvenv.cfg": "home = /usr\n",
        },
    )

    assert [*read_tree(copied(root))] == ["data/checkpoints/weights.h5", "trial/model_def.py"]


def test_a_link_within_the_copy_stays_a_link_to_the_copy(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"data/x.csv": "1\n", "trial/model_def.py": ""})
    (root / "trial" / "data").symlink_to(root / "data")

    copy = copied(root)
    (copy / "trial" / "data" / "x.csv").write_text("2\n")

    assert (copy / "data" / "x.csv").read_text() == "2\n"
    assert (root / "data" / "x.csv").read_text() == "1\n"


def test_what_a_link_leads_to_elsewhere_is_copied(tmp_path: Path) -> None:
    write_tree(tmp_path / "elsewhere", {"x.csv": "1\n"})
    root = write_tree(tmp_path / "root", {"model_def.py": ""})
    (root / "data").symlink_to(tmp_path / "elsewhere")
    (root / "x.csv").symlink_to("../elsewhere/x.csv")

    copy = copied(root)
    for path in (copy / "data" / "x.csv", copy / "x.csv"):
        path.write_text("2\n")

    assert (tmp_path / "elsewhere" / "x.csv").read_text() == "1\n"


def test_links_that_lead_nowhere_or_in_a_circle_do_no_harm(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"model_def.py": ""})
    write_tree(tmp_path / "outside", {"x": ""})
    (root / "nowhere").symlink_to("missing")
    (root / "circle").symlink_to("circle")
    (root / "itself").symlink_to(root)
    (root / "out").symlink_to(tmp_path / "outside")
    (tmp_path / "outside" / "again").symlink_to(tmp_path / "outside")

    copy = copied(root)

    assert (copy / "nowhere").readlink() == Path("missing")
    assert (copy / "itself" / "model_def.py").is_file()
    assert (copy / "out" / "x").is_file()


def test_of_a_large_directory_only_some_paths_are_copied(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "root", {"a/trial/m.py": "", "a/data/x": "", "b/y": "", "common.py": ""}
    )
    paths = (root / "a" / "trial", root / "a" / "data", root / "common.py")

    copy_paths(root, paths, tmp_path / "copy")

    assert [*read_tree(tmp_path / "copy")] == ["a/data/x", "a/trial/m.py", "common.py"]


@pytest.mark.usefixtures("anything_is_large")
def test_the_largest_files_are_linked_where_copies_would_take_too_much(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"big.bin": "x" * 3000, "small.bin": "x" * 900})

    linked = copy_paths(root, (root,), tmp_path / "copy", budget=1000)

    assert linked == {root / "big.bin": stamp_of(root / "big.bin")}
    assert (tmp_path / "copy" / "big.bin").is_symlink()
    assert not (tmp_path / "copy" / "small.bin").is_symlink()


def test_a_linked_file_that_was_changed_all_the_same_is_named(
    tmp_path: Path, anything_is_large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_tree(tmp_path / "root", {"big.bin": "x" * 3000, "const.yaml": ""})
    monkeypatch.setattr(copies, "BUDGET", 1000)
    workshop = Workshop(tmp_path / "scratch", root / "const.yaml")
    copy = workshop.copy("old", Extent(root, root, (root,)))

    assert (copy.guarded, workshop.changed()) == (tmp_path / "scratch", [])
    (root / "big.bin").write_bytes(b"y")
    assert workshop.changed() == [root / "big.bin"]


def test_code_is_never_linked(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"model_def.py": "x = 1\n"})

    assert not (copied(root, budget=0) / "model_def.py").is_symlink()


@pytest.mark.usefixtures("anything_is_large")
def test_a_linked_file_is_copied_before_it_is_written_to(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "root", dict.fromkeys(("w", "a", "t", "r", "h", "removed"), "x" * 3000)
    )
    copy = copied(root, budget=0)
    before = read_tree(root)
    writes = (
        "import os, h5py\n"
        "open('w', 'w').write('y')\n"
        "Path('a').open('ab').write(b'y')\n"
        "os.truncate('t', 1)\n"
        "os.remove('removed')\n"
        "h5py.File('h', 'w').close()\n"
        "assert open('r').read(1) == 'x'\n"
    )

    subprocess.run([sys.executable, "-c", GUARDED + writes, copy], cwd=copy, check=True)

    assert read_tree(root) == before
    assert (copy / "w").read_text() == "y"
    assert (copy / "a").read_bytes() == b"x" * 3000 + b"y"
    assert (copy / "t").stat().st_size == 1
    assert (copy / "r").is_symlink()


# The temporary directory: a killed verification leaves nothing for long.


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
