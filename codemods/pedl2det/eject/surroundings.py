"""Have an ejected trial need no harness: its modules, requirements, commands, other files."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from pedl2det import support as library
from pedl2det.analysis.source import Source
from pedl2det.analysis.text_rules import Span, replaced
from pedl2det.analysis.tree import NOTEBOOK, files_below
from pedl2det.errors import Pedl2DetError
from pedl2det.texts import is_requirement_file, is_shell_file
from pedl2det.texts.requirements import (
    CLUSTER_HARNESSES,
    LOCAL_HARNESSES,
    is_list,
    lines_of,
    met_instead,
    name_of,
    needs,
    written,
)

_NAMES = (*LOCAL_HARNESSES, *CLUSTER_HARNESSES)
_MENTION = re.compile(rf"(?<![\w.-])(?:{'|'.join(_NAMES)})(?![\w.-])")
_IMPORT = re.compile(
    r"(?m)^[ \t]*\"?[ \t]*(?:import|from)[ \t]+(?:pedl|determined|pedl2det\w*)(?![\w-])", re.ASCII
)
#: A command of the harness, what installs it, and a variable that names it.
_COMMAND = re.compile(
    r"(?<![\w./~-])(?:pedl2det|pedl|det)[\"',]*[ \t]+[\"']?(?:-\S+[ \t]+(?:[^-\s]\S*[ \t]+)?)*"
    r"(?:checkpoint|cmd|command|doctor|e|eject|exp|experiment|migrate|notebook|run|search|shell"
    r"|task|tensorboard|trial|verify)\b"
    r"|\bpip[\d.]*[ \t]+install\b.*(?<![\w-])(?:pedl2det|pedl|determined)(?![\w-])"
    r"|=[ \t]*[\"']?(?:pedl|det)\b"
)
#: What `tensorflow` does not name itself: its Keras of before Keras 3.
_ALWAYS = ("tensorflow", "tf-keras")
#: Modules that are not called like their packages.
_PACKAGES = {"yaml": "pyyaml", "zmq": "pyzmq"}


def detach_files(directory: Path, modules: Collection[Path]) -> list[str]:
    """Rewrite requirements and remove files that need a harness; return why each is left out.

    The trial's modules need none already.
    """
    left_out = []
    instead = list(_required(modules))
    for path in files_below([directory]):
        if path in modules or path.is_symlink():
            continue
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        new = _without_harness(path, text, instead) if is_requirement_file(str(path)) else text
        reason = "it requires the harness" if new is None else _reason(path, text)
        if reason or new is None:
            path.unlink()
            left_out.append(f"{path.relative_to(directory.resolve())} is left out: {reason}")
        elif new != text:
            path.write_bytes(new.encode())
    return left_out


def _without_harness(path: Path, text: str, instead: Sequence[str]) -> str | None:
    """Require TensorFlow in place of PEDL, Determined or pedl2det; None if that cannot be done.

    It can in a plain list of requirements, which may require some of these packages already.
    """
    lines = [*lines_of(path, text)]
    if not is_list(path) or not all(line.is_plain for line in lines):
        return None if any(_MENTION.search(line.text) for line in lines) else text
    has_harness = any(name_of(line.text) in _NAMES for line in lines)
    kept, names = text.splitlines(keepends=True), set()
    for line in lines:
        name = name_of(line.text)
        if name in _NAMES or met_instead(line.text, needs(cluster=True)):
            kept[line.number - 1] = ""
        else:
            names.add(name)
    if not has_harness and path.name != "requirements.txt":
        return "".join(kept)
    missing = [f"{one}\n" for one in instead if name_of(one) not in names]
    return "".join(kept).rstrip("\n") + "\n" * any(kept) + "".join(missing)


def _required(modules: Iterable[Path]) -> Iterator[str]:
    """What the modules need: TensorFlow, and what they import of what pedl2det brought."""
    imported = set()
    for path in modules:
        for node in Source.read(path).names.of(ast.Import, ast.ImportFrom):
            imported |= {dotted.partition(".")[0] for _, dotted in _bound(node)}
    packages = {_PACKAGES.get(name, name) for name in imported}
    local, brought = needs(cluster=False), needs(cluster=True)
    for name in (*_ALWAYS, *sorted(packages & local.keys() - {*brought, *_ALWAYS, "python"})):
        yield written(name, local)


def _reason(path: Path, text: str) -> str:
    """Why a file needs the harness; "" if it does not."""
    if path.suffix in (".py", NOTEBOOK) and _IMPORT.search(text):
        return "it imports the harness"
    command = _COMMAND.search(text) if is_shell_file(path.name) else None
    if command is None:
        return ""
    return f"line {text.count(chr(10), 0, command.start()) + 1} is a command of the harness"


#: The module that holds the pieces.
MODULE = "keras_trial"
PACKAGE = f"{__package__}.pieces"


def detached(source: Source, depth: int = 0) -> tuple[str, set[str]]:
    """Return the text of a module without Determined, and the pieces of ``keras_trial.py`` in it.

    The script is beside the trial's modules, so these are in no package: what they import relative
    to it, they import by its name. The depth is that of the module below the trial's directory.

    Raises:
        Pedl2DetError: it uses something of Determined that has no counterpart.
    """
    spans, used = [], set()
    below: set[ast.AST] = set()
    statements = source.names.of(ast.Import, ast.ImportFrom)
    imported = {dotted for one in statements for _, dotted in _bound(one) if not _is_module(dotted)}
    for node in source.names.of(ast.Attribute):
        base = source.names.qualified(node.value)
        dotted = f"{base}.{node.attr}"
        if _is_harness(base) and _is_module(str(base)) and not _is_module(dotted):
            piece = _piece(source, node, dotted)
            spans.append(_span(source, node, f"{MODULE}.{piece}"))
            used.add(piece)
            below |= {*ast.walk(node)}
    for name in source.names.of(ast.Name):
        meaning = source.names.qualified(name)
        if _is_harness(meaning) and name not in below and meaning not in imported:
            raise _unknown(source, name, str(meaning))
    for statement in statements:
        if isinstance(statement, ast.ImportFrom) and statement.level == depth + 1:
            spans.append(_span(source, statement, _absolute(source, statement)))
        elif any(_is_harness(dotted) for _, dotted in _bound(statement)):
            line, pieces = _import(source, statement)
            spans.append(_span(source, statement, line))
            used |= pieces
    return replaced(source.text, spans), used


def _is_harness(dotted: str | None) -> bool:
    return dotted is not None and dotted.partition(".")[0] == "determined"


def _is_module(dotted: str) -> bool:
    """Whether a name of Determined is a module: all that are not written like a class."""
    last = dotted.rpartition(".")[2]
    return last.islower() and last not in library.available(PACKAGE)


def _piece(source: Source, node: ast.expr | ast.stmt, dotted: str) -> str:
    """The piece that stands for a name of Determined."""
    name = dotted.rpartition(".")[2]
    if name not in library.available(PACKAGE):
        raise _unknown(source, node, dotted)
    return name


def _bound(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[ast.alias, str]]:
    """The names that a statement imports, each with its dotted name."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            yield alias, alias.name
        elif node.level == 0:
            yield alias, f"{node.module}.{alias.name}"


def _import(source: Source, node: ast.Import | ast.ImportFrom) -> tuple[str, set[str]]:
    """What replaces an import from Determined, and the pieces that it imports."""
    lines, pieces, others = [], {}, []
    for alias, dotted in _bound(node):
        if not _is_harness(dotted):
            others.append(ast.unparse(alias))
        elif _is_module(dotted):
            lines = [f"import {MODULE}"]
        else:
            pieces[_piece(source, node, dotted)] = ast.unparse(alias)
    lines += [f"from {MODULE} import {', '.join(pieces.values())}"] if pieces else []
    lines += [f"import {', '.join(others)}"] if others else []
    indent = source.lines[node.lineno - 1][: node.col_offset]
    return f"\n{indent}".join(lines), {*pieces}


def _absolute(source: Source, node: ast.ImportFrom) -> str:
    """An import relative to the trial's directory, as one by name."""
    text, dots = source.segment(node), "." * node.level
    if node.module:
        return text.replace(f"{dots}{node.module}", node.module, 1)
    return f"import {text.partition(' import ')[2].strip('() ')}"


def _span(source: Source, node: ast.expr | ast.stmt, text: str) -> Span:
    (first, column), (last, end) = source.span(node)
    return Span(source.offset((first, column)), source.offset((last, end)), text)


def _unknown(source: Source, node: ast.expr | ast.stmt, dotted: str) -> Pedl2DetError:
    return Pedl2DetError(
        f"{source.path}:{node.lineno}: {dotted} has no counterpart in a plain script: take it out "
        "of the trial first"
    )
