"""What the code of a trial writes into its directory is named in one line."""

from __future__ import annotations

from pathlib import Path

from pedl2det.verify.copies import Copy
from pedl2det.verify.extent import Extent
from pedl2det.verify.prove import describe_written, written_since
from support import write_tree


def copy(root: Path) -> Copy:
    home = Path("/original")
    return Copy("old", Extent(home, home, (home,)), root, root / "out", root / "const.yaml")


def written(directory: Path, *before: str, **after: str) -> dict[str, Path]:
    directory.mkdir(exist_ok=True)
    write_tree(directory, dict.fromkeys(before, "before"))
    before = copy(directory).stamps()
    write_tree(directory, {name.replace("_", "."): text for name, text in after.items()})
    return written_since(copy(directory), before)


def test_new_and_changed_files_are_written_and_others_not(tmp_path: Path) -> None:
    found = written(tmp_path / "trial", "kept.txt", "data.txt", data_txt="after", log_txt="new")

    assert list(found) == ["data.txt", "log.txt"]


def test_caches_and_results_of_runs_are_not_named(tmp_path: Path) -> None:
    before = copy(tmp_path).stamps()
    files = ("__pycache__/a.pyc", "runs/x/metrics.jsonl", "runs/x/checkpoints/1/model.h5")
    write_tree(tmp_path, dict.fromkeys(files, ""))

    assert not written_since(copy(tmp_path), before)


def test_the_files_of_both_trainings_are_compared(tmp_path: Path) -> None:
    old = written(tmp_path / "old", a_txt="same", b_txt="old", c_txt="")
    new = written(tmp_path / "new", a_txt="same", b_txt="new", **{f"d{n}_txt": "" for n in "1234"})

    assert describe_written({}, {}) == ""
    assert describe_written({"a.txt": old["a.txt"]}, {"a.txt": new["a.txt"]}) == (
        "the code of the trials wrote 1 file in their directories: equal in both: a.txt"
    )
    assert describe_written(old, new) == (
        "the code of the trials wrote 7 files in their directories: equal in both: a.txt; "
        "different: b.txt; only by the old trial: c.txt; "
        "only by the new trial: d1.txt, d2.txt, d3.txt and 1 more"
    )
