"""An error of a library that is newer than old code says what to install."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from pedl2det_runtime.errors import TrialCodeError
from pedl2det_runtime.training.trial_loading import users_code

HERE = Path(__file__).parent
NEWER = int(metadata.version("scikit-learn").split(".")[1]) >= 3
SKLEARN = "is newer than <1.3, than the code may expect: pip install 'pedl2det[aged]'"

pytestmark = pytest.mark.skipif(not NEWER, reason="this scikit-learn is old enough")


def said_of(code: Callable[[], Any]) -> str:
    """What ``run`` says if a trial's code fails."""
    with pytest.raises(TrialCodeError) as raised, users_code(HERE, "import model_def"):
        code()
    return str(raised.value)


def missing() -> None:
    from sklearn.linear_model import RandomizedLasso  # noqa: F401


def positional() -> None:
    from sklearn import metrics

    globals()["metrics"] = metrics
    metrics.f1_score([0], [0], None, 1)


def within() -> None:
    import numpy as np
    from sklearn.preprocessing import StandardScaler

    StandardScaler().fit(np.array(["a"]))


def attribute() -> None:
    import sklearn.svm

    sklearn.svm.SVC().no_such_method()


@pytest.mark.parametrize("code", [missing, positional, within, attribute])
def test_an_error_of_a_newer_library_names_the_extra(code: Callable[[], Any]) -> None:
    said = said_of(code)

    assert f"scikit-learn {metadata.version('scikit-learn')} {SKLEARN}" in said


def test_an_error_of_the_trial_names_no_library() -> None:
    def own() -> None:
        raise ValueError("no rows")

    assert said_of(own).endswith("import model_def: ValueError: no rows")
