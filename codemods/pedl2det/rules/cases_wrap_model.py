"""The cases of P008."""

from __future__ import annotations

from pedl2det.rules.cases import Case, pedl_trial

_START = """\
import tensorflow as tf
from tensorflow.keras.optimizers.legacy import Adam


"""


def _case(before: str, after: str, says: str = "", status: str = "rewritten") -> Case:
    return Case(pedl_trial(_START + before), {"net.py": _START + after}, says, status)


def _built(*lines: str) -> str:
    body = "".join(f"        {line}\n" for line in lines)
    return f"class Net:\n    def build_model(self):\n{body}"


def _build(*lines: str) -> str:
    return _built(*lines).replace("(self)", "(self, hparams)")


def _trained(model: str) -> str:
    return f"return legacy_keras.trained(self.context, {model})"


def _faithful(before: str, after: str) -> Case:
    return Case(pedl_trial(_START + before), {"net.py": _FAITHFUL_START + after})


_MAKE = "model = tf.keras.Sequential([tf.keras.layers.Dense(1)])"
_WRAP = "model = self.context.wrap_model(model)"
_OPTIMIZER = "optimizer = self.context.wrap_optimizer"
_RETURN = "return model"

_HELPER = """\
def compiled(units):
    model = tf.keras.Sequential([tf.keras.layers.Dense(units)])
    model.compile(loss="mse", optimizer="adam")
    return model


"""
_HELPED = """\
def compiled(context, units):
    model = tf.keras.Sequential([tf.keras.layers.Dense(units)])
    model = context.wrap_model(model)
    optimizer = context.wrap_optimizer(Adam())
    model.compile(loss="mse", optimizer=optimizer)
    return model


"""
_REGISTERED = """\
@registered("dense")
def dense():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile(Adam(0.1), "mse")
    return model


"""
_MADE = _REGISTERED.partition("\n")[2].replace("dense", "made")
_LOCAL = """\


def main(x, y):
    model = made()
    model.fit(x, y)


if __name__ == "__main__":
    main([[0.0]], [[1.0]])
"""
_FAITHFUL_START = _START.replace("Adam\n", "Adam\n\nimport legacy_keras\n")

_OWN_COMPILE = """\
class Pair(tf.keras.Model):
    def compile(self, first, second):
        super().compile()
        self.first, self.second = first, second


"""

_WRAPPED_PAIR = (
    _OWN_COMPILE.replace("first, second", "critic", 1).replace(
        "self.first, self.second = first, second", "self.critic = critic"
    )
    + """\
class Net(TFKerasTrial):
    def __init__(self, context):
        self.context = context

    def build_model(self):
        model = self.context.wrap_model(Pair())
        critic = self.context.wrap_optimizer(tf.keras.optimizers.SGD({lr}=0.1))
        model.compile(critic=critic)
        return model
"""
)
_WRAPPED_PAIR = (
    "import tensorflow as tf\nfrom determined.keras import TFKerasTrial\n\n\n" + _WRAPPED_PAIR
)

CASES = (
    _case(
        _build(_MAKE, 'model.compile(Adam(0.1), "mse", metrics=["mae"])', _RETURN),
        _built(
            *(_MAKE, _WRAP, f"{_OPTIMIZER}(Adam(0.1))"),
            *('model.compile(optimizer, "mse", metrics=["mae"])', _RETURN),
        ),
    ),
    _case(
        _build(_MAKE, 'model.compile(loss="mse", optimizer="adam")', _RETURN),
        _built(
            *(_MAKE, _WRAP, f"{_OPTIMIZER}(Adam())"),
            *('model.compile(loss="mse", optimizer=optimizer)', _RETURN),
        ),
    ),
    _case(
        _build(_MAKE, "opt = Adam(0.1)", 'model.compile(opt, "mse")', _RETURN),
        _built(
            *(_MAKE, "opt = Adam(0.1)", _WRAP, "opt = self.context.wrap_optimizer(opt)"),
            *('model.compile(opt, "mse")', _RETURN),
        ),
    ),
    _case(
        _build("self.net = tf.keras.Sequential()", 'self.net.compile("sgd")', "return self.net"),
        _built(
            "self.net = tf.keras.Sequential()",
            "self.net = self.context.wrap_model(self.net)",
            f"{_OPTIMIZER}(tf.keras.optimizers.legacy.SGD())",
            *("self.net.compile(optimizer)", "return self.net"),
        ),
    ),
    _case(
        _HELPER + _build("return compiled(4)"), _HELPED + _built("return compiled(self.context, 4)")
    ),
    Case(
        pedl_trial(_START + _REGISTERED + _build('return KINDS["dense"]()')),
        {"net.py": _FAITHFUL_START + _REGISTERED + _built(_trained('KINDS["dense"]()'))},
    ),
    _faithful(  # one of several
        _HELPER + _build('return compiled(8) if hparams["big"] else compiled(4)'),
        _HELPER.replace('"adam"', "Adam()")
        + _built(
            "return legacy_keras.trained(",
            '    self.context, compiled(8) if self.context.get_hparam("big") else compiled(4)',
            ")",
        ),
    ),
    _faithful(
        _build(_MAKE, "options = make_options()", "model.compile(**options)", _RETURN),
        _built(*(_MAKE, "options = make_options()"), "model.compile(**options)", _trained("model")),
    ),
    _faithful(
        _build(
            *("critic = tf.keras.Sequential()", 'critic.compile("sgd", "mse")', _MAKE),
            *('model.compile(Adam(0.1), "mse")', _RETURN),
        ),
        _built(
            "critic = tf.keras.Sequential()",
            'critic.compile(tf.keras.optimizers.legacy.SGD(), "mse")',
            *(_MAKE, 'model.compile(Adam(0.1), "mse")', _trained("model")),
        ),
    ),
    _faithful(
        _build(_MAKE, 'model.compile(Adam(), "mse")', "model.fit(x, y)", _RETURN),
        _built(_MAKE, 'model.compile(Adam(), "mse")', "model.fit(x, y)", _trained("model")),
    ),
    Case(  # the trial may build one more itself
        pedl_trial(
            _build(_MAKE, 'model.compile("sgd", "mse")', _RETURN)
            + "\n    def keras_callbacks(self, hparams):\n"
            + "        return [Tried(hparams)]\n\n\n"
            + "class Tried(tf.keras.callbacks.Callback):\n"
            + "    def __init__(self, hparams):\n"
            + "        self.model_of_other_weights = find().build_model(hparams)\n"
        ),
        {},
        "carried over as it was: the trial builds a model itself",
    ),
    _case(  # nothing is evaluated before what came before it
        _build(_MAKE, "model.compile(loss=self.loss(), optimizer=Adam(self.rate()))", _RETURN),
        _built(
            *(_MAKE, _WRAP, "model.compile("),
            "    loss=self.loss(), optimizer=self.context.wrap_optimizer(Adam(self.rate()))",
            *(")", _RETURN),
        ),
    ),
    _case(
        "import re\n\nWORD = re.compile('a', re.M)\n\n"
        + _build(_MAKE, 'model.compile(Adam(0.1), "mse"); return model'),
        "import re\n\nWORD = re.compile('a', re.M)\n\n"
        + _built(
            *(_MAKE, _WRAP, f"{_OPTIMIZER}(Adam(0.1))"),
            *('model.compile(optimizer, "mse")', "return model"),
        ),
    ),
    _faithful(_build("return elsewhere.make()"), _built(_trained("elsewhere.make()"))),
    Case(
        pedl_trial(_START + _MADE + _build("return made()") + _LOCAL),
        {"net.py": _FAITHFUL_START + _MADE + _built(_trained("made()")) + _LOCAL},
    ),
    _case(  # nothing is added to a compile of the model's own
        _OWN_COMPILE
        + _build("model = Pair()", "model.compile(Adam(0.1), second=Adam(0.2))", _RETURN),
        _OWN_COMPILE
        + _built(
            *("model = Pair()", _WRAP, "model.compile("),
            "    self.context.wrap_optimizer(Adam(0.1)),",
            "    second=self.context.wrap_optimizer(Adam(0.2)),",
            ")",
            _RETURN,
        ),
    ),
    _faithful(  # a compile of the model's own may make the optimizer itself
        _OWN_COMPILE + _build("model = Pair()", "model.compile(first=1, second=2)", _RETURN),
        _OWN_COMPILE
        + _built("model = Pair()", "model.compile(first=1, second=2)", _trained("model")),
    ),
    Case(
        {"model_def.py": _WRAPPED_PAIR.format(lr="lr")},
        {
            "model_def.py": _WRAPPED_PAIR.format(lr="learning_rate").replace(
                "tf.keras.optimizers.SGD(learning_rate=0.1)",
                "\n            tf.keras.optimizers.legacy.SGD(learning_rate=0.1)\n        ",
            )
        },
    ),
)
