"""Scripts that call fit themselves (docs/semantics.md, Scripts)."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pedl2det_runtime.checkpoint.directory import latest
from pedl2det_runtime.checkpoint.model_files import read_weights
from pedl2det_runtime.errors import Pedl2DetError
from pedl2det_runtime.training.display import Display
from pedl2det_runtime.training.run import run
from pedl2det_runtime.training.run_options import RunOptions
from support import write_tree

HEAD = """\
import sys
import numpy as np
import tensorflow as tf

X = np.arange(60.0).reshape(20, 3) / 60
Y = X.sum(axis=1)


class Rows(tf.keras.utils.Sequence):
    def __init__(self, length, weights=False):
        self.length, self.weights = length, weights

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        rows = slice(index * 4, index * 4 + 4)
        weights = (np.arange(4.0),) if self.weights else ()
        return (X[rows], Y[rows], *weights)


def rows(shuffles=False):
    while True:
        order = np.random.permutation(20) if shuffles else np.arange(20)
        for first in range(0, 20, 4):
            picked = order[first : first + 4]
            yield X[picked] * (np.random.random() if shuffles else 1.0), Y[picked]


layer = tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(3,))
model = tf.keras.Sequential([layer])
model.compile(tf.keras.optimizers.SGD(0.05), "mse", METRICS)
"""
STEPS = """\
entrypoint: {script: train.py}
hyperparameters: {rate: 0.1}
searcher: {name: single, metric: val_loss, max_steps: 4}
batches_per_step: 3
min_validation_period: 1
min_checkpoint_period: 1
"""


class Ran:
    """A script that was run, with what it left behind."""

    def __init__(self, out: Path, body: str, metrics: str = "None", **options: Any) -> None:
        files = {"train.py": HEAD.replace("METRICS", metrics) + body, "const.yaml": STEPS}
        directory = write_tree(out.with_name(f"{out.name}-trial"), files)
        run(RunOptions(directory=directory, out=out, **options), Display())
        self.out = out

    @property
    def reports(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.out / "metrics.jsonl").read_text().splitlines()]

    @property
    def weights(self) -> dict[str, bytes]:
        found = latest(self.out / "checkpoints")
        assert found is not None
        return {name: array.tobytes() for name, array in read_weights(found).items()}

    def values(self, name: str) -> list[float]:
        return [r["metrics"][name] for r in self.reports if name in r["metrics"]]


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("training", "validation"),
    [
        pytest.param("rows()", "rows()", id="plain"),
        pytest.param("rows(True)", "Rows(5)", id="the training draws"),
        pytest.param("rows(True)", "rows(True)", id="both draw"),
    ],
)
@pytest.mark.parametrize("epoch", ["", "steps_per_epoch=5, "])
def test_generators_go_on_where_they_were(
    training: str, validation: str, epoch: str, tmp_path: Path
) -> None:
    fit = f"model.fit({training}, {epoch}validation_data={validation}, validation_steps=3)\n"
    whole = Ran(tmp_path / "whole", fit)
    for batches in (4, 9):
        parts = Ran(tmp_path / "parts", fit, max_batches=batches, resume=batches > 4)
    parts = Ran(tmp_path / "parts", fit, resume=True)

    assert parts.weights == whole.weights
    assert parts.reports[-2:] == whole.reports[-2:]


def test_something_else_that_draws_is_told(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    drawing = "tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda e, logs: np.random.random())"
    fit = "model.fit(rows({}), validation_data=Rows(5), callbacks=[{}])\n"
    for name, body in (("fixed", fit.format("", drawing)), ("draws", fit.format("1", drawing))):
        Ran(tmp_path / name, body, max_batches=6)
        Ran(tmp_path / name, body, resume=True)
        told = [str(warning.message) for warning in recwarn]
        is_told = any("between the draws of the generators" in message for message in told)
        assert is_told is (name == "draws")


def test_a_generator_that_ends_is_told(tmp_path: Path) -> None:
    body = "import itertools\nmodel.fit(itertools.islice(rows(), 7), validation_data=(X, Y))\n"
    with pytest.raises(Pedl2DetError, match="the training generator ended after 7 batches"):
        Ran(tmp_path / "out", body)


@pytest.mark.parametrize("data", ["Rows(5)", "(X, Y), batch_size=4"])
def test_validation_steps_are_for_all_data(data: str, tmp_path: Path) -> None:
    """The first eight records of the untrained model: its weights are ones, its error is 0."""
    body = "Y[8:] += 100\nmodel.compile(tf.keras.optimizers.SGD(0.0), 'mse')\n"
    body += f"model.fit(Rows(5), validation_data={data}, validation_steps=2)\n"
    assert Ran(tmp_path / "out", body).values("val_loss") == pytest.approx([0.0] * 4, abs=1e-9)


def test_more_validation_steps_than_there_are(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    Ran(tmp_path / "out", "model.fit(Rows(5), validation_data=Rows(5), validation_steps=7.5)\n")
    assert "validation_steps=8: there are 5 batches, all are read" in caplog.text


def test_an_epoch_is_as_long_as_the_script_says(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda e, logs: print('END', e))"
    body = f"model.fit(Rows(5), steps_per_epoch=3.5, initial_epoch=2, callbacks=[{said}], "
    Ran(tmp_path / "out", body + "validation_data=Rows(5))\n")

    ends = [line for line in capsys.readouterr().out.splitlines() if line.startswith("END")]
    assert ends == ["END 0", "END 1", "END 2"]
    assert "model.fit: initial_epoch=2 has no effect" in caplog.text


def test_a_part_of_the_arrays_may_be_left_for_validation(tmp_path: Path) -> None:
    """As in Keras: a quarter of 20 records are the last 5."""
    fit = "model.fit(X[:15], Y[:15], 5, validation_data=(X[15:], Y[15:]))\n"
    said = Ran(tmp_path / "said", fit)
    split = Ran(tmp_path / "split", "model.fit(X, Y, batch_size=5, validation_split=0.25)\n")

    assert split.reports == said.reports
    assert split.weights == said.weights


@pytest.mark.parametrize("training", ["rows()", "X[:8], Y[:8]"])
def test_arrays_may_be_smaller_than_a_batch(training: str, tmp_path: Path) -> None:
    ran = Ran(tmp_path / "out", f"model.fit({training}, validation_data=(X[:6], Y[:6]))\n")
    assert len(ran.values("val_loss")) == 4


def test_arrays_need_no_targets(tmp_path: Path) -> None:
    """The loss is in the model, as in an autoencoder: it reads the inputs alone."""
    body = "model.add_loss(tf.reduce_mean(model.outputs[0]))\n"
    body += "model.compile(tf.keras.optimizers.SGD(0.05))\n"
    said = "model.fit(X[:15], batch_size=5, validation_data=(X[15:], None))\n"
    split = "model.fit([X], batch_size=5, validation_split=0.25)\n"
    runs = [Ran(tmp_path / name, body + fit) for name, fit in (("said", said), ("split", split))]

    assert runs[0].reports == runs[1].reports
    assert len(runs[0].values("val_loss")) == 4


def test_the_arguments_of_keras_1_are_those_of_today(tmp_path: Path) -> None:
    new = "model.fit_generator(rows(), steps_per_epoch=3, epochs=2, validation_data=rows(), "
    new += "validation_steps=2, workers=1, use_multiprocessing=False, max_queue_size=2)\n"
    old = "model.fit_generator(rows(), samples_per_epoch=3, nb_epoch=2, validation_data=rows(), "
    old += "nb_val_samples=2, nb_worker=1, pickle_safe=False, max_q_size=2)\n"
    runs = [Ran(tmp_path / name, fit) for name, fit in (("new", new), ("old", old))]

    assert runs[0].reports == runs[1].reports


def test_the_history_is_what_was_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "h = model.fit(rows(), steps_per_epoch=None, validation_data=(X, Y))\n"
    body += "import json\nprint('HISTORY', json.dumps(h.history), h.epoch)\nsys.exit(0)\n"
    ran = Ran(tmp_path / "out", body, "['mae']")

    (line,) = [line for line in capsys.readouterr().out.splitlines() if "HISTORY" in line]
    history = json.loads(line[line.index("{") : line.index("}") + 1])
    assert line.endswith("[0, 1, 2, 3]")
    for name in ("loss", "val_loss", "mae", "val_mae"):
        assert history[name] == ran.values(name)
        assert len(history[name]) == 4


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("sys.exit(0)", "the script never called fit"),
        ("FIT\nsys.exit(3)", "train.py:34: run train.py: SystemExit: 3"),
        (
            "try: model.fit(Rows(5), validation_data=Rows(0))\nexcept Exception: pass",
            "train.py:13: Rows: the data set is empty",
        ),
        (
            "class Leave(tf.keras.callbacks.Callback):\n"
            "    def on_train_batch_end(self, batch, logs): sys.exit()\n"
            "model.fit(Rows(5), validation_data=Rows(5), callbacks=[Leave()])",
            "train.py:35: model.fit: sys.exit() was called during the training",
        ),
        (
            "model.fit(rows(), validation_data=rows())",
            "train.py:33: model.fit: validation_data: a generator needs validation_steps",
        ),
        (
            "class Endless:\n    def __iter__(self): return rows()\n"
            "model.fit(rows(), validation_data=Endless())",
            "model.fit: validation_data: a generator needs validation_steps",
        ),
        (
            "model.fit(Rows(5), steps_per_epoch='all', validation_data=Rows(5))",
            "model.fit: steps_per_epoch: expected a positive whole number, got 'all'",
        ),
        (
            "model.fit(Rows(5), sample_weight=Y, validation_data=Rows(5))",
            "model.fit: sample_weight is supported for arrays only",
        ),
    ],
)
def test_what_a_script_cannot_do_is_told(body: str, said: str, tmp_path: Path) -> None:
    fit = "model.fit(Rows(5), validation_data=Rows(5))"
    with pytest.raises(Pedl2DetError) as told:
        Ran(tmp_path / "out", body.replace("FIT", fit) + "\n")
    assert said in str(told.value)


@pytest.mark.parametrize(
    "data", ["Rows(5, True)", "X, Y, batch_size=4, sample_weight=np.tile(np.arange(4.0), 5)"]
)
@pytest.mark.parametrize("one_hot", [False, True])
def test_weights_of_classes_and_records_are_multiplied(
    data: str, one_hot: bool, tmp_path: Path
) -> None:
    """The loss of the untrained model, 1 for each record of class 0, 4 for class 1, by hand."""
    classes = np.arange(20) % 3 == 0
    body = "Y = (np.arange(20) % 3 == 0) * 1.0\n"
    head = "model.compile(tf.keras.optimizers.SGD(0.0), loss)\n"
    if one_hot:
        body += "Y = np.eye(2)[Y.astype(int)]\n"
    body += "def loss(y, p): return 1.0 + 3.0 * y[:, -1] + 0.0 * tf.reduce_sum(p)\n" + head
    body += f"model.fit({data}, class_weight={{0: 2.0, 1: 0.5}}, validation_data=Rows(5))\n"
    ran = Ran(tmp_path / "out", body)

    expected = [
        (4 * 0.5 if one else 1 * 2.0) * weight
        for one, weight in zip(classes[:12], [0, 1, 2, 3] * 3, strict=True)
    ]
    assert ran.values("loss")[0] == pytest.approx(math.fsum(expected) / 12, rel=1e-6)


def test_paths_of_a_cluster_in_the_text_of_a_script_are_those_of_here(tmp_path: Path) -> None:
    body = 'np.save("/run/determined/workdir/rows.npy", X)\nassert __name__ == "__main__"\n'
    Ran(tmp_path / "out", body + "model.fit(Rows(5), validation_data=Rows(5))\n", max_batches=1)

    assert (tmp_path / "out-trial" / "rows.npy").is_file()
