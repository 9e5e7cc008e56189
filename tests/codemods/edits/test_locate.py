"""Nodes of ``ast`` are found in libcst where they stand, and have the same code there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import libcst as cst
import pytest

from pedl2det.analysis.source import Source
from pedl2det.edits.locate import Locator, NotLocated
from pedl2det.findings import Unreadable

ROOT = Path(__file__).parents[3]
FILES = sorted(
    [
        *ROOT.glob("legacy_examples/**/*.py"),
        *sorted(ROOT.glob("tests/corpus/*/before/**/*.py"))[::2],
        *sorted(ROOT.glob("codemods/**/*.py"))[::12],  # every file takes half a minute
    ]
)
#: Nodes without a place of their own in libcst: what an f-string is made of.
_INSIDE = (ast.JoinedStr, ast.FormattedValue)


def expressions(source: Source) -> Iterator[ast.expr]:
    """The expressions of a file that an edit may be about."""
    parents = source.names.parents
    for node in source.names.nodes:
        if not isinstance(node, ast.expr) or isinstance(node, ast.Starred | ast.Slice):
            continue
        parent = parents[node]
        in_string = isinstance(parent, _INSIDE)
        if in_string and isinstance(node, ast.Constant | ast.FormattedValue | ast.JoinedStr):
            continue
        if isinstance(node, ast.Tuple) and isinstance(parent, ast.Subscript):
            continue  # `x[1, 2:3]` has no tuple in libcst
        if isinstance(parent, ast.MatchValue | ast.MatchMapping | ast.MatchClass):
            continue
        yield node


def check(source: Source) -> None:
    """Every expression, statement, argument and parameter of a file is found and is the same."""
    locator = Locator(source)
    code_for = locator.module.code_for_node
    for node in expressions(source):
        found = locator.node(node)
        same = ast.parse(f"({code_for(found)}\n)", mode="eval").body
        assert plain(same) == plain(node), f"{source.path}:{node.lineno}: {ast.unparse(node)}"
    for node in source.names.nodes:
        if isinstance(node, ast.stmt):
            check_statement(locator, node)
        elif isinstance(node, ast.arg):
            assert locator.part(node).name.value == node.arg
        elif isinstance(node, ast.Call):
            for argument in [*node.args, *node.keywords]:
                value = getattr(argument, "value", argument)
                value = value if isinstance(argument, ast.Starred | ast.keyword) else argument
                assert locator.argument(argument).value is locator.node(value)
                keyword = locator.argument(argument).keyword
                assert (keyword and keyword.value) == getattr(argument, "arg", None)


def check_statement(locator: Locator, node: ast.stmt) -> None:
    found = locator.node(node)
    if isinstance(found, cst.BaseSmallStatement):
        line: cst.CSTNode = cst.SimpleStatementLine([found])
    else:
        line = found
    code = locator.module.code_for_node(line)
    (same,) = ast.parse(code.strip()).body
    assert plain(same) == plain(node), f"{locator.source.path}:{node.lineno}"


def plain(node: ast.AST) -> str:
    """A node without what its surroundings decide."""
    text = ast.dump(node)
    return text.replace("ctx=Store()", "ctx=Load()").replace("ctx=Del()", "ctx=Load()")


def test_every_node_of_real_files_is_found() -> None:
    checked = 0
    for path in FILES:
        try:
            source = Source.read(path)
        except Unreadable:
            continue
        check(source)
        checked += 1
    assert checked > 50


@pytest.mark.parametrize(
    "text",
    [
        "x = f'{a.b}'",
        "x = f'{a!r:>{width + 1}} {b:{c}.{d}f}' + e",
        "x = f'{a:>{b[c]}{d.e}}'",
        "x = f'{f(a, k=b)}' f'{c[0]}'",
        "x = 'plain' f'{a}' 'plain'",
        "x = f'{{}} {a} {{b}}'",
        "x = f'{[b for b in old]} {(1, 2)} { {1: a}[1] }'",
        "x = f'''\n {a!r} ü {\n b}\n {c.d(\n  e)}'''",
        "x = f'{a=}'",
        "x = f'{(lambda y: y.z)(1)}'",
        "x = f\"{a['ü']} é {b.c}\"",
        "x = f'{a}'.format(b)",
        "x = f'{a if b else c}' % d",
        "x = rf'\\d{a}'",
        "x = f'{f\"{a.b}\"} {c}'",
    ],
)
def test_expressions_in_f_strings(text: str) -> None:
    check(Source.of(Path("x.py"), text + "\n"))


@pytest.mark.parametrize(
    "text",
    [
        "x = (1, 2), (3,), ()",
        "x = (()), ( ), f((), ()), [()]",
        "x = ((a, b), c), d",
        "x = a, *b",
        "x = *a, b",
        "x, (y, *z) = t",
        "for a, (b, c) in (d, e), f: pass",
        "return_ = ((1, 2))",
        "x[a, b] = (c, d)",
        "x = ((a))",
        "x = (a).b",
        "x = (a + (b))",
        "x = ((a, b)).c",
        "x = ((yield),) if 0 else (await_,)",
        "del (a, b), c",
    ],
)
def test_tuples_and_parentheses(text: str) -> None:
    text = text if "yield" not in text else f"def f():\n  {text}"
    check(Source.of(Path("x.py"), text + "\n"))


@pytest.mark.parametrize(
    "text",
    [
        "f(a for a in b)",
        "f((a for a in b), c)",
        "x = (a for a in (b for b in c))",
        "x = ((a, b) for a, b in c if a if b)",
        "x = [[a for a in b] for b in c]",
        "x = {a: b for a, b in c}, {a for a in b}",
        "f((a, b) for a in c)",
        "f(((a for a in b) for b in c))",
        "x = [a for a in b for b in a.c if d(a)]",
    ],
)
def test_comprehensions(text: str) -> None:
    check(Source.of(Path("x.py"), text + "\n"))


@pytest.mark.parametrize(
    "text",
    [
        "@a\n@b.c(d)\ndef f(): pass",
        "@a\nclass C(B, metaclass=M): pass",
        "class C:\n  @property\n  def f(self): return self.x\n  @f.setter\n  def f(self, y): pass",
        "@(yield_)\nasync def f(): await x",
        "def f(a, /, b: int = 1, *c, d=2, **e) -> x: pass",
        "def f(*, a): return lambda b, *c, d=a, **e: b",
        "x = 1; y = 2; z",
        "x;",
        "if a: b; c\nelse: d",
        "if a:\n  b\nelif c:\n  d\nelif e: f\nelse:\n  g",
        "if a: pass\nelse:\n  if b: pass",
        "while a: b; break",
        "for a in b: c\nelse: d",
        "try: a\nexcept b as c: d\nexcept (e, f): g\nelse: h\nfinally: i",
        "with a as b, c as (d, e): f",
        "with (a as b, c): f",
        "def f(): return 1",
        "class C: x: int = 1; y = 2",
        "def f():\n  'doc'\n  global a\n  nonlocal_ = 1",
        "import a.b as c, d\nfrom . import e\nfrom .f import (g as h,)",
        "match a:\n  case [1, *b]: c\n  case {'d': e, **f} if g: h\n  case i.j | None: k",
        "async def f():\n  async with a as b: c\n  async for d in e: g\n  return [h async for h in i]",  # noqa: E501
        "assert a, b\nraise c from d\ndel e",
        "x: int\ny.z: int = 1\nw += 1",
        "print(a, *b, c=d, **e)",
        "f(a)(b)[c](d).e(f(g))",
        "x = not a\ny = -b ** ~c\nz = d if e else f or g and h",
        "x = a < b <= c is not d not in e",
        "x = (yield_ := 1)\ny = [z := 2]",
        "x = a[b:c, ::d, ...]",
        "x = 'a' 'b'\ny = (\n  'c'\n  'd'\n).e",
        "x = 1j + 0x1F + 1_000\ny = b'a' b'b'",
        "if a:\n  pass  # comment\n# comment\n  # odd comment\n  b",
        "x = (  # comment\n  a,  # comment\n  b.c  # comment\n)\n",
        "x = a \\\n  .b \\\n  .c",
        "def f(a,\n      b=(1,\n         2)):\n\tpass",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_statements(text: str, end: str) -> None:
    check(Source.of(Path("x.py"), (text + "\n").replace("\n", end)))


@pytest.mark.parametrize(
    "text",
    [
        "ü = 'äöü' + größe.länge(é)\n",
        "x = '😀', a.b; y = '日本', c(d)\n",
        "def f(é, *ü): return 'ß', é.ü\n",
        "if a:\n\tx = 'é', b\n\tif c:\n\t\td.e()\n",
        "if a:\n \tx = b\n",
        "x = a\n\f\ny = b\n",
        "\ufeffx = a.b\n",
        "# -*- coding: utf-8 -*-\nx = a.b",
        "x = '''a\n\tb''', c\n",
        "",
    ],
)
def test_odd_texts(text: str) -> None:
    check(Source.of(Path("x.py"), text.removeprefix("\ufeff")))


def test_what_is_of_another_file_is_not_found() -> None:
    locator = Locator(Source.of(Path("x.py"), "a.b\n"))
    other = Source.of(Path("y.py"), "\nc.d(e)\ndef f(g): pass\n")
    for node in expressions(other):
        with pytest.raises(NotLocated):
            locator.node(node)
    for statement in other.tree.body:
        with pytest.raises(NotLocated):
            locator.node(statement)
    with pytest.raises(NotLocated):
        locator.part(other.names.of(ast.arg)[0])


def test_an_argument_is_asked_of_a_call_alone() -> None:
    source = Source.of(Path("x.py"), "x = a\n")
    with pytest.raises(NotLocated):
        Locator(source).argument(source.names.of(ast.Name)[1])


def test_the_way_to_a_node_leads_through_what_holds_it() -> None:
    source = Source.of(Path("x.py"), "x = 1\n@a.b\ndef f(): return c\ny = 2\n")
    locator = Locator(source)
    names = {one.id: one for one in source.names.of(ast.Name)}
    first, function, last = locator.module.body[0], locator.module.body[1], locator.module.body[2]
    for name in "ac":
        ways = locator.with_ancestors([locator.node(names[name])])
        assert [one in ways for one in (first, function, last)] == [False, True, False]
