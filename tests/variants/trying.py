"""Migrate one variant and say what became of it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from variants.check import problems
from variants.generate import Variant
from variants.project import Project, code_paths, config_path, write_project
from variants.tool import Migration, Outcome

Migrate = Callable[[Path], Migration]


@dataclass(frozen=True)
class Trial:
    """A variant after its migration.

    Attributes:
        variant: the variant.
        directory: where it is, migrated in place.
        outcome: what became of it.
        output: what the tool said.
        faults: promises that the tool broke; each is an error of the tool.
    """

    variant: Variant
    directory: Path
    outcome: Outcome
    output: str
    faults: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        """Whether it is finished and every promise was kept."""
        return self.outcome is Outcome.FINISHED and not self.faults


def migrate_variant(variant: Variant, home: Path, migrate: Migrate) -> Trial:
    """Write a variant below a directory, migrate it, and check what was written.

    Args:
        variant: what to migrate.
        home: its directory is written here.
        migrate: one of the entry points in `variants.tool`.
    """
    directory = write_project(variant.files, variant.example, home / variant.name)
    first = migrate(directory)
    faults = list(problems(code_below(directory)))
    if first.outcome is Outcome.FINISHED:
        faults += remains(code_below(directory))
    if first.outcome is not Outcome.CRASHED:
        second = migrate(directory)
        if second.files or second.outcome is not first.outcome:
            faults.append(f"a second run changes {second.files} files: {second.output}")
    return Trial(variant, directory, first.outcome, first.output, tuple(faults))


def remains(project: Project) -> Iterator[str]:
    """Yield the parts of the old API in a project that should be finished."""
    for path in code_paths(project):
        for node in ast.walk(ast.parse(project[path])):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            if any(name.split(".")[0] == "pedl" for name in names):
                yield f"{path}: imports pedl, and nothing is said about it"
    config = yaml.safe_load(project[config_path(project)])
    if "max_steps" in config["searcher"]:
        yield "the config counts steps, and nothing is said about it"


def code_below(directory: Path) -> dict[str, str]:
    """Read the code and the config of a project."""
    paths = [path for path in directory.rglob("*") if path.suffix in (".py", ".yaml")]
    return {
        path.relative_to(directory).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(paths)
    }


def keep(trial: Trial, where: Path, problem: str = "") -> None:
    """Write what is needed to look at a failure: the variant, the result, what was said."""
    directory = where / trial.variant.name
    for name, files in (
        ("before", trial.variant.files),
        ("after", code_below(trial.directory)),
    ):
        for path, text in files.items():
            target = directory / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    lines = [
        f"example: {trial.variant.example}, seed: {trial.variant.seed}",
        f"applied: {' '.join(trial.variant.applied)}",
        f"outcome: {trial.outcome.value}",
        *trial.faults,
        problem,
        trial.output,
    ]
    text = "\n".join(line for line in lines if line) + "\n"
    (directory / "report.txt").write_text(text, encoding="utf-8")
