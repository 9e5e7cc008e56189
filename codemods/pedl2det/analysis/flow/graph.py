"""The whole graph: it looks through parameters, and knows which lists and dicts are changed."""

from __future__ import annotations

import ast

from pedl2det.analysis.flow.calls import Calls
from pedl2det.analysis.flow.uses import Uses
from pedl2det.analysis.flow.values import Call, Use, Way
from pedl2det.analysis.modules import Modules


class Flow(Uses):
    """Answers about the values of one project.

    Args:
        modules: its files.
        entries: functions whose returned values leave the project, such as the data loaders.
        given: functions that get arguments from outside of the project.
    """

    def __init__(
        self,
        modules: Modules,
        entries: frozenset[ast.AST] = frozenset(),
        given: frozenset[ast.AST] = frozenset(),
    ) -> None:
        super().__init__(modules, entries)
        self._given = given
        self._first = Calls(modules, entries)
        self._changed: dict[ast.expr, bool] = {}

    def calls(self, function: ast.AST) -> list[Call]:
        """The calls of a function in the project."""
        return self._first.calls(function)

    def escapes(self, function: ast.AST) -> bool:
        """Whether a function may be called in ways that are not seen."""
        return function in self._first.escaping or self._first.escapes(function)

    def _sees_calls(self, function: ast.AST) -> bool:
        return function not in self._given and not self.escapes(function)

    def _is_changed(self, node: ast.expr) -> bool:
        parent = self.modules.home(node).names.parents.get(node)
        if isinstance(parent, ast.Assign) and all(
            isinstance(one, ast.Tuple | ast.List) for one in parent.targets
        ):
            return False  # its members are told apart at once
        if node not in self._changed:
            self._changed[node] = True  # while it is asked
            self._changed[node] = any(self._changes(use) for use in self.uses(node))
        return self._changed[node]

    def _changes(self, use: Use) -> bool:
        """Whether a use may change the members of what is used."""
        match use:
            case Use(path=path) if path:
                return False  # it is a member of something else
            case Use(way=Way.OTHER, around=ast.AugAssign()):
                return True
            case Use(way=Way.ARGUMENT, around=ast.Call(func=func) as call):
                is_whole = use.node in call.args or any(
                    one.value is use.node and one.arg for one in call.keywords
                )
                return is_whole and not self.modules.is_of_library(func)
        return use.is_change
