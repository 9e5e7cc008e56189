"""What the value-flow graph answers: origins, uses and calls; and members of written values."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from pedl2det.analysis.bindings import Path, Step

Function = ast.FunctionDef | ast.AsyncFunctionDef
Callable = Function | ast.Lambda
#: Methods that change a list, a dict or an array in place.
_CHANGING = frozenset(
    (
        *("append", "clear", "extend", "fill", "insert", "partition", "pop", "popitem", "put"),
        *("remove", "resize", "reverse", "setdefault", "sort", "update"),
    )
)
#: An expression and the member of its value that is meant.
Place = tuple[ast.AST, Path]


@dataclass(frozen=True)
class Origin:
    """Where a value comes from, as far as it can be followed.

    Attributes:
        node: the expression (a call, a literal, an unknown name), a parameter (``ast.arg``) that
            no visible call fills, or a definition (function, class, import alias).
        path: the member of that value that is meant; empty for the value itself.
    """

    node: ast.AST
    path: Path = ()


class Way(Enum):
    """What happens to a value at a use."""

    RETURNED = "returned"  #: by a function that is not called in the project, or is an entry
    ARGUMENT = "argument"  #: of a call that cannot be followed
    ATTRIBUTE = "attribute"  #: read from it, ``value.x``
    METHOD = "method"  #: called on it, ``value.x()``
    ITEM = "item"  #: read from it, ``value[x]``
    STORED = "stored"  #: a member of it is set or deleted, ``value[x] = y``, ``value.x = y``
    ITERATED = "iterated"
    TESTED = "tested"  #: in a condition, a comparison or an f-string
    MEMBER = "member"  #: of a list, dict or tuple that cannot be followed
    YIELDED = "yielded"
    OTHER = "other"


@dataclass(frozen=True)
class Use:
    """Where a value goes.

    Attributes:
        way: what happens to it.
        node: the expression that reads the value there.
        around: the expression or statement that uses it: the call, attribute, subscript, return.
        path: the member of the returned or passed value that the value is.
        function: for ``RETURNED``, the function.
    """

    way: Way
    node: ast.expr
    around: ast.AST
    path: Path = ()
    function: ast.AST | None = None

    @property
    def method(self) -> str:
        """The name of the method that is called on it."""
        return getattr(getattr(self.around, "func", None), "attr", "")

    @property
    def key(self) -> ast.expr | None:
        """The key that it reads or looks for in a dict; None for any other use."""
        match self.way, self.around:
            case Way.ITEM, ast.Subscript(slice=key):
                return key
            case Way.METHOD, ast.Call(func=ast.Attribute(attr="get"), args=[key, *_]):
                return key
            case Way.TESTED, ast.Compare(left=key, ops=[ast.In() | ast.NotIn()]):
                return key
        return None

    @property
    def is_change(self) -> bool:
        """Whether its members are changed in place: stored, deleted, or by a method."""
        is_stored = self.way is Way.STORED
        return is_stored or (self.way is Way.METHOD and self.method in _CHANGING)


@dataclass(frozen=True)
class Call:
    """A call of a function of the project.

    Attributes:
        node: the call.
        bound: whether the first parameter is filled by the object (``self``, ``cls``).
    """

    node: ast.Call
    bound: bool


def step_of(key: ast.expr | None) -> Step:
    """The step that a key in brackets means; None for one that is computed."""
    match key:
        case ast.Constant(value=int() | str() as step):
            return step
    return None


def element(elements: list[ast.expr], step: Step) -> int | None:
    """The index of the element that a step certainly means."""
    starred = any(isinstance(one, ast.Starred) for one in elements)
    if isinstance(step, int) and not starred and -len(elements) <= step < len(elements):
        return step
    return None


def of_elements(elements: list[ast.expr], path: Path) -> list[Place]:
    """The elements of a tuple or list that may be the member at a path."""
    index = element(elements, path[0])
    if index is not None:
        return [(elements[index], path[1:])]
    return [(one, path if isinstance(one, ast.Starred) else path[1:]) for one in elements]


def of_dict(pairs: Iterable[tuple[ast.expr | None, ast.expr]], path: Path) -> list[Place]:
    """The values of a dict that may be the member at a path; a key of None stands for ``**``."""
    found: list[Place] = []
    for key, value in pairs:
        if key is None:
            found.append((value, path))
        elif path[0] is None or not isinstance(key, ast.Constant) or key.value == path[0]:
            found.append((value, path[1:]))
    return found
