"""Reads of the experiment config follow the keys that the migrated config has elsewhere.

``config["hyperparameters"]["batch_size"]`` reads ``global_batch_size``. A length in steps has no
equal in the new config, so its read is marked.
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
_LENGTH = "read {new} instead, which counts batches"
#: What a key is called in the migrated config.
_MOVED: Mapping[_Path, str] = {
    ("searcher", "max_steps"): _LENGTH.format(new='["searcher"]["max_length"]["batches"]'),
    ("searcher", "target_trial_steps"): _LENGTH.format(new='["searcher"]["max_length"]["batches"]'),
    ("searcher", "step_budget"): 'read ["searcher"]["max_trials"] and ["max_length"] instead',
    ("batches_per_step",): 'read ["scheduling_unit"] instead',
    ("resources", "distributed"): 'test ["resources"]["slots_per_trial"] > 1',
}
_LENGTHS = ("min_validation_period", "min_checkpoint_period")


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite or mark each read of a key that has moved."""
    if trial.generation is not Generation.PEDL:
        return
    for read in _configs(trial):
        for path, node, key in _reads(trial, read, ()):
            source = trial.modules.home(node)
            if path == _BATCH_SIZE and _has(trial, path):
                yield Fix(ID, source, key, (Replace(key, '"global_batch_size"'),))
            elif (help_ := _help(path)) and _has(trial, path):
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


def _help(path: _Path) -> str:
    if len(path) == 1 and path[0] in _LENGTHS:
        return _LENGTH.format(new=f'["{path[0]}"]["batches"]')
    return _MOVED.get(path, "")


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
_STEPS = 'print({}["searcher"]["max_steps"])\nreturn Rows(1), Rows(2)\n'


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
        pedl_trial(_STEPS.format("experiment_config"), _IMPORT),
        {},
        says='read ["searcher"]["max_length"]["batches"] instead',
        status="begun",
    ),
)
