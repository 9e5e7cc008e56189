"""What Keras computed differently in a model, and only the running trial shows.

A frozen ``BatchNormalization`` still normalized by its batch in training; since TensorFlow 2 it
runs in inference mode. ``UpSampling2D`` interpolated between the corners of pixels. The sums of an
``Adagrad`` that a text names began at 0; since TensorFlow 2 they begin at 0.1. A mask took steps
out of a loss, which was divided by all of them; since Keras 2.10 it is divided by the rest. A loss
was called ``cosine_proximity``, a compiled model had ``metrics_names`` at once, custom losses and
metrics got floats for integer targets, and the loss chose what ``"accuracy"`` means (P038).
``batch_dot`` multiplied matrices for all dimensions before them, sample weights multiplied the mean
of their losses, also for images, and for ``EarlyStopping`` the best value of a metric was the least
unless its name contains ``acc``; an optimizer called its own ``get_gradients``. The constructor
calls ``legacy_keras.use_old_keras()``, so that Keras computes as before, unless every layer, loss,
metric and optimizer of a trial is visible and computes the same today.

Standalone Keras named layers ``dense_1``, ``dense_2`` and so on, divided a weighted loss by the
share of weights that are not 0, and did not divide the loss of an ``activity_regularizer`` by the
size of a batch; ``layers`` of a model was its own list. It clipped probabilities before a
crossentropy, called an initializer with a shape alone, and took the shape of ``add_weight`` first;
a momentum moved all rows of an embedding. Every trial of it calls
``legacy_keras.use_standalone_keras()``, and ``legacy_keras.use_old_arguments()`` if layers are used
as values or get hidden options. A trial that is carried over has these calls above its class.

The transformations of ``ImageDataGenerator`` have other axes today. This is only reported.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from pedl2det.analysis import old_keras
from pedl2det.analysis.models import Compile, compiles, is_certain, losses_and_metrics
from pedl2det.analysis.old_keras import KERAS
from pedl2det.analysis.trial import Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, Remark
from pedl2det.support import MODULE
from pedl2det_names import IMAGE_RANGES, IMAGES_DIFFER, Age
from pedl2det_names.keras import KERAS_1_SIZES

#: What loads a model from a file, which may hold anything.
_LOADED = r"\b(?:load_model|model_from_\w+|from_config|deserialize)\b"
_MASK = rf"\bmask=(?!=)|\bmask_zero\b|\bMasking\b|\bcompute_mask\b|{_LOADED}"
_TEXTS = r"""["'](?:trainable|(?i:adagrad)|cosine(?:_proximity)?)["']"""
_TRUE = r"\s*True\s*(?:[,)#]|$)"
_OLD = (
    rf"(?m){_MASK}|bilinear|\b(?:metrics_names|get_gradients)\b|\.trainable\s*=(?!{_TRUE})|{_TEXTS}"
)
#: An argument that freezes a layer, and what may be a layer that then acts differently.
_FREEZES = rf"(?m)(?<!\.)\btrainable\s*=(?!=|{_TRUE})"
_NORM = r"(?m)^[^#\n]*(?:(?i:batch_?norm)|\bapplications\b|\bgetattr\b)"
_IMAGES = f"{KERAS}.preprocessing.image.ImageDataGenerator"
#: Modules whose ``get`` and ``deserialize`` look something up by text.
_BY_TEXT = tuple(f"{KERAS}.{name}" for name in ("layers", "losses", "metrics", "optimizers"))
_MODULES = ("tensorflow", KERAS, f"{KERAS}.layers")
_FUNCTIONS = ("batch_dot", "function", "learning_phase", "resize_images")
_OTHERS = tuple(f"{KERAS}.backend.{name}" for name in _FUNCTIONS)
_OTHERS += (f"{KERAS}.layers.Dot", f"{KERAS}.layers.dot")
#: ``**``, and the first of several names that are one argument today.
_SIZES = (None, *(names[0] for names in KERAS_1_SIZES))
_LAYER = f"{KERAS}.layers.Layer"
#: What returns the static shape of a tensor.
_SHAPE = re.compile(r"\b(?:int_shape|get_shape|_keras_shape)\b|(?<!\btf)(?<!\bK)\.shape\b")
_STOPPING = f"{KERAS}.callbacks.EarlyStopping"
#: Metrics whose best value is the same today, and modes that say which it is.
_CLEAR = ("loss", "val_loss", "acc", "val_acc", "accuracy", "val_accuracy", "min", "max")
#: How many parameters of ``ImageDataGenerator`` come before the ranges.
_BEFORE_RANGES = 6
#: Inputs and targets; weights come after them.
_WITHOUT_WEIGHTS = 2
_OF_BATCHES = ("__getitem__", "__next__", "next")
_MAKERS = ("list", "tuple")
_OF_DATASETS = ("from_generator", "from_tensor_slices", "from_tensors", "zip")
_EXCHANGE = "exchange width_shift_range and height_shift_range, if they differ"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Add the calls that a trial may need to its constructors."""
    age = old_keras.age(trial)
    if age is Age.TENSORFLOW_1 and not _is_plain(trial):
        yield from old_keras.as_before(trial)
        if old_keras.has_standalone_layers(trial) and any(
            _is_of_layers(trial.today(node)) and _hides_arguments(trial, node)
            for node in trial.modules.reads
        ):
            yield from old_keras.before_models(trial, f"{MODULE}.use_old_arguments")
    elif age is Age.TENSORFLOW_2 and (trial.mentions(_MASK) or _hides_any(trial)):
        yield from old_keras.before_models(trial, f"{MODULE}.use_old_masks")
    for node in trial.modules.reads if age is not Age.CURRENT else ():
        if trial.today(node) == _IMAGES and _may_transform(trial, node):
            yield Remark(node, f"{ast.unparse(node)}: {IMAGES_DIFFER}", _EXCHANGE, Kind.DIFFERENT)


def _is_plain(trial: Trial) -> bool:
    """Whether every layer, loss, metric and optimizer is visible, and computes the same today."""
    if old_keras.has_standalone_layers(trial) or trial.mentions(_OLD):
        return False
    if trial.mentions(_FREEZES) and trial.mentions(_NORM):
        return False
    return (
        not _may_weight(trial)
        and not any(_hides_optimizer(trial, compiled) for compiled in compiles(trial))
        and all(is_certain(trial, value) for value in losses_and_metrics(trial))
        and not _hides_any(trial)
    )


def _may_weight(trial: Trial) -> bool:
    """Whether records may have weights: as the third part of a batch, or by name."""
    if trial.mentions(r"\bsample_?weights?\b"):
        return True
    added = [statement.value for statement in trial.modules.of(ast.AugAssign)]
    sums = [node for node in trial.modules.of(ast.BinOp) if isinstance(node.op, ast.Add)]
    added += [side for node in sums for side in (node.left, node.right)]
    if any(isinstance(value, ast.Tuple) for value in added):
        return True  # a batch that gets one more part
    given: list[ast.expr | None] = [function.body for function in trial.modules.of(ast.Lambda)]
    given += [statement.value for statement in trial.modules.of(ast.Return)]
    given += [expression.value for expression in trial.modules.of(ast.Yield)]
    for call in trial.modules.of(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr in _OF_DATASETS:
            given += call.args
    batches = [yielded.value for yielded in trial.modules.of(ast.Yield)]
    functions = trial.modules.of(ast.FunctionDef)
    for method in [function for function in functions if function.name in _OF_BATCHES]:
        batches += [node.value for node in ast.walk(method) if isinstance(node, ast.Return)]
    calls = [batch for batch in batches if isinstance(batch, ast.Call)]
    if any(ast.unparse(call.func) in _MAKERS for call in calls):
        return True  # of as many parts as are counted when it runs
    tuples = [value for value in given if isinstance(value, ast.Tuple)]
    return any(len(parts.elts) > _WITHOUT_WEIGHTS for parts in tuples)


def _is_of_layers(dotted: str) -> bool:
    return dotted in _MODULES or dotted.rpartition(".")[0] == f"{KERAS}.layers"


def _hides_arguments(trial: Trial, node: ast.expr) -> bool:
    """Whether a class or module is a value, or is called with options that are not visible."""
    source, dotted = trial.modules.home(node), trial.today(node)
    match source.names.parents[node]:
        case ast.Attribute():
            return dotted not in _MODULES
        case ast.ClassDef():
            return dotted != _LAYER
        case ast.Call(func=func, args=args, keywords=keywords) if func is node:
            is_hidden = any(isinstance(argument, ast.Starred) for argument in args)
            return is_hidden or any(keyword.arg in _SIZES for keyword in keywords)
    return not old_keras.only_asks(trial, node)


def _hides_any(trial: Trial) -> bool:
    return any(_hides(trial, node) for node in trial.modules.reads)


def _hides_optimizer(trial: Trial, compiled: Compile) -> bool:
    """Whether a call of ``compile`` may name its optimizer by a text that is not visible."""
    values = [value for value in compiled.optimizers if not isinstance(value, ast.Constant)]
    kinds = [old_keras.optimizer_kind(trial, value) for value in values]
    return compiled.hides_arguments or old_keras.OptimizerKind.UNKNOWN in kinds


def _hides(trial: Trial, node: ast.expr) -> bool:
    """Whether it is not visible what a name of Keras does today."""
    dotted, parent = trial.today(node), trial.modules.home(node).names.parents[node]
    module, _, name = dotted.rpartition(".")
    if dotted in _OTHERS or (module in _BY_TEXT and name in ("get", "deserialize")):
        return True
    if dotted != _STOPPING and not _is_of_layers(dotted):
        return False
    if _hides_arguments(trial, node) or _reads_shape(trial, node, parent):
        return True
    if not isinstance(parent, ast.Call) or parent.func is not node:
        return False
    arguments = {keyword.arg: keyword.value for keyword in parent.keywords}
    if dotted == _STOPPING:
        watched = [*parent.args[:1], arguments.get("monitor", ast.Constant("val_loss"))][0]
        return getattr(arguments.get("mode", watched), "value", None) not in _CLEAR
    chosen = [*(parent.args[2:3] if name == "UpSampling2D" else ()), arguments.get("interpolation")]
    return not all(value is None or isinstance(value, ast.Constant) for value in chosen)


def _reads_shape(trial: Trial, node: ast.expr, parent: ast.AST) -> bool:
    """Whether a custom layer reads shapes, which batches do not have."""
    code: list[ast.AST] = []
    match parent:
        case ast.ClassDef(body=body) if trial.today(node) == _LAYER:
            code = [statement for statement in body if getattr(statement, "name", "") == "call"]
        case ast.Call(args=[function, *_]) if trial.today(node) == f"{KERAS}.layers.Lambda":
            code = [origin.node for origin in trial.flow.origins(function)]
    for part in code:  # and what it calls
        calls = [node for node in ast.walk(part) if isinstance(node, ast.Call)]
        called = [function for call in calls for function in trial.flow.called(call)]
        code += [function for function in called if function not in code]
    return any(_SHAPE.search(ast.unparse(part)) for part in code)


def _may_transform(trial: Trial, node: ast.expr) -> bool:
    """Whether a generator of images may shift, turn, shear or zoom them."""
    call = trial.modules.home(node).names.parents[node]
    if not isinstance(call, ast.Call) or call.func is not node or len(call.args) > _BEFORE_RANGES:
        return True
    arguments = {keyword.arg: getattr(keyword.value, "value", True) for keyword in call.keywords}
    return None in arguments or any(arguments.get(name) for name in IMAGE_RANGES)


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
+         legacy_keras.use_old_keras()

      def features(self):
          stem = tf.keras.applications.ResNet50(include_top=False)
          stem.trainable = False
          return stem
"""
