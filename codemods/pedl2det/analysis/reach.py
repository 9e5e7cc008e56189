"""Which functions and classes of a project nothing uses, by their names."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from pedl2det.analysis.trial import Trial

#: What finds a name by a text that it computes.
_BY_TEXT = re.compile(
    r"\b(?:globals|locals|vars|eval|exec|__import__|import_module)\b"
    r"|\b[gs]etattr\([^,()]+, *(?![\"'])"
)


def unreached(trial: Trial) -> set[ast.AST]:
    """Return the definitions at the top of modules whose names no other code says.

    The trials and their loaders are called by the harness.
    """
    lines = [line for source in trial.modules for line in source.tree.body]
    said = Counter(word for line in lines for word in _words(line))
    if any(_BY_TEXT.search(source.text) for source in trial.modules):
        return set()
    called = [*trial.classes, trial.loaders, trial.download]
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    left = [line for line in lines if isinstance(line, kinds) and line not in called]
    unused: set[ast.AST] = set()
    while new := [one for one in left if one not in unused and not said[one.name]]:
        unused.update(new)
        said.subtract(word for one in new for word in _words(one))
    return unused


def _words(node: ast.AST) -> Iterator[str]:
    """The names that code says, and its texts, which may be names."""
    for part in ast.walk(node):
        match part:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.Constant(value=str(word)):
                yield word
            case ast.alias(name=word, asname=str()):
                yield word
