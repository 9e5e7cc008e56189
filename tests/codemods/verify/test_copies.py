"""A copy holds all that a trial needs; nothing that is written into it reaches the original."""

from __future__ import annotations

from pathlib import Path

import pytest

from pedl2det.errors import Pedl2DetError
from pedl2det.verify import copies
from pedl2det.verify.copies import copy_paths
from support import read_tree, write_tree


def copied(root: Path) -> Path:
    target = root.parent / "copy"
    copy_paths(root, (root,), target)
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


def test_a_copy_that_would_fill_the_disk_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_tree(tmp_path / "root", {"big.bin": "x" * 3000})
    monkeypatch.setattr(copies, "_SHARE", 10**18)

    with pytest.raises(Pedl2DetError, match=r"root: a copy needs 0\.0 GB, but .* set TMPDIR"):
        copied(root)

    assert not [*(tmp_path / "copy").iterdir()]
