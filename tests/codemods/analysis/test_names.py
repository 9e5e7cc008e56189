"""What a name means: imports, scopes, and honest doubt."""

from __future__ import annotations

import ast
import textwrap

import pytest

from pedl2det.analysis.names import Names


def meanings(code: str) -> list[object]:
    """The meanings of every ``...HERE`` expression of a code, in order."""
    tree = ast.parse(textwrap.dedent(code))
    names = Names(tree)
    found = [
        node for node in names.nodes if isinstance(node, ast.Attribute) and node.attr == "HERE"
    ]
    found.sort(key=lambda node: node.lineno)
    return [names.qualified(node) for node in found]


@pytest.mark.parametrize(
    ("imports", "expression", "meaning"),
    [
        ("import pedl", "pedl.a.HERE", "pedl.a.HERE"),
        ("import pedl as p", "p.HERE", "pedl.HERE"),
        ("import pedl.frameworks.keras", "pedl.x.HERE", "pedl.x.HERE"),
        ("import pedl.frameworks.keras as pk", "pk.HERE", "pedl.frameworks.keras.HERE"),
        ("from pedl.frameworks import keras", "keras.HERE", "pedl.frameworks.keras.HERE"),
        ("from pedl import a as b", "b.HERE", "pedl.a.HERE"),
        ("from . import data", "data.HERE", ".data.HERE"),
        ("x = 1", "x.HERE", None),
        ("", "unknown.HERE", None),
        ("import pedl", "f().HERE", None),
    ],
)
def test_an_imported_name(imports: str, expression: str, meaning: str | None) -> None:
    assert meanings(f"{imports}\n{expression}\n") == [meaning]


def test_a_local_name_hides_an_import_within_its_function() -> None:
    code = """
    import pedl
    def hides(pedl):
        pedl.HERE
    def assigns():
        pedl = 1
        pedl.HERE
    def reads():
        def inner():
            pedl.HERE
        lambda pedl: pedl.HERE
    pedl.HERE
    """
    assert meanings(code) == [None, None, "pedl.HERE", None, "pedl.HERE"]


def test_a_class_reads_what_is_around_it_until_it_binds_the_name() -> None:
    code = """
    import pedl
    class Trial:
        before = pedl.HERE
        def pedl(self, default=pedl.HERE): ...
        after = pedl.HERE
    """
    assert meanings(code) == ["pedl.HERE", "pedl.HERE", None]


def test_methods_do_not_see_the_names_of_their_class() -> None:
    code = """
    import pedl
    class Trial:
        pedl = 1
        pedl.HERE
        def method(self):
            pedl.HERE
    """
    assert meanings(code) == [None, "pedl.HERE"]


def test_a_name_that_may_mean_two_things_has_no_one_meaning() -> None:
    code = """
    import pedl
    if PLAIN:
        pedl = None
    pedl.HERE
    """
    assert meanings(code) == [None]


def test_a_guarded_import_of_the_old_package_means_the_package() -> None:
    code = """
    try:
        import pedl
    except ImportError:
        pedl = None
    pedl.HERE
    """
    assert meanings(code) == ["pedl.HERE"]


@pytest.mark.parametrize(
    ("tried", "meaning"),
    [
        ("from keras.optimizers import Adagrad", "keras.optimizers.Adagrad"),
        ("import keras\n    from keras.optimizers import Adagrad", "keras.optimizers.Adagrad"),
        ("import theano\n    from keras.optimizers import Adagrad", None),
        ("from keras.optimizers import Adagrad, Newton", None),
    ],
)
def test_of_what_is_tried_the_first_is_meant_if_all_is_served(
    tried: str, meaning: str | None
) -> None:
    code = f"""
try:
    {tried}
except ImportError:
    from tensorflow.keras.optimizers import Adagrad
Adagrad.HERE
"""
    assert meanings(code) == [f"{meaning}.HERE" if meaning else None]


def test_a_guarded_import_that_is_set_again_elsewhere_has_no_one_meaning() -> None:
    code = """
    try:
        import pedl
    except ImportError:
        pedl = None
    pedl = other()
    pedl.HERE
    """
    assert meanings(code) == [None]


def test_a_comprehension_binds_its_names_for_itself() -> None:
    code = """
    import pedl
    def reads(xs):
        [pedl.HERE for pedl in xs]
        pedl.HERE
    """
    assert meanings(code) == [None, "pedl.HERE"]


def test_defaults_and_decorators_are_read_outside_of_their_function() -> None:
    code = """
    import pedl
    @pedl.HERE
    def f(pedl=pedl.HERE):
        pedl.HERE
    """
    assert meanings(code) == ["pedl.HERE", "pedl.HERE", None]


def test_a_module_may_go_by_a_name_of_its_own() -> None:
    assert meanings("import tensorflow as tf\nk = tf.keras\nk.HERE\n") == ["tensorflow.keras.HERE"]
    assert meanings("import tensorflow as tf\nk = tf.keras\nk = 1\nk.HERE\n") == [None]


def test_the_same_import_twice_is_one_meaning() -> None:
    assert meanings("import pedl\nimport pedl\npedl.HERE\n") == ["pedl.HERE"]


def test_a_pattern_hides_an_import_within_its_function() -> None:
    code = """
    import pedl, pedl.a as a, pedl.b as b
    def f(x):
        match x:
            case {"k": pedl, **a}: pedl.HERE; a.HERE
            case [*b]: b.HERE
    pedl.HERE
    """
    assert meanings(code) == [None, None, None, "pedl.HERE"]


def test_a_walrus_binds_around_its_comprehension() -> None:
    code = """
    import pedl
    def f():
        [pedl := i for i in range(3)]
        pedl.HERE
    pedl.HERE
    """
    assert meanings(code) == [None, "pedl.HERE"]


def test_global_means_the_name_of_the_module() -> None:
    code = """
    import pedl, pedl.a as a
    def reads():
        global pedl
        pedl.HERE
    def binds():
        global a
        a = 1
    a.HERE
    """
    assert meanings(code) == ["pedl.HERE", None]


def test_a_long_sum_is_no_recursion() -> None:
    names = Names(ast.parse("import pedl\n" + "+".join(["1"] * 1500) + "+ pedl.x"))

    assert any(names.qualified(node) == "pedl.x" for node in names.nodes)


@pytest.mark.parametrize(
    "body",
    [
        "import context",
        "import context.inner",
        "from x import y as context",
        "def context(): pass",
        "class context: pass",
        "async def f(context): pass",
        "try: pass\n    except E as context: pass",
        "context",
    ],
)
def test_a_name_is_used_where_something_binds_or_reads_it(body: str) -> None:
    tree = ast.parse(f"def function():\n    {body}\n")
    assert Names(tree).uses_name(tree.body[0], "context")


def test_a_name_is_not_used_where_it_is_a_part_of_something() -> None:
    tree = ast.parse("def context():\n    import a.context\n    f(context=a.context)\n")
    assert not Names(tree).uses_name(tree.body[0], "context")


def test_a_name_that_a_class_binds_is_bound_by_the_class() -> None:
    tree = ast.parse("class A:\n    context = 2\n    again: int = context\n")
    names = Names(tree)
    stores = [node for node in names.of(ast.Name) if isinstance(node.ctx, ast.Store)]

    assert [names.binder(node) for node in stores] == [tree.body[0]] * 2
