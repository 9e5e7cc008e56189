"""The content of a checkpoint, and loading a model from it (docs/semantics.md, Resume)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import tensorflow as tf
from determined.keras import load_model_from_checkpoint_path

from damage import with_hashes
from pedl2det_runtime.checkpoint.directory import latest, steps
from pedl2det_runtime.errors import CheckFailedError, TrialCodeError
from promises import promise
from support import EXAMPLES, ROOT, pedl2det, write_tree
from training import Trial, X, config, run

pytestmark = pytest.mark.versions


@promise("001:79", "a checkpoint has the source code, the config, the network, hyperparameters")
def test_what_a_checkpoint_holds(tmp_path: Path) -> None:
    checkpoint = run(Trial, tmp_path, directory=ROOT / "tests").checkpoint

    assert (checkpoint / "code" / "training.py").read_text() == Path(
        ROOT / "tests" / "training.py"
    ).read_text()
    saved = json.loads((checkpoint / "experiment_config.json").read_text())
    assert saved == config()
    assert json.loads((checkpoint / "hparams.json").read_text()) == {"global_batch_size": 4}
    with h5py.File(checkpoint / "determined-keras-model.h5") as file:
        layers = json.loads(file.attrs["model_config"])["config"]["layers"]
    assert [layer["class_name"] for layer in layers] == ["InputLayer", "Dense"]


@promise("001:85", "determined-keras-model.h5 opens with tf.keras.models.load_model")
def test_keras_opens_a_checkpoint(tmp_path: Path) -> None:
    trained = run(Trial, tmp_path)
    model = tf.keras.models.load_model(str(trained.checkpoint / "determined-keras-model.h5"))
    assert np.ravel(model.get_weights()[0]).tolist() == trained.kernel


@promise("001:81", "a checkpoint has the state of the optimizer, and its learning rate")
def test_the_optimizer_is_in_the_checkpoint(tmp_path: Path) -> None:
    class Changing(Trial):
        def build_model(self) -> Any:
            model = super().build_model()
            model.compile(tf.keras.optimizers.Adam(0.5), "mse")
            return model

        def keras_callbacks(self) -> list[Any]:
            def halve(batch: int, logs: Any) -> None:
                rate = self.context.model.optimizer.learning_rate
                rate.assign(rate * 0.5)

            return [tf.keras.callbacks.LambdaCallback(on_train_batch_begin=halve)]

    whole = run(Changing, tmp_path / "whole", config(6))
    run(Changing, tmp_path / "parts", config(2))
    parts = run(Changing, tmp_path / "parts", config(6), resume=True)
    assert parts.weights == whole.weights
    rate = parts.trial.context.model.optimizer.learning_rate.numpy()
    assert float(rate) == 0.5 * 0.5**6


MODEL = """\
import tensorflow as tf
from determined.keras import TFKerasTrial
from layers import Doubling


class T(TFKerasTrial):
    def build_model(self):
        units = self.context.get_hparam("units")
        layers = [Doubling(), tf.keras.layers.Dense(units), tf.keras.layers.Dense(1)]
        model = self.context.wrap_model(KIND(layers))
        model.compile(self.context.wrap_optimizer(tf.keras.optimizers.Adam(0.1)), "mse")
        return model

    def build_training_data_loader(self):
        x = tf.random.uniform((20, 3)).numpy()
        return x, x.sum(axis=1)

    build_validation_data_loader = build_training_data_loader
"""
SUBCLASS = """

class Net(tf.keras.Model):
    def __init__(self, parts):
        super().__init__()
        self.parts = parts

    def call(self, x):
        for part in self.parts:
            x = part(x)
        return x
"""
LAYERS = """\
import tensorflow as tf


class Doubling(tf.keras.layers.Layer):
    def call(self, x):
        return 2 * x
"""
CONFIG = """\
entrypoint: model_def:T
hyperparameters: {global_batch_size: 4, units: 5}
searcher: {name: single, metric: val_loss, max_length: {batches: 7}}
"""


@promise("002:325", "load_model_from_checkpoint_path gives back the trained model")
@pytest.mark.parametrize("kind", ["tf.keras.Sequential", "Net"])
def test_a_model_comes_out_of_its_checkpoint(kind: str, tmp_path: Path) -> None:
    """With a layer of the trial's own, in a module beside it; the trial's directory is gone."""
    source = MODEL.replace("KIND", kind) + (SUBCLASS if kind == "Net" else "")
    trial = {"model_def.py": source, "layers.py": LAYERS, "const.yaml": CONFIG}
    directory = write_tree(tmp_path / "trial", trial)
    out = tmp_path / "out"
    assert pedl2det("run", directory, "--out", out).returncode == 0
    shutil.rmtree(directory)
    loss = json.loads((out / "metrics.jsonl").read_text().splitlines()[-1])["metrics"]["val_loss"]

    checkpoint = latest(out / "checkpoints")
    assert checkpoint is not None
    model = load_model_from_checkpoint_path(str(checkpoint), tags=["serve"])

    assert int(model.optimizer.iterations) == 7
    before = model.get_weights()
    assert [weight.shape for weight in before] == [(3, 5), (5,), (5, 1), (1,)]
    assert model(X).shape == (20, 1)
    assert loss > 0
    model.fit(X, X.sum(axis=1), verbose=0)
    assert any(not np.array_equal(a, b) for a, b in zip(before, model.get_weights(), strict=True))


@promise("002:327", "the model of an example's checkpoint predicts what was trained")
def test_the_model_of_an_example(example: Callable[[str], Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert pedl2det("run", EXAMPLES / "iris_migrated", "--out", out).returncode == 0
    checkpoint = latest(out / "checkpoints")
    assert checkpoint is not None
    model = load_model_from_checkpoint_path(checkpoint)

    import pandas as pd

    rows = pd.read_csv(EXAMPLES / "iris_migrated" / "data" / "iris_test.csv", header=0).to_numpy()
    predicted = np.argmax(model.predict(rows[:, :4], verbose=0), axis=1)
    assert np.mean(predicted == rows[:, 4]) > 0.9


@promise("002:327", "an old checkpoint that is one HDF5 file opens, whatever its name")
@pytest.mark.parametrize("name", ["determined-keras-model", "pedl-keras-model"])
def test_old_checkpoints_open(name: str, tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    model.compile("sgd", "mse")
    model.save(str(tmp_path / name), save_format="h5")
    loaded = load_model_from_checkpoint_path(tmp_path)
    assert np.array_equal(loaded.get_weights()[0], model.get_weights()[0])


@promise("4.11", "a directory without a checkpoint: AssertionError")
def test_no_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="no checkpoint of a Keras trial"):
        load_model_from_checkpoint_path(tmp_path)
    with pytest.raises(CheckFailedError):
        load_model_from_checkpoint_path(tmp_path)


@promise("4.11", "what the trial's code raises is told with its place")
def test_broken_code_in_a_checkpoint(tmp_path: Path) -> None:
    checkpoint = shutil.copytree(run(Trial, tmp_path / "out").checkpoint, tmp_path / "copy")
    write_tree(checkpoint / "code", {"__init__.py": "import nothing_of_this_name\n"})
    with_hashes(checkpoint)
    with pytest.raises(TrialCodeError, match=r"__init__.py:1: .*nothing_of_this_name"):
        load_model_from_checkpoint_path(checkpoint, trust=True)


@promise("002:325", "a model built from a file beside the code, with lr= and decay=, comes back")
def test_a_model_that_reads_a_file(tmp_path: Path) -> None:
    source = MODEL.replace("KIND", "tf.keras.Sequential").replace(
        'self.context.get_hparam("units")', 'len(open("words.txt").read().split())'
    )
    source = source.replace("Adam(0.1)", "Adam(lr=0.1, decay=0.5)")
    trial = {"model_def.py": source, "layers.py": LAYERS, "const.yaml": CONFIG}
    directory = write_tree(tmp_path / "trial", {**trial, "words.txt": "one two three four five"})
    done = pedl2det("run", directory, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    checkpoint = latest(tmp_path / "out" / "checkpoints")
    assert checkpoint is not None
    assert not list((checkpoint / "code").glob("*.yaml"))  # it may hold credentials

    model = load_model_from_checkpoint_path(checkpoint)
    assert model.get_weights()[0].shape == (3, 5)
    assert isinstance(model.optimizer, tf.keras.optimizers.legacy.Adam)


@promise("002:275", "a checkpoint counts as whole once on_checkpoint_end is over")
def test_a_kill_within_on_checkpoint_end_leaves_no_checkpoint(tmp_path: Path) -> None:
    source = (
        MODEL.replace("KIND", "tf.keras.Sequential")
        + """
    def keras_callbacks(self):
        return [Dying()]


from determined.keras.callbacks import Callback


class Dying(Callback):
    def on_checkpoint_end(self, checkpoint_dir):
        import os, signal
        if self.model.optimizer.iterations > 3 and not os.path.exists("died"):
            open("died", "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        with open(checkpoint_dir + "/note.txt", "w") as note:
            note.write("here")
"""
    )
    trial = {"model_def.py": source, "layers.py": LAYERS}
    given = CONFIG + "min_checkpoint_period: {batches: 3}\n"
    directory = write_tree(tmp_path / "trial", {**trial, "const.yaml": given})
    out = tmp_path / "out"
    assert pedl2det("run", directory, "--out", out).returncode == -9
    assert sorted(steps(out / "checkpoints").values()) == [3]
    assert len(list((out / "checkpoints").iterdir())) == 2

    assert pedl2det("run", directory, "--out", out, "--resume").returncode == 0
    assert sorted(steps(out / "checkpoints").values()) == [3, 6, 7]
    notes = [path.read_text() for path in (out / "checkpoints").glob("*/note.txt")]
    assert notes == ["here"] * 3
