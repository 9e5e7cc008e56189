"""A constant that a module asks for while it is imported is asked for where it is used.

There is no context yet while modules are imported. A constant that is more than a getter, or that
is read during imports itself, keeps its place and asks ``legacy_keras`` (P004).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.bindings import imported_as
from pedl2det.analysis.modules import only_names
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import CONFIG_GETTERS, GETTERS, Trial, key_of, question
from pedl2det.fixes import Fix, Remark, Replace, ReplaceStatement

NAME = "import-time"


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
                    code = asked[1].replace("{key}", source.segment(key) if key else "")
                    yield _moved(trial, target, code)


def _moved(trial: Trial, target: ast.Name, code: str) -> Fix:
    """The question in the places of the constant's reads."""
    statement = trial.modules.home(target).names.statement_of(target)
    reads = trial.flow.reads_of(target)
    return Fix(statement, (ReplaceStatement(statement), *(Replace(one, code) for one in reads)))


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
        and not (_has_effects(source) and any(home is not source for home in homes))
        and not _is_imported_in_vain(trial, f"{trial.modules.name_of(source)}.{target.id}", homes)
    )


def _is_set_elsewhere(trial: Trial, source: Source, name: str) -> bool:
    """Whether a function of the module, or another module, may give a constant another value."""
    return any(name in node.names for node in source.names.of(ast.Global)) or any(
        node.attr == name and not isinstance(node.ctx, ast.Load)
        for other in trial.modules
        for node in other.names.of(ast.Attribute)
    )


def _has_effects(source: Source) -> bool:
    """Whether importing a module does more than to bind names, so that its import has to stay."""
    imports = ast.Import | ast.ImportFrom
    others = [one for one in source.tree.body if not isinstance(one, imports)]
    asked = [one for one in others if isinstance(one, ast.Assign | ast.AnnAssign)]
    return not all(one in asked or only_names(one) for one in others)


def _is_imported_in_vain(trial: Trial, dotted: str, homes: list[Source]) -> bool:
    """Whether a module imports a constant that it never reads, and so would miss it."""
    return any(
        source.names.follow(imported_as(node, alias)) == dotted
        for source in trial.modules
        if all(source is not home for home in homes)
        for node in source.names.of(ast.ImportFrom)
        for alias in node.names
    )


EXAMPLE = """\
--- net.py
- import pedl
-
- WIDTH = pedl.get_hyperparameter("width")
-
-
  class Net:
      def units(self):
-         return 2 * WIDTH
+         return 2 * self.context.get_hparam("width")
"""
