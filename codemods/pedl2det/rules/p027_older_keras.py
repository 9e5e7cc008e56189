"""What Keras computed otherwise in a model, which only the running trial shows.

A frozen ``BatchNormalization`` went on normalizing by its batch in training; since TensorFlow 2 it
runs in inference mode. ``UpSampling2D`` interpolated between the corners of pixels. The sums of an
``Adagrad`` that a text names began at 0, and begin at 0.1 since TensorFlow 2. A mask took steps out
of a loss, which was divided by all of them; since Keras 2.10 it is divided by the rest. Standalone
Keras divided a weighted loss by the share of weights that are not 0, and did not divide what
``activity_regularizer`` gives by the size of a batch; ``layers`` of a model was its own list. Where
the code or a config of a trial may mean one of these, the constructor says a line that lets Keras
act as before; everything else acts the same. A trial that is carried over always says it, above its
class.

The transformations of ``ImageDataGenerator`` have other axes today. They are not undone, only told.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from pedl2det.analysis import old_keras
from pedl2det.analysis.old_keras import KERAS
from pedl2det.analysis.trial import Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, Remark
from pedl2det.support import MODULE
from pedl2det_names import IMAGE_RANGES, IMAGES_DIFFER, Age

_WORD = "trainable"
#: What makes a model of a file, in which anything may be.
_LOADED = r"\b(?:load_model|model_from_\w+|from_config|deserialize)\b"
_MASK = rf"\bmask_zero\b|\bMasking\b|\bcompute_mask\b|{_LOADED}"
_ACTIVITY = rf"activity_regularizer|\bActivityRegularization\b|{_LOADED}"
_IMAGES = f"{KERAS}.preprocessing.image.ImageDataGenerator"
#: How many of its parameters come before the ranges.
_BEFORE_RANGES = 6
_EXCHANGE = "exchange width_shift_range and height_shift_range, if they differ"
_ADAGRAD = r"""(?i)["']adagrad["']"""
_WEIGHTS = r"\b(?:sample|class)_weight"
#: Makers of variables, of which the word says something else.
_VARIABLES = ("Variable", "add_variable", "add_weight", "get_variable")
#: Layers of Keras that are such a layer, or may hold one.
_LAYERS = ("BatchNormalization", "Bidirectional", "TimeDistributed", "Wrapper")


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Let the constructors of a trial say the lines that it may need."""
    age = old_keras.age(trial)
    standalone = old_keras.has_standalone_layers(trial)
    for piece, may_matter in (
        ("use_old_batch_normalization", age is Age.TENSORFLOW_1 and _may_freeze(trial)),
        ("use_old_recurrent_layers", age is Age.TENSORFLOW_1 and _mentions(trial, _LOADED)),
        ("use_old_upsampling", age is Age.TENSORFLOW_1 and _says(trial, rf"bilinear|{_LOADED}")),
        ("use_old_adagrad", age is Age.TENSORFLOW_1 and _mentions(trial, _ADAGRAD)),
        ("use_old_masks", age is not Age.CURRENT and not standalone and _says(trial, _MASK)),
        ("use_old_sample_weights", standalone and _may_weigh(trial)),
        ("use_own_lists_of_layers", standalone and _hands_on_layers(trial)),
        ("sum_activity_regularizers", standalone and _says(trial, _ACTIVITY)),
    ):
        if may_matter:
            yield from old_keras.before_models(trial, f"{MODULE}.{piece}")
    for node in trial.modules.reads if age is not Age.CURRENT else ():
        if trial.today(node) == _IMAGES and _may_transform(trial, node):
            yield Remark(node, f"{ast.unparse(node)}: {IMAGES_DIFFER}", _EXCHANGE, Kind.DIFFERENT)


def _says(trial: Trial, words: str) -> bool:
    return trial.carried or _mentions(trial, words)


def _mentions(trial: Trial, words: str) -> bool:
    texts = [one.text for one in trial.modules] + [repr(config) for _, config in trial.configs]
    return any(re.search(words, text) for text in texts)


def _may_transform(trial: Trial, node: ast.expr) -> bool:
    """Whether a generator of images may shift, turn, shear or zoom them."""
    call = trial.modules.home(node).names.parents[node]
    if not isinstance(call, ast.Call) or call.func is not node or len(call.args) > _BEFORE_RANGES:
        return True
    given = {one.arg: getattr(one.value, "value", True) for one in call.keywords}
    return None in given or any(given.get(name) for name in IMAGE_RANGES)


def _hands_on_layers(trial: Trial) -> bool:
    """Whether the list of a model's layers may be changed: it is not only read or counted."""
    for node in trial.modules.of(ast.Attribute):
        if node.attr != "layers" or trial.modules.meaning(node) is not None:
            continue
        match trial.modules.home(node).names.parents[node]:
            case ast.Subscript(ctx=ast.Load()) | ast.For() | ast.comprehension():
                continue
            case ast.Call(func=ast.Name(id="enumerate" | "len" | "reversed" | "zip")):
                continue
        return True
    return False


def _may_weigh(trial: Trial) -> bool:
    """Whether records may have weights: by their name, or where a batch is not plainly a pair."""
    return _says(trial, _WEIGHTS) or not all(
        isinstance(one, ast.Tuple)
        and len(one.elts) == 2
        and not any(isinstance(part, ast.Starred) for part in one.elts)
        for one in _batches(trial)
    )


def _batches(trial: Trial) -> Iterator[ast.expr | None]:
    """What sequences return and generators yield."""
    yield from (one.value for one in trial.modules.of(ast.Yield))
    for node in trial.modules.of(ast.Return):
        function = trial.modules.home(node).names.function_of(node)
        if function is not None and function.name == "__getitem__":
            yield node.value


def _may_freeze(trial: Trial) -> bool:
    """Whether the word ``trainable`` stands anywhere in a sense that may concern such a layer."""
    is_configured = any(repr(_WORD) in repr(config) for _, config in trial.configs)
    return (
        is_configured
        or _says(trial, _LOADED)
        or any(getattr(value, "value", None) is not True for value in _values(trial))
    )


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


EXAMPLE = """\
--- model_def.py
  import tensorflow as tf
  from determined.keras import TFKerasTrial, TFKerasTrialContext
+
+ import legacy_keras


  class Trial(TFKerasTrial):
      def __init__(self, context: TFKerasTrialContext) -> None:
          self.context = context
+         context.configure_fit(shuffle=False)
+         legacy_keras.use_old_batch_normalization()

      def features(self):
          stem = tf.keras.applications.ResNet50(include_top=False)
          stem.trainable = False
          return stem
"""
