"""A ``KerasTrial`` of standalone Keras is migrated whole, and proved equal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pedl2det.flow.metric_names import MetricNames
from pedl2det.migrate import migrate
from pedl2det.verify.compare import compare_runs
from support import pedl2det, write_tree

HEAD = """\
from typing import Dict

import keras
import numpy as np
from keras import backend as K
from keras.layers.advanced_activations import PReLU
from keras.utils import np_utils
from pedl.frameworks.keras import {base}
from pedl.frameworks.util import elementwise_mean
from pedl.trial import MetricOp, ValidOp


class Batches(keras.utils.data_utils.Sequence):
    def __init__(self, x, y, size):
        self.x, self.y, self.size = x, y, size

    def __len__(self):
        return len(self.x) // self.size

    def __getitem__(self, index):
        rows = slice(index * self.size, (index + 1) * self.size)
        return self.x[rows].astype(np.object).astype(np.float), self.y[rows]


def make_data_loaders(config, hparams):
    x = np.random.random((50, 4, 3))
    y = np_utils.to_categorical(np.random.randint(0, 3, 50), 3)
    size = hparams["batch_size"]
    return Batches(x, y, size), Batches(x, y, size)


def wrong(y, p):
    return 1.0 - K.mean(keras.metrics.categorical_accuracy(y, p))


class T({base}):
"""
ONE_OUTPUT = """\
    def build_model(self, hparams):
        model = keras.models.Sequential()
        model.add(keras.layers.Bidirectional(keras.layers.GRU(3), input_shape=(4, 3)))
        model.add(PReLU())
        model.add(keras.layers.Dropout(0.5))
        if hparams["deep"]:
            model.add(keras.layers.Dense(4))
            out = keras.layers.Dense(3, activation="softmax")
            model.add(out)
            return model
        model.add(keras.layers.Dense(3, activation="softmax"))
        return keras.models.Model(model.input, model.output)

    def batch_size(self):
        return 5

    def optimizer(self):
        return "adamax"

    def loss(self):
        return "categorical_crossentropy"

    def training_metrics(self) -> Dict[str, MetricOp]:
        return {"wrong": (wrong, elementwise_mean)}

    def validation_metrics(self) -> Dict[str, ValidOp]:
        '''Both.'''
        return {
            "wrong": (wrong, elementwise_mean),
            "mse": (lambda y, p: K.square(y - p), elementwise_mean),
        }
"""
NAMED_OUTPUT = """\
    def __init__(self, hparams):
        self.decay = hparams.get("decay", 0.5)

    def build_model(self, hparams):
        x = keras.layers.Input((4, 3), name="x")
        y = keras.layers.LSTM(3, implementation=1)(x)
        y = keras.layers.Dense(3, activation="softmax", name="kind")(y)
        optimizer = None
        return keras.models.Model(inputs=x, outputs=[y])

    def batch_size(self):
        return 5

    def optimizer(self):
        opt = keras.optimizers.Nadam(clipvalue=self.decay)
        return opt

    def losses(self):
        return {"kind": keras.losses.categorical_crossentropy}

    def validation_metrics(self) -> Dict[str, ValidOp]:
        return {"kind_wrong": ("kind", wrong), "hits": ("kind", self.hits)}

    def hits(self, y, p):
        return keras.metrics.top_k_categorical_accuracy(y, p, k=2)
"""
CONFIG = """\
hyperparameters: {{batch_size: 5, deep: {deep}}}
searcher: {{name: single, metric: {metric}, max_steps: 4}}
batches_per_step: 10
min_validation_period: 2
"""


def trial(directory: Path, base: str, body: str, metric: str, deep: str = "true") -> Path:
    files = {
        "__init__.py": "from trial import T, make_data_loaders\n",
        "trial.py": HEAD.format(base=base) + body,
        "const.yaml": CONFIG.format(metric=metric, deep=deep),
    }
    return write_tree(directory / "old", files)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("base", "body", "metric", "deep", "new"),
    [
        ("KerasTrial", ONE_OUTPUT, "wrong", "true", "val_wrong"),
        ("KerasTrial", ONE_OUTPUT, "mse", "false", "val_mse"),
        ("KerasFunctionalTrial", NAMED_OUTPUT, "kind_wrong", "true", "val_kind_wrong"),
    ],
)
def test_a_trial_of_standalone_keras_is_proved_equal(
    base: str, body: str, metric: str, deep: str, new: str, tmp_path: Path
) -> None:
    done = pedl2det("verify", trial(tmp_path, base, body, metric, deep))

    assert done.returncode == 0, done.stdout + done.stderr
    assert "compared 40 batches and 6 reports" in done.stdout
    assert f"{metric} is {new}" in done.stdout


PRIVATE_KERAS = """\
import numpy as np

from pedl.frameworks.keras import TFKerasTrial
from pedl.frameworks.keras.data import InMemorySequence as Data
from tensorflow.python.keras.layers import GRU, Dense
from tensorflow.python.keras.models import Sequential
from tensorflow.python.keras.optimizers import Adadelta


class T(TFKerasTrial):
    def build_model(self, hparams):
        model = Sequential([GRU(3, input_shape=(4, 3)), Dense(3, "softmax")])
        model.compile(Adadelta(lr=0.5), "categorical_crossentropy", metrics=["accuracy"])
        return model


def make_data_loaders(config, hparams):
    x, y = np.random.random((50, 4, 3)), np.eye(3)[np.random.randint(0, 3, 50)]
    return Data(x, y, hparams["batch_size"]), Data(x, y, hparams["batch_size"])
"""


@pytest.mark.slow
def test_tensorflows_private_keras_and_the_name_acc_are_proved_equal(tmp_path: Path) -> None:
    directory = trial(tmp_path, "", "", "val_acc")
    (directory / "trial.py").write_text(PRIVATE_KERAS)

    done = pedl2det("verify", directory)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "compared 40 batches and 6 reports" in done.stdout


@pytest.mark.slow
def test_a_default_that_is_not_said_is_found_out(tmp_path: Path) -> None:
    old = trial(tmp_path, "KerasFunctionalTrial", NAMED_OUTPUT, "hits")
    twin = trial(tmp_path / "twin", "KerasFunctionalTrial", NAMED_OUTPUT, "hits")
    assert pedl2det("migrate", twin).returncode == 0
    text = (twin / "trial.py").read_text()
    assert ', recurrent_activation="hard_sigmoid"' in text
    text = text.replace(', recurrent_activation="hard_sigmoid"', "")
    (twin / "trial.py").write_text(text)

    done = pedl2det("verify", old, "--against", twin)

    assert done.returncode == 1
    assert "first at batch 1: loss is " in done.stdout


def test_nothing_is_left_and_nothing_is_to_be_done_twice(tmp_path: Path) -> None:
    directory = trial(tmp_path, "KerasTrial", ONE_OUTPUT, "wrong")

    assert pedl2det("migrate", directory).returncode == 0

    text = (directory / "trial.py").read_text()
    assert "Dict[str, Callable]" in text
    assert "elementwise_mean" not in text
    assert "self.x[rows].astype(object).astype(float)" in text
    assert "tf.keras.optimizers.legacy.Adamax(learning_rate=0.002)" in text
    assert 'GRU(3, recurrent_activation="hard_sigmoid", reset_after=False)' in text
    assert migrate([directory]).files == []


def runs(directory: Path, old: dict[str, float], new: dict[str, float]) -> tuple[Path, Path]:
    """Two runs of one batch and one validation."""
    for name, metrics in (("old", old), ("new", new)):
        run = directory / name
        run.mkdir()
        (run / "batches.jsonl").write_text(json.dumps({"batch": 1, "metrics": {"loss": 1.0}}))
        report = {"kind": "validation", "batches": 1, "metrics": metrics}
        (run / "metrics.jsonl").write_text(json.dumps(report))
    return directory / "old", directory / "new"


def test_a_metric_is_compared_with_what_it_is_called_now(tmp_path: Path) -> None:
    names = MetricNames({"loss": "loss"}, {"error": "val_error", "mae": "val_mae"})
    new = {"val_error": 3.0, "val_more": 1.0}
    result = compare_runs(*runs(tmp_path, {"error": 2.0, "mae": 1.0}, new), names)

    (said,) = [line for line in result.differences if "validation report" in line]
    assert "val_error is 2.0 in the old trial, 3.0 in the new one" in said
    assert result.more == ["val_more (validation)"]


def test_a_metric_of_the_old_trial_that_is_missing_is_a_difference(tmp_path: Path) -> None:
    names = MetricNames({}, {"error": "val_error"})
    result = compare_runs(*runs(tmp_path, {"error": 2.0}, {"val_eror": 2.0}), names)

    assert any("val_error is reported by the old trial alone" in one for one in result.differences)
