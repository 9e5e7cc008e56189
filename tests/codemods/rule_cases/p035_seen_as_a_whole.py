"""Cases of P035."""

from __future__ import annotations

from rule_cases.cases import Case, migrated_pedl_trial, pedl_trial

_NET = """\
from operator import methodcaller


class Net:
    def session_config(self, hparams):
        print({code})
"""
_GUARDED = """\
try:
    import pedl
except ImportError:
    pedl = None


def width():
    return 4 if pedl is None else pedl.get_hyperparameter("width")
"""
_GUARDED_AFTER = """\
import legacy_keras

try:
    pass
except ImportError:
    pedl = None


def width():
    return 4 if True is None else legacy_keras.get_hyperparameter("width")
"""


def _case(code: str, says: str) -> Case:
    return Case(pedl_trial(_NET.format(code=code)), {}, f"carried over unchanged: {says}")


_NOTED = """\
class Note:
    def __init__(self, trial):
        self.trial = trial

    def noted(self):
        return vars(self.trial)
"""
_SETTINGS = """\
class Settings:
    def __init__(self, **options):
        self.__dict__.update(options)

    def __repr__(self):
        return str(vars(self))
"""
#: Functions that no rewrite changes, and one that gets the context.
_REGISTRY = """\
import blocks


def net(x):
    return getattr(blocks, "small")(x)
"""
_BLOCKS = "def small(x):\n    return x\n"
_OF_HPARAMS = "import pedl\n\n\ndef small(x):\n    return x * pedl.get_hyperparameter('units')\n"
_GIVEN = """\
from shared import shared_callbacks


class Net:
    keras_callbacks = shared_callbacks
"""
_SAYS = "carried over unchanged: "
CASES = (
    Case(pedl_trial(_REGISTRY, blocks=_BLOCKS), migrated_pedl_trial()),
    Case(pedl_trial(_REGISTRY, blocks=_OF_HPARAMS), {}, f"{_SAYS}`getattr(blocks, 'small')`"),
    Case(pedl_trial(_NOTED), {}, f"{_SAYS}`vars(self.trial)` reaches names"),
    Case(pedl_trial(_SETTINGS), {"net.py": _SETTINGS} | migrated_pedl_trial()),
    Case(pedl_trial(_GIVEN), {}, f"{_SAYS}`keras_callbacks = shared_callbacks` makes a method"),
    _case("**vars(self)", "`vars(self)` reaches names"),
    Case(pedl_trial(_GUARDED), {"net.py": _GUARDED_AFTER}),
    _case("methodcaller('build_model', {'units': 2})(super())", "`methodcaller('build_model'"),
)
