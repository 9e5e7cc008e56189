"""``pedl2det checkpoint``: show or trust a checkpoint of any age, or convert an old one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from pedl2det.commands import arguments
from pedl2det.commands.runtime import fail, old_names, runtime
from pedl2det.visible import say, visible


@click.group("checkpoint")
def command() -> None:
    """Show, convert or trust a checkpoint of PEDL, Determined or pedl2det."""


@command.command("show")
@click.argument("path", type=arguments.path)
def show(path: Path) -> None:
    """Say what the checkpoint in PATH is and holds. None of its code runs.

    Of the directory of a run, list the checkpoints, and mark the best.
    """
    with _errors_as_lines():
        from pedl2det_runtime.checkpoint.describe import describe_checkpoint, describe_run
        from pedl2det_runtime.training.source_checkpoint import require_checkpoint

        lines = describe_run(path)
        if lines is None:
            require_checkpoint(path)
            lines = describe_checkpoint(path.resolve())
        for line in lines:
            say(visible(line))


@command.command("trust")
@click.argument("path", type=arguments.path)
def trust(path: Path) -> None:
    """Sign the checkpoint in PATH with your key: what loads it may run its code.

    Runs sign their checkpoints. A file that is changed or added ends the signature.
    """
    with _errors_as_lines():
        from pedl2det_runtime.checkpoint import signature
        from pedl2det_runtime.errors import CheckpointError
        from pedl2det_runtime.training.source_checkpoint import require_checkpoint

        require_checkpoint(path)
        try:
            signature.sign(path, signature.files_of(path))
        except OSError as error:
            raise CheckpointError(f"{path}: cannot be signed: {error.strerror}") from None
        say(f"{path}: signed; it loads without trust=True and --trust from now on")


@command.command("convert")
@click.argument("old", type=arguments.path)
@click.argument("new", type=arguments.path)
@click.option("--trust", is_flag=True, help="Run the code in OLD, where it must build the model.")
@click.option("--weights-only", is_flag=True, help="Take only the weights of OLD.")
@arguments.traceback
def convert(old: Path, new: Path, trust: bool, weights_only: bool, with_stack: bool) -> None:
    """Write the checkpoint OLD in today's format into NEW, which must not exist."""
    with _errors_as_lines(with_stack):
        from pedl2det_runtime import stub_path
        from pedl2det_runtime.backends import keras_versions

        keras_versions.load_tensorflow()
        from pedl2det_runtime.training.convert_checkpoint import convert

        options = runtime().RunOptions(directory=old.resolve() / "code", out=new)
        with old_names(options), stub_path.served_first(), keras_versions.restored_afterwards():
            taken = convert(old, new, trust=trust, weights_only=weights_only, say=say)
        say(f"{new}: {', '.join(taken)} of {old}")


@contextmanager
def _errors_as_lines(with_stack: bool = False) -> Iterator[None]:
    """Show errors as lines; TensorFlow, which takes seconds to start, is loaded where it reads."""
    runtime()
    from pedl2det_runtime import errors
    from pedl2det_runtime.backends import keras_versions

    try:
        keras_versions.choose_keras_2()
        yield
    except errors.Pedl2DetError as error:
        fail(error, with_stack)
