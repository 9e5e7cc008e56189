"""Make Keras compute as it did in TensorFlow 1, or as standalone Keras did.

docs/tf1.md lists what differs (*Loss, weights and metrics of their time are served*). The
constructor calls ``legacy_keras.use_old_keras()``, unless a trial is plain: every Keras name that
it uses is in a table of those that compute the same today, it has no losses, layers or models of
its own, and its batches are visibly pairs of inputs and targets. A trial of standalone Keras calls
``legacy_keras.use_standalone_keras()``, and ``legacy_keras.use_old_arguments()`` if layers are used
as values, or get hidden options or the sizes of a kernel one by one, as in ``Conv2D(32, 3, 3)``,
or the trial is carried over. These calls go above the class then, or if a subclass has a
constructor, which may make objects first.

The transformations of ``ImageDataGenerator`` have other axes today. This is only reported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from pedl2det.analysis import old_keras
from pedl2det.analysis.flow.values import argument
from pedl2det.analysis.models import FUNCTIONS, Compile, compiles, is_certain, losses_and_metrics
from pedl2det.analysis.old_keras import KERAS
from pedl2det.analysis.trial import Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, Remark
from pedl2det.support import MODULE
from pedl2det_names import CONVOLUTIONS, IMAGE_RANGES, IMAGES_DIFFER, Age
from pedl2det_names.keras import KERAS_1_SIZES, OTHERS, SAME

#: Words that make the call necessary: masks, frozen layers, and names in strings.
_MASK = r"\bmask=(?!=)|\bmask_zero\b|\bMasking\b|\bcompute_mask\b"
_FILES = r"\b(?:load_model|model_from_\w+|from_config|deserialize)\b"  # which may hold anything
_OPTIMIZER = r"\bsuper\(.*\)\.compile\("  # which may get no optimizer, and makes one
_TRUE = r"\s*True\s*(?:[,)#]|$)"
_OLD = (
    rf"(?m){_MASK}|{_FILES}|\b(?:sample_?weights?|metrics_names|get_gradients|unroll)\b"
    rf"|\btrainable\b(?!\s*={_TRUE})|\b__(?:getitem|next)__\s*="
    r"|\.(?:__class__|bias|kernel|outbound_nodes|stateful|updates|variables|\w*weights)\b"
    r"""|\btype\(\w+\)\(|["'](?:(?i:adagrad)|cosine(?:_proximity)?)["']"""
)
_IMAGES = f"{KERAS}.preprocessing.image.ImageDataGenerator"
_MODULES = ("tensorflow", KERAS, f"{KERAS}.layers")
#: ``**``, and the first of several names that are one argument today.
_SIZES = (None, *(names[0] for names in KERAS_1_SIZES))
_LAYER = f"{KERAS}.layers.Layer"
_STOPPING = f"{KERAS}.callbacks.EarlyStopping"
#: Classes whose subclasses are called as before; losses and metrics are found by `compile`.
_BASES = tuple(
    f"{KERAS}.{name}" for name in ("callbacks.Callback", "losses.", "metrics.", "utils.Sequence")
)
#: Metrics whose direction (lower or higher is better) is the same today, and explicit modes.
_CLEAR = ("loss", "val_loss", "acc", "val_acc", "accuracy", "val_accuracy", "min", "max")
#: How many parameters of ``ImageDataGenerator`` come before the ranges.
_BEFORE_RANGES = 6
_FIT = "legacy_keras.Fit("  # what the generator of a script yields
_OF_PARTS = tuple(f"tensorflow.data.Dataset.{name}" for name in ("from_tensor_slices", "zip"))
#: What a tuple is in that is no batch: an index, a shape, what is compared or looped over.
_NO_BATCHES = ast.BinOp | ast.Subscript | ast.keyword | ast.Compare | ast.For | ast.comprehension
#: Calls whose results have as many parts as are counted when they run.
_LISTS = ("list", "numpy_function", "py_func", "py_function", "tuple")
_OF_BATCHES = ("__getitem__", "__next__", "next")
_EXCHANGE = "swap width_shift_range and height_shift_range, if they differ"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Add the calls that each trial may need to its constructors."""
    fixes: list[Fix] = []
    for part in trial.each:
        fixes += [fix for fix in _calls(part) if fix not in fixes]
    yield from fixes
    for node in trial.modules.reads if old_keras.age(trial) is not Age.CURRENT else ():
        if trial.today(node) == _IMAGES and _may_transform(trial, node):
            yield Remark(node, f"{ast.unparse(node)}: {IMAGES_DIFFER}", _EXCHANGE, Kind.DIFFERENT)


def _calls(trial: Trial) -> Iterator[Fix]:
    age = old_keras.age(trial)
    if age is Age.TENSORFLOW_1 and not _is_plain(trial):
        yield from old_keras.as_before(trial)
        if old_keras.has_standalone_layers(trial) and (
            trial.mentions(r"\bimport_module\(")
            or any(_hides(trial, node) or _has_sizes(trial, node) for node in trial.modules.reads)
        ):
            yield from old_keras.before_models(trial, f"{MODULE}.use_old_arguments")
    elif age is Age.TENSORFLOW_2 and (
        trial.mentions(f"{_MASK}|{_FILES}|{_OPTIMIZER}")
        or any(_hides(trial, node) for node in trial.modules.reads)
    ):
        yield from old_keras.before_models(trial, f"{MODULE}.use_keras_2_9")
    elif age is Age.CURRENT and trial.carried:  # `run` serves this, too
        yield from old_keras.before_models(trial, f"{MODULE}.serve_old_arguments")


def _is_plain(trial: Trial) -> bool:
    """Whether every Keras name visibly computes the same today, and batches are pairs."""
    values = [argument(compiled.call, "loss", 1) for compiled in compiles(trial)]
    for _, method in trial.methods("loss", "losses"):
        values += trial.flow.returned(method)
    losses = (loss for value in values if value for loss in trial.flow.members(value))
    return (
        not (old_keras.has_standalone_layers(trial) or trial.mentions(_OLD))
        and all(_is_same(trial, node) for node in trial.modules.reads)
        and all(is_certain(trial, value) for value in losses_and_metrics(trial))
        and not any(isinstance(loss, FUNCTIONS) for loss in losses)  # which got float targets
        and not any(_hides_optimizer(trial, compiled) for compiled in compiles(trial))
        and _trains_on_pairs(trial)
    )


def _is_same(trial: Trial, node: ast.expr) -> bool:
    """Whether a name is not from Keras, or visibly computes the same today."""
    dotted, parent = trial.today(node), trial.modules.home(node).names.parents[node]
    if not dotted.startswith((KERAS, "tensorflow.data.")):
        return dotted != "tensorflow" or isinstance(parent, ast.Attribute)
    if isinstance(parent, ast.Attribute) or old_keras.only_asks(trial, node):
        return True
    if isinstance(parent, ast.ClassDef):
        return dotted.startswith(_BASES)
    if dotted == _STOPPING:
        if not (isinstance(parent, ast.Call) and parent.func is node):
            return False
        arguments = {keyword.arg: keyword.value for keyword in parent.keywords}
        if None in arguments:
            return False
        watched = [*parent.args[:1], arguments.get("monitor", ast.Constant("val_loss"))][0]
        return getattr(arguments.get("mode", watched), "value", None) in _CLEAR
    is_same = dotted.startswith(SAME) and not dotted.startswith(OTHERS)
    return is_same and not _hides(trial, node)


def _trains_on_pairs(trial: Trial) -> bool:
    """Whether batches are visibly inputs and targets alone, without sample weights."""
    yielded = [node for node in trial.modules.of(ast.Yield) if _FIT not in ast.unparse(node)]
    batches = [node.value for node in yielded]
    for method in trial.modules.of(ast.FunctionDef):
        if method.name in _OF_BATCHES:
            batches += [node.value for node in ast.walk(method) if isinstance(node, ast.Return)]
    return (
        all(isinstance(batch, ast.Tuple) for batch in batches)
        and not any(_is_of_more(trial, parts) for parts in trial.modules.of(ast.Tuple))
        and not any(_hides_parts(trial, call) for call in trial.modules.of(ast.Call))
    )


def _is_of_more(trial: Trial, parts: ast.Tuple) -> bool:
    """Whether a tuple has more than two parts, or is added to others, and is no shape."""
    parents = trial.modules.home(parts).names.parents
    around, is_added = parents[parts], any(isinstance(part, ast.Starred) for part in parts.elts)
    while isinstance(around, ast.BinOp) and isinstance(around.op, ast.Add):
        around, is_added = parents[around], True
    is_added |= isinstance(around, ast.AugAssign)
    if isinstance(around, ast.Call) and trial.today(around.func) not in _OF_PARTS:
        return False
    is_value = isinstance(parts.ctx, ast.Load) and not isinstance(around, _NO_BATCHES)
    kinds = {type(getattr(part, "value", None)) for part in parts.elts}
    is_size = str in kinds or all(isinstance(part, ast.Constant) for part in parts.elts)
    return is_value and (is_added or (len(parts.elts) > 2 and not is_size))


def _hides_parts(trial: Trial, call: ast.Call) -> bool:
    """Whether a tuple, or the parts of a dataset, are as many as are counted when it runs."""
    if trial.today(call.func) in _OF_PARTS:
        return not all(isinstance(argument, ast.Tuple) for argument in call.args)
    around = trial.modules.home(call).names.parents[call]
    is_counted = isinstance(around, ast.Return | ast.Lambda | ast.Assign | ast.Tuple)
    is_counted |= any(isinstance(part, ast.GeneratorExp) for part in call.args)
    return is_counted and ast.unparse(call.func).rpartition(".")[2] in _LISTS


def _hides(trial: Trial, node: ast.expr) -> bool:
    """Whether a layer's class or module is a value, or gets options that are not visible."""
    source, dotted = trial.modules.home(node), trial.today(node)
    if dotted not in _MODULES and dotted.rpartition(".")[0] != f"{KERAS}.layers":
        return False
    match source.names.parents[node]:
        case ast.Attribute():
            return dotted not in _MODULES
        case ast.ClassDef():
            return dotted != _LAYER
        case ast.Call(func=func, args=args, keywords=keywords) if func is node:
            is_hidden = any(isinstance(argument, ast.Starred) for argument in args)
            return is_hidden or any(keyword.arg in _SIZES for keyword in keywords)
    return not old_keras.only_asks(trial, node)


def _has_sizes(trial: Trial, node: ast.expr) -> bool:
    """Whether a convolution gets the sizes of its kernel one by one."""
    call, name = trial.modules.home(node).names.parents[node], trial.today(node).rpartition(".")[2]
    return isinstance(call, ast.Call) and len(call.args) > CONVOLUTIONS.get(name, len(call.args))


def _hides_optimizer(trial: Trial, compiled: Compile) -> bool:
    """Whether a call of ``compile`` may name its optimizer by a string that is not visible."""
    values = [value for value in compiled.optimizers if not isinstance(value, ast.Constant)]
    kinds = [old_keras.optimizer_kind(trial, value) for value in values]
    return compiled.hides_arguments or old_keras.OptimizerKind.UNKNOWN in kinds


def _may_transform(trial: Trial, node: ast.expr) -> bool:
    """Whether a generator of images may shift, rotate, shear or zoom them."""
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
