"""``# pedl2det: skip``: what a user wants left stays, and never makes half a trial."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from migrating import CONFIG, TRIAL, run
from pedl2det.analysis.source import skipped_lines
from support import read_tree, write_tree

GUARD = (
    "try:\n    import pedl  # pedl2det: skip\n"
    "except ImportError:\n    pedl = None  # pedl2det: skip\n"
)


def test_a_line_is_left_and_the_rest_is_migrated(tmp_path: Path) -> None:
    text = "import pedl\n\n\ndef log():\n    print(pedl.get_trial_id())  # pedl2det: skip\n"
    write_tree(tmp_path, TRIAL | {"logs.py": text, "guard.py": GUARD})

    done = run(tmp_path)

    assert done.exit_code == 0, done.output
    assert "3 suppressed" in done.output
    assert "0 left" in done.output
    assert (tmp_path / "logs.py").read_text() == text
    assert (tmp_path / "guard.py").read_text() == GUARD
    assert "from determined.keras import" in (tmp_path / "model_def.py").read_text()
    before = read_tree(tmp_path)
    assert "3 suppressed" in run(tmp_path).output
    assert read_tree(tmp_path) == before


def test_an_import_stays_with_the_line_that_uses_it(tmp_path: Path) -> None:
    text = (
        "from pedl import get_trial_id, get_trial_seed\n\n\n"
        "def make_data_loaders(experiment_config, hparams):\n"
        "    print(get_trial_id())  # pedl2det: skip\n"
        "    return load(get_trial_seed()), load(0)\n"
    )
    write_tree(tmp_path, TRIAL | {"data.py": text})

    done = run(tmp_path)

    assert done.exit_code == 0, done.output
    assert "2 suppressed" in done.output
    assert (tmp_path / "data.py").read_text() == (
        "from pedl import get_trial_id\n\n\n"
        "def make_data_loaders(context):\n"
        "    print(get_trial_id())  # pedl2det: skip\n"
        "    return load(context.get_trial_seed()), load(0)\n"
    )


@pytest.mark.parametrize(
    "files",
    [
        {"data.py": "# pedl2det: skip\n" + TRIAL["data.py"]},
        {"model_def.py": TRIAL["model_def.py"].replace("):\n", "):  # pedl2det: skip\n", 1)},
        {"const.yaml": f"# pedl2det: skip\n{CONFIG}"},
    ],
    ids=["a file", "a line that a rule needs", "a config"],
)
def test_a_trial_that_needs_what_is_skipped_stays_whole(
    files: dict[str, str], tmp_path: Path
) -> None:
    write_tree(tmp_path, TRIAL | files)
    before = read_tree(tmp_path)

    done = run(tmp_path)

    assert done.exit_code == 0, done.output
    assert "left by your choice" in done.output
    assert "0 of 1 trial rewritten" in done.output
    assert "0 rewritten, 0 left" in done.output
    assert read_tree(tmp_path) == before


def test_requirements_are_skipped_as_a_file(tmp_path: Path) -> None:
    text = "numpy\npedl==0.11  # pedl2det: skip\n"
    write_tree(tmp_path, {"requirements.txt": text})

    done = run(tmp_path)

    assert done.exit_code == 0, done.output
    assert "requirements.txt:2: R301 requirements: left by your choice" in done.output
    assert (tmp_path / "requirements.txt").read_text() == text


@pytest.mark.parametrize(
    ("text", "whole", "lines"),
    [
        ("x = 1\ny = 2  # pedl2det: skip\n", False, {2}),
        ("x = f(\n    1,  # pedl2det: skip: theirs\n    2,\n)\ny = 1\n", False, {1, 2, 3, 4}),
        ('"""Doc."""\n\n# pedl2det: skip\nx = 1\n', True, set()),
        ("x = 1\n# pedl2det: skip\ny = 2\n", False, {2}),
        ("if x:  # pedl2det: skip\n    y = 1\n", False, {1}),
        ("# pedl2det: skipped is another word\nx = 1\n", False, set()),
        ("#pedl2det:skip\r\nx = 1\r\n", True, set()),
    ],
)
def test_what_the_comment_means_in_code(text: str, whole: bool, lines: set[int]) -> None:
    skipped = skipped_lines(text, ast.parse(text))

    assert skipped >= ({*range(text.count("\n") + 1)} if whole else lines)
    assert whole or skipped.isdisjoint({*range(1, text.count("\n") + 1)} - lines)


def test_what_the_comment_means_in_a_config() -> None:
    assert {0, 1, 2} <= skipped_lines("# pedl2det: skip\na: 1\n")
    assert skipped_lines("a: 1  # pedl2det: skip\nb: 1\n") == {1}
