"""A constant that a module asks for while it is imported is asked for where it is used.

There is no context yet while modules are imported. A constant that is more than a getter, or that
is read during imports itself, keeps its place and asks ``legacy_keras`` (P004).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.bindings import imported_as
from pedl2det.analysis.getters import GETTERS, question
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.fixes import Edit, Fix, Remark, Replace, ReplaceStatement
from pedl2det.rules.cases import Case, pedl_trial

ID = "P016"
NAME = "import-time"

#: Calls that only look into what they are given.
_PLAIN = frozenset({"get", "int", "float", "str", "bool", "len", "min", "max", "round", "abs"})


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Move the questions of module-level constants to where the constants are read."""
    asking: dict[tuple[int, ast.stmt], list[Reference]] = {}
    for reference in trial.uses(*GETTERS):
        source = reference.source
        statement = source.names.statement_of(reference.node)
        if source.names.parents.get(statement) is source.tree:
            asking.setdefault((id(source), statement), []).append(reference)
    for (_, statement), references in asking.items():
        fix = _moved(trial, references[0].source, statement, references)
        if fix is not None:
            yield fix


def _moved(
    trial: Trial, source: Source, statement: ast.stmt, references: list[Reference]
) -> Fix | None:
    """The constant's value in the places of its reads; None if it has to keep its place."""
    match statement:
        case ast.Assign(targets=[ast.Name() as target], value=value):
            pass
        case ast.AnnAssign(target=ast.Name() as target, value=value) if value is not None:
            pass
        case _:
            return None
    code = _question(trial, source, value, references)
    if code is None or not _is_plain(source, value, references):
        return None
    if len(source.names.bound(source.tree, target.id)) != 1:
        return None
    if _is_set_elsewhere(trial, source, target.id):
        return None
    reads = trial.flow.reads_of(target)
    if not reads or any(trial.context.at(read) is None for read in reads):
        return None
    if any(len(trial.flow.bindings(read)) > 1 for read in reads if isinstance(read, ast.Name)):
        return None
    homes = [trial.modules.home(read) for read in reads]
    if _is_imported_in_vain(trial, f"{trial.modules.name_of(source)}.{target.id}", homes):
        return None
    edits: list[tuple[Source, Edit]] = [
        (trial.modules.home(read), Replace(read, code)) for read in reads
    ]
    return Fix(ID, source, statement, (ReplaceStatement(statement),), tuple(edits))


def _is_set_elsewhere(trial: Trial, source: Source, name: str) -> bool:
    """Whether a function of the module, or another module, may give a constant another value."""
    return any(name in node.names for node in source.names.of(ast.Global)) or any(
        node.attr == name and not isinstance(node.ctx, ast.Load)
        for other in trial.modules
        for node in other.names.of(ast.Attribute)
    )


def _is_imported_in_vain(trial: Trial, dotted: str, homes: list[Source]) -> bool:
    """Whether a module imports a constant that it never reads, and so would miss it."""
    return any(
        source.names.follow(imported_as(node, alias)) == dotted
        for source in trial.modules
        if all(source is not home for home in homes)
        for node in source.names.of(ast.ImportFrom)
        for alias in node.names
    )


def _question(
    trial: Trial, source: Source, value: ast.expr, references: list[Reference]
) -> str | None:
    """The text of a value with the context's methods in the places of the getters."""
    replaced: dict[ast.expr, str] = {}
    for reference in references:
        asked = question(trial, reference)
        if asked is None:
            return None
        node, code = asked
        key = node.args[0] if isinstance(node, ast.Call) and node.args else None
        replaced[node] = code.replace("{key}", source.segment(key)) if key is not None else code
    if value in replaced:
        return replaced[value]
    text = source.spliced(value, replaced)
    return text if "\n" not in text else None


def _is_plain(source: Source, value: ast.expr, references: list[Reference]) -> bool:
    """Whether a value reads nothing but getters and literals."""
    getters = {node for one in references for node in ast.walk(one.node)}
    for node in ast.walk(value):
        if node in getters:
            continue
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
            if node.func not in getters and name not in _PLAIN:
                return False
        elif isinstance(node, ast.Name):
            if node.id not in _PLAIN or source.names.binder(node) is not None:
                return False
        elif isinstance(node, ast.Lambda | ast.ListComp | ast.DictComp | ast.GeneratorExp):
            return False
    return True


_READ = """\
import pedl

WIDTH = pedl.get_hyperparameter("width")


class Net:
    def units(self):
        return 2 * WIDTH
"""
_READ_AFTER = """\
class Net:
    def units(self):
        return 2 * self.context.get_hparam("width")
"""
_KEPT = _READ.replace("pedl", "legacy_keras")
_AT_IMPORT = """\
import pedl

WIDTHS = [pedl.get_hyperparameter("width"), 8]


def widest(width=max(WIDTHS)):
    return width
"""
_AT_IMPORT_AFTER = """\
import legacy_keras

WIDTHS = [legacy_keras.get_hyperparameter("width"), 8]


def widest(width=max(WIDTHS)):
    return width
"""
_SETTINGS = '"""Settings of the trial."""\n'
_NET = """\
import settings


class Net:
    def units(self):
        return settings.WIDTH
"""
_OTHER = """\
import os

WIDTH = int(os.environ["WIDTH"])


class Net:
    def units(self):
        return 2 * WIDTH
"""

CASES = (
    Case(pedl_trial(_READ), {"net.py": _READ_AFTER}),
    Case(pedl_trial(_AT_IMPORT), {"net.py": _AT_IMPORT_AFTER}),
    Case(
        {
            **pedl_trial(_NET),
            "settings.py": _SETTINGS + _READ.partition("\n\n\n")[0] + "\n",
        },
        {"net.py": _READ_AFTER.replace("2 * ", ""), "settings.py": _SETTINGS},
        "nothing but text is left in this module",
    ),
    Case(
        pedl_trial(_READ, other="from net import WIDTH\n\nDEPTH = 3\n"),
        {"net.py": _KEPT, "other.py": "from net import WIDTH\n\nDEPTH = 3\n"},
    ),
    Case(pedl_trial(_OTHER), {"net.py": _OTHER}),
)
