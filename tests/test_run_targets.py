"""What ``pedl2det run`` may be given: a directory, a file, a config, a script."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support import EXAMPLES, pedl2det, write_tree

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


@pytest.mark.parametrize("place", [".", "configs"])
def test_a_config_is_run_with_its_trial(place: str, tmp_path: Path) -> None:
    """That of its directory, or of the one above if the code is there."""
    trial = tmp_path / "iris"
    shutil.copytree(EXAMPLES / "iris", trial)
    (trial / place).mkdir(exist_ok=True)
    config = (trial / "const.yaml").rename(trial / place / "short.yaml")

    done = pedl2det("run", config, "--out", tmp_path / "out", "--max-batches", 2)

    assert done.stdout.startswith("iris_tf_keras_const: seed 17"), done.stderr
    assert "trained 2 batches" in done.stdout


def test_a_config_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = pedl2det("run", tmp_path / "const.yaml")

    expected = f"pedl2det: {tmp_path}/const.yaml: cannot be read: No such file or directory\n"
    assert (done.returncode, done.stderr) == (2, expected)


def test_two_configs_are_refused(tmp_path: Path) -> None:
    done = pedl2det("run", tmp_path / "const.yaml", "-c", tmp_path / "other.yaml")

    expected = f"{tmp_path}/const.yaml: this is a config, so leave out -c {tmp_path}/other.yaml"
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
