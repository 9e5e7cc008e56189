"""``pedl2det search``: train the trials of a search."""

from __future__ import annotations

import math
import shlex
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pedl2det.commands import arguments
from pedl2det.commands.runtime import runtime
from pedl2det.errors import Pedl2DetError
from pedl2det.visible import say, shown, visible

if TYPE_CHECKING:  # it needs the extra ``search``
    from pedl2det_runtime.search.study import Result


@click.command("search")
@arguments.directory
@arguments.config
@click.option("--out", type=arguments.path, help="The results; else runs/<name of DIR>-search.")
@arguments.overrides
@click.option(
    "--jobs",
    type=arguments.at_least_1,
    default=1,
    help="Trials at a time, at most max_concurrent_trials.",
)
@click.option("--max-trials", type=arguments.at_least_1, help="Train no more trials than this.")
@click.option("--max-batches", type=arguments.at_least_1, help="Train none longer than this.")
@click.option("--resume", is_flag=True, help="Go on with the search in --out.")
@click.option(
    "--storage", metavar="URL", help="A database of Optuna, for several machines; else a file."
)
def command(
    directory: Path,
    config: Path | None,
    out: Path | None,
    overrides: tuple[str, ...],
    jobs: int,
    max_trials: int | None,
    max_batches: int | None,
    resume: bool,
    storage: str | None,
) -> None:
    """Train the trials of the search that a config describes, and name the best.

    Each trial is a run in a process of its own, in OUT/trials.
    """
    arguments.require(directory)
    runtime()
    from pedl2det_runtime import errors
    from pedl2det_runtime.config.reader import read_config
    from pedl2det_runtime.search.plan import plan_of
    from pedl2det_runtime.search.study import database_errors, sqlite
    from pedl2det_runtime.training import run_lock
    from pedl2det_runtime.training.run import find_config
    from pedl2det_runtime.training.run_options import RunOptions

    out = out or Path("runs") / f"{directory.resolve().name}-search"
    try:
        read = read_config(config or find_config(directory), overrides)
        plan = plan_of(read, max_trials, max_batches)
        is_there = out.is_dir() and any(out.iterdir())
        if is_there and not resume:
            raise Pedl2DetError(
                f"--out {out}: it is not empty: go on with --resume, or choose another"
            )
        if resume and not is_there:
            raise Pedl2DetError(f"--resume: {out}: there is no search")
        options = RunOptions(directory.resolve(), out.resolve())
        place = f"{socket.gethostname()}:{options.out}" if storage else None
        storage = storage or sqlite(options.out)
        with run_lock.held(out, say), database_errors(storage):
            _search(read, plan, options, min(jobs, plan.concurrent), storage, place)
    except errors.Pedl2DetError as error:
        raise Pedl2DetError(str(error)) from None


def _search(
    config: Any, plan: Any, options: Any, jobs: int, storage: str, place: str | None
) -> None:
    """Run the search until it is over or stopped; show what it has reached."""
    from pedl2det_runtime.config.credentials import without_credentials
    from pedl2det_runtime.search.search import Search, TrialProcesses
    from pedl2det_runtime.search.study import DATABASE, Study
    from pedl2det_runtime.training import run_lock

    out = options.out
    smaller = config.searcher.smaller_is_better
    if place is None:
        run_lock.make_private(out / DATABASE)
    study = Study(storage, config.title, plan, place, smaller_is_better=smaller)
    run_lock.make_directory(out)
    processes, stopped = TrialProcesses(), []

    def stop(number: int, _: Any) -> None:
        stopped.append(number)
        say("stopping: each trial writes a checkpoint", err=True)
        processes.stop(signal.SIGTERM)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    name, count = config.searcher.name, len(plan.points)
    seed = config.reproducibility.experiment_seed
    say(f"searcher {name}: {count} trials, {jobs} at a time, seed {seed}")
    Search(config, options, study, jobs, say, processes).run()
    _show(config, study, out, plan)
    if stopped:
        more = sys.argv[1:] if "--resume" in sys.argv else [*sys.argv[1:], "--resume"]
        command = shlex.join(["pedl2det", *without_credentials(more)])
        say(f"pedl2det: stopped; go on with: {command}", err=True)
        sys.exit(128 + stopped[0])
    results = study.results()
    for result in results:
        if not result.is_over:
            taken = f"it was taken by {result.place}" if result.place else "no search has taken it"
            remedy = "pedl2det search --resume there goes on with it"
            say(f"pedl2det: trial {result.number} is not over: {taken}: {remedy}", err=True)
    has_failed = all(result.state == "failed" for result in results)
    if has_failed or not all(result.is_over for result in results):
        raise click.exceptions.Exit(1)


def _show(config: Any, study: Any, out: Path, plan: Any) -> None:
    """Print the table and the best trial; write the best trial's config."""
    from pedl2det_runtime.search.search import constant_config, ranked
    from pedl2det_runtime.training import run_lock

    smaller = config.searcher.smaller_is_better
    results = ranked(study.results(), smaller_is_better=smaller)
    for line in table(results):
        say(line)
    best = results[0]
    if best.best is None or math.isnan(best.best):
        say("no trial has been validated")
        return
    file = out / "best.yaml"
    point = plan.points[best.number]
    run_lock.write_private(file, constant_config(config, point))
    word = "best" if all(result.is_over for result in results) else "best so far"
    say(f"{word}: trial {best.number}, {config.searcher.metric} {best.best:.6g}")
    say(f"  its config: {shown(file)}")
    if best.checkpoint:
        say(f"  its checkpoint: {shown(Path(best.checkpoint))}")
    say(f"curves: {shlex.join(['tensorboard', '--logdir', shown(out / 'trials')])}")


def table(results: Sequence[Result]) -> Iterator[str]:
    """Yield trials as aligned lines, with the hyperparameters that are not the same in all."""
    from pedl2det_runtime.search.study import flat_hparams

    hparams = [dict(flat_hparams(result.hparams)) for result in results]
    every = dict.fromkeys(name for values in hparams for name in values)
    names = [name for name in every if len({repr(values.get(name)) for values in hparams}) > 1]
    rows = [["trial", *names, "batches", "metric", "state"]]
    for result, values in zip(results, hparams, strict=True):
        batches = str(max(result.values, default=""))
        metric = "" if result.best is None else f"{result.best:.6g}"
        given = map(values.get, names)
        varying = [f"{x:.4g}" if isinstance(x, float) else visible(str(x)) for x in given]
        rows.append([str(result.number), *varying, batches, metric, result.state])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (text.ljust(width) for text, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
