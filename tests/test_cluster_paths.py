"""Paths of a cluster's containers mean the trial's directory, or what was mounted there."""

from __future__ import annotations

from pathlib import Path

import pytest

from pedl2det_runtime.config.cluster_environment import (
    config_here,
    here,
    in_code,
    notices,
    places,
)
from support import pedl2det, write_tree

WORKDIR = "/run/determined/workdir"
TRIAL = f"""\
import os
import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial

HERE = os.path.join("{WORKDIR}", "data")
MOUNTED = "/no-such-mount/labels.npy"


def read(name):
    return np.load(f"{WORKDIR}/data/{{name}}")


class Trial(TFKerasTrial):
    def __init__(self, context):
        self.context = context
        self.x = np.load(context.get_data_config()["path"])
        assert os.path.abspath(HERE) == os.path.abspath("data") and os.environ["MODE"] == "old"

    def build_model(self):
        model = self.context.wrap_model(tf.keras.Sequential([tf.keras.layers.Dense(1)]))
        model.compile("sgd", "mse")
        return model

    def build_training_data_loader(self):
        return read("x.npy"), np.load(MOUNTED)

    def build_validation_data_loader(self):
        return self.x, np.load(MOUNTED)
"""
CONFIG = f"""\
hyperparameters:
  global_batch_size: 2
data:
  path: {WORKDIR}/data/x.npy
bind_mounts:
  - host_path: HOST
    container_path: /no-such-mount
environment:
  environment_variables: [MODE=old]
searcher: {{name: single, metric: val_loss, max_length: {{batches: 4}}}}
entrypoint: model_def:Trial
"""


def project(directory: Path) -> Path:
    import numpy as np

    host = directory / "host"
    trial = write_tree(
        directory / "trial",
        {"model_def.py": TRIAL, "const.yaml": CONFIG.replace("HOST", str(host))},
    )
    for place, name in ((host, "labels"), (trial / "data", "x")):
        place.mkdir()
        np.save(place / name, np.ones((4, 1)))
    return trial


def test_a_project_of_a_cluster_trains(tmp_path: Path) -> None:
    trial = project(tmp_path)

    done = pedl2det("run", trial, "--out", tmp_path / "out")

    assert done.returncode == 0, done.stderr
    said = done.stdout + done.stderr
    host = tmp_path / "host"
    assert (
        f"paths of the cluster: {WORKDIR} is the trial's directory, /no-such-mount is {host}"
    ) in said
    assert "environment variables set by the config: MODE" in said
    assert "no effect without a cluster: bind_mounts" not in said


def test_a_missing_file_says_which_key_names_it(tmp_path: Path) -> None:
    trial = project(tmp_path)
    (trial / "data" / "x.npy").unlink()

    done = pedl2det("run", trial, "--out", tmp_path / "out")

    assert done.returncode == 2
    assert "No such file or directory: './data/x.npy'" in done.stderr
    assert f"{trial / 'const.yaml'}:4: data.path names it" in done.stderr


def test_values_are_mapped_and_no_others() -> None:
    known = {WORKDIR: ".", "/data": "/mnt/data", "/data/old": "/old"}

    assert here([f"{WORKDIR}/a", WORKDIR, f"{WORKDIR}s/a", "a"], known) == [
        "./a",
        ".",
        f"{WORKDIR}s/a",
        "a",
    ]
    assert here({"a": ("/data/old/b", "/data/b", "/database", 3)}, known) == {
        "a": ("/old/b", "/mnt/data/b", "/database", 3)
    }


def test_a_path_that_is_here_means_itself(tmp_path: Path) -> None:
    raw = {"bind_mounts": [{"host_path": "/a", "container_path": str(tmp_path)}]}

    assert str(tmp_path) not in places(raw)
    assert config_here({**raw, "data": str(tmp_path)}, places(raw))["data"] == str(tmp_path)


@pytest.mark.parametrize("mounts", [None, "x", [1], [{"host_path": 3}], {}])
def test_mounts_that_are_none_are_left(mounts: object) -> None:
    assert "/run/determined/workdir" in places({"bind_mounts": mounts})
    assert [*notices({}, places({"bind_mounts": mounts}))] == []


def test_code_is_mapped_when_it_is_imported_from_the_cache_too(tmp_path: Path) -> None:
    import importlib
    import sys

    write_tree(tmp_path, {"cluster_module.py": f'AT = ("{WORKDIR}/a", 1)\n'})
    sys.path.insert(0, str(tmp_path))
    try:
        for _ in range(2):
            with in_code(tmp_path, places({})):
                assert importlib.import_module("cluster_module").AT == ("./a", 1)
            del sys.modules["cluster_module"]
        assert (f"{WORKDIR}/a", 1) == importlib.import_module("cluster_module").AT
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("cluster_module", None)
