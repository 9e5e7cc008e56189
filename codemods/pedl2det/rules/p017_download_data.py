"""The trial's constructor calls ``download_data``, once on each machine.

That is before the loaders, as in PEDL, and ``get_download_data_dir`` returns on every process what
it returned. Both are small functions of ``legacy_keras.py``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.entry import is_called_by_name
from pedl2det.analysis.trial import Trial
from pedl2det.findings import Kind
from pedl2det.fixes import DOWNLOAD_CONTEXT, Fix, Remark, Replace
from pedl2det.rules.cases import Case
from pedl2det.rules.small_trials import migrated_model, with_data

ID = "P017"
NAME = "download-data"

_NOTHING = "this project has no download_data, so no directory is known here"
_BY_NAME = "PEDL called download_data by the names of the parameters that it has"
_TAKE_BOTH = "def download_data(experiment_config, hparams): ..."
_DEFINE = "name the directory in the data section of the config: context.get_data_config()"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Call the function in the constructor, and answer who asks for its directory."""
    if trial.download_place is not None and not trial.carried:  # P034
        yield from _called(trial)
    for reference in trial.uses("pedl.get_download_data_dir"):
        node, source = reference.node, reference.source
        if trial.download_place is None:
            yield Remark(ID, source, node, Kind.LEFT, _NOTHING, _DEFINE)
        elif isinstance(node, ast.expr):
            edit = Replace(node, "legacy_keras.get_download_data_dir")
            yield Fix(ID, source, node, (edit,))


def _called(trial: Trial) -> Iterable[Fix | Remark]:
    """The statement of the constructor, for the file of each class that has one."""
    place = trial.download_place
    home, name = trial.modules.split(place or "")
    assert home is not None
    function = trial.download
    if function is not None and is_called_by_name(function):
        source = trial.modules.home(function)
        yield Remark(ID, source, function, Kind.LEFT, _BY_NAME, _TAKE_BOTH)
        return
    code = "legacy_keras.get_experiment_config(), legacy_keras.get_hyperparameters()"
    if function is not None and trial.context.can_take(function):
        code = DOWNLOAD_CONTEXT
    call = f"lambda: {name}({code})" if code else name
    statement = f"legacy_keras.download_once({{context}}, {call})"
    for root in trial.roots:
        source = trial.modules.home(root)
        line = f"from {trial.modules.name_of(home)} import {name}"
        is_local = home is not source and trial.modules.imports(home, source)
        imports: tuple[str, ...] = () if home is source or is_local else (line,)
        imports = (*imports, "import legacy_keras")
        constructor = (f"{line}\n\n{statement}" if is_local else statement,)
        yield Fix(ID, source, root, imports=imports, constructor=constructor)


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
_CONTEXT = "legacy_keras.download_once(context, lambda: download_data(context))\n"


def _migrated(more: str) -> str:
    text = migrated_model("", more=more)
    return text.replace("import make_data_loaders", "import download_data, make_data_loaders")


CASES = (
    Case(
        {
            **with_data(
                _OLD.format(
                    parameters="experiment_config, hparams",
                    directory='experiment_config["data"]["dir"]',
                )
            ),
            "__init__.py": _INIT,
        },
        {
            "data.py": _NEW.format(
                parameters="context", directory='context.get_data_config()["dir"]'
            ),
            "model_def.py": _migrated(_CONTEXT),
        },
    ),
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
