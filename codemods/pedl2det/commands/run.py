"""``pedl2det run``: train an old or a new trial."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

import click

from pedl2det.analysis.tree import YAML
from pedl2det.commands import arguments
from pedl2det.commands.runtime import fail, old_names, runtime
from pedl2det.errors import Pedl2DetError
from pedl2det.visible import say


@click.command("run")
@arguments.directory
@arguments.config
@click.option(
    "--out",
    type=arguments.path,
    help="Where metrics.jsonl, checkpoints and TensorBoard events go; else runs/<name of DIR>, or "
    "nowhere with --test.",
)
@arguments.overrides
@click.option("--resume", is_flag=True, help="Go on from the last checkpoint in --out.")
@click.option("--force", is_flag=True, help="Resume although what is trained has changed.")
@click.option(
    "--from-checkpoint",
    type=arguments.path,
    metavar="PATH",
    help="Begin a new run with the weights and states of a checkpoint of any format.",
)
@click.option("--weights-only", is_flag=True, help="Take only the weights of that checkpoint.")
@click.option("--max-batches", type=arguments.at_least_1, help="Train no more than this.")
@click.option("--test", is_flag=True, help="One batch of everything, and the end of an epoch.")
@click.option("--trace", is_flag=True, help="Write every batch's metrics to batches.jsonl.")
# For verify: write down which lines below DIR are executed; serve nothing that Determined does not.
@click.option("--watch", type=(str, str), metavar="DIR LOG", hidden=True)
@click.option("--as-written", is_flag=True, hidden=True)
@click.option(
    "--slots",
    type=arguments.at_least_1,
    help="Processes that train, on Horovod; else resources.slots_per_trial.",
)
@click.option("--hosts", metavar="H1:4,H2:4", help="The machines of these, and their slots.")
@click.option("--quiet", is_flag=True, help="Print notices only, and them on stderr.")
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    help="json: one object a line, with its kind in the key event.",
)
@arguments.traceback
def command(
    directory: Path,
    config: Path | None,
    out: Path | None,
    hosts: str | None,
    quiet: bool,
    log_format: str,
    with_stack: bool,
    watch: tuple[str, str] | None,
    as_written: bool,
    **training: Any,
) -> None:
    """Train the trial in DIR, of whichever generation it is.

    DIR may also be a trial's file.
    """
    if watch is not None:
        from pedl2det.verify.executed import Executed

        executed = Executed(*watch)
        executed.watch()
        click.get_current_context().call_on_close(executed.add_converted)
    if directory.suffix in YAML and not directory.is_dir():
        raise Pedl2DetError(f"{directory}: expected a trial: name its config with -c {directory}")
    is_discarded = training["test"] and out is None
    if is_discarded and training["resume"]:
        raise Pedl2DetError(
            "--test --resume: a test trains into a temporary directory: leave out --resume, or "
            "name the run with --out"
        )
    temporary = TemporaryDirectory(prefix="pedl2det-test-") if is_discarded else nullcontext()
    with temporary as place:
        named = runtime().RunOptions(
            directory=directory,
            out=Path(place) if place else out or Path("runs") / directory.resolve().name,
            config=config,
            discards_results=is_discarded,
            **training,
        )
        options = replace(named, config=config or _config_of_script(directory))
        serve = partial(old_names, as_written=as_written)
        _train(options, named, hosts, quiet, log_format == "json", with_stack, serve)


def _train(
    options: Any,
    named: Any,
    hosts: str | None,
    quiet: bool,
    as_json: bool,
    with_stack: bool,
    serve: Callable[[Any], AbstractContextManager[None]],
) -> None:
    """Train in this process, or start the ranks; do neither if nothing is left to train."""
    from pedl2det.terminal import display
    from pedl2det_runtime import errors
    from pedl2det_runtime.distributed.ranks import is_rank
    from pedl2det_runtime.training import signals
    from pedl2det_runtime.training.run_record import find_end
    from pedl2det_runtime.training.start_ranks import ranks_to_start, start_ranks

    out = None if options.discards_results else options.out
    to_resume = partial(replace(named, max_batches=None).to_resume, begun=True)
    searched = [*sys.path]
    try:
        with signals.handled():
            shown = display(out, to_resume, quiet=quiet, as_json=as_json)
            end = None if is_rank() else find_end(options, runtime().readable_config(options))
            if end is not None:
                with shown as screen:
                    end.show(screen)
            elif ranks := ranks_to_start(options, hosts):
                flags = {"--traceback": with_stack, "--quiet": quiet, "--log-format=json": as_json}
                more = [flag for flag, is_set in flags.items() if is_set]
                start_ranks(options, ranks, hosts, _say, *more)
            else:
                with shown as screen, serve(options):
                    runtime().run(options, screen)
    except errors.Pedl2DetError as error:
        if isinstance(error, errors.TrialLoadError):
            from pedl2det.verify.configs import configs_in_scripts  # it brings libcst

            next(configs_in_scripts(options.directory), None)  # tells one of these from a trial
        fail(error, with_stack)
    except errors.Interrupted as stop:
        _stop(stop, named, hosts)
    finally:
        sys.path[:] = searched


def _stop(stop: Any, named: Any, hosts: str | None) -> NoReturn:
    """Say how to go on after a signal; a rank leaves that to the launcher."""
    from pedl2det_runtime.distributed.horovodrun_output import Failure
    from pedl2det_runtime.distributed.ranks import is_rank

    if is_rank():
        Failure(type(stop).__name__, str(stop), str(stop.number)).tell()
    elif named.discards_results:
        say(f"pedl2det: {stop}", err=True)
    else:
        more = f" --hosts {hosts}" if hosts else ""
        say(f"pedl2det: {stop}; go on with: {named.to_resume()}{more}", err=True)
    sys.exit(stop.exit_code)


def _config_of_script(path: Path) -> Path | None:
    """Return the config in a script: one that was named, or one beside no other config."""
    home = path.parent if path.is_file() else path
    configs = [file for file in home.glob("*.y*ml") if file.suffix in YAML]
    if not path.exists() or (configs and not path.is_file()):
        return None
    from pedl2det.verify.configs import configs_in_scripts  # it brings libcst

    try:
        return next(configs_in_scripts(path), None)
    except Pedl2DetError:
        if not any(b"script" in file.read_bytes() for file in configs):
            raise
        return None  # a config beside the script names it


def _say(line: str, is_error: bool) -> None:
    """Print a line of a rank; an event of the chief as it is, for programs."""
    is_event = line.startswith('[0] {"event": ')
    click.echo(line.removeprefix("[0] ") if is_event else line, err=is_error)
