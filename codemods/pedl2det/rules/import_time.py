"""P018: what a module asked for when it was imported is asked for where it is used."""

from __future__ import annotations

import ast

from pedl2det.edit.making import becomes
from pedl2det.facts.project import TrialProject
from pedl2det.facts.quotes import fitting
from pedl2det.facts.source import Source
from pedl2det.flow import where
from pedl2det.flow.outside import reached_from_outside
from pedl2det.plan import Plan
from pedl2det.plan.moved_keys import refuse_moved_keys
from pedl2det.rules.import_time_cases import CASES
from pedl2det.rules.inlining import may_be_container, obstacle
from pedl2det.rules.rule import UNDER_PEDL, Rule, Safety
from pedl2det.rules.run_getters import getter_text

_FUNCTIONS = {"abs", "bool", "float", "int", "len", "max", "min", "round", "str"}
_OPERATIONS = (
    *(ast.BinOp, ast.BoolOp, ast.Compare, ast.FormattedValue, ast.IfExp, ast.JoinedStr),
    *(ast.UnaryOp, ast.operator, ast.unaryop, ast.boolop, ast.cmpop),
)
_QUIET = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)


def plan(project: TrialProject, plan: Plan) -> None:
    """Put the question where each such constant is used, and take the constant away."""
    for source in project.sources.values():
        for node in source.tree.body:
            if isinstance(node, ast.Assign) and _is_asked(project, source, node):
                _plan_constant(plan, source, node)


def _plan_constant(plan: Plan, source: Source, node: ast.Assign) -> None:
    name = ast.unparse(node.targets[0])
    is_quiet = all(
        isinstance(statement, _QUIET) or isinstance(getattr(statement, "value", None), ast.Constant)
        for statement in source.tree.body
    )
    for use in plan.project.calls.uses(node):
        statement = use.source.names.statement_of(use.node)
        is_part = isinstance(statement, ast.Assign) and _is_asked(
            plan.project, use.source, statement
        )
        if is_part or plan.is_dropped(use.node):
            continue
        if where.is_changed(use.source, use.node):
            plan.refuse(RULE.id, use.source, use.node, f"{name} is changed here")
        problem = obstacle(plan.project, source, node.value, use)
        if problem is not None:
            plan.refuse(RULE.id, use.source, use.node, f"{name}: {problem}")
        context = plan.context(RULE.id, use.source, use.node, f"{name} is used here")
        if context is None:
            continue
        text = fitting(use.source, use.node, _text(plan.project, source, node.value, context))
        plan.expression(RULE.id, use.source, use.node, becomes(text))
        if is_quiet or use.source is source:
            plan.drop(use.node)
    _plan_imports(plan, source, name)
    for place in reached_from_outside(plan.project, source, node, name):
        plan.refuse(RULE.id, *place)
    if "get_experiment_config" in ast.unparse(node.value):
        refuse_moved_keys(plan, RULE.id)
    plan.claim(node)
    plan.remove(RULE.id, source, node)


def _plan_imports(plan: Plan, home: Source, name: str) -> None:
    """The constant is imported nowhere any more."""
    for source in plan.project.sources.values():
        for node in source.names.nodes:
            if not isinstance(node, ast.ImportFrom) or not _means(plan.project, node, home):
                continue
            for alias in node.names:
                if alias.name == "*":
                    plan.refuse(RULE.id, source, node, f"import * hides where {name} is used")
                elif alias.name == name and source.names.parents[node] is not source.tree:
                    plan.refuse(RULE.id, source, node, f"{name} is not imported at the top here")
                elif alias.name == name:
                    local = alias.asname or name
                    if len(source.names.module_bindings(local)) > 1:
                        message = f"{local} is bound anew in this file"
                        plan.refuse(RULE.id, source, node, message)
                    plan.unimport(source, local)


def _means(project: TrialProject, node: ast.ImportFrom, home: Source) -> bool:
    """Whether an import is one from a module of the directory."""
    return project.sources.get((node.module or "").lstrip(".")) is home


def _is_asked(project: TrialProject, source: Source, node: ast.Assign) -> bool:
    """Whether a constant is made of what the running trial is asked, and of nothing that acts."""
    return (
        node in project.calls.home
        and _is_pure(project, source, node.value)
        and not _is_rebound(source, ast.unparse(node.targets[0]))
        and any(_asks(project, source, inner) for inner in ast.walk(node.value))
    )


def _asks(project: TrialProject, source: Source, node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return getter_text(source, node, "context") is not None
    found = project.calls.meaning(source, node)
    return isinstance(found, ast.Assign) and _is_asked(project, project.calls.home[found], found)


def _is_pure(project: TrialProject, source: Source, node: ast.AST) -> bool:
    """Whether an expression has the same value wherever and however often it is evaluated."""
    match node:
        case ast.Constant():
            return True
        case ast.Dict(keys=[]):
            return True
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            if any(may_be_container(project, source, element) for element in elements):
                return False
            parts: list[ast.AST] = [*elements]
        case ast.Call(func=ast.Attribute(value=value, attr="get"), args=arguments, keywords=[]):
            parts = [value, *arguments]
        case ast.Call(func=ast.Name(id=function), args=arguments, keywords=[]) if (
            function in _FUNCTIONS
            and not source.names.module_bindings(function)
            and not source.names.module_bindings("*")
        ):
            parts = [*arguments]
        case ast.Call():
            return getter_text(source, node, "context") is not None
        case ast.Subscript(value=value, slice=key):
            parts = [value, key]
        case ast.Name():
            found = project.calls.meaning(source, node)
            home = project.calls.home.get(found) if found else None
            return (
                isinstance(found, ast.Assign)
                and home is not None
                and not _is_rebound(home, ast.unparse(found.targets[0]))
                and _is_pure(project, home, found.value)
            )
        case _ if isinstance(node, _OPERATIONS):
            parts = [
                child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.Load)
            ]
        case _:
            return False
    return all(_is_pure(project, source, part) for part in parts)


def _is_rebound(source: Source, name: str) -> bool:
    """Whether a function binds a module's name anew."""
    return any(isinstance(node, ast.Global) and name in node.names for node in source.names.nodes)


def _text(project: TrialProject, source: Source, node: ast.expr, context: str) -> str:
    """The text of a constant's value, with the context asked and other constants put in."""
    replaced: dict[ast.expr, str] = {}
    todo: list[ast.AST] = [node]
    while todo:
        inner = todo.pop()
        asked = getter_text(source, inner, context) if isinstance(inner, ast.Call) else None
        found = project.calls.meaning(source, inner)
        if isinstance(inner, ast.Call) and asked is not None:
            replaced[inner] = asked
        elif isinstance(found, ast.Assign) and isinstance(inner, ast.Name):
            replaced[inner] = _text(project, project.calls.home[found], found.value, context)
        else:
            todo += ast.iter_child_nodes(inner)
    text = source.spliced(node, replaced)
    if isinstance(node, ast.Tuple) and not _is_in_parentheses(text):
        return f"({text})"
    return f"({text})" if isinstance(node, _OPERATIONS) or "\n" in text else text


def _is_in_parentheses(text: str) -> bool:
    """Whether the text of a tuple has parentheses around all of it."""
    try:
        return text.startswith("(") and isinstance(ast.parse(text[1:-1]).body[0], ast.Expr)
    except (SyntaxError, IndexError):
        return False


RULE = Rule(
    id="P018",
    name="import-time",
    doc="A value that a module asks for while it is imported, before there is a context, is asked "
    "for where it is used.",
    safety=Safety.SAFE,
    plan=plan,
    generations=UNDER_PEDL,
    cases=CASES,
)
