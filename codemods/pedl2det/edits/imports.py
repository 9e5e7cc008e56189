"""One editor of imports: add what a rewritten file needs, drop what it no longer uses."""

from __future__ import annotations

import ast
import functools
import itertools
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst

from pedl2det.analysis.bindings import run_at_once
from pedl2det.analysis.source import Source
from pedl2det.edits.apply import apply
from pedl2det.edits.comments import Gone, settled
from pedl2det.edits.flakes import undefined_exports, wrong_names
from pedl2det.edits.layout import formatted
from pedl2det.fixes import Drop

#: No line of imports has more columns.
_LONGEST = 100
_TYPE_COMMENT = re.compile(r"#[ \t]*type:(?![ \t]*ignore)(.+)")
_NAME = re.compile(r"[^\W\d]\w*")
_INNER = (ast.If, ast.FunctionDef, ast.AsyncFunctionDef)
_Statement = ast.Import | ast.ImportFrom


@dataclass(frozen=True)
class Wanted:
    """What the imports of a new text shall be."""

    added: frozenset[str]  #: import statements that the new code needs, one name each
    is_old: Callable[[str], bool]  #: whether a dotted name belongs to an API that is gone
    project: frozenset[str] = frozenset()  #: the top names of the project's own modules
    is_package: bool = False  #: whether the file is an ``__init__.py``, whose imports are exports.

    def is_gone(self, dotted: str) -> bool:
        """Return whether a dotted name belongs to an old API, and not to the project."""
        return dotted.partition(".")[0] not in self.project and self.is_old(dotted)

    def group(self, module: str) -> int:
        """Return the group of a module: standard library, third parties, project."""
        top = module.lstrip(".").partition(".")[0]
        if module.startswith(".") or top in self.project or top == "legacy_keras":
            return 2
        return 0 if top in sys.stdlib_module_names else 1


def fit_imports(old: Source, new: Source, wanted: Wanted, tree: cst.Module | None = None) -> str:
    """Return the new text with imports for all that it uses, without those that went unused.

    ``tree`` is the tree of the new file, if it is known.
    """
    had, has, reads = _used_names(old), _used_names(new), _read_names(new)
    statements = map(_parsed, sorted(wanted.added))
    added = {name: one for one in statements if (name := _local(one.names[0])) in has}
    present = new.names.of(ast.Import, ast.ImportFrom)
    if not added and not present:
        return new.text
    tree = tree or cst.parse_module(new.text)
    facts = _facts(tree, new)
    if added:
        moved = _moved(tree, new, facts, added, wanted)
        if moved is not tree:
            new = Source.of(new.path, moved.code)
            tree = moved
        tree, facts = _with_imports(tree, new, added, wanted)

    def drop(node: _Statement, updated: Any, keeps_stars: bool = False) -> Any:
        if node.lineno in new.skipped or (node.end_lineno or 0) in new.skipped:
            return updated
        if isinstance(updated.names, cst.ImportStar):
            stays = keeps_stars or not _is_old_star(node, wanted)
            return updated if stays else cst.RemoveFromParent()
        pairs = zip(updated.names, node.names, strict=True)
        kept = [
            alias for alias, ours in pairs if _stays(ours, node, had, has, reads, added, wanted)
        ]
        if len(kept) == len(updated.names):
            return updated
        return _with_names(updated, kept) if kept else cst.RemoveFromParent()

    text = tree.visit(_EachImport(tree, facts, drop)).code
    if any(_is_old_star(node, wanted) for node in present) and wrong_names(ast.parse(text)):
        keep = functools.partial(drop, keeps_stars=True)
        text = tree.visit(_EachImport(tree, facts, keep)).code
    if "__all__" in text:
        source = Source.of(new.path, text)
        lost = undefined_exports(source.tree) - undefined_exports(old.tree)
        exports = (one for one in source.names.of(ast.Constant) if lost and one.value in lost)
        text = apply(source, [Drop(one) for one in exports if _is_export(source, one)], {})
    return text if text.strip() else ""


def _is_export(source: Source, text: ast.Constant) -> bool:
    """Whether a text is a member of ``__all__``."""
    match [*itertools.islice(source.names.around(text), 2)]:
        case [ast.List() | ast.Tuple(), ast.Assign(targets=[ast.Name(id="__all__")])]:
            return True
    return False


def _used_names(source: Source) -> set[str]:
    """The names that a file reads, in string annotations, type comments and ``__all__`` too."""
    texts = _TYPE_COMMENT.findall(source.text)
    for constant in source.names.of(ast.Constant):
        if isinstance(constant.value, str) and re.fullmatch(r"[\w.\[\], |]{1,200}", constant.value):
            texts.append(constant.value)
    return _read_names(source).union(*map(_NAME.findall, texts))


def _read_names(source: Source) -> set[str]:
    return {one.id for one in source.names.of(ast.Name) if not isinstance(one.ctx, ast.Store)}


# Names of imports.


def _parsed(statement: str) -> _Statement:
    node = ast.parse(statement).body[0]
    assert isinstance(node, _Statement)
    node.lineno = node.end_lineno = 0  # no line of the file
    return node


def _module_of(node: _Statement) -> str:
    """The module of which a statement imports names, with its dots; or that it imports."""
    if isinstance(node, ast.ImportFrom):
        return "." * node.level + (node.module or "")
    return node.names[0].name


def _local(alias: ast.alias) -> str:
    """The name that an import binds it to."""
    return alias.asname or alias.name.partition(".")[0]


def _single(alias: ast.alias, node: _Statement) -> str:
    """The statement that imports one name alone."""
    start = f"from {_module_of(node)} import" if isinstance(node, ast.ImportFrom) else "import"
    return f"{start} {ast.unparse(alias)}"


def _small(statement: str) -> Any:
    """A statement as libcst has it within its line."""
    line: Any = cst.parse_statement(statement)
    return line.body[0]


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


#: The statements of each line at the top of a module.
_Facts = list[list[ast.stmt]]
#: Nodes that may hold a statement.
_WITH_STATEMENTS = (
    *(cst.Module, cst.SimpleStatementLine, cst.BaseCompoundStatement, cst.BaseSuite),
    *(cst.Else, cst.Finally, cst.ExceptHandler, cst.ExceptStarHandler, cst.MatchCase),
)


class _EachImport(cst.CSTTransformer):
    """Edits the imports of a file, and closes up the lines that are gone.

    The statements may be new ones, which have no place in the file.
    """

    def __init__(
        self, tree: cst.Module, facts: _Facts, edit: Callable[[_Statement, Any], Any]
    ) -> None:
        super().__init__()
        found = [[*_imports_in(nodes)] for nodes in facts]
        self._others = {line for line, here in zip(tree.body, found, strict=True) if not here}
        self._nodes = itertools.chain.from_iterable(found)
        self._edit = edit

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Go where imports are, and nowhere else."""
        return node not in self._others and isinstance(node, _WITH_STATEMENTS)

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        """Edit an import; keep the comments above a line that is gone, and blocks valid."""
        match updated_node:
            case cst.Import() | cst.ImportFrom():
                return self._edit(next(self._nodes), updated_node)
            case cst.SimpleStatementLine(body=[]):
                lines = updated_node.leading_lines
                return cst.SimpleStatementLine([Gone()], leading_lines=lines)
            case cst.SimpleStatementSuite(body=[]):
                return updated_node.with_changes(body=[cst.Pass()])
            case cst.IndentedBlock() | cst.Module():
                return settled(updated_node)
        return updated_node


def _facts(tree: cst.Module, source: Source) -> _Facts:
    nodes = iter(source.tree.body)
    lines = [one.body if isinstance(one, cst.SimpleStatementLine) else [one] for one in tree.body]
    return [[next(nodes) for _ in line] for line in lines]


def _imports_in(statements: Iterable[ast.stmt]) -> Iterator[_Statement]:
    """The imports among statements and in them, in the order of the text."""
    for statement in statements:
        if isinstance(statement, _Statement):
            yield statement
        elif not isinstance(statement, ast.Expr | ast.Assign | ast.Return):
            found = [one for one in ast.walk(statement) if isinstance(one, _Statement)]
            yield from sorted(found, key=lambda node: (node.lineno, node.col_offset))


# Move imports.


def _moved(
    tree: cst.Module, source: Source, facts: _Facts, added: Mapping[str, _Statement], wanted: Wanted
) -> cst.Module:
    """The tree with new imports in the place of old ones of the same names and group."""
    done: set[str] = set()
    changed = []

    def move(node: _Statement, updated: Any) -> Any:
        new: list[Any] = [added.get(_local(alias)) for alias in node.names]
        modules = {_module_of(one) if one is not None else "" for one in new}
        if len(modules) > 1 or "" in modules or node.lineno in source.skipped:
            return updated
        (module,) = modules
        locals_ = {_local(alias) for alias in node.names}
        # Below an `if` and in a function, others of the name do not stand in for it.
        is_inner = any(isinstance(one, _INNER) for one in source.names.around(node))
        is_moved = bool(locals_ & done) and not is_inner
        done.update(locals_)
        groups = {wanted.group(_module_of(node)), wanted.group(module)}
        if (
            is_moved
            or (len(groups) > 1 and not is_inner)
            or _top(node) == "pedl"
            or module == _module_of(node)
        ):
            return updated
        if len(new) == 1:
            changed.append(node)
            return _small(ast.unparse(new[0]))
        pairs = zip(new, node.names, strict=True)
        if isinstance(node, ast.ImportFrom) and all(
            isinstance(one, ast.ImportFrom) and one.names[0].name == alias.name
            for one, alias in pairs
        ):
            changed.append(node)
            return _folded(updated.with_changes(module=cst.parse_expression(module)))
        return updated

    moved = tree.visit(_EachImport(tree, facts, move))
    return moved if changed else tree


# Add imports.


def _with_imports(
    tree: cst.Module, source: Source, added: Mapping[str, _Statement], wanted: Wanted
) -> tuple[cst.Module, _Facts]:
    """The tree of a file with more imports, each in its group, and its statements."""
    present = {
        _single(alias, node)
        for node in source.names.of(ast.Import, ast.ImportFrom)
        for alias in node.names
    }
    lines: list[Any] = list(tree.body)
    facts = _facts(tree, source)
    for statement in map(ast.unparse, added.values()):
        if statement not in present:
            _add(lines, facts, _parsed(statement), wanted)
    return tree.with_changes(body=lines), facts


def _add(lines: list[Any], facts: _Facts, new: _Statement, wanted: Wanted) -> None:
    """Add an import to the lines of a module, above the first line that reads its name."""
    name = _local(new.names[0])
    reads = (
        any(getattr(n, "id", "") == name for one in f for n in run_at_once(one)) for f in facts
    )
    used = next((at for at, is_read in enumerate(reads) if is_read), len(facts))
    if isinstance(new, ast.ImportFrom) and _merge(lines, facts, new, used):
        return
    group = wanted.group(_module_of(new))
    imports = [
        (at, wanted.group(_module_of(nodes[0])), nodes[0])
        for at, nodes in enumerate(facts[:used])
        if isinstance(nodes[0], _Statement) and not _is_future(nodes[0])
    ]
    same = [(at, node) for at, other, node in imports if other == group]
    line: Any = cst.parse_statement(ast.unparse(new))
    if _top(new) == "determined":  # beside those that are there, or below the last of PEDL
        beside = [(at, node) for at, node in same if _top(node) == "determined"]
        same = beside or [(at, node) for at, node in same if _top(node) == "pedl"][-1:] or same
    if same:
        later = (at for at, node in same if _key(node) > _key(new) and _top(node) != "pedl")
        at = next(later, same[-1][0] + 1)
        if at <= same[0][0]:
            line = _take_blank_lines(lines, at, line)
            above = facts[at - 1][0] if at else None
            is_other = not isinstance(above, _Statement) or wanted.group(_module_of(above)) != group
            if at and is_other and not line.leading_lines:
                line = line.with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    elif before := [at for at, other, _ in imports if other < group]:
        at = before[-1] + 1
        line = line.with_changes(leading_lines=[cst.EmptyLine(indent=False)])
        _part(lines, facts, at)
    elif imports:
        at = imports[0][0]
        line = _take_blank_lines(lines, at, line)
        _part(lines, facts, at)
    else:
        at = next((at for at, nodes in enumerate(facts) if not _is_head(at, nodes)), len(facts))
        if at:
            line = line.with_changes(leading_lines=[cst.EmptyLine(indent=False)])
        _part(lines, facts, at)
    lines.insert(at, line)
    facts.insert(at, [new])


def _merge(
    lines: list[Any], facts: Sequence[list[ast.stmt]], new: ast.ImportFrom, used: int
) -> bool:
    """Add a name to an import of the same module, where the line stays short enough."""
    for at, nodes in enumerate(facts[:used]):
        match nodes:
            case [ast.ImportFrom(level=0, module=new.module, names=names) as known]:
                pass
            case _:
                continue
        old = cst.Module([]).code_for_node(lines[at].body[0])
        if names[0].name == "*" or "#" in old:
            continue
        place = sum(one.name < new.names[0].name for one in names)
        more = ast.ImportFrom(new.module, [*names[:place], *new.names, *names[place:]], 0)
        code = ast.unparse(more)
        if "\n" in old:  # with a comma at its end, each name stays on a line of its own
            code = formatted(f"{code.replace(' import ', ' import (')},)", _LONGEST).rstrip("\n")
        elif len(code) > _LONGEST:
            continue
        lines[at] = lines[at].with_changes(body=[_small(code)])
        known.names[:] = more.names
        return True
    return False


def _take_blank_lines(lines: list[Any], at: int, new: Any) -> Any:
    """The new line with the blank lines of the line whose place it takes."""
    leading = list(lines[at].leading_lines)
    blank = next((i for i, one in enumerate(leading) if one.comment is not None), len(leading))
    lines[at] = lines[at].with_changes(leading_lines=leading[blank:])
    return new.with_changes(leading_lines=leading[:blank])


def _part(lines: list[Any], facts: Sequence[list[ast.stmt]], at: int) -> None:
    """Put a blank line above a line, below which another group begins."""
    if at == len(lines):
        return
    leading = lines[at].leading_lines
    is_definition = isinstance(facts[at][0], ast.FunctionDef | ast.ClassDef)
    if not leading or leading[0].comment is not None:
        blank = [cst.EmptyLine(indent=False)] * (2 if is_definition else 1)
        lines[at] = lines[at].with_changes(leading_lines=[*blank, *leading])


def _is_head(at: int, nodes: Sequence[ast.stmt]) -> bool:
    """Whether nothing may stand above a line: documentation, and imports of the future."""
    first = nodes[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return _is_future(first) or (at == 0 and is_text)


def _top(node: _Statement) -> str:
    return _module_of(node).partition(".")[0]


def _key(node: _Statement) -> tuple[bool, str]:
    """What imports of a group are sorted by."""
    return isinstance(node, ast.ImportFrom), _module_of(node)


# Drop imports.


def _is_old_star(node: _Statement, wanted: Wanted) -> bool:
    """Whether a statement imports all names of a module that is gone."""
    is_star = isinstance(node, ast.ImportFrom) and not node.level and node.names[0].name == "*"
    return is_star and wanted.is_gone(f"{_module_of(node)}.x")


def _stays(
    alias: ast.alias,
    node: _Statement,
    had: set[str],
    has: set[str],
    reads: set[str],
    added: Mapping[str, _Statement],
    wanted: Wanted,
) -> bool:
    """Whether an imported name is used, or was not used before either; no new import has it."""
    name = _local(alias)
    if name in added:
        return _single(alias, node) == ast.unparse(added[name])
    start = f"{_module_of(node)}." if isinstance(node, ast.ImportFrom) else ""
    if wanted.is_gone(start + alias.name):
        return name in reads  # a text that spells it is no use of what is gone
    return name in has or not (name in had and not wanted.is_package)


def _with_names(statement: Any, kept: Sequence[cst.ImportAlias]) -> Any:
    """An import of fewer names, on one line where they fit and no comment is between them."""
    last = kept[-1].with_changes(comma=statement.names[-1].comma)
    made = statement.with_changes(names=[*kept[:-1], last])
    code = cst.Module([]).code_for_node(made)
    return made if "#" in code else _folded(_small(ast.unparse(ast.parse(code))))


def _folded(statement: Any) -> Any:
    """An import with a line for each name, where they do not fit on one."""
    code = cst.Module([]).code_for_node(statement)
    if "\n" in code or len(code) <= _LONGEST:
        return statement
    return _small(formatted(code, _LONGEST).rstrip("\n"))
