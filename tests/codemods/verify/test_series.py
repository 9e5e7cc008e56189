"""Migrations that are verified one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from pedl2det.engine.migration import Lines, Outcome, Proof, Result, Status
from pedl2det.verify import series
from pedl2det.verify.verdict import Conclusion, Verdict


def test_a_trial_that_is_verified_once_more_keeps_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def verify(directory: Path, *_: object, **__: object) -> Verdict:
        return Verdict(directory, Conclusion.EQUAL, "equal")

    monkeypatch.setattr(series, "verify_trial", verify)
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    prover = series.Series(2, said.append)
    trials = [Outcome(Path(name), Status.REWRITTEN, True, 1, 0) for name in ("a", "b")]

    for name in ("a", "a", "b"):
        prover.by_configs(Path(name), Result(outcomes=trials))

    assert [line for line in said if "training" in line] == [
        "[1/2] a: training it as it is and migrated",
        "[1/2] a: training it as it is and rewritten again",
        "[2/2] b: training it as it is and migrated",
    ]


CONFIG = """\
hyperparameters: {batch_size: 8, rate: 0.1, kind: dense}
searcher: {name: single, metric: val_loss, max_steps: 2}
"""


SEARCH = """\
hyperparameters:
  batch_size: {type: categorical, vals: [4, 8]}
  kind: {type: categorical, vals: [dense, gru, lstm]}
  net: {norm: {type: categorical, vals: [true, false]}}
searcher: {name: random, metric: val_loss, max_trials: 3, max_steps: 2}
reproducibility: {experiment_seed: 1}
"""


def configs(directory: Path) -> list[Path]:
    """Some configs of one trial; the last two train what others train, too."""
    texts = {
        "wide.yaml": CONFIG.replace("dense", "wide"),
        "search.yaml": CONFIG.replace("single", "random, max_trials: 3").replace(
            "kind: dense", "kind: {type: const, val: deep}"
        ),
        "const.yaml": CONFIG,
        "long.yaml": CONFIG.replace("max_steps: 2", "max_steps: 5"),
        "fast.yaml": CONFIG.replace("0.1", "0.5"),
    }
    for name, text in texts.items():
        (directory / name).write_text(text)
    return [directory / name for name in texts]


RESUMED = "by another seed, resumed"


def proved_by(
    directory: Path,
    conclusions: dict[str, Conclusion],
    monkeypatch: pytest.MonkeyPatch,
    unrun: Mapping[str, Lines] = MappingProxyType({}),
    pace: float = 0.0,
    found: tuple[Path, ...] | None = None,
    seconds: float = 120.0,
    notes: Mapping[str, str] = MappingProxyType({}),
) -> tuple[list[tuple[str, int | None]], Proof]:
    """The configs and the batches that are trained, and the proof, if that is what they show."""
    trained = []

    def verify(
        directory: Path,
        config: Path,
        batches: int | None = None,
        overrides: tuple[str, ...] = (),
        is_resumed: bool = False,
        **_: object,
    ) -> Verdict:
        name = RESUMED if is_resumed else config.name
        if not is_resumed:
            trained.append((" ".join((config.name, *overrides)), batches))
        conclusion = conclusions.get(name, Conclusion.EQUAL)
        message = f"{conclusion} for 9 batches; 1 known difference{notes.get(name, '')}"
        verdict = Verdict(directory, conclusion, message, configs=(config,), pace=pace)
        return replace(verdict, unrun=unrun.get(name, {}))

    monkeypatch.setattr(series, "verify_trial", verify)
    prover = series.Series(1, lambda line: None, seconds=seconds)
    if found is None:
        found = tuple(sorted(directory.glob("*.yaml"))) or tuple(configs(directory))
    outcome = Outcome(directory, Status.REWRITTEN, True, 1, 0, configs=found)
    return trained, prover.by_configs(directory, Result(outcomes=[outcome]))


def test_a_trial_is_proved_by_its_configs_single_trainings_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained, proof = proved_by(tmp_path, {}, monkeypatch)

    names = ["const.yaml", "fast.yaml", "long.yaml", "wide.yaml", "search.yaml"]
    assert trained == [("const.yaml", None), *((name, 50) for name in names[1:])]
    assert proof.is_equal
    by_others = "fast.yaml, long.yaml, wide.yaml and 1 more"
    first = "equal for 9 batches; 1 known difference"
    first += f"; {RESUMED}: equal for 9 batches"
    assert proof.message == f"{first}; by {by_others}: equal for 9 batches"
    assert [config.name for config in proof.configs] == names


def test_a_trial_that_differs_only_when_it_is_resumed_is_refuted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained, proof = proved_by(tmp_path, {RESUMED: Conclusion.DIFFERENT}, monkeypatch)

    assert trained == [("const.yaml", None)]
    assert proof.refutes
    assert proof.message == f"{RESUMED}: different for 9 batches; 1 known difference"


def test_other_configs_train_as_many_batches_as_fit_in_twenty_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained, _ = proved_by(tmp_path, {}, monkeypatch, pace=30.5)

    assert [batches for _, batches in trained] == [None, 610, 610, 610, 610]


def test_values_of_searches_are_trained_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "search.yaml").write_text(SEARCH)
    (tmp_path / "wide.yaml").write_text(CONFIG.replace("kind: dense", "kind: gru"))

    trained, proof = proved_by(tmp_path, {}, monkeypatch)

    names = [name for name, _ in trained]
    assert names[:2] == ["wide.yaml", "search.yaml"]
    assert len(names) > 4 and len({*names}) == len(names)
    assert (
        'by search.yaml, search.yaml with batch_size=4, kind="dense", net.norm=true, '
        in proof.message
    )
    assert f" and {len(names) - 4} more: equal " in proof.message
    assert "not trained" not in proof.message
    assert [config.name for config in proof.configs] == ["wide.yaml", "search.yaml"]


def test_a_search_in_the_code_of_a_script_is_proved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "const.yaml"
    config.write_text(SEARCH)
    monkeypatch.setattr(series, "chosen_config", lambda home, any_will_do: config)

    trained, _ = proved_by(tmp_path, {}, monkeypatch, found=())

    assert len({name for name, _ in trained}) == 12  # of 2 sizes, 3 kinds, with a norm or without


@pytest.mark.parametrize(("seconds", "number"), [(0.0, 16), (120.0, 18)])
def test_sixteen_trainings_prove_a_trial_and_more_that_fit_in_the_time(
    seconds: float, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for net in range(10, 28):
        (tmp_path / f"{net}.yaml").write_text(CONFIG.replace("kind: dense", f"kind: net{net}"))

    trained, proof = proved_by(tmp_path, {}, monkeypatch, seconds=seconds)

    assert len(trained) == number
    assert proof.message.endswith("; not trained by 26.yaml, 27.yaml") == (number == 16)


def test_what_no_training_has_executed_is_what_none_of_them_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = Path("model_def.py")
    left = {"const.yaml": {3, 5, 8}, "search.yaml": {3, 5}, "fast.yaml": {5, 8}, "long.yaml": {3}}
    unrun = {name: {file: frozenset(lines)} for name, lines in left.items()}

    trained, proof = proved_by(tmp_path, {}, monkeypatch, unrun)

    assert len(trained) == 5
    assert proof.unrun == {file: frozenset()}


def test_a_config_that_differs_refutes_the_rewrite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained, proof = proved_by(tmp_path, {"wide.yaml": Conclusion.DIFFERENT}, monkeypatch)

    assert trained[-1] == ("wide.yaml", 50)
    assert proof.refutes and proof.message.startswith("by wide.yaml: different for 9 batches; 1")


def test_what_only_a_further_config_leaves_open_is_said_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = {"wide.yaml": "; no epoch ended"}
    _, proof = proved_by(tmp_path, {}, monkeypatch, notes=notes)

    assert "by wide.yaml: equal for 9 batches; no epoch ended" in proof.message
    assert proof.message.count("known difference") == 1


def test_a_further_config_that_cannot_be_trained_here_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, proof = proved_by(tmp_path, {"search.yaml": Conclusion.OLD_FAILS}, monkeypatch)

    assert proof.is_equal and "by search.yaml: old does not train for 9 batches" in proof.message
    assert [config.name for config in proof.configs] == [
        *("const.yaml", "fast.yaml", "long.yaml", "wide.yaml")
    ]
