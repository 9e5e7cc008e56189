"""P020: every ``tf.data.Dataset`` is wrapped by the context."""

from __future__ import annotations

import ast

from pedl2det.edits import becomes, method_of
from pedl2det.plan import Plan
from pedl2det.project import TrialProject
from pedl2det.rules.rule import UNDER_PEDL, Case, Rule, Safety, loaders
from pedl2det.source import Source

WRAP = "pedl.frameworks.keras.wrap_dataset"
_CREATORS = (
    *("tensorflow.data.Dataset.", "tensorflow.data.TFRecordDataset"),
    *("tensorflow.data.TextLineDataset", "tensorflow.data.FixedLengthRecordDataset"),
    *("tensorflow.data.experimental.CsvDataset", "tensorflow.data.experimental.make_csv_dataset"),
)
_TFDS = ("tensorflow_datasets.load", "tensorflow_datasets.as_dataset")


def plan(project: TrialProject, plan: Plan) -> None:
    """Have the context wrap what was wrapped, and what was not, which was allowed."""
    for found in project.occurrences:
        if found.name != WRAP or found.is_import or found.ambiguous:
            continue
        assert isinstance(found.node, ast.expr)
        plan.claim(found.node)
        context = plan.context(RULE.id, found.source, found.node, "a dataset is wrapped here")
        if context is not None:
            text = f"{context}.wrap_dataset"
            plan.expression(RULE.id, found.source, found.node, becomes(text))
    for source in project.sources.values():
        for node in source.names.nodes:
            if isinstance(node, ast.Call) and not _is_inside_another(source, node):
                _plan_creation(plan, source, node)


def _plan_creation(plan: Plan, source: Source, node: ast.Call) -> None:
    name = source.names.qualified(node.func) or ""
    is_tfds = name in _TFDS or (isinstance(node.func, ast.Attribute) and node.func.attr == _AS)
    if not (is_tfds or name.startswith(_CREATORS)) or _is_wrapped(plan, source, node, set()):
        return
    if is_tfds:
        message = (
            f"{ast.unparse(node.func)} may give several datasets, and each must be wrapped: "
            "hand each to wrap_dataset"
        )
        plan.refuse(RULE.id, source, node, message)
        return
    context = plan.context(RULE.id, source, node, "a dataset is made here")
    if context is not None:
        plan.expression(
            RULE.id, source, node, lambda call: method_of(context, "wrap_dataset", call)
        )
        message = "this dataset was not wrapped: on several processes each now reads its share"
        plan.note(RULE.id, source, node, message)


_AS = "as_dataset"


def _is_inside_another(source: Source, node: ast.AST) -> bool:
    """Whether this is made in a lambda or inner function: in the pipeline of another dataset."""
    around = source.names.definition_around(node)
    return isinstance(around, ast.Lambda) or (
        isinstance(around, ast.FunctionDef)
        and source.names.definition_around(around) is not None
        and not isinstance(source.names.parents.get(around), ast.ClassDef)
    )


def _is_wrapped(plan: Plan, source: Source, node: ast.expr, seen: set[ast.AST]) -> bool:
    """Whether a dataset, with whatever is done to it, is handed to ``wrap_dataset`` everywhere."""
    names = source.names
    while True:
        parent = names.parents[node]
        match parent:
            case ast.Attribute(value=value) if value is node:
                call = names.parents[parent]
                if not (isinstance(call, ast.Call) and call.func is parent):
                    return False
                node = call
            case ast.Call(func=func, args=arguments) if node in arguments:
                name = names.qualified(func) or ""
                return name == WRAP or name.startswith(_CREATORS)
            case ast.Tuple() | ast.List():
                call = names.parents[parent]
                name = names.qualified(call.func) or "" if isinstance(call, ast.Call) else ""
                return name.startswith(_CREATORS)  # Dataset.zip((x, y)): that one is wrapped
            case ast.Assign(targets=[ast.Name() as target]) if target not in seen:
                uses = _uses(source, target)
                return bool(uses) and all(
                    _is_wrapped(plan, source, use, seen | {target}) for use in uses
                )
            case ast.Assign(targets=[ast.Name()]):
                return True  # train = train.batch(8): what becomes of it is asked already
            case ast.Return():
                function = names.definition_around(parent)
                if not isinstance(function, ast.FunctionDef) or function in seen:
                    return False
                calls = plan.project.calls.uses(function)
                return bool(calls) and all(
                    use.call is not None
                    and _is_wrapped(plan, use.source, use.call, seen | {function})
                    for use in calls
                )
            case _:
                return False


def _uses(source: Source, target: ast.Name) -> list[ast.Name]:
    scope = source.names.binder(target)
    return [
        node
        for node in source.names.nodes
        if isinstance(node, ast.Name)
        and node.id == target.id
        and isinstance(node.ctx, ast.Load)
        and source.names.binder(node) is scope
    ]


_IMPORTS = "import tensorflow as tf\nfrom pedl.frameworks.keras import wrap_dataset"
_MADE = "tf.data.Dataset.from_tensor_slices"

RULE = Rule(
    id="P020",
    name="wrap-dataset",
    doc="Every tf.data.Dataset is wrapped by the context, which the current API insists on; it may "
    "have been left unwrapped before.",
    safety=Safety.SAFE,
    plan=plan,
    generations=UNDER_PEDL,
    cases=(
        Case(
            loaders(
                f"train = wrap_dataset({_MADE}(x))\nreturn train.batch(8), {_MADE}(y).batch(8)\n",
                _IMPORTS,
            ),
            {
                "data.py": loaders(
                    f"train = context.wrap_dataset({_MADE}(x))\n"
                    f"return train.batch(8), context.wrap_dataset({_MADE}(y)).batch(8)\n",
                    _IMPORTS,
                )["data.py"]
            },
            says="this dataset was not wrapped",
        ),
        Case(
            loaders(
                f"both = tf.data.Dataset.zip(({_MADE}(x), {_MADE}(y))).map(lambda x: {_MADE}(x))\n"
                "both = both.repeat()\n"
                "return wrap_dataset(both), load()\n",
                _IMPORTS,
            ),
            {
                "data.py": loaders(
                    f"both = tf.data.Dataset.zip(({_MADE}(x), {_MADE}(y)))"
                    f".map(lambda x: {_MADE}(x))\n"
                    "both = both.repeat()\n"
                    "return context.wrap_dataset(both), load()\n",
                    _IMPORTS,
                )["data.py"]
            },
        ),
        Case(
            loaders("return tfds.load('mnist')\n", "import tensorflow_datasets as tfds"),
            {},
            says="tfds.load may give several datasets",
        ),
        Case(
            loaders("return x\n", f"{_IMPORTS}\n\nx = wrap_dataset({_MADE}([1]))"),
            {},
            says="a dataset is wrapped here, where the context is out of reach",
        ),
        Case(loaders("return tf.data.experimental.AUTOTUNE\n", "import tensorflow as tf"), {}),
    ),
)
