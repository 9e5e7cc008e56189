"""Where a new import stands: below what has to come first, and never amid a line."""

from __future__ import annotations

import ast

import pytest

from pedl2det.edits.import_places import with_import
from pedl2det.edits.import_statements import Import, Wanted

WANTED = Wanted(frozenset(), lambda _: False, lambda _: False, frozenset())
FUTURE = "from __future__ import annotations; import os\n"


@pytest.mark.parametrize(
    "text",
    [
        '"""Text."""; import tensorflow as tf; x = 1\ny = 2\n',
        '"""Text."""; import tensorflow as tf\n',
        FUTURE,
        f'"""Text."""\n{FUTURE}x = 1\n',
        "import tensorflow as tf; x = 1\n",
    ],
)
def test_what_has_to_come_first_stays_first(text: str) -> None:
    new = with_import(text, Import.of("from functools import cached_property"), WANTED)

    compile(new, "new.py", "exec")
    old_body, body = ast.parse(text).body, ast.parse(new).body
    added = [one for one in body if ast.unparse(one) == "from functools import cached_property"]
    assert len(added) == 1
    body.remove(added[0])
    assert list(map(ast.unparse, body)) == list(map(ast.unparse, old_body))
    assert ast.get_docstring(ast.parse(new)) == ast.get_docstring(ast.parse(text))
