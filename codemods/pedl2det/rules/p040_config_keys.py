"""Reads of the experiment config follow the keys that the migrated config has elsewhere.

``config["hyperparameters"]["batch_size"]`` reads ``global_batch_size``. What has no equal in the
new config is marked. P042 rewrites the reads of lengths in steps.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pedl2det.analysis.entry import entry_of
from pedl2det.analysis.flow import Way
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, Remark, Replace
from pedl2det.rules.cases import Case
from pedl2det.rules.small_trials import migrated_trial, pedl_trial

ID = "P040"
NAME = "config-keys"

_Path = tuple[str, ...]
_BATCH_SIZE = ("hyperparameters", "batch_size")
#: What a key is called in the migrated config.
_MOVED: Mapping[_Path, str] = {
    ("searcher", "step_budget"): 'read ["searcher"]["max_trials"] and ["max_length"] instead',
    ("resources", "distributed"): 'test ["resources"]["slots_per_trial"] > 1',
}


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite or mark each read of a key that has moved."""
    if trial.generation is Generation.CONTEXT:
        return
    for read in _configs(trial):
        for path, node, key in _reads(trial, read, ()):
            source = trial.modules.home(node)
            if path == _BATCH_SIZE and _has(trial, path):
                yield Fix(ID, source, key, (Replace(key, '"global_batch_size"'),))
            elif (help_ := _MOVED.get(path, "")) and _has(trial, path):
                name = ".".join(path)
                message = f"the migrated config has {name} no more, or in another unit"
                yield Remark(ID, source, node, Kind.LEFT, message, help_)


def _configs(trial: Trial) -> Iterator[ast.expr]:
    """The expressions that are the experiment config."""
    for entry in (trial.loaders, trial.download):
        config = entry_of(entry).config if entry is not None else None
        if config is not None:
            yield from trial.flow.reads_of(config)
    for reference in trial.uses("pedl.get_experiment_config", "pedl.util.get_experiment_config"):
        if reference.call is not None:
            yield reference.call
    for source in trial.modules:
        for call in source.names.of(ast.Call):
            is_getter = getattr(call.func, "attr", "") == "get_experiment_config"
            if is_getter and trial.generation is Generation.EARLY:
                yield call


def _reads(
    trial: Trial, value: ast.expr, path: _Path
) -> Iterator[tuple[_Path, ast.expr, ast.expr]]:
    """The paths that are read of a value, each with its place and its last key."""
    if len(path) > 3:
        return
    for use in trial.flow.uses(value):
        key: ast.expr | None = None
        node: ast.AST = use.around
        if use.way is Way.ITEM and isinstance(node, ast.Subscript):
            key = node.slice
        elif use.way is Way.METHOD and isinstance(node, ast.Call) and node.args:
            is_get = isinstance(node.func, ast.Attribute) and node.func.attr == "get"
            key = node.args[0] if is_get else None
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            assert isinstance(node, ast.expr)
            here = (*path, key.value)
            yield here, node, key
            yield from _reads(trial, node, here)


def _has(trial: Trial, path: _Path) -> bool:
    """Whether a config of the trial has a key, or there is none to look at."""
    return not trial.configs or any(_holds(value, path) for _, value in trial.configs)


def _holds(value: Any, path: _Path) -> bool:
    for key in path:
        if not isinstance(value, Mapping) or key not in value:
            return False
        value = value[key]
    return True


_IMPORT = "from rows import Rows"
_SIZE = 'config["hyperparameters"]["{}"]'
_NAME = 'config["searcher"]["name"]'
_BUDGET = 'print({}["searcher"]["step_budget"])\nreturn Rows(1), Rows(2)\n'


def _one_read(read: str) -> str:
    return f"size = {read}\nreturn Rows(size), Rows(size)\n"


CASES = (
    Case(
        pedl_trial(_one_read(f"experiment_{_SIZE.format('batch_size')}"), _IMPORT),
        migrated_trial(
            _one_read(f"context.get_experiment_{_SIZE.format('global_batch_size')}").replace(
                "_config[", "_config()["
            ),
            _IMPORT,
        ),
    ),
    Case(
        pedl_trial(_one_read(f"experiment_{_NAME}"), _IMPORT),
        migrated_trial(
            _one_read(f"context.get_experiment_{_NAME}").replace("_config[", "_config()["), _IMPORT
        ),
    ),
    Case(
        pedl_trial(_BUDGET.format("experiment_config"), _IMPORT),
        {},
        says='read ["searcher"]["max_trials"] and ["max_length"] instead',
        status="begun",
    ),
)
