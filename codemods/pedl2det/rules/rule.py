"""What a rule is: its name, its reason, its safety, its evidence, and how it plans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from pedl2det.facts.project import Generation, TrialProject
from pedl2det.plan import Plan

Files = dict[str, str]

#: Rules that are for every trial that has something to migrate.
ALL = tuple(Generation)

#: Rules that are for every trial that is a class.
CLASSES = (Generation.PEDL, Generation.EARLY, Generation.CURRENT)

#: Rules that are for code whose harness is gone, and for trial classes of that time.
OLD = (Generation.PEDL, Generation.SCRIPT, Generation.EARLY)
OLD_CLASSES = (Generation.PEDL, Generation.EARLY)

#: Rules that are for code that ran under PEDL.
UNDER_PEDL = (Generation.PEDL, Generation.SCRIPT)

#: Rules that are for scripts.
SCRIPTS = (Generation.SCRIPT,)


class Safety(Enum):
    """What a rule may do to the training."""

    SAFE = "trains the same"
    CHANGES = "changes what is trained, and says so"
    PERSON = "leaves the decision to a person"


@dataclass(frozen=True)
class Case:
    """A small trial before and after one rule alone.

    Attributes:
        before: its files by name.
        after: the files that the rule changes; empty where it must not change any.
        says: a part of what the rule says when it leaves the decision to a person, or notes.
    """

    before: Files
    after: Files
    says: str = ""


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        id: its code, as reports print it.
        name: its name in words.
        doc: what it rewrites to what, and why.
        safety: what it may do to the training.
        plan: adds what it wants to a plan.
        cases: its evidence; the first is its example in the docs.
        generations: the trials that it is for.
    """

    id: str
    name: str
    doc: str
    safety: Safety
    plan: Callable[[TrialProject, Plan], None]
    cases: tuple[Case, ...]
    generations: tuple[Generation, ...] = (Generation.PEDL,)


def trial(body: str, imports: str = "from pedl.frameworks.keras import TFKerasTrial") -> Files:
    """The files of a small trial with this class body, for a :class:`Case`."""
    return {"model_def.py": f"{imports}\n\n\nclass T(TFKerasTrial):\n{_indented(body)}"}


def early(body: str, imports: str = "from determined.keras import TFKerasTrial") -> Files:
    """The files of a small trial of Determined 0.12, whose config counts in steps."""
    code = f"{imports}\n\n\nclass T(TFKerasTrial):\n{_indented(body)}"
    config = "hyperparameters: {}\nsearcher: {name: single, metric: val_loss, max_steps: 1}\n"
    return {"model_def.py": code, "const.yaml": f"{config}entrypoint: model_def:T\n"}


def keras_trial(body: str, base: str = "KerasTrial") -> Files:
    """The files of a small ``KerasTrial`` with this class body, for a :class:`Case`."""
    imports = (
        "import tensorflow as tf\n"
        "from tensorflow.keras.metrics import binary_accuracy, categorical_accuracy\n"
        f"from pedl.frameworks.keras import {base}"
    )
    return {"model_def.py": f"{imports}\n\n\nclass T({base}):\n{_indented(body)}"}


def loaders(body: str, imports: str) -> Files:
    """The files of a trial whose ``make_data_loaders`` has this body, for a :class:`Case`."""
    code = f"{imports}\n\n\ndef make_data_loaders(experiment_config, hparams):\n{_indented(body)}"
    return trial("pass\n") | {"data.py": code}


def _indented(body: str) -> str:
    return "".join(f"    {line}" if line.strip() else line for line in body.splitlines(True))
