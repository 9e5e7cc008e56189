"""Old trials in all their forms, trained in the test's own process."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import training
from pedl.frameworks.keras.tf_keras_trial import call_with_accepted
from pedl2det.cli import cli
from pedl2det.errors import Pedl2DetError
from pedl2det_runtime.api.trial_info import TrialInfo, running
from pedl2det_runtime.config.reader import config_from
from pedl2det_runtime.errors import TrialLoadError
from support import write_tree
from test_run import reports

CONFIG = """\
hyperparameters: {batch_size: 4, units: 3}
searcher: {name: single, metric: METRIC, max_steps: 1}
batches_per_step: 5
"""
COMMON = """\
import keras
import numpy as np
from pedl.frameworks.keras import KerasFunctionalTrial, KerasTrial, TFKerasTrial
from pedl.frameworks.keras.data import InMemorySequence, KerasDataAdapter

X = np.arange(60.0).reshape(20, 3) / 60
Y = X.sum(axis=1)


def one():
    return keras.models.Sequential(
        [keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(3,))]
    )


def two():
    x = keras.layers.Input((3,))
    outputs = [keras.layers.Dense(1, name=name, kernel_initializer="zeros")(x) for name in "ab"]
    return keras.models.Model(x, outputs)


class Pairs(keras.utils.Sequence):
    def __len__(self):
        return 5

    def __getitem__(self, index):
        rows = slice(index * 4, index * 4 + 4)
        return X[rows], {"a": Y[rows], "b": 0 * Y[rows]}


def sequence():
    return InMemorySequence(X, Y, 4)


class _Base(KerasTrial):
    def build_model(self, hparams):
        return one()

    def optimizer(self):
        return keras.optimizers.SGD(0.0)

    def loss(self):
        return "mse"

    def batch_size(self):
        return 4

    def validation_metrics(self):
        return {"error": "mae"}


"""
LOADERS = """

def make_data_loaders(experiment_config, hparams):
    return sequence(), sequence()
"""


def run_old(directory: Path, body: str, metric: str = "error", loaders: str = LOADERS) -> Any:
    """Train the trial ``T`` of a body; what its last report says."""
    init = "from model_def import T, make_data_loaders\n"
    init += "from model_def import download_data\n" if "def download_data" in body else ""
    files = {"__init__.py": init, "model_def.py": COMMON + body + loaders}
    write_tree(directory, files | {"const.yaml": CONFIG.replace("METRIC", metric)})
    out = directory.parent / f"{directory.name}-out"
    cli.main(["run", str(directory), "--out", str(out)], standalone_mode=False)
    return reports(out)[-1]["metrics"]


VALIDATES = """
    def compute_validation_metrics(self, step_id):
        self.validation_data_adapter.start(is_validation=True)
        batches = list(self.validation_data_adapter.get_iterator())
        self.validation_data_adapter.stop()
        return {"num_inputs": 20, "validation_metrics": {"error": float(len(batches))}}
"""
DATASET = """

def make_data_loaders(experiment_config, hparams):
    import tensorflow as tf

    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(4).filter(lambda x, y: True)
    return data, data
"""


@pytest.mark.parametrize(
    "loaders",
    [
        LOADERS.replace("sequence()", "KerasDataAdapter(sequence(), workers=2)"),
        LOADERS.replace("sequence()", "(X, Y)"),
        DATASET,
    ],
)
def test_a_keras_trial_reads_any_validation_data_itself(tmp_path: Path, loaders: str) -> None:
    found = run_old(tmp_path / "trial", f"class T(_Base):\n{VALIDATES}", loaders=loaders)
    assert found == {"error": 5.0}


def test_a_dataset_of_unknown_length(tmp_path: Path) -> None:
    found = run_old(tmp_path / "trial", "class T(_Base):\n    pass\n", loaders=DATASET)
    assert found["error"] == pytest.approx(1.475)  # the mean of all numbers below 60, times 3


@pytest.mark.parametrize(("repeat", "epochs"), [("", 0.5), (".repeat()", 1.0)])
def test_reports_of_a_dataset_count_epochs_as_those_of_a_migrated_trial(
    tmp_path: Path, repeat: str, epochs: float
) -> None:
    """Passes over the data; reports, if it never ends."""
    loaders = DATASET.replace(".batch(4).filter(lambda x, y: True)", ".batch(2)")
    loaders = loaders.replace("return data, data", f"return data{repeat}, data")
    run_old(tmp_path / "trial", "class T(_Base):\n    pass\n", loaders=loaders)

    class Migrated(training.Trial):
        def build_training_data_loader(self) -> Any:
            data = tf.data.Dataset.from_tensor_slices((training.X, training.Y))
            data = self.context.wrap_dataset(data).batch(2)
            return data.repeat() if repeat else data

    new = training.run(Migrated, tmp_path / "new", training.config(5, scheduling_unit=5))
    for report in (*reports(tmp_path / "trial-out"), *new.reports):
        assert report["epochs"] == epochs


def test_a_metric_of_several_outputs_is_reported_of_each(tmp_path: Path) -> None:
    body = "class T(_Base):\n    def build_model(self, hparams):\n        return two()\n"
    body += "\n    def loss(self):\n        return {'a': 'mse', 'b': 'mse'}\n"
    loaders = LOADERS.replace("sequence()", "Pairs()")
    found = run_old(tmp_path / "trial", body, "a_error", loaders)
    assert found["a_error"] == pytest.approx(1.475)
    assert found["b_error"] == 0.0
    with pytest.raises(Pedl2DetError, match="error is none of .* reports: a_error, b_error"):
        run_old(tmp_path / "other", body, "error", loaders)


def test_objects_and_targets_without_an_output_are_read_as_in_keras_2_2(tmp_path: Path) -> None:
    pairs = LOADERS.replace("sequence()", "Pairs()")
    more = pairs + (
        "\n\ndef more(self, index):\n    x, y = plain(self, index)\n"
        "    return x.astype(object), {**y, 'c': x, 'a': y['a'].astype(object)}\n\n\n"
        "plain, Pairs.__getitem__ = Pairs.__getitem__, more\n"
    )
    metrics = "\n    def validation_metrics(self):\n        return {'error': ('a', 'mae')}\n"
    found = [
        run_old(tmp_path / name, FUNCTIONAL + metrics, "error", loaders)
        for name, loaders in (("plain", pairs), ("more", more))
    ]
    assert found[0] == found[1]


FUNCTIONAL = """\
class T(KerasFunctionalTrial, _Base):
    def build_model(self, hparams):
        return two()

    def losses(self):
        return {"a": "mse", "b": "mse"}
"""
SHARED = """\
class T(_Base):
    shared = keras.metrics.AUC()

    def training_metrics(self):
        return {"auc": self.shared}

    def validation_metrics(self):
        return {"auc": self.shared}
"""


@pytest.mark.parametrize(
    ("body", "line", "said"),
    [
        (
            "class T(_Base):\n    def validation_metrics(self):\n"
            "        return {'error': ('mae', np.max)}\n",
            1,
            "metric validation_error: it must be reduced by its mean: <function max",
        ),
        (
            "class T(_Base):\n    def validation_metrics(self):\n        return None\n",
            2,
            "expected a dict of metrics by name, got None",
        ),
        ("class T(KerasTrial):\n    pass\n", 1, "T does not define batch_size, build_model,"),
        (SHARED, 1, "two metrics are the same object, which would count both"),
        (FUNCTIONAL, 1, "metric validation_error: expected a pair (output, metric), got 'mae'"),
        (
            FUNCTIONAL
            + "\n    def validation_metrics(self):\n        return {'e': ('c', 'mae')}\n",
            1,
            "a metric is of the output 'c': the outputs are a, b",
        ),
        (
            "class T(_Base):\n    def build_model(self, first, second):\n        return one()\n",
            2,
            "build_model: expected the parameters (hparams), got (first, second)",
        ),
        (
            "class T(_Base):\n    pass\n\n\ndef download_data(a, b, c):\n    pass\n",
            5,
            "download_data: expected the parameters (experiment_config, hparams), got (a, b,",
        ),
        (
            "class T(_Base):\n    pass\n\n\nKerasDataAdapter(sequence(), workers='4')\n",
            5,
            "import the package: TypeError: KerasDataAdapter: workers: expected a whole",
        ),
    ],
)
def test_what_is_wrong_with_a_trial_is_told_with_its_place(
    body: str, line: int, said: str, tmp_path: Path
) -> None:
    """Lines count from the first of the body."""
    with pytest.raises(Pedl2DetError) as raised:
        run_old(tmp_path / "trial", body)
    assert f"model_def.py:{COMMON.count(chr(10)) + line}: {said}" in str(raised.value)


def test_a_run_leaves_no_paths_behind(tmp_path: Path) -> None:
    before = [*sys.path]
    run_old(tmp_path / "trial", "class T(_Base):\n    def __init__(self):\n        pass\n")
    assert sys.path == before
    assert "keras" not in sys.modules or sys.modules["keras"].__version__ != "2.2.4"


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda experiment_config, hparams: (experiment_config, hparams), ("C", "H")),
        (lambda a, b, c=1: (a, b, c), ("C", "H", 1)),
        (lambda *args: args, ("C", "H")),
        (lambda experiment_config: experiment_config, "C"),
        (lambda hparams: hparams, "H"),
        (lambda config: config, "C"),
        (lambda **kwargs: kwargs, {"experiment_config": "C", "hparams": "H"}),
        (lambda hparams, **kwargs: (hparams, kwargs), ("H", {"experiment_config": "C"})),
        (lambda *, hparams: hparams, "H"),
        (lambda data_dir="data": data_dir, "data"),
        (lambda: None, None),
    ],
)
def test_a_function_is_given_what_it_takes(function: Any, expected: Any) -> None:
    assert call_with_accepted(function, experiment_config="C", hparams="H") == expected


def test_a_function_that_takes_something_else_is_refused() -> None:
    with pytest.raises(TrialLoadError, match=r"test_old_trials.py:\d+: <lambda>: expected the"):
        call_with_accepted(lambda a, b, c: (a, b, c), experiment_config="C", hparams="H")


class _Asking(training.Trial):
    def keras_callbacks(self, hparams: dict[str, Any]) -> list[Any]:  # type: ignore[override]
        self.asked = hparams
        return []

    def build_training_data_loader(self, hparams: Any = None) -> Any:
        assert hparams is None
        return super().build_training_data_loader()


def test_an_early_trial_may_ask_for_hparams(tmp_path: Path) -> None:
    done = training.run(_Asking, tmp_path)
    assert done.trial.asked == {"global_batch_size": 4}  # type: ignore[attr-defined]


def test_what_early_determined_exported() -> None:
    import numpy as np
    from determined.frameworks.keras import TFKerasTensorBoard
    from determined.keras import (
        KerasBatch,
        KerasInputData,
        SequenceWithOffset,
        TFKerasTrainConfig,
        make_keras_data_adapter,
    )
    from determined.trial_controller.util import get_container_gpus

    assert all([TFKerasTensorBoard, KerasBatch, KerasInputData])
    assert get_container_gpus() == []
    assert [SequenceWithOffset("abc", 2)[index] for index in range(3)] == ["c", "a", "b"]
    adapter = make_keras_data_adapter((np.arange(5), np.arange(5)), batch_size=2)
    assert len(adapter) == 3
    assert make_keras_data_adapter(adapter) is adapter
    with pytest.raises(Exception, match="keras.TFKerasTrainConfig is not supported by pedl2det"):
        TFKerasTrainConfig()


def test_the_dotted_forms_of_pedl(tmp_path: Path) -> None:
    import importlib

    import pedl

    for name in ("data", "trial", "util"):
        vars(pedl).pop(name, None)  # imported by others before
    info = TrialInfo.of(config_from(training.config()), tmp_path)
    with running(info):
        assert pedl.trial.get_trial_seed() == 0
        assert pedl.util.get_hyperparameters() == {"batch_size": 4}
    assert pedl.data.Batch is importlib.import_module("pedl.data").Batch
    assert pedl.trial_controller.util.get_rank
    assert pedl.frameworks.util.elementwise_mean([1.0, 3.0]) == 2.0
    with pytest.raises(AttributeError, match="pedl.get_rank is not supported by pedl2det"):
        pedl.get_rank  # noqa: B018
