"""Turn functions that train into generators, which yield what they give to ``fit``."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from pedl2det import fixes as fx
from pedl2det.analysis.flow import Callable
from pedl2det.analysis.names import Names
from pedl2det.analysis.scopes import COMPREHENSIONS
from pedl2det.analysis.source import Source
from pedl2det.engine.lowering.fit_call import arguments_of, as_record, hides_arguments
from pedl2det.engine.lowering.fits import Fits
from pedl2det.engine.lowering.script import Script
from pedl2det.findings import Kind

_YIELDED = "the script yields what it gave to fit, and goes on when the training ends"
_AGAIN = "fit is called a second time, and a trial trains one model, once"
_WRITE_TWO = "make a second trial of it, which starts from a checkpoint of the first"
_LOOP = "fit is called in a loop, and a trial trains one model, once"
_WRITE_ONE = "leave the loop out; the number of epochs is said by searcher.max_length"
_NO_VALIDATION = "fit gets no validation_data, which every trial needs"
_WRITE_VALIDATION = "give fit validation_data=..."
_HIDDEN = "{name} trains, and is not only called: it cannot become a generator"
WRITE_TRIAL = (
    "write a trial: build_model, build_training_data_loader and build_validation_data_loader"
)

Edits = dict[Source, list[fx.Edit]]


def as_generators(script: Script, fits: Fits, spared: ast.Call | None) -> tuple[Script, Edits]:
    """Yield at each call that trains, in all files.

    Args:
        script: the script.
        fits: the trainings of the project.
        spared: a call of a function that trains, which the trial makes itself.
    """
    edits: Edits = defaultdict(list)
    training = fits.training_functions()
    own: list[ast.Call] = []
    for source in fits.modules:
        for call in fits.calls(source):
            if not fits.is_recorded(call):
                edits[source] += [*as_record(call), _yielding(source, call, "yield")]
            own.append(call)
            if source is script.source:
                script = script.saying(call, Kind.NOTE, _YIELDED)
        for call in source.names.of(ast.Call):
            functions = fits.called(call)
            if call is spared or not functions or not all(one in training for one in functions):
                continue
            if not isinstance(source.names.parents[call], ast.YieldFrom):
                edits[source].append(_yielding(source, call, "yield from"))
    for function in training:
        if isinstance(function, ast.FunctionDef) and function.returns is not None:
            edits[fits.modules.home(function)].append(fx.Annotate(function))
    for node, message, help_ in _problems(script, fits, own, training):
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


def _problems(
    script: Script, fits: Fits, calls: list[ast.Call], training: set[Callable]
) -> Iterator[tuple[ast.AST, str, str]]:
    """What no trial can do, in the script itself, with what to write."""
    names = script.source.names
    mine = [one for one in calls if fits.modules.home(one) is script.source]
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
        elif isinstance(names.definition_around(call), (ast.Lambda, *COMPREHENSIONS)):
            yield call, _HIDDEN.format(name="an expression"), WRITE_TRIAL
    for function in training:
        home = fits.modules.home(function)
        name = getattr(function, "name", "lambda")
        if home is script.source and (name == "lambda" or fits.flow.escapes(function)):
            yield function, _HIDDEN.format(name=name), WRITE_TRIAL


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
