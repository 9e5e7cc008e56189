"""One trial's directory: its files, its legacy names, its trial class and its loaders.

Names are resolved within the directory, because the old harness put it on ``sys.path``: ``from data
import ...`` means the sibling.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path

from pedl2det.facts.calls import Calls
from pedl2det.facts.config import Config
from pedl2det.facts.links import link
from pedl2det.facts.occurrences import Occurrence, occurrences
from pedl2det.facts.source import Source
from pedl2det.findings import Finding

TRIAL_CLASSES = {
    "pedl.frameworks.keras.TFKerasTrial",
    "pedl.frameworks.keras.tf_keras_trial.TFKerasTrial",
    "pedl.frameworks.keras.KerasTrial",
    "pedl.frameworks.keras.KerasFunctionalTrial",
}
CONTEXT_TRIAL_CLASSES = {
    "determined.frameworks.keras.tf_keras_trial.TFKerasTrial",
    "determined.keras.TFKerasTrial",
}


class Generation(Enum):
    """Which API a trial was written for."""

    PEDL = "PEDL"
    SCRIPT = "a script"  #: that fits its own model, under PEDL
    EARLY = "Determined 0.12"  #: its config counts in steps, or it names what only 0.12 had
    CURRENT = "context-based"


#: Names of Determined 0.12 that no later release had.
_OF_0_12 = {"InMemorySequence", "KerasDataAdapter", "TFKerasContext"}

Function = tuple[Source, ast.FunctionDef]


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

    @property
    def is_notebook(self) -> bool:
        """Whether this is a notebook by itself, which nobody can import."""
        return bool(self.sources) and not any(one.is_module for one in self.sources.values())

    def add(self, name: str, source: Source) -> None:
        """Take a file in that defines no trial."""
        self.sources[name] = source
        link(self.sources)
        for known in ("calls", "occurrences", "skipped", "_every_occurrence"):
            self.__dict__.pop(known, None)

    @cached_property
    def occurrences(self) -> list[Occurrence]:
        """Every legacy name in the directory that the user does not want left."""
        return [found for found in self._every_occurrence if not found.is_skipped]

    @cached_property
    def skipped(self) -> list[Occurrence]:
        """The legacy names on lines that the user wants left."""
        return [found for found in self._every_occurrence if found.is_skipped]

    @cached_property
    def _every_occurrence(self) -> list[Occurrence]:
        return [found for source in self.sources.values() for found in occurrences(source)]

    @cached_property
    def calls(self) -> Calls:
        """Who uses what its modules define."""
        return Calls(self.sources)

    @cached_property
    def trials(self) -> list[tuple[Source, ast.ClassDef]]:
        """The old trial classes of the directory; without any, those of Determined.

        A class from which another one derives is not a trial by itself, unless it alone is what
        the package exposes.
        """
        for classes in (TRIAL_CLASSES, CONTEXT_TRIAL_CLASSES):
            lines = [
                line
                for source in self.sources.values()
                for node in source.tree.body
                if isinstance(node, ast.ClassDef) and (line := self._line(source, node, classes))
            ]
            bases = {id(node) for line in lines for _, node in line[1:]}
            leaves = [line for line in lines if id(line[0][1]) not in bases]
            exposed = [line[0] for line in lines if self._is_exposed(line[0][1])]
            if len(exposed) == 1 and all(exposed[0] in line for line in leaves):
                return exposed
            if leaves:
                return [line[0] for line in leaves]
        return []

    @cached_property
    def line(self) -> list[tuple[Source, ast.ClassDef]]:
        """The trial class and the classes of the directory that it derives from, itself first."""
        return self._line(*self.trial, TRIAL_CLASSES | CONTEXT_TRIAL_CLASSES)

    def _line(
        self, source: Source, node: ast.ClassDef, classes: set[str]
    ) -> list[tuple[Source, ast.ClassDef]]:
        """A class and those that it derives from, if that leads to one of some base classes."""
        line = [(source, node)]
        while True:
            if any(source.names.qualified(base) in classes for base in node.bases):
                return line
            parents = [self.calls.meaning(source, base) for base in node.bases]
            (*_, found) = [None, *(one for one in parents if isinstance(one, ast.ClassDef))]
            if found is None or any(found is one for _, one in line):
                return []
            source, node = self.calls.home[found], found
            line.append((source, node))

    def _is_exposed(self, node: ast.ClassDef) -> bool:
        """Whether the package, or the config's entrypoint, names a class as the trial."""
        entries = [
            config.entry(*path)
            for config in self.configs
            for path in (("entrypoint",), ("entrypoints", "trial_class"))
        ]
        named = [entry.scalar.partition(":") for entry in entries if entry and entry.scalar]
        return any(self.calls.resolve(module, name) is node for module, _, name in named) or (
            self.calls.resolve("__init__", node.name) is node
        )

    @property
    def is_in_steps(self) -> bool:
        """Whether one of its configs counts in steps."""
        return any(config.legacy_keys() for config in self.configs)

    @cached_property
    def generation(self) -> Generation:
        """The API that the trial was written for."""
        if self.script is not None:
            return Generation.SCRIPT
        source, _ = self.trial
        if self._line(*self.trial, TRIAL_CLASSES):
            return Generation.PEDL
        says_more = any(
            isinstance(child, ast.Attribute) and child.attr in ("configure_fit", "wrap_optimizer")
            for child in source.names.nodes
        )
        names = {found.name.rpartition(".")[2] for found in self.occurrences}
        is_early = self.is_in_steps or bool(names & _OF_0_12)
        return Generation.EARLY if is_early and not says_more else Generation.CURRENT

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
    def place(self) -> tuple[Path, int]:
        """The file and line of the trial class, or of the script."""
        if self.script is not None:
            return self.script.path, 1
        source, node = self.trial
        return source.path, node.lineno

    @property
    def trial(self) -> tuple[Source, ast.ClassDef]:
        """The only trial class."""
        return self.trials[0]

    @cached_property
    def loader(self) -> Function | None:
        """``make_data_loaders``, as the package exposes it or, alone, as a module defines it."""
        name = "make_data_loaders"
        exposed = self._exposed(name, "data_loaders_function")
        if exposed is not None:
            return exposed
        init = self.sources.get("__init__")
        if init is not None and init.names.module_bindings(name):
            return None
        defined = [
            (source, node)
            for source in self.sources.values()
            for node in source.tree.body
            if isinstance(node, ast.FunctionDef) and node.name == name
        ]
        return defined[0] if len(defined) == 1 else None

    @cached_property
    def downloader(self) -> Function | None:
        """``download_data``, if the old harness would have called one."""
        name = "download_data"
        if "__init__" in self.sources or self._entrypoints("download_data_function"):
            return self._exposed(name, "download_data_function")
        return self.resolve(self.module_of(self.trial[0]), name)

    @property
    def entries(self) -> list[Function]:
        """The functions that the old harness called with config and hyperparameters."""
        return [entry for entry in (self.loader, self.downloader) if entry is not None]

    def _exposed(self, name: str, key: str) -> Function | None:
        """A function that the configs' ``entrypoints`` name, or else the package exposes."""
        named = self._entrypoints(key)
        if named:
            module, _, name = named.pop().partition(":")
            return None if named else self.resolve(module, name)
        return self.resolve("__init__", name)

    def _entrypoints(self, key: str) -> set[str]:
        entries = [config.entry("entrypoints", key) for config in self.configs]
        return {entry.scalar for entry in entries if entry is not None and entry.scalar}

    def resolve(self, module: str, name: str) -> Function | None:
        """The function that ``name`` means in a module of this directory, through imports."""
        found = self.calls.resolve(module, name)
        return (self.calls.home[found], found) if isinstance(found, ast.FunctionDef) else None

    def module_of(self, source: Source) -> str:
        """The module name by which siblings import a file."""
        return next(name for name, other in self.sources.items() if other is source)


def trial_classes(source: Source, classes: set[str] = TRIAL_CLASSES) -> list[ast.ClassDef]:
    """The trial classes that a file defines, by the dotted names of their bases."""
    return [
        node
        for node in source.tree.body
        if isinstance(node, ast.ClassDef)
        and any(source.names.qualified(base) in classes for base in node.bases)
    ]
