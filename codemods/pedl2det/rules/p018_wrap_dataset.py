"""The context wraps every ``tf.data.Dataset``.

``wrap_dataset`` gives each process its share of a dataset. PEDL let a trial leave it out, and then
every process read the whole dataset. Determined insists on it, so such a dataset is wrapped where
it is returned, with ``shard_dataset=False``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from pedl2det.analysis.datasets import WRAP, is_to_be_wrapped, returned_loaders
from pedl2det.analysis.loaders import needs_unwrapping
from pedl2det.analysis.trial import Generation, Reference, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, Remark, Replace
from pedl2det.rules.cases import Case
from pedl2det.rules.small_trials import loaders, migrated_model, migrated_trial, pedl_trial

ID = "P018"
NAME = "wrap-dataset"

_WHOLE = (
    "this dataset was not wrapped, so every process read all of it, and still does: leave "
    "shard_dataset=False out to give each process a share"
)
_AT_IMPORT = (
    "wrap_dataset was called while the module was imported, before there is a context; the dataset "
    "is wrapped where it is read. Several processes share what it holds there, such as batches"
)
_WRAP_LATER = "call wrap_dataset in a function that the trial calls"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the calls of ``wrap_dataset``, and wrap what nobody wrapped."""
    for reference in trial.uses(WRAP):
        at_import = reference.source.names.function_of(reference.node) is None
        yield from _at_import(trial, reference) if at_import else [_wrapped(trial, reference)]
    if trial.generation is not Generation.PEDL or needs_unwrapping(trial):
        return
    done: set[ast.expr] = set()
    for member, _, found in returned_loaders(trial):
        is_new = member not in done and trial.context.at(member) is not None
        if is_new and is_to_be_wrapped(trial, found):
            done.add(member)
            code = "{context}.wrap_dataset({it}, shard_dataset=False)"
            edit = Replace(member, code, {"it": member})
            home = trial.modules.home(member)
            yield Fix(ID, home, member, (edit,), notes=((Kind.NOTE, _WHOLE),))


def _at_import(trial: Trial, reference: Reference) -> Iterable[Fix | Remark]:
    """A dataset that is wrapped during imports is wrapped where functions read it."""
    source, call = reference.source, reference.call
    statement = source.names.statement_of(reference.node)
    match statement:
        case ast.Assign(targets=[ast.Name() as target]) if call is not None and call.args:
            reads = trial.flow.reads_of(target)
            functions = [trial.modules.home(one).names.function_of(one) for one in reads]
            if reads and None not in functions:
                yield _read_later(trial, reference, call, reads, statement.value is call)
                return
    message = "wrap_dataset is called while the module is imported, before there is a context"
    yield Remark(ID, source, reference.node, Kind.LEFT, message, _WRAP_LATER)


def _read_later(
    trial: Trial, reference: Reference, call: ast.Call, reads: Sequence[ast.expr], is_whole: bool
) -> Fix:
    are_reached = all(trial.context.at(one) is not None for one in reads)
    wrap = "{context}.wrap_dataset" if are_reached else "legacy_keras.wrap_dataset"
    return Fix(
        ID,
        reference.source,
        reference.node,
        (Replace(call, "{it}", {"it": call.args[0]}),),
        elsewhere=tuple(
            (trial.modules.home(one), Replace(one, f"{wrap}({{it}})", {"it": one})) for one in reads
        ),
        notes=() if is_whole else ((Kind.DIFFERENT, _AT_IMPORT),),
    )


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
            f"train = wrap_dataset({_MADE}([1, 2]))\n"
            f"test = {_MADE}([3, 4])\n"
            "return train.batch(2), test.batch(2)\n",
            _WRAP,
        ),
        migrated_trial(
            f"train = context.wrap_dataset({_MADE}([1, 2]))\n"
            f"test = {_MADE}([3, 4])\n"
            "return train.batch(2), context.wrap_dataset(test.batch(2), shard_dataset=False)\n",
            _TF,
            shuffle=False,
        ),
        says="this dataset was not wrapped, so every process read all of it",
    ),
    Case(  # members of a dict that the code itself wraps
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
    Case(  # during imports there is no context yet
        pedl_trial(
            "return TRAIN.batch(2), TRAIN.batch(4)\n",
            f"{_WRAP}\n\nTRAIN = wrap_dataset({_MADE}([1]))",
        ),
        migrated_trial(
            "return context.wrap_dataset(TRAIN).batch(2), context.wrap_dataset(TRAIN).batch(4)\n",
            f"{_TF}\n\nTRAIN = {_MADE}([1])",
            shuffle=False,
        ),
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
