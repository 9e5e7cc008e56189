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


_VALID = "def build_validation_data_loader(self):\n    return self.valid\n"
_ONE = (
    "\ndef build_training_data_loader(self):\n"
    "    return self.context.wrap_dataset(tf.data.Dataset.range(self.steps()))\n\n" + _VALID
)


_STEPS_READ = (
    "def steps(self):\n"
    "    config = {config}.get_experiment_config()\n"
    '    return config["searcher"]["max_steps"] * config.get("batches_per_step", 100)\n'
)
_ANOTHER = 'def steps(self):\n    return {"max_steps": 2}["max_steps"]\n'
_CONTEXT = "        self.context = context\n"
_ROWS = "from rows import Rows"
_READ = 'size = experiment_config["hyperparameters"]["batch_size"]\nreturn Rows(size), Rows(size)\n'


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
    Case(
        early_trial(_STEPS_READ.format(config="self.context") + _ONE),
        {
            "model_def.py": migrated_early(
                _STEPS_READ.format(config="legacy_keras") + _ONE, "\nimport legacy_keras\n"
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
    Case(early_trial(_ANOTHER + _ONE), migrated_early(_ANOTHER + _ONE)),
)
