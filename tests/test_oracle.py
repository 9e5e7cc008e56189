"""The oracle: Determined 0.38.1 itself trains the same trials, and everything comes out the same.

The trials are small ones, a subject each, and all old examples as migrate makes them.

Needs an environment of its own (``nox -s tests-2.15``): determined==0.38.1 and TensorFlow 2.15.
Every trial is trained by the real controller and the real workload sequencer, locally, without a
cluster, and by ``pedl2det run``, from the same files and the same config.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import yaml

from migrated_examples import BATCHES, CARRIED, changes_of, migrate_examples
from pedl2det_runtime.checkpoint.directory import latest
from support import OLD_EXAMPLES

pytestmark = pytest.mark.oracle

SMALL = Path(__file__).with_name("oracle_trials")
DRIVER = Path(__file__).with_name("drive_determined.py")

#: What the configs have beyond const.yaml; each trains the class of its name in model_def.py.
TRIALS: dict[str, dict[str, Any]] = {
    "Tuple": {},
    "Accuracy": {},
    "InChunks": {},
    "ShuffledSequence": {},
    "OrderedSequence": {},
    "Dataset": {},
    "DictInputs": {"perform_initial_validation": True},
    "SampleWeights": {"checkpoint_policy": "all"},
    "ClassWeights": {"checkpoint_policy": "none"},
    "TwoOptimizers": {},
    "Dropout": {},
    "Stopped": {},
    "ValidatedAtTheEnd": {
        "entrypoint": "model_def:Tuple",
        "min_validation_period": {"batches": 10},
    },
}
EXAMPLES = (*OLD_EXAMPLES, *CARRIED)
LENGTHS = {"Stopped": 11, **dict.fromkeys(EXAMPLES, BATCHES)}  # in batches; all others: 20
ALL = [*TRIALS, *EXAMPLES]
TRACED = [name for name in ALL if name != "InChunks"]  # a trace needs every batch by itself
CALLED = [name for name in TRIALS if name != "InChunks"]  # with a callback that writes its calls
RECORDED = [name for name in TRIALS if name in TRACED]  # whose metrics tell the records of a batch

#: What ``pedl2det LINE`` does, for one line after the other.
COMMAND_LINES = """
import json, sys
from pedl2det.cli import cli
for line in json.loads(sys.argv[1]):
    cli.main(line, standalone_mode=False)
"""

Call = list[Any]
Jobs = dict[str, tuple[Path, Path]]  # of each trial its directory and its config


@dataclass(frozen=True)
class Trained:
    """What one trial left behind.

    Attributes:
        reports: the kind, the batches and the metrics of every report.
        batches: the metrics of every batch.
        calls: what the trial's callback was told: a hook and its arguments.
        weights: the bits of every array that was trained.
    """

    reports: list[tuple[str, int, dict[str, float]]]
    batches: list[dict[str, float]]
    calls: list[Call]
    weights: dict[str, bytes]

    @classmethod
    def by_determined(cls, out: Path) -> Trained:
        """Read what drive_determined.py wrote."""
        reports = _lines(out / "reports.jsonl")
        batches = [metrics for report in reports for metrics in report["per_batch"]]
        return cls._of(out, reports, batches)

    @classmethod
    def by_us(cls, out: Path) -> Trained:
        """Read what ``pedl2det run`` wrote."""
        trace = _lines(out / "batches.jsonl")
        return cls._of(out, _lines(out / "metrics.jsonl"), [line["metrics"] for line in trace])

    @classmethod
    def _of(cls, out: Path, reports: list[Any], batches: list[dict[str, float]]) -> Trained:
        return cls(
            [(each["kind"], each["batches"], _metrics(each["metrics"])) for each in reports],
            [_metrics(batch) for batch in batches],
            _lines(out / "tensorboard" / "calls.jsonl"),
            {name: array.tobytes() for name, array in _weights(out).items()},
        )

    def told(self, *hooks: str) -> list[Call]:
        """The calls of some hooks."""
        return [call for call in self.calls if call[0] in hooks]

    @property
    def training(self) -> list[Call]:
        """All calls but those before the training."""
        return [
            call
            for call in self.calls
            if call[0] not in ("set_params", "set_model", "model.metrics")
        ]


@dataclass(frozen=True)
class Runs:
    """Every trial, trained or being trained; asking for one waits for it.

    TensorFlow starts slowly, so that one process trains many trials in turn.

    Attributes:
        theirs: by Determined.
        ours: by ``pedl2det run``.
        reversed: by Determined once more, in the opposite order.
    """

    theirs: dict[str, Future[dict[str, Trained]]]
    ours: dict[str, Future[dict[str, Trained]]]
    reversed: Future[dict[str, Trained]]

    def both(self, name: str) -> tuple[Trained, Trained]:
        """A trial as Determined and as we trained it."""
        return self.theirs[name].result()[name], self.ours[name].result()[name]


@pytest.fixture(scope="module")
def runs(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Runs]:
    """Trains everything, two processes at a time."""
    home = tmp_path_factory.mktemp("oracle")
    small = {
        name: _job(home, name, SMALL, {"entrypoint": f"model_def:{name}", **changes})
        for name, changes in TRIALS.items()
    }
    migrated = {
        name: _job(home, name, directory, changes_of(name))
        for name, directory in migrate_examples(home / "migrated").items()
    }
    backwards = dict(reversed(small.items()))
    theirs: dict[str, Future[dict[str, Trained]]] = {}
    ours: dict[str, Future[dict[str, Trained]]] = {}
    with ThreadPoolExecutor(2) as pool:
        for jobs in (small, migrated):
            theirs |= dict.fromkeys(jobs, pool.submit(_by_determined, jobs, home / "theirs"))
            ours |= dict.fromkeys(jobs, pool.submit(_by_us, jobs, home / "ours"))
        tests = [item.name for item in request.session.items]
        is_asked = any(test.startswith("test_determined_trains_each") for test in tests)
        again = pool.submit(_by_determined, backwards if is_asked else {}, home / "reversed")
        yield Runs(theirs, ours, reversed=again)
        pool.shutdown(cancel_futures=True)


def _job(home: Path, name: str, directory: Path, changes: dict[str, Any]) -> tuple[Path, Path]:
    """A trial, and its own config with some changes in a file that both are given."""
    config = yaml.safe_load((directory / "const.yaml").read_text())
    changes = {**changes, "searcher": config["searcher"] | changes.get("searcher", {})}
    path = home / f"{name}.yaml"
    path.write_text(yaml.safe_dump(config | changes))
    return directory, path


def _by_determined(jobs: Jobs, out: Path) -> dict[str, Trained]:
    lines = [[str(part) for part in (*job, out / name)] for name, job in jobs.items()]
    if lines:
        _python(str(DRIVER), json.dumps(lines))
    return {name: Trained.by_determined(out / name) for name in jobs}


def _by_us(jobs: Jobs, out: Path) -> dict[str, Trained]:
    lines = [
        ["run", str(directory), "-c", str(config), "--out", str(out / name)]
        + ["--trace"] * (name in TRACED)
        for name, (directory, config) in jobs.items()
    ]
    _python("-c", COMMAND_LINES, json.dumps(lines))
    return {name: Trained.by_us(out / name) for name in jobs}


def _python(*arguments: object) -> None:
    done = subprocess.run(
        [sys.executable, "-P", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    assert done.returncode == 0, done.stderr


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _weights(out: Path) -> dict[str, Any]:
    """What was trained: as the trial or the driver wrote it, or out of our last checkpoint."""
    for path in (out / "tensorboard" / "weights.npz", out / "weights.npz"):
        if path.exists():
            return dict(np.load(path))
    checkpoint = latest(out / "checkpoints")
    assert checkpoint is not None
    with h5py.File(checkpoint / "determined-keras-model.h5") as file:
        layers = (
            file["model_weights"][name] for name in file["model_weights"].attrs["layer_names"]
        )
        weights = [array for layer in layers for array in _arrays(layer)]
        parts = {"layers": weights, "optimizer-0": _arrays(file["optimizer_weights"])}
    return {f"{part}/{i}": each for part, arrays in parts.items() for i, each in enumerate(arrays)}


def _arrays(group: h5py.Group) -> list[Any]:
    """The arrays of a group in the order that Keras gave them."""
    return [np.asarray(group[name]) for name in group.attrs["weight_names"]]


def _metrics(report: dict[str, float]) -> dict[str, float]:
    """The metrics alone: Determined adds how far the training was, our files say it beside them."""
    return {name: value for name, value in report.items() if name not in ("batches", "epochs")}


def _named(call: Call) -> Call:
    """A call with the names in its logs in place of the logs."""
    return [sorted(part) if isinstance(part, dict) else part for part in call]


def _without_epochs(call: Call) -> Call:
    return [
        {name: value for name, value in part.items() if name != "epochs"}
        if isinstance(part, dict)
        else part
        for part in call
    ]


@pytest.mark.parametrize("name", TRACED)
def test_every_batch_has_the_same_metrics_to_the_last_bit(runs: Runs, name: str) -> None:
    theirs, ours = runs.both(name)

    assert len(theirs.batches) == len(ours.batches) == LENGTHS.get(name, 20)
    for number, (one, other) in enumerate(zip(theirs.batches, ours.batches, strict=True), start=1):
        assert "loss" in other
        assert one == other, f"batch {number}"


@pytest.mark.parametrize("name", RECORDED)
def test_every_batch_holds_the_same_records_in_the_same_order(runs: Runs, name: str) -> None:
    theirs, ours = runs.both(name)

    assert [_records(batch) for batch in ours.batches] == [
        _records(batch) for batch in theirs.batches
    ]


def _records(batch: dict[str, float]) -> tuple[float, ...]:
    return tuple(batch[name] for name in ("first_record", "last_record", "order"))


def test_batches_of_arrays_are_shuffled_anew_in_each_pass(runs: Runs) -> None:
    """What the comparison rests on: the recorded numbers do tell the batches apart."""
    for trained in runs.both("Tuple"):
        firsts = [batch["first_record"] for batch in trained.batches]
        passes = [firsts[:6], firsts[6:12], firsts[12:18]]

        assert all(sorted(each) == [0, 8, 16, 24, 32, 40] for each in passes)
        assert len({tuple(each) for each in [sorted(passes[0]), *passes]}) == 4


def test_batches_of_a_sequence_come_in_its_own_order_without_shuffling(runs: Runs) -> None:
    for trained in runs.both("OrderedSequence"):
        firsts = [batch["first_record"] for batch in trained.batches]

        assert firsts[:12] == [0, 8, 16, 24, 32, 40, 1, 9, 17, 25, 33, 41]


@pytest.mark.parametrize("name", ALL)
def test_workloads_and_validations_are_reported_at_the_same_batches(runs: Runs, name: str) -> None:
    theirs, ours = runs.both(name)

    assert [report[:2] for report in ours.reports] == [report[:2] for report in theirs.reports]
    assert {kind for kind, _, _ in ours.reports} == {"training", "validation"}


@pytest.mark.parametrize("kind", ["training", "validation"])
@pytest.mark.parametrize("name", ALL)
def test_every_report_has_the_same_metrics_to_the_last_bit(
    runs: Runs, name: str, kind: str
) -> None:
    theirs, ours = runs.both(name)
    one, other = ([r for r in each.reports if r[0] == kind] for each in (theirs, ours))

    for theirs_report, our_report in zip(one, other, strict=False):  # their number: see above
        assert our_report == theirs_report


@pytest.mark.parametrize("name", CALLED)
def test_callbacks_are_called_in_the_same_order_with_the_same_numbers(
    runs: Runs, name: str
) -> None:
    """Batches of an epoch, totals, batches requested, and which names the logs have."""
    theirs, ours = runs.both(name)

    assert [_named(call) for call in ours.training] == [_named(call) for call in theirs.training]
    assert {"on_epoch_end", "on_checkpoint_end", "on_test_batch_end"} <= {
        hook for hook, *_ in ours.training
    }


@pytest.mark.parametrize("name", CALLED)
def test_callbacks_get_logs_with_the_same_values(runs: Runs, name: str) -> None:
    """Hook by hook: the order of all calls has a test of its own."""
    theirs, ours = runs.both(name)

    for hook in {hook for hook, *_ in theirs.training}:
        for one, other in zip(theirs.told(hook), ours.told(hook), strict=False):
            assert _without_epochs(other) == _without_epochs(one)


def test_callbacks_are_told_the_same_number_of_epochs_after_a_workload(runs: Runs) -> None:
    one, other = (
        [call[2]["epochs"] for call in trained.told("on_train_workload_end")]
        for trained in runs.both("Tuple")
    )
    assert other == one


def test_callbacks_are_given_the_model_and_the_parameters_as_determined_does(runs: Runs) -> None:
    """First the model; all parameters that Keras' own callbacks look up."""
    theirs, ours = (trained.told("set_model", "set_params") for trained in runs.both("Tuple"))

    assert ours == theirs


def test_callbacks_find_the_metrics_of_what_has_just_ended_in_the_model(runs: Runs) -> None:
    theirs, ours = (trained.told("model.metrics") for trained in runs.both("Tuple"))

    assert ours == theirs


@pytest.mark.parametrize("name", ALL)
def test_the_final_weights_and_optimizers_are_the_same_to_the_last_bit(
    runs: Runs, name: str
) -> None:
    theirs, ours = runs.both(name)

    assert ours.weights == theirs.weights
    assert "layers/0" in ours.weights
    assert "optimizer-0/1" in ours.weights


@pytest.mark.turns(3, "controls")
def test_determined_trains_each_trial_alike_whichever_came_before(runs: Runs) -> None:
    """One process for all trials is as good as a process for each."""
    for name, again in runs.reversed.result().items():
        assert again == runs.theirs[name].result()[name], name
