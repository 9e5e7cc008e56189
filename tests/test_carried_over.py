"""Trials that are carried over whole: their old methods train the same on a context."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pedl2det.engine import migrate
from pedl2det.engine.options import Options
from pedl2det.findings import Kind
from pedl2det.verify import verify_trial

NAMES = (
    *("iris", "digits", "digits_keras_trial", "wine_two_outputs"),
    *("cancer_dataset", "iris_download", "early_wine"),
)


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", NAMES)
def test_an_example_trains_the_same(name: str, example: Callable[[str], Path]) -> None:
    directory = example(name)

    result = migrate([directory], Options(carried=True))

    assert not result.of_kind(Kind.LEFT)
    assert "(legacy_keras." in "".join(file.new.decode() for file in result.files)
    verdict = verify_trial(directory, batches=20, result=result)
    assert verdict.is_equal, verdict.message
