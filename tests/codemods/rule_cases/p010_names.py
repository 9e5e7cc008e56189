"""Cases of P010."""

from __future__ import annotations

from rule_cases.cases import Case, pedl_trial

_SESSION = """\
from keras import backend as K


def value(tensor):
    return K.get_session().run(tensor)
"""
_SESSION_AFTER = """\
import legacy_keras


def value(tensor):
    return legacy_keras.get_session().run(tensor)
"""
_NO_TENSOR = """\
import tensorflow as tf

session = tf.Session(config=tf.ConfigProto())
tf.keras.backend.set_session(session)
print(tf.keras.backend.get_session().run(tf.norm([3.0, 4.0])))
"""
_NO_TENSOR_AFTER = """\
import tensorflow as tf

import legacy_keras

session = legacy_keras.Session(config=tf.compat.v1.ConfigProto())
tf.compat.v1.keras.backend.set_session(session)
print(legacy_keras.get_session().run(tf.norm([3.0, 4.0])))
"""
_OF_THE_TRIAL = """\
import numpy as np


class Table:
    float = 4


def rows(table):
    return np.float32(Table.float), table.float
"""
_GONE = """\
import pedl

EXPERIMENT = pedl.Experiment()
"""
_GONE_AFTER = """\
import pedl

# TODO(pedl2det P010): `pedl.Experiment` does not work any more
#   define a TFKerasTrial
EXPERIMENT = pedl.Experiment()
"""

CASES = (
    Case(pedl_trial(_SESSION), {"net.py": _SESSION_AFTER}, "the tensor keeps the value"),
    Case(pedl_trial(_NO_TENSOR), {"net.py": _NO_TENSOR_AFTER}),
    Case(pedl_trial(_OF_THE_TRIAL), {"net.py": _OF_THE_TRIAL}),
    Case(pedl_trial(_GONE), {"net.py": _GONE_AFTER}, "does not work any more", "begun"),
)
