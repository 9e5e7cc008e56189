"""Drop what a script only prepared for code that is gone."""

from __future__ import annotations

import ast

from pedl2det.engine.lowering.script import Script
from pedl2det.engine.lowering.statements import read_names
from pedl2det.engine.lowering.staying import is_constant
from pedl2det.fixes import ReplaceStatement

#: Calls whose values have no effect but on themselves.
_OWN = ("collections.", "determined.")
_CONTAINERS = ("dict", "list", "set")
_PREPARING = ("determined.", "argparse.", "pathlib.")


def without_unread(script: Script, old: Script) -> Script:
    """Drop assignments that only what is gone read, such as ``EPOCHS = 3`` or ``config = {...}``.

    With a name go the calls of its methods that only change its value, such as
    ``parser.add_argument`` and ``names.append``.

    Args:
        script: the script.
        old: the script before something was left out.
    """
    read = read_names([old.source.tree]) - _names_elsewhere(script)
    while True:
        names = script.source.names
        methods = [
            (one, name)
            for one in names.of(ast.Expr)
            if (name := _receiver(one)) and _only_changes(script, one, name)
        ]
        receivers = {name for _, name in methods}
        reads = [n for n in names.of(ast.Name) if not isinstance(n.ctx, ast.Store)]
        kept = {one.id for one in reads if one not in receivers}
        assigned = [
            (node, target)
            for node in names.of(ast.Assign)
            if isinstance(target := node.targets[0], ast.Name)
            and target.id in read - kept
            and _is_harmless(script, node.value)
        ]
        gone = {name.id for _, name in assigned}
        if not gone:
            return script
        statements = [one for one, name in [*assigned, *methods] if name.id in gone]
        script = script.edited([ReplaceStatement(one) for one in statements])


def _names_elsewhere(script: Script) -> set[str]:
    """The names that other files of the project may read from the script."""
    others = script.facts.others.values()
    nodes = [node for one in others for node in one.names.of(ast.Attribute, ast.alias)]
    return {one.name if isinstance(one, ast.alias) else one.attr for one in nodes}


def _receiver(statement: ast.stmt) -> ast.Name | None:
    """The name of which a statement calls a method."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name() as name))):
            return name
    return None


def _only_changes(script: Script, statement: ast.Expr, receiver: ast.Name) -> bool:
    """Whether the call of a method has no effect but on the value of a name."""
    bindings = script.source.names.bindings(receiver)
    values = [one.value for one in bindings if one.value and not one.path and not one.augmented]
    if not values or len(values) < len(bindings):
        return False  # such as a loop or an import
    makers = [_maker(script, value) for value in values]
    if all(maker.startswith("argparse.") for maker in makers):
        return True  # what it reads of the command line is gone, with its defaults
    inner = [one for one in ast.walk(statement) if isinstance(one, ast.Call)][1:]
    return all(maker in _CONTAINERS or maker.startswith(_OWN) for maker in makers) and all(
        _is_harmless(script, one) for one in inner
    )


def _maker(script: Script, value: ast.expr) -> str:
    """The name of what makes a new object; empty if the value may be an object of others."""
    match value:
        case ast.List() | ast.ListComp():
            return "list"
        case ast.Dict() | ast.DictComp():
            return "dict"
        case ast.Set() | ast.SetComp():
            return "set"
        case ast.Call(func=ast.Name(id=name) as function) if not (
            script.source.names.binder(function)
        ):
            return name
        case ast.Call(func=function):
            return script.source.names.qualified(function) or ""
    return ""


def _is_harmless(script: Script, value: ast.expr) -> bool:
    """Whether a value has no side effects."""
    calls = [node for node in ast.walk(value) if isinstance(node, ast.Call)]
    names = [script.source.names.qualified(one.func) or ast.unparse(one.func) for one in calls]
    prepares = [one.startswith(_PREPARING) or one.endswith("_args") for one in names]
    return is_constant(script.source, value) or (bool(calls) and all(prepares))
