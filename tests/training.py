"""Trains a trial in the test's own process: TensorFlow starts slowly."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial, TFKerasTrialContext

from pedl2det_runtime.api.trial_info import TrialInfo, running
from pedl2det_runtime.backends import keras_versions, random_state
from pedl2det_runtime.checkpoint.directory import latest, steps
from pedl2det_runtime.checkpoint.model_files import read_weights
from pedl2det_runtime.config.reader import config_from
from pedl2det_runtime.distributed import DistributedContext
from pedl2det_runtime.distributed.layout import Layout
from pedl2det_runtime.distributed.process_groups import alone
from pedl2det_runtime.distributed.ranks import join
from pedl2det_runtime.training.display import Lines
from pedl2det_runtime.training.run import resolve_run, train
from pedl2det_runtime.training.run_options import RunOptions

#: Of trials that a test has no directory for: one beside ``out`` would be in the tests' way.
_EMPTY = tempfile.TemporaryDirectory(prefix="trials-")
X = np.arange(60, dtype=np.float32).reshape(20, 3) / 60
Y = X.sum(axis=1, keepdims=True)


class Trial(TFKerasTrial):
    """Five batches of four in a pass, one dense layer. Tests override what they are about."""

    last: Trial

    def __init__(self, context: TFKerasTrialContext) -> None:
        super().__init__(context)
        Trial.last = self

    def build_model(self) -> Any:
        layer = tf.keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(3,))
        model = self.context.wrap_model(tf.keras.Sequential([layer]))
        model.compile(tf.keras.optimizers.SGD(0.1), "mse")
        return model

    def build_training_data_loader(self) -> Any:
        return X, Y

    def build_validation_data_loader(self) -> Any:
        return X, Y


@dataclass(frozen=True)
class Trained:
    """What a run left behind.

    Attributes:
        out: its directory.
        trial: the trial that was trained.
        said: the lines for people.
    """

    out: Path
    trial: Trial
    said: list[str]

    @property
    def reports(self) -> list[dict[str, Any]]:
        """The lines of metrics.jsonl."""
        return reports(self.out)

    @property
    def batches(self) -> list[dict[str, float]]:
        """The metrics of each batch; needs ``trace=True``."""
        lines = (self.out / "batches.jsonl").read_text().splitlines()
        return [json.loads(line)["metrics"] for line in lines]

    @property
    def checkpoint(self) -> Path:
        """The last checkpoint."""
        found = latest(self.out / "checkpoints")
        assert found is not None
        return found

    @property
    def checkpoints(self) -> list[int]:
        """The batches of every checkpoint."""
        return sorted(steps(self.out / "checkpoints").values())

    @property
    def weights(self) -> dict[str, bytes]:
        """Every array of the last checkpoint, bit for bit."""
        return {name: array.tobytes() for name, array in read_weights(self.checkpoint).items()}

    @property
    def kernel(self) -> list[float]:
        """The weights of the first layer."""
        return np.ravel(self.trial.context.model.get_weights()[0]).tolist()

    def validated(self, name: str = "val_loss") -> list[float]:
        """One metric of every validation."""
        found = [report for report in self.reports if report["kind"] == "validation"]
        return [report["metrics"][name] for report in found]


def reports(out: Path) -> list[dict[str, Any]]:
    """The lines of a run's metrics.jsonl."""
    return [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]


def config(batches: int = 10, **more: Any) -> dict[str, Any]:
    """A small experiment config; keyword arguments replace its sections."""
    return {
        "hyperparameters": {"global_batch_size": 4},
        "searcher": {"name": "single", "metric": "val_loss", "max_length": {"batches": batches}},
        **more,
    }


@contextmanager
def trial_running(given: dict[str, Any], out: Path) -> Iterator[TrialInfo]:
    """A running trial, seeded; what a trial's modules find when they are imported."""
    info = TrialInfo.of(config_from(given), out, join(None))
    with running(info):
        keras_versions.begin_trial()
        random_state.seed_everything(info.seed)
        yield info


def rank_of(size: int, rank: int = 0) -> DistributedContext:
    """Which of the processes of one machine this would be; it talks to none of them."""
    return DistributedContext._with(Layout(rank, size, rank, size, 0, 1), alone())


def run(
    trial_class: type[TFKerasTrial],
    out: Path,
    given: dict[str, Any] | None = None,
    directory: Path | None = None,
    **options: Any,
) -> Trained:
    """Train a trial of this process.

    Args:
        trial_class: the trial.
        out: the results directory.
        given: the config.
        directory: the trial's, whose files each checkpoint copies; None for an empty one.
        options: the others of :class:`RunOptions`.
    """
    said: list[str] = []
    if directory is None:
        directory = Path(_EMPTY.name, str(out.resolve()).replace("/", "_"))
        directory.mkdir(exist_ok=True)
    chosen = RunOptions(directory=directory, out=out, **options)
    with trial_running(given or config(), out) as info:
        train(trial_class, resolve_run(chosen, info, Lines(said.append, out)))
    return Trained(out, Trial.last, said)


def building(make: Any) -> Any:
    """A trial whose ``build_model`` is ``make(trial)``; its batches come in order."""

    class Building(Trial):
        def build_model(self) -> Any:
            return make(self)

        def build_training_data_loader(self) -> Any:
            self.context.configure_fit(shuffle=False)
            return X, Y

    return Building


def dense(**settings: Any) -> Any:
    """A layer of one unit that begins at zero."""
    return tf.keras.layers.Dense(1, kernel_initializer="zeros", **settings)


def functional() -> Any:
    """A functional model of one dense layer."""
    inputs = tf.keras.Input((3,))
    return tf.keras.Model(inputs, dense()(inputs))


def compiled(trial: Any, model: Any, **settings: Any) -> Any:
    """The model, wrapped and compiled; ``settings`` are arguments of ``compile``."""
    model = trial.context.wrap_model(model)
    model.compile(**{"optimizer": tf.keras.optimizers.SGD(0.1), "loss": "mse", **settings})
    return model


def descended(
    batches: int = 10, rate: Any = lambda _: 0.1, limit: float = np.inf, weights: Any = None
) -> tuple[Any, Any]:
    """A dense layer's kernel and bias after gradient descent on :data:`X` in its order, in NumPy.

    Args:
        batches: how many are trained.
        rate: the learning rate of each batch.
        limit: what gradients are clipped to.
        weights: of the records.
    """
    kernel, bias = np.zeros((3, 1)), np.zeros(1)
    for batch in range(batches):
        rows = slice(batch % 5 * 4, batch % 5 * 4 + 4)
        share = np.ones((4, 1)) if weights is None else weights[rows, None]
        error = (X[rows] @ kernel + bias - Y[rows]) * share * 2 / 4
        kernel = kernel - rate(batch) * np.clip(X[rows].T @ error, -limit, limit)
        bias = bias - rate(batch) * np.clip(error.sum(axis=0), -limit, limit)
    return kernel, bias


def by_hand(*args: Any, **kwargs: Any) -> list[float]:
    """The kernel of :func:`descended`."""
    return np.ravel(descended(*args, **kwargs)[0]).tolist()
