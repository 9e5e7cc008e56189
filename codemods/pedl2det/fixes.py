"""What rules return: fixes, made of declarative edits of ``ast`` nodes.

A fix is small: one place, one reason. The engine puts the fixes of all rules together: it threads
the context to the functions that need it, writes the constructor, adds and removes imports, adds
the pieces of ``legacy_keras.py``, and drops a fix whose place another fix replaces.

Code in edits is a template. ``{name}`` stands for a hole, which keeps the code of an ``ast`` node
with all edits inside of it; ``{context}`` stands for the expression of the trial's context at that
place.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pedl2det.analysis.source import Source
from pedl2det.findings import Kind

Holes = Mapping[str, ast.expr]
Function = ast.FunctionDef | ast.AsyncFunctionDef
#: The hole that stands for the trial's context.
CONTEXT = "{context}"
#: The line of a template that the statements of the trial's constructor replace.
CONSTRUCTOR = "{constructor}"
#: Holes for the argument of a call of ``make_data_loaders`` and of ``download_data``: the context
#: if the function takes it, else nothing.
LOADERS_CONTEXT = "{loaders_context}"
DOWNLOAD_CONTEXT = "{download_context}"

#: A placeholder for a file that the engine adds.
_UNKNOWN: Any = None
_PIECE = re.compile(r"\blegacy_keras\.(\w+)")


@dataclass(frozen=True)
class Replace:
    """Replace an expression; a hole may hold the expression itself, which wraps it.

    A replacement that wraps the expression goes around the result of another one.
    """

    node: ast.expr
    code: str
    holes: Holes = field(default_factory=dict)


@dataclass(frozen=True)
class _WithStatements:
    """An edit at a statement, with a template of others."""

    node: ast.stmt
    code: str = ""
    holes: Holes = field(default_factory=dict)


class ReplaceStatement(_WithStatements):
    """Replace a statement by other statements; empty code deletes it."""


class InsertBefore(_WithStatements):
    """Insert statements before a statement."""


class InsertAfter(_WithStatements):
    """Insert statements after a statement."""


@dataclass(frozen=True)
class Extract:
    """Move an expression into a new statement before its own, and put a name in its place.

    ``{value}`` in the statement's code stands for the expression, with all other edits of it.
    """

    node: ast.expr
    statement: ast.stmt
    name: str
    code: str


class InsertFirst(_WithStatements):
    """Insert statements at the start of a function's body, after its docstring."""

    node: Function


@dataclass(frozen=True)
class RenameKeyword:
    """Rename a keyword argument of a call, or give a positional one a keyword."""

    node: ast.keyword | ast.expr
    name: str


@dataclass(frozen=True)
class Drop:
    """Drop an argument of a call, a parameter, a decorator, or what a function returns."""

    node: ast.expr | ast.keyword | ast.arg


@dataclass(frozen=True)
class AddArgument:
    """Add an argument to a call: ``{context}`` or ``name=value``, at the start or the end."""

    node: ast.Call
    code: str
    first: bool = False
    holes: Holes = field(default_factory=dict)


@dataclass(frozen=True)
class AddParameter:
    """Add a parameter, such as ``context`` or ``context: TFKerasTrialContext``.

    It comes first, after ``self`` or ``cls`` in a method.
    """

    node: Function
    code: str


@dataclass(frozen=True)
class RenameFunction:
    """Rename a function where it is defined; its uses need edits of their own."""

    node: Function
    name: str


@dataclass(frozen=True)
class AddMember:
    """Add methods or attributes to a class, before or after its other members."""

    node: ast.ClassDef
    code: str
    first: bool = False


@dataclass(frozen=True)
class Mark:
    """Write ``# TODO(pedl2det RULE): text`` above a statement."""

    node: ast.stmt
    text: str


_OfStatement = ReplaceStatement | InsertBefore | InsertAfter | InsertFirst | Mark
_OfArgument = RenameKeyword | Drop | AddArgument | AddParameter
Edit = Replace | Extract | RenameFunction | AddMember | _OfStatement | _OfArgument


@dataclass(frozen=True)
class ConfigNeed:
    """Something that the configs of a trial need because of a fix."""

    #: ``global_batch_size``; ``metric:OLD`` for the new name of a metric that was reported as
    #: ``OLD``; ``init_first`` where ``__init__.py`` is imported before the trial.
    key: str
    value: object  #: the value, or the new name


@dataclass(frozen=True)
class Fix:
    """One place rewritten by one rule."""

    node: ast.AST  #: the place
    edits: tuple[Edit, ...] = ()  #: the edits, in any file of the project
    #: import statements that the file of the place needs, one line each
    imports: tuple[str, ...] = ()
    #: statements for the trial's constructor, such as ``{context}.configure_fit(shuffle=False)``,
    #: each written once.
    constructor: tuple[str, ...] = ()
    notes: tuple[tuple[Kind, str], ...] = ()  #: what the user should know, each with its kind
    config: tuple[ConfigNeed, ...] = ()  #: what the configs of the trial need
    rule: str = ""  #: the rule's id, which the engine adds
    source: Source = _UNKNOWN  #: the file of the place, which the engine adds
    #: every edit with its file, which the engine adds
    located: tuple[tuple[Source, Edit], ...] = ()

    def placed(self, rule: str, home: Callable[[ast.AST], Source]) -> Fix:
        """Return the fix with its rule and the files of its places."""
        located = tuple((home(edit.node), edit) for edit in self.edits)
        return replace(self, rule=rule, source=home(self.node), located=located)

    @property
    def is_mark(self) -> bool:
        """Whether it leaves the place, with a TODO comment above it."""
        return any(isinstance(edit, Mark) for edit in self.edits)

    @property
    def support(self) -> set[str]:
        """The pieces of ``legacy_keras.py`` that the edits name as ``legacy_keras.PIECE``."""
        codes = [*(getattr(edit, "code", "") for edit in self.edits), *self.constructor]
        return {piece for code in codes for piece in _PIECE.findall(code)}


def rewrite(
    node: ast.expr,
    code: str,
    holes: Holes | None = None,
    *,
    imports: tuple[str, ...] = (),
    notes: tuple[tuple[Kind, str], ...] = (),
) -> Fix:
    """Return the fix that replaces an expression, and nothing else."""
    return Fix(node, (Replace(node, code, holes or {}),), imports, notes=notes)


@dataclass(frozen=True)
class Remark:
    """Something to say about a place without an edit."""

    node: ast.AST  #: the place
    message: str  #: what was found and why it matters
    help: str = ""  #: the code to write. A trial that can be carried over whole needs none.
    #: what it means for the user. ``LEFT`` says that the rule has no answer: the trial is carried
    #: over whole (P034), or a TODO is written above the place.
    kind: Kind = Kind.LEFT
    rule: str = ""  #: the rule's id, which the engine adds
    source: Source = _UNKNOWN  #: the file of the place, which the engine adds

    def placed(self, rule: str, home: Callable[[ast.AST], Source]) -> Remark:
        """Return the remark with its rule and file."""
        return replace(self, rule=rule, source=home(self.node))
