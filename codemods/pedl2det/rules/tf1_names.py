"""P013: names of TensorFlow 1 and of old Keras, which the shim serves to old trials alone."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from pedl2det.legacy import IN_COMPAT_V1, OLD_DEFAULTS, OLD_KERAS, SERVED_ONLY
from pedl2det.plan import Plan
from pedl2det.project import TrialProject
from pedl2det.rules.rule import OLD, Case, Rule, Safety, trial
from pedl2det.source import Source


def plan(project: TrialProject, plan: Plan) -> None:
    """Rewrite what ``tf.compat.v1`` has, in every file of the trial; refuse the rest."""
    for source in project.sources.values():
        for node in source.names.nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                _plan_import(plan, source, node)
            elif isinstance(node, ast.Attribute):
                _plan_attribute(plan, source, node)
            elif isinstance(node, ast.Call):
                _plan_layer(plan, source, node)


def _plan_import(plan: Plan, source: Source, node: ast.Import | ast.ImportFrom) -> None:
    names = {alias.name for alias in node.names}
    modules = names if isinstance(node, ast.Import) else {node.module or ""}
    if not getattr(node, "level", 0) and any(map(_is_old_keras, modules)):
        message = f"{ast.unparse(node)}: it would be another Keras: import it from tensorflow.keras"
        plan.refuse(RULE.id, source, node, message)
    if isinstance(node, ast.ImportFrom) and node.module == "tensorflow":
        for name in sorted(IN_COMPAT_V1.intersection(names)):
            message = f"from tensorflow import {name}: say tf.{name}, which is rewritten"
            plan.refuse(RULE.id, source, node, message)


def _is_old_keras(module: str) -> bool:
    return any(module == old or module.startswith(f"{old}.") for old in OLD_KERAS)


def _plan_attribute(plan: Plan, source: Source, node: ast.Attribute) -> None:
    qualified = source.names.qualified(node) or ""
    module, _, name = qualified.rpartition(".")
    if module == "tensorflow" and name in IN_COMPAT_V1:
        plan.expression(RULE.id, source, node, _in_compat)
    elif qualified in SERVED_ONLY:
        message = f"{ast.unparse(node)} is gone: write {SERVED_ONLY[qualified]}"
        plan.refuse(RULE.id, source, node, message)


def _plan_layer(plan: Plan, source: Source, node: ast.Call) -> None:
    needed = OLD_DEFAULTS.get(source.names.qualified(node.func) or "", ())
    said = {keyword.arg for keyword in node.keywords}
    missing = [argument for argument in needed if argument not in said]
    if missing and None not in said:
        message = (
            f"{ast.unparse(node.func)}: TensorFlow 1 had other defaults, which the old trial is "
            f"given and the new one would not be: say {'= and '.join(missing)}="
        )
        plan.refuse(RULE.id, source, node, message)


def _in_compat(attribute: Any) -> Any:
    compat = cst.Attribute(cst.Attribute(attribute.value, cst.Name("compat")), cst.Name("v1"))
    return attribute.with_changes(value=compat)


_IMPORTS = "import tensorflow as tf\nfrom pedl.frameworks.keras import TFKerasTrial\n"

RULE = Rule(
    id="P013",
    name="tf1-names",
    doc="TensorFlow 2 has ConfigProto and other names in tf.compat.v1 alone. What is not there, "
    "modules of standalone Keras, and recurrent layers whose defaults have changed need a person: "
    "old trials are served what these meant, migrated ones are not.",
    safety=Safety.SAFE,
    plan=plan,
    generations=OLD,
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
        Case(
            trial("def helper(self):\n    return tf.gfile.Exists('x')\n", _IMPORTS),
            trial("def helper(self):\n    return tf.compat.v1.gfile.Exists('x')\n", _IMPORTS),
        ),
        Case(
            trial("pass\n", f"from keras.layers import Dense\n{_IMPORTS}"),
            {},
            says="from keras.layers import Dense: it would be another Keras",
        ),
        Case(
            trial("def helper(self):\n    return tf.Session()\n", _IMPORTS),
            {},
            says="tf.Session is gone: write values need no session",
        ),
        Case(
            trial("def helper(self):\n    return tf.keras.layers.LSTM(4)\n", _IMPORTS),
            {},
            says="TensorFlow 1 had other defaults",
        ),
        Case(
            trial(
                "def helper(self):\n"
                "    return tf.keras.layers.LSTM(4, recurrent_activation='sigmoid')\n",
                _IMPORTS,
            ),
            {},
        ),
        Case(trial("def helper(self, tf):\n    return tf.ConfigProto()\n", _IMPORTS), {}),
    ),
)
