"""What becomes of the comments of deleted statements."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pedl2det.analysis.source import Source
from pedl2det.edits.apply import apply
from pedl2det.engine import Options, migrate
from pedl2det.fixes import ReplaceStatement
from support import write_tree


def without(text: str, number: int) -> str:
    """A text of which one statement at the top is deleted."""
    source = Source.of(Path("t.py"), text)
    return apply(source, [ReplaceStatement(source.tree.body[number])], {})


@pytest.mark.parametrize(
    ("text", "number", "expected"),
    [
        ("a = 1\nb = 2  # of b\n", 1, "a = 1\n"),
        ("a = 1\n\n# Of b.\nb = 2\n\nc = 3\n", 1, "a = 1\n\n# Of b.\n\nc = 3\n"),
        ("a = 1\n\n# Of both.\nb = 2\nc = 3\n", 1, "a = 1\n\n# Of both.\nc = 3\n"),
        ("b = 2\n\n\nc = 3\n", 0, "c = 3\n"),
    ],
    ids=["behind", "above it alone", "above more", "blank lines at the top"],
)
def test_comments_of_a_deleted_statement(text: str, number: int, expected: str) -> None:
    assert isinstance(ast.parse(text).body[number], ast.Assign | ast.Expr)
    assert without(text, number) == expected


IMPORTS = """\
from pedl.frameworks.keras import TFKerasTensorBoard, TFKerasTrial  # both
from pedl.frameworks.keras.data import InMemorySequence  # unused
from tensorflow import (log, to_float,  # functions
                        reduce_sum)  # noqa: E501


class Net(TFKerasTrial):
    def keras_callbacks(self, hparams):
        return [TFKerasTensorBoard()]

    def loss(self, x):
        return log(to_float(reduce_sum(x)))
"""


def test_a_comment_at_an_import_that_goes_is_named(tmp_path: Path) -> None:
    write_tree(tmp_path, {"model_def.py": IMPORTS})

    result = migrate([tmp_path], Options(partial=True))

    said = [(one.line, one.message) for one in result.findings if "comment" in one.message]
    assert said == [
        (line, f"the comment `# {comment}` went with the code that it stood by")
        for line, comment in ((1, "both"), (2, "unused"), (3, "functions"))
    ]
