"""Random small programs, and runs of them that note which value each name had.

A program is one function. Every assignment gives a number of its own to ``x`` or ``y``;
``see(x)`` notes what a name holds; ``coin()`` decides a branch; ``risk()`` may raise.
"""

from __future__ import annotations

import ast
import random
import textwrap
from contextlib import suppress
from typing import Any

from hypothesis import strategies as st

_NAMES = ("x", "y")


class Run:
    """One run of a program.

    Attributes:
        seen: the place of each name in ``see(...)`` and the number that it held.
    """

    def __init__(self, text: str, chance: random.Random) -> None:
        self.seen: list[tuple[tuple[int, int], int]] = []
        self._chance = chance
        self._steps = 0
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "see":
                name = node.args[0]
                node.args += [ast.Constant(name.lineno), ast.Constant(name.col_offset)]
        names: dict[str, Any] = {
            "coin": self._coin,
            "risk": self._risk,
            "see": self._see,
            "suppress": suppress,
        }
        exec(compile(ast.fix_missing_locations(tree), "program", "exec"), names)
        with suppress(_Raised, KeyError, NameError, _Enough):
            names["program"]()

    def _coin(self) -> bool:
        self._steps += 1
        if self._steps > 60:
            raise _Enough
        return self._chance.random() < 0.5

    def _risk(self) -> None:
        if self._coin():
            raise _Raised

    def _see(self, value: int, line: int, column: int) -> None:
        self.seen.append(((line, column), value))


class _Raised(Exception):
    pass


class _Enough(BaseException):
    pass


@st.composite
def programs(draw: st.DrawFn) -> str:
    """The text of a program."""
    return _Writer(draw).program()


class _Writer:
    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._numbers = 0

    def program(self) -> str:
        start = "".join(f"{name} = {self._number()}\n" for name in _NAMES)
        return f"def program():\n{_indented(start + self._body(3, False))}"

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    def _body(self, depth: int, in_loop: bool) -> str:
        count = self._draw(st.integers(1, 4))
        return "".join(self._statement(depth, in_loop) for _ in range(count))

    def _statement(self, depth: int, in_loop: bool) -> str:
        simple = ["assign", "assign", "see", "see", "walrus", "maybe", "del", "leave", "risk"]
        blocks = ["if", "while", "for", "try", "finally", "with"] if depth else []
        kind = self._draw(st.sampled_from(simple + blocks))
        name = self._draw(st.sampled_from(_NAMES))
        number = self._number()
        inner = lambda loop=in_loop: _indented(self._body(depth - 1, loop))  # noqa: E731
        match kind:
            case "assign":
                return f"{name} = {number}\n"
            case "see":
                return f"see({name})\n"
            case "walrus":
                return f"({name} := {number})\nsee({name})\n"
            case "maybe":
                return f"coin() and ({name} := {number})\nsee({name})\n"
            case "del":
                return f"if coin():\n    del {name}\n"
            case "risk":
                return "risk()\n"
            case "leave":
                ways = ["return", "raise KeyError"] + ["break", "continue"] * in_loop
                return f"if coin():\n    {self._draw(st.sampled_from(ways))}\n"
            case "if":
                return f"if coin():\n{inner()}else:\n{inner()}"
            case "while":
                test = self._draw(st.sampled_from(["coin()", f"({name} := {number}) and coin()"]))
                return f"while {test}:\n{inner(True)}else:\n{inner()}see({name})\n"
            case "for":
                head = f"for {name} in [{number}] * coin():\n"
                return f"{head}{inner(True)}else:\n{inner()}see({name})\n"
            case "try":
                return f"try:\n{inner()}except Exception:\n{inner()}else:\n{inner()}"
            case "finally":
                return f"try:\n{inner()}finally:\n{inner()}see({name})\n"
        return f"with suppress(Exception):\n{inner()}see({name})\n"


def _indented(text: str) -> str:
    return textwrap.indent(text, "    ")
