"""The context wraps every ``tf.data.Dataset``.

``wrap_dataset`` gives each process its share of a dataset. PEDL let a trial leave it out, and then
every process read the whole dataset. Determined requires it, so the loader methods of such a trial
wrap what they get with ``shard_dataset=False`` (P005).

``context.experimental.cache_train_dataset`` of the data layer, which Determined 0.19.10 removed,
decorated a function that made a dataset. Now the context wraps what the function returns, and the
dataset is cached in memory.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.flow.values import arguments_of
from pedl2det.analysis.loaders import WRAP
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Drop, Fix, Remark, rewrite

_AT_IMPORT = "wrap_dataset is called while the module is imported, before there is a context"
_DECORATORS = ("cache_train_dataset", "cache_validation_dataset")
_PARAMETERS = ("dataset_id", "dataset_version", "shuffle", "skip_shuffle_at_epoch_end")
_GONE = (
    "{name} was removed in Determined 0.19.10, so its records are cached in memory now, on each "
    "process{order}"
)
_HELP = "decorate a function that makes a dataset, or call context.wrap_dataset(dataset).cache()"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the calls of ``wrap_dataset``, and the functions that make a cached dataset."""
    for reference in trial.uses(WRAP):
        node, context = reference.node, trial.context.at(reference.node)
        assert isinstance(node, ast.expr)
        if reference.source.names.function_of(node) is None:
            yield Remark(node, _AT_IMPORT, "call wrap_dataset in a function that the trial calls")
        else:
            yield rewrite(node, f"{'{context}' if context else 'legacy_keras'}.wrap_dataset")
    for source in trial.modules:
        for call in source.names.of(ast.Call):
            match call.func:
                case ast.Attribute(value=ast.Attribute(attr="experimental"), attr=name) if (
                    name in _DECORATORS
                ):
                    function = source.names.parents[call]
                    if isinstance(function, ast.FunctionDef) and call in function.decorator_list:
                        yield from _cache(trial, source, function, call, name)
                    else:
                        yield Remark(call, _GONE.format(name=name, order=""), _HELP)


def _cache(
    trial: Trial, source: Source, function: ast.FunctionDef, decorator: ast.Call, name: str
) -> Iterable[Fix]:
    arguments = arguments_of(decorator, _PARAMETERS) or {}
    shuffle = arguments.get("shuffle")
    shuffles = isinstance(shuffle, ast.Constant) and bool(shuffle.value)
    order = "; they are shuffled in another order" if shuffles else ""
    notes = ((Kind.DIFFERENT, _GONE.format(name=name, order=order)),)
    yield Fix(decorator, (Drop(decorator),), notes=notes)
    for call in source.names.of(ast.Call):
        origins = [origin.node for origin in trial.flow.origins(call.func)]
        if origins == [function] and trial.context.at(call) is not None:
            code = "{context}.wrap_dataset({made}).cache()"
            if shuffles:
                code = f"legacy_keras.shuffled({code}, {{context}}.get_trial_seed())"
            yield rewrite(call, code, {"made": call})


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
