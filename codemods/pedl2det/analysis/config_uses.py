"""Whether code only reads keys of the experiment config that stay, or needs it as it was."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pedl2det.analysis.experiment.keys import GONE_SEARCHERS
from pedl2det.analysis.flow import Flow, Use, Way

#: How code asks for the config as it was.
AS_BEFORE = "legacy_keras.get_experiment_config()"
#: Sections of which the migration may change any key, and keys of theirs that stay.
_SECTIONS = (
    *("data_layer", "entrypoint", "entrypoints", "environment", "hyperparameters"),
    *("optimizations", "resources", "searcher"),
)
_SAME = (
    ("searcher", "metric"),
    ("searcher", "smaller_is_better"),
    ("resources", "slots_per_trial"),
)
#: Keys that are called otherwise today.
_MOVED = (
    *(("batches_per_step",), ("hyperparameters", "batch_size")),
    *(("min_validation_period",), ("min_checkpoint_period",)),
)
_READS_MANY = ("copy", "items", "keys", "values")

#: Where the config comes from: a call that asks for it, or a parameter that gets it.
Source = ast.Call | ast.arg


@dataclass
class ConfigUses:
    """What code does with the experiment config.

    Code that asks the context gets the config of today, if all of it only reads single keys that
    the migration leaves alone. Where any code does something else with the config, all code gets
    one dict that is the config as it was.

    Attributes:
        flow: the value-flow graph.
        configs: the configs, with every scalar as its text.
        today: where code gets the config of today.
        as_before: where code gets the config as it was, because the context cannot be had.
        is_plain: whether all code of ``today`` only reads keys that stay, and none changes any.
    """

    flow: Flow
    configs: Sequence[tuple[Path, Mapping[str, Any]]]
    today: Collection[Source]
    as_before: Collection[Source]
    is_plain: bool = True

    def __post_init__(self) -> None:
        plain = [self._reads_keys(one, ()) for at in self.today for one in self._expressions(at)]
        changes = (self._changes(one) for at in self.as_before for one in self._expressions(at))
        self.is_plain = all(plain) and not any(changes)

    @property
    def code(self) -> str:
        """How code in reach of the context asks for the config."""
        return "{context}.get_experiment_config()" if self.is_plain else AS_BEFORE

    def _expressions(self, source: Source) -> Sequence[ast.expr]:
        return [source] if isinstance(source, ast.Call) else self.flow.reads_of(source)

    def _reads_keys(self, node: ast.expr, path: tuple[str, ...]) -> bool:
        """Whether only single keys are read of the config, or of a section of it."""
        found = True
        for use in self.flow.uses(node):
            key = _key_read(use)
            if key is not None:
                found &= self._reads_key(use, key, path)
            else:  # accessors of Determined's class, such as `scheduling_unit()`
                is_accessor = use.way is Way.METHOD and use.method not in ("get", *_READS_MANY)
                found &= is_accessor and not use.is_change
        return found

    def _reads_key(self, use: Use, key: ast.Constant, path: tuple[str, ...]) -> bool:
        """Whether a read of one key gets what it got."""
        inner = (*path, str(key.value))
        value = use.around
        if use.way is Way.TESTED or not isinstance(value, ast.expr) or inner in _MOVED:
            return self._stays(inner)
        if self._stays(inner):
            return not self._changes(value)
        return len(inner) == 1 and self._reads_keys(value, inner)

    def _stays(self, path: tuple[str, ...]) -> bool:
        """Whether the migration leaves a key and its value alone."""
        if path in _MOVED:
            return False
        if path[0] not in _SECTIONS or path in _SAME:
            return True
        values = [config.get(path[0]) for _, config in self.configs]
        found = [one.get(path[-1]) for one in values if isinstance(one, Mapping)]
        if path == ("searcher", "name"):
            return not any(one in GONE_SEARCHERS for one in found)
        is_constant = not any(isinstance(one, Mapping) for one in found)
        return path[0] == "hyperparameters" and len(path) == 2 and is_constant

    def _changes(self, node: ast.expr) -> bool:
        """Whether code changes a section of the config, or one within it."""
        waiting, seen = [node], {node}
        for one in waiting:
            for use in self.flow.uses(one):
                if use.is_change:
                    return True
                inner = use.around
                is_inner = use.way is Way.ITEM or use.method in ("get", "items", "values")
                if is_inner and isinstance(inner, ast.expr) and inner not in seen:
                    seen.add(inner)
                    waiting.append(inner)
        return False


def _key_read(use: Use) -> ast.Constant | None:
    """The key that a use reads or looks for."""
    if use.path:
        return None
    match use.way, use.around:
        case Way.ITEM, ast.Subscript(slice=ast.Constant(value=str()) as key):
            return key
        case Way.METHOD, ast.Call(
            func=ast.Attribute(attr="get"), args=[ast.Constant(value=str()) as key, *_]
        ):
            return key
        case Way.TESTED, ast.Compare(
            left=ast.Constant(value=str()) as key, ops=[ast.In() | ast.NotIn()]
        ):
            return key
    return None
