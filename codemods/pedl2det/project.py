"""The scan: which directories hold an old trial, and what belongs together in each.

Names are resolved within a trial's directory, because the old harness put that directory on
``sys.path``: ``from data import ...`` means the sibling.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pedl2det.findings import Finding, Kind
from pedl2det.legacy import is_legacy, mentions_legacy
from pedl2det.source import Source, Unreadable
from pedl2det.yaml_edit import Config, NotAConfig

TRIAL_CLASSES = {
    "pedl.frameworks.keras.TFKerasTrial",
    "pedl.frameworks.keras.tf_keras_trial.TFKerasTrial",
}
SCAN = "scan"

_PRUNED = {".git", ".hg", ".venv", "venv", ".nox", ".tox", "node_modules", "__pycache__"}
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Occurrence:
    """One place where a legacy name stands.

    Attributes:
        source: the file.
        node: the import alias, or the longest dotted expression.
        name: what it means.
        ambiguous: whether it may also mean something else.
    """

    source: Source
    node: ast.expr | ast.alias
    name: str
    ambiguous: bool = False

    @property
    def is_import(self) -> bool:
        """Whether this is an import rather than a use."""
        return isinstance(self.node, ast.alias)

    @property
    def root(self) -> str:
        """The local name with which an expression begins."""
        node: ast.AST = self.node
        while isinstance(node, ast.Attribute):
            node = node.value
        return node.id if isinstance(node, ast.Name) else ""


@dataclass
class TrialProject:
    """One trial's directory.

    Attributes:
        directory: the directory.
        sources: its Python files by module name (``data``, ``nets.cnn``).
        configs: its experiment configs.
        findings: what was wrong when it was read.
    """

    directory: Path
    sources: dict[str, Source] = field(default_factory=dict)
    configs: list[Config] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @cached_property
    def occurrences(self) -> list[Occurrence]:
        """Every legacy name in the directory."""
        return [found for source in self.sources.values() for found in occurrences(source)]

    @cached_property
    def trials(self) -> list[tuple[Source, ast.ClassDef]]:
        """The old trial classes of the directory."""
        return [
            (source, node)
            for source in self.sources.values()
            for node in source.tree.body
            if isinstance(node, ast.ClassDef)
            and any(source.names.qualified(base) in TRIAL_CLASSES for base in node.bases)
        ]

    @property
    def trial(self) -> tuple[Source, ast.ClassDef]:
        """The only trial class."""
        return self.trials[0]

    @cached_property
    def loader(self) -> tuple[Source, ast.FunctionDef] | None:
        """``make_data_loaders``, as the package exposes it or, alone, as a module defines it."""
        exposed = self.resolve("__init__", "make_data_loaders")
        if exposed is not None:
            return exposed
        defined = [
            (source, node)
            for source in self.sources.values()
            for node in source.tree.body
            if isinstance(node, ast.FunctionDef) and node.name == "make_data_loaders"
        ]
        return defined[0] if len(defined) == 1 else None

    def resolve(self, module: str, name: str) -> tuple[Source, ast.FunctionDef] | None:
        """The function that ``name`` means in a module of this directory, through imports."""
        seen: set[tuple[str, str]] = set()
        while (module, name) not in seen and module in self.sources:
            seen.add((module, name))
            source = self.sources[module]
            for node in source.tree.body:
                if isinstance(node, ast.FunctionDef) and node.name == name:
                    return source, node
            dotted = _imported(source, name)
            if dotted is None:
                return None
            module, _, name = dotted.lstrip(".").rpartition(".")
        return None

    def module_of(self, source: Source) -> str:
        """The module name by which siblings import a file."""
        return next(name for name, other in self.sources.items() if other is source)


def _imported(source: Source, name: str) -> str | None:
    """What a name of the module's own scope was imported from."""
    meanings = {meaning for meaning in source.names.module_bindings(name) if meaning is not None}
    return meanings.pop() if len(meanings) == 1 else None


def occurrences(source: Source) -> Iterator[Occurrence]:
    """Every legacy name in a file: import aliases and the longest dotted expressions."""
    names = source.names
    for node in names.nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if is_legacy(alias.name):
                    yield Occurrence(source, alias, alias.name)
        elif isinstance(node, ast.ImportFrom) and not node.level and is_legacy(node.module or ""):
            for alias in node.names:
                yield Occurrence(source, alias, f"{node.module}.{alias.name}")
        elif isinstance(node, ast.Name | ast.Attribute):
            if isinstance(names.parents.get(node), ast.Attribute):
                continue  # a part of a longer expression
            legacy = {name for name in names.meanings(node) if name and is_legacy(name)}
            if legacy:
                yield Occurrence(
                    source, node, min(legacy), ambiguous=len(set(names.meanings(node))) > 1
                )


def find_projects(paths: list[Path]) -> list[TrialProject]:
    """The trials below some paths; most files are read and left after one question."""
    hits: dict[Path, list[Path]] = {}
    for path in paths:
        for file in python_files(path):
            if mentions_legacy(file.read_bytes()):
                hits.setdefault(file.parent.resolve(), []).append(file)
    roots = [root for root in hits if not any(root != up and up in root.parents for up in hits)]
    return [read_project(root) for root in sorted(roots)]


def python_files(path: Path) -> Iterator[Path]:
    """The Python files at or below a path, in order, without environments and caches."""
    if path.is_file():
        yield path
        return
    for directory, subdirectories, files in os.walk(path):
        subdirectories[:] = sorted(set(subdirectories) - _PRUNED)
        yield from (Path(directory, name) for name in sorted(files) if name.endswith(".py"))


def read_project(directory: Path) -> TrialProject:
    """Read everything that belongs to the trial in a directory."""
    project = TrialProject(directory)
    for file in python_files(directory):
        parts = file.relative_to(directory).with_suffix("").parts
        try:
            project.sources[".".join(parts)] = Source.read(file)
        except Unreadable as error:
            project.findings.append(Finding(Kind.BAD_INPUT, SCAN, file, error.line, str(error)))
    for file in sorted([*directory.glob("*.yaml"), *directory.glob("*.yml")]):
        try:
            config = Config.read(file)
        except NotAConfig as error:
            if file.stem == "const" or b"searcher" in file.read_bytes():
                project.findings.append(Finding(Kind.BAD_INPUT, SCAN, file, error.line, str(error)))
            continue
        if config.is_experiment:
            project.configs.append(config)
        elif file.stem == "const":
            said = "expected an experiment config, with hyperparameters and a searcher"
            project.findings.append(Finding(Kind.BAD_INPUT, SCAN, file, 1, said))
    project.findings += _contract(project)
    return project


def _contract(project: TrialProject) -> Iterator[Finding]:
    """What must hold of a directory for it to be one trial."""
    if any(finding.kind is Kind.BAD_INPUT for finding in project.findings):
        return
    if not project.occurrences:
        return
    if not project.trials:
        first = project.occurrences[0]
        yield Finding(
            Kind.BAD_INPUT,
            SCAN,
            first.source.path,
            first.node.lineno,
            f"{first.name}: no trial in this directory: expected a subclass of "
            "pedl.frameworks.keras.TFKerasTrial",
        )
    elif len(project.trials) > 1:
        source, node = project.trials[1]
        names = ", ".join(trial.name for _, trial in project.trials)
        yield Finding(
            Kind.BAD_INPUT,
            SCAN,
            source.path,
            node.lineno,
            f"more than one trial in this directory ({names}): give each its own directory",
        )
