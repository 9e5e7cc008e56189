"""Find the calls in a script that train a model, and the functions that lead to them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pedl2det.analysis.bindings import SCOPES
from pedl2det.analysis.flow import Flow
from pedl2det.analysis.flow.values import Callable, has_hidden_arguments
from pedl2det.analysis.membership import module
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.source import Source
from pedl2det.fixes import AddArgument, Edit, RenameKeyword, Replace

#: A place, what is wrong there, and what to write.
Problem = tuple[ast.AST, str, str]

WRITE_TRIAL = (
    "write a trial: build_model, build_training_data_loader and build_validation_data_loader"
)
_NO_FIT = "no call of fit on a model was found that the script itself makes"
_AGAIN = "fit may be called more than once, but a trial trains one model once"
_NO_VALIDATION = "fit gets no validation_data, which every trial needs"
_WRITE_VALIDATION = "pass validation_data=... to fit"
_BESIDE = "what this imports is found by a script alone, from its own folder"
_HIDDEN = "`{}` trains where the trial cannot resume the script"

#: The parameters of ``fit`` and ``fit_generator`` that come first, by their names for ``fit``.
_PARAMETERS = {
    "fit": (
        *("x", "y", "batch_size", "epochs", "verbose", "callbacks", "validation_split"),
        "validation_data",
    ),
    "fit_generator": (
        *("x", "steps_per_epoch", "epochs", "verbose", "callbacks", "validation_data"),
        "validation_steps",
    ),
}
#: Keyword arguments that ``fit`` of a model has, and ``fit`` of no other object.
_KEYWORDS = {
    *("epochs", "nb_epoch", "validation_data", "validation_split", "batch_size", "callbacks"),
    *("steps_per_epoch", "validation_steps", "class_weight", "initial_epoch", "workers"),
}
_VALIDATION = {"validation_data", "validation_split"}
_KERAS = ("keras.", "tensorflow.", "tf_keras.")


class Fits:
    """The calls that train in a script; ``scripts`` has the ids of all scripts."""

    def __init__(self, modules: Modules, script: Source, scripts: set[int]) -> None:
        self.modules = modules
        self.flow = Flow(modules)
        self._script = script
        self._scripts = scripts
        self._fits = [call for call in modules.of(ast.Call) if self._is_fit(call)]
        reached = self._reached(script)
        self._by_scripts = self._reached(*(one for one in modules if id(one) in scripts), script)
        #: The calls of ``fit`` that the script makes, itself or through functions.
        self.calls = [call for call in self._fits if self._around(call) in reached]
        self.functions: set[Callable] = set()  #: that lead to them
        self.callers: list[ast.Call] = []  #: the calls of these functions
        more = {self._around(call) for call in self.calls} - {script}
        while more:
            self.functions |= more  # type: ignore[arg-type]
            calls = [call.node for function in more for call in self.flow.calls(function)]  # type: ignore[arg-type]
            self.callers += calls
            more = ({self._around(call) for call in calls} & reached) - self.functions - {script}

    def _around(self, node: ast.AST) -> ast.AST | Source:
        """The function, lambda or class around a node, or its file."""
        home = self.modules.home(node)
        return home.names.definition_around(node) or home

    def _reached(self, *scripts: Source) -> set[ast.AST | Source]:
        """Scripts, and the functions that they call, themselves or through others."""
        reached: set[ast.AST | Source] = {*scripts}
        calls = [call for script in scripts for call in script.names.of(ast.Call)]
        calls = [call for call in calls if self._around(call) in scripts]
        while calls:
            for function in {*self.flow.called(calls.pop())} - reached:
                reached.add(function)
                nodes = self.modules.home(function).names.below(function)
                calls += [node for node in nodes if isinstance(node, ast.Call)]
        return reached

    def _is_fit(self, call: ast.Call) -> bool:
        """Whether a call may train a Keras model."""
        match call.func:
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
                return False
            case ast.Attribute(value=model, attr=name) if name in _PARAMETERS:
                keywords = {keyword.arg for keyword in call.keywords}
                is_certain = name == "fit_generator" or not _KEYWORDS.isdisjoint(keywords)
                return not self.flow.called(call) and (is_certain or not self._is_other(model))
        return False

    def _is_other(self, node: ast.expr) -> bool:
        """Whether a value certainly comes from another library, or is no model of Keras."""
        origins = [origin.node for origin in self.flow.origins(node)]
        for maker in origins:
            meaning = self.modules.meaning(maker.func) if isinstance(maker, ast.Call) else None
            if meaning is None or self.modules.split(meaning)[0] is not None:
                return False
            if meaning.startswith(_KERAS) and ".preprocessing." not in meaning:
                return False
        return bool(origins)

    def lacking(self) -> Iterator[Problem]:
        """What rules out any trial: no ``fit`` at all, or no validation data."""
        if not any("fit" in source.text for source in self.modules):
            yield self._no_fit
        elif self.calls and all(map(_lacks_validation, self.calls)):
            yield self.calls[0], _NO_VALIDATION, _WRITE_VALIDATION

    @property
    def _no_fit(self) -> Problem:
        tree = self._script.tree
        return next(iter([*self._fits, *tree.body]), tree), _NO_FIT, WRITE_TRIAL

    def problems(self) -> Iterator[Problem]:
        """What keeps the script from becoming a generator that yields once."""
        if not self.calls:
            yield self._no_fit
        folder, files = self._script.path.parent, {source.path for source in self.modules}
        for line in self._script.names.of(ast.Import, ast.ImportFrom):
            first = getattr(line, "module", None) or line.names[0].name
            if first not in self.modules.by_name and module(folder, first) in files:
                yield line, _BESIDE, WRITE_TRIAL
        for call in [*self.calls, *self.callers]:
            others = not self.functions.issuperset(self.flow.called(call))
            if others or not self._may_yield(call):
                yield call, _HIDDEN.format(ast.unparse(call.func)), WRITE_TRIAL
        for function in self.functions:
            names = self.modules.home(function).names
            yields = any(
                isinstance(node, ast.Yield | ast.YieldFrom)
                for node in names.below(function)
                if names.definition_around(node) is function
            )
            is_plain = isinstance(function, ast.FunctionDef) and not function.name.startswith("__")
            if not is_plain or yields or self.flow.escapes(function):
                name = getattr(function, "name", "lambda")
                yield function, _HIDDEN.format(name), WRITE_TRIAL
        for call in self.calls:
            around = self.modules.home(call).names.around(call)
            in_loop = any(isinstance(outer, ast.For | ast.While) for outer in around)
            if in_loop:
                yield call, _AGAIN, WRITE_TRIAL
            elif _lacks_validation(call):
                yield call, _NO_VALIDATION, _WRITE_VALIDATION
        for call in self.calls[1:]:
            yield call, _AGAIN, WRITE_TRIAL

    def _may_yield(self, call: ast.Call) -> bool:
        """Whether scripts make a call in a function or at their top, and in no comprehension."""
        home = self.modules.home(call)
        scope = next(
            (outer for outer in home.names.around(call) if isinstance(outer, SCOPES)), home.tree
        )
        is_script = scope is home.tree and id(home) in self._scripts
        return is_script or (isinstance(scope, ast.FunctionDef) and scope in self._by_scripts)


def _lacks_validation(call: ast.Call) -> bool:
    return not has_hidden_arguments(call) and _VALIDATION.isdisjoint(arguments_of(call))


def arguments_of(call: ast.Call) -> dict[str, ast.expr]:
    """The visible arguments by name, without those that are None."""
    assert isinstance(call.func, ast.Attribute)
    arguments = dict(zip(_PARAMETERS[call.func.attr], call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg is not None:
            arguments["x" if keyword.arg == "generator" else keyword.arg] = keyword.value
    return {
        name: value
        for name, value in arguments.items()
        if not (isinstance(value, ast.Constant) and value.value is None)
    }


def as_record(call: ast.Call) -> list[Edit]:
    """The edits that write ``legacy_keras.Fit(model, ...)`` for ``model.fit(...)``."""
    assert isinstance(call.func, ast.Attribute)
    edits: list[Edit] = [
        Replace(call.func, "legacy_keras.Fit"),
        AddArgument(call, "{model}", first=True, holes={"model": call.func.value}),
    ]
    edits += [
        RenameKeyword(keyword, "x") for keyword in call.keywords if keyword.arg == "generator"
    ]
    if call.func.attr == "fit_generator":
        names = zip(_PARAMETERS["fit_generator"], call.args, strict=False)
        edits += [RenameKeyword(value, name) for name, value in list(names)[1:]]
    return edits


def batch_size(fits: Fits) -> int:
    """The batch size in ``fit``, or in the call that makes its data; else the default of Keras."""
    for call in fits.calls:
        arguments = arguments_of(call)
        size = arguments.get("batch_size")
        data = _only_origin(fits.flow, arguments.get("x"))
        while size is None and isinstance(data, ast.Call):
            keywords = {keyword.arg: keyword.value for keyword in data.keywords}
            size = keywords.get("batch_size")
            method = data.func if isinstance(data.func, ast.Attribute) else None
            if method is not None and method.attr in ("batch", "padded_batch"):
                size = next(iter(data.args), size)
            data = _only_origin(fits.flow, method.value if method is not None else None)
        number = _only_origin(fits.flow, size)
        if isinstance(number, ast.Constant) and isinstance(number.value, int):
            return number.value
    return 32


def _only_origin(flow: Flow, node: ast.AST | None) -> ast.AST | None:
    """The only origin of a value; None if it may have several."""
    origins = flow.origins(node) if node is not None else []
    return origins[0].node if len(origins) == 1 and not origins[0].path else None
