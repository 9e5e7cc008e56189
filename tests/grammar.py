"""Whole legacy trials, composed from pieces that people wrote, for tests/test_generated.py."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TypeVar

from hypothesis import strategies as st

Draw = st.DrawFn
T = TypeVar("T")


@dataclass(frozen=True)
class Imports:
    """One way to import the old API.

    Attributes:
        lines: the statements.
        base: the trial class with them.
        getter: what stands before ``get_hyperparameter``; empty where nothing does.
        loaders: what stands before ``InMemorySequence``, or None.
    """

    lines: str
    base: str
    getter: str | None = None
    loaders: str | None = None


IMPORTS = (
    Imports("import pedl\nfrom pedl.frameworks.keras import TFKerasTrial", "TFKerasTrial", "pedl."),
    Imports("from pedl.frameworks.keras import TFKerasTrial", "TFKerasTrial"),
    Imports("from pedl.frameworks import keras", "keras.TFKerasTrial", None, "keras.data."),
    Imports("import pedl\nfrom pedl.frameworks import keras as pk", "pk.TFKerasTrial", "pedl."),
    Imports("import pedl.frameworks.keras as pk\nimport pedl as p", "pk.TFKerasTrial", "p."),
    Imports("import pedl.frameworks.keras", "pedl.frameworks.keras.TFKerasTrial", "pedl."),
    Imports(
        "import pedl.frameworks.keras.data\nfrom pedl import get_hyperparameter",
        "pedl.frameworks.keras.TFKerasTrial",
        "",
        "pedl.frameworks.keras.data.",
    ),
    Imports(
        "from pedl.frameworks.keras.tf_keras_trial import TFKerasTrial as Base\n"
        "from pedl import (\n    get_hyperparameter,\n    get_trial_seed as seed,\n)\n"
        "from pedl.frameworks.keras.data import InMemorySequence",
        "Base",
        "",
        "",
    ),
    Imports("import os, pedl\nimport pedl.frameworks.keras as k", "k.TFKerasTrial", "pedl."),
    Imports("from pedl.frameworks.keras import *\nfrom pedl import *", "TFKerasTrial", ""),
    Imports(
        "try:\n    import pedl\nexcept ImportError:\n    pedl = None\n"
        "from pedl.frameworks.keras import TFKerasTrial",
        "TFKerasTrial",
        "pedl.",
    ),
)

KERAS = (
    "import tensorflow as tf",
    "import tensorflow.keras as tk\nimport tensorflow as tf",
    "from tensorflow import keras as tfk\nimport tensorflow as tf",
    '"""A docstring."""\nfrom __future__ import annotations\nimport tensorflow as tf',
    "import tensorflow as tf; import numpy as np",
    "import tensorflow as tf\nimport keras as old\nfrom keras.layers import Dense, LSTM",
)

#: Values; {h} is the name of the hyperparameters, {g} the getter or None, {s} self.
VALUES = (
    '{h}["units"]',
    '{h}.get("units", 4)',
    "{h}.get('units')",
    "int({h}['units'])",
    "dict(**{h})['units']",
    "{h}[KEY]",
    "len({h})",
    "{s}.units",
    "3",
    "{s}.helper({h})",
    '[{h}["a"], *[{h}[k] for k in ("b", "c")]][0]',
    '(lambda hparams: hparams["units"])({h})',
    '({h}["a"]\n    if {h}["b"] else\n    2)',
    "f\"{{{h}['units']}}\"",
    '{g}get_hyperparameter("units")',
    "{g}get_hyperparameter('units') * 2 + {g}get_hyperparameter(\n    name='rate'\n)",
    "{g}get_experiment_config()['data']",
    "{g}get_trial_seed()",
    'UNITS["é"] + {h}["ünits"]',
)

OPTIMIZERS = (
    '"adam"',
    "'rmsprop'",
    "tf.keras.optimizers.Adam(lr={v})",
    "tf.keras.optimizers.SGD({v}, decay=1e-6, nesterov=True)",
    "tf.train.AdamOptimizer({v})",
    "optimizer",
    "make_optimizer({h})",
)

COMPILES = (
    'model.compile({o}, "mse")',
    'model.compile(optimizer={o}, loss="mse", metrics=["accuracy"])',
    'model.compile(\n    {o},\n    loss="mse",\n    metrics=[tf.keras.metrics.mse],\n)',
    'options = dict(loss="mse")\nmodel.compile({o}, **options)',
    'if {v}:\n    model.compile({o}, "mse")\nelse:\n    model.compile("sgd", "mae")',
    'try:\n    model.compile({o}, "mse")\n'
    "except ValueError:\n    raise\nfinally:\n    print(model)",
    "compiled(model, {o})",
    'model.compile({o}, "mse"); print("compiled")',
    'with tf.device("/cpu:0"):\n    model.compile({o}, "mse")',
)

MODELS = (
    "model = tf.keras.Sequential([tf.keras.layers.Dense({v})])",
    "model = tf.keras.Sequential()\nfor _ in range({v}):\n"
    "    model.add(tf.keras.layers.Dense({v}))",
    "inputs = tf.keras.layers.Input((4,))\n"
    "model = tf.keras.Model(inputs, tf.keras.layers.LSTM({v})(inputs))",
    "model = self.make(\n    {v},  # how wide\n    2,\n)",
    "def make(units):\n    return tf.keras.Sequential([tf.keras.layers.Dense(units + {v})])\n"
    "model = make({v})",
    "model: 'tf.keras.Model' = tf.keras.Sequential()",
)

CONSTRUCTORS = (
    "",
    "def __init__(self, {h}):\n    self.units = {v}\n",
    "def __init__(self, {h}):\n    super().__init__({h})\n    self.units, self.rate = {v}, 1\n",
    "def __init__(self, {h}) -> None:\n    '''Keeps.'''\n    self.{h} = {h}\n    self.x = {v}\n",
    "def __init__(self, {h}): self.units = {v}\n",
    "def __init__(self, *args, **kwargs):\n    super().__init__(*args, **kwargs)\n",
    "def __init__(self, {h}, extra=None):\n    self.units = extra\n",
)

METHODS = (
    "def keras_callbacks(self, {h}):\n"
    "    return [tf.keras.callbacks.LearningRateScheduler(lambda e: {v})]\n",
    "def keras_callbacks(self, {h}): return []\n",
    "def session_config(self, {h}):\n    return tf.ConfigProto(allow_soft_placement={v})\n",
    "@property\ndef width(self):\n    return self.units * {w}\n",
    "@staticmethod\ndef make(*units):\n    return tf.keras.Sequential()\n",
    "@classmethod\ndef named(cls, name='é'):\n    return cls\n",
    "async def later(self):\n    return [x async for x in self.y]\n",
    "def helper(self, {h}):\n    if (n := {v}) > 1: return n\n    return {w}\n",
    "class Inner:\n    def get(self, hparams):\n        return hparams['x'], {w}\n",
    'units = 5; rate = 0.5\nnames = """\n  three lines,\n# no comment\n"""\n',
)

LOADERS = (
    "x = np.zeros((8, 4))\n"
    "return {q}(x, x, {h}['batch_size']), {q}(data=x, labels=x, batch_size={h}['batch_size'])",
    "return load({c}['data'], {v}), load({c}.get('test'), 2)",
    "def batches(n):\n    return np.zeros(n)\nreturn batches({v}), batches(2)",
    "if {c}.get('small'):\n    return 1, 2\nreturn (\n    load(1, {v}),\n    load(2, {v}),\n)",
    "try:\n    path = {c}['data']['path']\nexcept KeyError:\n    path = {v}\nreturn path, path",
    "return None, None",
    "train = {q}(np.ones(3), np.ones(3), batch_size={v})\nreturn train, train",
)

TAILS = (
    "\ndef make_optimizer(hparams):\n    return tf.keras.optimizers.Adam(hparams['rate'])\n",
    "\n@functools.lru_cache(maxsize=None)\ndef cached(a, b = 1):\n    return  a+b\n",
    "\ndef compiled(model, optimizer):\n    model.compile(optimizer, 'mse')\n    return model\n",
    "\nUNITS = {{'é': 1}}; KEY = 'units'\n",
    "\nif __name__ == '__main__':\n    print('pedl')\n",
    "\nglobal_state = [i for i in range(3) if i]\nprint(*global_state, sep = '')\n",
    "\nWIDTH = {g}get_hyperparameter('width')\n",
)

CONFIGS = (
    "hyperparameters: {batch_size: 8, units: 4}\n"
    "searcher: {name: single, metric: val_loss, max_steps: 2}\n",
    "# first\nhyperparameters:\n  batch_size: 8  # of records\n  rate: 1e-3\nsearcher:\n"
    "  name: random\n  metric: val_acc\n  max_steps: 3\n  max_trials: 2\nbatches_per_step: 10\n",
    "description: é\nhyperparameters:\n    n: {type: int, minval: 1, maxval: 4}\n"
    "    batch_size: 1\nmin_validation_period: 2\n"
    "searcher:\n    name: single\n    metric: val_loss\n    max_steps: 1\n",
)


@st.composite
def projects(draw: Draw) -> dict[str, str]:
    """The files of a trial by name; most can be migrated."""
    wild = draw(st.sampled_from(("", "", "", "imports", "model", "loader", "values")))
    style = _piece(draw, IMPORTS, 9, wild == "imports")
    model = draw(_model(style, wild))
    files = {"model_def.py": model, "const.yaml": draw(st.sampled_from(CONFIGS))}
    loader = draw(_loader(_piece(draw, IMPORTS, 9, wild == "imports"), wild))
    if draw(st.booleans()):
        files["data.py"] = loader
        files["__init__.py"] = "from data import make_data_loaders\nfrom model_def import T\n"
    else:
        name = draw(st.sampled_from(("input.py", "nets/reader.py")))
        files[name] = loader
    if draw(st.booleans()):
        getter = draw(st.sampled_from(("import pedl as p", "from pedl import get_trial_seed")))
        call = "p.get_hyperparameter('x')" if " as p" in getter else "get_trial_seed()"
        files["helpers.py"] = f"{getter}\n\n\ndef ask(n=2):\n    return {call} * n\n"
        files["nets/more.py"] = "import helpers\n\n\ndef more():\n    return helpers.ask(1)\n"
    return files


@st.composite
def _model(draw: Draw, style: Imports, wild: str) -> str:
    hparams = draw(st.sampled_from(("hparams", "hp", "_")))
    fill = _Filling(draw, hparams, style.getter, wild == "values")
    methods = draw(st.lists(st.sampled_from(METHODS), max_size=2, unique=True))
    body = [
        draw(st.sampled_from(('"""A trial."""\n', "", "scale = 2\n"))),
        fill.text(_piece(draw, CONSTRUCTORS, 5, wild == "model")),
        f"def build_model(self, {hparams}):\n"
        + _indented(fill.text(draw(st.sampled_from(MODELS))))
        + _indented(fill.text(_piece(draw, COMPILES, 3, wild == "model")))
        + _indented("return model"),
        *(fill.text(text) for text in methods if wild == "model" or text in METHODS[2:]),
    ]
    imports = draw(st.permutations([style.lines, draw(st.sampled_from(KERAS)), "import functools"]))
    if any("__future__" in lines for lines in imports):
        imports = sorted(imports, key=lambda lines: "__future__" not in lines)
    tails = draw(st.lists(st.sampled_from(TAILS[: None if wild else -1]), max_size=2, unique=True))
    module = _Filling(draw, '{"units": 1}', style.getter, wild=False)
    return "\n".join(
        [
            *imports,
            f"\n\nclass T({style.base}):",
            "\n".join(_indented(text) for text in body if text),
            *(module.text(text) for text in tails),
            "",
        ]
    )


@st.composite
def _loader(draw: Draw, style: Imports, wild: str) -> str:
    config, hparams = draw(st.sampled_from((("experiment_config", "hparams"), ("c", "h"))))
    fill = _Filling(draw, hparams, style.getter, wild == "values")
    sequence = "load" if style.loaders is None else f"{style.loaders}InMemorySequence"
    body = _piece(draw, LOADERS, 6, wild == "loader")
    body = body.replace("{c}", config).replace("{q}", sequence)
    return (
        f"import numpy as np\n{style.lines}\n\n\n"
        f"def make_data_loaders({config}, {hparams}):\n{_indented(fill.text(body))}\n"
        "def load(*args):\n    return np.zeros((2 ,2))  ,np.ones( 3 )\n"
    )


def _piece(draw: Draw, pieces: tuple[T, ...], tame: int, wild: bool) -> T:
    """One of some pieces; if it must not be wild, one of the first ones."""
    return draw(st.sampled_from(pieces if wild else pieces[:tame]))


class _Filling:
    """Puts values into the gaps of a piece; each gap gets its own."""

    def __init__(self, draw: Draw, hparams: str, getter: str | None, wild: bool) -> None:
        self._draw, self._hparams = draw, hparams
        self._getter = getter
        values = VALUES if wild else VALUES[:14]
        self._values = [text for text in values if getter is not None or "{g}" not in text]

    def text(self, piece: str) -> str:
        while "{o}" in piece:
            piece = piece.replace("{o}", self._draw(st.sampled_from(OPTIMIZERS)), 1)
        for gap in ("{v}", "{w}"):
            while gap in piece:
                value = self._draw(st.sampled_from(self._values)) if gap == "{v}" else "2"
                piece = piece.replace(gap, _named(value, self._hparams), 1)
        piece = piece.replace("{h}", self._hparams).replace("{{", "{").replace("}}", "}")
        if "{g}" in piece:
            piece = piece.replace("{g}", self._getter) if self._getter is not None else "\n"
        return piece


def _named(value: str, hparams: str) -> str:
    return value.replace("{h}", hparams).replace("{s}", "self")


def _indented(text: str) -> str:
    return textwrap.indent(text if text.endswith("\n") else f"{text}\n", "    ")
