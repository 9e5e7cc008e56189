"""Which API a trial is written for: what its config says, and what the files import that it uses.

A file that nothing imports (what was left of the old trial, a notebook's helper) decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pedl2det.analysis import membership, old_keras
from pedl2det.analysis.membership import uses_legacy
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.project import Reader
from pedl2det.analysis.trial import Trial
from pedl2det_names import Age

_OBJECT = re.compile(r"(?<![\w.])([\w.]*):[\w.]+")


@dataclass(frozen=True)
class OldNames:
    """The old names that a trial uses."""

    age: Age  # the TensorFlow that it was written for
    from_one: bool = False  # whether its layers are called ``dense_1``, ``dense_2`` and so on


def old_names_of(path: Path, config: Any) -> OldNames:
    """Return the old names that a trial uses.

    Args:
        path: its directory, or its one file.
        config: its ``ExperimentConfig``; None where it cannot be read.
    """
    home = path if path.is_dir() else path.parent
    reader = Reader()
    files = membership.reached(_begins(path, home, config), home, reader)
    sources = {name: reader.source_or_none(file) for name, file in files.items()}
    read = {name: source for name, source in sources.items() if source is not None}
    # A script is of PEDL: nobody has had them since.
    is_script = isinstance(getattr(config, "entrypoint", None), dict)
    is_in_steps = config is not None and config.is_legacy
    is_before = is_script or is_in_steps or any(map(uses_legacy, read.values()))
    if not is_before and not any("determined" in source.text for source in read.values()):
        return OldNames(Age.CURRENT)
    configs = [(home, config.raw)] if config is not None else []
    trial = Trial(home, Modules(read), configs, counts_in_steps=is_before)
    age = old_keras.age(trial)
    if is_before and (is_script or age is Age.CURRENT):
        age = Age.TENSORFLOW_1
    return OldNames(age, age is Age.TENSORFLOW_1 and old_keras.has_standalone_layers(trial))


def _begins(path: Path, home: Path, config: Any) -> Iterator[Path]:
    """The files of the modules that the config names; else of the package, or the one file."""
    named = [config.entrypoint, *(config.entrypoints or {}).values()] if config else []
    if named and isinstance(named[0], dict):
        yield home / str(named[0].get("script"))
        return
    modules = [module for text in named for module in _OBJECT.findall(str(text or ""))]
    if not modules:
        yield path if path != home else home / "__init__.py"
    for module in modules:
        parts = module.split(".")
        dotted = (".".join(parts[:end]) for end in range(1, len(parts) + 1))
        files = (membership.module(home, name) if name else home / "__init__.py" for name in dotted)
        yield from filter(None, files)
