"""``determined.keras.DeterminedCallback`` reports, saves and continues a plain ``model.fit``."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from determined import core
from determined.keras import DeterminedCallback, TensorBoard

from pedl2det_runtime.errors import CheckFailedError, CheckpointError
from support import pedl2det, write_tree

X, Y = np.ones((8, 2), "float32"), np.ones((8, 1), "float32")
START = np.array([[0.1], [0.2]], "float32")


class Seen(tf.keras.callbacks.Callback):
    """Keeps the epochs that began."""

    def __init__(self) -> None:
        super().__init__()
        self.epochs: list[int] = []

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.epochs.append(epoch)


def make_model() -> Any:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.set_weights([START, np.zeros(1, "float32")])
    model.compile(tf.keras.optimizers.SGD(0.01, momentum=0.9), "mse", metrics=["mae"])
    return model


def fit(
    context: core.Context, checkpoint: str | None, continue_id: int, epochs: int, **more: Any
) -> tuple[Any, list[int]]:
    """Train; return the model and the epochs that were trained."""
    model, seen = make_model(), Seen()
    callback = DeterminedCallback(context, checkpoint, continue_id, **more)
    data = {"x": X, "y": Y, "batch_size": 2, "validation_data": (X, Y), "verbose": 0}
    model.fit(epochs=epochs, callbacks=[callback, seen], **data)
    return model, seen.epochs


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> core.Context:
    monkeypatch.chdir(tmp_path)
    return core.init()


def lines(directory: Path) -> list[dict[str, Any]]:
    text = (directory / "runs" / "core" / "metrics.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def checkpoints(directory: Path) -> list[Path]:
    found = (directory / "runs" / "core" / "checkpoints").iterdir()
    return sorted(found, key=lambda path: (path / "metadata.json").stat().st_mtime_ns)


def test_each_epoch_is_reported_and_saved(context: core.Context, tmp_path: Path) -> None:
    model, epochs = fit(context, None, 1, epochs=2)

    assert epochs == [0, 1]
    order = [(one["kind"], one["batches"], one["metrics"]["epochs"]) for one in lines(tmp_path)]
    assert order == [
        ("validation", 4, 1),
        ("training", 4, 1),
        ("validation", 8, 2),
        ("training", 8, 2),
    ]
    assert lines(tmp_path)[2]["metrics"].keys() == {"loss", "mae", "epochs", "batches"}
    last = model.evaluate(X, Y, verbose=0)
    assert lines(tmp_path)[2]["metrics"]["loss"] == pytest.approx(last[0])
    saved = [json.loads((path / "metadata.json").read_text()) for path in checkpoints(tmp_path)]
    assert saved == [{"steps_completed": 4}, {"steps_completed": 8}]


def test_the_same_training_is_continued(context: core.Context, tmp_path: Path) -> None:
    whole, _ = fit(context, None, 1, epochs=4)
    fit(context, None, 2, epochs=2)
    parts, epochs = fit(context, checkpoints(tmp_path)[-1].name, 2, epochs=4)

    assert epochs == [2, 3]
    assert lines(tmp_path)[-1]["batches"] == 16
    for ours, theirs in zip(parts.get_weights(), whole.get_weights(), strict=True):
        np.testing.assert_array_equal(ours, theirs)  # with the state of the optimizer
    done, epochs = fit(context, checkpoints(tmp_path)[-1].name, 2, epochs=4)
    assert epochs == []
    np.testing.assert_array_equal(done.get_weights()[0], parts.get_weights()[0])


def test_another_training_takes_the_weights_alone(context: core.Context, tmp_path: Path) -> None:
    fit(context, None, 1, epochs=1)
    second, epochs = fit(context, checkpoints(tmp_path)[-1].name, 2, epochs=1)

    assert epochs == [0]
    assert lines(tmp_path)[-1]["batches"] == 4
    assert lines(tmp_path)[-1]["metrics"]["loss"] < lines(tmp_path)[1]["metrics"]["loss"]
    loaded = make_model()
    loaded.load_weights(checkpoints(tmp_path)[-1] / "model_checkpoint")
    np.testing.assert_array_equal(loaded.get_weights()[0], second.get_weights()[0])


def test_a_checkpoint_of_determined_is_continued(context: core.Context, tmp_path: Path) -> None:
    """Its state is a pickle of more keys; nothing else differs."""
    fit(context, None, 1, epochs=1)
    (checkpoint,) = checkpoints(tmp_path)
    state = {"epoch": 0, "steps_completed": 4, "continue_id": 1, "training_length": 4}
    (checkpoint / "callback_state").write_bytes(pickle.dumps({**state, "validation_length": 4}))

    assert fit(context, checkpoint.name, 1, epochs=2)[1] == [1]


def test_a_hostile_state_is_refused(context: core.Context, tmp_path: Path) -> None:
    fit(context, None, 1, epochs=1)
    (checkpoint,) = checkpoints(tmp_path)
    (checkpoint / "callback_state").write_bytes(b"cos\nsystem\n(S'touch hacked'\ntR.")

    with pytest.raises(CheckpointError):
        fit(context, checkpoint.name, 1, epochs=2)
    assert not (tmp_path / "hacked").exists()


def as_a_link(file: Path) -> None:
    file.rename(file.with_name("elsewhere"))
    file.symlink_to("elsewhere")


def too_large(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.truncate(2**25)


def cut(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.truncate(file.stat().st_size // 2)


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("callback_state", as_a_link, "expected a regular file, found a symbolic link"),
        ("callback_state", too_large, "33554432 bytes, at most 16777216 are accepted"),
        ("callback_state", cut, "damaged checkpoint: damaged pickle"),
        ("callback_state", Path.unlink, "not a checkpoint of DeterminedCallback"),
        ("model_checkpoint.index", as_a_link, "found a symbolic link"),
        ("model_checkpoint.data-00000-of-00001", cut, "Read less bytes than requested"),
        ("model_checkpoint.index", Path.unlink, "No such file or directory"),
    ],
)
def test_a_damaged_checkpoint_is_refused(
    name: str, damage: Any, message: str, context: core.Context, tmp_path: Path
) -> None:
    fit(context, None, 1, epochs=1)
    (checkpoint,) = checkpoints(tmp_path)
    damage(checkpoint / name)

    with pytest.raises(CheckpointError, match=message):
        fit(context, checkpoint.name, 1, epochs=2)


def test_periods(context: core.Context, tmp_path: Path) -> None:
    fit(context, None, 1, epochs=3, train_metrics_report_period=3, checkpoint_epochs=2)

    training = [one for one in lines(tmp_path) if one["kind"] == "training"]
    assert [one["batches"] for one in training] == [3, 6, 9, 12]
    saved = [json.loads((path / "metadata.json").read_text()) for path in checkpoints(tmp_path)]
    assert saved == [{"steps_completed": 8}, {"steps_completed": 12}]


def test_a_preempted_training_is_saved_and_ends(context: core.Context, tmp_path: Path) -> None:
    class Preempted(core.PreemptContext):
        def should_preempt(self) -> bool:
            return True

    context.preempt = Preempted()
    _, epochs = fit(context, None, 1, epochs=5, checkpoint_epochs=0)
    assert epochs == [0]
    assert len(checkpoints(tmp_path)) == 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"train_metrics_report_period": "x"}, "expected 'epoch' or 1 or more, got 'x'"),
        ({"train_metrics_report_period": 0}, "expected 'epoch' or 1 or more, got 0"),
        ({"checkpoint_epochs": -1}, "expected 0 or more, got -1"),
    ],
)
def test_bad_periods_are_refused(more: Any, message: str, context: core.Context) -> None:
    with pytest.raises(CheckFailedError, match=message):
        DeterminedCallback(context, None, 1, **more)


def test_a_model_may_be_saved_otherwise(context: core.Context, tmp_path: Path) -> None:
    class Whole(DeterminedCallback):
        def save_model(self, model: Any, path: str, distributed: Any) -> None:
            model.save_weights(f"{path}.h5")

        def load_model(self, model: Any, path: str, distributed: Any) -> None:
            model.load_weights(f"{path}.h5")

    first, second = make_model(), make_model()
    first.fit(X, Y, epochs=1, callbacks=[Whole(context, None, 1)], verbose=0)
    (checkpoint,) = checkpoints(tmp_path)
    assert (checkpoint / "model_checkpoint.h5").exists()
    second.fit(X, Y, epochs=1, callbacks=[Whole(context, checkpoint.name, 1)], verbose=0)
    np.testing.assert_array_equal(second.get_weights()[0], first.get_weights()[0])


def test_tensorboard_writes_to_the_trainings_directory(
    context: core.Context, tmp_path: Path
) -> None:
    callback = TensorBoard(context, log_dir="elsewhere", update_freq="epoch")
    make_model().fit(X, Y, epochs=1, callbacks=[callback], verbose=0)

    assert list((tmp_path / "runs" / "core" / "tensorboard").rglob("events.out.*"))
    assert not (tmp_path / "elsewhere").exists()


SCRIPT = """
import determined as det
import numpy as np
import tensorflow as tf
from determined import core
from determined.keras import DeterminedCallback

x = np.ones((8, 2), "float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
model.compile("sgd", "mse")
with core.init() as context:
    assert det.get_cluster_info().trial.hparams["epochs"] == 2
    for _ in range(2):
        callback = DeterminedCallback(context, None, 1)
        model.fit(x, x[:, :1], epochs=2, callbacks=[callback], verbose=0)
"""


def test_a_script_that_pedl2det_runs_trains_with_keras(tmp_path: Path) -> None:
    config = """\
hyperparameters: {epochs: 2}
searcher: {name: single, metric: val_loss, max_length: {epochs: 2}}
entrypoint: {script: train.py}
"""
    trial = write_tree(tmp_path / "trial", {"train.py": SCRIPT, "const.yaml": config})
    done = pedl2det("run", trial, "--out", tmp_path / "out")

    assert done.returncode == 0, done.stderr
    written = (tmp_path / "out" / "core" / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["batches"] for line in written] == [1, 2, 1, 2]
    assert len(list((tmp_path / "out" / "core" / "checkpoints").iterdir())) == 4


@pytest.mark.oracle
def test_it_does_what_that_of_determined_does(tmp_path: Path) -> None:
    """Reports, epochs, checkpoints and weights are equal to the bit."""
    program, seen = Path(__file__).with_name("drive_determined_callback.py"), {}
    for who in ("ours", "theirs"):
        home = tmp_path / who / "home"  # Determined copies it into every checkpoint
        home.mkdir(parents=True)
        done = subprocess.run(
            [sys.executable, str(program), who],
            cwd=home,
            capture_output=True,
            text=True,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        )
        assert done.returncode == 0, done.stderr
        seen[who] = next(line for line in done.stdout.splitlines() if line.startswith("SEEN"))

    assert seen["ours"] == seen["theirs"]
    assert len(json.loads(seen["ours"].removeprefix("SEEN"))) > 20
