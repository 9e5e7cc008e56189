"""Which API a trial is written for: what its config says, and what the files import that it uses.

A file that nothing imports (what was left of the old trial, a notebook's helper) decides nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pedl2det.analysis import old_keras
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.reader import Reader
from pedl2det.analysis.trial import Trial
from pedl2det_names import Age, is_legacy, mentions_legacy

_OBJECT = re.compile(r"(?<![\w.])([\w.]*):[\w.]+")


def is_old(path: Path, config: Any) -> bool:
    """Whether a trial is to be loaded with the old names in place.

    Args:
        path: its directory, or its one file.
        config: its ``ExperimentConfig``; None where it cannot be read.
    """
    if config is not None and (config.is_legacy or isinstance(config.entrypoint, dict)):
        return True  # a script is of PEDL: nobody has had them since
    home = path if path.is_dir() else path.parent
    return any(_imports_legacy(file) for file in _used(home, _begins(path, config)))


@dataclass(frozen=True)
class OldNames:
    """The old names that a trial uses.

    Attributes:
        age: the TensorFlow that it was written for.
        from_one: whether its layers are called ``dense_1``, ``dense_2`` and so on.
    """

    age: Age
    from_one: bool = False


def old_names_of(path: Path, config: Any) -> OldNames:
    """Return the old names that a trial uses.

    Args:
        path: its directory, or its one file.
        config: its ``ExperimentConfig``; None where it cannot be read.
    """
    is_before = is_old(path, config)
    home = path if path.is_dir() else path.parent
    files = [*_used(home, _begins(path, config))]
    if not is_before and not any(b"determined" in file.read_bytes() for file in files):
        return OldNames(Age.CURRENT)
    reader = Reader()
    sources = {_module(file, home): reader.source_or_none(file) for file in dict.fromkeys(files)}
    read = {name: source for name, source in sources.items() if source is not None}
    configs = [(home, config.raw)] if config is not None else []
    trial = Trial(home, Modules(read), configs, counts_in_steps=is_before)
    age = old_keras.age(trial)
    is_script = isinstance(getattr(config, "entrypoint", None), dict)
    if is_before and (is_script or age is Age.CURRENT):
        age = Age.TENSORFLOW_1
    return OldNames(age, age is Age.TENSORFLOW_1 and old_keras.has_standalone_layers(trial))


def _module(file: Path, home: Path) -> str:
    """The dotted name by which the other files of a trial import a file."""
    if not file.is_relative_to(home):
        return file.stem
    parts = file.relative_to(home).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def _begins(path: Path, config: Any) -> list[str]:
    """The modules that the config names; else the package, or the one file."""
    given = [config.entrypoint, *(config.entrypoints or {}).values()] if config else []
    if given and isinstance(given[0], dict):
        return [".".join(Path(str(given[0].get("script"))).with_suffix("").parts)]
    named = [module for text in given for module in _OBJECT.findall(str(text or ""))]
    return named or ["" if path.is_dir() else path.stem]


def _used(home: Path, modules: list[str]) -> Iterator[Path]:
    """The files of a trial that importing some modules imports, however far round."""
    seen: set[Path] = set()
    todo = [file for module in modules for file in _files(home, module)]
    while todo:
        file = todo.pop()
        if file in seen:
            continue
        seen.add(file)
        yield file
        for module, base in _imported(file, home):
            todo += _files(base, module)


def _files(base: Path, module: str) -> list[Path]:
    """The files that importing a module of a directory runs: its packages, and its own."""
    parts = module.split(".") if module else []
    places = [base.joinpath(*parts[:count]) for count in range(len(parts) + 1)]
    packages = [place / "__init__.py" for place in (places[1:] if parts else places)]
    own = [base.joinpath(*parts).with_suffix(".py")] if parts else []
    return [file for file in (*packages, *own) if file.is_file()]


def _imported(file: Path, home: Path) -> Iterator[tuple[str, Path]]:
    """The modules that a file imports, each with the directory that it is in."""
    for node in _nodes(file):
        if isinstance(node, ast.Import):
            yield from ((alias.name, home) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = file.parents[node.level - 1] if node.level else home
            module = node.module or ""
            yield module, base
            names = (alias.name for alias in node.names)
            yield from ((f"{module}.{name}".lstrip("."), base) for name in names)


def _imports_legacy(file: Path) -> bool:
    if not mentions_legacy(file.read_bytes()):
        return False
    return any(
        (isinstance(node, ast.Import) and any(is_legacy(alias.name) for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and not node.level and is_legacy(node.module or ""))
        for node in _nodes(file)
    )


def _nodes(file: Path) -> Iterator[ast.AST]:
    try:
        return ast.walk(ast.parse(file.read_bytes()))
    except (SyntaxError, ValueError):
        return iter(())  # importing it will say so
