"""A trial in wild forms: it trains as it is, it is refused where it must be, and proved equal."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import pedl2det, write_tree

pytestmark = pytest.mark.slow

TRIAL = """\
import numpy as np, pedl as p
import tensorflow.keras as tk
from pedl.frameworks import keras


class Net(keras.TFKerasTrial):
    '''Its hyperparameters are handed on, and its optimizer is a name.'''

    rate = 0.5

    def __init__(self, hp):
        super().__init__(hp)
        self.hp = hp

    def layers(self):
        for units in self.hp["units"]:
            yield tk.layers.Dense(units, activation=self.hp.get("activation", "relu"))

    def build_model(self, hp):
        net = tk.Sequential([*self.layers(), tk.layers.Dropout(self.rate), tk.layers.Dense(1)])
        np.random.seed(p.get_trial_seed() + hp["batch_size"])
        net.compile(loss="mse", optimizer=OPTIMIZER, metrics=[m for m in ("mae", "mse")])
        return net


"""
PLAIN_LOADERS = """\
def make_data_loaders(config, hp):
    x, y = load(**config["data"])
    train = keras.data.InMemorySequence(x, x.sum(axis=1), batch_size=hp["batch_size"])
    return train, keras.data.InMemorySequence(y, y.sum(axis=1), hp["batch_size"])


def load(training, validation):
    return np.random.random((training, 3)), np.random.random((validation, 3))
"""
WILD_LOADERS = """\
def make_data_loaders(config, hp):
    def batches(n):
        x = np.random.random((n, 3))
        return keras.data.InMemorySequence(x, x.sum(axis=1), batch_size=hp["batch_size"])
    return load(batches, **config["data"])


def load(batches, training, validation):
    return batches(training), keras.data.KerasDataAdapter(batches(validation), workers=0)
"""
CONFIG = """\
data: {training: 50, validation: 20}
hyperparameters:
    batch_size: {type: const, val: 8}
    units: {type: categorical, vals: [[4], [3, 2]]}
searcher: {name: random, metric: val_mae, max_steps: 1, max_trials: 4}
batches_per_step: 40"""


def trial(directory: Path, loaders: str, optimizer: str = '"RMSprop"') -> Path:
    files = {
        "__init__.py": "from .trial import *\n",
        "trial.py": TRIAL.replace("OPTIMIZER", optimizer) + loaders,
        "const.yaml": CONFIG,
    }
    return write_tree(directory / "wild", files)


@pytest.mark.parametrize("optimizer", ['"RMSprop"', "tk.optimizers.Adam(lr=0.01, decay=0.1)"])
def test_a_wild_trial_is_proved_equal(optimizer: str, tmp_path: Path) -> None:
    done = pedl2det("verify", trial(tmp_path, PLAIN_LOADERS, optimizer))

    assert done.returncode == 0, done.stdout + done.stderr
    assert "compared 40 batches" in done.stdout


def test_loaders_that_go_their_own_way_are_proved_equal(tmp_path: Path) -> None:
    done = pedl2det("verify", trial(tmp_path, WILD_LOADERS))

    assert done.returncode == 0, done.stdout + done.stderr
    assert "compared 40 batches" in done.stdout
