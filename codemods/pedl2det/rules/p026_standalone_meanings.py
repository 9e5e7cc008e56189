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
from pedl2det.fixes import DropArgument, Edit, Fix, InsertBefore, Remark, Replace
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


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite what meant something else, wherever a project uses standalone Keras."""
    if not old_keras.imports_standalone(trial):
        return
    for reference in trial.references:
        module, _, name = reference.dotted.rpartition(".")
        if not is_standalone(reference.dotted) or reference.is_import:
            continue
        if module.rpartition(".")[2] in ("losses", "metrics") and name in _LOSSES:
            yield _loss(reference, name)
        elif name in names.CONVOLUTIONS and reference.call is not None:
            yield from _convolution(trial, reference, reference.call, names.CONVOLUTIONS[name])
    yield from _named_losses(trial)
    if trial.mended and old_keras.has_standalone_layers(trial):
        yield from _layer_names(trial)


def _layer_names(trial: Trial) -> Iterator[Fix]:
    """Names of layers from ``dense_1`` on, which other names of a model may take for granted."""
    for root in trial.roots:
        source = trial.modules.home(root)
        edits = (InsertBefore(root, _FROM_ONE),) if trial.carried else ()
        lines = () if trial.carried else (_FROM_ONE,)
        yield Fix(ID, source, root, edits, (), (f"import {MODULE}",), lines)


def _loss(reference: Reference, name: str) -> Fix:
    """A loss that was another function: that function."""
    node = reference.node
    assert isinstance(node, ast.expr)
    piece = _LOSSES[name]
    edit = Replace(node, f"legacy_keras.{piece}")
    return Fix(ID, reference.source, node, (edit,))


def _named_losses(trial: Trial) -> Iterator[Fix]:
    """Losses and metrics by their names, in ``compile`` or in the methods of a ``KerasTrial``."""
    values: list[ast.expr] = []
    for one in compiles(trial):
        if one.is_standalone:
            values += one.call.args[1:3]
            wanted = ("loss", "metrics", "weighted_metrics")
            values += [arg.value for arg in one.call.keywords if arg.arg in wanted]
    for metrics in keras_trials(trial):
        for name in ("loss", "losses", "training_metrics", "validation_metrics"):
            for method in trial.flow.overrides(metrics.owner, name):
                values += trial.flow.returned(method)
    found: dict[ast.Constant, None] = {}
    for value in values:
        found |= dict.fromkeys(_constants(trial, value))
    for node in found:
        piece = _LOSSES[str(node.value)]
        edit = Replace(node, f"legacy_keras.{piece}")
        source = trial.modules.home(node)
        yield Fix(ID, source, node, (edit,))


def _constants(trial: Trial, value: ast.expr) -> Iterator[ast.Constant]:
    """The names of such losses in a value, also as members of lists, tuples and dicts."""
    for node in trial.flow.members(value):
        match node:
            case ast.Constant(value=str(name)) if name in _LOSSES:
                yield node


def _convolution(trial: Trial, reference: Reference, call: ast.Call, sizes: int) -> Iterator[Fix]:
    """``Conv2D(32, 3, 3)`` with its kernel as one argument."""
    given = call.args[1:]
    if len(given) != sizes or any(isinstance(one, ast.Starred) for one in call.args):
        return
    if any(_is_pair(trial, one) for one in given):
        return
    holes = {f"size{number}": one for number, one in enumerate(given)}
    kernel = f"({', '.join(f'{{{name}}}' for name in holes)})"
    edits: list[Edit] = [Replace(given[0], kernel, holes)]
    edits += [DropArgument(call, one) for one in given[1:]]
    spelling = spell(reference.source, f"{KERAS}.layers.{_public(reference)}", like=call.func)
    if spelling.code != ast.unparse(call.func):
        edits.append(Replace(call.func, spelling.code))
    yield Fix(ID, reference.source, call, tuple(edits), imports=spelling.imports)


def _public(reference: Reference) -> str:
    """The name of a convolution today."""
    new = reference.row.new if reference.row is not None else None
    return (new or reference.dotted).rpartition(".")[2]


def _is_pair(trial: Trial, node: ast.expr) -> bool:
    """Whether an argument is a tuple, or a name such as ``"same"``, rather than a number."""
    return any(
        isinstance(one.node, ast.Tuple | ast.List)
        or (isinstance(one.node, ast.Constant) and not isinstance(one.node.value, int))
        for one in trial.flow.origins(node)
    )


def _case(before: str, after: str) -> Case:
    return Case(pedl_trial(before), {"net.py": after})


_NETS = """\
from keras.models import Sequential


def make():
    return Sequential()
"""
_COMPILED = """\
import tensorflow as tf
from nets import make


class Net:
    def build_model(self, hparams):
        model = make()
        model.compile("sgd", "hinge", metrics=["mae", "cosine"])
        return model
"""
_COMPILED_AFTER = """\
import tensorflow as tf

import legacy_keras
from nets import make


class Net:
    def build_model(self):
        model = make()
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
    Case(pedl_trial(_COMPILED, nets=_NETS), {"net.py": _COMPILED_AFTER}),
    _case(
        "import tensorflow as tf\nloss = tf.keras.losses.hinge\n",
        "import tensorflow as tf\nloss = tf.keras.losses.hinge\n",
    ),
)
