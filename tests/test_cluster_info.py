"""A trial asks for its run while its modules are imported, as on a cluster."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support import pedl2det, write_tree
from training import config, trial_running

TRIAL = """\
import json
import pathlib

import numpy as np
import tensorflow as tf

import determined as det
from determined.keras import TFKerasTrial

INFO = det.get_cluster_info()
UNITS = INFO.trial.hparams["units"]
FILE = pathlib.Path(INFO.user_data["file"])


class T(TFKerasTrial):
    def __init__(self, context):
        self.context = context
        known = {
            "seed": [INFO.trial.trial_seed, context.get_trial_seed()],
            "trial": [INFO.trial.trial_id, context.get_trial_id()],
            "experiment": [INFO.trial.experiment_id, context.get_experiment_id()],
            "hparams": [INFO.trial.hparams, context.get_hparams()],
            "slots": [INFO.slot_ids, INFO.container_slot_counts],
        }
        FILE.write_text(json.dumps(known))

    def build_model(self):
        model = tf.keras.Sequential([tf.keras.layers.Dense(UNITS, input_shape=(1,))])
        model = self.context.wrap_model(model)
        model.compile(tf.keras.optimizers.SGD(0.1), "mse")
        return model

    def build_training_data_loader(self):
        return np.ones((4, 1)), np.ones((4, UNITS))

    build_validation_data_loader = build_training_data_loader
"""
CONST = """\
entrypoint: model_def:T
data: {file: FILE}
hyperparameters: {global_batch_size: 2, units: 3}
searcher: {name: single, metric: val_loss, max_length: {batches: 2}}
reproducibility: {experiment_seed: 11}
"""


@pytest.mark.slow
def test_a_trial_asks_while_it_is_imported(tmp_path: Path) -> None:
    answers = tmp_path / "answers.json"
    files = {"model_def.py": TRIAL, "const.yaml": CONST.replace("FILE", str(answers))}
    directory = write_tree(tmp_path / "trial", files)

    done = pedl2det("run", directory, "--out", tmp_path / "out")

    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(answers.read_text()) == {
        "seed": [11, 11],
        "trial": [1, 1],
        "experiment": [1, 1],
        "hparams": [{"global_batch_size": 2, "units": 3}] * 2,
        "slots": [[0], [1]],
    }


def test_nothing_is_known_where_no_trial_runs() -> None:
    import determined

    assert determined.get_cluster_info() is None


def test_a_config_without_data_has_no_user_data(tmp_path: Path) -> None:
    import determined

    with trial_running(config(), tmp_path):
        info = determined.get_cluster_info()

    assert info.user_data == {}
    assert info.trial.hparams == {"global_batch_size": 4}
    assert determined.get_cluster_info() is None
