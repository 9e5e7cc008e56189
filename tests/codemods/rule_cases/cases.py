"""The cases of a rule: small trials before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Files = Mapping[str, str]


@dataclass(frozen=True)
class Case:
    """A whole small trial, and what ``migrate`` makes of it.

    Attributes:
        before: the files of the trial, by path.
        after: the new text of the files that the case is about; a file that the case does not
            name is not compared.
        says: a part of what is reported.
        status: how far the migration gets: ``rewritten`` or ``begun``.
    """

    before: Files
    after: Files
    says: str = ""
    status: str = "rewritten"


def case_of(example: str, around: Files | None) -> Case:
    """A case by what changes in it, as the example of a rule shows it.

    Args:
        example: a diff of whole files, with ``!`` before what is reported.
        around: what else the trial has; None for a trial of PEDL that imports ``net.py``.
    """
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    says = name = ""
    for line in example.splitlines(keepends=True):
        sign, text = line[:1], line[2:] or "\n"
        if line.startswith("--- "):
            name = line[4:].strip()
            before[name] = after[name] = ""
        elif sign == "!":
            says = text.strip()
        else:
            before[name] += text if sign != "+" else ""
            after[name] += text if sign != "-" else ""
    around = pedl_trial(before.get("net.py", "")) if around is None else around
    return Case({**around, **before}, after, says)


_TRIAL = """\
from pedl.frameworks.keras import {base}

import net
from net import *


class Trial({bases}):
    pass
"""
_LOADERS = """\
from rows import rows


def make_data_loaders(experiment_config, hparams):
    return rows("train", hparams["batch_size"]), rows("test", hparams["batch_size"])
"""


def pedl_trial(code: str, base: str = "TFKerasTrial", **modules: str) -> dict[str, str]:
    """A trial of PEDL with some code in ``net.py``.

    Args:
        code: the code. A class ``Net`` in it is a mixin of the trial.
        base: the trial's base class.
        modules: the code of other modules.
    """
    bases = f"net.Net, {base}" if "class Net" in code else base
    files = {"model_def.py": _TRIAL.format(base=base, bases=bases), "data.py": _LOADERS}
    return files | {"net.py": code} | {f"{name}.py": text for name, text in modules.items()}


_MIGRATED = '''\
from functools import cached_property

from determined.keras import TFKerasTrial, TFKerasTrialContext

{first}import net
from data import make_data_loaders
from net import *


class Trial(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        context.configure_fit(shuffle=False)
{lines}
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


def migrated_pedl_trial(*said: str) -> dict[str, str]:
    """The file of that trial after the migration, whose constructor says lines of the pieces."""
    lines = "".join(f"        legacy_keras.{name}()\n" for name in said)
    return {
        "model_def.py": _MIGRATED.format(first="import legacy_keras\n" * bool(said), lines=lines)
    }
