"""Which statements of a script stay in the module, and which move into the trial.

Imports, functions, classes, constants and what sets up the process stay. Everything else moves, in
its order; so does what would be computed from names that move.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from pedl2det.analysis.source import Source
from pedl2det.engine.lowering.statements import bound_names, own_nodes, read_names

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
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
    *("os.getenv", "os.getcwd", "logging.getLogger", "numpy.zeros", "numpy.ones"),
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
_PARSER = "argparse.ArgumentParser"
_GETTERS = ("pedl.",)


def staying(source: Source, is_inner: Callable[[ast.stmt], bool]) -> list[bool]:
    """For each statement of a module, whether it stays there.

    Args:
        source: the script.
        is_inner: whether a statement came out of a function or from below the main guard.
    """
    body = source.tree.body
    stays = [False] * len(body)
    for number, statement in enumerate(body):
        may = _may_stay(source, statement, body, stays[:number])
        stays[number] = may and (
            isinstance(statement, ast.Import | ast.ImportFrom) or not is_inner(statement)
        )
    while True:
        moved = bound_names(one for one, stay in zip(body, stays, strict=True) if not stay)
        changed = False
        for number, statement in enumerate(body):
            if stays[number] and _needs(statement, set(moved)):
                stays[number], changed = False, True
        if not changed:
            return stays


def _may_stay(
    source: Source, statement: ast.stmt, body: Sequence[ast.stmt], before: Sequence[bool]
) -> bool:
    """Whether a statement is of a kind that stays, after what stays or moves before it."""
    nothing_moved = all(before)
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Global():
            return True
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return nothing_moved or not _draws(statement)
        case ast.Expr(value=ast.Constant()):
            return nothing_moved
        case ast.Try() | ast.If() if _only_imports(source, statement):
            return True
        case ast.If() if _only_sets(source, statement):
            return nothing_moved
        case ast.Assign(targets=[ast.Subscript() as target]):
            return nothing_moved and source.names.qualified(target.value) == "os.environ"
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            if _is_getter(source, value) and _is_read_in_definitions(source, statement, body):
                return True
            if not _binds_once(source, statement):
                return False
            return is_constant(source, value) or (nothing_moved and _sets_up(source, value))
        case ast.AnnAssign(value=None):
            return True
        case ast.Expr(value=ast.Call() as call):
            return nothing_moved and _sets_up(source, call)
    return False


def _needs(statement: ast.stmt, moved: set[str]) -> bool:
    """Whether a statement that stays is computed from names that move."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return False
    return bool(read_at_once(statement) & moved)


def read_at_once(statement: ast.stmt) -> set[str]:
    """The names that are read when a statement runs, not when its functions are called."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        head = [*statement.decorator_list, *statement.args.defaults]
        head += [one for one in statement.args.kw_defaults if one is not None]
        arguments = [*statement.args.posonlyargs, *statement.args.args, *statement.args.kwonlyargs]
        head += [one.annotation for one in arguments if one.annotation is not None]
        return read_names([*head, *([statement.returns] if statement.returns else [])])
    if isinstance(statement, ast.ClassDef):
        head = [*statement.decorator_list, *statement.bases]
        head += [one.value for one in statement.keywords]
        own = set(bound_names(statement.body))
        inner = {name for one in statement.body for name in read_at_once(one)}
        return read_names(head) | (inner - own)
    names = {
        node.id
        for node in own_nodes([statement])
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)
    }
    comprehensions = [
        node
        for node in own_nodes([statement])
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)
    ]
    return names | read_names(comprehensions)


def _draws(statement: ast.stmt) -> bool:
    """Whether defaults of a function are computed by calls."""
    if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    defaults = [*statement.args.defaults, *(one for one in statement.args.kw_defaults if one)]
    return any(isinstance(node, ast.Call) for one in defaults for node in ast.walk(one))


def _binds_once(source: Source, statement: ast.stmt) -> bool:
    """Whether an assignment is to names that nothing else in the module binds."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]  # type: ignore[attr-defined]
    names = [node for target in targets for node in ast.walk(target)]
    if any(isinstance(node, ast.Attribute | ast.Subscript) for node in names):
        return False
    return all(
        len(source.names.module_bindings(node.id)) == 1
        for node in names
        if isinstance(node, ast.Name)
    )


def is_constant(source: Source, value: ast.expr) -> bool:
    """Whether a value is computed from literals and names, without side effects."""
    for node in ast.walk(value):
        if not isinstance(node, _PURE):
            return False
        if isinstance(node, ast.Call) and not _is_pure_call(source, node):
            return False
    return True


def _is_pure_call(source: Source, call: ast.Call) -> bool:
    meaning = source.names.qualified(call.func) or ""
    if isinstance(call.func, ast.Name) and source.names.binder(call.func) is None:
        return call.func.id in _BUILTINS
    return meaning.startswith(_FUNCTIONS)


def _is_getter(source: Source, value: ast.expr) -> bool:
    """Whether a value is one question to the old harness, with a literal for its argument."""
    return (
        isinstance(value, ast.Call)
        and (source.names.qualified(value.func) or "").startswith(_GETTERS)
        and all(isinstance(one, ast.Constant) for one in value.args)
    )


def _is_read_in_definitions(source: Source, statement: ast.stmt, body: Sequence[ast.stmt]) -> bool:
    names = set(bound_names([statement]))
    return any(
        isinstance(node, ast.Name) and node.id in names and source.names.binder(node) is source.tree
        for one in body
        if isinstance(one, _DEFINITIONS)
        for node in source.names.below(one)
    )


def _only_imports(source: Source, statement: ast.stmt) -> bool:
    """Whether a statement chooses between imports, and the values that stand for them."""
    inner = [
        node
        for node in ast.walk(statement)
        if isinstance(node, ast.stmt | ast.ExceptHandler) and node is not statement
    ]
    return any(isinstance(node, ast.Import | ast.ImportFrom) for node in inner) and all(
        isinstance(node, ast.Import | ast.ImportFrom | ast.ExceptHandler | ast.Pass)
        or (isinstance(node, ast.Assign) and is_constant(source, node.value))
        or (
            (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
            and _sets_up(source, node.value)
        )
        for node in inner
    )


def _only_sets(source: Source, statement: ast.If) -> bool:
    """Whether a condition only decides about settings of the process."""
    inner = [one for block in (statement.body, statement.orelse) for one in block]
    return is_constant(source, statement.test) and all(
        isinstance(one, ast.Expr) and _sets_up(source, one.value) for one in inner
    )


def _sets_up(source: Source, value: ast.expr) -> bool:
    """Whether every call in a value sets up the process, or the options of its command line."""
    calls = [node for node in ast.walk(value) if isinstance(node, ast.Call)]
    return bool(calls) and all(
        (source.names.qualified(one.func) or "").startswith(_SETTINGS)
        or _is_of_parser(source, one)
        or _is_pure_call(source, one)
        for one in calls
    )


def _is_of_parser(source: Source, call: ast.Call) -> bool:
    """Whether a call makes a parser of options, or is one of its methods."""
    if source.names.qualified(call.func) == _PARSER:
        return True
    if not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Name):
        return False
    name = call.func.value.id
    for node in source.tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Call() as made):
                if target == name and _is_of_parser(source, made):
                    return True
    return False
