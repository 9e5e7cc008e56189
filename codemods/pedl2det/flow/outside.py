"""What code may do to the names of a module without saying them: set them, or seek them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pedl2det.facts.calls import Definition
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source

#: Functions by which a name may be sought as a text, and those that do so only without arguments.
_SEEKERS = ("globals", "eval", "exec")
_SEEKERS_WITHOUT = ("vars", "locals")


def reached_from_outside(
    project: TrialProject, home: Source, definition: Definition, name: str
) -> Iterator[tuple[Source, ast.AST, str]]:
    """The places where something that a module defines is set, or may be sought, unnamed.

    Args:
        project: the trial.
        home: the file of the module.
        definition: what it defines.
        name: the name of that.

    Yields:
        A file, a place in it, and what is wrong with it.
    """
    module = project.module_of(home)
    for source in project.sources.values():
        for node in source.names.nodes:
            if isinstance(node, ast.Name | ast.Attribute):
                reason = _reason(project, source, node, definition, module, name)
            elif isinstance(node, ast.Call) and _seeks(project, source, node, definition):
                reason = f"{name} may be sought by {ast.unparse(node.func)}() here"
            else:
                continue
            if reason is not None:
                yield source, node, reason


def _reason(
    project: TrialProject,
    source: Source,
    node: ast.Name | ast.Attribute,
    definition: Definition,
    module: str,
    name: str,
) -> str | None:
    parent = source.names.parents.get(node)
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        is_set = project.calls.meaning(source, node) is definition
        return f"{name} is set here, and other modules would see it" if is_set else None
    is_part = isinstance(parent, ast.Attribute) and parent.attr != "__dict__"
    if not is_part and source.names.qualified(node) == module:
        return f"{ast.unparse(node)} is handed on here, and {name} may be sought in it"
    return None


def _seeks(project: TrialProject, source: Source, call: ast.Call, definition: Definition) -> bool:
    """Whether a call seeks names by their texts, in a file where one means the definition."""
    match call.func:
        case ast.Name(id=called) if called in _SEEKERS or (
            called in _SEEKERS_WITHOUT
            and not call.args
            and source.names.definition_around(call) is None
        ):
            pass
        case _:
            return False
    if source.names.binder(call.func) is not None:
        return False
    module = project.module_of(source)
    return any(
        project.calls.resolve(module, one) is definition for one in source.names.module_names()
    )
