"""Move methods of the trial into a base class, in the same module or a new one."""

from __future__ import annotations

import ast
import random
import textwrap

from variants.choosing import in_some_module
from variants.imports import add_import, import_lines
from variants.project import Project, module_name, with_file
from variants.scopes import fresh
from variants.source import Edit, Source
from variants.transformations.move_definition import module_names
from variants.trial import methods, trial_classes

NAMES = ("BaseTrial", "CommonTrial", "AbstractTrial", "_BaseTrial")
MODULES = ("base", "base_trial", "common_trial")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Split one trial class in two."""
    name = fresh(project, chance, *NAMES)
    module = fresh(project, chance, *MODULES) if chance.random() < 0.5 else None

    def apply(path: str, source: Source, node: ast.ClassDef) -> Project | None:
        if not node.bases or node.keywords or _is_exported_by_star(project, path):
            return None
        some = movable_methods(source, node, chance, anywhere=module is None)
        bases = ", ".join(source.segment(one) for one in node.bases)
        if not some:
            return None
        text = class_text(source, f"class {name}({bases}):\n", some)
        edits = [*without(source, node, some), *with_bases(source, node, name)]
        if module is None:
            edits.append(source.before(node, f"{text}\n\n"))
            return with_file(project, path, source.edited(edits))
        names = [used for one in (*some, *node.bases) for used in module_names(source, one)]
        lines = import_lines(source, names)
        if lines is None:
            return None
        edits.append(add_import(source, f"from {module} import {name}\n"))
        changed = with_file(project, path, source.edited(edits))
        return with_file(changed, f"{module}.py", f"{lines}\n\n{text}")

    return in_some_module(project, chance, trial_classes, apply)


def _is_exported_by_star(project: Project, path: str) -> bool:
    """Return whether the package would export the base class too, as a second trial."""
    line = f"from {module_name(path)} import *"
    return any(line in text for name, text in project.items() if name.endswith("__init__.py"))


def movable_methods(
    source: Source, node: ast.ClassDef, chance: random.Random, anywhere: bool
) -> list[ast.FunctionDef]:
    """Choose methods to move.

    Args:
        source: the file.
        node: the class.
        chance: decides.
        anywhere: whether they may use all that the module defines, not only what it imports.
    """
    found = [
        one
        for one in methods(node)
        if anywhere or import_lines(source, module_names(source, one)) is not None
    ]
    found = [one for one in found if not {"__class__", node.name} & _names(one)]
    if not found:
        return []
    chosen = chance.sample(found, chance.randint(1, len(found)))
    return [one for one in found if one in chosen]


def class_text(source: Source, head: str, some: list[ast.FunctionDef]) -> str:
    """Return a class with some methods."""
    body = "\n".join(source.lines(one) for one in some)
    return head + textwrap.indent(body, "    ")


def without(source: Source, node: ast.ClassDef, some: list[ast.FunctionDef]) -> list[Edit]:
    """Return the edits that take methods out of a class."""
    edits = [source.replace_lines(one, one, "") for one in some]
    if len(some) == len(node.body):
        edits[0] = source.replace_lines(some[0], some[0], "pass\n")
    return edits


def with_bases(source: Source, node: ast.ClassDef, text: str) -> list[Edit]:
    """Return the edits that replace the bases of a class."""
    first, *others = node.bases
    edits = [source.replace(first, text)]
    if others:
        start, _ = source.span(first)
        _, end = source.span(others[-1])
        edits = [edits[0]._replace(start=start, end=end)]
    return edits


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
