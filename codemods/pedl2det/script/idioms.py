"""What means something else in a method of a module than in a script, or nothing at all."""

from __future__ import annotations

import ast
import builtins

from pedl2det.findings import Unclear
from pedl2det.script.parts import Parts
from pedl2det.script.walk import bound_names, own_nodes

_ARGUMENTS = ("argparse", "absl", "click", "fire", "docopt", "getopt", "optparse")
_NAMESPACES = {"globals", "locals", "vars", "dir", "exec", "eval"}


def check_idioms(parts: Parts) -> None:
    """Look for what means something else in a trial than in a script.

    Raises:
        Unclear: the first such place.
    """
    _check_file(parts)
    _check_statements(parts)


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
            if isinstance(node, ast.Global):
                raise Unclear(node, "global stands in what would become the trial's constructor")
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
