"""P006: ``InMemorySequence`` becomes a tuple of arrays."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from pedl2det.edit.making import expression
from pedl2det.facts.arguments import arguments_of
from pedl2det.facts.occurrences import Occurrence
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.flow.batch_size import is_batch_size
from pedl2det.flow.loaders import roles_of
from pedl2det.plan import Plan
from pedl2det.rules.rule import CLASSES, Case, Rule, Safety, loaders
from pedl2det.tables.legacy import ADAPTERS, IN_MEMORY_SEQUENCES

_IN_PLACE = {"append", "extend", "insert", "pop", "remove", "reverse", "sort", "update"}
_PARAMETERS = ("data", "labels", "batch_size", "sample_weight", "drop_leftovers")


def plan(project: TrialProject, plan: Plan) -> None:
    """Rewrite each sequence that does nothing but become a loader."""
    for found in project.occurrences:
        call = found.call
        if found.name not in IN_MEMORY_SEQUENCES or found.ambiguous or call is None:
            continue
        plan.claim(found.node)
        problem = _plan_call(project, plan, found, call)
        if problem:
            plan.refuse(RULE.id, found.source, call, problem)


def _plan_call(project: TrialProject, plan: Plan, found: Occurrence, call: ast.Call) -> str | None:
    """Plan one call; returns why it cannot be done, if so."""
    source = found.source
    given = arguments_of(call, _PARAMETERS)
    if given is None or "data" not in given or "labels" not in given:
        return "its arguments are not all visible here"
    if not roles_of(project, source, call, ADAPTERS):
        return "it is used for something other than being returned as a loader"
    if "#" in source.segment(call):
        return "a comment stands inside the call, and a tuple has no place for it"
    size = given.get("batch_size")
    if size is None or not is_batch_size(project, source, size):
        return "its batch size is not the hyperparameter batch_size, and a tuple has no other"
    drop = given.get("drop_leftovers")
    if drop is not None and not (isinstance(drop, ast.Constant) and drop.value is False):
        return "it drops the last partial batch, and a tuple keeps it"
    weight = given.get("sample_weight")
    if not isinstance(weight, ast.Name | ast.Attribute | ast.Constant | None):
        return "its sample_weight was never used, but computing it may do something: take it out"
    if "sample_weight" in given:
        plan.note(RULE.id, source, call, "sample_weight was never used and is left out")
    if _swaps_work(call, given["data"], given["labels"]):
        return "labels are made before data here, and a tuple makes them after: name both before"
    changed = _changed_later(source, call, (given["data"], given["labels"]))
    if changed is not None:
        return f"{changed} is changed after it was handed over: hand over what is trained"
    arrays = numpy_name(plan, source)
    if _is_hidden(source, call, arrays):
        return f"{arrays} means something else here"
    kept = (given["data"], given["labels"])
    for name, argument in given.items():
        if name not in ("data", "labels"):
            plan.claim(argument)
            plan.drop(argument)

    def edit(updated: Any) -> Any:
        values = [value_of(updated, call, argument) for argument in kept]
        elements = [
            cst.Element(cst.Call(expression(f"{arrays}.asarray"), [cst.Arg(value)]))
            for value in values
        ]
        return cst.Tuple(elements)

    plan.expression(RULE.id, source, call, edit)
    return None


def _swaps_work(call: ast.Call, data: ast.expr, labels: ast.expr) -> bool:
    """Whether a tuple would evaluate the two in another order, and that may matter."""
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    works = [any(isinstance(part, ast.Call) for part in ast.walk(one)) for one in (data, labels)]
    return values.index(labels) < values.index(data) and any(works)


def _changed_later(source: Source, call: ast.Call, kept: tuple[ast.expr, ...]) -> str | None:
    """A name that is handed over and changed in place afterwards, in the same function."""
    names = {part.id for one in kept for part in ast.walk(one) if isinstance(part, ast.Name)}
    function = source.names.definition_around(call)
    for node in ast.walk(function) if function is not None else ():
        if not isinstance(node, ast.Name) or node.id not in names or node.lineno <= call.lineno:
            continue
        parent = source.names.parents[node]
        match parent:
            case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.AugAssign():
                return node.id
            case ast.Attribute(attr=attribute):
                used = source.names.parents[parent]
                in_place = isinstance(used, ast.Call) and any(
                    one.arg == "inplace" for one in used.keywords
                )
                if in_place or attribute in _IN_PLACE:
                    return node.id
            case ast.Call(func=ast.Attribute(attr="shuffle")):
                return node.id
    return None


def _is_hidden(source: Source, call: ast.Call, name: str) -> bool:
    """Whether a function around a call has a meaning of its own for a name."""
    function = source.names.function_of(call)
    return function is not None and any(
        (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store))
        or (isinstance(node, ast.arg) and node.arg == name)
        for node in ast.walk(function)
    )


def value_of(updated: Any, call: ast.Call, argument: ast.expr) -> Any:
    """The libcst value of one argument of the call."""
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    return updated.args[values.index(argument)].value


def numpy_name(plan: Plan, source: Source) -> str:
    """The name of NumPy in a file, imported if it was not."""
    for node in source.tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "numpy":
                    return alias.asname or alias.name
    plan.require(source, "import numpy as np")
    return "np"


_IMPORTS = "from pedl.frameworks.keras.data import InMemorySequence"


def _helper_case(calls: str, is_theirs: bool = False) -> Case:
    """A helper that is given a dict for its batch size, and its calls."""
    made = 'InMemorySequence(part, part, settings["batch_size"])'
    code = (
        f"{_IMPORTS}\n\n\ndef load(part, settings):\n    return {made}\n\n\n"
        f"def make_data_loaders(config, hparams):\n    {calls}\n"
    )
    files = loaders("pass\n", _IMPORTS) | {"data.py": code}
    if not is_theirs:
        return Case(files, {}, says="its batch size is not the hyperparameter batch_size")
    return Case(files, {"data.py": code.replace(made, "(np.asarray(part), np.asarray(part))")})


RULE = Rule(
    id="P006",
    name="in-memory-sequence",
    doc="An InMemorySequence of a whole loader becomes a tuple of arrays; pandas objects become "
    "arrays, as the context-based API asks.",
    safety=Safety.SAFE,
    plan=plan,
    generations=CLASSES,
    cases=(
        Case(
            loaders(
                'size = hparams["batch_size"]\n'
                "train = InMemorySequence(x, labels=y, batch_size=size)\n"
                "return train, InMemorySequence(x, y, size)\n",
                _IMPORTS,
            ),
            {
                "data.py": loaders(
                    'size = hparams["batch_size"]\n'
                    "train = (np.asarray(x), np.asarray(y))\n"
                    "return train, (np.asarray(x), np.asarray(y))\n",
                    _IMPORTS,
                )["data.py"]
            },
        ),
        Case(
            loaders("pass\n", _IMPORTS)
            | {
                "data.py": f"{_IMPORTS}\n\n\ndef load(part, size):\n"
                "    return InMemorySequence(part, part, size)\n\n\n"
                "def make_data_loaders(config, hparams):\n"
                '    return load(x, hparams["batch_size"]), load(y, size=hparams["batch_size"])\n'
            },
            {
                "data.py": f"{_IMPORTS}\n\n\ndef load(part, size):\n"
                "    return (np.asarray(part), np.asarray(part))\n\n\n"
                "def make_data_loaders(config, hparams):\n"
                '    return load(x, hparams["batch_size"]), load(y, size=hparams["batch_size"])\n'
            },
        ),
        Case(
            loaders(
                'train = InMemorySequence(x, y, hparams["batch_size"])\nreturn train, train\n',
                _IMPORTS,
            ),
            {
                "data.py": loaders(
                    "train = (np.asarray(x), np.asarray(y))\nreturn train, train\n", _IMPORTS
                )["data.py"]
            },
        ),
        _helper_case("return load(x, hparams), load(y, settings=hparams)", is_theirs=True),
        _helper_case("hp = hparams\n    return load(x, hp), load(y, hp)", is_theirs=True),
        _helper_case("return load(x, hparams), load(y, {'batch_size': 3})"),
        _helper_case("hparams = other\n    return load(x, hparams), load(y, hparams)"),
        _helper_case("for hp in (hparams, b):\n        pass\n    return load(x, hp), load(y, hp)"),
        Case(
            loaders(
                "return InMemorySequence("
                'labels=draw(), data=draw(), batch_size=hparams["batch_size"]), other\n',
                _IMPORTS,
            ),
            {},
            says="labels are made before data here",
        ),
        Case(
            loaders(
                'train = InMemorySequence(x, y, hparams["batch_size"])\n'
                "x['a'] = 1\nreturn train, other\n",
                _IMPORTS,
            ),
            {},
            says="x is changed after it was handed over",
        ),
        Case(
            loaders("return InMemorySequence(x, y, 32), other\n", _IMPORTS),
            {},
            says="its batch size is not the hyperparameter batch_size",
        ),
        Case(
            loaders(
                'size = hparams["batch_size"]\nsize //= 2\n'
                "return InMemorySequence(x, y, size), other\n",
                _IMPORTS,
            ),
            {},
            says="its batch size is not the hyperparameter batch_size",
        ),
        Case(
            loaders(
                "global TRAIN\n"
                'TRAIN = InMemorySequence(x, y, hparams["batch_size"])\n'
                "return TRAIN, other\n",
                _IMPORTS,
            ),
            {},
            says="used for something other",
        ),
        Case(
            loaders(
                'train = InMemorySequence(x, y, hparams["batch_size"])\n'
                "print(len(train))\n"
                "return train, other\n",
                _IMPORTS,
            ),
            {},
            says="used for something other",
        ),
        Case(
            loaders(
                'size = hparams["batch_size"]\n'
                "return InMemorySequence(x, y, size, drop_leftovers=True), other\n",
                _IMPORTS,
            ),
            {},
            says="drops the last partial batch",
        ),
    ),
)
