"""What keeps the statements of a script from moving into a constructor: names, mostly.

A name of the module becomes a local one there. Whatever would then read another value, or none,
is found here.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from pedl2det.project import TrialProject
from pedl2det.script.context import check_given, context_in
from pedl2det.script.parts import Parts
from pedl2det.script.walk import Unclear, bound_names, own_nodes

_ARGUMENTS = ("argparse", "absl", "click", "fire", "docopt", "getopt", "optparse")
_NAMESPACES = {"globals", "locals", "vars", "dir", "exec", "eval"}


def check(project: TrialProject, parts: Parts) -> None:
    """Look for everything that would not mean the same in a class.

    Raises:
        Unclear: the first such place.
    """
    _check_file(parts)
    _check_statements(parts)
    _check_shared_names(parts)
    _check_importers(project, parts)
    check_given(parts)


def _check_file(parts: Parts) -> None:
    names = parts.source.names
    for node in names.nodes:
        if _asks_the_command_line(parts, node):
            message = (
                "the script reads its command line, which a trial has not: use hyperparameters"
            )
            raise Unclear(node, message)
        if isinstance(node, ast.Name) and node.id == "__name__" and not _is_harmless(parts, node):
            raise Unclear(node, "__name__ is __main__ in a script, and the module's in a trial")
        if (isinstance(node, ast.Name) and node.id == "context") or (
            isinstance(node, ast.arg) and node.arg == "context"
        ):
            raise Unclear(node, "the script uses the name context already")


def _asks_the_command_line(parts: Parts, node: ast.AST) -> bool:
    match node:
        case ast.Import(names=aliases):
            return any(alias.name.partition(".")[0] in _ARGUMENTS for alias in aliases)
        case ast.ImportFrom(module=module, names=aliases):
            is_argv = module == "sys" and any(alias.name == "argv" for alias in aliases)
            return is_argv or (module or "").partition(".")[0] in _ARGUMENTS
        case ast.Attribute():
            meaning = parts.source.names.qualified(node) or ""
            return meaning == "sys.argv" or meaning.endswith((".app.flags", "tensorflow.flags"))
    return False


def _is_harmless(parts: Parts, node: ast.Name) -> bool:
    """``__name__`` in the guard that goes, or of a logger."""
    names = parts.source.names
    if names.statement_of(node) in parts.wrappers:
        return True
    parent = names.parents[node]
    return isinstance(parent, ast.Call) and names.qualified(parent.func) == "logging.getLogger"


def _check_statements(parts: Parts) -> None:
    for node in own_nodes(parts.moving):
        if isinstance(node, ast.Global):
            raise Unclear(node, "global stands in what would become the trial's constructor")
        match node:
            case ast.Name(id=name) if name in _NAMESPACES:
                if parts.source.names.binder(node) is None:
                    message = f"{name} sees the names of the module, which would be a method's"
                    raise Unclear(node, message)
        if isinstance(node, ast.Attribute) and node.attr in ("train_on_batch", "GradientTape"):
            raise Unclear(node, f"{node.attr}: training beside fit stays a person's")
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            raise Unclear(node, "import * cannot move into a constructor: write the names")
    for statement in parts.moving:
        for node in ast.walk(statement):
            if _is_private(node):
                raise Unclear(node, "a name that begins with __ means another one in a class")
    bound = bound_names(parts.moving)
    if "self" in bound:
        raise Unclear(bound["self"], "self would be the trial's own name here")
    for name, node in bound.items():
        if hasattr(builtins, name) and _is_read_first(parts, name):
            message = f"{name} is read before it is bound anew: give one of them another name"
            raise Unclear(node, message)


def _is_private(node: ast.AST) -> bool:
    """Whether a name would be mangled in a class."""
    name = getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "arg", None)
    name = name or getattr(node, "name", None)
    return isinstance(name, str) and name.startswith("__") and not name.endswith("__")


def _is_read_first(parts: Parts, name: str) -> bool:
    """Whether the first statement that knows a name reads it."""
    for statement in parts.moving:
        uses = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id == name]
        if uses:
            return any(isinstance(use.ctx, ast.Load) for use in uses)
    return False


def _check_shared_names(parts: Parts) -> None:
    """Names of the module that move, and that what stays knows too."""
    in_main = set(parts.main.body) if parts.main else set()
    of_module = [node for node in parts.moving if node not in in_main]
    bound = bound_names(of_module)
    for node in _staying(parts):
        match node:
            case ast.Name(id=name) if name in bound and _is_of_module(parts, node):
                where = parts.source.names.function_of(node)
                who = where.name if where is not None else "what stays in the module"
                message = f"{who} uses {name}, which the trial's constructor would own: pass it on"
                raise Unclear(node, message)
            case ast.Global(names=names) if bound.keys() & set(names):
                raise Unclear(node, "a function sets a global that the script uses")
    if parts.main is not None:
        twice = bound.keys() & bound_names(parts.main.body).keys()
        if twice:
            name = min(twice)
            message = f"{name} is a name of the module and another one in {parts.main.name}"
            raise Unclear(bound[name], message)


def _is_of_module(parts: Parts, node: ast.Name) -> bool:
    return parts.source.names.binder(node) is parts.source.tree


def _staying(parts: Parts) -> Iterator[ast.AST]:
    """Every node that stays in the module."""
    gone = {id(node) for moving in parts.moving for node in ast.walk(moving)}
    if parts.main is not None:
        gone |= {id(node) for node in ast.walk(parts.main)}
    return (node for node in parts.source.names.nodes if id(node) not in gone)


def _check_importers(project: TrialProject, parts: Parts) -> None:
    module = project.module_of(parts.source)
    for source in project.sources.values():
        for node in source.names.nodes:
            match node:
                case ast.Import(names=aliases):
                    imported = [alias.name for alias in aliases]
                case ast.ImportFrom(module=str(name)):
                    imported = [name]
                case _:
                    continue
            if module in imported:
                message = f"{source.path.name} imports the script, which would run there as well"
                raise Unclear(parts.fit, message)


def context_of(parts: Parts, node: ast.AST) -> str:
    """The context where a node that moves stands."""
    found = context_in(parts.source, node)
    assert found is not None
    return found
