"""What Keras computed otherwise: in TensorFlow 1, as standalone Keras, before Keras 2.10."""

import functools
import inspect
import weakref

import tensorflow as tf

from pedl2det_legacy.float_targets import with_float_targets
from pedl2det_legacy.metrics_by_loss import by_outputs, with_metrics_of_losses
from pedl2det_legacy.old_layers import (
    keras_module,
    of_the_call,
    recurrent_layers,
    replace,
    with_all_dimensions,
    with_corners,
    with_old_mode,
    with_old_training,
    with_phase,
)
from pedl2det_legacy.old_optimizers import (
    from_zero,
    with_computed_gradients,
    with_dense_gradients,
    with_own_gradients,
    with_setter,
)
from pedl2det_legacy.standalone_keras import standalone_losses


def use_old_keras():
    """Let `tf.keras` compute as in TensorFlow 1 what it computes otherwise today."""
    for change in (*old_masks(), *old_keras()):
        replace(*change)


def use_standalone_keras():
    """Let Keras compute as standalone Keras 2.2.4 what it computes otherwise today."""
    for change in (*old_keras(), *standalone_keras()):
        replace(*change)


def use_keras_2_9():
    """Let Keras compute as in version 2.9 what it computes otherwise today."""
    for change in keras_2_9():
        replace(*change)


def old_keras():
    """Yield each class or module, the name of what differs since TensorFlow 2, and its wrapper."""
    for kind in (tf.keras.Model, keras_module("engine.training_v1").Model):
        yield kind, "compile", with_metrics_of_losses
    yield tf.keras.Model, "metrics_names", with_names_at_once
    functional = keras_module("engine.functional").Functional
    yield functional, "_conform_to_reference_input", with_shape_of_input
    yield from recurrent_layers()
    classes = tf.keras.layers.BatchNormalization.__mro__
    norm = next(one for one in classes if "call" in vars(one))
    yield norm, "call", with_old_training
    yield tf.keras.layers.Softmax, "call", without_mask
    for module in (keras_module("backend"), tf.keras.backend):
        yield module, "resize_images", with_corners
        yield module, "batch_dot", with_all_dimensions
        yield module, "learning_phase", of_the_call
        yield module, "function", with_phase
        for name in ("update", "update_add", "update_sub", "moving_average_update"):
            yield module, name, of_training
    for module in (keras_module("losses"), tf.keras.losses):
        yield module, "get", with_names_of_cosine
    losses = keras_module("utils.losses_utils")
    yield losses, "compute_weighted_loss", with_one_for_each_weight
    yield tf.keras.optimizers.legacy.Adagrad, "from_config", from_zero
    yield tf.keras.optimizers.legacy.Optimizer, "weights", with_setter
    yield tf.keras.optimizers.legacy.Optimizer, "get_gradients", with_computed_gradients
    yield (
        tf.keras.optimizers.legacy.Optimizer,
        "_transform_gradients",
        with_own_gradients,
    )
    yield tf.keras.callbacks.EarlyStopping, "__init__", with_old_mode
    for kind in (tf.keras.callbacks.ModelCheckpoint, tf.keras.callbacks.TensorBoard):
        for name in {"on_train_batch_begin", "on_train_batch_end"} & vars(kind).keys():
            yield kind, name, with_hook_of_then
    for name in ("compute_loss", "compute_metrics"):
        yield tf.keras.Model, name, with_float_targets


def keras_2_9():
    """Yield the same of what differs since Keras 2.10 and 2.11."""
    yield from old_masks()
    for name in ("get", "deserialize"):
        yield keras_module("optimizers"), name, with_legacy_optimizers


def old_masks():
    """Yield the same of what differs since Keras 2.10."""
    yield keras_module("utils.losses_utils"), "apply_valid_mask", with_all_steps


def standalone_keras():
    """Yield the same of what standalone Keras computed otherwise than `tf.keras`."""
    for area in ("losses", "metrics"):
        for module in (keras_module(area), getattr(tf.keras, area)):
            yield module, "get", with_losses_of_their_time
    yield tf.keras.Model, "compile", with_metrics_of_their_time
    container = keras_module("engine.compile_utils").LossesContainer
    yield container, "__call__", with_share_of_weights
    yield (
        tf.keras.optimizers.legacy.Optimizer,
        "_transform_gradients",
        with_dense_gradients,
    )
    yield keras_module("initializers"), "get", with_functions_of_shapes
    for module in (keras_module("backend"), tf.keras.backend):
        for kind in ("binary", "categorical", "sparse_categorical"):
            yield module, f"{kind}_crossentropy", of_clipped
    for name in ("input_shape", "output_shape"):
        yield tf.keras.layers.InputLayer, name, without_list
    models = tf.keras.Model.__mro__
    yield next(one for one in models if "layers" in vars(one)), "layers", own_lists
    in_graph_mode = keras_module("engine.base_layer_v1").Layer
    for kind in (*tf.keras.Sequential.__mro__, in_graph_mode):
        for name, wrap in (
            ("_init_set_name", from_one),
            ("_handle_activity_regularization", with_whole_batches),
            ("add_weight", with_shape_first),
        ):
            if name in vars(kind):
                yield kind, name, wrap


def with_shape_of_input(conform):
    """Return a method that gives batches the shape that `Input` says, which layers may ask for.

    Since TensorFlow 2 a layer is called again for the batches of a training, whose shapes a
    `Sequence` does not say.
    """

    def conform_to_input(self, tensor, ref_input):
        tensor = conform(self, tensor, ref_input)
        if isinstance(tensor, tf.Tensor) and tensor.shape.rank == ref_input.shape.rank:
            tensor.set_shape(ref_input.shape)
        return tensor

    return conform_to_input


def with_names_at_once(names_of_today):
    """Return a property with the names of a compiled model's metrics, which today has none yet."""

    def names(model):
        found = names_of_today.fget(model)
        return found if found or not model._is_compiled else _names_of_metrics(model)

    return property(names)


def _names_of_metrics(model):
    outputs = model.output_names or []
    starts = [f"{output}_" if len(outputs) > 1 else "" for output in outputs]
    names = ["loss", *(f"{start}loss" for start in starts if start)]
    given = by_outputs(model.compiled_metrics._user_metrics or [], outputs)
    for start, output in zip(starts, outputs):
        for metric in tf.nest.flatten(given.get(output, [])):
            own = getattr(metric, "name", getattr(metric, "__name__", metric))
            names.append(f"{start}{own}")
    return names


def with_legacy_optimizers(find):
    """Return a function that finds the optimizers of before Keras 2.11."""
    return functools.partial(find, use_legacy_optimizer=True)


def with_names_of_cosine(get):
    """Return a function that finds the loss of a cosine by its old names, too.

    In TensorFlow 1.14 alone it moved predictions away from their targets.
    """

    def get_loss(identifier):
        is_old = identifier in ("cosine", "cosine_proximity")
        return get("cosine_similarity" if is_old else identifier)

    return get_loss


def with_losses_of_their_time(get):
    """Return a function that finds losses and metrics by the names of standalone Keras."""

    def get_function(identifier):
        return get(standalone_losses(identifier))

    return get_function


def with_metrics_of_their_time(compile_model):
    """Wrap `Model.compile` to report metrics under the names of their functions of that time."""
    signature = inspect.signature(compile_model)

    @functools.wraps(compile_model)
    def compile(self, *args, **kwargs):
        bound = signature.bind(self, *args, **kwargs)
        for name in bound.arguments.keys() & {"metrics", "weighted_metrics"}:
            bound.arguments[name] = standalone_losses(bound.arguments[name])
        return compile_model(*bound.args, **bound.kwargs)

    return compile


def of_training(update):
    """Return a function that writes a variable; in a layer's call only where that layer trains.

    TensorFlow 1 ran the updates of layers in the steps of a training.
    """
    call_context = keras_module("engine.base_layer_utils").call_context

    def write(x, *args, **options):
        is_eager = tf.compat.v1.executing_eagerly_outside_functions()
        if not (is_eager and call_context().in_call):
            return update(x, *args, **options)
        return tf.cond(
            tf.cast(tf.keras.backend.learning_phase(), tf.bool),
            lambda: tf.identity(update(x, *args, **options)),
            lambda: tf.identity(x),
        )

    return write


def with_hook_of_then(hook_of_today):
    """Return a hook of a batch that calls the one of its old name, too, as that of `Callback` does."""
    name = hook_of_today.__name__.replace("train_", "")

    @functools.wraps(hook_of_today)
    def hook(self, batch, logs=None):
        hook_of_today(self, batch, logs)
        if getattr(type(self), name) is not getattr(tf.keras.callbacks.Callback, name):
            getattr(self, name)(batch, logs)

    return hook


def without_mask(call_of_today):
    """Return a method `call` that ignores the mask."""
    return lambda self, inputs, mask=None: call_of_today(self, inputs)


def with_all_steps(apply_valid_mask):
    """Return a function that gives the weights of a loss without a correction for its mask."""

    def apply_mask(losses, weights, mask, reduction):
        return apply_valid_mask(losses, weights, mask, tf.keras.losses.Reduction.NONE)

    return apply_mask


def with_share_of_weights(compute):
    """Return a method that divides a weighted loss by the share of weights that are not 0."""

    def compute_weighted(self, y_true, y_pred, sample_weight=None, **options):
        weights = tf.nest.map_structure(_over_share, sample_weight)
        return compute(self, y_true, y_pred, weights, **options)

    return compute_weighted


def _over_share(weights):
    if weights is None:
        return None
    weights = tf.cast(weights, tf.keras.backend.floatx())
    return weights / tf.reduce_mean(tf.cast(tf.not_equal(weights, 0.0), weights.dtype))


def with_one_for_each_weight(compute):
    """Return a function that weights the mean loss of a record, or the one loss of a batch."""

    def compute_weighted(losses, sample_weight=None, *args, **options):
        if sample_weight is not None and not losses.shape.rank:
            losses = losses * tf.ones_like(sample_weight, losses.dtype)
        elif sample_weight is not None and sample_weight.shape.rank:
            axes = [*range(sample_weight.shape.rank, losses.shape.rank)]
            losses = tf.reduce_mean(losses, axes) if axes else losses
        return compute(losses, sample_weight, *args, **options)

    return compute_weighted


def with_whole_batches(_):
    """Return a method that adds what a regularizer of activities gives for a whole batch.

    `tf.keras` divides it by the size of the batch.
    """

    def add_losses(self, inputs, outputs):
        if self._activity_regularizer:
            for output in tf.nest.flatten(outputs):
                self.add_loss(self._activity_regularizer(output))

    return add_losses


def from_one(naming):
    """Return a method that names layers `dense_1`, `dense_2` and so on.

    Keras of today calls the first one `dense`, which may be the name of another layer.
    """

    def named(self, name, zero_based=False):
        naming(self, name, zero_based=zero_based)

    return named


def with_shape_first(add_weight):
    """Return a method that takes the shape of a weight first, and its name behind it."""

    def add(self, *args, **options):
        if args and isinstance(args[0], (list, tuple)):
            options["shape"], args = args[0], args[1:]
            if args and isinstance(args[0], str):
                options["name"], args = args[0], args[1:]
        return add_weight(self, *args, **options)

    return add


def own_lists(layers_of_today):
    """Return a property with one list for each model, for as long as its layers are the same.

    Code may change it: `model.layers.pop()`.
    """
    lists: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()

    def layers(self):
        present = layers_of_today.fget(self)
        known, own = lists.get(self, (None, None))
        if known != present:
            own = list(present)
            lists[self] = present, own
        return own

    return property(layers)


def with_functions_of_shapes(get):
    """Return a function that gives initializers, also those that take a shape alone."""

    def get_initializer(identifier):
        made = get(identifier)
        if not callable(made) or "dtype" in inspect.signature(made).parameters:
            return made
        if isinstance(made, tf.keras.initializers.Initializer):
            return made

        def initializer(shape, dtype=None, **options):
            return tf.cast(made(shape), dtype or tf.keras.backend.floatx())

        return functools.update_wrapper(initializer, made, updated=())

    return get_initializer


def of_clipped(crossentropy):
    """Return a crossentropy that clips probabilities, and does not look for their logits."""

    is_binary = crossentropy.__name__.startswith("binary")

    def compute(target, output, from_logits=False, *args, **options):
        if is_binary and not from_logits:
            edge = tf.keras.backend.epsilon()
            output = tf.clip_by_value(output, edge, 1 - edge)
            return crossentropy(target, tf.math.log(output / (1 - output)), True)
        return crossentropy(target, tf.identity(output), from_logits, *args, **options)

    return compute


def without_list(shape_of_today):
    """Return a property with the shape of an input layer, which is in a list today."""

    def shape(layer):
        found = shape_of_today.fget(layer)
        return found[0] if isinstance(found, list) else found

    return property(shape)
