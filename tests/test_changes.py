"""What has changed since a checkpoint is told when a run goes on from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import damage
import training
from pedl2det_runtime.errors import CheckpointError
from support import pedl2det, write_tree
from test_run import SMALL, trained
from training import Trial, config

KERAS = tf.keras.optimizers
LONGER = config(20)


def compiling(optimizer: Any, loss: Any = "mse") -> type[Trial]:
    """A trial that compiles its model with an optimizer, made anew for each run."""

    class Compiling(Trial):
        def build_model(self) -> Any:
            layer = tf.keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(3,))
            model = self.context.wrap_model(tf.keras.Sequential([layer]))
            model.compile(optimizer(), loss)
            return model

    return Compiling


def rate(run: training.Trained) -> float:
    return float(run.trial.context.model.optimizer.learning_rate.numpy())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ({"data": {"path": "a"}}, {"data": {"path": "b"}}, 'data.path: "a", now "b"'),
        ({}, {"data": {"rows": 3}}, "data.rows: not set, now 3"),
        (
            {},
            {"reproducibility": {"experiment_seed": 2}},
            "reproducibility.experiment_seed: 0, now 2",
        ),
        (
            {},
            {"hyperparameters": {"global_batch_size": 5}},
            "hyperparameters.global_batch_size: 4, now 5",
        ),
        (
            {},
            {"optimizations": {"aggregation_frequency": 2}},
            "optimizations.aggregation_frequency: 1, now 2",
        ),
        ({"records_per_epoch": 20}, {"records_per_epoch": 40}, "records_per_epoch: 20, now 40"),
    ],
)
def test_a_changed_config_is_refused_and_named(
    old: dict[str, Any], new: dict[str, Any], said: str, tmp_path: Path
) -> None:
    training.run(Trial, tmp_path, config(10, **old))
    with pytest.raises(CheckpointError) as refused:
        training.run(Trial, tmp_path, config(20, **new), resume=True)
    assert f"trained with other settings: {said}: restore them, " in str(refused.value)
    assert "--force" in str(refused.value)

    forced = training.run(Trial, tmp_path, config(20, **new), resume=True, force=True)

    assert f"--force: training continues with other settings: {said}" in forced.said
    assert forced.checkpoints[-1] == 20


def test_a_longer_training_is_a_note_and_a_label_is_none(tmp_path: Path) -> None:
    training.run(Trial, tmp_path, config(10, name="a", labels=["x"], environment={"image": "i"}))
    resumed = training.run(Trial, tmp_path, config(20, name="b", labels=[]), resume=True)

    assert [line for line in resumed.said if "changed" in line] == [
        "the config has changed since the checkpoint: searcher.max_length.batches: 10, now 20"
    ]


def test_a_default_that_is_written_down_is_no_change(tmp_path: Path) -> None:
    training.run(Trial, tmp_path, config(10))
    written = {"reproducibility": {"experiment_seed": 0}, "optimizations": None, "data": {}}
    resumed = training.run(Trial, tmp_path, config(10, **written), resume=True)

    assert not [line for line in resumed.said if "changed" in line]


def test_credentials_are_not_shown(tmp_path: Path) -> None:
    training.run(Trial, tmp_path, config(10, data={"token": "s3cret", "path": "a"}))
    with pytest.raises(CheckpointError) as refused:
        training.run(Trial, tmp_path, config(20, data={"token": "0ther", "path": "b"}), resume=True)
    assert 'data.path: "a", now "b"' in str(refused.value)
    assert not [secret for secret in ("s3cret", "0ther", "token") if secret in str(refused.value)]


def test_another_metric_begins_to_look_for_its_best_anew(tmp_path: Path) -> None:
    given = config(10, min_validation_period={"batches": 5})
    training.run(Trial, tmp_path, given)
    given = config(20, min_validation_period={"batches": 5})
    given["searcher"]["smaller_is_better"] = False
    with pytest.raises(CheckpointError, match=r"searcher\.smaller_is_better: true, now false"):
        training.run(Trial, tmp_path, given, resume=True)

    forced = training.run(Trial, tmp_path, given, resume=True, force=True)

    assert 15 in forced.checkpoints  # its loss is smaller than any before, and the first of all


def test_a_learning_rate_that_changed_in_the_code_is_not_overruled(tmp_path: Path) -> None:
    training.run(compiling(lambda: KERAS.SGD(0.1)), tmp_path, config(10))
    slower = compiling(lambda: KERAS.SGD(0.01))
    with pytest.raises(CheckpointError, match=r"optimizer\.learning_rate: 0\.1\d*, now 0\.0"):
        training.run(slower, tmp_path, LONGER, resume=True)

    forced = training.run(slower, tmp_path, LONGER, resume=True, force=True)

    assert rate(forced) == pytest.approx(0.01)


class Halving(tf.keras.callbacks.Callback):
    """Halves the learning rate at each validation."""

    def on_test_end(self, logs: Any = None) -> None:
        rate = self.model.optimizer.learning_rate
        rate.assign(rate / 2)


@pytest.mark.parametrize("kind", [KERAS.SGD, KERAS.legacy.SGD])
def test_a_learning_rate_that_a_callback_changed_is_kept(kind: Any, tmp_path: Path) -> None:
    class Falling(compiling(lambda: kind(0.1))):  # type: ignore[misc]
        def keras_callbacks(self) -> Any:
            return [Halving()]

    given = {"min_validation_period": {"batches": 5}, "min_checkpoint_period": {"batches": 5}}
    training.run(Falling, tmp_path, config(10, **given))
    resumed = training.run(Falling, tmp_path, config(20, **given), resume=True)

    assert rate(resumed) == pytest.approx(0.1 / 2**4)


def test_another_optimizer_is_refused_and_with_force_begins_anew(tmp_path: Path) -> None:
    training.run(compiling(lambda: KERAS.Adam(0.1)), tmp_path, config(10))
    nadam = compiling(lambda: KERAS.Nadam(0.1))
    with pytest.raises(CheckpointError, match='optimizer.class: "Adam", now "Nadam"'):
        training.run(nadam, tmp_path, LONGER, resume=True)

    forced = training.run(nadam, tmp_path, LONGER, resume=True, force=True)

    assert int(forced.trial.context.model.optimizer.iterations.numpy()) == 10


def test_another_loss_is_refused(tmp_path: Path) -> None:
    sgd = lambda: KERAS.SGD(0.1)  # noqa: E731
    training.run(compiling(sgd, "mse"), tmp_path, config(10))
    with pytest.raises(CheckpointError, match='loss: "mean_squared_error", now "mean_absolute_er'):
        training.run(compiling(sgd, "mae"), tmp_path, LONGER, resume=True)

    same = compiling(sgd, tf.keras.losses.mean_squared_error)
    assert "resumed at batch 10" in training.run(same, tmp_path, LONGER, resume=True).said


def test_another_version_of_tensorflow_is_told(tmp_path: Path) -> None:
    metadata = training.run(Trial, tmp_path, config(10)).checkpoint / "metadata.json"
    described = json.loads(metadata.read_text())
    metadata.write_text(json.dumps(described | {"framework": "tensorflow-2.4.1"}))
    damage.with_hashes(metadata.parent)

    said = training.run(Trial, tmp_path, LONGER, resume=True).said

    now = f'framework: "tensorflow-2.4.1", now "tensorflow-{tf.__version__}"'
    assert f"warning: the checkpoint was written by another version: {now}" in said


@pytest.mark.slow
def test_changed_code_is_named(tmp_path: Path) -> None:
    model = SMALL["model_def.py"]
    first = {"model_def.py": f"import gone\nimport same\n{model}", "gone.py": "", "same.py": ""}
    directory = write_tree(tmp_path / "trial", {**SMALL, **first})
    trained(directory, tmp_path / "out", "--max-batches", "20")
    (directory / "gone.py").unlink()
    write_tree(directory, {"new.py": "", "model_def.py": f"import new\nimport same\n{model}"})

    done = pedl2det("run", directory, "--out", tmp_path / "out", "--resume")

    assert done.returncode == 0, done.stderr
    assert (
        "warning: the code has changed since the checkpoint: "
        "changed model_def.py; added new.py; removed gone.py\n"
    ) in done.stdout
