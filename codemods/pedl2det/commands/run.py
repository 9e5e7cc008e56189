"""``pedl2det run``: train an old or a new trial."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
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
        sys.addaudithook(Watch(*watch))
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
            from pedl2det.verify.configs import config_in_script  # it brings libcst

            config_in_script(options.directory)  # it tells a script of the Native API from a trial
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
    from pedl2det.verify.configs import config_in_script  # it brings libcst

    try:
        return config_in_script(path)
    except Pedl2DetError:
        if not any(b"script" in file.read_bytes() for file in configs):
            raise
        return None  # a config beside the script names it


def _say(line: str, is_error: bool) -> None:
    """Print a line of a rank; an event of the chief as it is, for programs."""
    is_event = line.startswith('[0] {"event": ')
    click.echo(line.removeprefix("[0] ") if is_event else line, err=is_error)


# For verify: write down which lines of a trial are executed while it trains. Each is written when
# it is first executed, so that the log is complete even if the process or a fork is killed.

_IDLE = 5_000  # lines that a function executes without a new one, before it is no longer traced


class Watch:
    """Traces the code below a directory, from the first module of it on."""

    def __init__(self, directory: str, log: str) -> None:
        self._log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self._directory = directory + os.sep
        self._seen: set[tuple[str, int]] = set()
        self._idle: Counter[CodeType] = Counter()
        self._traces = False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Handle an event of the interpreter: a hook for `sys.addaudithook`."""
        if event == "exec" and not self._traces and self._is_of_trial(arguments[0]):
            self._traces = True
            atexit.register(self._add_converted)
            self._trace_threads_of_tensorflow()
            threading.settrace(self._on_call)
            sys.settrace(self._on_call)

    def _is_of_trial(self, code: CodeType) -> bool:
        return code.co_filename.startswith(self._directory)

    def _on_call(self, frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ARG002
        if not frame.f_code.co_filename.startswith(self._directory):
            return None
        return self._on_line if self._idle[frame.f_code] <= _IDLE else None

    def _on_line(self, frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ARG002
        if event == "line":
            self._idle[frame.f_code] += 1
            self._add(frame.f_code, [frame.f_lineno])
        return self._on_line

    def _add(self, code: CodeType, lines: Iterable[int | None]) -> None:
        for line in lines:
            place = code.co_filename, line or 0
            if place not in self._seen:
                self._seen.add(place)
                self._idle[code] = 0
                os.write(self._log, f"{place[1]} {place[0]}\n".encode(errors="surrogateescape"))

    def _trace_threads_of_tensorflow(self) -> None:
        """Trace generators and functions that TensorFlow calls on threads of its own."""
        from tensorflow.python.ops import script_ops

        call = script_ops.FuncRegistry.__call__

        def traced(*arguments: Any) -> Any:
            sys.settrace(self._on_call)
            return call(*arguments)

        script_ops.FuncRegistry.__call__ = traced

    def _add_converted(self) -> None:
        """Count the functions that AutoGraph has converted as executed."""
        from tensorflow.python.autograph.impl import api

        for code in filter(self._is_of_trial, list(api._TRANSPILER._cache._cache)):
            self._add(code, (line for _, _, line in code.co_lines()))
