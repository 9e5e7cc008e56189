"""Check code without running it: it compiles, and every name is bound somewhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import yaml

from variants.project import Project, config_path, module_name
from variants.scopes import BUILTINS, bound
from variants.source import COMPREHENSIONS, ScopeNode


def problems(project: Project) -> Iterator[str]:
    """Yield what is wrong with a project."""
    trees: dict[str, ast.Module] = {}
    for path, text in sorted(project.items()):
        if not path.endswith(".py"):
            continue
        try:
            compile(text, path, "exec", dont_inherit=True)
        except SyntaxError as error:
            yield f"{path}:{error.lineno}: {error.msg}"
            return
        trees[path] = ast.parse(text)
    modules = {module_name(path): tree for path, tree in trees.items()}
    for path, tree in trees.items():
        if not _has_outer_star(tree, modules):
            known = BUILTINS | _module_names(tree, modules)
            for name, line in _unbound(tree, known, []):
                yield f"{path}:{line}: {name} is not bound"
        yield from _missing_imports(path, tree, modules)
    try:
        yaml.safe_load(project[config_path(project)])
    except (ValueError, yaml.YAMLError) as error:
        yield f"config: {error}"


def _has_outer_star(tree: ast.Module, modules: dict[str, ast.Module]) -> bool:
    """Return whether a module imports all names of one that is not the project's."""
    return any(
        isinstance(node, ast.ImportFrom)
        and node.names[0].name == "*"
        and node.module not in modules
        for node in ast.walk(tree)
    )


def _module_names(tree: ast.Module, modules: dict[str, ast.Module]) -> set[str]:
    names = bound(tree) - {"*"}
    for node in ast.walk(tree):
        is_star = isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
        if is_star and node.module in modules:
            names |= _module_names(modules[node.module], modules)
        if isinstance(node, ast.Global):
            names |= set(node.names)
    return names


def _missing_imports(path: str, tree: ast.Module, modules: dict[str, ast.Module]) -> Iterator[str]:
    """Yield the names that a module imports from another one that does not bind them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in modules:
            names = _module_names(modules[node.module], modules)
            for alias in node.names:
                if alias.name not in (*names, "*"):
                    yield f"{path}:{node.lineno}: {node.module} has no {alias.name}"


def _unbound(node: ast.AST, known: set[str], classes: list[set[str]]) -> Iterator[tuple[str, int]]:
    """Yield names that are read and bound in no scope around them."""
    if isinstance(node, ast.Name):
        own = classes[-1] if classes else set()
        if isinstance(node.ctx, ast.Load) and node.id not in known and node.id not in own:
            yield node.id, node.lineno
        return
    if isinstance(node, (*ScopeNode, *COMPREHENSIONS)):
        known, classes = known | bound(node), []
    if isinstance(node, ast.ClassDef):
        classes = [*classes, bound(node)]
    for child in ast.iter_child_nodes(node):
        yield from _unbound(child, known, classes)
