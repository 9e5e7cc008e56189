"""Trials that use the support pieces train on Determined 0.38.1 as by ``pedl2det run``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import yaml
from test_trials_alike import copy, lines, train

from pedl2det_runtime.checkpoint.directory import latest

pytestmark = pytest.mark.oracle

DRIVER = Path(__file__).parent.parent / "drive_determined.py"

#: Trains the trial of a job; on a cluster a trial is told this of itself, from files.
ON_A_CLUSTER = """
import json, runpy, sys
import determined as det
driver, jobs, config = sys.argv[1:]
config = json.loads(config)
trial = det.TrialInfo(
    trial_id=1, experiment_id=1, trial_seed=config["reproducibility"]["experiment_seed"],
    hparams=config["hyperparameters"], config=config, steps_completed=0, trial_run_id=1,
    debug=False, inter_node_network_interface=None,
)
info = det.ClusterInfo(
    master_url="http://localhost", cluster_id="", agent_id="", slot_ids=[0], task_id="",
    allocation_id="", session_token="", task_type="TRIAL", trial_info=trial,
    rendezvous_info=det.RendezvousInfo(["127.0.0.1"], 0, [1]),
)
det.get_cluster_info = lambda: info
sys.argv = [driver, jobs]
runpy.run_path(driver, run_name="__main__")
"""


def train_by_determined(directory: Path, out: Path) -> None:
    config = yaml.safe_load((directory / "const.yaml").read_text())
    jobs = json.dumps([[str(directory), str(directory / "const.yaml"), str(out)]])
    done = subprocess.run(
        [sys.executable, "-P", "-c", ON_A_CLUSTER, str(DRIVER), jobs, json.dumps(config)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def batches_of(reports: Path) -> list[dict[str, float]]:
    """The metrics of every batch; Determined adds how far the training was."""
    batches = [batch for report in lines(reports) for batch in report["per_batch"]]
    return [
        {name: value for name, value in batch.items() if name not in ("batches", "epochs")}
        for batch in batches
    ]


def trained_layers(out: Path) -> list[Any]:
    """The weights of the layers in our last checkpoint."""
    checkpoint = latest(out / "checkpoints")
    assert checkpoint is not None
    with h5py.File(checkpoint / "determined-keras-model.h5") as file:
        group = file["model_weights"]
        return [
            np.asarray(group[layer][name])
            for layer in group.attrs["layer_names"]
            for name in group[layer].attrs["weight_names"]
        ]


@pytest.mark.parametrize("name", ["asking", "early", "epochs"])
def test_a_trial_trains_on_determined_as_here(name: str, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    directories = [copy(name, "new", home) for home in (ours, theirs)]
    train(directories[0], "--trace")
    train_by_determined(directories[1], theirs / "out")

    batches = [line["metrics"] for line in lines(ours / "out-new" / "batches.jsonl")]
    assert batches == batches_of(theirs / "out" / "reports.jsonl")
    with np.load(theirs / "out" / "weights.npz") as found:
        layers = [found[key] for key in found.files if key.startswith("layers/")]
    assert [part.tobytes() for part in layers] == [
        part.tobytes() for part in trained_layers(ours / "out-new")
    ]
    if name == "epochs":
        told = [(directory / "told.jsonl").read_text() for directory in directories]
        assert told[0] == told[1]
