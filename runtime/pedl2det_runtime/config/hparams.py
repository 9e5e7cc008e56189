"""Choose a value for each hyperparameter: constants, or draws with the experiment seed.

``Constant``, ``Integer``... are the specs of configs written in Python (PEDL 0.11, Determined
0.12); each returns the mapping that a YAML config would contain.
"""

from __future__ import annotations

import copy
import functools
import itertools
import math
import operator
import random
from collections.abc import Iterator, Sequence
from numbers import Real
from typing import Any, NamedTuple

from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.errors import ConfigError

#: Searchers that were removed before Determined 0.17, when upper bounds were exclusive.
_OLD_SEARCHERS = ("adaptive", "adaptive_simple", "sync_halving")
_MAX_COUNT = 100_000  # points of one hyperparameter in a grid
_FEW, _INNER = 4, 11  # numbers of a range that are all tried with others; between the ends
Spec = dict[str, Any]


class Choices(NamedTuple):
    """Values of a hyperparameter that a search may draw."""

    values: list[Any]  #: all of a short range; the ends of a long one
    inner: list[Any]  #: of a long range, those in between, or some of them: the middle first
    are_all: bool  #: whether it draws no others


def sample_hparams(config: ExperimentConfig, number: int = 0) -> dict[str, Any]:
    """Return the hyperparameters of one trial by name.

    A scalar or ``{type: const, val}`` is a constant. ``int``, ``double``, ``log`` (``base`` to the
    power of a uniform draw) and ``categorical`` are drawn; in a grid search, among the points of
    the grid. The draws depend on the experiment seed and the number alone. The upper bound of an
    ``int`` is inclusive, except in a search from before Determined 0.17 other than a grid
    (docs/semantics.md, Config format).

    Args:
        config: the experiment config.
        number: the number of the trial in a search, from 0.

    Raises:
        ConfigError: a hyperparameter has an unknown type, or a wrong or missing field.
    """
    seed = config.reproducibility.experiment_seed
    generator = random.Random(f"trial {number} of {seed}" if number else seed)
    return _draw_group(config, generator, (), config.hyperparameters)


def grid(config: ExperimentConfig) -> Iterator[dict[str, Any]]:
    """Yield the hyperparameters of each point of a grid; the last named varies fastest.

    Raises:
        ConfigError: a hyperparameter has an unknown type, or a wrong or missing field.
    """
    sample_hparams(config)  # which checks every field
    paths = [path for path, _ in _specs(config.hyperparameters)]
    axes = [_axis(spec) for _, spec in _specs(config.hyperparameters)]
    for values in itertools.product(*axes):
        point = copy.deepcopy(config.hyperparameters)
        for (*parents, name), value in zip(paths, values, strict=True):
            functools.reduce(operator.getitem, parents, point)[name] = value
        yield point


def searched(config: ExperimentConfig) -> Iterator[tuple[str, ...]]:
    """Yield the paths of the hyperparameters that a search varies."""
    return (path for path, spec in _specs(config.hyperparameters) if spec["type"] != "const")


def choices(config: ExperimentConfig) -> dict[str, Choices]:
    """Return values of each hyperparameter that a valid config searches, by its dotted path."""
    chosen = {}
    for path, spec in _specs(config.hyperparameters):
        if spec["type"] != "const":
            chosen[".".join(path)] = _choices(config, spec)
    return chosen


def _choices(config: ExperimentConfig, spec: dict[str, Any]) -> Choices:
    if spec["type"] == "categorical":
        return Choices(_axis(spec), [], are_all=True)
    values: Sequence[Any]
    if config.searcher.name == "grid":
        values = _axis(spec)
    elif spec["type"] == "int":
        low, high = _whole_bounds(config, spec)
        values = range(low, high + 1)
    else:
        ends = _bounds(spec) if spec["type"] == "double" else ()
        lower, middle, upper = _axis({**spec, "count": 5})[1:-1]
        inner = [*dict.fromkeys((middle, lower, upper))]
        return Choices([*dict.fromkeys(ends)], inner, are_all=False)
    if len(values) <= _FEW:
        return Choices([*values], [], are_all=True)
    last = len(values) - 2
    points = _points(1, last, min(last, _INNER))
    first = points[len(points) // 2]
    inner = [values[_rounded(point)] for point in dict.fromkeys((first, *points))]
    return Choices([values[0], values[-1]], inner, len(inner) == last)


def grid_size(config: ExperimentConfig) -> int:
    """Return the number of points of a grid search."""
    return math.prod(len(_axis(spec)) for _, spec in _specs(config.hyperparameters))


def _specs(
    group: dict[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Yield each mapping with a type, in groups too, with its path."""
    for name, spec in group.items():
        if isinstance(spec, dict):
            inner = (*path, name)
            yield from ((inner, spec),) if "type" in spec else _specs(spec, inner)


def _draw_group(
    config: ExperimentConfig,
    generator: random.Random,
    path: tuple[str, ...],
    specs: dict[str, Any],
) -> dict[str, Any]:
    return {name: _draw(config, generator, (*path, name), spec) for name, spec in specs.items()}


def _draw(
    config: ExperimentConfig, generator: random.Random, path: tuple[str, ...], spec: Any
) -> Any:
    if not isinstance(spec, dict):
        return spec
    if "type" not in spec:
        return _draw_group(config, generator, path, spec)
    try:
        return _draw_typed(config, generator, spec)
    except KeyError as error:
        where = " in a grid" if config.searcher.name == "grid" else ""
        wrong = f"{spec['type']} needs {error.args[0]}{where}"
    except OverflowError:
        wrong = "its values are too large for a float"
    except ValueError as error:
        wrong = str(error)
    raise ConfigError(f"{config.location('hyperparameters', *path)}: {wrong}")


def _draw_typed(config: ExperimentConfig, generator: random.Random, spec: dict[str, Any]) -> Any:
    searcher = config.searcher.name
    match "grid" if searcher == "grid" else spec["type"]:
        case "int":
            return generator.randint(*_whole_bounds(config, spec))
        case "double":
            return generator.uniform(*_bounds(spec))
        case "log":
            return _base(spec) ** generator.uniform(*_bounds(spec))
    axis = _axis(spec)
    return generator.choice(axis) if spec["type"] != "const" else axis[0]


def _axis(spec: dict[str, Any]) -> list[Any]:
    """Return the values of a hyperparameter in a grid: evenly spaced, with both ends.

    An ``int`` without ``count`` takes every whole number.

    Raises:
        KeyError: a field is missing.
        ValueError: a field is wrong.
    """
    match spec["type"]:
        case "const":
            return [spec["val"]]
        case "categorical":
            if not isinstance(spec["vals"], list | tuple) or not spec["vals"]:
                raise ValueError(f"expected a list of values as vals, got {spec['vals']!r}")
            return [*spec["vals"]]
        case "int":
            low, high = map(_whole, _bounds(spec))
            points = _points(low, high, spec.get("count", high - low + 1))
            return list(dict.fromkeys(map(_rounded, points)))
        case "double":
            return _points(*_bounds(spec), spec["count"])
        case "log":
            return [_base(spec) ** exponent for exponent in _points(*_bounds(spec), spec["count"])]
    raise ValueError(
        f"unknown type {spec['type']!r}: expected const, int, double, log or categorical"
    )


def _points(low: float, high: float, count: Any) -> list[float]:
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= _MAX_COUNT:
        raise ValueError(f"expected a whole number from 1 to {_MAX_COUNT} as count, got {count!r}")
    if count == 1:
        return [(low + high) / 2]
    return [low + (high - low) * index / (count - 1) for index in range(count)]


def _bounds(spec: dict[str, Any]) -> tuple[float, float]:
    low, high = spec["minval"], spec["maxval"]
    if not (_is_number(low) and _is_number(high) and low <= high):
        raise ValueError(f"expected numbers, minval up to maxval, got {low!r} and {high!r}")
    return low, high


def _whole_bounds(config: ExperimentConfig, spec: dict[str, Any]) -> tuple[int, int]:
    """Return the least and the greatest whole number that is drawn."""
    low, high = map(_whole, _bounds(spec))
    name = config.searcher.name
    if name != "grid" and (config.is_legacy or name in _OLD_SEARCHERS):
        high = max(high - 1, low)
    return low, high


def _base(spec: dict[str, Any]) -> float:
    base = spec.get("base", 10.0)
    if not _is_number(base) or base <= 0:
        raise ValueError(f"expected a positive number as base, got {base!r}")
    return float(base)


def _whole(value: float) -> int:
    if value != int(value):
        raise ValueError(f"expected a whole number, got {value!r}")
    return int(value)


def _rounded(value: float) -> int:
    """Round half away from zero, like Determined."""
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def Constant(value: Any) -> Spec:  # noqa: N802 - the documented name
    """A constant."""
    return {"type": "const", "val": value}


def Integer(minval: int, maxval: int) -> Spec:  # noqa: N802
    """An integer between ``minval`` and ``maxval``."""
    return {"type": "int", "minval": minval, "maxval": maxval}


def Double(minval: float, maxval: float) -> Spec:  # noqa: N802
    """A number between ``minval`` and ``maxval``."""
    return {"type": "double", "minval": minval, "maxval": maxval}


def Log(minval: float, maxval: float, base: float = 10.0) -> Spec:  # noqa: N802
    """``base`` to the power of a number between ``minval`` and ``maxval``."""
    return {"type": "log", "minval": minval, "maxval": maxval, "base": base}


def Categorical(vals: list[Any]) -> Spec:  # noqa: N802
    """One of the values in ``vals``."""
    return {"type": "categorical", "vals": vals}
