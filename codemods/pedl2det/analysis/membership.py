"""Which Python files belong to a trial, and from which directories they import each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pedl2det.analysis.config import Config
from pedl2det.analysis.file_bytes import bytes_or_none, is_present
from pedl2det.analysis.ignoring import Ignored
from pedl2det.analysis.imported import added_paths, find, imports
from pedl2det.analysis.project_files import SUPPORT
from pedl2det.analysis.reader import Reader

#: Functions of a module that the old harness called, or that a file beside the trial may call.
_HARNESS = re.compile(rb"\b(?:make_data_loaders|download_data)\b")


@dataclass(frozen=True)
class Members:
    """The Python files of a project.

    Attributes:
        root: the directory from which the modules in the trial's directory import each other.
        modules: the files by the names under which they are imported.
        needed: the files that the trial imports, itself included.
    """

    root: Path
    modules: Mapping[str, Path]
    needed: frozenset[Path]


@dataclass
class _Walk:
    """Files reached through imports, and the directories that these imports start from."""

    home: Path
    above: Sequence[Path]
    reader: Reader
    files: set[Path] = field(default_factory=set)
    added: list[Path] = field(default_factory=list)  #: to ``sys.path``
    outside: dict[Path, str] = field(default_factory=dict)
    bases: set[Path] = field(default_factory=set)

    def follow(self, files: Iterable[Path]) -> None:
        """Take in some files and all that they import."""
        waiting = [one for one in files if one not in self.files]
        while waiting:
            file = waiting.pop()
            if file in self.files or file.name == SUPPORT:
                continue
            self.files.add(file)
            source = self.reader.source_or_none(file)
            if source is None:
                continue
            around = (file.parent, self.home)
            self.added += [top / one for one in added_paths(source) for top in around]
            for one in imports(source, self.home, [*self.added, *self.above]):
                is_below = one.base != self.home and one.base.is_relative_to(self.home)
                if not is_below and not (one.relative and one.base == self.home):
                    self.bases.add(one.base)
                for name, found in one.files:
                    waiting.append(found)
                    if not found.is_relative_to(self.home):
                        self.outside.setdefault(found, self._name(name, one.base, one.relative))

    def _name(self, name: str, base: Path, relative: bool) -> str:
        """The dotted name of a file outside of the trial's directory."""
        if not relative:
            return name
        top = self.above[-1] if self.above else base
        parts = base.relative_to(top).parts if base.is_relative_to(top) else ()
        return ".".join([*parts, name])


def members(
    home: Path,
    trials: Sequence[Path],
    old: Sequence[Path],
    configs: Sequence[Config],
    others: set[Path],
    top: Path,
    reader: Reader,
) -> Members:
    """Find the modules of the trial in a directory.

    Args:
        home: the directory.
        trials: the files in it that define a trial.
        old: the files in it that may use an old API.
        configs: the experiment configs of the trial.
        others: directories in it that hold trials of their own.
        top: the highest directory from which imports may start.
        reader: reads the files.
    """
    ignored = Ignored.of(home)
    above = [one for one in home.parents if one.is_relative_to(top)]
    walk = _Walk(home, above, reader)
    named, bases = _named(configs, home, above)
    walk.bases |= bases
    init = home / "__init__.py"
    walk.follow([*trials, *named, *([init] if is_present(init) else [])])
    loaders = [one for one in _beside(walk.files, home, others, ignored) if _defines_loader(one)]
    walk.follow(loaders)
    needed = frozenset(walk.files)
    walk.follow(one for one in old if one not in ignored)
    while True:
        new = [
            one
            for one in _beside(walk.files, home, others, ignored)
            if one not in walk.files and _uses(one, walk.files, home)
        ]
        if not new:
            break
        walk.follow(new)
    root = home if home in walk.bases or not walk.bases else max(walk.bases, key=_depth)
    return Members(root, _modules(walk, root), needed)


def reached(file: Path, reader: Reader) -> dict[str, Path]:
    """Return a file and all that it imports from its directory, by name."""
    walk = _Walk(file.parent, (), reader)
    walk.follow([file])
    return _modules(walk, file.parent)


def _depth(path: Path) -> int:
    return len(path.parts)


def _named(
    configs: Sequence[Config], home: Path, above: Sequence[Path]
) -> tuple[list[Path], set[Path]]:
    """The files that the configs name as entrypoints, and where their names start from."""
    files, bases = [], set()
    for config in configs:
        for kind, named in config.named.items():
            if kind == "script" and is_present(home / named):
                files.append(home / named)
                continue
            name = named.partition(":")[0]
            found = find(name, (home, *above)) if re.fullmatch(r"\w+(\.\w+)*", name) else None
            if found is not None:
                files.append(found[1])
                bases.add(found[0])
    return files, bases


def _beside(files: set[Path], home: Path, others: set[Path], ignored: Ignored) -> list[Path]:
    """The Python files in the directories of some files, below a trial's directory."""
    directories = {one.parent for one in files if one.is_relative_to(home)}
    return [
        file
        for directory in sorted(directories)
        for file in sorted(directory.glob("*.py"))
        if not any(file.is_relative_to(one) for one in others)
        and file not in ignored
        and file.name != SUPPORT
        and file.is_file()
    ]


def _defines_loader(file: Path) -> bool:
    """Whether a file defines data loaders; one that cannot be read may do so."""
    data = bytes_or_none(file)
    pattern = rb"^def (?:make_data_loaders|download_data)\b"
    return data is None or re.search(pattern, data, re.M) is not None


def _uses(file: Path, files: set[Path], home: Path) -> bool:
    """Whether a file imports a module of the trial, or calls a function of the old harness."""
    data = bytes_or_none(file) or b""
    if _HARNESS.search(data):
        return True
    modules = {one.stem for one in files if one.parent == file.parent and one.stem != "__init__"}
    modules |= {
        one.relative_to(home).parts[0]
        for one in files
        if one.is_relative_to(home) and len(one.relative_to(home).parts) > 1
    }
    words = "|".join(re.escape(one) for one in sorted(modules))
    pattern = rf"^\s*(?:import|from)\s+\.?(?:{words})\b".encode()
    return bool(modules) and re.search(pattern, data, re.M) is not None


def _modules(walk: _Walk, root: Path) -> dict[str, Path]:
    """The files by name; a package goes by its own name."""
    found: dict[str, Path] = {}
    for file in sorted(walk.files):
        if file.is_relative_to(root) and (root == walk.home or file.is_relative_to(walk.home)):
            found[dotted(file, root)] = file
    for file, name in sorted(walk.outside.items()):
        found.setdefault(name, file)
    return dict(sorted(found.items()))


def dotted(file: Path, root: Path) -> str:
    """Return the name by which a file is imported from a directory."""
    parts = file.relative_to(root).with_suffix("").parts
    if parts[-1] == "__init__" and len(parts) > 1:
        parts = parts[:-1]
    return ".".join(parts)
