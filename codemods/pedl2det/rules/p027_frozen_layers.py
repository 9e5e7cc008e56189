"""A frozen ``BatchNormalization`` goes on normalizing by its batch in training.

Since TensorFlow 2 it runs in inference mode where it is not trainable. Where a project freezes
layers among which there may be one, the layers that it makes itself become a class that acts as
before, and so do those of a model that it loads or takes from ``keras.applications``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from pedl2det.analysis import old_keras
from pedl2det.analysis.flow import Way
from pedl2det.analysis.old_keras import KERAS
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, Remark, Replace
from pedl2det.rules.cases import Case, pedl_trial

ID = "P027"
NAME = "frozen-layers"

_LAYER = f"{KERAS}.layers.BatchNormalization"
_PIECE = "BatchNormalization"
_OF_MODEL = "with_old_batch_normalization"
#: Ready made models without such a layer.
_WITHOUT = ("VGG16", "VGG19")
_LOADERS = ("load_model", "model_from_json", "model_from_config")


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the layers of a project that freezes some of them."""
    if not old_keras.is_old(trial):
        return
    made = list(_made(trial))
    ready = list(_ready_made(trial))
    frozen = [one for one in _frozen(trial) if made or ready]
    own = [one for one in frozen if _may_hold(trial, one[1], set(), own=True)]
    held = [one for one in frozen if ready and _may_hold(trial, one[1], set(), own=False)]
    for call in ready if held else ():
        edit = Replace(call, f"legacy_keras.{_OF_MODEL}({{model}})", {"model": call})
        home = trial.modules.home(call)
        yield Fix(ID, home, call, (edit,))
    for source, node in made if own else ():
        edit = Replace(node, f"legacy_keras.{_PIECE}")
        yield Fix(ID, source, node, (edit,))


def _made(trial: Trial) -> Iterator[tuple[Source, ast.expr]]:
    """Where the project names the class of the layer, other than in imports."""
    for source in trial.modules:
        for node in source.names.of(ast.Name, ast.Attribute):
            is_part = isinstance(source.names.parents.get(node), ast.Attribute)
            if isinstance(node.ctx, ast.Load) and not is_part and trial.today(node) == _LAYER:
                yield source, node


def _ready_made(trial: Trial) -> Iterator[ast.Call]:
    """Where the project takes a model that may hold such a layer."""
    for source in trial.modules:
        for call in source.names.of(ast.Call):
            today = trial.today(call.func) or ""
            name = today.rpartition(".")[2]
            is_application = today.startswith(f"{KERAS}.applications.") and name[:1].isupper()
            if (is_application and name not in _WITHOUT) or name in _LOADERS:
                yield call


def _frozen(trial: Trial) -> Iterator[tuple[Source, ast.expr]]:
    """What is frozen: ``x`` in ``x.trainable = False``, and calls with ``trainable=False``."""
    for source in trial.modules:
        for node in source.names.of(ast.Attribute, ast.keyword):
            if isinstance(node, ast.Attribute):
                if node.attr == "trainable" and isinstance(node.ctx, ast.Store):
                    statement = source.names.parents.get(node)
                    if not _is_true(getattr(statement, "value", None)):
                        yield source, node.value
            elif node.arg == "trainable" and not _is_true(node.value):
                call = source.names.parents[node]
                if isinstance(call, ast.Call):
                    yield source, call


def _may_hold(trial: Trial, node: ast.expr, seen: set[ast.AST], own: bool) -> bool:
    """Whether a layer or model may be or hold such a layer: the project's own, or ready made."""
    for origin in trial.flow.origins(node):
        here = origin.node
        if here in seen:
            continue
        seen.add(here)
        match here:
            case ast.Attribute(value=inner) | ast.Subscript(value=inner):
                found = _may_hold(trial, inner, seen, own)
            case ast.Call(func=ast.Attribute(value=inner, attr="get_layer")):
                found = _may_hold(trial, inner, seen, own)
            case ast.Call():
                found = _is_held(trial, here, seen, own)
            case ast.Constant():
                found = False
            case _:
                found = bool(own or list(_ready_made(trial)))
        if found:
            return True
    return False


def _is_held(trial: Trial, call: ast.Call, seen: set[ast.AST], own: bool) -> bool:
    """Whether what a call makes may be or hold such a layer."""
    today = trial.today(call.func) or ""
    name = today.rpartition(".")[2]
    if today == _LAYER:
        return own
    if call in set(_ready_made(trial)):
        return not own
    if not today.startswith(f"{KERAS}."):
        return bool(trial.flow.called(call)) or not today
    if name == "Sequential":
        parts = [*call.args, *(one.value for one in call.keywords)]
        added = [
            use.around.args[0]
            for use in trial.flow.uses(call)
            if use.way is Way.METHOD
            and isinstance(use.around, ast.Call)
            and getattr(use.around.func, "attr", "") == "add"
            and use.around.args
        ]
        layers = [one for part in parts for one in getattr(part, "elts", [part])]
        return any(_may_hold(trial, one, seen, own) for one in (*layers, *added))
    if name == "Model":
        return _is_made_in_the_function_of(trial, call, own)
    return False  # another layer


def _is_made_in_the_function_of(trial: Trial, call: ast.Call, own: bool) -> bool:
    """Whether such a layer is made where a functional model is made, or anywhere it calls."""
    source = trial.modules.home(call)
    waiting: list[ast.AST] = [source.names.function_of(call) or source.tree]
    seen: set[ast.AST] = set()
    wanted: set[ast.AST] = {node for _, node in _made(trial)} if own else set(_ready_made(trial))
    while waiting:
        function = waiting.pop()
        if function in seen:
            continue
        seen.add(function)
        for node in trial.modules.home(function).names.below(function):
            if node in wanted:
                return True
            if isinstance(node, ast.Call):
                waiting += trial.flow.called(node)
    return False


def _is_true(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is True


_START = (
    "import tensorflow as tf\nfrom tensorflow.keras.layers import BatchNormalization, Dense\n\n\n"
)


def _case(before: str, after: str | None = None) -> Case:
    return Case(pedl_trial(before), {"net.py": before if after is None else after})


_FROZEN = """\
def stem():
    made = tf.keras.Sequential([Dense(4), BatchNormalization()])
    made.trainable = False
    return made
"""
_FROZEN_AFTER = (
    "import tensorflow as tf\nfrom tensorflow.keras.layers import Dense\n\n"
    "import legacy_keras\n\n\n"
    + _FROZEN.replace("BatchNormalization", "legacy_keras.BatchNormalization")
)
_FROZEN_DENSE = """\
def stem():
    made = tf.keras.Sequential([Dense(4)])
    for layer in made.layers:
        layer.trainable = False
    return tf.keras.Sequential([made, BatchNormalization()])
"""
_READY = """\
import tensorflow as tf

PATH = "base.h5"


def base():
    made = {model}
    made.trainable = False
    return made
"""
_READY_AFTER = _READY.replace("{model}", "legacy_keras.{piece}({model})")
_READY_AFTER = _READY_AFTER.replace("{piece}", _OF_MODEL).replace(
    "as tf\n", "as tf\n\nimport legacy_keras\n"
)

CASES = (
    _case(_START + _FROZEN, _FROZEN_AFTER),
    _case(_START + _FROZEN_DENSE),
    _case(_START + _FROZEN.replace("trainable = False", "trainable = True")),
    _case(
        _READY.format(model="tf.keras.applications.ResNet50()"),
        _READY_AFTER.format(model="tf.keras.applications.ResNet50()"),
    ),
    _case(_READY.format(model="tf.keras.applications.VGG16()")),
    _case(
        _READY.format(model="tf.keras.models.load_model(PATH)"),
        _READY_AFTER.format(model="tf.keras.models.load_model(PATH)"),
    ),
)
