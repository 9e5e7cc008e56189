"""Which parts of a trial are called when, and what their results mean (Lifecycle)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from determined.keras import TFKerasTrial, TFKerasTrialContext

from pedl2det_runtime.errors import Pedl2DetError
from promises import promise
from training import Trial, X, Y, building, compiled, config, dense, functional, run


@promise("4.2", "each method of a trial is called once, in one order")
def test_the_order_of_methods(tmp_path: Path) -> None:
    called: list[str] = []

    class Telling(Trial):
        def __init__(self, context: Any) -> None:
            called.append("__init__")
            super().__init__(context)

    def telling(name: str) -> Any:
        def method(self: Any) -> Any:
            called.append(name)
            return getattr(Trial, name)(self)

        return method

    expected = [
        *("session_config", "build_training_data_loader", "build_validation_data_loader"),
        *("build_model", "keras_callbacks"),
    ]
    for name in expected:
        setattr(Telling, name, telling(name))
    run(Telling, tmp_path, config(4, min_validation_period={"batches": 2}))
    assert called == ["__init__", *expected]


@promise("002:69", "the default session_config places softly")
def test_the_default_session() -> None:
    context = TFKerasTrialContext.from_config(config())
    assert Trial(context).session_config().allow_soft_placement


@promise("4.2", "what build_model returns is ignored: the wrapped model is trained")
def test_the_model_that_is_returned(tmp_path: Path) -> None:
    plain = building(lambda trial: compiled(trial, functional()))

    class Nothing(plain):  # type: ignore[misc, valid-type]
        def build_model(self) -> Any:
            super().build_model()

    class Another(Nothing):
        def build_model(self) -> Any:
            super().build_model()
            return functional()

    weights = [run(kind, tmp_path / kind.__name__).weights for kind in (plain, Nothing, Another)]
    assert weights[0] == weights[1] == weights[2]


@promise("002:87", "configure_fit holds wherever it is called: with the model, or in a loader")
def test_configure_fit_is_heard_late(tmp_path: Path) -> None:
    def late(trial: Any) -> Any:
        trial.context.configure_fit(class_weight={0: 0.5}, verbose=False)
        return compiled(trial, functional())

    class Late(building(late)):  # type: ignore[misc]
        def build_training_data_loader(self) -> Any:
            super().build_training_data_loader()
            return X, np.zeros(20)

        def build_validation_data_loader(self) -> Any:
            return X, np.ones(20)

    trained = run(Late, tmp_path)
    model = trained.trial.context.model
    assert not any("val_loss" in line for line in trained.said)
    assert trained.trial.context.fit_settings.class_weight == {0: 0.5}
    assert model.get_weights()[0].tolist() == [[0]] * 3


@promise("002:87", "configure_fit refuses arguments that it does not have: TypeError")
def test_a_mistyped_setting() -> None:
    context = TFKerasTrialContext.from_config(config())
    with pytest.raises(TypeError, match="suffle"):
        context.configure_fit(suffle=False)  # type: ignore[call-arg]


@promise("002:121", "wrap_model of what is no model is refused, with what it is")
def test_what_is_no_model(tmp_path: Path) -> None:
    for wrong in (None, tf.keras.layers.Dense(1)):
        trial = building(lambda trial, wrong=wrong: trial.context.wrap_model(wrong))
        with pytest.raises(Pedl2DetError, match=r"wrap_model.*tf\.keras\.Model"):
            run(trial, tmp_path)


@promise("4.2", "a trial may import, subclass and mix in as any class")
def test_a_trial_of_several_classes(tmp_path: Path) -> None:
    class Loads:
        context: Any
        rows = 20

        def build_training_data_loader(self) -> Any:
            self.context.configure_fit(shuffle=False)
            return X[: self.rows], Y[: self.rows]

    class Base(Loads, Trial):
        def build_validation_data_loader(self) -> Any:
            return Loads.build_training_data_loader(self)

    class Derived(Base):
        rows = 8

    plain = run(building(lambda trial: compiled(trial, functional())), tmp_path / "a", config(2))
    assert run(Derived, tmp_path / "b", config(2)).kernel == plain.kernel


@promise("4.8", "outside a run a trial's own methods make its data and a model that Keras trains")
def test_a_trial_in_a_notebook() -> None:
    context = TFKerasTrialContext.from_config(config(hyperparameters={"global_batch_size": 4}))
    trial = building(lambda trial: compiled(trial, tf.keras.Sequential([dense()])))(context)
    x, y = trial.build_training_data_loader()
    model = trial.build_model()
    history = model.fit(
        x, y, context.get_per_slot_batch_size(), epochs=2, verbose=0,
        validation_data=trial.build_validation_data_loader(), callbacks=trial.keras_callbacks(),
    ).history  # fmt: skip
    assert history["loss"][1] < history["loss"][0]
    assert len(history["val_loss"]) == 2
    assert isinstance(trial, TFKerasTrial)


@promise(
    "4.7", "metrics of every kind are floats in the reports: NumPy's, bool's and None is left out"
)
def test_kinds_of_metrics(tmp_path: Path) -> None:
    class Odd(tf.keras.callbacks.Callback):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self._supports_tf_logs = True

        def on_test_end(self, logs: Any = None) -> None:
            logs.update(
                val_numpy=np.float32(0.5), val_one=np.array([2]), val_flag=True, val_none=None
            )
            logs.update(val_text="high", val_tensor=tf.constant(3.0))

    class Reporting(Trial):
        def keras_callbacks(self) -> list[Any]:
            return [Odd()]

    metrics = run(Reporting, tmp_path).reports[-1]["metrics"]
    del metrics["val_loss"]
    assert metrics == {"val_numpy": 0.5, "val_one": 2.0, "val_flag": 1.0, "val_tensor": 3.0}
