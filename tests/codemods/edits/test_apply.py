"""Each kind of edit: the text before and after, with its comments and layout."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from pedl2det import fixes as fx
from pedl2det.analysis.source import Source
from pedl2det.edits.apply import Overlap, apply
from pedl2det.edits.locate import NotLocated


class Text:
    """A text whose nodes are found by their code."""

    def __init__(self, text: str) -> None:
        self.source = Source.of(Path("x.py"), textwrap.dedent(text))

    def expression(self, code: str, number: int = -1) -> ast.expr:
        """The last expression with some code."""
        nodes = self.source.names.nodes
        found = [one for one in nodes if isinstance(one, ast.expr) and ast.unparse(one) == code]
        return found[number]

    def statement(self, start: str) -> ast.stmt:
        """The first statement that begins with some code."""
        nodes = self.source.names.nodes
        return next(
            one for one in nodes if isinstance(one, ast.stmt) and ast.unparse(one).startswith(start)
        )

    def call(self, code: str) -> ast.Call:
        """The last call with some code."""
        node = self.expression(code)
        assert isinstance(node, ast.Call)
        return node

    def function(self, name: str) -> fx.Function:
        """The function with a name."""
        nodes = self.source.names.of(ast.FunctionDef, ast.AsyncFunctionDef)
        return next(one for one in nodes if one.name == name)

    def argument(self, name: str) -> ast.arg:
        """The last parameter with a name."""
        return [one for one in self.source.names.of(ast.arg) if one.arg == name][-1]

    def keyword(self, name: str) -> ast.keyword:
        """The last keyword argument with a name."""
        return [one for one in self.source.names.of(ast.keyword) if one.arg == name][-1]

    def owner(self, name: str) -> ast.ClassDef:
        """The class with a name."""
        return next(one for one in self.source.names.of(ast.ClassDef) if one.name == name)


Edits = Callable[[Text], Iterable[fx.Edit] | fx.Edit]


def edited(text: str, edits: Edits, context: str = "self.context") -> str:
    """A text after some edits."""
    here = Text(text)
    made = edits(here)
    found = list(made) if isinstance(made, Iterable) else [made]
    contexts = dict.fromkeys(here.source.names.nodes, context)
    return apply(here.source, found, contexts)


def check(before: str, edits: Edits, after: str) -> None:
    new = edited(before, edits)
    assert new == textwrap.dedent(after)
    ast.parse(new)


@pytest.mark.parametrize(
    ("before", "old", "code", "after"),
    [
        ("x = a.b(c)", "a.b", "d", "x = d(c)"),
        ("x = a.b(c)", "a.b(c)", "d", "x = d"),
        ("x = f'{a.b}'", "a.b", "c", "x = f'{c}'"),
        ("x = a  # why", "a", "b", "x = b  # why"),
        ("@a\ndef f(): pass", "a", "b.c", "@b.c\ndef f(): pass"),
        ("def f(x=a): pass", "a", "b", "def f(x=b): pass"),
        ("def f(x: a) -> b: pass", "b", "c", "def f(x: a) -> c: pass"),
        ("class C(a): pass", "a", "b", "class C(b): pass"),
        ("for x in a: pass", "a", "b", "for x in b: pass"),
        ("with a as x: pass", "a", "b()", "with b() as x: pass"),
        ("x = [a for b in c if d]", "d", "e", "x = [a for b in c if e]"),
        ("if a: b\nelif c: d", "c", "e", "if a: b\nelif e: d"),
        ("lambda: a", "a", "b", "lambda: b"),
        ("x = a", "a", "1, 2", "x = (1, 2)"),
        ("def f(): return a", "a", "1, 2", "def f(): return (1, 2)"),
        ("return_(a)", "a", "1, 2", "return_((1, 2))"),
        ("x = -a", "a", "b + c", "x = -(b + c)"),
        ("x = a.y", "a", "b or c", "x = (b or c).y"),
        ("x = a * 2", "a", "b + c", "x = (b + c) * 2"),
        ("x = a[0]", "a", "b if c else d", "x = (b if c else d)[0]"),
        ("x = a(1)", "a", "lambda y: y", "x = (lambda y: y)(1)"),
        ("f(a, b)", "a", "c if d else e", "f(c if d else e, b)"),
        ("x = not a", "a", "b and c", "x = not (b and c)"),
        ("x = a if b else c", "b", "d if e else f", "x = a if (d if e else f) else c"),
        ("x = [*a]", "a", "b or c", "x = [*(b or c)]"),
        ("f(**a)", "a", "b or c", "f(**(b or c))"),
        ("x = a ** 2", "a", "-b", "x = (-b) ** 2"),
        ("x = a < b", "a", "c == d", "x = (c == d) < b"),
        ("async def f(): return await a", "a", "b or c", "async def f(): return await (b or c)"),
        ("x = f(a for a in b)", "b", "c if d else e", "x = f(a for a in (c if d else e))"),
        ("x = a.y", "a", "1", "x = (1).y"),
        ("x = a", "a", "b if c else d", "x = b if c else d"),
        ("x = (a)", "a", "b", "x = b"),
        ("x = (a).y", "a", "b", "x = b.y"),
        ("def f(x: a = 1): pass", "a", "b", "def f(x: b = 1): pass"),
        ("f = lambda x=a: x", "a", "b", "f = lambda x=b: x"),
        ("x = a + 1", "a", "2", "x = 2 + 1"),
        ("x = {**a}", "a", "b or c", "x = {**(b or c)}"),
        ("x = f\"{a['k']}\"", "a['k']", 'b["k"]', 'x = f"""{b["k"]}"""'),
        ("x = f'{a}'", "a", "b.get('k')", "x = f'''{b.get('k')}'''"),
    ],
)
def test_an_expression_is_replaced(before: str, old: str, code: str, after: str) -> None:
    new = edited(before, lambda text: fx.Replace(text.expression(old), code))
    assert new == after
    ast.parse(new)


@pytest.mark.parametrize(
    ("value", "code", "after"),
    [
        ("a", "{x}.values", "a.values"),
        ("a if b else c", "{x}.values", "(a if b else c).values"),
        ("a + b", "{x}.values", "(a + b).values"),
        ("a + b", "f({x})", "f(a + b)"),
        ("a + b", "{x} * 2", "(a + b) * 2"),
        ("a.b(c)[d]", "{x} * 2", "a.b(c)[d] * 2"),
        ("lambda: a", "{x}()", "(lambda: a)()"),
        ("a, b", "f({x})", "f((a, b))"),
        ("(a, b)", "f({x})", "f((a, b))"),
        ("-a", "{x} ** 2", "(-a) ** 2"),
        ("a or b", "not {x}", "not (a or b)"),
        ("a or b", "{x} if c else d", "(a or b) if c else d"),
        ("a if b else c", "d if {x} else e", "d if (a if b else c) else e"),
        ("a or b", "[*{x}]", "[*(a or b)]"),
        ("a or b", "f(**{x})", "f(**(a or b))"),
        ("a or b", "f(k={x})", "f(k=a or b)"),
        ("a or b", "{x}[0]", "(a or b)[0]"),
        ("a or b", "c[{x}]", "c[a or b]"),
        ("a or b", "{{'k': {x}}}", "{'k': a or b}"),
        ("a if b else c", "[y for y in {x}]", "[y for y in (a if b else c)]"),
        ("'a' 'b'", "{x}.format(c)", "('a' 'b').format(c)"),
        ("(y := a)", "f({x})", "f((y := a))"),
        ("1", "{x}.real", "(1).real"),
        ("a < b", "{x} == c", "(a < b) == c"),
        ("not a", "{x} == c", "(not a) == c"),
        ("await_(a)", "await {x}", "await await_(a)"),
        ("a", "{x} + {x}", "a + a"),
    ],
)
def test_a_hole_keeps_what_it_means(value: str, code: str, after: str) -> None:
    code = code.replace("{{", "{").replace("}}", "}")

    def wrap(text: Text) -> fx.Edit:
        statement = text.source.tree.body[0]
        assert isinstance(statement, ast.Assign)
        return fx.Replace(statement.value, code, {"x": statement.value})

    new = edited(f"y = {value}", wrap)
    assert new == f"y = {after}"
    assert ast.dump(ast.parse(new)) == ast.dump(ast.parse(f"y = {after}"))


def test_inner_edits_show_in_the_holes_of_outer_ones() -> None:
    check(
        "x = f(a.b(1), c)\n",
        lambda text: [
            fx.Replace(text.expression("f(a.b(1), c)"), "g({y})", {"y": text.expression("a.b(1)")}),
            fx.Replace(text.expression("a.b"), "d"),
        ],
        "x = g(d(1))\n",
    )


def test_an_edit_in_a_place_that_is_replaced_has_no_effect() -> None:
    check(
        "x = f(a.b(1), c)\n",
        lambda text: [
            fx.Replace(text.expression("f(a.b(1), c)"), "g()"),
            fx.Replace(text.expression("a.b"), "d"),
            fx.Drop(text.expression("c")),
        ],
        "x = g()\n",
    )


def test_wrappers_go_around_what_another_edit_makes() -> None:
    for order in (1, -1):
        check(
            "x = f(a)\n",
            lambda text, order=order: [
                fx.Replace(text.expression("f(a)"), "wrap({it})", {"it": text.expression("f(a)")}),
                fx.Replace(text.expression("f(a)"), "g({a})", {"a": text.expression("a")}),
                fx.Replace(text.expression("a"), "b"),
            ][::order],
            "x = wrap(g(b))\n",
        )


def test_two_replacements_of_one_place_overlap() -> None:
    for kind, node in ((fx.Replace, "expression"), (fx.ReplaceStatement, "statement")):
        text = Text("f(a)\n")
        place = getattr(text, node)("f(a)")
        with pytest.raises(Overlap):
            apply(text.source, [kind(place, "b"), kind(place, "c")], {})
        assert apply(text.source, [kind(place, "b"), kind(place, "b")], {}) == "b\n"


def test_a_node_of_another_file_is_not_edited() -> None:
    other = Text("\n\nzzz(1)\n")
    with pytest.raises(NotLocated):
        apply(Text("a\n").source, [fx.Replace(other.expression("zzz(1)"), "b")], {})


def test_no_edit_changes_no_character() -> None:
    text = "x = [ 1,2 ,]  ;y=f( a )\n\n\n\tz"
    text = text.replace("\n\tz", "\nif y :\n\tz  # a")
    assert edited(text, lambda _: []) == text


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_new_lines_end_as_the_old_ones(end: str) -> None:
    text = "def f():\n    a\n    b\n".replace("\n", end)
    source = Source.of(Path("x.py"), text)
    (first, _) = source.tree.body[0].body  # type: ignore[attr-defined]
    new = apply(source, [fx.InsertBefore(first, "if c:\n    d"), fx.InsertAfter(first, "e")], {})
    assert new == "def f():\n    if c:\n        d\n    a\n    e\n    b\n".replace("\n", end)


def test_new_blocks_are_indented_as_the_file_is() -> None:
    check(
        "def f():\n\ta\n",
        lambda text: fx.InsertBefore(text.statement("a"), "if c:\n    d"),
        "def f():\n\tif c:\n\t\td\n\ta\n",
    )


@pytest.mark.parametrize(
    ("before", "code", "after"),
    [
        ("a\nold\nb\n", "new", "a\nnew\nb\n"),
        ("a\nold\nb\n", "", "a\nb\n"),
        ("a\nold\nb\n", "c\nd", "a\nc\nd\nb\n"),
        ("a; old; b\n", "new", "a\nnew\nb\n"),
        ("a; old; b\n", "", "a\nb\n"),
        ("a; old\n", "", "a\n"),
        ("old; a\n", "", "a\n"),
        ("if a: old\n", "new", "if a:\n    new\n"),
        ("if a: old\n", "", "if a:\n    pass\n"),
        ("if a: old; b\n", "", "if a:\n    b\n"),
        ("if a:\n    old\n", "", "if a:\n    pass\n"),
        ("if a:\n    old\nelse:\n    b\n", "", "if a:\n    pass\nelse:\n    b\n"),
        ("if a:\n    b\nelse:\n    old\n", "", "if a:\n    b\nelse:\n    pass\n"),
        ("try:\n    old\nexcept E: b\n", "", "try:\n    pass\nexcept E: b\n"),
        ("def f():\n    'doc'\n    old\n", "", "def f():\n    'doc'\n"),
        ("class C:\n    old\n\n    x = 1\n", "", "class C:\n    x = 1\n"),
        ("old\n", "", "\n"),
        ("old", "new", "new"),
        ("a\n\n\nold\n\n\nb\n", "", "a\n\n\nb\n"),
    ],
)
def test_a_statement_is_replaced_or_deleted(before: str, code: str, after: str) -> None:
    check(before, lambda text: fx.ReplaceStatement(text.statement("old"), code), after)


@pytest.mark.parametrize(
    ("before", "code", "after"),
    [
        ("# above\nold  # behind\nb\n", "new", "# above\nnew  # behind\nb\n"),
        ("# above\nold\nb\n", "", "# above\nb\n"),
        ("if a:\n    # above\n    old\n", "", "if a:\n    pass\n    # above\n"),
        ("f(  # first\n    old,  # second\n)\n", "new", "# first\n# second\nnew\n"),
        ("f(  # first\n    old,\n)  # last\n", "new()", "# first\nnew()  # last\n"),
        ("f(\n    old,  # noqa: E501\n)\n", "new", "new\n"),
        ("# above\n\n# more\nold\n", "c\nd", "# above\n\n# more\nc\nd\n"),
    ],
)
def test_comments_of_a_statement_stay(before: str, code: str, after: str) -> None:
    def replace(text: Text) -> fx.Edit:
        node = text.expression("old")
        return fx.ReplaceStatement(text.source.names.statement_of(node), code)

    check(before, replace, after)


def test_comments_inside_of_a_replaced_call_move_above() -> None:
    check(
        """\
        # above
        x = f(
            a,  # of a
            # of b
            b,
        )  # behind
        """,
        lambda text: fx.Replace(text.expression("f(a, b)"), "g({a})", {"a": text.expression("a")}),
        """\
        # above
        # of a
        # of b
        x = g(a)  # behind
        """,
    )


def test_comments_of_a_head_stay_above_and_those_of_a_body_in_it() -> None:
    check(
        "if f(  # head\n    a\n):  # colon\n    b  # body\n",
        lambda text: fx.Replace(text.expression("f(a)"), "c"),
        "# head\nif c:  # colon\n    b  # body\n",
    )


def test_statements_are_inserted_around_others() -> None:
    check(
        "def f():\n    # above\n    a  # behind\n    b\n",
        lambda text: [
            fx.InsertBefore(text.statement("a"), "x = {b}", {"b": text.expression("b")}),
            fx.InsertAfter(text.statement("a"), "y\nz"),
            fx.Replace(text.expression("b"), "c"),
        ],
        "def f():\n    # above\n    x = c\n    a\n    y\n    z  # behind\n    c\n",
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if a: old; b\n", "if a:\n    x\n    old\n    y\n    b\n"),
        ("a; old\n", "a\nx\nold\ny\n"),
        ("class C: old\n", "class C:\n    x\n    old\n    y\n"),
        ("for a in b: old  # why\n", "for a in b:  # why\n    x\n    old\n    y\n"),
    ],
)
def test_short_suites_become_blocks(before: str, after: str) -> None:
    check(
        before,
        lambda text: [
            fx.InsertBefore(text.statement("old"), "x"),
            fx.InsertAfter(text.statement("old"), "y"),
        ],
        after,
    )


def test_an_expression_is_moved_before_its_statement() -> None:
    check(
        "def f():\n    # why\n    return g(h(a))\n",
        lambda text: [
            fx.Extract(text.expression("h(a)"), text.statement("return"), "x", "x = w({value})"),
            fx.Replace(text.expression("a"), "b"),
        ],
        "def f():\n    # why\n    x = w(h(b))\n    return g(x)\n",
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f():\n    a\n", "def f():\n    new\n    a\n"),
        ('def f():\n    """Doc."""\n    a\n', 'def f():\n    """Doc."""\n    new\n    a\n'),
        ('def f():\n    """Doc."""\n', 'def f():\n    """Doc."""\n    new\n'),
        ("def f(): a\n", "def f():\n    new\n    a\n"),
        ("def f(): a; b\n", "def f():\n    new\n    a\n    b\n"),
        ("def f():\n    pass\n", "def f():\n    new\n"),
        ("def f():\n    # why\n    a\n", "def f():\n    new\n    # why\n    a\n"),
    ],
)
def test_statements_come_first_in_a_function(before: str, after: str) -> None:
    check(before, lambda text: fx.InsertFirst(text.function("f"), "new"), after)


@pytest.mark.parametrize(
    ("before", "dropped", "after"),
    [
        ("f(old)", 0, "f()"),
        ("f(old, b)", 0, "f(b)"),
        ("f(a, old)", 1, "f(a)"),
        ("f(a, old, c)", 1, "f(a, c)"),
        ("f(a, old,)", 1, "f(a,)"),
        ("f(a, old, *c, **d)", 1, "f(a, *c, **d)"),
        ("f(\n    a,\n    old,\n)", 1, "f(\n    a,\n)"),
        ("f(\n    old,\n)", 0, "f()"),
    ],
)
def test_an_argument_is_dropped(before: str, dropped: int, after: str) -> None:
    def drop(text: Text) -> fx.Edit:
        call = text.source.names.of(ast.Call)[0]
        return fx.Drop(call.args[dropped])

    check(before, drop, after)


def test_keyword_arguments_are_dropped_and_renamed() -> None:
    check(
        "x = f(a, b=1, **{'c': 2})\n",
        lambda text: fx.Drop(text.keyword("b")),
        "x = f(a, **{'c': 2})\n",
    )
    check(
        "f(a = 1, b=2)\n",
        lambda text: [
            fx.RenameKeyword(text.keyword("a"), "x"),
            fx.RenameKeyword(text.keyword("b"), "y"),
        ],
        "f(x = 1, y=2)\n",
    )
    check(
        "f(a.b, 2)\n",
        lambda text: [
            fx.RenameKeyword(text.expression("2"), "y"),
            fx.Replace(text.expression("a.b"), "c"),
        ],
        "f(c, y=2)\n",
    )


def test_all_arguments_are_dropped_at_once() -> None:
    def drop(text: Text) -> list[fx.Edit]:
        call = text.source.names.of(ast.Call)[0]
        return [fx.Drop(one) for one in (*call.args, *call.keywords)]

    check("f(a,\n  b, k=c)\n", drop, "f()\n")


@pytest.mark.parametrize(
    ("before", "code", "first", "after"),
    [
        ("f()", "new", False, "f(new)"),
        ("f()", "new", True, "f(new)"),
        ("f(a)", "new", True, "f(new, a)"),
        ("f(a)", "new", False, "f(a, new)"),
        ("f(a, k=b)", "n=1", False, "f(a, k=b, n=1)"),
        ("f(a, **b)", "n=1", False, "f(a, **b, n=1)"),
        ("f(*a)", "new", True, "f(new, *a)"),
        ("f(a,)", "new", True, "f(new, a,)"),
        ("f(a for a in b)", "new", True, "f(new, (a for a in b))"),
        ("f(a for a in b)", "n=1", False, "f((a for a in b), n=1)"),
        ("f(a)", "n={hole} + 1", False, "f(a, n=a + 1)"),
        ("f(a)", "{context}", True, "f(self.context, a)"),
    ],
)
def test_an_argument_is_added(before: str, code: str, first: bool, after: str) -> None:
    def add(text: Text) -> fx.Edit:
        call = text.source.names.of(ast.Call)[0]
        holes = {"hole": call.args[0]} if "{hole}" in code else {}
        return fx.AddArgument(call, code, first, holes)  # type: ignore[arg-type]

    check(before, add, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(old): pass\n", "def f(): pass\n"),
        ("def f(old, a): pass\n", "def f(a): pass\n"),
        ("def f(a, old): pass\n", "def f(a): pass\n"),
        ("def f(a, old=1): pass\n", "def f(a): pass\n"),
        ("def f(a, old: int = 1, b=2): pass\n", "def f(a, b=2): pass\n"),
        ("def f(a, *, old): pass\n", "def f(a): pass\n"),
        ("def f(a, *, old, b): pass\n", "def f(a, *, b): pass\n"),
        ("def f(*, b, old): pass\n", "def f(*, b): pass\n"),
        ("def f(old, *b): pass\n", "def f(*b): pass\n"),
        ("def f(a, *old): pass\n", "def f(a): pass\n"),
        ("def f(a, **old): pass\n", "def f(a): pass\n"),
        ("def f(a, *b, old): pass\n", "def f(a, *b): pass\n"),
        ("def f(b, old, /, a): pass\n", "def f(b, /, a): pass\n"),
        ("def f(a, /, old): pass\n", "def f(a, /, ): pass\n"),
        ("def f(a, *old, b): pass\n", "def f(a, *, b): pass\n"),
        ("f = lambda old: 1\n", "f = lambda : 1\n"),
        ("f = lambda old, a: 1\n", "f = lambda a: 1\n"),
        ("def f(\n    a,\n    old,\n): pass\n", "def f(\n    a,\n): pass\n"),
        ("class C:\n    def f(self, old): pass\n", "class C:\n    def f(self): pass\n"),
    ],
)
def test_a_parameter_is_dropped(before: str, after: str) -> None:
    def drop(text: Text) -> fx.Edit:
        return fx.Drop(text.argument("old"))

    new = edited(before, drop)
    assert ast.dump(ast.parse(new)) == ast.dump(ast.parse(after)), new
    assert new == after or new.count("\n") > 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(): pass\n", "def f(new): pass\n"),
        ("def f(a): pass\n", "def f(new, a): pass\n"),
        ("def f(a=1): pass\n", "def f(new, a=1): pass\n"),
        ("def f(*a): pass\n", "def f(new, *a): pass\n"),
        ("def f(*, a): pass\n", "def f(new, *, a): pass\n"),
        ("def f(**a): pass\n", "def f(new, **a): pass\n"),
        ("def f(a, /, b): pass\n", "def f(new, a, /, b): pass\n"),
        ("class C:\n    def f(self, a): pass\n", "class C:\n    def f(self, new, a): pass\n"),
        ("class C:\n    def f(self): pass\n", "class C:\n    def f(self, new): pass\n"),
        (
            "class C:\n    @staticmethod\n    def f(a): pass\n",
            "class C:\n    @staticmethod\n    def f(new, a): pass\n",
        ),
        (
            "class C:\n    @classmethod\n    def f(cls): pass\n",
            "class C:\n    @classmethod\n    def f(cls, new): pass\n",
        ),
        ("class C:\n    def f(self, /, a): pass\n", "class C:\n    def f(self, new, /, a): pass\n"),
        ("def g():\n    def f(): pass\n", "def g():\n    def f(new): pass\n"),
        ("async def f(a): pass\n", "async def f(new, a): pass\n"),
        ("def f( ): pass\n", "def f(new): pass\n"),
    ],
)
def test_a_parameter_is_added(before: str, after: str) -> None:
    check(before, lambda text: fx.AddParameter(text.function("f"), "new"), after)


def test_parameters_are_swapped_for_the_context() -> None:
    check(
        "def f(config, hparams):\n    return g(hparams)\n",
        lambda text: [
            fx.AddParameter(text.function("f"), "context: TFKerasTrialContext"),
            fx.Drop(text.argument("config")),
            fx.Drop(text.argument("hparams")),
            fx.Replace(text.expression("hparams"), "{context}.get_hparams()"),
        ],
        "def f(context: TFKerasTrialContext):\n    return g(self.context.get_hparams())\n",
    )


def test_heads_of_functions_change() -> None:
    check(
        "@a\n# why\n@b.c(1)\n@d\ndef f(): pass\n",
        lambda text: fx.Drop(text.expression("b.c(1)")),
        "# why\n@a\n@d\ndef f(): pass\n",
    )
    check(
        "@a\nclass C: pass\n",
        lambda text: fx.Drop(text.expression("a")),
        "class C: pass\n",
    )


METHOD = "def m(self):\n    pass"


@pytest.mark.parametrize(
    ("before", "first", "after"),
    [
        ("class C:\n    pass\n", False, "class C:\n    def m(self):\n        pass\n"),
        ("class C: pass\n", True, "class C:\n    def m(self):\n        pass\n"),
        ("class C: x = 1\n", True, "class C:\n    x = 1\n\n    def m(self):\n        pass\n"),
        (
            "class C:\n    def a(self): 1\n",
            False,
            "class C:\n    def a(self): 1\n\n    def m(self):\n        pass\n",
        ),
        (
            "class C:\n    def a(self): 1\n",
            True,
            "class C:\n    def m(self):\n        pass\n\n    def a(self): 1\n",
        ),
        (
            'class C:\n    """Doc."""\n\n    def a(self): 1\n',
            True,
            'class C:\n    """Doc."""\n\n    def m(self):\n        pass\n\n    def a(self): 1\n',
        ),
        (
            "class C:\n    # why\n    x = 1\n\n    # how\n    def a(self): 1\n",
            True,
            "class C:\n    # why\n    x = 1\n\n    def m(self):\n        pass\n\n"
            "    # how\n    def a(self): 1\n",
        ),
    ],
)
def test_members_are_added_to_a_class(before: str, first: bool, after: str) -> None:
    check(before, lambda text: fx.AddMember(text.owner("C"), METHOD, first), after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# above\nold\n", "# above\n# TODO: x\nold\n"),
        ("def f():\n    old\n", "def f():\n    # TODO: x\n    old\n"),
        ("if a: old\n", "if a:\n    # TODO: x\n    old\n"),
        ("a; old\n", "a\n# TODO: x\nold\n"),
    ],
)
def test_a_mark_is_written_above_a_statement(before: str, after: str) -> None:
    check(before, lambda text: fx.Mark(text.statement("old"), "TODO: x"), after)


def test_a_mark_stands_above_the_decorators_of_a_function() -> None:
    check(
        "@a\ndef f(): pass\n",
        lambda text: fx.Mark(text.function("f"), "TODO: x\nmore"),
        "# TODO: x\n# more\n@a\ndef f(): pass\n",
    )


def test_edits_of_one_function_meet() -> None:
    check(
        """\
        class C:
            @d
            def f(self, a):  # head
                "Doc."
                # first
                b = g(a); c.d
                return b
        """,
        lambda text: [
            fx.RenameFunction(text.function("f"), "h"),
            fx.Drop(text.expression("d")),
            fx.Drop(text.argument("a")),
            fx.InsertFirst(text.function("f"), "n = {context}.x"),
            fx.Replace(text.expression("a"), "n"),
            fx.ReplaceStatement(text.statement("c.d")),
            fx.Mark(text.statement("return"), "TODO: x"),
        ],
        """\
        class C:
            def h(self):  # head
                "Doc."
                n = self.context.x
                # first
                b = g(n)
                # TODO: x
                return b
        """,
    )


def test_a_compound_statement_is_replaced_with_its_inner_edits_in_holes() -> None:
    check(
        "# why\nif a:\n    b(c)\nelse:\n    d\ne\n",
        lambda text: [
            fx.ReplaceStatement(
                text.source.tree.body[0], "x = {hole}", {"hole": text.expression("b(c)")}
            ),
            fx.Replace(text.expression("c"), "y"),
        ],
        "# why\nx = b(y)\ne\n",
    )


def test_a_deleted_block_goes_with_what_is_in_it() -> None:
    check(
        "if a:\n    # inside\n    b\n# next\nc\n",
        lambda text: fx.ReplaceStatement(text.source.tree.body[0]),
        "# next\nc\n",
    )
