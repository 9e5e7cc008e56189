"""Modules outside the project that examples import from, and which names are free in a file."""

from __future__ import annotations

import ast

from variants.imports import bound_name, top_imports
from variants.project import Project
from variants.references import is_referenced_as_text, taken_from
from variants.scopes import BUILTINS
from variants.source import Source

_KERAS = ("layers", "losses", "metrics", "models", "optimizers", "utils", "callbacks")
KNOWN_MODULES = frozenset(
    {
        *("numpy", "pandas", "os", "os.path", "zipfile", "tempfile", "tensorflow"),
        *("tensorflow.data", "tensorflow.keras", "keras"),
        *(f"tensorflow.keras.{name}" for name in _KERAS),
        *(f"keras.{name}" for name in _KERAS),
        *("pedl", "pedl.data", "pedl.frameworks", "pedl.frameworks.keras", "pedl.trial"),
        *("pedl.frameworks.keras.data", "pedl.frameworks.keras.tf_keras_trial"),
        *("determined.keras", "determined.keras.callbacks"),
    }
)


def is_unused(source: Source, name: str) -> bool:
    """Return whether a name means nothing in a file: no binding, no parameter, no read."""
    for node in ast.walk(source.tree):
        match node:
            case ast.Name(id=word) | ast.arg(arg=word) if word == name:
                return False
            case ast.FunctionDef(name=word) | ast.ClassDef(name=word) if word == name:
                return False
            case ast.alias() if bound_name(node) == name or node.name == "*":
                return False
    return name not in BUILTINS


def private_imports(project: Project, path: str, source: Source) -> list[ast.alias]:
    """Return the names that a module imports at its top for itself alone, each only once."""
    taken = taken_from(project, path)
    found = [alias for node in top_imports(source) for alias in node.names]
    counts = [bound_name(alias) for alias in found]
    return [
        alias
        for alias in found
        if taken is not None
        and bound_name(alias) not in taken
        and not is_referenced_as_text(project, path, bound_name(alias))
        and counts.count(bound_name(alias)) == 1
        and alias.name != "*"
        and getattr(source.parents[alias], "module", "") != "__future__"
        and getattr(source.parents[alias], "level", 0) == 0
    ]


def imported_path(source: Source, alias: ast.alias) -> str:
    """Return the dotted path of what a part of an import statement imports."""
    node = source.parents[alias]
    return f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
