"""Code that reads lengths in steps from the experiment config reads them in batches.

The config of the migrated trial has ``max_length: {batches: N}`` in the place of ``max_steps``, and
``scheduling_unit`` in the place of ``batches_per_step``. Its batch size is
``hyperparameters.global_batch_size``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pedl2det.analysis.entry import entry_of
from pedl2det.analysis.flow import Origin
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, Remark, Replace
from pedl2det.rules.cases import Case
from pedl2det.rules.small_trials import (
    early_trial,
    loaders,
    migrated_early,
    migrated_trial,
    with_data,
)

ID = "P029"
NAME = "config-keys"

_STEP = "batches_per_step"
#: What a key that counts steps is called today, by its section.
_LENGTHS: dict[tuple[str, ...], dict[str, str]] = {
    (): {
        "min_validation_period": "min_validation_period",
        "min_checkpoint_period": "min_checkpoint_period",
    },
    ("searcher",): {"max_steps": "max_length", "target_trial_steps": "max_length"},
}
#: Keys without a successor, by their section.
_GONE: dict[tuple[str, ...], tuple[str, ...]] = {("searcher",): ("step_budget", "steps_per_round")}
_DEFAULT = 100
#: Keys that only have another name, by their section.
_RENAMED: dict[tuple[str, ...], dict[str, str]] = {
    (): {_STEP: "scheduling_unit"},
    ("hyperparameters",): {"batch_size": "global_batch_size"},
}


@dataclass(frozen=True)
class _Read:
    """One place that reads a key of a section.

    Attributes:
        source: the file.
        node: the expression that gives the value.
        section: the expression of the section.
        path: the names that lead to the section.
        key: the key's expression.
        name: the key.
        has_default: whether another value is given for a key that is not there.
    """

    source: Source
    node: ast.expr
    section: ast.expr
    path: tuple[str, ...]
    key: ast.Constant
    name: str
    has_default: bool


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the reads of keys that are called otherwise today."""
    if trial.generation is Generation.CONTEXT:
        return
    reads = [one for source in trial.modules for one in _reads(trial, source)]
    by_node = {one.node: one for one in reads}
    products = {}
    for one in reads:
        product = _product(trial, one, by_node)
        if product is not None:
            products[product[1]] = one
            yield _fix(one, product[0], '{section}["KEY"]["batches"]')
    for one in reads:
        if one in products.values() or one.node in products:
            continue
        yield from _alone(trial, one)


def _alone(trial: Trial, read: _Read) -> Iterator[Fix | Remark]:
    """One read that is no factor of a number of batches."""
    renamed = _RENAMED.get(read.path, {}).get(read.name)
    if renamed is not None:
        yield Fix(ID, read.source, read.node, (Replace(read.key, f'"{renamed}"'),))
        return
    unit = _unit(trial, read)
    if read.name in _GONE.get(read.path, ()) or read.has_default or unit is None:
        message = f"{ast.unparse(read.node)} counts steps, and the config counts batches"
        help_ = "read the key that the migrated config has, and count in batches"
        yield Remark(ID, read.source, read.node, Kind.LEFT, message, help_)
        return
    parent = read.source.names.parents.get(read.node)
    code = f'{{section}}["KEY"]["batches"] // {unit}'
    is_part = isinstance(parent, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Attribute)
    yield _fix(read, read.node, f"({code})" if is_part else code)


def _fix(read: _Read, node: ast.expr, code: str) -> Fix:
    new = _LENGTHS[read.path][read.name]
    edit = Replace(node, code.replace("KEY", new), {"section": read.section})
    return Fix(ID, read.source, node, (edit,))


def _product(
    trial: Trial, read: _Read, reads: dict[ast.expr, _Read]
) -> tuple[ast.expr, ast.expr] | None:
    """``max_steps * batches_per_step`` around a read, and its other factor."""
    parent = read.source.names.parents.get(read.node)
    if read.name not in _LENGTHS.get(read.path, {}) or read.has_default:
        return None
    match parent:
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            other = right if left is read.node else left
            return (parent, other) if _is_unit(trial, other, reads) else None
    return None


def _is_unit(trial: Trial, node: ast.expr, reads: dict[ast.expr, _Read]) -> bool:
    """Whether an expression is the batches of a step."""
    for origin in trial.flow.origins(node):
        match origin.node:
            case ast.Constant(value=value) if value == _DEFAULT and _units(trial) == {_DEFAULT}:
                continue
            case ast.expr() as found if found in reads and reads[found].name == _STEP:
                continue
        if origin.path == (_STEP,) and _path_of(trial, Origin(origin.node)) == ():
            continue
        return False
    return True


def _units(trial: Trial) -> set[object]:
    """The batches of a step in all configs of the trial."""
    return {config.get(_STEP, _DEFAULT) for _, config in trial.configs}


def _unit(trial: Trial, read: _Read) -> str | None:
    """The code of the batches of a step; None where it cannot be asked for."""
    units = _units(trial)
    if len(units) == 1:
        return str(*units)
    if trial.context.at(read.node) is None:
        return None
    return f'{{context}}.get_experiment_config().get("scheduling_unit", {_DEFAULT})'


# Which keys code reads.


def _reads(trial: Trial, source: Source) -> Iterator[_Read]:
    sections = (*_LENGTHS.values(), *_GONE.values(), *_RENAMED.values())
    wanted = {key for keys in sections for key in keys}
    for key in source.names.of(ast.Constant):
        if not isinstance(key.value, str) or key.value not in wanted:
            continue
        found = _read_by(source, key)
        path = _path(trial, found[1]) if found is not None else None
        if found is None or path is None:
            continue
        known = (*_LENGTHS.get(path, ()), *_GONE.get(path, ()), *_RENAMED.get(path, ()))
        if key.value in known:
            yield _Read(source, found[0], found[1], path, key, key.value, found[2])


def _read_by(source: Source, key: ast.Constant) -> tuple[ast.expr, ast.expr, bool] | None:
    """The read of a key: the whole expression, what is read from, whether it has a default."""
    parent = source.names.parents.get(key)
    match parent:
        case ast.Subscript(value=value, ctx=ast.Load()):
            return parent, value, False
        case ast.Call(func=ast.Attribute(attr="get", value=value), args=[first, *more]) if (
            first is key
        ):
            return parent, value, bool(more or parent.keywords)
    return None


def _path(trial: Trial, node: ast.expr) -> tuple[str, ...] | None:
    """The names that lead from the experiment config to an expression; None if it is no part."""
    paths = {_path_of(trial, origin) for origin in trial.flow.origins(node)}
    return next(iter(paths)) if len(paths) == 1 else None


def _path_of(trial: Trial, origin: Origin) -> tuple[str, ...] | None:
    own = tuple(one for one in origin.path if isinstance(one, str))
    if len(own) < len(origin.path):
        return None
    match origin.node:
        case ast.Call(func=ast.Attribute(attr="get_experiment_config")):
            return own
        case ast.Call(
            func=ast.Attribute(attr="get", value=value), args=[ast.Constant(str(key)), *_]
        ):
            above = _path(trial, value)
            return None if above is None else (*above, key, *own)
        case ast.Call(func=called) if (trial.modules.meaning(called) or "").endswith(
            ".get_experiment_config"
        ):
            return own
        case ast.arg(arg="experiment_config"):
            return own
        case ast.arg() as parameter if parameter in _given_configs(trial):
            return own
    return None


def _given_configs(trial: Trial) -> list[ast.arg]:
    """The parameters that the old harness gave the config, whatever they are called."""
    entries = [entry_of(one) for one in (trial.loaders, trial.download) if one is not None]
    return [one.config for one in entries if one.config is not None]


_VALID = "def build_validation_data_loader(self):\n    return self.valid\n"
_ONE = (
    "\ndef build_training_data_loader(self):\n"
    "    return self.context.wrap_dataset(tf.data.Dataset.range(self.steps()))\n\n" + _VALID
)


def _case(before: str, after: str) -> Case:
    return Case(early_trial(before + _ONE), migrated_early(after + _ONE))


CASES = (
    _case(
        "def steps(self):\n"
        "    config = self.context.get_experiment_config()\n"
        '    return config["searcher"]["max_steps"] * config.get("batches_per_step", 100)\n',
        "def steps(self):\n"
        "    config = self.context.get_experiment_config()\n"
        '    return config["searcher"]["max_length"]["batches"]\n',
    ),
    _case(
        "def steps(self):\n"
        '    searcher = self.context.get_experiment_config()["searcher"]\n'
        '    return 2 + searcher["max_steps"]\n',
        "def steps(self):\n"
        '    searcher = self.context.get_experiment_config()["searcher"]\n'
        '    return 2 + (searcher["max_length"]["batches"] // 100)\n',
    ),
    _case(
        "def steps(self):\n"
        '    return self.context.get_experiment_config().get("batches_per_step", 100)\n',
        "def steps(self):\n"
        '    return self.context.get_experiment_config().get("scheduling_unit", 100)\n',
    ),
    Case(  # under another name of the parameter
        with_data(
            loaders(
                'size = config["hyperparameters"]["batch_size"]\nreturn Rows(size), Rows(size)\n',
                "from rows import Rows",
                "config, hparams",
            )
        ),
        migrated_trial(
            'size = context.get_experiment_config()["hyperparameters"]["global_batch_size"]\n'
            "return Rows(size), Rows(size)\n",
            "from rows import Rows",
        ),
    ),
    _case(  # of another dict
        'def steps(self):\n    return {"max_steps": 2}["max_steps"]\n',
        'def steps(self):\n    return {"max_steps": 2}["max_steps"]\n',
    ),
)
