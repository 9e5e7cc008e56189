"""P013: names that TensorFlow 2 keeps in ``tf.compat.v1``."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from pedl2det.plan import Plan
from pedl2det.project import TrialProject
from pedl2det.rules.rule import Case, Rule, Safety, trial

#: Names of TensorFlow 1 that stand in ``tf.compat.v1`` and mean the same there.
TF1_NAMES = {"ConfigProto"}


def plan(project: TrialProject, plan: Plan) -> None:
    """Rewrite ``tf.ConfigProto`` in every file of the trial."""
    for source in project.sources.values():
        for node in source.names.nodes:
            if isinstance(node, ast.ImportFrom) and node.module == "tensorflow":
                for name in TF1_NAMES.intersection(alias.name for alias in node.names):
                    message = f"from tensorflow import {name}: say tf.{name}, which is rewritten"
                    plan.refuse(RULE.id, source, node, message)
            if isinstance(node, ast.Attribute):
                module, _, name = (source.names.qualified(node) or "").rpartition(".")
                if module == "tensorflow" and name in TF1_NAMES:
                    plan.expression(RULE.id, source, node, _in_compat)


def _in_compat(attribute: Any) -> Any:
    compat = cst.Attribute(cst.Attribute(attribute.value, cst.Name("compat")), cst.Name("v1"))
    return attribute.with_changes(value=compat)


_IMPORTS = "import tensorflow as tf\nfrom pedl.frameworks.keras import TFKerasTrial\n"

RULE = Rule(
    id="P013",
    name="tf1-names",
    doc="TensorFlow 2 has ConfigProto in tf.compat.v1 alone.",
    safety=Safety.SAFE,
    plan=plan,
    cases=(
        Case(
            trial("def helper(self) -> tf.ConfigProto:\n    return tf.ConfigProto()\n", _IMPORTS),
            trial(
                "def helper(self) -> tf.compat.v1.ConfigProto:\n"
                "    return tf.compat.v1.ConfigProto()\n",
                _IMPORTS,
            ),
        ),
        Case(
            trial("pass\n", f"from tensorflow import ConfigProto\n{_IMPORTS}"),
            {},
            says="from tensorflow import ConfigProto",
        ),
        Case(trial("def helper(self, tf):\n    return tf.ConfigProto()\n", _IMPORTS), {}),
    ),
)
