"""Which files define a trial, where its home is, and which files belong to it."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis.config import Config
from pedl2det.analysis.modules import added_paths
from pedl2det.analysis.project import SUPPORT, Project, Reader
from pedl2det.analysis.source import Source
from pedl2det.analysis.tree import bytes_or_none, files_below, is_present
from pedl2det.analysis.trial import TRIALS
from pedl2det_names.libraries import HEADS

#: Functions of the Native API that turn a script into a trial, and those that submit a trial.
INITS = (
    "determined.experimental.keras.init",
    "determined.keras.init",
    "determined.keras.experimental.init",
)
CREATES = ("determined.experimental.create", "determined.create")
#: Libraries that trials import. A folder above a trial may have the name of one.
_TOPS = HEADS | {"pedl", "determined", "determined_common", "tensorflow", "keras", "torch", "cv2"}
#: Functions that import a module by a string: by its dotted name, or by its path.
_BY_TEXT = ("import_module", "__import__")
_BY_PATH = {"SourceFileLoader", "iter_modules", "load_source", "run_path"}
_BY_PATH |= {"spec_from_file_location"}
#: What an import may name before a module, as in ``import numpy as np, data``.
OTHERS = r"(?:[\w.]+(?:\s+as\s+\w+)?\s*,\s*)*"
#: Functions of a module that the old harness called, or that a file beside the trial may call.
_HARNESS = re.compile(rb"\b(?:make_data_loaders|download_data)\b")
_DEFINES_LOADER = re.compile(rb"^def (?:make_data_loaders|download_data)\b", re.M)


def trial_classes(source: Source) -> list[ast.ClassDef]:
    """The classes that derive directly from a trial class of PEDL or Determined."""
    return [
        node
        for node in source.names.of(ast.ClassDef)
        if any(source.names.qualified(base) in TRIALS for base in node.bases)
    ]


def uses_legacy(source: Source) -> bool:
    """Whether a file uses an old harness, through its imports."""
    read = (source.names.qualified(node) or "" for node in source.names.of(ast.Attribute))
    return any(map(names.is_legacy, (*source.names.imported(), *read)))


def calls_of(source: Source, functions: Collection[str]) -> Iterator[ast.Call]:
    """The calls of some functions, by their dotted names."""
    for call in source.names.of(ast.Call):
        if source.names.qualified(call.func) in functions:
            yield call


def homes_of_trials(
    candidates: Sequence[Path], python: Sequence[Path], configs: Iterable[Path], reader: Reader
) -> dict[Path, Path]:
    """The candidates that define a trial or lead to one, each with the directory of its trial."""
    configs = list(configs)
    packages = {  # that a config names, beside it or beside its directory
        base / top
        for path in configs
        for base in (path.parent, path.parent.parent)
        if (config := reader.config_or_none(path)) is not None
        if (top := re.split("[.:]", config.trial)[0])
    }
    folders = {path.parent for path in configs}
    trials: dict[Path, Path] = {}
    for file in candidates:
        source = reader.source_or_none(file)
        classes = [node.name for node in trial_classes(source)] if source is not None else []
        if classes:
            trials |= _with_subclasses(file, classes, folders, python) or {
                file: _home(file, folders, packages, reader)
            }
    known = {*trials.values()} | homes_of_scripts(configs, reader)
    for file in candidates:  # such as one that imports the class for a module beside it
        home, source = _home(file, folders, packages, reader), reader.source_or_none(file)
        if home in folders - known and source is not None and _names_trial(source):
            trials[file] = home
    return trials


def homes_of_scripts(configs: Iterable[Path], reader: Reader) -> set[Path]:
    """The directories of scripts that configs name, from their directory or the one above."""
    homes = set()
    for file in configs:
        config = reader.config_or_none(file)
        script = config.named.get("script") if config is not None else None
        bases = (file.parent, file.parent.parent)
        homes |= {*[base for base in bases if script and is_present(base / script)][:1]}
    return homes


def _home(file: Path, configs: set[Path], packages: set[Path], reader: Reader) -> Path:
    """The directory of the trial that a file defines: of its config, or the outermost package."""
    above = next((folder for folder in file.parents if folder in configs | packages), file.parent)
    if above in packages - configs:
        return above.parent
    if above != file.parent and file in reached([above / "__init__.py"], above, reader).values():
        return above
    directory = file.parent
    while directory not in configs and (directory.parent / "__init__.py").exists():
        directory = directory.parent
    return directory


def _with_subclasses(
    file: Path, classes: Sequence[str], configs: set[Path], python: Sequence[Path]
) -> dict[Path, Path]:
    """A file of base classes, and the files of subclasses, if a folder above has the config."""
    above = next((folder for folder in file.parents if folder in configs), file.parent)
    if above == file.parent:
        return {}
    derives = rf"^class\s+\w+\s*\([^)]*\b(?:{'|'.join(classes)})\b".encode()
    others = [other for other in python if other != file and other.is_relative_to(above)]
    subclasses = [other for other in others if re.search(derives, other.read_bytes(), re.M)]
    return dict.fromkeys((file, *subclasses), above) if subclasses else {}


def _names_trial(source: Source) -> bool:
    """Whether code of a file has the name of a trial class of PEDL or Determined."""
    nodes = source.names.of(ast.alias, ast.Name, ast.Attribute)
    words = {getattr(node, field, "") for node in nodes for field in ("name", "id", "attr")}
    return not words.isdisjoint(dotted.rpartition(".")[2] for dotted in TRIALS)


def members(
    home: Path,
    trials: Sequence[Path],
    old: Sequence[Path],
    configs: Sequence[Config],
    reader: Reader,
    others: Sequence[Path],
    top: Path,
) -> Project:
    """Find the modules of the trial in a directory.

    ``trials`` are the files that define the trial, and ``old`` those that may use an old API.
    ``others`` are directories in it that hold trials of their own. Imports start from the directory
    of a file, or from one above it up to ``top``.
    """
    walk = _Walk(home, [folder for folder in home.parents if folder.is_relative_to(top)], reader)
    init = home / "__init__.py"
    walk.follow([*trials, *walk.named(configs), *([init] if is_present(init) else [])])

    def beside(*folders: Path) -> list[Path]:
        """The other Python files in some folders and in the directories of the files so far."""
        directories = {file.parent for file in walk.files if file.is_relative_to(home)}
        return [
            file
            for directory in sorted(directories.union(folders))
            for file in sorted(directory.glob("*.py"))
            if file not in walk.files
            and not any(file.is_relative_to(other) for other in others)
            and file.name != SUPPORT
            and file.is_file()
        ]

    for file in beside():
        data = bytes_or_none(file)
        if data is None or _DEFINES_LOADER.search(data):  # an unreadable file may do so
            walk.follow([file])
    needed = frozenset(walk.files)
    walk.follow(old)
    below = [file.parent for file in files_below([home])]  # such as tests
    while new := [file for file in beside(*below) if _uses(file, walk.files, home)]:
        walk.follow(new)
    is_home = home in walk.bases or not walk.bases
    root = home if is_home else max(walk.bases, key=lambda path: len(path.parts))
    return Project(home, root, walk.modules(root), needed)


def reached(files: Sequence[Path], home: Path, reader: Reader) -> dict[str, Path]:
    """Return some files and all that they import from a directory, or from beside them, by name."""
    walk = _Walk(home, (), reader, added=[file.parent for file in files])
    walk.follow(files)
    return walk.modules(home)


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
        waiting = [*files]
        while waiting:
            file = waiting.pop()
            if file in self.files or file.name == SUPPORT:
                continue
            self.files.add(file)
            source = self.reader.source_or_none(file)
            if source is None:
                continue
            folders = (file.parent, self.home)
            self.added += [top / path for path in added_paths(source) for top in folders]
            for base, files_by_name, is_relative in self._imports(source):
                is_below = base != self.home and base.is_relative_to(self.home)
                if not is_below and not (is_relative and base == self.home):
                    self.bases.add(base)
                for name, imported in files_by_name.items():
                    waiting.append(imported)
                    if not imported.is_relative_to(self.home):
                        self.outside.setdefault(imported, name)

    def named(self, configs: Sequence[Config]) -> Iterator[Path]:
        """The files that the configs name as entrypoints; also note where their imports start."""
        for kind, entry in (pair for config in configs for pair in config.named.items()):
            if kind == "script" and is_present(self.home / entry):
                self.added.append((self.home / entry).parent)
                yield self.home / entry
                continue
            name = entry.partition(":")[0]
            bases = (self.home, *self.above) if re.fullmatch(r"\w+(\.\w+)*", name) else ()
            for base in bases:
                file = module(base, name)
                if file is not None:
                    self.bases.add(base)
                    yield file
                    break

    def modules(self, root: Path) -> dict[str, Path]:
        """The files by name; a package goes by its own name."""
        modules: dict[str, Path] = {}
        for file in sorted(self.files):
            if file.is_relative_to(root) and (root == self.home or file.is_relative_to(self.home)):
                parts = file.relative_to(root).with_suffix("").parts
                is_package = parts[-1] == "__init__" and len(parts) > 1
                modules[".".join(parts[:-1] if is_package else parts)] = file
        for file, name in sorted(self.outside.items()):
            modules.setdefault(name, file)
        return dict(sorted(modules.items()))

    def _imports(self, source: Source) -> Iterator[tuple[Path, dict[str, Path], bool]]:
        """The imports of a file: the base directory, the files by name, and if it is relative."""
        for call in source.names.of(ast.Call):
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            if call.args and name in (*_BY_TEXT, *_BY_PATH):
                yield self.home, self._named_by(call, name in _BY_PATH), False
        for node in source.names.of(ast.Import, ast.ImportFrom):
            if isinstance(node, ast.Import):
                groups = [[alias.name] for alias in node.names]
            else:  # `from a import b` may import `a.b`
                module_name = node.module or ""
                names = [f"{module_name}.{alias.name}".lstrip(".") for alias in node.names]
                groups = [[*([module_name] if module_name else []), *names]]
            level = node.level if isinstance(node, ast.ImportFrom) else 0
            for names in groups:
                bases = [self.home, *self.added, *self.above]
                if level:
                    bases = [*source.path.parents[level - 1 : level]]
                elif names[0].partition(".")[0] in _TOPS:
                    bases = [self.home]
                files_by_base = ((base, _files(base, names)) for base in bases)
                yield from [(base, files, level > 0) for base, files in files_by_base if files][:1]

    def _named_by(self, call: ast.Call, is_path: bool) -> dict[str, Path]:
        """Modules that a call may import: in a folder or with a prefix that it names, or all."""
        texts = [node.value for node in ast.walk(call) if isinstance(node, ast.Constant)]
        tops = (str(text).partition(".")[0] for text in texts)  # may be libraries
        begins = tuple(name for name in tops if name.isidentifier())
        found = [path.relative_to(self.home) for path in files_below([self.home])]
        code = [path.with_suffix("").parts for path in found if path.suffix == ".py"]
        of_text = () if is_path else begins
        named = [path for path in code if {*begins} & {*path[:-1]} or path[-1].startswith(of_text)]
        chosen = named if begins and (named or not is_path) else code
        return _files(self.home, [".".join(parts) for parts in chosen])


def _files(base: Path, dotted: Sequence[str]) -> dict[str, Path]:
    """The modules that exist below a directory, with the packages around them."""
    files: dict[str, Path] = {}
    for name in dotted:
        parts = name.split(".") if module(base, name) is not None else ()
        for prefix in (".".join(parts[:end]) for end in range(1, len(parts) + 1)):
            if (file := module(base, prefix)) is not None:
                files[prefix] = file
    return files


def module(base: Path, dotted: str) -> Path | None:
    """Return the file of a module whose name starts from a directory."""
    path = base.joinpath(*dotted.split("."))
    files = (path.with_name(f"{path.name}.py"), path / "__init__.py")
    return next((file for file in files if is_present(file)), None)


def _uses(file: Path, files: set[Path], home: Path) -> bool:
    """Whether a file imports a module of the trial, or calls a function of the old harness."""
    data = bytes_or_none(file) or b""
    near = [path for path in files if path.parent in (file.parent, home)]
    modules = {path.stem for path in near if path.stem != "__init__"}
    inner = (path.relative_to(home).parts for path in files if path.is_relative_to(home))
    modules |= {parts[0] for parts in inner if len(parts) > 1}
    words = "|".join(re.escape(name) for name in sorted(modules))
    imports = rf"^\s*(?:import|from)\s+{OTHERS}\.?(?:{words})\b".encode()
    is_used = bool(modules) and re.search(imports, data, re.M) is not None
    return is_used or _HARNESS.search(data) is not None
