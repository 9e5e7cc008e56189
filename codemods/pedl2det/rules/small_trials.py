"""The texts that the examples of data rules share: a trial and its ``make_data_loaders``."""

from __future__ import annotations

import textwrap

from pedl2det.rules.cases import Files

_TRIAL = """\
import tensorflow as tf

from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(0.1), "mse")
        return model
"""
_MIGRATED = """\
from functools import cached_property

import tensorflow as tf

from determined.keras import TFKerasTrial, TFKerasTrialContext
from data import make_data_loaders


class Net(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        context.configure_fit(shuffle=False)

    def build_model(self):
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model = self.context.wrap_model(model)
        optimizer = self.context.wrap_optimizer(tf.keras.optimizers.legacy.SGD(0.1))
        model.compile(optimizer, "mse")
        return model

    @cached_property
    def data_loaders(self):
        \"\"\"Training and validation data, from one call: they may share one shuffle.\"\"\"
        return make_data_loaders(self.context)

    def build_training_data_loader(self):
        training, _ = self.data_loaders
        return TRAINING

    def build_validation_data_loader(self):
        _, validation = self.data_loaders
        return VALIDATION
"""


def loaders(body: str, imports: str = "", parameters: str = "experiment_config, hparams") -> str:
    """The text of ``data.py``."""
    head = f"{imports}\n\n\n" if imports else ""
    return f"{head}def make_data_loaders({parameters}):\n{textwrap.indent(body, '    ')}"


def pedl_trial(body: str, imports: str = "") -> Files:
    """A small trial of PEDL, by the body of its ``make_data_loaders``."""
    return {
        "__init__.py": "from data import make_data_loaders\nfrom model_def import Net\n",
        "data.py": loaders(body, imports),
        "model_def.py": _TRIAL,
    }


def migrated_trial(
    body: str,
    imports: str = "",
    training: str = "training",
    validation: str = "validation",
    module: str = "",
) -> Files:
    """The files of such a trial that the migration changes.

    Args:
        body: the body of ``make_data_loaders``.
        imports: the imports of its file.
        training: what ``build_training_data_loader`` returns.
        validation: what ``build_validation_data_loader`` returns.
        module: one more import of the trial's file.
    """
    text = _MIGRATED.replace("TRAINING", training).replace("VALIDATION", validation)
    here = "from data import make_data_loaders\n"
    return {
        "data.py": loaders(body, imports, "context"),
        "model_def.py": text.replace(here, here + module),
    }
