"""What a new text of a file may not do with names."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pedl2det.analysis.source import Source
from pedl2det.engine.check import problem_with

OLD = "import os\n\n\ndef f():\n    return os.name\n"


def source(text: str) -> Source:
    return Source(Path("net.py"), text, "utf-8", ast.parse(text))


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (OLD.replace("os.name", "sep"), "would use sep, which nothing defines"),
        (OLD.replace("return os.name", "return n\n    n = 1"), "would use n"),
        (OLD.replace("import os\n", "import os\nfrom sys import path as os\n"), "define os twice"),
        (OLD.replace("def f", "return\n\n\ndef f"), "would not compile"),
    ],
)
def test_a_new_text_is_refused(new: str, said: str) -> None:
    problem = problem_with(source(OLD), source(new))

    assert problem is not None
    assert said in problem


def test_what_was_wrong_before_is_no_fault_of_the_rewrite() -> None:
    wrong = OLD.replace("os.name", "sep")

    assert problem_with(source(wrong), source(f"{wrong}\n\nX = 1\n")) is None
    assert problem_with(source(OLD), source(f"from os import *\n{OLD}\n\nY = sep\n")) is None
