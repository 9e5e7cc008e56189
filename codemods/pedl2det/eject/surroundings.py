"""Remove the harness from an ejected trial: modules, requirements, commands, other files."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from pedl2det import support as library
from pedl2det.analysis.bindings import imported_as
from pedl2det.analysis.source import Source
from pedl2det.analysis.text_rules import Span, replaced
from pedl2det.analysis.tree import NOTEBOOK, files_below
from pedl2det.edits.imports import Wanted, fit_imports
from pedl2det.errors import Pedl2DetError
from pedl2det.texts import is_requirement_file, is_shell_file, requirements

_NAMES = (*requirements.LOCAL_HARNESSES, *requirements.CLUSTER_HARNESSES)
_MENTION = re.compile(rf"(?<![\w./~-])(?:det|{'|'.join(_NAMES)})(?![\w.-])")
_IMPORT = re.compile(
    r"(?m)^[ \t]*\"?[ \t]*(?:import|from)[ \t]+(?:pedl|determined|pedl2det\w*)(?![\w-])", re.ASCII
)
#: What every script needs: `tensorflow` does not itself require `tf-keras`, which is Keras 2.
_ALWAYS = ("tensorflow", "tf-keras")
#: The packages whose modules have other names, by module.
_PACKAGES = {"yaml": "pyyaml", "zmq": "pyzmq"}


def detach_files(directory: Path, modules: Collection[Path]) -> list[str]:
    """Rewrite requirements, and remove files that need a harness; return which and why."""
    left_out = []
    required = list(_required(modules))
    for path in files_below([directory]):
        if path in modules or path.is_symlink():
            continue
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        new = _without_harness(path, text, required) if is_requirement_file(str(path)) else text
        reason = "it requires the harness" if new is None else _reason(path, text)
        if reason or new is None:
            path.unlink()
            left_out.append(f"{path.relative_to(directory.resolve())} is left out: {reason}")
        elif new != text:
            path.write_bytes(new.encode())
    return left_out


def _without_harness(path: Path, text: str, required: Sequence[str]) -> str | None:
    """Replace harnesses in a plain list of requirements; None if another format names one."""
    lines = [*requirements.lines_of(path, text)]
    if not requirements.is_list(path) or not all(line.is_plain for line in lines):
        return None if any(_MENTION.search(line.text) for line in lines) else text
    has_harness = any(requirements.name_of(line.text) in _NAMES for line in lines)
    kept, names = text.splitlines(keepends=True), set()
    for line in lines:
        name = requirements.name_of(line.text)
        if name in _NAMES or requirements.met_instead(line.text, requirements.needs(cluster=True)):
            kept[line.number - 1] = ""
        else:
            names.add(name)
    if not has_harness and path.name != "requirements.txt":
        return "".join(kept)
    missing = [f"{line}\n" for line in required if requirements.name_of(line) not in names]
    return "".join(kept).rstrip("\n") + "\n" * any(kept) + "".join(missing)


def _required(modules: Iterable[Path]) -> Iterator[str]:
    """Yield what the modules need: TensorFlow, and imported packages that came with pedl2det."""
    imported = set()
    for path in modules:
        imported |= {dotted.partition(".")[0] for dotted in Source.read(path).names.imported()}
    packages = {_PACKAGES.get(name, name) for name in imported}
    local, brought = requirements.needs(cluster=False), requirements.needs(cluster=True)
    for name in (*_ALWAYS, *sorted(packages & local.keys() - {*brought, *_ALWAYS, "python"})):
        yield requirements.written(name, local)


def _reason(path: Path, text: str) -> str:
    """Why a file needs the harness; "" if it does not."""
    if path.suffix in (".py", NOTEBOOK) and _IMPORT.search(text):
        return "it imports the harness"
    is_run = is_shell_file(path.name) and path.suffix not in (".md", ".markdown", NOTEBOOK)
    mention = _MENTION.search(text) if is_run else None
    if mention is None:
        return ""
    return f"line {text.count(chr(10), 0, mention.start()) + 1} names the harness"


#: The module that holds the pieces.
MODULE = "keras_trial"
PACKAGE = f"{__package__}.pieces"


def detached(source: Source, depth: int = 0) -> tuple[str, set[str]]:
    """Return the text of a module without Determined, and the pieces of ``keras_trial.py`` in it.

    The script is beside the trial's modules, so these are in no package: relative imports become
    absolute. ``depth`` counts the directories from the trial's directory down to the module.

    Raises:
        Pedl2DetError: the module uses something of Determined that has no counterpart.
    """
    spans, used = [], set()
    pieces = {*library.available(PACKAGE)}
    for statement in source.names.of(ast.ImportFrom):
        names = {alias.name for alias in statement.names}
        if statement.level == depth + 1:
            spans.append(_span(source, statement, _imported_from(statement.module, statement)))
        elif _is_harness(statement.module) and names <= pieces:
            spans.append(_span(source, statement, _imported_from(MODULE, statement)))
            used |= names
    source = Source.of(source.path, replaced(source.text, spans))
    spans = []
    for node in source.names.of(ast.Name, ast.Attribute):
        dotted = source.names.qualified(node)
        base = source.names.qualified(node.value) if isinstance(node, ast.Attribute) else "module"
        if not _is_harness(dotted) or not _is_module(base):
            continue
        name = str(dotted).rpartition(".")[2]
        if name in pieces:
            spans.append(_span(source, node, f"{MODULE}.{name}"))
            used.add(name)
        elif not (_is_module(dotted) and isinstance(source.names.parents[node], ast.Attribute)):
            raise _unknown(source, node, str(dotted))
    new = Source.of(source.path, replaced(source.text, spans))
    wanted = Wanted(frozenset({f"import {MODULE}"}), lambda _: False, frozenset({MODULE}))
    new = Source.of(source.path, fit_imports(source, new, wanted))
    for left in new.names.of(ast.Import, ast.ImportFrom):
        dotted = imported_as(left, left.names[0])
        if _is_harness(dotted):
            raise _unknown(new, left, dotted)
    return new.text, used


def _is_harness(dotted: str | None) -> bool:
    return (dotted or "").partition(".")[0] == "determined"


def _is_module(dotted: str | None) -> bool:
    """Whether a name of Determined is a module: lower-case names are, except for pieces."""
    last = (dotted or "").rpartition(".")[2]
    return last.islower() and last not in library.available(PACKAGE)


def _imported_from(module: str | None, node: ast.ImportFrom) -> str:
    """The code that imports the same names from another module, or as modules if it is None."""
    names = ", ".join(map(ast.unparse, node.names))
    return f"from {module} import {names}" if module else f"import {names}"


def _span(source: Source, node: ast.expr | ast.stmt, text: str) -> Span:
    start, end = map(source.offset, source.span(node))
    return Span(start, end, text)


def _unknown(source: Source, node: ast.expr | ast.stmt, dotted: str) -> Pedl2DetError:
    return Pedl2DetError(
        f"{source.path}:{node.lineno}: {dotted} has no counterpart in a plain script: remove it "
        "from the trial first"
    )
