"""P030: standalone Keras and TensorFlow's private copy of it become ``tf.keras``."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from pedl2det.edit.making import becomes, statements
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.plan import Plan
from pedl2det.rules.legacy_optimizers import OPTIMIZERS
from pedl2det.rules.rule import OLD, Case, Rule, Safety, trial
from pedl2det.tables.keras_names import OPTIMIZERS as OPTIMIZER_MODULE
from pedl2det.tables.keras_names import is_module, old_path, today


def plan(project: TrialProject, plan: Plan) -> None:
    """Rewrite imports and module paths in every file of the trial."""
    if "keras" in project.sources:  # the trial's own module goes before any other
        return
    for source in project.sources.values():
        for node in source.names.of(ast.Import, ast.ImportFrom, ast.Name, ast.Attribute):
            if isinstance(node, ast.Import):
                _plan_import(plan, source, node)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                _plan_import_from(plan, source, node)
            elif isinstance(node, ast.Name | ast.Attribute) and not isinstance(
                source.names.parents[node], ast.Attribute
            ):
                _plan_use(plan, source, node)


def _plan_import(plan: Plan, source: Source, node: ast.Import) -> None:
    if all(old_path(alias.name) is None for alias in node.names):
        return
    texts = []
    for alias in node.names:
        name = alias.name if alias.asname else alias.name.partition(".")[0]
        if old_path(alias.name) is None or name == "tensorflow":
            texts.append(f"import {ast.unparse(alias)}")
            if old_path(alias.name) is not None:  # import tensorflow.python.keras.x
                texts[-1] = "import tensorflow"
        elif _is_answered(plan, source, node, alias.name):
            texts.append(_from(today(name) or "", alias.asname or name))
    plan.line(RULE.id, source, node, _replaced(texts))


def _plan_import_from(plan: Plan, source: Source, node: ast.ImportFrom) -> None:
    module = node.module or ""
    names = [alias.name for alias in node.names]
    if all(old_path(f"{module}.{name}") is None for name in names):
        return
    if "*" in names:
        plan.refuse(RULE.id, source, node, f"import * hides which names of {module} are used")
        return
    unknown = [name for name in names if not _is_answered(plan, source, node, f"{module}.{name}")]
    if unknown or (today(module) == OPTIMIZER_MODULE and OPTIMIZERS.intersection(names)):
        return  # the rule of optimizers rewrites the line
    by_module: dict[str, list[str]] = {}
    for alias in node.names:
        text = _from(today(f"{module}.{alias.name}") or "", alias.asname or alias.name)
        new_module, _, name = text.removeprefix("from ").partition(" import ")
        by_module.setdefault(new_module, []).append(name)
    if by_module.keys() == {today(module)}:
        plan.line(RULE.id, source, node, _with_module(today(module) or ""))
        return
    texts = [f"from {new} import {', '.join(found)}" for new, found in by_module.items()]
    plan.line(RULE.id, source, node, _replaced(texts))


def _is_answered(plan: Plan, source: Source, node: ast.AST, name: str) -> bool:
    """Whether a name of an old Keras has a public one today; refused if not."""
    if today(name) is not None:
        return True
    message = f"{name}: tf.keras has no public name for it: write what it did without it"
    plan.refuse(RULE.id, source, node, message)
    return False


def _plan_use(plan: Plan, source: Source, node: ast.Name | ast.Attribute) -> None:
    meanings = {name for name in source.names.meanings(node) if name}
    if all(old_path(meaning) is None for meaning in meanings):
        return
    if len(set(source.names.meanings(node))) > 1:
        message = f"{ast.unparse(node)} may mean another Keras, or something else, here"
        plan.refuse(RULE.id, source, node, message)
        return
    chain: list[ast.expr] = [node]
    while isinstance(chain[-1], ast.Attribute):
        chain.append(chain[-1].value)
    found = next(
        part
        for part in [*reversed(chain), node]
        if part is node or not (is_module(name := _meaning(source, part)) or not old_path(name))
    )
    name = _meaning(source, found)
    if not _is_answered(plan, source, found, name):
        return
    has_defaults = name.rpartition(".")[2] in ("keras", "layers", "optimizers")
    if is_module(name) and has_defaults and not _is_alias(source, found, name):
        message = f"{ast.unparse(found)} is handed on, and what is taken from it is not seen"
        plan.refuse(RULE.id, source, found, message)
    _plan_path(plan, source, found, today(name) or "")


def _is_alias(source: Source, node: ast.expr, name: str) -> bool:
    """Whether an expression is given another name, which means it wherever it stands."""
    match source.names.parents[node]:
        case ast.Assign(targets=[ast.Name(id=alias)]):
            return source.names.module_bindings(alias) == [name]
    return False


def _plan_path(plan: Plan, source: Source, node: ast.expr, new: str) -> None:
    """Have an expression mean a new name, begun as it was."""
    root: ast.expr = node
    while isinstance(root, ast.Attribute):
        root = root.value
    assert isinstance(root, ast.Name)
    bound = _meaning(source, root)
    begin = today(bound) or bound
    if not new.startswith(begin):
        message = f"{ast.unparse(node)} is {new} today, which cannot be said with {root.id}"
        plan.refuse(RULE.id, source, node, message)
        return
    text = root.id + new.removeprefix(begin)
    if text != ast.unparse(node):
        plan.expression(RULE.id, source, node, becomes(text))


def _meaning(source: Source, node: ast.AST) -> str:
    return source.names.qualified(node) or ""


def _from(dotted: str, local: str) -> str:
    """The statement that imports a module, class or function under a local name."""
    module, _, name = dotted.rpartition(".")
    return f"from {module} import {name}" + (f" as {local}" if local != name else "")


def _with_module(module: str) -> Any:
    def edit(line: Any) -> Any:
        statement = line.body[0].with_changes(module=cst.parse_expression(module))
        return line.with_changes(body=[statement])

    return edit


def _replaced(texts: list[str]) -> Any:
    """Statements in place of a line, which keeps what stands above and beside it."""

    def edit(line: Any) -> Any:
        first, *others = statements("".join(f"{text}\n" for text in dict.fromkeys(texts)))
        first = first.with_changes(
            leading_lines=line.leading_lines, trailing_whitespace=line.trailing_whitespace
        )
        return cst.FlattenSentinel([first, *others])

    return edit


_BASE = "from pedl.frameworks.keras import TFKerasTrial\n"


def _file(imports: str, use: str = "x = 1\n") -> dict[str, str]:
    return trial("pass\n") | {"nets.py": f"{imports}\n{use}"}


def _after(imports: str, use: str = "x = 1\n") -> dict[str, str]:
    return {"nets.py": f"{imports}\n{use}"}


RULE = Rule(
    id="P030",
    name="standalone-keras",
    doc="Old trials import standalone Keras, or tensorflow.python.keras, by paths that are gone or "
    "are Keras 3 today. They get the public names of tf.keras; private helpers have none and are "
    "left.",
    safety=Safety.SAFE,
    plan=plan,
    generations=OLD,
    cases=(
        Case(
            _file(
                "from keras import backend as K  # the graph\n"
                "from keras.layers.advanced_activations import PReLU\n"
            ),
            _after(
                "from tensorflow.keras import backend as K  # the graph\n"
                "from tensorflow.keras.layers import PReLU\n"
            ),
        ),
        Case(
            _file(
                "import keras, os\nfrom keras.utils import np_utils\n",
                "Base = keras.utils.data_utils.Sequence\ny = np_utils.to_categorical([1])\n",
            ),
            _after(
                "from tensorflow import keras\nimport os\n"
                "from tensorflow.keras import utils as np_utils\n",
                "Base = keras.utils.Sequence\ny = np_utils.to_categorical([1])\n",
            ),
        ),
        Case(
            _file(
                "import tensorflow as tf\n"
                "from tensorflow.python.keras.utils.data_utils import Sequence, get_file\n",
                "x = tf.python.keras.layers.Dense(1)\n",
            ),
            _after(
                "import tensorflow as tf\nfrom tensorflow.keras.utils import Sequence, get_file\n",
                "x = tf.keras.layers.Dense(1)\n",
            ),
        ),
        Case(
            _file("from keras.engine.topology import Layer, Model\nimport keras.backend as K\n"),
            _after(
                "from tensorflow.keras.layers import Layer\n"
                "from tensorflow.keras.models import Model\n"
                "from tensorflow.keras import backend as K\n"
            ),
        ),
        Case(
            _file("from keras.preprocessing.sequence import _remove_long_seq\n"),
            {},
            says="keras.preprocessing.sequence._remove_long_seq: tf.keras has no public name",
        ),
        Case(
            _file("import keras\n", "model = keras.utils.multi_gpu_model(model, 2)\n"),
            {},
            says="keras.utils.multi_gpu_model: tf.keras has no public name",
        ),
        Case(
            _file("from keras.layers import *\n"),
            {},
            says="import * hides which names of keras.layers are used",
        ),
        Case(
            _file("import keras\n", "L = keras.layers\nx = L.core.Dense(1)\n"),
            _after("from tensorflow import keras\n", "L = keras.layers\nx = L.Dense(1)\n"),
        ),
        Case(
            _file("from keras import layers\n", "layer = getattr(layers, name)\n"),
            {},
            says="layers is handed on",
        ),
        Case(
            _file(
                "try:\n    from tensorflow import keras\nexcept ImportError:\n    import keras\n",
                "x = keras.layers.Dense(1)\n",
            ),
            {},
            says="keras.layers.Dense may mean another Keras",
        ),
        Case(trial("x = keras.TFKerasTrial\n", f"from pedl.frameworks import keras\n{_BASE}"), {}),
        Case(_file("import keras\n") | {"keras.py": "layers = 1\n"}, {}),
    ),
)
