"""Write a checkpoint of PEDL or Determined in today's format (:mod:`..checkpoint.writer`)."""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pedl2det_runtime.backends import compiled_model, keras_versions, random_state
from pedl2det_runtime.checkpoint import (
    directory,
    model_files,
    ownership,
    safe_pickle,
    signature,
    writer,
)
from pedl2det_runtime.checkpoint.code_files import public_files, publishable_code
from pedl2det_runtime.checkpoint.old_formats import states
from pedl2det_runtime.checkpoint.old_formats.old_checkpoint import OldCheckpoint, open_checkpoint
from pedl2det_runtime.checkpoint.state import Progress, RankState, State
from pedl2det_runtime.errors import CheckpointError
from pedl2det_runtime.training.load_model import load_old
from pedl2det_runtime.training.source_checkpoint import require_checkpoint


def convert(
    source: Path,
    target: Path,
    *,
    trust: bool,
    weights_only: bool,
    say: Callable[[str], None] = lambda _: None,
) -> list[str]:
    """Write a checkpoint in today's format to ``target``, which must not exist.

    A checkpoint that ``trust`` or the user's signature trusts may build the model with its code,
    and what is written is signed. With ``weights_only`` it has a new optimizer.

    Returns:
        What was taken.

    Raises:
        CheckpointError: the checkpoint cannot be converted, or not be written.
        TrialCodeError: the trial's code raised.
    """
    if os.path.lexists(target):
        raise CheckpointError(f"{target}: exists and is not replaced")
    require_checkpoint(source)
    if directory.is_own(source):
        raise CheckpointError(f"{source}: is of today's format")
    old = open_checkpoint(source.resolve())
    keras_versions.prepare()
    random_state.seed_everything(old.facts.seed)
    random_state.seed_global_generator(old.facts.seed)
    is_trusted = trust or signature.is_signed(old.path)
    model, optimizers = load_old(old, is_trusted, needs_weights=True)
    random, callbacks = None, []
    if not weights_only:
        try:
            old.restore_optimizers(model, optimizers)
        except CheckpointError as error:
            raise CheckpointError(
                f"{error}; convert only its weights with --weights-only"
            ) from None
        random, callbacks = states.random_states(old.path), states.callback_states(old.path) or []
    if random is not None:
        random.restore_generator()
    own = RankState(
        random=random.host if random else {},
        callbacks=safe_pickle.dumps(callbacks),
        loaders={"training": {}, "validation": {}},
        layers=model_files.layer_states(model) if random else [],
        gradients=[],
    )
    _write(target, old, model, own, is_trusted, say)
    taken = {
        "the weights": True,
        "the optimizer": not weights_only,
        "the random states": random,
        "the states of the callbacks": callbacks,
    }
    return [part for part, is_taken in taken.items() if is_taken]


def _write(
    target: Path,
    old: OldCheckpoint,
    model: Any,
    own: RankState,
    is_trusted: bool,
    say: Callable[[str], None],
) -> None:
    batches = old.batches or 0
    state = State(
        progress=Progress(batches, last_checkpoint=batches),
        records=0,
        best=None,
        seed=old.facts.seed,
        slots=1,
    )
    code = old.code
    contents = writer.Contents(
        old.facts.config or {},
        old.facts.hparams or {},
        code or old.path,
        publishable_code(public_files(code), code, say) if code else (),
        compiled=compiled_model.describe_compiled(model),
    )
    name, run = f".{target.name}.", str(uuid.uuid4())
    try:
        with tempfile.TemporaryDirectory(".partial", name, target.parent) as beside:
            unfinished = writer.save(Path(beside), model, state, [own], run=run, contents=contents)
            whole = unfinished.complete(is_trusted=is_trusted)
            ownership.refuse_existing(target)
            whole.rename(target)
    except OSError as error:
        raise CheckpointError(f"{target}: cannot be written: {error.strerror}") from None
