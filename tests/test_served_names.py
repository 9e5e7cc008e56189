"""The shim serves what the table of old names says: the new object, or what to write."""

from __future__ import annotations

import importlib
import inspect
import sys
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from pedl2det_names import Name, lookup, rows
from pedl2det_names.keras import PATHS
from test_old_names import today

ROWS = [row for row in rows() if row.old.partition(".")[0] in ("tensorflow", "numpy", "keras")]

#: What old trials are served in a form that was not told apart by a name.
OTHERWISE = {
    *("keras.layers", "keras.optimizers", "keras.losses", "keras.metrics"),
    "tensorflow.nn.ctc_beam_search_decoder_v2",  # its name of today meant something else
    "tensorflow.gfile.FastGFile",  # a class of its own with nothing in it
    "tensorflow.flags.FLAGS",  # reads the command line if it is asked for anything
}

ROOTS = ("keras", "tensorflow.python.keras")


@pytest.fixture(scope="module")
def served() -> Iterator[None]:
    from pedl2det_runtime.backends.keras_versions import choose_keras_2

    choose_keras_2()
    from pedl import idioms

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        idioms.activate()
        yield
        idioms.deactivate()


def old_object(dotted: str) -> Any:
    """The object that old code gets for a name."""
    from pedl.old_names import UnservedIdiomError

    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        module = ".".join(parts[:length])
        if module in sys.modules or (length == 1 and importlib.import_module(module)):
            held = sys.modules[module]
            try:
                for name in parts[length:]:
                    held = getattr(held, name)
            except UnservedIdiomError:
                return held  # says what to write
            except AttributeError:
                continue  # `tensorflow.x` may have been imported and be an attribute besides
            return held
    raise AttributeError(dotted)


def is_same(ours: Any, theirs: Any) -> bool:
    from tensorflow.python.util import tf_decorator

    plain = [tf_decorator.unwrap(inspect.unwrap(value))[1] for value in (ours, theirs)]
    is_marked = type(ours).__module__ == "pedl.old_classes"  # a model class of standalone Keras
    return plain[0] is plain[1] or ours is theirs or (is_marked and ours == theirs)


def test_every_old_name_is_served(served: None) -> None:
    missing = []
    for row in ROWS:
        try:
            old_object(row.old)
        except AttributeError:
            missing.append(row.old)

    assert missing == []


def test_an_old_module_is_an_attribute_of_its_package_as_well(served: None) -> None:
    import tensorflow as tf
    from tensorflow.python import keras

    assert keras is sys.modules["tensorflow.python.keras"]
    assert keras.utils.Sequence is tf.keras.utils.Sequence


def test_what_is_the_same_is_the_same_object(served: None) -> None:
    wrong = [
        (row.old, row.new)
        for row in ROWS
        if row.same and row.new and not (row.keywords or row.defaults or row.changed)
        if row.old not in OTHERWISE and not row.write
        if not (row.old.startswith("numpy.") and np.__version__ < "2")  # it still has most of them
        if not isinstance(theirs := today(row.new), ModuleType)
        if not is_same(old_object(row.old), theirs)
    ]

    assert wrong == []


def test_what_nothing_serves_says_what_to_write(served: None) -> None:
    from pedl.old_names import UnservedIdiomError

    with pytest.raises(
        UnservedIdiomError, match="tf.layers is not supported in eager mode: use tf.keras.layers"
    ):
        old_object("tensorflow.layers").dense(1)
    with pytest.raises(
        UnservedIdiomError, match="tf.contrib.slim is not supported: it was removed"
    ):
        old_object("tensorflow").contrib.slim.conv2d(1)


def test_what_left_contrib_is_served(served: None) -> None:
    import tensorflow as tf

    assert tf.contrib.data.AUTOTUNE == tf.data.experimental.AUTOTUNE
    assert tf.contrib.framework.nest is tf.nest
    assert float(tf.contrib.layers.l2_regularizer(0.5)(tf.constant([2.0, 4.0]))) == 5.0
    assert float(tf.contrib.layers.l1_l2_regularizer(1.0, 0.5)(tf.constant([2.0, 4.0]))) == 11.0
    assert tf.contrib.layers.flatten(tf.ones((2, 3, 4))).shape == (2, 12)
    assert float(tf.contrib.layers.l1_regularizer(0.5)(tf.constant([2.0, -4.0]))) == 3.0


def test_initializers_of_contrib_scale_as_they_did(served: None) -> None:
    import tensorflow as tf

    layers = tf.contrib.layers
    kernel = layers.xavier_initializer(seed=1)((30, 10))
    assert np.array_equal(kernel, tf.keras.initializers.GlorotUniform(seed=1)((30, 10)))
    normal = layers.variance_scaling_initializer(seed=1)((1000, 100))
    assert np.abs(normal).max() <= 2 * (1.3 * 2 / 1000) ** 0.5
    assert np.std(normal) == pytest.approx((2 / 1000) ** 0.5, rel=0.02)


def test_initializers_of_standalone_keras_are_given_names_of_dtypes(served: None) -> None:
    import keras

    class Ones(keras.initializers.Initializer):
        def __call__(self, shape, dtype=None):
            return np.ones(shape, dtype=dtype)

    class Twos(keras.initializers.Initializer):
        def __call__(self, shape):
            return np.full(shape, 2.0)

    layer = keras.layers.Dense(2, kernel_initializer=Ones(), bias_initializer=Twos())
    layer.build((None, 1))

    assert [weight.tolist() for weight in layer.get_weights()] == [[[1.0, 1.0]], [2.0, 2.0]]
    assert isinstance(Ones(), keras.initializers.Initializer)
    assert isinstance(keras.initializers.Zeros(), keras.initializers.Initializer)


def test_hyperparameters_of_contrib_keep_their_types(served: None) -> None:
    import tensorflow as tf

    hparams = tf.contrib.training.HParams(units=8, rate=0.1, kind="gru", sizes=[1, 2])
    hparams.set_hparam("rate", 1)
    hparams.override_from_dict({"units": 16, "sizes": [3]})
    for name, wrong in {"units": 2.5, "rate": True, "kind": 3, "sizes": 4}.items():
        with pytest.raises(ValueError, match="expected|not a list|is a list"):
            hparams.set_hparam(name, wrong)
    with pytest.raises(KeyError):
        hparams.set_hparam("depth", 1)

    assert hparams.values() == {"units": 16, "rate": 1.0, "kind": "gru", "sizes": [3]}
    assert type(hparams.rate) is float
    assert "units" in hparams
    assert hparams.get("depth", 3) == 3


def test_hasattr_finds_no_contrib(served: None) -> None:
    """Old code asks for it to tell TensorFlow 1 from TensorFlow 2."""
    import tensorflow as tf

    assert not hasattr(tf, "contrib")
    assert getattr(tf, "contrib", None) is None
    exec("from tensorflow import contrib\nimport tensorflow.contrib.data as data", found := {})
    assert found["contrib"].data.AUTOTUNE == found["data"].AUTOTUNE == tf.data.AUTOTUNE


def test_packages_that_are_gone_can_be_imported(served: None) -> None:
    """Trials import names that they do not use; the error comes with the use."""
    from pedl.old_names import UnservedIdiomError

    wrappers = importlib.import_module("tensorflow.keras.wrappers.scikit_learn")
    policies = importlib.import_module("tensorflow.keras.mixed_precision.experimental")

    assert policies.Policy("float32").name == "float32"
    with pytest.raises(UnservedIdiomError, match="use scikeras"):
        wrappers.KerasClassifier(build_fn=None)


def test_a_dimension_of_a_shape_has_a_value(served: None) -> None:
    import tensorflow as tf

    shape = tf.keras.Input((5, 3)).shape

    batch, steps, _ = shape
    assert (shape[-1].value, shape[1] * 2, shape[0].value) == (3, 10, None)
    assert (batch.value, steps.value, [size.value for size in shape]) == (None, 5, [None, 5, 3])
    assert shape.as_list() == [None, 5, 3]
    assert tf.zeros([2, shape[-1]]).shape == (2, 3)


@pytest.mark.parametrize("root", ROOTS)
def test_every_module_of_an_old_keras_is_served(root: str, served: None) -> None:
    known = {f"{root}.{path}".rstrip(".") for path in PATHS}

    assert known - sys.modules.keys() == set()


@pytest.mark.parametrize("root", ROOTS)
def test_every_public_thing_that_an_old_keras_module_serves_has_a_row(
    root: str, served: None
) -> None:
    """And it is what the row says, or the row says that it is something else."""
    wrong = []
    for path in PATHS:
        module = sys.modules[f"{root}.{path}".rstrip(".")]
        for name, value in vars(module).items():
            if name.startswith("_") or isinstance(value, ModuleType):
                continue
            row = lookup(f"{module.__name__}.{name}")
            if row is None or (row.new and not agrees(row, value)):
                wrong.append(f"{module.__name__}.{name}")

    assert wrong == []


def agrees(row: Name, value: Any) -> bool:
    """Whether an object is what a row says; an old default or meaning makes it another one."""
    assert row.new is not None
    is_other = not row.same or row.keywords or row.defaults or row.write or row.parameters
    return bool(is_other) or is_same(value, today(row.new))


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        # The arithmetic of TensorFlow 1.15 by hand, from weight 1 with gradients 2 and 4.
        ("AdamOptimizer(0.1)", None),
        ("GradientDescentOptimizer(0.1)", 1 - 0.1 * 2 - 0.1 * 4),
        ("MomentumOptimizer(0.1, 0.9)", 1 - 0.1 * 2 - 0.1 * (0.9 * 2 + 4)),
        ("AdagradOptimizer(0.1)", 1 - 0.2 / np.sqrt(0.1 + 4) - 0.4 / np.sqrt(0.1 + 4 + 16)),
        (
            "RMSPropOptimizer(0.1)",
            1 - 0.2 / np.sqrt(0.9 + 0.4) - 0.4 / np.sqrt(0.9 * 1.3 + 0.1 * 16),
        ),
    ],
)
def test_optimizers_of_tf_train_train_keras_as_they_did(
    make: str, expected: float | None, served: None
) -> None:
    import tensorflow as tf

    if expected is None:
        m, v, expected = 0.0, 0.0, 1.0
        for step, gradient in enumerate((2.0, 4.0), 1):
            m, v = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient**2
            rate = 0.1 * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
            expected -= rate * m / (np.sqrt(v) + 1e-8)
    weight = tf.Variable(1.0)
    name, arguments = make.rstrip(")").split("(")
    optimizer = getattr(tf.train, name)(*map(float, arguments.split(", ")))
    for gradient in (2.0, 4.0):
        optimizer.apply_gradients([(tf.constant(gradient), weight)])

    assert isinstance(
        optimizer, tf.keras.optimizers.Optimizer | tf.keras.optimizers.legacy.Optimizer
    )
    assert float(weight) == pytest.approx(expected, rel=1e-6)


def test_layers_take_the_inputs_of_their_losses_and_updates(served: None) -> None:
    import tensorflow as tf

    class Old(tf.keras.layers.Layer):
        def call(self, x: Any) -> Any:
            self.add_update([], x)
            self.add_loss(tf.reduce_sum(x), inputs=x)
            self.add_loss(tf.reduce_sum(x), x)
            return x

    layer = Old()
    layer(tf.ones((2, 2)))

    assert [float(one) for one in layer.losses] == [4.0, 4.0]
