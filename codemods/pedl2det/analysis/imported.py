"""Which files a Python file imports, and from which directory."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pedl2det.analysis.file_bytes import is_present
from pedl2det.analysis.source import Source

#: Libraries of trials. A folder above a trial may have the name of one of them.
_LIBRARIES = frozenset(
    {
        *("pedl", "determined", "determined_common", "tensorflow", "keras", "numpy", "pandas"),
        *("torch", "sklearn", "scipy", "matplotlib", "PIL", "cv2", "yaml"),
    }
)


@dataclass(frozen=True)
class Imported:
    """What one import statement brings in from the files of a project.

    Attributes:
        base: the directory that the module's name starts from.
        files: the file of each module by its dotted name.
        relative: whether the import has leading dots.
    """

    base: Path
    files: tuple[tuple[str, Path], ...]
    relative: bool = False


def added_paths(source: Source) -> Iterator[str]:
    """The folders that a file adds to ``sys.path``, as far as it writes their names.

    Such as ``src`` of ``sys.path.append(os.path.join(os.path.dirname(__file__), "src"))``.
    """
    for call in source.names.of(ast.Call):
        if changes_path(source, call.func):
            texts = (
                one.value
                for one in ast.walk(call)
                if isinstance(one, ast.Constant) and isinstance(one.value, str)
            )
            parts = [part for text in texts for part in PurePosixPath(text).parts if part != "."]
            if parts and not {"..", "/"}.intersection(parts):
                yield "/".join(parts)


def imports(source: Source, home: Path, above: Sequence[Path]) -> Iterator[Imported]:
    """Return what a file imports from the directories of a project.

    Args:
        source: the file.
        home: the directory of the trial.
        above: other directories from which imports may start, in their order.
    """
    for node in source.names.of(ast.Import, ast.ImportFrom):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found = _absolute([alias.name], home, above)
                if found is not None:
                    yield found
        elif isinstance(node, ast.ImportFrom) and node.level:
            parents = source.path.parents
            if node.level <= len(parents):
                base = parents[node.level - 1]
                files = _files(base, _dotted(node))
                if files:
                    yield Imported(base, files, relative=True)
        elif isinstance(node, ast.ImportFrom):
            found = _absolute(_dotted(node), home, above)
            if found is not None:
                yield found


def _dotted(node: ast.ImportFrom) -> list[str]:
    """The names that may be modules: ``from a import b`` may import ``a.b``."""
    module = node.module or ""
    names = [f"{module}.{alias.name}".lstrip(".") for alias in node.names if alias.name != "*"]
    return [*([module] if module else []), *names]


def _absolute(dotted: Sequence[str], home: Path, above: Sequence[Path]) -> Imported | None:
    is_library = dotted[0].partition(".")[0] in _LIBRARIES
    for base in (home, *(() if is_library else above)):
        files = _files(base, dotted)
        if files:
            return Imported(base, files)
    return None


def _files(base: Path, dotted: Sequence[str]) -> tuple[tuple[str, Path], ...]:
    """The modules that exist below a directory, with the packages around them."""
    found: dict[str, Path] = {}
    for name in dotted:
        if module(base, name) is None:
            continue
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            file = module(base, ".".join(parts[:end]))
            if file is not None:
                found[".".join(parts[:end])] = file
    return tuple(found.items())


def find(dotted: str, bases: Iterable[Path]) -> tuple[Path, Path] | None:
    """The first directory from which a module can be imported, and the module's file."""
    found = ((base, module(base, dotted)) for base in bases)
    return next(((base, file) for base, file in found if file is not None), None)


def module(base: Path, dotted: str) -> Path | None:
    """Return the file of a module whose name starts from a directory."""
    path = base.joinpath(*dotted.split("."))
    for file in (path.with_name(f"{path.name}.py"), path / "__init__.py"):
        if _is_file(file):
            return file
    return None


@functools.lru_cache(maxsize=100_000)
def _is_file(path: Path) -> bool:
    return is_present(path)


def forget() -> None:
    """Forget which files there are; a new run may find others."""
    _is_file.cache_clear()


_OWN_DIRECTORY = re.compile(
    r"(os\.path\.\w+\()*os\.path\.dirname\((os\.path\.\w+\()*__file__\)+"
    r"|str\((pathlib\.)?Path\(__file__\)(\.\w+\(\))*\.parent\)|'\.'|''"
)


def adds_own_directory(node: ast.AST) -> bool:
    """Whether a statement adds the directory of its file to ``sys.path``, where it is anyway."""
    match node:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=path, attr="insert" | "append"), args=[*_, directory]
            )
        ):
            text = ast.unparse(directory)
            is_path = ast.unparse(path) == "sys.path" and text.count("dirname(") < 2
            return is_path and _OWN_DIRECTORY.fullmatch(text) is not None
    return False


def changes_path(source: Source, node: ast.AST) -> bool:
    """Whether code names ``sys.path``, and does not only add the file's own directory."""
    named = any(source.names.qualified(one) == "sys.path" for one in source.names.below(node))
    return named and not adds_own_directory(node)
