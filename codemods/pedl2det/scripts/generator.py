"""Turn a script into a generator that yields what it gives to ``fit``; a trial resumes it.

Imports, functions, classes, constants and what sets up the process stay in the module. All other
statements become those of the generator, in their order.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import re
import symtable
import textwrap
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst

from pedl2det.analysis.bindings import MAIN_GUARDS, run_at_once
from pedl2det.analysis.source import Source
from pedl2det.fixes import Edit, Replace, ReplaceStatement
from pedl2det.scripts.fits import Fits, as_record

SUPPORT = frozenset({"Fit", "started"})
_TRIAL = '''\
class {name}(TFKerasTrial):
    """Trains what the script yields, and resumes it when the training ends."""

    def __init__(self, {parameter}) -> None:
        self.fit = legacy_keras.started({call}, self.context)
        self.context.configure_fit(shuffle=False, **self.fit.settings)

    def build_model(self, hparams):
        return self.fit.model

    def build_training_data_loader(self):
        return self.fit.training_data

    def build_validation_data_loader(self):
        return self.fit.validation_data

    def keras_callbacks(self, hparams):
        return self.fit.callbacks_with_epochs(self.context)
'''
_PURE = (
    *("os.path.", "os.environ.get", "os.getenv", "os.getcwd", "pathlib.", "collections."),
    *("logging.getLogger", "math."),
)
_PURE_BUILTINS = {
    *("bool", "dict", "float", "frozenset", "int", "len", "list", "max", "min", "range", "round"),
    *("set", "sorted", "str", "sum", "tuple", "abs", "zip"),
}
#: Calls that set up the process, which imports and functions may rely on.
_SETTINGS = ("logging.", "warnings.", "matplotlib.use", "os.environ.", "sys.path.")
_STAR = re.compile(r"\bfrom \S+ import \*")
_LOOKING = {"globals", "locals", "vars", "dir", "exec", "eval"}


def yield_edits(fits: Fits) -> Iterator[tuple[Source, Edit]]:
    """Yield at each call that trains, and from each function that leads there, in all files."""
    for call in fits.calls:
        source = fits.modules.home(call)
        yield from ((source, edit) for edit in (*as_record(call), _yielding(source, call, "yield")))
    for call in fits.callers:
        source = fits.modules.home(call)
        yield source, _yielding(source, call, "yield from")


def _yielding(source: Source, call: ast.Call, keyword: str) -> Edit:
    """Yield a call, or from it: without parentheses where it is all of a statement."""
    statement = source.names.parents[call]
    match statement:
        case ast.Assign(targets=[target]):
            code = f"{source.segment(target)} = {keyword} {{call}}"
            return ReplaceStatement(statement, code, {"call": call})
        case ast.Expr():
            return ReplaceStatement(statement, f"{keyword} {{call}}", {"call": call})
    return Replace(call, f"({keyword} {{call}})", {"call": call})


def main_edits(source: Source) -> Iterator[Edit]:
    """Make tests for ``__main__`` true, because the module of a script is imported."""
    for compare in source.names.of(ast.Compare):
        if is_main(compare) and not is_guard(source.names.parents[compare]):
            yield Replace(compare, "True")


def is_main(node: ast.AST) -> bool:
    """Whether an expression asks whether the file runs as a script."""
    return ast.unparse(node) in MAIN_GUARDS


def is_guard(node: ast.AST) -> bool:
    """Whether a statement is a main guard of lines below it, without an ``else``."""
    is_plain = isinstance(node, ast.If) and not node.orelse and node.body[0].lineno > node.lineno
    return is_plain and is_main(node.test)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class _Line:
    """A line of statements, and its libcst form."""

    nodes: tuple[ast.stmt, ...]
    code: Any


def class_name(source: Source, module: str) -> str:
    """The name of the trial's class: ``train.py`` makes ``TrainTrial``."""
    words = re.split(r"[^0-9A-Za-z]+", module.rpartition(".")[2])
    name = "".join(word[:1].upper() + word[1:] for word in words).removesuffix("Trial") + "Trial"
    while not name[:1].isalpha() or source.names.module_bindings(name):
        name = f"Script{name}"
    return name


def with_trial(source: Source, name: str, context: str, project: Container[str]) -> str:
    """The text of a script with its trial, below what stays.

    ``context`` is the script's name for its context, if it has one.
    """
    module = cst.parse_module(source.text)
    stay = _staying(source, project)
    lines = list(_lines(source.tree.body, module.body))
    staying = [line for line in lines if stay.issuperset(line.nodes)]
    moving, footer = _without_guards([line for line in lines if line not in staying])
    shared = _shared(staying, moving, context)
    parameter_name = "trial_context" if context in shared else context
    parameter = f"{parameter_name}: TFKerasTrialContext" if parameter_name else "hparams"
    generator = "script"
    while source.names.module_bindings(generator):
        generator += "_"
    code = f"{generator}({parameter_name})"
    first = [f"global {', '.join(shared)}"] if shared else []
    first += [f"{context} = {parameter_name}"] if parameter_name != context else []
    definition: Any = cst.parse_statement(f"def {code}:\n    pass\n")
    inner = [*map(cst.parse_statement, first), *(line.code for line in moving)]
    function = definition.with_changes(
        body=definition.body.with_changes(body=_spaced(inner), footer=footer)
    )
    trial: Any = cst.parse_statement(_TRIAL.format(name=name, parameter=parameter, call=code))
    blank = [cst.EmptyLine(indent=False)] * 2
    added = [statement.with_changes(leading_lines=blank) for statement in (function, trial)]
    return module.with_changes(body=[*(line.code for line in staying), *added]).code


def _lines(nodes: Sequence[ast.stmt], codes: Sequence[Any]) -> Iterator[_Line]:
    rest = iter(nodes)
    for code in codes:
        count = len(code.body) if isinstance(code, cst.SimpleStatementLine) else 1
        yield _Line(tuple(itertools.islice(rest, count)), code)


def _without_guards(lines: Sequence[_Line]) -> tuple[list[_Line], Sequence[Any]]:
    """Lines with the bodies of main guards in place of the guards, and the comments at the end."""
    unguarded: list[_Line] = []
    footer: Sequence[Any] = ()
    for line in lines:
        guard, code = line.nodes[0], line.code
        footer = ()
        if not is_guard(guard):
            unguarded.append(line)
            continue
        assert isinstance(guard, ast.If)
        codes, footer = list(code.body.body), code.body.footer
        above, comment = list(code.leading_lines), code.body.header.comment
        above += [cst.EmptyLine(comment=comment)] if comment is not None else []
        codes[0] = codes[0].with_changes(leading_lines=[*above, *codes[0].leading_lines])
        unguarded += _lines(guard.body, codes)
    return unguarded, footer


def _spaced(lines: Iterable[Any]) -> list[Any]:
    """Lines of a function: at most one blank line above each, none above the first."""
    spaced = []
    for number, line in enumerate(lines):
        leading = list(line.leading_lines)
        while leading and leading[0].comment is None:
            leading.pop(0)
        if number and len(leading) < len(line.leading_lines):
            leading.insert(0, cst.EmptyLine())
        leading = [above.with_changes(indent=above.comment is not None) for above in leading]
        spaced.append(line.with_changes(leading_lines=leading))
    return spaced or [cst.SimpleStatementLine([cst.Pass()])]


# What stays in the module.


def _staying(source: Source, project: Container[str]) -> set[ast.stmt]:
    """The statements of a script that stay in its module.

    After one that moves, others stay if they can run before it: they read no values.
    """
    stay: set[ast.stmt] = set()
    moved: set[str] = set()
    used = _known_inside(source.tree.body)
    bound = [_bound([statement]) for statement in source.tree.body]
    times = Counter(itertools.chain.from_iterable(bound))
    for number, node in enumerate(source.tree.body):
        is_first = number == len(stay)
        at_once = [*run_at_once(node)]
        names = {part.id for part in at_once if isinstance(part, ast.Name)}
        runs_code = any(_is_own_import(part, project) for part in at_once)
        runs_code |= _reads_values(source, at_once)
        is_free = names.isdisjoint(moved) and (is_first or not runs_code)
        is_free &= all(_means_one(source, name, times) for name in bound[number])
        if is_free and _may_stay(source, node, is_first, used):
            stay.add(node)
        else:
            moved |= bound[number]
    return stay


def _means_one(source: Source, name: str, times: Mapping[str, int]) -> bool:
    """Whether one statement binds a name, or several do by the same import."""
    bindings = {*source.names.module_bindings(name)}
    return times[name] == 1 or (len(bindings) == 1 and None not in bindings)


def _reads_values(source: Source, nodes: Iterable[ast.AST]) -> bool:
    """Whether some code reads names of the module that are no imports and no definitions."""
    definitions = {getattr(statement, "name", None) for statement in source.tree.body}
    read = {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    return any(None in source.names.module_bindings(name) for name in read - definitions)


def _is_own_import(node: ast.AST, project: Container[str]) -> bool:
    """Whether a statement imports modules of the project, and so runs code of it."""
    match node:
        case ast.ImportFrom(module=module, level=level):
            return bool(level) or str(module).partition(".")[0] in project
        case ast.Import(names=aliases):
            return any(alias.name.partition(".")[0] in project for alias in aliases)
    return False


def _may_stay(source: Source, node: ast.stmt, is_first: bool, used: set[str]) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Global():
            return True
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return is_first or not any(isinstance(part, ast.Call) for part in run_at_once(node))
        case ast.Expr(value=ast.Constant()):
            return is_first
        case ast.Expr(value=ast.Call() as call):
            is_setting = (source.names.qualified(call.func) or "").startswith(_SETTINGS)
            arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
            return is_setting and all(_is_constant(source, argument) for argument in arguments)
        case ast.Assign(targets=[ast.Subscript(value=target)]):
            return source.names.qualified(target) == "os.environ"
        case (
            ast.Assign(targets=[ast.Name() | ast.Tuple()], value=value)
            | ast.AnnAssign(target=ast.Name(), value=value)
        ):
            has_calls = any(isinstance(part, ast.Call) for part in ast.walk(node))
            return _is_constant(source, value) and all(
                len(source.names.module_bindings(name)) == 1
                and (is_first or (name in used and not has_calls))
                for name in _bound([node])
            )
        case ast.Try() | ast.If():
            _, *inner = [part for part in ast.walk(node) if isinstance(part, ast.stmt)]
            has_import = any(isinstance(part, ast.Import | ast.ImportFrom) for part in inner)
            return has_import and all(
                _may_stay(source, statement, True, used)
                or (isinstance(statement, ast.Assign) and _is_constant(source, statement.value))
                for statement in inner
            )
    return False


def _is_constant(source: Source, value: ast.AST | None) -> bool:
    """Whether a value is computed from literals and names, without side effects."""
    kinds = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
    nodes = list(ast.walk(value)) if value is not None else []
    return not any(
        isinstance(node, kinds) or (isinstance(node, ast.Call) and not is_pure(source, node))
        for node in nodes
    )


def is_pure(source: Source, call: ast.Call) -> bool:
    """Whether a call computes from its arguments alone."""
    if isinstance(call.func, ast.Name) and source.names.binder(call.func) is None:
        return call.func.id in _PURE_BUILTINS
    return (source.names.qualified(call.func) or "").startswith(_PURE)


# Names, as Python sees them.


def _shared(staying: Sequence[_Line], moving: Sequence[_Line], context: str) -> list[str]:
    """The names that the generator binds and the module's functions use: these are global."""
    stay = [node for line in staying for node in line.nodes]
    move = [node for line in moving for node in line.nodes]
    bound = _bound(move) | ({context} - {""})
    if not _LOOKING.isdisjoint(_known(move)):
        return sorted(bound)
    symbols = (symbol for inner in _inner(_table(move)) for symbol in inner.get_symbols())
    declared = {symbol.get_name() for symbol in symbols if symbol.is_declared_global()}
    return sorted(bound & (_known(stay) | declared | {*dir(builtins)}))


def _bound(statements: Sequence[ast.stmt]) -> set[str]:
    """The names that some statements bind in their scope."""
    symbols = _table(statements).get_symbols()
    return {symbol.get_name() for symbol in symbols if symbol.is_assigned() or symbol.is_imported()}


def _known(statements: Sequence[ast.stmt]) -> set[str]:
    """The names that some statements use in their own scope."""
    return {*_table(statements).get_identifiers()} | _known_inside(statements)


def _known_inside(statements: Sequence[ast.stmt]) -> set[str]:
    """The names that functions and classes among some statements use from around them."""
    symbols = (symbol for table in _inner(_table(statements)) for symbol in table.get_symbols())
    return {symbol.get_name() for symbol in symbols if symbol.is_free() or symbol.is_global()}


def _inner(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    """The symbols of the functions, classes and comprehensions in a scope."""
    for child in table.get_children():
        yield child
        yield from _inner(child)


def _table(statements: Sequence[ast.stmt]) -> symtable.SymbolTable:
    """The symbols of some statements, as those of a function, which may yield."""
    text = "\n".join(map(ast.unparse, statements)) or "pass"
    text = _STAR.sub("pass", text)  # a function cannot have it
    head = "def script():\n"
    return symtable.symtable(head + textwrap.indent(text, " "), "script", "exec").get_children()[0]
