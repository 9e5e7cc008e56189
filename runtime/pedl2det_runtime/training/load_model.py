"""Load a trained model from a checkpoint (``determined.keras.load_model_from_checkpoint_path``)."""

from __future__ import annotations

import builtins
import json
import math
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pedl2det_runtime.api.context import TFKerasTrialContext
from pedl2det_runtime.api.trial_info import TrialInfo, running
from pedl2det_runtime.backends import graph_mode, keras_versions
from pedl2det_runtime.checkpoint import directory as checkpoint_directory
from pedl2det_runtime.checkpoint import manifest, model_files, resource_limits, signature
from pedl2det_runtime.checkpoint.old_formats.hdf5_model import HDF5Model
from pedl2det_runtime.checkpoint.old_formats.old_checkpoint import NAMES, OldCheckpoint, open_old
from pedl2det_runtime.checkpoint.state import read_metadata
from pedl2det_runtime.checkpoint.untrusted_files import read_json, reading
from pedl2det_runtime.config.reader import config_from
from pedl2det_runtime.errors import CheckFailedError, CheckpointError
from pedl2det_runtime.errors.repeated_warnings import logger
from pedl2det_runtime.errors.trial_code import one_line
from pedl2det_runtime.training.trial_loading import at_home, load_trial, users_code

#: Layers whose config holds code, or names any function of TensorFlow.
_CODE = {"Lambda", "__lambda__", "TFOpLambda", "SlicingOpLambda", "ClassMethod"}
_CODE |= {"InstanceMethod", "InstanceProperty", "TensorFlowOpLayer"}
_KERAS = ("keras", "tf_keras")
#: Modules of Keras with functions, and with parts of models, without ``keras.`` or ``keras.src.``.
_FUNCTIONS = {"activations", "constraints", "initializers", "losses", "metrics", "regularizers"}
_MODULES = {"", "engine", "layers", "mixed_precision", "models", "optimizers"} | _FUNCTIONS
#: Keys whose text is a name or a keyword, not a path.
_TEXT = {
    *("backend", "class_aggregation", "class_name", "curve", "data_format", "distribution"),
    *("dtype", "encoding", "equation", "fill_mode", "fn", "interpolation", "keras_version"),
    *("mask_token", "merge_mode", "mode", "module", "name", "oov_token", "output_mode", "padding"),
    *("reduction", "registered_name", "rng_type", "sample_weight_mode", "score_mode"),
    *("serialized", "split", "standardize", "summation_method", "type_spec", "vocabulary_dtype"),
}
_TEXT_ENDINGS = ("activation", "_constraint", "_initializer", "_regularizer")
#: Keys of lists of text. Text alone would be the path of a file.
_LISTS = {"vocabulary"}
#: Keys of text by the names of outputs or arguments.
_BY_NAME = {
    *("input_layers", "inbound_nodes", "output_layers"),
    *("loss", "metrics", "weighted_metrics"),
}
#: Counts that determine the memory of a metric, some by their square.
_COUNTS = {"num_classes", "num_thresholds"}
_MAX_COUNT = 10_000
_MAX_SHOWN = 60  # characters of a text
_log = logger(__name__)

_CONFIGS = ("model_config", "training_config")
_MAX_NAMED = 3


def needs_trust(config: Any, key: str = "") -> Iterator[str]:
    """Yield the parts of a Keras config that run code, may open a file or take much memory.

    Text is allowed under known keys only: Keras may open text under other keys as a file.
    """
    if isinstance(config, dict):
        name = config.get("class_name")
        if name is not None and (code := _code(config, str(name))):
            yield code
            return
        for part, value in config.items():
            is_name = part == "config" and name == "function" and isinstance(value, str)
            if not is_name:
                yield from needs_trust(value, key if name is None and key in _BY_NAME else part)
    elif isinstance(config, list):
        for value in config:
            if not (key in _LISTS and isinstance(value, str)):
                yield from needs_trust(value, key)
    elif isinstance(config, str):
        if key not in _TEXT | _BY_NAME and not key.endswith(_TEXT_ENDINGS):
            yield f"{key}: {config[:_MAX_SHOWN]!r}"
    elif key in _COUNTS and (config or 0) > _MAX_COUNT:
        yield f"{key}: {config}"


def _code(config: dict[str, Any], name: str) -> str | None:
    """Return the name of a config's class or function if it is code or not of Keras; else None."""
    module = str(config.get("module") or "keras")
    is_function = name == "function"
    if is_function:
        name = str(config.get("config"))
    root, _, inside = module.partition(".")
    part = inside.removeprefix("src.").partition(".")[0]
    if name in _CODE:
        return name
    if module == "builtins":
        return name if hasattr(builtins, name) else None
    modules = _FUNCTIONS if is_function and inside else _MODULES
    is_of_keras = root in _KERAS and part in modules and "." not in name
    return None if is_of_keras else f"{module}.{name}"


def load_model_from_checkpoint_path(
    path: str | Path,
    tags: list[str] | None = None,  # noqa: ARG001
    trust: bool = False,
) -> Any:
    """Load the model that a ``TFKerasTrial`` wrote into a checkpoint.

    Every file is verified first. A checkpoint that this user's pedl2det wrote, or that this user
    has signed with ``pedl2det checkpoint trust``, is trusted; any other only with ``trust``.
    Without trust no code of the checkpoint runs, and no file that it names is opened: Keras opens
    the HDF5 file, which works for models made of Keras' own layers, losses and metrics. With trust
    the trial's code in the checkpoint builds the model: the trial is constructed with a context
    like that of :meth:`TFKerasTrialContext.from_config`, and its ``build_model()`` is called. If
    the model was trained in graph mode, this selects graph mode for the rest of the process. Every
    format of PEDL and Determined is opened in the same way; Keras opens one without code if it is
    an HDF5 file.

    Args:
        path: the checkpoint's directory.
        tags: not used.
        trust: run the code in the checkpoint, though it is not signed: the trial's, and ``Lambda``
            layers.

    Returns:
        The ``tf.keras.Model``, compiled, with its weights and the state of its optimizer.

    Raises:
        AssertionError: ``path`` is not a checkpoint of a Keras trial.
        CheckpointError: the checkpoint is damaged, needs its code, or does not fit its trial.
        TrialCodeError: the trial's code raised an exception.
    """
    keras_versions.choose_keras_2()
    keras_versions.prepare()
    directory = Path(path).resolve()
    if checkpoint_directory.is_own(directory):
        checkpoint_directory.verify(directory)
        return _load_own(directory, trust or signature.is_signed(directory))
    old = open_old(directory)
    if old is None:
        raise CheckFailedError(
            f"{path}: no checkpoint of a Keras trial: expected state.json of a checkpoint of "
            f"pedl2det, or one of {', '.join(NAMES)}"
        )
    manifest.refuse_special(directory)
    model, optimizers = load_old(old, trust or signature.is_signed(directory))
    if model.built:
        try:
            old.restore_optimizers(model, optimizers)
        except CheckpointError as error:
            _log.warning("%s: the optimizer starts with a new state", error)
    return model


def load_old(
    old: OldCheckpoint, trust: bool, *, needs_weights: bool = False
) -> tuple[Any, list[Any]]:
    """Load the model of a checkpoint of PEDL or Determined, without the states of its optimizers.

    ``needs_weights`` refuses a model whose first batch creates its weights.

    Returns:
        The model and the wrapped optimizers.
    """
    facts, code = old.facts, old.code
    if trust and code is not None and facts.config is not None:
        hparams = facts.hparams or {}
        model, optimizers = _build_with_code(
            code, facts.config, hparams, facts.entrypoint, batch=None
        )
        if needs_weights and not model.built:
            raise CheckpointError(
                f"{old.path}: its model is built by its first batch of data: "
                f"{_how_to_continue(old)}"
            )
        with model_files.fit_errors(old.weights.file):
            limit = resource_limits.largest(model) if model.built else math.inf
            old.weights.restore_weights(model, limit)
        return model, optimizers
    if isinstance(old.weights, HDF5Model):
        model = _open_hdf5(old.weights.file, trust)
        if model.optimizer is not None:  # Keras has restored its state
            model.optimizer = type(model.optimizer).from_config(model.optimizer.get_config())
        return model, []
    if not trust:
        raise CheckpointError(
            f"{old.path}: only its code can build this model; {_how_to_trust(old.path)}"
        )
    lacks = "code/" if code is None else "the experiment config (load_data.json or metadata.json)"
    raise CheckpointError(
        f"{old.path}: only the trial's code can build this model, and the checkpoint lacks "
        f"{lacks}: {_how_to_continue(old)}"
    )


def _how_to_trust(directory: Path) -> str:
    return (
        "you have not signed it, or it has changed since; if you trust it, sign it once with "
        f"pedl2det checkpoint trust {shlex.quote(str(directory))}, or pass trust=True "
        "(convert: --trust)"
    )


def _how_to_continue(old: OldCheckpoint) -> str:
    return f"continue training from it with pedl2det run DIR --from-checkpoint {old.path}"


def _load_own(directory: Path, trust: bool) -> Any:
    code, file = directory / "code", directory / model_files.MODEL
    if trust and code.is_dir():
        config, metadata = read_json(directory / "experiment_config.json"), read_metadata(directory)
        hparams = read_json(directory / "hparams.json")
        if metadata.get("graph_mode"):
            graph_mode.choose()
        model, _ = _build_with_code(
            code, config, hparams, config.get("entrypoint"), metadata["batch"]
        )
    elif file.exists():
        model = _open_hdf5(file, trust=False)
    else:
        raise CheckpointError(
            f"{directory}: only its code can build this model; {_how_to_trust(directory)}"
        )
    model_files.restore_weights(directory, model)
    return model


def _build_with_code(
    code: Path, raw: dict[str, Any], hparams: dict[str, Any], entrypoint: Any, batch: Any
) -> tuple[Any, list[Any]]:
    """Build the model of a trial with its own code; return it with the wrapped optimizers.

    The batch spec builds a model without inputs; None if it is not known.
    """
    config = config_from(raw)
    info = TrialInfo(
        config=config,
        hparams=hparams,
        seed=config.reproducibility.experiment_seed,
        tensorboard_dir=Path(tempfile.gettempdir()) / "tensorboard",
    )
    with running(info), at_home(code), _without_bytecode():
        trial_class = load_trial(code, entrypoint)
        with users_code(code, f"build the model of {trial_class.__name__}"):
            context = TFKerasTrialContext(info, managed=False)
            model = trial_class(context).build_model()
            if batch is not None and not (graph_mode.is_chosen() and model.built):
                keras_versions.build(model, model_files.spec_of_batch(batch))
    return model, context.optimizers


@contextmanager
def _without_bytecode() -> Iterator[None]:
    """Write no bytecode beside the code of a checkpoint, which would invalidate its signature."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


def _open_hdf5(path: Path, trust: bool) -> Any:
    """Open a model that Keras saved in HDF5."""
    import h5py
    import tensorflow as tf

    resource_limits.check_hdf5(path)
    with reading(path), h5py.File(path) as file:
        configs = [json.loads(file.attrs.get(name, "{}")) for name in _CONFIGS]
        needs = sorted({part for config in configs for part in needs_trust(config)})
    if needs and not trust:
        named = ", ".join(needs[:_MAX_NAMED]) + (", ..." if len(needs) > _MAX_NAMED else "")
        raise CheckpointError(
            f"{path}: the model may run code, open files or take much memory ({named}); "
            f"{_how_to_trust(path.parent)}"
        )
    try:
        if not trust:
            _check_size(configs[0], path)
        with h5py.File(path) as file:
            return tf.keras.models.load_model(file)
    except Exception as error:  # Keras may raise anything
        hint = "" if trust else f"; it may need the trial's code: {_how_to_trust(path.parent)}"
        raise CheckpointError(f"{path}: Keras cannot open it: {one_line(error)}{hint}") from error


def _check_size(config: Any, path: Path) -> None:
    """Refuse a config whose weights are larger than the file, before they take memory."""
    import tensorflow as tf

    with tf.Graph().as_default():
        size = resource_limits.size_of(tf.keras.models.model_from_json(json.dumps(config)))
    if size > path.stat().st_size:
        raise ValueError(f"its layers have {size} bytes of weights, more than the file")
