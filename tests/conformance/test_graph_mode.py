"""Trials that select graph mode at the top of their code (docs/semantics.md, Graph mode).

Each in a process of its own: the choice cannot be taken back.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pedl2det_runtime.checkpoint.directory import latest
from pedl2det_runtime.checkpoint.model_files import read_weights
from promises import promise
from support import pedl2det, write_tree

pytestmark = [pytest.mark.slow, pytest.mark.versions]

MODEL = """\
import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial
from determined.keras.callbacks import EarlyStopping

tf.compat.v1.CHOICE()
X = np.arange(60, dtype=np.float32).reshape(20, 3) / 60


class T(TFKerasTrial):
    def session_config(self):
        return tf.compat.v1.ConfigProto(intra_op_parallelism_threads=3, allow_soft_placement=True)

    def build_model(self):
        session = tf.compat.v1.keras.backend.get_session()
        print("THREADS", session._config.intra_op_parallelism_threads)
        layer = tf.keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(3,))
        model = self.context.wrap_model(tf.keras.Sequential([layer]))
        optimizer = self.context.wrap_optimizer(tf.keras.optimizers.OPTIMIZER)
        model.compile(optimizer, "mse", metrics=["mae"])
        return model

    def build_training_data_loader(self):
        self.context.configure_fit(shuffle=False)
        return LOADER

    build_validation_data_loader = build_training_data_loader

    def keras_callbacks(self):
        return [EarlyStopping(patience=100, restore_best_weights=True)]


class Rows(tf.keras.utils.Sequence):
    def __len__(self):
        return 5

    def __getitem__(self, index):
        rows = slice(index * 4, index * 4 + 4)
        return X[rows], X[rows].sum(axis=1, keepdims=True)
"""
LOADERS = {
    "arrays": "X, X.sum(axis=1, keepdims=True)",
    "sequence": "Rows()",
    "dataset": "self.context.wrap_dataset(tf.data.Dataset.from_tensor_slices("
    "(X, X.sum(axis=1, keepdims=True)))).batch(4)",
}
CONFIG = """\
entrypoint: model_def:T
hyperparameters: {global_batch_size: 4}
searcher: {name: single, metric: val_loss, max_length: {batches: 12}}
scheduling_unit: 5
min_validation_period: {batches: 5}
min_checkpoint_period: {batches: 5}
"""


def trial(
    directory: Path, loader: str, choice: str = "disable_v2_behavior", optimizer: str = "SGD(0.1)"
) -> Path:
    source = MODEL.replace("LOADER", LOADERS[loader]).replace("CHOICE", choice)
    source = source.replace("OPTIMIZER", optimizer)
    return write_tree(directory, {"model_def.py": source, "const.yaml": CONFIG})


def trained(directory: Path, out: Path, *more: str) -> str:
    done = pedl2det("run", directory, "--out", out, *more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def kernel(out: Path) -> list[float]:
    checkpoint = latest(out / "checkpoints")
    assert checkpoint is not None
    arrays = read_weights(checkpoint)
    kernels = [name for name in arrays if name.startswith("model_weights") and "kernel" in name]
    return np.ravel(arrays[kernels[0]]).tolist()


def by_hand(batches: int = 12) -> list[float]:
    x = np.arange(60).reshape(20, 3) / 60
    weights, bias = np.zeros(3), 0.0
    for batch in range(batches):
        rows = x[batch % 5 * 4 : batch % 5 * 4 + 4]
        error = (rows @ weights + bias - rows.sum(axis=1)) / 2
        weights, bias = weights - 0.1 * rows.T @ error, bias - 0.1 * error.sum()
    return weights.tolist()


def reports(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]


@promise("002:15", "graph mode trains arrays, Sequences and datasets, whichever way it is chosen")
@pytest.mark.parametrize(
    ("loader", "choice"),
    [
        ("arrays", "disable_eager_execution"),
        ("sequence", "disable_v2_behavior"),
        ("dataset", "disable_v2_behavior"),
    ],
)
def test_graphs_train(loader: str, choice: str, tmp_path: Path) -> None:
    trained(trial(tmp_path / "trial", loader, choice), tmp_path / "out")

    assert kernel(tmp_path / "out") == pytest.approx(by_hand(), rel=1e-4)
    found = [(r["kind"], r["batches"], sorted(r["metrics"])) for r in reports(tmp_path / "out")]
    training, validation = ["loss", "mae"], ["val_loss", "val_mae"]
    names = {"mean_absolute_error": "mae", "val_mean_absolute_error": "val_mae"}
    assert [(k, b, [names.get(n, n) for n in m]) for k, b, m in found] == [
        ("training", 5, training),
        ("validation", 5, validation),
        ("training", 10, training),
        ("validation", 10, validation),
        ("training", 12, training),
        ("validation", 12, validation),
    ]


@promise("002:69", "session_config configures the session of graph mode")
def test_the_session_is_configured(tmp_path: Path) -> None:
    said = trained(trial(tmp_path / "trial", "arrays"), tmp_path / "out", "--test")
    assert "THREADS 3" in said.splitlines()


@promise("002:15", "a killed run of graph mode goes on to the same weights")
def test_graphs_go_on(tmp_path: Path) -> None:
    directory = trial(tmp_path / "trial", "sequence", optimizer="Adam(0.1)")
    trained(directory, tmp_path / "whole")
    trained(directory, tmp_path / "parts", "--max-batches", "7")
    trained(directory, tmp_path / "parts", "--resume")
    assert kernel(tmp_path / "parts") == kernel(tmp_path / "whole")


@promise("4.13", "a new-style optimizer in graph mode trains as its legacy counterpart")
def test_optimizers_of_graphs(tmp_path: Path) -> None:
    for name in ("Adam(0.1)", "legacy.Adam(0.1)"):
        directory = trial(tmp_path / name, "arrays", "disable_eager_execution", name)
        trained(directory, tmp_path / f"{name}-out")
    assert kernel(tmp_path / "Adam(0.1)-out") == kernel(tmp_path / "legacy.Adam(0.1)-out")
    other = trial(tmp_path / "other", "arrays", "disable_eager_execution", "Lion(0.1)")
    done = pedl2det("run", other, "--out", tmp_path / "lion")
    assert done.returncode == 2
    assert "model_def.py:19: Lion cannot train in graph mode" in done.stderr


OTHERS = """

class T(Base):
    def build_model(self):
        LAYERS
        model = self.context.wrap_model(tf.keras.Sequential(layers))
        model.compile("adam", "mse")
        return model

    def build_training_data_loader(self):
        self.context.configure_fit(shuffle=False, class_weight=WEIGHTS)
        return X, (np.arange(20) % 2).astype("float32")

    def build_validation_data_loader(self):
        return X, (np.arange(20) % 2).astype("float32")

    def keras_callbacks(self):
        return CALLBACKS
"""


def other(directory: Path, *, eager: bool = False, **parts: str) -> Path:
    source = MODEL.replace("class T(", "class Base(").replace("OPTIMIZER", "SGD(0.1)")
    source = source.replace("LOADER", LOADERS["arrays"])
    source = source.replace("tf.compat.v1.CHOICE()\n", "" if eager else CHOOSE) + OTHERS
    given = {"LAYERS": DEFERRED, "WEIGHTS": "None", "CALLBACKS": "[]", **parts}
    for name, text in given.items():
        source = source.replace(name, text)
    return write_tree(directory, {"model_def.py": source, "const.yaml": CONFIG})


CHOOSE = "tf.compat.v1.disable_eager_execution()\n"
DEFERRED = "layers = [tf.keras.layers.Dense(1, kernel_initializer='ones')]"
RECURRENT = (
    "layers = [tf.keras.layers.Reshape((3, 1), input_shape=(3,)), tf.keras.layers.LSTM(2), "
    "tf.keras.layers.Dense(1)]"
)


def losses(out: Path) -> list[float]:
    found = reports(out)
    return [r["metrics"]["val_loss"] for r in found if r["kind"] == "validation"]


@promise("002:15", "a model without an input shape, with flat targets, is as in eager mode")
def test_a_deferred_model_in_graphs(tmp_path: Path) -> None:
    trained(other(tmp_path / "graph"), tmp_path / "whole")
    trained(other(tmp_path / "graph"), tmp_path / "parts", "--max-batches", "7")
    trained(other(tmp_path / "graph"), tmp_path / "parts", "--resume")
    trained(other(tmp_path / "eager", eager=True), tmp_path / "eager-out")

    assert kernel(tmp_path / "parts") == kernel(tmp_path / "whole")
    assert losses(tmp_path / "whole") == pytest.approx(losses(tmp_path / "eager-out"), rel=1e-4)


@promise("002:89", "class weights weigh in graph mode as in eager mode")
def test_class_weights_in_graphs(tmp_path: Path) -> None:
    weights = {"WEIGHTS": "{0: 0.0, 1: 3.0}"}
    trained(other(tmp_path / "graph", **weights), tmp_path / "graph-out")
    trained(other(tmp_path / "eager", eager=True, **weights), tmp_path / "eager-out")
    trained(other(tmp_path / "plain"), tmp_path / "plain-out")

    graph = losses(tmp_path / "graph-out")
    assert graph == pytest.approx(losses(tmp_path / "eager-out"), rel=1e-4)
    assert graph != pytest.approx(losses(tmp_path / "plain-out"), rel=1e-3)


@promise("002:319", "recurrent layers, TensorBoard and other callbacks work in graph mode")
def test_recurrent_layers_and_tensorboard_in_graphs(tmp_path: Path) -> None:
    board = "[__import__('determined').keras.callbacks.TensorBoard()]"
    trained(other(tmp_path / "graph", LAYERS=RECURRENT, CALLBACKS=board), tmp_path / "out")
    assert len(losses(tmp_path / "out")) == 3
