"""The context wraps every ``tf.data.Dataset``.

``wrap_dataset`` gives each process its share of a dataset. PEDL let a trial leave it out, and then
every process read the whole dataset. Determined insists on it, so the loader methods of
such a trial wrap what they get with ``shard_dataset=False`` (P005).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.loaders import WRAP
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, Remark, Replace
from pedl2det.rules.cases import Case
from pedl2det.rules.small_trials import loaders, migrated_model, migrated_trial, pedl_trial

ID = "P018"
NAME = "wrap-dataset"

_WRAP_LATER = "call wrap_dataset in a function that the trial calls"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the calls of ``wrap_dataset``, and wrap what nobody wrapped."""
    for reference in trial.uses(WRAP):
        at_import = reference.source.names.function_of(reference.node) is None
        yield _at_import(reference) if at_import else _wrapped(trial, reference)


def _at_import(reference: Reference) -> Remark:
    message = "wrap_dataset is called while the module is imported, before there is a context"
    return Remark(ID, reference.source, reference.node, Kind.LEFT, message, _WRAP_LATER)


def _wrapped(trial: Trial, reference: Reference) -> Fix:
    node = reference.node
    assert isinstance(node, ast.expr)
    if trial.context.at(node) is not None:
        edit = Replace(node, "{context}.wrap_dataset")
        return Fix(ID, reference.source, node, (edit,))
    edit = Replace(node, "legacy_keras.wrap_dataset")
    return Fix(ID, reference.source, node, (edit,))


_TF = "import tensorflow as tf"
_WRAP = f"{_TF}\n\nfrom pedl.frameworks.keras import wrap_dataset"
_MADE = "tf.data.Dataset.from_tensor_slices"

CASES = (
    Case(
        pedl_trial(
            'both = builder("digits").as_dataset()\n'
            'train = wrap_dataset(both["train"])\n'
            'test = wrap_dataset(both["test"])\n'
            "return train.batch(2), test.batch(2)\n",
            "from tensorflow_datasets import builder\n\n"
            "from pedl.frameworks.keras import wrap_dataset",
        ),
        migrated_trial(
            'both = builder("digits").as_dataset()\n'
            'train = context.wrap_dataset(both["train"])\n'
            'test = context.wrap_dataset(both["test"])\n'
            "return train.batch(2), test.batch(2)\n",
            "from tensorflow_datasets import builder",
            shuffle=False,
        ),
    ),
    Case(  # one is not wrapped
        pedl_trial(
            f"train = wrap_dataset({_MADE}([1, 2]))\n"
            f"test = {_MADE}([3, 4])\n"
            "return train.batch(2), test.batch(2)\n",
            _WRAP,
        ),
        migrated_trial(
            f"train = context.wrap_dataset({_MADE}([1, 2]))\n"
            f"test = {_MADE}([3, 4])\n"
            "return train.batch(2), test.batch(2)\n",
            _TF,
            unwrapped=True,
            shuffle=False,
        ),
    ),
    Case(  # during imports there is no context yet
        pedl_trial(
            "return TRAIN.batch(2), TRAIN.batch(4)\n",
            f"{_WRAP}\n\nTRAIN = wrap_dataset({_MADE}([1]))",
        ),
        {},
        says="wrap_dataset is called while the module is imported",
        status="begun",
    ),
    Case(  # a method of a class that is no trial has no context
        pedl_trial(
            "return Reader().read(), Reader().read()\n",
            f"{_WRAP}\n\n\nclass Reader:\n    def read(self):\n"
            f"        return wrap_dataset({_MADE}([1]))",
        ),
        {
            "data.py": loaders(
                "return Reader().read(), Reader().read()\n",
                f"{_TF}\n\nimport legacy_keras\n\n\nclass Reader:\n    def read(self):\n"
                f"        return legacy_keras.wrap_dataset({_MADE}([1]))",
                "",
            ),
            "model_def.py": migrated_model("", shuffle=False, more="legacy_keras.bind(context)\n"),
        },
    ),
)
