"""P012: imports of the old API go, imports of the new one come."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Sequence
from typing import Any

import libcst as cst

from pedl2det.edit.making import Gone, after_docstring, statements
from pedl2det.facts.project import Occurrence, TrialProject
from pedl2det.facts.source import Source
from pedl2det.plan import Plan
from pedl2det.rules.rule import ALL, Case, Rule, Safety, trial
from pedl2det.tables.legacy import is_legacy

#: Comments for tools, which go with the import that they stand beside.
TOOL_COMMENTS = ("# noqa", "# type:", "# pylint", "# isort", "# flake8", "# pragma")


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
            plan.file(source).module(_edit(needed, unused - kept, kept))
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


# The edit of a module: what goes, then what comes.


def _edit(needed: set[str], unused: set[str], kept: set[str]) -> Any:
    def edit(module: Any) -> Any:
        ours = [text for text in needed if _group(text) == "local"]
        body, placed, carried = _without(module.body, unused, kept, _merged(ours))
        if not placed:
            body, ours = _joining(body, ours)
        for text in _merged([text for text in needed if _group(text) != "local"]):
            body = _placed(body, text)
        if ours and not placed:
            at = max([0, *(i + 1 for i, line in enumerate(body) if _import_of(line))])
            at = at or after_docstring(body)
            body = [*body[:at], *_lines(_merged(ours)), *body[at:]]
        if body and not module.header:
            body[0] = _at_the_top(body[0])
        footer = [*carried, *module.footer]
        is_empty = not (body or footer or module.header)
        return module.with_changes(
            body=body,
            footer=footer,
            has_trailing_newline=not is_empty and module.has_trailing_newline,
        )

    return edit


def _without(
    body: Sequence[Any], unused: set[str], stay: set[str], ours: list[str]
) -> tuple[list[Any], bool, list[Any]]:
    """The module without what goes; our imports stand where the first old one stood.

    Returns:
        The statements, whether ours are among them, and the comments after the last one.
    """
    kept: list[Any] = []
    carried: list[Any] = []  # what stood above a line that is gone
    placed = False
    for line in body:
        statement = _import_of(line)
        if _is_gone(line):
            carried = _joined(carried, _above(line))
            continue
        names = _kept_names(statement, unused, stay) if statement else None
        if names is None or (names and names == list(statement.names)):
            kept.append(line.with_changes(leading_lines=_joined(carried, line.leading_lines)))
            carried = []
            continue
        if names:
            names[-1] = names[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            left = line.with_changes(body=[statement.with_changes(names=names)])
            above = [*_joined(carried, line.leading_lines), *_comments_lost(line, left)]
            kept.append(left.with_changes(leading_lines=above))
            carried = []
        above = [] if names else _above(line)
        if ours and not placed and _is_old(statement):
            new = _lines(ours)
            new[0] = new[0].with_changes(leading_lines=_joined(carried, above))
            kept += new
            carried, placed = [], True
        else:
            carried = _joined(carried, above)
    return kept, placed, carried if any(line.comment for line in carried) else []


def _is_gone(line: Any) -> bool:
    return isinstance(line, cst.SimpleStatementLine) and isinstance(line.body[0], Gone)


def _above(line: Any) -> list[Any]:
    """The lines above an import that goes, and its own comment if it is meant for people."""
    comment = line.trailing_whitespace.comment
    lines = [*line.leading_lines, *_comments_lost(line)]
    if comment is not None and not comment.value.startswith(TOOL_COMMENTS):
        lines.append(cst.EmptyLine(comment=comment))
    return lines


def _comments_lost(line: Any, left: Any = None) -> list[Any]:
    """The comments between the parentheses of an import that what is left of it has not."""
    kept = [] if left is None else _comments_in(left)
    lost = [comment for comment in _comments_in(line) if comment not in kept]
    return [
        cst.EmptyLine(comment=cst.Comment(comment))
        for comment in lost
        if not comment.startswith(TOOL_COMMENTS)
    ]


def _comments_in(line: Any) -> list[str]:
    return re.findall(r"#[^\r\n]*", cst.Module([]).code_for_node(line.body[0]))


def _joining(body: list[Any], ours: list[str]) -> tuple[list[Any], list[str]]:
    """Take names into an import from the same module; returns those without one, too."""
    body, rest = list(body), []
    for text in ours:
        module, _, name = text.removeprefix("from ").partition(" import ")
        at = next((i for i, line in enumerate(body) if _can_take(line, module)), None)
        if at is None or " as " in name or not text.startswith("from "):
            rest.append(text)
            continue
        statement = body[at].body[0]
        names = [alias.with_changes(comma=cst.MaybeSentinel.DEFAULT) for alias in statement.names]
        was_sorted = names == sorted(names, key=_local)
        names.append(cst.ImportAlias(cst.Name(name)))
        names = sorted(names, key=_local) if was_sorted else names
        body[at] = body[at].with_changes(body=[statement.with_changes(names=names)])
    return body, rest


def _can_take(line: Any, module: str) -> bool:
    """Whether a line is an import from a module, on one line, to which a name can be added."""
    statement = _import_of(line)
    return (
        isinstance(statement, cst.ImportFrom)
        and not isinstance(statement.names, cst.ImportStar)
        and not statement.relative
        and statement.lpar is None
        and _dotted(statement.module) == module
    )


def _at_the_top(line: Any) -> Any:
    """The first line of a module without the blank lines that stood below what is gone."""
    above = list(line.leading_lines)
    while above and above[0].comment is None:
        above.pop(0)
    return line.with_changes(leading_lines=above)


def _joined(carried: list[Any], leading: Sequence[Any]) -> list[Any]:
    """Leading lines after those of lines that are gone: every comment, blank lines once."""
    only_blank = all(line.comment is None for line in carried)
    if only_blank and any(line.comment is None for line in leading):
        return list(leading)
    return [*carried, *leading]


def _import_of(line: Any) -> Any:
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
        statement = line.body[0]
        if isinstance(statement, cst.Import | cst.ImportFrom):
            return statement
    return None


def _kept_names(statement: Any, unused: set[str], stay: set[str]) -> list[Any] | None:
    if isinstance(statement.names, cst.ImportStar):
        return [] if _is_old(statement) and "*" in unused else None
    is_from = isinstance(statement, cst.ImportFrom)
    module = ""
    if is_from and not statement.relative:
        module = f"{_dotted(statement.module)}."
    from_old = is_from and _is_old(statement)
    return [
        name
        for name in statement.names
        if _local(name) in stay
        or not (from_old or is_legacy(f"{module}{_dotted(name.name)}") or _local(name) in unused)
    ]


def _is_old(statement: Any) -> bool:
    if isinstance(statement, cst.ImportFrom):
        return not statement.relative and is_legacy(_dotted(statement.module))
    return any(is_legacy(_dotted(name.name)) for name in statement.names)


def _local(name: Any) -> str:
    return name.asname.name.value if name.asname else _dotted(name.name)


def _dotted(node: Any) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if node is not None else ""


def _merged(texts: list[str]) -> list[str]:
    """Statements in order, with one ``from`` a module."""
    plain = sorted(text for text in texts if text.startswith("import "))
    modules: dict[str, set[str]] = {}
    for text in texts:
        if text.startswith("from "):
            module, _, name = text.removeprefix("from ").partition(" import ")
            modules.setdefault(module, set()).add(name)
    return plain + [
        f"from {module} import {', '.join(sorted(names))}"
        for module, names in sorted(modules.items(), key=lambda item: _group_order(item[0]))
    ]


def _group_order(module: str) -> tuple[bool, str]:
    return module.partition(".")[0] != "determined", module


def _group(text: str) -> str:
    module = text.split()[1].partition(".")[0]
    if module in sys.stdlib_module_names:
        return "stdlib"
    return "third party" if module in ("numpy", "tensorflow") else "local"


def _placed(body: list[Any], text: str) -> list[Any]:
    """Put an import among those of its group, in their order."""
    (new,) = _lines([text])
    for index, line in enumerate(body):
        statement = _import_of(line)
        if statement is None:
            continue
        other = cst.Module([]).code_for_node(statement)
        if other.startswith("from __future__"):
            continue
        group = _group(other) if _group(other) == "stdlib" else "third party"
        if group == _group(text) and _key(other) < _key(text):
            continue
        if group != _group(text) and group == "stdlib":
            continue
        new = new.with_changes(leading_lines=line.leading_lines)
        gap = [] if group == _group(text) else [cst.EmptyLine(indent=False)]
        return [*body[:index], new, line.with_changes(leading_lines=gap), *body[index + 1 :]]
    at = max([0, *(i + 1 for i, line in enumerate(body) if _import_of(line))])
    at = at or after_docstring(body)
    return [*body[:at], new, *body[at:]]


def _key(text: str) -> tuple[bool, str]:
    return text.startswith("from "), text.split()[1]


def _lines(texts: list[str]) -> list[Any]:
    return [line for text in texts for line in statements(f"{text}\n")]


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
