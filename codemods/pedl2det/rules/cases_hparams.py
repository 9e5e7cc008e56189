"""The cases of P003."""

from __future__ import annotations

from pedl2det.rules.cases import Case, pedl_trial

_KEYS = """\
class Net:
    def keras_callbacks(self, hparams):
        self.rows = 10 * hparams["batch_size"]
        patience = hparams.get("patience", 3)
        return [Watch(hparams["rate"], patience)]
"""
_KEYS_AFTER = """\
class Net:
    def keras_callbacks(self):
        self.rows = 10 * self.context.get_per_slot_batch_size()
        patience = self.context.get_hparams().get("patience", 3)
        return [Watch(self.context.get_hparam("rate"), patience)]
"""
_CHANGED = """\
class Net:
    def keras_callbacks(self, hparams):
        hparams["rate"] *= 2
        return [Watch(hparams["rate"])]
"""
_CHANGED_AFTER = """\
class Net:
    def keras_callbacks(self):
        hparams = dict(self.context.get_hparams())
        hparams["rate"] *= 2
        return [Watch(hparams["rate"])]
"""
_HANDED_ON = """\
class Net:
    def keras_callbacks(self, hparams):
        return [Watch(**hparams)]
"""
_HANDED_ON_AFTER = """\
import legacy_keras


class Net:
    def keras_callbacks(self):
        return [Watch(**legacy_keras.get_hyperparameters())]
"""
_ANY_KEY = """\
class Net:
    def keras_callbacks(self, hparams):
        return [Watch(hparams[key]) for key in KEYS]
"""
_ANY_KEY_AFTER = """\
import legacy_keras


class Net:
    def keras_callbacks(self):
        return [Watch(legacy_keras.get_hyperparameters()[key]) for key in KEYS]
"""
_DECORATED = """\
class Net:
    @logged
    def keras_callbacks(self, hparams):
        return [Watch(hparams["rate"])]
"""
_DECORATED_AFTER = """\
import legacy_keras


class Net:
    @logged
    def _keras_callbacks_from_hparams(self, hparams):
        return [Watch(hparams["rate"])]

    def keras_callbacks(self):
        return self._keras_callbacks_from_hparams(legacy_keras.get_hyperparameters())
"""
_POPPED = """\
class Net:
    def keras_callbacks(self, hparams):
        rate = hparams.pop("rate")
        hparams.update(decay=rate / 2)
        return [Watch(rate), Watch(hparams["decay"])]
"""
_POPPED_AFTER = """\
class Net:
    def keras_callbacks(self):
        hparams = dict(self.context.get_hparams())
        rate = hparams.pop("rate")
        hparams.update(decay=rate / 2)
        return [Watch(rate), Watch(hparams["decay"])]
"""
_SHARED = """\
class Net:
    def session_config(self, hparams):
        hparams["rate"] *= 2

    def keras_callbacks(self, hparams):
        return [Watch(hparams["rate"])]
"""
_SHARED_AFTER = """\
import legacy_keras


class Net:
    def session_config(self):
        hparams = legacy_keras.shared_hyperparameters()
        hparams["rate"] *= 2

    def keras_callbacks(self):
        hparams = legacy_keras.shared_hyperparameters()
        return [Watch(hparams["rate"])]
"""
_TIMED = """\
import functools
import time


def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        start = time.time()
        try:
            return function(*args, **kwargs)
        finally:
            print(function.__name__, time.time() - start)

    return wrapper


class Net:
    @timed
    def keras_callbacks(self{hparams}):
        return [Watch({rate})]
"""
_TIMED_AFTER = (
    _TIMED.format(hparams=", hparams", rate='hparams["rate"]')
    .replace("function(*", "call(*")
    .replace("def keras_callbacks", "def _keras_callbacks_from_hparams")
    .replace("import time\n", "import time\n\nimport legacy_keras\n")
    + """
    def keras_callbacks(self):
        return self._keras_callbacks_from_hparams(legacy_keras.get_hyperparameters())
"""
)
_OWN_METHOD = """\
class Net:
    def watches(self, hparams):
        return [Watch(hparams["rate"])]
"""


def _case(before: str, after: str) -> Case:
    return Case(pedl_trial(before), {"net.py": after})


CASES = (
    _case(_KEYS, _KEYS_AFTER),
    _case(_CHANGED, _CHANGED_AFTER),
    _case(_POPPED, _POPPED_AFTER),
    _case(_SHARED, _SHARED_AFTER),
    _case(_HANDED_ON, _HANDED_ON_AFTER),
    _case(_ANY_KEY, _ANY_KEY_AFTER),
    _case(_DECORATED, _DECORATED_AFTER),
    _case(
        _TIMED.format(hparams=", hparams", rate='hparams["rate"]'),
        _TIMED.format(hparams="", rate='self.context.get_hparam("rate")'),
    ),
    _case(
        _TIMED.format(hparams=", hparams", rate='hparams["rate"]').replace("function(*", "call(*"),
        _TIMED_AFTER,
    ),
    _case(_OWN_METHOD, _OWN_METHOD),
)
