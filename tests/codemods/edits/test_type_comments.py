"""Type comments follow the parameters of their function."""

from __future__ import annotations

import libcst as cst
import pytest

from pedl2det.edits.layout import with_type_comment


@pytest.mark.parametrize(
    ("before", "after", "comment"),
    [
        ("a, b", "a", "# type: (...) -> str"),
        ("a, b", "", "# type: (...) -> str"),
        ("a, b", "context, a, b", "# type: (...) -> str"),
        ("a, b", "a, b", "# type: (int, Dict[str, int]) -> str"),
    ],
)
@pytest.mark.parametrize("place", ["  {comment}\n    pass", "\n    {comment}\n    pass"])
def test_the_comment_says_nothing_of_other_parameters(
    before: str, after: str, comment: str, place: str
) -> None:
    old = "# type: (int, Dict[str, int]) -> str"
    original = cst.parse_statement(f"def f({before}):{place.format(comment=old)}\n")
    bare = cst.parse_statement(f"def f({after}): pass")
    assert isinstance(original, cst.FunctionDef) and isinstance(bare, cst.FunctionDef)
    changed = with_type_comment(original, original.with_changes(params=bare.params))
    expected = f"def f({after}):{place.format(comment=comment)}\n"
    assert cst.Module([changed]).code == expected


def test_a_comment_without_types_stays() -> None:
    original = cst.parse_statement("def f(a):  # type: (...) -> int\n    pass\n")
    bare = cst.parse_statement("def f(): pass")
    assert isinstance(original, cst.FunctionDef) and isinstance(bare, cst.FunctionDef)
    changed = with_type_comment(original, original.with_changes(params=bare.params))
    assert "# type: (...) -> int" in cst.Module([changed]).code
