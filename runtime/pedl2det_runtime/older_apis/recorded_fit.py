"""Convert a call of ``fit`` or ``fit_generator`` in a script into a trial."""

from __future__ import annotations

import contextlib
import math
from dataclasses import replace
from typing import Any

import tensorflow as tf

from pedl2det_legacy.fit_arguments import are_arrays
from pedl2det_runtime.api.context import TFKerasTrialContext
from pedl2det_runtime.api.trial import TFKerasTrial
from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.config.generation import EARLY_DETERMINED, Generation
from pedl2det_runtime.data.loaders import is_dataset
from pedl2det_runtime.errors import InvalidExperimentException
from pedl2det_runtime.errors.repeated_warnings import logger

_log = logger(__name__)

#: Arguments that have no effect, with their defaults.
_IGNORED = {"initial_epoch": 0, "validation_freq": 1}


def trial_from_fit(
    model: Any, name: str, arguments: dict[str, Any], info: TrialInfo
) -> tuple[type[TFKerasTrial], int]:
    """Create the trial that is equivalent to a call of ``fit``.

    If the data has no length and the call has no ``steps_per_epoch``, an epoch is one step of the
    config.

    Returns:
        The trial class and the records per batch of one process.

    Raises:
        InvalidExperimentException: an argument is missing, invalid or not supported.
    """
    from pedl2det_legacy.script_data import Fit  # it imports determined.keras, which serves this

    _, (_, data), *others = arguments.items()
    given = dict(others)
    steps = _count(name, given, "steps_per_epoch")
    _check(name, data, given)
    # A pass over a generator is one epoch.
    fit = Fit(model, data, **given | {"steps_per_epoch": steps or info.config.report_period})

    class Script(TFKerasTrial):
        """The trial of a script."""

        def __init__(self, context: TFKerasTrialContext) -> None:
            super().__init__(context)
            context.configure_fit(shuffle=False, **fit.settings)

        @property
        def api_generation(self) -> Generation:
            return replace(EARLY_DETERMINED, wraps_datasets=False, epoch=steps or 0)

        def build_model(self) -> Any:
            return self.context.adopt_compiled_model(model)

        def build_training_data_loader(self) -> Any:
            return fit.training_data

        def build_validation_data_loader(self) -> Any:
            return fit.validation_data

        def keras_callbacks(self) -> list[Any]:
            callbacks: list[Any] = fit.callbacks_with_draws(self.context)
            return callbacks

    return Script, fit.batch_size


def _check(name: str, data: Any, arguments: dict[str, Any]) -> None:
    has_arrays = arguments.get("y") is not None or are_arrays(data)
    validation: Any = arguments.get("validation_data")
    if validation is None and not (has_arrays and arguments.get("validation_split")):
        raise InvalidExperimentException(
            f"model.{name}: validation_data is required, or validation_split of arrays"
        )
    steps = _count(name, arguments, "validation_steps")
    has_length = hasattr(validation, "__getitem__") and hasattr(validation, "__len__")
    if not (validation is None or has_length or is_dataset(validation) or steps):
        raise InvalidExperimentException(
            f"model.{name}: validation_data: a generator needs validation_steps"
        )
    if isinstance(validation, tf.keras.utils.Sequence) and steps and steps > len(validation):
        _log.warning(
            "validation_steps=%d: there are %d batches, all are read", steps, len(validation)
        )
    if arguments.get("y") is None and arguments.get("sample_weight") is not None:
        raise InvalidExperimentException(
            f"model.{name}: sample_weight is supported for arrays only: let the data return "
            "(x, y, sample_weights)"
        )
    for argument, default in _IGNORED.items():
        if arguments.get(argument, default) != default:
            _log.warning("model.%s: %s=%r has no effect", name, argument, arguments[argument])
    if has_arrays and arguments.get("shuffle", True):
        _log.warning("model.%s: the data is read in its own order, not shuffled", name)


def _count(call: str, arguments: dict[str, Any], name: str) -> int | None:
    """Return an argument that is a number of batches, rounded up like in Keras."""
    value = arguments.get(name)
    if value is None:
        return None
    count = 0
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        count = int(math.ceil(value))  # noqa: RUF046 - NumPy returns a float
    if count < 1:
        raise InvalidExperimentException(
            f"model.{call}: {name}: expected a positive whole number, got {value!r}"
        )
    return count
