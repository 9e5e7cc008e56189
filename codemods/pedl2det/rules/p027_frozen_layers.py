"""A frozen ``BatchNormalization`` goes on normalizing by its batch in training.

Since TensorFlow 2 it runs in inference mode where it is not trainable. Which layers a trial
freezes, and which are in a model that it loads, only the running trial knows. So where its code or
config says ``trainable`` and may mean such a layer, the constructor lets all of them act as before.
Those that are trained act the same. A trial that is carried over says it above its class.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from pedl2det.analysis import old_keras
from pedl2det.analysis.old_keras import KERAS
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, InsertBefore
from pedl2det.rules.cases import Case
from pedl2det.rules.small_trials import loaders, migrated_model, with_data
from pedl2det.support.library import MODULE

ID = "P027"
NAME = "frozen-layers"

_CALL = f"{MODULE}.use_old_batch_normalization()"
_WORD = "trainable"
#: Makers of variables, of which the word says something else.
_VARIABLES = ("Variable", "add_variable", "add_weight", "get_variable")
#: Layers of Keras that are such a layer, or may hold one.
_LAYERS = ("BatchNormalization", "Bidirectional", "TimeDistributed", "Wrapper")


def check(trial: Trial) -> Iterable[Fix]:
    """Let the constructors of a trial that may freeze layers change what that means."""
    if not old_keras.is_old(trial) or not _may_freeze(trial):
        return
    for root in trial.roots:
        source = trial.modules.home(root)
        if _CALL not in source.text:  # it was migrated before, and its config was not
            edits = (InsertBefore(root, _CALL),) if trial.carried else ()
            lines = () if trial.carried else (_CALL,)
            yield Fix(ID, source, root, edits, (), (f"import {MODULE}",), lines)


def _may_freeze(trial: Trial) -> bool:
    """Whether the word ``trainable`` stands anywhere in a sense that may concern such a layer."""
    is_configured = any(repr(_WORD) in repr(config) for _, config in trial.configs)
    return is_configured or any(not _is_true(value) for value in _values(trial))


def _values(trial: Trial) -> Iterator[ast.expr | None]:
    """The values that ``trainable`` is given; None for one that is not visible."""
    for node in trial.modules.of(ast.Attribute):
        if node.attr == _WORD and isinstance(node.ctx, ast.Store):
            yield getattr(trial.modules.home(node).names.parents[node], "value", None)
    for call in trial.modules.of(ast.Call):
        package, _, name = trial.today(call.func).rpartition(".")
        is_other = name not in _LAYERS  # certainly neither is nor holds such a layer
        if package != f"{KERAS}.layers":
            is_other = getattr(call.func, "attr", "") in _VARIABLES
        yield from (one.value for one in call.keywords if one.arg == _WORD and not is_other)
    yield from (None for one in trial.modules.of(ast.Constant) if one.value == _WORD)


def _is_true(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is True


_MORE = f"{_CALL}\n"


def _case(net: str, more: str = _MORE) -> Case:
    """A trial that imports ``net.py``, which stays; its constructor says more, or not."""
    before = {**with_data(_DATA), "net.py": net}
    return Case(before, {"net.py": net, "model_def.py": migrated_model("", more=more)})


_DATA = loaders("return load(net), load(net)\n", "import net\nfrom rows import load")
_NET = """\
import tensorflow as tf
from tensorflow.keras import layers


def stem():
    made = tf.keras.Sequential([layers.Dense(4), {layer}])
    {frozen}
    return made
"""
_NORM = "layers.BatchNormalization()"

_FROZEN = with_data(_DATA)["model_def.py"].replace(
    "        model.c", "        model.trainable = False\n        model.c"
)
_CARRIED = (
    _FROZEN.replace("from pedl.frameworks.keras import TFKerasTrial", f"import {MODULE}")
    .replace(
        "class Net(TFKerasTrial):\n",
        f"{_CALL}\n\n\nclass Net({MODULE}.PedlTrial):\n"
        '    data_loaders_function = "__init__:make_data_loaders"\n\n',
    )
    .replace("optimizers.SGD", "optimizers.legacy.SGD")
)

CASES = (
    _case(_NET.format(layer=_NORM, frozen="made.trainable = False")),
    _case(_NET.format(layer=_NORM, frozen='setattr(made, "trainable", False)')),
    _case(_NET.format(layer=_NORM, frozen="made.trainable = True"), more=""),
    _case(_NET.format(layer="layers.Embedding(4, 8, trainable=False)", frozen="print(made)"), ""),
    Case(  # carried over, since nobody can see what make_data_loaders returns
        {"__init__.py": "from company_data import make_data_loaders\n", "model_def.py": _FROZEN},
        {"model_def.py": _CARRIED},
        says="carried over as it was",
    ),
)
