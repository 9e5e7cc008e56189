"""``wrap_model`` before ``compile`` says which model is trained; ``wrap_optimizer`` says with what.

An optimizer that was given by its name becomes an object, which a checkpoint can hold, of the class
that the name meant. Where the context cannot be had, ``legacy_keras`` asks for it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pedl2det.analysis import old_keras
from pedl2det.analysis.flow import Function, Way
from pedl2det.analysis.local_use import is_local
from pedl2det.analysis.metric_names import renamed_since_tf1
from pedl2det.analysis.models import (
    Compile,
    build_methods,
    compiles,
    is_model_class,
    looked_through,
    makes_model,
)
from pedl2det.analysis.old_keras import LEGACY, OPTIMIZERS
from pedl2det.analysis.optimizers import BY_NAME, Given, given
from pedl2det.analysis.spelling import spell
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import AddArgument, Edit, Extract, Fix, InsertBefore, Remark, Replace
from pedl2det.rules import cases_wrap_model
from pedl2det_names import Age

ID = "P008"
NAME = "wrap-model"

_FITS = ("fit", "fit_generator", "train_on_batch")
_WRITE = (
    "model = self.context.wrap_model(model)\n"
    "optimizer = self.context.wrap_optimizer(optimizer)\n"
    "model.compile(optimizer, ...)"
)


@dataclass(frozen=True)
class _Place:
    """How one call of ``compile`` reaches the context.

    Attributes:
        compiled: the call.
        prefix: what ``wrap_model`` is an attribute of.
        function: the function around it.
    """

    compiled: Compile
    prefix: str
    function: Function

    @property
    def statement(self) -> ast.Expr | None:
        """The statement that is nothing but the call."""
        parent = self.compiled.source.names.parents.get(self.compiled.call)
        return parent if isinstance(parent, ast.Expr) else None


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Wrap what is compiled."""
    methods = build_methods(trial)
    if not methods:
        return
    found = compiles(trial)
    if trial.generation is Generation.CONTEXT:
        found = [one for one in found if _is_unfinished(trial, one)]
    trained = [one for one in found if one.is_trained]
    for one in found:
        if one.is_trained:
            yield from _compiled(trial, one, methods)
        else:
            yield from _other(trial, one)
    if trained:
        yield from _fits(trial, trained)
    if trained or trial.generation is Generation.CONTEXT:
        return
    for method in methods:
        message = "no call of compile is visible for the model that build_model returns"
        yield Remark(ID, trial.modules.home(method), method, Kind.LEFT, message, _WRITE)


def _is_unfinished(trial: Trial, compiled: Compile) -> bool:
    """Whether a context-based trial has to say more about what it compiles.

    An optimizer that is named by a text has no state that a checkpoint of Determined could save.
    """
    if not compiled.is_wrapped:
        return False
    is_aged = old_keras.age(trial) is not Age.CURRENT
    return is_aged or any(given(trial, one) is Given.NAME for one in _optimizers(trial, compiled))


def _compiled(trial: Trial, compiled: Compile, methods: list[Function]) -> Iterator[Fix | Remark]:
    source, call = compiled.source, compiled.call
    function = source.names.function_of(call)
    if function is None:
        message = "the model is compiled while its module is imported, before there is a context"
        yield Remark(ID, source, call, Kind.LEFT, message, f"in build_model, write\n{_WRITE}")
        return
    owner = source.names.class_around(call)
    in_model = owner is not None and is_model_class(trial, owner)
    has_context = trial.context.at(call) is not None and not in_model
    place = _Place(compiled, "{context}" if has_context else "legacy_keras", function)
    if any(isinstance(one, ast.Starred) for one in call.args) or any(
        one.arg is None for one in call.keywords
    ):
        edits, imports = _hidden(trial, place)
    else:
        edits, imports = _visible(trial, place)
    if edits:
        yield Fix(
            ID,
            source,
            call,
            tuple(edits),
            imports=imports,
            assumptions=tuple(_assumptions(trial, function, methods)),
            config=renamed_since_tf1(trial, call),
        )


#: Edits, and the imports that they need.
_Parts = tuple[list[Edit], tuple[str, ...]]


def _visible(trial: Trial, place: _Place) -> _Parts:
    """The edits of a call whose arguments are all visible."""
    edits = _model(place)
    imports: list[str] = []
    for argument in _optimizers(trial, place.compiled):
        more, lines = _optimizer(trial, place, argument)
        edits += more
        imports += lines
    if not _has_optimizer(trial, place.compiled):
        spelling = spell(place.compiled.source, f"{LEGACY}.RMSprop")
        code = f"optimizer={place.prefix}.wrap_optimizer({spelling.code}())"
        edits.append(AddArgument(place.compiled.call, code))
        imports += spelling.imports
    return edits, tuple(imports)


def _model(place: _Place) -> list[Edit]:
    """``model = self.context.wrap_model(model)``, or the call around the model's expression."""
    if place.compiled.is_wrapped:
        return []
    model = place.compiled.model
    is_name = _is_local(place, model) or _is_plain_attribute(place, model)
    if place.statement is not None and is_name:
        code = f"{ast.unparse(model)} = {place.prefix}.wrap_model({{model}})"
        return [InsertBefore(place.statement, code, {"model": model})]
    return [Replace(model, f"{place.prefix}.wrap_model({{model}})", {"model": model})]


def _is_local(place: _Place, node: ast.expr) -> bool:
    """Whether an expression is a variable of the function around it, other than ``self``."""
    names = place.compiled.source.names
    function = names.definition_around(node)
    if not isinstance(node, ast.Name) or names.binder(node) is not function:
        return False
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    is_method = isinstance(names.parents.get(function), ast.ClassDef)
    arguments = function.args.args
    return not (is_method and arguments and arguments[0].arg == node.id)


def _is_plain_attribute(place: _Place, node: ast.expr) -> bool:
    """Whether an expression is ``self.x`` that the class itself sets."""
    names = place.compiled.source.names
    owner = names.parents.get(place.function)
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return False
    return isinstance(owner, ast.ClassDef) and any(
        isinstance(one, ast.Attribute)
        and isinstance(one.ctx, ast.Store)
        and ast.unparse(one) == ast.unparse(node)
        for one in names.below(owner)
    )


def _optimizers(trial: Trial, compiled: Compile) -> list[ast.expr]:
    """The arguments that are optimizers."""
    call = compiled.call
    if _own_compile(trial, compiled) is not None:
        values = [*call.args, *(one.value for one in call.keywords)]
        return [one for one in values if given(trial, one) is Given.OBJECT]
    named = [one.value for one in call.keywords if one.arg == "optimizer"]
    return named or call.args[:1]


def _has_optimizer(trial: Trial, compiled: Compile) -> bool:
    return bool(_optimizers(trial, compiled)) or _own_compile(trial, compiled) is not None


def _own_compile(trial: Trial, compiled: Compile) -> Function | None:
    """The ``compile`` that the model's class defines itself."""
    for origin in looked_through(trial, trial.flow.origins(compiled.model)):
        if isinstance(origin.node, ast.Call):
            for made in trial.flow.origins(origin.node.func):
                if isinstance(made.node, ast.ClassDef):
                    return trial.flow.method(made.node, "compile")
    return None


def _optimizer(trial: Trial, place: _Place, value: ast.expr) -> _Parts:
    """The edits that wrap one optimizer."""
    kind = given(trial, value)
    edits: list[Edit] = []
    if kind is Given.WRAPPED:
        return [], ()
    imports: tuple[str, ...] = ()
    wanted = "{value}"
    if kind is Given.NAME and isinstance(value, ast.Constant):
        made, imports = named_object(trial, place.compiled, value)
        edits.append(Replace(value, made))
    elif kind is not Given.OBJECT:
        piece = "standalone_optimizer" if place.compiled.is_standalone else "optimizer"
        wanted = f"legacy_keras.{piece}({{value}})"
    code = f"{place.prefix}.wrap_optimizer({wanted})"
    statement = place.statement
    if statement is not None and _is_local(place, value):
        assert isinstance(value, ast.Name)
        line = f"{value.id} = {code}"
        edits.append(InsertBefore(statement, line, {"value": value}))
    elif (
        statement is not None
        and len(_optimizers(trial, place.compiled)) == 1  # or two would have one name
        and not _is_taken(place, "optimizer")
    ):
        edits.append(Extract(value, statement, "optimizer", f"optimizer = {code}"))
    else:
        edits.append(Replace(value, code, {"value": value}))
    return edits, imports


def _is_taken(place: _Place, name: str) -> bool:
    return place.compiled.source.names.uses_name(place.function, name)


def named_object(
    trial: Trial, compiled: Compile, value: ast.Constant
) -> tuple[str, tuple[str, ...]]:
    """The optimizer that a name meant to a model, and the imports for it."""
    name = BY_NAME[str(value.value).lower()]
    module = OPTIMIZERS if old_keras.age(trial) is Age.CURRENT else LEGACY
    spelling = spell(compiled.source, f"{module}.{name}")
    said = old_keras.standalone_defaults(name) if compiled.is_standalone else ""
    return f"{spelling.code}({said})", spelling.imports


def _hidden(trial: Trial, place: _Place) -> _Parts:
    """The edits of ``compile(**options)``."""
    call, statement = place.compiled.call, place.statement
    options = next((one.value for one in call.keywords if one.arg is None), None)
    if (
        statement is not None
        and isinstance(options, ast.Name)
        and _is_local(place, options)
        and not any(isinstance(one, ast.Starred) for one in call.args)
        and not _optimizers(trial, place.compiled)
        and _holds_object(trial, options)
    ):
        key = f'{options.id}["optimizer"]'
        line = InsertBefore(statement, f"{key} = {place.prefix}.wrap_optimizer({key})")
        return [*_model(place), line], ()
    edits: list[Edit] = [
        Replace(call.func, "legacy_keras.compile_model"),
        AddArgument(call, "{model}", first=True, holes={"model": place.compiled.model}),
    ]
    return edits, ()


def _holds_object(trial: Trial, options: ast.expr) -> bool:
    """Whether a dict of options has an optimizer that is an object."""
    origins = trial.flow.origins(options, ("optimizer",))
    return bool(origins) and all(
        not one.path and isinstance(one.node, ast.expr) and given(trial, one.node) is Given.OBJECT
        for one in origins
    )


def _other(trial: Trial, compiled: Compile) -> Iterator[Fix]:
    """A model that is not the trial's own: its optimizer is what its name meant."""
    for value in _optimizers(trial, compiled):
        if isinstance(value, ast.Constant) and given(trial, value) is Given.NAME:
            made, imports = named_object(trial, compiled, value)
            edit = Replace(value, made)
            yield Fix(ID, compiled.source, compiled.call, (edit,), imports=imports)


def _assumptions(trial: Trial, function: Function, methods: list[Function]) -> Iterator[str]:
    """What is assumed where one function compiles several models."""
    calls = [one for one in trial.flow.calls(function) if not is_local(trial, one.node)]
    if function in methods or len(calls) < 2:
        return
    returned = [
        any(
            use.way is Way.RETURNED and use.function in methods for use in trial.flow.uses(one.node)
        )
        for one in calls
    ]
    if any(returned) and not all(returned):
        yield (f"the model that build_model returns is the last one that {function.name} compiles")


def _fits(trial: Trial, trained: list[Compile]) -> Iterator[Remark]:
    """A model that is trained by hand, where the context-based API trains nothing."""
    wanted = {
        origin
        for one in trained
        for origin in trial.flow.origins(one.model)
        if makes_model(trial, origin.node)
    }
    for source in trial.modules:
        for call in source.names.of(ast.Call):
            if not isinstance(call.func, ast.Attribute) or call.func.attr not in _FITS:
                continue
            if wanted & set(trial.flow.origins(call.func.value)) and not is_local(trial, call):
                said = ast.unparse(call.func)
                message = f"{said} trains the trial's model, and after wrap_model trains nothing"
                help_ = "train another model, and take its weights: model.set_weights(...)"
                yield Remark(ID, source, call, Kind.LEFT, message, help_)


CASES = cases_wrap_model.CASES
