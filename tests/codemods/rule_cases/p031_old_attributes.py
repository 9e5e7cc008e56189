"""Cases of P031."""

from __future__ import annotations

from rule_cases.cases import Case, pedl_trial

_ANY = """\
def depth(x, model):
    return x.shape[-1].value, model.predict_classes(x, verbose=1), model.predict_proba(x)
"""
_ANY_AFTER = """\
import legacy_keras


def depth(x, model):
    return (
        legacy_keras.dimension(x.shape[-1]),
        legacy_keras.predict_classes(model, x, verbose=1),
        legacy_keras.predict_proba(model, x),
    )
"""
_OTHER = """\
def first(enum, forest, x):
    return enum[0].value, forest.predict_proba(x)
"""
_NAMED = """\
import keras


def net(name):
    model = keras.models.Sequential()
    model.name = name or "net"
    return model
"""
_NAMED_AFTER = """\
from tensorflow import keras

import legacy_keras


def net(name):
    model = keras.models.Sequential()
    legacy_keras.set_name(model, name or "net")
    return model
"""
_UPDATES = """\
class Averaged(layers.Layer):
    def call(self, x):
        self.add_update([K.update(self.mean, x)], x)
        self.add_loss(K.sum(x))
        return x
"""

CASES = (
    Case(pedl_trial(_UPDATES), {"net.py": _UPDATES.replace("], x)", "])")}),
    Case(pedl_trial(_NAMED), {"net.py": _NAMED_AFTER}),
    Case(pedl_trial(_ANY), {"net.py": _ANY_AFTER}),
    Case(pedl_trial(_OTHER), {"net.py": _OTHER}),
)
