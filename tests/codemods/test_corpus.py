"""Small projects as people wrote them, beside what a careful engineer makes of them.

A project of tests/corpus holds ``before/``, in ``after/`` the files that change, and in
``says.txt`` a part of each thing that migrate must say: all that it leaves for a person, trains
differently. ``legacy_keras.py``, which is generated, has an empty file in ``after/``.
"""

from __future__ import annotations

import functools
import shutil
from pathlib import Path

import pytest

from pedl2det.engine import Result, migrate
from pedl2det.findings import Kind
from pedl2det.report.text import summary
from support import read_tree

CORPUS = Path(__file__).parent.parent / "corpus"
PROJECTS = sorted(path.name for path in CORPUS.iterdir() if path.is_dir())
SUPPORT = "legacy_keras.py"
#: What has to be expected; everything else may be said besides.
MATTERS = {Kind.LEFT, Kind.BAD_INPUT, Kind.DEFECT, Kind.DIFFERENT}


@functools.cache
def said(name: str) -> list[str]:
    """A part of each thing that migrate must say of a project."""
    path = CORPUS / name / "says.txt"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def unexpected(result: Result, expected: list[str]) -> list[str]:
    """What is left or different, and is not expected to be."""
    lines = [
        f"{one.path.name}:{one.line}: {one.kind.value}: {one.message}"
        for one in result.findings
        if one.kind in MATTERS
    ]
    return [line for line in lines if not any(part in line for part in expected)]


def without_support(tree: dict[str, bytes]) -> dict[str, bytes]:
    """A tree of files without the text of ``legacy_keras.py``."""
    return {name: b"" if Path(name).name == SUPPORT else data for name, data in tree.items()}


@pytest.mark.parametrize("name", PROJECTS)
def test_a_project_becomes_what_a_careful_engineer_makes_of_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = CORPUS / name
    before = read_tree(project / "before")
    shutil.copytree(project / "before", tmp_path / "p", symlinks=True)
    monkeypatch.chdir(tmp_path / "p")

    result = migrate([Path()])
    for file in result.files:
        file.path.write_bytes(file.new)

    after = read_tree(Path())
    assert without_support(after) == before | read_tree(project / "after")
    printed = "\n".join(summary(result, "rewritten"))
    assert [part for part in said(name) if part not in printed] == []
    assert unexpected(result, said(name)) == []
    for path, data in after.items():
        if path.endswith(".py") and data != before.get(path):
            compile(data, path, "exec", dont_inherit=True)
    assert migrate([Path()]).files == []


def test_a_project_of_the_corpus_holds_what_changes_and_nothing_else() -> None:
    for name in PROJECTS:
        before, after = (read_tree(CORPUS / name / part) for part in ("before", "after"))
        assert before, name
        assert not [path for path, data in after.items() if before.get(path) == data], name
        generated = [data for path, data in after.items() if Path(path).name == SUPPORT]
        assert set(generated) <= {b""}, name


@pytest.mark.parametrize("name", PROJECTS)
def test_no_new_line_is_longer_than_a_screen(name: str) -> None:
    before, after = (read_tree(CORPUS / name / part) for part in ("before", "after"))
    for path, data in after.items():
        if path.endswith(".py"):
            old = before.get(path, b"").splitlines()
            longest = max([100, *map(len, old)])
            new = [line for line in data.splitlines() if line not in old and len(line) > longest]
            assert new == [], path
