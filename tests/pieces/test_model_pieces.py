"""Support pieces of models compute what the shim computes for the old names."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import random
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
import tensorflow as tf

from pedl import idioms
from pedl2det.support import render
from pedl2det_legacy import old_keras

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.versions]

_PIECES = (
    *("SGD", "RMSprop", "Adagrad", "Adadelta", "Adam", "Adamax", "Nadam"),
    *("standalone_optimizer", "standalone_optimizer_class", "give_float_targets"),
    *("arguments_of_optimizer", "arguments_of_standalone_optimizer"),
    *("use_old_keras", "use_standalone_keras", "use_old_recurrent_layers"),
    *("use_old_arguments", "restore_attributes"),
    *("hinge", "squared_hinge", "cosine_proximity"),
    *("named_metric", "named_metrics", "named_metrics_by_output", "trained"),
    "ValidationMetrics",
)


@pytest.fixture
def legacy_keras(tmp_path: Path) -> Any:
    """The module, imported anew."""
    path = tmp_path / "legacy_keras.py"
    path.write_text(render(_PIECES))
    spec = importlib.util.spec_from_file_location("legacy_keras", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_an_optimizer_is_found_by_its_type(legacy_keras: Any) -> None:
    """Also one that Keras itself makes, as `load_model` does."""

    class Slow(legacy_keras.Adam):  # type: ignore[misc, name-defined]
        pass

    today, own = tf.keras.optimizers.legacy.Adam(), legacy_keras.standalone_optimizer("adam")
    rates = {legacy_keras.Adam: 0.1, legacy_keras.SGD: 0.2, Slow: 0.3}

    assert [rates[type(one)] for one in (own, today, Slow(lr=0.5))] == [0.1, 0.1, 0.3]
    assert isinstance(today, legacy_keras.Adam) and not isinstance(today, Slow | legacy_keras.SGD)
    assert float(Slow(0.5).learning_rate) == 0.5 and type(own).__name__ == "Adam"


@pytest.fixture
def keras() -> Iterator[Any]:
    """Standalone Keras, as an old trial imports it."""
    idioms.activate()
    try:
        yield importlib.import_module("keras")
    finally:
        idioms.deactivate()
        tf.keras.backend.clear_session()


def trained(
    make_layers: Any, optimizer: Any, loss: Any = "mse", shape: tuple[int, ...] = (3,)
) -> list[Any]:
    """The weights of a small model after some batches."""
    random.seed(7)  # of which Keras draws the seeds of layers; its set_random_seed stays in force
    tf.random.set_seed(7)
    model = tf.keras.Sequential([tf.keras.Input(shape), *make_layers()])
    model.compile(optimizer, loss)
    chance = np.random.RandomState(1)
    x = chance.normal(size=(24, *shape)).astype("float32")
    y = (chance.rand(24, 1) > 0.5).astype("float32")
    model.fit(x, y, batch_size=4, epochs=2, shuffle=False, verbose=0)
    return list(model.get_weights())


def assert_same(first: list[Any], second: list[Any]) -> None:
    assert len(first) == len(second) > 0
    assert all(np.array_equal(one, other) for one, other in zip(first, second, strict=True))


def dense() -> list[Any]:
    return [tf.keras.layers.Dense(4, activation="tanh"), tf.keras.layers.Dense(1)]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("SGD", {"lr": 0.1, "momentum": 0.9, "decay": 1e-2}),
        ("RMSprop", {"clipnorm": 0.1}),
        ("Adagrad", {}),
        ("Adadelta", {}),
        ("Adam", {"amsgrad": True, "clipvalue": 0.01}),
        ("Adamax", {}),
        ("Nadam", {"clipnorm": -1}),
    ],
)
def test_optimizers_of_standalone_keras(
    legacy_keras: Any, keras: Any, name: str, options: dict[str, Any]
) -> None:
    old = trained(dense, getattr(keras.optimizers, name)(**options))
    assert_same(old, trained(dense, getattr(legacy_keras, name)(**options)))


@pytest.mark.parametrize("name", ["adadelta", "adagrad", "nadam", "sgd"])
def test_optimizers_by_their_names(legacy_keras: Any, keras: Any, name: str) -> None:
    old = trained(dense, keras.optimizers.get(name))
    assert_same(old, trained(dense, legacy_keras.standalone_optimizer(name)))


def test_an_optimizer_by_a_dict(legacy_keras: Any, keras: Any) -> None:
    by_dict = {"class_name": "Adadelta", "config": {"rho": 0.5}}
    old = trained(dense, keras.optimizers.Adadelta(rho=0.5))
    assert_same(old, trained(dense, legacy_keras.standalone_optimizer(by_dict)))


@pytest.fixture
def recurrent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes back what a piece changes in them."""
    for name in ("LSTM", "GRU", "LSTMCell", "GRUCell"):
        kind = getattr(tf.keras.layers, name)
        monkeypatch.setattr(kind, "__init__", kind.__init__)


@pytest.mark.usefixtures("recurrent")
@pytest.mark.parametrize("name", ["LSTM", "GRU"])
def test_recurrent_layers(legacy_keras: Any, keras: Any, name: str) -> None:
    def layers(kind: Any) -> Any:
        return lambda: [kind(4), tf.keras.layers.Dense(1)]

    old = trained(layers(getattr(keras.layers, name)), "sgd", shape=(5, 2))
    idioms.deactivate()
    other = trained(layers(getattr(tf.keras.layers, name)), "sgd", shape=(5, 2))
    assert not np.array_equal(old[0], other[0])
    legacy_keras.use_old_recurrent_layers()
    assert_same(old, trained(layers(getattr(tf.keras.layers, name)), "sgd", shape=(5, 2)))


@pytest.mark.usefixtures("recurrent")
def test_a_recurrent_layer_is_made_again_from_its_config(legacy_keras: Any) -> None:
    legacy_keras.use_old_recurrent_layers()
    layer = tf.keras.layers.GRU(4)
    again = type(layer).from_config(layer.get_config())
    assert again.get_config() == layer.get_config()
    assert again.get_config()["reset_after"] is False


@pytest.fixture
def layers(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Layers of Keras, whose constructors may be changed."""
    for kind in set(filter(inspect.isclass, vars(tf.keras.layers).values())):
        if "__init__" in vars(kind):
            monkeypatch.setattr(kind, "__init__", kind.__init__)
    return tf.keras.layers


def test_layers_take_the_arguments_of_keras_1(legacy_keras: Any, layers: Any) -> None:
    """The values are those that Keras 2.2.4 gave, whose interfaces renamed them."""
    with pytest.raises(TypeError, match="border_mode"):
        layers.Conv2D(4, 3, border_mode="same")
    legacy_keras.use_old_recurrent_layers()
    legacy_keras.use_old_arguments()
    options = {"border_mode": "same", "init": "ones", "dim_ordering": "th", "bias": False}
    convolution = functools.partial(layers.Convolution2D, **options)(4, 3, 2)
    assert (convolution.kernel_size, convolution.strides) == ((3, 2), (1, 1))
    assert (convolution.padding, convolution.data_format) == ("same", "channels_first")
    assert isinstance(convolution.kernel_initializer, tf.keras.initializers.Ones)
    assert not convolution.use_bias
    assert layers.Conv2D(4, 3, strides=2).strides == (2, 2)
    assert layers.Conv2D(nb_filter=4, nb_row=3, nb_col=2).kernel_size == (3, 2)
    assert layers.Dense(output_dim=3).units == 3
    assert layers.Embedding(9, output_dim=3, dropout=0.5).output_dim == 3
    recurrent = layers.LSTM(4, dropout_W=0.5)
    assert (recurrent.dropout, recurrent.recurrent_activation.__name__) == (0.5, "hard_sigmoid")
    assert layers.LSTM(4, inner_activation="tanh").recurrent_activation.__name__ == "tanh"
    again = type(convolution).from_config(convolution.get_config())
    assert again.get_config() == convolution.get_config()
    with pytest.raises(TypeError, match="mode"):  # which BatchNormalization alone had
        layers.Dense(3, mode=0)
    assert layers.BatchNormalization(mode=0).name
    with pytest.raises(TypeError, match="unknown"):
        layers.Dense(3, unknown=1)


@pytest.mark.parametrize("name", ["hinge", "squared_hinge", "cosine_proximity"])
def test_losses(legacy_keras: Any, keras: Any, name: str) -> None:
    old = trained(dense, "sgd", getattr(keras.losses, name))
    idioms.deactivate()
    assert_same(old, trained(dense, "sgd", getattr(legacy_keras, name)))


class Doubled(tf.keras.layers.BatchNormalization):
    """A layer of the trial's own."""

    def call(self, inputs: Any, training: Any = None) -> Any:
        return 2.0 * super().call(inputs, training=training)


def frozen(norm: Any) -> list[Any]:
    norm.trainable = False
    return [tf.keras.layers.Dense(4), norm, tf.keras.layers.Dense(1)]


def frozen_in_a_model() -> list[Any]:
    norm = tf.keras.layers.BatchNormalization(momentum=0.5)
    ready = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(4), norm])
    ready.trainable = False
    return [tf.keras.Sequential([ready]), tf.keras.layers.Dense(1)]


def masked() -> list[Any]:
    norm = tf.keras.layers.BatchNormalization()
    pool = tf.keras.layers.GlobalAveragePooling1D()
    return [tf.keras.layers.Masking(0.0), *frozen(norm), pool]


@pytest.fixture
def keras_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take back after the test what the pieces change."""
    changes = (old_keras.old_keras, old_keras.keras_2_9, old_keras.standalone_keras)
    for owner, name, _ in (change for changed in changes for change in changed()):
        monkeypatch.setattr(owner, name, vars(owner).get(name, getattr(owner, name)))


@pytest.mark.usefixtures("keras_of_today")
@pytest.mark.parametrize(
    ("make_layers", "shape"),
    [
        (lambda: frozen(tf.keras.layers.BatchNormalization(momentum=0.5)), (3,)),
        (lambda: frozen(Doubled()), (3,)),
        (frozen_in_a_model, (3,)),
        (masked, (4, 3)),
    ],
)
def test_a_frozen_normalization_uses_its_batch(
    legacy_keras: Any, keras: Any, make_layers: Any, shape: tuple[int, ...]
) -> None:
    optimizer = tf.keras.optimizers.legacy.SGD
    old = trained(make_layers, optimizer(0.1), shape=shape)
    idioms.deactivate()
    today = trained(make_layers, optimizer(0.1), shape=shape)
    legacy_keras.use_old_keras()
    legacy_keras.use_old_keras()  # of another trial
    assert_same(old, trained(make_layers, optimizer(0.1), shape=shape))
    assert not all(np.array_equal(one, other) for one, other in zip(old, today, strict=True))


@pytest.mark.usefixtures("keras_of_today")
def test_a_normalization_that_is_trained_is_todays(legacy_keras: Any) -> None:
    def layers() -> list[Any]:
        return [tf.keras.layers.Dense(4), tf.keras.layers.BatchNormalization()]

    optimizer = tf.keras.optimizers.legacy.SGD
    today = trained(layers, optimizer(0.1))
    legacy_keras.use_old_keras()
    assert_same(today, trained(layers, optimizer(0.1)))


@pytest.mark.usefixtures("keras_of_today")
def test_layers_of_standalone_keras(legacy_keras: Any) -> None:
    legacy_keras.use_standalone_keras()
    legacy_keras.use_standalone_keras()  # of another trial
    tf.keras.backend.clear_session()
    entry = tf.keras.Input((1,))
    model = tf.keras.Model(entry, tf.keras.layers.Dense(1)(entry))
    model.compile("sgd", "mse")
    error = model.evaluate(np.ones((2, 1)), np.zeros((2, 1)), verbose=0)
    weights = np.array([0.0, 5.0])
    half = model.evaluate(np.ones((2, 1)), np.zeros((2, 1)), sample_weight=weights, verbose=0)

    assert [one.name for one in (model, *model.layers)] == ["model_1", "input_1", "dense_1"]
    assert half == pytest.approx(5 * error)  # and not by half of it
    model.layers.pop()
    assert len(model.layers) == 1


@pytest.mark.usefixtures("keras_of_today")
def test_a_layer_of_standalone_keras_adds_a_weight_by_its_shape(legacy_keras: Any) -> None:
    """The names and shapes are those of Keras 2.2.4."""

    class Attention(tf.keras.layers.Layer):  # type: ignore[misc]
        def build(self, shape: Any) -> None:
            self.add_weight((shape[-1], 2), initializer="ones", name="w")
            self.add_weight([2], "bias", initializer="zeros")
            self.add_weight("c", (2,))

    legacy_keras.use_standalone_keras()
    layer = Attention()
    layer.build((None, 3))
    found = [(weight.name, weight.shape.as_list()) for weight in layer.weights]
    assert found == [("w:0", [3, 2]), ("bias:0", [2]), ("c:0", [2])]


def test_metrics_have_the_names_of_their_roles(legacy_keras: Any) -> None:
    class Trial:
        def loss(self) -> str:
            return "mse"

        def training_metrics(self) -> dict[str, Any]:
            return {"accuracy": "accuracy", "error": tf.keras.metrics.mean_absolute_error}

        def validation_metrics(self) -> dict[str, Any]:
            square, absolute = (getattr(tf.keras.metrics, name) for name in ("mse", "mae"))
            return {"accuracy": "accuracy", "error": square, "val_loss": absolute}

    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse", metrics=legacy_keras.named_metrics(Trial()))
    x, y = np.ones((4, 2), "float32"), np.full((4, 1), 9, "float32")
    history = model.fit(x, y, validation_data=(x, y), verbose=0).history
    assert {"accuracy", "training_error", "val_accuracy", "val_error"} <= history.keys()
    assert history["val_error"] == history["val_loss"]  # that of the validation
    assert history["val_loss"] != history["val_val_loss"]  # and of the loss, not of its metric


def test_metrics_have_the_meanings_of_standalone_keras(legacy_keras: Any) -> None:
    """With labels of 0 and 1, today's hinge takes a 0 for a -1."""
    metric = legacy_keras.named_metric("margin", "hinge", lambda: "hinge")

    assert metric.name == "margin"
    assert float(metric(np.zeros((2, 1), "float32"), np.ones((2, 1), "float32"))) == 1.0


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_an_optimizer_clips_in_one_way(legacy_keras: Any, name: str) -> None:
    with pytest.raises(ValueError, match="clipnorm= and clipvalue= together"):
        getattr(legacy_keras, name)(clipnorm=1.0, clipvalue=1.0)


def test_metrics_of_outputs_keep_their_names(legacy_keras: Any) -> None:
    x = tf.keras.Input((2,))
    outputs = [tf.keras.layers.Dense(1, name=name)(x) for name in ("kind", "size")]
    model = tf.keras.Model(x, outputs)
    error = tf.keras.metrics.mean_squared_error

    class Trial:
        def validation_metrics(self) -> dict[str, Any]:
            own = tf.keras.metrics.MeanAbsoluteError()
            return {"kind_error": ("kind", error), "e": ("size", error), "own": ("size", own)}

        def losses(self) -> dict[str, Any]:
            return {"kind": "mse", "size": "mse"}

    model.compile("sgd", "mse", metrics=legacy_keras.named_metrics_by_output(Trial()))
    x, y = np.ones((4, 2), "float32"), [np.zeros((4, 1))] * 2
    history = model.fit(x, y, validation_data=(x, y), verbose=0).history
    assert {"e", "val_kind_error", "val_e", "val_own"} <= history.keys()
    assert history["val_e"] == history["val_size_loss"]


@pytest.mark.parametrize(
    ("metrics", "said"),
    [
        ({"error": ("a", ("mae", np.max))}, "it must be reduced by its mean: <function .*max"),
        ({"error": "mae"}, "error: expected a pair .*, got 'mae'"),
    ],
)
def test_a_metric_without_a_meaning_is_refused(
    metrics: dict[str, Any], said: str, legacy_keras: Any
) -> None:
    with pytest.raises(ValueError, match=said):
        members = {"validation_metrics": lambda self: metrics, "losses": dict}
        trial = type("Trial", (), members)()
        legacy_keras.named_metrics_by_output(trial)


class Context:
    """What the pieces ask of a context."""

    def __init__(self) -> None:
        self.wrapped: list[Any] = []

    def wrap_model(self, model: Any) -> Any:
        self.wrapped.append(model)
        return model

    def wrap_optimizer(self, optimizer: Any) -> Any:
        self.wrapped.append(optimizer)
        return optimizer

    def get_experiment_config(self) -> dict[str, Any]:
        return {"scheduling_unit": 2}

    def get_per_slot_batch_size(self) -> int:
        return 2

    def get_initial_batch(self) -> int:
        return 0


@pytest.mark.parametrize("named", ["adam", {"class_name": "Adam", "config": {}}])
def test_a_model_is_compiled_again_with_a_wrapped_optimizer(legacy_keras: Any, named: Any) -> None:
    context = Context()
    models = [tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))]) for _ in "ab"]
    for model in models:
        model.compile(named, loss="mse", run_eagerly=True)
    optimizer = models[0].optimizer
    assert legacy_keras.trained(context, models[0]) is models[0]
    assert context.wrapped == [optimizer, models[0]]
    assert models[0].optimizer is optimizer
    assert type(optimizer) is tf.keras.optimizers.legacy.Adam
    assert models[0].loss == "mse" and models[0].run_eagerly


def test_what_is_set_on_a_compiled_model_is_kept(legacy_keras: Any) -> None:
    context = Context()
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("adam", "mse")
    model.optimizer = optimizer = tf.keras.optimizers.legacy.SGD(0.5)
    model.run_eagerly = True

    legacy_keras.trained(context, model)

    assert context.wrapped == [optimizer, model]  # which a checkpoint stores
    assert model.optimizer is optimizer and model.run_eagerly


@pytest.mark.usefixtures("keras_of_today")
@pytest.mark.parametrize("kind", ["ModelCheckpoint", "TensorBoard"])
def test_hooks_of_batches_by_their_old_names(legacy_keras: Any, kind: str, tmp_path: Path) -> None:
    legacy_keras.use_old_keras()

    class Own(getattr(tf.keras.callbacks, kind)):  # type: ignore[misc]
        told: ClassVar[list[int]] = []

        def on_batch_end(self, batch: int, logs: Any = None) -> None:
            self.told.append(batch)

    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse")
    own = Own(str(tmp_path / "written"))
    # One of them has hooks, so that Keras calls all.
    other = tf.keras.callbacks.LambdaCallback(on_batch_end=lambda batch, logs: None)
    x, y = np.ones((4, 2)), np.ones((4, 1))
    model.fit(x, y, batch_size=2, verbose=0, callbacks=[own, other])

    assert own.told == [0, 1]


@pytest.mark.usefixtures("keras_of_today")
@pytest.mark.parametrize("form", ["pair", "operation", "operations"])
def test_updates_of_a_layer_are_made_in_training(legacy_keras: Any, form: str) -> None:
    legacy_keras.restore_attributes()
    legacy_keras.use_old_keras()
    backend = tf.keras.backend

    class Counting(tf.keras.layers.Layer):
        def build(self, shape: Any) -> None:
            self.count = self.add_weight("count", (), initializer="zeros", trainable=False)

        def call(self, x: Any) -> Any:
            if form == "pair":  # as in Keras 2.2.4
                self.add_update((self.count, self.count + 1.0), x)
            elif form == "operation":
                self.add_update([backend.update_add(self.count, 1.0)], x)
            else:
                half = backend.update_add(self.count, 0.5)
                self.add_update((half, backend.update_add(self.count, 0.5)), x)
            return x

    layer = Counting()
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,)), layer])
    model.compile("sgd", "mse")
    x, y = np.ones((6, 2)), np.ones((6, 1))
    model.fit(x, y, batch_size=2, epochs=2, verbose=0)
    model.evaluate(x, y, verbose=0)

    assert float(layer.count) == 6.0
    assert float(backend.update(layer.count, 2.0)) == 2.0  # outside of a call


def test_targets_of_outputs_that_the_model_does_not_have_are_ignored(legacy_keras: Any) -> None:
    layer = tf.keras.layers.Dense(1, name="a", kernel_initializer="zeros", input_shape=(2,))
    model = tf.keras.Sequential([layer])
    model.compile("sgd", "mse")
    legacy_keras.give_float_targets(model)
    x, y = np.ones((4, 2)), np.ones((4, 1), dtype=int)

    with pytest.warns(UserWarning, match="no output b: its targets are ignored"):
        losses = model.fit(x, {"a": y, "b": y}, verbose=0).history["loss"]

    assert losses == [1.0]


@pytest.mark.usefixtures("keras_of_today")
def test_own_losses_get_floats_for_whole_targets(legacy_keras: Any) -> None:
    kinds = []

    def own(target: Any, output: Any) -> Any:
        kinds.append(target.dtype)
        return tf.keras.losses.mse(target, output)

    legacy_keras.use_old_keras()
    legacy_keras.use_old_keras()  # by the next trial
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", own, options=tf.compat.v1.RunOptions())  # of a session
    model.fit(np.ones((4, 2)), np.ones((4, 1), dtype=int), verbose=0)

    assert {*kinds} == {tf.float32}


def test_arguments_behind_stars_mean_what_they_meant(legacy_keras: Any) -> None:
    given = {"optimizer": "adadelta", "loss": "hinge", "metrics": ["mae"], "loss_weights": None}

    aged = legacy_keras.arguments_of_optimizer(given)
    assert type(aged["optimizer"]) is tf.keras.optimizers.legacy.Adadelta
    assert {**aged, "optimizer": "adadelta"} == given

    standalone = legacy_keras.arguments_of_standalone_optimizer(given)
    assert float(standalone["optimizer"].learning_rate) == 1.0  # 0.001 today
    assert {**standalone, "optimizer": "adadelta"} == given


@pytest.mark.usefixtures("keras_of_today")
def test_losses_are_found_by_the_names_of_standalone_keras(legacy_keras: Any) -> None:
    """The hinge of a label 0 and an output 2 is 1 - 0 * 2; today, as label -1, it is 3."""
    legacy_keras.use_standalone_keras()
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, "linear", input_shape=(1,))])
    model.compile("sgd", "hinge", metrics=["squared_hinge", "cosine"])
    model.set_weights([np.full((1, 1), 2.0), np.zeros(1)])
    found = model.evaluate(np.ones((3, 1)), np.zeros((3, 1)), verbose=0, return_dict=True)

    assert found == {"loss": 1.0, "squared_hinge": 1.0, "cosine_proximity": 0.0}
    assert tf.keras.losses.get("hinge") is legacy_keras.hinge
    assert tf.keras.metrics.get("mae").__name__ == "mean_absolute_error"


def test_layers_that_were_frozen_since_are_trained(legacy_keras: Any) -> None:
    """Also beside a recurrent layer with dropout, whose masks `Model.submodules` cannot sort."""
    recurrent = tf.keras.layers.LSTM(2, recurrent_dropout=0.5)
    inner = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(4, 2)), recurrent])
    model = tf.keras.Sequential([inner, tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.predict(np.zeros((2, 4, 2), "float32"), verbose=0)
    recurrent.trainable = False
    wrapped = []
    legacy_keras.trained(
        SimpleNamespace(
            wrap_optimizer=lambda optimizer: optimizer,
            wrap_model=lambda model: wrapped.append(len(model.trainable_weights)) or model,
        ),
        model,
    )
    assert wrapped == [7] and len(model.trainable_weights) == 4


def test_a_compile_of_the_models_own_gets_its_own_arguments(legacy_keras: Any) -> None:
    class Pair(tf.keras.Sequential):
        def compile(self, first, second=None, **options):  # type: ignore[no-untyped-def]
            super().compile(loss=first)
            self.given = first, second, options

    context, rate = Context(), tf.keras.optimizers.SGD(0.1)
    model = Pair([tf.keras.layers.Dense(1)])
    model.compile("mse", third=rate)
    model.given = None
    legacy_keras.trained(context, model)
    assert model.given == ("mse", None, {"third": rate})
    assert context.wrapped == [rate, model]


@pytest.mark.parametrize("model", [None, tf.keras.Sequential()])
def test_a_model_must_be_compiled(model: Any, legacy_keras: Any) -> None:
    with pytest.raises(ValueError, match="must return a model that was compiled, got "):
        legacy_keras.trained(Context(), model)


X, Y = np.ones((5, 2), "float32"), np.zeros((5, 1), "float32")


@pytest.mark.parametrize(
    "data", [(X, Y), tf.data.Dataset.from_tensor_slices((X, Y)).batch(2)], ids=["arrays", "dataset"]
)
def test_computed_metrics_take_the_place_of_others(data: Any, legacy_keras: Any) -> None:
    legacy_keras.bind(Context())
    told = []

    class Trial(SimpleNamespace):
        def compute_validation_metrics(self, step: int) -> dict[str, Any]:
            adapter = self.validation_data_adapter
            adapter.start(is_validation=True)
            batches = list(adapter.get_iterator())
            told.append((step, len(batches), self.model))
            return {"num_inputs": 5, "validation_metrics": {"auc": 0.5}}

    trial = Trial(build_validation_data_loader=lambda: data)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile(tf.keras.optimizers.legacy.SGD(), "mse")
    model.fit(X, Y, batch_size=1, verbose=0)
    callback = legacy_keras.ValidationMetrics(trial)
    callback.set_model(model)
    callback.on_train_workload_end(5, {})
    logs = {"val_loss": 1.0}
    callback.on_test_end(logs)
    assert logs == {"auc": 0.5}
    assert callback._supports_tf_logs  # else it would get a copy of them
    assert told == [(2, 3, model)]


def test_validations_are_numbered_by_the_batches_and_not_by_the_optimizer(
    legacy_keras: Any,
) -> None:
    """A callback may set the count of the optimizer back, as a warm restart does."""
    numbers = []
    trial = SimpleNamespace(
        validation_data_adapter="adapter",
        compute_validation_metrics=lambda step: numbers.append(step) or {"validation_metrics": {}},
    )
    legacy_keras.bind(
        SimpleNamespace(
            get_initial_batch=lambda: 0, get_experiment_config=lambda: {"scheduling_unit": 10}
        )
    )
    callback = legacy_keras.ValidationMetrics(trial)
    callback.set_model(SimpleNamespace(optimizer=SimpleNamespace(iterations=0)))

    for batches in (10, 20):
        callback.on_train_workload_end(batches, {})
        callback.on_test_end({})

    assert numbers == [1, 2]
