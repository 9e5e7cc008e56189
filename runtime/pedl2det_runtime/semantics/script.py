"""A script that calls ``model.fit`` itself, trained by the controller ("simple model definition").

The script runs as ``__main__``. Where it calls ``fit`` or ``fit_generator``, the controller trains
its model on its data, for as long as the config says; then the script goes on.
"""

from __future__ import annotations

import inspect
import json
import runpy
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import tensorflow as tf

from pedl2det_runtime.api.generation import EARLY_DETERMINED
from pedl2det_runtime.api.trial import TFKerasTrial
from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.errors import InvalidExperimentException, TrialLoadError
from pedl2det_runtime.semantics.recorded_fit import described

#: Trains what a call of ``fit`` describes; gives the run's directory.
Train = Callable[[type[TFKerasTrial], TrialInfo], Path]


@dataclass
class Fits:
    """The calls of ``fit`` in a script.

    Attributes:
        count: how many there were.
        failure: what one of them raised, which the script may have caught.
    """

    count: int = 0
    failure: BaseException | None = None


def run_script(script: Path, info: TrialInfo, train: Train) -> None:
    """Run a script whose ``fit`` is trained by the controller.

    Args:
        script: the file.
        info: the running trial.
        train: trains the trial that a call of ``fit`` describes.

    Raises:
        TrialLoadError: there is no such file, or it never calls ``fit``.
        InvalidExperimentException: it calls ``fit`` twice, or with what cannot be trained; told
            even where the script catches it.
    """
    if not script.is_file():
        raise TrialLoadError(f"entrypoint.script: {script}: no such file")
    arguments, sys.argv = sys.argv, [str(script)]
    try:
        with fit_is_training(info, train) as fits:
            runpy.run_path(str(script), run_name="__main__")
    except SystemExit as error:  # sys.exit() at the end of a script says that all is well
        if error.code not in (None, 0):
            raise
    finally:
        sys.argv = arguments
    if fits.failure:
        raise fits.failure
    if not fits.count:
        raise TrialLoadError(f"{script}: the script never called fit or fit_generator of a model")


@contextmanager
def fit_is_training(info: TrialInfo, train: Train) -> Iterator[Fits]:
    """Have the controller train where any model's ``fit`` is called; gives the calls so far."""
    fits = Fits()

    def trained(model: Any, name: str, said: dict[str, Any]) -> Any:
        fits.count += 1
        try:
            if fits.count > 1:
                raise InvalidExperimentException(
                    f"model.{name}: a script may train one model, once"
                )
            trial_class, size = described(model, name, said, info)
            out = train(trial_class, replace(info, scripts_batch_size=size * info.slots))
        except SystemExit as error:
            fits.failure = InvalidExperimentException(f"model.{name}: sys.exit() while it trained")
            raise fits.failure from error
        except BaseException as error:
            fits.failure = error
            raise
        return _history(model, out / "metrics.jsonl")

    with _intercepted(trained):
        yield fits


def _history(model: Any, log: Path) -> Any:
    """What ``fit`` returns; a report takes the place of an epoch."""
    returned = tf.keras.callbacks.History()
    returned.model, returned.history = model, _reported(log)
    returned.epoch = list(range(len(returned.history.get("loss", []))))
    returned.params = {}
    return returned


def _reported(log: Path) -> dict[str, list[float]]:
    """Each metric of all reports, as ``History.history`` has them."""
    found: dict[str, list[float]] = {}
    for line in log.read_text(encoding="utf-8").splitlines():
        for name, value in EARLY_DETERMINED.with_aliases(json.loads(line)["metrics"]).items():
            found.setdefault(name, []).append(value)
    return found


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
