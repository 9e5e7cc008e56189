"""Find the new names of an old trial's metrics."""

from __future__ import annotations

import ast
from pathlib import Path

from pedl2det.analysis.keras_metrics import metric_names
from pedl2det.analysis.metric_names import MetricNames
from pedl2det.analysis.project import read
from pedl2det.analysis.reader import Reader
from pedl2det.analysis.trial import Trial
from pedl2det.verify.extent import project_of


def new_metric_names(directory: Path, new_config: Path) -> MetricNames | None:
    """Return the new names of an old trial's metrics; None if they are the same.

    Args:
        directory: the old trial.
        new_config: the config of the migrated trial, which names its class.
    """
    project = project_of(directory)
    if project is None:
        return None
    reader = Reader()
    trial = read(project, reader).trial
    config = reader.config_or_none(new_config)
    entry = config.entry("entrypoint") if config is not None else None
    name = (entry.scalar or "").rpartition(":")[2] if entry is not None else ""
    return metric_names(trial, _class(trial, name))


def _class(trial: Trial, name: str) -> ast.ClassDef | None:
    """The trial's class of a name; else the one that ``__init__.py`` exposes, or the only one."""
    found = [one for one in trial.classes if one.name == name]
    init = trial.modules.by_name.get("__init__")
    if not found and init is not None:
        found = [one for one in trial.classes if init.names.module_bindings(one.name)]
    found = found or list(trial.classes)
    return found[0] if len(found) == 1 else None
