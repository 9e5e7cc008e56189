"""Reaching definitions: which bindings of a name may hold where it is read."""

from __future__ import annotations

import ast
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pedl2det.analysis.bindings import Binding
from pedl2det.analysis.names import Names
from random_programs import Run, programs


def bindings(body: str) -> set[str]:
    """What ``x`` may be in ``ask(x)``: the text that it is bound to, or the line that binds it."""
    tree = ast.parse(textwrap.dedent(body))
    names = Names(tree)
    asked = [
        node.args[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "ask"
    ]
    assert asked
    return {_described(one) for name in asked for one in names.bindings(name)}  # type: ignore[arg-type]


def _described(binding: Binding) -> str:
    path = "".join(f"[{'*' if step is None else step}]" for step in binding.path)
    if binding.value is not None:
        sign = "+=" if binding.augmented else ""
        return f"{sign}{ast.unparse(binding.value)}{path}"
    return f"{type(binding.node).__name__} {getattr(binding.node, 'lineno', '')}"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = 1\nask(x)", {"1"}),
        ("x = 1\nx = 2\nask(x)", {"2"}),
        ("ask(x)\nx = 1", {"1"}),  # it does not run
        ("x = y = 1\nask(x)", {"1"}),
        ("x: int = 1\nask(x)", {"1"}),
        ("x = 1\nx: int\nask(x)", {"1"}),
        ("x = 1\nx += 2\nask(x)", {"1", "+=2"}),
        ("x = 1\ndel x\nask(x)", {"1"}),
        ("x = 1\nx.y = 2\nx[0] = 3\nask(x)", {"1"}),
        ("import x\nask(x)", {"alias 1"}),
        ("import x.y\nask(x)", {"alias 1"}),
        ("from m import y as x\nask(x)", {"alias 1"}),
        ("def x(): pass\nask(x)", {"FunctionDef 1"}),
        ("class x: pass\nask(x)", {"ClassDef 1"}),
    ],
)
def test_the_last_binding_holds(body: str, expected: set[str]) -> None:
    assert bindings(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x, y = f()\nask(x)", {"f()[0]"}),
        ("y, [z, x] = f()\nask(x)", {"f()[1][1]"}),
        ("y, *x = f()\nask(x)", {"f()[*]"}),
        ("*y, x = f()\nask(x)", {"f()[*]"}),
        ("for y, x in f(): ask(x)", {"f()[*][1]"}),
        ("with f() as (y, x): ask(x)", {"f()[1]"}),
    ],
)
def test_unpacking_says_which_member_is_bound(body: str, expected: set[str]) -> None:
    assert bindings(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = 1\nif c: x = 2\nask(x)", {"1", "2"}),
        ("if c: x = 1\nelse: x = 2\nask(x)", {"1", "2"}),
        ("x = 0\nif c: x = 1\nelif d: x = 2\nelse: x = 3\nask(x)", {"1", "2", "3"}),
        ("x = 1\nif c:\n  x = 2\n  raise x\nask(x)", {"1"}),
        ("x = 0\nmatch c:\n  case 1: x = 1\n  case 2: x = 2\nask(x)", {"0", "1", "2"}),
        ("match c:\n  case [1, *x]: ask(x)", {"MatchStar 2"}),
        ("match c:\n  case {'a': 1, **x}: ask(x)", {"MatchMapping 2"}),
        ("match c:\n  case x if ask(x): pass", {"MatchAs 2"}),
    ],
)
def test_branches_meet(body: str, expected: set[str]) -> None:
    assert bindings(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = 0\nfor i in y: x = 1\nask(x)", {"0", "1"}),
        ("x = 0\nfor i in y:\n  ask(x)\n  x = 1", {"0", "1"}),
        ("x = 0\nwhile c:\n  x = 1\n  break\n  x = 2\nask(x)", {"0", "1", "2"}),
        ("x = 0\nwhile c:\n  x = 1\n  if d: continue\n  x = 2\nask(x)", {"0", "1", "2"}),
        ("for x in y: pass\nelse: ask(x)", {"y[*]"}),
        ("x = 0\nfor i in y:\n  x = 1\n  break\nelse: x = 2\nask(x)", {"1", "2"}),
        ("x = 0\nfor i in y:\n  x = 1\n  break\nelse: raise c\nask(x)", {"1"}),
        ("while (x := f()): x = 2\nask(x)", {"f()"}),
        ("while (x := f()):\n  x = 2\n  break\nask(x)", {"f()", "2"}),
        ("for i in (x := f()): pass\nask(x)", {"f()"}),
    ],
)
def test_loops_may_run_any_number_of_times(body: str, expected: set[str]) -> None:
    assert expected <= bindings(body)
    assert bindings(body) <= expected | {"0", "2"}  # which way is taken is not computed


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("try: x = 1\nexcept E: x = 2\nask(x)", {"1", "2"}),
        ("x = 0\ntry: x = f()\nexcept E: ask(x)", {"0", "f()"}),
        ("x = 0\ntry:\n  if c:\n    x = 1\n    f()\n    x = 2\nexcept E: ask(x)", {"0", "1", "2"}),
        ("try:\n  x = 1\nexcept E:\n  raise\nask(x)", {"1"}),
        ("try: f()\nexcept E as x: ask(x)", {"ExceptHandler 2"}),
        ("try: x = 1\nexcept E: x = 2\nelse: x = 3\nask(x)", {"1", "2", "3"}),
        ("try: x = 1\nfinally: x = 2\nask(x)", {"1", "2"}),
        ("x = 0\ntry: x = f()\nfinally: ask(x)", {"0", "f()"}),
        ("x = 0\ntry: x = 1\nexcept E: x = 2\nfinally: ask(x)", {"0", "1", "2"}),
        ("x = 0\ntry:\n  x = 1\n  raise c\nfinally: ask(x)", {"0", "1"}),
        ("try: x = 1\nexcept* E: x = 2\nask(x)", {"1", "2"}),
    ],
)
def test_an_exception_may_come_at_any_statement(body: str, expected: set[str]) -> None:
    assert bindings(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("with f() as x: pass\nask(x)", {"f()"}),
        ("x = 0\nwith f(): x = 1\nask(x)", {"0", "1"}),
        ("x = 0\nwith suppress(E): x = f()\nask(x)", {"0", "f()"}),
    ],
)
def test_a_with_statement_may_end_before_its_body_does(body: str, expected: set[str]) -> None:
    assert bindings(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("(x := 1)\nask(x)", {"1"}),
        ("y = (x := 1)\nask(x)", {"1"}),
        ("if (x := 1): ask(x)", {"1"}),
        ("x = 0\nc and (x := 1)\nask(x)", {"0", "1"}),
        ("x = 0\n(x := 1) and c\nask(x)", {"0", "1"}),
        ("x = 0\ny = (x := 1) if c else 2\nask(x)", {"0", "1"}),
        ("x = 0\n[(x := i) for i in y]\nask(x)", {"0", "i"}),
        ("x = 0\ny += (x := 1)\nask(x)", {"0", "1"}),
        ("x = 0\nf(a, k=(x := 1))\nask(x)", {"0", "1"}),
        ("x = 0\nassert (x := 1)\nask(x)", {"0", "1"}),
    ],
)
def test_a_walrus_may_bind(body: str, expected: set[str]) -> None:
    assert bindings(body) == expected


def test_a_comprehension_has_names_of_its_own() -> None:
    assert bindings("x = 0\n[x for x in y]\nask(x)") == {"0"}
    assert bindings("x = 0\n[ask(x) for x in y]") == {"y[*]"}
    assert bindings("x = 0\n[1 for i in ask(x) for x in i]") == {"0"}
    assert bindings("x = 0\n{k: ask(x) for k, x in y}") == {"y[*][1]"}


def test_inner_functions_and_lambdas_are_scopes_of_their_own() -> None:
    assert bindings("x = 0\ndef f():\n  x = 1\nask(x)") == {"0"}
    assert bindings("x = 0\ny = lambda: (x := 1)\nask(x)") == {"0"}
    assert bindings("x = 0\ndef f(a=ask(x)): pass\nx = 1") == {"0"}
    assert bindings("x = 0\ny = lambda a=ask(x): 1\nx = 1") == {"0"}


def test_parameters_are_bindings_of_their_function() -> None:
    names = Names(ast.parse("def f(a, /, b, *c, d, **e): return a, b, c, d, e"))
    reads = [one for one in names.of(ast.Name) if one.id in "abcde"]
    assert {read.id: {_described(one) for one in names.bindings(read)} for read in reads} == {
        name: {"arg 1"} for name in "abcde"
    }


def test_a_binding_knows_the_names_that_read_it() -> None:
    names = Names(ast.parse("x = 1\nx\nif c:\n  x = 2\nx"))
    first, second = names.bound(names.tree, "x")
    assert [name.lineno for name in names.reads_of(first.node)] == [2, 5]
    assert [name.lineno for name in names.reads_of(second.node)] == [5]


@settings(max_examples=60)
@given(programs(), st.randoms(use_true_random=False))
def test_what_a_run_reads_is_among_the_bindings(text: str, chance: st.randoms) -> None:  # type: ignore[valid-type]
    """Random programs are run, each several times with other branches."""
    names = Names(ast.parse(text))
    known = {
        (name.lineno, name.col_offset): {
            part.value
            for one in names.bindings(name)
            for part in ast.walk(one.value or one.node)
            if isinstance(part, ast.Constant)
        }
        for name in names.of(ast.Name)
    }
    for _ in range(8):
        for place, seen in Run(text, chance).seen:
            assert seen in known[place], f"{place}: {seen}"
