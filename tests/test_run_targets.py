"""What ``pedl2det run`` may be given: a directory, a file, a script."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import pedl2det, write_tree

NATIVE = """\
import json
from determined.experimental import keras as native
import tensorflow as tf

context = native.init(config=json.load(open("settings.json")))
model = context.wrap_model(tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))]))
model.compile("sgd", "mse")
x = tf.ones((8, 3)).numpy()
model.fit(x, x[:, 0], batch_size=4, validation_data=(x, x[:, 0]))
"""
CONFIG = """\
hyperparameters: {global_batch_size: 4}
searcher: {name: single, metric: val_loss, max_length: {batches: 2}}
"""


def test_a_config_is_no_trial(tmp_path: Path) -> None:
    done = pedl2det("run", tmp_path / "const.yaml")

    expected = (
        f"{tmp_path}/const.yaml: expected a trial: name its config with -c {tmp_path}/const.yaml"
    )
    assert (done.returncode, done.stderr) == (2, f"pedl2det: {expected}\n")


@pytest.mark.parametrize("target", [".", "train.py"])
@pytest.mark.parametrize("has_config", [False, True])
def test_a_script_of_the_native_api_is_told_from_a_missing_config(
    target: str, has_config: bool, tmp_path: Path
) -> None:
    config = {"const.yaml": CONFIG} if has_config else {}
    trial = write_tree(tmp_path / "trial", {"train.py": NATIVE, **config})

    done = pedl2det("run", trial / target, "--out", tmp_path / "out")

    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"pedl2det: {trial}/train.py: ")
    assert "`entrypoint: {script: train.py}`" in line


def test_a_script_with_a_computed_config_uses_that_beside_it(tmp_path: Path) -> None:
    config = CONFIG + "entrypoint: {script: train.py}\n"
    files = {"train.py": NATIVE, "const.yaml": config, "settings.json": "{}"}
    trial = write_tree(tmp_path / "trial", files)

    done = pedl2det("run", trial / "train.py", "--out", tmp_path / "out")

    assert "trained 2 batches" in done.stdout, done.stderr


def test_a_file_that_trains_nothing_misses_a_config(tmp_path: Path) -> None:
    file = write_tree(tmp_path, {"util.py": "x = 1\n"}) / "util.py"

    assert "no experiment config: expected const.yaml" in pedl2det("run", file).stderr
