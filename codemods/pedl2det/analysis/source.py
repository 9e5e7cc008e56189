"""One Python file: its bytes, text and ``ast`` tree, positions, and how it spells a dotted name.

``ast`` gives the facts, because it is ten times as fast as libcst; libcst makes the edits
(``edits/locate.py`` finds a node of one in the other).
"""

from __future__ import annotations

import ast
import builtins
import io
import re
import tokenize
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis.names import Names
from pedl2det.analysis.tree import NOTEBOOK, read_bytes
from pedl2det.findings import Unreadable

#: The comment that excludes a line, or a whole file, from migration.
SKIP = re.compile(r"#\s*pedl2det:\s*skip\b")


def skipped_lines(text: str, tree: ast.Module | None = None) -> frozenset[int]:
    """The lines that comments exclude: all, if one precedes the first statement."""
    lines = text.splitlines() if SKIP.search(text) else []
    marked = {number for number, line in enumerate(lines, 1) if SKIP.search(line)}
    begun = next((n for n, line in enumerate(lines, 1) if line.partition("#")[0].strip()), 0)
    inside: set[int] = set()
    if tree is not None and marked:  # a statement over several lines is left as a whole
        statements = tree.body[ast.get_docstring(tree) is not None :]
        begun = statements[0].lineno if statements else 0
        nodes = (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
        extents = (range(node.lineno, _end_of_head(node) + 1) for node in nodes)
        inside = {line for extent in extents if not marked.isdisjoint(extent) for line in extent}
    is_whole = any(line < begun for line in marked - inside)
    return frozenset(range(len(lines) + 2) if is_whole else marked | inside)


def _end_of_head(node: ast.stmt) -> int:
    """The last line of a statement without the statements in it."""
    body: list[ast.stmt] | None = getattr(node, "body", None)
    return body[0].lineno - 1 if body else node.end_lineno or node.lineno


Place = tuple[int, int]  # line from 1, column from 0 in characters
Span = tuple[Place, Place]

NEWLINE = re.compile("\r\n|\r|\n")


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends, as Python counts them."""
    return io.StringIO(text, newline="").readlines()


def first_line(statement: ast.stmt) -> int:
    """Return the line on which a statement begins, decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


@dataclass(frozen=True)
class Source:
    """A Python file."""

    path: Path  #: where it is
    text: str  #: its text, with the line ends of the file
    encoding: str  #: how its bytes are decoded
    tree: ast.Module  #: its syntax tree

    @classmethod
    def read(cls, path: Path) -> Source:
        """Read a file; raise `Unreadable` if it is not Python 3 in the encoding that it names."""
        data = read_bytes(path)
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            text = data.decode(encoding)
        except (SyntaxError, UnicodeDecodeError, LookupError) as error:
            raise Unreadable(f"cannot be decoded: {error}") from None
        return cls.of(path, text, encoding)

    @classmethod
    def of(cls, path: Path, text: str, encoding: str = "utf-8") -> Source:
        """Parse a text; raise `Unreadable` if it is not Python 3."""
        try:
            with warnings.catch_warnings(action="ignore"):  # about invalid escapes
                return cls(path, text, encoding, ast.parse(text))
        except (SyntaxError, ValueError) as error:  # or a null byte
            line = getattr(error, "lineno", None) or 1
            raise Unreadable(f"syntax error: {getattr(error, 'msg', error)}", line) from None
        except (RecursionError, MemoryError):  # the parser raises either
            raise Unreadable("an expression is nested too deeply to be read") from None

    def encoded(self, text: str) -> bytes:
        """Encode a new text of this file."""
        return text.encode(self.encoding)

    @property
    def is_module(self) -> bool:
        """Whether other files can import it."""
        return self.path.suffix != NOTEBOOK

    def place(self, line: int) -> tuple[int | None, int]:
        """Where a line of the text is for the user: a notebook's cell, and the line."""
        return None, line

    def problem_with(self, text: str) -> str | None:  # noqa: ARG002 - for subclasses
        """Why the file cannot have a new text, or None."""
        return None

    @cached_property
    def skipped(self) -> frozenset[int]:
        """The lines that a comment excludes from migration."""
        return skipped_lines(self.text, self.tree)

    @cached_property
    def names(self) -> Names:
        """What the names in this file mean."""
        return Names(self.tree)

    @cached_property
    def lines(self) -> list[str]:
        """Its lines without their ends."""
        return NEWLINE.split(self.text)  # str.splitlines knows more line ends

    def start(self, node: ast.expr | ast.stmt | ast.arg) -> Place:
        """Where a node begins."""
        return node.lineno, self._column(node.lineno, node.col_offset)

    def span(self, node: ast.expr | ast.stmt) -> Span:
        """Where a node begins and ends."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        end = node.end_lineno, self._column(node.end_lineno, node.end_col_offset)
        return self.start(node), end

    def segment(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node."""
        start, end = map(self.offset, self.span(node))
        return self.text[start:end]

    def offset(self, place: Place) -> int:
        """Where a place is in the text."""
        line, column = place
        return self._starts[line - 1] + column

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in NEWLINE.finditer(self.text))]

    def _column(self, line: int, offset: int) -> int:
        if self.text.isascii():
            return offset
        return len(self.lines[line - 1].encode("utf-8")[:offset].decode("utf-8"))


# A dotted name in the file's own style: by the imports that it has, or by a new one.

#: The usual local names of packages.
_USUAL = {"tensorflow": "tf", "numpy": "np", "pandas": "pd"}


@dataclass(frozen=True)
class Spelling:
    """How a file writes a dotted name."""

    code: str  #: the expression
    imports: tuple[str, ...] = ()  #: the import statements that it needs and that the file may lack


def spell(source: Source, dotted: str, like: ast.expr | None = None) -> Spelling:
    """Write a dotted name, such as ``tensorflow.compat.v1.ConfigProto`` or ``builtins.int``.

    The style of the old expression is kept: a bare name stays a bare name, and
    ``keras.layers.Dense`` stays as it is if ``keras`` can be imported from elsewhere.
    """
    module, _, name = dotted.rpartition(".")
    if module == "builtins":
        return Spelling(name)
    if isinstance(like, ast.Name):
        return _bare(source, module, name, like.id)
    known = _by_its_own_root(source, dotted, like) or _by_known_import(source, dotted)
    if known is not None:
        return known
    top, _, rest = dotted.partition(".")
    if top in _USUAL and _is_free(source, _USUAL[top], top):
        code = ".".join(filter(None, (_USUAL[top], rest)))
        return Spelling(code, (f"import {top} as {_USUAL[top]}",))
    return _bare(source, module, name, name)


def _by_its_own_root(source: Source, dotted: str, like: ast.expr | None) -> Spelling | None:
    """The name by what the old expression begins with: ``k.optimizers``, where ``k = tf.keras``."""
    if not isinstance(like, ast.Attribute):
        return None
    part: ast.expr | None = like.value
    while part is not None:
        meaning = source.names.qualified(part)
        if meaning is not None and dotted.startswith(f"{meaning}."):
            return Spelling(ast.unparse(part) + dotted[len(meaning) :])
        if isinstance(part, ast.Name):  # after `import keras`: it comes from its new place
            row = names.lookup(meaning) if meaning else None
            new = row.new if row is not None else None
            if new is None and names.is_legacy(f"{meaning}.x"):  # the whole module has moved
                new = dotted.removesuffix(ast.unparse(like).removeprefix(part.id))
            module, _, name = (new or "").rpartition(".")
            if new is None or not module or not dotted.startswith(f"{new}."):
                return None
            alias = f" as {part.id}" if part.id != name else ""
            import_ = f"from {module} import {name}{alias}"
            return Spelling(part.id + dotted[len(new) :], (import_,))
        part = part.value if isinstance(part, ast.Attribute) else None
    return None


def _by_known_import(source: Source, dotted: str) -> Spelling | None:
    """The name by the longest prefix that the file imports at its top."""
    spellings: dict[str, Spelling] = {}
    for node in source.tree.body:
        if isinstance(node, ast.Import):
            pairs = [(alias.asname or alias.name, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            pairs = [
                (alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names
            ]
        else:
            continue
        for local, meaning in pairs:
            name = local.partition(".")[0]
            is_prefix = f"{dotted}.".startswith(f"{meaning}.") and (
                meaning != dotted or local == name
            )
            if is_prefix and not source.names.is_hidden(name, meaning):
                spellings.setdefault(meaning, Spelling(local + dotted[len(meaning) :]))
    return spellings[max(spellings, key=len)] if spellings else None


def _bare(source: Source, module: str, name: str, local: str) -> Spelling:
    """The bare name, imported from its module; under the old local name if that was another."""
    if not module:
        if not _is_imported(source, local):
            return Spelling(local)
        return Spelling(local, (f"import {name}" + (f" as {local}" if local != name else ""),))
    if local != name and _is_free(source, name, f"{module}.{name}") and not hasattr(builtins, name):
        local = name
    alias = f" as {local}" if local != name else ""
    return Spelling(local, (f"from {module} import {name}{alias}",))


def _is_free(source: Source, local: str, package: str) -> bool:
    if source.names.is_hidden(local, package):
        return False
    bound = source.names.module_bindings(local)
    return not bound or (bound == [package] and _is_imported(source, local))


def _is_imported(source: Source, local: str) -> bool:
    """Whether nothing else binds a name of a module, such as ``tf = K.tf``."""
    bound = source.names.bound(source.tree, local)
    return all(isinstance(binding.node, ast.alias) for binding in bound)
