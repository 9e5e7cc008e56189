"""Compare a run with the checkpoint that it resumes: config, code, compiled model, versions.

A change of what is trained is an error unless ``--force`` is set. A change of the length of the
training, of reports or of retention is printed. Labels and keys that only a cluster uses are
ignored.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.checkpoint.code_files import code_without_credentials
from pedl2det_runtime.checkpoint.state import read_metadata
from pedl2det_runtime.checkpoint.untrusted_files import read_json
from pedl2det_runtime.config.credentials import without_credentials
from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.config.keys import WITHOUT_EFFECT
from pedl2det_runtime.errors import CheckpointError

#: Sections and keys that set the length of the training, reports and retention.
_HARMLESS = {
    *("checkpoint_policy", "checkpoint_storage", "max_restarts", "min_checkpoint_period"),
    *("min_validation_period", "resources", "scheduling_unit", "searcher"),
}
#: Exceptions among these: they select the best checkpoint.
GOAL_KEYS = {"searcher.metric", "searcher.smaller_is_better"}
_LABELS = {"name", "description"}
_MAX_SHOWN = 60  # characters of a value


@dataclass(frozen=True)
class Change:
    """One difference from the checkpoint."""

    key: str  #: dotted path of the changed key
    old: str  #: the checkpoint's value as JSON, or "not set"
    new: str  #: this run's value, likewise

    def __str__(self) -> str:
        return f"{self.key}: {self.old}, now {self.new}"


def check_config(
    path: Path, info: TrialInfo, say: Callable[[str], None], *, force: bool
) -> frozenset[str]:
    """Compare config and hyperparameters of a run with its checkpoint's; return the changed keys.

    ``force`` accepts changes of what is trained, and prints them.

    Raises:
        CheckpointError: a key that changes what is trained differs.
    """
    changed = config_changes(path, info)
    harmless = [
        change
        for change in changed
        if change.key.partition(".")[0] in _HARMLESS and change.key not in GOAL_KEYS
    ]
    if harmless:
        say(f"the config has changed since the checkpoint: {_joined(harmless)}")
    _refuse(path, [change for change in changed if change not in harmless], say, force=force)
    return frozenset(change.key for change in changed)


def config_changes(path: Path, info: TrialInfo) -> list[Change]:
    """Return the keys of a run's config, and hyperparameters, that differ from its checkpoint's."""
    configs = [_as_json(read_json(path / "experiment_config.json")), _as_json(info.config.raw)]
    try:
        models = [ExperimentConfig.model_validate(config) for config in configs]
    except ValidationError:  # one of them is of another generation of the config schema
        changed = changes(*configs)
    else:  # missing keys have their defaults
        changed = changes(*(model.model_dump(mode="json", exclude_none=True) for model in models))
    ignored = {"hyperparameters", *_LABELS, *WITHOUT_EFFECT}
    known = {"hyperparameters": read_json(path / "hparams.json")}
    return [
        *(change for change in changed if change.key.partition(".")[0] not in ignored),
        *changes(known, {"hyperparameters": info.hparams}),
    ]


def check_compiled(
    path: Path, compiled: dict[str, Any], say: Callable[[str], None], *, force: bool
) -> frozenset[str]:
    """Compare the model that ``build_model`` compiled with the checkpoint's.

    ``force`` accepts changes, and prints them.

    Returns:
        The settings not to restore from the checkpoint, such as ``optimizer.learning_rate``;
        ``optimizer.class`` for an optimizer of another class.

    Raises:
        CheckpointError: the optimizer, its settings or the loss have changed.
    """
    before = read_metadata(path).get("compiled")
    changed = changes(_common(before, compiled), _common(compiled, before)) if before else []
    _refuse(path, changed, say, force=force)
    return frozenset(".".join(change.key.split(".")[:2]) for change in changed)


def _common(own: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Leave out optimizer settings that only one of two Keras versions has."""
    return {
        part: {key: value for key, value in settings.items() if key in other[part]}
        if isinstance(settings, dict) and isinstance(other.get(part), dict) and part != "loss"
        else settings
        for part, settings in own.items()
    }


def report_code_changes(
    path: Path, directory: Path, code: Iterable[Path], say: Callable[[str], None]
) -> None:
    """Print the names of source files in a trial's directory that differ from the checkpoint's."""
    known = {
        file.relative_to(path / "code")
        for file in (path / "code").rglob("*")
        if file.is_file() and file.parent.name != "__pycache__"
    }
    removed = {file for file in known if not (directory / file).is_file()}
    changed = {
        file
        for file in known - removed
        if (path / "code" / file).read_bytes()
        not in ((directory / file).read_bytes(), code_without_credentials(directory / file))
    }
    groups = {
        "changed": changed,
        "added": {file.relative_to(directory) for file in code} - known,
        "removed": removed,
    }
    parts = [
        f"{change} {', '.join(map(str, sorted(files)))}"
        for change, files in groups.items()
        if files
    ]
    if parts:
        say(f"warning: the code has changed since the checkpoint: {'; '.join(parts)}")


def report_version_changes(path: Path, current: dict[str, str], say: Callable[[str], None]) -> None:
    """Print the versions of TensorFlow and Keras that differ from the checkpoint's."""
    before = read_metadata(path)
    known = {name: before[name] for name in current if name in before}
    for change in changes(known, current):
        if change.key in before:
            say(f"warning: the checkpoint was written by another version: {change}")


def changes(old: Any, new: Any) -> list[Change]:
    """Compare two values by dotted path; credentials are neither compared nor shown."""
    before, after = (dict(_leaves(_as_json(value))) for value in (old, new))
    return [
        Change(key, _shown(before, key), _shown(after, key))
        for key in sorted(before.keys() | after.keys())
        if before.get(key) != after.get(key)
    ]


def _refuse(path: Path, changed: list[Change], say: Callable[[str], None], *, force: bool) -> None:
    if changed and not force:
        raise CheckpointError(
            f"{path}: the checkpoint was trained with other settings: {_joined(changed)}: "
            "restore them, start a new run in another directory, or use the new settings from here "
            "on with --force"
        )
    if changed:
        say(f"--force: training continues with other settings: {_joined(changed)}")


def _joined(changed: list[Change]) -> str:
    return "; ".join(map(str, changed))


def _as_json(value: Any) -> Any:
    """Convert to the JSON of a checkpoint, without credentials."""
    return json.loads(json.dumps(without_credentials(value), default=str))


def _leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, child in value.items():
            yield from _leaves(child, f"{key}.{name}" if key else name)
    else:
        yield key, value


def _shown(leaves: dict[str, Any], key: str) -> str:
    text = json.dumps(leaves[key]) if key in leaves else "not set"
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."
