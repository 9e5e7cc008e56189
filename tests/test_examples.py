"""The examples train as they are, whichever API they were written for, and learn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support import EXAMPLES, LEGACY, pedl2det
from test_run import assert_goes_on, reports, trained, weights
from trained_examples import trained_example

pytestmark = pytest.mark.slow

#: The last value of a metric on the example's real data must be within these bounds.
LEARNED = {
    "iris": ("val_categorical_accuracy", 0.95, 1.0),
    "digits": ("val_accuracy", 0.9, 1.0),
    "digits_keras_trial": ("validation_error", 0.0, 0.2),
    "wine_two_outputs": ("kind_accuracy", 0.9, 1.0),
    "cancer_dataset": ("val_accuracy", 0.95, 1.0),
    "digits_script": ("val_accuracy", 0.85, 1.0),
    "iris_download": ("val_accuracy", 0.95, 1.0),
    "early_wine": ("val_accuracy", 0.95, 1.0),
    "wine": ("val_accuracy", 0.9, 1.0),
    "cancer_tf_data": ("val_auc", 0.98, 1.0),
    "digits_gan": ("val_difference", 0.0, 0.05),
}
CONTEXT_BASED = ("wine", "cancer_tf_data", "digits_gan")


def assert_learned(name: str, out: Path) -> None:
    metric, low, high = LEARNED[name]
    last = reports(out)[-1]
    assert last["kind"] == "validation"
    assert low <= last["metrics"][metric] <= high


@pytest.mark.turns(3)
@pytest.mark.versions
@pytest.mark.parametrize("name", [name for name in LEARNED if name not in LEGACY])
def test_an_example_learns(name: str) -> None:
    assert_learned(name, trained_example(name))


@pytest.mark.turns(2)
@pytest.mark.parametrize("name", LEGACY)
def test_an_example_learns_by_many_batches_an_execution_as_by_single_ones(
    name: str, tmp_path: Path
) -> None:
    """--trace stops at every batch; the weights and reports are those of whole chunks."""
    chunks = trained_example(name)
    trained(EXAMPLES / name, tmp_path, "--trace")

    assert_learned(name, chunks)
    assert weights(chunks) == weights(tmp_path)
    assert reports(chunks) == reports(tmp_path)
    batches = (tmp_path / "batches.jsonl").read_text().splitlines()
    assert [json.loads(line)["batch"] for line in batches] == [*range(1, len(batches) + 1)]


@pytest.mark.kills
@pytest.mark.turns(8, "kills")
@pytest.mark.parametrize(("name", "lines"), [("wine", 9), ("cancer_tf_data", 8), ("digits_gan", 4)])
def test_a_killed_example_goes_on_to_the_same_weights(
    name: str, lines: int, tmp_path: Path
) -> None:
    more = () if name == "digits_gan" else ("--set", "min_checkpoint_period.batches=40")
    assert_goes_on(EXAMPLES / name, tmp_path, lines, *more, whole=trained_example(name, *more))


def test_a_context_based_example_has_nothing_to_migrate() -> None:
    done = pedl2det("migrate", "--check", *(EXAMPLES / name for name in CONTEXT_BASED))

    assert done.returncode == 0, done.stdout + done.stderr
