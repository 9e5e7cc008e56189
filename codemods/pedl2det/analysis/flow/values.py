"""What the value-flow graph answers: origins, uses and calls; parameters and their arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from pedl2det.analysis.bindings import Function as Function
from pedl2det.analysis.bindings import Path, Step

Callable = Function | ast.Lambda
#: Methods that change a list, a dict or an array in place.
_CHANGING = {
    *("append", "clear", "extend", "fill", "insert", "partition", "pop", "popitem", "put"),
    *("remove", "resize", "reverse", "setdefault", "sort", "update"),
}
#: Functions of `operator` that only read.
_READING = ("contains", "countOf", "eq", "getitem", "is_", "is_not", "length_hint", "ne", "truth")
#: An expression and the member of its value that is meant.
Place = tuple[ast.AST, Path]


@dataclass(frozen=True)
class Origin:
    """Where a value comes from, as far as it can be followed."""

    #: the expression (a call, a literal, an unknown name), a parameter (``ast.arg``) that no
    #: visible call fills, or a definition (function, class, import alias).
    node: ast.AST
    path: Path = ()  #: the member of that value that is meant; empty for the value itself


class Way(Enum):
    """What happens to a value at a use."""

    RETURNED = "returned"  #: by a function that is not called in the project, or is an entry point
    ARGUMENT = "argument"  #: of a call that cannot be followed
    ATTRIBUTE = "attribute"  #: read from it, ``value.x``
    METHOD = "method"  #: called on it, ``value.x()``
    ITEM = "item"  #: read from it, ``value[x]``
    STORED = "stored"  #: a member of it is set or deleted, ``value[x] = y``, ``value.x = y``
    TESTED = "tested"  #: in a condition, a comparison or an f-string
    MEMBER = "member"  #: of a list, dict or tuple that cannot be followed
    OTHER = "other"


@dataclass(frozen=True)
class Use:
    """Where a value goes."""

    way: Way  #: what happens to it
    node: ast.expr  #: the expression that reads the value there
    #: the expression or statement that uses it: the call, attribute, subscript, return
    around: ast.AST
    path: Path = ()  #: the member of the returned or passed value that the value is
    function: ast.AST | None = None  #: for ``RETURNED``, the function

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
        """Whether its members may be changed in place: stored, deleted, or by a method."""
        match self.way, self.around:
            case Way.STORED, _:
                return True
            case _, ast.AugAssign(target=target):
                return target is self.node
            case Way.METHOD, ast.Call(func=ast.Attribute(attr=name)):
                return name in _CHANGING
            case Way.ATTRIBUTE, ast.Attribute(attr=name):
                return name in _CHANGING  # to be called later
            case Way.ARGUMENT, ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name)):
                is_method = module in ("dict", "list") and name in _CHANGING
                return is_method or (module == "operator" and name not in _READING)
        return False


@dataclass(frozen=True)
class Call:
    """A call of a function of the project."""

    node: ast.Call  #: the call
    bound: bool  #: whether the first parameter is filled by the object (``self``, ``cls``)


def step_of(key: ast.expr | None) -> Step:
    """The step that a key in brackets means; None for one that is computed."""
    match key:
        case ast.Constant(value=int() | str() as step):
            return step
    return None


def element(elements: list[ast.expr], step: Step) -> int | None:
    """The index of the element that a step certainly means."""
    starred = any(isinstance(part, ast.Starred) for part in elements)
    if isinstance(step, int) and not starred and -len(elements) <= step < len(elements):
        return step
    return None


def of_elements(elements: list[ast.expr], path: Path) -> list[Place]:
    """The elements of a tuple or list that may be the member at a path."""
    index = element(elements, path[0])
    if index is not None:
        return [(elements[index], path[1:])]
    return [(part, path if isinstance(part, ast.Starred) else path[1:]) for part in elements]


def of_dict(pairs: Iterable[tuple[ast.expr | None, ast.expr]], path: Path) -> list[Place]:
    """The values of a dict that may be the member at a path; a key of None stands for ``**``."""
    values: list[Place] = []
    for key, value in pairs:
        if key is None:
            values.append((value, path))
        elif path[0] is None or not isinstance(key, ast.Constant) or key.value == path[0]:
            values.append((value, path[1:]))
    return values


def _arguments(call: Call, function: Callable) -> dict[str, ast.expr]:
    """The visible arguments of a call by the names of the parameters that they fill."""
    arguments: dict[str, ast.expr] = {}
    if not any(isinstance(value, ast.Starred) for value in call.node.args):
        names = [parameter.arg for parameter in by_position(function)[call.bound :]]
        arguments = dict(zip(names, call.node.args, strict=False))
    return arguments | {keyword.arg: keyword.value for keyword in call.node.keywords if keyword.arg}


def argument_for(call: Call, function: Callable, name: str) -> ast.expr | None:
    """The argument that a call gives to a parameter; None if it gives none that is visible."""
    return _arguments(call, function).get(name)


def parameter_for(call: Call, function: Callable, argument: ast.expr) -> ast.arg | None:
    """The parameter that an argument of a call fills; None if that is not visible."""
    arguments = _arguments(call, function)
    parameters = [*by_position(function), *function.args.kwonlyargs]
    return next(
        (parameter for parameter in parameters if arguments.get(parameter.arg) is argument), None
    )


def defaults_of(arguments: ast.arguments) -> dict[ast.arg, ast.expr | None]:
    """The default values of parameters."""
    placed = reversed([*arguments.posonlyargs, *arguments.args])
    last = zip(placed, reversed(arguments.defaults), strict=False)
    return {**dict(last), **dict(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))}


def has_hidden_arguments(call: ast.Call) -> bool:
    """Whether a call unpacks ``*arguments`` or ``**arguments``."""
    is_starred = any(isinstance(value, ast.Starred) for value in call.args)
    return is_starred or any(keyword.arg is None for keyword in call.keywords)


def by_position(function: Callable) -> list[ast.arg]:
    """The parameters that arguments fill by position, ``self`` included."""
    return [*function.args.posonlyargs, *function.args.args]


def first_parameter(function: Callable) -> str | None:
    """The name of the first parameter, such as ``self``."""
    return next((parameter.arg for parameter in by_position(function)), None)


def has_decorator(function: ast.AST, name: str) -> bool:
    """Whether a function has a decorator, such as ``staticmethod``."""
    decorators = getattr(function, "decorator_list", ())
    return any(isinstance(decorator, ast.Name) and decorator.id == name for decorator in decorators)


def has_only_decorators(function: ast.AST, names: Iterable[str]) -> bool:
    """Whether all decorators of a function have one of some names, from any module."""
    for decorator in getattr(function, "decorator_list", ()):
        maker = decorator.func if isinstance(decorator, ast.Call) else decorator
        if getattr(maker, "attr", getattr(maker, "id", "")) not in names:
            return False
    return True


def argument(call: ast.Call, name: str, place: int) -> ast.expr | None:
    """The argument of a call by its keyword, or else its position; None if it is not visible."""
    named = [keyword.value for keyword in call.keywords if keyword.arg == name]
    return next(iter([*named, *call.args[place : place + 1]]), None)


def arguments_of(
    call: ast.Call, parameters: Sequence[str], **aliases: str
) -> dict[str, ast.expr] | None:
    """The arguments of a call by parameter; None if they are not all visible."""
    if len(call.args) > len(parameters) or any(
        isinstance(value, ast.Starred) for value in call.args
    ):
        return None
    arguments = dict(zip(parameters, call.args, strict=False))
    for keyword in call.keywords:
        name = aliases.get(keyword.arg or "", keyword.arg or "")
        if name not in parameters or name in arguments:
            return None
        arguments[name] = keyword.value
    return arguments
