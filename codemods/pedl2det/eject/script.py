"""What ``train.py.j2``, the script that trains with ``model.fit``, is rendered with."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pedl2det.report.html import render
from pedl2det.verify.preparing import MARK

#: Pieces of ``keras_trial.py`` that the script itself uses.
USED = (
    *("TFKerasTrialContext", "TrialCallbacks", "apply_session_config", "seed_everything"),
    *("training_dataset", "validation_dataset"),
)


@dataclass(frozen=True)
class Training:
    """What a script trains, and how long. Lengths are in batches."""

    info: Any  # the ``TrialInfo`` of the config
    config: str  # the name of the config
    module: str  # the module that defines the trial
    trial: str  # the name of its class
    settings: dict[str, Any]  # what the trial may read of the config
    batches: int
    validate_every: int  # 0 for one validation at the end
    checkpoint_every: int  # 0 for a checkpoint after each validation


def script(training: Training, name: str) -> str:
    """Return the text of the script, whose file has this name."""
    from pedl2det_runtime.config.environment_variables import assignments

    read = training.info.config
    epoch = f'{read.records_per_epoch} // hparams["global_batch_size"]'
    text = render(
        "eject/train.py.j2",
        variables=map(_variable, assignments(read.raw).items()),
        mark=MARK,
        name=name,
        training=training,
        read=read,
        hparams=_literal(training.info.hparams, ""),
        settings=_literal(training.settings, ""),
        epoch=epoch if read.records_per_epoch else "0",
        mode="min" if read.searcher.smaller_is_better else "max",
    )
    return f"{text}\n"


def _variable(assignment: tuple[str, str]) -> tuple[str, str]:
    """An environment variable, as two expressions."""
    name, value = map(_literal, assignment)
    return name, f"os.path.expandvars({value})" if "$" in value else value


def _literal(value: Any, indent: str | None = None) -> str:
    """A value of a config in Python: in a line, or in lines that begin with ``indent``."""
    match value:
        case str():
            return json.dumps(value, ensure_ascii=False)
        case list():
            return f"[{', '.join(_literal(one) for one in value)}]"
        case dict() if value and indent is not None:
            inner = f"{indent}    "
            lines = [f"{inner}{_literal(key)}: {_literal(value[key], inner)}," for key in value]
            return "\n".join(["{", *lines, f"{indent}}}"])
        case dict():
            items = (f"{_literal(key)}: {_literal(one)}" for key, one in value.items())
            return f"{{{', '.join(items)}}}"
    return repr(value)
