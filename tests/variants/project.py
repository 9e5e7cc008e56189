"""A project: the text files of a trial, by their path relative to its directory."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

Project = Mapping[str, str]

LEGACY_EXAMPLES = Path(__file__).parents[2] / "legacy_examples"
#: Examples that are not the result of a migration.
EXAMPLES = tuple(
    sorted(
        path.parent.name
        for path in LEGACY_EXAMPLES.glob("*/const.yaml")
        if not path.parent.name.endswith("_migrated")
    )
)
#: Of these, the ones that use the context-based API: their variants are easily finished.
CONTEXT_BASED = ("cancer_tf_data", "digits_gan", "wine")
#: Scripts that no trial imports; transformations leave them alone.
LOOSE_SCRIPTS = ("make_data.py",)


def read_example(name: str) -> dict[str, str]:
    """Read the code and the config of an example."""
    directory = LEGACY_EXAMPLES / name
    files = sorted([*directory.glob("*.py"), *directory.glob("*.yaml")])
    return {path.name: path.read_text(encoding="utf-8") for path in files}


def write_project(project: Project, example: str, directory: Path) -> Path:
    """Write a project's files, and link the data of the example that it was made from."""
    shutil.rmtree(directory, ignore_errors=True)
    for name, text in project.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    data = LEGACY_EXAMPLES / example / "data"
    if data.is_dir():
        shutil.copytree(data, directory / "data")
    return directory


def with_file(project: Project, path: str, text: str) -> dict[str, str]:
    """Return the project with one file added or replaced."""
    return {**project, path: text}


def code_paths(project: Project) -> list[str]:
    """Return the paths of the Python files that belong to the trial."""
    return sorted(path for path in project if path.endswith(".py") and path not in LOOSE_SCRIPTS)


def module_paths(project: Project) -> list[str]:
    """Return the paths of the modules: the Python files without the package's `__init__.py`."""
    return [path for path in code_paths(project) if not path.endswith("__init__.py")]


def module_name(path: str) -> str:
    """Return the name by which siblings import a file."""
    return path.removesuffix(".py").replace("/", ".")


def config_path(project: Project) -> str:
    """Return the path of the experiment config."""
    (path,) = (path for path in project if path.endswith(".yaml"))
    return path


def hyperparameters(project: Project) -> dict[str, object]:
    """Return the hyperparameters in the experiment config."""
    values = yaml.safe_load(project[config_path(project)]).get("hyperparameters", {})
    return dict(values)


def tokens_of(project: Project) -> Iterator[str]:
    """Yield every word of every file; a new name must be none of them."""
    for text in project.values():
        word = ""
        for character in text:
            if character.isalnum() or character == "_":
                word += character
            elif word:
                yield word
                word = ""
        if word:
            yield word
