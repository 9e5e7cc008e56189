"""Trials that start themselves: ``determined.experimental`` of April to December 2020.

A script calls ``keras.init(config)``, wraps its model and calls ``fit``; or hands a trial class to
``create``. Both train in this process, for as long as the config says, into
``runs/<name of the config>``; a test of one batch leaves no results.
"""

from __future__ import annotations

import contextlib
import enum
import tempfile
from pathlib import Path
from typing import Any

from pedl2det_runtime.api.context import TFKerasTrialContext
from pedl2det_runtime.api.trial import TFKerasTrial
from pedl2det_runtime.api.trial_info import TrialInfo, current, running
from pedl2det_runtime.backends import keras_versions, random_state
from pedl2det_runtime.config.notices import notices, refuse_unsupported
from pedl2det_runtime.config.reader import config_from, local_config
from pedl2det_runtime.errors import NoTrialError
from pedl2det_runtime.older_apis.script import intercept_fit
from pedl2det_runtime.training.display import Display, Lines
from pedl2det_runtime.training.run import locked_run, resolve_run, train
from pedl2det_runtime.training.run_options import RunOptions


class Mode(enum.Enum):
    """Where a trial is trained: there is no cluster, so ``SUBMIT`` trains here as well."""

    CLUSTER = "cluster"
    LOCAL = "local"
    SUBMIT = "submit"
    TEST = "test"


class TFKerasNativeContext(TFKerasTrialContext):
    """What ``keras.init`` returns; ``fit`` of the wrapped model trains it."""

    def wrap_model(self, model: Any) -> Any:
        """The model itself: its ``compile`` and ``fit`` are the user's to call."""
        return model


def init(
    config: dict[str, Any] | None = None,
    mode: Mode | None = None,
    context_dir: str = ".",
    *_: Any,
    local: bool = True,
    test: bool = False,
    **__: Any,
) -> TFKerasNativeContext:
    """Begin an experiment in a script; the next ``fit`` of a model trains it.

    Args:
        config: the experiment config; that of the run, inside ``pedl2det run``. Without a
            ``searcher``, 100 batches are trained.
        mode: ``Mode.TEST`` trains one batch; all others the whole.
        context_dir: the directory of the code.
        local: not used: a trial is always trained here.
        test: as ``Mode.TEST``.

    Raises:
        ConfigError: the config is wrong, or there are results of an earlier run.
    """
    del local
    try:
        return TFKerasNativeContext(current())  # a run has begun: its fit is training already
    except NoTrialError:
        pass
    options, info = _begin(config or {}, context_dir, mode is Mode.TEST or test)

    def train_it(trial_class: type[TFKerasTrial], info: TrialInfo) -> Path:
        _train(trial_class, info, options)
        return options.out

    _until_the_end.enter_context(intercept_fit(info, train_it))
    return TFKerasNativeContext(info)


def create(
    trial_def: type[TFKerasTrial],
    config: dict[str, Any] | None = None,
    mode: Mode | None = None,
    context_dir: str = ".",
    *_: Any,
    local: bool = True,
    test: bool = False,
    **__: Any,
) -> None:
    """Train a trial class; the other arguments are those of :func:`init`.

    Raises:
        ConfigError: the config is wrong, or there are results of an earlier run.
    """
    del local
    options, info = _begin(config or {}, context_dir, mode is Mode.TEST or test)
    _train(trial_def, info, options)


def test_one_batch(trial_class: type[TFKerasTrial], config: dict[str, Any] | None = None) -> None:
    """Train and validate one batch of a trial class, to try it."""
    create(trial_class, config, test=True)


def create_trial_instance(
    trial_def: type[TFKerasTrial],
    checkpoint_dir: str,
    config: dict[str, Any] | None = None,
    hparams: dict[str, Any] | None = None,
) -> TFKerasTrial:
    """Return a trial outside of a run, to try its methods; nothing is trained or loaded.

    ``checkpoint_dir`` is not used. ``hparams`` replace those of the config.
    """
    del checkpoint_dir
    given = dict(config or {})
    if hparams is not None:
        given["hyperparameters"] = hparams
    return trial_def(TFKerasTrialContext.from_config(given))


def _train(trial_class: type[TFKerasTrial], info: TrialInfo, options: RunOptions) -> None:
    # The script prints as well.
    display = Display() if info.rank else Lines(print, None if options.test else options.out)
    with locked_run(options, info.rank, display.say):
        train(trial_class, resolve_run(options, info, display))


_until_the_end = contextlib.ExitStack()


def _begin(config: dict[str, Any], context_dir: str, test: bool) -> tuple[RunOptions, TrialInfo]:
    experiment = config_from(local_config(config), raw=config)
    refuse_unsupported(experiment)
    if test:
        temporary = tempfile.TemporaryDirectory(prefix="pedl2det-test-")
        out = Path(_until_the_end.enter_context(temporary))
    else:
        name = "".join(c if c.isalnum() or c in "-_." else "_" for c in experiment.title)
        out = (Path("runs") / name).resolve()
    info = TrialInfo.of(experiment, out)
    for line in notices(experiment, info.hparams):
        print(line)  # noqa: T201 - as above
    _until_the_end.enter_context(running(info))
    keras_versions.begin_trial()
    random_state.seed_everything(info.seed)
    directory = Path(context_dir).resolve()
    return RunOptions(directory, out, test=test, discards_results=test), info
