"""legacy_keras.py holds the pieces that a trial uses, with all that they need, and nothing else."""

from __future__ import annotations

import ast
import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pedl2det
import pedl2det_legacy
import pedl2det_names as names
from pedl2det.support import available, merged, needs_context, render

WRITERS = Path(pedl2det.__file__).parent


def names_written() -> set[str]:
    """The names after ``legacy_keras.`` in the code of rules, and those of the table of names."""
    texts = [
        path.read_text() for part in ("rules", "engine") for path in WRITERS.glob(f"{part}/**/*.py")
    ]
    found = {name for text in texts for name in re.findall(r"legacy_keras\.(\w+)", text)}
    return found - {"py"} | {row.support for row in names.rows() if row.support is not None}


def names_in(text: str) -> list[str]:
    """The names that the statements of a module bind, but for its imports."""
    return [
        node.targets[0].id if isinstance(node, ast.Assign) else node.name
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign | ast.FunctionDef | ast.ClassDef)
    ]


def imports_in(text: str) -> list[str]:
    return [ast.unparse(node) for node in ast.parse(text).body if isinstance(node, ast.Import)]


def test_every_name_that_the_rules_write_is_there() -> None:
    written = names_written()

    assert {"wrap_dataset", "training_loader", "whole_batches", "AdamOptimizer"} <= written
    assert written <= {*available()}


def test_a_file_holds_the_piece_and_what_it_uses() -> None:
    text = render(["get_hyperparameter"])

    assert names_in(text) == [
        *("_bound_context", "bind", "context", "_is_bound"),
        *("_before", "_cluster_info", "_config", "_of_trial", "_slots"),
        *("get_hyperparameters", "get_hyperparameter"),
    ]
    assert imports_in(text) == ["import determined"]


def test_a_parameter_is_not_taken_for_a_piece_of_the_same_name() -> None:
    """``context`` is a piece, and a parameter of this one."""
    assert names_in(render(["download_once"])) == ["_download_data_dir", "download_once"]


def test_no_two_files_of_pieces_use_the_same_name() -> None:
    """In a trial they are one module."""
    files = Path(pedl2det_legacy.__file__).parent.glob("*.py")
    names = [name for file in files for name in names_in(file.read_text())]

    assert [name for name in names if names.count(name) > 1] == []


def test_imports_are_those_of_the_pieces_sorted() -> None:
    text = render(["is_valid_url", "InMemorySequence", "Session"])

    assert imports_in(text) == [
        *("import contextlib", "import functools", "import importlib", "import urllib.parse"),
        *("import numpy as np", "import tensorflow as tf"),
    ]


def test_the_order_of_the_names_makes_no_difference() -> None:
    names = ["wrap_dataset", "ragged_array", "get_rank"]

    assert {render(order) for order in itertools.permutations(names)} == {render(names)}


def test_no_name_needs_no_file() -> None:
    assert render([]) == ""


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(KeyError, match="no support piece 'get_luck'"):
        render(["get_luck"])


def test_what_asks_the_context_needs_it_bound() -> None:
    assert needs_context(["is_valid_url", "wrap_dataset"])
    assert not needs_context(["is_valid_url", "InMemorySequence", "download_once"])
    assert needs_context(["get_trial_seed"])
    assert "bind" in names_in(render(["get_trial_seed"]))


@pytest.mark.parametrize("name", sorted(available()))
def test_a_piece_alone_compiles_for_old_python_and_is_clean(name: str, tmp_path: Path) -> None:
    text = render([name])

    ast.parse(text, feature_version=(3, 8))
    assert_clean(text, tmp_path)


def test_all_pieces_together_are_clean(tmp_path: Path) -> None:
    assert_clean(render(available()), tmp_path)


def assert_clean(text: str, directory: Path) -> None:
    """Ruff's defaults, sorted imports, 88 columns."""
    file = directory / "legacy_keras.py"
    file.write_text(text)
    for command in (
        ["check", "--extend-select", "I"],
        ["format", "--check", "--line-length", "88"],
    ):
        ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--no-cache", str(file)]
        done = subprocess.run(ruff, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


# A second trial of the directory may need more.


def test_the_first_trial_writes_the_file() -> None:
    assert merged("", ["get_rank"]) == render(["get_rank"])


def test_a_file_that_nobody_edited_is_as_if_written_at_once() -> None:
    first = render(["wrap_dataset"])

    assert merged(first, ["is_valid_url", "get_rank"]) == render(
        ["wrap_dataset", "is_valid_url", "get_rank"]
    )


def test_a_file_that_has_all_stays_as_it_is() -> None:
    text = render(["wrap_dataset", "get_rank"])

    assert merged(text, ["get_rank"]) == text


EDITED = '''\
"""Ours."""

import determined


def get_rank():
    return 7
'''


def test_an_edited_file_is_kept_and_gets_what_is_missing() -> None:
    added = "import numpy as np\n\n\ndef asfarray"
    added += render(["asfarray"]).partition("def asfarray")[2]

    text = merged(EDITED, ["get_rank", "asfarray"])

    assert text == f"{EDITED}\n\n{added}"
    assert merged(text, ["get_rank", "asfarray"]) == text


def test_an_import_of_an_edited_file_is_not_repeated() -> None:
    text = merged("from numpy import array\nimport numpy as np\n", ["elementwise_mean"])

    assert text.count("import numpy as np\n") == 1
