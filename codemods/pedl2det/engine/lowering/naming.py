"""The name of a script's trial."""

from __future__ import annotations

import re

from pedl2det.analysis.source import Source


def class_name(source: Source, module: str) -> str:
    """The name of the trial's class: ``train.py`` makes ``TrainTrial``."""
    words = re.split(r"[^0-9A-Za-z]+", module.rpartition(".")[2])
    name = "".join(word[:1].upper() + word[1:] for word in words)
    name = name if name.endswith("Trial") else f"{name}Trial"
    if not name[:1].isalpha():
        name = f"Script{name}"
    while source.names.module_bindings(name):
        name = f"Script{name}"
    return name
