"""Which experiment config belongs to which trial."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis.config import Config
from pedl2det.analysis.membership import module
from pedl2det.analysis.reader import Reader
from pedl2det.analysis.tree import bytes_or_none


def assign(
    files: Sequence[Path], homes: Sequence[Path], tops: Sequence[Path], reader: Reader
) -> tuple[dict[Path, tuple[Path, ...]], tuple[Path, ...]]:
    """Give every experiment config to a trial.

    A config in a trial's directory belongs to that trial. Another one belongs to the trial that
    its entrypoint names, or to the only one near it.

    Args:
        files: YAML files that may be experiment configs.
        homes: the directories of the trials.
        tops: the directories that migrate was given.
        reader: reads the files.

    Returns:
        The configs of each trial's directory, and those that count in steps and belong to no
        trial, or to one of several.
    """
    found: dict[Path, list[Path]] = {}
    stray: list[Path] = []
    for file in files:
        config = reader.config_or_none(file)
        if config is None:
            for home in _around(file, homes):
                found.setdefault(home, []).append(file)  # its reader reports what is wrong with it
            continue
        if not config.is_experiment:
            continue
        candidates = _candidates(file, config, homes, tops)
        if len(candidates) == 1:
            found.setdefault(candidates[0], []).append(file)
        elif config.counts_steps:
            stray.append(file)
    return {home: tuple(configs) for home, configs in found.items()}, tuple(stray)


def _candidates(
    file: Path, config: Config, homes: Sequence[Path], tops: Sequence[Path]
) -> list[Path]:
    """The trials that a config may belong to; the only one where it is clear."""
    around = _around(file, homes)
    if around:
        return around
    name = config.trial.partition(":")[0]
    if not name and _is_beside_another_trial(file):
        return []
    nearest: list[Path] = []
    for directory in file.parents:
        below = [home for home in homes if home.is_relative_to(directory)]
        named = [home for home in below if name and _holds(home, directory, name)]
        if len(named) == 1 or (len(below) == 1 and (not name or named)):
            return named or below
        nearest = nearest or named or below
        if directory in tops:
            break
    return nearest


def _is_beside_another_trial(file: Path) -> bool:
    """Whether a config has a trial beside it that is none of Keras."""
    beside = (bytes_or_none(one) or b"" for one in file.parent.glob("*.py"))
    return any(b"Trial" in data and names.mentions_legacy(data) for data in beside)


def _around(file: Path, homes: Sequence[Path]) -> list[Path]:
    """The trial in whose directory a file is, as a list of one; the innermost of several."""
    around = [home for home in homes if file.is_relative_to(home)]
    return [max(around, key=lambda home: len(home.parts))] if around else []


def _holds(home: Path, directory: Path, name: str) -> bool:
    """Whether an entrypoint's module is found from a trial's directory, or is in it."""
    if module(home, name) is not None:
        return True
    found = module(directory, name)
    return found is not None and found.is_relative_to(home)
