"""Random modules that move values around, and runs of them that note where each value went.

``make(n)`` gives a value that remembers ``n`` and which member of it was taken; ``ask(x)`` notes
what it is given.
"""

from __future__ import annotations

import ast
import random
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

Path = tuple[Any, ...]
_STEPS = (0, 1, "a", "b")


@dataclass(frozen=True)
class Value:
    """What ``make(number)`` gave, or a member of it."""

    number: int
    path: Path = ()

    def __getitem__(self, step: Any) -> Value:
        return Value(self.number, (*self.path, step))

    def __iter__(self) -> Iterator[Value]:
        return iter((self[0], self[1]))

    def __call__(self, *args: Any) -> Value:
        return Value(-1)

    def __getattr__(self, name: str) -> Value:
        return Value(-1)


class Run:
    """One run of a module.

    Attributes:
        seen: the place of each ``ask`` and the value that it was given.
    """

    def __init__(self, text: str, chance: random.Random) -> None:
        self.seen: list[tuple[tuple[int, int], Value]] = []
        self._chance = chance
        self._steps = 0
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "ask":
                place = [ast.Constant(node.lineno), ast.Constant(node.col_offset)]
                node.args += place
        names = {"coin": self._coin, "make": self._make, "ask": self._ask, "outside": self._outside}
        ast.fix_missing_locations(tree)
        errors = (TypeError, LookupError, NameError, ValueError, RecursionError, AttributeError)
        with suppress(_Enough, *errors):
            exec(compile(tree, "module", "exec"), names)

    def _step(self) -> None:
        self._steps += 1
        if self._steps > 200:
            raise _Enough

    def _make(self, number: int) -> Value:
        self._step()
        return Value(number)

    def _coin(self) -> bool:
        self._step()
        return self._chance.random() < 0.6

    def _ask(self, value: Any, line: int, column: int) -> Any:
        self._step()
        if isinstance(value, Value) and value.number >= 0:
            self.seen.append(((line, column), value))
        return value

    def _outside(self, value: Any) -> Any:
        """Code that is not of the module: it calls what it is given, and changes it."""
        self._step()
        if callable(value) and not isinstance(value, Value):
            with suppress(TypeError):
                value(Value(1000), Value(1001))
        if isinstance(value, dict):
            value["a"] = Value(1002)
        if isinstance(value, list):
            value.append(Value(1003))
        return value


class _Enough(BaseException):
    pass


@st.composite
def modules(draw: st.DrawFn) -> str:
    """The text of a module."""
    return _Writer(draw).module()


class _Writer:
    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._numbers = 0
        self._functions = ["f", "g", "C().m", "C.s"]

    def module(self) -> str:
        start = "x = make(0)\ny = make(1)\nz = {'a': make(2), 'b': make(3)}\n"
        self._numbers = 4
        names = [one for one in ("f", "g") if self._draw(st.booleans())]
        defined = "".join(self._function(name) for name in names)
        decorator = "@staticmethod\n"
        members = (
            "k = make(2001)\nl = make(2003)\n"
            + self._function("__init__", "self, ", True)
            + self._function("m", "self, ", True)
            + decorator
            + self._function("s")
        )
        base = "class B:\n    def n(self, p=make(2000), q=make(2002)):\n        self.k = p\n"
        base += "        ask(self.k)\n        return self.m(p, q)\n"
        return start + base + f"class C(B):\n{_indented(members)}" + defined + self._body(2, "xyz")

    def _function(self, name: str, first: str = "", method: bool = False) -> str:
        head = f"def {name}({first}p=make({self._number()}), q=make({self._number()})):\n"
        declared = self._one_of(["", "global x\n", "global y\n"])
        body = self._body(1, "xyzpqv" + ("s" if method else ""))
        returned = "" if name == "__init__" else f"return {self._expression(2, 'xyzpqv')}\n"
        return head + _indented(f"{declared}v = p\n{body}{returned}")

    def _one_of(self, choices: Any) -> Any:
        return self._draw(st.sampled_from(list(choices)))

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    def _body(self, depth: int, names: str) -> str:
        count = self._draw(st.integers(1, 5))
        return "".join(self._statement(depth, names) for _ in range(count))

    def _statement(self, depth: int, names: str) -> str:
        kinds = ["assign", "assign", "unpack", "ask", "ask", "store", "swap", "outside", "call"]
        kinds += ["if", "for"] if depth else []
        kinds += ["attribute", "attribute", "ask_attribute"] if "s" in names else []
        kind = self._one_of(kinds)
        name, other = self._one_of(names.replace("s", "")), self._one_of(names.replace("s", ""))
        value = self._expression(2, names)
        match kind:
            case "assign":
                return f"{name} = {value}\n"
            case "unpack":
                return f"{name}, {other} = {value}\n"
            case "ask":
                return f"ask({name})\n"
            case "store":
                key = self._one_of(["'a'", "0"])
                return f"if isinstance({name}, (dict, list)): {name}[{key}] = {value}\n"
            case "swap":
                return f"{name}, {other} = {other}, {name}\n"
            case "outside":
                return f"outside({self._one_of([name, 'f', 'g', 'C().m', 'C'])})\n"
            case "call":
                return f"{value}\n"
            case "attribute":
                return f"self.{self._one_of('kl')} = {value}\n"
            case "ask_attribute":
                return f"ask(self.{self._one_of('kl')})\n"
            case "if":
                body = _indented(self._body(depth - 1, names))
                return f"if coin():\n{body}else:\n{_indented(self._body(depth - 1, names))}"
        return f"for {name} in {value}:\n{_indented(self._body(depth - 1, names))}"

    def _expression(self, depth: int, names: str) -> str:
        kinds = ["make", "name", "name"]
        if depth:
            kinds += ["tuple", "list", "dict", "spread", "item", "item", "call", "choice", "lambda"]
            kinds += ["keyword", "star", "indirect", "base"]
        name = self._one_of(names.replace("s", ""))
        inner = lambda: self._expression(depth - 1, names)  # noqa: E731
        match self._one_of(kinds):
            case "make":
                return f"make({self._number()})"
            case "tuple":
                return f"({inner()}, {inner()})"
            case "list":
                return f"[{inner()}, {inner()}]"
            case "dict":
                return f"{{'a': {inner()}, 'b': {inner()}}}"
            case "spread":
                return f"{{**({name} if isinstance({name}, dict) else {{}}), 'b': {inner()}}}"
            case "item":
                return f"{name}[{self._one_of(_STEPS)!r}]"
            case "call":
                return f"{self._one_of(self._functions)}({inner()}, {inner()})"
            case "keyword":
                return f"{self._one_of(self._functions)}(q={inner()})"
            case "star":
                return f"{self._one_of(self._functions)}(*({inner()}, {inner()}))"
            case "indirect":
                table = f"{{'a': f, 'b': {self._one_of(['g', 'C.s', 'f'])}}}"
                return f"{table}[{self._one_of(['b', 'a'])!r}]({inner()})"
            case "base":
                return f"C({inner()}).n({inner()})"
            case "choice":
                return f"({inner()} if coin() else {inner()})"
            case "lambda":
                return f"(lambda w: w)({inner()})"
        return name


def _indented(text: str) -> str:
    return textwrap.indent(text, "    ")
