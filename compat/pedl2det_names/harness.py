"""Names of PEDL and of early Determined."""

from __future__ import annotations

import re

from pedl2det_names.name import Name, gone, served, table

ROOT = "pedl"

_TRIAL = "derive from determined.keras.TFKerasTrial and take the context in the constructor"
_NATIVE = "define a TFKerasTrial"
_CREATE = "run `pedl2det run DIR --test` instead"

#: Names that a support piece of the same name implements.
_PIECES = (
    *("pedl.get_hyperparameter", "pedl.get_download_data_dir", "pedl.is_valid_url"),
    "pedl.util.get_hyperparameters",
    *(f"pedl.trial_controller.util.{name}" for name in ("get_rank", "get_container_gpus")),
    *(f"pedl.data.{name}" for name in ("ArrayBatchLoader", "Batch")),
    *(f"pedl.data.{name}" for name in ("BatchLoader", "SliceBatchLoader")),
    *("pedl.frameworks.util.elementwise_mean", "pedl.frameworks.keras.wrap_dataset"),
    "pedl.frameworks.keras.data.InMemorySequence",
    *(f"pedl.frameworks.keras.data.{name}" for name in ("KerasDataAdapter", "SequenceWithOffset")),
    "determined.frameworks.keras.data.KerasDataAdapter",
    *("determined.keras.InMemorySequence", "determined.keras.KerasDataAdapter"),
    "determined.keras.SequenceWithOffset",
    "determined.trial_controller.util.get_rank",
)
#: Names without a successor.
_GONE = {
    "pedl.Experiment": _NATIVE,
    "determined.create": _NATIVE,
    "determined.experimental.create": _CREATE,
    "determined.experimental.create_trial_instance": _CREATE,
    "determined.experimental.keras.init": _NATIVE,
    "determined.keras.TFKerasNativeContext": _NATIVE,
    "determined.keras.init": _NATIVE,
}

ROWS = table(
    *(
        Name(f"pedl.{old}", f"{{context}}.{name}()", support=name)
        for old in (
            *("get_experiment_config", "get_trial_seed", "get_experiment_id", "get_trial_id"),
            *("trial.get_trial_seed", "util.get_experiment_config"),
        )
        for name in [old.rpartition(".")[2]]
    ),
    *map(served, _PIECES),
    served("determined.keras.SequenceAdapter", "KerasDataAdapter"),
    *(gone(old, write) for old, write in _GONE.items()),
    *(
        Name(old, "determined.keras.TFKerasTrial", write=_TRIAL)
        for old in (
            "pedl.frameworks.keras.KerasFunctionalTrial",
            "pedl.frameworks.keras.KerasTrial",
            "pedl.frameworks.keras.TFKerasTrial",
            "pedl.frameworks.keras.tf_keras_trial.TFKerasTrial",
            "determined.frameworks.keras.tf_keras_trial.TFKerasTrial",
        )
    ),
    Name("pedl.trial.MetricOp", "typing.Callable"),
    Name("pedl.trial.ValidOp", "typing.Callable"),
    Name("pedl.frameworks.keras.TFKerasTensorBoard", "determined.keras.callbacks.TensorBoard"),
    Name("determined.keras.TFKerasContext", "determined.keras.TFKerasTrialContext"),
)

#: Names of context-based code that have moved.
AGED = table(
    *(
        Name(f"determined_common.experimental.{name}", f"determined.experimental.{name}")
        for name in ("Checkpoint", "Determined", "Model")
    )
)

#: All names of ``KerasDataAdapter`` and of ``InMemorySequence``.
ADAPTERS = {old for old, row in ROWS.items() if row.support == "KerasDataAdapter"}
IN_MEMORY_SEQUENCES = {old for old, row in ROWS.items() if row.support == "InMemorySequence"}
LOADERS = ADAPTERS | IN_MEMORY_SEQUENCES

#: The function that returns one hyperparameter without a context.
GET_HYPERPARAMETER = "pedl.get_hyperparameter"

#: Getters of the context in Determined 0.12, which are on ``context.distributed`` since 0.13.
RANK_GETTERS = ("get_rank", "get_size", "get_local_rank", "get_num_agents")

#: Packages with old API only.
_OLD_PACKAGES = (f"{ROOT}.", "determined.frameworks.", "determined.trial_controller.")

#: What early names have in them, but for ``TFKerasTrial``, which has kept its name.
_EARLY = {old.rpartition(".")[2] for old in ROWS if not old.startswith(f"{ROOT}.")}
_EARLY |= {package.split(".")[1] for package in _OLD_PACKAGES[1:]}
_MENTIONS = re.compile(rf"\b(?:{'|'.join(sorted(_EARLY - {'TFKerasTrial'}))})\b".encode())


def is_legacy(dotted: str) -> bool:
    """Return whether a dotted name belongs to PEDL or early Determined."""
    return dotted == ROOT or dotted.startswith(_OLD_PACKAGES) or dotted in ROWS


def mentions_legacy(data: bytes) -> bool:
    """Return whether the bytes of a file may contain a name of PEDL or early Determined."""
    if ROOT.encode() in data:
        return True
    return b"determined" in data and _MENTIONS.search(data) is not None
