"""Cases of P022."""

from __future__ import annotations

from rule_cases.cases import Case, pedl_trial

_START = """\
import tensorflow as tf


class Net:
    def loss(self):
        return "mse"

"""


def _case(before: str, after: str, says: str = "", base: str = "KerasTrial") -> Case:
    start = _START
    if "legacy_keras" in after:
        start = start.replace("as tf\n", "as tf\n\nimport legacy_keras\n")
    return Case(pedl_trial(_START + before, base), {"net.py": start + after}, says)


_BUILD = """\
    def build_model(self, hparams):
        net = make()
        return net  # small
"""
_BUILT = """\
    def build_model(self):
        net = make()
        net = self.context.wrap_model(net)
        optimizer = self.context.wrap_optimizer(self.optimizer())
        net.compile(optimizer, loss=self.{loss}(){metrics})
        return net  # small
"""
_ACCURACY = """\

    def validation_metrics(self):
        return {"accuracy": tf.keras.metrics.categorical_accuracy}
"""
_COMPUTED = """\

    def validation_metrics(self):
        return choose()
"""
_BY_OUTPUT = """\

    def losses(self):
        return {"kind": "mse", "size": "mae"}

    def validation_metrics(self):
        return {"size_error": ("size", tf.keras.metrics.mean_squared_error)}
"""
_SIZE = """\

    def batch_size(self):
        return 16
"""
_VALIDATION = """\

    def compute_validation_metrics(self, step):
        return {"num_inputs": 4, "validation_metrics": {"auc": auc(self.model)}}
"""
_GIVEN = """\

    def keras_callbacks(self, hparams):
        return [Rollback(self)]


class Rollback(tf.keras.callbacks.Callback):
    def __init__(self, trial):
        self.trial = trial

    def on_batch_end(self, batch, logs=None):
        self.model.set_weights(self.trial.model.get_weights())
"""
_LISTED = _BUILT.replace(
    "optimizer, loss=self.{loss}(){metrics})",
    "\n            optimizer, loss=self.loss(), metrics=legacy_keras.named_metrics(self)\n"
    "        )",
)
_LISTED_BY_OUTPUT = _BUILT.replace(
    "optimizer, loss=self.{loss}(){metrics})",
    "\n            optimizer,\n            loss=self.losses(),\n"
    "            metrics=legacy_keras.named_metrics_by_output(self),\n        )",
)
_OPTIMIZER = """\
import tensorflow as tf


class Net:
    def optimizer(self):
        return {value}
"""


def _by_name(before: str, after: str, start: str = "", base: str = "KerasTrial") -> Case:
    return Case(
        pedl_trial(_OPTIMIZER.format(value=before), base),
        {"net.py": start + _OPTIMIZER.format(value=after)},
    )


AROUND = pedl_trial("class Net: ...\n", "KerasTrial")
CASES = (
    _case(  # Keras puts the output's name before those of its metrics
        _BUILD + _BY_OUTPUT,
        _LISTED_BY_OUTPUT + _BY_OUTPUT,
        base="KerasFunctionalTrial",
    ),
    _case(  # metrics that only the running code knows
        _BUILD + _COMPUTED,
        _LISTED + _COMPUTED,
        "another of the validation is called training_NAME",
    ),
    _case(
        _BUILD + _ACCURACY + _VALIDATION,
        _LISTED + _ACCURACY + _VALIDATION + "\n    def keras_callbacks(self):\n"
        "        return [legacy_keras.ValidationMetrics(self)]\n",
        "in place of all other metrics",
    ),
    _case(_SIZE, _SIZE, base="TFKerasTrial"),
    Case(
        pedl_trial(_OPTIMIZER.format(value="choose()"), "KerasTrial"),
        {
            "net.py": _OPTIMIZER.format(
                value="legacy_keras.standalone_optimizer(choose())"
            ).replace("as tf\n", "as tf\n\nimport legacy_keras\n")
        },
    ),
    Case(  # the trial is given to code that asks for what the harness set on it
        pedl_trial(f"{_START}{_BUILD}{_GIVEN}", "KerasTrial"),
        {},
        "carried over unchanged: self.trial.model was set by the old harness",
    ),
    _by_name("tf.keras.optimizers.legacy.SGD(0.1)", "tf.keras.optimizers.legacy.SGD(0.1)"),
    _by_name("'adadelta'", "'adadelta'", base="TFKerasTrial"),
)
