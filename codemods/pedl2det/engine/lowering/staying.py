"""Which statements of a script stay in the module, and which move into the trial.

Imports, functions, classes, constants and what sets up the process stay. Everything else moves, in
its order; so does what would be computed from names that move.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from pedl2det.analysis.source import Source
from pedl2det.engine.lowering.statements import bound_names

_PURE = (
    *(ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.UnaryOp, ast.BinOp, ast.Subscript),
    *(ast.operator, ast.unaryop, ast.expr_context, ast.Name, ast.Attribute, ast.Call, ast.Compare),
    *(ast.BoolOp, ast.boolop, ast.cmpop, ast.IfExp, ast.JoinedStr, ast.FormattedValue),
    *(ast.keyword, ast.Slice, ast.Starred, ast.Lambda, ast.arguments, ast.arg),
)
#: Functions that compute from their arguments alone.
_FUNCTIONS = (
    *("os.path.", "pathlib.", "collections.", "math.", "numpy.array", "numpy.asarray"),
    *("numpy.float", "numpy.int", "numpy.sqrt", "numpy.log", "numpy.prod", "os.environ.get"),
    *("os.getenv", "os.getcwd", "logging.getLogger"),
)
_BUILTINS = {
    *("bool", "dict", "float", "frozenset", "int", "len", "list", "max", "min", "range", "round"),
    *("set", "sorted", "str", "sum", "tuple", "abs", "zip"),
}
#: Calls that set up the process; they have to be made while the module is imported.
_SETTINGS = (
    *("logging.", "matplotlib.use", "matplotlib.pyplot.switch_backend", "os.environ.", "os.path."),
    *("sys.path.", "warnings.", "numpy.set_printoptions", "pandas.set_option", "absl.logging."),
    *("tensorflow.get_logger", "tensorflow.logging.", "tensorflow.compat.v1.logging."),
    *("tensorflow.compat.v1.disable_", "tensorflow.disable_", "tensorflow.enable_"),
    *("tensorflow.compat.v1.enable_", "tensorflow.keras.backend.set_image_data_format"),
    *("tensorflow.keras.backend.set_floatx", "keras.backend.set_floatx"),
    *("keras.backend.set_image_data_format", "tensorflow.app.flags.DEFINE", "absl.flags."),
    *("tensorflow.compat.v1.app.flags.DEFINE", "tensorflow.compat.v1.flags.", "tensorflow.flags."),
)


def staying(source: Source, is_inner: Callable[[ast.stmt], bool]) -> list[bool]:
    """For each statement of a module, whether it stays there.

    Args:
        source: the script.
        is_inner: whether a statement came out of a function or from below the main guard.
    """
    stays: list[bool] = []
    for one in source.tree.body:
        is_import = isinstance(one, ast.Import | ast.ImportFrom)
        stays.append(_may_stay(source, one, all(stays)) and (is_import or not is_inner(one)))
    while True:
        body = list(zip(source.tree.body, stays, strict=True))
        moved = bound_names(one for one, stay in body if not stay)
        fewer = [stay and not read_at_once(one) & moved for one, stay in body]
        if fewer == stays:
            return stays
        stays = fewer


def _may_stay(source: Source, statement: ast.stmt, is_early: bool) -> bool:
    """Whether a statement is of a kind that stays: some only if nothing above it moves."""
    match statement:
        case (
            ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Global() | ast.AnnAssign(value=None)
        ):
            return True
        case ast.FunctionDef(args=args) | ast.AsyncFunctionDef(args=args):
            return is_early or not any(isinstance(one, ast.Call) for one in ast.walk(args))
        case ast.ClassDef():
            return True
        case ast.Expr(value=ast.Constant()):
            return is_early
        case ast.Assign(targets=[ast.Subscript(value=target)]):
            return is_early and source.names.qualified(target) == "os.environ"
        case ast.Assign(targets=[ast.Name() as target], value=value):
            return _binds_once(source, target) and _is_harmless(source, value, is_early)
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
            is_once = all(_binds_once(source, one) for one in targets)
            return is_once and _is_harmless(source, value, is_early)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return _binds_once(source, target) and _is_harmless(source, value, is_early)
        case ast.Expr(value=ast.Call() as call):
            return is_early and _sets_up(source, call)
        case ast.Try() | ast.If():
            return _only_imports(source, statement)
    return False


def _is_harmless(source: Source, value: ast.expr, is_early: bool) -> bool:
    return is_constant(source, value) or (is_early and _sets_up(source, value))


def _only_imports(source: Source, statement: ast.stmt) -> bool:
    """Whether a statement chooses between imports, and the values that stand for them."""
    inner = [n for n in ast.walk(statement) if isinstance(n, ast.stmt) and n is not statement]
    return any(isinstance(one, ast.Import | ast.ImportFrom) for one in inner) and all(
        (isinstance(one, ast.Assign) and is_constant(source, one.value))
        or (not isinstance(one, ast.Assign) and _may_stay(source, one, True))
        for one in inner
    )


def read_at_once(statement: ast.AST) -> set[str]:
    """The names that are read when a statement runs, not when its functions are called."""
    found: set[str] = set()
    stack = [statement]
    while stack:
        match stack.pop():
            case ast.Import() | ast.ImportFrom():
                pass
            case ast.Name(id=name, ctx=ast.Load() | ast.Del()):
                found.add(name)
            case ast.FunctionDef() | ast.AsyncFunctionDef() as one:
                stack += [*one.decorator_list, one.args, *([one.returns] if one.returns else [])]
            case ast.Lambda(args=args):
                stack.append(args)
            case node:
                stack += ast.iter_child_nodes(node)
    return found


def _binds_once(source: Source, target: ast.expr) -> bool:
    """Whether a target is a name that nothing else in the module binds."""
    return isinstance(target, ast.Name) and len(source.names.module_bindings(target.id)) == 1


def is_constant(source: Source, value: ast.expr) -> bool:
    """Whether a value is computed from literals and names, without side effects."""
    return all(
        isinstance(node, _PURE) and (not isinstance(node, ast.Call) or _is_pure(source, node))
        for node in ast.walk(value)
    )


def _is_pure(source: Source, call: ast.Call) -> bool:
    if isinstance(call.func, ast.Name) and source.names.binder(call.func) is None:
        return call.func.id in _BUILTINS
    return (source.names.qualified(call.func) or "").startswith(_FUNCTIONS)


def _sets_up(source: Source, value: ast.expr) -> bool:
    """Whether every call in a value sets up the process."""
    calls = [node for node in ast.walk(value) if isinstance(node, ast.Call)]
    return bool(calls) and all(
        (source.names.qualified(one.func) or "").startswith(_SETTINGS) or _is_pure(source, one)
        for one in calls
    )
