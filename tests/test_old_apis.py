"""Names and APIs of PEDL and early Determined (docs/semantics.md)."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pedl2det_runtime.backends.keras_versions import is_keras_2_of_tensorflow
from support import EXAMPLES, OLD_EXAMPLES, pedl2det, write_tree
from test_run import reports, trained, weights
from trained_examples import trained_example

pytestmark = [pytest.mark.slow, pytest.mark.versions]

#: The oracle's environment has Determined itself, whose names are never ours.
needs_our_names = pytest.mark.skipif(
    any(found.name == "determined" for found in importlib.metadata.distributions()),
    reason="Determined itself is installed, without the names of 2019",
)

STEPS = """\
hyperparameters: {batch_size: 4}
searcher: {name: single, metric: val_loss, max_steps: 1}
batches_per_step: 12
"""
PACKAGE = "from model_def import T, make_data_loaders\n"
TRIAL = """\
import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import Dense
from pedl.frameworks.keras import TFKerasTrial

X = np.arange(60, dtype=np.float32).reshape(20, 3) / 60


class Rows(tf.keras.utils.Sequence):
    def __init__(self, name):
        self.name = name

    def __len__(self):
        return 5

    def __getitem__(self, index):
        print(f"{self.name} {index}\\n", end="")  # read in a thread: a line has to be one write
        rows = slice(index * 4, index * 4 + 4)
        return X[rows], 0 * X[rows, :1]

    def on_epoch_end(self):
        print(f"{self.name} end\\n", end="")


class T(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential(
            [Dense(1, use_bias=False, kernel_initializer="ones", input_shape=(3,))]
        )
        model.compile(OPTIMIZER, "mse")
        return model

    def keras_callbacks(self, hparams):
        return CALLBACKS


def make_data_loaders(experiment_config, hparams):
    return Rows("training"), Rows("validation")
"""


def package(directory: Path, optimizer: str = "'sgd'", callbacks: str = "[]") -> Path:
    source = TRIAL.replace("OPTIMIZER", optimizer).replace("CALLBACKS", callbacks)
    return write_tree(
        directory, {"__init__.py": PACKAGE, "model_def.py": source, "const.yaml": STEPS}
    )


def interpreter(code: str, directory: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    known = {key: value for key, value in os.environ.items() if key != "TF_USE_LEGACY_KERAS"}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
        env={**known, "TF_CPP_MIN_LOG_LEVEL": "3", **environment},
    )


@needs_our_names
@pytest.mark.turns(4)
@pytest.mark.parametrize("name", OLD_EXAMPLES)
def test_an_old_example_imports_in_a_plain_interpreter(name: str) -> None:
    """As it is where pedl comes before TensorFlow, which then gets TF_USE_LEGACY_KERAS=1 from it.

    Elsewhere it is told to set it, and that helps.
    """
    module = "train" if name == "digits_script" else "model_def"
    code = f"import pedl2det_runtime, {module}"

    untold = interpreter(code, EXAMPLES / name)
    if untold.returncode:
        last = untold.stderr.strip().splitlines()[-1]
        assert "Keras 3" in last
        assert "set TF_USE_LEGACY_KERAS=1 in the environment" in last
        told = interpreter(code, EXAMPLES / name, TF_USE_LEGACY_KERAS="1")
        assert told.returncode == 0, told.stderr


def test_the_old_data_order(tmp_path: Path) -> None:
    """Never shuffled, read from batch 0, for every pass; the validation after the step."""
    said = trained(package(tmp_path / "trial", callbacks="None"), tmp_path / "out")

    lines = [line.split() for line in said.splitlines()]
    events = [" ".join(line) for line in lines if line[0] in ("training", "validation")]
    events = [line for line in events if "/" not in line]  # the reports
    one_pass = [*map(str, range(5)), "end"]
    assert [line.split()[1] for line in events if line.startswith("training")] == [
        *one_pass,
        *one_pass,
        *("0", "1"),
    ]
    assert [line.split()[1] for line in events if line.startswith("validation")] == one_pass


def test_rmsprop_trains_with_its_rate_and_its_decay(tmp_path: Path) -> None:
    """The rate of batch n is lr / (1 + decay n); checked itself, and by the weights it leads to."""
    rates = (
        "iter([tf.keras.callbacks.LambdaCallback(on_train_batch_begin=lambda batch, logs: print("
        "f'RATE {float(self.model.optimizer._decayed_lr(tf.float32))}\\n', end=''))])"
    )
    directory = package(tmp_path / "trial", "RMSprop(lr=0.1, decay=1e-3)", rates)
    source = (directory / "model_def.py").read_text()
    source = source.replace(
        "        return model\n", "        self.model = model\n        return model\n"
    )
    source = source.replace(
        "import Dense\n", "import Dense\nfrom tensorflow.keras.optimizers import RMSprop\n"
    )
    (directory / "model_def.py").write_text(source)
    said = trained(directory, tmp_path / "out")

    told = [float(line.split()[1]) for line in said.splitlines() if line.startswith("RATE")]
    assert told == pytest.approx([0.1 / (1 + 1e-3 * n) for n in range(12)], rel=1e-6)

    x = np.arange(60, dtype=np.float64).reshape(20, 3) / 60
    kernel, mean_square = np.ones((3, 1)) * 1.0, np.zeros((3, 1))
    for batch in range(12):
        rows = x[batch % 5 * 4 : batch % 5 * 4 + 4]
        gradient = 2 / 4 * rows.T @ (rows @ kernel)
        mean_square = 0.9 * mean_square + 0.1 * gradient**2
        kernel -= 0.1 / (1 + 1e-3 * batch) * gradient / (np.sqrt(mean_square) + 1e-7)
    (found,) = (
        np.frombuffer(data, np.float32)
        for name, data in weights(tmp_path / "out").items()
        if name.startswith("model_weights") and "kernel" in name
    )
    assert found.tolist() == pytest.approx(np.ravel(kernel).tolist(), rel=1e-3)


def test_callbacks_know_accuracy_by_its_old_name_too(tmp_path: Path) -> None:
    said = (
        "[tf.keras.callbacks.LambdaCallback(on_epoch_end="
        "lambda e, logs: print(' '.join(['LOGS', *logs, '\\n']), end=''))]"
    )
    directory = package(tmp_path / "trial", "'sgd'", said)
    source = (directory / "model_def.py").read_text().replace('"mse")', '"mse", ["accuracy"])')
    (directory / "model_def.py").write_text(source)
    lines = trained(directory, tmp_path / "out", "--set", "searcher.metric=val_acc").splitlines()

    assert {line for line in lines if line.startswith("LOGS")} == {"LOGS acc loss accuracy "}
    assert set(reports(tmp_path / "out")[-1]["metrics"]) == {"val_loss", "val_accuracy"}


def test_logs_of_a_batch_say_its_number_and_size(tmp_path: Path) -> None:
    said = (
        "[tf.keras.callbacks.LambdaCallback(on_batch_end=lambda batch, logs: print(f'LOGS "
        '{batch} {logs["batch"]} {logs["size"]}\\n\', end=\'\')), '
        "tf.keras.callbacks.ModelCheckpoint('{epoch}-{batch}.h5', save_freq=5)]"
    )
    directory = package(tmp_path / "trial", "'sgd'", said)
    lines = trained(directory, tmp_path / "out").splitlines()

    told = [line for line in lines if line.startswith("LOGS")]
    assert told[:6] == [f"LOGS {batch % 5} {batch % 5} 4" for batch in range(6)]


def test_a_single_file_holds_a_trial(tmp_path: Path) -> None:
    directory = package(tmp_path / "trial")
    (directory / "__init__.py").unlink()

    trained(directory / "model_def.py", tmp_path / "out")
    assert reports(tmp_path / "out")[-1]["batches"] == 12


def test_two_trials_of_one_process_may_share_the_names_of_their_modules(tmp_path: Path) -> None:
    package(tmp_path / "one")
    package(tmp_path / "other", "'adam'")
    code = """
from pedl2det.cli import cli
for trial, out in (("one", "one-out"), ("other", "other-out"), ("one", "again")):
    cli.main(["run", trial, "--out", out], standalone_mode=False)
"""
    done = interpreter(code, tmp_path)
    assert done.returncode == 0, done.stderr

    assert weights(tmp_path / "one-out") == weights(tmp_path / "again")
    assert weights(tmp_path / "one-out") != weights(tmp_path / "other-out")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "tf.contrib.layers.batch_norm(1)",
            "model_def.py:6: tf.contrib.layers.batch_norm is not supported",
        ),
        (
            "import pedl; pedl.Experiment('name')",
            "model_def.py:6: pedl.Experiment is not",
        ),
        ("from keras.layers import CuDNNThing", "model_def.py:6: import the package: ImportError"),
    ],
)
def test_what_cannot_be_served_is_told_with_its_place(line: str, said: str, tmp_path: Path) -> None:
    directory = package(tmp_path / "trial")
    source = (directory / "model_def.py").read_text().replace("\nX = ", f"\n{line}\nX = ", 1)
    (directory / "model_def.py").write_text(source)

    done = pedl2det("run", directory, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert said in done.stderr


IDIOMS = """
import pedl.frameworks.keras
import keras
from keras.layers import GRU, LSTM, Dense
from keras.layers.advanced_activations import PReLU
from keras.optimizers import SGD, Adadelta
from keras.preprocessing.sequence import _remove_long_seq, pad_sequences
from keras.utils.data_utils import Sequence, get_file
from keras.datasets.cifar import load_batch
import tensorflow as tf
from tensorflow.python.keras.utils.data_utils import Sequence as Private
import numpy as np

assert LSTM(3).recurrent_activation is tf.keras.activations.hard_sigmoid
assert tf.keras.layers.LSTM(3).recurrent_activation is tf.keras.activations.hard_sigmoid
from tensorflow.keras.layers import LSTM as LSTM1
assert LSTM1(3).recurrent_activation is tf.keras.activations.hard_sigmoid
assert GRU(3).reset_after is False
assert LSTM(3, recurrent_activation="tanh").recurrent_activation is tf.keras.activations.tanh
assert Adadelta().get_config()["learning_rate"] == 1.0
assert Adadelta(lr=0.5).get_config()["learning_rate"] == 0.5
assert keras.optimizers.get("adadelta").get_config()["learning_rate"] == 1.0
assert SGD(lr=0.5, decay=0.1).get_config()["decay"] == 0.1
assert Sequence is Private is tf.keras.utils.Sequence
assert np.object is object
with tf.Session().as_default():
    assert tf.constant([1, 2]).eval().tolist() == [1, 2]
assert tf.gfile.Exists(".") and tf.ConfigProto(allow_soft_placement=True)

from pedl import idioms
idioms.deactivate()
assert tf.keras.layers.LSTM(3).recurrent_activation is tf.keras.activations.sigmoid
assert not hasattr(tf, "ConfigProto") and not hasattr(np, "object")
assert not issubclass(tf.keras.optimizers.Adam, tf.keras.optimizers.legacy.Optimizer)
"""


def test_idioms_are_served_and_taken_back(tmp_path: Path) -> None:
    done = interpreter(IDIOMS, tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(is_keras_2_of_tensorflow(), reason="keras is Keras 2 with this TensorFlow")
def test_keras_3_imported_before_pedl_is_told(tmp_path: Path) -> None:
    """Of standalone Keras: TensorFlow itself would serve Keras 2."""
    done = interpreter("import keras, pedl.frameworks.keras", tmp_path, TF_USE_LEGACY_KERAS="1")
    assert done.returncode == 1
    assert "put `import pedl` before `import keras`" in done.stderr
    assert interpreter("import pedl, keras; keras.layers.LSTM(2)", tmp_path).returncode == 0


KERAS_TRIAL = """\
import numpy as np
from pedl.frameworks.keras import KerasTrial
from pedl.frameworks.keras.data import InMemorySequence
from keras.layers import Dense
from keras.models import Sequential

X = np.arange(60.0).reshape(20, 3) / 60


class T(KerasTrial):
    def build_model(self, hparams):
        return Sequential([Dense(1, kernel_initializer="zeros", input_shape=(3,))])

    def optimizer(self):
        return "sgd"

    def loss(self):
        return "mse"

    def batch_size(self):
        return 4

    def training_metrics(self):
        return {"error": "mae"}

    def validation_metrics(self):
        return {}

    def compute_validation_metrics(self, step_id):
        self.validation_data_adapter.start(is_validation=True)
        batches = list(self.validation_data_adapter.get_iterator())
        self.validation_data_adapter.stop()
        predicted = self.model.predict(np.concatenate([x for x, _ in batches]), verbose=0)
        metrics = {"largest": predicted.max(), "batches": len(batches), "step": step_id}
        return {"num_inputs": 20, "validation_metrics": metrics}


def make_data_loaders(experiment_config, hparams):
    loader = InMemorySequence(X, X.sum(axis=1), 4)
    return loader, loader
"""


def test_a_keras_trial_may_compute_its_validation_metrics(tmp_path: Path) -> None:
    files = {"__init__.py": PACKAGE, "model_def.py": KERAS_TRIAL, "const.yaml": STEPS}
    directory = write_tree(tmp_path / "trial", files)
    trained(directory, tmp_path / "out", "--set", "searcher.metric=largest")

    training, validation = reports(tmp_path / "out")
    assert set(training["metrics"]) == {"loss", "error"}
    assert validation["metrics"].keys() == {"largest", "batches", "step"}
    assert (validation["metrics"]["batches"], validation["metrics"]["step"]) == (5, 1)
    assert validation["metrics"]["largest"] > 0


EARLY = """\
import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial, TFKerasContext


class T(TFKerasTrial):
    def __init__(self, trial_context: TFKerasContext):
        super().__init__(trial_context=trial_context)
        assert trial_context.get_num_agents() == 1

    def build_model(self):
        model = self.context.wrap_model(tf.keras.Sequential([tf.keras.layers.Dense(1)]))
        model.compile(tf.keras.optimizers.SGD(lr=0.1), "mse", [first])
        return model

    def build_training_data_loader(self):
        return np.arange(22.0)[:, None], np.zeros((22, 1))

    def build_validation_data_loader(self):
        return np.arange(22.0)[:, None], np.zeros((22, 1))

    def keras_callbacks(self):
        return [tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda e, logs: print("END", e))]


def first(y, p):
    return tf.cast(tf.shape(y)[0], tf.float32)
"""


def test_early_determined_keeps_the_order_and_drops_a_partial_batch(tmp_path: Path) -> None:
    """22 records in batches of 4: five batches in a pass of training, six of validation."""
    config = STEPS.replace("batch_size", "global_batch_size") + "entrypoint: model_def:T\n"
    directory = write_tree(tmp_path / "trial", {"model_def.py": EARLY, "const.yaml": config})
    said = trained(directory, tmp_path / "out")

    assert "trained as in Determined 0.12: batches are not shuffled" in said
    assert [line for line in said.splitlines() if line.startswith("END")] == ["END 0", "END 1"]
    training, validation = reports(tmp_path / "out")
    assert training["metrics"]["first"] == 4.0  # each batch is whole
    assert validation["metrics"]["val_first"] < 4.0  # the last batch has 2


SCRIPT = """\
import numpy as np
import keras
import pedl

x = np.arange(60.0).reshape(20, 3) / 60
y = x.sum(axis=1)


def batches():
    number = 0
    while True:
        rows = slice(number % 5 * 4, number % 5 * 4 + 4)
        yield x[rows], y[rows]
        number += 1


model = keras.models.Sequential([keras.layers.Dense(1, input_shape=(3,))])
model.compile("sgd", "mse")
FIT
print("AFTER", len(model.get_weights()))
"""
SCRIPT_STEPS = """\
entrypoint: {script: train.py}
hyperparameters: {rate: 0.1}
searcher: {name: single, metric: val_loss, max_steps: 3}
batches_per_step: 4
min_checkpoint_period: 1
"""


def script(directory: Path, fit: str) -> Path:
    source = SCRIPT.replace("FIT", fit)
    return write_tree(directory, {"train.py": source, "const.yaml": SCRIPT_STEPS})


def test_a_script_trains_from_arrays_and_from_a_generator_alike(tmp_path: Path) -> None:
    arrays = script(tmp_path / "arrays", "model.fit(x, y, batch_size=4, validation_data=(x, y))")
    drawn = script(
        tmp_path / "drawn",
        "model.fit_generator(batches(), steps_per_epoch=5, validation_data=batches(), "
        "validation_steps=5, workers=3)",
    )
    assert "AFTER 2" in trained(arrays, tmp_path / "a").splitlines()
    trained(drawn, tmp_path / "b")
    assert weights(tmp_path / "a") == weights(tmp_path / "b")
    assert reports(tmp_path / "a") == reports(tmp_path / "b")

    trained(drawn, tmp_path / "c", "--max-batches", "7")
    trained(drawn, tmp_path / "c", "--resume")
    assert weights(tmp_path / "c") == weights(tmp_path / "b")


@pytest.mark.parametrize(
    ("fit", "said"),
    [
        ("", "the script never called fit"),
        ("model.fit(x, y)", "train.py:19: model.fit: validation_data is required"),
        (
            "for _ in range(2): model.fit(x, y, batch_size=4, validation_data=(x, y))",
            "train.py:19: model.fit: a script may train one model, once",
        ),
    ],
)
def test_a_script_that_cannot_be_trained_is_told(fit: str, said: str, tmp_path: Path) -> None:
    done = pedl2det("run", script(tmp_path / "trial", fit), "--out", tmp_path / "out")
    assert done.returncode == 2
    assert said in done.stderr


NATIVE = """\
import pedl2det_runtime
import determined as det
import numpy as np
import tensorflow as tf
from determined.experimental.keras import init

config = {
    "description": "native",
    "hyperparameters": {"global_batch_size": det.Constant(4), "rate": det.Constant(0.1)},
    "searcher": {"name": "single", "metric": "val_loss", "max_steps": 2},
    "batches_per_step": 6,
}
context = init(config=config, mode=det.Mode.SUBMIT, context_dir=".")
x = np.arange(60.0).reshape(20, 3) / 60
model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(3,))]
)
model = context.wrap_model(model)
model.compile(tf.keras.optimizers.SGD(context.get_hparam("rate")), "mse")
size = context.get_per_slot_batch_size()
model.fit(x, x.sum(axis=1), batch_size=size, validation_data=(x, x.sum(axis=1)), epochs=99)
print("TRAINED", float(model.get_weights()[0].sum()) > 0)
"""


@needs_our_names
def test_the_native_api_trains_where_fit_is_called(tmp_path: Path) -> None:
    write_tree(tmp_path, {"script.py": NATIVE})
    done = interpreter("import runpy; runpy.run_path('script.py', run_name='__main__')", tmp_path)

    assert done.returncode == 0, done.stderr
    assert "TRAINED True" in done.stdout.splitlines()
    assert [(r["kind"], r["batches"]) for r in reports(tmp_path / "runs" / "native")] == [
        ("training", 6),
        ("training", 12),
        ("validation", 12),
    ]


@needs_our_names
def test_a_trial_class_may_be_created(tmp_path: Path) -> None:
    create = """
import determined as det
det.create(T, config={"hyperparameters": {"global_batch_size": 4}, "batches_per_step": 6,
    "searcher": {"name": "single", "metric": "val_loss", "max_steps": 1}}, mode=det.Mode.TEST)
trial = det.create_trial_instance(T, "/tmp", hparams={"global_batch_size": 4})
print("BUILT", trial.build_model().loss)
"""
    write_tree(tmp_path, {"script.py": "import pedl2det_runtime\n" + EARLY + create})
    done = interpreter("import script", tmp_path)

    assert done.returncode == 0, done.stderr
    assert "BUILT mse" in done.stdout.splitlines()
    assert "its results are removed" in done.stdout
    assert not (tmp_path / "runs").exists()


@needs_our_names
def test_names_of_code_that_is_half_way_migrated(tmp_path: Path) -> None:
    code = """
import pedl2det_runtime
from determined.frameworks.keras.tf_keras_trial import TFKerasTrial
from determined.frameworks.keras.data import KerasDataAdapter
from determined.trial_controller.util import get_rank
import determined.keras
assert TFKerasTrial is determined.keras.TFKerasTrial
"""
    assert interpreter(code, tmp_path).returncode == 0


@pytest.mark.turns(4)
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("cancer_dataset", ()),  # its searcher says val_acc
        ("digits_keras_trial", ()),
        ("digits_script", ("--set", "min_checkpoint_period=1")),
        ("early_wine", ()),
    ],
)
def test_an_old_example_goes_on_where_it_was(
    name: str, more: tuple[str, ...], tmp_path: Path
) -> None:
    trained(EXAMPLES / name, tmp_path, "--max-batches", "137", *more)
    trained(EXAMPLES / name, tmp_path, "--resume", *more)

    assert weights(tmp_path) == weights(trained_example(name, *more))
