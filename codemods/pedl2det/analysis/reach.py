"""Which functions and classes of a project its training may reach, by their names."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from pedl2det.analysis.trial import Trial

_BY_TEXT = ("globals", "locals", "vars", "eval", "exec", "__import__", "import_module")


def unreached(trial: Trial) -> set[ast.AST]:
    """Return the definitions at the top of modules whose names no reached code says.

    All that runs at import is reached, and the trials with their loaders. Where reached code finds
    something by a text that it computes, everything is.
    """
    waiting: list[ast.AST] = [*trial.classes, *filter(None, (trial.loaders, trial.download))]
    closed: dict[str, list[ast.AST]] = defaultdict(list)
    for line in (line for source in trial.modules for line in source.tree.body):
        match line:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                closed[line.name].append(line)
                waiting += line.decorator_list
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                pass
            case _:
                waiting.append(line)
    renamed = {
        alias.asname: alias.name
        for node in trial.modules.of(ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    reached: set[ast.AST] = set()
    while waiting:
        node = waiting.pop()
        reached.add(node)
        for word in _words(node):
            if word is None:
                return set()
            for name in (word, renamed.get(word, word)):
                waiting += closed.pop(name, ())
    return {one for found in closed.values() for one in found} - reached


def _words(node: ast.AST) -> Iterator[str | None]:
    """The names that code says, and its texts; None where it computes one."""
    for part in ast.walk(node):
        match part:
            case ast.Call(func=ast.Name(id="getattr"), args=[_, name, *_]):
                yield None if not isinstance(name, ast.Constant) else str(name.value)
            case ast.Name(id=word) | ast.Attribute(attr=word):
                yield None if word in _BY_TEXT else word
            case ast.Constant(value=str(word)) if word.isidentifier():
                yield word
