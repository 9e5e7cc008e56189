"""Cases of P029."""

from __future__ import annotations

from rule_cases.cases import Case
from rule_cases.small_trials import (
    EARLY_CONFIG,
    loaders,
    migrated_model,
    with_data,
)

_ROWS = "from rows import Rows"
_READ = 'size = experiment_config["hyperparameters"]["batch_size"]\nreturn Rows(size), Rows(size)\n'
_CONFIG = "data:\n  rows: 4\nhyperparameters:\n  {size}\nsearcher:\n  name: single\n{end}"
_STEPS = _CONFIG.format(size="batch_size: 8", end="  metric: val_loss\n  max_steps: 2\n")
_BATCHES = _CONFIG.format(
    size="global_batch_size: 8",
    end="  metric: val_loss\n  max_length:\n    batches: 200\nentrypoint: model_def:Net\n",
)

AROUND = {"const.yaml": EARLY_CONFIG}
CASES = (
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
