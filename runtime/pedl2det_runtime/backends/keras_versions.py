"""Operations that differ between TensorFlow and Keras versions.

No other module of the runtime depends on a version. TensorFlow 2.15 with its Keras 2 and later
versions with tf-keras are supported.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from typing import Any

from pedl2det_runtime.backends import graph_mode, graph_random
from pedl2det_runtime.errors import InvalidModelException, WrongKerasError

#: The prefix of the settings of a ``LossScaleOptimizer``.
LOSS_SCALE = "loss_scale."


def tensorflow_version() -> tuple[int, int]:
    """Return the major and minor version of the installed TensorFlow without importing it.

    Raises:
        WrongKerasError: TensorFlow is not installed.
    """
    for package in ("tensorflow", "tensorflow-cpu", "tensorflow-intel", "tf-nightly"):
        try:
            major, minor, *_ = metadata.version(package).split(".")
        except metadata.PackageNotFoundError:
            continue
        return int(major), int(minor)
    raise WrongKerasError("TensorFlow is not installed: pip install 'pedl2det[run]'")


def is_keras_2_of_tensorflow() -> bool:
    """Return whether this TensorFlow includes Keras 2, which ``import keras`` then imports too."""
    return tensorflow_version() < (2, 16)


def choose_keras_2() -> None:
    """Select Keras 2 as ``tf.keras``. Call this before TensorFlow is imported.

    Raises:
        WrongKerasError: TensorFlow is missing, tf-keras is missing, or Keras 3 is loaded.
    """
    if is_keras_2_of_tensorflow():
        return
    try:
        metadata.version("tf-keras")
    except metadata.PackageNotFoundError:
        major, minor = tensorflow_version()
        raise WrongKerasError(
            f"TensorFlow {major}.{minor} needs tf-keras for Keras 2: "
            f"pip install 'tf-keras=={major}.{minor}.*'"
        ) from None
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow and not tensorflow.keras.Model.__module__.startswith("tf_keras."):
        raise WrongKerasError(
            "TensorFlow was loaded with Keras 3, and this trial needs Keras 2: "
            "set TF_USE_LEGACY_KERAS=1 in the environment before Python starts"
        )


#: What TensorFlow's native code prints at each start, whatever ``TF_CPP_MIN_LOG_LEVEL`` is.
_NOISE = (b"Unable to register cu", b"All log messages before absl::InitializeLog()")


def load_tensorflow() -> None:
    """Import TensorFlow without the messages of its native code about missing GPUs.

    If the environment sets ``TF_CPP_MIN_LOG_LEVEL``, only messages that every start prints are
    suppressed. With level 0, or if the import fails, none are.
    """
    level = os.environ.get("TF_CPP_MIN_LOG_LEVEL")
    if "tensorflow" in sys.modules or level == "0":
        _import_tensorflow()
        return
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with tempfile.TemporaryFile() as messages, os.fdopen(os.dup(2), "wb") as stderr:
        os.dup2(messages.fileno(), 2)
        noise: tuple[bytes, ...] = ()
        try:
            _import_tensorflow()
            noise = (b"",) if level is None else _NOISE
        finally:
            os.dup2(stderr.fileno(), 2)
            messages.seek(0)
            lines = messages.readlines()
            stderr.writelines(line for line in lines if not any(part in line for part in noise))


def _import_tensorflow() -> None:
    """Import TensorFlow without garbage collection, which would find nothing to free."""
    collects = gc.isenabled()
    gc.disable()
    try:
        import tensorflow  # noqa: F401
    finally:
        if collects:
            gc.enable()


def begin_trial() -> None:
    """Prepare Keras for a trial, before its modules are imported.

    Resets the Keras state of an earlier trial in this process, such as its layer names.
    """
    import tensorflow as tf

    tf.keras.backend.clear_session()
    prepare()


@contextlib.contextmanager
def restored_afterwards() -> Iterator[None]:
    """Undo :func:`prepare` and ``graph_mode.seed_graphs`` at the end of the ``with`` block.

    Within it, random operations of graph mode are resumable.
    """
    import tensorflow as tf

    global _serves_old_arguments
    random = tf.keras.backend.experimental
    served_old_arguments, seed = _serves_old_arguments, tf.Graph.seed
    had_generators = random.is_tf_random_generator_enabled()
    try:
        with graph_random.resumable():
            yield
    finally:
        _serves_old_arguments, tf.Graph.seed = served_old_arguments, seed
        if not had_generators:
            random.disable_tf_random_generator()


def prepare() -> None:
    """Configure how Keras builds models of trials.

    Random layers get a generator whose state can be saved. Optimizers with arguments of old Keras,
    and all optimizers in graph mode, are created from ``tf.keras.optimizers.legacy``.
    """
    import tensorflow as tf

    global _serves_old_arguments
    _serves_old_arguments = True
    tf.keras.backend.experimental.enable_tf_random_generator()
    tf.keras.optimizers.experimental.Optimizer.__new__ = _new_optimizer


# A __new__ cannot be removed from a class again, so it checks this flag.
_serves_old_arguments = False
_old_arguments = {"lr", "decay"}


def serve_no_old_arguments() -> None:
    """Stop accepting ``lr=`` and ``decay=`` of old Keras in this process."""
    _old_arguments.clear()


def _new_optimizer(cls: Any, *args: Any, **kwargs: Any) -> Any:
    """Create a legacy optimizer for ``lr=`` or ``decay=``, and in graph mode.

    Since Keras 2.11 optimizers ignore ``lr=`` with a warning, reject ``decay=``, and do not support
    graph mode.

    Raises:
        InvalidModelException: ``tf.keras.optimizers.legacy`` has no such optimizer.
    """
    import tensorflow as tf

    is_of_keras = cls is getattr(tf.keras.optimizers, cls.__name__, None)
    needs_legacy = graph_mode.is_chosen() or _old_arguments & kwargs.keys()
    if not (_serves_old_arguments and is_of_keras and needs_legacy):
        return object.__new__(cls)
    old = getattr(tf.keras.optimizers.legacy, cls.__name__, None)
    if old is None:
        cannot = "train in graph mode" if graph_mode.is_chosen() else "take lr= or decay="
        raise InvalidModelException(
            f"{cls.__name__} cannot {cannot}: tf.keras.optimizers.legacy has no counterpart"
        )
    return old(*args, **kwargs)


def layer_states(model: Any) -> list[Any]:
    """Return the state variables of the model's layers, in the order of the layers.

    These are the generators of random layers and the states of stateful recurrent layers.
    """
    import tensorflow as tf

    states = []
    for layer in model._flatten_layers():
        generator = getattr(getattr(layer, "_random_generator", None), "_generator", None)
        if generator is not None:
            states.append(generator.state)
        if getattr(layer, "stateful", False):
            carried = tf.nest.flatten(getattr(layer, "states", None))
            states += [state for state in carried if hasattr(state, "assign")]
    return states


def track_optimizers(model: Any, wrapped: list[Any]) -> None:
    """Add wrapped optimizers to a model's checkpoints that the model does not track itself."""
    for number, optimizer in enumerate(wrapped):
        if not any(optimizer is known for known in optimizers(model)):
            model._track_trackable(optimizer, f"wrapped_optimizer_{number}", overwrite=True)


def optimizer_classes() -> tuple[type, type]:
    """Return the base classes of optimizers."""
    import tensorflow as tf

    # In old code tf.keras.optimizers.Optimizer is the legacy one.
    return tf.keras.optimizers.experimental.Optimizer, tf.keras.optimizers.legacy.Optimizer


def optimizers(model: Any) -> list[Any]:
    """Return all optimizers of a model, the compiled one first, without inner optimizers."""
    import tensorflow as tf

    kinds = optimizer_classes()
    tracked = model._trackable_children().values()
    children = {id(child): child for child in tf.nest.flatten([model.optimizer, *tracked])}
    inner = getattr(model.optimizer, "inner_optimizer", None)  # of a LossScaleOptimizer
    return [
        optimizer
        for optimizer in children.values()
        if isinstance(optimizer, kinds) and optimizer is not inner
    ]


def named_optimizers(model: Any) -> dict[str, Any]:
    """Return all optimizers of a model by name: ``optimizer``, ``optimizer_1`` and so on."""
    return {
        f"optimizer_{number}" if number else "optimizer": optimizer
        for number, optimizer in enumerate(optimizers(model))
    }


def build(model: Any, spec: Any) -> None:
    """Create a model's variables by tracing its training step, without running it.

    The model is not called directly, because ``call`` may take other arguments than the data, such
    as the noise of a GAN.

    Args:
        model: a compiled model.
        spec: the nested ``tf.TensorSpec`` of a batch.
    """
    import tensorflow as tf

    if graph_mode.is_chosen() or model.run_eagerly:
        if model.built:
            return
        inputs = spec[0] if isinstance(spec, tuple) else spec
        phase: dict[str, Any] = {"training": False}
        if graph_mode.is_chosen():  # Keras trains the graph that this call creates
            takes_phase = model._expects_training_arg
            phase = {"training": tf.keras.backend.learning_phase()} if takes_phase else {}
        with contextlib.suppress(NotImplementedError):
            model(tf.nest.map_structure(_tensor_like, inputs), **phase)
        return
    empty = tf.data.Dataset.from_generator(lambda: iter(()), output_signature=spec)
    model.make_train_function().get_concrete_function(iter(empty))


def _tensor_like(spec: Any) -> Any:
    """Return a tensor of this spec to call a model with."""
    import tensorflow as tf

    if graph_mode.is_chosen():  # a tensor would fix the number of records of the model
        return tf.keras.backend.placeholder(spec.shape, dtype=spec.dtype)
    return tf.zeros([size or 1 for size in spec.shape], spec.dtype)


def optimizer_variables(model: Any, optimizer: Any = None) -> list[Any]:
    """Return the variables of an optimizer, by default the compiled one; create them if needed.

    An optimizer that was built by tracing a step has variables only for the weights that it trains.
    """
    import tensorflow as tf

    optimizer = optimizer or model.optimizer
    legacy = tf.keras.optimizers.legacy.Optimizer
    native = getattr(optimizer, "optimizer", None)  # of tf.compat.v1.train
    if isinstance(native, tf.compat.v1.train.Optimizer):
        native._create_slots(model.trainable_variables)
        return [optimizer.iterations, *native.variables()]
    if not isinstance(optimizer, legacy):
        if not getattr(optimizer, "_built", False):
            optimizer.build(model.trainable_variables)
        return list(optimizer.variables)
    inner = getattr(optimizer, "inner_optimizer", optimizer)
    # Use the names of training: a LossScaleOptimizer opens no name scope for its inner optimizer.
    name = None if inner is not optimizer else optimizer._name
    if name and graph_mode.is_chosen():
        name = f"training/{name}"
    if not inner.weights:
        with tf.name_scope(name) if name else contextlib.nullcontext():
            inner._create_all_weights(model.trainable_variables)
    return list(optimizer.weights)


def optimizer_settings(optimizer: Any) -> dict[str, Any]:
    """Return the settings of an optimizer that are variables but not weights, by name.

    Callbacks may change them, for example the learning rate. A ``LossScaleOptimizer`` changes its
    scale, which HDF5 files of Keras do not hold.
    """
    scale = getattr(getattr(optimizer, "_loss_scale", None), "_weights", {})
    optimizer = getattr(optimizer, "inner_optimizer", optimizer)
    settings = getattr(optimizer, "_hyper", None)  # optimizers.legacy
    if settings is None:
        settings = {"learning_rate": getattr(optimizer, "_learning_rate", None)}
    settings = settings | {f"{LOSS_SCALE}{name}": value for name, value in scale.items()}
    return {name: value for name, value in settings.items() if hasattr(value, "assign")}


def without_timing(callback: Any, model: Any) -> Any:
    """Return ``callbacks`` for ``fit`` without Keras' warning about slow callbacks."""
    import tensorflow as tf

    if graph_mode.is_chosen():
        return [callback]
    callbacks = tf.keras.callbacks.CallbackList(
        [callback], add_history=True, model=model, verbose=0, epochs=1
    )
    callbacks._check_timing = False
    return callbacks


@contextlib.contextmanager
def keep_metrics_unbuilt(model: Any) -> Iterator[None]:
    """Reset metric containers to unbuilt that Keras builds while it saves the model.

    Saving builds the compiled loss, even if the model's own ``train_step`` never uses it. The empty
    metric ``loss`` would then hide the one that ``train_step`` reports.
    """
    containers = [
        container
        for name in ("compiled_loss", "compiled_metrics")
        if (container := getattr(model, name, None)) is not None and not container.built
    ]
    try:
        yield
    finally:
        for container in containers:
            container._built = False


def metric_variables(model: Any) -> list[Any]:
    """Return the variables in which a model's metrics are averaged, as far as they exist."""
    return [variable for metric in model.metrics for variable in metric.variables]


def describe_versions() -> dict[str, str]:
    """Return the versions of TensorFlow and Keras, for a checkpoint's metadata."""
    import tensorflow as tf

    keras = sys.modules[tf.keras.Model.__module__.partition(".")[0]]
    return {"framework": f"tensorflow-{tf.__version__}", "keras": keras.__version__}
