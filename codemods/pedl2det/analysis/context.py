"""Where the trial's context can be had: on the trial, or handed on as an argument."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pedl2det.analysis.entry import entry_of
from pedl2det.analysis.flow import Call, Flow, Function, is_classmethod, is_static
from pedl2det.analysis.scopes import is_inside


@dataclass(frozen=True)
class Access:
    """How code at a place gets the context.

    Attributes:
        code: the expression: ``self.context`` or the name of a parameter.
        through: the function that must get the context as a parameter of that name; None where the
            trial has it.
    """

    code: str
    through: Function | None = None


class ContextReach:
    """Answers where the context of the trial can be had.

    A function of the project can be handed the context if every call of it is seen and stands
    where the context can be had. Code that runs while a module is imported never can, nor can
    functions that are passed around as values: for these, the faithful form asks
    ``legacy_keras``, which the trial's constructor binds to its context.

    Args:
        flow: the value-flow graph.
        classes: the classes of the trials.
        loaders: ``make_data_loaders``, which the trial calls.
        download: ``download_data``, which the trial calls.
    """

    def __init__(
        self,
        flow: Flow,
        classes: Sequence[ast.ClassDef],
        loaders: Function | None,
        download: Function | None,
    ) -> None:
        self._flow = flow
        self._classes = classes
        self._entries = [one for one in (loaders, download) if one is not None]
        self._known: dict[ast.AST, bool] = {}

    def at(self, node: ast.AST) -> Access | None:
        """How code at a place gets the context; None if it cannot."""
        function = self._function_around(node)
        if function is None:
            return None
        own = self._on_trial(function)
        if own is not None:
            return Access(own)
        if self.can_take(function):
            return Access(self.parameter_of(function), function)
        return None

    def can_take(self, function: Function) -> bool:
        """Whether every caller of a function can hand the context on."""
        if function not in self._known:
            self._known[function] = True  # a recursive call hands on its own
            self._known[function] = self._find(function)
        return self._known[function]

    def _find(self, function: Function) -> bool:
        flow = self._flow
        owner = flow.modules.home(function).names.parents.get(function)
        if function in self._entries:
            is_plain = entry_of(function).is_plain and not flow.escapes(function)
            return is_plain and all(self.at(call.node) is not None for call in flow.calls(function))
        if isinstance(owner, ast.ClassDef):
            can_be_called = function.name == "__init__" or is_static(function)
            if not can_be_called or owner in self._classes and function.name == "__init__":
                return False
        elif not isinstance(owner, ast.Module | ast.If | ast.Try):
            return False
        calls = flow.calls(function)
        if not calls or flow.escapes(function):
            return False
        if isinstance(owner, ast.ClassDef) and self._is_subclassed(owner):
            return False
        return all(self.at(call.node) is not None for call in calls)

    def _is_subclassed(self, owner: ast.ClassDef) -> bool:
        """Whether other classes of the project may call a class's constructor through super."""
        return len(self._flow.family(owner)) > 1

    def calls(self, function: Function) -> list[Call]:
        """The calls that must hand the context on to a function."""
        return self._flow.calls(function)

    def parameter_of(self, function: Function) -> str:
        """The name under which a function gets the context."""
        taken = self._names_in(function)
        return next(one for one in ("context", "det_context", "trial_context") if one not in taken)

    def _names_in(self, function: ast.AST) -> set[str]:
        names = self._flow.modules.home(function).names
        found = {one.id for one in names.below(function) if isinstance(one, ast.Name)}
        return found | {one.arg for one in names.below(function) if isinstance(one, ast.arg)}

    def _function_around(self, node: ast.AST) -> Function | None:
        """The outermost function whose body holds a node, below a class or a module."""
        names = self._flow.modules.home(node).names
        found = None
        child = node
        while child in names.parents:
            parent = names.parents[child]
            if isinstance(parent, Function) and is_inside(child, parent):
                found = parent
            elif isinstance(parent, ast.ClassDef) and found is not None:
                break
            child = parent
        return found

    def _on_trial(self, function: Function) -> str | None:
        """The context's expression in a method of a trial."""
        owner = self._flow.modules.home(function).names.parents.get(function)
        if owner not in self._classes or is_static(function) or is_classmethod(function):
            return None
        if function.name == "__init__":
            return self.constructor_parameter(function)
        first = [*function.args.posonlyargs, *function.args.args][:1]
        if not first or _is_property_setter(function):
            return None
        return f"{first[0].arg}.{self.attribute}"

    def constructor_parameter(self, function: Function) -> str:
        """The name of the context in a trial's constructor, before or after its migration."""
        arguments = [*function.args.posonlyargs, *function.args.args][1:]
        for one in arguments:
            if one.arg in ("context", "trial_context") or _is_context_annotation(one.annotation):
                return one.arg
        return self.parameter_of(function)

    @cached_property
    def attribute(self) -> str:
        """The attribute under which the trial keeps its context; ``context`` if it keeps none."""
        for owner in self._classes:
            method = self._flow.own_method(owner, "__init__")
            if method is None:
                continue
            for one in [*method.args.posonlyargs, *method.args.args][1:]:
                for read in self._flow.reads_of(one):
                    parent = self._flow.modules.home(read).names.parents.get(read)
                    is_context = one.arg in ("context", "trial_context") or _is_context_annotation(
                        one.annotation
                    )
                    if (
                        is_context
                        and isinstance(parent, ast.Assign)
                        and isinstance(parent.targets[0], ast.Attribute)
                    ):
                        return parent.targets[0].attr
        return "context"


def _is_property_setter(function: Function) -> bool:
    return any(
        isinstance(one, ast.Attribute) and one.attr == "setter" for one in function.decorator_list
    )


def _is_context_annotation(annotation: ast.expr | None) -> bool:
    return annotation is not None and "Context" in ast.unparse(annotation)
