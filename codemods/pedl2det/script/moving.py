"""Which statements of a script move into its trial.

Imports, functions, classes and constants stay. From the first other statement on, everything
moves, in its order; ``if __name__ == "__main__":`` and a plain ``main()`` are looked into.
"""

from __future__ import annotations

import ast
import functools

from pedl2det.facts.source import Source
from pedl2det.findings import Unclear
from pedl2det.script.walk import function_named, is_fit, own_nodes
from pedl2det.tables.legacy import is_legacy

_GUARDS = ("__name__ == '__main__'", "'__main__' == __name__")
_PURE = (
    *(ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.UnaryOp, ast.BinOp),
    *(ast.operator, ast.unaryop, ast.expr_context),
)
#: Calls that may stay where they are, before anything moves: they only set up the process.
_SETTINGS = (
    *("logging.", "matplotlib.use", "os.environ.", "os.path.", "sys.path.", "warnings."),
    *("numpy.set_printoptions", "tensorflow.get_logger", "tensorflow.logging."),
    *("tensorflow.compat.v1.logging.", "tensorflow.keras.backend.set_image_data_format"),
    *("tensorflow.compat.v1.disable_", "tensorflow.disable_"),
    *("tensorflow.keras.backend.set_floatx", "keras.backend.set_floatx"),
    *("keras.backend.set_image_data_format",),
)


def what_moves(
    source: Source,
) -> tuple[ast.FunctionDef | None, tuple[ast.stmt, ...], list[ast.stmt]]:
    """The function that is called as the last act, what stands around what moves, what moves.

    Raises:
        Unclear: another condition stands around the script, or that function is no plain one.
    """
    moving: list[ast.stmt] = []
    wrappers: list[ast.stmt] = []
    for statement in source.tree.body:
        if isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test):
            if ast.unparse(statement.test) not in _GUARDS or statement.orelse:
                raise Unclear(statement, "only a plain if __name__ == '__main__': is understood")
            wrappers.append(statement)
            moving += statement.body
        elif not _stays(source, statement, bool(moving)):
            moving.append(statement)
    main = _main(source, moving)
    if main is None:
        return None, tuple(wrappers), moving
    if moving[-1] in source.tree.body:
        wrappers.append(moving[-1])
    body = main.body if ast.get_docstring(main) is None else main.body[1:]
    return main, (*wrappers, main), [*moving[:-1], *body]


def _main(source: Source, moving: list[ast.stmt]) -> ast.FunctionDef | None:
    """The function that is called as the last act, if it is the one that trains."""
    match moving[-1:]:
        case [ast.Expr(value=ast.Call(func=ast.Name(id=name), args=[], keywords=[]))]:
            function = function_named(source, name)
        case _:
            return None
    if function is None or not any(is_fit(node) for node in own_nodes(function.body)):
        return None
    uses = [node for node in source.names.nodes if isinstance(node, ast.Name) and node.id == name]
    given = function.args
    if len(uses) > 1 or function.decorator_list or given.args or given.vararg or given.kwonlyargs:
        raise Unclear(function, f"{name} trains, but is more than a function called once")
    for node in own_nodes(function.body):
        if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom | ast.Global):
            raise Unclear(node, f"{name} trains, and returns, yields or sets a global")
    return function


def _stays(source: Source, statement: ast.stmt, moving: bool) -> bool:
    """Whether a statement of the module stays there."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return True
        case ast.Import(names=aliases):
            return not moving or all(is_legacy(alias.name) for alias in aliases)
        case ast.ImportFrom(module=module):
            return not moving or is_legacy(module or "")
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if source.names.module_bindings(
            name
        ) == [None] and _is_constant(source, value):
            return True
        case ast.Expr(value=ast.Constant()):
            return not moving
        case ast.Try() | ast.If():
            return not moving and _only_imports(source, statement)
        case ast.Assign(targets=[ast.Subscript() as target]):
            return not moving and source.names.qualified(target.value) == "os.environ"
        case ast.Assign(value=ast.Call() as call) | ast.Expr(value=ast.Call() as call):
            return not moving and _only_sets_up(source, call)
    return False


def _is_constant(source: Source, value: ast.expr) -> bool:
    """Whether a value is made of literals and of constants that are."""
    return all(
        part.id in _literals(source) if isinstance(part, ast.Name) else isinstance(part, _PURE)
        for part in ast.walk(value)
    )


@functools.lru_cache(maxsize=4)
def _literals(source: Source) -> set[str]:
    """The names of the module that are bound once, to a literal."""
    return {
        target.id
        for node in source.tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
        and source.names.module_bindings(target.id) == [None]
        and all(isinstance(part, _PURE) for part in ast.walk(node.value))
    }


def _only_imports(source: Source, statement: ast.Try | ast.If) -> bool:
    """Whether a statement chooses between imports, and the values that stand for them."""
    kinds = (ast.stmt, ast.ExceptHandler)
    inner = [node for node in ast.walk(statement) if isinstance(node, kinds)]
    return any(isinstance(node, ast.Import | ast.ImportFrom) for node in inner) and all(
        isinstance(node, ast.Import | ast.ImportFrom | ast.ExceptHandler | ast.Pass)
        or (isinstance(node, ast.Assign) and _is_constant(source, node.value))
        for node in inner
        if node is not statement
    )


def _only_sets_up(source: Source, call: ast.Call) -> bool:
    calls = [node for node in ast.walk(call) if isinstance(node, ast.Call)]
    return all((source.names.qualified(one.func) or "").startswith(_SETTINGS) for one in calls)
