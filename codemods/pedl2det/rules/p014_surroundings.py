"""Keep the other effects of importing the trial's package.

The old harness imported ``__init__.py`` first. If that file does more than import the trial and its
data, the new entrypoint is ``__init__:Trial``, so that all of it still runs.

The new entrypoint imports the trial's module without a package, so relative imports of modules
beside the trial become absolute.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from pedl2det.analysis.trial import Trial
from pedl2det.findings import Kind
from pedl2det.fixes import ConfigNeed, Fix, ReplaceStatement

_ENTRY = "the entrypoint is in __init__.py, because this must run before the trial is used"
_TWICE = (
    "{} was loaded twice, because other files import it by its own name; it is now one module, so "
    "a change that one file makes to it is now visible to all"
)


def check(trial: Trial) -> Iterable[Fix]:
    """Ask for ``__init__.py`` to be imported first; make imports absolute."""
    if trial.init_effect is not None:
        needs, notes = (ConfigNeed("init_first", True),), ((Kind.NOTE, _ENTRY),)
        yield Fix(trial.init_effect, config=needs, notes=notes)
    texts = "\n".join(source.text for source in trial.modules)
    for name, source in trial.modules.by_name.items():
        is_package = source.path.stem == "__init__"
        packages = 0 if name == "__init__" else name.count(".") + is_package
        for node in source.names.of(ast.ImportFrom):
            if node.level > packages:
                names = ", ".join(map(ast.unparse, node.names))
                code = f"from {node.module} import {names}" if node.module else f"import {names}"
                imported = [node.module] if node.module else [alias.name for alias in node.names]
                twice = tuple(
                    (Kind.NOTE, _TWICE.format(name))
                    for name in imported
                    if re.search(rf"(?m)^\s*(?:import|from) {name}\b", texts)
                )
                yield Fix(node, (ReplaceStatement(node, code),), notes=twice)


EXAMPLE = """\
--- __init__.py
  import tensorflow as tf

- from .data import make_data_loaders
- from .model_def import Trial
+ from data import make_data_loaders
+ from model_def import Trial

  tf.keras.backend.set_floatx("float64")
--- const.yaml
  hyperparameters: {}
- searcher: {name: single, metric: val_loss, max_steps: 2}
+ searcher: {name: single, metric: val_loss, max_length: {batches: 200}}
+ entrypoint: __init__:Trial
! the entrypoint is in __init__.py
"""
