"""A dataset of the data layer, which is gone since Determined 0.19.10, is cached by TensorFlow.

``context.experimental.cache_train_dataset`` decorated a function that made a dataset. What the
function returns is wrapped by the context now, and kept in memory.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.flow.values import arguments_of
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Drop, Fix, Remark, rewrite

NAME = "data-layer"

_DECORATORS = ("cache_train_dataset", "cache_validation_dataset")
_PARAMETERS = ("dataset_id", "dataset_version", "shuffle", "skip_shuffle_at_epoch_end")
_GONE = (
    "{name} was removed in Determined 0.19.10, so its records are cached in memory now, on each "
    "process{order}"
)
_HELP = "decorate a function that makes a dataset, or call context.wrap_dataset(dataset).cache()"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the functions that make a dataset for the data layer."""
    if trial.generation is Generation.PEDL:
        return
    for source in trial.modules:
        for call in source.names.of(ast.Call):
            match call.func:
                case ast.Attribute(value=ast.Attribute(attr="experimental"), attr=name) if (
                    name in _DECORATORS
                ):
                    function = source.names.parents[call]
                    if isinstance(function, ast.FunctionDef) and call in function.decorator_list:
                        yield from _cached(trial, source, function, call, name)
                    else:
                        message = _GONE.format(name=name, order="")
                        yield Remark(call, message, _HELP)


def _cached(
    trial: Trial, source: Source, function: ast.FunctionDef, decorator: ast.Call, name: str
) -> Iterable[Fix]:
    given = arguments_of(decorator, _PARAMETERS) or {}
    shuffle = given.get("shuffle")
    shuffles = isinstance(shuffle, ast.Constant) and bool(shuffle.value)
    order = "; they are shuffled in another order" if shuffles else ""
    notes = ((Kind.DIFFERENT, _GONE.format(name=name, order=order)),)
    yield Fix(decorator, (Drop(decorator),), notes=notes)
    for call in source.names.of(ast.Call):
        origins = [one.node for one in trial.flow.origins(call.func)]
        if origins == [function] and trial.context.at(call) is not None:
            code = "{context}.wrap_dataset({made}).cache()"
            if shuffles:
                code = f"legacy_keras.shuffled({code}, {{context}}.get_trial_seed())"
            yield rewrite(call, code, {"made": call})


EXAMPLE = """\
--- model_def.py
  import tensorflow as tf
  from determined.keras import TFKerasTrial, TFKerasTrialContext
+
+ import legacy_keras


  class Trial(TFKerasTrial):
      def __init__(self, context: TFKerasTrialContext) -> None:
          self.context = context

      def build_training_data_loader(self):
-         @self.context.experimental.cache_train_dataset("range", "v1", shuffle=True)
          def make_dataset():
              return tf.data.Dataset.range(64)

-         dataset = make_dataset()
+         dataset = legacy_keras.shuffled(
+             self.context.wrap_dataset(make_dataset()).cache(),
+             self.context.get_trial_seed(),
+         )
          return dataset.batch(8)
! cache_train_dataset was removed in Determined 0.19.10
"""
