"""Have the files around a trial need no harness: requirements, commands, other modules."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from pedl2det.analysis.notebook import Document
from pedl2det.analysis.tree import NOTEBOOK, files_below
from pedl2det.findings import Unreadable
from pedl2det.texts.commands import first_harness_line, is_shell_file
from pedl2det.texts.needs import needs, written
from pedl2det.texts.requirements import is_requirement_file, without_harness

_HARNESS = re.compile(
    r"(?m)^[ \t]*(?:import|from)[ \t]+(?:pedl|determined|pedl2det\w*)(?![\w-])", re.ASCII
)
#: What `tensorflow` does not name itself: its Keras of before Keras 3.
_ALWAYS = ("tensorflow", "tf-keras")
#: Modules that are not called like their packages.
_PACKAGES = {"yaml": "pyyaml", "zmq": "pyzmq"}


def detach_files(directory: Path, modules: Collection[Path]) -> list[str]:
    """Rewrite requirements and remove files that need a harness.

    Args:
        directory: the directory that is ejected.
        modules: the trial's modules in it, which need none already.

    Returns:
        Of each removed file, why it is left out.
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
        name = path.relative_to(directory.resolve())
        new = without_harness(str(path), text, instead) if is_requirement_file(str(path)) else text
        reason = "it requires the harness" if new is None else _reason(path, text)
        if reason is not None:
            path.unlink()
            left_out.append(f"{name} is left out: {reason}")
        elif new is not None and new != text:
            path.write_bytes(new.encode())
    return left_out


def _required(modules: Iterable[Path]) -> Iterator[str]:
    """What the modules need: TensorFlow, and what they import of what pedl2det brought."""
    imported = set()
    for path in modules:
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module.partition(".")[0])
    packages = {_PACKAGES.get(name, name) for name in imported}
    local, brought = needs(cluster=False), needs(cluster=True)
    for name in (*_ALWAYS, *sorted(packages & local.keys() - {*brought, *_ALWAYS, "python"})):
        yield written(name, local)


def _reason(path: Path, text: str) -> str | None:
    """Why a file needs the harness; None if it does not."""
    if is_shell_file(path.name) and path.suffix != NOTEBOOK:
        line = first_harness_line(path.name, text)
        return None if line is None else f"line {line} is a command of the harness"
    if path.suffix == ".py":
        return "it imports the harness" if _HARNESS.search(text) else None
    if path.suffix == NOTEBOOK:
        return _reason_of_notebook(path)
    return None


def _reason_of_notebook(path: Path) -> str | None:
    try:
        document = Document.of(path, path.read_bytes())
    except Unreadable:
        return None
    for cell in document.cells:
        if cell.is_code and _HARNESS.search(cell.source):
            return f"cell {cell.number} imports the harness"
        if cell.is_code and first_harness_line(path.name, cell.source) is not None:
            return f"cell {cell.number} is a command of the harness"
    return None
