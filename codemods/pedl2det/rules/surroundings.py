"""P014: what surrounds a trial and would no longer happen, or happen in another order."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pedl2det.facts.module_graph import home_of, reached
from pedl2det.facts.project import TrialProject
from pedl2det.facts.scopes import FUNCTIONS
from pedl2det.facts.source import Source
from pedl2det.findings import Finding, Kind
from pedl2det.plan import Plan
from pedl2det.rules.rule import UNDER_PEDL, Case, Rule, Safety, loaders, trial

_RANDOM = ("numpy.random.", "random.", "tensorflow.random.", "tensorflow.set_random_seed")
_FLOWS = ("flow", "flow_from_dataframe", "flow_from_directory")
_CLUSTER_KEYS = (
    ("resources", "distributed"),
    ("environment", "tensorflow"),
    ("environment", "keras"),
    ("environment", "base_image"),
    ("environment", "runtime_packages"),
    ("environment", "runtime_commands"),
)


def plan(project: TrialProject, plan: Plan) -> None:
    """Refuse what the new entrypoint would skip; note what a person should know."""
    init = project.sources.get("__init__")
    if project.script is None:
        if init is not None:
            _plan_init(plan, init)
            if project.loader is not None:  # it is refused for that already
                _plan_left_behind(project, plan, init)
        _plan_subclasses(project, plan)
    for source in project.sources.values():
        is_run = source is project.script or not source.is_module  # not imported, that is
        for call in () if is_run else _draws_at_import(source):
            message = f"{ast.unparse(call.func)} is called when this is imported, in another order"
            plan.refuse(RULE.id, source, call, message)
        for node in source.names.of(ast.FunctionDef, ast.Name, ast.Call):
            _plan_node(plan, source, node)
    _note_configs(project, plan)


def _plan_init(plan: Plan, init: Source) -> None:
    """``__init__`` is not executed any more: it may only import."""
    for statement in init.tree.body:
        match statement:
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
                continue
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                continue
            case ast.ClassDef() | ast.FunctionDef():
                continue
        message = "an entrypoint does not execute __init__.py: move this to the trial's module"
        plan.refuse(RULE.id, init, statement, message)


def _plan_left_behind(project: TrialProject, plan: Plan, init: Source) -> None:
    """A module that only __init__ imports is imported no more: it may only define."""
    kept = set(reached(project))
    for node in init.tree.body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        names = [home_of(project, "__init__", node)] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names]
        for name in names:
            source = project.sources.get(name)
            acts = source is not None and name not in kept and _first_act(source)
            if source is not None and acts:
                message = (
                    f"an entrypoint does not import {name}, which does something "
                    f"({source.path.name}:{acts}): import it in the trial's module"
                )
                plan.refuse(RULE.id, init, node, message)


def _first_act(source: Source) -> int | None:
    """The line of the first statement of a module that does more than define or import."""
    for node in source.tree.body:
        match node:
            case ast.Import() | ast.ImportFrom() | ast.FunctionDef() | ast.ClassDef():
                continue
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.Assign(value=value) | ast.AnnAssign(value=value) if not any(
                isinstance(part, ast.Call) for part in ast.walk(value or node)
            ):
                continue
        return node.lineno
    return None


def _plan_subclasses(project: TrialProject, plan: Plan) -> None:
    ours = [node for _, node in project.line]
    for source in project.sources.values():
        for node in source.names.of(ast.ClassDef):
            if node in ours:
                continue
            above = [project.calls.meaning(source, base) for base in node.bases]
            trial = next((one for one in ours if one in above), None)
            if trial is not None:
                message = f"{node.name} derives from the trial {trial.name}"
                plan.refuse(RULE.id, source, node, message)


def _draws_at_import(source: Source) -> Iterator[ast.Call]:
    """Calls outside of functions that draw random numbers or seed them."""
    for node in source.names.of(ast.Call):
        name = source.names.qualified(node.func) or ""
        if not name.startswith(_RANDOM):
            continue
        parent: ast.AST = node
        while parent in source.names.parents and not isinstance(parent, FUNCTIONS):
            parent = source.names.parents[parent]
            if isinstance(parent, ast.If) and "__main__" in ast.unparse(parent.test):
                break
        if isinstance(parent, ast.Module):
            yield node


def _plan_node(plan: Plan, source: Source, node: ast.AST) -> None:
    match node:
        case ast.FunctionDef(name="on_epoch_end"):
            owner = source.names.parents[node]
        case ast.Name(id="on_epoch_end", ctx=ast.Store()):
            owner = source.names.parents[source.names.statement_of(node)]
        case ast.Call(func=ast.Attribute(attr=name), keywords=keywords) if name.startswith("flow"):
            if name in _FLOWS and not any(_is_unshuffled(one) for one in keywords):
                message = "images that are shuffled had one order; now each pass has another"
                plan.different(RULE.id, source, node, message)
            return
        case _:
            return
    if isinstance(owner, ast.ClassDef) and not any(
        ast.unparse(base).endswith("Callback") for base in owner.bases
    ):
        message = "on_epoch_end of a Sequence was never called; now it is, after each pass"
        plan.different(RULE.id, source, node, message)


def _is_unshuffled(keyword: ast.keyword) -> bool:
    return keyword.arg == "shuffle" and ast.unparse(keyword.value) == "False"


def _note_configs(project: TrialProject, plan: Plan) -> None:
    if not project.configs and not project.is_notebook:
        source, node = project.trial
        message = (
            "no experiment config stands beside this trial: give yours global_batch_size, "
            f"lengths in batches, and entrypoint: {project.module_of(source)}:{node.name}"
        )
        plan.note(RULE.id, source, node, message)
    for config in project.configs:
        for key in _CLUSTER_KEYS:
            entry = config.entry(*key)
            if entry is not None:
                message = f"{'.'.join(key)}: the current config has no such key: remove it"
                plan.findings.append(Finding(Kind.NOTE, RULE.id, config.path, entry.line, message))


_EXPORTS = "from model_def import T\n"
_LOADS = "from data import make_data_loaders\n"

RULE = Rule(
    id="P014",
    name="surroundings",
    doc="The new entrypoint imports the trial's module and not the package: whatever else "
    "__init__.py did, and random numbers drawn while modules are imported, would be lost or "
    "come in another order. Classes that derive from the trial need a person.",
    safety=Safety.PERSON,
    plan=plan,
    generations=UNDER_PEDL,
    cases=(
        Case(
            trial("pass\n") | {"__init__.py": f"{_EXPORTS}import numpy\n\nnumpy.random.seed(1)\n"},
            {},
            says="an entrypoint does not execute __init__.py",
        ),
        Case(
            loaders("return 1, 2\n", "import os")
            | {
                "__init__.py": f"import setup_all\n{_EXPORTS}{_LOADS}",
                "setup_all.py": "print(1)\n",
            },
            {},
            says="does not import setup_all, which does something (setup_all.py:1)",
        ),
        Case(
            loaders("return 1, 2\n", "import os")
            | {"__init__.py": f"import names\n{_EXPORTS}{_LOADS}", "names.py": "A = [1]\n"}
            | {"const.yaml": "hyperparameters: {}\nsearcher: {name: single, max_length: 1}\n"},
            {},
        ),
        Case(
            trial("pass\n") | {"nets.py": "import numpy as np\n\nX = np.random.rand(3)\n"},
            {},
            says="np.random.rand is called when this is imported",
        ),
        Case(
            trial("pass\n")
            | {"__init__.py": _EXPORTS, "deep.py": f"{_EXPORTS}\n\nclass Deep(T):\n    pass\n"},
            {},
            says="Deep derives from the trial T",
        ),
        Case(
            trial("pass\n") | {"__init__.py": f'"""A trial."""\n{_EXPORTS}'},
            {},
            says="no experiment config stands beside this trial",
        ),
    ),
)
