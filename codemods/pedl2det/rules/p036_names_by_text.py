"""Code that looks up names of TensorFlow or Keras by text finds the old ones.

Where a module is a value, as in ``getattr(tf, name)`` or ``layers.__dict__[name]``, only the
running trial knows which names are meant. ``legacy_keras.old_module`` has those of TensorFlow 1.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

import pedl2det_names as names
from pedl2det.analysis import old_keras
from pedl2det.analysis.old_keras import KERAS, OPTIMIZERS
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, rewrite

_ROOTS = ("tensorflow", "keras")
_LAYERS = f"{KERAS}.layers"


def check(trial: Trial) -> Iterable[Fix]:
    """Wrap modules that are used as values, and calls that import one by its name."""
    if not old_keras.is_old(trial):
        return
    for node in trial.modules.reads:
        parent = trial.modules.home(node).names.parents[node]
        if isinstance(parent, ast.Attribute) and parent.attr != "__dict__":
            continue
        dotted = trial.modules.meaning(node) or ""
        if dotted == "importlib.import_module":
            match parent:
                case ast.Call(args=[ast.Constant(value=str(text)), *_]) if (
                    text.partition(".")[0] not in _ROOTS
                ):
                    continue
            yield rewrite(node, "legacy_keras.import_old_module")
        elif dotted == "sys.modules":
            match parent:  # `"pedl" in sys.modules`, which is so on a cluster
                case ast.Compare(left=ast.Constant(value="pedl") as name):
                    yield rewrite(name, '"determined"')
        elif not _is_module(dotted) or _is_asked_plainly(trial, node, parent):
            continue
        else:
            more = ", is_standalone=True" if old_keras.is_standalone(dotted) else ""
            yield rewrite(node, f"legacy_keras.old_module({{module}}{more})", {"module": node})


def _is_asked_plainly(trial: Trial, module: ast.expr, parent: ast.AST) -> bool:
    """Whether a module is asked for a name that is there today, or that another rule sees."""
    match parent:
        case ast.Call(func=ast.Attribute(attr="old_module")):
            return True  # by an earlier run
        case ast.Assign(targets=[ast.Name(id=name)]):  # `keras = tf.keras`, whose uses are known
            known = trial.modules.home(module).names.module_bindings(name)
            return known == [trial.modules.meaning(module)]
        case ast.Call(func=ast.Name(id="hasattr"), args=[_, ast.Constant(value=str(name))]):
            row = names.lookup(f"{trial.modules.meaning(module)}.{name}")
            return row is None or row.new is None  # it is there today, or was never served
        case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[_, _, *_]):
            return trial.today(module) == _LAYERS or trial.modules.meaning(module) == OPTIMIZERS
    return False


def _is_module(dotted: str) -> bool:
    is_written_like_one = dotted.rpartition(".")[2].islower() and dotted in names.packages()
    row = names.lookup(dotted)
    is_piece = row is not None and row.support is not None  # P010
    return dotted.partition(".")[0] in _ROOTS and is_written_like_one and not is_piece


EXAMPLE = """\
--- net.py
  import tensorflow as tf
+
+ import legacy_keras

- link = getattr(tf, NAME)
+ link = getattr(legacy_keras.old_module(tf), NAME)
"""
