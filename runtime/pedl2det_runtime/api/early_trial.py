"""Trials of early Determined that still take ``hparams``, as its first documents showed them."""

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
    """Give ``hparams`` to those methods of a trial that ask for it (spec/early_determined.md, 3.4).

    Args:
        trial_class: the trial; its own methods are changed.
    """
    for name in _METHODS:
        method = vars(trial_class).get(name)
        if inspect.isfunction(method) and _asks(method):
            setattr(trial_class, name, _given(method))


def _asks(method: Callable[..., Any]) -> bool:
    parameter = inspect.signature(method).parameters.get("hparams")
    return parameter is not None and parameter.default is parameter.empty


def _given(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def given(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not args and "hparams" not in kwargs:
            kwargs["hparams"] = dict(current().hparams)
        return method(self, *args, **kwargs)

    return given
