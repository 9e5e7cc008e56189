"""What names of standalone Keras 2.2.4 and TensorFlow 1 meant, and mean while an old trial runs."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from pedl import idioms
from pedl.old_keras import SERVED
from pedl.old_names import UnservedIdiomError
from pedl2det_legacy.fit_arguments import bind_fit
from pedl2det_runtime.backends import graph_mode
from pedl2det_runtime.errors import GraphModeNeededError

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def keras() -> Iterator[Any]:
    """Standalone Keras, as an old trial imports it."""
    idioms.activate()
    try:
        yield importlib.import_module("keras")
    finally:
        idioms.deactivate()
        tf.keras.backend.clear_session()


def said(optimizer: Any) -> dict[str, Any]:
    return {key: value for key, value in optimizer.get_config().items() if key != "name"}


def test_positional_arguments_of_old_optimizers(keras: Any) -> None:
    old = keras.optimizers
    sgd = {"learning_rate": 0.5, "momentum": 0.9, "decay": 1e-3, "nesterov": True}
    assert said(old.SGD(0.5, 0.9, 1e-3, True)) == sgd
    adam = said(old.Adam(0.5, 0.8, 0.99, None, 1e-3, True))
    assert (adam["beta_1"], adam["beta_2"], adam["epsilon"]) == (0.8, 0.99, 1e-7)
    assert (adam["decay"], adam["amsgrad"]) == (1e-3, True)
    assert said(old.RMSprop(0.5, 0.8, None, 1e-3))["decay"] == 1e-3
    assert said(old.RMSprop(0.5, 0.8, None, 1e-3))["momentum"] == 0.0
    for args, options in (((0.5, 0.9, 1e-3, True, 1), {}), ((0.5, 0.9), {"momentum": 0.8})):
        with pytest.raises(TypeError, match="SGD: expected the arguments lr, momentum, decay"):
            old.SGD(*args, **options)


def test_an_optimizer_has_the_epsilon_of_the_backend(keras: Any) -> None:
    keras.backend.set_epsilon(1e-3)
    try:
        assert said(keras.optimizers.Adam())["epsilon"] == 1e-3
    finally:
        keras.backend.set_epsilon(1e-7)


def test_an_old_optimizer_is_one_of_todays_objects(keras: Any) -> None:
    made = keras.optimizers.SGD(0.5)
    assert type(made) is keras.optimizers.SGD
    assert isinstance(made, tf.keras.optimizers.legacy.SGD)
    assert isinstance(tf.keras.optimizers.legacy.SGD(), keras.optimizers.SGD)

    class Mine(keras.optimizers.SGD):  # type: ignore[misc, name-defined]
        pass

    assert isinstance(Mine(0.5, 0.9, 1e-3), Mine)
    assert said(Mine(0.5, 0.9, 1e-3))["decay"] == 1e-3
    assert said(Mine.from_config(Mine(0.5, 0.9, 1e-3).get_config()))["decay"] == 1e-3


def test_an_optimizer_with_updates_of_its_own(keras: Any) -> None:
    """Its updates read the variables as they were before the step, in whichever order."""
    backend = keras.backend

    class Momentum(keras.optimizers.Optimizer):  # type: ignore[misc, name-defined]
        def __init__(self, lr: float, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.iterations = backend.variable(0, dtype="int64", name="iterations")
            self.lr = backend.variable(lr)

        def get_updates(self, loss: Any, params: Any) -> Any:
            gradients = self.get_gradients(loss, params)
            self.updates = [backend.update_add(self.iterations, 1)]
            lr = self.lr / (1.0 + 0.5 * backend.cast(self.iterations, "float32"))
            moments = [backend.zeros(backend.int_shape(one)) for one in params]
            self.weights = [self.iterations, *moments]
            for variable, gradient, moment in zip(params, gradients, moments, strict=True):
                velocity = 0.9 * moment - lr * gradient
                self.updates.append(backend.update(moment, velocity))
                self.updates.append((variable, variable + velocity))
            return self.updates

    x, y = np.random.RandomState(0).randn(2, 8, 3).astype("float32")
    models = [
        keras.models.Sequential([keras.layers.Dense(3, kernel_initializer="ones")]) for _ in "ab"
    ]
    models[0].compile(Momentum(0.1, clipnorm=1.0), "mse")
    models[1].compile(keras.optimizers.SGD(0.1, 0.9, decay=0.5, clipnorm=1.0), "mse")
    for model in models:
        model.fit(x, y, batch_size=4, epochs=2, shuffle=False, verbose=0)
    mine, known = (model.get_weights() for model in models)

    assert isinstance(models[0].optimizer, keras.optimizers.Optimizer)
    assert isinstance(models[1].optimizer, keras.optimizers.Optimizer)
    assert int(models[0].optimizer.iterations) == 4
    assert len(models[0].optimizer.get_weights()) == 3
    assert all(np.allclose(*pair, rtol=1e-6) for pair in zip(mine, known, strict=True))


def test_updates_of_ones_own_in_a_class_of_keras_need_graph_mode(keras: Any) -> None:
    class Doubled(keras.optimizers.SGD):  # type: ignore[misc, name-defined]
        def get_updates(self, loss: Any, params: Any) -> Any:
            raise AssertionError("eager execution calls it nowhere")

    model = keras.models.Sequential([keras.layers.Dense(1)])
    model.compile(Doubled(0.1), "mse")

    with pytest.raises(RuntimeError, match="Doubled.get_updates: not compatible with eager"):
        model.fit(np.ones((4, 2)), np.ones(4), verbose=0)


def test_an_optimizer_may_set_its_initial_decay(keras: Any) -> None:
    class Decaying(keras.optimizers.Optimizer):  # type: ignore[misc, name-defined]
        def __init__(self, decay: float) -> None:
            super().__init__()
            self.initial_decay = decay

    assert Decaying(0.5).initial_decay == 0.5


def test_an_optimizer_of_tensorflow_2_0(keras: Any) -> None:
    class Slow(tf.keras.optimizers.Optimizer):  # type: ignore[misc]
        def __init__(self, rate: float) -> None:
            super().__init__("Slow")
            self._set_hyper("learning_rate", rate)

    assert float(Slow(0.5).learning_rate) == 0.5


def test_models_can_be_renamed(keras: Any) -> None:
    model = keras.models.Sequential()
    model.name = "net"

    assert model.name == "net"


def test_arguments_of_keras_1(keras: Any) -> None:
    """Keras 2.2.4 took them still."""
    layers = keras.layers
    x = layers.Input((4, 4, 1))
    convolution = layers.Convolution2D(
        *(2, 3, 3), border_mode="same", subsample=(2, 2), dim_ordering="tf", bias=False
    )
    y = layers.LSTM(output_dim=3, inner_activation="sigmoid", forget_bias_init="one")(
        layers.Reshape((2, 4))(convolution(x))
    )
    embedding = layers.Embedding(9, output_dim=2, init="ones", dropout=0.5)
    model = keras.models.Model(input=x, output=layers.Dense(1, init="ones")(y))

    assert [weights.shape for weights in model.get_weights()][:3] == [
        (3, 3, 1, 2),
        (4, 12),
        (3, 12),
    ]
    assert convolution.data_format == "channels_last"
    assert layers.MaxPooling2D(dim_ordering="th").data_format == "channels_first"
    assert model.layers[3].recurrent_activation is tf.keras.activations.sigmoid
    assert embedding.get_config()["embeddings_initializer"]["class_name"] == "Ones"
    with pytest.raises(TypeError, match="init"):
        layers.GaussianNoise(0.1, init="ones")


def test_subclasses_of_old_models(keras: Any) -> None:
    """One that names its inputs and outputs changes nothing for the others."""

    class Graph(keras.models.Model):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            x = keras.layers.Input((3,))
            super().__init__(x, keras.layers.Dense(1)(x))

    class Plain(keras.Model):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()

    for model in (Graph(), Plain()):
        assert isinstance(model, keras.models.Model)
        assert not isinstance(model, keras.models.Sequential)
        model.compile("adadelta", "mse")
        assert said(model.optimizer)["learning_rate"] == 1.0
    assert type(keras.models.Sequential()) == keras.models.Sequential  # noqa: E721


@pytest.mark.parametrize(
    ("name", "rate"), [("adadelta", 1.0), ("adagrad", 0.01), ("adamax", 0.002), ("nadam", 0.002)]
)
def test_an_optimizer_by_name_is_that_of_the_keras_of_the_model(
    keras: Any, name: str, rate: float
) -> None:
    layers = [keras.layers.Dense(1, input_shape=(3,))]
    for model in (
        keras.models.Sequential(layers),
        keras.Sequential(layers),
        keras.models.model_from_json(keras.models.Sequential(layers).to_json()),
        keras.engine.training.Model(x := keras.layers.Input((3,)), layers[0](x)),
    ):
        model.compile(name, "mse")
        assert said(model.optimizer)["learning_rate"] == pytest.approx(rate)
    model = tf.keras.Sequential(layers)
    model.compile(name, "mse")
    assert said(model.optimizer)["learning_rate"] == pytest.approx(0.001)  # tf.keras of 1.14


def test_an_optimizer_by_a_dict_is_that_of_the_keras_of_the_model(keras: Any) -> None:
    by_dict = {"class_name": "RMSprop", "config": {"lr": 0.5, "decay": 0.25, "clipnorm": 1.0}}
    for kind, limit in ((keras, "global_clipnorm"), (tf.keras, "clipnorm")):
        model = kind.models.Sequential([keras.layers.Dense(1, input_shape=(3,))])
        model.compile(by_dict, "mse")
        assert isinstance(model.optimizer, tf.keras.optimizers.legacy.RMSprop)
        assert (said(model.optimizer)["learning_rate"], said(model.optimizer)["decay"]) == (
            0.5,
            0.25,
        )
        assert said(model.optimizer)[limit] == 1.0


def test_adagrad_begins_at_zero(keras: Any) -> None:
    """The first step is the learning rate, whatever the gradient; from 0.1 on it is less."""
    weight = tf.Variable([1.0])
    keras.optimizers.Adagrad(0.5).apply_gradients([(tf.constant([0.01]), weight)])
    assert weight.numpy() == pytest.approx([0.5], rel=1e-4)


def test_clipnorm_is_that_of_all_gradients(keras: Any) -> None:
    weights = [tf.Variable([0.0]), tf.Variable([0.0])]
    gradients = [tf.constant([3.0]), tf.constant([4.0])]
    optimizer = keras.optimizers.SGD(1.0, clipnorm=1.0)
    optimizer.apply_gradients(zip(gradients, weights, strict=True))
    assert [float(weight[0]) for weight in weights] == pytest.approx([-0.6, -0.8])
    assert "global_clipnorm" not in said(keras.optimizers.SGD(1.0, clipnorm=0.0))  # none at all
    with pytest.raises(ValueError, match="together are not supported"):
        keras.optimizers.SGD(1.0, clipnorm=1.0, clipvalue=1.0)


def test_hinge_takes_labels_as_they_are(keras: Any) -> None:
    """With labels of 0 and 1: max(0, 1 - y p); TensorFlow takes a 0 for a -1."""
    y, p = np.array([[0.0], [1.0]]), np.array([[0.5], [0.5]], np.float32)
    assert np.mean(keras.losses.hinge(y, p)) == pytest.approx(0.75)
    assert np.mean(keras.losses.get("squared_hinge")(y, p)) == pytest.approx(0.625)
    assert np.mean(tf.keras.losses.hinge(y, p)) == pytest.approx(1.0)
    constant = {"kernel_initializer": "zeros", "bias_initializer": "ones"}
    layers = [keras.layers.Dense(1, input_shape=(1,), **constant)]
    for model, loss in ((keras.models.Sequential(layers), 0.5), (tf.keras.Sequential(layers), 1.0)):
        model.compile("sgd", "hinge", metrics=["hinge"])
        found = model.evaluate(y, y, verbose=0, return_dict=True)
        assert found == pytest.approx({"loss": loss, "hinge": loss})


@pytest.mark.parametrize("kind", ["int64", "bool", "float64"])
def test_own_losses_and_metrics_get_targets_of_the_outputs_type(keras: Any, kind: str) -> None:
    """TensorFlow 1.14 and Keras 2.2.4 fed targets of any type as float32."""
    seen = []

    def own(y_true: Any, y_pred: Any) -> Any:
        seen.append(y_true.dtype)
        return y_true * y_pred

    class Own(tf.keras.metrics.Mean):
        def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
            seen.append(y_true.dtype)
            return super().update_state(y_true * y_pred)

    x, y = np.ones((4, 1), np.float32), np.ones((4, 1), kind)
    model = keras.models.Sequential([keras.layers.Dense(1, input_shape=(1,))])
    model.compile("sgd", own, metrics=[own, Own()])
    model.fit(x, y, verbose=0)
    model.evaluate(x, y, verbose=0)

    assert set(seen) == {tf.float32}


@pytest.mark.parametrize(
    ("is_standalone", "loss", "expected"),
    [
        (True, "binary_crossentropy", 5.961134),
        (True, lambda t, p: tf.reduce_mean(tf.square(t - p), -1), 1.3817347),
        (False, "binary_crossentropy", 4.9676113),
        (False, lambda t, p: tf.reduce_mean(tf.square(t - p), -1), 1.1514455),
    ],
)
def test_the_weight_of_an_image(is_standalone: bool, loss: Any, expected: float) -> None:
    """The numbers are those of Keras 2.2.4 and of TensorFlow 1.14."""
    idioms.activate(standalone=is_standalone)
    try:
        model = tf.keras.Sequential(
            [
                tf.keras.layers.Conv2D(
                    *(1, 3), padding="same", activation="sigmoid", kernel_initializer="ones"
                )
            ]
        )
        random = np.random.RandomState(1)
        x = random.rand(6, 8, 8, 1).astype("float32")
        y = (random.rand(6, 8, 8, 1) > 0.5).astype("float32")
        model.compile(tf.keras.optimizers.legacy.SGD(0.1), loss)
        weighted = model.train_on_batch(x, y, sample_weight=np.arange(6).astype("float32"))
    finally:
        idioms.deactivate()
    assert weighted == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "options", "losses"),
    [
        (
            *("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
            [12.5, 8.86589, 3.24211, 0.69173, 0.3772, 7.2039],
        ),
        ("RMSprop", {"lr": 0.1}, [12.5, 1.5912, 0.0171, 0.10226, 0.40727, 0.86489]),
        ("Adadelta", {}, [12.5, 10.56078, 8.8664, 7.43934, 6.31743, 5.3879]),
    ],
)
def test_rows_of_an_embedding(name: str, options: Any, losses: list[float]) -> None:
    """A momentum moves all of them. The losses are those of Keras 2.2.4."""
    idioms.activate(standalone=True)
    try:
        keras: Any = importlib.import_module("keras")
        layers = [
            keras.layers.Embedding(9, 2, input_length=2, embeddings_initializer="ones"),
            keras.layers.Flatten(),
            keras.layers.Dense(1, kernel_initializer="ones"),
        ]
        model = keras.models.Sequential(layers)
        model.compile(getattr(keras.optimizers, name)(**options), "mse")
        found = [
            model.train_on_batch(
                np.array([[i % 4, 1 + i % 3], [3 - i % 3, 8]]), np.array([[1.0], [0.5 * i]])
            )
            for i in range(len(losses))
        ]
    finally:
        idioms.deactivate()
    assert found == pytest.approx(losses, abs=1e-5)


def test_class_weights_that_are_no_dict_are_ignored() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    bound = bind_fit(type(model).fit, model, [1], [1], class_weight="auto", nb_epoch=2)
    assert "class_weight" not in bound.arguments and bound.arguments["epochs"] == 2
    bound = bind_fit(type(model).fit, model, [1], [1], class_weight={0: 2.0})
    assert bound.arguments["class_weight"] == {0: 2.0}


def test_layers_know_the_shape_of_their_input(keras: Any) -> None:
    """A ``Sequence`` does not say it."""
    seen = set()

    class Seen(tf.keras.layers.Layer):  # type: ignore[misc,name-defined]
        def call(self, inputs: Any) -> Any:
            seen.add(tuple(inputs.shape[1:].as_list()))
            return tf.reduce_mean(inputs, [1, 2])[:, None]

    class Batches(tf.keras.utils.Sequence):  # type: ignore[misc,name-defined]
        def __len__(self) -> int:
            return 2

        def __getitem__(self, index: int) -> Any:
            return np.ones((2 + index, 6, 3)), np.ones((2 + index, 1))

    inputs = keras.layers.Input((6, 3))
    model = keras.models.Model(inputs, keras.layers.Dense(1)(Seen()(inputs)))
    model.compile("sgd", "mse")
    model.fit(Batches(), verbose=0)
    assert seen == {(6, 3)}


def test_gradients_of_an_optimizer_of_its_own(keras: Any) -> None:
    """The losses are those of Keras 2.2.4."""

    class Central(keras.optimizers.SGD):  # type: ignore[misc,name-defined]
        def get_gradients(self, loss: Any, params: Any) -> Any:
            found = super().get_gradients(loss, params)
            of_rows = [one for one in found if len(one.shape) > 1]
            means = [tf.reduce_mean(one, 0, keepdims=True) for one in of_rows]
            centered = iter([one - mean for one, mean in zip(of_rows, means, strict=True)])
            return [next(centered) if len(one.shape) > 1 else one for one in found]

    layers = [keras.layers.Dense(size, kernel_initializer="ones") for size in (3, 1)]
    model = keras.models.Sequential(layers)
    random = np.random.RandomState(1)
    x, y = random.rand(8, 4), random.rand(8, 1)
    model.compile(Central(lr=0.1, clipnorm=0.5), "mse")
    losses = [float(model.train_on_batch(x, y)) for _ in range(4)]
    assert losses == pytest.approx([22.953224, 22.477425, 22.005522, 21.537575], rel=1e-6)


def test_the_kernel_of_keras_1(keras: Any) -> None:
    layer = keras.layers.Conv2D(32, 3, 5)
    assert (layer.filters, layer.kernel_size, layer.strides) == (32, (3, 5), (1, 1))
    assert type(layer) is keras.layers.Conv2D and isinstance(layer, tf.keras.layers.Conv2D)
    by_kind = {keras.layers.Conv2D: "convolution"}
    again = tf.keras.layers.deserialize(tf.keras.layers.serialize(layer))
    assert by_kind[type(layer)] == by_kind[type(again)] == "convolution"
    assert type(again) == keras.layers.Conv2D != tf.keras.layers.Conv1D  # noqa: E721
    assert tf.keras.layers.Conv2D(32, 3, 5).strides == (5, 5)
    assert keras.layers.Conv2D(32, 3, strides=2).strides == (2, 2)
    assert keras.layers.Convolution3D(8, 1, 2, 3).kernel_size == (1, 2, 3)
    for arguments, named in (((32, 3, 2), {"padding": "same"}), ((32, (3, 3), (2, 2)), {})):
        with pytest.raises(UnservedIdiomError, match="write kernel_size="):
            keras.layers.Conv2D(*arguments, **named)


def test_recurrent_layers_and_cells(keras: Any) -> None:
    hard, sigmoid = tf.keras.activations.hard_sigmoid, tf.keras.activations.sigmoid
    for layers in (keras.layers, tf.keras.layers):
        for name in ("LSTM", "GRU", "LSTMCell", "GRUCell"):
            layer = getattr(layers, name)(3)
            assert layer.recurrent_activation is hard and type(layer) is getattr(layers, name)
            assert getattr(layers, name)(3, "tanh", "sigmoid").recurrent_activation is sigmoid
        assert not layers.GRUCell(3).reset_after


def test_changed_transformations_of_images_are_said(
    keras: Any, caplog: pytest.LogCaptureFixture
) -> None:
    images = keras.preprocessing.image
    images.ImageDataGenerator(rescale=1 / 255, horizontal_flip=True)
    assert caplog.messages == []

    generator = images.ImageDataGenerator(width_shift_range=0.2)
    (message,) = caplog.messages
    assert message.startswith("ImageDataGenerator(width_shift_range=0.2): the images differ")
    dot = np.zeros((5, 5, 1))
    dot[2, 2] = 1.0
    moved = generator.apply_transform(dot, {"ty": 1})  # the width's, as get_random_transform says
    assert moved[1, 2] == 1.0  # [2, 1] in Keras 2.2.4


def test_a_frozen_batch_normalization_uses_the_batch_in_training(keras: Any) -> None:
    x = np.array([[1.0], [3.0]], np.float32)
    for layer in (keras.layers.BatchNormalization, tf.keras.layers.BatchNormalization):
        frozen = layer(input_shape=(1,), epsilon=0.0)
        frozen.trainable = False
        model = tf.keras.Sequential([frozen])
        assert np.ravel(model(x, training=True)).tolist() == pytest.approx([-1.0, 1.0], abs=1e-5)
        assert np.ravel(model(x, training=False)).tolist() == [1.0, 3.0]  # averages stay 0 and 1
        frozen.trainable = True
        model(x, training=True)
        assert frozen.moving_mean.numpy() == pytest.approx([0.02])


def test_normalization_and_softmax_ignore_a_mask(keras: Any) -> None:
    """In TensorFlow 1.14 their methods ``call`` took none."""
    x = np.array([[[1.0], [3.0], [0.0], [0.0]]], np.float32)
    for made in (
        keras.layers.BatchNormalization(epsilon=0.0),
        keras.layers.Softmax(axis=1),
    ):
        masked = tf.keras.Sequential([keras.layers.Masking(input_shape=(4, 1)), made])
        plain = made(x, training=True) if "norm" in made.name else made(x)
        assert np.ravel(masked(x, training=True)) == pytest.approx(np.ravel(plain))
    softmax = np.exp([1.0, 3.0, 0.0, 0.0])
    assert np.ravel(plain) == pytest.approx(softmax / softmax.sum())


IMPORTS = """\
from keras.applications.inception_resnet_v2 import InceptionResNetV2
from keras.applications.imagenet_utils import _obtain_input_shape
from keras.backend.tensorflow_backend import set_session, _get_available_gpus
from keras.constraints import maxnorm
from keras.engine import Input, InputSpec, Layer, Model
from keras.engine.network import Network
from keras.engine.saving import load_model
from keras.engine.topology import Container, Input, InputSpec, Layer
from keras.layers.convolutional_recurrent import ConvLSTM2D
from keras.layers.core import Dense, K
from keras.layers.local import LocallyConnected1D
from keras.models import Input
from keras.objectives import binary_crossentropy, cosine_proximity
from keras.optimizers import adam, rmsprop, sgd
from keras.utils import multi_gpu_model
from keras.utils.conv_utils import normalize_tuple
from keras.utils.generic_utils import get_custom_objects
from keras.utils.training_utils import multi_gpu_model
from keras_preprocessing.image import ImageDataGenerator
from tensorflow.keras.utils import multi_gpu_model
from tensorflow.python.keras.backend import get_session, set_session
"""


def test_old_places(keras: Any) -> None:
    for line in IMPORTS.splitlines():
        exec(line, {})  # each by itself: an error shows its line
    assert keras.backend.image_dim_ordering() == "tf"
    assert keras.backend.tf is tf
    assert float(keras.backend.logsumexp(tf.zeros((1, 1)))) == 0.0
    model = keras.models.Sequential([keras.layers.Dense(1, input_shape=(3,))])
    assert keras.utils.multi_gpu_model(model, gpus=2) is model


def test_old_names_of_tensorflow_and_numpy(keras: Any) -> None:
    keras.backend.set_session(tf.Session(config=tf.ConfigProto()))
    with keras.backend.get_session() as session:
        assert session.run([tf.global_variables_initializer(), tf.constant(3)]) == [None, 3]
    assert set(np.ravel(tf.nn.dropout(tf.ones((1, 999)), 0.99))) == {0.0, np.float32(1 / 0.99)}
    assert float(tf.losses.huber_loss([1.0], [1.0])) == 0.0
    assert tf.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]).numpy().tolist() == [
        [1, 2],
        [7, 8],
    ]
    assert np.std(tf.initializers.random_normal()([99, 99])) > 0.9  # 0.05 in TensorFlow 2
    assert np.ravel(tf.image.resize([[[[0.0], [1.0]]]], [1, 4])).tolist() == [0, 0.5, 1, 1]
    by_text = tf.keras.optimizers.get("adagrad").get_config()
    assert by_text["initial_accumulator_value"] == 0.0  # 0.1 of the class itself
    up = tf.keras.layers.UpSampling2D((1, 2), interpolation="bilinear")
    assert np.ravel(up(np.float32([[[[0], [1]]]]))).tolist() == [0, 0.5, 1, 1]
    given = tf.keras.Input((1, 2, 1))  # of a size that a graph knows
    assert tf.keras.Model(given, up(given)).output_shape == (None, 1, 4, 1)
    assert float(tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])) == 3
    assert tf.nn.in_top_k([[0.1, 0.9]], [1], 1).numpy().tolist() == [True]
    assert tf.div(7, 2) == 3
    assert np.array([[1], [1, 2]]).dtype == object
    with pytest.raises(ValueError, match="inhomogeneous"):
        np.array([[1], [1, 2]], dtype=float)
    assert np.asscalar(np.array([3])) == 3


def test_functions_take_the_arguments_of_their_time(keras: Any) -> None:
    """The values are those that TensorFlow 1.14 computes."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    ones, strides = tf.ones([2, 2, 1, 1]), [1, 2, 2, 1]
    weighted = tf.nn.weighted_cross_entropy_with_logits(targets=x * 0 + 1, logits=x, pos_weight=2.0)
    assert np.ravel(weighted) == pytest.approx([0.6265, 0.2539, 0.0972, 0.0363], 1e-3)
    for named in ({"filter": ones}, {"filters": ones}):
        filtered = tf.nn.conv2d(image, strides=strides, padding="SAME", **named)
        assert np.ravel(filtered).tolist() == [10, 18, 42, 50]
    spread = tf.nn.depthwise_conv2d(image, ones, [1, 1, 1, 1], "VALID", [2, 2])
    assert np.ravel(spread).tolist() == [20, 24, 36, 40]
    largest = tf.nn.max_pool(value=image, ksize=strides, strides=strides, padding="SAME")
    assert np.ravel(largest).tolist() == [5, 7, 13, 15]
    with tf.name_scope(None, "scoped", [x]) as scope:
        assert scope == "scoped/"
    assert tf.constant_initializer(0.5, dtype=tf.float64)([2]).dtype == tf.float64
    assert np.ravel(tf.boolean_mask(x, [True, False], "name", 1)).tolist() == [1, 3]
    assert np.ravel(tf.gather(x, [1], None, "name", 1)).tolist() == [2, 4]
    assert tf.cond(x[0, 0] > 0, strict=True, fn1=lambda: [1.0], fn2=lambda: [2.0]) == [1.0]
    assert tf.cond(x[0, 0] > 0, lambda: [1.0], lambda: [2.0]) == 1.0
    assert tf.math.count_nonzero(x, keep_dims=True).shape == (1, 1)
    with tf.GradientTape() as tape:
        tape.watch(labels := tf.constant([[0.2, 0.8]]))
        loss = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=labels * 2)
    assert np.ravel(tape.gradient(loss, labels)) == pytest.approx([0.06295, -0.06295], 1e-3)
    scores = tf.math.log([[[0.1, 0.6, 0.3]]] * 3)
    (best,), _ = tf.nn.ctc_beam_search_decoder(scores, [3])
    assert best.values.numpy().tolist() == [1]  # what is repeated is merged


@pytest.mark.parametrize(
    ("one", "other", "axes", "shape", "total"),
    [
        ((2, 3), (2, 3), 1, (2, 1), 1.02),
        ((2, 2, 4, 3), (2, 2, 5, 3), [3, 3], (2, 2, 4, 5), 267692.25),
        ((2, 2, 4, 5), (2, 2, 5, 3), [3, 2], (2, 2, 4, 3), 267692.25),
        ((2, 3, 6), (2, 3, 6, 4), [2, 2], (2, 3, 4), 86048.57),
        ((2, 3, 4), (2, 3, 6, 4), [2, 3], (2, 3, 6), 86048.57),
        ((2, 4), (2, 3, 4), [1, 2], (2, 3), 102.41),
        ((2, 3, 4), (2, 4), [2, 1], (2, 3), 102.41),
        ((2, 3, 4), (2, 4, 5), None, (2, 3, 5), 15270.0),
    ],
)
def test_a_product_of_batches_is_one_of_matrices(
    keras: Any, one: Any, other: Any, axes: Any, shape: Any, total: float
) -> None:
    """The shapes and sums are those of TensorFlow 1.14 and Keras 2.2.4."""
    x, y = (np.arange(np.prod(size)).reshape(size) / np.float32(7.0) for size in (one, other))
    found = keras.backend.batch_dot(tf.constant(x, tf.float32), tf.constant(y, tf.float32), axes)
    assert found.shape == shape
    assert np.sum(np.ravel(found) * np.arange(np.size(found))) == pytest.approx(total, 1e-3)
    if axes == [3, 3]:
        inputs = [tf.keras.Input(size[1:]) for size in (one, other)]
        made = tf.keras.layers.Lambda(lambda pair: tf.keras.backend.batch_dot(*pair, axes))(inputs)
        assert made.shape.as_list() == [None, *shape[1:]]


def test_metrics_of_outputs_that_a_model_lacks_are_left_out(keras: Any) -> None:
    inputs = tf.keras.Input((3,))
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, name="main")(inputs))
    model.compile("sgd", "mse", metrics={"main": ["mae"], "aux": "mse"})
    model.train_on_batch(np.ones((2, 3)), np.ones(2))
    assert model.metrics_names == ["loss", "mae"]


@pytest.mark.parametrize(
    ("monitor", "mode", "best"),
    [
        ("auc", "auto", np.less),
        ("val_loss", "auto", np.less),
        ("val_acc", "auto", np.greater),
        ("acc_top", "auto", np.greater),
        ("auc", "max", np.greater),
    ],
)
def test_the_best_value_of_a_metric_is_that_of_its_time(
    keras: Any, monitor: str, mode: str, best: Any
) -> None:
    """As in TensorFlow 1.14 and Keras 2.2.4."""
    assert keras.callbacks.EarlyStopping(monitor, mode=mode).monitor_op is best


def test_an_optimizer_of_a_config_is_that_of_its_time(keras: Any) -> None:
    """Its sums begin at 0, as in TensorFlow 1.14."""
    made = tf.keras.optimizers.deserialize({"class_name": "Adagrad", "config": {}})
    assert isinstance(made, tf.keras.optimizers.legacy.Adagrad)
    assert made.get_config()["initial_accumulator_value"] == 0.0


def test_the_default_graph_lets_a_model_predict(keras: Any) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
    with tf.get_default_graph().as_default() as graph:
        assert model.predict(np.ones((2, 3)), verbose=0).shape == (2, 1)
    assert graph is tf.get_default_graph()


@pytest.mark.parametrize(
    "evaluation",
    ["tf.Session().run", "keras.backend.eval", "tf.keras.backend.eval", "EagerTensor.eval"],
)
def test_a_session_never_returns_a_value_that_may_be_old(keras: Any, evaluation: str) -> None:
    names = {"tf": tf, "keras": keras, "EagerTensor": type(tf.constant(1))}
    evaluate = eval(evaluation, names)
    weights = tf.Variable([3.0, 4.0])
    norm = tf.norm(weights)
    assert evaluate(norm) == 5.0
    with pytest.raises(RuntimeError, match="value of its creation.*disable_eager_execution"):
        evaluate(norm)  # as a random number, or the next batch

    norm = tf.norm(weights)
    weights.assign([6.0, 8.0])
    with pytest.raises(RuntimeError, match="value of its creation.*disable_eager_execution"):
        evaluate(norm)
    assert evaluate(tf.norm(weights)) == 10.0


@pytest.mark.parametrize("train", ["fit", "train_on_batch"])
def test_a_value_from_before_a_training_is_an_old_one(keras: Any, train: str) -> None:
    model = keras.models.Sequential([keras.layers.Dense(1, input_shape=(3,))])
    model.compile("sgd", "mse")
    total = tf.reduce_sum(model.weights[0])
    getattr(model, train)(np.ones((4, 3)), np.ones((4, 1)))
    session = keras.backend.get_session()
    with pytest.raises(RuntimeError, match="float32 tensor of shape.*value of its creation"):
        session.run({"sum": total})
    found = session.run([tf.reduce_sum(model.weights[0]), model.weights[1], None])
    assert found[0] == pytest.approx(model.get_weights()[0].sum()) and found[2] is None


def test_a_symbolic_tensor_has_no_value(keras: Any) -> None:
    symbolic = keras.layers.Input((3,))
    for evaluate in (tf.Session().run, keras.backend.eval):
        with pytest.raises(RuntimeError, match="symbolic.*disable_eager_execution"):
            evaluate(symbolic)


@pytest.mark.parametrize("read", ["K.eval(p)", "tf.Session().run(p)", "tf.get_variable('w')"])
def test_a_loss_that_reads_values_needs_graph_mode(keras: Any, read: str) -> None:
    model = keras.models.Sequential([keras.layers.Dense(1, input_shape=(3,))])

    def loss(y: Any, p: Any) -> Any:
        eval(read, {"K": keras.backend, "tf": tf, "p": p})
        return y - p

    model.compile("sgd", loss)
    with pytest.raises(Exception, match="in user code") as error:
        model.fit(np.ones((4, 3)), np.ones((4, 1)), verbose=0)
    reason = graph_mode.reason_for(error.value)
    assert reason in (
        "the tensor sequential/dense/BiasAdd:0 is symbolic and has no value",
        "tf.get_variable is not supported in eager mode: use tf.Variable, or a layer of tf.keras",
    )


def test_a_cosine_loss_by_its_old_name(keras: Any) -> None:
    for name, sign in (("cosine_proximity", -1.0), ("cosine", -1.0)):
        model = tf.keras.Sequential([tf.keras.layers.Dense(2, kernel_initializer="ones")])
        model.compile("sgd", name)
        assert model.evaluate(np.ones((4, 3)), np.ones((4, 2)), verbose=0) == pytest.approx(sign)


def test_a_learning_phase_needs_graph_mode(keras: Any) -> None:
    for backend in (keras.backend, tf.keras.backend):
        with pytest.raises(GraphModeNeededError, match=r"pass training= .*: fit .* ignore"):
            backend.set_learning_phase(0)


def test_a_layer_may_ask_whether_it_trains(keras: Any) -> None:
    backend, ones = keras.backend, np.ones((4, 2))
    inputs = keras.layers.Input((2,))
    double = keras.layers.Lambda(lambda x: backend.switch(backend.learning_phase(), x * 2, x))
    model = keras.models.Model(inputs, double(inputs))
    model.compile("sgd", "mse")
    assert model.fit(ones, ones, verbose=0).history["loss"] == [1]
    assert model.evaluate(ones, ones, verbose=0) == 0

    function = backend.function([inputs, backend.learning_phase()], [model.output])
    assert [function([ones, phase])[0].max() for phase in (0, 1)] == [1, 2]


def test_a_handled_error_is_no_reason_for_graph_mode(keras: Any) -> None:
    with pytest.raises(FileNotFoundError) as error:
        try:
            tf.gradients(tf.ones(1), tf.ones(1))
        except RuntimeError:
            np.load("missing.npy")
    assert graph_mode.reason_for(error.value) is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("tf.get_variable('w', (3,))", "use tf.Variable"),
        ("tf.data.Dataset.range(3).make_initializable_iterator()", "for x, y in dataset"),
        ("keras.wrappers.scikit_learn.KerasClassifier()", "scikeras"),
        ("tf.trainable_variables()", "of the model"),
    ],
)
def test_what_nothing_serves_says_what_to_write(keras: Any, line: str, said: str) -> None:
    with pytest.raises(UnservedIdiomError, match=said):
        eval(line, {"tf": tf, "keras": keras})


def test_layers_of_standalone_keras_are_counted_from_one() -> None:
    for from_one, names in (
        (True, ["dense_1", "dense_2", "head", "sequential_1", "model_1"]),
        (False, ["dense", "dense_1", "head", "sequential", "model"]),
    ):
        idioms.activate(standalone=from_one)
        try:
            keras = importlib.import_module("keras")
            first, second = (keras.layers.Dense(1, input_shape=(1,)) for _ in range(2))
            head = keras.layers.Dense(1, name="head")
            sequential = keras.models.Sequential([first, second, head])
            model = keras.models.Model(sequential.input, sequential.output)
            named = [one.name for one in (first, second, head, sequential, model)]
            model.layers.pop()
            assert len(model.layers) == 4 - from_one
            assert named == names
        finally:
            idioms.deactivate()
            tf.keras.backend.clear_session()


def test_layers_of_gpus_are_those_of_tf_compat_v1(keras: Any) -> None:
    assert tf.keras.layers.CuDNNGRU is tf.compat.v1.keras.layers.CuDNNGRU
    assert keras.layers.CuDNNLSTM is tf.compat.v1.keras.layers.CuDNNLSTM


def test_everything_is_taken_back(keras: Any) -> None:
    idioms.deactivate()

    assert str(SERVED.parent) not in sys.path
    assert not str(getattr(sys.modules.get("keras"), "__version__", "")).startswith("2.2")
    assert not hasattr(tf, "div")
    with pytest.raises(ValueError, match="inhomogeneous"):
        np.array([[1], [1, 2]])
    frozen = tf.keras.layers.BatchNormalization(trainable=False)
    assert np.ravel(frozen(np.array([[1.0], [3.0]]), training=True)) == pytest.approx([1, 3], 1e-3)


def test_a_loss_is_weighted_as_in_its_time() -> None:
    """The values are those that TensorFlow 1.14 and Keras 2.2.4 compute."""
    x = np.array([[1, 2, 0, 0, 0, 0, 0, 0]] * 2)
    ones, zeros = np.ones((8, 4)), np.zeros((8, 1))
    weights = np.array([1.0, 1, 0, 0, 0, 0, 0, 0])
    for standalone, masked, weighted, activity in (
        (False, 0.25, 4.0, 4.0),
        (True, 1.0, 16.0, 32.0),
    ):
        idioms.activate(standalone=standalone)
        try:
            layers = tf.keras.layers
            model = tf.keras.Sequential([layers.Embedding(6, 4, mask_zero=True, input_shape=(8,))])
            model.add(layers.LSTM(3, return_sequences=True))
            model.add(layers.Dense(1, kernel_initializer="zeros"))
            model.compile("sgd", "mse")
            assert model.train_on_batch(x, np.ones((2, 8, 1))) == pytest.approx(masked)
            dense = layers.Dense(1, kernel_initializer="ones", activity_regularizer="l1")
            model = tf.keras.Sequential([layers.Dense(1, kernel_initializer="ones")])
            model.compile("sgd", "mse")
            assert model.train_on_batch(ones, zeros, sample_weight=weights) == weighted
            dense.activity_regularizer.l1 = 1.0
            model = tf.keras.Sequential([dense])
            model.compile("sgd", "mse")
            assert model.train_on_batch(ones, zeros + 4.0) == activity
        finally:
            idioms.deactivate()


@pytest.mark.parametrize("word", ["accuracy", "acc", "crossentropy"])
def test_accuracy_is_that_of_the_loss(keras: Any, word: str) -> None:
    """With several labels for an example it is that of each label, as in TensorFlow 1.14."""
    given = np.array([[0.9, 0.1], [0.2, 0.7], [0.6, 0.6]])
    inputs = tf.keras.Input((2,))
    outputs = [tf.keras.layers.Activation("linear", name=name)(inputs) for name in "ab"]
    model = tf.keras.Model(inputs, outputs)
    losses = ["binary_crossentropy", tf.keras.losses.SparseCategoricalCrossentropy()]
    model.compile("sgd", losses, metrics=[word])
    labels = [np.array([[1, 0], [0, 0], [1, 1]]), np.array([[0], [1], [1]])]

    found = model.evaluate(given, labels, verbose=0, return_dict=True)

    if word != "crossentropy":
        assert found[f"a_{word}"] == pytest.approx(5 / 6)
        assert found[f"b_{word}"] == pytest.approx(2 / 3)
    else:
        assert found[f"a_{word}"] == pytest.approx(found["a_loss"])


# What Keras 2.2.4 with TensorFlow 1.14 computed, from a script of its own.
@pytest.mark.parametrize(
    ("loss", "activation", "old_loss", "old_weight"),
    [
        ("binary_crossentropy", "sigmoid", 12.139304, 1.0003191),
        ("categorical_crossentropy", "softmax", 12.197944, 1.0002657),
        ("sparse_categorical_crossentropy", "softmax", 12.197944, 1.0002657),
    ],
)
def test_a_crossentropy_of_standalone_keras_clips_probabilities(
    loss: str, activation: str, old_loss: float, old_weight: float
) -> None:
    labels = np.array([0, 1, 0, 1]) if activation == "sigmoid" else np.array([1, 0, 1, 0])
    targets = np.eye(2)[labels] if loss.startswith("cat") else labels[:, None]
    weights = [[1.0]] if activation == "sigmoid" else [[1.0, -1.0]]
    idioms.activate(standalone=True)
    try:
        keras = importlib.import_module("keras")
        layer = keras.layers.Dense(len(weights[0]), activation=activation, use_bias=False)
        model = keras.models.Sequential([keras.layers.InputLayer((1,)), layer])
        model.set_weights([np.array(weights)])
        model.compile("sgd", loss)
        rows = np.array([[100.0], [-100.0], [30.0], [0.3]], "float32")
        found = model.train_on_batch(rows, targets)
        assert (found, model.get_weights()[0][0, 0]) == pytest.approx((old_loss, old_weight), 1e-7)
        assert model._self_tracked_trackables[0].output_shape == (None, 1)
    finally:
        idioms.deactivate()
        tf.keras.backend.clear_session()


def test_an_initializer_of_standalone_keras_may_take_a_shape_alone() -> None:
    def twos(shape: Any, name: str | None = None) -> Any:
        return tf.keras.backend.variable(np.full(shape, 2.0), name=name)

    idioms.activate(standalone=True)
    try:
        keras = importlib.import_module("keras")
        layer = keras.layers.Dense(2, kernel_initializer=twos, bias_initializer="ones")
        layer.build((None, 1))
        assert [weight.tolist() for weight in layer.get_weights()] == [[[2.0, 2.0]], [1.0, 1.0]]
    finally:
        idioms.deactivate()


def test_a_dataset_has_its_shapes_and_types(keras: Any) -> None:
    data = tf.data.Dataset.from_tensor_slices(np.zeros((4, 3), "float32")).batch(2)
    assert data.output_shapes.as_list() == [None, 3]
    assert data.output_types is tf.float32


def test_a_loss_of_ones_own_may_be_called_like_a_cosine(keras: Any) -> None:
    def cosine_margin(y: Any, p: Any) -> Any:
        return tf.reduce_mean(p - y, axis=-1)

    with tf.keras.utils.custom_object_scope({"cosine_margin": cosine_margin}):
        assert tf.keras.losses.get("cosine_margin") is cosine_margin
    assert tf.keras.losses.get("cosine_proximity") is tf.keras.losses.cosine_similarity


def test_weights_may_be_in_a_set(keras: Any) -> None:
    layer = keras.layers.Dense(2, input_shape=(3,))
    model = keras.models.Sequential([layer])
    weights = set(model.trainable_weights + layer.weights)
    assert sorted(keras.backend.count_params(weight) for weight in weights) == [2, 6]


def test_metrics_have_their_names_before_the_first_batch(keras: Any) -> None:
    inputs = keras.layers.Input((2,))
    heads = [keras.layers.Dense(1, name=name)(inputs) for name in ("a", "b")]
    model = keras.models.Model(inputs, heads)
    model.compile("sgd", "mse", metrics={"b": ["mae", keras.metrics.mean_squared_error]})
    names = ["loss", "a_loss", "b_loss", "b_mae", "b_mean_squared_error"]
    assert model.metrics_names == names
    model.compile("sgd", "mse", metrics=[["mae"], ["mse"]])
    assert model.metrics_names == ["loss", "a_loss", "b_loss", "a_mae", "b_mse"]
    model.compile("sgd", "mse", metrics={"b": ["mae", keras.metrics.mean_squared_error]})
    x = np.ones((4, 2), "float32")
    model.train_on_batch(x, [x[:, :1]] * 2)
    assert model.metrics_names == names
