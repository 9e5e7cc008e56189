"""A config of a directory with several trials names the one that it trained."""

from __future__ import annotations

from pathlib import Path

import pytest

from pedl2det.engine import migrate
from support import SMALL_TRIAL, write_tree

VARIANT = "\n\nclass U(T):\n    pass\n"


@pytest.mark.parametrize(
    ("exposed", "named", "written"),
    [
        ("T", "", "model_def:T"),
        ("U", "", "model_def:U"),
        ("T", "entrypoint: model_def:U\n", "model_def:U"),
        ("U", "entrypoint: model_def:T\n", "model_def:T"),
    ],
)
def test_a_class_that_another_derives_from_may_be_the_trial(
    tmp_path: Path, exposed: str, named: str, written: str
) -> None:
    write_tree(tmp_path, SMALL_TRIAL)
    write_tree(
        tmp_path,
        {
            "model_def.py": SMALL_TRIAL["model_def.py"] + VARIANT,
            "__init__.py": f"from data import make_data_loaders\nfrom model_def import {exposed}\n",
            "const.yaml": SMALL_TRIAL["const.yaml"] + named,
        },
    )

    result = migrate([tmp_path])
    (config,) = (one.new.decode() for one in result.files if one.path.suffix == ".yaml")

    assert f"entrypoint: {written}\n" in config
