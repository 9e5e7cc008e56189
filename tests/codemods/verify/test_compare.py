"""Runs are compared by their bits; a difference says at which batch and of which kind it is."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np

from pedl2det.analysis.metric_names import MetricNames
from pedl2det.verify.compare import (
    Comparison,
    Difference,
    as_wrapped,
    compare_runs,
    compare_tensors,
    counted_from_zero,
    metric_differences,
    without_unused_optimizers,
)

NAN = float("nan")


def texts(differences: object) -> list[str]:
    return [one.text for one in differences]  # type: ignore[attr-defined]


def test_nan_equals_nan_and_nothing_else() -> None:
    assert not list(metric_differences({"loss": NAN}, {"loss": NAN}))
    assert list(metric_differences({"loss": NAN}, {"loss": 1.0}))


def test_a_metric_of_one_trial_alone_is_a_difference_of_structure() -> None:
    found = list(metric_differences({"loss": 1.0}, {"acc": 1.0}, 3))

    assert texts(found) == ["only the old trial reports loss", "only the new trial reports acc"]
    assert all(one.is_structural and one.batch == 3 for one in found)


def test_layers_that_standalone_keras_counted_from_one_have_the_names_of_today() -> None:
    old = ["model_weights/dense_1/dense_1/kernel:0", "model_weights/dense_2/dense_2/kernel:0"]
    new = ["model_weights/dense/dense/kernel:0", "model_weights/dense_1/dense_1/kernel:0"]
    own = ["model_weights/block_1/block_1/kernel:0"]  # a name that the trial gave

    assert counted_from_zero(old + own, new + own) == dict(zip(old, new, strict=True))
    assert counted_from_zero(old, old) == counted_from_zero(old, new[:1]) == {}
    metrics = ["loss", "dense_1_loss", "dense_2_loss"], ["loss", "dense_loss", "dense_1_loss"]
    assert counted_from_zero(*metrics)["dense_2_loss"] == "dense_1_loss"


def test_slots_of_an_optimizer_of_tensorflow_1_are_those_of_the_one_that_is_wrapped() -> None:
    slot = "layer/kernel/.OPTIMIZER_SLOT/{}/momentum/.ATTRIBUTES/VARIABLE_VALUE"

    assert as_wrapped(slot.format("optimizer/optimizer")) == slot.format("wrapped_optimizer_0")
    assert as_wrapped("layer/kernel") == "layer/kernel"


def test_an_optimizer_without_a_step_has_no_state_to_compare() -> None:
    end = ".ATTRIBUTES/VARIABLE_VALUE"
    weights = {
        f"w/{end}": np.zeros(2),
        f"optimizer/_iterations/{end}": np.array(0),
        f"optimizer/_learning_rate/{end}": np.array(0.1),
        f"w/.OPTIMIZER_SLOT/optimizer/m/{end}": np.zeros(2),
        f"g_opt/iter/{end}": np.array(3),
        f"g_opt/decay/{end}": np.array(0.0),
    }

    kept = without_unused_optimizers(weights)

    assert sorted(kept) == [f"g_opt/decay/{end}", f"g_opt/iter/{end}", f"w/{end}"]


def test_weights_are_compared_by_their_bits() -> None:
    one = {"w": np.array([1.0, 0.0], np.float32)}

    def compared(other: object) -> Difference | None:
        return next(compare_tensors(one, {"w": np.array(other, np.float32), "v": one["w"]}), None)

    assert compared([1.0, 0.0]) is None
    assert compared([1.0, -0.0]) == Difference("weight w differs by up to 0")
    shape = compared([0.0] * 3)
    assert shape is not None and shape.is_structural
    assert not [*compare_tensors(one, {"v": one["w"]})]


def test_nothing_compared_is_not_equal() -> None:
    assert not Comparison().is_equal
    assert Comparison(batches=1, weights=1).is_equal


def test_the_first_batch_is_the_earliest_of_all_differences() -> None:
    found = Comparison(differences=(Difference("w"), Difference("b", 7), Difference("a", 3)))

    assert found.first_batch == 3
    assert found.only_numbers_differ
    assert Comparison(differences=(Difference("w"),)).first_batch is None


def test_the_largest_difference_is_nan_if_any_is() -> None:
    two = (Difference("a", gap=2.0), Difference("b", gap=1.0))

    assert Comparison(differences=two).largest == 2.0
    assert math.isnan(Comparison(differences=(*two, Difference("c", gap=NAN))).largest)


def runs(directory: Path, old: dict[str, float], new: dict[str, float]) -> tuple[Path, Path]:
    """Two runs of one batch and one validation, without checkpoints."""
    for name, metrics in (("old", old), ("new", new)):
        run = directory / name
        run.mkdir()
        (run / "batches.jsonl").write_text(json.dumps({"batch": 1, "metrics": {"loss": 1.0}}))
        report = {"kind": "validation", "batches": 1, "epochs": 0.25, "metrics": metrics}
        (run / "metrics.jsonl").write_text(json.dumps(report))
    return directory / "old", directory / "new"


def test_a_metric_is_compared_with_what_it_is_called_now(tmp_path: Path) -> None:
    names = MetricNames()
    new = {"val_error": 3.0, "val_mae": 1.0, "val_more": 1.0}

    result = compare_runs(*runs(tmp_path, {"error": 2.0, "mae": 1.0}, new), names)

    assert texts(result.differences) == [
        "validation report at batch 1: val_error is 2.0 in the old trial, 3.0 in the new one",
        "a run wrote no checkpoint",
    ]
    assert result.more == ("val_more (validation)",)
    assert (result.batches, result.reports, result.values, result.epoch) == (1, 1, 3, 4)


def test_a_metric_of_the_old_trial_that_is_missing_is_a_difference(tmp_path: Path) -> None:
    names = MetricNames()

    result = compare_runs(*runs(tmp_path, {"error": 2.0}, {"val_eror": 2.0}), names)

    assert texts(result.differences)[0].endswith("only the old trial reports val_error")
    assert not result.only_numbers_differ


def test_without_names_a_new_metric_is_a_difference(tmp_path: Path) -> None:
    result = compare_runs(*runs(tmp_path, {"error": 2.0}, {"error": 2.0, "more": 1.0}))

    assert texts(result.differences)[0].endswith("only the new trial reports more")


def traced(directory: Path, name: str, *rates: dict[str, float]) -> Path:
    """A run whose batches have these learning rates and a loss of 1."""
    run = directory / name
    run.mkdir()
    lines = [
        {"batch": number, "metrics": {"loss": 1.0}, "learning_rates": one}
        for number, one in enumerate(rates, 1)
    ]
    (run / "batches.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (run / "metrics.jsonl").write_text("")
    return run


def test_a_learning_rate_names_itself_as_the_first_difference(tmp_path: Path) -> None:
    old = traced(tmp_path, "old", *[{"optimizer": 0.001}] * 4)
    new = traced(tmp_path, "new", *[{"optimizer": 0.001}] * 2, *[{"optimizer": 0.0001}] * 2)
    text = (new / "batches.jsonl").read_text().splitlines()
    text[3] = text[3].replace('"loss": 1.0', '"loss": 2.0')
    (new / "batches.jsonl").write_text("\n".join(text))

    first, second, _ = compare_runs(old, new).differences

    assert first.text == (
        "first at batch 3: learning rate is 0.001 in the old trial, 0.0001 in the new one "
        "(2 of 4 batches differ)"
    )
    assert (first.batch, second.batch) == (3, 4)


def test_rates_of_several_optimizers_are_compared_by_name(tmp_path: Path) -> None:
    old = traced(tmp_path, "old", {"optimizer": 0.1, "optimizer_1": 0.2})
    new = traced(tmp_path, "new", {"optimizer": 0.1, "optimizer_1": 0.4})

    assert texts(compare_runs(old, new).differences)[0] == (
        "first at batch 1: learning rate of optimizer_1 is 0.2 in the old trial, "
        "0.4 in the new one (1 of 1 batches differ)"
    )


def test_last_bits_of_a_rate_and_unread_rates_are_no_difference(tmp_path: Path) -> None:
    old = traced(tmp_path, "old", {"optimizer": 0.1}, {"optimizer": 0.1})
    new = traced(tmp_path, "new", {"optimizer": 0.1 * (1 + 1e-7)}, {})

    assert texts(compare_runs(old, new).differences) == ["a run wrote no checkpoint"]
