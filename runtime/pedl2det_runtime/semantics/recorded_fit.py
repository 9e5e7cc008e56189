"""A call of ``fit`` or ``fit_generator`` in a script, as the trial that it describes."""

from __future__ import annotations

import contextlib
import logging
import math
from dataclasses import dataclass, replace
from typing import Any

from pedl2det_runtime.api.context import TFKerasTrialContext
from pedl2det_runtime.api.generation import EARLY_DETERMINED, Generation
from pedl2det_runtime.api.trial import TFKerasTrial
from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.data.generators import Drawn, Draws
from pedl2det_runtime.data.loaders import ArraySequence, as_arrays, cut, is_dataset, records_in
from pedl2det_runtime.errors import InvalidExperimentException

_log = logging.getLogger(__name__)

_KERAS_BATCH = 32  # what Keras takes where fit names no batch size
_FIT_SETTINGS = ("class_weight", "workers", "use_multiprocessing", "max_queue_size")
#: Arguments that have no effect, and what they are where nobody says them.
_NOT_SERVED = {"initial_epoch": 0, "validation_freq": 1}


@dataclass(frozen=True)
class _Fit:
    """What a call of ``fit`` said.

    Attributes:
        name: what was called.
        said: its arguments.
        size: records in a batch that is cut from arrays.
        steps: batches in an epoch, where it says so.
        validation_steps: batches of a validation, where it says so.
    """

    name: str
    said: dict[str, Any]
    size: int
    steps: int | None
    validation_steps: int | None


def described(
    model: Any, name: str, said: dict[str, Any], info: TrialInfo
) -> tuple[type[TFKerasTrial], int]:
    """The trial that a call of ``fit`` describes, and its batch size.

    Args:
        model: the model, which is compiled.
        name: ``fit`` or ``fit_generator``.
        said: the arguments by name.
        info: the running trial, in whose config a step is an epoch where the call does not say how
            long one is and the data have no length.

    Raises:
        InvalidExperimentException: the call does not say enough, or too much.
    """
    said = _split(said)
    fit = _Fit(
        name,
        said,
        int(said.get("batch_size") or _KERAS_BATCH),
        _count(name, said, "steps_per_epoch"),
        _count(name, said, "validation_steps"),
    )
    _check(fit)
    draws: Draws = []
    training = _training(fit, draws, info)
    validation = _validation(fit, draws, info)
    settings = {key: said[key] for key in _FIT_SETTINGS if said.get(key) is not None}
    if isinstance(training, Drawn):  # a generator is drawn from by one thread
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
            return list(fit.said.get("callbacks") or [])

    return Script


def _split(said: dict[str, Any]) -> dict[str, Any]:
    """The arguments with the validation data that ``validation_split`` takes from the arrays.

    As in Keras, these are the last records.
    """
    fraction = said.get("validation_split")
    if said.get("validation_data") is not None or not fraction or said.get("y") is None:
        return said
    names = [name for name in ("x", "y", "sample_weight") if said.get(name) is not None]
    records = records_in(said["x"], "x")
    first = math.floor(records * (1.0 - fraction))
    whole = [as_arrays(said[name]) for name in names]
    training = [cut(part, 0, first) for part in whole]
    validation = tuple(cut(part, first, records) for part in whole)
    return said | dict(zip(names, training, strict=True)) | {"validation_data": validation}


def _check(fit: _Fit) -> None:
    said = fit.said
    if said.get("validation_data") is None:
        raise InvalidExperimentException(
            f"model.{fit.name}: validation_data is required, or validation_split of arrays"
        )
    if said.get("y") is None and said.get("sample_weight") is not None:
        raise InvalidExperimentException(
            f"model.{fit.name}: sample_weight is for arrays: these data give (x, y, weights)"
        )
    for name, default in _NOT_SERVED.items():
        if said.get(name, default) != default:
            _log.warning("model.%s: %s=%r has no effect", fit.name, name, said[name])
    if said.get("y") is not None and said.get("shuffle", True):
        _log.warning("model.%s: the data are read in their own order, not shuffled", fit.name)


def _count(call: str, said: dict[str, Any], name: str) -> int | None:
    """A number of batches; Keras goes on to the next whole one."""
    value = said.get(name)
    if value is None:
        return None
    count = 0
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        count = int(math.ceil(value))  # noqa: RUF046 - NumPy gives a float
    if count < 1:
        raise InvalidExperimentException(
            f"model.{call}: {name}: expected a positive whole number, got {value!r}"
        )
    return count


def _training(fit: _Fit, draws: Draws, info: TrialInfo) -> Any:
    x, y = fit.said.get("x", fit.said.get("generator")), fit.said.get("y")
    if y is not None:
        return _from_arrays((x, y, fit.said.get("sample_weight")), fit.size)
    # The passes over a generator have no length of their own: one is an epoch.
    if _has_length(x):
        return x
    steps = fit.steps or info.config.report_period
    return Drawn("training", x, steps, draws, info.slots)


def _validation(fit: _Fit, draws: Draws, info: TrialInfo) -> Any:
    data = fit.said["validation_data"]
    if isinstance(data, tuple | list):
        return _from_arrays(tuple(data), int(fit.said.get("validation_batch_size") or fit.size))
    if _has_length(data):
        return data
    if fit.validation_steps is None:
        raise InvalidExperimentException(
            f"model.{fit.name}: validation_data: a generator needs validation_steps"
        )
    return Drawn("validation", data, fit.validation_steps, draws, info.slots)


def _has_length(data: Any) -> bool:
    return is_dataset(data) or (hasattr(data, "__getitem__") and hasattr(data, "__len__"))


def _from_arrays(parts: tuple[Any, ...], size: int) -> ArraySequence:
    """Arrays that may be smaller than a batch, which nobody may have named."""
    arrays = tuple(part for part in parts if part is not None)
    return ArraySequence(arrays, min(size, records_in(arrays[0], "x")))
