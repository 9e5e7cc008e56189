"""Cases of P017."""

from __future__ import annotations

from rule_cases.cases import Case
from rule_cases.small_trials import migrated_model, with_data

_OLD = """\
import pedl
from rows import fetch, load


def download_data({parameters}):
    return fetch({directory})


def make_data_loaders(experiment_config, hparams):
    directory = pedl.get_download_data_dir()
    return load(directory, 0), load(directory, 1)
"""
_NEW = """\
from rows import fetch, load

import legacy_keras


def download_data({parameters}):
    return fetch({directory})


def make_data_loaders():
    directory = legacy_keras.get_download_data_dir()
    return load(directory, 0), load(directory, 1)
"""
_INIT = "from data import download_data, make_data_loaders\nfrom model_def import Net\n"


def _migrated(more: str) -> str:
    text = migrated_model("", more=more)
    return text.replace("import make_data_loaders", "import download_data, make_data_loaders")


AROUND = {
    "data.py": """\
from rows import fetch


def download_data(experiment_config, hparams):
    return fetch(experiment_config["data"]["dir"])
""",
    "__init__.py": "from data import download_data\nfrom model_def import *\n",
    "model_def.py": """\
import pedl
from net import Net
from rows import load


def make_data_loaders(experiment_config, hparams):
    return load(pedl.get_download_data_dir()), load("/data")


class Trial(Net):
    pass
""",
}
CASES = (
    Case(
        {**with_data(_OLD.format(parameters="", directory='"/data"')), "__init__.py": _INIT},
        {
            "data.py": _NEW.format(parameters="", directory='"/data"'),
            "model_def.py": _migrated("legacy_keras.download_once(context, download_data)\n"),
        },
    ),
    Case(
        with_data(
            "import pedl\n\n\n"
            "def make_data_loaders(experiment_config, hparams):\n"
            "    return open(pedl.get_download_data_dir())\n"
        ),
        {},
        says="this project has no download_data",
        status="begun",
    ),
)
