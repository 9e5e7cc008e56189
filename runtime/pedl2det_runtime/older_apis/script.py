"""Run a script that calls ``model.fit`` itself (the "simple model definition" of PEDL).

The script runs as ``__main__``. Its call of ``fit`` or ``fit_generator`` runs the training loop for
the length in the config; then the script continues. Follows docs/semantics.md, Scripts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import tensorflow as tf

from pedl2det_legacy.fit_arguments import bind_fit
from pedl2det_runtime.api.trial import TFKerasTrial
from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.config.generation import EARLY_DETERMINED
from pedl2det_runtime.errors import InvalidExperimentException, TrialLoadError
from pedl2det_runtime.older_apis.recorded_fit import trial_from_fit

#: A function that trains a trial and returns the directory of the run.
Train = Callable[[type[TFKerasTrial], TrialInfo], Path]


@dataclass
class Fits:
    """The calls of ``fit`` in a script."""

    count: int = 0  #: the number of calls
    #: the exception that a call raised; the script may have caught it
    failure: BaseException | None = None


def run_script(script: Path, info: TrialInfo, train: Train) -> None:
    """Run a script; its call of ``fit`` runs the training loop.

    Raises:
        TrialLoadError: the file does not exist, or it never calls ``fit``.
        InvalidExperimentException: the script calls ``fit`` twice, or with unsupported arguments.
            It is raised even if the script catches it.
    """
    if not script.is_file():
        raise TrialLoadError(f"entrypoint.script: {script}: no such file")
    arguments, sys.argv = sys.argv, [str(script)]
    try:
        with intercept_fit(info, train) as fits:
            _run_as_main(script)
    except SystemExit as error:  # a script may end with sys.exit()
        if error.code not in (None, 0):
            raise
    finally:
        sys.argv = arguments
    if fits.failure:
        raise fits.failure
    if not fits.count:
        raise TrialLoadError(f"{script}: the script never called fit or fit_generator of a model")


def _run_as_main(script: Path) -> None:
    """Run a file as ``runpy.run_path`` does, by the loader that finds this machine's paths."""
    before, main = sys.modules["__main__"], ModuleType("__main__")
    main.__file__, main.__package__ = str(script), ""
    sys.modules["__main__"] = main
    if (own := str(script.parent)) not in sys.path:  # as `python script` has it
        sys.path.insert(0, own)
    try:
        SourceFileLoader("__main__", str(script)).exec_module(main)
    finally:
        sys.modules["__main__"] = before


@contextmanager
def intercept_fit(info: TrialInfo, train: Train) -> Iterator[Fits]:
    """Run the training loop when ``fit`` of any model is called in the ``with`` block.

    Yields:
        The record of the calls.
    """
    fits = Fits()

    def trained(model: Any, name: str, arguments: dict[str, Any]) -> Any:
        fits.count += 1
        callbacks = tf.nest.flatten(arguments.get("callbacks") or [])
        if any(getattr(callback, "trains_with_keras", False) for callback in callbacks):
            return getattr(model, name)(**{k: v for k, v in arguments.items() if k != "self"})
        try:
            if fits.count > 1:
                raise InvalidExperimentException(
                    f"model.{name}: a script may train one model, once"
                )
            trial_class, size = trial_from_fit(model, name, arguments, info)
            out = train(trial_class, replace(info, scripts_batch_size=size * info.slots))
        except SystemExit as error:
            fits.failure = InvalidExperimentException(
                f"model.{name}: sys.exit() was called during the training"
            )
            raise fits.failure from error
        except BaseException as error:
            fits.failure = error
            raise
        return _history(model, out / "metrics.jsonl")

    with _intercepted(trained):
        yield fits


def _history(model: Any, log: Path) -> Any:
    """Return the ``History`` object of ``fit``, with one entry per report instead of per epoch."""
    history = tf.keras.callbacks.History()
    history.model, history.params = model, {}
    for line in log.read_text(encoding="utf-8").splitlines():
        for name, value in EARLY_DETERMINED.with_aliases(json.loads(line)["metrics"]).items():
            history.history.setdefault(name, []).append(value)
    history.epoch = list(range(len(history.history.get("loss", []))))
    return history


@contextmanager
def _intercepted(trained: Callable[[Any, str, dict[str, Any]], Any]) -> Iterator[None]:
    """Make ``fit`` and ``fit_generator`` of every model call ``trained``.

    The original methods are in place while ``trained`` runs.
    """
    in_graph = [kind for kind in tf.keras.Model.__subclasses__() if kind.__name__ == "Model"]
    originals = {
        (kind, name): vars(kind)[name]
        for kind in (tf.keras.Model, *in_graph)
        for name in ("fit", "fit_generator")
        if name in vars(kind)
    }

    def restore() -> None:
        for (kind, name), original in originals.items():
            setattr(kind, name, original)

    def patch() -> None:
        for (kind, name), original in originals.items():
            setattr(kind, name, intercepting(name, original))

    def intercepting(name: str, original: Any) -> Any:
        def fit(model: Any, *args: Any, **kwargs: Any) -> Any:
            arguments = bind_fit(original, model, *args, **kwargs).arguments
            restore()
            try:
                return trained(model, name, dict(arguments))
            finally:
                patch()

        return fit

    patch()
    try:
        yield
    finally:
        restore()
