"""Choose a value for each hyperparameter: constants, or draws with the experiment seed."""

from __future__ import annotations

import difflib
import random
from dataclasses import dataclass
from typing import Any

from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.errors import ConfigError

#: Searchers that were removed before Determined 0.17, when upper bounds were exclusive.
_OLD_SEARCHERS = ("adaptive", "adaptive_simple", "sync_halving")


def sample_hparams(config: ExperimentConfig) -> dict[str, Any]:
    """Return the hyperparameters of one trial by name.

    A scalar or ``{type: const, val}`` is a constant. ``int``, ``double``, ``log`` (``base`` to the
    power of a uniform draw) and ``categorical`` are drawn with the experiment seed. The upper bound
    of an ``int`` is inclusive, except in a search from before Determined 0.17 other than a grid
    (docs/semantics.md, Config format).

    Raises:
        ConfigError: a hyperparameter has an unknown type or lacks a field of its type.
    """
    above_int = int(_excludes_upper_bounds(config))
    draw = _Draw(random.Random(config.reproducibility.experiment_seed), above_int)
    return {name: draw.value(name, spec) for name, spec in config.hyperparameters.items()}


def _excludes_upper_bounds(config: ExperimentConfig) -> bool:
    is_old = config.is_legacy or config.searcher.name in _OLD_SEARCHERS
    return is_old and config.searcher.name != "grid"


def unknown_hparam(name: str, hparams: dict[str, Any]) -> str:
    """Describe a hyperparameter that the config does not have.

    Args:
        name: its name.
        hparams: the hyperparameters that there are.
    """
    likely = difflib.get_close_matches(name, hparams, 1, cutoff=0.5)
    hint = f"; did you mean {likely[0]}?" if likely else ""
    known = ", ".join(sorted(hparams)) or "no hyperparameters"
    return f"hyperparameters.{name} is not in the config, which has {known}{hint}"


def is_searched(spec: object) -> bool:
    """Return whether a hyperparameter is searched, i.e. not constant."""
    if not isinstance(spec, dict):
        return False
    if "type" in spec:
        return bool(spec["type"] != "const")
    return any(is_searched(child) for child in spec.values())


@dataclass(frozen=True)
class _Draw:
    generator: random.Random
    above_int: int  # maxval of an int minus its largest possible value: 0 or 1

    def value(self, name: str, spec: Any) -> Any:
        if not isinstance(spec, dict):
            return spec
        if "type" not in spec:  # a group of hyperparameters
            return {key: self.value(f"{name}.{key}", child) for key, child in spec.items()}
        try:
            return self._typed(spec)
        except KeyError as error:
            missing = error.args[0]
            raise ConfigError(f"hyperparameters.{name}: {spec['type']} needs {missing}") from None
        except (TypeError, ValueError, IndexError) as error:
            raise ConfigError(f"hyperparameters.{name}: {error}") from None

    def _typed(self, spec: dict[str, Any]) -> Any:
        match spec["type"]:
            case "const":
                return spec["val"]
            case "int":
                return self.generator.randint(spec["minval"], spec["maxval"] - self.above_int)
            case "double":
                return self.generator.uniform(spec["minval"], spec["maxval"])
            case "log":
                exponent = self.generator.uniform(spec["minval"], spec["maxval"])
                return float(spec.get("base", 10.0)) ** exponent
            case "categorical":
                return self.generator.choice(spec["vals"])
            case unknown:
                raise ValueError(
                    f"unknown type {unknown!r}: expected const, int, double, log or categorical"
                )
