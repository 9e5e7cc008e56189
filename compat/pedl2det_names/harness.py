"""Names of PEDL and of early Determined."""

from __future__ import annotations

import re

from pedl2det_names.name import Name, table

ROOT = "pedl"

_TRIAL = "determined.keras.TFKerasTrial"
_PEDL = "Determined 0.12"
_EARLY = "Determined 0.13"


def _getter(old: str) -> Name:
    name = old.rpartition(".")[2]
    return Name(old, f"{{context}}.{name}()", _PEDL, support=name)


def _trial(old: str) -> Name:
    write = "derive from determined.keras.TFKerasTrial and take the context in the constructor"
    return Name(old, _TRIAL, _PEDL if old.startswith("pedl") else _EARLY, write=write)


def _gone(old: str, write: str, support: str | None = None) -> Name:
    return Name(old, None, _PEDL if old.startswith("pedl") else _EARLY, False, write, {}, support)


_LOADER = "return a tf.keras.utils.Sequence"
_ADAPTER = "return the Sequence, and pass workers= and use_multiprocessing= to configure_fit"
_ARRAYS = "return the arrays, or a tf.keras.utils.Sequence"
_NATIVE = "define a TFKerasTrial"
_RANK = "ask context.distributed.get_rank()"

ROWS = table(
    _gone("pedl.Experiment", _NATIVE),
    _gone("pedl.get_hyperparameter", "ask context.get_hparam(name)", "get_hyperparameter"),
    _getter("pedl.get_experiment_config"),
    _getter("pedl.get_trial_seed"),
    _getter("pedl.get_experiment_id"),
    _getter("pedl.get_trial_id"),
    _gone(
        "pedl.get_download_data_dir",
        "name the directory in the data section of the config",
        "get_download_data_dir",
    ),
    _gone("pedl.is_valid_url", "test urllib.parse.urlparse(url).scheme", "is_valid_url"),
    _getter("pedl.trial.get_trial_seed"),
    _gone("pedl.trial.MetricOp", "annotate with typing.Callable"),
    _gone("pedl.trial.ValidOp", "annotate with typing.Callable"),
    _gone("pedl.util.get_hyperparameters", "ask context.get_hparams()", "get_hyperparameters"),
    _getter("pedl.util.get_experiment_config"),
    _gone("pedl.trial_controller.util.get_rank", _RANK, "get_rank"),
    _gone(
        "pedl.trial_controller.util.get_container_gpus",
        "call tf.config.list_physical_devices('GPU')",
        "get_container_gpus",
    ),
    _gone("pedl.data.ArrayBatchLoader", _LOADER, "ArrayBatchLoader"),
    _gone("pedl.data.Batch", _LOADER, "Batch"),
    _gone("pedl.data.BatchLoader", _LOADER, "BatchLoader"),
    _gone("pedl.data.SliceBatchLoader", _LOADER, "SliceBatchLoader"),
    _gone(
        "pedl.frameworks.util.elementwise_mean",
        "pass the metric to compile; Keras averages it over batches",
        "elementwise_mean",
    ),
    _trial("pedl.frameworks.keras.KerasFunctionalTrial"),
    _trial("pedl.frameworks.keras.KerasTrial"),
    _gone(
        "pedl.frameworks.keras.wrap_dataset",
        "call context.wrap_dataset(dataset)",
        "wrap_dataset",
    ),
    _trial("pedl.frameworks.keras.TFKerasTrial"),
    Name(
        "pedl.frameworks.keras.TFKerasTensorBoard",
        "determined.keras.callbacks.TensorBoard",
        _PEDL,
    ),
    _trial("pedl.frameworks.keras.tf_keras_trial.TFKerasTrial"),
    _gone("pedl.frameworks.keras.data.InMemorySequence", _ARRAYS, "InMemorySequence"),
    _gone("pedl.frameworks.keras.data.KerasDataAdapter", _ADAPTER, "KerasDataAdapter"),
    _gone("determined.create", _NATIVE),
    *(
        _gone(f"determined.experimental.{name}", "run `pedl2det run DIR --test` instead")
        for name in ("create", "create_trial_instance")
    ),
    _gone("determined.experimental.keras.init", _NATIVE),
    _gone("determined.frameworks.keras.data.KerasDataAdapter", _ADAPTER, "KerasDataAdapter"),
    _trial("determined.frameworks.keras.tf_keras_trial.TFKerasTrial"),
    _gone("determined.keras.InMemorySequence", _ARRAYS, "InMemorySequence"),
    _gone("determined.keras.KerasDataAdapter", _ADAPTER, "KerasDataAdapter"),
    _gone("determined.keras.SequenceAdapter", _ADAPTER, "KerasDataAdapter"),
    Name("determined.keras.TFKerasContext", "determined.keras.TFKerasTrialContext", _EARLY),
    _gone("determined.keras.TFKerasNativeContext", _NATIVE),
    _gone("determined.keras.init", _NATIVE),
    _gone("determined.trial_controller.util.get_rank", _RANK, "get_rank"),
)

#: Names of context-based code that have moved.
AGED = table(
    *(
        Name(f"determined_common.experimental.{name}", f"determined.experimental.{name}")
        for name in ("Checkpoint", "Determined", "Model")
    ),
)

#: Present and former names of ``KerasDataAdapter``.
ADAPTERS = {
    "determined.frameworks.keras.data.KerasDataAdapter",
    "determined.keras.KerasDataAdapter",
    "determined.keras.SequenceAdapter",
    "pedl.frameworks.keras.data.KerasDataAdapter",
}
IN_MEMORY_SEQUENCES = {
    "determined.keras.InMemorySequence",
    "pedl.frameworks.keras.data.InMemorySequence",
}
LOADERS = ADAPTERS | IN_MEMORY_SEQUENCES

#: The function that returns one hyperparameter without a context.
GET_HYPERPARAMETER = "pedl.get_hyperparameter"

#: Getters of the context in Determined 0.12, which are on ``context.distributed`` since 0.13.
RANK_GETTERS = ("get_rank", "get_size", "get_local_rank", "get_num_agents")

#: Keys of a config in steps.
CONFIG_IN_STEPS = (b"max_steps", b"target_trial_steps", b"batches_per_step")

#: Packages with old API only.
_OLD_PACKAGES = (f"{ROOT}.", "determined.frameworks.", "determined.trial_controller.")

_EARLY_NAMES = sorted({old.rpartition(".")[2] for old in ROWS if not old.startswith(f"{ROOT}.")})
_MENTIONS = re.compile("|".join([ROOT, *_EARLY_NAMES]).encode())


def is_legacy(dotted: str) -> bool:
    """Return whether a dotted name belongs to PEDL or early Determined."""
    return dotted == ROOT or dotted.startswith(_OLD_PACKAGES) or dotted in ROWS


def namesakes(dotted: str) -> list[str]:
    """Return the names of this table that end like a name of the same root that it lacks."""
    root, last = dotted.partition(".")[0], dotted.rpartition(".")[2]
    return [old for old in ROWS if old.startswith(f"{root}.") and old.endswith(f".{last}")]


def mentions_legacy(data: bytes) -> bool:
    """Return whether the bytes of a file may contain a name of PEDL or early Determined."""
    if ROOT.encode() in data:
        return True
    return b"determined" in data and _MENTIONS.search(data) is not None
