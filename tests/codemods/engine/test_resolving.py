"""Private names of TensorFlow in written files are looked up in the installed library."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrating import MODEL, TRIAL
from pedl2det.engine import Options, Result, Status, migrate, resolving
from pedl2det.findings import Kind
from support import write_tree

PATCH = "tensorflow.python.data.ops.gone.Gone._create"


def result_of(model: str, directory: Path, monkeypatch: pytest.MonkeyPatch) -> Result:
    """A migration of a trial where the installed TensorFlow lacks what it names."""
    monkeypatch.setattr(resolving, "_missing", lambda names: {*names} & {PATCH})
    write_tree(directory, TRIAL | {"model_def.py": model})
    return migrate([directory], Options(resolve=True))


def test_a_missing_name_in_a_function_is_an_assumption(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported = "from tensorflow.python.data.ops import gone\n"
    patch = "\n\ndef patch():\n    gone.Gone._create = None\n"

    result = result_of(imported + MODEL + patch, tmp_path, monkeypatch)

    (outcome,) = result.outcomes
    assert (outcome.status, outcome.assumptions) == (Status.ASSUMED, 1)
    assert tmp_path / "model_def.py" in [file.path for file in result.files]
    (said,) = result.of_kind(Kind.ASSUMPTION)
    assert said.message == f"nothing calls this: the installed library does not have {PATCH}"
    assert said.line == (imported + MODEL + patch).count("\n")


def test_a_missing_name_that_is_used_at_import_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported = "from tensorflow.python.data.ops import gone\n"

    result = result_of(imported + MODEL + "\n\nprint(gone.Gone._create)\n", tmp_path, monkeypatch)

    assert [outcome.status for outcome in result.outcomes] == [Status.BEGUN]
    assert not result.files
    (left,) = result.of_kind(Kind.LEFT)
    assert left.message == f"this uses {PATCH}, which the installed library does not have"
