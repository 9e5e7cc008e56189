"""The texts that the examples of data rules share: a trial and its ``make_data_loaders``."""

from __future__ import annotations

import textwrap

from rule_cases.cases import Files

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
"""
#: The methods by which a migrated trial gives its data.
LOADER_METHODS = """\
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


#: A config of early Determined.
EARLY_CONFIG = """\
searcher:
  name: single
  metric: val_loss
  max_steps: 2
hyperparameters:
  global_batch_size: 8
entrypoint: model_def:Trial
"""

_IMPORT_OF_LOADERS = "from data import make_data_loaders\n"
_SHUFFLE = "        context.configure_fit(shuffle=False)\n"


def loaders(body: str, imports: str = "", parameters: str = "experiment_config, hparams") -> str:
    """The text of ``data.py``."""
    head = f"{imports}\n\n\n" if imports else ""
    return f"{head}def make_data_loaders({parameters}):\n{textwrap.indent(body, '    ')}"


def pedl_trial(body: str, imports: str = "") -> Files:
    """A small trial of PEDL, by the body of its ``make_data_loaders``."""
    return with_data(loaders(body, imports))


def with_data(data: str) -> Files:
    """A small trial of PEDL, by the text of its ``data.py``."""
    return {
        "__init__.py": "from data import make_data_loaders\nfrom model_def import Net\n",
        "data.py": data,
        "model_def.py": _TRIAL,
    }


def migrated_trial(
    body: str,
    imports: str = "",
    *,
    parameters: str = "context",
    unwrapped: bool = False,
    shuffle: bool = True,
) -> Files:
    """The files of such a trial that the migration changes; see ``migrated_model``."""
    data = loaders(body, imports, parameters)
    return {"data.py": data, "model_def.py": migrated_model(parameters, unwrapped, shuffle)}


def migrated_model(
    parameters: str = "context", unwrapped: bool = False, shuffle: bool = True, more: str = ""
) -> str:
    """The text of ``model_def.py`` after the migration.

    Args:
        parameters: the parameters of ``make_data_loaders``.
        unwrapped: whether the loader methods take adapters apart.
        shuffle: whether the constructor turns shuffling off.
        more: more lines of the constructor.
    """
    text = f"{_MIGRATED}\n{LOADER_METHODS}"
    for role in ("training", "validation"):
        loader = f"legacy_keras.{role}_loader(self.context, {role})" if unwrapped else role
        text = text.replace(role.upper(), loader)
    if unwrapped or "legacy_keras" in more:
        text = text.replace(_IMPORT_OF_LOADERS, f"import legacy_keras\n{_IMPORT_OF_LOADERS}")
    if not parameters:
        text = text.replace("make_data_loaders(self.context)", "make_data_loaders()")
    lines = textwrap.indent(more, " " * 8)
    kept = _SHUFFLE if shuffle else ""
    return text.replace(_SHUFFLE, lines + kept if "bind" in more else kept + lines)


_EARLY = """\
import tensorflow as tf

from determined.keras import {names}


class Net(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
{configured}
    def build_model(self):
        model = self.context.wrap_model(tf.keras.Sequential([tf.keras.layers.Dense(1)]))
        {compiled}
        return model

{data}"""
_CONFIG = """\
searcher:
  name: single
  metric: val_loss
  {length}
hyperparameters:
  global_batch_size: 8
entrypoint: model_def:Net
"""


def early_trial(data: str, names: str = "TFKerasTrial, TFKerasTrialContext") -> Files:
    """A small trial of early Determined, by its data methods."""
    compiled = 'model.compile(tf.keras.optimizers.SGD(0.1), "mse")'
    data = textwrap.indent(data, "    ")
    text = _EARLY.format(names=names, configured="", compiled=compiled, data=data)
    return {"model_def.py": text, "const.yaml": _CONFIG.format(length="max_steps: 2")}


def migrated_early(data: str, imports: str = "") -> Files:
    """The trial's file after the migration, by its data methods and its new imports."""
    text = _EARLY.format(
        names="TFKerasTrial, TFKerasTrialContext",
        configured=_SHUFFLE,
        compiled=(
            "optimizer = self.context.wrap_optimizer(tf.keras.optimizers.legacy.SGD(0.1))\n"
            '        model.compile(optimizer, "mse")'
        ),
        data=textwrap.indent(data, "    "),
    )
    config = _CONFIG.format(length="max_length:\n    batches: 200")
    return {
        "model_def.py": text.replace("\n\n\nclass", f"\n{imports}\n\nclass"),
        "const.yaml": config,
    }
