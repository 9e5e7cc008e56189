"""Everyday mistakes in a trial: each prints one helpful line, and docs/mistakes.md lists it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support import EXAMPLES, ROOT, pedl2det, write_tree

MODEL = """\
import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial


class T(TFKerasTrial):
    def build_model(self):
        model = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(8, activation="relu", input_shape=(3,)),
                tf.keras.layers.Dense(3),
            ]
        )
        model = self.context.wrap_model(model)
        model.compile(tf.keras.optimizers.SGD(self.context.get_hparam("lr")), "mse", ["mae"])
        return model

    def build_training_data_loader(self):
        x = np.random.random((40, 3))
        y = np.random.random((40, 3))
        return x, y

    def build_validation_data_loader(self):
        return self.build_training_data_loader()
"""
CONFIG = """\
entrypoint: model_def:T
hyperparameters: {global_batch_size: 4, lr: 0.1}
searcher: {name: single, metric: val_loss, max_length: {batches: 2}}
"""
DOCS = ROOT / "docs" / "mistakes.md"


@dataclass(frozen=True)
class Mistake:
    """What a user does wrong, and the line that is printed.

    Attributes:
        line: the line; DIR is the trial's directory.
        model: a replacement in the trial.
        config: a replacement in the config.
        trains: whether the trial trains all the same.
    """

    line: str
    model: tuple[str, str] = ("", "")
    config: tuple[str, str] = ("", "")
    trains: bool = False


MISTAKES = {
    "input shape": Mistake(
        "DIR/model_def.py:7: train T: InvalidArgumentError: Matrix size-incompatible: In[0]: [4,5],"
        " In[1]: [3,8] (at sequential/dense/Relu); training batches: float32 (None, 5), float32 "
        "(None, 3); model: input (None, 3), output (None, 3)",
        model=("x = np.random.random((40, 3))", "x = np.random.random((40, 5))"),
    ),
    "input dtype": Mistake(
        "DIR/model_def.py:7: train T: UnimplementedError: Cast string to float is not supported "
        "(at sequential/Cast); training batches: string (None, 3), float32 (None, 3); model: input "
        "(None, 3), output (None, 3)",
        model=("x = np.random.random((40, 3))", "x = np.array([['5.1', '3.5', '1.4']] * 40)"),
    ),
    "searcher metric": Mistake(
        "DIR/const.yaml:3: searcher.metric: val_accuracy is none of the numbers that the "
        "validation reports: val_loss, val_mae",
        config=("val_loss", "val_accuracy"),
    ),
    "config of PEDL": Mistake(
        "DIR/const.yaml: this config counts in steps and has no entrypoint, like PEDL's configs, "
        "but the trial is context-based: migrate the config too, with pedl2det migrate DIR",
        config=(
            "entrypoint: model_def:T",
            "entrypoints: {trial_class: model_def:T}\nbatches_per_step: 100",
        ),
    ),
    "loss": Mistake(
        "DIR/model_def.py:7: train T: InvalidArgumentError: logits and labels must have the same "
        "first dimension, got logits shape [4,3] and labels shape [12] (at "
        "sparse_categorical_crossentropy/SparseSoftmaxCrossEntropyWithLogits); training batches: "
        "float32 (None, 3), float32 (None, 3); model: input (None, 3), output (None, 3)",
        model=('"mse", ["mae"]', '"sparse_categorical_crossentropy"'),
    ),
    "missing file": Mistake(
        "DIR/model_def.py:19: train T: FileNotFoundError: [Errno 2] No such file or directory: "
        "'train.npy'",
        model=("x = np.random.random((40, 3))", "x = np.load('train.npy')"),
    ),
    "missing file of a dataset": Mistake(
        "DIR/model_def.py:18: train T: NotFoundError: train.csv; No such file or directory",
        model=(
            "        return x, y\n",
            "        data = tf.data.TextLineDataset('train.csv').map(lambda _: (x[0], y[0]))\n"
            "        return self.context.wrap_dataset(data.batch(4))\n",
        ),
    ),
    "NaN": Mistake(
        "warning: the loss became nan in batch 1; the training goes on, as in Keras: check the "
        "data for such values, or lower the learning rate; tf.keras.callbacks.TerminateOnNaN() "
        "ends a training there",
        model=("y = np.random.random((40, 3))", "y = np.full((40, 3), np.nan)"),
        trains=True,
    ),
    "hyperparameter": Mistake(
        "DIR/model_def.py:15: train T: ValueError: hyperparameters.lr is not in the config, which "
        "has global_batch_size, lrate; did you mean lrate?",
        config=("lr:", "lrate:"),
    ),
    "key of hparams": Mistake(
        "DIR/model_def.py:15: train T: KeyError: 'lr'; hyperparameters.lr is not in the config, "
        "which has global_batch_size, lrate; did you mean lrate?",
        model=('self.context.get_hparam("lr")', 'self.context.get_hparams()["lr"]'),
        config=("lr:", "lrate:"),
    ),
    "loader without return": Mistake(
        "DIR/model_def.py:18: Invalid data type (NoneType): expected a tuple (x, y) or (x, y, "
        "sample_weights) of NumPy arrays, a tf.data.Dataset, or a keras.utils.Sequence. Is the "
        "return of the loader missing?",
        model=("        return x, y\n", ""),
    ),
    "model that is not wrapped": Mistake(
        "DIR/model_def.py:7: Please call wrap_model(...) in build_model, before compile.",
        model=("        model = self.context.wrap_model(model)\n", ""),
    ),
    "name of a metric": Mistake(
        "DIR/model_def.py:7: compile: Keras has no metric named acurracy",
        model=('"mae"', '"acurracy"'),
    ),
    "compiled again": Mistake(
        "DIR/model_def.py:19: model.compile(...) while the model trains: fit goes on with the "
        "step that build_model compiled. Change a rate with tf.keras.backend.set_value("
        "model.optimizer.learning_rate, ...); for another optimizer, loss or other trainable "
        "layers, stop here and train a second trial with --from-checkpoint",
        model=(
            "    def build_training_data_loader",
            "    def keras_callbacks(self):\n"
            "        again = lambda *_: self.context.model.compile('sgd', 'mse')\n"
            "        return [tf.keras.callbacks.LambdaCallback(on_train_batch_end=again)]\n\n"
            "    def build_training_data_loader",
        ),
    ),
    "config key": Mistake(
        "DIR/const.yaml:3: searcher.smaller_is_beter: unknown key: did you mean smaller_is_better?",
        config=("metric:", "smaller_is_beter: false, metric:"),
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_prints_one_helpful_line(mistake: Mistake, tmp_path: Path) -> None:
    trial = write_tree(tmp_path / "trial", mistaken(mistake))

    done = pedl2det("run", trial, "--out", tmp_path / "out")

    if mistake.trains:
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines().count(mistake.line) == 1
    else:
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        said = line.removesuffix(" (--traceback shows the whole stack)")
        assert said == "pedl2det: " + mistake.line.replace("DIR", str(trial))


class Loss:
    """The losses of four records, which a device computes; counts how often they are fetched."""

    fetched = 0

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        Loss.fetched += 1
        return np.array([0.5, np.nan, 0.5, np.inf])


def test_the_losses_of_records_are_checked_where_they_are_fetched(tmp_path: Path) -> None:
    import tensorflow as tf

    import training

    class Unreduced(tf.keras.Sequential):  # type: ignore[misc, name-defined]
        def train_step(self, data: Any) -> dict[str, Any]:
            return {"loss": Loss()}

    make = training.building(
        lambda trial: training.compiled(trial, Unreduced([training.dense()]), run_eagerly=True)
    )
    for more, batches in (({}, "one of the batches 1 to 10"), ({"trace": True}, "batch 1")):
        before = Loss.fetched
        said = training.run(make, tmp_path / batches, **more).said
        assert len([line for line in said if f"the loss became nan in {batches}" in line]) == 1
        assert more or Loss.fetched - before < 5


@pytest.mark.parametrize(
    ("file", "last", "instead", "line"),
    [
        (
            "model_def.py",
            "return model",
            "pass",
            "model_def.py:16: build_model must return a compiled tf.keras.Model: it returned None",
        ),
        (
            "data.py",
            "return train, test",
            "pass",
            "data.py:23: make_data_loaders: expected a pair (training, validation), got nothing",
        ),
        (
            "data.py",
            "return train, test",
            "return train, None",
            "data.py:23: Invalid data type (NoneType): expected a tuple",
        ),
    ],
)
def test_an_old_trial_that_returns_nothing(
    file: str, last: str, instead: str, line: str, tmp_path: Path
) -> None:
    trial = Path(shutil.copytree(EXAMPLES / "iris", tmp_path / "trial"))
    text = (trial / file).read_text()
    assert text.count(last) == 1
    (trial / file).write_text(text.replace(last, instead))

    done = pedl2det("run", trial, "--out", tmp_path / "out", "--max-batches", 1)

    assert done.returncode == 2
    assert done.stderr.startswith(f"pedl2det: {trial}/{line}")


def test_the_lines_are_in_the_docs() -> None:
    documented = DOCS.read_text()
    assert [name for name, mistake in MISTAKES.items() if mistake.line not in documented] == []


def test_the_traceback_is_shown_on_demand(tmp_path: Path) -> None:
    trial = write_tree(tmp_path / "trial", mistaken(MISTAKES["missing file"]))

    done = pedl2det("run", trial, "--out", tmp_path / "out", "--traceback")

    assert f'File "{trial}/model_def.py", line 19, in build_training_data_loader' in done.stderr
    assert done.stderr.count("FileNotFoundError: ") == 2  # the traceback, and the one line


def mistaken(mistake: Mistake) -> dict[str, str]:
    """The files of a trial with a mistake."""
    assert mistake.model[0] in MODEL
    assert mistake.config[0] in CONFIG
    return {
        "model_def.py": MODEL.replace(*mistake.model, 1),
        "const.yaml": CONFIG.replace(*mistake.config, 1),
    }
