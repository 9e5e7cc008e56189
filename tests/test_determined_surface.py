"""What of ``determined`` trials use beside the trial class: information, utilities, old helpers."""

from __future__ import annotations

import json
import operator
import random
import re
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import determined as det
import numpy as np
import pytest
import tensorflow as tf

from pedl2det_runtime.distributed.layout import Layout, layout_of_tf_config
from pedl2det_runtime.errors import (
    CheckFailedError,
    UnservedNameError,
)
from support import write_tree
from test_old_apis import interpreter
from training import Trial, X, Y, config, reports, trial_running

LOCAL = {"hyperparameters": {"global_batch_size": 4, "rate": 0.5}}


def test_versions_and_formats() -> None:
    assert det.__version__ == "0.38.1"
    assert det.get_cluster_info() is None
    assert issubclass(det.keras.TFKerasTrial, det.Trial)
    assert det.LegacyTrial is det.Trial


def test_a_local_context_has_an_environment() -> None:
    env = det.keras.TFKerasTrialContext.from_config(LOCAL).env

    assert isinstance(env, det.EnvContext)
    assert env.hparams == LOCAL["hyperparameters"]
    assert (env.trial_seed, env.det_trial_id, env.managed_training) == (0, "", False)
    assert (env.on_cluster, env.test_mode, env.latest_checkpoint) == (False, False, None)
    env.container_gpus = ["0"]  # as the code in old checkpoints does
    assert env.container_gpus == ["0"]


def test_a_run_has_an_environment(tmp_path: Path) -> None:
    with trial_running(config(reproducibility={"experiment_seed": 7}), tmp_path) as info:
        env = det.keras.TFKerasTrialContext(info).env

    assert (env.trial_seed, env.det_trial_id, env.det_experiment_id) == (7, "1", "1")
    assert env.managed_training
    assert env.experiment_config.experiment_seed() == 7


@pytest.mark.parametrize(
    "name", ["_core", "dataset_initialized", "compile_args", "distributed._chief_ip", "env.own"]
)
def test_internal_attributes_are_refused_in_one_line(name: str) -> None:
    context = det.keras.TFKerasTrialContext.from_config(LOCAL)

    with pytest.raises(UnservedNameError, match="no public name of Determined") as error:
        operator.attrgetter(name)(context)

    assert str(error.value).partition(" ")[0].endswith(f".{name.rpartition('.')[2]}")
    context._own = 1  # a trial may keep something there
    assert context._own == 1 and not hasattr(context, "__own__")


def test_the_config_has_determineds_defaults() -> None:
    """Those of Determined 0.38.1 for the same config, and of its master for the lengths."""
    written = {**LOCAL, "optimizations": {"aggregation_frequency": 4}, "data": None, "own": [1]}
    got = det.TrialContext.from_config(written).get_experiment_config()

    assert got["optimizations"] == {
        "aggregation_frequency": 4,
        "average_aggregated_gradients": True,
        "average_training_metrics": True,
        "gradient_compression": False,
        "mixed_precision": "O0",
    }
    assert (got["scheduling_unit"], got["max_restarts"], got["own"]) == (100, 5, [1])
    assert (got["data"], got["resources"]) == ({}, {"slots_per_trial": 1})
    assert "optimizations" in written and len(written["optimizations"]) == 1  # not filled in place


def test_the_config_has_accessors() -> None:
    written = {
        **LOCAL,
        "entrypoint": "model_def:T",
        "searcher": {"name": "single", "metric": "acc", "max_length": {"batches": 3}},
        "min_validation_period": {"epochs": 2},
        "resources": {"slots_per_trial": 2},
        "records_per_epoch": 50,
    }
    got = det.TrialContext.from_config(written).get_experiment_config()

    assert isinstance(got, det.ExperimentConfig)
    assert (got.get_entrypoint(), got.get_searcher_metric()) == ("model_def:T", "acc")
    assert got.get_min_validation_period() == {"epochs": 2}
    assert got.get_min_checkpoint_period() == {"batches": 0}
    assert (got.slots_per_trial(), got.get_records_per_epoch()) == (2, 50)
    assert (got.scheduling_unit(), got.experiment_seed()) == (100, 0)
    assert got.average_training_metrics_enabled() and not got.debug_enabled()
    assert not got.native_parallel_enabled() and not got.profiling_enabled()
    assert got.get_checkpoint_storage() == {}


def test_a_config_in_steps_gets_no_lengths_in_batches() -> None:
    written = {**LOCAL, "searcher": {"name": "single", "metric": "acc", "max_steps": 3}}
    got = det.TrialContext.from_config(written).get_experiment_config()

    assert got["batches_per_step"] == 100
    assert not {"scheduling_unit", "min_validation_period"} & got.keys()


def test_random_states_are_restored() -> None:
    state = det.keras.get_rng_state()

    def draws() -> list[float]:
        drawn = tf.random.get_global_generator().normal([2]).numpy().tolist()
        return [random.random(), float(np.random.rand()), *drawn]

    first = draws()
    assert draws() != first
    det.keras.set_rng_state(state)
    assert draws() == first


def test_modules_of_one_name_are_imported_from_two_paths(tmp_path: Path) -> None:
    for name in ("old", "new"):
        write_tree(tmp_path / name, {"surface_model_def.py": f"NAME = {name!r}\n"})
    before = list(sys.path)
    found = []
    for name in ("old", "new"):
        with det.import_from_path(tmp_path / name):
            import surface_model_def

            found.append(surface_model_def)

    assert [module.NAME for module in found] == ["old", "new"]
    assert "surface_model_def" not in sys.modules
    assert sys.path == before


class Rows(tf.keras.utils.Sequence):
    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> Any:
        return np.full(2, index), np.full(2, index)


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_a_sequence_adapter_is_read_by_hand(workers: int) -> None:
    adapter = det.keras.SequenceAdapter(Rows(), workers=workers, max_queue_size=2)
    with pytest.raises(CheckFailedError, match=r"get_iterator: call start\(\) first"):
        adapter.get_iterator()
    adapter.start(batch_offset=2)
    batches = adapter.get_iterator()
    numbers = [int(next(batches)[0][0]) for _ in range(5)]
    adapter.stop()
    adapter.start(is_validation=True)
    once = [int(x[0]) for x, _ in adapter.get_iterator()]
    adapter.stop(timeout=1)

    assert (numbers, once) == ([2, 0, 1, 2, 0], [0, 1, 2])
    assert (adapter.workers, adapter.max_queue_size) == (workers, 2)


def test_a_sequence_with_an_offset_goes_on_at_its_start() -> None:
    rotated = det.keras.SequenceWithOffset(Rows(), batch_offset=2)

    assert [int(rotated[index][0][0]) for index in range(len(rotated))] == [2, 0, 1]


def test_callbacks_work_outside_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    callbacks = det.keras.callbacks
    stopping = callbacks.EarlyStopping(monitor="loss", patience=0)
    states = [one.get_state() for one in (stopping, callbacks.ReduceLROnPlateau())]
    assert [state["_validations"] for state in states] == [0, 0]

    model = Trial(det.keras.TFKerasTrialContext.from_config(LOCAL)).build_model()
    board = callbacks.TensorBoard(update_freq="batch")
    data = {"validation_data": (X, Y), "verbose": 0, "epochs": 2}
    model.fit(X, Y, callbacks=[board, stopping], **data)

    assert stopping.get_state()["_validations"] == 2
    stopping.load_state(stopping.get_state())
    assert list((tmp_path / "runs" / "tensorboard").rglob("events.out.*"))


WORKERS = '{"worker": ["10.0.0.5:2222", "10.0.0.6:2222"]}'


@pytest.mark.parametrize(
    ("text", "layout", "chief"),
    [
        ("{}", Layout(0, 1, 0, 1, 0, 1), None),
        ('{"cluster": {"worker": ["a:1"]}}', Layout(0, 1, 0, 1, 0, 1), None),
        (
            f'{{"cluster": {WORKERS}, "task": {{"type": "worker", "index": 1}}}}',
            Layout(1, 2, 0, 1, 1, 2),
            ("10.0.0.5", 2222),
        ),
        (
            '{"cluster": {"chief": ["[::1]:7"], "worker": ["b:8"]}, '
            '"task": {"type": "worker", "index": 0}}',
            Layout(1, 2, 0, 1, 1, 2),
            ("::1", 7),
        ),
    ],
)
def test_the_layout_of_tf_config(text: str, layout: Layout, chief: tuple[str, int] | None) -> None:
    assert layout_of_tf_config(text) == (layout, chief)


@pytest.mark.parametrize("text", ["[]", "x", f'{{"cluster": {WORKERS}}}', '{"cluster": 3}'])
def test_a_malformed_tf_config_is_refused(text: str) -> None:
    with pytest.raises(CheckFailedError, match=r"\$TF_CONFIG: expected a cluster of workers"):
        layout_of_tf_config(text)


def test_one_process_without_tf_config(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TF_CONFIG", raising=False)
    context, strategy = det.core.DistributedContext.from_tf_config()
    assert (context.size, strategy.num_replicas_in_sync) == (1, 1)


TF_CONFIG_WORKER = """
import pedl2det_runtime
from determined import core

context, strategy = core.DistributedContext.from_tf_config()
print("RANKS", context.allgather(context.rank), type(strategy).__name__)
"""


def test_workers_of_tf_config_meet_on_one_machine_without_a_key(tmp_path: Path) -> None:
    with socket.socket() as first, socket.socket() as second:  # free ports
        for one in (first, second):
            one.bind(("127.0.0.1", 0))
        hosts = [f"localhost:{one.getsockname()[1]}" for one in (first, second)]

    def worker(index: int) -> subprocess.CompletedProcess[str]:
        task = {"cluster": {"worker": hosts}, "task": {"type": "worker", "index": index}}
        environment = {"TF_CONFIG": json.dumps(task), "PEDL2DET_CLUSTER_KEY": ""}
        return interpreter(TF_CONFIG_WORKER, tmp_path, **environment)

    with ThreadPoolExecutor() as pool:
        for done in pool.map(worker, range(2)):
            assert done.returncode == 0, done.stderr
            assert "RANKS [0, 1] CollectiveAllReduceStrategy" in done.stdout


NATIVE = """
import pedl2det_runtime
import determined as det
import numpy as np
import tensorflow as tf
from determined import experimental
from determined.experimental.keras import init

HPARAMS = {"hyperparameters": {"global_batch_size": det.Constant(4)}}
x = np.arange(60.0).reshape(20, 3) / 60
"""
INIT = """
context = init({"description": "native", **HPARAMS}, local=True, test=TEST)
model = context.wrap_model(tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))]))
model.compile("sgd", "mse")
model.fit(x, x[:, 0], batch_size=context.get_per_slot_batch_size(), validation_data=(x, x[:, 0]))
"""
CREATE = """
class T(det.keras.TFKerasTrial):
    def build_model(self):
        layers = [tf.keras.layers.Dense(1, input_shape=(3,))]
        model = self.context.wrap_model(tf.keras.Sequential(layers))
        model.compile(self.context.wrap_optimizer(tf.keras.optimizers.SGD()), "mse")
        return model

    def build_training_data_loader(self):
        return x, x[:, 0]

    build_validation_data_loader = build_training_data_loader

CALL
"""


@pytest.mark.turns(4)
@pytest.mark.parametrize(
    ("code", "name", "batches"),
    [
        (INIT.replace("TEST", "False"), "native", [100, 100]),
        (INIT.replace("TEST", "True"), None, [1, 1]),
        (
            CREATE.replace("CALL", "experimental.create(T, HPARAMS, local=True)"),
            "experiment",
            [100, 100],
        ),
        (CREATE.replace("CALL", "experimental.test_one_batch(T, HPARAMS)"), None, [1, 1]),
    ],
    ids=["init", "init-test", "create", "test_one_batch"],
)
def test_a_short_config_of_the_native_api_gets_its_defaults(
    code: str, name: str | None, batches: list[int], tmp_path: Path
) -> None:
    """A test of one batch leaves no results."""
    write_tree(tmp_path, {"script.py": NATIVE + code})
    done = interpreter("import runpy; runpy.run_path('script.py', run_name='__main__')", tmp_path)

    assert done.returncode == 0, done.stderr
    assert shown_batches(done.stdout) == batches
    assert (tmp_path / "runs").exists() == (name is not None)
    if name:
        assert [one["batches"] for one in reports(tmp_path / "runs" / name)] == batches


def shown_batches(printed: str) -> list[int]:
    """The batch of each report that was printed."""
    shown = re.findall(r"^ *(?:training|validation)  (\d+)/", printed, re.MULTILINE)
    return [int(number) for number in shown]


def cached(make_dataset: Any) -> Any:
    context = det.keras.TFKerasTrialContext.from_config(LOCAL)
    return context.experimental.cache_train_dataset("name", "v1", shuffle=True)(make_dataset)()


def test_the_data_layer_reads_an_unknown_number_of_records_once() -> None:
    read = []

    def records() -> Any:
        for number in range(20):
            read.append(number)
            yield number

    shuffled = cached(lambda: tf.data.Dataset.from_generator(records, output_types=tf.int64))
    assert read == []
    first, second = ([int(number) for number in shuffled] for _ in range(2))
    assert sorted(first) == sorted(second) == list(range(20)) != first
    assert read == list(range(20))


def test_an_endless_dataset_cannot_be_shuffled() -> None:
    def numbers() -> tf.data.Dataset:
        return tf.data.Dataset.range(20).repeat()

    with pytest.raises(CheckFailedError, match=r"^numbers: an infinite dataset cannot be"):
        cached(numbers)


LAYER = """
        @self.context.experimental.cache_train_dataset("numbers", "v1", shuffle=True)
        def make_dataset():
            return tf.data.Dataset.from_tensor_slices((x, x[:, 0]))

        return make_dataset().batch(4)
"""


def test_the_data_layer_is_served_in_graph_mode(tmp_path: Path) -> None:
    trial = CREATE.replace("        return x, x[:, 0]\n", LAYER)
    code = trial.replace("CALL", "experimental.test_one_batch(T, HPARAMS)")
    write_tree(tmp_path, {"script.py": f"{NATIVE}tf.compat.v1.disable_eager_execution()\n{code}"})
    done = interpreter("import runpy; runpy.run_path('script.py', run_name='__main__')", tmp_path)

    assert done.returncode == 0, done.stderr
    assert shown_batches(done.stdout) == [1, 1]
