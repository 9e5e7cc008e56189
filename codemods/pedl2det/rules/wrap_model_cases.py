"""The cases of P008."""

from __future__ import annotations

from pedl2det.rules.rule import Case, Files, trial

_IMPORTS = (
    "from tensorflow.keras.optimizers import Adam\nfrom pedl.frameworks.keras import TFKerasTrial"
)


def _built(lines: str) -> dict[str, str]:
    body = f"def build_model(self, hparams):\n    model = make()\n{lines}    return model\n"
    return trial(body, _IMPORTS)


def _helped(body: str) -> Files:
    """The files of a trial whose model ``nets.py`` makes."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    imports = "from pedl.frameworks.keras import TFKerasTrial\nimport nets"
    return trial(f"def build_model(self, hparams):\n{lines}", imports)


_MAKER = """\
from tensorflow.keras.optimizers import Adam


def made({head}):
    model = dense(units)
{wraps}    model.compile({optimizer}, "mse")
    return model
"""
_COMPILING = "def compiled(self, net):\n    net.compile(Adam(0.1), 'mse')\n\n"
_HANDING = "def build_model(self, hparams):\n    model = make()\n    self.compiled(model)\n"
_HANDING += "    return model\n"

_TRAINER = """\
class Trainer:
    def run(self):
        self.model.fit(x, y)


def warmed(net):
    Trainer(net).run()
"""

CASES: tuple[Case, ...] = (
    Case(
        _built('    model.compile(Adam(0.1), "mse", metrics=["mae"])\n'),
        _built(
            "    model = self.context.wrap_model(model)\n"
            "    optimizer = self.context.wrap_optimizer(Adam(0.1))\n"
            '    model.compile(optimizer, "mse", metrics=["mae"])\n'
        ),
    ),
    Case(
        _built('    model.compile(loss="mse", optimizer="adam")\n'),
        _built(
            "    model = self.context.wrap_model(model)\n"
            "    optimizer = self.context.wrap_optimizer("
            "tf.keras.optimizers.legacy.Adam())\n"
            '    model.compile(loss="mse", optimizer=optimizer)\n'
        ),
    ),
    Case(
        _built('    opt = choose()\n    model.compile(opt, "mse")\n'),
        _built(
            "    opt = choose()\n"
            "    model = self.context.wrap_model(model)\n"
            "    opt = self.context.wrap_optimizer("
            "tf.keras.optimizers.get(opt, use_legacy_optimizer=True))\n"
            '    model.compile(opt, "mse")\n'
        ),
    ),
    Case(
        _built(
            '    if deep:\n        model.compile(Adam(0.1), "mse")\n'
            '    else:\n        model = flat()\n        model.compile(Adam(0.2), "mse")\n'
        ),
        _built(
            "    if deep:\n"
            "        model = self.context.wrap_model(model)\n"
            "        optimizer = self.context.wrap_optimizer(Adam(0.1))\n"
            '        model.compile(optimizer, "mse")\n'
            "    else:\n"
            "        model = flat()\n"
            "        model = self.context.wrap_model(model)\n"
            "        optimizer = self.context.wrap_optimizer(Adam(0.2))\n"
            '        model.compile(optimizer, "mse")\n'
        ),
    ),
    Case(
        _built('    if deep:\n        model.compile(Adam(0.1), "mse")\n'),
        {},
        says="build_model does not compile, by its name and always,",
    ),
    Case(
        _built('    model.compile(Adam(0.1), "mse")\n    model = other()\n'),
        {},
        says="model is bound anew after it was compiled",
    ),
    Case(
        _built('    model.compile("best", "mse")\n'),
        {},
        says="'best' names no optimizer of Keras",
    ),
    Case(
        trial("def build_model(self, hparams):\n    return compiled()\n"),
        {},
        says="build_model does not compile",
    ),
    Case(
        _built("    model.compile(**options)\n"),
        {},
        says="the optimizer of compile is not visible here",
    ),
    Case(
        _helped("return nets.made(hparams['units'])\n")
        | {"nets.py": _MAKER.format(head="units", wraps="", optimizer='"adam"')},
        _helped("return nets.made(self.context, hparams['units'])\n")
        | {
            "nets.py": _MAKER.format(
                head="context, units",
                wraps="    model = context.wrap_model(model)\n"
                "    optimizer = context.wrap_optimizer("
                "tf.keras.optimizers.legacy.Adam())\n",
                optimizer="optimizer",
            )
        },
    ),
    Case(
        _helped("self.net = nets.made(4)\nreturn self.net\n")
        | {"nets.py": _MAKER.format(head="units", wraps="", optimizer="Adam()")},
        _helped("self.net = nets.made(self.context, 4)\nreturn self.net\n")
        | {
            "nets.py": _MAKER.format(
                head="context, units",
                wraps="    model = context.wrap_model(model)\n"
                "    optimizer = context.wrap_optimizer(Adam())\n",
                optimizer="optimizer",
            )
        },
    ),
    Case(
        trial(f"{_COMPILING}{_HANDING}", _IMPORTS),
        trial(
            _COMPILING.replace(
                "    net.compile(Adam",
                "    optimizer = self.context.wrap_optimizer(Adam(0.1))\n    net.compile(Adam",
            ).replace("(Adam(0.1), 'mse')", "(optimizer, 'mse')")
            + _HANDING.replace(
                "    self.c", "    model = self.context.wrap_model(model)\n    self.c"
            ),
            _IMPORTS,
        ),
    ),
    Case(
        _helped("other = nets.made(3)\nreturn nets.made(4)\n")
        | {"nets.py": _MAKER.format(head="units", wraps="", optimizer="Adam()")},
        {},
        says="made compiles the trial's model, and is used here for something else",
    ),
    Case(
        _helped("return nets.made(4)\n")
        | {
            "nets.py": _MAKER.format(head="units", wraps="", optimizer="Adam()")
            + "\n\nteacher = made(9)\n"
        },
        {},
        says="made compiles the trial's model, and is used here for something else",
    ),
    Case(
        trial(f"{_COMPILING.replace('    net', '    if net: net')}{_HANDING}", _IMPORTS),
        {},
        says="compiled does not compile, by its name and always, net",
    ),
    Case(
        trial(
            "def build_model(self, hparams):\n"
            "    self.net = model = make()\n"
            '    self.net.compile(Adam(0.1), "mse")\n    return model\n',
            _IMPORTS,
        ),
        trial(
            "def build_model(self, hparams):\n"
            "    self.net = model = make()\n"
            "    self.net = model = self.context.wrap_model(model)\n"
            "    optimizer = self.context.wrap_optimizer(Adam(0.1))\n"
            '    self.net.compile(optimizer, "mse")\n    return model\n',
            _IMPORTS,
        ),
    ),
    Case(
        _built(
            '    self.net = model\n    model.compile(Adam(0.1), "mse")\n'
            "    if deep:\n        self.net = flat()\n    self.net.fit(x, y)\n"
        ),
        {},
        says="self.net.fit: the model is trained here",
    ),
    Case(
        _built('    model.compile(Adam(0.1), "mse")\n    model.fit(x, y)\n'),
        {},
        says="model.fit: the model is trained here",
    ),
    Case(
        trial(
            _HANDING.replace("self.compiled(model)", 'model.compile(Adam(), "mse")')
            + "\ndef warm(self, net):\n    net.fit(x, y)\n",
            _IMPORTS,
        ),
        trial(
            _HANDING.replace(
                "    self.compiled(model)",
                "    model = self.context.wrap_model(model)\n"
                "    optimizer = self.context.wrap_optimizer(Adam())\n"
                '    model.compile(optimizer, "mse")',
            )
            + "\ndef warm(self, net):\n    net.fit(x, y)\n",
            _IMPORTS,
        ),
    ),
    Case(
        trial(
            _HANDING.replace("self.compiled(model)", 'model.compile(Adam(), "mse")').replace(
                "    return", "    self.warm(model)\n    return"
            )
            + "\ndef warm(self, net):\n    net.fit(x, y)\n",
            _IMPORTS,
        ),
        {},
        says="self.warm(model): the model is trained here",
    ),
    Case(
        _built('    tf = 3\n    model.compile("adam", "mse")\n'),
        {},
        says="tf means something other than TensorFlow here",
    ),
    Case(
        trial(
            "def build_model(self, hparams):\n    model = make()\n"
            '    model.compile(Adam(0.1), "mse")\n    warmed(model)\n    return model\n',
            f"{_IMPORTS}\n{_TRAINER}",
        ),
        {},
        says="warmed(model): the model is trained here",
    ),
)
