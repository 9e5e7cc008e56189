"""What a trial keeps of a call of ``fit``: its model, its data, its callbacks, its settings.

The old harness trained for as long as the config says, in the order of the data: ``epochs``,
``shuffle`` and ``verbose`` had no effect there, and are gone.
"""

from __future__ import annotations

import ast

from pedl2det.engine.lowering.data import Data, data_of
from pedl2det.engine.lowering.fit_call import FitCall, Given
from pedl2det.engine.lowering.fits import Fits
from pedl2det.engine.lowering.lowered import Facts
from pedl2det.engine.lowering.recorded_data import KERAS_BATCH, flow_size, keep_data, size_of
from pedl2det.engine.lowering.recording import Recorded
from pedl2det.findings import Kind

_SETTINGS = ("class_weight", "workers", "use_multiprocessing", "max_queue_size")
#: Settings that say what Determined does anyway.
_DEFAULTS = {"workers": 1, "use_multiprocessing": False, "max_queue_size": 10}

_HIDDEN = "`{}` hides arguments of fit"
_WRITE_ARGUMENTS = "write the arguments of fit by their names"
_OWN_BATCHES = (
    "the data are batches already: global_batch_size, {size}, only says how many records they hold"
)
_ONE_THREAD = "a generator is drawn from by one thread: workers and processes are left out"


def record(fits: Fits, fit: FitCall, facts: Facts, counts_epochs: bool) -> Recorded:
    """What takes the place of a call of ``fit``.

    Args:
        fits: the trainings of the project.
        fit: the call.
        facts: what is known beside the script.
        counts_epochs: whether there are callbacks that act by epoch.
    """
    made = Recorded()
    made.keep("model", made.hole("model", Given(fit.model)))
    size = size_of(fits, fit)
    keep_data(fits, fit, facts, made, size)
    _callbacks(fits, fit, made, counts_epochs)
    _settings(fits, fit, made)
    if made.batch_size is None and not facts.has_batch_size and size != "hyperparameter":
        made.batch_size = size if isinstance(size, int) else KERAS_BATCH
        if not fit.is_cut and "x" in fit.given and flow_size(fits, fit.given["x"].node) is None:
            made.said.append((Kind.NOTE, _OWN_BATCHES.format(size=made.batch_size), ""))
    if fit.hidden is not None:
        text = ast.unparse(fit.hidden)
        made.said.append((Kind.LEFT, _HIDDEN.format(text), _WRITE_ARGUMENTS))
    return made


def _callbacks(fits: Fits, fit: FitCall, made: Recorded, counts_epochs: bool) -> None:
    given = fit.given.get("callbacks")
    if given is None or (isinstance(given.node, ast.List) and not given.node.elts):
        return
    made.has_callbacks = True
    origins = fits.flow.origins(given.node)
    made.may_be_none = not all(isinstance(one.node, ast.List) for one in origins)
    made.keep("callbacks", made.hole("callbacks", given))
    steps = fit.given.get("steps_per_epoch")
    if counts_epochs and steps is not None:
        hole = "{steps}" if "steps" in made.holes else made.hole("steps", steps)
        made.keep("batches_per_epoch", hole)


def _settings(fits: Fits, fit: FitCall, made: Recorded) -> None:
    wanted = [
        name
        for name in _SETTINGS
        if name in fit.given and not _is_default(name, fit.given[name].node)
    ]
    kind = data_of(fits, fit.given["x"].node) if "x" in fit.given else Data.ARRAYS
    if not fit.is_cut and kind in (Data.GENERATOR, Data.UNKNOWN):
        kept = [name for name in wanted if name not in ("workers", "use_multiprocessing")]
        if kept != wanted:
            made.said.append((Kind.NOTE, _ONE_THREAD, ""))
        wanted = kept
    validation, steps = fit.given.get("validation_data"), fit.given.get("validation_steps")
    is_dataset = validation is not None and data_of(fits, validation.node) is Data.DATASET
    if is_dataset and steps is not None:
        wanted.append("validation_steps")
    if wanted:
        settings = ", ".join(f"{name}={made.hole(name, fit.given[name])}" for name in wanted)
        made.lines.append(f"{{trial}}.context.configure_fit({settings})")


def _is_default(name: str, node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == _DEFAULTS.get(name)
