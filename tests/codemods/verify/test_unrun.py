"""Which statements of a copied trial no training executed, by a log of the lines that it did."""

from __future__ import annotations

import ast
from pathlib import Path

from pedl2det.verify.copies import Copy, Extent
from pedl2det.verify.executed import _Marks
from pedl2det.verify.unrun import common, skipped_functions, unrun_lines

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


def logged(file: Path, executed: list[int]) -> str:
    """The log of a training that executed some lines of a file."""
    marks = _Marks(str(file))
    marks.visit(ast.parse(file.read_text()))
    rows = [*marks.statements, *((line,) for line in executed)]
    return "".join("\t".join(map(str, (file, *row))) + "\n" for row in rows)


def unrun(root: Path, executed: dict[str, list[int]]) -> dict[str, list[int]]:
    (root / "t").mkdir()
    (root / "t" / "model_def.py").write_text(CODE)
    (root / "t" / "legacy_keras.py").write_text("if 0:\n    x = 1\n")
    extent = Extent(HOME, HOME, (HOME,))
    copy = Copy("new", extent, root / "t", root / "out", root / "t" / "const.yaml")
    log = [logged(root / "t" / name, lines) for name, lines in executed.items()]
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


HOOKS = """\
class Slow:
    def __init__(self):
        self.ended = 0

    def on_epoch_end(self):
        self.ended += 1


def halve():
    def end():
        return 2
    return end
"""


def test_what_the_old_training_alone_executes_is_named_by_its_function(tmp_path: Path) -> None:
    copies = []
    for name, code, lines in (
        ("old", HOOKS, [1, 2, 3, 5, 6, 9, 10, 11, 12]),
        (
            "new",
            "import x\n" + HOOKS.replace("def __init__", "def begin"),
            [1, 2, 3, 6, 10, 11, 13],
        ),
    ):
        root = tmp_path / name
        root.mkdir()
        (root / "model_def.py").write_text(code)
        extent = Extent(HOME, HOME, (HOME,))
        copies.append(Copy(name, extent, root, tmp_path / f"{name}-out", root / "const.yaml"))
        copies[-1].lines.write_text(logged(root / "model_def.py", lines))

    old, new = copies
    found = ["model_def.py: Slow.on_epoch_end", "model_def.py: halve.end"]
    assert sorted(skipped_functions(old, new)) == found
    assert skipped_functions(new, old) == []
    assert skipped_functions(old, old) == []
