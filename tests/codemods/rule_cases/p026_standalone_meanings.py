"""Cases of P026."""

from __future__ import annotations

from rule_cases.cases import Case, pedl_trial


def _case(before: str, after: str) -> Case:
    return Case(pedl_trial(before), {"net.py": after})


_COMPILED = """\
import tensorflow as tf
from keras.models import Sequential


class Net:
    def build_model(self, hparams):
        model = Sequential()
        model.compile("sgd", "hinge", metrics=["mae", "cosine"])
        return model
"""
_COMPILED_AFTER = """\
import tensorflow as tf
from tensorflow.keras.models import Sequential

import legacy_keras


class Net:
    def build_model(self):
        model = Sequential()
        model = self.context.wrap_model(model)
        optimizer = self.context.wrap_optimizer(tf.keras.optimizers.legacy.SGD())
        model.compile(
            optimizer,
            legacy_keras.standalone_losses("hinge"),
            metrics=legacy_keras.standalone_losses(["mae", "cosine"]),
        )
        return model
"""
_CONSTANT = """\
from {keras}.models import Sequential
{more}
LOSS = "hinge"


class Net:
    def build_model(self{hparams}):
        model = Sequential()
        {compile}
        return model

    def session_config(self{hparams}):
        return LOSS in ("mse", "mae")
"""
_CONSTANT_AFTER = _CONSTANT.format(
    keras="tensorflow.keras",
    more="\nimport legacy_keras\n",
    hparams="",
    compile="""model = self.context.wrap_model(model)
        optimizer = self.context.wrap_optimizer(tf.keras.optimizers.legacy.SGD())
        model.compile(optimizer, loss=legacy_keras.standalone_losses(LOSS))""",
)
_OF_A_REGISTRY = """\
import tensorflow as tf
from keras.utils import to_categorical
from nets import NETS

ROWS = to_categorical([0, 1])


class Net:
    def build_model(self, hparams):
        model = NETS[tf.keras.Model]()
        model.compile("adagrad", loss="hinge")
        return model
"""
_OF_A_REGISTRY_AFTER = """\
import tensorflow as tf
from tensorflow.keras.utils import to_categorical
from nets import NETS

ROWS = to_categorical([0, 1])


class Net:
    def build_model(self):
        model = NETS[tf.keras.Model]()
        model = self.context.wrap_model(model)
        optimizer = self.context.wrap_optimizer(
            tf.keras.optimizers.legacy.Adagrad(initial_accumulator_value=0.0)
        )
        model.compile(optimizer, loss="hinge")
        return model
"""


_NAMED_ELSEWHERE = """\
from keras import losses
from keras.models import Sequential


def build(args, options):
    model = Sequential()
    model.compile("sgd", loss=args.loss, metrics=[losses.mean_squared_error, "mae"])
    model.compile(**options)
    return losses.get(args.loss)
"""
_NAMED_ELSEWHERE_AFTER = """\
from tensorflow.keras import losses
from tensorflow.keras.models import Sequential

import legacy_keras


def build(args, options):
    model = Sequential()
    model.compile(
        legacy_keras.standalone_optimizer("sgd"),
        loss=legacy_keras.standalone_losses(args.loss),
        metrics=[losses.mean_squared_error, "mae"],
    )
    model.compile(**legacy_keras.arguments_of_standalone_optimizer(options))
    return legacy_keras.get_loss(args.loss)
"""
CASES = (
    Case(pedl_trial(_COMPILED), {"net.py": _COMPILED_AFTER}),
    _case(_NAMED_ELSEWHERE, _NAMED_ELSEWHERE_AFTER),
    _case(  # which is a name that other code compares
        "import tensorflow as tf\n"
        + _CONSTANT.format(
            keras="keras", more="", hparams=", hparams", compile='model.compile("sgd", loss=LOSS)'
        ),
        "import tensorflow as tf\n" + _CONSTANT_AFTER,
    ),
    _case(_OF_A_REGISTRY, _OF_A_REGISTRY_AFTER),
)
