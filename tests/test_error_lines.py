"""An error in a trial is reported in one line, with its location and message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from pedl2det_runtime.errors import Pedl2DetError
from pedl2det_runtime.training.trial_loading import users_code
from training import Trial, X, Y, config, run

HERE = Path(__file__)


class Rows(tf.keras.utils.Sequence):
    """Five batches of the same; subclasses spoil the second."""

    def __len__(self) -> Any:
        return 5

    def __getitem__(self, index: int) -> Any:
        return self.second() if index == 1 else (X[:4], Y[:4])

    def second(self) -> Any:
        raise KeyError("img")


class WithoutLength(Rows):
    def __len__(self) -> Any:
        return 2.5


class Empty(Rows):
    def __len__(self) -> Any:
        return 0


class OtherType(Rows):
    def second(self) -> Any:
        return X[:4].astype(int), Y[:4]


class OtherNumber(Rows):
    def second(self) -> Any:
        return X[:4], Y[:4], Y[:4]


def fails(y: Any, p: Any) -> Any:
    raise KeyError("boo")


def other_shape(y: Any, p: Any) -> Any:
    return tf.matmul(y, tf.py_function(lambda p: p, [p], tf.float32))


def line(text: str) -> int:
    """The line of this file that holds a text first."""
    lines = HERE.read_text().splitlines()
    return next(number for number, found in enumerate(lines, 1) if text in found)


def told(trial: type[Trial], out: Path) -> str:
    """What a run says that must fail."""
    with pytest.raises(Pedl2DetError) as caught, users_code(HERE.parent, "train T"):
        run(trial, out)
    return str(caught.value)


def with_loss(loss: Any) -> type[Trial]:
    def build_model(trial: Trial) -> Any:
        model = trial.context.wrap_model(
            tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
        )
        model.compile("sgd", loss)
        return model

    return type("T", (Trial,), {"build_model": build_model})


def with_data(data: Any, which: str = "training", **settings: Any) -> type[Trial]:
    def loader(trial: Trial) -> Any:
        trial.context.configure_fit(shuffle=False, **settings)
        return trial.context.wrap_dataset(data)

    return type("T", (Trial,), {f"build_{which}_data_loader": loader})


def test_a_loss_that_raises(tmp_path: Path) -> None:
    place = line('KeyError("boo")')
    expected = f"{HERE}:{place}: train T: KeyError: 'boo'"
    assert told(with_loss(fails), tmp_path) == expected


def test_an_operation_that_fails(tmp_path: Path) -> None:
    said = told(with_loss(other_shape), tmp_path)
    assert "InvalidArgumentError: Matrix size-incompatible: In[0]: [4,1], In[1]: [4,1]" in said
    assert "(at " in said


def test_inputs_that_do_not_fit(tmp_path: Path) -> None:
    data = tf.data.Dataset.from_tensors(((X[:4], X[:4]), Y[:4]))
    assert 'ValueError: Layer "sequential' in told(with_data(data), tmp_path)


def test_a_dataset_of_unknown_shape_that_raises(tmp_path: Path) -> None:
    rows = tf.data.Dataset.from_tensor_slices((X, Y))
    data = rows.map(lambda x, y: (tf.py_function(fails, [x, y], tf.float32), y)).batch(4)
    place = line('KeyError("boo")')
    assert told(with_data(data), tmp_path) == f"{HERE}:{place}: train T: KeyError: 'boo'"


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"workers": 0}, id="none"),
        pytest.param({"workers": 2}, id="threads"),
        pytest.param({"workers": 1, "use_multiprocessing": True}, id="process"),
    ],
)
@pytest.mark.parametrize("which", ["training", "validation"])
def test_a_sequence_that_raises(which: str, settings: dict[str, Any], tmp_path: Path) -> None:
    place = line('KeyError("img")')
    expected = f"{HERE}:{place}: train T: KeyError: 'img'"
    assert told(with_data(Rows(), which, **settings), tmp_path) == expected


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (WithoutLength(), "WithoutLength.__len__: expected a whole number: 'float' object"),
        (Empty(), "Empty: the data set is empty: it must hold at least one batch, got 0"),
    ],
)
def test_a_sequence_without_a_length(data: Any, said: str, tmp_path: Path) -> None:
    at = line(f"class {type(data).__name__}(") + 1
    assert told(with_data(data), tmp_path).startswith(f"{HERE}:{at}: {said}")
    assert not (tmp_path / "metrics.jsonl").exists()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (OtherType(), "OtherType: batch 2 of this run is int64 (4, 3), float32 (4, 1), the first"),
        (OtherNumber(), "OtherNumber: batch 2 of this run is float32 (4, 3), float32 (4, 1), floa"),
    ],
)
def test_a_batch_that_is_not_like_the_first(data: Any, said: str, tmp_path: Path) -> None:
    place = f"{HERE}:{line('def __getitem__')}"
    assert told(with_data(data), tmp_path).startswith(f"{place}: {said}")


def test_a_validation_without_end_is_refused_before_the_training(tmp_path: Path) -> None:
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(4).repeat()
    trial = type(
        "T", (Trial,), {"build_validation_data_loader": lambda t: t.context.wrap_dataset(data)}
    )
    assert "the validation dataset never ends: leave out repeat()" in told(trial, tmp_path)
    assert not (tmp_path / "metrics.jsonl").exists()

    def limited(trial: Trial) -> Any:
        trial.context.configure_fit(validation_steps=3)
        return trial.context.wrap_dataset(data)

    done = run(type("T", (Trial,), {"build_validation_data_loader": limited}), tmp_path, config(5))
    assert done.reports[-1]["kind"] == "validation"


@pytest.mark.parametrize("name", ["workers", "max_queue_size"])
def test_a_setting_that_is_no_number(name: str, tmp_path: Path) -> None:
    assert f"{name}: expected " in told(with_data((X, Y), **{name: "4"}), tmp_path)


def test_a_session_config_of_none_is_the_default(tmp_path: Path) -> None:
    trial = type("T", (Trial,), {"session_config": lambda _: None})
    assert run(trial, tmp_path, config(5)).reports
