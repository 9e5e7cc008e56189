"""Cases of P008."""

from __future__ import annotations

from rule_cases.cases import Case, pedl_trial

_START = """\
import tensorflow as tf
from tensorflow.keras.optimizers.legacy import Adam


"""
_FAITHFUL_START = _START.replace("Adam\n", "Adam\n\nimport legacy_keras\n")


def _case(before: str, after: str, start: str = _START) -> Case:
    return Case(pedl_trial(_START + before), {"net.py": start + after})


def _built(*lines: str) -> str:
    body = "".join(f"        {line}\n" for line in lines)
    return f"class Net:\n    def build_model(self):\n{body}"


def _build(*lines: str) -> str:
    return _built(*lines).replace("(self)", "(self, hparams)")


_MAKE = "model = tf.keras.Sequential([tf.keras.layers.Dense(1)])"
_WRAP = "model = self.context.wrap_model(model)"
_RETURN = "return model"
_TRAINED = "return legacy_keras.trained(self.context, model)"
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
_VOCABULARY = """\
class Vocabulary:
    @classmethod
    def fit(cls, texts):
        return cls()


WORDS = Vocabulary.fit(["a", "b"])


"""
_PAIR = """\
class Pair(tf.keras.Model):
    def compile(self, first, second):
        super().compile()
        self.first, self.second = first, second


"""
_BY_HAND = """\
from determined.keras import TFKerasTrial
from tensorflow import keras


class Net(TFKerasTrial):
    def __init__(self, context):
        self.context = context

    def build_model(self):
        model = self.context.wrap_model(keras.Sequential())
        opt = self.context.wrap_optimizer(
            keras.optimizers{sgd}=0.1)
        )
        model.compile(opt, "mse")
        return model
"""
#: Code that compiles a model beside that of the trial.
_CRITIC = """\
from tensorflow import keras


def critic(name):
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile({arguments})
    return model


class Net: ...
"""
_HELPER_BY_HAND = """\


def helper(name):
    model = keras.Sequential()
    model.compile({}, "mse")
    return model
"""
_OF_TODAY = _BY_HAND.format(sgd=".SGD(0.1, nesterov") + _HELPER_BY_HAND.format("name")
_ONE_MORE = """\

    def keras_callbacks(self, hparams):
        return [Tried(self.build_model(hparams))]
"""

CASES = (
    _case(  # an optimizer has a name, and another function compiles
        _HELPER + _build("return compiled(4)"), _HELPED + _built("return compiled(self.context, 4)")
    ),
    _case(  # an attribute
        _build("self.net = tf.keras.Sequential()", 'self.net.compile("sgd")', "return self.net"),
        _built(
            "self.net = tf.keras.Sequential()",
            "self.net = self.context.wrap_model(self.net)",
            "optimizer = self.context.wrap_optimizer(tf.keras.optimizers.legacy.SGD())",
            *("self.net.compile(optimizer)", "return self.net"),
        ),
    ),
    _case(  # nothing is evaluated before what came before it
        _build(_MAKE, "model.compile(loss=self.loss(), optimizer=Adam(self.rate()))", _RETURN),
        _built(
            *(_MAKE, _WRAP, "model.compile("),
            "    loss=self.loss(), optimizer=self.context.wrap_optimizer(Adam(self.rate()))",
            *(")", _RETURN),
        ),
    ),
    _case(  # an attribute may be a property
        _build(_MAKE, "model.compile(loss=self.error, optimizer=Adam(0.1))", _RETURN),
        _built(
            *(_MAKE, _WRAP),
            "model.compile(loss=self.error, optimizer=self.context.wrap_optimizer(Adam(0.1)))",
            _RETURN,
        ),
    ),
    _case(  # a compile of the model's own
        _PAIR + _build("model = Pair()", "model.compile(Adam(0.1), second=Adam(0.2))", _RETURN),
        _PAIR
        + _built(
            *("model = Pair()", "model.compile(Adam(0.1), second=Adam(0.2))", _TRAINED),
        ),
        _FAITHFUL_START,
    ),
    _case(  # one of several
        _HELPER + _build('return compiled(8) if hparams["big"] else compiled(4)'),
        _HELPER
        + _built(
            "return legacy_keras.trained(",
            '    self.context, compiled(8) if self.context.get_hparam("big") else compiled(4)',
            ")",
        ),
        _FAITHFUL_START,
    ),
    _case(  # arguments out of sight
        _build(_MAKE, "options = make_options()", "model.compile(**options)", _RETURN),
        _built(*(_MAKE, "options = make_options()"), "model.compile(**options)", _TRAINED),
        _FAITHFUL_START,
    ),
    _case(  # another class has a method of that name
        _VOCABULARY + _build(_MAKE, 'model.compile(Adam(), "mse")', _RETURN),
        _VOCABULARY
        + _built(
            *(_MAKE, _WRAP, "optimizer = self.context.wrap_optimizer(Adam())"),
            *('model.compile(optimizer, "mse")', _RETURN),
        ),
    ),
    _case(  # the trial fits it, too
        _build(_MAKE, 'model.compile(Adam(), "mse")', "model.fit(x, y)", _RETURN),
        _built(_MAKE, 'model.compile(Adam(), "mse")', "model.fit(x, y)", _TRAINED),
        _FAITHFUL_START,
    ),
    Case(
        pedl_trial(_START + _build(_MAKE, 'model.compile("sgd", "mse")', _RETURN) + _ONE_MORE),
        {},
        says="carried over unchanged: the trial builds a model itself",
    ),
    Case(  # wrapped by hand
        {"model_def.py": _BY_HAND.format(sgd=".SGD(lr")},
        {"model_def.py": _BY_HAND.format(sgd=".legacy.SGD(learning_rate")},
    ),
    *(  # the harness compiles the model of the trial
        Case(
            pedl_trial(_CRITIC.format(arguments=before), "KerasTrial"),
            {
                "net.py": _CRITIC.replace(
                    "keras\n\n", "keras\n\nimport legacy_keras\n\n", 1
                ).format(arguments=after)
            },
        )
        for before, after in (
            ('"sgd", "mse"', 'legacy_keras.optimizer("sgd"), "mse"'),
            ('name, "mse"', 'legacy_keras.optimizer(name), "mse"'),
            ('loss="mse"', 'loss="mse", optimizer=legacy_keras.optimizer("rmsprop")'),
        )
    ),
    Case(
        pedl_trial(_CRITIC.format(arguments="keras.optimizers.legacy.SGD()"), "KerasTrial"),
        {"net.py": _CRITIC.format(arguments="keras.optimizers.legacy.SGD()")},
    ),
    Case(  # wrapped by hand, with one more model
        {"model_def.py": _BY_HAND.format(sgd=".SGD(lr") + _HELPER_BY_HAND.format("name")},
        {
            "model_def.py": _BY_HAND.replace(
                "keras\n\n", "keras\n\nimport legacy_keras\n\n", 1
            ).format(sgd=".legacy.SGD(learning_rate")
            + _HELPER_BY_HAND.format("legacy_keras.optimizer(name)")
        },
    ),
    Case(  # written for a Keras of which the names mean what they do today
        {"model_def.py": _OF_TODAY},
        {"model_def.py": _OF_TODAY},
    ),
    _case(
        "import re\n\nWORD = re.compile('a', re.M)\n", "import re\n\nWORD = re.compile('a', re.M)\n"
    ),
)
