"""Value flow: where a value may come from, and where it may go."""

from __future__ import annotations

import ast
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import random_flows
from pedl2det.analysis.flow.values import Origin
from small_projects import asked, flow_of, origins, uses


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ask(make())", {"make()"}),
        ("x = make()\nask(x)", {"make()"}),
        ("x = y = make()\nask(y)", {"make()"}),
        ("x = make()\nx = other()\nask(x)", {"other()"}),
        ("x = make()\nif c: x = other()\nask(x)", {"make()", "other()"}),
        ("ask(make() if c else other())", {"make()", "other()"}),
        ("ask(make() or other())", {"make()", "other()"}),
        ("ask((x := make()))\nask(x)", {"make()"}),
        ("async def f(): ask(await make())", {"make()"}),
        ("x = make()\nx += 1\nask(x)", {"x"}),
        ("ask(unknown)", {"unknown"}),
        ("import numpy\nask(numpy)", {"import numpy"}),
        ("def f(): pass\nask(f)", {"def f"}),
        ("class C: pass\nask(C)", {"class C"}),
        ("ask(x.y)", {"x.y"}),
        ("with make() as x: ask(x)", {"make()"}),
        ("try: f()\nexcept E as x: ask(x)", {"x"}),
    ],
)
def test_a_value_comes_from_what_its_name_is_bound_to(text: str, expected: set[str]) -> None:
    assert origins(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x, y = make(), other()\nask(y)", {"other()"}),
        ("x, (y, z) = a(), (b(), c())\nask(z)", {"c()"}),
        ("x, y = make()\nask(y)", {"make()[1]"}),
        ("x, *y = make()\nask(y)", {"make()[None]"}),
        ("pair = a(), b()\nask(pair[1])", {"b()"}),
        ("pair = a(), b()\nask(pair[-1])", {"a()", "b()"}),
        ("pair = a(), b()\nask(pair[i])", {"a()", "b()"}),
        ("pair = *a(), b()\nask(pair[0])", {"a()[0]", "b()"}),
        ("x, y = [a(), b()]\nask(x)", {"a()"}),
        ("for x in (a(), b()): ask(x)", {"a()", "b()"}),
        ("for x in make(): ask(x)", {"make()[None]"}),
        ("ask([make(i) for i in y][0])", {"make(i)"}),
        ("d = {'a': a(), 'b': b()}\nask(d['a'])", {"a()"}),
        ("d = {'a': a(), 'b': b()}\nask(d[k])", {"a()", "b()"}),
        ("d = dict(a=a(), b=b())\nask(d['a'])", {"dict(a=a(), b=b())['a']"}),
        ("d = {k: make() for k in y}\nask(d['a'])", {"make()"}),
        ("d = {'a': {'b': make()}}\nask(d['a']['b'])", {"make()"}),
        ("d = {'a': (a(), b())}\nx, y = d['a']\nask(y)", {"b()"}),
        ("x = make()\nask(x['a'])", {"make()['a']"}),
        ("ask(make()['a'])", {"make()['a']"}),
    ],
)
def test_members_of_tuples_and_dicts_are_told_apart(text: str, expected: set[str]) -> None:
    assert origins(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pair = a(), b()\nask(pair[:1])", {"pair[:1]"}),
        ("pair = a(), b()\nask(pair[1:][0])", {"a()", "b()"}),
        ("base = {'a': a()}\nd = {**base, 'b': b()}\nask(d['a'])", {"a()"}),
        ("d = {**make(), 'b': b()}\nask(d['b'])", {"make()['b']", "b()"}),
        ("d = dict(base, a=a())\nask(d['a'])", {"dict(base, a=a())['a']"}),
        ("d = dict(**base, a=a())\nask(d['b'])", {"dict(**base, a=a())['b']"}),
        ("d = {'a': a()}\nask(d['b'])", {"{'a': a()}['b']"}),
    ],
)
def test_parts_and_spreads_are_not_mistaken_for_members(text: str, expected: set[str]) -> None:
    assert origins(text) == expected


@pytest.mark.parametrize(
    "change",
    [
        "d['a'] = b()",
        "d.update(a=b())",
        "d.setdefault('a', b())",
        "e = d\ne['a'] = b()",
        "fill(d)",
        "def f(e): e['a'] = b()\nf(d)",
    ],
)
def test_members_of_what_is_changed_are_not_known(change: str) -> None:
    assert origins(f"d = {{'a': a()}}\n{change}\nask(d['a'])") == {"{'a': a()}['a']"}


@pytest.mark.parametrize("change", ["x.append(b())", "x[0] = b()", "x += [b()]"])
def test_members_of_a_list_that_is_changed_are_not_known(change: str) -> None:
    assert "a()" not in origins(f"x = [a()]\n{change}\nask(x[0])")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(): return make()\nask(f())", {"make()"}),
        ("def f():\n  if c: return a()\n  return b()\nask(f())", {"a()", "b()"}),
        ("def f(): return a(), b()\nx, y = f()\nask(y)", {"b()"}),
        ("def f(): pass\nask(f())", {"f()"}),
        ("f = lambda: make()\nask(f())", {"make()"}),
        ("fs = {'a': lambda: make()}\nask(fs['a']())", {"make()"}),
        ("def f(): return make()\nfs = {'a': f}\nask(fs[k]())", {"make()"}),
        ("def f(): return make()\ng = f\nask(g())", {"make()"}),
        ("def f():\n  def g(): return a()\n  return b()\nask(f())", {"b()"}),
        ("def f(): return a()\ndef g(): return b()\nask((f if c else g)())", {"a()", "b()"}),
        ("def f(): return a()\nask((f if c else unknown)())", {"(f if c else unknown)()"}),
        ("class C:\n  def __init__(self): pass\nask(C())", {"C()"}),
        ("def f():\n  yield a()\n  return b()\nask(f())", {"f()"}),
        ("async def f(): return make()\nasync def g(): ask(await f())", {"make()"}),
        ("@changed\ndef f(): return make()\nask(f())", {"f()"}),
    ],
)
def test_a_call_gives_what_its_function_returns(text: str, expected: set[str]) -> None:
    assert origins(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(x): ask(x)\nf(make())", {"make()"}),
        ("def f(x): ask(x)\nf(a())\nf(x=b())", {"a()", "b()"}),
        ("def f(x): ask(x)", {"parameter x"}),
        ("def f(x=a()): ask(x)\nf()", {"a()"}),
        ("def f(x=a()): ask(x)\nf(b())", {"b()"}),
        ("def f(*, x=a()): ask(x)\nf()", {"a()"}),
        ("def f(y, /, x): ask(x)\nf(a(), b())", {"b()"}),
        ("def f(x): ask(x)\nf(*args)", {"parameter x"}),
        ("def f(x=a()): ask(x)\nf(*args)", {"parameter x"}),
        ("def f(x=a()): ask(x)\nf(**kwargs)", {"parameter x"}),
        ("def f(y, x): ask(x)\nf(a(), *args)", {"parameter x"}),
        ("def f(*x): ask(x)\nf(a())", {"parameter x"}),
        ("def f(**x): ask(x)\nf(y=a())", {"parameter x"}),
        ("f = lambda x: ask(x)\nf(make())", {"make()"}),
        ("def f(x):\n  def g(): ask(x)\n  g()\nf(make())", {"make()"}),
        ("def f(x): return x\nask(f(make()))", {"make()"}),
        ("def f(x): return x\nask(f(f(make())))", {"make()"}),
        ("def f(x): return x\nf(a())\nask(f(b()))", {"a()", "b()"}),  # whoever calls
    ],
)
def test_a_parameter_has_what_any_call_gives(text: str, expected: set[str]) -> None:
    assert origins(text) == expected


@pytest.mark.parametrize(
    "hidden",
    [
        "register(f)",
        "table = {'f': f}\nregister(table)",
        "table.f = f",
        "def g(): return f\n",
        "other = [f, 1]\nfor one in other: one(b())\nregister(other)",
        "map(f, y)",
        "yield_ = f.attribute",
    ],
)
@pytest.mark.parametrize("function", ["def f(x): ask(x)", "f = lambda x: ask(x)"])
def test_parameters_of_functions_that_escape_are_not_known(function: str, hidden: str) -> None:
    assert "parameter x" in origins(f"{function}\nf(a())\n{hidden}")


def test_the_parameters_of_an_entry_are_given_from_outside() -> None:
    text = "def make_data_loaders(config, hparams): ask(hparams)\nmake_data_loaders(1, 2)"
    assert origins(text, ("main.make_data_loaders",)) == {"parameter hparams"}


def test_decorated_functions_may_be_called_otherwise() -> None:
    assert origins("@d\ndef f(x): ask(x)\nf(a())") == {"parameter x"}


def test_a_class_that_is_handed_on_may_be_called_by_others() -> None:
    text = "class C:\n  def __init__(self, x): ask(x)\nC(a())\n"
    assert origins(text) == {"a()"}
    assert origins(f"{text}register(C)") == {"parameter x"}
    assert origins(f"{text}classes = {{'c': C}}\nregister(classes)") == {"parameter x"}
    others = "isinstance(y, C)\nclass D(C): pass\ndef f(y: C) -> C: pass\nC.name"
    assert origins(f"{text}{others}") == {"a()"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class C:\n  def f(self, x): ask(x)\n  def g(self): self.f(make())", {"make()"}),
        ("class C:\n  def f(self, x): ask(x)\n  def g(self): C.f(self, make())", {"make()"}),
        ("class C:\n  @staticmethod\n  def f(x): return x\nask(C.f(make()))", {"make()"}),
        ("class C:\n  @classmethod\n  def f(cls, x): return make()\nask(C.f(1))", {"make()"}),
        ("class C:\n  def __init__(self, x): ask(x)\nC(make())", {"make()"}),
        (
            "class A:\n  def __init__(self, x): ask(x)\n"
            "class B(A):\n  def __init__(self): super().__init__(make())",
            {"make()"},
        ),
        ("class A:\n  def __init__(self, x): ask(x)\nclass B(A): pass\nB(make())", {"make()"}),
        (
            "class A:\n  def f(self): return a()\nclass B(A):\n  def f(self): return b()\n"
            "  def g(self): ask(self.f())",
            {"a()", "b()"},
        ),
        ("class C:\n  def f(self): return make()\nask(C().f())", {"make()"}),
        ("class C:\n  def f(self): return make()\nc = C()\nask(c.f())", {"make()"}),
    ],
)
def test_methods_are_called_on_self_their_class_and_super(text: str, expected: set[str]) -> None:
    assert origins(text) == expected


def test_a_method_that_is_called_on_what_is_not_known_escapes() -> None:
    text = "class C:\n  def f(self, x): ask(x)\n  def g(self): self.f(a())\n"
    assert origins(f"{text}C().f(b())") == {"a()", "b()"}
    assert origins(f"{text}unknown().f(b())") == {"parameter x"}
    assert origins(f"import numpy\n{text}numpy.f(b())") == {"a()"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class C:\n  def a(self): self.x = make()\n  def b(self): ask(self.x)", {"make()"}),
        ("class C:\n  def a(this): this.x = make()\n  def b(self): ask(self.x)", {"make()"}),
        ("class C:\n  x = make()\n  def b(self): ask(self.x)", {"make()"}),
        (
            "class C:\n  def a(self): self.x, self.y = a(), b()\n  def b(self): ask(self.y)",
            {"b()"},
        ),
        (
            "class C:\n  def a(self): *self.x, self.y = make()\n  def b(self): ask(self.y)",
            {"make()[None]"},
        ),
        (
            "class A:\n  def a(self): self.x = make()\nclass B(A):\n  def b(self): ask(self.x)",
            {"make()"},
        ),
        (
            "class A:\n  def a(self): ask(self.x)\nclass B(A):\n  def b(self): self.x = make()",
            {"make()"},
        ),
        (
            "class M:\n  def b(self): ask(self.x)\nclass A:\n  def a(self): self.x = make()\n"
            "class B(M, A): pass",
            {"make()"},
        ),
        (
            "class A:\n  def a(self): self.x = make()\nclass B:\n  def b(self): ask(self.x)",
            {"self.x"},
        ),
        (
            "class C:\n  def a(self): self.x = a()\n  def b(self): self.x += 1\n"
            "  def c(self): ask(self.x)",
            {"self.x"},
        ),
        (
            "class C:\n  x = a()\n  @property\n  def y(self): return b()\n"
            "  def c(self): ask(self.y)",
            {"self.y"},
        ),
        ("class C:\n  @staticmethod\n  def a(self): ask(self.x)\n  x = a()", {"self.x"}),
        (
            "class C:\n  def a(self, x): self.x = x\n  def b(self):\n    self.a(make())\n"
            "    def inner(): ask(self.x)",
            {"make()"},
        ),
    ],
)
def test_attributes_of_self_are_shared_by_the_family(text: str, expected: set[str]) -> None:
    assert origins(text) == expected


@pytest.mark.parametrize(
    ("main", "data"),
    [
        ("from data import x\nask(x)", "x = make()"),
        ("import data\nask(data.x)", "x = make()"),
        ("import data as d\nask(d.x)", "x = make()"),
        ("from data import *\nask(x)", "x = make()"),
        ("from data import f\nask(f())", "def f(): return make()"),
        ("from data import f as g\nask(g())", "def f(): return make()"),
        ("import data\nask(data.f())", "def f(): return make()"),
        ("from data import *\nask(f())", "def f(): return make()"),
        ("import data\ndata.f(make())", "def f(x): ask(x)"),
        ("from data import *\nf(make())", "def f(x): ask(x)"),
        ("from data import C\nclass D(C):\n  def f(self): ask(self.x)", "class C:\n  x = make()"),
        ("def f():\n  from data import x\n  ask(x)", "x = make()"),
        ("from more import x\ndef f():\n  from data import x\n  ask(x)", "x = make()"),
        ("from data import f\nask(f()[1])", "def f(): return 1, make()"),
        ("from data import y\nask(y)", "x, y = a(), make()"),
    ],
)
def test_values_go_from_module_to_module(main: str, data: str) -> None:
    assert origins({"main": main, "data": data, "more": "x = other()"}) == {"make()"}


def test_a_name_of_several_modules_may_come_from_each() -> None:
    main = "try:\n  from data import x\nexcept ImportError:\n  from more import x\nask(x)"
    files = {"main": main, "data": "x = a()", "more": "x = b()"}
    assert origins(files) == {"a()", "b()"}


def test_a_name_that_passes_through_modules_comes_from_its_own() -> None:
    files = {"main": "from a import x\nask(x)", "a": "from b import *", "b": "x = make()"}
    assert origins(files) == {"make()"}


def test_what_a_module_changes_is_not_known_elsewhere() -> None:
    main = "from data import x\nask(x)"
    assert origins({"main": main, "data": "x = 1\nx += a()"}) == {"import x"}
    changing = "x = a()\ndef f():\n  global x\n  x = b()"
    assert origins({"main": main, "data": changing}) == {"a()", "b()"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = a()\ndef f():\n  global x\n  x = b()\ndef g(): ask(x)", {"a()", "b()"}),
        ("x = a()\ndef f():\n  global x\n  x = b()\nf()\nask(x)", {"a()", "b()"}),
        ("x = a()\ndef f():\n  global x\n  if c: x = b()\n  ask(x)", {"a()", "b()"}),
        ("x = a()\ndef f():\n  global x\n  ask(x)", {"a()"}),
        (
            "def f():\n  x = a()\n  def g():\n    nonlocal x\n    x = b()\n  g()\n  ask(x)",
            {"a()", "b()"},
        ),
        (
            "def f():\n  x = a()\n  def g():\n    nonlocal x\n    ask(x)\n    x = b()",
            {"a()", "b()"},
        ),
        ("def f():\n  x = a()\n  def g(): ask(x)\n  x = b()", {"a()", "b()"}),
        ("x = a()\nclass C:\n  x = b()\n  def f(self): ask(x)", {"a()"}),
        ("x = a()\nclass C:\n  x = b()\n  ask(x)", {"b()"}),
        ("x = a()\n[ask(x) for x in [b()]]", {"b()"}),
        ("x = a()\nf = lambda: ask(x)\nx = b()", {"a()", "b()"}),
    ],
)
def test_names_are_those_of_their_scope(text: str, expected: set[str]) -> None:
    assert origins(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("register(value())", {"argument register(value())"}),
        ("register(k=value())", {"argument register(k=value())"}),
        ("x = value()\ny = x\ny.fit(1)", {"method y.fit(1)"}),
        ("x = value()\nx.name", {"attribute x.name"}),
        ("x = value()\nx['a']", {"item x['a']"}),
        ("x = value()\nx['a'] = 1", {"stored x['a']"}),
        ("x = value()\ndel x['a']", {"stored x['a']"}),
        ("x = value()\nx.a = 1", {"stored x.a"}),
        ("for i in value(): pass", {"other for i in value():"}),
        ("[i for i in value()]", {"other  for i in value()"}),
        ("if value(): pass", {"tested if value():"}),
        ("x = value()\nx == 1", {"tested x == 1"}),
        ("x = value()\nf'{x}'", {"tested {x}"}),
        ("x = [value()]\nregister(x)", {"argument register(x) as [0]"}),
        ("x = {value()}", {"member {value()}"}),
        ("x = {value(): 1}", {"member {value(): 1}"}),
        ("x.y = value()", {"member x.y = value()"}),
        ("x['y'] = value()", {"member x['y'] = value()"}),
        ("x['y'], z = value()", {"member x['y'], z = value()"}),
        ("x = value()\nx += 1", {"other x += 1"}),
        ("x = value()\nx += 1\nregister(x)", {"other x += 1", "argument register(x)"}),
        ("value() + 1", {"other value() + 1"}),
        ("with value() as x: pass", {"other value() as x"}),
        ("raise value()", {"other raise value()"}),
        ("def f(): yield value()", {"other (yield value())"}),
        ("value()", set()),
        ("x = value()", set()),
        ("x = value()\nx = 1\nregister(x)", set()),
        ("x = value()\nif c: x = 1\nregister(x)", {"argument register(x)"}),
        ("register(value() if c else 1)", {"argument register(value() if c else 1)"}),
        ("register((x := value()))\nx.y", {"argument register((x := value()))", "attribute x.y"}),
        ("def f(x=value()): pass", {"other x=value()"}),
    ],
)
def test_a_value_ends_in_its_uses(text: str, expected: set[str]) -> None:
    assert uses(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x, y = value(), 1\nregister(x)\nhide(y)", {"argument register(x)"}),
        ("x, y = value()\nregister(y)", {"argument register(y)"}),
        ("pair = 1, value()\nregister(pair[1])\nhide(pair[0])", {"argument register(pair[1])"}),
        ("pair = 1, value()\nregister(pair)", {"argument register(pair) as [1]"}),
        ("pair = 1, value()\nregister(pair[i])", {"argument register(pair[i])"}),
        ("d = {'a': value()}\nregister(d['a'])\nhide(d['b'])", {"argument register(d['a'])"}),
        ("d = {**value()}\nregister(d['a'])", {"member {**value()}"}),
        ("for x in [value()]: register(x)", {"argument register(x)"}),
        ("x = *value(), 1\nregister(x[1])", {"other *value()"}),
        ("x = *(1, value()), 2\nregister(x[1])", {"other *(1, value()) as [1]"}),
        ("register(*value())", {"other *value()"}),
        ("register(**value())", {"argument register(**value())"}),
    ],
)
def test_a_member_goes_where_its_container_goes(text: str, expected: set[str]) -> None:
    assert uses(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(x): register(x)\nf(value())", {"argument register(x)"}),
        ("def f(x): register(x)\nf(x=value())", {"argument register(x)"}),
        ("def f(*x): pass\nf(value())", {"argument f(value())"}),
        ("def f(**x): pass\nf(a=value())", {"argument f(a=value())"}),
        ("def f(): return value()\nregister(f())", {"argument register(f())"}),
        ("def f(): return value()", {"returned return value()"}),
        ("def f(): return 1, value()", {"returned return (1, value()) as [1]"}),
        ("def f(): return value()\nregister(f)", {"returned return value()"}),
        (
            "def f(): return value()\nregister(f)\ng(f())",
            {"returned return value()", "argument g(f())"},
        ),
        ("f = lambda: value()\nregister(f())", {"argument register(f())"}),
        ("f = lambda x: register(x)\nf(value())", {"argument register(x)"}),
        ("fs = {'a': lambda x: register(x)}\nfs['a'](value())", {"argument register(x)"}),
        ("class C:\n  def __init__(self, x): register(x)\nC(value())", {"argument register(x)"}),
        (
            "class C:\n  def a(self): self.x = value()\n  def b(self): register(self.x)",
            {"argument register(self.x)"},
        ),
        (
            "class A:\n  def a(self): self.x = value()\n"
            "class B(A):\n  def b(self): register(self.x)",
            {"argument register(self.x)"},
        ),
        ("class C:\n  x = value()\n  def b(self): register(self.x)", {"argument register(self.x)"}),
        ("class C:\n  x = value()\n  y = x.z", {"attribute x.z"}),
        ("x = value()\ndef f(): register(x)", {"argument register(x)"}),
        ("def f(x):\n  def g(): register(x)\nf(value())", {"argument register(x)"}),
        (
            "x = 0\ndef f():\n  global x\n  x = value()\ndef g(): register(x)",
            {"argument register(x)"},
        ),
        (
            "x = 0\ndef f():\n  global x\n  x = value()\nregister(x)",
            {"argument register(x)"},
        ),
        (
            "def f():\n  x = 0\n  def g():\n    nonlocal x\n    x = value()\n  register(x)",
            {"argument register(x)"},
        ),
    ],
)
def test_a_value_goes_through_functions_and_classes(text: str, expected: set[str]) -> None:
    assert uses(text) == expected


def test_a_returned_value_of_an_entry_leaves_the_project() -> None:
    text = "def f(): return value()\nregister(f())"
    assert uses(text, ("main.f",)) == {"returned return value()", "argument register(f())"}


@pytest.mark.parametrize(
    "data",
    [
        "from main import x\nregister(x)",
        "import main\nregister(main.x)",
        "from main import *\nregister(x)",
    ],
)
def test_a_value_goes_to_other_modules(data: str) -> None:
    expected = {"argument register(main.x)"} if "main.x" in data else {"argument register(x)"}
    assert uses({"main": "x = value()", "data": data}) == expected


@pytest.mark.parametrize(
    "text",
    [
        "x = x\nask(x)",
        "x = x[0]\nask(x)",
        "while c: x = x['a']\nask(x)",
        "while c: x = x()\nask(x)",
        "def f(): return f()\nask(f())",
        "def f(): return f\nask(f()()())",
        "def f(x): return f(x)\nask(f(f))",
        "def f(x): return g(x)\ndef g(x): return f(x)\nask(f(1))",
        "def f(x): return x(x)\nask(f(f))",
        "f = lambda x: x(x)\nask(f(f))",
        "d = {'a': lambda d: d['a'](d)}\nask(d['a'](d))",
        "class C:\n  def f(self): self.x = self.x\n  def g(self): ask(self.x)",
        "class C:\n  def f(self): self.x = self.x()\n  def g(self): ask(self.x)",
        "class C(C): pass\nask(C().x)",
        "while c: x, y = y, x\nask(x)",
        "while c: x = [x]\nask(x)",
        "while c: x = [x[0], x[1], x[2], y[0]]; y = [x[1], y[2], x[3]]\nask(x[0][1])",
        "while c:\n  x = x['a'] or x['b'] or x['c'] or x[d]\nask(x)",
    ],
)
def test_what_depends_on_itself_ends(text: str) -> None:
    flow = flow_of(text)
    for source in flow.modules:
        for node in source.names.nodes:
            if hasattr(node, "ctx") or type(node).__name__ in ("Call", "Dict", "List"):
                flow.origins(node)
                flow.uses(node)  # type: ignore[arg-type]


def test_modules_that_import_each_other_end() -> None:
    files = {"main": "from data import x\ny = x\nask(y)", "data": "from main import y\nx = y"}
    assert origins(files) == {"y"}


@settings(max_examples=30)
@given(random_flows.modules(), st.randoms(use_true_random=False))
def test_what_a_run_asks_for_is_among_the_origins(text: str, chance: random.Random) -> None:
    """Random modules are run; what ``make(3)[0]`` gave has this origin, or an unknown one."""
    flow = flow_of(text)
    known: dict[tuple[int, int], list[Origin]] = {}
    for node in asked(flow.modules):
        call = flow.modules.home(node).names.parents[node]
        assert isinstance(call, ast.Call)
        known[call.lineno, call.col_offset] = flow.origins(node)
    for _ in range(6):
        for place, value in random_flows.Run(text, chance).seen:
            found = known[place]
            assert any(is_or_hides(one, value) for one in found), f"{place}: {value}"


def is_or_hides(origin: Origin, value: random_flows.Value) -> bool:
    """Whether an origin is what made a value, or leaves open where it comes from."""
    match origin.node:
        case ast.Call(func=ast.Name(id="make"), args=[ast.Constant(value=number)]):
            alike = len(origin.path) == len(value.path) and all(
                step is None or step == other
                for step, other in zip(origin.path, value.path, strict=True)
            )
            return number == value.number and alike
        case ast.Tuple() | ast.List() | ast.Dict() | ast.FunctionDef() | ast.ClassDef():
            return bool(origin.path)
        case ast.Call(func=ast.Name(id="C")):
            return bool(origin.path)
    return True


@settings(max_examples=20)
@given(random_flows.modules())
def test_every_question_about_a_random_module_is_answered(text: str) -> None:
    flow = flow_of(text)
    for source in flow.modules:
        for node in source.names.nodes:
            if isinstance(node, ast.expr):
                assert flow.origins(node)
                flow.uses(node)
