"""Which modules of a trial's directory import which."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source


def reached(project: TrialProject) -> list[str]:
    """The modules that the trial's module and those of its functions import, and these."""
    owners = [project.trial[0], *(source for source, _ in project.entries)]
    return list(_closure(project, [project.module_of(source) for source in owners], {"__init__"}))


def imports(project: TrialProject, source: Source, other: Source) -> bool:
    """Whether a module imports another of the directory, however far round."""
    modules = _closure(project, [project.module_of(source)], set())
    return any(project.sources[module] is other for module in modules)


def _closure(project: TrialProject, todo: list[str], seen: set[str]) -> Iterator[str]:
    while todo:
        module = todo.pop()
        if module in seen or module not in project.sources:
            continue
        seen.add(module)
        yield module
        for node in project.sources[module].names.of(ast.Import, ast.ImportFrom):
            match node:
                case ast.Import(names=aliases):
                    todo += [alias.name for alias in aliases]
                case ast.ImportFrom(names=aliases):
                    home = home_of(project, module, node)
                    todo += [home, *(f"{home}.{alias.name}".lstrip(".") for alias in aliases)]


def depth(project: TrialProject, module: str) -> int:
    """How many packages of the directory are around the code of a module."""
    is_package = project.sources[module].path.stem == "__init__"
    return module.count(".") + is_package


def home_of(project: TrialProject, module: str, node: ast.ImportFrom) -> str:
    """The dotted name of the module from which something is imported."""
    if not node.level:
        return node.module or ""
    around = module.split(".")[: max(0, depth(project, module) - node.level + 1)]
    return ".".join([*around, *([node.module] if node.module else [])])
