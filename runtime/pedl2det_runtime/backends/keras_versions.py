"""Everything that differs between TensorFlow and Keras versions, as questions and answers.

The rest of the runtime asks here and has no version in it. Supported: Keras 2 as TensorFlow
2.15 brings it, and tf-keras on later versions (DESIGN.md, 4).
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from typing import Any

from pedl2det_runtime.backends import graph_mode
from pedl2det_runtime.errors import InvalidModelException, WrongKerasError

_FIRST_WITHOUT_KERAS_2 = (2, 16)


def tensorflow_version() -> tuple[int, int]:
    """Major and minor version of the installed TensorFlow, without importing it.

    Raises:
        WrongKerasError: none is installed.
    """
    for package in ("tensorflow", "tensorflow-cpu", "tensorflow-intel", "tf-nightly"):
        try:
            major, minor, *_ = metadata.version(package).split(".")
        except metadata.PackageNotFoundError:
            continue
        return int(major), int(minor)
    raise WrongKerasError("TensorFlow is not installed: pip install 'pedl2det[run]'")


def is_keras_2_of_tensorflow() -> bool:
    """Whether Keras 2 is what this TensorFlow itself brings, under the name ``keras`` too."""
    return tensorflow_version() < _FIRST_WITHOUT_KERAS_2


def choose_keras_2() -> None:
    """Make ``tf.keras`` mean Keras 2; to be called before TensorFlow is imported.

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
    refuse_keras_3()


def refuse_keras_3() -> None:
    """Raise ``WrongKerasError`` if ``tf.keras`` is Keras 3 in this process."""
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is None or is_keras_2_of_tensorflow():
        return
    if not tensorflow.keras.Model.__module__.startswith("tf_keras."):
        raise WrongKerasError(
            "TensorFlow was loaded with Keras 3, and this trial needs Keras 2: "
            "set TF_USE_LEGACY_KERAS=1 in the environment before Python starts"
        )


def load_tensorflow() -> None:
    """Import TensorFlow without what its native code prints about GPUs that are not there.

    With ``TF_CPP_MIN_LOG_LEVEL`` in the environment it prints what the user asked for.
    """
    if "TF_CPP_MIN_LOG_LEVEL" in os.environ:
        import tensorflow

        return
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    with tempfile.TemporaryFile() as said, os.fdopen(os.dup(2), "wb") as stderr:
        os.dup2(said.fileno(), 2)
        try:
            import tensorflow  # noqa: F401
        except BaseException:
            said.seek(0)
            stderr.write(said.read())
            raise
        finally:
            os.dup2(stderr.fileno(), 2)


def begin_trial() -> None:
    """Prepare Keras for a trial, before anything of the trial is imported.

    What an earlier trial of this process built is forgotten, with the names it took.
    """
    import tensorflow as tf

    tf.keras.backend.clear_session()
    prepare()


@contextlib.contextmanager
def as_before() -> Iterator[None]:
    """Afterwards Keras builds models as it did before, whatever :func:`prepare` did."""
    import tensorflow as tf

    global _serves_old_arguments
    random = tf.keras.backend.experimental
    before = _serves_old_arguments, random.is_tf_random_generator_enabled()
    try:
        yield
    finally:
        _serves_old_arguments = before[0]
        if not before[1]:
            random.disable_tf_random_generator()


def prepare() -> None:
    """Have Keras build models as trials mean them.

    Random layers get a generator whose state can be saved (DESIGN.md, 8). Optimizers are those
    that can do what they are asked for.
    """
    import tensorflow as tf

    global _serves_old_arguments
    _serves_old_arguments = True
    tf.keras.backend.experimental.enable_tf_random_generator()
    tf.keras.optimizers.Optimizer.__new__ = _new_optimizer


# Python cannot take a __new__ away from a class again, so it asks this.
_serves_old_arguments = False
_OLD_ARGUMENTS = {"lr", "decay"}


def _new_optimizer(cls: Any, *args: Any, **kwargs: Any) -> Any:
    """An optimizer of the old kind where it takes one: for ``lr=`` and ``decay=``, and in graphs.

    Since Keras 2.11 the optimizers ignore ``lr=`` with a warning and refuse ``decay=``; a trial
    that was written before means the optimizer of its time. And they cannot train in graph mode.

    Raises:
        InvalidModelException: there is no old kind of this one.
    """
    import tensorflow as tf

    old = getattr(tf.keras.optimizers.legacy, cls.__name__, None)
    is_kerass = cls is getattr(tf.keras.optimizers, cls.__name__, None)
    if (
        _serves_old_arguments
        and is_kerass
        and (graph_mode.is_chosen() or _OLD_ARGUMENTS & kwargs.keys())
    ):
        if old is None:
            cannot = "train in graph mode" if graph_mode.is_chosen() else "take lr= or decay="
            raise InvalidModelException(
                f"{cls.__name__} cannot {cannot}: tf.keras.optimizers.legacy has no counterpart"
            )
        return old(*args, **kwargs)
    return object.__new__(cls)


def layer_states(model: Any) -> list[Any]:
    """The variables of the model's layers that are no weights, in the order of the layers.

    The generators of random layers, and what stateful recurrent layers carry from batch to batch.
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
    """Have a model's checkpoints hold optimizers that it does not know of itself."""
    for number, optimizer in enumerate(wrapped):
        if not any(optimizer is known for known in optimizers(model)):
            model._track_trackable(optimizer, f"wrapped_optimizer_{number}", overwrite=True)


def has_more_optimizers(model: Any) -> bool:
    """Whether a model has optimizers beside the compiled one."""
    return len(optimizers(model)) > 1


def optimizers(model: Any) -> list[Any]:
    """All optimizers of a model, the compiled one first; not those within another one."""
    import tensorflow as tf

    kinds = tf.keras.optimizers.Optimizer, tf.keras.optimizers.legacy.Optimizer
    tracked = model._trackable_children().values()
    found = {id(child): child for child in tf.nest.flatten([model.optimizer, *tracked])}
    inner = getattr(model.optimizer, "inner_optimizer", None)  # of a LossScaleOptimizer
    return [
        optimizer
        for optimizer in found.values()
        if isinstance(optimizer, kinds) and optimizer is not inner
    ]


def build(model: Any, spec: Any) -> None:
    """Create a model's variables as its first training step would, without training.

    The step is traced and not run. A model's ``call`` may want something else than its data (the
    noise of a GAN), so calling the model would not do.

    Args:
        model: a compiled model.
        spec: what a batch is, in ``tf.TensorSpec``.
    """
    import tensorflow as tf

    if graph_mode.is_chosen() or model.run_eagerly:
        if model.built:
            return
        inputs = spec[0] if isinstance(spec, tuple) else spec
        with contextlib.suppress(NotImplementedError):
            model(tf.nest.map_structure(_like, inputs), training=False)
        return
    empty = tf.data.Dataset.from_generator(lambda: iter(()), output_signature=spec)
    model.make_train_function().get_concrete_function(iter(empty))


def _like(spec: Any) -> Any:
    """Something of this kind to call a model with."""
    import tensorflow as tf

    if graph_mode.is_chosen():  # the model would take a number of records for its own
        return tf.keras.backend.placeholder(spec.shape, dtype=spec.dtype)
    return tf.zeros([size or 1 for size in spec.shape], spec.dtype)


def optimizer_variables(model: Any) -> list[Any]:
    """The variables of the model's optimizer, created if they were not yet.

    One that was built by tracing a step has the variables of what it trains, maybe not of all.
    """
    import tensorflow as tf

    optimizer = model.optimizer
    legacy = tf.keras.optimizers.legacy.Optimizer
    if not isinstance(optimizer, legacy):
        if not getattr(optimizer, "_built", False):
            optimizer.build(model.trainable_variables)
        return list(optimizer.variables)
    inner = getattr(optimizer, "inner_optimizer", optimizer)
    # As training names them; a LossScaleOptimizer opens no scope for the one within it.
    name = None if inner is not optimizer else optimizer._name
    if not inner.weights:
        with tf.name_scope(name) if name else contextlib.nullcontext():
            inner._create_all_weights(model.trainable_variables)
    return list(optimizer.weights)


def optimizer_settings(model: Any) -> dict[str, Any]:
    """Settings of the optimizer that are variables outside its weights, by name.

    A callback may have changed them: the learning rate, say.
    """
    optimizer = getattr(model.optimizer, "inner_optimizer", model.optimizer)
    settings = getattr(optimizer, "_hyper", None)  # optimizers.legacy
    if settings is None:
        settings = {"learning_rate": getattr(optimizer, "_learning_rate", None)}
    return {name: value for name, value in settings.items() if hasattr(value, "assign")}


def make_chunkable(model: Any) -> bool:
    """Have Keras build the loop over several batches an execution; False where it cannot."""
    if graph_mode.is_chosen():
        return False
    if model.run_eagerly or _makes_its_own_functions(model):
        model._steps_per_execution.assign(1)
        return False
    model._steps_per_execution.assign(2)  # any number but 1, before the functions are built
    return True


def _makes_its_own_functions(model: Any) -> bool:
    """Whether a model overrides the loop that Keras builds over its steps."""
    import tensorflow as tf

    return any(
        getattr(type(model), name) is not getattr(tf.keras.Model, name)
        for name in ("make_train_function", "make_test_function")
    )


def set_chunk(model: Any, batches: int) -> None:
    """Let the next execution run ``batches`` batches; Keras reads this before each one."""
    model._steps_per_execution.assign(batches)


@contextlib.contextmanager
def saved_as_it_is(model: Any) -> Iterator[None]:
    """While Keras writes a model, and afterwards, its metrics are those that it trains with.

    Saving builds the compiled loss of a model whose own steps never use it; the empty metric of
    that name would then hide what these steps report.
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


def train_counter(model: Any) -> Any:
    """The variable that counts the model's training batches."""
    return model._train_counter


def described() -> dict[str, str]:
    """The versions that a checkpoint was written with."""
    import tensorflow as tf

    keras = sys.modules[tf.keras.Model.__module__.partition(".")[0]]
    return {"framework": f"tensorflow-{tf.__version__}", "keras": keras.__version__}
