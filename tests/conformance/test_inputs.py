"""What batches may hold, datasets of every length, and shards (docs/semantics.md, Data loaders)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from pedl2det_runtime.data.sampler import Sampler
from pedl2det_runtime.errors import CheckFailedError, InvalidExperimentException, Pedl2DetError
from promises import promise
from training import (
    Trial,
    X,
    Y,
    building,
    by_hand,
    compiled,
    config,
    dense,
    descended,
    functional,
    run,
)

layers = tf.keras.layers
Dataset = tf.data.Dataset


def reading(training: Callable[[Any], Any], validation: Callable[[Any], Any]) -> type[Trial]:
    """A trial of one dense layer whose loaders return ``training(trial)`` and the other."""

    class Reading(building(lambda trial: compiled(trial, functional()))):  # type: ignore[misc]
        def build_training_data_loader(self) -> Any:
            self.context.configure_fit(shuffle=False)
            return training(self)

        def build_validation_data_loader(self) -> Any:
            return validation(self)

    return Reading


def arrays(trial: Any) -> Any:
    return X, Y


def batches(trial: Any) -> Any:
    return trial.context.wrap_dataset(Dataset.from_tensor_slices((X, Y))).batch(4)


class Batches(tf.keras.utils.Sequence):  # type: ignore[misc]
    """Five batches, each what ``form`` makes of its inputs and targets."""

    def __init__(self, form: Any = lambda x, y: (x, y)) -> None:
        self.form = form

    def __len__(self) -> int:
        return 5

    def __getitem__(self, index: int) -> Any:
        rows = slice(index * 4, index * 4 + 4)
        return self.form(X[rows], Y[rows])


class Named(Trial):
    """Two named inputs, two named outputs; the second is weighed away where there are weights."""

    loader: Any

    def build_model(self) -> Any:
        inputs = {"left": tf.keras.Input((1,)), "right": tf.keras.Input((2,))}
        joined = layers.Concatenate()(list(inputs.values()))
        heads = {name: dense(name=name)(joined) for name in ("one", "two")}
        return compiled(self, tf.keras.Model(inputs, heads))

    def build_training_data_loader(self) -> Any:
        self.context.configure_fit(shuffle=False)
        return self.loader

    build_validation_data_loader = build_training_data_loader


def named(x: Any, y: Any) -> Any:
    return {"left": x[:, :1], "right": x[:, 1:]}, {"one": y, "two": y}


def weighed(x: Any, y: Any) -> Any:
    ones = tf.ones_like(y[:, 0]) if tf.is_tensor(y) else np.ones(len(y), np.float32)
    return (*named(x, y), {"one": ones, "two": 0 * ones})


@promise("001:49", "batches of a Sequence or a dataset may be dicts by name, weights too")
@pytest.mark.parametrize("form", [named, weighed])
@pytest.mark.parametrize("kind", ["sequence", "dataset"])
def test_batches_by_name(kind: str, form: Any, tmp_path: Path) -> None:
    class Loaded(Named):
        @property
        def loader(self) -> Any:
            return batches(self).map(form) if kind == "dataset" else Batches(form)

    trained = run(Loaded, tmp_path)
    kernels = [trained.trial.context.model.get_layer(n).get_weights()[0] for n in ("one", "two")]
    expected = [by_hand(), by_hand() if form is named else [0, 0, 0]]
    assert [np.ravel(kernel) for kernel in kernels] == [
        pytest.approx(kernel, rel=1e-4) for kernel in expected
    ]


@promise(
    "001:46", "datasets that are endless, of unknown length, cached or wrapped last train alike"
)
@pytest.mark.parametrize(
    "make",
    [
        lambda trial: batches(trial).repeat(),
        lambda trial: batches(trial).filter(lambda x, y: True).cache().prefetch(2),
        lambda trial: trial.context.wrap_dataset(Dataset.from_tensor_slices((X, Y)).batch(4)),
        lambda trial: trial.context.wrap_dataset(
            Dataset.from_generator(
                lambda: iter(zip(X, Y, strict=True)),
                output_signature=(tf.TensorSpec((3,)), tf.TensorSpec((1,))),
            )
        ).batch(4),
    ],
)
def test_datasets(make: Any, tmp_path: Path) -> None:
    assert run(reading(make, arrays), tmp_path).kernel == pytest.approx(by_hand(), rel=1e-4)


@promise(
    "002:89", "an endless validation dataset needs validation_steps, which say how much is read"
)
def test_an_endless_validation(tmp_path: Path) -> None:
    def endless(trial: Any) -> Any:
        return batches(trial).repeat()

    with pytest.raises(InvalidExperimentException, match=r"never ends.*validation_steps"):
        run(reading(arrays, endless), tmp_path / "refused")

    def five(trial: Any) -> Any:
        trial.context.configure_fit(validation_steps=5)
        return endless(trial)

    limited, all_of_it = (
        run(reading(arrays, validation), tmp_path / validation.__name__)
        for validation in (five, arrays)
    )
    assert limited.validated() == pytest.approx(all_of_it.validated(), rel=1e-5)


@promise("001:36", "training and validation data may be of different kinds")
@pytest.mark.parametrize(
    "kinds", [(arrays, batches), (batches, lambda _: Batches()), (lambda _: Batches(), arrays)]
)
def test_kinds_of_data_mix(kinds: Any, tmp_path: Path) -> None:
    trained = run(reading(*kinds), tmp_path)
    assert trained.kernel == pytest.approx(by_hand(), rel=1e-4)
    kernel, bias = descended()
    error = (X @ kernel + bias - Y) ** 2
    assert trained.validated() == [pytest.approx(float(error.mean()), rel=1e-3)]


@promise("001:40", "arrays of integers and of float64, and targets without a second axis")
def test_types_of_arrays(tmp_path: Path) -> None:
    whole = np.arange(60).reshape(20, 3) % 7
    kernels = [
        run(reading(lambda _, data=data: data, arrays), tmp_path / str(number), config(5)).kernel
        for number, data in enumerate(
            ((whole, Y[:, 0].astype(np.float64)), (whole.astype(np.float32), Y))
        )
    ]
    assert kernels[0] == pytest.approx(kernels[1], rel=1e-6)


@promise("001:46", "ragged batches reach a model that takes them")
def test_ragged_batches(tmp_path: Path) -> None:
    words = tf.ragged.constant([[1] * (1 + number % 3) for number in range(20)], dtype=tf.int32)

    class Ragged(Trial):
        def build_model(self) -> Any:
            inputs = tf.keras.Input((None,), ragged=True, dtype="int32")
            lengths = layers.Lambda(
                lambda words: tf.cast(words.row_lengths()[:, None], tf.float32), output_shape=(1,)
            )(inputs)
            return compiled(self, tf.keras.Model(inputs, dense()(lengths)))

        def build_training_data_loader(self) -> Any:
            slices = Dataset.from_tensor_slices((words, words.row_lengths()))
            return self.context.wrap_dataset(slices).batch(4)

        build_validation_data_loader = build_training_data_loader

    trained = run(Ragged, tmp_path, config(60))
    assert trained.kernel == pytest.approx([1.0], abs=0.2)


@promise("4.5", "the length of a Sequence is read once")
def test_a_growing_sequence(tmp_path: Path) -> None:
    asked: list[int] = []

    class Growing(Batches):
        length = 3

        def __len__(self) -> int:
            return self.length

        def __getitem__(self, index: int) -> Any:
            asked.append(index)
            return super().__getitem__(index % 5)

        def on_epoch_end(self) -> None:
            self.length += 1

    given = reading(lambda _: Growing(), arrays)
    run(given, tmp_path)
    assert asked[:9] == [0, 1, 2] * 3


EMPTY = "the data set is empty|dataset is empty|too large for the input data: 0 records"


@promise("4.5", "data without a batch are refused, with one line")
@pytest.mark.parametrize(
    "make",
    [
        lambda _: type("Empty", (Batches,), {"__len__": lambda _: 0})(),
        lambda trial: batches(trial).take(0),
        lambda _: (X[:0], Y[:0]),
    ],
)
def test_empty_data(make: Any, tmp_path: Path) -> None:
    with pytest.raises(Pedl2DetError, match=EMPTY):
        run(reading(make, arrays), tmp_path)


@promise("4.5", "a Keras image iterator is a Sequence, and is augmented alike after a resume")
def test_image_iterators(tmp_path: Path) -> None:
    images = np.random.RandomState(0).rand(20, 4, 4, 1).astype(np.float32)

    class Images(Trial):
        def build_model(self) -> Any:
            model = tf.keras.Sequential([layers.Flatten(input_shape=(4, 4, 1)), dense()])
            return compiled(self, model)

        def build_training_data_loader(self) -> Any:
            augmented = tf.keras.preprocessing.image.ImageDataGenerator(horizontal_flip=True)
            return augmented.flow(images, Y, batch_size=4)

        def build_validation_data_loader(self) -> Any:
            return images, Y

    whole = run(Images, tmp_path / "whole", config(9))
    run(Images, tmp_path / "parts", config(4))
    assert run(Images, tmp_path / "parts", config(9), resume=True).weights == whole.weights


@promise("002:104", "wrap_dataset gives back what is no dataset as it is")
def test_what_is_no_dataset(tmp_path: Path) -> None:
    sequence = Batches()
    wrapped = []

    def wrap(trial: Any) -> Any:
        wrapped.append(trial.context.wrap_dataset(sequence))
        return sequence

    assert run(reading(wrap, arrays), tmp_path).kernel == pytest.approx(by_hand(), rel=1e-4)
    assert wrapped == [sequence]


@promise("4.5", "ranks read every batch of a pass once between them, in one order for all")
@pytest.mark.parametrize("shuffles", [False, True])
def test_shards(shuffles: bool) -> None:
    seed = 5 if shuffles else None
    first = [next(Sampler(7, seed, rank, 3).passes()) for rank in range(3)]
    order = np.arange(7)
    if shuffles:
        np.random.RandomState(5).shuffle(order)
    assert first == [order[rank::3].tolist() for rank in range(3)]
    with pytest.raises(CheckFailedError, match="at least as many batches as slots"):
        Sampler(2, size=3)
