"""What standalone Keras 2.2.4 computed otherwise under the same name.

Its ``hinge`` losses took labels of 0 and 1 as they are, and ``Conv2D(32, 3, 3)`` meant a kernel of
3 by 3. P009 writes its optimizers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import pedl2det_names as names
from pedl2det.analysis import old_keras
from pedl2det.analysis.keras_metrics import keras_trials
from pedl2det.analysis.models import compiles
from pedl2det.analysis.old_keras import KERAS, is_standalone
from pedl2det.analysis.spelling import spell
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.fixes import Drop, Edit, Fix, InsertBefore, Replace
from pedl2det.rules.cases import Case, pedl_trial
from pedl2det.support.library import MODULE

ID = "P026"
NAME = "standalone-meanings"
_FROM_ONE = f"{MODULE}.name_layers_from_one()"

#: Losses that were other functions, by their names for Keras.
_LOSSES = {
    "hinge": "hinge",
    "squared_hinge": "squared_hinge",
    "cosine": "cosine_proximity",
    "cosine_proximity": "cosine_proximity",
}


def check(trial: Trial) -> Iterable[Fix]:
    """Rewrite what meant something else, wherever a project uses standalone Keras."""
    if not old_keras.imports_standalone(trial):
        return
    for reference in trial.references:
        module, _, name = reference.dotted.rpartition(".")
        node, source = reference.node, reference.source
        if not is_standalone(reference.dotted) or not isinstance(node, ast.expr):
            continue
        if module.rpartition(".")[2] in ("losses", "metrics") and name in _LOSSES:
            yield Fix(ID, source, node, (Replace(node, f"{MODULE}.{_LOSSES[name]}"),))
        elif name in names.CONVOLUTIONS and reference.call is not None:
            yield from _convolution(trial, reference, reference.call, names.CONVOLUTIONS[name])
    members = (node for value in _losses(trial) for node in trial.flow.members(value))
    for member in dict.fromkeys(members):
        if isinstance(member, ast.Constant) and member.value in _LOSSES:
            edit = Replace(member, f"{MODULE}.{_LOSSES[str(member.value)]}")
            yield Fix(ID, trial.modules.home(member), member, (edit,))
    if trial.mended and old_keras.has_standalone_layers(trial):
        for root in trial.roots:  # names from dense_1 on, which a model may take for granted
            edits = (InsertBefore(root, _FROM_ONE),) if trial.carried else ()
            lines = () if trial.carried else (_FROM_ONE,)
            home = trial.modules.home(root)
            yield Fix(ID, home, root, edits, (), (f"import {MODULE}",), lines)


def _losses(trial: Trial) -> Iterator[ast.expr]:
    """Losses and metrics that may be names: of ``compile``, and of a ``KerasTrial``."""
    for one in compiles(trial):
        if one.is_standalone:
            yield from one.call.args[1:3]
            named = ("loss", "metrics", "weighted_metrics")
            yield from (given.value for given in one.call.keywords if given.arg in named)
    for metrics in keras_trials(trial):
        for name in ("loss", "losses", "training_metrics", "validation_metrics"):
            for method in trial.flow.overrides(metrics.owner, name):
                yield from trial.flow.returned(method)


def _convolution(trial: Trial, reference: Reference, call: ast.Call, sizes: int) -> Iterator[Fix]:
    """``Conv2D(32, 3, 3)`` with its kernel as one argument."""
    given = call.args[1:]
    if len(given) != sizes or any(isinstance(one, ast.Starred) for one in call.args):
        return
    for origin in (one.node for size in given for one in trial.flow.origins(size)):
        is_text = isinstance(origin, ast.Constant) and not isinstance(origin.value, int)
        if is_text or isinstance(origin, ast.Tuple | ast.List):
            return  # a name such as "same", or a pair
    holes = {f"size{number}": one for number, one in enumerate(given)}
    kernel = f"({', '.join(f'{{{name}}}' for name in holes)})"
    edits: list[Edit] = [Replace(given[0], kernel, holes)]
    edits += [Drop(one) for one in given[1:]]
    today = trial.today(call.func).rpartition(".")[2]
    spelling = spell(reference.source, f"{KERAS}.layers.{today}", like=call.func)
    if spelling.code != ast.unparse(call.func):
        edits.append(Replace(call.func, spelling.code))
    yield Fix(ID, reference.source, call, tuple(edits), imports=spelling.imports)


def _case(before: str, after: str) -> Case:
    return Case(pedl_trial(before), {"net.py": after})


_COMPILED = """\
import tensorflow as tf
from keras.models import Sequential


class Net:
    def build_model(self, hparams):
        model = Sequential()
        model.compile("sgd", "hinge", metrics=["mae", "cosine"])
        return model
"""
_COMPILED_AFTER = """\
import tensorflow as tf
from tensorflow.keras.models import Sequential

import legacy_keras


class Net:
    def build_model(self):
        model = Sequential()
        model = self.context.wrap_model(model)
        optimizer = self.context.wrap_optimizer(tf.keras.optimizers.legacy.SGD())
        model.compile(
            optimizer,
            legacy_keras.hinge,
            metrics=["mae", legacy_keras.cosine_proximity],
        )
        return model
"""

CASES = (
    _case(
        "import keras\nloss = keras.losses.squared_hinge\n",
        "import legacy_keras\n\nloss = legacy_keras.squared_hinge\n",
    ),
    _case(
        "import keras\nx = keras.layers.Conv2D(32, 3, 3, activation='relu')\n",
        "from tensorflow import keras\nx = keras.layers.Conv2D(32, (3, 3), activation='relu')\n",
    ),
    _case(
        "import tensorflow as tf\nx = tf.keras.layers.Conv2D(32, 3, 2)\n",
        "import tensorflow as tf\nx = tf.keras.layers.Conv2D(32, 3, 2)\n",
    ),
    Case(pedl_trial(_COMPILED), {"net.py": _COMPILED_AFTER}),
)
