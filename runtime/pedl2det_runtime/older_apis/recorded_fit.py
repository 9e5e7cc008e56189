"""Convert a call of ``fit`` or ``fit_generator`` in a script into a trial."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, replace
from typing import Any

from pedl2det_legacy.fit_arguments import are_arrays, give_validation_data, split_arrays
from pedl2det_runtime.api.context import TFKerasTrialContext
from pedl2det_runtime.api.trial import TFKerasTrial
from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.config.generation import EARLY_DETERMINED, Generation
from pedl2det_runtime.data.generators import GeneratorDraws, GeneratorSequence
from pedl2det_runtime.data.loaders import ArraySequence, is_dataset, records_in
from pedl2det_runtime.errors import InvalidExperimentException
from pedl2det_runtime.errors.repeated_warnings import logger

_log = logger(__name__)

_KERAS_BATCH = 32  # Keras' default of batch_size
_FIT_SETTINGS = ("class_weight", "workers", "use_multiprocessing", "max_queue_size")
#: Arguments that have no effect, with their defaults.
_IGNORED = {"initial_epoch": 0, "validation_freq": 1}


@dataclass(frozen=True)
class _Fit:
    """A call of ``fit`` or ``fit_generator``."""

    name: str  #: ``fit`` or ``fit_generator``
    arguments: dict[str, Any]  #: its arguments by name
    size: int  #: records per batch, for arrays
    steps: int | None  #: batches per epoch, or None
    validation_steps: int | None  #: batches per validation, or None


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
    arguments = _split(arguments)
    fit = _Fit(
        name,
        arguments,
        int(arguments.get("batch_size") or _KERAS_BATCH),
        _count(name, arguments, "steps_per_epoch"),
        _count(name, arguments, "validation_steps"),
    )
    _check(fit)
    draws: GeneratorDraws = []
    training = _training(fit, draws, info)
    validation = _validation(model, fit, draws, info)
    settings = {key: arguments[key] for key in _FIT_SETTINGS if arguments.get(key) is not None}
    if isinstance(training, GeneratorSequence):  # only one thread may draw from a generator
        settings |= {"workers": min(settings.get("workers", 1), 1), "use_multiprocessing": False}
    trial = _trial(model, training, validation, fit, settings)
    return trial, getattr(training, "batch_size", None) or fit.size


def _trial(
    model: Any, training: Any, validation: Any, fit: _Fit, settings: dict[str, Any]
) -> type[TFKerasTrial]:
    class Script(TFKerasTrial):
        """The trial of a script."""

        def __init__(self, context: TFKerasTrialContext) -> None:
            super().__init__(context)
            context.configure_fit(shuffle=False, validation_steps=fit.validation_steps, **settings)

        @property
        def api_generation(self) -> Generation:
            return replace(
                EARLY_DETERMINED,
                wraps_datasets=False,
                epoch=fit.steps or 0,
                limits_any_validation=True,
            )

        def build_model(self) -> Any:
            return self.context.adopt_compiled_model(model)

        def build_training_data_loader(self) -> Any:
            return training

        def build_validation_data_loader(self) -> Any:
            return validation

        def keras_callbacks(self) -> list[Any]:
            return list(fit.arguments.get("callbacks") or [])

    return Script


def _split(arguments: dict[str, Any]) -> dict[str, Any]:
    """Apply ``validation_split``: move the last records of the arrays to ``validation_data``."""
    fraction = arguments.get("validation_split")
    if arguments.get("validation_data") is not None or not fraction or not _has_arrays(arguments):
        return arguments
    names = [name for name in ("x", "y", "sample_weight") if arguments.get(name) is not None]
    training, validation = split_arrays([arguments[name] for name in names], fraction)
    return arguments | dict(zip(names, training, strict=True)) | {"validation_data": validation}


def _check(fit: _Fit) -> None:
    arguments = fit.arguments
    if arguments.get("validation_data") is None:
        raise InvalidExperimentException(
            f"model.{fit.name}: validation_data is required, or validation_split of arrays"
        )
    if arguments.get("y") is None and arguments.get("sample_weight") is not None:
        raise InvalidExperimentException(
            f"model.{fit.name}: sample_weight is supported for arrays only: let the data return "
            "(x, y, sample_weights)"
        )
    for name, default in _IGNORED.items():
        if arguments.get(name, default) != default:
            _log.warning("model.%s: %s=%r has no effect", fit.name, name, arguments[name])
    if _has_arrays(arguments) and arguments.get("shuffle", True):
        _log.warning("model.%s: the data is read in its own order, not shuffled", fit.name)


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


def _training(fit: _Fit, draws: GeneratorDraws, info: TrialInfo) -> Any:
    x, y = fit.arguments.get("x", fit.arguments.get("generator")), fit.arguments.get("y")
    if _has_arrays(fit.arguments):
        return _from_arrays((x, y, fit.arguments.get("sample_weight")), fit.size)
    if _has_length(x):
        return x
    steps = fit.steps or info.config.report_period  # a pass over a generator is one epoch
    return GeneratorSequence("training", x, steps, draws, info.slots)


def _validation(model: Any, fit: _Fit, draws: GeneratorDraws, info: TrialInfo) -> Any:
    data = fit.arguments["validation_data"]
    if isinstance(data, tuple | list):
        give_validation_data(model, fit.arguments.get("callbacks") or [], data)
        return _from_arrays(
            tuple(data), int(fit.arguments.get("validation_batch_size") or fit.size)
        )
    if _has_length(data):
        return data
    if fit.validation_steps is None:
        raise InvalidExperimentException(
            f"model.{fit.name}: validation_data: a generator needs validation_steps"
        )
    return GeneratorSequence("validation", data, fit.validation_steps, draws, info.slots)


def _has_arrays(arguments: dict[str, Any]) -> bool:
    return arguments.get("y") is not None or are_arrays(arguments.get("x"))


def _has_length(data: Any) -> bool:
    return is_dataset(data) or (hasattr(data, "__getitem__") and hasattr(data, "__len__"))


def _from_arrays(parts: tuple[Any, ...], size: int) -> ArraySequence:
    """Slice arrays into batches of ``size`` records, or one batch if there are fewer."""
    arrays = tuple(part for part in parts if part is not None)
    return ArraySequence(arrays, min(size, records_in(arrays[0], "x")))
