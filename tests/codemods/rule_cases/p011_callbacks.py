"""Cases of P011."""

from __future__ import annotations

from rule_cases.cases import Case, pedl_trial

_BY_EPOCH = """\
from tensorflow.keras.callbacks import CSVLogger, EarlyStopping


class Net:
    def keras_callbacks(self, hparams):
        return [CSVLogger("epochs.csv"), EarlyStopping()]
"""
_BY_EPOCH_AFTER = """\
from determined.keras.callbacks import EarlyStopping
from tensorflow.keras.callbacks import CSVLogger

import legacy_keras


class Net:
    def keras_callbacks(self):
        return legacy_keras.with_epoch_logs(
            self.context,
            [CSVLogger("epochs.csv"), EarlyStopping()],
            self.data_loaders[0],
        )
"""
_WRITTEN = """

def scored(logs, metric):
    {statement}
"""
_BY_BATCH = """\
from tensorflow.keras.callbacks import TerminateOnNaN


class Net:
    def keras_callbacks(self{hparams}):
        return [TerminateOnNaN()]
"""

_BY_PARAMS = """\
import tensorflow as tf


class Lengths(tf.keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.batches = self.params["steps"]


class Net:
    def keras_callbacks(self, hparams):
        return [Lengths()]
"""
_BY_PARAMS_AFTER = """\
import tensorflow as tf

import legacy_keras


class Lengths(tf.keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.batches = self.params["steps"]


class Net:
    def keras_callbacks(self):
        return legacy_keras.with_epoch_logs(
            self.context, [Lengths()], self.data_loaders[0]
        )
"""
#: Lists that other code may fill: a default, and one of the class; and a word that looks written.
_FILLED = """\
from tensorflow.keras.callbacks import TerminateOnNaN


def defaults(callbacks=[]):
    callbacks.append(of_epoch(with_epochs=True))
    return callbacks


class Net:
    callbacks = []

    def keras_callbacks(self{hparams}):
        return {callbacks}
"""
_OF_KERAS_TRIAL = """\
import tensorflow as tf


class Net:
    def validation_metrics(self):
        return {{}}

    def keras_callbacks(self{hparams}):
        return {callbacks}
"""

_MODEL = """\
import tensorflow as tf


def compiled():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.Adam(), "mse", metrics=["accuracy"])
    return model
"""
AROUND = pedl_trial("class Net: ...\n", models=_MODEL)
AROUND["model_def.py"] = (
    AROUND["model_def.py"]
    .replace("import net\n", "import net\nfrom models import compiled\n")
    .replace("    pass", "    def build_model(self, hparams):\n        return compiled()")
)
CASES = (
    Case(pedl_trial(_BY_EPOCH), {"net.py": _BY_EPOCH_AFTER}, "acts after each validation"),
    *(
        Case(  # for the callback behind it
            pedl_trial(_BY_EPOCH + _WRITTEN.format(statement=statement)),
            {
                "net.py": _BY_EPOCH_AFTER.replace(
                    "from determined.keras.callbacks import EarlyStopping\n", ""
                ).replace("import CSVLogger", "import CSVLogger, EarlyStopping")
                + _WRITTEN.format(statement=statement)
            },
        )
        for statement in (
            'logs["val_loss"] = 1.0',
            "logs[metric] = 1.0",
            "logs[metric.name] = 1.0",
            "logs.setdefault(metric.name, 1.0)",
            "logs.update({metric.name: 1.0})",
            "logs.update(metric.result())",
            "logs.update(**metric.result())",
            "write(logs, metric)\n\n\ndef write(found, metric):\n    found[metric.name] = 1.0",
        )
    ),
    Case(pedl_trial(_BY_PARAMS), {"net.py": _BY_PARAMS_AFTER}),
    *(
        Case(
            pedl_trial(_FILLED.format(hparams=", hparams", callbacks=callbacks)),
            {
                "net.py": _FILLED.replace("NaN\n", "NaN\n\nimport legacy_keras\n", 1).format(
                    hparams="",
                    callbacks="legacy_keras.with_epoch_logs(\n            self.context, "
                    f"{callbacks}, self.data_loaders[0]\n        )",
                )
            },
        )
        for callbacks in ("defaults()", "self.callbacks", "[of_epoch(with_epochs=True)]")
    ),
    Case(  # which metrics are those of the training is asked of the trial
        pedl_trial(_OF_KERAS_TRIAL.format(hparams=", hparams", callbacks="make()"), "KerasTrial"),
        {
            "net.py": _OF_KERAS_TRIAL.replace("as tf\n", "as tf\n\nimport legacy_keras\n").format(
                hparams="",
                callbacks="legacy_keras.with_epoch_logs(\n            self.context, make(), "
                "self.data_loaders[0], self\n        )",
            )
        },
    ),
    Case(
        pedl_trial(_BY_BATCH.format(hparams=", hparams")), {"net.py": _BY_BATCH.format(hparams="")}
    ),
)
