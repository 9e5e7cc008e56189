"""Places that may change a dict of hyperparameters, under whatever name it goes there."""

from __future__ import annotations

import ast
from collections import defaultdict

from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.flow import where

#: What ``d.get("key")`` and its like are called.
_BY_KEY = ("get", "pop", "setdefault")
_LIBRARIES = ("numpy.", "pandas.", "tensorflow.")
_CHANGING = {*where.MUTATORS, "__setitem__", "__delitem__", "__ior__"}

_Bound = dict[str, list[ast.AST]]


def is_changed_elsewhere(project: TrialProject) -> tuple[Source, ast.AST] | None:
    """The first place of a trial that may change a dict of hyperparameters, if there is one."""
    names = _names(project)
    for source in project.sources.values():
        bound = _bound(source)
        for node in source.names.nodes:
            if _may_change(source, node, names, bound):
                return source, node
    return None


def _may_change(source: Source, node: ast.AST, names: set[str], bound: _Bound) -> bool:
    match node:
        case ast.Subscript(value=value, slice=index, ctx=ast.Store() | ast.Del()):
            return _may_be_one_of(index, names) and not _is_another(source, value, bound)
        case ast.AugAssign(target=target, op=ast.BitOr(), value=value):
            is_of_dict = not isinstance(value, ast.Constant | ast.Compare)
            return is_of_dict and not _is_another(source, target, bound)
        case ast.Call(func=ast.Attribute(value=value, attr=attribute), args=arguments) if (
            attribute in _CHANGING
        ):
            first = arguments[0] if arguments else None
            key = first.value if isinstance(first, ast.Constant) else None
            return (key is None or key in names) and not _is_another(source, value, bound)
    return False


def _may_be_one_of(key: ast.expr, names: set[str]) -> bool:
    """Whether a key may be the name of a hyperparameter."""
    match key:
        case ast.Constant(value=found):
            return found in names
        case ast.Slice() | ast.Tuple() | ast.UnaryOp() | ast.Compare():
            return False  # of an array
    return True


def _is_another(source: Source, node: ast.expr, bound: _Bound) -> bool:
    """Whether an expression is certainly no dict of hyperparameters, but one made here."""
    match node:
        case ast.Attribute(attr="__dict__"):
            return True  # of an object
        case ast.Call(func=ast.Name(id="globals" | "vars")):
            return True
        case ast.Attribute() if (source.names.qualified(node) or "").endswith("os.environ"):
            return True
        case ast.Name():
            scope = source.names.binder(node)
            statements = [
                source.names.parents[other]
                for other in bound.get(node.id, [])
                if not isinstance(other, ast.Name) or source.names.binder(other) is scope
            ]
            return bool(statements) and all(_makes_another(source, one) for one in statements)
    return False


def _bound(source: Source) -> _Bound:
    """The places of a file where a name is bound, or is said to be that of another scope."""
    found: _Bound = defaultdict(list)
    for node in source.names.nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                found[name].append(node)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                for name in names:
                    found[name].append(node)
    return found


def _makes_another(source: Source, statement: ast.AST) -> bool:
    """Whether a statement binds its only name to something that it makes, or changes that."""
    match statement:
        case ast.AugAssign():
            return True
        case ast.Assign(targets=[ast.Name()], value=value):
            pass
        case _:
            return False
    match value:
        case ast.Dict() | ast.DictComp() | ast.List() | ast.ListComp() | ast.Constant():
            return True
        case ast.BinOp(left=ast.List(), op=ast.Mult()):
            return True
        case ast.Call(func=ast.Name(id="dict" | "list" | "set") as func):
            return source.names.binder(func) is None
        case ast.Call(func=ast.Attribute(attr="copy" | "astype" | "reshape")):
            return True
        case ast.Call(func=func):
            return (source.names.qualified(func) or "").startswith(_LIBRARIES)
    return False


def _names(project: TrialProject) -> set[str]:
    """The hyperparameters that the configs name, and those that the code reads as a dict's."""
    found = {
        entry.path[1] for config in project.configs for entry in config.entries("hyperparameters")
    }
    for source in project.sources.values():
        for node in source.names.nodes:
            match node:
                case ast.Subscript(slice=ast.Constant(value=str(key)), ctx=ast.Load()):
                    found.add(key)
                case ast.Call(
                    func=ast.Attribute(attr=attribute), args=[ast.Constant(value=str(key)), *_]
                ) if attribute in _BY_KEY:
                    found.add(key)
    return found
