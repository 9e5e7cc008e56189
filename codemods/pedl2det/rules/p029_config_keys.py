"""Code reads the experiment config by the keys of today, or gets the config as it was.

The config of the migrated trial has ``max_length: {batches: N}`` in the place of ``max_steps``, and
``scheduling_unit`` in the place of ``batches_per_step``. Its batch size is
``hyperparameters.global_batch_size``. Where all code only reads single keys, each read is
rewritten. Otherwise ``legacy_keras.get_experiment_config`` gives all code one dict, which is the
config as it was; ``data.legacy_config`` of each config holds what it cannot compute.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.config_uses import AS_BEFORE, LENGTHS, RENAMED, Read
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.fixes import Fix, Remark, Replace
from pedl2det.rules.cases import Case
from pedl2det.rules.small_trials import (
    early_trial,
    loaders,
    migrated_early,
    migrated_model,
    migrated_trial,
    with_data,
)

ID = "P029"
NAME = "config-keys"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the reads of keys that are called otherwise today, or what the config comes from."""
    if trial.generation is Generation.CONTEXT:
        return
    uses = trial.config_uses
    if not uses.is_plain:
        for call in trial.asked_of_context("get_experiment_config"):
            yield Fix(ID, trial.modules.home(call), call, (Replace(call, AS_BEFORE),))
        for call in trial.asked_of_context("get_data_config"):
            edit = Replace(call, "legacy_keras.get_data_config()")
            yield Fix(ID, trial.modules.home(call), call, (edit,))
        return
    products = {one: _product(trial, one) for one in uses.reads if one.path in LENGTHS}
    factors = {part for one in products.values() if one for part in (one.left, one.right)}
    for read, product in products.items():
        yield _length(trial, read, product)
    for read in uses.reads:
        if read.path in RENAMED and read.node not in factors:
            edit = Replace(read.key, f'"{RENAMED[read.path]}"')
            yield Fix(ID, trial.modules.home(read.node), read.node, (edit,))


def _length(trial: Trial, read: Read, product: ast.BinOp | None) -> Fix:
    """A length in batches, in the place of one in steps or of the product that made batches."""
    source = trial.modules.home(read.node)
    code = f'{{section}}["{LENGTHS[read.path]}"]["batches"]'
    if product is None:
        code += f" // {trial.config_uses.step}"
        parent = source.names.parents.get(read.node)
        if isinstance(parent, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Attribute):
            code = f"({code})"
    node = product or read.node
    return Fix(ID, source, node, (Replace(node, code, {"section": read.section}),))


def _product(trial: Trial, read: Read) -> ast.BinOp | None:
    """``max_steps * batches_per_step`` around a read."""
    match trial.modules.home(read.node).names.parents.get(read.node):
        case ast.BinOp(op=ast.Mult()) as product:
            other = product.right if product.left is read.node else product.left
            return product if trial.config_uses.is_step(other) else None
    return None


_VALID = "def build_validation_data_loader(self):\n    return self.valid\n"
_ONE = (
    "\ndef build_training_data_loader(self):\n"
    "    return self.context.wrap_dataset(tf.data.Dataset.range(self.steps()))\n\n" + _VALID
)


def _case(before: str, after: str) -> Case:
    return Case(early_trial(before + _ONE), migrated_early(after + _ONE))


_STEPS = """\
data:
  rows: 4
hyperparameters:
  batch_size: 8
searcher:
  name: single
  metric: val_loss
  max_steps: 2
"""
_BATCHES = """\
data:
  rows: 4
hyperparameters:
  global_batch_size: 8
searcher:
  name: single
  metric: val_loss
  max_length:
    batches: 200
entrypoint: model_def:Net
"""

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
    Case(  # more than reads of single keys
        {
            **with_data(
                loaders(
                    'for name, value in experiment_config["searcher"].items():\n'
                    "    print(name, value)\n"
                    "return Rows(0), Rows(1)\n",
                    "from rows import Rows",
                )
            ),
            "const.yaml": _STEPS,
        },
        {
            "const.yaml": _BATCHES,
            "data.py": loaders(
                'for name, value in legacy_keras.get_experiment_config()["searcher"].items():\n'
                "    print(name, value)\n"
                "return Rows(0), Rows(1)\n",
                "from rows import Rows\n\nimport legacy_keras",
                "",
            ),
            "model_def.py": migrated_model("", more="legacy_keras.bind(context)\n"),
        },
    ),
    _case(  # of another dict
        'def steps(self):\n    return {"max_steps": 2}["max_steps"]\n',
        'def steps(self):\n    return {"max_steps": 2}["max_steps"]\n',
    ),
)
