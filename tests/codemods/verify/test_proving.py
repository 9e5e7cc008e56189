"""What is not proved is not written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pedl2det.engine import Result, Status, migrate
from pedl2det.engine.migration import Options, Proof
from pedl2det.findings import Finding, Kind
from pedl2det.verify.series import Migrate, prove


def proof(outcome: str, message: str = "") -> Proof:
    return Proof(Path("t"), outcome, message, 3, 3, (), "today", "all")


EQUAL, UNREPEATABLE = proof("equal"), proof("not repeatable", "at batch 2")
REFUTED = proof("different", "at batch 2")


def migrated(*directories: Path) -> Migrate:
    """What migrates them again with other options."""
    return lambda **changes: migrate([*directories], Options(**changes))


def test_a_trial_that_is_equal_is_written(example: Callable[[str], Path]) -> None:
    result = migrate([example("iris")])

    proved = prove(result, lambda directory, result: EQUAL)

    assert proved.files == result.files
    assert proved.outcomes[0].status is Status.REWRITTEN
    assert proved.outcomes[0].proof is EQUAL


def test_a_trial_that_differs_is_not_written(example: Callable[[str], Path]) -> None:
    directory = example("iris")

    proved = prove(migrate([directory]), lambda directory, result: UNREPEATABLE)

    assert not proved.files
    assert proved.outcomes[0].status is Status.BEGUN
    (left,) = proved.of_kind(Kind.LEFT)
    assert left.path == directory
    assert left.message.endswith("not written: at batch 2")
    assert proved.outcomes[0].proof is UNREPEATABLE


def test_a_trial_whose_rewrite_is_refuted_is_carried_over_and_proved_again(
    example: Callable[[str], Path],
) -> None:
    iris, wine = example("iris"), example("wine_two_outputs")
    result = migrate([iris, wine])
    verdicts = [REFUTED, EQUAL, EQUAL]
    seen = []

    def verify(directory: Path, result: Result) -> Proof:
        seen.append((directory, {file.path: file.new for file in result.files}))
        return verdicts[len(seen) - 1]

    proved = prove(result, verify, migrated(iris, wine))

    assert [directory for directory, _ in seen] == [iris, wine, iris]
    new = {file.path: file.new.decode() for file in proved.files}
    assert "class IrisTrial(legacy_keras.PedlTrial):" in new[iris / "model_def.py"]
    assert "legacy_keras.PedlTrial" not in new[wine / "model_def.py"]
    assert [one.status for one in proved.outcomes] == [Status.REWRITTEN] * 2
    (said,) = [one for one in proved.findings if "refuted" in one.message]
    assert said.message.endswith(": at batch 2")
    assert not proved.of_kind(Kind.LEFT)


def test_a_trial_is_left_where_neither_form_trains_the_same(example: Callable[[str], Path]) -> None:
    directory = example("iris")

    proved = prove(
        migrate([directory]),
        lambda directory, result: REFUTED,
        migrated(directory),
    )

    assert not proved.files
    assert proved.outcomes[0].status is Status.BEGUN


def test_what_cannot_be_compared_is_written_unless_only_the_proved_are_wanted(
    example: Callable[[str], Path],
) -> None:
    result = migrate([example("iris")])
    unknown = proof("old does not train", "needs a GPU")

    written = prove(result, lambda directory, result: unknown, only_proved=False)
    left = prove(result, lambda directory, result: REFUTED, only_proved=False)

    assert written.files == result.files
    assert written.outcomes[0].status is Status.REWRITTEN
    assert not written.outcomes[0].is_proved
    assert written.outcomes[0].proof is unknown
    assert not left.files
    assert not prove(result, lambda directory, result: unknown).files


def test_the_second_form_doubts_rows_that_are_appended(example: Callable[[str], Path]) -> None:
    iris = example("iris")
    rows = "def rows(numbers):\n    found = []\n    found.append(numbers)\n    return found\n"
    with (iris / "model_def.py").open("a", encoding="utf-8") as code:
        code.write(f"\n\nimport numpy as np\n\n\n{rows}\n\ntable = np.array(rows([1]))\n")

    for refuted in (set(), {iris}):
        again = migrated(iris)(carries=refuted.__contains__)
        new = {one.path: one.new.decode() for one in again.files}
        assert ("legacy_keras.restore_numpy()" in new[iris / "model_def.py"]) is bool(refuted)


ROWS = """

def table(rows):
    return {row: 1 for row in rows}
"""


@pytest.mark.parametrize("is_equal", [True, False])
def test_what_no_training_has_executed_is_written_with_care_if_that_trains_the_same(
    example: Callable[[str], Path], is_equal: bool
) -> None:
    iris, wine = example("iris"), example("wine_two_outputs")
    code = iris / "model_def.py"
    code.write_text(code.read_text() + ROWS)
    last = len(code.read_text().splitlines())
    seen = replace(EQUAL, unseen={code: frozenset({last})})
    verdicts = [seen, EQUAL, replace(EQUAL, message="again") if is_equal else REFUTED]
    tried = []

    def verify(directory: Path, result: Result) -> Proof:
        tried.append(directory)
        return verdicts[len(tried) - 1]

    proved = prove(migrate([iris, wine]), verify, migrated(iris, wine))

    assert tried == [iris, wine, iris]
    text = next(file.new.decode() for file in proved.files if file.path == code)
    assert ("legacy_keras.restore_attributes()" in text) is is_equal
    proofs = [outcome.proof for outcome in proved.outcomes]
    assert proofs == [verdicts[2] if is_equal else seen, EQUAL]


@pytest.mark.parametrize("verdict", [EQUAL, REFUTED])
def test_names_without_a_successor_are_set_aside_where_the_trial_trains_without(
    example: Callable[[str], Path], verdict: Proof
) -> None:
    iris = example("iris")
    code = iris / "model_def.py"
    head = "import tensorflow as tf\n\n\ndef head(x):\n    return tf.layers.dense(x, 1)\n"
    code.write_text(f"{code.read_text()}\n\n{head}\n\nHEADS = [head]\n")
    result = migrate([iris])

    proved = prove(result, lambda *_: verdict, migrated(iris))

    assert result.outcomes[0].status is Status.BEGUN
    assert result.of_kind(Kind.LEFT)
    assert proved.outcomes[0].is_proved is verdict.is_equal
    assert bool(proved.of_kind(Kind.LEFT)) is not verdict.is_equal
    said = [finding.message for finding in proved.of_kind(Kind.NOTE)]
    assert ("no training needs this: `tf.layers.dense` does not work any more" in said) is (
        verdict.is_equal
    )


def test_what_care_does_not_change_is_not_proved_again(example: Callable[[str], Path]) -> None:
    iris = example("iris")
    seen = replace(EQUAL, unseen={iris / "model_def.py": frozenset({1})})
    tried = []

    prove(migrate([iris]), lambda *_: tried.append(1) or seen, migrated(iris))

    assert tried == [1]


def test_a_proved_trial_that_care_leaves_to_a_person_stays_as_it_is_proved(
    example: Callable[[str], Path],
) -> None:
    iris = example("iris")
    result = migrate([iris])
    seen = replace(EQUAL, unseen={iris / "model_def.py": frozenset({1})})

    def again(**changes: Any) -> Result:
        left = Finding(Kind.LEFT, "P010", iris / "model_def.py", 1, "left")
        return migrate([iris]).without(0, left) if changes.get("unseen") else migrate([iris])

    proved = prove(result, lambda *_: seen, again)

    assert proved.files == result.files
    assert proved.outcomes[0].is_proved
