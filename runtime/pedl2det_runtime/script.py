"""A script that calls ``model.fit`` itself, trained by the controller ("simple model definition").

The script runs as ``__main__``. Where it calls ``fit`` or ``fit_generator``, the controller trains
its model on its data, for as long as the config says; then the script goes on.
"""

from __future__ import annotations

import inspect
import logging
import runpy
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import tensorflow as tf

from pedl2det_runtime.context import TFKerasTrialContext
from pedl2det_runtime.current import TrialInfo
from pedl2det_runtime.data import ArraySequence, is_dataset
from pedl2det_runtime.errors import InvalidExperimentException, TrialLoadError
from pedl2det_runtime.generation import EARLY_DETERMINED, Generation
from pedl2det_runtime.trial import TFKerasTrial

_log = logging.getLogger(__name__)

Train = Callable[[type[TFKerasTrial], TrialInfo], None]

_KERAS_BATCH = 32  # what Keras takes where fit names no batch size
_FIT_SETTINGS = (
    "class_weight",
    "validation_steps",
    "workers",
    "use_multiprocessing",
    "max_queue_size",
)


def run_script(script: Path, info: TrialInfo, train: Train) -> None:
    """Run a script whose ``fit`` is trained by the controller.

    Args:
        script: the file.
        info: the running trial.
        train: trains the trial that a call of ``fit`` describes.

    Raises:
        TrialLoadError: there is no such file, or it never calls ``fit``.
        InvalidExperimentException: it calls ``fit`` twice, or without validation data.
    """
    if not script.is_file():
        raise TrialLoadError(f"entrypoint.script: {script}: no such file")
    arguments, sys.argv = sys.argv, [str(script)]
    try:
        with fit_is_training(info, train) as calls:
            runpy.run_path(str(script), run_name="__main__")
    finally:
        sys.argv = arguments
    if not calls:
        raise TrialLoadError(f"{script}: the script never called fit or fit_generator of a model")


@contextmanager
def fit_is_training(info: TrialInfo, train: Train) -> Iterator[list[str]]:
    """Have the controller train where any model's ``fit`` is called; gives the calls so far."""
    calls: list[str] = []

    def trained(model: Any, name: str, said: dict[str, Any]) -> Any:
        calls.append(name)
        if len(calls) > 1:
            raise InvalidExperimentException(f"model.{name}: a script may train one model, once")
        said.setdefault("steps_per_epoch", info.config.report_period)
        trial_class, size = _described(model, name, said)
        train(trial_class, replace(info, scripts_batch_size=size))
        history = tf.keras.callbacks.History()
        history.model, history.history = model, {}
        return history

    with _intercepted(trained):
        yield calls


@contextmanager
def _intercepted(trained: Callable[[Any, str, dict[str, Any]], Any]) -> Iterator[None]:
    """Have ``fit`` and ``fit_generator`` of every model call ``trained``, outside of itself."""
    kind = tf.keras.Model
    originals = {name: vars(kind)[name] for name in ("fit", "fit_generator") if hasattr(kind, name)}

    def restore() -> None:
        for name, original in originals.items():
            setattr(kind, name, original)

    def patch() -> None:
        for name, original in originals.items():
            setattr(kind, name, intercepting(name, original))

    def intercepting(name: str, original: Any) -> Any:
        def fit(model: Any, *args: Any, **kwargs: Any) -> Any:
            said = inspect.signature(original).bind(model, *args, **kwargs).arguments
            restore()
            try:
                return trained(model, name, dict(said))
            finally:
                patch()

        return fit

    patch()
    try:
        yield
    finally:
        restore()


def _described(model: Any, name: str, said: dict[str, Any]) -> tuple[type[TFKerasTrial], int]:
    """The trial that a call of ``fit`` describes, and its batch size."""
    if said.get("validation_data") is None:
        raise InvalidExperimentException(
            f"model.{name}: validation_data is required; validation_split is not served"
        )
    if said.get("y") is not None and said.get("shuffle", True):
        _log.warning("model.%s: the data are read in their own order, not shuffled", name)
    size = int(said.get("batch_size") or _KERAS_BATCH)
    x, y = said.get("x", said.get("generator")), said.get("y")
    weights = said.get("sample_weight")
    # The passes over a generator have no length of their own: one is a step.
    training = _as_batches(x if y is None else (x, y, weights), size, said["steps_per_epoch"])
    validation = _as_batches(said["validation_data"], size, said.get("validation_steps"))
    settings = {key: said[key] for key in _FIT_SETTINGS if said.get(key) is not None}
    if isinstance(training, _Drawn):  # a generator is drawn from by one thread
        settings |= {"workers": min(settings.get("workers", 1), 1), "use_multiprocessing": False}

    class Script(TFKerasTrial):
        """The trial of a script."""

        def __init__(self, context: TFKerasTrialContext) -> None:
            super().__init__(context)
            context.configure_fit(shuffle=False, **settings)

        @property
        def api_generation(self) -> Generation:
            return replace(EARLY_DETERMINED, wraps_datasets=False)

        def build_model(self) -> Any:
            return self.context.adopt_compiled_model(model)

        def build_training_data_loader(self) -> Any:
            return training

        def build_validation_data_loader(self) -> Any:
            return validation

        def keras_callbacks(self) -> list[Any]:
            return list(said.get("callbacks") or [])

    return Script, getattr(training, "batch_size", None) or size


def _as_batches(data: Any, size: int, steps: int | None = None) -> Any:
    """Some data as the controller reads them; ``steps`` is for those without a length."""
    if is_dataset(data):
        return data
    if isinstance(data, tuple | list):
        arrays = tuple(part for part in data if part is not None)
        return ArraySequence(arrays, size)
    if hasattr(data, "__getitem__") and hasattr(data, "__len__"):
        return data
    if steps is None:
        raise InvalidExperimentException("validation_data: a generator needs validation_steps")
    return _Drawn(data, steps)


class _Drawn:
    """Batches that a Python generator gives, in its order.

    A resumed run draws again what had been trained, so the count of what was drawn is no memory
    that a checkpoint would carry: it stands in a list of its own with the generator.
    """

    def __init__(self, generator: Any, steps: int) -> None:
        self._steps = steps
        self._source = [iter(generator), 0]

    def __len__(self) -> int:
        return self._steps

    def __getitem__(self, index: int) -> Any:
        generator, drawn = self._source
        for _ in range(index - drawn % len(self)):
            next(generator)
            drawn += 1
        self._source[1] = drawn + 1
        return next(generator)
