"""verify: equal trials are proved equal, and a spoiled twin is found out at its first batch."""

from __future__ import annotations

import json
import re
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from pedl2det.commands.verify import _stop
from support import EXAMPLES, OLD_EXAMPLES, pedl2det, read_tree

pytestmark = pytest.mark.slow


#: Of each example what is trained of it (a pass and a validation at least) and what of
#: that is compared: batches, reports and values by hand from its config.
PROVED = {
    "iris": (1000, "1,000 batches and 15 reports (2,030 metric values), 9 weight tensors"),
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

CALLBACKS_IMPORT = "import pedl\nfrom tensorflow.keras.callbacks import ReduceLROnPlateau\n"
PLATEAU = 'ReduceLROnPlateau(monitor="val_loss", patience=1, min_delta=100)'


def test_every_old_example_is_proved() -> None:
    assert PROVED.keys() == set(OLD_EXAMPLES)


@pytest.mark.turns(4)
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
    assert done.stdout.startswith("equal for ")
    said = [line for line in done.stdout.splitlines() if "only the new trial reports" in line]
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
    verdict, first, *_ = done.stdout.splitlines()
    assert verdict.startswith("different from batch 1 on: the largest difference is ")
    assert first == (
        "  first at batch 1: learning rate is 0.001 in the old trial, 0.002 in the new one "
        "(20 of 20 batches differ)"
    )
    assert "first at batch 2: loss is " in done.stdout
    assert "(19 of 20 batches differ)" in done.stdout


def test_a_callback_that_acts_now_is_named_before_and_after_it_acts(
    example: Callable[[str], Path],
) -> None:
    """PEDL gave callbacks no metric of the validation, so this one never acted there."""
    directory = example("iris")
    callbacks = directory / "model_def.py"
    text = callbacks.read_text().replace("import pedl\n", CALLBACKS_IMPORT)
    text = text[: text.index("        return [TFKerasTensorBoard")]
    callbacks.write_text(f"{text}        return [{PLATEAU}]\n")
    line = len(callbacks.read_text().splitlines())
    spoil(directory, "const.yaml", "max_steps: 10 ", "max_steps: 8\nbatches_per_step: 5 ")
    spoil(directory, "const.yaml", "min_validation_period: 2", "min_validation_period: 1")
    spoil(directory, "const.yaml", "learning_rate_decay: 1e-6", "learning_rate_decay: 0.0")

    short = pedl2det("verify", directory, "--batches", 8)
    usual = pedl2det("verify", directory)

    assert short.returncode == 0, short.stderr
    assert short.stdout.splitlines()[0] == (
        f"equal for 8 of 40 batches; 1 known difference did not show so far: model_def.py:{line}"
    )
    # The second validation, at batch 10, does not improve by more than 100.
    assert usual.returncode == 1, usual.stdout + usual.stderr
    verdict, first, *_ = usual.stdout.splitlines()
    assert verdict.startswith("different from batch 11 on: ")
    assert first == (
        "  first at batch 11: learning rate is 0.001 in the old trial, 0.0001 in the new one "
        "(30 of 40 batches differ)"
    )
    (known,) = [line for line in usual.stdout.splitlines() if line.startswith("known difference: ")]
    assert f"model_def.py:{line}: ReduceLROnPlateau acts after each" in known


def test_a_twin_whose_config_trains_longer_is_not_equal(example: Callable[[str], Path]) -> None:
    twin = example("iris_migrated")
    spoil(twin, "const.yaml", "batches: 1000", "batches: 2000")

    done = pedl2det("verify", EXAMPLES / "iris", "--against", twin, "--batches", 3)

    assert done.returncode == 1
    verdict, *_ = done.stdout.splitlines()
    assert verdict == "different: the old config trains 1,000 batches, the new one 2,000"
    assert "known difference: " not in done.stdout
    assert "\ntrained 3 batches; the old config asks for 1,000, the new one for 2,000\n" in (
        done.stdout
    )


def test_stopped_it_says_that_nothing_was_proved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # this process heeds them further on

    with pytest.raises(SystemExit):
        _stop(signal.SIGINT, None)

    assert capsys.readouterr().err == "pedl2det: stopped by SIGINT: nothing was proved\n"


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
    spoil(twin, "model_def.py", "        context.configure_fit(shuffle=False)\n", "")

    done = pedl2det("verify", EXAMPLES / "iris", "--against", twin, "--batches", 5)

    # RandomState(17), the trial's seed, shuffles the four batches to 0 2 1 3.
    assert done.returncode == 1
    assert "first at batch 2: loss is " in done.stdout


def test_a_trial_without_old_api_is_compared_with_itself() -> None:
    done = pedl2det("verify", EXAMPLES / "iris_migrated", "--batches", 3)

    assert done.returncode == 0
    assert "uses no old API: it is trained twice, unchanged" in done.stdout


def test_the_report_of_equal_trials_holds_what_is_signed(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    done = pedl2det("verify", EXAMPLES / "iris", "--batches", 3, "--report", report)

    assert done.returncode == 0
    page = report.read_text()
    assert 'iris: <span class="equal">equal</span>' in page
    verdict = (
        "equal for 3 of 1,000 batches; no epoch ended, because it has 4 batches: train more than "
        "one with --batches 5"
    )
    assert done.stdout.splitlines()[0] == verdict
    assert f"<p>{verdict}</p>" in page
    for fact in ("Date", "Commit", "Config", "Seed", "Versions", "Duration"):
        assert f"<td>{fact}</td>" in page
    assert "tensorflow 2." in page
    metrics = ("loss", "categorical_accuracy", "learning rate", "val_loss")
    metrics = (*metrics, "val_categorical_accuracy")
    assert page.count("<svg") == len(metrics)
    assert all(f'aria-label="{name}"' in page for name in metrics)
    assert page.count("new - old, at most 0<") == len(metrics)
    assert "<summary><code>model_def.py</code>" in page or "model_def.py</code></summary>" in page


def test_the_report_of_different_trials_begins_with_the_difference(
    example: Callable[[str], Path], tmp_path: Path
) -> None:
    twin, report = example("iris_migrated"), tmp_path / "report.html"
    spoil(twin, "model_def.py", "learning_rate=", "learning_rate=2 * ")
    done = pedl2det(
        *("verify", EXAMPLES / "iris", "--against", twin, "--batches", 3, "--report", report)
    )

    assert done.returncode == 1
    page = report.read_text()
    first, table = page.index("First at batch 1"), page.index("first at batch 1: learning rate is ")
    assert first < table < page.index("<h2>Curves")


def test_a_trial_that_cannot_be_migrated_is_not_compared(example: Callable[[str], Path]) -> None:
    directory = example("iris")
    spoil(directory, "data.py", "NUM_CLASSES = 3\n", "NUM_CLASSES = len(vars(pedl)) and 3\n")

    done = pedl2det("verify", directory)

    assert done.returncode == 1
    assert f"{directory}/data.py:14:" in done.stderr
    assert "migrate left 1 place" in done.stderr.splitlines()[-1]
    assert "compared" not in done.stdout


def test_an_old_trial_that_does_not_train_says_why(example: Callable[[str], Path]) -> None:
    directory = example("iris")
    spoil(directory, "data.py", '"batch_size"', '"missing"')

    done = pedl2det("verify", directory, "--against", EXAMPLES / "iris_migrated")

    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"pedl2det: the old trial does not train: {directory}/data.py:34: ")
    assert "no hyperparameter 'missing': the config has batch_size, " in line


def test_the_traceback_of_an_old_trial_has_its_own_paths(example: Callable[[str], Path]) -> None:
    """An error that has no line of the trial: the labels do not fit the model."""
    directory = example("iris")
    spoil(directory, "data.py", "NUM_CLASSES = 3", "NUM_CLASSES = 5")
    twin = EXAMPLES / "iris_migrated"

    done = pedl2det("verify", directory, "--against", twin, "--batches", 3, "--traceback")

    assert done.returncode == 2
    *stack, line = done.stderr.splitlines()
    assert "Traceback (most recent call last):" in stack
    assert f"This error concerns code that is defined at {directory}/model_def.py:16" in stack
    assert "pedl2det-verify-" not in done.stderr
    assert line.startswith(
        f"pedl2det: the old trial does not train: {directory}/model_def.py:16: train IrisTrial: "
        "InvalidArgumentError: logits and labels must be broadcastable: "
    )
    assert [text for text in stack if text.startswith("pedl2det")] == []


def test_a_new_trial_that_does_not_train_says_why(example: Callable[[str], Path]) -> None:
    twin = example("iris_migrated")
    spoil(twin, "data.py", "test = (np.", "test = (missing.")

    done = pedl2det("verify", EXAMPLES / "iris", "--against", twin, "--batches", 3, "--traceback")

    assert done.returncode == 1
    assert f'File "{twin}/data.py", line 30, in make_data_loaders' in done.stderr
    line = done.stderr.splitlines()[-1]
    assert line.startswith(f"pedl2det: the new trial does not train: {twin}/data.py:30: ")
    assert line.endswith("NameError: name 'missing' is not defined")


def test_a_trial_that_does_not_repeat_itself_is_no_wrong_rewrite(
    example: Callable[[str], Path],
) -> None:
    old, twin = example("iris"), example("iris_migrated")
    for trial in (old, twin):
        spoil(
            trial,
            "data.py",
            "    train_features, train_labels = load_csv",
            "    import numpy\n    noise = numpy.random.default_rng().normal(size=4)\n"
            "    train_features, train_labels = load_csv",
        )
        spoil(trial, "data.py", "    train = ", "    train_features += noise\n    train = ")

    done = pedl2det("verify", old, "--against", twin, "--batches", 3)

    assert done.returncode == 1
    message = "not repeatable: trained again unchanged, the old trial differs from batch 1 on\n"
    assert message in done.stdout


def test_names_may_not_repeat_themselves_either(example: Callable[[str], Path]) -> None:
    old, twin = example("iris"), example("iris_migrated")
    for trial in (old, twin):
        spoil(
            trial,
            "model_def.py",
            "Dense(3, ",
            "Dense(3, name='at_%d' % __import__('time').time_ns(), ",
        )

    done = pedl2det("verify", old, "--against", twin, "--batches", 3)

    assert done.returncode == 1
    assert "not repeatable: trained again unchanged, the old trial differs" in done.stdout


def test_data_beside_the_trial_and_behind_links_are_copied(
    example: Callable[[str], Path], tmp_path: Path
) -> None:
    old, twin = example("iris"), example("iris_migrated")
    (old / "data" / "iris_test.csv").rename(tmp_path / "test.csv")
    (old / "data").rename(tmp_path / "data")
    (tmp_path / "data" / "iris_test.csv").symlink_to(tmp_path / "test.csv")
    for trial in (old, twin):
        spoil(trial, "const.yaml", ": data/", ": ../data/")
        spoil(
            trial,
            "data.py",
            "    return train, test\n",
            "    for name in ('iris_training.csv', 'iris_test.csv'):\n"
            "        with open(os.path.join('..', 'data', name), 'a') as file:\n"
            "            file.write('spoiled')\n"
            "    return train, test\n",
        )
    before = read_tree(tmp_path)

    done = pedl2det("verify", old, "--against", twin, "--batches", 3)

    assert done.returncode == 0, done.stdout + done.stderr
    assert read_tree(tmp_path) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing",), "missing: no such directory"),
        ((EXAMPLES / "iris", "--against", "missing"), "missing: no such directory"),
        ((EXAMPLES / "iris", "-c", "missing.yaml"), "missing.yaml: no such file"),
        ((EXAMPLES / "iris", "--report", "x.pdf"), "expected a name ending in .html, .json"),
    ],
)
def test_wrong_use_is_one_clear_line(arguments: tuple[object, ...], message: str) -> None:
    done = pedl2det("verify", *arguments)

    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


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


def test_migrate_writes_only_what_is_proved(example: Callable[[str], Path], tmp_path: Path) -> None:
    """Two trials, of which one draws another noise whenever it is trained."""
    proved = example("iris")
    other = Path(shutil.copytree(proved, tmp_path / "noisy"))
    spoil(
        other,
        "data.py",
        "    train_features, train_labels = load_csv",
        "    import numpy\n    noise = numpy.random.default_rng().normal(size=4)\n"
        "    train_features, train_labels = load_csv",
    )
    spoil(other, "data.py", "    train = ", "    train_features += noise\n    train = ")
    before = read_tree(other)

    report = tmp_path / "r.json"
    done = pedl2det("migrate", tmp_path, "--verify", "--report", report)

    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[0] == f"[1/2] {proved}: training it as it is and migrated"
    assert re.fullmatch(rf"\[1/2\] {proved}: equal.* \(\d+ s\)", lines[1])
    assert lines[2] == "    by another seed, resumed: equal for all 1,000 batches"
    assert lines[3] == f"[2/2] {other}: training it as it is and migrated"
    good, bad = (one["proof"] for one in json.loads(report.read_text())["trials"])
    assert (good["outcome"], bad["outcome"]) == ("equal", "not repeatable")
    assert good["configs"] == [str(proved / "const.yaml")]
    assert good["seed"] is not None and "tensorflow 2." in good["versions"]
    assert (good["batches"], good["total_batches"]) == (1000, 1000)
    assert "not written: not repeatable: trained again unchanged, the old trial" in done.stderr
    assert read_tree(other) == before
    assert "max_length" in (proved / "const.yaml").read_text()
    assert "1 of 2 trials rewritten" in done.stderr


def test_a_proof_is_written_as_json(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    report = tmp_path / "proof.json"

    done = pedl2det("verify", tmp_path / "empty", "--report", report)

    assert done.returncode == 2
    proof = json.loads(report.read_text())["proof"]
    assert (proof["outcome"], proof["batches"]) == ("not verified", 0)
    assert proof["message"] in done.stderr
