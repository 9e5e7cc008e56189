"""The trial's new constructor, made from what all rules want in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst

from pedl2det.edit import making
from pedl2det.facts.project import Generation, TrialProject
from pedl2det.facts.renaming import renamed
from pedl2det.facts.source import Source
from pedl2det.flow import where
from pedl2det.plan import Plan

CONTEXT_CLASS = "TFKerasTrialContext"

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def plan_constructor(project: TrialProject, plan: Plan, rule: str) -> None:
    """Plan ``__init__(self, context)`` with the statements that rules asked for, if any did."""
    if not plan.constructor:
        return
    source, trial = project.trial
    present = where.methods(project).get("__init__")
    is_pedl = project.generation is Generation.PEDL
    if present is None and not is_pedl:
        plan.constructor.insert(0, "super().__init__(context)")
    if present is None:
        body = "\n".join(f"    {line}" for line in plan.constructor)
        annotation = _annotation(source, trial, plan)
        code = f"def __init__(self, context: {annotation}) -> None:\n{body}\n"
        first = next((node for node in trial.body if isinstance(node, _DEFINITIONS)), None)
        if first is not None:
            plan.file(source).show(first)
        plan.definition(rule, source, trial, _with_first_method(code))
        return
    lines = "\n".join(plan.constructor) + "\n"
    if not is_pedl:
        for statement in present.body:
            plan.file(source).show(statement)
        plan.definition(rule, source, present, making.into_body(lines, _keeps_context))
        return
    plan.definition(rule, where.file_of(project, present), present, making.into_body(lines))
    for (home, trial), method in _constructors(project):
        plan.definition(rule, home, method, _taking_context(_annotation(home, trial, plan)))
        if method.args.args[1].annotation is not None:
            plan.drop(method.args.args[1].annotation)


def _constructors(
    project: TrialProject,
) -> Iterator[tuple[tuple[Source, ast.ClassDef], ast.FunctionDef]]:
    """Every constructor of the trial and of the classes that it derives from."""
    for home, trial in project.line:
        for node in trial.body:
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                yield (home, trial), node


def _keeps_context(statement: Any) -> bool:
    """``super().__init__(context)`` or ``self.context = context``."""
    code = cst.Module([]).code_for_node(statement).strip()
    return code.startswith(("super().__init__(", "super(", "self.context = "))


def _annotation(source: Source, trial: ast.ClassDef, plan: Plan) -> str:
    """The context's class as a trial's file will call it."""
    base = trial.bases[0]
    if isinstance(base, ast.Attribute):
        return renamed(source, base, f"determined.keras.{CONTEXT_CLASS}").text
    plan.require(source, f"from determined.keras import {CONTEXT_CLASS}")
    return CONTEXT_CLASS


def _taking_context(annotation: str) -> making.Edit:
    def edit(function: Any) -> Any:
        first, second, *others = function.params.params
        second = second.with_changes(
            name=cst.Name("context"),
            annotation=cst.Annotation(making.expression(annotation)),
            default=None,
            equal=cst.MaybeSentinel.DEFAULT,
        )
        params = function.params.with_changes(params=[first, second, *others])
        return function.with_changes(params=params)

    return edit


def _with_first_method(code: str) -> making.Edit:
    """Put a method before the first one of a class, after its docstring and attributes."""

    def edit(definition: Any) -> Any:
        block = _block(definition)
        at = next(
            (index for index, item in enumerate(block.body) if _is_definition(item)),
            len(block.body),
        )
        (method,) = making.statements(code)
        if at > 0:
            method = method.with_changes(leading_lines=[_blank()])
        rest: Sequence[Any] = block.body[at:]
        if rest and not (rest[0].leading_lines and rest[0].leading_lines[0].comment is None):
            spaced = rest[0].with_changes(leading_lines=[_blank(), *rest[0].leading_lines])
            rest = [spaced, *rest[1:]]
        return definition.with_changes(
            body=block.with_changes(body=[*block.body[:at], method, *rest])
        )

    return edit


def with_last_methods(code: str) -> making.Edit:
    """Put methods after the last one of a class."""

    def edit(definition: Any) -> Any:
        block = _block(definition)
        methods = [
            method.with_changes(leading_lines=[_blank()]) for method in making.statements(code)
        ]
        return definition.with_changes(body=block.with_changes(body=[*block.body, *methods]))

    return edit


def _block(definition: Any) -> Any:
    if isinstance(definition.body, cst.SimpleStatementSuite):  # class T(Base): pass
        return cst.IndentedBlock([cst.SimpleStatementLine(definition.body.body)])
    return definition.body


def _is_definition(item: Any) -> bool:
    return isinstance(item, cst.FunctionDef | cst.ClassDef)


def _blank() -> cst.EmptyLine:
    return cst.EmptyLine(indent=False)
