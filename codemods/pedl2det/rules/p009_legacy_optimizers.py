"""Optimizers become those of ``tf.keras.optimizers.legacy``, which compute what the old ones did.

Since Keras 2.11 an optimizer ignores ``lr=`` with a warning, and raises for ``decay=``. Arguments
that had other names, another order or other defaults are written out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import pedl2det_names as names
from pedl2det.analysis import old_keras
from pedl2det.analysis.flow import Way
from pedl2det.analysis.old_keras import LEGACY, OPTIMIZERS, call_edits, means_standalone
from pedl2det.analysis.source import Source
from pedl2det.analysis.spelling import spell
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Edit, Fix, Remark, RenameKeyword, Replace
from pedl2det.rules.cases import Case, pedl_trial
from pedl2det_names import Age

ID = "P009"
NAME = "legacy-optimizers"

_BASE = "Optimizer"
_GETTERS = {f"{OPTIMIZERS}.get", f"{OPTIMIZERS}.deserialize"}
_CLIPS = {"clipnorm", "clipvalue"}
_STAR = "which optimizers this imports is not visible, and today they have other arguments"
_HANDED_ON = "this module is handed on, and which optimizers are used is not visible"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the optimizers in every file of the project."""
    written_for = old_keras.age(trial)
    for reference in trial.references:
        row = old_keras.meant(reference, written_for)
        if row is not None and old_keras.is_optimizer(row) and not reference.is_import:
            yield from _use(trial, reference, row)
    if written_for is not Age.CURRENT:
        for source in trial.modules:
            yield from _others(trial, source)


def _use(trial: Trial, reference: Reference, row: names.Name) -> Iterator[Fix | Remark]:
    """One use of an optimizer's class: called, or as a value."""
    node, source = reference.node, reference.source
    assert isinstance(node, ast.expr)
    if not row.same:  # no optimizer of Keras computes the same
        edit = Replace(node, f"legacy_keras.{row.support}")
        yield Fix(ID, source, node, (edit,))
        return
    call = reference.call
    parent = source.names.parents.get(node)
    if call is not None:
        edits = call_edits(call, row)
        clips = [one for one in call.keywords if one.arg in _CLIPS]
        if means_standalone(trial, reference.dotted) and len(clips) > 1:
            message = "Keras 2.2.4 clipped by the norm first, and today's Keras by the value first"
            yield Remark(ID, source, call, Kind.LEFT, message, "keep one of clipnorm and clipvalue")
    elif isinstance(parent, ast.ClassDef):
        edits = []
        if row.defaults:
            said = ", ".join(f"{name}={value}" for name, value in row.defaults.items())
            message = f"{parent.name} derives from {ast.unparse(node)}, which had {said}"
            help_ = "give it these arguments where it is made"
            yield Remark(ID, source, parent, Kind.LEFT, message, help_)
    else:
        edits = _as_value(trial, node, row)
    if edits is None:
        yield _by_piece(reference, row)
    else:
        yield from _renamed(reference, row, edits)


def _renamed(reference: Reference, row: names.Name, edits: list[Edit]) -> Iterator[Fix]:
    """The class by its new name, and its arguments by theirs."""
    node, source = reference.node, reference.source
    assert isinstance(node, ast.expr) and row.new is not None
    spelling = spell(source, row.new, like=node)
    if spelling.code != ast.unparse(node):
        edits = [Replace(node, spelling.code), *edits]
    if edits or spelling.imports:
        yield Fix(ID, source, node, tuple(edits), imports=spelling.imports)


def _by_piece(reference: Reference, row: names.Name) -> Fix:
    """The faithful form: a function with the old arguments and defaults."""
    node = reference.node
    assert isinstance(node, ast.expr) and row.new is not None
    piece = row.support or row.new.rpartition(".")[2]
    edit = Replace(node, f"legacy_keras.{piece}")
    return Fix(ID, reference.source, node, (edit,))


def _as_value(trial: Trial, node: ast.expr, row: names.Name) -> list[Edit] | None:
    """The edits of the calls of a class that is used as a value, such as a member of a dict.

    Returns None if a call may mean something else today.
    """
    calls = [use.around for use in trial.flow.uses(node) if use.way is Way.METHOD]
    found = [call for call in calls if isinstance(call, ast.Call)]
    all_same = bool(found) and all(_means_the_same(call, row) for call in found)
    if (row.defaults or row.parameters) and not all_same:
        return None
    here = trial.modules.home(node)
    return [
        RenameKeyword(keyword, "learning_rate")
        for call in found
        for keyword in call.keywords
        if keyword.arg == "lr" and trial.modules.home(call) is here
    ]


def _means_the_same(call: ast.Call, row: names.Name) -> bool:
    said = {one.arg for one in call.keywords}
    if None in said or len(call.args) > 1 or "clipnorm" in said:
        return False
    given = {row.keywords.get(str(one), one) for one in said}
    if call.args:
        given.add("learning_rate")
    return row.defaults.keys() <= given


# The module, its functions, and its base class.


def _others(trial: Trial, source: Source) -> Iterator[Fix | Remark]:
    for statement in source.names.of(ast.ImportFrom):
        row = names.lookup(statement.module or "")
        module = row.new if row is not None else statement.module
        if module == OPTIMIZERS and statement.names[0].name == "*" and not statement.level:
            yield Remark(ID, source, statement, Kind.LEFT, _STAR, f"from {LEGACY} import SGD")
    for node in source.names.of(ast.Name, ast.Attribute):
        if not isinstance(node.ctx, ast.Load):
            continue
        dotted = trial.modules.meaning(node)
        today = trial.today(node)
        parent = source.names.parents.get(node)
        piece = "standalone_optimizer" if means_standalone(trial, dotted or "") else "optimizer"
        if today in _GETTERS and isinstance(parent, ast.Call) and parent.func is node:
            yield Fix(ID, source, node, (Replace(node, f"legacy_keras.{piece}"),))
        elif today == f"{OPTIMIZERS}.{_BASE}":
            spelling = spell(source, f"{LEGACY}.{_BASE}", like=node)
            edit = Replace(node, spelling.code)
            yield Fix(ID, source, node, (edit,), imports=spelling.imports)
        elif today == OPTIMIZERS and isinstance(parent, ast.Call) and node in parent.args:
            yield _handed_on(trial, node, parent, dotted or "")


def _handed_on(trial: Trial, node: ast.expr, call: ast.Call, dotted: str) -> Fix | Remark:
    """The module as an argument, such as in ``getattr(optimizers, name)``."""
    source = trial.modules.home(node)
    if not means_standalone(trial, dotted):
        edit = Replace(node, "{module}.legacy", {"module": node})
        return Fix(ID, source, node, (edit,))
    if getattr(call.func, "id", "") == "getattr" and len(call.args) == 2:
        name = {"name": call.args[1]}
        edit = Replace(call, "legacy_keras.standalone_optimizer_class({name})", name)
        return Fix(ID, source, node, (edit,))
    return Remark(ID, source, node, Kind.LEFT, _HANDED_ON, "name the optimizer")


def _case(before: str, after: str) -> Case:
    return Case(pedl_trial(before), {"net.py": after})


_KINDS = """\
from tensorflow.keras.optimizers import SGD, Adam, schedules  # both
KINDS = {"adam": Adam, "sgd": SGD}

def optimizer(name, rate):
    return KINDS[name](lr=rate)
"""
_GUARDED = """\
try:
    from tensorflow.keras.optimizers.legacy import Adam
except ImportError:
    from tensorflow.keras.optimizers import Adam

opt = Adam()
"""
_OWN = "from shop import Adam\nopt = Adam(lr=0.1)\n"

CASES = (
    _case(
        "from tensorflow.keras.optimizers import RMSprop\n\n"
        "def optimizer(rate):\n    return RMSprop(lr=rate, decay=1e-6)\n",
        "from tensorflow.keras.optimizers.legacy import RMSprop\n\n"
        "def optimizer(rate):\n    return RMSprop(learning_rate=rate, decay=1e-6)\n",
    ),
    _case(
        "import tensorflow as tf\nopt = tf.train.AdamOptimizer(0.1, 0.8)\n\n"
        "class Slow(tf.keras.optimizers.Optimizer):\n    pass\n",
        "import tensorflow as tf\n"
        "opt = tf.keras.optimizers.legacy.Adam(0.1, beta_1=0.8, epsilon=1e-08)\n\n"
        "class Slow(tf.keras.optimizers.legacy.Optimizer):\n    pass\n",
    ),
    _case(  # other defaults
        "from keras.optimizers import SGD, Adadelta\n"
        "a = SGD(0.1, 0.9, 1e-6)\nb = Adadelta()\nc = Adadelta(clipnorm=1.0, lr=0.5)\n",
        "from tensorflow.keras.optimizers.legacy import SGD, Adadelta\n"
        "a = SGD(0.1, momentum=0.9, decay=1e-6)\nb = Adadelta(learning_rate=1.0)\n"
        "c = Adadelta(global_clipnorm=1.0, learning_rate=0.5)\n",
    ),
    _case(
        _KINDS,
        _KINDS.replace("lr=", "learning_rate=").replace(
            "SGD, Adam, schedules  # both",
            "schedules  # both\nfrom tensorflow.keras.optimizers.legacy import Adam, SGD",
        ),
    ),
    _case(  # a name that is computed
        "from tensorflow.keras import optimizers\n"
        "def optimizer(name):\n    return getattr(optimizers, name)(0.1)\n",
        "from tensorflow.keras import optimizers\n"
        "def optimizer(name):\n    return getattr(optimizers.legacy, name)(0.1)\n",
    ),
    _case(
        "from keras import optimizers\nKINDS = {1: optimizers.Nadam}\n"
        "def optimizer(name):\n    return optimizers.get(name) or KINDS[name]()\n",
        "import legacy_keras\n\nKINDS = {1: legacy_keras.Nadam}\n"
        "def optimizer(name):\n"
        "    return legacy_keras.standalone_optimizer(name) or KINDS[name]()\n",
    ),
    Case(
        pedl_trial("from keras.optimizers import *\nopt = SGD(lr=0.1)\n"),
        {},
        "which optimizers this imports is not visible",
        "begun",
    ),
    Case(
        pedl_trial("from keras.optimizers import Adam\nopt = Adam(clipnorm=1.0, clipvalue=0.5)\n"),
        {},
        "clipped by the norm first",
        "begun",
    ),
    _case(_GUARDED, _GUARDED),
    _case(_OWN, _OWN),
)
