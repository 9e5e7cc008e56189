"""Experiment configs: their settings, the differences between two, and configs in scripts."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from pedl2det.analysis.discovery import discover
from pedl2det.analysis.metric_names import MetricNames, is_renamed
from pedl2det.analysis.project import Reader, read
from pedl2det.analysis.text_rules import GONE_SEARCHERS
from pedl2det.errors import Pedl2DetError
from pedl2det.scripts import lower

#: Prefix of directories whose config was in the code of a script.
IN_CODE = "pedl2det-config-"


@dataclass(frozen=True)
class Settings:
    """What a config asks for; lengths and periods are in batches."""

    length: int
    validation_period: int  # 0 if there is a validation only at the end
    values: dict[str, str]  # everything but the length, as text, by its key in the config
    #: By dotted path: sampled values; the `Choices` of searched hyperparameters.
    hparams: dict[str, Any] = field(default_factory=dict, compare=False)
    choices: Mapping[str, Any] = field(default_factory=dict, compare=False)


def settings_of(config: Path, overrides: tuple[str, ...] = ()) -> Settings | None:
    """Read a config; return None if it is invalid, which the run reports."""
    from pedl2det_runtime import errors
    from pedl2det_runtime.config.hparams import choices, sample_hparams
    from pedl2det_runtime.config.reader import read_config

    try:
        experiment = read_config(config, overrides)
        hparams = sample_hparams(experiment)
        size = hparams.get("global_batch_size", hparams.get("batch_size"))
        size = size if isinstance(size, int) and size > 0 else 1
        validation = experiment.batches(experiment.min_validation_period, size)
        storage, latest = experiment.checkpoint_storage, "and save_trial_latest"
        kept = storage and f"save_trial_best {storage.best} {latest} {storage.save_trial_latest}"
        values = {
            "searcher.name": experiment.searcher.name,
            "searcher.metric": experiment.searcher.metric,
            "searcher.smaller_is_better": str(experiment.searcher.smaller_is_better).lower(),
            "min_validation_period": _period(validation),
            "min_checkpoint_period": _period(
                experiment.batches(experiment.min_checkpoint_period, size)
            ),
            "checkpoint_storage": kept or "all checkpoints",
        }
        length = experiment.training_batches(size)
        several = choices(experiment)
        return Settings(length, validation, values, dict(_by_path(hparams)), several)
    except (errors.Pedl2DetError, ValueError, OSError):
        return None


def _by_path(group: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in group.items():
        path = f"{above}{name}"
        yield from _by_path(value, f"{path}.") if isinstance(value, dict) else ((path, value),)


def _period(batches: int) -> str:
    return f"{batches:,} batches" if batches else "the whole training"


def differing_settings(
    old: Settings, new: Settings, metric_names: MetricNames | None
) -> dict[str, str]:
    """Return the settings in which two configs differ, without the length: sentences by key."""
    differing = {}
    for key, before in old.values.items():
        after = new.values[key]
        is_same = before == after  # or only its name has changed
        if key == "searcher.name":
            is_same |= GONE_SEARCHERS.get(before, before) == after
        elif key == "searcher.metric":
            is_same |= is_renamed(before, after)
            if metric_names is not None:
                is_same |= metric_names.new("validation", before) == after
        if not is_same:
            differing[key] = f"{key} is {before} in the old config, {after} in the new one"
    return differing


def configs_in_scripts(path: Path) -> Iterator[Path]:
    """Write the config of each script to a temporary file.

    The path is that of a script, or of a trial that has no config.

    Raises:
        Pedl2DetError: the script computes its config, and no config file names the script.
    """
    home = path.resolve()
    for project in discover([home]).projects:
        reading = lower(read(project, Reader()))
        for file, script in reading.scripts.items():
            if home not in (file, *file.parents):
                continue
            is_native = file in project.scripts
            if script.config is not None:
                entry = {"script": file.name} if is_native else script.entrypoint
                yield _write_config({**script.config, "entrypoint": entry}, f"{file.stem}.yaml")
            elif is_native:
                raise Pedl2DetError(
                    f"{file}: a script of the Native API, whose experiment config is "
                    f"computed: write it to const.yaml, with `entrypoint: {{script: {file.name}}}`"
                )


def _write_config(config: dict[str, object], name: str) -> Path:
    """Write a config to a file that is removed when the process ends."""
    directory = tempfile.mkdtemp(prefix=IN_CODE)
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    file = Path(directory) / name
    file.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    return file
