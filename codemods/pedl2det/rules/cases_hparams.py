"""The cases of P003."""

from __future__ import annotations

from pedl2det.rules.cases import Case, pedl_trial

_KEYS = """\
class Net:
    def session_config(self, hparams):
        self.rows = 10 * hparams["batch_size"]
        patience = hparams.get("patience", 3)
        return configured(hparams["rate"], patience)
"""
_KEYS_AFTER = """\
class Net:
    def session_config(self):
        self.rows = 10 * self.context.get_per_slot_batch_size()
        patience = self.context.get_hparams().get("patience", 3)
        return configured(self.context.get_hparam("rate"), patience)
"""
_CHANGED = """\
class Net:
    def session_config(self, hparams):
        hparams["rate"] *= 2
        return configured(hparams["rate"])
"""
_HANDED_ON = """\
class Net:
    def session_config(self, hparams):
        return configured(**hparams)
"""
_HANDED_ON_AFTER = """\
import legacy_keras


class Net:
    def session_config(self):
        return configured(**legacy_keras.get_hyperparameters())
"""
_ANOTHER_NAME = """\
class Net:
    def _configured(self, hparams):
        return configured(hparams["rate"])

    session_config = _configured
"""
_ANOTHER_NAME_AFTER = """\
class Net:
    def _configured(self):
        return configured(self.context.get_hparam("rate"))

    session_config = _configured
"""
_ANYTHING = """\
class Net:
    def session_config(self, *args):
        return configured(args[0]["rate"])
"""
_BUILT = """\
class Net:
    def __init__(self, *args):
        super().__init__(*args)
        self.rate = args[0]["rate"]
"""
_FUNCTION = """\
def watch(self, hparams):
    return [Watch(hparams["rate"])]


class Net:
    keras_callbacks = watch
"""
_ANY_KEY = """\
class Net:
    def session_config(self, hparams):
        return [configured(hparams[key]) for key in KEYS]
"""
_ANY_KEY_AFTER = """\
import legacy_keras


class Net:
    def session_config(self):
        return [configured(legacy_keras.get_hyperparameters()[key]) for key in KEYS]
"""
_DECORATED = """\
class Net:
    @logged
    def session_config(self, hparams):
        return configured(hparams["rate"])
"""
_DECORATED_AFTER = """\
import legacy_keras


class Net:
    @logged
    def _session_config_from_hparams(self, hparams):
        return configured(hparams["rate"])

    def session_config(self):
        return self._session_config_from_hparams(legacy_keras.get_hyperparameters())
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
    def session_config(self{hparams}):
        return configured({rate})
"""
_TIMED_AFTER = (
    _TIMED.format(hparams=", hparams", rate='hparams["rate"]')
    .replace("function(*", "call(*")
    .replace("def session_config", "def _session_config_from_hparams")
    .replace("import time\n", "import time\n\nimport legacy_keras\n")
    + """
    def session_config(self):
        return self._session_config_from_hparams(legacy_keras.get_hyperparameters())
"""
)
_OWN_METHOD = """\
class Net:
    def watches(self, hparams):
        return configured(hparams["rate"])
"""


def _case(before: str, after: str) -> Case:
    return Case(pedl_trial(before), {"net.py": after})


CASES = (
    _case(_KEYS, _KEYS_AFTER),
    _case(_HANDED_ON, _HANDED_ON_AFTER),
    _case(_ANY_KEY, _ANY_KEY_AFTER),
    _case(_DECORATED, _DECORATED_AFTER),
    _case(
        _TIMED.format(hparams=", hparams", rate='hparams["rate"]').replace("function(*", "call(*"),
        _TIMED_AFTER,
    ),
    _case(_OWN_METHOD, _OWN_METHOD),
    Case(pedl_trial(_ANOTHER_NAME), {"net.py": _ANOTHER_NAME_AFTER}),
    Case(pedl_trial(_CHANGED), {}, "carried over as it was: hparams is changed"),
    Case(pedl_trial(_ANYTHING), {}, "carried over as it was: session_config reads"),
    Case(pedl_trial(_BUILT), {}, "carried over as it was: __init__ reads the hyperparameters"),
    Case(pedl_trial(_FUNCTION), {}, "carried over as it was: keras_callbacks is bound to"),
)
