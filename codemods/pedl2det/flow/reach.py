"""How the context reaches a piece of code: it is there, or every caller can hand it on."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from pedl2det.facts.calls import Use, enclosing
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.flow import where
from pedl2det.flow.made_unnamed import made_unnamed
from pedl2det.flow.outside import reached_from_outside

Callee = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Obstacle:
    """Why the context cannot get somewhere.

    Attributes:
        source: the file.
        node: the place that stands in the way.
        reason: what is wrong with it.
    """

    source: Source
    node: ast.AST
    reason: str

    def __str__(self) -> str:
        line = getattr(self.node, "lineno", 1)
        return f"{self.reason} ({self.source.path.name}:{line})"


@dataclass
class Reach:
    """Where the context is within reach in one trial.

    Attributes:
        project: the trial.
        receivers: functions, and classes by their constructors, which have to be given it.
    """

    project: TrialProject
    receivers: dict[Callee, Source] = field(default_factory=dict)
    _known: dict[Callee, Obstacle | None] = field(default_factory=dict)

    def context(self, source: Source, node: ast.AST) -> str | Obstacle:
        """The expression that is the context where a node stands.

        A function that has to be given it becomes a receiver, and so do its callers.
        """
        there = where.context_in(self.project, source, node)
        if there is not None:
            return there
        callee = self._callee(source, node)
        if isinstance(callee, Obstacle):
            return callee
        obstacle = self._obstacle(source, callee)
        if obstacle is not None:
            return obstacle
        self._receive(source, callee)
        return "context"

    def uses(self, callee: Callee) -> list[Use]:
        """The calls of a receiver."""
        return [use for use in self.project.calls.uses(callee) if use.call is not None]

    def _receive(self, source: Source, callee: Callee) -> None:
        if callee in self.receivers:
            return
        self.receivers[callee] = source
        for use in self.uses(callee):
            self.context(use.source, use.node)

    def _callee(self, source: Source, node: ast.AST) -> Callee | Obstacle:
        """What would have to be given the context, for the code where a node stands."""
        function = enclosing(source, node)
        around = source.names.function_of(node)
        if isinstance(around, ast.AsyncFunctionDef):
            return Obstacle(source, around, f"{around.name} is asynchronous")
        if function is None:
            return Obstacle(source, node, "it is evaluated while a module is imported")
        if not source.names.is_in_body(node, function):
            return Obstacle(source, node, "it is evaluated while a module is imported")
        owner = source.names.parents[function]
        if isinstance(owner, ast.ClassDef):
            if function.name == "__init__":
                return owner
            reason = f"{owner.name}.{function.name} is a method that others call"
            return Obstacle(source, function, reason)
        return function

    def _obstacle(self, source: Source, callee: Callee) -> Obstacle | None:
        if callee not in self._known:
            self._known[callee] = None  # a cycle is no obstacle by itself
            self._known[callee] = self._find_obstacle(source, callee)
        return self._known[callee]

    def _find_obstacle(self, source: Source, callee: Callee) -> Obstacle | None:
        function = constructor(callee) if isinstance(callee, ast.ClassDef) else callee
        if callee not in self.project.calls.home:
            return Obstacle(source, callee, f"{callee.name} is bound more than once")
        if callee.decorator_list or function.decorator_list:
            return Obstacle(source, callee, f"{callee.name} is decorated")
        if function.args.posonlyargs or (callee is not function and not function.args.args):
            return Obstacle(source, callee, f"{callee.name} takes its arguments in a special way")
        if source.names.uses_name(function, "context"):
            return Obstacle(source, callee, f"{callee.name} uses the name context already")
        for found in reached_from_outside(self.project, source, callee, callee.name):
            return Obstacle(*found)
        if isinstance(callee, ast.ClassDef):
            place = made_unnamed(self.project, source, callee)
            if place is not None:
                reason = f"{callee.name} may be made here without its name"
                return Obstacle(*place, reason)
        for use in self.project.calls.uses(callee):
            obstacle = self._obstacle_in(use, callee)
            if obstacle is not None:
                return obstacle
        return None

    def _obstacle_in(self, use: Use, callee: Callee) -> Obstacle | None:
        if use.is_annotation or (isinstance(callee, ast.ClassDef) and _is_asked_for(use)):
            return None
        if use.call is None:
            return Obstacle(use.source, use.node, f"{callee.name} is handed on here, not called")
        if where.context_in(self.project, use.source, use.node) is not None:
            return None
        caller = self._callee(use.source, use.node)
        if isinstance(caller, Obstacle):
            reason = f"{callee.name} is called here, where there is no context"
            return Obstacle(use.source, use.node, reason)
        return self._obstacle(use.source, caller)


def constructor(node: ast.ClassDef) -> ast.FunctionDef:
    """The constructor that a class defines, which it must."""
    return next(
        child
        for child in node.body
        if isinstance(child, ast.FunctionDef) and child.name == "__init__"
    )


def _is_asked_for(use: Use) -> bool:
    """``super(C, self)`` or ``isinstance(x, C)``: the class is named, and nothing is made."""
    parent = use.source.names.parents.get(use.node)
    return (
        isinstance(parent, ast.Call)
        and isinstance(parent.func, ast.Name)
        and parent.func.id in ("super", "isinstance", "issubclass")
    )
