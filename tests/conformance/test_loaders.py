"""Return types of data loaders, and the order of batches (docs/semantics.md)."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tensorflow as tf
from determined.keras import SequenceAdapter

from pedl2det_runtime.errors import (
    CheckFailedError,
    InvalidDataTypeException,
    InvalidExperimentException,
)
from promises import promise
from training import Trained, Trial, X, Y, by_hand, config, run

WEIGHTS = np.linspace(0.5, 1.5, 20).astype(np.float32)


def returning(make: Callable[[Any], Any], validation: Callable[[Any], Any] | None = None) -> Any:
    """A trial whose loaders return what ``make(trial)`` gives."""

    class Returning(Trial):
        def build_training_data_loader(self) -> Any:
            self.context.configure_fit(shuffle=False)
            return make(self)

        def build_validation_data_loader(self) -> Any:
            return (validation or make)(self)

    return Returning


class Rows(tf.keras.utils.Sequence):  # type: ignore[misc]
    """Five batches of four records."""

    def __init__(self, *parts: Any) -> None:
        self.parts = parts or (X, Y)
        self.asked: list[Any] = []

    def __len__(self) -> int:
        return 5

    def __getitem__(self, index: int) -> Any:
        self.asked.append(index)
        return tuple(part[index * 4 : index * 4 + 4] for part in self.parts)

    def on_epoch_end(self) -> None:
        self.asked.append("end")


@promise("001:40", "a tuple (x, y) of NumPy arrays")
def test_a_pair_of_arrays(tmp_path: Path) -> None:
    assert run(returning(lambda _: (X, Y)), tmp_path).kernel == pytest.approx(by_hand(), rel=1e-4)


@promise("001:40", "x may be array-like: a tensor, a pandas object")
@pytest.mark.parametrize("kind", [tf.constant, pd.DataFrame])
def test_array_likes(kind: Any, tmp_path: Path) -> None:
    alike = run(returning(lambda _: (kind(X), Y)), tmp_path)
    assert alike.kernel == pytest.approx(by_hand(), rel=1e-4)


class TwoInputs(Trial):
    """A model that adds what it is given, by position or by name."""

    form: Callable[[Any, Any], Any]

    def build_model(self) -> Any:
        left, right = tf.keras.Input((1,), name="left"), tf.keras.Input((2,), name="right")
        joined = tf.keras.layers.Concatenate()([left, right])
        layer = tf.keras.layers.Dense(1, kernel_initializer="zeros")
        model = self.context.wrap_model(tf.keras.Model([left, right], layer(joined)))
        model.compile(tf.keras.optimizers.SGD(0.1), "mse")
        return model

    def build_training_data_loader(self) -> Any:
        self.context.configure_fit(shuffle=False)
        return type(self).form(X[:, :1], X[:, 1:]), Y

    build_validation_data_loader = build_training_data_loader


@promise("001:40", "x may be a list of arrays, or a dict of arrays by the names of the inputs")
@pytest.mark.parametrize(
    "form", [lambda a, b: [a, b], lambda a, b: (a, b), lambda a, b: {"right": b, "left": a}]
)
def test_several_inputs(form: Any, tmp_path: Path) -> None:
    kind = type("Named", (TwoInputs,), {"form": staticmethod(form)})
    assert run(kind, tmp_path).kernel == pytest.approx(by_hand(), rel=1e-4)


@promise("002:39", "several outputs: targets as a list, or by the names of the outputs")
@pytest.mark.parametrize("named", [False, True])
def test_several_targets(named: bool, tmp_path: Path) -> None:
    class TwoOutputs(Trial):
        def build_model(self) -> Any:
            inputs = tf.keras.Input((3,))
            heads = [tf.keras.layers.Dense(1, name=name)(inputs) for name in ("one", "two")]
            model = self.context.wrap_model(tf.keras.Model(inputs, heads))
            model.compile(tf.keras.optimizers.SGD(0.1), {"one": "mse", "two": "mae"})
            return model

        def build_training_data_loader(self) -> Any:
            return X, {"two": Y, "one": 2 * Y} if named else [2 * Y, Y]

        build_validation_data_loader = build_training_data_loader

    metrics = run(TwoOutputs, tmp_path).reports[-1]["metrics"]
    assert set(metrics) == {"val_loss", "val_one_loss", "val_two_loss"}


@promise("001:44", "a tuple (x, y, sample_weights): the weights weigh the loss")
def test_sample_weights_of_arrays(tmp_path: Path) -> None:
    weighted = run(returning(lambda _: (X, Y, WEIGHTS)), tmp_path)
    assert weighted.kernel == pytest.approx(by_hand(weights=WEIGHTS), rel=1e-4)


@promise("001:49", "a Sequence of (inputs, targets), with or without sample weights")
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_a_sequence(weights: Any, tmp_path: Path) -> None:
    parts = (X, Y) if weights is None else (X, Y, weights)
    trained = run(returning(lambda _: Rows(*parts)), tmp_path)
    assert trained.kernel == pytest.approx(by_hand(weights=weights), rel=1e-4)


def wrapped(trial: Any, *parts: Any) -> tf.data.Dataset:
    return trial.context.wrap_dataset(tf.data.Dataset.from_tensor_slices(parts)).batch(4)


@promise("001:46", "a tf.data.Dataset of (inputs, targets), with or without sample weights")
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_a_dataset(weights: Any, tmp_path: Path) -> None:
    parts = (X, Y) if weights is None else (X, Y, weights)
    trained = run(returning(lambda trial: wrapped(trial, *parts)), tmp_path)
    assert trained.kernel == pytest.approx(by_hand(weights=weights), rel=1e-4)


@promise("001:52", "a dataset that was not wrapped is refused: InvalidExperimentException")
def test_an_unwrapped_dataset_is_refused(tmp_path: Path) -> None:
    unwrapped = returning(lambda _: tf.data.Dataset.from_tensor_slices((X, Y)).batch(4))
    with pytest.raises(InvalidExperimentException, match=r"use context.wrap_dataset\(dataset\)"):
        run(unwrapped, tmp_path)


@promise("002:89", "class_weight weighs each class in the loss")
def test_class_weights(tmp_path: Path) -> None:
    labels = np.arange(20) % 2

    class Classes(Trial):
        def build_model(self) -> Any:
            layer = tf.keras.layers.Dense(2, activation="softmax", input_shape=(3,))
            model = self.context.wrap_model(tf.keras.Sequential([layer]))
            model.compile("sgd", "sparse_categorical_crossentropy")
            return model

        def build_training_data_loader(self) -> Any:
            self.context.configure_fit(shuffle=False)
            return X, labels

        build_validation_data_loader = build_training_data_loader

    class Weighted(Classes):
        def __init__(self, context: Any) -> None:
            super().__init__(context)
            context.configure_fit(class_weight={0: 3.0, 1: 0.0})

    class Sampled(Classes):
        def build_training_data_loader(self) -> Any:
            self.context.configure_fit(shuffle=False)
            return X, labels, np.where(labels == 0, 3.0, 0.0)

        def build_validation_data_loader(self) -> Any:
            return X, labels

    assert run(Weighted, tmp_path / "a").weights == run(Sampled, tmp_path / "b").weights
    assert run(Weighted, tmp_path / "c").weights != run(Classes, tmp_path / "d").weights


@promise("4.5", "anything else is refused: InvalidDataTypeException, with what is accepted")
@pytest.mark.parametrize("data", [[X, Y], (X,), X, None, ([1.0], [1.0]), (iter([X]), Y)])
def test_other_types_are_refused(data: Any, tmp_path: Path) -> None:
    with pytest.raises(InvalidDataTypeException, match="Invalid data type .*NumPy arrays"):
        run(returning(lambda _: data), tmp_path)


@promise("4.5", "arrays that do not fit together are refused: CheckFailedError")
@pytest.mark.parametrize(
    ("data", "message"),
    [
        ((X, Y[:-1]), "Length of x and y do not match"),
        ((X, Y, WEIGHTS[:-1]), "Lengths of input data and sample weights do not match"),
        ((X[:3], Y[:3]), "Batch size is too large for the input data"),
    ],
)
def test_arrays_must_fit(data: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(CheckFailedError, match=message):
        run(returning(lambda _: data), tmp_path)


@promise("4.5", "the partial last batch of arrays is trained")
def test_a_partial_last_batch(tmp_path: Path) -> None:
    sizes = []

    class Sizes(Trial):
        def build_model(self) -> Any:
            model = super().build_model()
            model.compile("sgd", "mse", run_eagerly=True)
            inner = model.train_step

            def step(data: Any) -> Any:
                sizes.append(int(data[0].shape[0]))
                return inner(data)

            model.train_step = step
            return model

        def build_training_data_loader(self) -> Any:
            self.context.configure_fit(shuffle=False)
            return X[:18], Y[:18]

    run(Sizes, tmp_path, config(6))
    assert sizes == [4, 4, 4, 4, 2, 4]


def order(trial: Any, out: Path, batches: int, **options: Any) -> list[Any]:
    run(trial, out, config(batches), **options)
    loader: Rows = Trial.last.rows  # type: ignore[attr-defined]
    return loader.asked


class Recording(Trial):
    """Reads a recording Sequence on the main thread."""

    shuffle: bool | None = None

    def build_training_data_loader(self) -> Any:
        self.context.configure_fit(shuffle=self.shuffle, workers=0)
        self.rows = Rows()
        return self.rows


def shuffled(passes: int, seed: int) -> list[int]:
    """The documented order: the indices are shuffled at the start and again after each pass."""
    random, indices, expected = np.random.RandomState(seed), np.arange(5), []
    for _ in range(passes):
        random.shuffle(indices)
        expected += indices.tolist()
    return expected


@promise("4.5", "the order of batches is shuffled by default, anew in each pass, by the seed")
def test_the_default_order_is_shuffled(tmp_path: Path) -> None:
    asked = order(Recording, tmp_path, 15)
    assert [index for index in asked if index != "end"] == shuffled(3, seed=0)


@promise("4.5", "configure_fit(shuffle=False) reads the batches in their own order")
def test_unshuffled_batches_come_in_order(tmp_path: Path) -> None:
    class InOrder(Recording):
        shuffle = False

    asked = order(InOrder, tmp_path, 10)
    assert asked == [0, 1, 2, 3, 4, "end", 0, 1, 2, 3, 4]


@promise("4.5", "the shuffled order goes on where it was after a resume")
def test_a_resumed_order_goes_on(tmp_path: Path) -> None:
    order(Recording, tmp_path, 7)
    asked = order(Recording, tmp_path, 15, resume=True)
    # The list of the first seven came back with the checkpoint. On the main thread nothing is
    # read but what is trained.
    assert [index for index in asked if index != "end"] == shuffled(3, seed=0)


@promise("4.5", "Sequence.on_epoch_end is called after each pass, of training and of validation")
def test_a_sequence_hears_of_the_end_of_a_pass(tmp_path: Path) -> None:
    class Both(Recording):
        shuffle = False

        def build_validation_data_loader(self) -> Any:
            self.validation = Rows()
            return self.validation

    given = config(10, min_validation_period={"batches": 5})
    run(Both, tmp_path, given)
    trial: Any = Trial.last
    assert trial.validation.asked == [0, 1, 2, 3, 4, "end"] * 2


@promise("4.5", "validation data are never shuffled")
def test_validation_is_read_in_order(tmp_path: Path) -> None:
    class Shuffled(Recording):
        shuffle = True

        def build_validation_data_loader(self) -> Any:
            self.validation = Rows()
            return self.validation

    run(Shuffled, tmp_path)
    trial: Any = Trial.last
    assert trial.validation.asked == [0, 1, 2, 3, 4, "end"]


@promise("4.5", "workers are threads or processes, whose batches arrive in the order asked for")
@pytest.mark.parametrize(("workers", "processes"), [(0, True), (1, False), (3, False), (2, True)])
def test_workers_change_nothing(workers: int, processes: bool, tmp_path: Path) -> None:
    class Working(Trial):
        def build_training_data_loader(self) -> Any:
            self.context.configure_fit(
                shuffle=False, workers=workers, use_multiprocessing=processes, max_queue_size=2
            )
            return Rows()

    assert run(Working, tmp_path).kernel == pytest.approx(by_hand(), rel=1e-4)


@promise("4.5", "use_multiprocessing with workers=0 starts no process, and 0 means this thread")
def test_no_worker_is_the_main_thread(tmp_path: Path) -> None:
    made_by = []

    class Where(Rows):
        def __getitem__(self, index: int) -> Any:
            made_by.append((os.getpid(), threading.current_thread().name.startswith("batches")))
            return super().__getitem__(index)

    class Alone(Trial):
        def build_training_data_loader(self) -> Any:
            self.context.configure_fit(workers=0, use_multiprocessing=True)
            return Where()

    run(Alone, tmp_path)
    assert set(made_by) == {(os.getpid(), False)}


@promise("4.5", "what a Sequence raises in a worker reaches the user")
@pytest.mark.parametrize("processes", [False, True])
def test_the_error_of_a_worker_is_told(processes: bool, tmp_path: Path) -> None:
    class Broken(Rows):
        def __getitem__(self, index: int) -> Any:
            if index == 3:
                raise KeyError("no record 13")
            return super().__getitem__(index)

    class Reading(Trial):
        def build_training_data_loader(self) -> Any:
            self.context.configure_fit(shuffle=False, workers=2, use_multiprocessing=processes)
            return Broken()

    with pytest.raises(KeyError, match="no record 13"):
        run(Reading, tmp_path)


@promise("002:89", "validation_steps limits a validation dataset")
def test_validation_steps_of_a_dataset(tmp_path: Path) -> None:
    class Limited(Trial):
        def build_validation_data_loader(self) -> Any:
            self.context.configure_fit(validation_steps=2)
            return wrapped(self, X, Y)

    class FirstTwo(Trial):
        def build_validation_data_loader(self) -> Any:
            return X[:8], Y[:8]

    assert run(Limited, tmp_path / "a").validated() == run(FirstTwo, tmp_path / "b").validated()


@promise("4.5", "validation_steps does not apply to arrays and Sequences")
def test_validation_steps_of_arrays(tmp_path: Path) -> None:
    class Limited(Trial):
        def __init__(self, context: Any) -> None:
            super().__init__(context)
            context.configure_fit(validation_steps=2)

    assert run(Limited, tmp_path / "a").validated() == run(Trial, tmp_path / "b").validated()


@promise("4.5", "a training dataset is repeated; its own order is kept")
def test_a_dataset_is_repeated(tmp_path: Path) -> None:
    twice = run(returning(lambda trial: wrapped(trial, X, Y)), tmp_path / "a", config(12))
    assert twice.kernel == pytest.approx(by_hand(batches=12), rel=1e-4)


@promise("002:51", "a resumed run goes on within a dataset (Determined starts it anew)")
def test_a_dataset_goes_on(tmp_path: Path) -> None:
    def shuffled_set(trial: Any) -> Any:
        slices = tf.data.Dataset.from_tensor_slices((X, Y))
        return trial.context.wrap_dataset(slices).shuffle(20, seed=3).batch(4)

    trial = returning(shuffled_set)
    whole = run(trial, tmp_path / "whole", config(13))
    run(trial, tmp_path / "parts", config(7))
    parts = run(trial, tmp_path / "parts", config(13), resume=True)
    assert parts.weights == whole.weights


@promise("4.12", "a SequenceAdapter says how its Sequence is read, for training too")
def test_a_sequence_adapter(tmp_path: Path) -> None:
    def adapted(_: Any) -> Any:
        return SequenceAdapter(Rows(), use_multiprocessing=True, workers=2, max_queue_size=3)

    trained: Trained = run(returning(adapted), tmp_path)
    assert trained.kernel == pytest.approx(by_hand(), rel=1e-4)
    assert trained.trial.context.fit_settings.use_multiprocessing
    assert trained.trial.context.fit_settings.workers == 2


@promise("001:44", "sample weights of None are none")
def test_no_sample_weights(tmp_path: Path) -> None:
    weightless = run(returning(lambda _: (X, Y, None)), tmp_path)
    assert weightless.kernel == pytest.approx(by_hand(), rel=1e-4)


@promise("002:89", "more validation_steps than there are batches: all of them are read")
def test_too_many_validation_steps(tmp_path: Path) -> None:
    def unknown(trial: Any) -> Any:
        return wrapped(trial, X, Y).filter(lambda x, y: True)

    for number, make in enumerate((lambda trial: wrapped(trial, X, Y), unknown)):

        class TooMany(Trial):
            def build_validation_data_loader(self, make: Any = make) -> Any:
                self.context.configure_fit(validation_steps=50)
                return make(self)

        plain = run(Trial, tmp_path / f"plain-{number}")
        assert run(TooMany, tmp_path / str(number)).validated() == plain.validated()
