"""Where an object of a class may be made without the class's name."""

from __future__ import annotations

import ast

from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source

Place = tuple[Source, ast.AST]


def made_unnamed(project: TrialProject, home: Source, made: ast.ClassDef) -> Place | None:
    """The first place that may make an object of a class by ``type(x)``, ``cls`` and the like.

    Args:
        project: the trial.
        home: the file of the class.
        made: the class.
    """
    for function in made.body:
        if isinstance(function, ast.FunctionDef) and function.name == "__new__":
            return home, function
        if isinstance(function, ast.FunctionDef) and _is_of_class(function):
            for node in ast.walk(function):
                if _is_class_itself(home, node, function.args.args[0].arg):
                    return home, node
    for source in project.sources.values():
        for node in source.names.nodes:
            if isinstance(node, ast.Call) and _is_class_of_something(source, node.func):
                return source, node
    return None


def _is_of_class(function: ast.FunctionDef) -> bool:
    named = [ast.unparse(decorator) for decorator in function.decorator_list]
    return "classmethod" in named and bool(function.args.args)


def _is_class_itself(home: Source, node: ast.AST, name: str) -> bool:
    """Whether a node is the class that a method was given, used for more than its attributes."""
    is_read = isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    return is_read and not isinstance(home.names.parents[node], ast.Attribute)


def _is_class_of_something(source: Source, node: ast.expr) -> bool:
    match node:
        case ast.Attribute(attr="__class__") | ast.Name(id="__class__"):
            return True
        case ast.Call(func=ast.Name(id="type") as called, args=[_]):
            return source.names.binder(called) is None
    return False
