"""What becomes of the objects that make up the data: which loader, or something else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from pedl2det.facts.project import Generation, TrialProject
from pedl2det.facts.scopes import FUNCTIONS
from pedl2det.facts.source import Source


class Role(Enum):
    """The loader that an object becomes."""

    TRAINING = 0
    VALIDATION = 1


_METHODS = {
    "build_training_data_loader": Role.TRAINING,
    "build_validation_data_loader": Role.VALIDATION,
}

Roles = set[Role | None]  # None stands for anything else


def roles_of(
    project: TrialProject, source: Source, call: ast.Call, adapters: set[str]
) -> set[Role]:
    """The loaders that a call's result becomes, if it becomes that and nothing else.

    The result may be returned in its place of the pair, or be bound to a name which is only
    returned there or handed to an adapter; a function that returns it may be called for it.

    Args:
        project: the trial.
        source: the file of the call.
        call: the call.
        adapters: the dotted names of calls that hand their first argument on.

    Returns:
        The roles; none if it is used for something else too, or if that cannot be seen.
    """
    found = _Flow(project, adapters).roles(source, call)
    return set() if None in found else {role for role in found if role is not None}


def pair_of(node: ast.AST | None) -> list[ast.expr] | None:
    """The two elements of ``a, b`` or ``[a, b]``."""
    if isinstance(node, ast.Tuple | ast.List) and len(node.elts) == 2:
        return node.elts
    return None


def returns_of(source: Source, function: ast.FunctionDef) -> list[ast.Return]:
    """The return statements of a function, without those of functions within it."""
    return [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and source.names.definition_around(node) is function
    ]


@dataclass
class _Flow:
    project: TrialProject
    adapters: set[str]
    seen: set[tuple[ast.AST, str]] = field(default_factory=set)

    def roles(self, source: Source, node: ast.expr) -> Roles:
        parent = source.names.parents[node]
        outer = source.names.parents.get(parent)
        match parent:
            case ast.Return():
                return self._returned(source, node)
            case ast.Call(func=func, args=[first, *_]) if first is node:
                return self._through_adapter(source, parent, func)
            case ast.keyword(arg="sequence" | "data") if isinstance(outer, ast.Call):
                return self._through_adapter(source, outer, outer.func)
            case ast.Assign(targets=[ast.Name() as target]):
                return self._of_name(source, target)
        pair = pair_of(parent)
        if pair is None:
            return {None}
        index = pair.index(node)
        match outer:
            case ast.Return():
                return self._in_pair(source, outer, index)
            case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(), ast.Name()]) as targets]):
                element = targets.elts[index]
                assert isinstance(element, ast.Name)
                return self._of_name(source, element)
        return {None}

    def _through_adapter(self, source: Source, call: ast.Call, function: ast.expr) -> Roles:
        if source.names.qualified(function) in self.adapters:
            return self.roles(source, call)
        return {None}

    def _returned(self, source: Source, node: ast.AST) -> Roles:
        """What becomes of the result of the function that returns a node."""
        role = self._of_method(source, node)
        if role is not None:
            return {role}
        found: Roles = set()
        for caller, call in self._calls(source, node):
            found |= self.roles(caller, call) if call is not None else {None}
        return found or {None}

    def _of_method(self, source: Source, node: ast.AST) -> Role | None:
        """The loader that a trial returns here, in a method of its own for it."""
        function = source.names.definition_around(node)
        if self.project.generation is Generation.PEDL or not isinstance(function, ast.FunctionDef):
            return None
        if source.names.parents[function] is not self.project.trial[1]:
            return None
        return _METHODS.get(function.name)

    def _in_pair(self, source: Source, node: ast.Return, index: int) -> Roles:
        """What becomes of one element of the pair that a function returns."""
        function = source.names.definition_around(node)
        if self.project.loader is not None and function is self.project.loader[1]:
            return {Role(index)}
        found: Roles = set()
        for caller, call in self._calls(source, node):
            match caller.names.parents[call] if call is not None else None:
                case ast.Return() as outer:
                    found |= self._in_pair(caller, outer, index)
                case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(), ast.Name()]) as targets]):
                    element = targets.elts[index]
                    assert isinstance(element, ast.Name)
                    found |= self._of_name(caller, element)
                case _:
                    found.add(None)
        return found or {None}

    def _calls(self, source: Source, node: ast.AST) -> Iterator[tuple[Source, ast.Call | None]]:
        """The calls of the function of a module around a node; None for other uses of it."""
        function = source.names.definition_around(node)
        if function not in self.project.calls.home or (function, "") in self.seen:
            return
        assert isinstance(function, ast.FunctionDef)
        if self.project.loader is not None and function is self.project.loader[1]:
            yield source, None  # not one of a pair
            return
        self.seen.add((function, ""))
        for use in self.project.calls.uses(function):
            yield use.source, use.call
        self.seen.discard((function, ""))

    def _of_name(self, source: Source, target: ast.Name) -> Roles:
        """The loaders that a local name becomes."""
        function = source.names.definition_around(target)
        if not isinstance(function, FUNCTIONS) or source.names.binder(target) is not function:
            return {None}
        if (function, target.id) in self.seen:
            return set()
        uses = [
            use
            for use in source.names.below(function)
            if isinstance(use, ast.Name) and use.id == target.id and isinstance(use.ctx, ast.Load)
        ]
        is_shared = any(
            isinstance(node, ast.Global | ast.Nonlocal) and target.id in node.names
            for node in source.names.below(function)
        )
        self.seen.add((function, target.id))
        found: Roles = set()
        for use in uses:
            found |= self.roles(source, use)
        self.seen.discard((function, target.id))
        return found if found and not is_shared else {None}
