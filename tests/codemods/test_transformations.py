"""Transformations of tests/variants change how a trial is written, not what it computes."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from variants import check, generate, rehearsal
from variants.project import EXAMPLES, Project, read_example
from variants.registry import CODE, TRANSFORMATIONS

CASES = Path(check.__file__).parent / "cases"
CONFIG = "hyperparameters: {units: 8, rate: 0.1}\nsearcher: {metric: loss}\n"
#: Examples that each transformation is rehearsed on.
REHEARSED = 5
FORMATTERS = {"format_black": "black", "format_yapf": "yapf"}


@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_a_transformation_writes_what_its_case_shows(name: str) -> None:
    pytest.importorskip(FORMATTERS.get(name, "ast"))
    seed, before, after = read_case(name)

    project = {"const.yaml": CONFIG, **before}

    changed = TRANSFORMATIONS[name](project, random.Random(seed))

    assert changed is not None
    assert {path: text for path, text in changed.items() if project.get(path) != text} == after


@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_a_transformation_changes_nothing_that_a_trial_calls(name: str) -> None:
    pytest.importorskip(FORMATTERS.get(name, "ast"))
    applied = list(itertools.islice(applications(name), REHEARSED))

    assert applied
    for example, seed, changed in applied:
        assert list(check.problems(changed)) == [], (example, seed)
        assert rehearsal.difference(changed, example) == "", (example, seed)


@pytest.mark.parametrize(
    ("example", "path", "old", "new"),
    [
        ("iris", "model_def.py", "[categorical_accuracy]", '["categorical_accuracy"]'),
        ("iris", "data.py", "return train, test", "return test, train"),
        ("digits", "model_def.py", "1.0 - tf", "2.0 - tf"),
        ("digits", "data.py", "np.random.shuffle(indices)", "pass"),
        ("digits", "data.py", "images, self.labels[batch]", "self.labels[batch], images"),
        ("digits", "model_def.py", "error_rate", "error"),
        ("cancer_dataset", "model_def.py", "Dense(1, ", "Dense(2, "),
        ("iris_download", "data.py", "(table.values, labels", "(table, labels"),
        ("digits_gan", "model_def.py", "return {", "tf.ones(1)\n        return {"),
        ("wine", "model_def.py", "Dropout(self", "Dropout(2 * self"),
    ],
)
def test_a_rehearsal_sees_a_trial_that_computes_otherwise(
    example: str, path: str, old: str, new: str
) -> None:
    files = read_example(example)
    if old not in files[path]:
        pytest.fail("the example has changed")

    changed = {**files, path: files[path].replace(old, new)}

    assert rehearsal.difference(changed, example) != ""


def test_names_that_nothing_binds_are_problems() -> None:
    project = {
        "data.py": "def load():\n    return [missing for one in others]\n",
        "model_def.py": "from data import load, save\n",
        "const.yaml": CONFIG,
    }

    assert list(check.problems(project)) == [
        "data.py:2: missing is not bound",
        "data.py:2: others is not bound",
        "model_def.py:1: data has no save",
    ]


def test_a_seed_gives_one_variant() -> None:
    assert generate("digits", 3) == generate("digits", 3)
    assert generate("digits", 3).files != generate("digits", 4).files


def read_case(name: str) -> tuple[int, dict[str, str], dict[str, str]]:
    """Read a case: its seed, the files before and the files that change."""
    head, after = (CASES / f"{name}.txt").read_text(encoding="utf-8").split("=== after\n")
    first, before = head.split("\n", 1)
    return int(first.split()[-1]), _files(before), _files(after)


def _files(text: str) -> dict[str, str]:
    parts = re.split(r"(?m)^--- (\S+)\n", text)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def applications(name: str) -> Iterator[tuple[str, int, Project]]:
    """Yield examples as a transformation changes them, after up to two others."""
    for seed in range(8):
        order = random.Random(f"{name} {seed}").sample(EXAMPLES, len(EXAMPLES))
        for example in order:
            chance = random.Random(f"{name} {example} {seed}")
            files: Project = read_example(example)
            for other in chance.sample(CODE, chance.choice((0, 2))):
                files = TRANSFORMATIONS[other](files, chance) or files
            changed = TRANSFORMATIONS[name](files, chance)
            if changed is not None:
                yield example, seed, changed
