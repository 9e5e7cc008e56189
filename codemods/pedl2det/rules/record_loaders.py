"""P034: loaders that are cut by record become tuples of arrays."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from pedl2det.edit.making import expression
from pedl2det.facts.arguments import arguments_of
from pedl2det.facts.occurrences import Occurrence
from pedl2det.facts.project import TrialProject
from pedl2det.flow import where
from pedl2det.flow.batch_size import is_batch_size
from pedl2det.flow.keras_metrics import is_keras_trial
from pedl2det.flow.loaders import roles_of
from pedl2det.plan import Plan
from pedl2det.rules.in_memory_sequence import numpy_name, value_of
from pedl2det.rules.rule import Case, Files, Rule, Safety

_MODULE = "pedl.data."
_ARRAYS = "pedl.data.ArrayBatchLoader"


def plan(project: TrialProject, plan: Plan) -> None:
    """Rewrite each ``ArrayBatchLoader`` that does nothing but become a loader."""
    for found in project.occurrences:
        if not found.name.startswith(_MODULE) or found.is_import or found.ambiguous:
            continue
        plan.claim(found.node)
        call = found.call
        if found.name != _ARRAYS or call is None:
            problem = f"{found.name} gives any range of records, and no loader of today does: "
            problem += "return arrays, or a Sequence of batches"
        else:
            problem = _plan_call(project, plan, found, call) or ""
        if problem:
            plan.refuse(RULE.id, found.source, call or found.node, problem)


def _plan_call(project: TrialProject, plan: Plan, found: Occurrence, call: ast.Call) -> str | None:
    """Plan one call; returns why it cannot be done, if so."""
    source = found.source
    given = arguments_of(call, ("data", "labels"))
    if given is None or set(given) != {"data", "labels"}:
        return "its arguments are not all visible here"
    if not roles_of(project, source, call, set()):
        return "it is used for something other than being returned as a loader"
    if "#" in source.segment(call):
        return "a comment stands inside the call, and a tuple has no place for it"
    if not is_keras_trial(project):
        return "only a KerasTrial had its loaders cut into batches"
    if not _cuts_by_hyperparameter(project):
        return "batch_size() is not seen to be the hyperparameter, and a tuple is cut by that"
    if any(_names_one(argument) for argument in given.values()):
        return "a dict of one array was fed without its name: give the array itself"
    arrays = numpy_name(plan, source)
    kept = (given["data"], given["labels"])

    def edit(updated: Any) -> Any:
        elements = []
        for argument in kept:
            value = value_of(updated, call, argument)
            if not isinstance(argument, ast.Dict):
                value = cst.Call(expression(f"{arrays}.asarray"), [cst.Arg(value)])
            elements.append(cst.Element(value))
        return cst.Tuple(elements)

    plan.expression(RULE.id, source, call, edit)
    return None


def _names_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Dict) and (len(node.keys) < 2 or None in node.keys)


def _cuts_by_hyperparameter(project: TrialProject) -> bool:
    """Whether ``batch_size()`` is the hyperparameter, maybe kept by the constructor."""
    source, _ = project.trial
    method = where.methods(project).get("batch_size")
    if method is None or method.decorator_list:
        return False
    body = method.body[1:] if ast.get_docstring(method) is not None else method.body
    match body:
        case [ast.Return(value=ast.Attribute(value=ast.Name(id=me), attr=name))] if (
            me == method.args.args[0].arg
        ):
            return _is_kept(project, name)
        case [ast.Return(value=ast.expr() as value)]:
            return is_batch_size(project, source, value)
    return False


def _is_kept(project: TrialProject, name: str) -> bool:
    """Whether the constructor, and nothing else, gives an attribute the hyperparameter."""
    source, _ = project.trial
    everywhere = [
        node
        for other in project.sources.values()
        for node in other.names.nodes
        if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store)
    ]
    constructor = where.methods(project).get("__init__")
    if constructor is None or len(everywhere) != 1:
        return False
    for statement in constructor.body:
        target: ast.expr | None = None
        match statement:
            case ast.Assign(targets=[target], value=value):
                pass
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                pass
        if target is everywhere[0]:
            return is_batch_size(project, source, value)
    return False


_DATA = "from pedl.data import {name}\nimport numpy as np\n\n\n"


def _files(
    body: str,
    size: str = "self.size",
    kept: str = 'hparams["batch_size"]',
    base: str = "KerasTrial",
    name: str = "ArrayBatchLoader",
) -> Files:
    model = (
        f"from pedl.frameworks.keras import {base}\n\n\nclass T({base}):\n"
        f"    def __init__(self, hparams):\n        self.size = {kept}\n\n"
        f"    def batch_size(self):\n        return {size}\n"
    )
    code = f"{_DATA.format(name=name)}def make_data_loaders(config, hparams):\n    {body}\n"
    return {"model_def.py": model, "data.py": code}


_BODY = "return ArrayBatchLoader(x, labels=y), ArrayBatchLoader(u, v)"

RULE = Rule(
    id="P034",
    name="record-loaders",
    doc="An ArrayBatchLoader was cut into batches of batch_size() records. Where that is the "
    "hyperparameter, a tuple of arrays is cut the same; other loaders of records need a person.",
    safety=Safety.SAFE,
    plan=plan,
    cases=(
        Case(
            _files(_BODY),
            {
                "data.py": _files(
                    "return (np.asarray(x), np.asarray(y)), (np.asarray(u), np.asarray(v))"
                )["data.py"]
            },
        ),
        Case(
            _files(
                'return ArrayBatchLoader({"a": x, "b": u}, y), 1', kept='hparams.get("batch_size")'
            ),
            {"data.py": _files('return ({"a": x, "b": u}, np.asarray(y)), 1')["data.py"]},
        ),
        Case(
            _files('return ArrayBatchLoader({"a": x}, y), 1'),
            {},
            says="a dict of one array was fed without its name",
        ),
        Case(_files(_BODY, kept="32"), {}, says="batch_size() is not seen to be"),
        Case(_files(_BODY, size="self.size // 2"), {}, says="batch_size() is not seen to be"),
        Case(_files(_BODY, base="TFKerasTrial"), {}, says="only a KerasTrial had its loaders cut"),
        Case(
            _files("return ArrayBatchLoader(x, y).get_batch(0, 1), 2"),
            {},
            says="it is used for something other than being returned",
        ),
        Case(
            _files("return SliceBatchLoader(x, 0, 9), 2", name="SliceBatchLoader"),
            {},
            says="pedl.data.SliceBatchLoader gives any range of records",
        ),
        Case(_files("return x, y"), {}),
    ),
)
