"""P013: names of TensorFlow 1 and of old NumPy, which the shim serves to old trials alone."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from pedl2det.edits import becomes
from pedl2det.legacy import IN_COMPAT_V1, SERVED_ONLY
from pedl2det.plan import Plan
from pedl2det.project import TrialProject
from pedl2det.rules.rule import OLD, Case, Rule, Safety, trial
from pedl2det.source import Source


def plan(project: TrialProject, plan: Plan) -> None:
    """Rewrite what ``tf.compat.v1`` has, in every file of the trial; refuse the rest."""
    for source in project.sources.values():
        for node in source.names.nodes:
            if isinstance(node, ast.ImportFrom) and node.module == "tensorflow":
                for name in sorted(IN_COMPAT_V1.intersection(alias.name for alias in node.names)):
                    message = f"from tensorflow import {name}: say tf.{name}, which is rewritten"
                    plan.refuse(RULE.id, source, node, message)
            elif isinstance(node, ast.Attribute):
                _plan_attribute(plan, source, node)


def _plan_attribute(plan: Plan, source: Source, node: ast.Attribute) -> None:
    qualified = source.names.qualified(node) or ""
    module, _, name = qualified.rpartition(".")
    if module == "tensorflow" and name in IN_COMPAT_V1:
        plan.expression(RULE.id, source, node, _in_compat)
    elif module == "numpy" and qualified in SERVED_ONLY and not _is_bound(source, name):
        plan.drop(node)
        plan.expression(RULE.id, source, node, becomes(SERVED_ONLY[qualified]))
    elif qualified in SERVED_ONLY:
        message = f"{ast.unparse(node)} is gone: write {SERVED_ONLY[qualified]}"
        plan.refuse(RULE.id, source, node, message)


def _is_bound(source: Source, name: str) -> bool:
    """Whether a file has another meaning for the name of a builtin."""
    return any(
        (isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load))
        or name in (getattr(node, "name", None), getattr(node, "arg", None))
        or (isinstance(node, ast.alias) and name in (node.name, node.asname, "*"))
        for node in source.names.nodes
    )


def _in_compat(attribute: Any) -> Any:
    compat = cst.Attribute(cst.Attribute(attribute.value, cst.Name("compat")), cst.Name("v1"))
    return attribute.with_changes(value=compat)


_IMPORTS = "import tensorflow as tf\nfrom pedl.frameworks.keras import TFKerasTrial\n"

RULE = Rule(
    id="P013",
    name="tf1-names",
    doc="TensorFlow 2 has ConfigProto and other names in tf.compat.v1 alone; NumPy's names for "
    "builtins are gone. What has no place there, as tf.Session, needs a person: old trials are "
    "served what it meant, migrated ones are not.",
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
            trial("kinds = np.object, np.float\n", f"import numpy as np\n{_IMPORTS}"),
            trial("kinds = object, float\n", f"import numpy as np\n{_IMPORTS}"),
        ),
        Case(
            trial("float = 4\nkind = np.float\n", f"import numpy as np\n{_IMPORTS}"),
            {},
            says="np.float is gone: write float",
        ),
        Case(
            trial("def helper(self):\n    return tf.Session()\n", _IMPORTS),
            {},
            says="tf.Session is gone: write values need no session",
        ),
        Case(trial("def helper(self, tf):\n    return tf.ConfigProto()\n", _IMPORTS), {}),
    ),
)
