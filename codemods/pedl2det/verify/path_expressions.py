"""Evaluate the expressions of a trial that name files relative to it."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

from pedl2det.analysis.source import Source

_DEEPEST = 20
_UPWARDS = re.compile(r"(?:.*/)?\.\.(?:/.*)?")
_UPWARDS_IN_TEXT = re.compile(r"(?<![\w./-])\.\.(?:/[^\s'\",\]}#]*)?")
_SAME = {
    *("abspath", "realpath", "normpath", "resolve", "absolute", "str", "fspath", "Path"),
    *("PurePath", "PosixPath", "expanduser", "as_posix"),
}
_JOIN = {"join", "joinpath"}
_HERE = {"getcwd", "cwd"}


def named_paths(source: Source, home: Path) -> Iterator[Path]:
    """Return the paths outside of a trial's directory that one of its files names.

    These are strings such as ``../data``, and expressions on ``__file__`` and on the working
    directory. A part that is known only at run time ends the path.

    Args:
        source: the file.
        home: the trial's directory, which is its working directory.
    """
    evaluation = _Evaluation(source, home)
    waiting: list[ast.AST] = [source.tree]
    while waiting:
        node = waiting.pop()
        path = evaluation.path(node) if isinstance(node, ast.expr) else None
        if path is None:
            waiting += ast.iter_child_nodes(node)
        elif not path.is_relative_to(home):
            yield path


def named_in_text(text: str, home: Path) -> Iterator[Path]:
    """Return the paths outside of a trial's directory that a text (a config) names."""
    for found in _UPWARDS_IN_TEXT.findall(text):
        path = _joined(home, found)
        if not path.is_relative_to(home):
            yield path


class _Evaluation:
    """The path expressions of one file."""

    def __init__(self, source: Source, home: Path) -> None:
        self._file = source.path
        self._home = home
        self._values: dict[str, ast.expr] = {}
        for node in source.names.of(ast.Assign):
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                target = node.targets[0]
                if isinstance(target, ast.Name):
                    self._values.setdefault(target.id, node.value)

    def path(self, node: ast.expr, depth: int = 0) -> Path | None:
        """The path that an expression means; None if it means none that is known."""
        if depth > _DEEPEST:
            return None
        match node:
            case ast.Constant(value=str(text)):
                return self._relative(text)
            case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
                return self._relative(text.rpartition("/")[0])
            case ast.Name(id="__file__"):
                return self._file
            case ast.Name(id=name) if name in self._values:
                return self.path(self._values[name], depth + 1)
            case ast.Attribute(attr="pardir"):
                return self._home.parent
            case ast.Attribute(value=value, attr="parent"):
                inner = self.path(value, depth + 1)
                return inner.parent if inner is not None else None
            case ast.Subscript(
                value=ast.Attribute(value=value, attr="parents"),
                slice=ast.Constant(value=int(index)),
            ):
                inner = self.path(value, depth + 1)
                return inner.parents[index] if inner and index < len(inner.parents) else None
            case ast.BinOp(left=left, op=ast.Div() | ast.Add(), right=right):
                inner = self.path(left, depth + 1)
                return self._with(inner, [right]) if inner is not None else None
            case ast.Call():
                return self._called(node, depth)
        return None

    def _called(self, node: ast.Call, depth: int) -> Path | None:
        """The path that a call of ``os.path`` or ``pathlib`` returns."""
        match node.func:
            case ast.Attribute(value=value, attr=name):
                owner: ast.expr | None = value
            case ast.Name(id=name):
                owner = None
            case _:
                return None
        if name in _HERE:
            return self._home
        arguments = list(node.args)
        inner = self.path(arguments[0], depth + 1) if arguments else None
        if name == "dirname" and inner is not None:
            return inner.parent
        if name in _JOIN | _SAME:
            if inner is not None:
                return self._with(inner, arguments[1:])
            inner = self.path(owner, depth + 1) if owner is not None else None
            return self._with(inner, arguments) if inner is not None else None
        return None

    def _with(self, path: Path, parts: list[ast.expr]) -> Path:
        """A path with further parts, up to the first that is not known."""
        for part in parts:
            match part:
                case ast.Constant(value=str(text)):
                    path = _joined(path, text)
                case ast.Attribute(attr="pardir"):
                    path = path.parent
                case _:
                    break
        return path

    def _relative(self, text: str) -> Path | None:
        """The path of a string that leads out of the working directory."""
        if len(text) > 1000 or "\n" in text or not _UPWARDS.fullmatch(text):
            return None
        return None if text.startswith("/") else _joined(self._home, text)


def _joined(path: Path, text: str) -> Path:
    return Path(os.path.normpath(path / text.lstrip("/")))
