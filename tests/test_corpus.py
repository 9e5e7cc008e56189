"""Small projects as people wrote them, beside what a careful person makes of them.

A project of tests/corpus holds ``before/``, in ``after/`` the files that change, and ``says.txt``:
a part of each thing that migrate must say. Everything that it leaves or trains differently must be
expected there. ``xfail.txt`` says why a project does not come out as it should yet.
"""

from __future__ import annotations

import io
import shutil
import tokenize
from collections import Counter
from pathlib import Path

import pytest
from pedl2det.facts.source import Source
from pedl2det.migrate import Result, migrate

from pedl2det.files.write import write_all
from pedl2det.findings import Kind
from pedl2det.report.text import summary
from support import read_tree

CORPUS = Path(__file__).parent / "corpus"
PROJECTS = sorted(path for path in CORPUS.iterdir() if path.is_dir())
LEFT = {Kind.PERSON, Kind.BAD_INPUT, Kind.DIFFERENT}
FOR_TOOLS = ("# noqa", "# pylint", "# isort")


def parameter(project: Path) -> object:
    reason = project / "xfail.txt"
    marks = [pytest.mark.xfail(reason=reason.read_text(), strict=True)] if reason.exists() else []
    return pytest.param(project, id=project.name, marks=marks)


def comments(data: bytes) -> Counter[str]:
    """The comments in a file of Python that are meant for people."""
    try:
        tokens = list(tokenize.tokenize(io.BytesIO(data).readline))
    except (SyntaxError, tokenize.TokenError, UnicodeDecodeError):
        return Counter()
    found = (token.string for token in tokens if token.type == tokenize.COMMENT)
    return Counter(one for one in found if not one.startswith(FOR_TOOLS))


def unexpected(result: Result, expected: list[str]) -> list[str]:
    """What is left or trains differently, and is not expected to."""
    left = [one for one in result.findings if one.kind in LEFT]
    found = [f"{one.path.name}:{one.line}: {one.kind.value}: {one.message}" for one in left]
    return [line for line in found if not any(part in line for part in expected)]


@pytest.mark.parametrize("project", [parameter(one) for one in PROJECTS])
def test_a_project_becomes_what_a_careful_person_makes_of_it(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = project / "says.txt"
    expected = said.read_text().splitlines() if said.exists() else []
    before = read_tree(project / "before")
    shutil.copytree(project / "before", tmp_path / "p", symlinks=True)
    monkeypatch.chdir(tmp_path / "p")

    result = migrate([Path()])
    write_all(result.files)

    after = read_tree(Path())
    assert after == before | read_tree(project / "after")
    printed = "\n".join(summary(result, "rewritten"))
    assert [part for part in expected if part not in printed] == []
    assert unexpected(result, expected) == []
    for name in after:
        assert comments(before[name]) <= comments(after[name]), "a comment is lost"
        if name.endswith(".py") and after[name] != before[name]:
            source = Source.read(Path(name))
            compile(source.text, name, "exec")
    assert migrate([Path()]).files == []
    assert {path.name for path in Path().rglob(".pedl2det*")} == set()


def test_the_corpus_is_large_and_holds_what_must_be_left() -> None:
    left = [project for project in PROJECTS if not (project / "after").exists()]

    assert len(PROJECTS) >= 230
    assert len([project for project in left if (project / "says.txt").exists()]) >= 90
