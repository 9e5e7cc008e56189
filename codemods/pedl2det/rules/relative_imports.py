"""P039: an entrypoint imports modules of the directory by their own names."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from pedl2det.edit.making import expression
from pedl2det.facts.module_graph import depth, reached
from pedl2det.facts.project import TrialProject
from pedl2det.plan import Plan
from pedl2det.rules.rule import Case, Rule, Safety, trial


def plan(project: TrialProject, plan: Plan) -> None:
    """Make the imports absolute that lead out of what will be imported at the top."""
    for module in reached(project):
        source = project.sources[module]
        for node in source.names.of(ast.ImportFrom):
            if node.level > depth(project, module):
                if not node.module and len(node.names) > 1:
                    message = "an entrypoint knows no package around its module: import each alone"
                    plan.refuse(RULE.id, source, node, message)
                else:
                    plan.line(RULE.id, source, node, _absolute)


def _absolute(line: Any) -> Any:
    statement = line.body[0]
    if statement.module is not None:
        return line.with_changes(body=[statement.with_changes(relative=[])])
    (alias,) = statement.names
    name = expression(alias.name.value)
    plain = cst.Import([cst.ImportAlias(name, alias.asname)])
    return line.with_changes(body=[plain])


_BODY = "pass\n"
_BASE = "from pedl.frameworks.keras import TFKerasTrial"
_INIT = {"__init__.py": "from .model_def import T\n"}

RULE = Rule(
    id="P039",
    name="relative-imports",
    doc="The old harness imported the directory as a package; an entrypoint names a module of it, "
    "and a relative import there would find no package.",
    safety=Safety.SAFE,
    plan=plan,
    cases=(
        Case(
            trial(_BODY, f"from .nets import make\nfrom . import sizes as s\n{_BASE}") | _INIT,
            trial(_BODY, f"from nets import make\nimport sizes as s\n{_BASE}"),
        ),
        Case(
            trial(_BODY, f"from nets.small import make\n{_BASE}")
            | _INIT
            | {"nets/__init__.py": "from .small import make\n", "nets/small.py": "make = 1\n"},
            {},
        ),
        Case(trial(_BODY, _BASE) | _INIT | {"tool.py": "from .nets import make\n"}, {}),
        Case(
            trial(_BODY, f"from . import nets, sizes\n{_BASE}") | _INIT,
            {},
            says="an entrypoint knows no package around its module: import each alone",
        ),
    ),
)
