"""Edits: a file that is read in part is edited as if it had been read whole."""

from __future__ import annotations

import ast
import contextlib
import random
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import libcst as cst
import pytest
from hypothesis import given
from hypothesis import strategies as st

from distortions import as_windows, with_comments, with_form_feeds, with_tabs
from pedl2det.edit.file_edits import FileEdits
from pedl2det.edit.kept import Kept
from pedl2det.edit.making import becomes, before, into_body
from pedl2det.facts.source import Source
from pedl2det.findings import NoPlace, Unreadable

CORPUS = Path(__file__).parent / "corpus"
FILES = sorted(CORPUS.glob("*/before/**/*.py"))
EVERY_STATEMENT = '''\
"""A module."""
import os

if os.name == "a":
    x = 1
elif os.name == "b": y = (x,
    2)
else:
    try:
        @decorated
        class C(Base):
            """A class."""

            x: int = 1; y = 2

            async def m(self, *a, k=1):  # a comment
                async with a as b:
                    for c in b:
                        while c: c = c(d)
                        else:
                            del c
                # the end of m
            # the end of C
    except* ValueError as error:
        raise
    finally:
        match x:
            case [1, *rest] if rest:
                pass
            case {"k": v}:
                x = lambda: 1
    # the end of if

def f(): return """text
  of lines"""
def g():
    \'\'\'A function.\'\'\'
    if 1:
        return f(
            1,  # one
        )[
            2]
'''


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


@given(
    st.one_of(st.just(EVERY_STATEMENT), st.sampled_from(FILES).map(text_of)),
    st.randoms(use_true_random=False),
    st.sampled_from([str, as_windows, with_tabs, with_form_feeds]),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from([0.02, 0.2, 0.7]),
)
def test_a_part_is_edited_as_the_whole(
    text: str, chance: random.Random, written: Callable[[str], str], comments: float, share: float
) -> None:
    if comments:
        text = with_comments(text, chance, comments, oddly=True)
    try:
        source = Source.of(Path("x.py"), written(text))
    except Unreadable:
        return
    seed = chance.random()

    part = edited(source, random.Random(seed), share)
    with patch.object(Kept, "cuts", lambda _: []):
        whole = edited(source, random.Random(seed), share)

    if not isinstance(whole, NoPlace):  # what is odd elsewhere is no hindrance for a part
        assert part == whole


def edited(source: Source, chance: random.Random, share: float) -> str | NoPlace:
    """A file after edits in places that chance chooses."""
    edits = FileEdits(source)
    for node in source.names.nodes:
        if chance.random() > share:
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            edits.definition(node, into_body("begun(\n    1)\nif 1:\n    pass\n"))
        elif isinstance(node, ast.Import | ast.Assign | ast.Return | ast.Expr):
            edits.line(node, before("if 2:\n    new()\n"))
        elif isinstance(node, ast.Call):
            edits.expression(node, lambda call: call.with_changes(args=call.args[:1]))
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            edits.expression(node, becomes("a.b"))
    try:
        return edits.apply()
    except NoPlace as error:
        return error


@pytest.mark.parametrize(
    "code",
    ['f"{old}"', 'f"{a:{old}>3} {[b for b in old]}"', "f'''\n {old!r} ü {\n old}'''", "'ü', old"],
)
def test_a_name_in_a_string_is_edited_where_it_stands_or_not_at_all(code: str) -> None:
    source = Source.of(Path("x.py"), f"x = {code}\n")
    edits = FileEdits(source)
    for node in source.names.of(ast.Name):
        if node.id == "old":
            edits.expression(node, becomes("new"))

    with contextlib.suppress(NoPlace):  # before Python 3.12 its place may be unknown
        assert edits.apply() == source.text.replace("old", "new")


def test_what_is_left_out_is_not_moved_to_another_indent() -> None:
    source = Source.of(Path("x.py"), "def f():\n    a\n    b\n\nx = 1\n")
    edits = FileEdits(source)
    function = source.names.of(ast.FunctionDef)[0]
    edits.definition(function, lambda node: cst.FlattenSentinel(node.body.body))

    with pytest.raises(NoPlace) as refused:
        edits.apply()

    assert refused.value.line == 2
