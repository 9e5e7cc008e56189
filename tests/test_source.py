"""Places: what ``ast`` and libcst say of the same node agrees; bytes survive."""

from __future__ import annotations

import ast
from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from pedl2det.edits import _DEFINITIONS, _EXPRESSIONS, FileEdits, NoPlace, span_of
from pedl2det.findings import Unreadable
from pedl2det.source import Source

STANDARD_LIBRARY = Path(ast.__file__).parent
FILES = [
    STANDARD_LIBRARY / name
    for name in ("dataclasses.py", "typing.py", "asyncio/base_events.py", "test/test_ast.py")
]


@pytest.mark.parametrize("path", [path for path in FILES if path.exists()], ids=lambda p: p.name)
def test_every_place_of_ast_is_a_place_of_libcst(path: Path) -> None:
    source = Source.read(path)
    wrapper = MetadataWrapper(cst.parse_module(source.text), unsafe_skip_copy=True)
    spans, starts = set(), set()
    positions = wrapper.resolve(PositionProvider)
    for node, at in positions.items():
        spans.add((type(node), span_of(positions, node)))
        starts.add((type(node), (at.start.line, at.start.column)))

    for node in source.names.nodes:
        parent = source.names.parents.get(node)
        if isinstance(node, ast.Tuple) and isinstance(parent, ast.Subscript):
            continue  # a[x, y] has no tuple in libcst; an edit of it would be NoPlace
        if type(node) in _EXPRESSIONS:
            assert (_EXPRESSIONS[type(node)], source.span(node)) in spans
        elif type(node) in _DEFINITIONS:
            assert (_DEFINITIONS[type(node)], source.start(node)) in starts


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
