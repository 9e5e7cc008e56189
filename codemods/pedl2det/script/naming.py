"""What a script's trial is called, and its module."""

from __future__ import annotations

import re

from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.findings import Unclear


def class_name(project: TrialProject, source: Source) -> str:
    """The name of the trial: ``train.py`` makes ``TrainTrial``.

    Raises:
        Unclear: an entrypoint cannot name the file, or the file has such a name already.
    """
    module = project.module_of(source)
    if not all(part.isidentifier() for part in module.split(".")):
        message = f"an entrypoint cannot name {source.path.name}: give it a name of Python's"
        raise Unclear(source.tree, message)
    words = re.split(r"_+", module.rpartition(".")[2])
    name = "".join(word[:1].upper() + word[1:] for word in words)
    name = name if name.endswith("Trial") else f"{name}Trial"
    for taken in (name, "TFKerasTrial", "TFKerasTrialContext"):
        if source.names.module_bindings(taken):
            raise Unclear(source.tree, f"the script uses the name {taken} already")
    return name
