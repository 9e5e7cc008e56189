"""Support for trials of Determined 0.12 whose methods require ``hparams``."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from pedl2det_runtime.api.trial_info import current

_METHODS = (
    *("build_model", "build_training_data_loader", "build_validation_data_loader"),
    *("session_config", "keras_callbacks"),
)


def accept_hparams(trial_class: type) -> None:
    """Pass ``hparams`` to the methods of a trial that require it.

    Follows docs/semantics.md, ``hparams`` in early Determined.

    Args:
        trial_class: the trial class; its methods are replaced in place.
    """
    for name in _METHODS:
        method = vars(trial_class).get(name)
        if inspect.isfunction(method) and _requires_hparams(method):
            setattr(trial_class, name, _with_hparams(method))


def _requires_hparams(method: Callable[..., Any]) -> bool:
    parameter = inspect.signature(method).parameters.get("hparams")
    return parameter is not None and parameter.default is parameter.empty


def _with_hparams(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def with_hparams(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not args and "hparams" not in kwargs:
            kwargs["hparams"] = dict(current().hparams)
        return method(self, *args, **kwargs)

    return with_hparams
