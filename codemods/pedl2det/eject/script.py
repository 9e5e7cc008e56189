"""The text of ``train.py``: arguments, and the training with ``model.fit``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

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
    return _TEXT.format(
        variables="".join(map(_variable, assignments(read.raw).items())),
        mark=MARK,
        name=name,
        one=training,
        read=read,
        hparams=_literal(training.info.hparams, ""),
        settings=_literal(training.settings, ""),
        epoch=epoch if read.records_per_epoch else "0",
        mode="min" if read.searcher.smaller_is_better else "max",
    )


def _variable(assignment: tuple[str, str]) -> str:
    """A statement that sets an environment variable."""
    name, value = map(_literal, assignment)
    value = f"os.path.expandvars({value})" if "$" in value else value
    return f"os.environ[{name}] = {value}\n"


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


_TEXT = '''\
"""Train {one.trial} of {one.module} with TensorFlow alone: `python {name} --help`.

{mark} from {one.config}. The file is yours: edit it.
"""

import argparse
import importlib.util
import json
import math
import os
from pathlib import Path

if importlib.util.find_spec("tf_keras"):
    os.environ["TF_USE_LEGACY_KERAS"] = "1"  # the trial is written for Keras 2
{variables}
import keras_trial
import tensorflow as tf

#: The hyperparameters. Each is an option: ``--NAME``, or ``--hparam-NAME``.
HPARAMS = {hparams}
#: What the trial reads of its config.
CONFIG = {settings}


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        conflict_handler="resolve",  # the options below win
    )
    add = parser.add_argument
    for name, value in HPARAMS.items():
        kind = type(value) if type(value) in (int, float, str) else json.loads
        add(
            f"--{{name}}",
            f"--hparam-{{name}}",
            dest=f"hparam {{name}}",
            type=type(value) if type(value) in (int, float, str) else json.loads,
            default=value,
            metavar="VALUE",
            help="hyperparameter",
        )
    add("--batches", type=int, default={one.batches}, help="batches to train")
    add(
        "--validate-every",
        type=int,
        default={one.validate_every},
        help="batches from one validation to the next; 0: only at the end",
    )
    add(
        "--checkpoint-every",
        type=int,
        default={one.checkpoint_every},
        help="batches from one checkpoint to the next; 0: after each validation",
    )
    add("--seed", type=int, default={one.info.seed}, help="of Python, NumPy and TensorFlow")
    add("--out", type=Path, default=Path("results"), help="directory of the results")
    return parser.parse_args()


def main():
    args = parse_arguments()
    hparams = {{name: getattr(args, f"hparam {{name}}") for name in HPARAMS}}
    out = args.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    os.chdir(Path(__file__).resolve().parent)  # paths in the config are relative to it
    context = keras_trial.TFKerasTrialContext(hparams, CONFIG, args.seed, out)
    keras_trial.seed_everything(args.seed)

    # The order of what follows is that of the random numbers that it draws.
    from {one.module} import {one.trial}

    trial = {one.trial}(context)
    keras_trial.apply_session_config(trial.session_config(), args.seed)
    training = trial.build_training_data_loader()
    validation = trial.build_validation_data_loader()
    trial.build_model()
    callbacks = [
        keras_trial.TrialCallbacks(
            context,
            trial.keras_callbacks(),
            total=args.batches,
            workload={read.report_period},
            validate_every=args.validate_every,
            epoch={epoch},
        ),
        tf.keras.callbacks.ModelCheckpoint(
            str(out / "best.h5"),
            monitor="{read.searcher.metric}",
            mode="{mode}",
            save_best_only=True,
            save_weights_only=True,
        ),
        tf.keras.callbacks.ModelCheckpoint(
            str(out / "latest.h5"),
            save_weights_only=True,
            save_freq=args.checkpoint_every or "epoch",
        ),
        tf.keras.callbacks.CSVLogger(str(out / "metrics.csv")),
    ]
    # To Keras, an epoch ends with a validation.
    epoch = min(args.validate_every or args.batches, args.batches)
    context.model.fit(
        keras_trial.training_dataset(context, training),
        steps_per_epoch=epoch,
        epochs=math.ceil(args.batches / epoch),
        validation_data=keras_trial.validation_dataset(context, validation),
        class_weight=context.fit["class_weight"],
        callbacks=callbacks,
        verbose=2,
    )
    context.model.save_weights(str(out / "latest.h5"))


if __name__ == "__main__":
    main()
'''
