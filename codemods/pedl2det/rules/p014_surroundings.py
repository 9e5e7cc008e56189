"""What happened around the trial's module when the old harness imported the package.

The new entrypoint names the trial's module, so ``__init__.py`` is not run any more: what it does
beside importing moves to that module. Random numbers that are drawn while modules are imported may
come in another order, which is an assumption.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from pedl2det.analysis.import_path import adds_own_directory, changes_path
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, InsertBefore, Remark, ReplaceStatement
from pedl2det.rules.cases import Case
from pedl2det.rules.small_trials import migrated_model, pedl_trial

ID = "P014"
NAME = "surroundings"

_RANDOM = ("numpy.random.", "random.", "tensorflow.random.", "tensorflow.compat.v1.random")
_NO_DRAW = ("seed", "RandomState", "default_rng", "Random", "set_seed", "set_random_seed")


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Move what ``__init__.py`` does, and name random numbers that are drawn at import."""
    if trial.generation is not Generation.PEDL or not trial.concrete:
        return
    init = trial.modules.by_name.get("__init__")
    home = trial.modules.home(trial.concrete[0])
    if init is not None and home is not init:
        yield from _moved(trial, init, home)
    for source in trial.modules:
        for call in _drawn_at_import(trial, source):
            message = "random numbers that are drawn while modules are imported come in one order"
            yield Remark(ID, source, call, Kind.ASSUMPTION, message)
            break


def _moved(trial: Trial, init: Source, home: Source) -> Iterator[Fix | Remark]:
    definition = next((node for node in home.tree.body if _is_definition(node)), None)
    for node in init.tree.body:
        if not _does_something(node):
            continue
        needed = _imports_for(init, node)
        is_path = changes_path(init, node)
        first = _first_import(trial, home) or definition if is_path else definition
        if needed is None or first is None or node.lineno in init.skipped:
            message = "the new entrypoint does not run this: it imports the trial's module alone"
            yield Remark(ID, init, node, Kind.LEFT, message, f"move it to {home.path.name}")
            continue
        code = _moved_text(init, home, node)
        if "os.path" in code:
            needed = tuple(dict.fromkeys(("import os", *needed)))
        edit = InsertBefore(first, code)
        yield Fix(ID, home, first, (edit,), ((init, ReplaceStatement(node)),), imports=needed)


def _first_import(trial: Trial, home: Source) -> ast.stmt | None:
    """The first import of a module of the project, which may need ``sys.path``."""
    for node in home.tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom) and any(
            trial.modules.imported(home, node)
        ):
            return node
    return None


def _moved_text(init: Source, home: Source, node: ast.stmt) -> str:
    """A statement for another file, whose own place is another folder."""
    folders = len(home.path.parent.relative_to(init.path.parent).parts)
    here = f"{'os.path.dirname(' * folders}__file__{')' * folders}"
    files = [one for one in init.names.below(node) if getattr(one, "id", "") == "__file__"]
    return init.spliced(node, {one: here for one in files if isinstance(one, ast.Name)})


def _is_definition(node: ast.stmt) -> bool:
    return isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Assign)


def _does_something(node: ast.stmt) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.ClassDef() | ast.FunctionDef() | ast.Pass():
            return False
        case ast.Expr() if isinstance(node.value, ast.Constant) or adds_own_directory(node):
            return False
        case ast.Assign(targets=[ast.Name(id=name)]) if name.startswith("__"):
            return False
        case ast.Assign(value=ast.Constant() | ast.Name() | ast.Attribute() | ast.List()):
            return False
    return True


def _imports_for(init: Source, node: ast.stmt) -> tuple[str, ...] | None:
    """The imports that a statement needs; None if it uses what only ``__init__.py`` has."""
    found: dict[str, str] = {}
    for name in init.names.below(node):
        if not isinstance(name, ast.Name):
            continue
        bound = init.names.bindings(name)
        if not bound:
            continue
        if len(bound) != 1 or bound[0] is None:
            return None
        module, _, last = bound[0].rpartition(".")
        if bound[0].startswith("."):
            return None
        alias = f" as {name.id}" if name.id != (last or bound[0]) else ""
        found[name.id] = (
            f"from {module} import {last}{alias}" if module else f"import {last}{alias}"
        )
    return tuple(found.values())


def _drawn_at_import(trial: Trial, source: Source) -> Iterator[ast.Call]:
    """Calls that draw random numbers while a module is imported."""
    for call in source.names.of(ast.Call):
        dotted = trial.modules.meaning(call.func)
        if dotted is None or not dotted.startswith(_RANDOM) or dotted.endswith(_NO_DRAW):
            continue
        if source.names.definition_around(call) is None:
            yield call


_IMPORTS = """\
from data import make_data_loaders
from model_def import Net
"""
_FLOAT = """\
import tensorflow as tf

from data import make_data_loaders
from model_def import Net
"""
_SET = 'tf.keras.backend.set_floatx("float64")\n'
_PATH = "import os\nimport sys\n\nsys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))\n"
_EXPORTS = f'{_IMPORTS}\n__all__ = ["Net", "make_data_loaders"]\n'
_BODY, _ROWS = "return load(4), load(2)\n", "from rows import load"
_NOISE = "import numpy as np\nfrom rows import load\n\nNOISE = np.random.rand(4)"
_PREPARING = f"""\
{_IMPORTS}

def prepare():
    print("ready")


{{mark}}prepare()
"""
_MARK = """\
# TODO(pedl2det P014): the new entrypoint does not run this: it imports the
# trial's module alone
#   move it to model_def.py
"""

CASES = (
    Case(
        {**pedl_trial(_BODY, _ROWS), "__init__.py": f"{_FLOAT}\n{_SET}"},
        {
            "__init__.py": _FLOAT,
            "model_def.py": migrated_model("").replace("\n\n\nclass", f"\n\n\n{_SET}\n\nclass"),
        },
    ),
    Case(
        {**pedl_trial(_BODY, _ROWS), "__init__.py": _EXPORTS},
        {"__init__.py": _EXPORTS, "model_def.py": migrated_model("")},
    ),
    Case(
        {**pedl_trial(_BODY, _ROWS), "__init__.py": _PATH + _IMPORTS},
        {"__init__.py": _PATH + _IMPORTS, "model_def.py": migrated_model("")},
    ),
    Case(
        pedl_trial(_BODY, _NOISE),
        {"model_def.py": migrated_model("")},
        "come in one order",
        "assumptions",
    ),
    Case(
        {**pedl_trial(_BODY, _ROWS), "__init__.py": _PREPARING.format(mark="")},
        {"__init__.py": _PREPARING.format(mark=_MARK), "model_def.py": migrated_model("")},
        "the new entrypoint does not run this",
        "begun",
    ),
)
