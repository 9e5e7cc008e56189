"""Edited lines that are too long are broken as a formatter breaks them."""

from __future__ import annotations

import libcst as cst
import pytest

from pedl2det.edits.layout import wrapped

LONG = 'self.context.get_hparam("units"), input_shape=(8, 8), recurrent_activation="hard_sigmoid"'
APART = """\
        self.context.get_hparam("units"),
        input_shape=(8, 8),
        recurrent_activation="hard_sigmoid",
"""


@pytest.mark.parametrize(
    "before",
    [f"model.add(LSTM({LONG}))\n", f"model.add(\n    LSTM(\n        {LONG}\n    )\n)\n"],
    ids=["on one line", "with a line for the arguments"],
)
def test_arguments_that_do_not_fit_on_one_line_get_one_each(before: str) -> None:
    module = cst.parse_module(before)

    lines = wrapped(module.body[0], 80, 8, module, set())

    after = module.with_changes(body=lines).code
    assert after == f"model.add(\n    LSTM(\n{APART}    )\n)\n"


COMPREHENSION = "[layer(units, name) for name in names_of_the_layers]"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            f"x = make({COMPREHENSION})\n",
            "x = make(\n    [\n        layer(units, name)\n"
            "        for name in names_of_the_layers\n    ]\n)\n",
        ),
        (
            f"x = make({COMPREHENSION[1:-1]})\n",
            "x = make(\n    layer(units, name)\n    for name in names_of_the_layers\n)\n",
        ),
        (
            "return (layer(units), name), (layer(others), name)\n",
            "return (\n    (layer(units), name),\n    (layer(others), name),\n)\n",
        ),
        (
            "x = make((units or others), (names or others), **all)\n",
            "x = make(\n    (units or others),\n    (names or others),\n    **all\n)\n",
        ),
        (
            "x = lambda name: 0.5 * layer(units, name, names_of_them)\n",
            "x = lambda name: 0.5 * layer(\n    units, name, names_of_them\n)\n",
        ),
        (
            "x = make((lambda one, two: one), first, second)\n",
            "x = make(\n    (lambda one, two: one), first, second\n)\n",
        ),
        (
            "x = layer(units, name); other = layer(others)\n",
            "x = layer(units, name)\nother = layer(others)\n",
        ),
        (
            "x = [layer(units, name), layer(units, other_name)]\n",
            "x = [\n    layer(units, name),\n    layer(units, other_name),\n]\n",
        ),
        (
            'return {"one": layer(units), "two": layer(others)}[name]\n',
            'return {\n    "one": layer(units),\n    "two": layer(others),\n}[name]\n',
        ),
    ],
    ids=[
        "list",
        "generator",
        "tuples",
        "parentheses",
        "lambda",
        "in lambda",
        "semicolon",
        "elements",
        "pairs",
    ],
)
def test_what_does_not_fit_is_broken_at_its_parts(before: str, after: str) -> None:
    module = cst.parse_module(before)

    lines = wrapped(module.body[0], 44, 0, module, set())

    assert module.with_changes(body=lines).code == after


def test_a_file_with_tabs_is_broken_with_tabs() -> None:
    module = cst.parse_module("def f():\n\treturn make(first_argument, second_argument)\n")
    body = module.body[0].body.body  # type: ignore[union-attr]

    lines = wrapped(body[0], 40, 1, module, set())

    after = module.with_changes(body=lines).code
    assert after == "return make(\n\tfirst_argument, second_argument\n)\n"
