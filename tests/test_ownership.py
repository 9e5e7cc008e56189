"""Which directories are checkpoints of ours, and how they are removed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from pedl2det_runtime.checkpoint import ownership
from pedl2det_runtime.checkpoint.ownership import Owner
from support import read_tree, write_tree

NAME = "5102da8d-0766-4fe5-9006-a7847f50d13f"
MARKER = f'{{"checkpoint": "{NAME}", "run": "1"}}\n'


def directory(place: Path, files: dict[str, str]) -> Path:
    return write_tree(place, {"model.h5": "weights", **files})


@pytest.mark.parametrize("name", [NAME, f".{NAME}.partial"])
def test_a_marked_directory_without_metadata_is_half_written(name: str, tmp_path: Path) -> None:
    path = directory(tmp_path / name, {"pedl2det-checkpoint.json": MARKER})

    assert ownership.read_owner(path) == Owner(NAME, "1")
    assert ownership.half_written(tmp_path) == [path]


def test_a_new_checkpoint_is_marked_and_half_written_until_it_has_metadata(tmp_path: Path) -> None:
    path = ownership.create(tmp_path, "1")
    assert path.name.startswith(".")
    assert ownership.half_written(tmp_path) == [path]

    path = ownership.give_final_name(path)
    assert not path.name.startswith(".")
    assert ownership.half_written(tmp_path) == [path]

    write_tree(path, {"metadata.json": "{}"})
    assert ownership.half_written(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "files"),
    [
        (NAME, {}),
        (f".{NAME}.partial", {}),
        ("a copy", {"pedl2det-checkpoint.json": MARKER}),
        (NAME, {"pedl2det-checkpoint.json": "{"}),
        (NAME, {"pedl2det-checkpoint.json": "[1]"}),
        (NAME, {"pedl2det-checkpoint.json": f'{{"checkpoint": "{NAME}"}}'}),
        (NAME, {"pedl2det-checkpoint.json/file": MARKER}),
    ],
)
def test_a_directory_that_its_marker_does_not_name_is_never_removed(
    name: str, files: dict[str, str], tmp_path: Path
) -> None:
    path = directory(tmp_path / name, files)
    before = read_tree(tmp_path)

    assert ownership.half_written(tmp_path) == []
    ownership.remove(path)

    assert read_tree(tmp_path) == before


def test_neither_a_link_nor_a_linked_marker_makes_a_checkpoint(tmp_path: Path) -> None:
    outside = directory(tmp_path / "outside" / NAME, {"pedl2det-checkpoint.json": MARKER})
    inside = tmp_path / "inside"
    inside.mkdir()
    link = inside / NAME
    link.symlink_to(outside, target_is_directory=True)
    linked = directory(inside / f".{NAME}.partial", {}) / "pedl2det-checkpoint.json"
    linked.symlink_to(outside / "pedl2det-checkpoint.json")

    assert ownership.half_written(inside) == []
    ownership.remove(link)
    ownership.remove(linked.parent)

    assert link.is_symlink()
    assert linked.is_symlink()
    assert sorted(read_tree(outside)) == ["model.h5", "pedl2det-checkpoint.json"]


def test_links_in_a_checkpoint_are_removed_and_not_followed(tmp_path: Path) -> None:
    outside = write_tree(tmp_path / "outside", {"data.txt": "x"})
    path = directory(tmp_path / "checkpoints" / NAME, {"pedl2det-checkpoint.json": MARKER})
    (path / "code").mkdir()
    for link in (path / "link", path / "code" / "link"):
        link.symlink_to(outside, target_is_directory=True)

    ownership.remove(path)

    assert not path.exists()
    assert read_tree(outside) == {"data.txt": b"x"}


def test_a_kill_while_a_checkpoint_is_removed_leaves_a_half_written_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"pedl2det-checkpoint.json": MARKER, "metadata.json": "{}", "code/x.py": "", "z": ""}
    path = directory(tmp_path / NAME, files)

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "rmtree", killed)
    with pytest.raises(KeyboardInterrupt):
        ownership.remove(path)
    monkeypatch.undo()

    assert ownership.half_written(tmp_path) == [path]
    ownership.remove(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["empty directory", "broken link"])
def test_a_final_name_that_is_taken_is_not_taken_away(kind: str, tmp_path: Path) -> None:
    partial = ownership.create(tmp_path, "1")
    taken = tmp_path / partial.name.removeprefix(".").removesuffix(".partial")
    taken.mkdir() if kind == "empty directory" else taken.symlink_to("nowhere")

    with pytest.raises(FileExistsError):
        ownership.give_final_name(partial)

    assert partial.is_dir()
    assert not any(tmp_path.glob("*/metadata.json"))
    assert taken.is_symlink() == (kind == "broken link")


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (["a", "code/b.py", "metadata.json", "pedl2det-checkpoint.json"], True),
        (["a", "code/__pycache__/b.cpython-311.pyc"], True),
        (["a", "code/b.py", "notes.txt"], False),
    ],
)
def test_added_files_are_noticed(found: list[str], expected: bool) -> None:
    assert ownership.are_written(found, ["a", "code/b.py"]) == expected
