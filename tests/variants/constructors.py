"""Add lines to the constructor of a trial, or the constructor itself."""

from __future__ import annotations

import ast
import random
import textwrap

from variants.project import Project
from variants.scopes import bound_in_body
from variants.source import Edit, Source, is_docstring
from variants.trial import hparams_of, is_legacy, method, methods, sources

HEADS = (
    "def __init__(self, hparams):\n",
    "def __init__(self, hparams, *_, **__):\n",
    "def __init__(self, hparams):\n    super().__init__(hparams)\n",
    "def __init__(self, hparams) -> None:\n",
)


def with_constructor_line(
    project: Project, source: Source, holder: ast.ClassDef, line: str
) -> list[Edit] | None:
    """Return edits that add a line to the constructor of a trial class.

    Args:
        project: the files.
        source: the file of the class.
        holder: the class.
        line: the statement; `{0}` stands for the parameter with hyperparameters, or the context.
    """
    constructor = method(holder, "__init__")
    if _is_overridden(project, holder):
        return None
    if constructor is None:
        if not is_legacy(project) or not _extends_old_api(project, holder):
            return None
        chance = random.Random(f"{holder.name}{line}")
        text = chance.choice(HEADS) + textwrap.indent(line.format("hparams"), "    ")
        return [source.before(methods(holder)[0], f"{text}\n")]
    if is_legacy(project):
        name = hparams_of(project, source, constructor)
    else:
        name = constructor.args.args[1].arg if len(constructor.args.args) == 2 else None
    body = [one for one in constructor.body if not is_docstring(one)]
    if name is None or not body or body[0].lineno == constructor.lineno:
        return None
    if name in bound_in_body(constructor):
        return None
    is_super = "super()" in ast.unparse(body[0])
    edit = source.after if is_super else source.before
    return [edit(body[0], line.format(name))]


def _classes(project: Project) -> list[ast.ClassDef]:
    found = [source.walk(ast.ClassDef) for source in sources(project).values()]
    return [node for some in found for node in some]


def _base_names(node: ast.ClassDef) -> list[str]:
    return [ast.unparse(base).split(".")[-1] for base in node.bases]


def _is_overridden(project: Project, holder: ast.ClassDef) -> bool:
    """Return whether a class of the project extends this one and has a constructor."""
    return any(
        holder.name in _base_names(node) and method(node, "__init__") is not None
        for node in _classes(project)
    )


def _extends_old_api(project: Project, holder: ast.ClassDef) -> bool:
    """Return whether the only base of a class is a trial class from outside the project."""
    own = {node.name for node in _classes(project)}
    bases = _base_names(holder)
    return len(bases) == 1 and "Trial" in bases[0] and bases[0] not in own
