"""Cases of P030."""

from __future__ import annotations

from rule_cases.cases import Case

_TRIAL = """\
import tensorflow as tf
from rows import rows

from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([tf.keras.layers.Dense(hparams["units"])])
        model.compile(tf.keras.optimizers.SGD(0.1), "mse")
        return model


def make_data_loaders(experiment_config, hparams):
    return rows("train", hparams["batch_size"]), rows("test", hparams["batch_size"])
"""
_OTHER = """\
from model_def import Net, Other


def both(given, more):
    return {trial}, Other().build_model(1)
"""

AROUND = {"model_def.py": _TRIAL}
CASES = (
    Case(  # another class of the project
        {
            "model_def.py": _TRIAL + "\n\nclass Other:\n    pass\n\n\nother = Other()\n",
            "test_net.py": _OTHER.format(trial="Net(given)"),
        },
        {
            "test_net.py": "import legacy_keras\n"
            + _OTHER.format(trial="Net(legacy_keras.local_context(given))")
        },
    ),
    Case(
        {"model_def.py": _TRIAL, "test_net.py": _OTHER.format(trial="Net(given, **more)")},
        {},
        "a trial is made with other arguments",
    ),
)
