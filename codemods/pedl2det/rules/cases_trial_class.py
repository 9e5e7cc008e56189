"""The cases of P001."""

from __future__ import annotations

from pedl2det.rules.cases import Case, Files, pedl_trial

_OLD_IMPORT = "from pedl.frameworks.keras import TFKerasTrial\n"
_IMPORTS = """\
from functools import cached_property

from determined.keras import TFKerasTrial, TFKerasTrialContext

from data import make_data_loaders
"""
_LOADERS = '''
    @cached_property
    def data_loaders(self):
        """Training and validation data, from one call: they may share one shuffle."""
        return make_data_loaders(self.context)

    def build_training_data_loader(self):
        training, _ = self.data_loaders
        return training

    def build_validation_data_loader(self):
        _, validation = self.data_loaders
        return validation
'''
_KEEP = """\
        self.context = context
        context.configure_fit(shuffle=False)
"""

_GIVEN = """

class Trial(TFKerasTrial):
    def __init__(self, hparams):
        self.width = hparams["width"]
"""
_GIVEN_AFTER = f"""

class Trial(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext):
{_KEEP}\
        self.width = context.get_hparam("width")
"""
_NONE = '''

class Trial(TFKerasTrial):
    """One layer."""

    width = 4
'''
_NONE_AFTER = f"""{_NONE}
    def __init__(self, context: TFKerasTrialContext) -> None:
{_KEEP}"""
_TWO = """

class Base(TFKerasTrial):
    def __init__(self, hparams, scale=1):
        TFKerasTrial.__init__(self, hparams)
        self.scale = scale
{loaders}

class Trial(Base):
    def __init__(self, hparams):
        super().__init__(hparams)
"""
_TWO_AFTER = f"""

class Base(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext, scale=1):
{_KEEP}\
        TFKerasTrial.__init__(self, context)
        self.scale = scale
{_LOADERS}

class Trial(Base):
    def __init__(self, context: TFKerasTrialContext):
        super().__init__(context)
"""
_DECORATED = """

class Trial(TFKerasTrial):
    @logged
    def __init__(self, hparams):
        super().__init__(hparams)
        self.width = hparams["width"]
"""
_MIGRATED = """\
from determined.keras import TFKerasTrial, TFKerasTrialContext


class Trial(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
"""


def _trial(code: str) -> Files:
    return {"model_def.py": _OLD_IMPORT + code, "data.py": pedl_trial("")["data.py"]}


def _case(before: str, after: str) -> Case:
    return Case(_trial(before), {"model_def.py": after})


CASES = (
    _case(_GIVEN, _IMPORTS + _GIVEN_AFTER + _LOADERS),
    _case(_NONE, _IMPORTS + _NONE_AFTER + _LOADERS),
    _case(_TWO.format(loaders=""), _IMPORTS + _TWO_AFTER),
    Case(  # more than the hyperparameters
        _trial(_TWO.format(loaders="").replace("(hparams)\n", "(hparams, scale=2)\n")),
        {},
        "carried over as it was: a constructor of the trial gets more",
    ),
    Case(_trial(_DECORATED), {}, "carried over as it was: a decorator of __init__ is called"),
    Case({"model_def.py": _MIGRATED}, {"model_def.py": _MIGRATED}),
)
