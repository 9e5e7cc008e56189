"""Callbacks get the epochs of PEDL: who is called, when, and with what."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
import tensorflow as tf
from determined.keras.callbacks import Callback, TensorBoard

from pedl2det_runtime.config.generation import EARLY_DETERMINED


class Context:
    """The context of one of several processes; the others have metrics of their own."""

    def __init__(self, others: tuple[dict[str, float], ...] = (), initial: int = 0) -> None:
        self.distributed = self
        self.stop_requested = False
        self._others, self._initial = others, initial

    def get_size(self) -> int:
        return 1 + len(self._others)

    def allgather(self, metrics: dict[str, float]) -> list[dict[str, float]]:
        return [metrics, *self._others]

    def get_initial_batch(self) -> int:
        return self._initial

    def get_global_batch_size(self) -> int:
        return 4

    def get_per_slot_batch_size(self) -> int:
        return 4

    def get_experiment_config(self) -> dict[str, Any]:
        return {"records_per_epoch": 0}

    def set_stop_requested(self, stop: bool) -> None:
        self.stop_requested = stop


class Told(tf.keras.callbacks.Callback):
    def __init__(self) -> None:
        super().__init__()
        self.told: list[Any] = []
        self.losses: list[float] = []

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.losses.append(logs["loss"])

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.told.append(("begin", epoch, logs))

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.told.append(("end", epoch, dict(logs)))


def train(callbacks: list[Any], batches: int, model: Any = None) -> Any:
    """Call the hooks as Determined does, where an epoch is unknown; the loss is the batch.

    It reports the mean since the beginning.
    """
    loss = tf.keras.metrics.Mean("loss")
    model = model or SimpleNamespace(stop_training=False)
    model.metrics = [loss]
    for callback in callbacks:
        callback.set_model(model)
        callback.set_params({"batch_size": 4, "epochs": None, "steps": None, "metrics": []})
    for callback in callbacks:
        callback.on_train_begin({})
    for batch in range(batches):
        for callback in callbacks:
            callback.on_train_batch_begin(batch, {})
        loss.update_state(float(batch))
        for callback in callbacks:
            callback.on_train_batch_end(batch, {"loss": float(loss.result()), "many": [1, 2]})
    return model


def test_an_epoch_ends_with_its_own_metrics_and_a_batch_with_its_own_loss(pieces: Any) -> None:
    told = Told()

    train(pieces.with_epoch_logs(Context(), [told], 3), 7)

    assert told.told == [
        *(("begin", 0, {}), ("end", 0, {"loss": 1.0})),
        *(("begin", 1, {}), ("end", 1, {"loss": 4.0})),
        ("begin", 2, {}),
    ]
    assert told.losses == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def test_a_hook_that_evaluates_before_a_batch_leaves_its_epoch_alone(pieces: Any) -> None:
    class Evaluating(tf.keras.callbacks.Callback):
        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            self.model.metrics[0].update_state(1000.0)

    told = Told()

    train(pieces.with_epoch_logs(Context(), [Evaluating(), told], 3), 6)

    assert [logs for kind, _, logs in told.told if kind == "end"] == [{"loss": 1.0}, {"loss": 4.0}]


def test_callbacks_of_a_keras_trial_get_the_metrics_of_its_training(pieces: Any) -> None:
    told = Told()
    trial = type("Trial", (), {"training_metrics": lambda self: {"error": "mae", "rate": "acc"}})()

    first, *others = pieces.with_epoch_logs(Context(), [told], 1, trial)
    first.set_params({"batch_size": 4})
    first.set_model(SimpleNamespace(metrics=[]))
    others[0].on_train_begin({})
    logs = {"loss": 1.0, "rate": 2.0, "more": 3.0, "training_rate": 4.0, "error": 5.0}
    first.on_train_batch_end(0, logs)

    assert [*first.logs.items()][-3:] == [("loss", 1.0), ("error", 5.0), ("rate", 4.0)]
    assert "more" not in first.logs


def test_the_metrics_of_a_keras_trial_are_made_once(pieces: Any) -> None:
    """A callback may change a variable that they hold."""
    made: list[str] = []

    class Trial:
        def training_metrics(self) -> dict[str, str]:
            made.append("error")
            return {"error": "mae"}

        def loss(self) -> str:
            return "mse"

    trial = Trial()

    pieces.named_metrics(trial)
    pieces.with_epoch_logs(Context(), [Told()], 1, trial)

    assert made == ["error"]


def test_the_parameters_are_those_of_the_old_fit(pieces: Any) -> None:
    told = Told()

    train(pieces.with_epoch_logs(Context(), [told], 3), 1)

    assert told.params == {
        "batch_size": 4,
        "epochs": sys.maxsize,
        "steps": 3,
        "samples": 3,
        "metrics": ["loss"],
    }


def test_a_resumed_training_goes_on_within_its_epoch(pieces: Any) -> None:
    told = Told()

    train(pieces.with_epoch_logs(Context(initial=10), [told], 4), 3)

    assert told.told == [("end", 2, {"loss": 0.5}), ("begin", 3, {})]


def test_the_metrics_are_those_of_all_processes(pieces: Any) -> None:
    told = Told()

    train(pieces.with_epoch_logs(Context(({"loss": 5.0}, {"loss": 7.0})), [told], 1), 1)

    assert told.told[1] == ("end", 0, {"loss": 4.0})


def test_a_callback_that_another_process_alone_has_is_not_called(pieces: Any) -> None:
    """Determined leaves out those of the chief elsewhere, and begins no training with them."""
    told, left_out = Told(), Told()
    callbacks = pieces.with_epoch_logs(Context(), [told, left_out], 1)

    del callbacks[2]
    train(callbacks, 1)

    assert len(told.told) == 2
    assert left_out.told == []


def test_the_epochs_of_determined_are_not_passed_on(pieces: Any) -> None:
    told = Told()
    callbacks = pieces.with_epoch_logs(Context(), [told], 3)
    train(callbacks, 1)

    for callback in callbacks:
        callback.on_epoch_end(0, {})

    assert told.told == [("begin", 0, {})]


def test_hooks_may_be_set_later(pieces: Any) -> None:
    """On the object, in a hook of its own, or on its class."""

    class Late(tf.keras.callbacks.Callback):
        def on_train_begin(self, logs: Any = None) -> None:
            self.on_epoch_end = told.on_epoch_end
            Late.on_epoch_begin = lambda self, epoch, logs: told.on_epoch_begin(epoch, logs)
            Late.on_batch_end = lambda self, batch, logs: told.told.append((batch, dict(logs)))

    told, late = Told(), Late()

    train(pieces.with_epoch_logs(Context(), [late], 2), 2)

    assert told.told == [
        ("begin", 0, {}),
        *((batch, {"batch": batch, "size": 4, "loss": float(batch)}) for batch in (0, 1)),
        ("end", 0, {"loss": 0.5}),
    ]


def test_a_callback_may_call_its_own_hooks(pieces: Any) -> None:
    class Impatient(Told):
        def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
            self.on_epoch_end(7, {})

    told = Impatient()

    train(pieces.with_epoch_logs(Context(), [told], 2), 1)

    assert told.told == [("begin", 0, {}), ("end", 7, {})]


def test_what_is_asked_of_the_list_is_asked_of_the_callback(pieces: Any) -> None:
    saves = tf.keras.callbacks.ModelCheckpoint("best")
    saves._chief_worker_only = True

    stands = pieces.with_epoch_logs(Context(), [saves], 2)[1]
    stands.set_model("model")

    assert isinstance(stands, tf.keras.callbacks.ModelCheckpoint)
    assert stands._chief_worker_only and stands._skip_epoch_end_check
    assert vars(stands) is vars(saves)
    assert saves.model == "model"


def test_callbacks_that_have_their_epochs_already_have_them_once(pieces: Any) -> None:
    """A method may hand on what the method above returned, with more callbacks."""
    told = Told()
    above = pieces.with_epoch_logs(Context(), [told], 5)

    train(pieces.with_epoch_logs(Context(), [*above, Told()], 1), 1)

    assert [one[0] for one in told.told] == ["begin", "end"]


@pytest.mark.parametrize(
    ("data", "batches"),
    [
        (5, 5),
        (np.float64(2.5), 3),
        ((np.zeros((10, 2)), np.zeros(10)), 3),
        (SimpleNamespace(get_batch=print, records=10), 3),
        ([1, 2], 2),
    ],
)
def test_the_length_of_an_epoch(data: Any, batches: int, pieces: Any) -> None:
    class Records(SimpleNamespace):
        def __len__(self) -> int:
            return int(self.records)

    told = Told()
    data = Records(**vars(data)) if isinstance(data, SimpleNamespace) else data

    train(pieces.with_epoch_logs(Context(), [told], data), batches + 1)

    assert told.told[1:] == [("end", 0, {"loss": (batches - 1) / 2}), ("begin", 1, {})]


def test_callbacks_of_determined_stay_as_they_are(pieces: Any) -> None:
    theirs = Callback()
    before = dict(vars(theirs))

    callbacks = pieces.with_epoch_logs(Context(), [theirs], 3)

    assert callbacks[1] is theirs
    assert vars(theirs) == before


def test_a_callback_that_derives_from_pedls_tensorboard_has_the_epochs_of_pedl(pieces: Any) -> None:
    class Board(TensorBoard):
        told: ClassVar[list[Any]] = []

        def set_model(self, model: Any) -> None:
            self.model = model

        on_train_begin = on_train_batch_begin = on_train_batch_end = lambda *_: None
        on_epoch_begin, on_epoch_end = Told.on_epoch_begin, Told.on_epoch_end

    board, plain = Board(), TensorBoard()
    callbacks = pieces.with_epoch_logs(Context(), [board, plain], 3)
    train([each for each in callbacks if each is not plain], 3)

    assert board.told == [("begin", 0, {}), ("end", 0, {"loss": 1.0})]
    assert callbacks[2] is plain


def test_a_stop_at_the_end_of_an_epoch_is_a_request(pieces: Any) -> None:
    """Keras would end its loop at once, amid a workload."""

    class Stops(Told):
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            self.model.stop_training = True

    context = Context()
    callbacks = pieces.with_epoch_logs(context, [Stops()], 2)

    model = train(callbacks, 1)
    assert not context.stop_requested
    model = train(callbacks, 1, model)
    assert context.stop_requested and not model.stop_training


def test_an_epoch_that_is_unknown_is_an_error(pieces: Any) -> None:
    with pytest.raises(ValueError, match="set records_per_epoch"):
        pieces.with_epoch_logs(Context(), [])


@pytest.mark.parametrize(
    "names",
    [
        *(["loss", "acc"], ["accuracy"], ["binary_accuracy", "categorical_accuracy"]),
        *(["out_acc", "out_mae"], ["val_mean_absolute_error"], ["mae", "mean_absolute_error"]),
        *(["kl_divergence"], ["root_mean_squared_error", "mse"], ["sparse_categorical_accuracy"]),
        *(["team", "mace", "pacc"], ["msle", "mape", "x_kld"]),
    ],
    ids=str,
)
def test_metrics_have_their_old_names_too(names: list[str], pieces: Any) -> None:
    metrics = {name: float(number) for number, name in enumerate(names)}

    assert pieces.with_old_names(metrics) == EARLY_DETERMINED.with_aliases(metrics)


def test_only_the_class_of_a_trial_is_asked_for_its_methods(pieces: Any) -> None:
    """A trial may answer any name: by a hyperparameter, or None."""

    class Trial:
        def __getattr__(self, name: str) -> None:
            return None

    told = Told()
    callbacks = pieces.with_epoch_logs(Context(), [told], np.ones((3, 1)), Trial())
    assert pieces.metrics_from(Trial(), "validation_metrics") == {}
    assert len(callbacks) == 3 and len(pieces.with_epoch_logs(Context(), None, 3)) == 2


def test_metrics_of_a_keras_trial_have_its_own_names_in_a_validation(pieces: Any) -> None:
    class Told(tf.keras.callbacks.Callback):
        def on_test_end(self, logs: Any = None) -> None:
            self.told = logs

    callback = Told()
    trial = type("Trial", (), {"training_metrics": lambda self: {"err": "mae"}})()
    (_, told, _) = pieces.with_epoch_logs(Context(), [callback], 2, trial=trial)

    told.on_test_end({"val_err": 1.0, "val_loss": 2.0})

    assert callback.told["err"] == 1.0
    assert callback.told["loss"] == 2.0
