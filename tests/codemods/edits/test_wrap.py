"""Edited lines that are too long are broken as a formatter breaks them."""

from __future__ import annotations

import libcst as cst
import pytest

from pedl2det.edits.wrap import wrapped

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

    line = wrapped(module.body[0], 80, 8, module, set())

    after = module.with_changes(body=[line]).code
    assert after == f"model.add(\n    LSTM(\n{APART}    )\n)\n"
