"""The cases of P022."""

from __future__ import annotations

from pedl2det.rules.cases import Case, pedl_trial

_START = """\
import tensorflow as tf


class Net:
    def loss(self):
        return "mse"

"""


def _case(before: str, after: str, says: str = "", base: str = "KerasTrial") -> Case:
    return Case(pedl_trial(_START + before, base), {"net.py": _START + after}, says)


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
_BY_NAME = ", metrics=self.named_metrics()"

CASES = (
    _case(
        _BUILD + _ACCURACY + _SIZE,
        _BUILT.format(loss="loss", metrics=_BY_NAME) + _ACCURACY,
        "loss is val_loss, accuracy is val_accuracy",
    ),
    _case(
        _BUILD + _BY_OUTPUT,
        _BUILT.format(loss="losses", metrics=_BY_NAME) + _BY_OUTPUT,
        "size_error is val_size_error",
        "KerasFunctionalTrial",
    ),
    Case(
        pedl_trial(_START + _BUILD + _COMPUTED, "KerasTrial"),
        {},
        "carried over as it was: which metrics the trial has",
    ),
    Case(
        pedl_trial(_START + _BUILD + _ACCURACY + _VALIDATION, "KerasTrial"),
        {
            "net.py": _START.replace("as tf\n", "as tf\n\nimport legacy_keras\n")
            + _BUILT.format(loss="loss", metrics=_BY_NAME)
            + _ACCURACY
            + _VALIDATION
            + "\n    def keras_callbacks(self):\n"
            "        return [legacy_keras.ValidationMetrics(self)]\n"
        },
        "in place of all other metrics",
    ),
    _case(_SIZE, _SIZE, base="TFKerasTrial"),
)
