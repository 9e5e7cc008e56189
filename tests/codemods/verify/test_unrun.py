"""Which statements of a copied trial no training executed, by a log of the lines that it did."""

from __future__ import annotations

from pathlib import Path

from pedl2det.verify.copies import Copy
from pedl2det.verify.extent import Extent
from pedl2det.verify.unrun import common, unrun_lines

CODE = """\
'''A module.'''
import data


def build(
    units,
):
    '''A model.'''
    if units > 3:
        wide = 1

        # as the paper has it
        deep = [
            wide,
        ]
    else:
        deep = []
    for layer in deep:
        try:
            layer.build(
                units
            )
        except ValueError:
            raise
    return deep


def unused():
    global count
    pass
    return 1
"""
HOME = Path("/trials/t")


def unrun(root: Path, executed: dict[str, list[int]]) -> dict[str, list[int]]:
    (root / "t").mkdir()
    (root / "t" / "model_def.py").write_text(CODE)
    (root / "t" / "legacy_keras.py").write_text("if 0:\n    x = 1\n")
    extent = Extent(HOME, HOME, (HOME,))
    copy = Copy("new", extent, root / "t", root / "out", root / "t" / "const.yaml")
    log = [f"{line} {root}/t/{name}\n" for name, lines in executed.items() for line in lines]
    copy.lines.write_text("".join(log))
    return {path.name: sorted(lines) for path, lines in unrun_lines(copy).items()}


def test_statements_that_were_not_executed_are_named_by_their_lines(tmp_path: Path) -> None:
    # the interpreter names a call of several lines by the line of one of its parts
    executed = {"model_def.py": [1, 2, 5, 6, 9, 17, 18, 19, 21, 25, 28]}

    assert unrun(tmp_path, executed) == {
        "model_def.py": [*range(10, 16), 24, 31],
    }


def test_what_migrate_writes_for_a_trial_and_other_modules_are_left_out(tmp_path: Path) -> None:
    everywhere = [*range(1, 40)]

    assert unrun(tmp_path, {"legacy_keras.py": [1], "model_def.py": everywhere}) == {
        "model_def.py": []
    }


def test_two_trainings_leave_what_neither_has_executed() -> None:
    a, b = Path("a.py"), Path("b.py")
    first = {a: frozenset({1, 2, 3})}

    assert common(first, {a: frozenset({2, 3, 9}), b: frozenset({7})}) == {
        a: frozenset({2, 3}),
        b: frozenset({7}),
    }
