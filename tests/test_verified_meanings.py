"""What an old trial does at import, with its config and under names of its own, trains the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import pedl2det, write_tree

pytestmark = pytest.mark.slow

INIT = "from data import make_data_loaders\nfrom model_def import Net\n"
DATA = """\
import json
import os
import zlib

import numpy as np
import pedl
from pedl.frameworks.keras.data import InMemorySequence

SCALE = 1.0
WIDE = float(os.environ.get("PEDL2DET_TEST_WIDE", "1"))


def rows(scale):
    x = np.random.RandomState(0).rand(32, 4) * scale
    return x, x.sum(axis=1)


def make_data_loaders(config, hparams):
    {body}
    return InMemorySequence(x, y, 8), InMemorySequence(x, y, 8)
"""
MODEL = """\
import tensorflow as tf
from keras import backend as K
from tensorflow.keras import backend as K
from pedl.frameworks.keras import TFKerasTrial


def loss(y, made):
    return K.mean(K.square(y - made))


class Net(TFKerasTrial):
    WIDTH = 3
    context = 2

    def _build(self, hparams):
        model = tf.keras.Sequential([tf.keras.layers.Dense(self.WIDTH + self.context)])
        model.compile(tf.keras.optimizers.SGD(hparams["rate"]), "mse")
        return model

    build_model = _build
"""
CONFIG = """\
data: {scale: 2.0}
hyperparameters: {batch_size: 8, rate: 1e-2}
searcher: {name: single, metric: val_loss, max_steps: 2}
resources: {native_parallel: false}
batches_per_step: 4
min_validation_period: 1
"""
EFFECTS = f"""\
import os

os.environ["PEDL2DET_TEST_WIDE"] = "3"
import patches
{INIT}import data

data.SCALE += 5.0
Net.WIDTH = 7
"""
READS = """\
assert "max_steps" in config["searcher"]
    config["data"]["scale"] = 4.0
    dumped = json.dumps(config, sort_keys=True)
    keys = sum(len(key) for key, _ in pedl.get_experiment_config().items())
    scale = keys * pedl.get_experiment_config()["data"]["scale"]
    scale += config["searcher"]["max_" + "steps"] + zlib.crc32(dumped.encode()) % 97
    x, y = rows(scale / 200)"""


def verify(directory: Path, init: str, body: str) -> str:
    files = {"__init__.py": init, "data.py": DATA.replace("{body}", body), "model_def.py": MODEL}
    patches = {"patches.py": "import data\n\ndata.SCALE = 3.0\n", "const.yaml": CONFIG}
    done = pedl2det("verify", write_tree(directory / "trial", {**files, **patches}))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_what_init_does_happens_first(tmp_path: Path) -> None:
    assert "compared 8 batches" in verify(tmp_path, EFFECTS, "x, y = rows(SCALE * WIDE / 20)")


def test_code_gets_the_config_as_it_was(tmp_path: Path) -> None:
    assert "compared 8 batches" in verify(tmp_path, INIT, READS)
