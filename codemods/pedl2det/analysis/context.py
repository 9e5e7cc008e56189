"""How code can get the trial's context, and what it does with the experiment config."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from pedl2det.analysis.bindings import is_inside
from pedl2det.analysis.flow import Flow
from pedl2det.analysis.flow.values import (
    Callable,
    Function,
    Way,
    by_position,
    first_parameter,
    has_decorator,
)


@dataclass(frozen=True)
class Entry:
    """The parameters of a function that the old harness called."""

    config: ast.arg | None  #: the parameter that got the experiment config by position
    hparams: ast.arg | None  #: the parameter that got the hyperparameters by position
    is_plain: bool  #: whether the function can be called without both once they are dropped


def entry_of(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Entry:
    """How the old harness called a function: by position, with the config and hyperparameters."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    if len(positional) < 2:  # it was called by the names of its parameters, if it has any
        takes_any = positional or arguments.kwonlyargs or arguments.vararg or arguments.kwarg
        return Entry(None, None, is_plain=not takes_any)
    needed = len(positional) - len(arguments.defaults)
    is_plain = needed <= 2 and all(default is not None for default in arguments.kw_defaults)
    return Entry(positional[0], positional[1], is_plain=is_plain)


#: What the context is called, in the trial and as a parameter: the first name that is free.
_ATTRIBUTES = ("context", "det_context", "trial_context", "determined_context")


@dataclass(frozen=True)
class Access:
    """How code at a place gets the context."""

    code: str  #: the expression: ``self.context`` or the name of a parameter.
    #: the function that must get the context as a parameter of that name; None in the trial
    through: Function | None = None


class ContextReach:
    """Where code can get the trial's context.

    A function of the project can take the context as a parameter if all its calls are known and
    made where the context is available. Code that runs while a module is imported cannot get it,
    nor can functions that are passed around as values: these ask ``legacy_keras``, which the
    trial's constructor binds to its context. The trial itself calls ``make_data_loaders`` and
    ``download_data``.
    """

    def __init__(
        self,
        flow: Flow,
        classes: Sequence[ast.ClassDef],
        loaders: Function | None,
        download: Function | None,
        *,
        is_given: bool = False,
    ) -> None:
        self._flow = flow
        self._classes = classes
        self._entries = [function for function in (loaders, download) if function is not None]
        self._is_given = is_given  # whether the old harness gave it to the constructor
        self._known: dict[ast.AST, bool] = {}

    def at(self, node: ast.AST) -> Access | None:
        """How code at a place gets the context; None if it cannot."""
        scopes = self._around(node)
        function = next((scope for scope in reversed(scopes) if isinstance(scope, Function)), None)
        if function is None:
            return None
        expression = self._on_trial(function)
        if expression is not None:
            inner = (
                arg.arg for scope in scopes if scope is not function for arg in by_position(scope)
            )
            return None if expression.partition(".")[0] in inner else Access(expression)
        if (parameter := self._given(function)) is not None:
            return Access(parameter)
        if self.can_take(function):
            return Access(self.parameter_of(function), function)
        return None

    @cached_property
    def _constructor_parameters(self) -> list[ast.arg]:
        """The parameters through which trials get their context before the migration."""
        methods = [self._flow.own_method(owner, "__init__") for owner in self._classes]
        parameters = [self._given_to(method) for method in methods if method is not None]
        return [parameter for parameter in parameters if parameter is not None]

    def _given(self, function: Function) -> str | None:
        """The parameter that already gets the trial's context in every call."""
        for parameter in by_position(function):
            sources = [at for at in self._flow.origins(parameter) if at.node is not parameter]
            known = (not at.path and at.node in self._constructor_parameters for at in sources)
            if sources and all(known):
                return parameter.arg
        return None

    def can_take(self, function: Function) -> bool:
        """Whether every caller of a function can pass the context on."""
        if function in self._known:
            return self._known[function]
        self._known[function] = True  # a recursive call passes its own
        calls = self._flow.calls(function)
        owner = self._flow.modules.home(function).names.parents.get(function)
        if function in self._entries:  # which the trial calls
            is_plain = entry_of(function).is_plain
        else:
            is_plain = bool(calls) and isinstance(owner, ast.Module | ast.If | ast.Try)
        known = is_plain and not self._flow.escapes(function)
        self._known[function] = known and all(self.at(call.node) is not None for call in calls)
        return self._known[function]

    def parameter_of(self, function: Function) -> str:
        """The name under which a function gets the context."""
        names = self._flow.modules.home(function).names
        return next(name for name in _ATTRIBUTES if not names.uses_name(function, name))

    def _around(self, node: ast.AST) -> list[Callable]:
        """The functions and lambdas whose bodies hold a node, below a class or a module."""
        scopes: list[Callable] = []
        child = node
        for parent in self._flow.modules.home(node).names.around(node):
            if isinstance(parent, Callable) and is_inside(child, parent):
                scopes.append(parent)
            elif isinstance(parent, ast.ClassDef) and any(
                isinstance(scope, Function) for scope in scopes
            ):
                break
            child = parent
        return scopes

    def _on_trial(self, function: Function) -> str | None:
        """The context's expression in a method of a trial."""
        owner = self._flow.modules.home(function).names.parents.get(function)
        is_free = any(has_decorator(function, name) for name in ("staticmethod", "classmethod"))
        if owner not in self._classes or is_free:
            return None
        if function.name == "__init__":
            return self.constructor_parameter(function)
        first = first_parameter(function)
        return f"{first}.{self.attribute}" if first is not None else None

    def constructor_parameter(self, function: Function) -> str:
        """The name of the context in a trial's constructor, before or after its migration."""
        parameter = self._given_to(function)
        return self.parameter_of(function) if parameter is None else parameter.arg

    def _given_to(self, constructor: Function) -> ast.arg | None:
        """The parameter through which a constructor already gets the context."""
        done = {ast.unparse(statement) for statement in constructor.body}
        me, others = first_parameter(constructor), by_position(constructor)[1:]
        for parameter in others:
            annotation = ast.unparse(parameter.annotation) if parameter.annotation else ""
            assignments = {f"{me}.{name} = {parameter.arg}" for name in _ATTRIBUTES}
            is_named = parameter.arg in ("context", "trial_context")
            if "Context" in annotation or is_named or assignments & done:
                return parameter
        return others[0] if others and self._is_given else None

    @cached_property
    def attribute(self) -> str:
        """The attribute under which the trial keeps its context; ``context`` if it keeps none."""
        for parameter in self._constructor_parameters:
            for read in self._flow.reads_of(parameter):
                match self._flow.modules.home(read).names.parents.get(read):
                    case ast.Assign(targets=[ast.Attribute(attr=name), *_]):
                        return name
        return self.unused(*_ATTRIBUTES)

    def unused(self, *names: str) -> str:
        """The first of some names that no class of the trial uses for an attribute."""
        return next(name for name in names if name not in self._stored_attributes)

    def may_be_of_trial(self, node: ast.Attribute) -> bool:
        """Whether an attribute is not that of ``self`` in a class that is no trial."""
        owner = self._flow.modules.home(node).names.class_around(node)
        return owner is None or owner in self._classes or ast.unparse(node.value) != "self"

    @cached_property
    def _stored_attributes(self) -> set[str]:
        """The attributes that the classes of the trial set, define or name in a text."""
        modules = self._flow.modules  # other code may set them on the trial, too
        attributes = modules.of(ast.Attribute)
        answers = any(node.name == "__getattr__" for node in modules.of(ast.FunctionDef))
        stores = [node for node in attributes if answers or isinstance(node.ctx, ast.Store)]
        stored = {node.attr for node in stores if self.may_be_of_trial(node)}
        for owner in self._classes:
            names = self._flow.modules.home(owner).names
            for node in names.below(owner):
                match node:
                    case ast.Constant(value=str(name)):
                        stored.add(name)
                    case ast.Name(ctx=ast.Store(), id=name) if names.binder(node) is owner:
                        stored.add(name)
            stored |= {member.name for member in owner.body if isinstance(member, Function)}
        return stored


#: How code asks for the config in its old form.
AS_BEFORE = "legacy_keras.get_experiment_config()"
#: Keys whose values the migration changes, or that have another name today.
_CHANGED = {
    *("batches_per_step", "data_layer", "entrypoint", "entrypoints", "environment"),
    *("hyperparameters", "min_checkpoint_period", "min_validation_period", "optimizations"),
    *("resources", "searcher"),
}
_READS_MANY = ("copy", "items", "keys", "values")

#: Where the config comes from: a call that asks for it, or a parameter that gets it.
Source = ast.Call | ast.arg


@dataclass
class ConfigUses:
    """What code does with the experiment config.

    Code asks the context for today's config if all code only reads single keys that the migration
    does not change. Otherwise all code gets one dict with the config in its old form.
    """

    flow: Flow  #: the value-flow graph
    today: Collection[Source]  #: where code can get today's config
    #: where code gets the config in its old form, because it cannot get the context
    as_before: Collection[Source]
    #: whether all code of ``today`` only reads keys that stay, and none changes any
    is_plain: bool = True

    def __post_init__(self) -> None:
        plain = all(self._reads_keys(node) for at in self.today for node in self._expressions(at))
        changes = (self._changes(node) for at in self.as_before for node in self._expressions(at))
        self.is_plain = plain and not any(changes)

    @property
    def code(self) -> str:
        """How code in reach of the context asks for the config."""
        return "{context}.get_experiment_config()" if self.is_plain else AS_BEFORE

    def _expressions(self, source: Source) -> Sequence[ast.expr]:
        return [source] if isinstance(source, ast.Call) else self.flow.reads_of(source)

    def _reads_keys(self, node: ast.expr) -> bool:
        """Whether the code only reads single keys that stay, and changes nothing below them."""
        for use in self.flow.uses(node):
            value = use.around
            if isinstance(use.key, ast.Constant) and not use.path:
                is_changed = isinstance(value, ast.expr) and self._changes(value)
                if use.key.value in _CHANGED or is_changed:
                    return False
            # accessors of Determined's class, such as `scheduling_unit()`
            elif use.way is not Way.METHOD or use.is_change or use.method in ("get", *_READS_MANY):
                return False
        return True

    def _changes(self, node: ast.expr) -> bool:
        """Whether code changes a section of the config, or one within it."""
        waiting, seen = [node], {node}
        for expression in waiting:
            for use in self.flow.uses(expression):
                if use.is_change:
                    return True
                inner = use.around
                is_inner = use.way is Way.ITEM or use.method in ("get", "items", "values")
                if is_inner and isinstance(inner, ast.expr) and inner not in seen:
                    seen.add(inner)
                    waiting.append(inner)
        return False
