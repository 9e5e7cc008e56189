"""Who is called when, with what (docs/semantics.md, Callbacks)."""

from __future__ import annotations

import datetime
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from determined.keras import TensorBoard, TFKerasTensorBoard, callbacks

from pedl2det_runtime.errors import CheckFailedError, CheckpointError
from promises import promise
from training import Trained, Trial, X, Y, config, run

EVENTS = (
    *("on_train_begin", "on_train_end", "on_epoch_begin", "on_epoch_end"),
    *("on_train_batch_begin", "on_train_batch_end", "on_test_begin", "on_test_end"),
    *("on_test_batch_begin", "on_test_batch_end"),
    *("on_train_workload_begin", "on_train_workload_end", "on_checkpoint_end", "load_state"),
)


class Recorder(callbacks.Callback):
    """Writes down every call: its name, its numbers, and the names in its logs."""

    def __init__(self, stops_at: int | None = None) -> None:
        super().__init__()
        self.log: list[str] = []
        self.stops_at = stops_at
        self.seen = 0

    def get_state(self) -> Any:
        self.log.append("get_state")
        return {"seen": self.seen}


def _recording(event: str) -> Any:
    def record(self: Recorder, *arguments: Any) -> None:
        told = [
            "dir" if isinstance(a, str) else sorted(a) if isinstance(a, dict) else a
            for a in arguments
        ]
        self.log.append(f"{event} {' '.join(map(str, told))}")
        self.seen += 1
        if event == "on_train_batch_end" and arguments[0] == self.stops_at:
            self.model.stop_training = True

    return record


for _event in EVENTS:
    setattr(Recorder, _event, _recording(_event))


def recorded(trial: type[Trial], recorder: Recorder) -> type[Trial]:
    """The trial with one callback."""

    class Recorded(trial):  # type: ignore[misc, valid-type]
        def keras_callbacks(self) -> list[Any]:
            return [recorder]

    return Recorded


class TwoBatches(Trial):
    """Validates two batches."""

    def build_validation_data_loader(self) -> Any:
        return X[:8], Y[:8]


FULL = {
    "records_per_epoch": 12,  # 3 batches
    "scheduling_unit": 4,
    "min_validation_period": {"batches": 5},
    "min_checkpoint_period": {"batches": 6},
    "checkpoint_policy": "none",
}
BATCH = ["on_train_batch_begin {0} []", "on_train_batch_end {0} ['loss']"]
VALIDATION = [
    "on_test_begin []",
    "on_test_batch_begin 0 []",
    "on_test_batch_end 0 ['loss']",
    "on_test_batch_begin 1 []",
    "on_test_batch_end 1 ['loss']",
    "on_test_end ['val_loss']",
]
CHECKPOINT = ["get_state", "on_checkpoint_end dir"]
REPORTED = "['batches', 'epochs', 'loss']"


def batches(*in_epoch: int) -> list[str]:
    return [line.format(number) for number in in_epoch for line in BATCH]


@promise("4.6", "the whole order of calls: epochs, workloads, validations, checkpoints, the end")
def test_the_order_of_calls(tmp_path: Path) -> None:
    """Workloads end at 4 (unit), 5 (validation), 6 (checkpoint), 8 (end)."""
    recorder = Recorder()
    run(recorded(TwoBatches, recorder), tmp_path, config(8, **FULL))

    assert recorder.log == [
        "on_train_begin []",
        "on_epoch_begin 0 []",
        "on_train_workload_begin 0 4 []",
        *batches(0, 1, 2),
        "on_epoch_end 0 []",
        "on_epoch_begin 1 []",
        *batches(0),
        f"on_train_workload_end 4 {REPORTED}",
        "on_train_workload_begin 4 1 []",
        *batches(1),
        f"on_train_workload_end 5 {REPORTED}",
        *VALIDATION,
        "on_train_workload_begin 5 1 []",
        *batches(2),
        "on_epoch_end 1 []",
        f"on_train_workload_end 6 {REPORTED}",
        *CHECKPOINT,
        "on_epoch_begin 2 []",
        "on_train_workload_begin 6 2 []",
        *batches(0, 1),
        f"on_train_workload_end 8 {REPORTED}",
        *CHECKPOINT,
        *VALIDATION,
        "on_train_end []",
    ]


@promise("4.6", "a callback's stop takes effect at the end of its workload")
def test_the_order_of_calls_of_a_stop(tmp_path: Path) -> None:
    recorder = Recorder(stops_at=1)
    run(recorded(TwoBatches, recorder), tmp_path, config(8, **FULL))

    assert recorder.log == [
        "on_train_begin []",
        "on_epoch_begin 0 []",
        "on_train_workload_begin 0 4 []",
        *batches(0, 1, 2),
        "on_epoch_end 0 []",
        "on_epoch_begin 1 []",
        *batches(0),
        f"on_train_workload_end 4 {REPORTED}",
        *CHECKPOINT,
        "on_train_end []",
    ]


@promise("4.6", "a resumed run: on_train_begin, load_state, then training where it was")
def test_the_order_of_calls_of_a_resume(tmp_path: Path) -> None:
    """The first run ends at 7, in the middle of an epoch; its last checkpoint is of 7."""
    run(recorded(TwoBatches, Recorder()), tmp_path, config(7, **FULL))
    recorder = Recorder()
    run(recorded(TwoBatches, recorder), tmp_path, config(9, **FULL), resume=True)

    assert recorder.log == [
        "on_train_begin []",
        "load_state ['seen']",
        "on_train_workload_begin 7 2 []",
        *batches(1, 2),
        "on_epoch_end 2 []",
        f"on_train_workload_end 9 {REPORTED}",
        *CHECKPOINT,
        *VALIDATION,
        "on_train_end []",
    ]


@promise("4.6", "perform_initial_validation validates after on_train_begin, before any batch")
def test_the_initial_validation_comes_first(tmp_path: Path) -> None:
    recorder = Recorder()
    given = config(1, **FULL, perform_initial_validation=True)
    trained = run(recorded(TwoBatches, recorder), tmp_path, given)

    assert recorder.log[:8] == [
        "on_train_begin []",
        *VALIDATION,
        "on_epoch_begin 0 []",
    ]
    assert [(r["kind"], r["batches"]) for r in trained.reports] == [
        ("validation", 0),
        ("training", 1),
        ("validation", 1),
    ]


@promise("002:251", "on_epoch_end follows records_per_epoch, not the length of the data")
def test_an_epoch_is_as_long_as_the_config_says(tmp_path: Path) -> None:
    recorder = Recorder()
    run(recorded(Trial, recorder), tmp_path, config(10, records_per_epoch=16))
    ends = [line for line in recorder.log if line.startswith("on_epoch_end")]
    assert ends == ["on_epoch_end 0 []", "on_epoch_end 1 []"]


@promise("4.6", "a det Callback with on_epoch_end needs records_per_epoch: AssertionError")
def test_a_callback_that_waits_for_epochs_needs_them(tmp_path: Path) -> None:
    class Waiting(callbacks.Callback):
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            raise NotImplementedError

    class WaitingTrial(Trial):
        def keras_callbacks(self) -> list[Any]:
            return [Waiting()]

    with pytest.raises(AssertionError, match=r"Waiting.on_epoch_end will never be called"):
        run(WaitingTrial, tmp_path)


@promise("4.6", "a plain Keras callback with on_epoch_end and no records_per_epoch gets a warning")
def test_a_keras_callback_that_waits_for_epochs_is_warned(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Waiting(Trial):
        def keras_callbacks(self) -> list[Any]:
            return [
                tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: 1 / 0),
                tf.keras.callbacks.LambdaCallback(on_train_begin=lambda logs: None),
                callbacks.EarlyStopping(),
                callbacks.TensorBoard(),
            ]

    with caplog.at_level(logging.WARNING):
        run(Waiting, tmp_path)
    warned = [line for line in caplog.messages if "will never be called" in line]
    assert len(warned) == 1
    assert "LambdaCallback.on_epoch_end" in warned[0]


@promise("002:263", "get_state is saved, and load_state gets it after a resume")
def test_the_state_of_a_callback_comes_back(tmp_path: Path) -> None:
    got = []

    class Counting(callbacks.Callback):
        def __init__(self) -> None:
            super().__init__()
            self.count: Any = {"batches": np.arange(2)}

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            self.count["batches"] = self.count["batches"] + 1

        def get_state(self) -> Any:
            return self.count

        def load_state(self, state: Any) -> None:
            got.append(state["batches"].tolist())

    class Counted(Trial):
        def keras_callbacks(self) -> list[Any]:
            return [tf.keras.callbacks.Callback(), Counting()]

    run(Counted, tmp_path, config(3))
    run(Counted, tmp_path, config(5), resume=True)
    assert got == [[3, 4]]


class Tally:
    """A class of the trial's own."""

    def __init__(self, count: int) -> None:
        self.count = count


class Tallying(callbacks.Callback):
    loaded: Any = None

    def get_state(self) -> Any:
        return Tally(3)

    def load_state(self, state: Any) -> None:
        Tallying.loaded = state


@promise("002:265", "a state may be of a class that the trial itself defines")
def test_a_state_may_be_of_an_own_class(tmp_path: Path) -> None:
    class Own(Trial):
        def keras_callbacks(self) -> list[Any]:
            return [Tallying()]

    of_this_file = {"directory": Path(__file__).parent}  # Tally has to be the trial's own
    run(Own, tmp_path, config(2), **of_this_file)
    run(Own, tmp_path, config(3), **of_this_file, resume=True)
    assert isinstance(Tallying.loaded, Tally)
    assert Tallying.loaded.count == 3


@promise("002:265", "a state that cannot be pickled is refused when it is saved")
def test_a_state_must_be_data(tmp_path: Path) -> None:
    class Function(callbacks.Callback):
        def get_state(self) -> Any:
            return print

    class Bad(Trial):
        def keras_callbacks(self) -> list[Any]:
            return [Function()]

    with pytest.raises(CheckpointError, match=r"Function.get_state\(\): refused"):
        run(Bad, tmp_path)


@promise("4.6", "as many callbacks must be there at a resume as were saved: CheckFailedError")
def test_a_missing_callback_is_noticed(tmp_path: Path) -> None:
    given = config(2, records_per_epoch=8)
    run(recorded(Trial, Recorder()), tmp_path, given)
    with pytest.raises(CheckFailedError, match="the state of 1 callbacks"):
        run(Trial, tmp_path, config(3, records_per_epoch=8), resume=True)


@promise("002:275", "on_checkpoint_end gets the checkpoint's directory and may add files")
def test_files_may_be_added_to_a_checkpoint(tmp_path: Path) -> None:
    class Adding(callbacks.Callback):
        def on_checkpoint_end(self, checkpoint_dir: str) -> None:
            (Path(checkpoint_dir) / "labels.txt").write_text("cat\n")

    class Added(Trial):
        def keras_callbacks(self) -> list[Any]:
            return [Adding()]

    checkpoint = run(Added, tmp_path).checkpoint
    assert (checkpoint / "labels.txt").read_text() == "cat\n"
    assert (checkpoint / "determined-keras-model.h5").exists()


@promise("4.6", "keras_callbacks must return a list of Keras callbacks: CheckFailedError")
@pytest.mark.parametrize("returned", [(), None, [print]])
def test_callbacks_are_a_list(returned: Any, tmp_path: Path) -> None:
    class Bad(Trial):
        def keras_callbacks(self) -> Any:
            return returned

    with pytest.raises(CheckFailedError, match=r"keras_callbacks\(\)"):
        run(Bad, tmp_path)


@promise("4.6", "what a callback adds to the dict of on_test_end is reported if it shares it")
def test_a_callback_may_add_a_metric(tmp_path: Path) -> None:
    class Adding(tf.keras.callbacks.Callback):  # type: ignore[misc]
        def on_test_end(self, logs: Any = None) -> None:
            logs["val_added"] = 7.0

    class Sharing(Adding):
        def __init__(self) -> None:
            super().__init__()
            self._supports_tf_logs = True

        def on_test_end(self, logs: Any = None) -> None:
            logs["val_shared"] = 8.0

    class Added(Trial):
        def keras_callbacks(self) -> list[Any]:
            return [Adding(), Sharing()]

    metrics = run(Added, tmp_path).reports[-1]["metrics"]
    assert set(metrics) == {"val_loss", "val_shared"}


@promise("4.6", "callbacks that say _chief_worker_only are left out on other ranks")
def test_callbacks_of_the_chief(tmp_path: Path) -> None:
    from pedl2det_runtime.training.callback_multiplexer import Multiplexer

    alone, everywhere = Recorder(), Recorder()
    alone._chief_worker_only = True
    model = tf.keras.Sequential()
    for is_chief in (True, False):
        both = Multiplexer(
            [alone, everywhere], model, home=tmp_path, batch_size=1, is_chief=is_chief
        )
        both.keras("on_train_begin", {})
    assert (len(alone.log), len(everywhere.log)) == (1, 2)


class Worsening(Trial):
    """Its validation loss rises from the first to the last."""

    rate = 0.1

    def build_model(self) -> Any:
        model = super().build_model()
        model.compile(tf.keras.optimizers.SGD(self.rate), "mse")
        return model

    def build_validation_data_loader(self) -> Any:
        return X, -9 * Y


def watching(*given: Any) -> type[Trial]:
    class Watching(Worsening):
        def keras_callbacks(self) -> list[Any]:
            return [make() for make in given]

    return Watching


EVERY_2 = {"min_validation_period": {"batches": 2}, "scheduling_unit": 2}


@promise("002:303", "EarlyStopping checks after every validation, by its patience")
def test_early_stopping(tmp_path: Path) -> None:
    trial = watching(lambda: callbacks.EarlyStopping(patience=2))
    trained = run(trial, tmp_path, config(100, **EVERY_2))
    assert len(trained.validated()) == 3  # the best, and two that are worse
    assert trained.reports[-1]["batches"] == 6


@promise("002:303", "EarlyStopping remembers its best value and its patience over a resume")
def test_early_stopping_goes_on(tmp_path: Path) -> None:
    trial = watching(lambda: callbacks.EarlyStopping(patience=3))
    run(trial, tmp_path, config(4, **EVERY_2))
    resumed = run(trial, tmp_path, config(100, **EVERY_2), resume=True)
    assert len(resumed.validated()) == 4


@promise("002:303", "EarlyStopping(restore_best_weights=True) ends with the best weights")
def test_the_best_weights_come_back(tmp_path: Path) -> None:
    trial = watching(lambda: callbacks.EarlyStopping(patience=2, restore_best_weights=True))
    trained = run(trial, tmp_path / "a", config(100, **EVERY_2))
    first = run(Worsening, tmp_path / "b", config(2))
    assert trained.kernel == first.kernel


@promise("002:311", "ReduceLROnPlateau lowers the rate after validations, and goes on at a resume")
def test_a_falling_rate(tmp_path: Path) -> None:
    trial = watching(lambda: callbacks.ReduceLROnPlateau(patience=2, factor=0.5))

    def rate(trained: Trained) -> float:
        return float(trained.trial.context.model.optimizer.learning_rate.numpy())

    assert rate(run(trial, tmp_path / "a", config(4, **EVERY_2))) == pytest.approx(0.1)
    assert rate(run(trial, tmp_path / "a", config(6, **EVERY_2), resume=True)) == pytest.approx(
        0.05
    )


@promise("002:319", "TensorBoard writes into the trial's directory; log_dir is ignored")
@pytest.mark.parametrize("kind", [callbacks.TensorBoard, TensorBoard, TFKerasTensorBoard])
def test_tensorboard(kind: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    elsewhere = tmp_path / "elsewhere"

    class Watched(Trial):
        def keras_callbacks(self) -> list[Any]:
            return [kind(log_dir=str(elsewhere), histogram_freq=1)]

    with caplog.at_level(logging.WARNING):
        run(Watched, tmp_path / "out", config(6, scheduling_unit=2))
    assert "log_dir is ignored" in caplog.text
    assert not elsewhere.exists()
    written = (tmp_path / "out" / "tensorboard").rglob("events.out.*")
    tags = {
        value.tag
        for path in written
        for event in tf.compat.v1.train.summary_iterator(str(path))
        for value in event.summary.value
    }
    assert {"training/loss", "validation/val_loss", "epoch_loss"} <= tags


@promise("002:93", "plain Keras callbacks work beside those of Determined, in their order")
def test_keras_callbacks_work_too(tmp_path: Path) -> None:
    called = []

    class Mixed(Trial):
        def keras_callbacks(self) -> list[Any]:
            def note(name: str) -> Any:
                return lambda batch, logs: called.append((name, batch))

            return [
                tf.keras.callbacks.LambdaCallback(on_train_batch_end=note("first")),
                tf.keras.callbacks.LambdaCallback(on_train_batch_end=note("second")),
            ]

    run(Mixed, tmp_path, config(2))
    assert called == [("first", 0), ("second", 0), ("first", 1), ("second", 1)]


@promise("4.6", "Keras' own ProgbarLogger and CSVLogger work, over a resume too")
def test_loggers_of_keras(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"

    class Logged(Trial):
        def keras_callbacks(self) -> list[Any]:
            return [
                tf.keras.callbacks.ProgbarLogger(),
                tf.keras.callbacks.CSVLogger(str(log), append=True),
            ]

    given = {"records_per_epoch": 8}
    run(Logged, tmp_path / "out", config(4, **given))
    run(Logged, tmp_path / "out", config(8, **given), resume=True)
    assert [line.split(",")[0] for line in log.read_text().split()] == ["epoch", *"0123"]


@promise("002:265", "a state may hold dates, paths and random generators")
def test_states_of_the_standard_library(tmp_path: Path) -> None:
    got = []
    state = {
        "when": datetime.datetime(2020, 4, 1, tzinfo=datetime.UTC),
        "where": Path("a/b"),
        "random": np.random.RandomState(3),
        "generator": np.random.default_rng(3),
    }

    class Remembering(callbacks.Callback):
        def get_state(self) -> Any:
            return state

        def load_state(self, state: Any) -> None:
            got.append(state)

    class Remembered(Trial):
        def keras_callbacks(self) -> list[Any]:
            return [Remembering()]

    run(Remembered, tmp_path, config(2))
    run(Remembered, tmp_path, config(3), resume=True)
    assert (got[0]["when"], got[0]["where"]) == (state["when"], state["where"])
    assert got[0]["random"].randint(99) == np.random.RandomState(3).randint(99)
    assert got[0]["generator"].random() == np.random.default_rng(3).random()
