"""Places: what ``ast`` and libcst say of the same node agrees; bytes survive."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path
from typing import Any

import libcst as cst
import pytest

from pedl2det.edit.file_edits import FileEdits
from pedl2det.edit.making import Edit
from pedl2det.edit.splices import EXPRESSIONS
from pedl2det.facts.source import Source
from pedl2det.findings import NoPlace, Unreadable

STANDARD_LIBRARY = Path(ast.__file__).parent
FILES = [STANDARD_LIBRARY / name for name in ("dataclasses.py", "asyncio/base_events.py")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_expression_of_ast_is_one_of_libcst(path: Path) -> None:
    source = Source.read(path)
    edits, seen = FileEdits(source), Counter[type]()
    wanted = Counter[type]()
    for node in source.names.nodes:
        kind = EXPRESSIONS.get(type(node))
        is_slice = isinstance(source.names.parents.get(node), ast.Subscript)
        if kind is not None and not (kind is cst.Tuple and is_slice):  # a[x:y, z] has no tuple
            wanted[kind] += 1
            edits.expression(node, counting(seen))

    assert edits.apply() == source.text
    assert seen == wanted


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_definition_of_ast_is_one_of_libcst(path: Path) -> None:
    source = Source.read(path)
    edits, seen = FileEdits(source), Counter[type]()
    definitions = source.names.of(ast.FunctionDef, ast.ClassDef)
    for node in definitions:
        edits.definition(node, counting(seen))

    assert edits.apply() == source.text
    assert seen.total() == len(definitions)


def counting(seen: Counter[type]) -> Edit:
    """An edit that changes nothing and counts what it is given."""

    def edit(node: Any) -> Any:
        seen[type(node)] += 1
        return node

    return edit


def test_columns_count_characters_and_not_bytes() -> None:
    source = Source.of(Path("x.py"), 'ü = "äöü" + name\n')
    (name,) = [n for n in ast.walk(source.tree) if isinstance(n, ast.Name) and n.id == "name"]

    assert source.start(name) == (1, 12)


def test_an_edit_whose_place_is_missing_is_an_error() -> None:
    source = Source.of(Path("x.py"), "a.b\n")
    edits = FileEdits(source)
    call = ast.parse("f(1)").body[0]
    assert isinstance(call, ast.Expr)
    edits.expression(call.value, lambda node: node)

    with pytest.raises(NoPlace):
        edits.apply()


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfx = 1\n",
        b"# -*- coding: latin-1 -*-\nx = '\xe4'\n",
        b"x = 1\r\ny = 2\r\n",
        b"x = 1",
        "x = 'ü'\n".encode(),
    ],
)
def test_bytes_survive_reading_and_writing(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(data)
    source = Source.read(path)

    assert source.encoded(source.text) == data


@pytest.mark.parametrize(
    ("data", "line"),
    [(b"print 'two'\n", 1), (b"x = 1\ndef f(:\n", 2), (b"x = '\xff'\n", 1), (b"\0", 1)],
)
def test_what_is_not_python_3_is_unreadable(data: bytes, line: int, tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(data)

    with pytest.raises(Unreadable) as refused:
        Source.read(path)

    assert refused.value.line == line
