"""The trial's constructor calls ``download_data``, once on each machine.

As in PEDL, that is before the loaders, and ``get_download_data_dir`` returns its result in every
process. ``legacy_keras.py`` has a small function for each.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.trial import Trial
from pedl2det.fixes import DOWNLOAD_CONTEXT, Fix, Remark, rewrite

_NOTHING = "this project has no download_data, so no directory is known here"
_DEFINE = "name the directory in the data section of the config: context.get_data_config()"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Call the function in the constructor, and serve the directory that it returns."""
    for root in trial.roots if trial.download_place and not trial.carried else ():  # P034
        yield _call_in_constructor(trial, root)
    for reference in trial.uses("pedl.get_download_data_dir"):
        node = reference.node
        if trial.download_place is None:
            yield Remark(node, _NOTHING, _DEFINE)
        elif isinstance(node, ast.expr):
            yield rewrite(node, "legacy_keras.get_download_data_dir")


def _call_in_constructor(trial: Trial, root: ast.ClassDef) -> Fix:
    source, function = trial.modules.home(root), trial.download
    home, name = trial.modules.split(trial.download_place or "")
    assert home is not None
    code = "legacy_keras.get_experiment_config(), legacy_keras.get_hyperparameters()"
    if function is not None and trial.context.can_take(function):
        code = DOWNLOAD_CONTEXT
    statement = f"legacy_keras.download_once({{context}}, lambda: {name}({code}))"
    line = f"from {trial.modules.name_of(home)} import {name}"
    is_local = home is not source and trial.modules.imports(home, source)
    imports = () if home is source or is_local else (line,)
    constructor = (f"{line}\n\n{statement}" if is_local else statement,)
    return Fix(root, imports=(*imports, "import legacy_keras"), constructor=constructor)


EXAMPLE = """\
--- net.py
- from pedl.frameworks.keras import TFKerasTrial
+ from determined.keras import TFKerasTrial, TFKerasTrialContext
+
+ import legacy_keras
+ from data import download_data


  class Net(TFKerasTrial):
-     def __init__(self, hparams):
-         self.width = hparams["width"]
+     def __init__(self, context: TFKerasTrialContext):
+         self.context = context
+         context.configure_fit(shuffle=False)
+         legacy_keras.download_once(context, lambda: download_data(context))
+         self.width = context.get_hparam("width")
"""
