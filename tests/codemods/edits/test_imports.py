"""Where a new import stands, and what becomes of old ones."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pedl2det.analysis.source import Source
from pedl2det.edits.imports import Wanted, fit_imports

CACHED = "from functools import cached_property"
FUTURE = "from __future__ import annotations; import os\n"


def fitted(old: str, new: str, *added: str) -> str:
    wanted = Wanted(frozenset(added), lambda dotted: dotted.startswith(("pedl", "keras")))
    old_source, new_source = (Source.of(Path("net.py"), text) for text in (old, new))
    return fit_imports(old_source, new_source, wanted)


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
    used = f"{text}print(cached_property)\n"

    new = fitted(used, used, CACHED)

    compile(new, "new.py", "exec")
    old_body, body = ast.parse(used).body, ast.parse(new).body
    added = [one for one in body if ast.unparse(one) == CACHED]
    assert len(added) == 1
    body.remove(added[0])
    assert list(map(ast.unparse, body)) == list(map(ast.unparse, old_body))
    assert ast.get_docstring(ast.parse(new)) == ast.get_docstring(ast.parse(text))


LAYERS = "from keras.layers import (\n    Dense,  # one\n    Input,\n)\nprint(Dense, Input)\n"
MANY = "from keras.layers import " + ", ".join(f"Layer{number}" for number in range(9)) + "\n"
LONG = [f"from tensorflow.keras.layers import Layer{number}" for number in range(9)]


@pytest.mark.parametrize(
    ("text", "added", "expected"),
    [
        (
            LAYERS,
            [f"from tensorflow.keras.layers import {name}" for name in ("Dense", "Input")],
            LAYERS.replace("keras", "tensorflow.keras"),
        ),
        (
            "import numpy as np\nimport keras  # the old one\nprint(np, keras)\n",
            ["from tensorflow import keras"],
            "import numpy as np\nfrom tensorflow import keras  # the old one\nprint(np, keras)\n",
        ),
        (
            "import os\nimport pedl\n\nprint(os, TFKerasTrial)\n",
            ["from determined.keras import TFKerasTrial"],
            "import os\nfrom determined.keras import TFKerasTrial\n\nprint(os, TFKerasTrial)\n",
        ),
        (
            "from determined.keras import (\n    Z,\n)\nprint(TFKerasTrial, Z)\n",
            ["from determined.keras import TFKerasTrial"],
            "from determined.keras import (\n    TFKerasTrial,\n    Z,\n)\n"
            "print(TFKerasTrial, Z)\n",
        ),
        (
            "import net\nprint(legacy_keras, net)\n",
            ["import legacy_keras"],
            "import net\n\nimport legacy_keras\n\nprint(legacy_keras, net)\n",
        ),
        (
            f"{MANY}print({MANY[len('from keras.layers import ') : -1]})\n",
            LONG,
            "from tensorflow.keras.layers import (\n"
            + "".join(f"    Layer{number},\n" for number in range(9))
            + f")\nprint({MANY[len('from keras.layers import ') : -1]})\n",
        ),
    ],
    ids=["moved", "moved whole", "of the harness", "joined", "own group", "long"],
)
def test_a_new_import_takes_the_place_of_its_group(
    text: str, added: list[str], expected: str
) -> None:
    assert fitted(text, text, *added) == expected


def test_the_last_line_of_a_file_may_have_no_end() -> None:
    text = '"""tf"""\nimport numpy as np'

    assert fitted(text, text, "import tensorflow as tf") == f"{text}\nimport tensorflow as tf\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import os\rimport pedl\rx = os\r# end\r", "import os\rx = os\r# end\r"),
        ("from pedl import (\n    a,\n    b,\n)\nprint(b)\n", "from pedl import b\nprint(b)\n"),
        ("import os; import pedl; x = 1\n", "import os; x = 1\n"),
        ("x = 1\n# Ours.\nimport pedl  # old\ny = 2\n", "x = 1\n# Ours.\ny = 2\n"),
        ("def f():\n    import pedl\n", "def f():\n    pass\n"),
        ("if 1: import pedl\n", "if 1:\n    pass\n"),
        ("from pedl.trial import *\nx = 1\n", "x = 1\n"),
        ("from pedl.trial import *\nprint(Trial)\n", "from pedl.trial import *\nprint(Trial)\n"),
        ("import pedl  # pedl2det: skip\nx = 1\n", "import pedl  # pedl2det: skip\nx = 1\n"),
    ],
    ids=[
        "old line ends",
        "names",
        "beside others",
        "comments",
        "block",
        "suite",
        "star",
        "used star",
        "skipped",
    ],
)
def test_an_old_import_without_a_use_goes(text: str, expected: str) -> None:
    assert fitted(text, text) == expected
