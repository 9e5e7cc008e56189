"""Find the files that a trial needs: its directory, and what it imports or reads around it."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pedl2det.analysis.discovery import discover
from pedl2det.analysis.project import Project
from pedl2det.analysis.reader import Reader
from pedl2det.analysis.source import Source
from pedl2det.analysis.tree import PRUNED

#: A directory above the trial with more bytes or files than these is not copied as a whole.
BUDGET = 2 * 1024**3
MOST_FILES = 20_000
_LEFT_OUT = {*PRUNED, ".svn", ".mypy_cache", ".pytest_cache"}
_PATH = re.compile(r"[^\s'\"=:,;()\[\]{}]*/[^\s'\",;()\[\]{}]*")
_MODULE = re.compile(r"No module named '([\w.]+)'")
_LEVELS = 4  # above the trial, in which a missing module is looked for
_UPWARDS = re.compile(r"(?:[^/\n][^\n]*/)?\.\.(?:/[^\n]*)?")
_UPWARDS_IN_TEXT = re.compile(r"(?<![\w./-])\.\.(?:/[^\s'\",\]}#]*)?")
_DEEPEST = 20  # nested expressions
#: Functions and methods that return the path they get, or join it with further parts.
_SAME_OR_JOIN = {
    *("abspath", "realpath", "normpath", "resolve", "absolute", "str", "fspath", "Path"),
    *("PurePath", "PosixPath", "expanduser", "as_posix", "join", "joinpath"),
}


@dataclass(frozen=True)
class Extent:
    """The files that a trial needs."""

    home: Path  # the trial's directory
    root: Path  # the directory that holds all that it needs
    paths: tuple[Path, ...]  # what is copied: the root itself, or some paths in it


def extent_of(home: Path, more: Sequence[Path] = (), *, tight: bool = False) -> Extent:
    """Find the files that a trial needs.

    If they are in several directories, the nearest common parent is copied where that is small;
    otherwise only they are.

    Args:
        home: the trial's directory, resolved.
        more: other paths that it needs.
        tight: leave out what only lies around these, and what only a config names.
    """
    named = {home, *more, *_around(home, in_configs=not tight)}
    root = Path(os.path.commonpath(named))
    if root == home or (not tight and is_small(root)):
        return Extent(home, root, (root,))
    kept = {path for path in named if not home.is_relative_to(path) or path == home}
    kept |= {path for path in named if is_small(path)}
    return Extent(home, Path(os.path.commonpath(kept)), tuple(sorted(kept)))


def project_of(home: Path) -> Project | None:
    """Return the project of a trial's directory."""
    found = [project for project in discover([home]).projects if project.has_trial]
    return next((project for project in found if project.home == home), next(iter(found), None))


def is_left_out(path: Path) -> bool:
    """Tell whether a path is version control, a cache, an environment, or results of a run.

    A directory that has checkpoints and no metrics may be data.
    """
    is_results = (path / "checkpoints").is_dir() and (path / "metrics.jsonl").is_file()
    return path.name in _LEFT_OUT or (path / "pyvenv.cfg").is_file() or is_results


def is_small(directory: Path) -> bool:
    """Tell whether a directory can be copied as a whole: 2 GB and 20,000 files at most."""
    files, size = 0, 0
    for parent, names, here in os.walk(directory):
        names[:] = [name for name in names if not is_left_out(Path(parent, name))]
        files += len(here)
        size += sum(path.stat().st_size for name in here if (path := Path(parent, name)).exists())
        if files > MOST_FILES or size > BUDGET:
            return False
    return True


def missing_paths(message: str, root: Path, extent: Extent) -> list[Path]:
    """Return the originals of files that a copied trial did not find.

    Args:
        message: the error of the trial.
        root: the copied root.
        extent: what was copied.
    """
    home = root / extent.home.relative_to(extent.root)
    found = []
    for text in _PATH.findall(message):
        place = Path(os.path.normpath(home / text))
        if place.is_relative_to(root.parent) and not place.exists():
            found.append(extent.root.parent / place.relative_to(root.parent))
    for dotted in _MODULE.findall(message):
        name = dotted.partition(".")[0]
        for parent in list(extent.home.parents)[:_LEVELS]:
            found += [parent / f"{name}.py", parent / name]
    return [path for path in found if path.exists()]


def _around(home: Path, *, in_configs: bool) -> Iterator[Path]:
    """The existing paths outside of a trial's directory that its code and configs name.

    Of a path that does not exist, the nearest existing parent, unless that only leads to the trial.
    """
    reader = Reader()
    project = project_of(home)
    modules = set(project.modules.values()) if project is not None else set()
    modules |= {path for path in home.rglob("*.py") if "site-packages" not in path.parts}
    yield from (file for file in sorted(modules) if not file.is_relative_to(home))
    sources = [reader.source_or_none(file) for file in sorted(modules)]
    named = [path for source in sources if source for path in _named_paths(source, home)]
    configs = (*home.glob("*.y*ml"), *(project.configs if project is not None else ()))
    for config in configs if in_configs else ():
        text = config.read_text("utf-8", "replace")
        named += [_join(home, found) for found in _UPWARDS_IN_TEXT.findall(text)]
    for path in named:
        existing = path
        while not existing.exists():
            existing = existing.parent
        is_above = home.is_relative_to(existing) and existing != path
        if not (is_above or path.is_relative_to(home)):
            yield existing


def _named_paths(source: Source, home: Path) -> Iterator[Path]:
    """The paths that expressions of a file mean, with the trial's directory as the working one.

    These are strings such as ``../data``, and expressions on ``__file__`` and on the working
    directory. A part that is known only at run time ends the path.
    """
    values: dict[str, ast.expr] = {}
    for assignment in source.names.of(ast.Assign):
        match assignment:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                values.setdefault(name, value)
    evaluation = _Evaluation(source.path, home, values)
    waiting: list[ast.AST] = [source.tree]
    while waiting:
        node = waiting.pop()
        path = evaluation.path(node) if isinstance(node, ast.expr) else None
        if path is None:
            waiting += ast.iter_child_nodes(node)
        else:
            yield path


@dataclass(frozen=True)
class _Evaluation:
    """Evaluates path expressions of one file, whose variables have these values."""

    file: Path
    home: Path
    values: dict[str, ast.expr]

    def path(self, node: ast.AST | None, depth: int = 0) -> Path | None:
        """The path that an expression means; None if it means none that is known."""
        if depth > _DEEPEST:
            return None
        match node:
            case ast.Constant(value=str(text)):
                return self._upwards(text)
            case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
                return self._upwards(text.rpartition("/")[0])
            case ast.Name(id="__file__"):
                return self.file
            case ast.Name(id=name) if name in self.values:
                return self.path(self.values[name], depth + 1)
            case ast.Attribute(attr="pardir"):
                return self.home.parent
            case ast.Attribute(value=value, attr="parent"):
                return self._parent(value, 0, depth)
            case ast.Subscript(
                value=ast.Attribute(value=value, attr="parents"),
                slice=ast.Constant(value=int(index)),
            ):
                return self._parent(value, index, depth)
            case ast.BinOp(left=left, op=ast.Div() | ast.Add(), right=right):
                return self._joined(left, [right], depth)
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._called(name, None, args, depth)
            case ast.Call(func=ast.Attribute(value=owner, attr=name), args=args):
                return self._called(name, owner, args, depth)
        return None

    def _called(
        self, name: str, owner: ast.expr | None, args: list[ast.expr], depth: int
    ) -> Path | None:
        """The path that a function of ``os.path`` or a method of ``pathlib`` returns."""
        if name in ("getcwd", "cwd"):
            return self.home
        if name == "dirname" and args:
            return self._parent(args[0], 0, depth)
        if name not in _SAME_OR_JOIN:
            return None
        path = self._joined(args[0], args[1:], depth) if args else None
        return path or self._joined(owner, args, depth)

    def _parent(self, node: ast.expr, index: int, depth: int) -> Path | None:
        path = self.path(node, depth + 1)
        return path.parents[index] if path and index < len(path.parents) else None

    def _joined(self, first: ast.expr | None, parts: list[ast.expr], depth: int) -> Path | None:
        """A path with further parts, up to the first that is not known."""
        path = self.path(first, depth + 1)
        if path is None:
            return None
        for part in parts:
            match part:
                case ast.Constant(value=str(text)):
                    path = _join(path, text)
                case ast.Attribute(attr="pardir"):
                    path = path.parent
                case _:
                    break
        return path

    def _upwards(self, text: str) -> Path | None:
        """The path of a string that leads out of the working directory."""
        is_path = len(text) < 1000 and _UPWARDS.fullmatch(text)
        return _join(self.home, text) if is_path else None


def _join(path: Path, text: str) -> Path:
    return Path(os.path.normpath(path / text.lstrip("/")))
