"""Callbacks as Keras' users write them: old hooks, predictions, exports, files (Callbacks)."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from determined.keras import callbacks

from promises import promise
from training import Trial, X, building, compiled, config, functional, run

pytestmark = pytest.mark.versions


def calling(*made: Any, base: type[Trial] = Trial) -> type[Trial]:
    """A trial with callbacks; each is made by a function of the trial."""

    class Calling(base):  # type: ignore[misc, valid-type]
        def keras_callbacks(self) -> list[Any]:
            return [make(self) for make in made]

    return Calling


@promise("002:93", "the hooks of Keras 1 and 2.0, on_batch_begin and on_batch_end, are called")
def test_old_hooks(tmp_path: Path) -> None:
    called: list[Any] = []

    class Old(tf.keras.callbacks.Callback):  # type: ignore[misc]
        def on_batch_begin(self, batch: int, logs: Any = None) -> None:
            called.append(("begin", batch))

        def on_batch_end(self, batch: int, logs: Any = None) -> None:
            called.append(("end", batch, *logs))

    run(calling(lambda _: Old()), tmp_path, config(2))
    assert called == [("begin", 0), ("end", 0, "loss"), ("begin", 1), ("end", 1, "loss")]


@promise("002:93", "a callback may predict and look at the model; training goes on unchanged")
def test_a_callback_predicts(tmp_path: Path) -> None:
    seen: list[Any] = []

    class Predicting(callbacks.Callback):
        def _note(self) -> None:
            weights, bias = self.model.get_weights()
            predicted = self.model.predict(X, verbose=0)
            assert predicted == pytest.approx(X @ weights + bias, rel=1e-4, abs=1e-6)
            seen.append(int(self.model.optimizer.iterations))

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            self._note()

        def on_train_workload_end(self, total_batches_trained: int, logs: Any) -> None:
            self._note()

        def on_test_end(self, logs: Any = None) -> None:
            self._note()

    given = config(3, scheduling_unit=2)
    watched = run(calling(lambda _: Predicting()), tmp_path / "a", given)
    plain = run(Trial, tmp_path / "b", given)
    assert seen == [1, 2, 2, 3, 3, 3]
    assert watched.weights == plain.weights
    assert watched.reports == plain.reports


@promise("002:275", "on_checkpoint_end may export the model beside the checkpoint")
def test_a_model_is_exported(tmp_path: Path) -> None:
    class Exporting(callbacks.Callback):
        def on_checkpoint_end(self, checkpoint_dir: str) -> None:
            self.model.save(checkpoint_dir + "/served", save_format="tf")
            self.model.save_weights(checkpoint_dir + "/weights.h5")

    trained = run(calling(lambda _: Exporting()), tmp_path, config(3))
    served = tf.saved_model.load(str(trained.checkpoint / "served"))
    predicted = served.signatures["serving_default"](tf.constant(X))
    model = trained.trial.context.model
    assert np.array_equal(next(iter(predicted.values())), model.predict(X, verbose=0))
    model.load_weights(str(trained.checkpoint / "weights.h5"))
    assert np.ravel(model.get_weights()[0]).tolist() == trained.kernel


@promise("4.6", "ModelCheckpoint of Keras writes its files at the ends of epochs")
def test_model_checkpoint(tmp_path: Path) -> None:
    files = tmp_path / "files"

    def saving(_: Any) -> Any:
        return tf.keras.callbacks.ModelCheckpoint(
            str(files / "{epoch:02d}.h5"), save_weights_only=True
        )

    run(calling(saving), tmp_path / "out", config(3, records_per_epoch=8))
    run(calling(saving), tmp_path / "out", config(6, records_per_epoch=8), resume=True)
    assert sorted(path.name for path in files.iterdir()) == ["01.h5", "02.h5", "03.h5"]


@promise(
    "002:259", "the Keras version of ReduceLROnPlateau gets no metrics, warns and does nothing"
)
def test_what_needs_logs(tmp_path: Path) -> None:
    def reducing(_: Any) -> Any:
        return tf.keras.callbacks.ReduceLROnPlateau(monitor="val_loss", patience=0, factor=0.1)

    given = config(6, records_per_epoch=8, min_validation_period={"batches": 2})
    trained = run(calling(reducing), tmp_path, given)
    rate = trained.trial.context.model.optimizer.learning_rate
    assert float(np.asarray(rate)) == pytest.approx(0.1)


@promise("002:281", "workload hooks: batches trained before, batches requested, metrics of it")
def test_workload_hooks(tmp_path: Path) -> None:
    called: list[Any] = []

    class Noting(callbacks.Callback):
        def on_train_workload_begin(
            self, total_batches_trained: int, batches_requested: int | None, logs: Any
        ) -> None:
            called.append((total_batches_trained, batches_requested, logs))

        def on_train_workload_end(self, total_batches_trained: int, logs: Any) -> None:
            called.append((total_batches_trained, logs))

    given = config(7, scheduling_unit=4, records_per_epoch=8)
    trained = run(calling(lambda _: Noting()), tmp_path, given)
    loss = [r["metrics"]["loss"] for r in trained.reports if r["kind"] == "training"]
    assert called == [
        (0, 4, {}),
        (4, {"loss": loss[0], "batches": 4, "epochs": 2}),
        (4, 3, {}),
        (7, {"loss": loss[1], "batches": 7, "epochs": 3}),
    ]


@promise("002:267", "each callback gets its own state back, by its place in the list")
def test_states_by_place(tmp_path: Path) -> None:
    got: list[Any] = []

    class Named(callbacks.Callback):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        def get_state(self) -> Any:
            return {"name": self.name, "at": int(self.model.optimizer.iterations)}

        def load_state(self, state: Any) -> None:
            got.append((self.name, state))

    class Stateless(callbacks.Callback):
        pass

    trial = calling(lambda _: Named("a"), lambda _: Stateless(), lambda _: Named("b"))
    run(trial, tmp_path, config(2))
    run(trial, tmp_path, config(3), resume=True)
    assert got == [("a", {"name": "a", "at": 2}), ("b", {"name": "b", "at": 2})]


@promise("002:89", "class weights weigh one-hot targets, and multiply sample weights")
@pytest.mark.parametrize("kind", ["one-hot", "weighed", "dataset"])
def test_kinds_of_class_weights(kind: str, tmp_path: Path) -> None:
    labels = np.arange(20) % 2
    weights = np.linspace(0.5, 1.5, 20).astype(np.float32)
    targets = np.eye(2, dtype=np.float32)[labels] if kind == "one-hot" else labels
    loss = "categorical_crossentropy" if kind == "one-hot" else "sparse_categorical_crossentropy"

    class Classes(Trial):
        class_weight: Any = MappingProxyType({0: 3.0, 1: 0.25})
        parts: Any = (X, targets) if kind == "one-hot" else (X, targets, weights)

        def build_model(self) -> Any:
            layer = tf.keras.layers.Dense(2, activation="softmax", kernel_initializer="zeros")
            model = tf.keras.Sequential([tf.keras.Input((3,)), layer])
            return compiled(self, model, loss=loss)

        def build_training_data_loader(self) -> Any:
            self.context.configure_fit(shuffle=False, class_weight=self.class_weight)
            if kind != "dataset":
                return self.parts
            slices = tf.data.Dataset.from_tensor_slices(self.parts)
            return self.context.wrap_dataset(slices).batch(4)

        def build_validation_data_loader(self) -> Any:
            return X, targets

    class Multiplied(Classes):
        class_weight = None
        of_classes = np.where(labels == 0, 3.0, 0.25).astype(np.float32)
        parts = X, targets, of_classes * (1 if kind == "one-hot" else weights)

    both = [run(trial, tmp_path / trial.__name__) for trial in (Classes, Multiplied)]
    assert both[0].kernel == pytest.approx(both[1].kernel, rel=1e-5)
    assert both[0].kernel != pytest.approx([0.0] * 6, abs=1e-3)


@promise("4.6", "what a callback writes into the logs of a batch is in no report")
def test_logs_are_a_callbacks_own(tmp_path: Path) -> None:
    class Changing(callbacks.Callback):
        def _change(self, logs: Any) -> None:
            logs.update(loss=7.0, more=1.0)

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            self._change(logs)

        def on_test_end(self, logs: Any = None) -> None:
            self._change(logs)

    trial = building(lambda trial: compiled(trial, functional()))
    changed = run(calling(lambda _: Changing(), base=trial), tmp_path / "a", config(3))
    assert changed.reports == run(trial, tmp_path / "b", config(3)).reports
