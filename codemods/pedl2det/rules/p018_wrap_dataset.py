"""The context wraps every ``tf.data.Dataset``.

``wrap_dataset`` gives each process its share of a dataset. PEDL let a trial leave it out, and then
every process read the whole dataset. Determined insists on it, so the loader methods of
such a trial wrap what they get with ``shard_dataset=False`` (P005).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.loaders import WRAP
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, Remark, rewrite

NAME = "wrap-dataset"

_AT_IMPORT = "wrap_dataset is called while the module is imported, before there is a context"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the calls of ``wrap_dataset``, and wrap what nobody wrapped."""
    for reference in trial.uses(WRAP):
        node, context = reference.node, trial.context.at(reference.node)
        assert isinstance(node, ast.expr)
        if reference.source.names.function_of(node) is None:
            yield Remark(node, _AT_IMPORT, "call wrap_dataset in a function that the trial calls")
        else:
            yield rewrite(node, f"{'{context}' if context else 'legacy_keras'}.wrap_dataset")


EXAMPLE = """\
--- data.py
  from tensorflow_datasets import builder

- from pedl.frameworks.keras import wrap_dataset
-

- def make_data_loaders(experiment_config, hparams):
+ def make_data_loaders(context):
      both = builder("digits").as_dataset()
-     train = wrap_dataset(both["train"])
-     test = wrap_dataset(both["test"])
+     train = context.wrap_dataset(both["train"])
+     test = context.wrap_dataset(both["test"])
      return train.batch(2), test.batch(2)
"""
