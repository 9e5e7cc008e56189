"""The order in which Python evaluates the parts of a statement."""

from __future__ import annotations

import ast

from variants.imports import bound_name, top_imports
from variants.source import COMPREHENSIONS, Source


def evaluated_first(source: Source, statement: ast.stmt) -> list[ast.expr]:
    """Return the expressions that can move to a line before a statement.

    Nothing that a statement does before it reaches one of them can be noticed: it reads names,
    constants, attributes of modules and of self, and looks up methods.
    """
    root = _value_of(statement)
    found: list[ast.expr] = []
    if root is not None:
        modules = {bound_name(alias) for node in top_imports(source) for alias in node.names}
        _collect(root, found, frozenset(modules))
    return [node for node in found if not source.in_f_string(node)]


def is_quiet(node: ast.expr, modules: frozenset[str] = frozenset()) -> bool:
    """Return whether it makes no difference when an expression is evaluated.

    An attribute of a value does: `table.values` is another array after `table.pop("label")`.

    Args:
        node: the expression.
        modules: names of modules, whose attributes do not change.
    """
    match node:
        case ast.Name() | ast.Constant() | ast.Lambda():
            return True
        case ast.Attribute(value=ast.Name(id="self")):
            return True
        case ast.Attribute():
            return _is_dotted(node) and ast.unparse(node).split(".")[0] in modules
        case ast.UnaryOp(operand=ast.Constant()):
            return True
        case ast.Tuple() | ast.List():
            return all(is_quiet(one, modules) for one in node.elts)
    return False


def _is_dotted(node: ast.expr) -> bool:
    """Return whether an expression is a name, or attributes of one."""
    return isinstance(node, ast.Name) or (
        isinstance(node, ast.Attribute) and _is_dotted(node.value)
    )


def _value_of(statement: ast.stmt) -> ast.expr | None:
    match statement:
        case ast.Assign() | ast.Expr() | ast.Return():
            return statement.value
        case ast.AnnAssign() if isinstance(statement.target, ast.Name):
            return statement.value
        case ast.If():
            return statement.test
        case ast.For():
            return statement.iter
        case ast.With():
            return statement.items[0].context_expr
    return None


def _collect(node: ast.expr, found: list[ast.expr], modules: frozenset[str]) -> bool:
    """Add what can be evaluated first within a node; return whether all of it is quiet."""
    found.append(node)
    for child in _in_order(node):
        if not _collect(child, found, modules):
            return False
    containers = ast.Tuple | ast.List | ast.Dict | ast.Starred
    return is_quiet(node, modules) or isinstance(node, containers)


def _in_order(node: ast.expr) -> list[ast.expr]:
    """Return the parts of an expression that it always evaluates, in order."""
    match node:
        case ast.Call():
            keywords = sorted(
                node.keywords, key=lambda one: (one.value.lineno, one.value.col_offset)
            )
            # Looking a function or method up does nothing.
            function = [] if _is_dotted(node.func) else [node.func]
            return [*function, *node.args, *(one.value for one in keywords)]
        case ast.Lambda() | ast.JoinedStr():
            return []
        case ast.BoolOp():
            return node.values[:1]
        case ast.IfExp():
            return [node.test]
        case ast.Compare():
            return [node.left]
        case ast.Dict():
            pairs = zip(node.keys, node.values, strict=True)
            return [one for pair in pairs for one in pair if one is not None]
        case _ if isinstance(node, COMPREHENSIONS):
            return [node.generators[0].iter]
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
