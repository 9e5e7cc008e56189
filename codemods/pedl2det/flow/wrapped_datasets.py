"""Which datasets are wrapped, sooner or later: none must be wrapped twice.

A dataset that is wrapped twice gives each process a share of its share.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import Enum

from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.flow.loaders import returns_of

WRAP = "pedl.frameworks.keras.wrap_dataset"
CREATORS = (
    *("tensorflow.data.Dataset.", "tensorflow.data.TFRecordDataset"),
    *("tensorflow.data.TextLineDataset", "tensorflow.data.FixedLengthRecordDataset"),
    *("tensorflow.data.experimental.CsvDataset", "tensorflow.data.experimental.make_csv_dataset"),
)
_COMBINING = {
    f"tensorflow.data.{place}.{name}"
    for place in ("Dataset", "experimental")
    for name in ("zip", "sample_from_datasets", "choose_from_datasets")
}
_JOINING = {"concatenate", "zip"}
_PER_ELEMENT = {"interleave", "flat_map", "map"}


def parts_of(source: Source, call: ast.Call) -> list[ast.expr]:
    """The datasets of which a call makes one, such as the two of ``Dataset.zip((x, y))``."""
    if source.names.qualified(call.func) not in _COMBINING or not call.args:
        return []
    return list(_leaves(call.args[0]))


def _leaves(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            return [leaf for part in parts for leaf in _leaves(part)]
    return [node]


def holds_wrapped(
    project: TrialProject,
    source: Source,
    node: ast.expr,
    seen: frozenset[ast.AST] = frozenset(),
) -> bool:
    """Whether a dataset comes from one that was wrapped, whatever was done to it since.

    Args:
        project: the trial.
        source: the file.
        node: the dataset.
        seen: what is being asked already.
    """
    if node in seen:
        return False
    seen |= {node}

    def one(owner: Source, expression: ast.expr) -> bool:
        return holds_wrapped(project, owner, expression, seen)

    match node:
        case ast.Name(id=name):
            return any(one(source, value) for value in _bound_to(source, node, name))
        case ast.Call(func=func):
            if source.names.qualified(func) == WRAP:
                return True
            if any(one(source, part) for part in parts_of(source, node)):
                return True
            made_by = project.calls.meaning(source, func)
            if isinstance(made_by, ast.FunctionDef):
                home = project.calls.home[made_by]
                values = [found.value for found in returns_of(home, made_by)]
                return any(one(home, value) for value in values if value is not None)
            return isinstance(func, ast.Attribute) and one(source, func.value)
    return False


def _bound_to(source: Source, name: ast.Name, text: str) -> list[ast.expr]:
    """The values that a name is given by plain assignments in its scope."""
    scope = source.names.binder(name)
    return [
        statement.value
        for statement in source.names.nodes
        if isinstance(statement, ast.Assign)
        and any(
            isinstance(target, ast.Name)
            and target.id == text
            and source.names.binder(target) is scope
            for target in statement.targets
        )
    ]


def is_of_elements(project: TrialProject, function: ast.FunctionDef) -> bool:
    """Whether a function is only handed to ``interleave`` and its like: it reads one element."""
    uses = project.calls.uses(function)
    return bool(uses) and all(
        isinstance(call := use.source.names.parents.get(use.node), ast.Call)
        and use.node in call.args
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in _PER_ELEMENT
        for use in uses
    )


class Fate(Enum):
    """What becomes of a dataset."""

    WRAPPED = "handed to wrap_dataset, whatever is done to it before"
    BARE = "a loader, or nothing, without that"
    UNSEEN = "not seen, or now the one and now the other"


def fate_of(project: TrialProject, source: Source, node: ast.expr) -> Fate:
    """What becomes of a dataset that an expression makes."""
    return _Fates(project).of(source, node, frozenset()) or Fate.BARE


@dataclass(frozen=True)
class _Fates:
    project: TrialProject

    def of(self, source: Source, node: ast.expr, seen: frozenset[ast.AST]) -> Fate | None:
        parents = source.names.parents
        parent = parents[node]
        match parent:
            case ast.Attribute(value=value) if value is node:
                call = parents[parent]
                is_called = isinstance(call, ast.Call) and call.func is parent
                return self.of(source, call, seen) if is_called else Fate.UNSEEN  # type: ignore[arg-type]
            case ast.Call() if node in parent.args:
                return self._argument(source, parent, seen)
            case ast.keyword():
                call = parents[parent]
                return (
                    self._argument(source, call, seen)
                    if isinstance(call, ast.Call)
                    else Fate.UNSEEN
                )
            case ast.Tuple() | ast.List() | ast.Dict():
                return self._in_display(source, parent, seen)
            case ast.IfExp(test=test) if test is not node:
                return self.of(source, parent, seen)
            case ast.Assign(targets=[ast.Name() as target]):
                return self._bound(source, target, seen)
            case ast.Return():
                return self._returned(source, parent, seen)
        return Fate.UNSEEN

    def _argument(self, source: Source, call: ast.Call, seen: frozenset[ast.AST]) -> Fate | None:
        name = source.names.qualified(call.func) or ""
        if name == WRAP or name.startswith(CREATORS):
            return Fate.WRAPPED  # by itself, or with the dataset that is made of it
        is_joined = isinstance(call.func, ast.Attribute) and call.func.attr in _JOINING
        return self.of(source, call, seen) if is_joined else Fate.UNSEEN

    def _in_display(self, source: Source, node: ast.expr, seen: frozenset[ast.AST]) -> Fate | None:
        parent = source.names.parents[node]
        match parent:
            case ast.Call():
                return self._argument(source, parent, seen)
            case ast.Tuple() | ast.List() | ast.Dict():
                return self._in_display(source, parent, seen)
            case ast.Return():
                is_loader = self._function(source, parent) is self._loader
                return Fate.BARE if is_loader else Fate.UNSEEN
        return Fate.UNSEEN

    def _bound(self, source: Source, target: ast.Name, seen: frozenset[ast.AST]) -> Fate | None:
        if target in seen:
            return None  # in a loop: what becomes of it is asked already
        uses = [use for use in _uses(source, target) if not _is_bound_anew(source, target, use)]
        return _together([self.of(source, use, seen | {target}) for use in uses])

    def _returned(self, source: Source, node: ast.Return, seen: frozenset[ast.AST]) -> Fate | None:
        function = self._function(source, node)
        if function is None or function in seen:
            return Fate.UNSEEN
        if function is self._loader:
            return Fate.BARE
        uses = self.project.calls.uses(function)
        if any(use.call is None for use in uses):
            return Fate.UNSEEN
        calls = [(use.source, use.call) for use in uses if use.call is not None]
        return _together([self.of(owner, call, seen | {function}) for owner, call in calls])

    @property
    def _loader(self) -> ast.FunctionDef | None:
        return self.project.loader[1] if self.project.loader is not None else None

    def _function(self, source: Source, node: ast.Return) -> ast.FunctionDef | None:
        found = source.names.definition_around(node)
        return found if isinstance(found, ast.FunctionDef) else None


def _together(fates: list[Fate | None]) -> Fate | None:
    """The fate of something that is used in several places; None says nothing of it."""
    known = {fate for fate in fates if fate is not None}
    return Fate.UNSEEN if len(known) > 1 else next(iter(known), None)


def _uses(source: Source, target: ast.Name) -> list[ast.Name]:
    scope = source.names.binder(target)
    return [
        node
        for node in source.names.nodes
        if isinstance(node, ast.Name)
        and node.id == target.id
        and isinstance(node.ctx, ast.Load)
        and source.names.binder(node) is scope
    ]


def _is_bound_anew(source: Source, target: ast.Name, use: ast.Name) -> bool:
    """Whether a name is bound once more between two places, whatever way leads there."""
    begin = source.names.statement_of(target)
    node: ast.AST = source.names.statement_of(use)
    while node in source.names.parents:
        parent = source.names.parents[node]
        for block in (getattr(parent, name, None) for name in ("body", "orelse", "finalbody")):
            if isinstance(block, list) and node in block:
                for other in block[: block.index(node)]:
                    if other.lineno > begin.lineno and _binds(other, target.id):
                        return True
        if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module):
            return False
        node = parent
    return False


def _binds(statement: ast.stmt, name: str) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name(id=bound)]):
            return bound == name
    return False
