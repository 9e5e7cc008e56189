"""What has changed since a checkpoint: config, code, compiled model, versions.

What changes the training is an error unless ``--force``; what changes how long it is, or what is
reported and kept, is a note; labels and what only a cluster uses are not looked at.
"""

from __future__ import annotations

import filecmp
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.checkpoint import format as checkpoint
from pedl2det_runtime.checkpoint.reading import read_json
from pedl2det_runtime.config.credentials import without_credentials
from pedl2det_runtime.config.model import ExperimentConfig
from pedl2det_runtime.config.notices import WITHOUT_EFFECT
from pedl2det_runtime.errors import CheckpointError

#: Sections and keys that change how long a trial trains, or what of it is reported and kept.
_OF_ANY_RUN = {
    *("checkpoint_policy", "checkpoint_storage", "max_restarts", "min_checkpoint_period"),
    *("min_validation_period", "resources", "scheduling_unit", "searcher"),
}
#: What among these is more than that: it says which checkpoint is the best.
OF_THE_GOAL = {"searcher.metric", "searcher.smaller_is_better"}
_LABELS = {"name", "description"}
_SHOWN = 60  # characters of a value


@dataclass(frozen=True)
class Change:
    """One thing that differs from the checkpoint's.

    Attributes:
        key: what it is, as a dotted path.
        old: the checkpoint's value as JSON; "not set" if it had none.
        new: this run's.
    """

    key: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.key}: {self.old}, now {self.new}"


def check_config(
    path: Path, info: TrialInfo, say: Callable[[str], None], *, force: bool
) -> frozenset[str]:
    """Compare the config and the hyperparameters of a run with those of its checkpoint.

    Args:
        path: the checkpoint.
        info: the run.
        say: prints one line for people.
        force: whether changes of what is trained are accepted, and only told.

    Returns:
        The changed keys.

    Raises:
        CheckpointError: what is trained has changed.
    """
    found = _config_changes(read_json(path / "experiment_config.json"), info.config.raw) + changes(
        {"hyperparameters": read_json(path / "hparams.json")},
        {"hyperparameters": info.hparams},
    )
    harmless = [change for change in found if _is_harmless(change.key)]
    if harmless:
        say(f"the config has changed since the checkpoint: {_listed(harmless)}")
    _refuse(path, [change for change in found if change not in harmless], say, force=force)
    return frozenset(change.key for change in found)


def check_compiled(
    path: Path, compiled: dict[str, Any], say: Callable[[str], None], *, force: bool
) -> frozenset[str]:
    """Compare what ``build_model`` compiled with what it compiled in the checkpoint's run.

    Args:
        path: the checkpoint.
        compiled: what it compiles now.
        say: prints one line for people.
        force: whether changes are accepted, and only told.

    Returns:
        What of the optimizers must not be taken from the checkpoint, such as
        ``optimizer.learning_rate``; ``optimizer.class`` if it is another optimizer.

    Raises:
        CheckpointError: the optimizer, its settings or the loss have changed.
    """
    before = checkpoint.written_with(path).get("compiled")
    found = changes(_common(before, compiled), _common(compiled, before)) if before else []
    _refuse(path, found, say, force=force)
    return frozenset(".".join(change.key.split(".")[:2]) for change in found)


def _common(own: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Without settings of optimizers that only another version of Keras knows."""
    return {
        part: {key: value for key, value in settings.items() if key in other[part]}
        if isinstance(settings, dict) and isinstance(other.get(part), dict) and part != "loss"
        else settings
        for part, settings in own.items()
    }


def tell_code(
    path: Path, directory: Path, code: Iterable[Path], say: Callable[[str], None]
) -> None:
    """Name the source files that differ from those in a checkpoint.

    Args:
        path: the checkpoint.
        directory: the trial's directory.
        code: the trial's source files.
        say: prints one line for people.
    """
    known = {
        file.relative_to(path / "code")
        for file in (path / "code").rglob("*")
        if file.is_file() and file.parent.name != "__pycache__"
    }
    gone = {file for file in known if not (directory / file).is_file()}
    changed = {
        file
        for file in known - gone
        if not filecmp.cmp(path / "code" / file, directory / file, shallow=False)
    }
    groups = {
        "changed": changed,
        "added": {file.relative_to(directory) for file in code} - known,
        "removed": gone,
    }
    said = (
        f"{what} {', '.join(map(str, sorted(files)))}" for what, files in groups.items() if files
    )
    if line := "; ".join(said):
        say(f"warning: the code has changed since the checkpoint: {line}")


def tell_versions(path: Path, present: dict[str, str], say: Callable[[str], None]) -> None:
    """Name the versions that differ from those that wrote a checkpoint."""
    before = checkpoint.written_with(path)
    found = changes({name: before[name] for name in present if name in before}, present)
    for change in found:
        if change.key in before:
            say(f"warning: the checkpoint was written by another version: {change}")


def changes(old: Any, new: Any) -> list[Change]:
    """The differences of two values, by dotted path; credentials are neither compared nor shown."""
    before, after = (dict(_leaves(_as_json(value))) for value in (old, new))
    return [
        Change(key, _shown(before, key), _shown(after, key))
        for key in sorted(before.keys() | after.keys())
        if before.get(key) != after.get(key)
    ]


def _config_changes(old: dict[str, Any], new: dict[str, Any]) -> list[Change]:
    """Compare two configs; a key that is left out has its default."""
    try:
        models = [ExperimentConfig.model_validate(_as_json(config)) for config in (old, new)]
    except ValidationError:  # what the trial is shown is not what it was made from
        found = changes(old, new)
    else:
        found = changes(*(model.model_dump(mode="json", exclude_none=True) for model in models))
    ignored = {"hyperparameters", *_LABELS, *WITHOUT_EFFECT}
    return [change for change in found if change.key.partition(".")[0] not in ignored]


def _is_harmless(key: str) -> bool:
    return key.partition(".")[0] in _OF_ANY_RUN and key not in OF_THE_GOAL


def _refuse(path: Path, found: list[Change], say: Callable[[str], None], *, force: bool) -> None:
    if found and not force:
        raise CheckpointError(
            f"{path}: it was trained with other settings: {_listed(found)}: continue with those, "
            "start anew in another directory, or train on with the new ones with --force"
        )
    if found:
        say(f"--force: from here on other settings train: {_listed(found)}")


def _listed(found: list[Change]) -> str:
    return "; ".join(map(str, found))


def _as_json(value: Any) -> Any:
    """As a checkpoint holds it: JSON without credentials."""
    return json.loads(json.dumps(without_credentials(value), default=str))


def _leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, child in value.items():
            yield from _leaves(child, f"{key}.{name}" if key else name)
    else:
        yield key, value


def _shown(leaves: dict[str, Any], key: str) -> str:
    text = json.dumps(leaves[key]) if key in leaves else "not set"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
