"""What the tests of migrate's safety use: a small trial, and the command in this process."""

from __future__ import annotations

import contextlib
import signal
from pathlib import Path

from click.testing import CliRunner, Result

from pedl2det.commands.migrate import command
from support import write_tree

CONFIG = "hyperparameters: {batch_size: 2}\nsearcher: {name: single, metric: l, max_steps: 1}\n"
MODEL = """\
from data import anything
from pedl.frameworks.keras import TFKerasTrial


class T(TFKerasTrial):
    def build_model(self, hparams):
        model = anything()
        model.compile("adam", "mse")
        return model
"""
DATA = """\
import pedl


def anything():
    pass


def make_data_loaders(experiment_config, hparams):
    config = pedl.get_experiment_config()
    return anything(), anything()
"""
TRIAL = {
    "__init__.py": "from data import make_data_loaders\nfrom model_def import T\n",
    "model_def.py": MODEL,
    "data.py": DATA,
    "const.yaml": CONFIG,
}


def run(*arguments: object) -> Result:
    """Call ``pedl2det migrate``, which has handlers of its own for signals."""
    with contextlib.ExitStack() as stack:
        for number in (signal.SIGTERM, signal.SIGHUP):
            stack.callback(signal.signal, number, signal.getsignal(number))
        return CliRunner().invoke(command, list(map(str, arguments)))


def trials(directory: Path, count: int) -> Path:
    for number in range(count):
        write_tree(directory / f"t{number}", TRIAL)
    return directory
