"""Code that reads more of the experiment config than keys that stay gets the config as it was.

The config of the migrated trial has ``max_length: {batches: N}`` in the place of ``max_steps``, and
``scheduling_unit`` in the place of ``batches_per_step``. Its batch size is
``hyperparameters.global_batch_size``. ``legacy_keras.get_experiment_config`` gives all code one
dict, which is the config as it was; ``data.legacy_config`` of each config holds what it cannot
compute.
"""

from __future__ import annotations

from collections.abc import Iterable

from pedl2det.analysis.config_uses import AS_BEFORE
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.fixes import Fix, Remark, Replace
from pedl2det.rules.cases import Case
from pedl2det.rules.small_trials import (
    early_trial,
    loaders,
    migrated_early,
    migrated_model,
    with_data,
)

ID = "P029"
NAME = "config-keys"

_DATA = "legacy_keras.get_data_config()"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Ask for the config as it was wherever the context was asked for it."""
    if trial.generation is Generation.CONTEXT or trial.config_uses.is_plain:
        return
    asked = {"get_experiment_config": AS_BEFORE, "get_data_config": _DATA}
    for name, code in asked.items():
        for call in trial.asked_of_context(name):
            yield Fix(ID, trial.modules.home(call), call, (Replace(call, code),))


_ASKED = (
    "def build_training_data_loader(self):\n"
    '    steps = {config}.get_experiment_config()["searcher"]["max_steps"]\n'
    "    return self.context.wrap_dataset(tf.data.Dataset.range(steps))\n\n"
    "def build_validation_data_loader(self):\n    return self.valid\n"
)
_CONTEXT = "        self.context = context\n"
_ROWS = "from rows import Rows"
_READ = 'size = experiment_config["hyperparameters"]["batch_size"]\nreturn Rows(size), Rows(size)\n'
_CONFIG = "data:\n  rows: 4\nhyperparameters:\n  {size}\nsearcher:\n  name: single\n{end}"
_STEPS = _CONFIG.format(size="batch_size: 8", end="  metric: val_loss\n  max_steps: 2\n")
_BATCHES = _CONFIG.format(
    size="global_batch_size: 8",
    end="  metric: val_loss\n  max_length:\n    batches: 200\nentrypoint: model_def:Net\n",
)

CASES = (
    Case(
        early_trial(_ASKED.format(config="self.context")),
        {
            "model_def.py": migrated_early(
                _ASKED.format(config="legacy_keras"), "\nimport legacy_keras\n"
            )["model_def.py"].replace(_CONTEXT, f"{_CONTEXT}        legacy_keras.bind(context)\n")
        },
    ),
    Case(  # what make_data_loaders is given
        {**with_data(loaders(_READ, _ROWS)), "const.yaml": _STEPS},
        {
            "const.yaml": _BATCHES,
            "data.py": loaders(
                _READ.replace("experiment_config", "legacy_keras.get_experiment_config()"),
                f"{_ROWS}\n\nimport legacy_keras",
                "",
            ),
            "model_def.py": migrated_model("", more="legacy_keras.bind(context)\n"),
        },
    ),
)
