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
_FIRST = ConfigNeed("init_first", True)
_TWICE = (
    "{} was loaded twice, because other files import it by its own name; it is now one module, so "
    "a change that one file makes to it is now visible to all"
)


def check(trial: Trial) -> Iterable[Fix]:
    """Ask for ``__init__.py`` to be imported first; make imports absolute."""
    if trial.init_effect is not None:
        yield Fix(trial.init_effect, config=(_FIRST,), notes=((Kind.NOTE, _ENTRY),))
    texts = "\n".join(source.text for source in trial.modules)
    for name, source in trial.modules.by_name.items():
        is_package = source.path.stem == "__init__"
        packages = 0 if name == "__init__" else name.count(".") + is_package
        for node in source.names.of(ast.ImportFrom):
            if node.level > packages:
                folders = source.path.parents[node.level - 1].glob("*/")  # packages without a file
                known = {*trial.modules.by_name, *(path.name for path in folders)}
                own = [alias for alias in node.names if alias.name in known]
                others = [alias for alias in node.names if alias not in own]
                parts = {"import": own, "from __init__ import": others}
                parts = {f"from {node.module} import": node.names} if node.module else parts
                names = {head: ", ".join(map(ast.unparse, part)) for head, part in parts.items()}
                code = "\n".join(f"{head} {text}" for head, text in names.items() if text)
                needs = (_FIRST,) if others and not node.module else ()
                words = node.module or "|".join(alias.name for alias in node.names)
                twice = re.search(rf"(?m)^\s*(?:import|from) ({words})\b", texts)
                notes = ((Kind.NOTE, _TWICE.format(twice[1])),) if twice else ()
                yield Fix(node, (ReplaceStatement(node, code),), config=needs, notes=notes)


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
