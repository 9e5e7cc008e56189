"""What Keras takes for the end of the data ends no training unseen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from pedl2det_runtime.errors import InvalidExperimentException, Pedl2DetError
from pedl2det_runtime.training.trial_loading import users_code
from training import Trial, X, Y, config, run


def stop() -> Any:
    raise StopIteration


def out_of_range() -> Any:
    raise tf.errors.OutOfRangeError(None, None, "eof")


class Rows(tf.keras.utils.Sequence):
    """Five batches; reading batch ``bad`` raises."""

    def __init__(self, bad: int, fail: Callable[[], Any]) -> None:
        self.bad, self.fail = bad, fail

    def __len__(self) -> int:
        return 5

    def __getitem__(self, index: int) -> Any:
        return self.fail() if index == self.bad else (X[:4], Y[:4])


class Failing(tf.keras.callbacks.Callback):
    def __init__(self, event: str, fail: Callable[[], Any]) -> None:
        super().__init__()
        setattr(self, event, lambda *_, **__: fail())


def with_data(which: str, data: Any, **settings: Any) -> type[Trial]:
    def loader(trial: Trial) -> Any:
        trial.context.configure_fit(shuffle=False, **settings)
        return trial.context.wrap_dataset(data)

    return type("Stopping", (Trial,), {f"build_{which}_data_loader": loader})


def told(trial: type[Trial], out: Path, fail: Callable[[], Any]) -> str:
    """What a run says that must fail where ``fail`` raises."""
    home = Path(__file__)
    with pytest.raises(Pedl2DetError) as caught, users_code(home.parent, "train T"):
        run(trial, out, PERIODS)
    line = fail.__code__.co_firstlineno + 1
    assert str(caught.value).startswith(f"{home}:{line}: ")
    return str(caught.value)


PERIODS = config(20, min_validation_period={"batches": 5})
FAILURES = [pytest.param(stop, id="StopIteration"), pytest.param(out_of_range, id="OutOfRange")]


@pytest.mark.parametrize("fail", FAILURES)
@pytest.mark.parametrize("bad", [0, 3])
@pytest.mark.parametrize("which", ["training", "validation"])
def test_a_sequence_that_raises_is_told(
    which: str, bad: int, fail: Callable[[], Any], tmp_path: Path
) -> None:
    said = told(with_data(which, Rows(bad, fail)), tmp_path, fail)
    assert "StopIteration" in said or "OutOfRangeError: eof" in said


def test_a_process_that_raises_is_told(tmp_path: Path) -> None:
    data = Rows(3, stop)
    settings = {"workers": 1, "use_multiprocessing": True}
    said = told(with_data("validation", data, **settings), tmp_path, stop)
    assert "StopIteration: this exception was not caught" in said


@pytest.mark.parametrize("fail", FAILURES)
@pytest.mark.parametrize(
    "event", ["on_train_batch_begin", "on_train_batch_end", "on_test_batch_end", "on_test_end"]
)
def test_a_callback_that_raises_is_told(
    event: str, fail: Callable[[], Any], tmp_path: Path
) -> None:
    trial = type("T", (Trial,), {"keras_callbacks": lambda _: [Failing(event, fail)]})
    assert "this exception was not caught" in told(trial, tmp_path, fail)


def test_a_dataset_that_ends_early_is_told(tmp_path: Path) -> None:
    """Its generator gives the same iterator again, which is used up: repeat() finds an end."""
    once = iter([(X[:4], Y[:4])] * 8)
    spec = (tf.TensorSpec((4, 3)), tf.TensorSpec((4, 1)))
    data = tf.data.Dataset.from_generator(lambda: once, output_signature=spec)
    with pytest.raises(InvalidExperimentException, match=r"data ended after [1-8] of 20"):
        run(with_data("training", data), tmp_path, PERIODS)
