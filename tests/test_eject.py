"""eject: a plain script trains the same, bit for bit, and needs neither pedl2det nor Determined."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support import EXAMPLES, pedl2det, read_tree

pytestmark = pytest.mark.slow

#: Of each example what is compared, by hand from its config: batches and validations.
PROVED = {
    "cancer_dataset": (200, 2),
    "cancer_tf_data": (100, 2),
    "digits": (200, 2),
    "digits_gan": (60, 1),
    "digits_keras_trial": (60, 1),
    "digits_migrated": (100, 1),
    "digits_script": (60, 1),
    "early_wine": (250, 2),
    "iris": (250, 2),
    "iris_download": (60, 1),
    "iris_migrated": (60, 1),
    "wine": (208, 26),  # stopped early
    "wine_two_outputs": (150, 2),
}


def test_every_example_is_ejected() -> None:
    assert PROVED.keys() == {one.parent.name for one in EXAMPLES.glob("*/const.yaml")}


@pytest.mark.turns(12)
@pytest.mark.parametrize("name", PROVED)
def test_an_ejected_example_trains_the_same(name: str, tmp_path: Path) -> None:
    old, new = EXAMPLES / name, tmp_path / "plain"
    before = read_tree(old)
    batches, validations = PROVED[name]

    ejected = pedl2det("eject", old, "--out", new)
    asked = () if name == "wine" else ("--batches", batches)
    done = pedl2det("verify", old, *asked, "--against", new)

    assert ejected.returncode == 0, ejected.stderr
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"compared {batches} batches and {validations} reports (" in done.stdout
    assert done.stdout.startswith("equal for ")
    assert read_tree(old) == before


#: Epochs, workloads and periods that do not fit into each other; callbacks whose every event
#: changes the training; arrays in a dict, with weights, shuffled; a smaller last batch.
ARRAYS = """\
import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial, callbacks


class Keras(tf.keras.callbacks.Callback):
    def scale(self, factor):
        rate = self.model.optimizer.learning_rate
        rate.assign(rate * (1 + float(factor) / 50))

    def on_epoch_begin(self, epoch, logs=None):
        self.scale(epoch)

    def on_epoch_end(self, epoch, logs=None):
        self.scale(-epoch / 2)

    def on_train_batch_end(self, batch, logs=None):
        self.scale(batch * logs["loss"] / 100)

    def on_test_end(self, logs=None):
        self.scale(logs["val_loss"])


class Determined(callbacks.Callback):
    def on_train_workload_begin(self, total_batches_trained, batches_requested, logs):
        Keras.scale(self, batches_requested / 10)

    def on_train_workload_end(self, total_batches_trained, logs):
        Keras.scale(self, logs["loss"] * logs["batches"] / 100 - logs["epochs"] / 10)


class T(TFKerasTrial):
    def __init__(self, context):
        self.context = context

    def build_model(self):
        a = tf.keras.Input((3,), name="a")
        model = tf.keras.Model(a, tf.keras.layers.Dropout(0.3)(tf.keras.layers.Dense(4)(a)))
        model = self.context.wrap_model(model)
        rate = self.context.get_hparam("optimizer")["rate"]
        model.compile(self.context.wrap_optimizer(tf.keras.optimizers.Adam(rate)), "mse")
        return model

    def keras_callbacks(self):
        return [Keras(), Determined(), callbacks.ReduceLROnPlateau("val_loss", patience=1)]

    def arrays(self, count):
        x = np.random.rand(count, 3)
        return {"a": x}, [x[:, :1] * np.ones((1, 4))], np.linspace(0.5, 1.5, count)

    def build_training_data_loader(self):
        return self.arrays(29)

    def build_validation_data_loader(self):
        x, y, _ = self.arrays(11)
        return x, y
"""

#: Sequences that draw random numbers and act at the end of a pass; a model without shapes.
SEQUENCES = """\
import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.one, self.drop = tf.keras.layers.Dense(5), tf.keras.layers.Dropout(0.2)

    def call(self, x, training=False):
        return self.drop(self.one(x), training=training)


class Noisy(tf.keras.utils.Sequence):
    def __init__(self, count):
        self.order, self.passes = np.arange(count), 0

    def __len__(self):
        return len(self.order)

    def __getitem__(self, index):
        x = np.full((4, 2), self.order[index] + self.passes, "float64")
        x += np.random.rand(4, 2)
        return x, x.sum(axis=1)

    def on_epoch_end(self):
        self.passes += 1
        np.random.shuffle(self.order)


class T(TFKerasTrial):
    def __init__(self, context):
        self.context = context
        context.configure_fit(
            workers=context.get_hparam("workers"),
            use_multiprocessing=context.get_hparam("workers") > 0,
        )

    def build_model(self):
        model = self.context.wrap_model(Model())
        model.compile(self.context.wrap_optimizer("sgd"), "mse", ["mae"])
        return model

    def build_training_data_loader(self):
        return Noisy(7)

    def build_validation_data_loader(self):
        return Noisy(3)
"""

CONFIG = """\
entrypoint: model_def:T
hyperparameters:
  global_batch_size: 8
  workers: {workers}
  optimizer: {{rate: 0.01, name: adam}}
records_per_epoch: 40
scheduling_unit: 4
min_validation_period: {{batches: 7}}
min_checkpoint_period: {{batches: 11}}
searcher: {{name: single, metric: val_loss, max_length: {{batches: 30}}}}
reproducibility: {{experiment_seed: 3}}
"""


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("text", "workers"), [(ARRAYS, 0), (SEQUENCES, 0), (SEQUENCES, 2)], ids=["arrays", "0", "2"]
)
def test_callbacks_passes_and_draws_are_as_in_the_trial(
    text: str, workers: int, tmp_path: Path
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    (old / "model_def.py").write_text(text)
    (old / "const.yaml").write_text(CONFIG.format(workers=workers))

    ejected = pedl2det("eject", old, "--out", new)
    done = pedl2det("verify", old, "--against", new)

    assert ejected.returncode == 0, ejected.stderr
    assert done.returncode == 0, done.stdout + done.stderr
    assert "compared 30 batches and 5 reports (" in done.stdout  # 7, 14, 21, 28, 30
    assert done.stdout.startswith("equal for ")


def test_nothing_beside_the_script_needs_the_harness(tmp_path: Path) -> None:
    old, new = tmp_path / "iris", tmp_path / "new"
    shutil.copytree(EXAMPLES / "iris", old)
    files = {
        "requirements.txt": "pedl==0.11\ntensorflow-gpu==1.14.0\npandas\n",
        "pyproject.toml": '[project]\nname = "x"\ndependencies = ["pedl"]\n',
        "submit.sh": "set -e\npedl experiment create const.yaml .\n",
        "Makefile": "lint:\n\truff check .\n",
        "README.md": "# Iris\n\n    det experiment list\n",
        "submit.py": "from determined.experimental import client\n",
        "plot.py": "import pandas\n",
    }
    for name, text in files.items():
        (old / name).write_text(text)
    model = old / "model_def.py"
    model.write_text("import requests\nimport yaml\n" + model.read_text())

    done = pedl2det("eject", old, "--out", new)

    assert done.returncode == 0, done.stderr
    assert (new / "requirements.txt").read_text() == (
        "tensorflow>=2.15,<2.22\npandas\ntf-keras>=2.15,<2.22\npyyaml>=6.0\nrequests>=2.28\n"
    )
    kept = {name for name in files if (new / name).exists()}
    assert kept == {"requirements.txt", "Makefile", "README.md", "plot.py"}
    for line in (
        "pyproject.toml is left out: it requires the harness",
        "submit.sh is left out: line 2 names the harness",
        "submit.py is left out: it imports the harness",
    ):
        assert f"  {line}\n" in done.stdout
    words = ("pedl2det", "determined", "pedl ")
    texts = {path: path.read_text() for path in new.rglob("*") if path.suffix in (".sh", ".txt")}
    assert not [path for path, text in texts.items() if any(word in text for word in words)]


def test_a_script_sets_the_environment_variables_of_the_config(tmp_path: Path) -> None:
    old, new = Path(shutil.copytree(EXAMPLES / "iris", tmp_path / "old")), tmp_path / "new"
    config = old / "const.yaml"
    variables = "environment: {environment_variables: ['WORDS=a \"b\"', PLACE=$HOME/data]}\n"
    config.write_text(config.read_text() + variables)

    done = pedl2det("eject", old, "--out", new)

    assert done.returncode == 0, done.stderr
    text = (new / "train.py").read_text()
    assert """os.environ["WORDS"] = 'a "b"'\n""" in text
    assert 'os.environ["PLACE"] = os.path.expandvars("$HOME/data")\n' in text


@pytest.mark.turns(3, "scripts found out")
def test_a_script_that_trains_otherwise_is_found_out(tmp_path: Path) -> None:
    new = tmp_path / "new"
    pedl2det("eject", EXAMPLES / "iris", "--out", new)
    script = new / "train.py"
    script.write_text(script.read_text().replace("default=17", "default=18"))

    done = pedl2det("verify", EXAMPLES / "iris", "--batches", 20, "--against", new)

    assert done.returncode == 1
    assert "first at batch 1: loss is" in done.stdout


@pytest.mark.turns(3, "scripts found out")
def test_a_script_that_trains_longer_is_found_out(tmp_path: Path) -> None:
    old, new = Path(shutil.copytree(EXAMPLES / "iris", tmp_path / "old")), tmp_path / "new"
    config = old / "const.yaml"
    config.write_text(config.read_text() + "batches_per_step: 1\n")  # so that it has 10 batches
    pedl2det("eject", old, "--out", new)
    script = new / "train.py"
    text = script.read_text()
    assert text.count("default=10,") == 1
    script.write_text(text.replace("default=10,", "default=12,"))

    done = pedl2det("verify", old, "--against", new)

    assert done.returncode == 1
    assert "  old trained 10 batches, new 12\n" in done.stdout


@pytest.mark.turns(3, "scripts found out")
def test_a_script_that_needs_the_harness_is_found_out(tmp_path: Path) -> None:
    new = tmp_path / "new"
    pedl2det("eject", EXAMPLES / "iris", "--out", new)
    script = new / "model_def.py"
    script.write_text("import determined.keras\n" + script.read_text())

    done = pedl2det("verify", EXAMPLES / "iris", "--batches", 20, "--against", new)

    assert done.returncode == 1
    assert "No module named 'determined" in done.stderr


def test_a_script_runs_where_nothing_of_pedl2det_is(tmp_path: Path) -> None:
    new, out = tmp_path / "new", tmp_path / "out"
    pedl2det("eject", EXAMPLES / "iris", "--out", new)
    command = [sys.executable, "-I", "-S", "-c", _ALONE, str(new / "train.py")]

    done = subprocess.run(
        [*command, "--batches", "20", "--learning_rate", "0.01", "--out", str(out)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert {one.name for one in out.iterdir()} == {
        *("best.h5", "latest.h5", "metrics.csv", "tensorboard"),
    }
    header, values = (out / "metrics.csv").read_text().splitlines()
    assert header == "epoch,categorical_accuracy,loss,val_categorical_accuracy,val_loss"
    assert all(0 < float(one) < 3 for one in values.split(",")[1:])


#: Run a script with the packages of this environment, but without its `.pth` files: these lead to
#: pedl2det.
_ALONE = f"""
import runpy, sys
sys.path.append({next(path for path in sys.path if path.endswith("site-packages"))!r})
for name in ("pedl2det", "pedl2det_runtime", "pedl", "determined"):
    try:
        __import__(name)
    except ModuleNotFoundError:
        continue
    raise SystemExit(f"{{name}} is here")
sys.argv = sys.argv[1:]
sys.path.insert(0, sys.argv[0].rpartition("/")[0])
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere",), "nowhere: no such directory"),
        (("old", "--out", "old"), "old: exists already: choose another --out, or remove it"),
        (("old", "--out", "no/new"), "no/new: no such directory: no"),
        (("left", "--out", "new"), "left: migrate left 1 place, the first at "),
        (("core", "--out", "new"), "model_def.py:2: determined.core.init has no counterpart"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(
    arguments: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    shutil.copytree(EXAMPLES / "iris", tmp_path / "old")
    shutil.copytree(EXAMPLES / "iris", tmp_path / "left")
    loaders = tmp_path / "left" / "data.py"
    loaders.write_text(loaders.read_text() + "\n\nprint(pedl.unknown())\nimport pedl\n")
    shutil.copytree(EXAMPLES / "iris_migrated", tmp_path / "core")
    model = tmp_path / "core" / "model_def.py"
    model.write_text("import determined\ndeterminded = determined.core.init\n" + model.read_text())
    before = read_tree(tmp_path)

    done = pedl2det("eject", *arguments, cwd=tmp_path)

    assert done.returncode == 2, done.stdout
    (line,) = done.stderr.splitlines()
    assert said in line
    assert read_tree(tmp_path) == before


def test_an_adapter_sets_the_workers_of_the_script() -> None:
    import numpy as np
    import tensorflow as tf

    from pedl2det.eject.surroundings import PACKAGE
    from pedl2det.support import render

    names = ("SequenceAdapter", "TFKerasTrialContext", "training_dataset")
    pieces: dict[str, Any] = {}
    exec(render(names, "", PACKAGE), pieces)
    context = pieces["TFKerasTrialContext"]({"global_batch_size": 2}, {}, 1, Path())
    context.wrap_model(tf.keras.Sequential([tf.keras.layers.Dense(1)]))

    batches = [(np.ones((2, 1)), np.ones(2))]
    adapter = pieces["SequenceAdapter"](batches, workers=3, max_queue_size=7)
    pieces["training_dataset"](context, adapter)

    assert (context.fit["workers"], context.fit["max_queue_size"]) == (3, 7)
