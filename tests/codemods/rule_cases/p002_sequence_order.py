"""Cases of P002."""

from __future__ import annotations

from rule_cases.cases import Case
from rule_cases.small_trials import EARLY_CONFIG, early_trial, migrated_trial, pedl_trial

_ROWS = """\
import numpy as np
import tensorflow as tf


class Rows(tf.keras.utils.Sequence):
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.x[index], self.x[index]

    def on_epoch_end(self):
        np.random.shuffle(self.x)
"""
_RETURN = "return Rows(np.ones((4, 8, 1))), Rows(np.ones((4, 8, 1)))\n"
_DATASETS = (
    "train = {wrap}(tf.data.Dataset.range(8))\n"
    "return train.batch(4), {wrap}(tf.data.Dataset.range(8)).batch(4)\n"
)
_TF = "import tensorflow as tf"
_ITS_OWN = """\
        if context.get_hparam("debug"):
            context.configure_fit(shuffle=True)
"""
_EARLY = early_trial("def build_training_data_loader(self):\n    return load()\n")
_HEAD = "        self.context = context\n"


def _configured(text: str) -> str:
    """A trial of a config in steps, whose constructor says an order on a condition."""
    return _EARLY["model_def.py"].replace(_HEAD, _HEAD + text)


_OWN_ORDER = (
    _configured("        context.configure_fit(shuffle=False)\n" + _ITS_OWN)
    .replace("TFKerasTrialContext\n\n", "TFKerasTrialContext\n\nimport legacy_keras\n\n", 1)
    .replace(
        'model.compile(tf.keras.optimizers.SGD(0.1), "mse")',
        "optimizer = self.context.wrap_optimizer(tf.keras.optimizers.legacy.SGD(0.1))\n"
        '        model.compile(optimizer, "mse")',
    )
    .replace(
        "return load()",
        "return legacy_keras.whole_batches(\n"
        "            load(), batch_size=self.context.get_per_slot_batch_size()\n        )",
    )
)
_LENGTH = "max_length: {batches: 200}"
AROUND = {"const.yaml": EARLY_CONFIG}
CASES = (
    Case(
        pedl_trial(_RETURN, _ROWS),
        migrated_trial(_RETURN, _ROWS, parameters=""),
        says="Rows.on_epoch_end is called after each pass over the data",
    ),
    Case(  # a dataset shuffles itself
        pedl_trial(
            _DATASETS.format(wrap="wrap_dataset"),
            f"{_TF}\n\nfrom pedl.frameworks.keras import wrap_dataset",
        ),
        migrated_trial(_DATASETS.format(wrap="context.wrap_dataset"), _TF, shuffle=False),
    ),
    Case(  # the default comes before what the trial says on a condition
        {**_EARLY, "model_def.py": _configured(_ITS_OWN)},
        {"model_def.py": _OWN_ORDER},
    ),
    Case(  # configs in steps and in batches, which are trained alike
        {**_EARLY, "distributed.yaml": EARLY_CONFIG.replace("max_steps: 2", _LENGTH)},
        {},
        "count in batches (distributed.yaml), Determined shuffled",
    ),
)
