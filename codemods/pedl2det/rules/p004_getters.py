"""``pedl.get_hyperparameter`` and the other getters become methods of the context.

A function that asks gets the context from each of its callers. Where the context cannot be handed
on, ``legacy_keras`` asks for it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.trial import CONFIG_GETTERS, GETTERS, Trial, key_of, question
from pedl2det.fixes import Fix, rewrite

NAME = "getters"


def check(trial: Trial) -> Iterable[Fix]:
    """Rewrite every use of a getter; where the context is out of reach, by a piece of its name."""
    for reference in trial.uses(*GETTERS):
        assert isinstance(reference.node, ast.expr)
        asked = question(trial, reference)
        is_old = reference.dotted in CONFIG_GETTERS and not trial.config_uses.is_plain
        if asked is not None and not is_old and trial.context.at(asked[0]) is not None:
            node, code = asked
            key = key_of(node)
            holes = {"key": key} if key is not None and "{key}" in code else {}
            yield rewrite(node, code, holes)
        else:
            piece = reference.dotted.rpartition(".")[2]
            yield rewrite(reference.node, f"legacy_keras.{piece}")


EXAMPLE = """\
--- net.py
- import pedl
-
-
- def width():
+ def width(context):
-     return pedl.get_hyperparameter("width")
+     return context.get_hparam("width")


  class Net:
      def units(self):
-         return width() * pedl.get_hyperparameter("scale")
+         return width(self.context) * self.context.get_hparam("scale")
"""
