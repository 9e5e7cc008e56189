"""Several processes that train one trial, on real Horovod."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import old_formats
import rank_trials
import training
from support import EXAMPLES

pytest.importorskip("horovod", reason="Horovod is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.ranks]

HOROVODRUN = Path(sys.executable).with_name("horovodrun")
ALL_EXAMPLES = sorted(path.parent.name for path in EXAMPLES.glob("*/*.yaml"))


def on_ranks(count: int, job: str, directory: Path, *arguments: str) -> Path:
    """Run one of the jobs of ``on_ranks.py``; returns the directory with what it left."""
    script = Path(__file__).with_name("on_ranks.py")
    command = [HOROVODRUN, "-np", str(count), "--gloo", sys.executable, script]
    done = subprocess.run(
        [*command, job, directory, *arguments], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (directory / "said.txt").write_text(done.stdout)
    return directory


def weights(directory: Path, rank: int = 0) -> list[np.ndarray]:
    """The weights that a rank ended with."""
    with np.load(directory / f"of_rank_{rank}.npz") as file:
        return [file[name] for name in sorted(file.files, key=int)]


def assert_equal(these: list[np.ndarray], those: list[np.ndarray]) -> None:
    assert len(these) == len(those) > 0
    for one, other in zip(these, those, strict=True):
        np.testing.assert_array_equal(one, other)


def alone(name: str, tmp_path: Path, **given: object) -> list[np.ndarray]:
    """The weights that one process ends with, on batches that are the joined ones of two."""
    kind = rank_trials.SAME_ON_TWO[name]
    return training.run(kind, tmp_path, training.config(**given)).trial.context.model.get_weights()


# Every example.


@pytest.fixture(scope="module")
def examples(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    tests = {item.name for item in request.session.items}
    asked = [name for name in ALL_EXAMPLES if any(f"[{name}]" in test for test in tests)]
    return on_ranks(
        2, "examples", tmp_path_factory.mktemp("examples"), *sorted({*asked, "cancer_dataset"})
    )


@pytest.mark.turns(12)
@pytest.mark.parametrize("name", ALL_EXAMPLES)
def test_the_ranks_of_an_example_end_with_equal_weights(name: str, examples: Path) -> None:
    assert_equal(weights(examples / name, 0), weights(examples / name, 1))


def test_an_old_dataset_that_nobody_wrapped_is_not_shared_and_that_is_said(examples: Path) -> None:
    said = (examples / "said.txt").read_text()
    of_cancer = said.partition("example cancer_dataset")[2].partition("trained 30 batches")[0]
    assert "all of one that it did not wrap" in of_cancer
    assert said.count("all of one that it did not wrap") == 1


# Gradients.


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return on_ranks(2, "trials", tmp_path_factory.mktemp("trials"))


@pytest.mark.parametrize("name", rank_trials.SAME_ON_TWO)
def test_two_ranks_train_on_the_gradient_of_their_joined_batches(
    name: str, trials: Path, tmp_path: Path
) -> None:
    assert_equal(weights(trials / name, 0), weights(trials / name, 1))
    for ours, single in zip(weights(trials / name), alone(name, tmp_path), strict=True):
        np.testing.assert_allclose(ours, single, rtol=1e-4, atol=1e-6)


def test_the_first_gradient_is_that_of_the_joined_batch(trials: Path) -> None:
    """One step of plain SGD with rate 1 moves the weights by the gradient."""
    import tensorflow as tf

    kernel, bias = weights(trials / "FirstStep")
    x, y = training.X[:4], training.Y[:4]  # two records of each rank
    with tf.GradientTape() as tape:
        k, b = tf.zeros((3, 1)), tf.zeros((1,))
        tape.watch((k, b))
        loss = tf.reduce_mean((x @ k + b - y) ** 2)
    for after, gradient in zip((kernel, bias), tape.gradient(loss, (k, b)), strict=True):
        np.testing.assert_allclose(after, -gradient.numpy(), rtol=1e-6)


@pytest.mark.parametrize(("name", "rate"), [("Averaged", 0.1), ("Summed", 0.2)])
def test_gradients_of_several_batches_become_one_step(
    name: str, rate: float, trials: Path, tmp_path: Path
) -> None:
    """Four batches of four records, in steps of two, are two batches of eight."""

    class Whole(rank_trials.Ordered):
        def optimizer(self) -> object:
            import tensorflow as tf

            return tf.keras.optimizers.SGD(rate)

    config = training.config(2, hyperparameters={"global_batch_size": 8})
    single = training.run(Whole, tmp_path, config).trial.context.model.get_weights()
    for ours, theirs in zip(weights(trials / name), single, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)


def test_compressed_gradients_are_nearly_the_same(trials: Path) -> None:
    for ours, exact in zip(
        weights(trials / "Compressed"), weights(trials / "Ordered"), strict=True
    ):
        np.testing.assert_allclose(ours, exact, rtol=1e-2, atol=1e-2)
        assert (ours != exact).any()


# What the ranks decide together.


def test_moving_averages_are_averaged(trials: Path) -> None:
    assert_equal(weights(trials / "Normalized", 0), weights(trials / "Normalized", 1))


def test_a_wish_of_one_rank_stops_all_after_the_workload(trials: Path) -> None:
    reports = training.reports(trials / "StopsOnOne" / "out")
    assert [report["batches"] for report in reports] == [5]
    assert_equal(weights(trials / "StopsOnOne", 0), weights(trials / "StopsOnOne", 1))


def test_metrics_are_those_of_all_ranks(trials: Path, tmp_path: Path) -> None:
    """Every rank has as many records as the other, so their means are those of one process."""
    training.run(rank_trials.Ordered, tmp_path)
    ours, single = (training.reports(path) for path in (trials / "Ordered" / "out", tmp_path))
    for one, other in zip(ours, single, strict=True):
        assert one["metrics"] == pytest.approx(other["metrics"], rel=1e-4)


def test_a_rank_that_trains_differently_is_noticed(trials: Path) -> None:
    for rank in (0, 1):
        said = (trials / f"diverged_{rank}.txt").read_text()
        assert said.startswith("RanksDifferError: dense")
        assert "the weights of rank 1 are not those of rank 0" in said


# Resuming.


@pytest.fixture(scope="module")
def resumed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return on_ranks(2, "resumes", tmp_path_factory.mktemp("resumes"))


@pytest.mark.parametrize("name", ["Random", "Summed"])
def test_a_resumed_run_ends_with_the_weights_of_the_undisturbed_one(
    name: str, resumed: Path
) -> None:
    """Dropout, data that draw, Adam, and gradients between two steps."""
    for rank in (0, 1):
        whole, halves = (weights(resumed / name / part, rank) for part in ("whole", "halves"))
        assert_equal(whole, halves)


def test_a_run_goes_on_with_another_number_of_processes(resumed: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(resumed / "Random" / "halves" / "out", tmp_path / "out")
    done = training.run(rank_trials.Random, tmp_path / "out", training.config(30), resume=True)

    assert any(
        "the checkpoint was written with 2 slots, this run has 1" in line for line in done.said
    )
    assert done.reports[-1]["batches"] == 30


# Beginning with a checkpoint.


def test_a_run_begins_with_an_old_checkpoint_as_one_process_does(tmp_path: Path) -> None:
    import tensorflow as tf

    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(4, "tanh", input_shape=(3,)), tf.keras.layers.Dense(1)]
    )
    model.compile(tf.keras.optimizers.Adam(0.1), "mse")
    model.fit(training.X, training.Y, batch_size=4, shuffle=False, verbose=0)
    old = old_formats.write(tmp_path / "old", old_formats.WEIGHTS, model)

    begun = on_ranks(2, "starts", tmp_path / "begun", str(old))

    model.fit(training.X, training.Y, batch_size=4, shuffle=False, verbose=0)
    assert_equal(weights(begun / "whole", 0), weights(begun / "whole", 1))
    assert_equal(weights(begun / "again"), weights(begun / "whole"))
    for ours, keras in zip(weights(begun / "whole"), model.get_weights(), strict=True):
        np.testing.assert_allclose(ours, keras, rtol=1e-4, atol=1e-6)
