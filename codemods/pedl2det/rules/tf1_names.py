"""P013: names of TensorFlow 1 and of old NumPy, which the shim serves to old trials alone."""

from __future__ import annotations

import ast
import builtins
from typing import Any

import libcst as cst

from pedl2det.edit.making import becomes
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.plan import Plan
from pedl2det.rules.rule import OLD, Case, Rule, Safety, trial
from pedl2det.tables.keras_names import public
from pedl2det.tables.legacy import IN_COMPAT_V1, SERVED_ONLY


def plan(project: TrialProject, plan: Plan) -> None:
    """Rewrite what ``tf.compat.v1`` has, in every file of the trial; refuse the rest."""
    for source in project.sources.values():
        for node in source.names.of(ast.ImportFrom, ast.Attribute):
            if isinstance(node, ast.ImportFrom) and not node.level:
                _check_import(plan, source, node)
            elif isinstance(node, ast.Attribute):
                _plan_attribute(plan, source, node)


def _check_import(plan: Plan, source: Source, node: ast.ImportFrom) -> None:
    for alias in node.names:
        qualified = public(f"{node.module}.{alias.name}")
        if node.module == "tensorflow" and alias.name in IN_COMPAT_V1:
            message = f"say tf.{alias.name}, which is rewritten"
        elif qualified in SERVED_ONLY:
            message = f"it is gone: write {SERVED_ONLY[qualified]}"
        else:
            continue
        plan.refuse(RULE.id, source, node, f"from {node.module} import {alias.name}: {message}")


def _plan_attribute(plan: Plan, source: Source, node: ast.Attribute) -> None:
    qualified = public(source.names.qualified(node))
    module, _, name = qualified.rpartition(".")
    if module == "tensorflow" and name in IN_COMPAT_V1:
        plan.expression(RULE.id, source, node, _in_compat)
        return
    instead = SERVED_ONLY.get(qualified)
    if instead is None:
        return
    if module == "numpy" and hasattr(builtins, instead) and not _is_bound(source, instead):
        plan.drop(node)
        plan.expression(RULE.id, source, node, becomes(instead))
    elif module == "numpy" and instead.startswith("np."):
        text = f"{source.segment(node.value)}.{instead.removeprefix('np.')}"
        plan.expression(RULE.id, source, node, becomes(text))
    else:
        plan.refuse(RULE.id, source, node, f"{ast.unparse(node)} is gone: write {instead}")


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
            trial("a = np.float_(1)\nb = np.long(2)\n", f"import numpy as np\n{_IMPORTS}"),
            trial("a = np.float64(1)\nb = int(2)\n", f"import numpy as np\n{_IMPORTS}"),
        ),
        Case(
            trial("a = np.asscalar(b)\n", f"import numpy as np\n{_IMPORTS}"),
            {},
            says="np.asscalar is gone: write array.item()",
        ),
        Case(
            trial("pass\n", f"from keras.backend import set_learning_phase\n{_IMPORTS}"),
            {},
            says="from keras.backend import set_learning_phase: it is gone",
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
