"""``pedl2det checkpoint``: shows and converts checkpoints; models out of old ones."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import tensorflow as tf
from click.testing import CliRunner
from determined.keras import load_model_from_checkpoint_path

import old_formats
import training
from old_formats import CALLBACK, FORMATS, HDF5, REAL, WEIGHTS
from pedl2det.cli import cli
from pedl2det_runtime.errors import CheckpointError, TrialCodeError
from support import pedl2det, read_tree, write_tree
from test_run import killed_at, weights
from test_run import trained as trained_by_command

X = np.random.RandomState(0).normal(size=(6, 3)).astype(np.float32)
MODEL = """\
import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial


class Doubling(tf.keras.layers.Layer):
    def call(self, x):
        return 2 * x


class T(TFKerasTrial):
    def __init__(self, context):
        self.context = context

    def build_model(self):
        units = self.context.get_hparam("units")
        layers = [tf.keras.layers.Dense(units), tf.keras.layers.Dense(1)]
        model = tf.keras.Sequential([Doubling(input_shape=(3,)), *layers])
        model = self.context.wrap_model(model)
        model.compile(self.context.wrap_optimizer(tf.keras.optimizers.Adam(0.1)), "mse")
        return model

    def build_training_data_loader(self):
        x = np.ones((8, 3), np.float32)
        return x, x.sum(axis=1)

    build_validation_data_loader = build_training_data_loader
"""
CONFIG = {
    "entrypoint": "model_def:T",
    "hyperparameters": {"global_batch_size": 4, "units": 5, "password": "hunter2"},
    "searcher": {"name": "single", "metric": "val_loss", "max_length": {"batches": 3}},
}


class Doubling(tf.keras.layers.Layer):
    """As in the trial."""

    def call(self, x: Any) -> Any:
        return 2 * x


def trained(*, custom: bool) -> Any:
    """A model after two steps; with a layer of the trial's own, or of Keras' alone."""
    first = [Doubling(input_shape=(3,))] if custom else [tf.keras.Input((3,))]
    model = tf.keras.Sequential([*first, tf.keras.layers.Dense(5), tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.Adam(0.1), "mse")
    for _ in range(2):
        model.train_on_batch(X, X.sum(axis=1))
    return model


@pytest.fixture
def model() -> Any:
    """A model of the trial, trained."""
    return trained(custom=True)


def with_code(directory: Path, name: str, model: Any, source: str = MODEL) -> Path:
    """A checkpoint with its trial's code and config, in any format."""
    old = old_formats.write(directory, name, model)
    write_tree(old / "code", {"model_def.py": source, "notes.txt": "units: 5\n"})
    old_formats.write_load_data(old, CONFIG)
    return old


def checkpoint(*arguments: object) -> tuple[int, str]:
    """Run ``pedl2det checkpoint`` in this process; returns its exit code and output."""
    result = CliRunner().invoke(cli, ["checkpoint", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def refused(*arguments: object) -> str:
    """The one line of a command that fails."""
    code, said = checkpoint(*arguments)
    assert code == 2
    assert said.count("\n") == 1
    return said


SHOWN = {
    "0.12.3-keras": """\
checkpoint    {path}
format        Determined up to 0.12.3: one HDF5 file
trained       500 batches
trial         unknown
hparams       unknown
optimizer     SGD, 500 steps, 1 array
learning rate 0.001
layers        1, with 1 number
              dense: kernel (1, 1)
states        none
code          none
""",
    "0.13.8-keras": """\
checkpoint    {path}
format        Determined 0.13.8 to 0.38: TensorFlow's weights, optimizers in HDF5
trained       1 batch
trial         unknown
hparams       unknown
optimizer     SGD, 1 step, 1 array
learning rate 0.001
layers        1, with 1 number
              layer_with_weights-0: dense/kernel (1, 1)
states        random, callbacks
code          none
""",
}


@pytest.mark.parametrize("name", SHOWN)
def test_show_says_what_a_checkpoint_is(name: str) -> None:
    assert checkpoint("show", REAL / name) == (0, SHOWN[name].format(path=REAL / name))


@pytest.mark.parametrize("name", FORMATS)
def test_show_describes_every_format(name: str, model: Any, tmp_path: Path) -> None:
    old = with_code(tmp_path / "old", name, model)
    old_formats.write_states(old, ["a state"], batches=7)

    code, said = checkpoint("show", old)

    assert code == 0
    assert len(said.splitlines()) < 24
    assert "trained       7 batches" in said
    assert "trial         model_def:T" in said
    assert '"units": 5' in said and "hunter2" not in said
    assert "optimizer     Adam, 2 steps, 9 arrays" in said
    assert "2, with 26 numbers" in said
    assert "kernel (3, 5)" in said and "bias (1)" in said
    assert "states        random, callbacks, progress" in said
    assert "code          2 files: model_def.py, notes.txt" in said


def test_show_hides_nothing_in_a_name(tmp_path: Path) -> None:
    old = shutil.copytree(REAL / "0.12.3-keras", tmp_path / "old")
    with h5py.File(old / "determined-keras-model", "r+") as file:
        file.move("model_weights/dense", "model_weights/a\x1b[2Jb")
    code, said = checkpoint("show", old)
    assert (code, "\x1b" in said) == (0, False)
    assert "?[2Jb: kernel" in said


@pytest.mark.parametrize("name", HDF5)
def test_convert_needs_no_code_for_keras_own_layers(name: str, tmp_path: Path) -> None:
    model = trained(custom=False)
    old = old_formats.write(tmp_path / "old", name, model)

    code, said = checkpoint("convert", old, tmp_path / "new")

    assert (code, said) == (0, f"{tmp_path / 'new'}: the weights, the optimizer of {old}\n")
    converted = load_model_from_checkpoint_path(tmp_path / "new")
    assert np.array_equal(converted.predict(X, verbose=0), model.predict(X, verbose=0))
    assert int(converted.optimizer.iterations) == 2
    converted.train_on_batch(X, X[:, 0])
    model.train_on_batch(X, X[:, 0])
    for ours, keras in zip(converted.get_weights(), model.get_weights(), strict=True):
        np.testing.assert_allclose(ours, keras, rtol=1e-6)


def with_config(directory: Path, changes: dict[str, Any]) -> Path:
    """A checkpoint of Determined, of Keras' own layers, with changes of its configs."""
    old = old_formats.write(directory, HDF5[0], trained(custom=False))
    with h5py.File(old / HDF5[0], "a") as file:
        config = json.loads(file.attrs["model_config"])
        config["config"]["layers"].append(changes.pop("layer", config["config"]["layers"].pop()))
        file.attrs["model_config"] = json.dumps(config)
        training_config = json.loads(file.attrs["training_config"])
        file.attrs["training_config"] = json.dumps(training_config | changes)
    return old


def lookup(vocabulary: object) -> dict[str, Any]:
    """The config of a layer that reads a vocabulary, from a file where it is a text."""
    config = {"name": "lookup", "vocabulary": vocabulary}
    return {"class_name": "StringLookup", "module": "keras.layers", "config": config}


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        *(("file", place) for place in ("layer", "nested", "as a tensor", "metrics", "loss")),
        *(("pipe", "layer"), ("device", "layer")),
    ],
)
def test_no_file_that_a_model_names_is_opened(kind: str, place: str, tmp_path: Path) -> None:
    secret = Path("/dev/zero") if kind == "device" else tmp_path / "secret"
    if kind == "file":
        secret.write_text("hunter2\n")
    elif kind == "pipe":
        os.mkfifo(secret)
    layer = lookup(str(secret))
    if place == "nested":
        layer = {"class_name": "TimeDistributed", "config": {"name": "each", "layer": layer}}
    elif place == "as a tensor":
        tensor = {"value": str(secret), "dtype": "string"}
        layer = lookup({"class_name": "__tensor__", "config": tensor})
    value = {"metrics": [layer], "loss": {"output": layer}}.get(place, layer)
    old = with_config(tmp_path / "old", {place if place in ("metrics", "loss") else "layer": value})

    for line in (refused("convert", old, tmp_path / "new"), refusal(old)):
        assert f"or take much memory ({'value' if 'tensor' in place else 'voc'}" in line
        assert "hunter2" not in line


def refusal(path: Path) -> str:
    """Why a model is not loaded without trust."""
    with pytest.raises(CheckpointError) as error:
        load_model_from_checkpoint_path(path)
    return str(error.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"loss": {"class_name": "function", "module": "keras.utils", "config": "get_file"}},
        {"loss": {"class_name": "function", "module": "keras", "config": "utils.get_file"}},
        {"loss": {"class_name": "get_file", "module": "keras.utils", "config": {}}},
        {"metrics": [{"class_name": "AUC", "config": {"num_thresholds": 10**10}}]},
        {"metrics": [{"class_name": "MeanIoU", "config": {"num_classes": 10**6}}]},
    ],
    ids=["function", "dotted", "class", "thresholds", "classes"],
)
def test_functions_and_memory_that_no_model_needs_are_refused(
    changes: dict[str, Any], tmp_path: Path
) -> None:
    assert "may run code, open files or take much memory (" in refusal(
        with_config(tmp_path / "old", changes)
    )


def test_models_of_keras_own_layers_need_no_trust(tmp_path: Path) -> None:
    """Nested and of several inputs and outputs, with words, schedules, losses and metrics."""
    keras, layers = tf.keras, tf.keras.layers
    a, b = keras.Input((4,), name="a"), keras.Input((1,), dtype="string", name="scope/b")
    words = layers.TextVectorization(vocabulary=["x", "/y"], output_sequence_length=4)(b)
    words = layers.Embedding(9, 3, mask_zero=True)(words)
    words = layers.Bidirectional(layers.LSTM(3, kernel_regularizer="l2"))(words)
    nested = keras.Sequential([layers.Dense(3, activation="relu", input_shape=(4,))])(a)
    nested = layers.BatchNormalization()(layers.ReLU(6.0)(nested))
    query = layers.Reshape((1, 3))(nested)
    nested = layers.Flatten()(layers.MultiHeadAttention(2, 2)(query, value=query))
    outputs = {
        "one": layers.Dense(1, kernel_constraint="non_neg", name="one")(
            layers.Concatenate()([words, nested])
        ),
        "two": layers.Dense(2, activation=layers.LeakyReLU(), name="two")(nested),
    }
    model = keras.Model({"a": a, "scope/b": b}, outputs)
    model.compile(
        keras.optimizers.Adam(keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.5)),
        loss={"one": "mse", "two": keras.losses.CategoricalCrossentropy(from_logits=True)},
        metrics={"one": ["mae", keras.metrics.AUC()], "two": "accuracy"},
        loss_weights={"one": 1.0, "two": 0.5},
    )
    old = tmp_path / "old"
    old.mkdir()
    model.save(str(old / HDF5[0]), save_format="h5")

    loaded = load_model_from_checkpoint_path(old)

    batch = {"a": np.ones((2, 4), np.float32), "scope/b": np.array([["x y"], ["/y"]])}
    for ours, expected in zip(loaded(batch).values(), model(batch).values(), strict=True):
        assert np.array_equal(ours, expected)


@pytest.mark.parametrize("name", [HDF5[2], WEIGHTS, CALLBACK])
def test_convert_builds_the_model_with_code_that_is_trusted(
    name: str, model: Any, tmp_path: Path
) -> None:
    old = with_code(tmp_path / "old", name, model)
    old_formats.write_states(old, ["a state"], batches=7)
    before = read_tree(old)

    assert "pass trust=True (convert: --trust)" in refused("convert", old, tmp_path / "new")
    assert not (tmp_path / "new").exists()
    code, said = checkpoint("convert", old, tmp_path / "new", "--trust")

    assert code == 0, said
    assert "the random states, the states of the callbacks" in said
    assert read_tree(old) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "old"]
    converted = load_model_from_checkpoint_path(tmp_path / "new", trust=True)
    assert np.array_equal(converted.predict(X, verbose=0), model.predict(X, verbose=0))
    assert int(converted.optimizer.iterations) == 2
    metadata = json.loads((tmp_path / "new" / "metadata.json").read_text())
    assert metadata["steps_completed"] == 7
    assert {"code/model_def.py", "code/notes.txt"} < metadata["files"].keys()
    assert "hunter2" not in (tmp_path / "new" / "hparams.json").read_text()


@pytest.mark.parametrize("name", FORMATS)
def test_the_model_of_every_format_predicts_what_was_saved(
    name: str, model: Any, tmp_path: Path
) -> None:
    old = with_code(tmp_path / "old", name, model)

    with pytest.raises(CheckpointError, match="pass trust=True"):
        load_model_from_checkpoint_path(old)
    loaded = load_model_from_checkpoint_path(old, trust=True)

    assert np.array_equal(loaded.predict(X, verbose=0), model.predict(X, verbose=0))
    assert int(loaded.optimizer.iterations) == 2


def test_a_model_that_its_first_batch_builds(tmp_path: Path) -> None:
    source = MODEL.replace("Doubling(input_shape=(3,))", "Doubling()")
    model = tf.keras.Sequential([Doubling(), tf.keras.layers.Dense(5), tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.Adam(0.1), "mse")
    model.train_on_batch(X, X[:, 0])
    old = with_code(tmp_path / "old", WEIGHTS, model, source)

    loaded = load_model_from_checkpoint_path(old, trust=True)

    assert np.array_equal(loaded.predict(X, verbose=0), model.predict(X, verbose=0))
    line = refused("convert", old, tmp_path / "new", "--trust")
    assert "built by its first batch" in line and "--from-checkpoint" in line


def test_a_checkpoint_without_code_or_config_says_what_to_do(model: Any, tmp_path: Path) -> None:
    old = old_formats.write(tmp_path / "old", WEIGHTS, model)
    with pytest.raises(
        CheckpointError, match=r"lacks code/: continue training from .* --from-checkpoint"
    ):
        load_model_from_checkpoint_path(old, trust=True)
    write_tree(old / "code", {"model_def.py": MODEL})
    with pytest.raises(CheckpointError, match=r"lacks the experiment config"):
        load_model_from_checkpoint_path(old, trust=True)


def test_code_runs_only_with_trust(model: Any, tmp_path: Path) -> None:
    source = f"import os\nos.mkdir({str(tmp_path / 'ran')!r})\n" + MODEL
    old = with_code(tmp_path / "old", WEIGHTS, model, source)
    refused("convert", old, tmp_path / "new")
    checkpoint("show", old)
    assert not (tmp_path / "ran").exists()
    assert checkpoint("convert", old, tmp_path / "new", "--trust")[0] == 0
    assert (tmp_path / "ran").exists()


def test_an_error_of_the_code_is_told_with_its_place(model: Any, tmp_path: Path) -> None:
    old = with_code(tmp_path / "old", WEIGHTS, model, "import nothing_of_this_name\n")
    with pytest.raises(TrialCodeError, match=r"model_def\.py:1: .*nothing_of_this_name"):
        load_model_from_checkpoint_path(old, trust=True)
    assert "model_def.py:1" in refused("convert", old, tmp_path / "new", "--trust")
    assert os.listdir(tmp_path) == ["old"]


def test_links_in_the_code_are_refused(model: Any, tmp_path: Path) -> None:
    old = with_code(tmp_path / "old", WEIGHTS, model)
    (old / "code" / "more.py").symlink_to("/etc/hostname")
    line = refused("convert", old, tmp_path / "new", "--trust")
    assert "more.py: damaged checkpoint: expected a regular file, found a symbolic link" in line


def test_another_optimizer_is_converted_without_its_state(model: Any, tmp_path: Path) -> None:
    source = MODEL.replace("Adam(0.1)", "SGD(0.1, momentum=0.9)")
    old = with_code(tmp_path / "old", WEIGHTS, model, source)
    line = refused("convert", old, tmp_path / "new", "--trust")
    assert "it is the state of Adam, the model has SGD; convert only its weights with" in line
    assert checkpoint("convert", old, tmp_path / "new", "--trust", "--weights-only")[0] == 0


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch, lambda path: path.symlink_to("gone")])
def test_convert_replaces_nothing(make: Any, tmp_path: Path) -> None:
    make(tmp_path / "new")
    assert "exists and is not replaced" in refused(
        "convert", REAL / "0.12.3-keras", tmp_path / "new"
    )


def test_convert_says_where_it_cannot_write(tmp_path: Path) -> None:
    line = refused("convert", REAL / "0.12.3-keras", tmp_path / "no" / "new")
    assert "cannot be written: No such file or directory" in line


def test_a_checkpoint_of_today_is_not_converted(tmp_path: Path) -> None:
    assert checkpoint("convert", REAL / "0.12.3-keras", tmp_path / "new")[0] == 0
    assert "is of today's format" in refused("convert", tmp_path / "new", tmp_path / "again")


@pytest.mark.parametrize("name", FORMATS)
def test_show_opens_neither_links_nor_pipes(name: str, model: Any, tmp_path: Path) -> None:
    old = old_formats.write(tmp_path / "old", name, model)
    whole = tmp_path / "whole"
    for file in sorted(old.iterdir()):
        file.rename(whole)
        for make in (os.mkfifo, lambda path: path.symlink_to(whole)):
            make(file)
            assert f"{file.name}: damaged checkpoint: expected a regular" in refused("show", old)
            file.unlink()
        whole.rename(file)


@pytest.mark.parametrize("counter", [np.arange(3), np.float32(np.nan)])
def test_a_counter_that_is_no_number_is_one_line(counter: Any, tmp_path: Path) -> None:
    old = shutil.copytree(REAL / "0.12.3-keras", tmp_path / "old")
    with h5py.File(old / "determined-keras-model", "r+") as file:
        del file["optimizer_weights/SGD/iter:0"]
        file["optimizer_weights/SGD/iter:0"] = counter
    message = "determined-keras-model: damaged checkpoint: SGD/iter:0: expected a whole number"
    assert message in refused("show", old)
    assert message in refused("convert", old, tmp_path / "new")


@pytest.mark.parametrize("command", ["show", "convert"])
def test_what_is_no_checkpoint_is_one_line(command: str, tmp_path: Path) -> None:
    more = [tmp_path / "new"] if command == "convert" else []
    assert "no such directory" in refused(command, tmp_path / "gone", *more)
    assert "no checkpoint of a Keras trial" in refused(command, tmp_path, *more)


@pytest.mark.parametrize("is_converted", [False, True])
def test_the_command_line_trains_on_from_it(is_converted: bool, model: Any, tmp_path: Path) -> None:
    source = with_code(tmp_path / "old", WEIGHTS, model)
    trial = write_tree(
        tmp_path / "trial", {"model_def.py": MODEL, "const.yaml": json.dumps(CONFIG)}
    )
    if is_converted:
        assert checkpoint("convert", source, tmp_path / "new", "--trust")[0] == 0
        shutil.rmtree(source)
        source = tmp_path / "new"
    out = tmp_path / "out"

    done = pedl2det(
        "run",
        trial,
        "--out",
        out,
        "--from-checkpoint",
        "new" if is_converted else "old",
        cwd=tmp_path,
    )

    assert done.returncode == 0, done.stderr
    assert f"from {source}: took the weights" in done.stdout
    after = read_tree(out / "checkpoints")
    steps = [
        json.loads(data)["steps_completed"]
        for name, data in after.items()
        if name.endswith("/metadata.json")
    ]
    assert steps == [3]
    (trained_on,) = (out / "checkpoints").iterdir()
    assert int(load_model_from_checkpoint_path(trained_on, trust=True).optimizer.iterations) == 5


def test_a_run_killed_before_its_first_checkpoint_begins_again_with_the_source(
    model: Any, tmp_path: Path
) -> None:
    source = with_code(tmp_path / "old", WEIGHTS, model)
    trial = write_tree(
        tmp_path / "trial", {"model_def.py": MODEL, "const.yaml": json.dumps(CONFIG)}
    )
    more = ("--set", "searcher.max_length.batches=5000")
    named = ("--from-checkpoint", str(source), "--weights-only", *more)
    whole = trained_by_command(trial, tmp_path / "whole", *named)
    killed_at(trial, tmp_path / "out", 1, *named)
    assert not list(tmp_path.glob("out/checkpoints/*"))

    said = trained_by_command(trial, tmp_path / "out", "--resume", *more)

    line = f"from {source}: took the weights\n"
    assert line in said and line in whole
    assert weights(tmp_path / "out") == weights(tmp_path / "whole")


def test_convert_takes_only_the_weights(tmp_path: Path) -> None:
    model = trained(custom=False)
    old = old_formats.write(tmp_path / "old", HDF5[0], model)
    old_formats.write_states(old, ["a state"])

    code, said = checkpoint("convert", old, tmp_path / "new", "--weights-only")

    assert (code, said) == (0, f"{tmp_path / 'new'}: the weights of {old}\n")
    converted = load_model_from_checkpoint_path(tmp_path / "new")
    assert np.array_equal(converted.predict(X, verbose=0), model.predict(X, verbose=0))
    assert int(converted.optimizer.iterations) == 0
    assert json.loads((tmp_path / "new" / "rank-0" / "random.json").read_text()) == {}


def test_convert_names_the_modules_in_which_it_puts_stars(tmp_path: Path) -> None:
    old = old_formats.write(tmp_path / "old", HDF5[0], trained(custom=False))
    (old / "code").mkdir(exist_ok=True)
    (old / "code" / "my_settings.py").write_text("AWS_KEY = 'sesame'\n")

    code, said = checkpoint("convert", old, tmp_path / "new", "--weights-only")

    assert (code, said.splitlines()[0]) == (
        0,
        "checkpoints contain my_settings.py with stars in place of credentials (line 1)",
    )
    copy = tmp_path / "new" / "code" / "my_settings.py"
    assert copy.read_text() == "AWS_KEY = '********'\n"


@pytest.mark.parametrize("name", ["reproducibility", "experiment_config", "hparams"])
def test_what_is_no_mapping_is_one_line(name: str, tmp_path: Path) -> None:
    old = old_formats.write(tmp_path / "old", HDF5[0], trained(custom=False))
    about: dict[str, Any] = {"experiment_config": {}, "hparams": {}}
    (about["experiment_config"] if name == "reproducibility" else about)[name] = [1]
    (old / "metadata.json").write_text(json.dumps(about))

    for command in (["show", old], ["convert", old, tmp_path / "new"]):
        assert f"{name}: expected a mapping, found list" in refused(*command)


@pytest.fixture
def without_tensorflow(tmp_path: Path) -> str:
    """A PYTHONPATH in which TensorFlow cannot be imported."""
    source = "raise AssertionError('TensorFlow was imported')\n"
    return str(write_tree(tmp_path / "none", {"tensorflow.py": source}))


@pytest.mark.parametrize("name", ["old", "gone"])
def test_show_starts_no_tensorflow(name: str, tmp_path: Path, without_tensorflow: str) -> None:
    """For what is in HDF5 and JSON, and to refuse."""
    shutil.copytree(REAL / "0.12.3-keras", tmp_path / "old")

    done = pedl2det("checkpoint", "show", tmp_path / name, PYTHONPATH=without_tensorflow)

    if name == "old":
        shown = SHOWN["0.12.3-keras"].replace("{path}", str(tmp_path / "old"))
        assert (done.returncode, done.stdout) == (0, shown), done.stderr
    else:
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"pedl2det: {tmp_path / 'gone'}: no such directory\n"


def test_show_lists_the_checkpoints_of_a_run(tmp_path: Path, without_tensorflow: str) -> None:
    given = training.config(
        20, min_validation_period={"batches": 5}, min_checkpoint_period={"batches": 10}
    ) | {"checkpoint_policy": "none"}
    run = training.run(training.Trial, tmp_path / "runs" / "iris", given)
    paths = {
        json.loads(file.read_text())["steps_completed"]: file.parent.name
        for file in run.out.glob("checkpoints/*/metadata.json")
    }
    log = run.out / "metrics.jsonl"
    values = {5: 0.5, 10: 0.25, 15: 0.125, 20: 0.375}
    reports = [
        {"kind": "validation", "batches": at, "epochs": 0.0, "metrics": {"val_loss": value}}
        for at, value in values.items()
    ]
    log.write_text("".join(f"{json.dumps(report)}\n" for report in reports) + '{"kind": "val')

    done = pedl2det("checkpoint", "show", "iris", cwd=run.out.parent, PYTHONPATH=without_tensorflow)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "run           iris",
        "checkpoints   2, best by val_loss (smaller is better)",
        f"      10      0.25           best  iris/checkpoints/{paths[10]}",
        f"      20      0.375                iris/checkpoints/{paths[20]}",
    ]
