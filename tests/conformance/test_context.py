"""What a context tells a trial, and what a trial may say to it."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from determined import InvalidHP, TrialContext
from determined.core import DistributedContext
from determined.keras import TFKerasExperimentalContext, TFKerasTrial, TFKerasTrialContext

from pedl2det_runtime.errors import CheckFailedError, InvalidExperimentException
from promises import promise
from training import Trial, X, Y, config, rank_of, run, trial_running

LOCAL = {
    "hyperparameters": {"global_batch_size": 32, "units": 4},
    "data": {"url": "u"},
    "reproducibility": {"experiment_seed": 9},
}


@pytest.fixture
def context(tmp_path: Path) -> Any:
    with trial_running(config(**LOCAL), tmp_path) as info:
        yield TFKerasTrialContext(info)


@promise("002:11", "a trial subclasses TFKerasTrial and implements its three abstract methods")
def test_the_three_methods_are_abstract(context: Any) -> None:
    assert TFKerasTrial.__abstractmethods__ == {
        "build_model",
        "build_training_data_loader",
        "build_validation_data_loader",
    }
    with pytest.raises(TypeError, match="abstract"):
        TFKerasTrial(context)  # type: ignore[abstract]


@promise("002:17", "the constructor gets the context, and may be left as it is")
def test_a_trial_has_its_context(context: Any) -> None:
    assert Trial(context).context is context


@promise("002:25", "build_model reads hyperparameters with context.get_hparam")
def test_hyperparameters_are_read_by_name(context: Any) -> None:
    assert context.get_hparam("units") == 4
    assert context.get_hparams() == {"global_batch_size": 32, "units": 4}


@promise("4.8", "get_hparam raises ValueError for a name that the config does not have")
def test_an_unknown_hyperparameter_is_a_value_error(context: Any) -> None:
    with pytest.raises(ValueError, match="hyperparameters.lr is not in the config, .*units"):
        context.get_hparam("lr")


@promise("4.8", "the context gives the experiment config, its data section, ids and the seed")
def test_the_context_knows_its_run(context: Any, tmp_path: Path) -> None:
    assert context.get_experiment_config()["searcher"]["metric"] == "val_loss"
    assert context.get_data_config() == {"url": "u"}
    assert isinstance(context.get_experiment_id(), int)
    assert isinstance(context.get_trial_id(), int)
    assert context.get_trial_seed() == 9
    assert context.get_initial_batch() == 0
    assert context.get_tensorboard_path() == tmp_path / "tensorboard"


@promise("4.8", "get_data_config is an empty dict where the config has no data")
def test_no_data_section_is_an_empty_dict(tmp_path: Path) -> None:
    with trial_running(config(), tmp_path) as info:
        assert TFKerasTrialContext(info).get_data_config() == {}


@promise("4.8", "get_initial_batch is the batch at which a resumed run goes on")
def test_a_resumed_trial_knows_where_it_is(tmp_path: Path) -> None:
    run(Trial, tmp_path, config(4))
    seen = []

    class Asking(Trial):
        def build_model(self) -> Any:
            seen.append(self.context.get_initial_batch())
            return super().build_model()

    run(Asking, tmp_path, config(8), resume=True)
    assert seen == [4]


@promise("4.3", "batch sizes are the global one divided by the slots, and their product")
@pytest.mark.parametrize(
    ("slots", "per_slot", "effective"), [(1, 32, 32), (3, 10, 30), (32, 1, 32)]
)
def test_batch_size_arithmetic(slots: int, per_slot: int, effective: int, tmp_path: Path) -> None:
    from dataclasses import replace

    with trial_running(config(**LOCAL), tmp_path) as info:
        context = TFKerasTrialContext(replace(info, distributed=rank_of(slots)))
    assert context.get_per_slot_batch_size() == per_slot
    assert context.get_global_batch_size() == effective


@promise("4.4", "a missing, fractional or too small global_batch_size is refused")
@pytest.mark.parametrize("size", [None, 32.0, 0, "32"])
def test_a_bad_batch_size_is_refused(size: Any, tmp_path: Path) -> None:
    hparams = {} if size is None else {"global_batch_size": size}
    with pytest.raises(InvalidExperimentException, match="hyperparameters.global_batch_size"):
        run(Trial, tmp_path, config(hyperparameters=hparams))


@promise("002:83", "context.distributed is a DistributedContext")
def test_the_context_has_its_ranks(context: Any) -> None:
    distributed = context.distributed
    assert isinstance(distributed, DistributedContext)
    assert (distributed.get_rank(), distributed.get_local_rank()) == (0, 0)
    assert (distributed.get_size(), distributed.get_num_agents()) == (1, 1)


@promise("002:195", "one process gathers a list of its own thing and broadcasts the thing itself")
def test_collectives_of_one_process(context: Any) -> None:
    distributed = context.distributed
    assert distributed.gather("a") == distributed.gather_local("a") == ["a"]
    assert distributed.allgather("a") == distributed.allgather_local("a") == ["a"]
    assert distributed.broadcast("a") == distributed.broadcast_local("a") == "a"


@promise("002:85", "context.experimental is a TFKerasExperimentalContext")
def test_the_context_has_its_experimental_part(context: Any) -> None:
    assert isinstance(context.experimental, TFKerasExperimentalContext)


@promise("4.3", "the data layer, removed in Determined 0.19.10, is served by a cache in memory")
def test_the_data_layer_caches_and_shuffles(context: Any) -> None:
    made = []

    def dataset() -> tf.data.Dataset:
        made.append(1)
        return tf.data.Dataset.range(20)

    def passes(cached: Any) -> list[list[int]]:
        return [[int(number) for number in cached] for _ in range(2)]

    experimental = context.experimental
    shuffled = experimental.cache_train_dataset("name", "v1", shuffle=True)(dataset)()
    same = experimental.cache_train_dataset("name", "v1", True, skip_shuffle_at_epoch_end=True)
    first, second = passes(shuffled)
    again, repeated = passes(same(dataset)())

    assert sorted(first) == sorted(second) == list(range(20))
    assert first != second and again == repeated and again != sorted(again)
    plain = experimental.cache_validation_dataset("name", "v1")(dataset)()
    assert passes(plain) == [list(range(20))] * 2
    assert context.datasets_wrapped


@promise("002:93", "configure_fit keeps what a later call does not name")
def test_configure_fit_merges_its_calls(context: Any) -> None:
    context.configure_fit(verbose=False, workers=5, class_weight={0: 2.0}, validation_steps=3)
    context.configure_fit(use_multiprocessing=True)
    context.configure_fit(class_weight=None)

    settings = context.fit_settings
    assert (settings.verbose, settings.workers, settings.use_multiprocessing) == (False, 5, True)
    assert (settings.class_weight, settings.validation_steps) == (None, 3)
    assert (settings.shuffle, settings.max_queue_size) == (True, 10)


@promise("4.5", "max_queue_size must be above 0")
def test_an_empty_queue_is_refused(context: Any) -> None:
    with pytest.raises(CheckFailedError, match="max_queue_size: expected 1 or more, got 0"):
        context.configure_fit(max_queue_size=0)


@promise("002:91", "verbose=False prints no reports")
def test_a_quiet_trial_says_nothing(tmp_path: Path) -> None:
    class Quiet(Trial):
        def __init__(self, context: Any) -> None:
            super().__init__(context)
            context.configure_fit(verbose=False)

    assert any("val_loss" in line for line in run(Trial, tmp_path / "a").said)
    assert not any("val_loss" in line for line in run(Quiet, tmp_path / "b").said)


@promise("001:63", "a model is wrapped before it is compiled; without wrap_model: CheckFailedError")
def test_an_unwrapped_model_is_refused(tmp_path: Path) -> None:
    class Unwrapped(Trial):
        def build_model(self) -> Any:
            model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
            model.compile("sgd", "mse")
            return model

    with pytest.raises(CheckFailedError, match=r"Please call wrap_model\(...\)"):
        run(Unwrapped, tmp_path)


@promise("4.2", "a model that is not compiled after wrap_model: CheckFailedError")
@pytest.mark.parametrize("before", [False, True])
def test_a_model_that_was_not_compiled_is_refused(before: bool, tmp_path: Path) -> None:
    class Uncompiled(Trial):
        def build_model(self) -> Any:
            model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
            if before:
                model.compile("sgd", "mse")
            return self.context.wrap_model(model)

    with pytest.raises(CheckFailedError, match=r"Please call model.compile\(...\)"):
        run(Uncompiled, tmp_path)


@promise("002:123", "what wrap_model returns is used in place of the model, and does all it does")
def test_a_wrapped_model_is_a_model(context: Any) -> None:
    inputs = tf.keras.Input((3,))
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(2, name="head")(inputs))
    wrapped = context.wrap_model(model)
    wrapped.note = "kept"
    wrapped.compile("sgd", "mse", metrics=["mae"])

    assert isinstance(wrapped, tf.keras.Model)
    assert wrapped.get_layer("head").units == 2
    assert wrapped(np.zeros((5, 3))).shape == (5, 2)
    assert wrapped.note == "kept"
    assert context.model.loss == "mse"
    assert [len(part) for part in (wrapped.layers, wrapped.trainable_variables)] == [2, 2]


@promise("4.3", "compile refuses arguments that Keras does not know: TypeError")
def test_a_mistyped_argument_of_compile_is_a_type_error(context: Any) -> None:
    model = context.wrap_model(tf.keras.Sequential([tf.keras.layers.Dense(1)]))
    with pytest.raises(TypeError, match="metrix"):
        model.compile("sgd", "mse", metrix=["mae"])


@promise("4.3", "wrap_model called twice: the last model is trained")
def test_the_last_wrapped_model_is_trained(tmp_path: Path) -> None:
    class Twice(Trial):
        def build_model(self) -> Any:
            self.context.wrap_model(tf.keras.Sequential([tf.keras.layers.Dense(7)]))
            return super().build_model()

    assert run(Twice, tmp_path).kernel == run(Trial, tmp_path / "plain").kernel


@promise("4.3", "fit of a wrapped model needs compile and validation_data, and trains nothing")
def test_fit_is_recorded(context: Any) -> None:
    model = context.wrap_model(tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))]))
    with pytest.raises(InvalidExperimentException, match="call model.compile"):
        model.fit(X, Y, validation_data=(X, Y))
    model.compile("sgd", "mse")
    with pytest.raises(InvalidExperimentException, match="validation_data is required"):
        model.fit(X, Y)
    before = model.get_weights()
    model.fit(X, Y, validation_data=(X, Y), class_weight={0: 3.0}, shuffle=False, verbose=0)

    assert np.array_equal(before[0], model.get_weights()[0])
    assert context.fit_settings.class_weight == {0: 3.0}
    assert not context.fit_settings.shuffle
    assert not context.fit_settings.verbose


@promise("002:115", "several optimizers may be wrapped, each for itself")
def test_wrapped_optimizers_are_kept_in_order(context: Any) -> None:
    one, other = tf.keras.optimizers.SGD(0.1), tf.keras.optimizers.Adam(0.2)
    assert context.wrap_optimizer(one) is one
    assert context.wrap_optimizer(other) is other
    assert context.optimizers == [one, other]


@promise("4.12", "the name of an optimizer is as good as an optimizer")
def test_an_optimizer_may_be_named(tmp_path: Path) -> None:
    class Named(Trial):
        def build_model(self) -> Any:
            model = super().build_model()
            model.compile(self.context.wrap_optimizer("adam"), "mse")
            return model

    class Compiled(Trial):
        def build_model(self) -> Any:
            model = super().build_model()
            model.compile("adam", "mse")
            return model

    assert run(Named, tmp_path / "a").weights == run(Compiled, tmp_path / "b").weights


@promise("4.8", "from_config makes a context outside a run, whose wrap_* change nothing")
def test_a_context_from_a_config_serves_without_a_run() -> None:
    searched = {"type": "int", "minval": 3, "maxval": 5}
    context = TFKerasTrialContext.from_config(
        {
            "hyperparameters": {"global_batch_size": 4, "units": searched},
            "checkpoint_storage": {"type": "s3", "bucket": "gone"},
            "data": {"url": "u"},
        }
    )
    assert isinstance(context, TrialContext)
    assert context.get_per_slot_batch_size() == 4
    assert context.get_hparam("units") in (3, 4, 5)
    assert context.get_data_config() == {"url": "u"}
    dataset = tf.data.Dataset.from_tensor_slices((X, Y))
    assert context.wrap_dataset(dataset) is dataset
    model = Trial(context).build_model()
    loss = model.fit(X, Y, verbose=0).history["loss"]  # trains, as Keras does
    assert loss[0] > 0


@promise("4.8", "set_stop_requested takes a bool: AssertionError otherwise")
def test_a_stop_is_yes_or_no(context: Any) -> None:
    assert context.get_stop_requested() is False
    with pytest.raises(AssertionError, match="expected a bool, got 1"):
        context.set_stop_requested(1)
    context.set_stop_requested(True)
    assert context.get_stop_requested() is True


@promise("4.7", "a requested stop takes effect at the end of the current workload")
def test_a_requested_stop_ends_the_trial(tmp_path: Path) -> None:
    class Stopping(Trial):
        def keras_callbacks(self) -> list[Any]:
            class Stop(tf.keras.callbacks.Callback):
                def on_train_batch_end(callback, batch: int, logs: Any = None) -> None:
                    if batch == 4:
                        self.context.set_stop_requested(True)

            return [Stop()]

    trained = run(Stopping, tmp_path, config(100, scheduling_unit=8))
    assert [(r["kind"], r["batches"]) for r in trained.reports] == [("training", 8)]
    assert trained.checkpoints == [8]


@promise("4.7", "a trial may refuse its hyperparameters with InvalidHP, whose message is text")
def test_a_trial_may_refuse_its_hyperparameters(tmp_path: Path) -> None:
    class Refusing(Trial):
        def build_model(self) -> Any:
            raise InvalidHP("units is odd")

    with pytest.raises(InvalidHP, match="units is odd"):
        run(Refusing, tmp_path)
    with pytest.raises(AssertionError, match="expected a message"):
        InvalidHP(3)  # type: ignore[arg-type]


@promise("002:113", "wrap_dataset may leave the sharding to the trial")
def test_a_dataset_is_sharded_unless_told_otherwise(tmp_path: Path) -> None:
    from dataclasses import replace

    with trial_running(config(**LOCAL), tmp_path) as info:
        context = TFKerasTrialContext(replace(info, distributed=rank_of(2, 1)))
    dataset = tf.data.Dataset.range(6)
    assert [int(n) for n in context.wrap_dataset(dataset)] == [1, 3, 5]
    assert [int(n) for n in context.wrap_dataset(dataset, shard_dataset=False)] == [*range(6)]


@promise("4.4", "get_hparam('global_batch_size') warns on several processes")
def test_the_global_batch_size_is_no_loaders_size(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from dataclasses import replace

    with trial_running(config(**LOCAL), tmp_path) as info:
        context = TFKerasTrialContext(replace(info, distributed=rank_of(2)))
    with caplog.at_level(logging.WARNING):
        assert context.get_hparam("global_batch_size") == 32
    assert "context.get_per_slot_batch_size()" in caplog.text


@promise("002:97", "import determined as det serves det.keras.TFKerasTrial")
def test_keras_is_an_attribute_of_determined() -> None:
    import determined as det

    assert det.keras.TFKerasTrial is TFKerasTrial
    with pytest.raises(AttributeError, match="determined.pytorch is not supported by pedl2det"):
        _ = det.pytorch
