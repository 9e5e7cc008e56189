"""A constant that a module asks for while it is imported is asked for where it is used.

There is no context yet while modules are imported. A constant that is more than a getter, or that
is read during imports itself, keeps its place and asks ``legacy_keras`` (P004).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.bindings import imported_as
from pedl2det.analysis.getters import GETTERS, key_of, question
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import CONFIG_GETTERS, Trial
from pedl2det.fixes import Fix, Remark, Replace, ReplaceStatement
from pedl2det.rules.cases import Case, pedl_trial

ID = "P016"
NAME = "import-time"
_BY_TEXT = frozenset({"globals", "locals", "vars", "exec", "eval"})


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Move the questions of module-level constants to where the constants are read."""
    for reference in trial.uses(*GETTERS):
        source, asked = reference.source, question(trial, reference)
        is_old = reference.dotted in CONFIG_GETTERS and not trial.config_uses.is_plain  # P004
        if asked is None or is_old:
            continue
        statement = source.names.parents[asked[0]]
        if source.names.parents.get(statement) is not source.tree:
            continue
        match statement:
            case (
                ast.Assign(targets=[ast.Name() as target])
                | ast.AnnAssign(target=ast.Name() as target)
            ):
                if _is_read_later_alone(trial, source, target):
                    key = key_of(asked[0])
                    yield _moved(
                        trial, source, target, asked[1], source.segment(key) if key else ""
                    )


def _moved(trial: Trial, source: Source, target: ast.Name, code: str, key: str) -> Fix:
    """The question in the places of the constant's reads."""
    code = code.replace("{key}", key)
    edits = [
        (trial.modules.home(read), Replace(read, code)) for read in trial.flow.reads_of(target)
    ]
    statement = source.names.statement_of(target)
    return Fix(ID, source, statement, (ReplaceStatement(statement),), tuple(edits))


def _is_read_later_alone(trial: Trial, source: Source, target: ast.Name) -> bool:
    """Whether all that is done with a constant is to read it where the context can be had."""
    reads = trial.flow.reads_of(target)
    homes = [trial.modules.home(read) for read in reads]
    return (
        bool(reads)
        and not any(use.is_change for read in reads for use in trial.flow.uses(read))
        and all(trial.context.at(read) is not None for read in reads)
        and all(len(trial.flow.bindings(read)) < 2 for read in reads if isinstance(read, ast.Name))
        and len(source.names.bound(source.tree, target.id)) == 1
        and not _is_set_elsewhere(trial, source, target.id)
        and not _is_reached_by_text(trial, source)
        and not _is_imported_in_vain(trial, f"{trial.modules.name_of(source)}.{target.id}", homes)
    )


def _is_set_elsewhere(trial: Trial, source: Source, name: str) -> bool:
    """Whether a function of the module, or another module, may give a constant another value."""
    return any(name in node.names for node in source.names.of(ast.Global)) or any(
        node.attr == name and not isinstance(node.ctx, ast.Load)
        for other in trial.modules
        for node in other.names.of(ast.Attribute)
    )


def _is_reached_by_text(trial: Trial, source: Source) -> bool:
    """Whether names of a module may be reached by text: ``vars(settings)``, ``globals()``."""
    module = trial.modules.name_of(source)
    return any(node.id in _BY_TEXT for node in source.names.of(ast.Name)) or any(
        trial.modules.meaning(node) == module
        and not isinstance(other.names.parents[node], ast.Attribute)
        for other in trial.modules
        for node in other.names.of(ast.Name, ast.Attribute)
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
_SETTINGS = '"""Settings of the trial."""\n'
_NET = """\
import settings


class Net:
    def units(self):
        return settings.WIDTH
"""
_WHOLE = _NET.replace("settings.WIDTH", "vars(settings)['WIDTH'] + settings.WIDTH")
_OTHER = _READ.replace("import pedl\n", "import os\n").replace(
    "pedl.get_hyperparameter", "os.getenv"
)

CASES = (
    Case(pedl_trial(_READ), {"net.py": _READ_AFTER}),
    Case(
        {**pedl_trial(_NET), "settings.py": _SETTINGS + _READ.partition("\n\n\n")[0] + "\n"},
        {"net.py": _READ_AFTER.replace("2 * ", ""), "settings.py": _SETTINGS},
        "nothing but text is left in this module",
    ),
    Case(  # another module imports it as well
        pedl_trial(_READ, other="from net import WIDTH\n\nDEPTH = 3\n"),
        {"net.py": _READ.replace("pedl", "legacy_keras")},
    ),
    Case(  # its module is read as a whole, so that the constant has to stay
        {**pedl_trial(_WHOLE), "settings.py": _READ.partition("\n\n\n")[0] + "\n"},
        {"settings.py": _READ.partition("\n\n\n")[0].replace("pedl", "legacy_keras") + "\n"},
    ),
    Case(pedl_trial(_OTHER), {"net.py": _OTHER}),
)
