"""What a trial is trained by: its configs, and the values of their searches in pairs."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pedl2det.report.text import simplest_first
from pedl2det.verify.configs import settings_of

_FEW, _MOST = 12, 32  # points of a search that are all trained; choices of values of a config


class Training(NamedTuple):
    """What a trial is trained by: a config, and values in it."""

    config: Path | None  #: None for what `run` finds
    overrides: tuple[str, ...] = ()  #: as `run --set` takes them
    is_resumed: bool = False

    def __str__(self) -> str:
        if self.is_resumed:
            return "another seed, resumed"
        name = self.config.name if self.config is not None else ""
        values = ", ".join(override.removeprefix("hyperparameters.") for override in self.overrides)
        return f"{name} with {values}" if values else name


def resumed(first: Training) -> Training:
    """Return a training by another seed that ends halfway, and goes on from its checkpoint."""
    overrides = (*first.overrides, "reproducibility.experiment_seed=4711")
    return Training(first.config, overrides, is_resumed=True)


def trainings(configs: Iterable[Path]) -> tuple[list[Training], list[str]]:
    """Return what to train a trial by, and the configs that can draw still other values.

    const.yaml and single trainings come before others, at last the values of searches.
    """
    ordered = simplest_first(configs)
    settings = {config: asked for config in ordered if (asked := settings_of(config))}
    every = [Training(config) for config in ordered]
    trained = [
        {*itertools.chain(*_columns((path, [value]) for path, value in asked.hparams.items()))}
        for asked in settings.values()
    ]
    open_ended = []
    for config, asked in settings.items():
        ends = _columns((path, one.values) for path, one in asked.choices.items())
        inner = _columns((path, one.inner) for path, one in asked.choices.items())
        for row in _rows(ends, inner, trained):
            trained.append({*row})
            every.append(Training(config, row))
        columns = [{*some, *others} for some, others in zip(ends, inner, strict=True)]
        points = {frozenset(one.intersection(itertools.chain(*columns))) for one in trained}
        number = sum(len(point) == len(columns) for point in points)
        are_all = all(choice.are_all for choice in asked.choices.values())
        if not are_all or number < math.prod(map(len, columns)):
            open_ended.append(config.name)
    return every, open_ended


_Columns = list[list[str]]  #: overrides for each hyperparameter


def _columns(values: Iterable[tuple[str, Iterable[Any]]]) -> _Columns:
    return [
        [f"hyperparameters.{path}={json.dumps(value, default=str)}" for value in some]
        for path, some in values
    ]


def _rows(ends: _Columns, inner: _Columns, trained: Sequence[set[str]]) -> list[tuple[str, ...]]:
    """Return the middles of long ranges, all other values in pairs, other inner values."""
    turns = [within or values for within, values in zip(inner, ends, strict=True)]
    rows = (
        tuple(values[turn % len(values)] for values in turns)
        for turn in range(max(map(len, inner), default=0))
    )
    together = [row for row in rows if not any(map({*row}.issubset, trained))]
    pairs = _covering([*filter(None, ends)], [*trained, *map(set, together[:1])])
    return [*together[:1], *itertools.islice(pairs, _MOST), *together[1:]]


def _covering(columns: _Columns, trained: Sequence[set[str]]) -> Iterator[tuple[str, ...]]:
    """Yield a value of each column, until each two, or all of few, have been together."""
    is_small = len(columns) < 2 or math.prod(map(len, columns)) <= _FEW
    groups = [columns] if is_small else itertools.combinations(columns, 2)
    every = [{*values} for group in groups for values in itertools.product(*group)]
    left = [values for values in every if not any(map(values.issubset, trained))]
    while left:
        row = {*max(left, key=len)}
        for values in columns:
            if row.isdisjoint(values):
                together = [sum(pair <= {*row, value} for pair in left) for value in values]
                row.add(values[together.index(max(together))])
        left = [values for values in left if not values <= row]
        yield tuple(value for values in columns for value in values if value in row)
