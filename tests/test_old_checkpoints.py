"""New runs that begin with a checkpoint of PEDL, Determined or pedl2det."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import tensorflow as tf
from determined.keras import callbacks, load_model_from_checkpoint_path

import old_formats
from old_formats import FORMATS, HDF5, REAL, WEIGHTS
from pedl2det_runtime.checkpoint.old_formats.old_checkpoint import open_checkpoint
from pedl2det_runtime.errors import CheckpointError, ConfigError, DamagedCheckpointError
from pedl2det_runtime.training.convert_checkpoint import convert
from pedl2det_runtime.training.run_options import RunOptions
from training import Trained, Trial, X, Y, config, run

BATCHES = [slice(start, start + 4) for start in range(0, 20, 4)]  # of a pass


class InOrder(Trial):
    """Two layers and the optimizer that a test chooses, on batches in their order."""

    make: Callable[[], Any] = staticmethod(lambda: tf.keras.optimizers.Adam(0.1))
    units = 3

    def build_model(self) -> Any:
        self.context.configure_fit(shuffle=False)
        model = self.context.wrap_model(layers(self.units))
        model.compile(self.context.wrap_optimizer(type(self).make()), "mse")
        return model


class OneWeight(Trial):
    """The trial of Determined's own checkpoints: y = w x, on 0, 1 and 2."""

    x = np.array([[0.0], [1.0], [2.0]], np.float32)

    def build_model(self) -> Any:
        layer = tf.keras.layers.Dense(
            1, use_bias=False, kernel_initializer="zeros", input_shape=(1,)
        )
        model = self.context.wrap_model(tf.keras.Sequential([layer]))
        model.compile(self.context.wrap_optimizer(tf.keras.optimizers.SGD(0.001)), "mse")
        return model

    def build_training_data_loader(self) -> Any:
        return self.x, self.x

    build_validation_data_loader = build_training_data_loader


def layers(units: int = 3) -> Any:
    """An untrained model."""
    sizes = (units, 1)
    return tf.keras.Sequential(
        [tf.keras.layers.Dense(n, input_shape=(3,)) for n in sizes], name="model"
    )


def trained(optimizer: Any, batches: int = 5, units: int = 3) -> Any:
    """A model that Keras itself has trained."""
    model = layers(units)
    draw = np.random.RandomState(1).normal
    model.set_weights([draw(size=weight.shape) for weight in model.weights])
    model.compile(optimizer, "mse")
    return train_on(model, batches)


def train_on(model: Any, batches: int = 5) -> Any:
    """Train on the next batches, with Keras alone."""
    for number in range(batches):
        rows = BATCHES[number % 5]
        model.train_on_batch(X[rows], Y[rows])
    return model


def trial_with(make: Callable[[], Any]) -> type[InOrder]:
    """A trial with this optimizer."""
    return type("Chosen", (InOrder,), {"make": staticmethod(make)})


def weights_of(result: Trained) -> list[Any]:
    return result.trial.context.model.get_weights()


def source_line(result: Trained) -> str:
    """What was said about the checkpoint."""
    (line,) = [line for line in result.said if line.startswith("from ")]
    return line


@pytest.mark.parametrize("name", FORMATS)
def test_a_run_trains_on_from_every_format_as_keras_does(name: str, tmp_path: Path) -> None:
    model = trained(tf.keras.optimizers.Adam(0.1))
    old = old_formats.write(tmp_path / "old", name, model)

    result = run(InOrder, tmp_path / "out", config(5), from_checkpoint=old)

    for ours, keras in zip(weights_of(result), train_on(model).get_weights(), strict=True):
        np.testing.assert_allclose(ours, keras, rtol=1e-6)
    assert int(result.trial.context.model.optimizer.iterations) == 10
    assert [report["batches"] for report in result.reports] == [5, 5]  # a new run
    assert "the weights, the state of Adam after 5 steps" in source_line(result)


def test_a_trial_trains_on_from_determined_0_13_8(tmp_path: Path) -> None:
    given = config(2, hyperparameters={"global_batch_size": 3})
    result = run(OneWeight, tmp_path, given, from_checkpoint=REAL / "0.13.8-keras", trace=True)

    # One step from 0 with gradient -10/3 and rate 0.001 made the weight 1/300.
    assert result.batches[0]["loss"] == pytest.approx(5 / 3 * (299 / 300) ** 2, rel=1e-6)
    assert int(result.trial.context.model.optimizer.iterations) == 3
    assert "the random states, the state of SGD after 1 step" in source_line(result)


def test_a_trial_trains_on_from_determined_0_12_3(tmp_path: Path) -> None:
    given = config(1, hyperparameters={"global_batch_size": 3})
    result = run(OneWeight, tmp_path, given, from_checkpoint=REAL / "0.12.3-keras", trace=True)

    assert result.batches[0]["loss"] == pytest.approx(5 / 3 * 1e-7**2, rel=0.5)
    assert int(result.trial.context.model.optimizer.iterations) == 501
    assert "it holds no random states" in source_line(result)


def test_the_model_of_determined_0_12_3_predicts_what_it_learned() -> None:
    model = load_model_from_checkpoint_path(REAL / "0.12.3-keras")

    with h5py.File(REAL / "0.12.3-keras" / "determined-keras-model") as file:
        weight = np.float32(file["model_weights/dense/dense/kernel:0"][0, 0])
    x = np.array([[1.0], [3.0]], np.float32)
    assert np.array_equal(model.predict(x, verbose=0), x * weight)
    assert int(model.optimizer.iterations) == 500


PAIRS = {
    "SGD": {"momentum": 0.9},
    "RMSprop": {"momentum": 0.5, "centered": True},
    "Adagrad": {},
    "Adadelta": {},
    "Adam": {"amsgrad": True},
    "Adamax": {},
    "Ftrl": {},
}


@pytest.mark.turns(4)
@pytest.mark.parametrize("is_new", [True, False], ids=["to new", "to legacy"])
@pytest.mark.parametrize("kind", PAIRS)
def test_the_state_of_an_optimizer_goes_over_to_another_keras(
    kind: str, is_new: bool, tmp_path: Path
) -> None:
    """The optimizers of Keras 2.11 and those before have other variables and compute the same."""

    def make(new: bool) -> Any:
        module = tf.keras.optimizers if new else tf.keras.optimizers.legacy
        return getattr(module, kind)(0.05, **PAIRS[kind])

    model = trained(make(not is_new))
    old = old_formats.write(tmp_path / "old", WEIGHTS, model)

    chosen = trial_with(lambda: make(is_new))
    result = run(chosen, tmp_path / "out", config(5), from_checkpoint=old)

    for ours, keras in zip(weights_of(result), train_on(model).get_weights(), strict=True):
        np.testing.assert_allclose(ours, keras, rtol=2e-5, atol=2e-6)


class Branches(tf.keras.Model):
    """Two equal layers, made in the order of their names."""

    def __init__(self, *names: str) -> None:
        super().__init__()
        for name in names:
            setattr(self, name, tf.keras.layers.Dense(3, name=name))

    def call(self, x: Any) -> Any:
        return self.left(x) + 2 * self.right(x)


def chain(*names: str) -> Any:
    """Two equal layers, one after the other."""
    return tf.keras.Sequential([tf.keras.layers.Dense(3, name=name) for name in names])


@pytest.mark.parametrize("reverses", ["the layers", "the variables of the optimizer"])
@pytest.mark.parametrize("legacy", [False, True], ids=["new", "legacy"])
@pytest.mark.parametrize(
    ("name", "make"), [(WEIGHTS, Branches), (WEIGHTS, chain), (HDF5[0], chain)]
)
def test_slots_go_where_their_weights_go(
    name: str, make: Any, legacy: bool, reverses: str, tmp_path: Path
) -> None:
    """Keras restores layers by their attribute, or by their place; their names do not count."""
    module = tf.keras.optimizers.legacy if legacy else tf.keras.optimizers

    def compiled(*names: str, step: int = 1) -> Any:
        model = make(*names)
        model.compile(module.Adam(0.1), "mse")
        model.build((None, 3))
        zeros = [tf.zeros_like(weight) for weight in model.weights]
        pairs = [*zip(zeros, model.weights, strict=True)]
        model.optimizer.apply_gradients(pairs[::step])
        return model

    def with_slots(model: Any) -> Any:
        """Each weight with its slots m and v."""
        own = model.optimizer
        for weight in model.weights:
            if legacy:
                yield weight, own.get_slot(weight, "m"), own.get_slot(weight, "v")
            else:
                at = own._index_dict[own._var_key(weight)]
                yield weight, own._momentums[at], own._velocities[at]

    is_of_layers = reverses == "the layers"
    model = compiled("left", "right", step=1 if is_of_layers else -1)
    for number, variables in enumerate(with_slots(model)):
        for place, variable in enumerate(variables):
            variable.assign(tf.fill(variable.shape, number + place / 4))
    old = old_formats.write(tmp_path / "old", name, model)
    again = compiled(*(("right", "left") if is_of_layers else ("left", "right")))

    checkpoint = open_checkpoint(old)
    checkpoint.weights.restore_weights(again, float("inf"))
    checkpoint.restore_optimizers(again, [])

    numbers = [tuple(map(tf.reduce_mean, variables)) for variables in with_slots(again)]
    assert sorted(numbers) == [(n, n + 0.25, n + 0.5) for n in range(4)]


def test_the_state_of_an_optimizer_of_tensorflow_1_13(tmp_path: Path) -> None:
    """It did not name its slots."""
    model = trained(tf.keras.optimizers.legacy.Adam(0.1))
    old = old_formats.write(tmp_path / "old", "pedl-keras-model", model)
    with h5py.File(old / "pedl-keras-model", "r+") as file:
        group = file["optimizer_weights"]
        arrays = [np.asarray(group[name]) for name in group.attrs["weight_names"]]
        del file["optimizer_weights"]
        group = file.create_group("optimizer_weights")
        names = ["Adam/iterations:0", "training/Adam/Variable:0"]
        names += [f"training/Adam/Variable_{n}:0" for n in range(1, len(arrays) - 1)]
        group.attrs["weight_names"] = [name.encode() for name in names]
        for name, array in zip(names, arrays, strict=True):
            group[name] = array

    result = run(InOrder, tmp_path / "out", config(5), from_checkpoint=old)

    for ours, keras in zip(weights_of(result), train_on(model).get_weights(), strict=True):
        np.testing.assert_allclose(ours, keras, rtol=2e-5, atol=2e-6)


def test_another_optimizer_is_refused_and_the_weights_alone_are_taken(tmp_path: Path) -> None:
    model = trained(tf.keras.optimizers.Adam(0.1))
    old = old_formats.write(tmp_path / "old", WEIGHTS, model)
    with_sgd = trial_with(lambda: tf.keras.optimizers.SGD(0.1, momentum=0.9))

    with pytest.raises(CheckpointError, match="state of Adam, the model has SGD; .*--weights-only"):
        run(with_sgd, tmp_path / "out", config(5), from_checkpoint=old)
    result = run(with_sgd, tmp_path / "again", config(5), from_checkpoint=old, weights_only=True)

    assert int(result.trial.context.model.optimizer.iterations) == 5
    assert source_line(result).endswith(": took the weights")
    fresh = layers()
    fresh.compile(tf.keras.optimizers.SGD(0.1, momentum=0.9), "mse")
    fresh.set_weights(model.get_weights())
    for ours, keras in zip(weights_of(result), train_on(fresh).get_weights(), strict=True):
        np.testing.assert_allclose(ours, keras, rtol=1e-6)


def test_a_checkpoint_without_the_optimizer_is_refused(tmp_path: Path) -> None:
    old = old_formats.write(tmp_path / "old", WEIGHTS, trained("adam"))
    (old / "determined-keras-optimizer-weights.h5").unlink()

    with pytest.raises(CheckpointError, match="state of 0 optimizers, .*--weights-only"):
        run(InOrder, tmp_path / "out", config(5), from_checkpoint=old)


@pytest.mark.parametrize("name", [HDF5[0], WEIGHTS])
def test_a_model_of_other_shapes_is_refused(name: str, tmp_path: Path) -> None:
    old = old_formats.write(tmp_path / "old", name, trained("adam", units=4))

    with pytest.raises(
        CheckpointError, match=r"it does not fit this model: .*\b4\b.*checkpoint show"
    ):
        run(InOrder, tmp_path / "out", config(5), from_checkpoint=old)


@pytest.mark.parametrize("more", ["model", "checkpoint"])
def test_a_model_of_other_layers_is_refused(more: str, tmp_path: Path) -> None:
    """TensorFlow's format would leave what is missing as it is, and say nothing."""
    short = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(3,))], name="model")
    tall = tf.keras.Sequential([*layers().layers, tf.keras.layers.Dense(1)], name="model")
    model = short if more == "model" else tall
    model.compile(tf.keras.optimizers.Adam(0.1), "mse")
    old = old_formats.write(tmp_path / "old", WEIGHTS, model)

    missing = "the checkpoint lacks dense_1/kernel:0, dense_1/bias:0"
    expected = missing if more == "model" else "the model lacks layer_with_weights-2/bias"
    with pytest.raises(CheckpointError, match=f"{expected}.*; compare its layers"):
        run(InOrder, tmp_path / "out", config(5), from_checkpoint=old)


class Noting(callbacks.Callback):
    """Keeps the state that it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.state: Any = None

    def load_state(self, state: Any) -> None:
        self.state = state


class WithCallback(InOrder):
    def keras_callbacks(self) -> list[Any]:
        self.noting = Noting()
        return [self.noting, tf.keras.callbacks.LambdaCallback()]


class DrawsNoise(InOrder):
    """Its batches begin with a random number."""

    drawn: list[tuple[float, float, int]]

    def build_training_data_loader(self) -> Any:
        trial = self
        trial.drawn = []

        class Noise(tf.keras.utils.Sequence):
            def __len__(self) -> int:
                return 5

            def __getitem__(self, index: int) -> Any:
                generator = tf.random.get_global_generator()
                number = int(generator.uniform_full_int([], dtype=tf.int64))
                trial.drawn.append((np.random.uniform(), random.random(), number))
                return X[BATCHES[index]], Y[BATCHES[index]]

        return Noise()


def test_random_states_are_taken(tmp_path: Path) -> None:
    tf.random.set_global_generator(tf.random.Generator.from_seed(7))
    np.random.seed(3)
    random.seed(4)
    model = trained(tf.keras.optimizers.Adam(0.1))
    old = old_formats.write(tmp_path / "old", WEIGHTS, model)
    old_formats.write_states(old, [])
    generator = tf.random.get_global_generator()
    expected = (
        np.random.uniform(),
        random.random(),
        int(generator.uniform_full_int([], dtype=tf.int64)),
    )

    result = run(DrawsNoise, tmp_path / "out", config(2), from_checkpoint=old)

    assert result.trial.drawn[0] == expected
    assert "the random states" in source_line(result)


@pytest.mark.parametrize("how", ["from_checkpoint", "resume"])
def test_random_states_that_a_converted_checkpoint_lacks_are_those_of_a_new_run(
    how: str, tmp_path: Path
) -> None:
    given = config(8, reproducibility={"experiment_seed": 3})
    old = old_formats.write(tmp_path / "old", HDF5[0], trained(tf.keras.optimizers.Adam(0.1)))
    old_formats.write_load_data(old, given)
    (tmp_path / "out" / "checkpoints").mkdir(parents=True)
    new = tmp_path / "out" / "checkpoints" / "new"
    convert(old, new, trust=False, weights_only=False)
    fresh = run(DrawsNoise, tmp_path / "fresh", given)

    if how == "resume":
        result = run(DrawsNoise, tmp_path / "out", given, resume=True)
    else:
        result = run(DrawsNoise, tmp_path / "on", given, from_checkpoint=new)

    assert result.trial.drawn[0] == fresh.trial.drawn[0]
    assert any("holds no random states" in line for line in result.said)


def test_states_of_callbacks_are_taken(tmp_path: Path) -> None:
    old = old_formats.write(tmp_path / "old", WEIGHTS, trained(tf.keras.optimizers.Adam(0.1)))
    old_formats.write_states(old, [{"best": np.float32(0.5)}, None])

    result = run(WithCallback, tmp_path / "out", config(2), from_checkpoint=old)

    assert result.trial.noting.state == {"best": np.float32(0.5)}
    assert "the states of the callbacks" in source_line(result)


def test_states_of_other_callbacks_are_not_taken_and_it_is_said(tmp_path: Path) -> None:
    old = old_formats.write(tmp_path / "old", WEIGHTS, trained(tf.keras.optimizers.Adam(0.1)))
    old_formats.write_states(old, ["a state"])

    result = run(WithCallback, tmp_path / "out", config(2), from_checkpoint=old)

    assert result.trial.noting.state is None
    assert "the states of 1 callbacks, the trial has 2" in source_line(result)


def test_the_learning_rate_is_that_of_the_code_and_a_difference_is_said(tmp_path: Path) -> None:
    old = old_formats.write(tmp_path / "old", WEIGHTS, trained(tf.keras.optimizers.Adam(0.25)))

    result = run(InOrder, tmp_path / "out", config(2), from_checkpoint=old)

    rate = result.trial.context.model.optimizer.learning_rate.numpy()
    assert rate == np.float32(0.1)
    assert "the learning rate is 0.1 as in the code, not 0.25 as at the checkpoint" in source_line(
        result
    )


def test_a_run_begins_with_a_checkpoint_of_another_run(tmp_path: Path) -> None:
    first = run(WithCallback, tmp_path / "first", config(5))
    on = run(WithCallback, tmp_path / "on", config(5), from_checkpoint=first.checkpoint)
    whole = run(WithCallback, tmp_path / "whole", config(10))

    for ours, expected in zip(weights_of(on), weights_of(whole), strict=True):
        assert np.array_equal(ours, expected)
    assert [report["batches"] for report in on.reports] == [5, 5]


def test_a_run_that_began_so_is_resumed_from_its_own_checkpoint(tmp_path: Path) -> None:
    old = old_formats.write(tmp_path / "old", WEIGHTS, trained(tf.keras.optimizers.Adam(0.1)))
    given = {"from_checkpoint": old}
    whole = run(InOrder, tmp_path / "whole", config(8), **given)
    run(InOrder, tmp_path / "parts", config(3), **given)
    parts = run(InOrder, tmp_path / "parts", config(8), resume=True, **given)

    assert parts.weights == whole.weights
    assert "resumed at batch 3" in parts.said


class FailsAtFirst(InOrder):
    """Its data are not there when it is trained for the first time."""

    is_first = True

    def build_training_data_loader(self) -> Any:
        if type(self).is_first:
            type(self).is_first = False
            raise FileNotFoundError("the data")
        return super().build_training_data_loader()


@pytest.mark.parametrize("key", ["from_checkpoint", "source_checkpoint_uuid"])
def test_a_run_without_a_checkpoint_of_its_own_resumes_from_the_same_source(
    key: str, tmp_path: Path
) -> None:
    given = stored(tmp_path)
    path = tmp_path / "host" / "sub" / "some-uuid"
    by_option = {"weights_only": True}
    if key == "from_checkpoint":
        given, by_option = config(5), {"from_checkpoint": path, "weights_only": True}
    whole = run(InOrder, tmp_path / "whole", given, **by_option)
    with pytest.raises(FileNotFoundError):
        run(type("_", (FailsAtFirst,), {}), tmp_path / "out", given, **by_option)

    resumed = run(InOrder, tmp_path / "out", given, resume=True)

    assert resumed.weights == whole.weights
    assert source_line(resumed) == source_line(whole) == f"from {path}: took the weights"


def test_a_new_run_does_not_begin_as_an_earlier_one_in_its_directory(tmp_path: Path) -> None:
    old = old_formats.write(tmp_path / "old", WEIGHTS, trained(tf.keras.optimizers.Adam(0.1)))
    for given in ({"from_checkpoint": old}, {}):
        with pytest.raises(FileNotFoundError):
            run(type("_", (FailsAtFirst,), {}), tmp_path / "out", config(2), **given)

    said = run(InOrder, tmp_path / "out", config(2), resume=True).said

    assert not any(line.startswith("from ") for line in said)


@pytest.mark.parametrize("is_early", [True, False], ids=["without", "with"])
def test_a_resume_refuses_another_source(is_early: bool, tmp_path: Path) -> None:
    """Without a checkpoint of its own and with one."""
    old = old_formats.write(tmp_path / "old", WEIGHTS, trained(tf.keras.optimizers.Adam(0.1)))
    trial = type("_", (FailsAtFirst,), {"is_first": is_early})
    with suppress(FileNotFoundError):
        run(trial, tmp_path / "out", config(2), from_checkpoint=old)

    for other in (
        {"from_checkpoint": old, "weights_only": True},
        {"from_checkpoint": tmp_path / "other"},
        {"weights_only": True},
    ):
        with pytest.raises(ConfigError, match=rf"--resume: .* with --from-checkpoint {old}: "):
            run(InOrder, tmp_path / "out", config(4), resume=True, **other)
    run(InOrder, tmp_path / "out", config(4), resume=True, from_checkpoint=old)


def test_a_run_that_began_without_a_checkpoint_refuses_one(tmp_path: Path) -> None:
    run(InOrder, tmp_path, config(2))
    with pytest.raises(ConfigError, match=r"--resume: .* began with new weights: "):
        run(InOrder, tmp_path, config(4), resume=True, from_checkpoint=REAL / "0.13.8-keras")


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch, lambda path: path.symlink_to("gone")])
def test_the_record_of_the_source_replaces_nothing_of_others(make: Any, tmp_path: Path) -> None:
    make(tmp_path / "run.json")
    with pytest.raises(ConfigError, match=r"run\.json: .*move it away"):
        run(InOrder, tmp_path, config(2), from_checkpoint=REAL / "0.13.8-keras")
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_the_command_to_resume_names_the_checkpoint(tmp_path: Path) -> None:
    options = RunOptions(
        directory=tmp_path, out=tmp_path / "out", from_checkpoint=Path("old"), weights_only=True
    )
    assert options.to_resume().endswith("--weights-only --from-checkpoint old")


def stored(tmp_path: Path, name: str = "some-uuid") -> dict[str, Any]:
    """A config that names a checkpoint in its storage, and that storage."""
    (tmp_path / "host" / "sub").mkdir(parents=True)
    model = trained(tf.keras.optimizers.Adam(0.1))
    old_formats.write(tmp_path / "host" / "sub" / "some-uuid", WEIGHTS, model)
    given = config(5)
    storage = {"type": "shared_fs", "host_path": str(tmp_path / "host"), "storage_path": "sub"}
    searcher = given["searcher"] | {"source_checkpoint_uuid": name}
    return given | {"searcher": searcher, "checkpoint_storage": storage}


def test_source_checkpoint_uuid_is_found_in_the_storage(tmp_path: Path) -> None:
    given = stored(tmp_path)
    by_key = run(InOrder, tmp_path / "by key", given)
    path = tmp_path / "host" / "sub" / "some-uuid"
    by_option = run(InOrder, tmp_path / "by option", config(5), from_checkpoint=path)

    assert by_key.weights == by_option.weights
    assert source_line(by_key) == source_line(by_option)


def test_a_source_checkpoint_in_a_cloud_is_refused(tmp_path: Path) -> None:
    given = stored(tmp_path) | {"checkpoint_storage": {"type": "s3", "bucket": "b"}}
    with pytest.raises(ConfigError, match="is shared_fs or directory; it is s3: .*--from-checkp"):
        run(InOrder, tmp_path / "out", given)


@pytest.mark.parametrize("name", ["another-uuid", "../sub/some-uuid", 3])
def test_a_source_checkpoint_that_is_not_there_is_refused(name: Any, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"searcher\.source_checkpoint_uuid: "):
        run(InOrder, tmp_path / "out", stored(tmp_path, name))


def test_weights_only_needs_a_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--weights-only: name the checkpoint"):
        run(InOrder, tmp_path / "out", config(5), weights_only=True)


class Evil:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("name", ["rng_state.pkl", "determined-callbacks.v1.pkl"])
def test_a_pickle_that_runs_code_does_not(name: str, tmp_path: Path) -> None:
    old = old_formats.write(tmp_path / "old", WEIGHTS, trained(tf.keras.optimizers.Adam(0.1)))
    old_formats.write_states(old, ["a state", None])
    old_formats.dump(old / name, {"callbacks": [Evil(tmp_path / "evil")]})

    refused = f"{name}: damaged checkpoint: refused to unpickle posix.mkdir.*--weights-only"
    with pytest.raises(DamagedCheckpointError, match=refused):
        run(WithCallback, tmp_path / "out", config(2), from_checkpoint=old)

    assert not (tmp_path / "evil").exists()


def test_a_stand_in_for_tensorflow_runs_nothing_else(tmp_path: Path) -> None:
    """``functools.partial`` is in the pickles of Determined, around a variable alone."""
    from functools import partial

    old = old_formats.write(tmp_path / "old", WEIGHTS, trained(tf.keras.optimizers.Adam(0.1)))
    old_formats.dump(old / "rng_state.pkl", partial(os.mkdir, str(tmp_path / "evil")))

    with pytest.raises(DamagedCheckpointError, match="rng_state.pkl"):
        run(InOrder, tmp_path / "out", config(2), from_checkpoint=old)
    assert not (tmp_path / "evil").exists()


@pytest.fixture(scope="module")
def undamaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of each of two formats, by the name of its main file."""
    home = tmp_path_factory.mktemp("undamaged")
    model = trained(tf.keras.optimizers.Adam(0.1))
    for name in (HDF5[0], WEIGHTS):
        old_formats.write(home / name, name, model)
    old_formats.write_states(home / WEIGHTS, [])
    old_formats.write_load_data(home / WEIGHTS, config())
    return home


def _linked(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def _piped(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:40])


@pytest.mark.parametrize("damage", [_linked, _piped, _cut])
@pytest.mark.parametrize(
    ("name", "file"),
    [
        (HDF5[0], HDF5[0]),
        (WEIGHTS, f"{WEIGHTS}.index"),
        (WEIGHTS, f"{WEIGHTS}.data-00000-of-00001"),
        (WEIGHTS, "determined-keras-optimizer-weights.h5"),
        (WEIGHTS, "rng_state.pkl"),
        (WEIGHTS, "load_data.json"),
    ],
)
def test_damage_is_one_line(
    name: str, file: str, damage: Callable[[Path], None], undamaged: Path, tmp_path: Path
) -> None:
    old = shutil.copytree(undamaged / name, tmp_path / "old")
    damage(old / file)

    with pytest.raises(DamagedCheckpointError) as error:
        run(InOrder, tmp_path / "out", config(2), from_checkpoint=old)

    assert "\n" not in str(error.value)
    assert file.partition(".")[0] in str(error.value)


@pytest.mark.parametrize("path", ["nothing", "empty", "file"])
def test_no_checkpoint_is_one_line(path: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(CheckpointError, match=f"{path}: no "):
        run(InOrder, tmp_path / "out", config(2), from_checkpoint=tmp_path / path)
    assert not (tmp_path / "out" / "metrics.jsonl").exists()


def test_a_damaged_checkpoint_of_pedl2det_is_refused(tmp_path: Path) -> None:
    source = shutil.copytree(run(InOrder, tmp_path / "a", config(2)).checkpoint, tmp_path / "b")
    state = json.loads((source / "state.json").read_text())
    (source / "state.json").write_text(json.dumps(state | {"seed": 4}))

    with pytest.raises(DamagedCheckpointError, match=r"state\.json"):
        run(InOrder, tmp_path / "out", config(2), from_checkpoint=source)
