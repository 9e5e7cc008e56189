"""Trials that need graph mode and do not select it: each is trained in it, and a line says why."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pedl2det_runtime.training.display import Display
from pedl2det_runtime.training.run import run
from pedl2det_runtime.training.run_options import RunOptions
from support import pedl2det, write_tree
from test_run import weights

pytestmark = [pytest.mark.slow, pytest.mark.versions]

HEAD = """\
import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial

K = tf.keras.backend
X = np.arange(60, dtype=np.float32).reshape(20, 3) / 60


class Base(TFKerasTrial):
    def build_training_data_loader(self):
        self.context.configure_fit(shuffle=False)
        return X, X

    build_validation_data_loader = build_training_data_loader


"""
#: An autoencoder whose loss also weighs its code, as those of variational autoencoders.
AUTOENCODER = """\
class T(Base):
    def build_model(self):
        x = tf.keras.Input((3,))
        code = tf.keras.layers.Dense(2, use_bias=False, kernel_initializer="ones")(x)
        y = tf.keras.layers.Dense(3, use_bias=False, kernel_initializer="ones")(code)

        def loss(wanted, found):
            distance = K.sum(K.square(wanted - found), axis=-1)
            return distance + 0.5 * K.sum(K.square(code), axis=-1)

        model = self.context.wrap_model(tf.keras.Model(x, y))
        model.compile(OPTIMIZER, loss)
        return model
"""
#: A layer over a tensor that is no input of it, and the same without such a layer. Layers before
#: such a tensor are no layers of the model, and are not trained.
GATED = """\
class T(Base):
    def build_model(self):
        x = tf.keras.Input((3,))
        gate = tf.keras.layers.Dense(3, kernel_initializer="ones", trainable=False)(x)
        y = tf.keras.layers.Dense(3, kernel_initializer="ones")(LAYER)
        model = self.context.wrap_model(tf.keras.Model(x, y))
        model.compile(tf.keras.optimizers.legacy.SGD(0.01), "mse")
        return model
"""
CONFIG = """\
entrypoint: model_def:T
hyperparameters: {global_batch_size: 4}
searcher: {name: single, metric: val_loss, max_length: {batches: 12}}
min_checkpoint_period: {batches: 5}
"""
LINE = "this trial is trained in graph mode, as by TensorFlow 1"


def trial(directory: Path, source: str, **parts: str) -> Path:
    for name, text in parts.items():
        source = source.replace(name, text)
    return write_tree(directory, {"model_def.py": HEAD + source, "const.yaml": CONFIG})


def trained(directory: Path, out: Path, *more: str) -> list[str]:
    done = pedl2det("run", directory, "--out", out, "--trace", *more)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def last_validation(out: Path) -> float:
    reports = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    found: float = [one for one in reports if one["kind"] == "validation"][-1]["metrics"][
        "val_loss"
    ]
    return found


def by_hand(batches: int) -> list[float]:
    """The losses of the autoencoder: gradient descent with a rate of 0.01, in NumPy."""
    x = np.arange(60).reshape(20, 3) / 60
    encode, decode = np.ones((3, 2)), np.ones((2, 3))
    losses = []
    for batch in range(batches):
        rows = x[batch % 5 * 4 : batch % 5 * 4 + 4]
        code = rows @ encode
        error = code @ decode - rows
        losses.append(np.mean((error**2).sum(axis=1) + 0.5 * (code**2).sum(axis=1)))
        of_code = 2 * error @ decode.T + code
        encode, decode = (
            encode - 0.01 * rows.T @ of_code / 4,
            decode - 0.01 * code.T @ (2 * error) / 4,
        )
    return losses


def test_a_loss_over_tensors_of_the_model(tmp_path: Path) -> None:
    directory = trial(tmp_path / "trial", AUTOENCODER, OPTIMIZER="tf.keras.optimizers.SGD(0.01)")
    said = trained(directory, tmp_path / "out")

    lines = (tmp_path / "out/batches.jsonl").read_text().splitlines()
    losses = [json.loads(line)["metrics"]["loss"] for line in lines]
    assert losses == pytest.approx(by_hand(12), rel=1e-4)
    (line,) = (line for line in said if LINE in line)
    assert line.startswith(f"{directory}/model_def.py:18: ")  # build_model
    assert said.count("experiment: seed 0") == 1


def test_a_run_by_tensors_goes_on_and_its_model_is_loaded(tmp_path: Path) -> None:
    directory = trial(tmp_path / "trial", AUTOENCODER, OPTIMIZER="'adam'")
    trained(directory, tmp_path / "whole")
    trained(directory, tmp_path / "parts", "--max-batches", "7")
    said = trained(directory, tmp_path / "parts", "--resume")

    assert last_validation(tmp_path / "parts") == last_validation(tmp_path / "whole")
    assert not any(LINE in line for line in said)  # the checkpoint tells it
    code = (
        "import sys, numpy as np\n"
        "from pedl2det_runtime import stub_path\n"
        "stub_path.serve_first()\n"  # where Determined is installed, too
        "from determined.keras import load_model_from_checkpoint_path\n"
        "model = load_model_from_checkpoint_path(sys.argv[1], trust=True)\n"
        "x = np.arange(60, dtype=np.float32).reshape(20, 3) / 60\n"
        "code, y = x @ model.get_weights()[0], model.predict(x)\n"
        "print(np.mean(((y - x) ** 2).sum(axis=1) + 0.5 * (code ** 2).sum(axis=1)))\n"
    )
    (checkpoint,) = (
        path
        for path in (tmp_path / "whole/checkpoints").iterdir()
        if json.loads((path / "metadata.json").read_text())["steps_completed"] == 12
    )
    done = subprocess.run(
        [sys.executable, "-c", code, checkpoint], check=True, capture_output=True, text=True
    )
    loss = float(done.stdout.splitlines()[-1])
    assert loss == pytest.approx(last_validation(tmp_path / "whole"), rel=1e-5)


def test_a_layer_over_a_tensor_that_is_not_its_input(tmp_path: Path) -> None:
    layers = {
        "closed": "tf.keras.layers.Lambda(lambda t: K.maximum(t, 0.5) * gate + K.mean(x))(x)",
        "plain": "K.maximum(x, 0.5) * gate + K.mean(x)",
    }
    for name, layer in layers.items():
        said = trained(trial(tmp_path / name, GATED, LAYER=layer), tmp_path / f"{name}-out")
        assert any(LINE in line for line in said) == (name == "closed")
    found = [last_validation(tmp_path / f"{name}-out") for name in layers]
    assert found[0] == pytest.approx(found[1], rel=1e-5)


PLACEHOLDER = """\
W = tf.get_variable("w", (3,), initializer=tf.ones_initializer())
FED = tf.placeholder(tf.float32)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print("FED", session.run(W[0] + FED, {FED: 2.0}))
"""


def test_names_that_only_graph_mode_has(tmp_path: Path) -> None:
    parts = {"OPTIMIZER": "tf.train.MomentumOptimizer(0.01, 0.5)"}
    source = AUTOENCODER.replace("0.5 * K.sum(K.square(code), axis=-1)", "0.0")
    said = trained(trial(tmp_path / "graph", PLACEHOLDER + source, **parts), tmp_path / "graph-out")
    trained(trial(tmp_path / "eager", source, **parts), tmp_path / "eager-out")

    assert "FED 3.0" in said
    (line,) = (line for line in said if LINE in line)
    assert "model_def.py:17" in line
    assert "tf.get_variable is not supported in eager mode: use tf.Variable" in line
    graph, eager = (last_validation(tmp_path / f"{name}-out") for name in ("graph", "eager"))
    assert graph == pytest.approx(eager, rel=1e-5)


DOUBLED = """\
class Doubled(tf.keras.optimizers.SGD):
    def get_updates(self, loss, params):
        steps = zip(params, self.get_gradients(loss, params))
        self.updates = [K.update_add(self.iterations, 1)]
        self.weights = [self.iterations]
        self.updates += [K.update(p, p - 2.0 * self.lr * g) for p, g in steps]
        return self.updates
"""


def test_updates_of_an_optimizers_own(tmp_path: Path) -> None:
    source = AUTOENCODER.replace("0.5 * K.sum(K.square(code), axis=-1)", "0.0")
    source = f"import pedl\n{DOUBLED}\n\n{source}"
    own = trial(tmp_path / "own", source, OPTIMIZER="Doubled(lr=0.005)")
    plain = trial(tmp_path / "plain", source, OPTIMIZER="tf.keras.optimizers.SGD(lr=0.01)")
    said = [trained(directory, directory.with_suffix(".out")) for directory in (own, plain)]

    assert [any(LINE in line for line in lines) for lines in said] == [True, False]
    found = [last_validation(directory.with_suffix(".out")) for directory in (own, plain)]
    assert found[0] == pytest.approx(found[1], rel=1e-5)


PHASE = """\
import pedl


class T(Base):
    def build_model(self):
        K.set_learning_phase(0)
        layers = [tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(3, kernel_initializer="ones")]
        model = self.context.wrap_model(tf.keras.Sequential(layers))
        model.compile(tf.keras.optimizers.legacy.SGD(0.0), lambda wanted, found: found)
        return model
"""


def test_a_learning_phase_holds_in_training_too(tmp_path: Path) -> None:
    said = trained(trial(tmp_path / "trial", PHASE), tmp_path / "out")

    (line,) = (line for line in said if LINE in line)
    assert "set_learning_phase is not supported in eager mode: pass training=" in line
    reports = [
        json.loads(line) for line in (tmp_path / "out/batches.jsonl").read_text().splitlines()
    ]
    losses = [report["metrics"]["loss"] for report in reports[:5]]
    x = np.arange(60).reshape(5, 4, 3) / 60
    assert losses == pytest.approx(x.sum(axis=2).mean(axis=1), rel=1e-5)


def test_a_failure_after_the_first_report_is_no_reason_to_begin_anew(tmp_path: Path) -> None:
    failing = """
    def keras_callbacks(self):
        return [Late()]


class Late(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        if batch == 8:
            tf.gradients(self.model.output, self.model.input)
"""
    source = AUTOENCODER.replace("0.5 * K.sum(K.square(code), axis=-1)", "0.0") + failing
    directory = trial(tmp_path / "trial", source, OPTIMIZER="'sgd'")
    done = pedl2det("run", directory, "--out", tmp_path / "out", "--set", "scheduling_unit=5")

    assert done.returncode == 2
    assert "tf.gradients is not supported when eager execution is enabled" in done.stderr
    assert "for graph mode call tf.compat.v1.disable_eager_execution() at the top" in done.stderr
    assert LINE not in done.stdout


def test_graphs_have_no_seed_after_a_run(tmp_path: Path) -> None:
    import tensorflow as tf

    before = tf.Graph.seed
    source = AUTOENCODER.replace("0.5 * K.sum(K.square(code), axis=-1)", "0.0")
    directory = trial(tmp_path / "trial", source, OPTIMIZER="'sgd'")
    run(RunOptions(directory=directory, out=tmp_path / "out", max_batches=1), Display())
    assert tf.Graph.seed is before


RANDOM = """\
tf.compat.v1.disable_v2_behavior()
NOISE = tf.random.normal((3,))


class T(Base):
    def build_model(self):
        RESET
        noisy = tf.keras.layers.Lambda(lambda x: x + tf.random.normal(tf.shape(x)))
        layers = [tf.keras.layers.Dense(3, input_shape=(3,)), noisy, tf.keras.layers.Dropout(0.5)]
        model = self.context.wrap_model(tf.keras.Sequential(layers))
        model.compile("sgd", "mse")
        return model
"""


@pytest.mark.parametrize("reset", ["pass", "K.clear_session()"])
def test_two_runs_of_graph_mode_are_equal(reset: str, tmp_path: Path) -> None:
    directory = trial(tmp_path / "trial", RANDOM, RESET=reset)
    runs = {}
    for name, more in (("one", ()), ("two", ()), ("other", ("--set", SEED))):
        trained(directory, tmp_path / name, *more)
        runs[name] = (tmp_path / name / "batches.jsonl").read_text()

    assert runs["one"] == runs["two"]
    assert runs["one"] != runs["other"]


SEED = "reproducibility.experiment_seed=7"


def resumed(directory: Path, out: Path) -> tuple[Any, Any]:
    trained(directory, out / "whole")
    trained(directory, out / "parts", "--max-batches", "7")
    trained(directory, out / "parts", "--resume")
    return last_validation(out / "whole"), last_validation(out / "parts")


@pytest.mark.parametrize("choice", ["pass", "tf.compat.v1.disable_eager_execution()"])
def test_an_optimizer_of_tf_train_goes_on_where_it_was(choice: str, tmp_path: Path) -> None:
    source = AUTOENCODER.replace("0.5 * K.sum(K.square(code), axis=-1)", "0.0")
    parts = {"OPTIMIZER": "tf.compat.v1.train.AdamOptimizer(0.1)"}
    directory = trial(tmp_path / "trial", f"{choice}\n\n\n{source}", **parts)
    whole, parts_ = resumed(directory, tmp_path)
    assert whole == parts_


NOISY = """\
class T(Base):
    def build_model(self):
        RESET
        x = tf.keras.Input((3,))
        y = tf.keras.layers.Dropout(0.5)(tf.keras.layers.Dense(3)(x))
        y = tf.keras.layers.GaussianNoise(0.1)(y + K.random_normal(K.shape(y)))
        y = tf.keras.layers.Lambda(lambda t: t + tf.random.truncated_normal(tf.shape(t)))(y)
        y = tf.keras.layers.Lambda(lambda t: t + tf.cast(CHOSEN, tf.float32))(y)
        model = self.context.wrap_model(tf.keras.Model(x, tf.keras.layers.Dense(3)(y)))
        model.compile("adam", "mse")
        return model
"""
DEFERRED = """\
class T(Base):
    def build_training_data_loader(self):
        data = tf.data.Dataset.from_tensor_slices((X, X)).shuffle(20)
        data = data.map(lambda x, y: (x + tf.random.normal((3,)), y))
        return self.context.wrap_dataset(data.batch(4))

    def build_model(self):
        layers = [tf.keras.layers.Dense(3), tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(3)]
        model = self.context.wrap_model(tf.keras.Sequential(layers))
        model.compile("adam", "mse")
        return model
"""
INTEGERS = "tf.random.uniform(tf.shape(t), maxval=9, dtype=tf.int32)"


@pytest.mark.parametrize(
    ("choice", "source", "reset"),
    [
        ("disable_v2_behavior", NOISY, "pass"),
        ("disable_eager_execution", NOISY, "K.clear_session()"),
        ("disable_v2_behavior", DEFERRED, ""),
    ],
)
def test_random_operations_go_on_where_they_were(
    choice: str, source: str, reset: str, tmp_path: Path
) -> None:
    source = f"tf.compat.v1.{choice}()\n\n\n{source}"
    directory = trial(tmp_path / "trial", source, RESET=reset, CHOSEN=INTEGERS)
    whole, parts = resumed(directory, tmp_path)
    assert whole == parts
    assert _batches(tmp_path / "whole") == _batches(tmp_path / "parts")
    assert weights(tmp_path / "whole") == weights(tmp_path / "parts")


def _batches(out: Path) -> str:
    return (out / "batches.jsonl").read_text()


def test_random_operations_that_cannot_go_on_are_named(tmp_path: Path) -> None:
    parts = {"RESET": "pass", "CHOSEN": "tf.random.gamma(tf.shape(t), 2.0)"}
    source = f"tf.compat.v1.disable_eager_execution()\n\n\n{NOISY}"
    directory = trial(tmp_path / "trial", source, **parts)
    first = trained(directory, tmp_path / "out", "--max-batches", "7")
    said = trained(directory, tmp_path / "out", "--resume")

    line = (
        "random operations of graph mode start again (RandomGamma): the results differ from those "
        "of an uninterrupted run"
    )
    assert not any(line in text for text in first)
    assert sum(line in text for text in said) == 1


def test_a_model_without_an_input_shape_has_its_dropout(tmp_path: Path) -> None:
    source = re.sub(r"    def build_training.*?\n\n", "", DEFERRED, flags=re.DOTALL)
    source = f"tf.compat.v1.disable_v2_behavior()\n\n\n{source}"
    shaped = source.replace(
        "[tf.keras.layers.Dense(3)", "[tf.keras.layers.Dense(3, input_shape=(3,))"
    )
    for name, code in (("deferred", source), ("shaped", shaped)):
        trained(trial(tmp_path / name, code), tmp_path / f"{name}-out")
    assert _batches(tmp_path / "deferred-out") == _batches(tmp_path / "shaped-out")
