"""How many ranks a run has, where, and their start."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace

from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.config.reader import read_config
from pedl2det_runtime.distributed.joining import is_rank
from pedl2det_runtime.errors import ConfigError
from pedl2det_runtime.launch.horovodrun import Launch, launch
from pedl2det_runtime.trainer import run_lock
from pedl2det_runtime.trainer.options import RunOptions
from pedl2det_runtime.trainer.resume import find_checkpoint
from pedl2det_runtime.trainer.run import find_config, readable_config

_HOST = re.compile(r"[^\s:,]+:[1-9]\d*")


def ranks_to_start(options: RunOptions, hosts: str | None) -> int:
    """How many ranks a run needs started: none if one process trains, or this is one of them.

    As many as ``--slots``, the hosts or ``resources.slots_per_trial`` say, in this order.

    Raises:
        ConfigError: the hosts are not written as they must be, or have too few slots.
    """
    there_are = _slots_of(hosts) if hosts else None
    if there_are is not None and (options.slots or 0) > there_are:
        raise ConfigError(
            f"--hosts {hosts}: they have {there_are} slots, --slots asks for {options.slots}"
        )
    slots = options.slots or there_are
    if slots is None:
        config = readable_config(options)
        slots = config.resources.slots_per_trial if config else 1
    return 0 if slots <= 1 or is_rank() else slots


def start_ranks(
    options: RunOptions,
    slots: int,
    hosts: str | None,
    say: Callable[[str, bool], None],
    *more: str,
) -> None:
    """Train a trial on several processes; what can be found wrong is found before they start.

    Args:
        options: what to train, and where to.
        slots: how many processes.
        hosts: on which machines, ``h1:4,h2:4``; None for this one.
        say: prints a line for people; the second argument says whether it goes to stderr.
        *more: further arguments of ``pedl2det run``.

    Raises:
        Pedl2DetError: the user's mistake, or the first rank's error.
    """
    directory = options.directory
    home = directory.parent if directory.is_file() else directory
    if not home.is_dir():
        raise ConfigError(f"{directory}: no such directory")
    file = options.config or find_config(home)
    config = read_config(file, options.overrides)
    if not hosts:
        run_lock.refuse_held(options.out)
    if not options.resume and not hosts:
        find_checkpoint(options, TrialInfo.of(config, options.out), lambda _: None)
    ranks = replace(options.absolute(), config=file.resolve(), slots=slots)
    arguments = ["run", *ranks.arguments()]
    command = [sys.executable, "-m", "pedl2det", *arguments]
    restarts = 0 if options.test else config.max_restarts
    launch(Launch([*command, *more], slots, hosts, options.out.resolve(), restarts), say)


def _slots_of(hosts: str) -> int:
    each = hosts.split(",")
    for host in each:
        if not _HOST.fullmatch(host):
            raise ConfigError(
                f"--hosts {hosts}: {host!r}: expected NAME:SLOTS, several separated by commas"
            )
    return sum(int(host.rpartition(":")[2]) for host in each)
