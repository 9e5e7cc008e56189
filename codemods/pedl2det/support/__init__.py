"""Render a module of support pieces that a trial imports, such as ``legacy_keras.py``.

A piece is a function, class or variable at the top of a file of the package ``pedl2det_legacy``.
What a piece uses from other files of the package is rendered with it, without their imports. The
files are read, never imported.
"""

from __future__ import annotations

import ast
import functools
import symtable
import sys
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pedl2det_names as names
from pedl2det.analysis.source import first_line

#: The module that migrated code imports the pieces from.
MODULE = "legacy_keras"

#: The package of its pieces.
PACKAGE = "pedl2det_legacy"

_HEADER = '''\
"""What this trial uses of PEDL and of the Keras of its time.

Written by `pedl2det migrate`. It needs Keras, NumPy and Determined, and nothing else.
The file belongs to the trial: edit it, and delete what the trial no longer uses.
"""
'''
_CONTEXT = "_bound_context"
_BIND = "bind"


@dataclass(frozen=True)
class _Definition:
    """A statement at the top of a file of pieces."""

    name: str
    text: str
    file_imports: Mapping[str, str]  #: the imports of its file, by the names that they bind

    @functools.cached_property
    def uses(self) -> frozenset[str]:
        """The names of the module that it uses, in any of its scopes."""
        waiting = [symtable.symtable(self.text, MODULE, "exec")]
        used: set[str] = set()
        while waiting:
            scope = waiting.pop()
            is_module = scope.get_type() == "module"
            symbols = [symbol for symbol in scope.get_symbols() if is_module or symbol.is_global()]
            used |= {symbol.get_name() for symbol in symbols}
            waiting += scope.get_children()
        return frozenset(used)

    @property
    def imports(self) -> list[str]:
        """The statements that it needs."""
        return [self.file_imports[name] for name in self.uses & self.file_imports.keys()]


def available(package: str = PACKAGE) -> list[str]:
    """Return the names of the public pieces of a package."""
    return [name for name in _definitions(package) if not name.startswith("_")]


def needs_context(names: Iterable[str]) -> bool:
    """Tell whether a trial must call ``legacy_keras.bind(context)`` before it uses these pieces."""
    return any(definition.name == _CONTEXT for definition in _closure(names))


def render(names: Iterable[str], header: str = _HEADER, package: str = PACKAGE) -> str:
    """Return the text of a module with these pieces and what they need."""
    needed = _closure(names, package=package)
    if not needed:
        return ""
    imports = sorted({line for definition in needed for line in definition.imports}, key=_by_place)
    standard = [line for line in imports if not _by_place(line)[0]]
    others = [line for line in imports if _by_place(line)[0]]
    blocks = ["\n".join(block) + "\n" for block in (standard, others) if block]
    top = "\n".join([header, *blocks])
    is_definition = needed[0].text.startswith(("def ", "class ", "@"))
    between = "\n\n" if is_definition else "\n"  # what Ruff wants after imports
    return top + between + "\n\n".join(definition.text for definition in needed)


def merged(existing: str, names: Iterable[str]) -> str:
    """Add the pieces that are missing to a ``legacy_keras.py`` that may have been edited.

    The existing text stays. A file that nobody edited is rendered again, so that the result does
    not depend on the order in which trials were migrated.

    Raises:
        SyntaxError: the existing text is not Python.
    """
    names = list(names)
    symbols = symtable.symtable(existing, MODULE, "exec").get_symbols()
    bound = {
        symbol.get_name() for symbol in symbols if symbol.is_assigned() or symbol.is_imported()
    }
    pieces = [name for name in _definitions(PACKAGE) if name in bound]
    if existing.strip() in ("", render(pieces).strip()):
        return render([*pieces, *names])
    missing = _closure(names, bound)
    if not missing:
        return existing
    imports = {line for definition in missing for line in definition.imports}
    new = sorted((line for line in imports if _bound_by(line) not in bound), key=_by_place)
    parts = [existing.rstrip("\n") + "\n", "".join(f"{line}\n" for line in new)]
    return "\n\n".join(filter(None, [*parts, *(definition.text for definition in missing)]))


def _closure(
    names: Iterable[str], present: Set[str] = frozenset(), package: str = PACKAGE
) -> list[_Definition]:
    """The definitions of names and of all that they use, except for those that are present."""
    known = _definitions(package)
    needed: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in needed or name in present:
            continue
        if name not in known:
            raise KeyError(f"there is no support piece {name!r}")
        needed.add(name)
        waiting += known[name].uses & known.keys()
        if name == _CONTEXT:
            waiting.append(_BIND)
    return [definition for name, definition in known.items() if name in needed]


@functools.cache
def _definitions(package: str) -> Mapping[str, _Definition]:
    """Return every definition by its name, in the order in which they are rendered."""
    spec = find_spec(package)
    assert spec is not None
    directory = next(iter(spec.submodule_search_locations or ()))
    files = sorted(Path(directory).glob("*.py"))
    files.sort(key=lambda file: file.name != "bound_context.py")
    return {
        definition.name: definition
        for file in files
        for definition in _read(file.read_text(encoding="utf-8"))
    }


def _read(source: str) -> Iterator[_Definition]:
    lines = source.splitlines(keepends=True)
    tree = ast.parse(source)
    imported = [ast.unparse(node) for node in tree.body if isinstance(node, ast.Import)]
    imports = {_bound_by(line): line for line in imported}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(names.__name__):
            module = import_module(str(node.module))
            for table in node.names:  # data, which is copied
                text = _written(f"{table.name} = ", getattr(module, table.name))
                yield _Definition(table.name, f"{text}\n", {})
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Expr):  # or documentation
            continue
        first = first_line(node) - 1
        while first and lines[first - 1].startswith("#"):  # with the comments above it
            first -= 1
        text = "".join(lines[first : node.end_lineno])
        name = ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else node.name  # type: ignore[attr-defined]
        yield _Definition(name, text, imports)


def _written(start: str, value: Any, end: str = "") -> str:
    """Write a table on one line, or each of its members on a line, as formatters do."""
    line = start + repr(value).replace("'", '"') + end
    if len(line) <= 88:
        return line
    indent = " " * (len(start) - len(start.lstrip()))
    first, last = [*repr(type(value)())]
    keys = [f'"{key}": ' if isinstance(value, dict) else "" for key in value]
    members = value.values() if isinstance(value, dict) else value
    pairs = zip(keys, members, strict=True)
    inside = [_written(f"    {indent}{key}", member, ",") for key, member in pairs]
    return "\n".join([start + first, *inside, indent + last + end])


def _bound_by(line: str) -> str:
    """Return the name that an import statement binds."""
    return line.split()[-1].partition(".")[0]


def _by_place(line: str) -> tuple[bool, str]:
    """Return the sort key of an import: the standard library comes first."""
    module = line.split()[1]
    return module.partition(".")[0] not in sys.stdlib_module_names, module
