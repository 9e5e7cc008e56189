"""P012: imports of the old API go, imports of the new one come."""

from __future__ import annotations

import ast
import builtins
import re

from pedl2det.edit.import_lines import imports_edit
from pedl2det.facts.occurrences import Occurrence
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.plan import Plan
from pedl2det.rules.rule import ALL, Case, Rule, Safety, trial
from pedl2det.tables.legacy import is_legacy


def plan(project: TrialProject, plan: Plan) -> None:
    """Plan the imports of every file that has or needs some."""
    for source in project.sources.values():
        if source.skipped.whole:
            continue
        kept = {one.local for one in project.skipped if one.source is source}
        found = [one for one in project.occurrences if one.source is source]
        gone = [one for one in found if one.is_import and _plan_alias(plan, one, found, kept)]
        needed = plan.imports.get(source.path, set()) - _present(source)
        _check_free(plan, source, needed)
        unused = _unused(plan, source) | plan.gone.get(source.path, set())
        if gone or needed or unused or source.path in plan.gone:
            plan.file(source).module(imports_edit(needed, unused - kept, kept))
            for one in gone:
                plan.changed(RULE.id, source, one.node)


def _plan_alias(plan: Plan, alias: Occurrence, found: list[Occurrence], kept: set[str]) -> bool:
    """Whether an import of the old API can go: somebody answers for each of its uses.

    One of which a use is on a line that the user wants left stays with it.
    """
    source = alias.source
    assert isinstance(alias.node, ast.alias)
    statement = source.names.parents[alias.node]
    local = alias.node.asname or alias.node.name.partition(".")[0]
    if local in kept:
        plan.keep(alias)
    elif source.names.parents[statement] is not source.tree:
        message = "an import inside a function, a condition or a try is left alone"
        plan.refuse(RULE.id, source, statement, message)
    elif _shares_line(source, statement):
        plan.refuse(RULE.id, source, statement, "two statements stand on this line")
    elif local == "*" and _unknown(source):
        names = ", ".join(sorted(_unknown(source)))
        plan.refuse(RULE.id, source, statement, f"import * hides where {names} come from")
    else:
        uses = [one for one in found if not one.is_import and local in (one.root, "*")]
        if uses or not _is_exported(plan.project, source, local):
            gone = all(plan.is_claimed(one.node) or plan.is_dropped(one.node) for one in uses)
            if gone:
                plan.claim(alias.node)
                plan.unimport(source, local)
            return gone
        plan.refuse(RULE.id, source, statement, f"{local} is exported to others from here")
    plan.claim(alias.node)
    return False


def _unknown(source: Source) -> set[str]:
    """Names that are used and bound by nothing that can be seen."""
    return {
        node.id
        for node in source.names.nodes
        if isinstance(node, ast.Name)
        and source.names.binder(node) is None
        and not hasattr(builtins, node.id)
        and node.id not in ("__file__", "__name__", "__doc__")
    }


def _is_exported(project: TrialProject, source: Source, name: str) -> bool:
    """Whether another file imports a name from this one, and nobody answers for that."""
    module = project.module_of(source).rpartition(".")[2]
    answered = {id(one.node) for one in project.occurrences}
    return any(
        isinstance(node, ast.ImportFrom)
        and not is_legacy(node.module or "")
        and (node.module or "").rpartition(".")[2] == module
        and any(alias.name == name and id(alias) not in answered for alias in node.names)
        for other in project.sources.values()
        for node in other.names.nodes
    )


def _shares_line(source: Source, statement: ast.AST) -> bool:
    return any(
        other is not statement and other.lineno == getattr(statement, "lineno", 0)
        for other in source.tree.body
    )


def _present(source: Source) -> set[str]:
    """The imports that a file has, one statement a name."""
    found = set()
    for node in source.tree.body:
        # A relative import at the top is made absolute (P039).
        if isinstance(node, ast.ImportFrom) and node.level <= 1 and node.module:
            found |= {f"from {node.module} import {ast.unparse(alias)}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {f"import {ast.unparse(alias)}" for alias in node.names}
    return found


def _check_free(plan: Plan, source: Source, needed: set[str]) -> None:
    """Refuse a file where a name that the new code needs means something else already."""
    for text in sorted(needed):
        before, _, name = text.partition("import ")
        dotted, _, local = name.partition(" as ")
        home = before.removeprefix("from ").strip()
        meant = source.names.follow(f"{home}.{dotted}" if home else dotted)
        for bound in source.names.module_bindings(local or dotted):
            means = source.names.follow(bound) if bound is not None else None
            if means is None or not (is_legacy(means) or means == meant):
                message = f"{local or dotted} means something else here, and the new code needs it"
                plan.refuse(RULE.id, source, _binder(source, local or dotted), message)
                break


def _binder(source: Source, name: str) -> ast.AST:
    """A statement of a module that binds a name."""
    for node in source.tree.body:
        stored = (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
        named = (getattr(inner, "name", None) for inner in ast.walk(node))
        if name in (*stored, *named):
            return node
    return source.tree


def _unused(plan: Plan, source: Source) -> set[str]:
    """Names that were imported and used, and whose uses are all gone."""
    uses: dict[str, list[ast.Name]] = {}
    for node in source.names.of(ast.Name):
        uses.setdefault(node.id, []).append(node)
    imported = {
        alias.asname or alias.name
        for node in source.tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if not (isinstance(node, ast.ImportFrom) and is_legacy(node.module or ""))
        and not is_legacy(f"{getattr(node, 'module', '')}.{alias.name}")
    }
    written = _words_in_text(source)
    return {
        name
        for name in imported - written
        if name in uses and all(plan.is_dropped(use) for use in uses[name])
    }


def _words_in_text(source: Source) -> set[str]:
    """Words in strings and type comments: annotations and ``__all__`` may mean a name there."""
    texts = [node.value for node in source.names.of(ast.Constant) if isinstance(node.value, str)]
    texts += re.findall(r"#\s*type:.*", source.text)
    return {word for text in texts for word in re.findall(r"\w+", text)}


RULE = Rule(
    id="P012",
    name="imports",
    doc="An import of the old API goes when a rule answers for each of its uses; what the new code "
    "needs is imported where the old import stood. Imports that nothing uses any more go too.",
    safety=Safety.SAFE,
    plan=plan,
    generations=ALL,
    cases=(
        Case(
            {"data.py": "import os\n\nimport pedl  # see above\n\nHERE = os.curdir\n"}
            | trial("pass\n"),
            {"data.py": "import os\n\n# see above\n\nHERE = os.curdir\n"},
        ),
        Case(
            {"data.py": "from pedl.frameworks.keras.data import KerasDataAdapter\nX = 1\n"}
            | trial("pass\n"),
            {"data.py": "X = 1\n"},
        ),
        Case(
            {"common.py": "from pedl.frameworks.keras.data import KerasDataAdapter\nX = 1\n"}
            | {"data.py": "from common import X, KerasDataAdapter\n"}
            | trial("pass\n"),
            {"common.py": "X = 1\n", "data.py": "from common import X\n"},
        ),
        Case(
            {"data.py": "try:\n    import pedl\nexcept ImportError:\n    pedl = None\n"}
            | trial("pass\n"),
            {},
            says="an import inside a function, a condition or a try is left alone",
        ),
        Case({"data.py": "from pedl import *\nX = 1\n"} | trial("pass\n"), {"data.py": "X = 1\n"}),
        Case(
            {"data.py": "from pedl import *\n\nX = helper(1)\n"} | trial("pass\n"),
            {},
            says="import * hides where helper come from",
        ),
    ),
)
