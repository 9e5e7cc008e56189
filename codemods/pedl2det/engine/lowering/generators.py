"""Turn functions that train into generators, which yield what they give to ``fit``."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from pedl2det import fixes as fx
from pedl2det.analysis.bindings import COMPREHENSIONS
from pedl2det.analysis.names import Names
from pedl2det.analysis.source import Source
from pedl2det.engine.lowering.fit_call import arguments_of, as_record, hides_arguments
from pedl2det.engine.lowering.fits import Fits
from pedl2det.engine.lowering.script import Script
from pedl2det.engine.lowering.statements import own_nodes
from pedl2det.findings import Kind

_YIELDED = "the script yields what it gave to fit, and goes on when the training ends"
_AGAIN = "fit is called a second time, and a trial trains one model, once"
_WRITE_TWO = "make a second trial of it, which starts from a checkpoint of the first"
_LOOP = "fit is called in a loop, and a trial trains one model, once"
_WRITE_ONE = "leave the loop out; the number of epochs is said by searcher.max_length"
_NO_VALIDATION = "fit gets no validation_data, which every trial needs"
_WRITE_VALIDATION = "give fit validation_data=..."
_HIDDEN = "`{}` trains where the trial cannot resume the script"
WRITE_TRIAL = (
    "write a trial: build_model, build_training_data_loader and build_validation_data_loader"
)

#: A place, what is wrong there, and what to write.
Problem = tuple[ast.AST, str, str]
Edits = dict[Source, list[fx.Edit]]


def as_generators(script: Script, fits: Fits, spared: ast.Call | None) -> tuple[Script, Edits]:
    """Yield at each call that trains, in all files.

    Args:
        script: the script.
        fits: the trainings of the project.
        spared: a call of a function that trains, which the trial makes itself.
    """
    edits: Edits = defaultdict(list)
    trainings, functions = fits.trainings(script.source)
    for call in trainings:
        source = fits.modules.home(call)
        if not fits.is_recorded(call):
            edits[source] += [*as_record(call), _yielding(source, call, "yield")]
        if source is script.source:
            script = script.saying(call, Kind.NOTE, _YIELDED)
    callers = {call.node: None for one in functions for call in fits.flow.calls(one)}
    for call in callers:
        source = fits.modules.home(call)
        if call is not spared and not isinstance(source.names.parents[call], ast.YieldFrom):
            edits[source].append(_yielding(source, call, "yield from"))
    for function in functions:
        if isinstance(function, ast.FunctionDef) and function.returns is not None:
            edits[fits.modules.home(function)].append(fx.Annotate(function))
    for node, message, help_ in _problems(script, trainings):
        script, mark = script.marking(node, message, help_)
        edits[script.source].append(mark)
    return script, edits


def _yielding(source: Source, call: ast.Call, keyword: str) -> fx.Edit:
    """Yield a call, or from it: without parentheses where it is all of a statement."""
    statement = source.names.parents[call]
    target = ""
    match statement:
        case ast.Assign(targets=[one]):
            target = f"{source.segment(one)} = "
        case ast.AnnAssign(target=one, annotation=kind):
            target = f"{source.segment(one)}: {source.segment(kind)} = "
    if target or isinstance(statement, ast.Expr):
        assert isinstance(statement, ast.stmt)
        return fx.ReplaceStatement(statement, f"{target}{keyword} {{call}}", {"call": call})
    return fx.Replace(call, f"({keyword} {{call}})", {"call": call})


def _problems(script: Script, calls: list[ast.Call]) -> Iterator[Problem]:
    """What no trial can do, in the script itself, with what to write."""
    names = script.source.names
    mine = [one for one in calls if one in names.parents]
    for number, call in enumerate(mine):
        given = arguments_of(call).keys() | (
            {"validation_data"} if hides_arguments(call) else set()
        )
        if any(isinstance(one, ast.For | ast.While) for one in _around(names, call)):
            yield call, _LOOP, _WRITE_ONE
        elif any(_both_run(names, one, call) for one in mine[:number]):
            yield call, _AGAIN, _WRITE_TWO
        elif not given & {"validation_data", "validation_split"}:
            yield call, _NO_VALIDATION, _WRITE_VALIDATION


def unfit(script: Script) -> Iterator[Problem]:
    """What keeps a script from becoming a generator."""
    fits = Fits(script.modules())
    calls, functions = fits.trainings(script.source)
    calls += [call.node for one in functions for call in fits.flow.calls(one)]
    for call in calls:
        names = fits.modules.home(call).names
        is_other = not functions.issuperset(fits.flow.called(call))
        if is_other or _is_hidden(names, call):
            yield _place(script, call), _HIDDEN.format(ast.unparse(call.func)), WRITE_TRIAL
    for function in functions:
        name = getattr(function, "name", "lambda")
        own = own_nodes(ast.iter_child_nodes(function))
        yields = any(isinstance(one, ast.Yield) and not _is_recorded(fits, one) for one in own)
        is_plain = isinstance(function, ast.FunctionDef) and not name.startswith("__")
        if yields or not is_plain or fits.flow.escapes(function):
            yield _place(script, function), _HIDDEN.format(name), WRITE_TRIAL


def _place(script: Script, node: ast.AST) -> ast.AST:
    """A node of the script, or its first statement for one of another file."""
    return node if node in script.source.names.parents else script.source.tree.body[0]


def _is_recorded(fits: Fits, node: ast.Yield) -> bool:
    return isinstance(node.value, ast.Call) and fits.is_recorded(node.value)


def _is_hidden(names: Names, call: ast.Call) -> bool:
    """Whether a call stands where nothing can be yielded: in a comprehension, or a class."""
    for node in _around(names, call):
        if isinstance(node, ast.FunctionDef | ast.Module):
            return False
        if isinstance(node, (ast.Lambda, ast.AsyncFunctionDef, ast.ClassDef, *COMPREHENSIONS)):
            return True
    return False


def _both_run(names: Names, one: ast.AST, other: ast.AST) -> bool:
    """Whether two calls of one function do not stand in different branches of an ``if``."""
    if names.definition_around(one) is not names.definition_around(other):
        return False
    mine = {one, *_around(names, one)}
    for node in _around(names, other):
        if node in mine:
            branches = [node.body, node.orelse] if isinstance(node, ast.If) else []
            inside = [{id(n) for part in branch for n in ast.walk(part)} for branch in branches]
            return not any((id(one) in found) != (id(other) in found) for found in inside)
    return True


def _around(names: Names, node: ast.AST) -> Iterator[ast.AST]:
    while node in names.parents:
        node = names.parents[node]
        yield node
