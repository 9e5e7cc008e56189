"""Which calls train a model: ``fit`` and ``fit_generator`` of Keras models."""

from __future__ import annotations

import ast
from collections.abc import Iterator

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
_EXITS = ("sys.exit", "exit", "quit")
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
        if self.called(call):
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

    def training_functions(self) -> set[Callable]:
        """The functions that train a model, themselves or through others."""
        found: set[Callable] = set()
        for source in self.modules:
            for call in self.calls(source):
                found |= set(_functions_around(source, call))
        while True:
            more = {
                function
                for source in self.modules
                for call in source.names.of(ast.Call)
                if any(one in found for one in self.called(call))
                for function in _functions_around(source, call)
            }
            if more <= found:
                return found
            found |= more

    def called(self, call: ast.Call) -> list[Callable]:
        """The functions of the project that a call may call, methods of objects included."""
        found = self.flow.called(call)
        if found or not isinstance(call.func, ast.Attribute):
            return found
        methods: list[Callable] = []
        for origin in self.flow.origins(call.func.value):
            owner = self._class_of(origin.node) if not origin.path else None
            method = self.flow.method(owner, call.func.attr) if owner is not None else None
            if method is None:
                return []
            methods.append(method)
        return list(dict.fromkeys(methods))

    def _class_of(self, node: ast.AST) -> ast.ClassDef | None:
        """The class of the project that a call makes an object of."""
        if not isinstance(node, ast.Call):
            return None
        found = [one.node for one in self.flow.origins(node.func) if not one.path]
        owner = found[0] if len(found) == 1 else None
        return owner if isinstance(owner, ast.ClassDef) else None


def _functions_around(source: Source, node: ast.AST) -> Iterator[Callable]:
    """The function around a node."""
    while node in source.names.parents:
        node = source.names.parents[node]
        if isinstance(node, Function | ast.Lambda):
            yield node
            return


def called_by(source: Source, statement: ast.stmt) -> ast.Call | None:
    """The call that a statement consists of: ``f()``, ``x = f()``, ``sys.exit(f())``."""
    match statement:
        case ast.Expr(value=value) | ast.Assign(targets=[ast.Name()], value=value):
            pass
        case ast.Raise(exc=ast.Call(func=ast.Name(id="SystemExit"), args=[value])):
            pass
        case _:
            return None
    if isinstance(value, ast.Call) and len(value.args) == 1:
        name = source.names.qualified(value.func) or ast.unparse(value.func)
        value = value.args[0] if name in _EXITS else value
    return value if isinstance(value, ast.Call) else None
