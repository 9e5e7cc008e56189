"""Read what an old checkpoint says about itself: ``load_data.json`` and ``metadata.json``."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pedl2det_runtime.checkpoint.untrusted_files import read_json, reading

_BATCHES = ("steps_completed", "batch_number", "latest_batch")


@dataclass(frozen=True)
class Facts:
    """What a checkpoint says about itself; most say less.

    Attributes:
        versions: versions of Determined and TensorFlow that wrote it.
        batches: batches trained.
        config: the experiment config.
        hparams: the hyperparameters.
        entrypoint: ``module:Class`` of the trial.
        seed: the seed in the config; 0 without one.
    """

    versions: list[str] = field(default_factory=list)
    batches: int | None = None
    config: dict[str, Any] | None = None
    hparams: dict[str, Any] | None = None
    entrypoint: Any = None
    seed: int = 0


def read_facts(directory: Path) -> Facts:
    """Read the facts of a checkpoint.

    Raises:
        DamagedCheckpointError: a file is damaged.
    """
    metadata = _optional(directory / "metadata.json")
    known = metadata | _optional(directory / "load_data.json")
    with reading(directory / "metadata.json"):
        version, framework = known.get("determined_version"), known.get("framework")
        config = _mapping(known, "experiment_config")
        seed = (_mapping(config or {}, "reproducibility") or {}).get("experiment_seed")
        counts = (known.get(name) for name in _BATCHES)
        return Facts(
            versions=[
                *([f"Determined {version}"] if version else []),
                *([str(framework).replace("tensorflow-", "TensorFlow ")] if framework else []),
            ],
            batches=next((count for count in counts if isinstance(count, int)), None),
            config=config,
            hparams=_mapping(known, "hparams"),
            entrypoint=known.get("trial_cls_spec") or (config or {}).get("entrypoint"),
            seed=seed if isinstance(seed, int) and seed >= 0 else 0,
        )


def _mapping(values: dict[str, Any], key: str) -> dict[str, Any] | None:
    value = values.get(key)
    if value is not None and not isinstance(value, dict):
        raise ValueError(f"{key}: expected a mapping, found {type(value).__name__}")
    return value


def _optional(path: Path) -> dict[str, Any]:
    return read_json(path) if os.path.lexists(path) else {}
