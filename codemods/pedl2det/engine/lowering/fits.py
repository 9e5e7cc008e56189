"""Which calls train a model: ``fit`` and ``fit_generator`` of Keras models."""

from __future__ import annotations

import ast

from pedl2det.analysis.flow import Callable, Flow, Function
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.source import Source

FITS = ("fit", "fit_generator")
#: Arguments that ``fit`` of a model has, and ``fit`` of no other object.
_ARGUMENTS = {
    *("epochs", "nb_epoch", "validation_data", "validation_split", "batch_size", "callbacks"),
    *("steps_per_epoch", "validation_steps", "class_weight", "initial_epoch", "workers"),
}
_KERAS = ("keras.", "tensorflow.keras.", "tensorflow.python.keras.", "tensorflow.contrib.keras.")
_MAKERS = ("Model", "Sequential", "load_model", "clone_model", "model_from_json")


class Fits:
    """The trainings of a project.

    Args:
        modules: its files.
    """

    def __init__(self, modules: Modules) -> None:
        self.modules = modules
        self.flow = Flow(modules)
        self._compiled = [
            (call.func.value, {one.node for one in self.flow.origins(call.func.value)})
            for source in modules
            for call in source.names.of(ast.Call)
            if isinstance(call.func, ast.Attribute) and call.func.attr == "compile"
        ]

    def calls(self, source: Source) -> list[ast.Call]:
        """The calls in a file that train a model."""
        return [call for call in source.names.of(ast.Call) if self.is_fit(call)]

    def is_fit(self, call: ast.Call) -> bool:
        """Whether a call trains a Keras model."""
        func = call.func
        if self.is_recorded(call):
            return True
        if not isinstance(func, ast.Attribute) or func.attr not in FITS:
            return False
        if isinstance(func.value, ast.Call) and getattr(func.value.func, "id", "") == "super":
            return False
        if self.flow.called(call):
            return False
        if func.attr == "fit_generator" or {one.arg for one in call.keywords} & _ARGUMENTS:
            return True
        origins = {one.node for one in self.flow.origins(func.value)}
        text = ast.unparse(func.value)
        return any(self._is_keras_model(one) for one in origins) or any(
            origins & others or (ast.unparse(node) == text and self._is_near(node, func.value))
            for node, others in self._compiled
        )

    def is_recorded(self, call: ast.Call) -> bool:
        """Whether a call is already what takes the place of one that trains."""
        return ast.unparse(call.func) == "legacy_keras.Fit"

    def _is_near(self, one: ast.AST, other: ast.AST) -> bool:
        """Whether two nodes stand in the same function."""
        home = self.modules.home(one)
        return home is self.modules.home(other) and (
            home.names.function_of(one) is home.names.function_of(other)
        )

    def _is_keras_model(self, node: ast.AST) -> bool:
        if not isinstance(node, ast.Call):
            return False
        dotted = self.modules.meaning(node.func) or ""
        return dotted.startswith(_KERAS) and dotted.rpartition(".")[2] in _MAKERS

    # Functions in which a model is trained.

    def trainings(self, script: Source) -> tuple[list[ast.Call], set[Callable]]:
        """The calls that a script trains by, in all files, and the functions that lead to them."""
        reached = self._reached(script)
        found = [
            call
            for source in self.modules
            for call in self.calls(source)
            if (_function_around(source, call) or source) in reached
        ]
        leading: set[Callable] = set()
        more = {_function_around(self.modules.home(call), call) for call in found} - {None}
        while more:
            leading |= more  # type: ignore[arg-type]
            callers = {
                _function_around(self.modules.home(call.node), call.node)
                for function in more
                for call in self.flow.calls(function)  # type: ignore[arg-type]
            }
            more = (callers & reached) - leading
        return found, leading

    def _reached(self, script: Source) -> set[Callable | Source | None]:
        """A script, and the functions that it calls, itself or through others."""
        found: set[Callable | Source | None] = {script}
        calls = [c for c in script.names.of(ast.Call) if _function_around(script, c) is None]
        while calls:
            functions = {*self.flow.called(calls.pop())} - found
            found |= functions
            for one in functions:
                nodes = self.modules.home(one).names.below(one)
                calls += [node for node in nodes if isinstance(node, ast.Call)]
        return found


def _function_around(source: Source, node: ast.AST) -> Callable | None:
    """The innermost function around a node."""
    while node in source.names.parents:
        node = source.names.parents[node]
        if isinstance(node, Function | ast.Lambda):
            return node
    return None


def called_by(statement: ast.stmt) -> ast.Call | None:
    """The call that a statement consists of: ``f()``, ``x = f()``."""
    match statement:
        case ast.Expr(value=ast.Call() as call):
            return call
        case ast.Assign(targets=[ast.Name()], value=ast.Call() as call):
            return call
    return None
