"""Cases of P001."""

from __future__ import annotations

from rule_cases.cases import Case, Files, case_of, pedl_trial
from rule_cases.small_trials import LOADER_METHODS

_OLD_IMPORT = "from pedl.frameworks.keras import TFKerasTrial\n"
_IMPORTS = """\
from functools import cached_property

from determined.keras import TFKerasTrial, TFKerasTrialContext

from data import make_data_loaders
"""
_LOADERS = "\n" + LOADER_METHODS.replace("TRAINING", "training").replace("VALIDATION", "validation")
_KEEP = """\
        self.context = context
        context.configure_fit(shuffle=False)
"""
_TWO = """

class Base(TFKerasTrial):
    def __init__(self, hparams, scale=1):
        TFKerasTrial.__init__(self, hparams)
        self.width = scale * hparams["width"]


class Trial(Base):
    def __init__(self, hparams):
        super().__init__(hparams)
"""
_TWO_AFTER = f"""

class Base(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext, scale=1):
{_KEEP}\
        TFKerasTrial.__init__(self, context)
        self.width = scale * context.get_hparam("width")
{_LOADERS}

class Trial(Base):
    def __init__(self, context: TFKerasTrialContext):
        super().__init__(context)
"""
_MIGRATED = """\
from determined.keras import TFKerasTrial, TFKerasTrialContext


class Trial(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
"""
_MADE_ITSELF = """

class Trial(TFKerasTrial):
    def __new__(cls, hparams):
        return super().__new__(cls)
"""
_CLASS_WITHIN = """

class Trial(TFKerasTrial):
    def __init__(self, hparams):
        class Watch(list):
            def __init__(self):
                super().__init__()
                self.rate = hparams["rate"]

        self.watch = Watch

    def session_config(self, hparams):
        return super().session_config(hparams)
"""
_CLASS_WITHIN_AFTER = f"""

class Trial(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext):
{_KEEP}\
        hparams = context.get_hparams()
        class Watch(list):
            def __init__(self):
                super().__init__()
                self.rate = hparams["rate"]

        self.watch = Watch

    def session_config(self):
        return super().session_config()
{_LOADERS}"""


def _trial(code: str) -> Files:
    return {"model_def.py": _OLD_IMPORT + code, "data.py": pedl_trial("")["data.py"]}


_LOCAL = """\
--- test_net.py
+ import legacy_keras
  from model_def import Net


  def test_the_model_has_one_layer():
-     trial = Net(hparams={"units": 2})
+     trial = Net(legacy_keras.local_context({"units": 2}))
-     assert len(trial.build_model({"units": 2}).layers) == 1
+     assert len(trial.build_model().layers) == 1
"""
_MADE = """\
import tensorflow as tf
from rows import rows

from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([tf.keras.layers.Dense(hparams["units"])])
        model.compile(tf.keras.optimizers.SGD(0.1), "mse")
        return model


def make_data_loaders(experiment_config, hparams):
    return rows("train", hparams["batch_size"]), rows("test", hparams["batch_size"])
"""
_OTHER = """\
from model_def import Net, Other


def both(given, more):
    return {trial}, Other().build_model(1)
"""

AROUND = {
    "model_def.py": """\
from net import Net
from rows import load


def make_data_loaders(experiment_config, hparams):
    return load(0), load(1)


class Trial(Net):
    pass
"""
}
CASES = (
    case_of(_LOCAL, {"model_def.py": _MADE}),
    Case(  # another class of the project
        {
            "model_def.py": _MADE + "\n\nclass Other:\n    pass\n\n\nother = Other()\n",
            "test_net.py": _OTHER.format(trial="Net(given)"),
        },
        {
            "test_net.py": "import legacy_keras\n"
            + _OTHER.format(trial="Net(legacy_keras.local_context(given))")
        },
    ),
    Case(
        {"model_def.py": _MADE, "test_net.py": _OTHER.format(trial="Net(given, **more)")},
        {},
        "a trial is made with arguments other",
    ),
    Case(_trial(_TWO), {"model_def.py": _IMPORTS + _TWO_AFTER}),
    Case(
        _trial(_TWO.replace("(hparams)\n", "(hparams, scale=2)\n")),
        {},
        "carried over unchanged: a constructor is called with more",
    ),
    Case(
        _trial(
            _TWO.replace(
                "    def __init__(self, hparams):", "    @logged\n    def __init__(self, hparams):"
            )
        ),
        {},
        "a decorator calls __init__ with the hyperparameters",
    ),
    Case(_trial(_MADE_ITSELF), {}, "carried over unchanged: a trial is made by its own `__new__`"),
    Case(_trial(_CLASS_WITHIN), {"model_def.py": _IMPORTS + _CLASS_WITHIN_AFTER}),
    Case({"model_def.py": _MIGRATED}, {"model_def.py": _MIGRATED}),
)
