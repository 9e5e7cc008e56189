"""One trial's directory: its files, its legacy names, its trial class and its loaders.

Names are resolved within the directory, because the old harness put it on ``sys.path``: ``from data
import ...`` means the sibling.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pedl2det.findings import Finding
from pedl2det.legacy import is_legacy
from pedl2det.source import Source
from pedl2det.yaml_edit import Config

TRIAL_CLASSES = {
    "pedl.frameworks.keras.TFKerasTrial",
    "pedl.frameworks.keras.tf_keras_trial.TFKerasTrial",
}


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
    def call(self) -> ast.Call | None:
        """The call of which this is the function, if it is called."""
        parent = self.source.names.parents.get(self.node)
        return parent if isinstance(parent, ast.Call) and parent.func is self.node else None

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
            (source, node) for source in self.sources.values() for node in trial_classes(source)
        ]

    @cached_property
    def script_names(self) -> list[str]:
        """The scripts that the configs name as their entrypoint."""
        entries = [config.entry("entrypoint", "script") for config in self.configs]
        return sorted({entry.scalar for entry in entries if entry and entry.scalar})

    @cached_property
    def script(self) -> Source | None:
        """The file of the only script, if the directory is that of a script."""
        if self.trials or len(self.script_names) != 1:
            return None
        path = (self.directory / self.script_names[0]).resolve()
        found = [one for one in self.sources.values() if one.path.resolve() == path]
        return found[0] if found else None

    @property
    def trial(self) -> tuple[Source, ast.ClassDef]:
        """The only trial class."""
        return self.trials[0]

    @cached_property
    def loader(self) -> tuple[Source, ast.FunctionDef] | None:
        """``make_data_loaders``, as the package exposes it or, alone, as a module defines it."""
        name = "make_data_loaders"
        init = self.sources.get("__init__")
        if init is not None and init.names.module_bindings(name):
            return self.resolve("__init__", name)
        defined = [
            (source, node)
            for source in self.sources.values()
            for node in source.tree.body
            if isinstance(node, ast.FunctionDef) and node.name == name
        ]
        return defined[0] if len(defined) == 1 else None

    def resolve(self, module: str, name: str) -> tuple[Source, ast.FunctionDef] | None:
        """The function that ``name`` means in a module of this directory, through imports."""
        seen: set[tuple[str, str]] = set()
        while (module, name) not in seen and module in self.sources:
            seen.add((module, name))
            source = self.sources[module]
            bindings = source.names.module_bindings(name)
            if len(bindings) != 1:
                return None
            for node in source.tree.body:
                if isinstance(node, ast.FunctionDef) and node.name == name:
                    return source, node
            dotted = bindings[0]
            if dotted is None:
                return None
            module, _, name = dotted.lstrip(".").rpartition(".")
        return None

    def module_of(self, source: Source) -> str:
        """The module name by which siblings import a file."""
        return next(name for name, other in self.sources.items() if other is source)


def trial_classes(source: Source) -> list[ast.ClassDef]:
    """The old trial classes that a file defines."""
    return [
        node
        for node in source.tree.body
        if isinstance(node, ast.ClassDef)
        and any(source.names.qualified(base) in TRIAL_CLASSES for base in node.bases)
    ]


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
