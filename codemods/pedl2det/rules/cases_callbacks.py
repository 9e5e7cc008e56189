"""The cases of P011."""

from __future__ import annotations

import textwrap

from pedl2det.rules.cases import Case, pedl_trial

_KERAS = "from tensorflow.keras.callbacks import {names}"
_DETERMINED = "from determined.keras.callbacks import {names}"
_MODEL = """\
import tensorflow as tf


def top_acc(y_true, y_pred):
    return y_true


def compiled():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.Adam(), "mse", metrics=["accuracy", top_acc])
    return model
"""
_NET = """\
{imports}
from models import compiled
{constant}

class Net:
    def build_model(self{hparams}):
        return compiled({context})

    def keras_callbacks(self{hparams}):
"""


def _case(before: str, after: str, says: str = "", **modules: str) -> Case:
    old, new = before.replace("{hparams}", ", hparams"), after.replace("{hparams}", "")
    return Case(pedl_trial(old, **modules), {"net.py": new}, says)


_WATCHING = """\
from tensorflow.keras.callbacks import EarlyStopping


class Net:
    def keras_callbacks(self{hparams}):
        return [EarlyStopping(monitor="val_loss", patience=2)]
"""
_WATCHING_AFTER = _WATCHING.replace("tensorflow.keras", "determined.keras")
_BY_EPOCH = """\
from tensorflow.keras.callbacks import LearningRateScheduler


class Net:
    def keras_callbacks(self, hparams):
        return [LearningRateScheduler(lambda epoch: 0.1 / (1 + epoch))]
"""
_BY_EPOCH_AFTER = """\
from tensorflow.keras.callbacks import LearningRateScheduler

import legacy_keras


class Net:
    def keras_callbacks(self):
        return legacy_keras.with_epoch_logs(
            self.context,
            [LearningRateScheduler(lambda epoch: 0.1 / (1 + epoch))],
            self.data_loaders[0],
        )
"""
_BY_BATCH = """\
from tensorflow.keras.callbacks import TerminateOnNaN


class Net:
    def keras_callbacks(self{hparams}):
        return [TerminateOnNaN()]
"""


def _monitored(
    before: str,
    after: str,
    says: str,
    imports: tuple[str, str],
    constant: tuple[str, str] = ("", ""),
) -> Case:
    """A case of a trial that compiles elsewhere: imports, a constant, and its callbacks."""
    old = _NET.format(imports=imports[0], constant=constant[0], hparams=", hparams", context="")
    new = _NET.format(imports=imports[1], constant=constant[1], hparams="", context="self.context")
    files = pedl_trial(old + _indented(before), models=_MODEL)
    return Case(files, {"net.py": new + _indented(after)}, says)


def _indented(code: str) -> str:
    return textwrap.indent(code, 8 * " ")


_BOTH = "EarlyStopping, ReduceLROnPlateau"
_STOPPING = _KERAS.format(names="EarlyStopping")
_STOPPING_AFTER = _DETERMINED.format(names="EarlyStopping")
_LEGACY = "\n\nimport legacy_keras"
_RENAMED = "monitor: what was reported as val_acc is val_accuracy"
_BY_NAME = _monitored(
    'return [EarlyStopping("val_acc"), ReduceLROnPlateau(monitor=WATCHED)]\n',
    'return [EarlyStopping("val_accuracy"), ReduceLROnPlateau(monitor=WATCHED)]\n',
    _RENAMED,
    (_KERAS.format(names=_BOTH), _DETERMINED.format(names=_BOTH)),
    ('\nWATCHED = "val_acc"\n', '\nWATCHED = "val_accuracy"\n'),
)
_BY_SHARED_NAME = _monitored(
    "print(WATCHED)\nreturn [EarlyStopping(WATCHED)]\n",
    'print(WATCHED)\nreturn [EarlyStopping("val_accuracy")]\n',
    _RENAMED,
    (_STOPPING, _STOPPING_AFTER),
    ('\nWATCHED = "val_acc"\n', '\nWATCHED = "val_acc"\n'),
)
_UNSEEN_METRIC = _monitored(
    'return [EarlyStopping("val_auc"), EarlyStopping("val_top_acc")]\n',
    'return [EarlyStopping("val_auc"), EarlyStopping("val_top_acc")]\n',
    "EarlyStopping acts after each validation that reports val_auc",
    (_STOPPING, _STOPPING_AFTER),
)
_BOTH_KINDS = _monitored(
    'return [EarlyStopping("val_loss"), EarlyStopping("acc")]\n',
    """\
return legacy_keras.with_epoch_logs(
    self.context,
    [
        determined.keras.callbacks.EarlyStopping("val_loss"),
        EarlyStopping("accuracy"),
    ],
    self.data_loaders[0],
)
""",
    "EarlyStopping acts after each validation",
    (_STOPPING, f"import determined.keras\n{_STOPPING}{_LEGACY}"),
)
_CHECKPOINT = _monitored(
    'return [ModelCheckpoint("best", "val_acc", save_best_only=True)]\n',
    """\
return legacy_keras.with_epoch_logs(
    self.context,
    [ModelCheckpoint("best", "val_accuracy", save_best_only=True)],
    self.data_loaders[0],
)
""",
    "it never gets it and never acts, as before",
    (_KERAS.format(names="ModelCheckpoint"), _KERAS.format(names="ModelCheckpoint") + _LEGACY),
)

CASES = (
    _case(_WATCHING, _WATCHING_AFTER, "EarlyStopping acts after each validation"),
    _case(_BY_EPOCH, _BY_EPOCH_AFTER, "set records_per_epoch"),
    _case(_BY_BATCH, _BY_BATCH),
    _BY_NAME,
    _BY_SHARED_NAME,
    _UNSEEN_METRIC,
    _BOTH_KINDS,
    _CHECKPOINT,
)
