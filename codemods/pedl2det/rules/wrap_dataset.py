"""P020: every ``tf.data.Dataset`` is wrapped by the context."""

from __future__ import annotations

import ast

from pedl2det.edit.making import becomes, method_of
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.flow.wrapped_datasets import (
    CREATORS,
    WRAP,
    Fate,
    fate_of,
    holds_wrapped,
    is_of_elements,
    parts_of,
)
from pedl2det.plan import Plan
from pedl2det.rules.rule import UNDER_PEDL, Case, Rule, Safety, loaders

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
        for node in source.names.of(ast.Call):
            if not _is_inside_another(plan, source, node):
                _plan_creation(plan, source, node)


def _plan_creation(plan: Plan, source: Source, node: ast.Call) -> None:
    name = source.names.qualified(node.func) or ""
    is_tfds = name in _TFDS or (isinstance(node.func, ast.Attribute) and node.func.attr == _AS)
    if not (is_tfds or name.startswith(CREATORS)):
        return
    fate = fate_of(plan.project, source, node)
    if fate is Fate.WRAPPED:
        return
    if is_tfds:
        message = (
            f"{ast.unparse(node.func)} may give several datasets, and each must be wrapped: "
            "hand each to wrap_dataset"
        )
        plan.refuse(RULE.id, source, node, message)
        return
    parts = parts_of(source, node)
    wrapped = [part for part in parts if holds_wrapped(plan.project, source, part)]
    if wrapped:
        if len(wrapped) < len(parts):
            message = "some of these datasets are wrapped already, and some are not: wrap each"
            plan.refuse(RULE.id, source, node, message)
        return
    if fate is Fate.UNSEEN and any(found.name == WRAP for found in plan.project.occurrences):
        message = "whether this dataset is wrapped later is not seen: hand it to wrap_dataset here"
        plan.refuse(RULE.id, source, node, message)
        return
    if plan.project.script is not None:
        message = "a tf.data.Dataset must be wrapped, and a script has no place for that"
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


def _is_inside_another(plan: Plan, source: Source, node: ast.AST) -> bool:
    """Whether this is made in a lambda or inner function, or for each element of another."""
    around = source.names.definition_around(node)
    if isinstance(around, ast.FunctionDef) and is_of_elements(plan.project, around):
        return True
    return isinstance(around, ast.Lambda) or (
        isinstance(around, ast.FunctionDef)
        and source.names.definition_around(around) is not None
        and not isinstance(source.names.parents.get(around), ast.ClassDef)
    )


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
            loaders(
                f"both = tf.data.Dataset.zip((wrap_dataset({_MADE}(x)), "
                f"wrap_dataset({_MADE}(y))))\n"
                "return both, load()\n",
                _IMPORTS,
            ),
            {
                "data.py": loaders(
                    f"both = tf.data.Dataset.zip((context.wrap_dataset({_MADE}(x)), "
                    f"context.wrap_dataset({_MADE}(y))))\n"
                    "return both, load()\n",
                    _IMPORTS,
                )["data.py"]
            },
        ),
        Case(
            loaders(
                f"return tf.data.Dataset.zip((wrap_dataset({_MADE}(x)), {_MADE}(y))), load()\n",
                _IMPORTS,
            ),
            {},
            says="some of these datasets are wrapped already, and some are not",
        ),
        Case(
            loaders(
                f"train = {_MADE}(x) if x else {_MADE}(y)\n"
                "if x:\n    train = train.shuffle(9)\n"
                "train = wrap_dataset(dataset=train)\nreturn train.batch(8), load()\n",
                _IMPORTS,
            ),
            {
                "data.py": loaders(
                    f"train = {_MADE}(x) if x else {_MADE}(y)\n"
                    "if x:\n    train = train.shuffle(9)\n"
                    "train = context.wrap_dataset(dataset=train)\nreturn train.batch(8), load()\n",
                    _IMPORTS,
                )["data.py"]
            },
        ),
        Case(
            loaders(
                f"made = {{'train': {_MADE}(x)}}\nreturn wrap_dataset(made['train']), load()\n",
                _IMPORTS,
            ),
            {},
            says="whether this dataset is wrapped later is not seen",
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
