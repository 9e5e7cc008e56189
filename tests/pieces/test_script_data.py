"""The data of scripts: batches of arrays, of generators, and the first ones of a sequence."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

X = np.arange(14.0).reshape(7, 2)


def counted() -> Iterator[int]:
    number = 0
    while True:
        np.random.random()
        yield number
        number += 1


def test_arrays_are_cut_by_a_size_of_their_own(pieces: Any) -> None:
    data = pieces.ArrayBatches(([X, X], X[:, 0], None), 3)

    assert len(data) == 3
    (first, second), y = data[2]
    np.testing.assert_array_equal(first, X[6:])
    np.testing.assert_array_equal(second, X[6:])
    np.testing.assert_array_equal(y, X[6:, 0])


def test_arrays_may_be_smaller_than_a_batch(pieces: Any) -> None:
    data = pieces.ArrayBatches((X, X), 32)

    assert len(data) == 1
    np.testing.assert_array_equal(data[0][0], X)


def test_only_the_first_batches_are_read(pieces: Any) -> None:
    whole = pieces.ArrayBatches((X, X), 2)

    assert [len(pieces.FirstBatches(whole, steps)) for steps in (1, 2.5, 9)] == [1, 3, 4]
    np.testing.assert_array_equal(pieces.FirstBatches(whole, 2)[1][0], X[2:4])


def test_a_generator_gives_its_batches_in_order(pieces: Any) -> None:
    data = pieces.GeneratedBatches(counted(), 3)

    assert len(data) == 3
    assert [data[index] for index in (0, 1, 2, 0, 1)] == [0, 1, 2, 3, 4]


def drawn_at_random() -> Any:
    while True:
        yield np.random.rand()


def a_script_of_generators(pieces: Any, initial_batch: int) -> Any:
    """What a script gives to fit, and its callback that counts what was drawn."""
    context = SimpleNamespace(
        distributed=SimpleNamespace(get_size=lambda: 1),
        get_initial_batch=lambda: initial_batch,
        get_per_slot_batch_size=lambda: 2,
    )
    data = {"validation_data": drawn_at_random(), "validation_steps": 2}
    np.random.seed(3)
    fit = pieces.Fit(None, drawn_at_random(), steps_per_epoch=3, **data)
    (draws,) = [one for one in fit.callbacks_with_epochs(context) if hasattr(one, "log")]
    return fit, draws


def test_generators_of_a_resumed_run_are_drawn_in_their_order(pieces: Any) -> None:
    """Pedl2det keeps the log of the draws, which both loaders share, with its checkpoints."""
    fit, _ = a_script_of_generators(pieces, 0)
    before = [fit.training_data[0], fit.validation_data[0], fit.validation_data[1]]
    before += [fit.training_data[1]]
    kept = [[name, count] for name, count in fit.training_data.log]
    expected = [fit.training_data[2], fit.validation_data[0]]

    resumed, _ = a_script_of_generators(pieces, 2)
    resumed.validation_data.log[:] = kept
    np.random.seed(3)
    np.random.rand(len(before))  # what a run restores

    assert [resumed.training_data[2], resumed.validation_data[0]] == expected


def test_without_the_log_a_resumed_run_goes_by_its_batches_and_a_state(pieces: Any) -> None:
    fit, draws = a_script_of_generators(pieces, 0)
    for index in (0, 1):
        fit.validation_data[index]

    resumed, of_resumed = a_script_of_generators(pieces, 7)
    of_resumed.load_state(draws.get_state())
    resumed.training_data[1]

    assert of_resumed.log == [["training", 7], ["validation", 2], ["training", 1]]


def test_a_process_skips_the_batches_of_the_others(pieces: Any) -> None:
    """The second of two processes is asked for every other batch."""
    data = pieces.GeneratedBatches(counted(), 4)

    assert [data[index] for index in (1, 3, 1, 3)] == [1, 3, 5, 7]


def test_data_of_any_kind_are_a_loader(pieces: Any) -> None:
    dataset = tf.data.Dataset.range(3)
    sequence = pieces.ArrayBatches((X, X), 2)

    assert pieces.batches(dataset) is dataset
    assert pieces.batches(sequence, default=5) is sequence
    assert len(pieces.batches(sequence, 2)) == 2
    assert len(pieces.batches(counted(), default=5)) == 5


def test_an_epoch_of_a_generator_is_a_step_of_the_config(pieces: Any) -> None:
    config = {"scheduling_unit": 7}
    context: Any = SimpleNamespace(get_experiment_config=lambda: config)

    fit = pieces.Fit(None, counted(), validation_data=(X, X))

    assert pieces.batches_in_epoch(context, fit.epoch, 32) == 7
    assert pieces.Fit(None, counted(), steps_per_epoch=3, validation_data=(X, X)).epoch == 3


def test_arrays_need_no_targets(pieces: Any) -> None:
    for x in (X, [X], {"x": X}):
        data = pieces.Fit(None, x, batch_size=4, validation_data=(x, None)).training_data
        assert [len(batch) for batch in data] == [1, 1]
        np.testing.assert_array_equal(tf.nest.flatten(data[1])[0], X[4:])


def test_samples_in_an_epoch_are_batches_unless_the_generator_says_their_size(pieces: Any) -> None:
    """As in Keras 2.2.4, which read the `batch_size` of its iterators over images."""
    fit = tf.keras.Model.fit
    sized: Any = SimpleNamespace(batch_size=8)

    assert pieces.bind_fit(fit, None, sized, samples_per_epoch=50).arguments["steps_per_epoch"] == 6
    assert pieces.bind_fit(fit, None, X, samples_per_epoch=50).arguments["steps_per_epoch"] == 50


def a_model(*layers: Any, outputs: int = 1) -> Any:
    x = last = tf.keras.Input((2,))
    for layer in layers:
        last = layer(last)
    return tf.keras.Model(x, [tf.keras.layers.Dense(1, name=f"y{n}")(last) for n in range(outputs)])


@pytest.mark.parametrize(
    ("model", "arrays", "expected"),
    [
        (a_model(), (X, X[:, 0]), [X, X[:, :1], np.ones(7)]),
        (a_model(), (X, None), [X]),
        (a_model(), ([X], X[:, :1], X[:, 1]), [X, X[:, :1], X[:, 1]]),
        (
            a_model(outputs=2),
            (X, {"y1": X[:, 1], "y0": X[:, 0]}, {"y1": X[:, 0]}),
            [X, X[:, :1], X[:, 1:], np.ones(7), X[:, 0]],
        ),
        (a_model(tf.keras.layers.Dropout(0.5)), (X, X), [X, X, np.ones(7), 0.0]),
        (a_model(tf.keras.layers.Dropout(0.0)), (X, X), [X, X, np.ones(7)]),
    ],
)
def test_callbacks_get_the_arrays_of_the_validation(
    model: Any, arrays: Any, expected: Any, pieces: Any
) -> None:
    """As Keras 2.2.4 gave them, for the same arrays and models."""
    callback = tf.keras.callbacks.Callback()

    pieces.Fit(model, X, X, callbacks=[callback], validation_data=arrays)

    assert len(callback.validation_data) == len(expected)
    for part, right in zip(callback.validation_data, expected, strict=True):
        np.testing.assert_array_equal(part, right)


def test_the_last_records_are_left_for_validation(pieces: Any) -> None:
    (x, y), (test_x, test_y) = pieces.split_arrays((X, X[:, 0], None), 0.25)

    np.testing.assert_array_equal(x, X[:5])
    np.testing.assert_array_equal(test_x, X[5:])
    np.testing.assert_array_equal(np.concatenate([y, test_y]), X[:, 0])


def test_the_history_holds_the_metrics_of_every_report(pieces: Any) -> None:
    history = pieces.History()

    history.on_train_workload_end(10, {"loss": 2.0, "accuracy": 0.5})
    history.on_test_end({"val_loss": 3.0})
    history.on_train_workload_end(20, {"loss": 1.0, "accuracy": 0.75})

    assert history.history["loss"] == [2.0, 1.0]
    assert history.history["acc"] == history.history["accuracy"] == [0.5, 0.75]
    assert history.history["val_loss"] == [3.0]
    assert history.epoch == [0, 1]


def test_the_history_of_a_resumed_run_goes_on(pieces: Any) -> None:
    first, second = pieces.History(), pieces.History()
    first.on_train_workload_end(10, {"loss": 2.0})
    state = first.get_state()
    first.on_train_workload_end(20, {"loss": 1.5})  # after the checkpoint

    second.load_state(state)
    second.on_train_workload_end(20, {"loss": 1.0})

    assert second.history == {"loss": [2.0, 1.0]}
    assert second.epoch == [0, 1]


def test_a_script_sees_no_options_of_the_command_line(
    pieces: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["harness", "--option"])

    def script() -> Iterator[Any]:
        seen.append(list(sys.argv))
        yield pieces.Fit(None, X, X, validation_data=(X, X))

    seen: list[list[str]] = []
    pieces.started(script(), None)

    assert [arguments[1:] for arguments in seen] == [[]]
    assert sys.argv == ["harness", "--option"]


def test_the_context_wraps_the_datasets_of_a_script(pieces: Any) -> None:
    class Context:
        def wrap_dataset(self, dataset: Any, shard_dataset: bool) -> Any:
            assert not shard_dataset
            return "wrapped", dataset

    def script() -> Iterator[Any]:
        yield pieces.Fit(None, data, steps_per_epoch=1, validation_data=(X, X))

    data = tf.data.Dataset.from_tensor_slices((X, X)).batch(2)
    fit = pieces.started(script(), Context())
    assert fit.training_data == ("wrapped", data)
    assert not isinstance(fit.validation_data, tuple)


@pytest.fixture
def script_in_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a script; what running it in a thread changes is restored."""
    for name, value in (("argv", sys.argv), ("path", [*sys.path])):
        monkeypatch.setattr(sys, name, value)
    monkeypatch.setattr(tf.keras.Model, "fit", tf.keras.Model.fit)
    return tmp_path / "train.py"


def test_a_script_in_graph_mode_builds_in_the_graph_that_is_trained(
    pieces: Any, script_in_thread: Path
) -> None:
    """It runs in a thread, and each thread has a default graph and session of its own."""
    script_in_thread.write_text(
        "import numpy as np\nimport tensorflow as tf\nx = np.ones((1, 2))\n"
        "model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])\n"
        "model.graph = tf.compat.v1.get_default_graph()\n"
        "tf.keras.Model.fit(model, x, x, validation_data=(x, x))\n"
    )
    with tf.Graph().as_default() as graph, tf.compat.v1.Session().as_default():
        fit = next(pieces.fits_of(str(script_in_thread)))

    assert fit.model.graph is graph


def test_a_scope_around_fit_is_that_of_the_training(pieces: Any, script_in_thread: Path) -> None:
    """Keras has the objects of a scope for each thread, and finds a loss at the first batch."""
    script_in_thread.write_text(
        "import numpy as np\nimport tensorflow as tf\nx = np.ones((1, 2))\n"
        "def smooth(y, p): return tf.reduce_mean(tf.square(y - p), -1)\n"
        "model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(2,))])\n"
        "with tf.keras.utils.CustomObjectScope({'smooth': smooth}):\n"
        "    model.fit(x, x, validation_data=(x, x))\n"
    )
    next(pieces.fits_of(str(script_in_thread)))

    assert tf.keras.losses.get("smooth").__name__ == "smooth"
