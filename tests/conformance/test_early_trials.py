"""Trials of early Determined, whose config counts in steps, and of PEDL (docs/semantics.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from determined.keras import InMemorySequence, KerasDataAdapter

from promises import promise
from support import pedl2det, write_tree
from training import Trial, X, Y, by_hand, descended, run

STEPS: dict[str, Any] = {
    "hyperparameters": {"global_batch_size": 4},
    "searcher": {"name": "single", "metric": "val_loss", "max_steps": 3},
    "batches_per_step": 4,
}


class Rows(tf.keras.utils.Sequence):  # type: ignore[misc]
    """Five batches of four records; notes which were asked for."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def __len__(self) -> int:
        return 5

    def __getitem__(self, index: int) -> Any:
        self.asked.append(index)
        return X[index * 4 : index * 4 + 4], Y[index * 4 : index * 4 + 4]


class Early(Trial):
    """Returns ``loader`` for training, as 0.12 wanted it."""

    loader: Any = None

    def build_training_data_loader(self) -> Any:
        return type(self).loader

    def build_validation_data_loader(self) -> Any:
        return KerasDataAdapter(Rows())


@promise("003:50", "a KerasDataAdapter says how many workers there are; batches come in order")
@pytest.mark.parametrize(
    ("workers", "processes"),
    [(0, False), (1, True), (2, False)],
    ids=["main", "process", "threads"],
)
def test_an_adapter(workers: int, processes: bool, tmp_path: Path) -> None:
    sequence = Rows()

    class Adapted(Early):
        loader = KerasDataAdapter(sequence, workers=workers, use_multiprocessing=processes)

    trained = run(Adapted, tmp_path, STEPS)
    if not processes:  # they ask their own copies
        assert sequence.asked[:12] == [0, 1, 2, 3, 4] * 2 + [0, 1]
    assert trained.kernel == pytest.approx(by_hand(12), rel=1e-4)
    assert trained.trial.context.fit_settings.workers == workers


@promise("config", "max_steps, batches_per_step and periods in steps")
def test_steps(tmp_path: Path) -> None:
    class InMemory(Early):
        loader = InMemorySequence(X, Y, 4)

    given = {**STEPS, "min_validation_period": 2, "min_checkpoint_period": 1}
    trained = run(InMemory, tmp_path, given)
    reported = [(report["kind"], report["batches"]) for report in trained.reports]
    assert reported == [
        *(("training", 4), ("training", 8), ("validation", 8)),
        *(("training", 12), ("validation", 12)),
    ]
    assert trained.checkpoints == [4, 8, 12]


@promise(
    "4.5", "early Determined leaves out the partial last batch of training arrays, and only it"
)
def test_a_partial_batch_is_left_out(tmp_path: Path) -> None:
    class Eighteen(Trial):
        def build_training_data_loader(self) -> Any:
            return X[:18], Y[:18]

        def build_validation_data_loader(self) -> Any:
            return X[:18], Y[:18]

    class Sixteen(Eighteen):
        def build_training_data_loader(self) -> Any:
            return X[:16], Y[:16]

    trained = [run(trial, tmp_path / trial.__name__, STEPS) for trial in (Eighteen, Sixteen)]
    assert trained[0].kernel == trained[1].kernel
    weights, bias = trained[0].trial.context.model.get_weights()
    error = float(((X[:18] @ weights + bias - Y[:18]) ** 2).mean())
    assert trained[0].validated() == [pytest.approx(error, rel=1e-4)]


@promise("4.6", "an epoch of early Determined is a pass over the data, with its training metrics")
def test_epochs_are_passes(tmp_path: Path) -> None:
    ends: list[Any] = []

    class Noting(Early):
        loader = Rows()

        def build_model(self) -> Any:
            model = super().build_model()
            model.compile("sgd", "mse", metrics=["accuracy", "mae"])
            return model

        def keras_callbacks(self) -> list[Any]:
            def note(epoch: int, logs: Any) -> None:
                ends.append((epoch, sorted(logs)))

            return [tf.keras.callbacks.LambdaCallback(on_epoch_end=note)]

    run(Noting, tmp_path, STEPS)
    names = ["acc", "accuracy", "loss", "mae", "mean_absolute_error"]
    assert ends == [(0, names), (1, names)]


@promise("4.7", "searcher.metric may be a name of TensorFlow 1, such as val_acc")
def test_old_names_of_metrics(tmp_path: Path) -> None:
    class Accurate(Early):
        loader = Rows()

        def build_model(self) -> Any:
            model = super().build_model()
            model.compile("sgd", "mse", metrics=["accuracy"])
            return model

    searcher = {"name": "single", "metric": "val_acc", "max_steps": 1, "smaller_is_better": False}
    trained = run(Accurate, tmp_path, {**STEPS, "searcher": searcher})
    assert set(trained.reports[-1]["metrics"]) == {"val_loss", "val_accuracy"}


@promise("4.8", "a context of 0.12.0 has the getters of its ranks itself")
def test_ranks_of_the_context(tmp_path: Path) -> None:
    class Asking(Early):
        loader = Rows()

        def __init__(self, trial_context: Any) -> None:
            super().__init__(trial_context)
            self.asked = [
                *(trial_context.get_rank(), trial_context.get_size()),
                *(trial_context.get_local_rank(), trial_context.get_num_agents()),
            ]

        def build_model(self, hparams: Any) -> Any:  # type: ignore[override]
            self.asked.append(hparams)
            return super().build_model()

    trial: Any = run(Asking, tmp_path, STEPS, test=True).trial
    assert trial.asked == [0, 1, 0, 1, {"global_batch_size": 4}]


@promise("003:50", "InMemorySequence cuts arrays, and refuses those that do not fit together")
def test_arrays_in_memory() -> None:
    kept, cut = InMemorySequence(X, Y, 8), InMemorySequence(X, Y, 8, drop_leftovers=True)
    assert [len(kept[index][0]) for index in range(len(kept))] == [8, 8, 4]
    assert [len(cut[index][0]) for index in range(len(cut))] == [8, 8]
    assert np.array_equal(kept[2][1], Y[16:])
    for data, labels, size in ((X, Y[:9], 4), (X[:3], Y[:3], 4)):
        with pytest.raises(ValueError, match=r"do not match|too large"):
            InMemorySequence(data, labels, size)


PEDL = """\
import numpy as np
import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial, wrap_dataset
from pedl.frameworks.keras.data import InMemorySequence, KerasDataAdapter

X = np.arange(60, dtype=np.float32).reshape(20, 3) / 60
Y = X.sum(axis=1, keepdims=True)
CALLS = []


class T(TFKerasTrial):
    def build_model(self, hparams):
        CALLS.append(sorted(hparams))
        layer = tf.keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(3,))
        model = tf.keras.Sequential([layer])
        model.compile(tf.keras.optimizers.SGD(lr=hparams["rate"]), "mse", metrics=["mae"])
        return model

    def session_config(self, hparams):
        CALLS.append("session")
        return tf.ConfigProto(allow_soft_placement=True)

    def keras_callbacks(self, hparams):
        say = lambda logs: print("CALLED", CALLS, hparams["batch_size"])
        return [tf.keras.callbacks.LambdaCallback(on_train_end=say)]


def download_data(experiment_config, hparams):
    CALLS.append("download")
    return "."


def make_data_loaders(experiment_config, hparams):
    CALLS.append(experiment_config["data"]["note"])
    sequence = InMemorySequence(X, Y, hparams["batch_size"])
    return LOADERS
"""
PEDL_CONFIG = """\
hyperparameters: {batch_size: 4, rate: 0.1}
data: {note: loaders}
searcher: {name: single, metric: val_loss, max_steps: 2}
batches_per_step: 5
"""
DATASET = "wrap_dataset(tf.data.Dataset.from_tensor_slices((X, Y))).batch(4)"


@promise(
    "004:13", "make_data_loaders gives a pair of Sequences, adapters or datasets, read in order"
)
def test_loaders_of_pedl(tmp_path: Path) -> None:
    reports = []
    for name, loaders in {
        "sequence": "sequence, sequence",
        "adapter": "KerasDataAdapter(sequence, workers=2), KerasDataAdapter(sequence)",
        "dataset": f"{DATASET}, {DATASET}",
    }.items():
        source = PEDL.replace("LOADERS", loaders)
        files = {"__init__.py": source, "const.yaml": PEDL_CONFIG}
        directory = write_tree(tmp_path / name, files)
        done = pedl2det("run", directory, "--out", tmp_path / f"{name}-out")
        assert done.returncode == 0, done.stderr
        order = ["download", "session", "loaders", ["batch_size", "rate"]]
        assert f"CALLED {order} 4" in done.stdout
        lines = (tmp_path / f"{name}-out" / "metrics.jsonl").read_text().splitlines()
        reports.append([json.loads(line) for line in lines])
    assert [(r["kind"], r["batches"]) for r in reports[0]] == [
        *(("training", 5), ("training", 10), ("validation", 10)),
    ]
    assert reports[0] == reports[1] == reports[2]
    kernel, bias = descended()
    loss = float(((X @ kernel + bias - Y) ** 2).mean())
    assert reports[0][-1]["metrics"]["val_loss"] == pytest.approx(loss, rel=1e-3)
