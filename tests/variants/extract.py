"""Move an expression or some statements into a helper that takes what they need."""

from __future__ import annotations

import ast
import random
import textwrap
from dataclasses import dataclass

from variants.imports import add_import, import_lines
from variants.project import Project, with_file
from variants.scopes import bound, free_globals, free_locals, fresh, scopes_around
from variants.source import COMPREHENSIONS, Edit, ScopeNode, Source, is_docstring

MODULES = ("helpers", "utils", "common", "lib", "building", "tools")


@dataclass(frozen=True)
class Helper:
    """A helper and its call.

    Attributes:
        parameters: what it takes.
        arguments: what the call gives.
        value: the text of the expression that it returns.
    """

    parameters: list[str]
    arguments: list[str]
    value: str

    def definition(self, name: str, first: tuple[str, ...] = ()) -> str:
        """Return the lines that define the helper."""
        taken = ", ".join([*first, *self.parameters])
        return f"def {name}({taken}):\n    return {self.value}\n"

    def call(self, name: str) -> str:
        """Return the expression that calls the helper."""
        return f"{name}({', '.join(self.arguments)})"


def helper_of(source: Source, node: ast.expr) -> Helper | None:
    """Return the helper that computes an expression, or None where none can."""
    if not _can_move(source, node):
        return None
    attributes = _self_attributes(source, node)
    if attributes is None:
        return None
    names = [name for name in free_locals(source, node) if name != "self"]
    if _has_local_import(source, node, names):
        return None
    offset, _ = source.span(node)
    taken = set(names)
    edits, parameters, arguments = [], list(names), list(names)
    for attribute in attributes:
        parameter = attribute.attr if attribute.attr not in taken else f"{attribute.attr}_value"
        start, end = source.span(attribute)
        edits.append(Edit(start - offset, end - offset, parameter))
        if source.segment(attribute) not in arguments:
            parameters.append(parameter)
            arguments.append(source.segment(attribute))
    if set(parameters) & set(free_globals(source, node)) or len(parameters) > 6:
        return None
    text = _with_edits(source.segment(node), edits)
    try:
        ast.parse(f"x = {text}")
    except SyntaxError:
        text = f"({text})"
    return Helper(parameters, arguments, text)


def candidates(source: Source) -> list[ast.expr]:
    """Return the calls that could be made by a helper."""
    return [node for node in source.walk(ast.Call) if helper_of(source, node) is not None]


def into_this_module(
    project: Project, path: str, source: Source, node: ast.expr, name: str
) -> Project | None:
    """Return the project with an expression computed by a function of the same module."""
    helper = helper_of(source, node)
    if helper is None:
        return None
    place = source.top_level(node)
    definition = source.before(place, f"{helper.definition(name)}\n\n")
    edits = [definition, source.replace(node, helper.call(name))]
    return with_file(project, path, source.edited(edits))


def into_a_module(
    project: Project, path: str, source: Source, node: ast.expr, name: str, chance: random.Random
) -> Project | None:
    """Return the project with an expression computed by a function of a new module."""
    helper = helper_of(source, node)
    lines = import_lines(source, free_globals(source, node))
    if helper is None or lines is None:
        return None
    module = fresh(project, chance, *MODULES)
    head = f"{lines}\n\n" if lines else ""
    if chance.random() < 0.5:
        imported, call = f"from {module} import {name}\n", helper.call(name)
    else:
        imported, call = f"import {module}\n", helper.call(f"{module}.{name}")
    edits = [add_import(source, imported), source.replace(node, call)]
    changed = with_file(project, path, source.edited(edits))
    return with_file(changed, f"{module}.py", head + helper.definition(name))


def into_a_method(
    project: Project, path: str, source: Source, node: ast.expr, name: str, chance: random.Random
) -> Project | None:
    """Return the project with an expression computed by a method of the same class."""
    function = source.function_of(node)
    holder = source.class_of(function) if function is not None else None
    if (
        function is None
        or holder is None
        or [one.arg for one in function.args.args][:1] != ["self"]
    ):
        return None
    kind = chance.choice(("method", "staticmethod", "classmethod"))
    if kind == "method":
        if not _can_move(source, node) or "self" not in bound(function):
            return None
        names = [one for one in free_locals(source, node) if one != "self"]
        if _has_local_import(source, node, names):
            return None
        helper, first = Helper(names, names, source.expression(node)), ("self",)
        owner, decorator = "self", ""
    else:
        found = helper_of(source, node)
        if found is None:
            return None
        helper, first = found, ("cls",) if kind == "classmethod" else ()
        owner, decorator = chance.choice(("self", holder.name)), f"@{kind}\n"
    if any(owner in bound(scope) and owner != "self" for scope in scopes_around(source, node)):
        return None
    definition = decorator + helper.definition(name, first)
    edits = [source.replace(node, helper.call(f"{owner}.{name}"))]
    if chance.random() < 0.5:
        edits.append(source.after(function, f"\n{definition}"))
    else:
        edits.append(source.before(function, f"{definition}\n"))
    return with_file(project, path, source.edited(edits))


def statements_into_helper(
    project: Project,
    path: str,
    source: Source,
    statements: list[ast.stmt],
    name: str,
) -> Project | None:
    """Return the project with statements of a function done by a helper of the same module."""
    function = source.function_of(statements[0])
    if function is None or not all(_is_movable(one) for one in statements):
        return None
    holder = source.class_of(function)
    body = source.body_of(statements[0])
    later = body[body.index(statements[-1]) + 1 :]
    if body is not function.body:
        return None
    inputs = _inputs(source, function, statements)
    outputs = _outputs(statements, later)
    if inputs is None or outputs is None or _rebinds(statements, outputs, inputs):
        return None
    is_method = "self" in inputs
    if is_method and holder is None:
        return None
    taken = [one for one in inputs if one != "self"]
    text = source.lines(statements[0], statements[-1])
    if outputs:
        text += f"return {', '.join(outputs)}\n"
    head = ", ".join((["self"] if is_method else []) + taken)
    definition = f"def {name}({head}):\n{textwrap.indent(text, '    ')}"
    call = f"{'self.' if is_method else ''}{name}({', '.join(taken)})"
    line = f"{', '.join(outputs)} = {call}\n" if outputs else f"{call}\n"
    edits = [source.replace_lines(statements[0], statements[-1], line)]
    if is_method:
        edits.append(source.before(function, f"{definition}\n"))
    else:
        edits.append(source.before(source.top_level(function), f"{definition}\n\n"))
    return with_file(project, path, source.edited(edits))


def _can_move(source: Source, node: ast.expr) -> bool:
    """Return whether an expression computes the same within another function."""
    statement = source.statement_of(node)
    in_code = source.function_of(node) is not None or isinstance(source.top_level(node), ast.If)
    is_header = isinstance(statement, ast.FunctionDef | ast.ClassDef)
    stops = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await, ast.Starred)
    parts = list(ast.walk(node))
    if not in_code or is_header or any(isinstance(one, stops) for one in parts):
        return False
    if any(isinstance(one, ast.JoinedStr) for one in parts):
        return False
    names = {one.id for one in parts if isinstance(one, ast.Name)}
    return not names & {"super", "__class__", "locals", "globals", "cls"}


def _self_attributes(source: Source, node: ast.expr) -> list[ast.Attribute] | None:
    """Return the reads of `self.name` in an expression; None where self is used otherwise."""
    found = []
    for one in ast.walk(node):
        if not (isinstance(one, ast.Name) and one.id == "self"):
            continue
        parent = source.parents[one]
        if not isinstance(parent, ast.Attribute) or parent is node:
            return None
        is_called = isinstance(source.parents[parent], ast.Call)
        call = source.parents[parent]
        if is_called and isinstance(call, ast.Call) and call.func is parent:
            return None
        in_scope = [scope for scope in source.ancestors(one) if isinstance(scope, ScopeNode)]
        if len(in_scope) > 1 and isinstance(in_scope[0], ast.Lambda):
            return None  # it is read later, when the lambda is called
        found.append(parent)
    return sorted(found, key=lambda one: (one.lineno, one.col_offset))


def _has_local_import(source: Source, node: ast.AST, names: list[str]) -> bool:
    function = source.function_of(node)
    if function is None:
        return False
    imported = {
        (alias.asname or alias.name).split(".")[0]
        for one in ast.walk(function)
        if isinstance(one, ast.Import | ast.ImportFrom)
        for alias in one.names
    }
    return bool(imported & set(names))


def _with_edits(text: str, edits: list[Edit]) -> str:
    data = text.encode()
    for edit in sorted(edits, reverse=True):
        data = data[: edit.start] + edit.text.encode() + data[edit.end :]
    return data.decode()


def _is_movable(statement: ast.stmt) -> bool:
    stops = (
        *(ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal, ast.Import),
        *(ast.ImportFrom, ast.Delete, ast.Break, ast.Continue, ast.NamedExpr, *ScopeNode),
        ast.ClassDef,
    )
    names = {one.id for one in ast.walk(statement) if isinstance(one, ast.Name)}
    is_free = not any(isinstance(one, stops) for one in ast.walk(statement))
    return is_free and not is_docstring(statement) and "super" not in names


def _stored(node: ast.AST) -> set[str]:
    inner = {
        name for one in ast.walk(node) if isinstance(one, COMPREHENSIONS) for name in bound(one)
    }
    names = {
        one.id
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    return names - inner


def _inputs(source: Source, function: ast.AST, statements: list[ast.stmt]) -> list[str] | None:
    """Return the local names that statements need; None where that is not certain."""
    local, certain, needed = bound(function), set[str](), list[str]()
    assert isinstance(function, ast.FunctionDef)
    if _has_local_import(source, statements[0], list(local)):
        return None
    for statement in statements:
        inner = {
            name
            for one in ast.walk(statement)
            if isinstance(one, COMPREHENSIONS)
            for name in bound(one)
        }
        if inner & local:
            return None
        simple = isinstance(statement, ast.Assign | ast.Expr)
        read = {
            one.id
            for one in ast.walk(statement)
            if isinstance(one, ast.Name) and (isinstance(one.ctx, ast.Load) or not simple)
        }
        if isinstance(statement, ast.AugAssign):
            return None
        if not simple:
            read -= _first_stored(statement)
        needed += sorted((read & local) - certain - set(needed))
        if simple:
            certain |= _stored(statement)
        else:
            certain |= _first_stored(statement)
    before = function.body[: function.body.index(statements[0])]
    known = {one.arg for one in function.args.args} | {
        name for one in before for name in _stored(one)
    }
    return needed if set(needed) <= known else None


def _first_stored(statement: ast.stmt) -> set[str]:
    """Return the names that a with statement always binds before it reads them."""
    if not isinstance(statement, ast.With):
        return set()
    names = {name for item in statement.items for name in _stored(item)}
    for one in statement.body:
        if isinstance(one, ast.Assign):
            read = {node.id for node in ast.walk(one.value) if isinstance(node, ast.Name)}
            names |= _stored(one) - read
    return names


def _outputs(statements: list[ast.stmt], later: list[ast.stmt]) -> list[str] | None:
    stored = sorted({name for one in statements for name in _stored(one)})
    used = {node.id for one in later for node in ast.walk(one) if isinstance(node, ast.Name)}
    return [name for name in stored if name in used]


def _rebinds(statements: list[ast.stmt], outputs: list[str], inputs: list[str]) -> bool:
    """Return whether an output may be unbound at the end of the statements."""
    certain = set(inputs)
    for one in statements:
        if isinstance(one, ast.Assign | ast.AnnAssign):
            certain |= _stored(one)
        certain |= _first_stored(one)
    return not set(outputs) <= certain
