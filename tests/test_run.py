"""run: old and new trials train, are killed, go on, and are refused with one clear line."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pedl2det_runtime.checkpoint.directory import latest, steps
from pedl2det_runtime.checkpoint.model_files import read_weights
from support import EXAMPLES, pedl2det, read_tree, start, write_tree
from trained_examples import trained_example

pytestmark = pytest.mark.slow

MODEL = """\
import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial


class T(TFKerasTrial):
    def build_model(self):
        model = tf.keras.Sequential(
            [tf.keras.layers.Dense(4), tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(1)]
        )
        model = self.context.wrap_model(model)
        optimizer = self.context.wrap_optimizer(tf.keras.optimizers.Adam(0.01))
        model.compile(optimizer, "mse")
        return model

    def build_training_data_loader(self):
        x = np.random.random((40, 3))
        return x, x.sum(axis=1, keepdims=True)

    def build_validation_data_loader(self):
        return self.build_training_data_loader()
"""
CONFIG = """\
entrypoint: model_def:T
hyperparameters: {global_batch_size: 8}
searcher: {name: single, metric: val_loss, max_length: {batches: 60}}
scheduling_unit: 20
min_validation_period: {batches: 30}
min_checkpoint_period: {batches: 20}
checkpoint_policy: none
"""
SMALL = {"model_def.py": MODEL, "const.yaml": CONFIG}


def reports(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]


def weights(out: Path) -> dict[str, bytes]:
    checkpoint = latest(out / "checkpoints")
    assert checkpoint is not None
    return {name: array.tobytes() for name, array in read_weights(checkpoint).items()}


def trained(directory: Path, out: Path, *arguments: str) -> str:
    done = pedl2det("run", directory, "--out", out, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def killed_at(
    directory: Path, out: Path, lines: int, *arguments: str, is_to_go_on: bool = False
) -> None:
    """Train until ``metrics.jsonl`` has so many lines, and a checkpoint is there; then SIGKILL."""
    process = start(["run", str(directory), "--out", str(out), *arguments], None, {**os.environ})
    log = out / "metrics.jsonl"
    while process.poll() is None:
        is_long_enough = log.exists() and log.read_bytes().count(b"\n") >= lines
        if is_long_enough and (not is_to_go_on or steps(out / "checkpoints")):
            process.kill()
            break
        time.sleep(0.005)
    assert process.wait() == -signal.SIGKILL, "it ended before it could be killed"


def assert_goes_on(
    directory: Path, scratch: Path, lines: int, *arguments: str, whole: Path | None = None
) -> None:
    """A run killed after so many reports ends, resumed, as one that was never killed."""
    broken = scratch / "broken"
    if whole is None:
        whole = scratch / "whole"
        trained(directory, whole, *arguments)
    killed_at(directory, broken, lines, *arguments, is_to_go_on=True)

    assert "resumed at batch" in trained(directory, broken, "--resume", *arguments)

    assert weights(broken) == weights(whole)
    assert reports(broken) == reports(whole)


def test_the_reports_and_checkpoints_stand_where_the_schedule_says(tmp_path: Path) -> None:
    directory = write_tree(tmp_path / "trial", SMALL)
    done = pedl2det("run", directory, "--out", tmp_path / "out", fresh=True)
    assert done.returncode == 0, done.stderr

    assert [(r["kind"], r["batches"], r["epochs"]) for r in reports(tmp_path / "out")] == [
        ("training", 20, 4.0),
        ("training", 30, 6.0),
        ("validation", 30, 6.0),
        ("training", 40, 8.0),
        ("training", 60, 12.0),
        ("validation", 60, 12.0),
    ]
    kept = [
        json.loads(path.read_text())["steps_completed"]
        for path in (tmp_path / "out" / "checkpoints").glob("*/metadata.json")
    ]
    assert sorted(kept) == [20, 40, 60]
    assert list((tmp_path / "out" / "tensorboard").rglob("events.out.*"))


@pytest.mark.kills
def test_a_killed_run_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    """Dropout, Adam, shuffled batches, weights built on the first batch."""
    directory = write_tree(tmp_path / "trial", SMALL)
    assert_goes_on(directory, tmp_path, 60, "--set", "searcher.max_length.batches=1500")


@pytest.mark.kills
@pytest.mark.turns(8, "kills")
@pytest.mark.parametrize(
    ("name", "lines", "arguments"),
    [
        ("iris", 7, ()),
        ("digits", 4, ()),
        ("digits", 4, ("--set", "data.acceleration=null")),
        ("digits", 4, ("--set", "data.acceleration={workers: 3, use_multiprocessing: false}")),
    ],
)
def test_a_killed_example_goes_on_to_the_same_weights(
    name: str, lines: int, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    whole = trained_example(name, *arguments)
    assert_goes_on(EXAMPLES / name, tmp_path, lines, *arguments, whole=whole)


@pytest.mark.turns(8, "kills")
@pytest.mark.kills
def test_a_sequence_that_reshuffles_itself_goes_on_as_it_was(tmp_path: Path) -> None:
    sequence = """
    def build_training_data_loader(self):
        return Shuffling()


class Shuffling(tf.keras.utils.Sequence):
    def __init__(self):
        self.x = np.random.random((40, 3))
        self.order = np.arange(40)

    def __len__(self):
        return 5

    def __getitem__(self, index):
        x = self.x[self.order[index * 8 : index * 8 + 8]]
        return x + np.random.normal(size=x.shape), x.sum(axis=1)

    def on_epoch_end(self):
        np.random.shuffle(self.order)
"""
    model = MODEL.replace("def build_validation", "def build_validation", 1)
    model = model.replace(
        "        return self.build_training_data_loader()\n",
        "        x = np.random.random((40, 3))\n        return x, x.sum(axis=1)\n",
    )
    first = model.index("    def build_training_data_loader")
    second = model.index("    def build_validation_data_loader")
    model = model[:first] + model[second:] + sequence
    directory = write_tree(tmp_path / "trial", {**SMALL, "model_def.py": model})
    more = (
        "--set",
        "searcher.max_length.batches=1000",
        "--set",
        "min_checkpoint_period.batches=23",
    )
    assert_goes_on(directory, tmp_path, 40, *more)


def test_time_based_decay_is_what_it_was(tmp_path: Path) -> None:
    """SGD(lr=0.1, decay=0.5) on y = w x with x = 1, y = 0: worked out by hand."""
    files = {
        "__init__.py": "from model_def import T, make_data_loaders\n",
        "model_def.py": """\
import numpy as np
import tensorflow as tf
from tensorflow.keras.optimizers import SGD
from pedl.frameworks.keras import TFKerasTrial
from pedl.frameworks.keras.data import InMemorySequence


class T(TFKerasTrial):
    def build_model(self, hparams):
        dense = tf.keras.layers.Dense(
            1, use_bias=False, kernel_initializer="ones", input_shape=(1,)
        )
        model = tf.keras.Sequential([dense])
        model.compile(SGD(lr=0.1, decay=0.5), "mse")
        return model


def make_data_loaders(experiment_config, hparams):
    x = np.ones((4, 1))
    return InMemorySequence(x, 0 * x, 4), InMemorySequence(x, 0 * x, 4)
""",
        "const.yaml": "hyperparameters: {batch_size: 4}\n"
        "searcher: {name: single, metric: val_loss, max_steps: 1}\nbatches_per_step: 10\n",
    }
    trained(write_tree(tmp_path / "trial", files), tmp_path / "out")

    weight = 1.0
    for batch in range(10):
        weight -= 0.1 / (1 + 0.5 * batch) * 2 * weight
    (kernel,) = (
        np.frombuffer(data, np.float32)
        for name, data in weights(tmp_path / "out").items()
        if name.endswith("kernel:0") and name.startswith("model_weights")
    )
    assert kernel[0] == pytest.approx(weight, rel=1e-5)


def test_test_mode_trains_one_batch_of_everything(tmp_path: Path) -> None:
    trained(EXAMPLES / "iris", tmp_path / "out", "--test")

    assert [(r["kind"], r["batches"]) for r in reports(tmp_path / "out")] == [
        ("training", 1),
        ("validation", 1),
    ]


def test_a_test_ends_an_epoch_and_leaves_nothing(tmp_path: Path) -> None:
    """An old trial has epochs although its config names none; the real run is not in its way."""
    trial = write_tree(tmp_path / "trial", OLD)
    temporary = tmp_path / "temporary"
    temporary.mkdir()

    test = pedl2det("run", trial, "--test", cwd=tmp_path, TMPDIR=str(temporary))

    assert test.returncode == 0, test.stderr
    assert "EPOCH 0 ['loss']" in test.stdout.splitlines()
    assert "never be called" not in test.stdout + test.stderr
    *_, last = test.stdout.splitlines()
    assert re.fullmatch(r"test: trained 1 batch in \d+\.\d s; its results are removed", last)
    assert "temporary" not in test.stdout + test.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["temporary", "trial"]
    assert [*temporary.iterdir()] == []


def test_a_test_stores_a_checkpoint_and_removes_it(tmp_path: Path) -> None:
    storage = tmp_path / "storage"
    trial = write_tree(tmp_path / "trial", SMALL)
    stored = f"checkpoint_storage={{type: shared_fs, host_path: {storage}}}"

    done = pedl2det("run", trial, "--test", "--set", stored, "--log-format=json", cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    begin, *_, end = map(json.loads, done.stdout.splitlines())
    assert begin["out"] is end["out"] is end["best"]["checkpoint"] is None
    assert storage.is_dir()  # it was written to
    assert [*storage.iterdir()] == []


def test_a_test_of_a_run_to_resume_must_name_it(tmp_path: Path) -> None:
    done = pedl2det("run", EXAMPLES / "iris", "--test", "--resume", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "pedl2det: --test --resume: a test trains into a temporary directory: leave out --resume, "
        "or name the run with --out\n"
    )


LEGACY_MODEL = """\
import numpy as np
import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial
from pedl.frameworks.keras.data import InMemorySequence


class T(TFKerasTrial):
    def session_config(self, hparams):
        return tf.ConfigProto(intra_op_parallelism_threads=3)

    def build_model(self, hparams):
        print("THREADS", tf.config.threading.get_intra_op_parallelism_threads())
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
        model.compile("sgd", "mse")
        return model

    def keras_callbacks(self, hparams):
        def say(epoch, logs):
            print("EPOCH", epoch, sorted(logs))
        return [tf.keras.callbacks.LambdaCallback(on_epoch_end=say)]


def make_data_loaders(experiment_config, hparams):
    x = np.random.random((20, 3))
    loader = InMemorySequence(x, x.sum(axis=1), hparams["batch_size"])
    return loader, loader
"""


OLD = {
    "__init__.py": "from model_def import T, make_data_loaders\n",
    "model_def.py": LEGACY_MODEL,
    "const.yaml": "hyperparameters: {batch_size: 8}\nbatches_per_step: 8\n"
    "searcher: {name: single, metric: val_loss, max_steps: 1}\n",
}


def test_an_old_epoch_is_one_pass_with_training_logs(tmp_path: Path) -> None:
    said = trained(write_tree(tmp_path / "trial", OLD), tmp_path / "out")

    lines = [line for line in said.splitlines() if line.startswith("EPOCH")]
    assert lines == ["EPOCH 0 ['loss']", "EPOCH 1 ['loss']"]  # 20 records are 3 batches
    assert "THREADS 3" in said.splitlines()


@pytest.mark.turns(8, "kills")
@pytest.mark.kills
def test_a_shuffled_dataset_goes_on_where_it_was(tmp_path: Path) -> None:
    """tf.data: shuffled anew each pass, noise drawn in a map; a model built on its first batch."""
    loaders = """    def build_training_data_loader(self):
        x = tf.random.uniform((40, 3), seed=1)
        dataset = self.context.wrap_dataset(
            tf.data.Dataset.from_tensor_slices((x, tf.reduce_sum(x, axis=1, keepdims=True)))
        )
        noisy = dataset.map(lambda x, y: (x + tf.random.normal((3,)), y))
        self.validation = dataset.batch(8)
        return noisy.shuffle(40).batch(8)

    def build_validation_data_loader(self):
        return self.validation
"""
    model = MODEL[: MODEL.index("    def build_training_data_loader")] + loaders
    directory = write_tree(tmp_path / "trial", {**SMALL, "model_def.py": model})
    more = ("--set", "searcher.max_length.batches=1500")
    assert_goes_on(directory, tmp_path, 60, *more)


@pytest.mark.turns(8, "kills")
@pytest.mark.kills
def test_a_model_that_hdf5_cannot_describe_goes_on_too(tmp_path: Path) -> None:
    model = (
        MODEL.replace(
            """tf.keras.Sequential(
            [tf.keras.layers.Dense(4), tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(1)]
        )""",
            "Net()",
        )
        + """

class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(4)
        self.drop = tf.keras.layers.Dropout(0.5)
        self.last = tf.keras.layers.Dense(1)

    def call(self, x, training=False):
        return self.last(self.drop(self.hidden(x), training=training))
"""
    )
    directory = write_tree(tmp_path / "trial", {**SMALL, "model_def.py": model})
    more = ("--set", "searcher.max_length.batches=1500")
    assert_goes_on(directory, tmp_path, 60, *more)
    assert any("hidden/kernel" in name for name in weights(tmp_path / "whole"))


def test_a_callback_that_stops_ends_after_its_workload(tmp_path: Path) -> None:
    callback = """
    def keras_callbacks(self):
        return [Stopper()]


class Stopper(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        if batch == 25:
            self.model.stop_training = True
"""
    directory = write_tree(tmp_path / "trial", {**SMALL, "model_def.py": MODEL + callback})

    assert "trained 30 batches" in trained(directory, tmp_path / "out")
    assert [r["batches"] for r in reports(tmp_path / "out")] == [20, 30]
    resumed = trained(directory, tmp_path / "out", "--resume")
    assert "stopped by a callback" in resumed
    assert "nothing is left to train: 30 batches are trained; results in " in resumed


STOPPING = """
    def keras_callbacks(self):
        from determined.keras.callbacks import EarlyStopping, ReduceLROnPlateau
        return [
            ReduceLROnPlateau(monitor="val_loss", patience=2, factor=0.5),
            EarlyStopping(monitor="val_loss", patience=7, restore_best_weights=True),
        ]
"""


def test_a_sequence_adapter_trains_as_its_sequence_does(tmp_path: Path) -> None:
    """Alone on Determined since 0.13.10 it fails; here its workers are used."""
    sequence = """

class Rows(tf.keras.utils.Sequence):
    def __len__(self):
        return 5

    def __getitem__(self, index):
        x = np.arange(24.0).reshape(8, 3) + index
        return x / 30, x.sum(axis=1) / 90
"""
    for name, loader in (("plain", "Rows()"), ("adapted", "SequenceAdapter(Rows(), True, 2)")):
        model = MODEL[: MODEL.index("    def build_training")].replace(
            "import TFKerasTrial", "import SequenceAdapter, TFKerasTrial"
        )
        model += f"    def build_training_data_loader(self):\n        return {loader}\n\n"
        model += f"    def build_validation_data_loader(self):\n        return {loader}\n"
        directory = write_tree(tmp_path / name, {**SMALL, "model_def.py": model + sequence})
        trained(directory, tmp_path / f"{name}-out")

    assert weights(tmp_path / "adapted-out") == weights(tmp_path / "plain-out")
    assert reports(tmp_path / "adapted-out") == reports(tmp_path / "plain-out")


@pytest.mark.turns(8, "kills")
@pytest.mark.kills
def test_early_stopping_and_a_falling_learning_rate_survive_a_kill(tmp_path: Path) -> None:
    """Both count validations; the rate is halved on the way, and the best weights come back."""
    directory = write_tree(tmp_path / "trial", {**SMALL, "model_def.py": MODEL + STOPPING})
    more = (
        "--set",
        "searcher.max_length.batches=100000",
        "--set",
        "min_validation_period.batches=10",
    )
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    trained(directory, whole, *more)
    losses = [r["metrics"]["val_loss"] for r in reports(whole) if r["kind"] == "validation"]
    best = losses.index(min(losses))
    # The validation that shows no improvement for the seventh time stops; its batch is the last.
    assert len(losses) - 1 - best == 7
    assert best > 0

    killed_at(directory, broken, len(reports(whole)) // 2, *more)
    trained(directory, broken, "--resume", *more)

    assert weights(broken) == weights(whole)
    assert reports(broken) == reports(whole)
    assert all(set(r["metrics"]) == {"val_loss"} for r in reports(whole) if r["kind"][0] == "v")


def test_credentials_of_a_config_are_in_no_file_of_the_run(
    example: Callable[[str], Path], tmp_path: Path
) -> None:
    directory = example("iris")
    secret = "wJalrXUtnFEMI"
    with (directory / "const.yaml").open("a") as config:
        config.write(f"checkpoint_storage: {{type: s3, bucket: b, secret_key: {secret}}}\n")
    said = trained(directory, tmp_path / "out", "--test")

    assert secret not in said
    assert not [n for n, data in read_tree(tmp_path / "out").items() if secret.encode() in data]


def test_a_run_is_for_its_user_alone_and_keeps_what_its_trial_imports(tmp_path: Path) -> None:
    """Not what lies beside it: credentials, modules that nothing imports, dangling links."""
    beside = {
        "token.txt": "ghp_1",
        "requirements.txt": "git+https://ghp_1@github.com/a/b\n",
        "deploy.pem": "x",
        "id_rsa": "x",
        ".env": "TOKEN=ghp_1",
        ".aws/keys.txt": "AKIA",
        "unused.py": "TOKEN = 'ghp_1'",
    }
    kept = {"net/__init__.py": "", "net/sizes.py": "UNITS = 3\n", "net/words.txt": "a b c\n"}
    source = SMALL["model_def.py"].replace("import", "import net.sizes\nimport", 1)
    directory = write_tree(tmp_path / "trial", SMALL | beside | kept | {"model_def.py": source})
    (directory / "gone.txt").symlink_to("nowhere")
    mine = tmp_path / "mine"
    mine.mkdir(mode=0o755)

    for out in (tmp_path / "out", mine):
        trained(directory, out, "--max-batches", "20")

    checkpoint = latest(out / "checkpoints")
    assert checkpoint is not None
    assert set(read_tree(checkpoint / "code")) == {"model_def.py", *kept}
    modes = {path: path.stat().st_mode & 0o777 for path in (tmp_path / "out", mine, checkpoint)}
    assert modes == {tmp_path / "out": 0o700, mine: 0o755, checkpoint: 0o700}


def test_results_are_never_overwritten(tmp_path: Path) -> None:
    trained(EXAMPLES / "iris", tmp_path / "out", "--test")
    before = read_tree(tmp_path / "out")

    again = pedl2det("run", EXAMPLES / "iris", "--out", tmp_path / "out")

    assert again.returncode == 2
    assert "go on with --resume, or choose another directory with --out" in again.stderr
    assert read_tree(tmp_path / "out") == before


def test_a_checkpoint_of_other_hyperparameters_is_refused(tmp_path: Path) -> None:
    trained(EXAMPLES / "iris", tmp_path / "out", "--test")

    again = pedl2det(
        "run", EXAMPLES / "iris", "--out", tmp_path / "out", "--resume",
        "--set", "hyperparameters.layer1_dense_size=8",
    )  # fmt: skip

    assert again.returncode == 2
    assert "other settings: hyperparameters.layer1_dense_size: 16, now 8: " in again.stderr


def test_a_trial_leaves_nothing_in_its_directory(
    example: Callable[[str], Path], tmp_path: Path
) -> None:
    directory = example("iris")
    before = read_tree(directory)
    trained(directory, tmp_path / "out", "--test")

    assert read_tree(directory) == before


PACKAGE = {
    "__init__.py": "from model_def import T, make_data_loaders\n",
    "const.yaml": "hyperparameters: {batch_size: 2}\n"
    "searcher: {name: single, metric: val_loss, max_steps: 1}\n",
    "model_def.py": """\
from pedl.frameworks.keras import TFKerasTrial


class T(TFKerasTrial):
    def build_model(self, hparams):
        return hparams["missing"]


def make_data_loaders(experiment_config, hparams):
    return [1], [1]
""",
}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"const.yaml": "- a\n"}, "const.yaml: expected a mapping of config keys, got list"),
        ({"__init__.py": "import model_def\n"}, "expected exactly one trial class, found none"),
        (
            {"__init__.py": "from model_def import *\nclass U(T):\n    pass\n"},
            "expected exactly one trial class, found T, U",
        ),
        ({"__init__.py": "from model_def import T\n"}, "expected a function make_data_loaders"),
        (
            {"model_def.py": PACKAGE["model_def.py"].replace("[1], [1]", "[1]")},
            "model_def.py:9: make_data_loaders: expected a pair (training, validation), got 1 load",
        ),
        ({}, "Invalid data type (list)"),
        (
            {"model_def.py": PACKAGE["model_def.py"].replace("[1], [1]", "undefined")},
            "model_def.py:10: train T: NameError: name 'undefined' is not defined",
        ),
        (
            {"model_def.py": "import pedl\ndef broken(:\n"},
            "model_def.py:2: import the package: SyntaxError: invalid syntax",
        ),
    ],
)
def test_bad_input_is_one_clear_line(files: dict[str, str], message: str, tmp_path: Path) -> None:
    directory = write_tree(tmp_path / "trial", PACKAGE | files)

    done = pedl2det("run", directory, "--out", tmp_path / "out", cwd=tmp_path)

    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert len([line for line in done.stderr.splitlines() if line.startswith("pedl2det:")]) == 1
    assert not list((tmp_path / "out").rglob("*.h5"))


def test_a_missing_directory_writes_nothing(tmp_path: Path) -> None:
    done = pedl2det("run", "missing", "--out", "out", cwd=tmp_path)

    assert (done.returncode, done.stderr) == (2, "pedl2det: missing: no such directory\n")
    assert not os.listdir(tmp_path)


def test_a_run_starts_without_the_engine_of_migrate(tmp_path: Path) -> None:
    trial = write_tree(tmp_path / "trial", SMALL)
    arguments = ("run", trial, "--out", tmp_path / "out", "--max-batches", "1")

    done = pedl2det(*arguments, fresh=True, PYTHONPROFILEIMPORTTIME="1")

    assert done.returncode == 0
    assert "tensorflow" in done.stderr
    assert "libcst" not in done.stderr
