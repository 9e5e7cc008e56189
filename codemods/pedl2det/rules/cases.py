"""The cases of a rule: small trials before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pedl2det.fixes import Form

Files = Mapping[str, str]


@dataclass(frozen=True)
class Case:
    """A whole small trial, and what ``migrate`` makes of it.

    Attributes:
        before: the files of the trial, by path.
        after: the new text of the files that the case is about; a file that the case does not
            name is not compared.
        says: a part of what is reported.
        status: how far the migration gets: ``rewritten``, ``rewritten with assumptions`` or
            ``begun``.
    """

    before: Files
    after: Files
    says: str = ""
    status: str = "rewritten"

    @property
    def form(self) -> Form:
        """The form that the case shows."""
        text = "".join(self.after.values())
        if "# TODO(pedl2det " in text or self.status == "begun":
            return Form.MARKED
        return Form.FAITHFUL if "legacy_keras" in text else Form.IDIOMATIC

    @property
    def shown(self) -> Iterator[tuple[str, str, str]]:
        """The name of each file that the case is about, with its text before and after."""
        for name in sorted(self.after or self.before):
            before = self.before.get(name, "")
            yield name, before, self.after.get(name, before)


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
