"""Whether code only reads keys of the experiment config that stay, or needs it as it was."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pedl2det.analysis.flow import Flow, Way

#: How code asks for the config as it was.
AS_BEFORE = "legacy_keras.get_experiment_config()"
#: Keys in which the migration changes something, or that are called otherwise today.
_CHANGED = frozenset(
    {
        *("batches_per_step", "data_layer", "entrypoint", "entrypoints", "environment"),
        *("hyperparameters", "min_checkpoint_period", "min_validation_period", "optimizations"),
        *("resources", "searcher"),
    }
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
        today: where code gets the config of today.
        as_before: where code gets the config as it was, because the context cannot be had.
        is_plain: whether all code of ``today`` only reads keys that stay, and none changes any.
    """

    flow: Flow
    today: Collection[Source]
    as_before: Collection[Source]
    is_plain: bool = True

    def __post_init__(self) -> None:
        plain = all(self._reads_keys(one) for at in self.today for one in self._expressions(at))
        changes = (self._changes(one) for at in self.as_before for one in self._expressions(at))
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
