"""verify: equal trials are proved equal, and a spoiled twin is found out at its first batch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pedl2det.verify.compare import Comparison, _compare_weights, _metric_differences
from pedl2det.verify.twins import copy_trial
from support import EXAMPLES, OLD_EXAMPLES, pedl2det, read_tree, write_tree

pytestmark = pytest.mark.slow


#: Of each example what is trained of it (a pass and a validation at least) and what of
#: that is compared: batches, reports and values by hand from its config.
PROVED = {
    "iris": (1000, "1000 batches and 15 reports (2030 metric values), 9 weight tensors"),
    "digits": (300, "300 batches and 9 reports (927 metric values), 9 weight tensors"),
    "digits_keras_trial": (60, "60 batches and 3 reports (127 metric values), 11 weight tensors"),
    "wine_two_outputs": (120, "120 batches and 4 reports (250 metric values), 19 weight tensors"),
    "cancer_dataset": (120, "120 batches and 4 reports (248 metric values), 13 weight tensors"),
    "digits_script": (60, "60 batches and 2 reports (124 metric values), 13 weight tensors"),
    "iris_download": (60, "60 batches and 2 reports (124 metric values), 9 weight tensors"),
    "early_wine": (60, "60 batches and 2 reports (124 metric values), 9 weight tensors"),
}

#: What the new trial reports beside: a KerasTrial has one list of metrics now.
ALONE = {
    "digits_keras_trial": "validation_error (training)",
    "wine_two_outputs": "val_kind_loss (validation)",
}


def test_the_copy_leaves_out_results_and_keeps_checkpoints_that_are_data(tmp_path: Path) -> None:
    data = {"model_def.py": "x = 1\n", "pretrained/checkpoints/w.pb": "weights"}
    results = {"runs/trial/metrics.jsonl": "", "runs/trial/checkpoints/1/metadata.json": "{}"}
    trial = write_tree(tmp_path / "trial", {**data, **results})

    copy_trial(trial, tmp_path / "copy")

    assert read_tree(tmp_path / "copy") == {name: text.encode() for name, text in data.items()}


def test_every_old_example_is_proved() -> None:
    assert PROVED.keys() == set(OLD_EXAMPLES)


@pytest.mark.parametrize("name", PROVED)
def test_an_example_is_proved_equal(
    name: str, example: Callable[[str], Path], tmp_path: Path
) -> None:
    directory = example(name)
    before = read_tree(directory)
    batches, compared = PROVED[name]

    done = pedl2det("verify", directory, "--batches", batches)

    assert done.returncode == 0, done.stdout + done.stderr
    assert f"compared {compared} (" in done.stdout
    assert "equal: the largest difference is 0\n" in done.stdout
    said = [line for line in done.stdout.splitlines() if "by the new trial alone" in line]
    assert ALONE.get(name, "") in "".join(said)
    assert bool(said) is (name in ALONE)
    assert read_tree(directory) == before


def test_a_twin_that_is_there_is_proved_equal() -> None:
    """It is what migrate makes: test_migrate.py compares the texts."""
    twin = EXAMPLES / "iris_migrated"
    done = pedl2det("verify", EXAMPLES / "iris", "--against", twin, "--batches", 5, fresh=True)

    assert done.returncode == 0, done.stdout + done.stderr


def spoil(twin: Path, file: str, old: str, new: str) -> None:
    path = twin / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_another_learning_rate_is_found_out(example: Callable[[str], Path]) -> None:
    twin = example("iris_migrated")
    spoil(twin, "const.yaml", "learning_rate: 1.0e-3", "learning_rate: 2.0e-3")

    done = pedl2det("verify", EXAMPLES / "iris", "--against", twin, "--batches", 20)

    # The first batch is computed with the initial weights, which are equal.
    assert done.returncode == 1
    assert "first at batch 2: loss is " in done.stdout
    assert "(19 of 20 batches differ)" in done.stdout


def test_a_second_shuffle_is_found_out(example: Callable[[str], Path]) -> None:
    twin = example("digits_migrated")
    spoil(
        twin,
        "data.py",
        "    np.random.shuffle(indices)\n",
        "    np.random.shuffle(indices)\n    np.random.shuffle(indices)\n",
    )

    done = pedl2det("verify", EXAMPLES / "digits", "--against", twin, "--batches", 5)

    assert done.returncode == 1
    assert "first at batch 1: loss is " in done.stdout


def test_a_dropped_shuffle_false_is_found_out(example: Callable[[str], Path]) -> None:
    twin = example("iris_migrated")
    spoil(twin, "model_def.py", "        self.context.configure_fit(shuffle=False)\n", "")

    done = pedl2det("verify", EXAMPLES / "iris", "--against", twin, "--batches", 5)

    # RandomState(17), the trial's seed, shuffles the four batches to 0 2 1 3.
    assert done.returncode == 1
    assert "first at batch 2: loss is " in done.stdout


def test_a_trial_without_old_api_is_compared_with_itself() -> None:
    done = pedl2det("verify", EXAMPLES / "iris_migrated", "--batches", 3)

    assert done.returncode == 0
    assert "uses no old API: it is trained twice, as it is" in done.stdout


def test_the_report_shows_the_verdict_and_a_curve_a_metric(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    report = tmp_path / "report.html"
    done = pedl2det("verify", EXAMPLES / "iris", "--batches", 3, "--report", report)

    assert done.returncode == 0
    page = report.read_text()
    assert 'iris: <span class="equal">equal</span>' in page
    assert "<svg" in page


def test_a_trial_that_cannot_be_migrated_is_not_compared(example: Callable[[str], Path]) -> None:
    directory = example("iris")
    (directory / "nets.py").write_text("import pedl\nprint(pedl.get_hyperparameter('u'))\n")

    done = pedl2det("verify", directory)

    assert done.returncode == 1
    assert "nets.py:2: left for you" in done.stderr
    assert "compared" not in done.stdout


def test_a_trial_that_does_not_train_says_why(example: Callable[[str], Path]) -> None:
    directory = example("iris")
    spoil(directory, "data.py", '"batch_size"', '"missing"')

    done = pedl2det("verify", directory, "--against", EXAMPLES / "iris_migrated")

    assert done.returncode == 2
    assert "the old trial does not train" in done.stderr
    assert "no hyperparameter 'missing': the config has batch_size, " in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing",), "missing: no such directory"),
        ((EXAMPLES / "iris", "--against", "missing"), "missing: no such directory"),
        ((EXAMPLES / "iris", "-c", "missing.yaml"), "missing.yaml: no such file"),
        ((EXAMPLES / "iris", "--report", "x.pdf"), "expected a file name ending in .html"),
    ],
)
def test_wrong_use_is_one_clear_line(arguments: tuple[object, ...], message: str) -> None:
    done = pedl2det("verify", *arguments)

    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_nan_equals_nan_and_nothing_else() -> None:
    nan, result = float("nan"), Comparison()

    assert not list(_metric_differences(result, {"loss": nan}, {"loss": nan}))
    assert list(_metric_differences(result, {"loss": nan}, {"loss": 1.0}))
    assert list(_metric_differences(result, {"loss": 1.0}, {"acc": 1.0}))


def test_weights_are_compared_by_their_bits() -> None:
    result = Comparison()
    one = {"w": np.array([1.0, 0.0], np.float32)}
    _compare_weights(result, one, {"w": np.array([1.0, -0.0], np.float32)})
    assert result.differences == ["weight w differs by up to 0"]

    result = Comparison()
    _compare_weights(result, one, {"v": one["w"]})
    assert result.differences == [
        "weight w is in the old model alone",
        "weight v is in the new model alone",
    ]


def test_nothing_compared_is_not_equal() -> None:
    assert not Comparison().is_equal


def test_what_a_trial_writes_into_its_directory_does_not_reach_the_original(
    example: Callable[[str], Path],
) -> None:
    directory = example("iris")
    (directory / "cache.npy").write_bytes(b"PRECIOUS")
    spoil(
        directory,
        "data.py",
        "    train_features, train_labels",
        "    open(os.path.join(here, 'cache.npy'), 'wb').write(b'overwritten')\n"
        "    train_features, train_labels",
    )

    done = pedl2det("verify", directory, "--batches", 3)

    assert done.returncode == 0, done.stdout + done.stderr
    assert (directory / "cache.npy").read_bytes() == b"PRECIOUS"
