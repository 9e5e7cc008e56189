"""Signatures of checkpoints: whose code runs when a checkpoint is loaded."""

from __future__ import annotations

import importlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from determined.keras import load_model_from_checkpoint_path

import training
from damage import with_hashes
from old_formats import WEIGHTS
from pedl2det.cli import cli
from pedl2det_runtime.errors import CheckpointError
from pedl2det_runtime.training.convert_checkpoint import convert
from pedl2det_runtime.training.trial_loading import at_home
from support import write_tree
from test_checkpoint_command import trained, with_code

OWN = """\
import tensorflow as tf
from training import Trial


class Doubling(tf.keras.layers.Layer):
    def call(self, x):
        return 2 * x


class Own(Trial):
    def build_model(self):
        layers = [Doubling(input_shape=(3,)), tf.keras.layers.Dense(1)]
        model = self.context.wrap_model(tf.keras.Sequential(layers))
        model.compile("sgd", "mse")
        return model
"""
SIGNATURE = "pedl2det-signature.json"
REFUSED = "you have not signed it, or .* pedl2det checkpoint trust .*, or pass trust=True"


def run(home: Path) -> Path:
    """Train a model with a layer of its own; return its checkpoint."""
    directory = write_tree(home / "trial", {"own_trial.py": OWN})
    with at_home(directory):
        trial = importlib.import_module("own_trial").Own
        given = training.config(2, entrypoint="own_trial:Own")
        return training.run(trial, home / "out", given, directory).checkpoint


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkpoint of a run of this user."""
    return run(tmp_path_factory.mktemp("run"))


@pytest.fixture
def copy(written: Path, tmp_path: Path) -> Path:
    return shutil.copytree(written, tmp_path / written.name)


def trust(path: Path) -> tuple[int, str]:
    """Run ``pedl2det checkpoint trust``."""
    result = CliRunner().invoke(cli, ["checkpoint", "trust", str(path)])
    return result.exit_code, result.output


def first_layer(path: Path) -> str:
    """Load a model without trust; return the class of its first layer."""
    return type(load_model_from_checkpoint_path(path).layers[0]).__name__


def test_a_checkpoint_of_this_user_loads_without_trust_again_and_again(copy: Path) -> None:
    for _ in range(2):
        assert first_layer(copy) == "Doubling"


def test_the_key_is_made_once_and_of_this_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    first = run(tmp_path / "first")
    key = tmp_path / "state" / "pedl2det" / "checkpoint-key"
    content = key.read_bytes()
    second = run(tmp_path / "second")

    assert (len(content), key.stat().st_mode & 0o777) == (64, 0o600)
    assert key.read_bytes() == content
    assert os.listdir(key.parent) == [key.name]
    for path in (first, second):
        assert content.decode() not in (path / SIGNATURE).read_text()
        assert first_layer(path) == "Doubling"


def _change(path: Path) -> None:
    with (path / "code" / "own_trial.py").open("a") as file:
        file.write("open('HACKED', 'w')\n")


CHANGES: dict[str, Callable[[Path], object]] = {
    "code changed": _change,
    "code added": lambda path: (path / "code" / "training.py").write_text("open('HACKED', 'w')"),
    "bytecode added": lambda path: write_tree(path / "code" / "__pycache__", {"own_trial.pyc": ""}),
    "config changed": lambda path: (path / "hparams.json").write_text("{}"),
    "signature cut": lambda path: (path / SIGNATURE).write_text("{}"),
    "signature of no text": lambda path: (path / SIGNATURE).write_text('{"hmac": ["\\ud800"]}'),
    "signature removed": lambda path: (path / SIGNATURE).unlink(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_changed_or_added_ends_a_signature(
    change: Callable[[Path], object], copy: Path
) -> None:
    change(copy)
    with_hashes(copy)

    with pytest.raises(CheckpointError, match=REFUSED):
        load_model_from_checkpoint_path(copy)
    assert not list(copy.rglob("HACKED"))


def test_a_checkpoint_of_another_user_is_trusted_once_for_all(
    copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    with pytest.raises(CheckpointError, match=REFUSED):
        load_model_from_checkpoint_path(copy)

    assert trust(copy) == (
        0,
        f"{copy}: signed; it loads without trust=True and --trust from now on\n",
    )
    assert first_layer(copy) == "Doubling"


def test_a_checkpoint_of_determined_is_trusted_once_for_all(tmp_path: Path) -> None:
    old, target = with_code(tmp_path / "old", WEIGHTS, trained(custom=True)), tmp_path / "new"
    with pytest.raises(CheckpointError, match=REFUSED):
        convert(old, target, trust=False, weights_only=True)

    assert trust(old)[0] == 0
    convert(old, target, trust=False, weights_only=True)

    for path in (old, target):
        assert first_layer(path) == "Doubling"


def test_convert_signs_no_code_that_was_not_trusted(tmp_path: Path) -> None:
    old = with_code(tmp_path / "old", "determined-keras-model.h5", trained(custom=False))
    convert(old, tmp_path / "new", trust=False, weights_only=True)

    assert (tmp_path / "new" / "code" / "model_def.py").exists()
    assert not (tmp_path / "new" / SIGNATURE).exists()


@pytest.mark.parametrize("mode", [0o644, 0o600])
def test_a_key_that_others_can_read_or_that_is_cut_signs_nothing(
    mode: int, copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "0" * (20 if mode == 0o600 else 64)
    write_tree(tmp_path / "state", {"pedl2det/checkpoint-key": text})
    key = tmp_path / "state" / "pedl2det" / "checkpoint-key"
    key.chmod(mode)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    code, line = trust(copy)

    assert code == 2
    assert line.startswith(f"pedl2det: {key}: expected the key that signs your checkpoints, a file")
    assert line.count("\n") == 1


def test_without_a_place_for_a_key_a_run_goes_on_unsigned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")

    path = run(tmp_path)

    assert not (path / SIGNATURE).exists()
    with pytest.raises(CheckpointError, match=REFUSED):
        load_model_from_checkpoint_path(path)
    assert trust(path)[0] == 2


def test_a_link_in_place_of_the_signature_is_not_followed(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (copy / SIGNATURE).unlink()
    (copy / SIGNATURE).symlink_to(tmp_path / "mine")

    code, line = trust(copy)

    assert (code, "found a symbolic link" in line) == (2, True)
    assert (tmp_path / "mine").read_text() == "mine"
