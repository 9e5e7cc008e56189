"""Start the ranks (processes) of a trial with ``horovodrun``: how many, where, how they ended."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.backends import graph_mode
from pedl2det_runtime.checkpoint import directory as checkpoint_directory
from pedl2det_runtime.config.reader import read_config
from pedl2det_runtime.distributed.connections import KEY_VARIABLE, new_key
from pedl2det_runtime.distributed.horovodrun_output import Failure, Outcome, restart_allowed
from pedl2det_runtime.distributed.ranks import is_rank
from pedl2det_runtime.errors import ConfigError, GraphModeNeededError, Interrupted, RankError
from pedl2det_runtime.training import run_lock, signals
from pedl2det_runtime.training.resume import find_checkpoint
from pedl2det_runtime.training.run import find_config, readable_config
from pedl2det_runtime.training.run_options import RunOptions
from pedl2det_runtime.training.signals import end_with_parent

#: Seconds without a sign of life of a rank's machine before the others give up.
LOST_AFTER = 120
_PATIENCE = 20  # seconds for horovodrun to end its ranks
_HOST = re.compile(r"[^\s:,]+:[1-9]\d*")


def ranks_to_start(options: RunOptions, hosts: str | None) -> int:
    """Return how many ranks to start: none if one process trains, or this is one of them.

    As many as ``--slots``, the hosts or ``resources.slots_per_trial`` say, in this order.
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
    """Train a trial on several processes; mistakes that can be seen are found before they start.

    The second argument of ``say`` says whether a line goes to stderr; ``more`` are further
    arguments of ``pedl2det run``.
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


@dataclass(frozen=True)
class Launch:
    """What is started."""

    command: list[str]  #: the command of one rank, with all its arguments
    slots: int  #: how many of them
    hosts: str | None  #: where, as ``horovodrun -H`` takes it; None for this machine
    out: Path  #: the results, in which checkpoints say how far the ranks came
    restarts: int  #: how many times they are started again


def horovodrun() -> str:
    """Return the path of ``horovodrun``."""
    beside = Path(sys.executable).with_name("horovodrun")
    found = str(beside) if beside.exists() else shutil.which("horovodrun")
    if importlib.util.find_spec("horovod") is None or found is None:
        raise ConfigError(
            "training on several processes needs Horovod, which is not installed: install it with "
            "`pedl2det doctor --install`, or train on one process with --slots 1"
        )
    return found


def launch(ranks: Launch, say: Callable[[str, bool], None]) -> None:
    """Train on several ranks, and start them again after a failure that may pass.

    They are also started again, all in graph mode, if the code of one needs that.

    Raises:
        ConfigError: Horovod is not installed.
        RankError: the training failed; the first rank's error, whole.
        Interrupted: a signal ended it.
    """
    program = horovodrun()
    before: Failure | None = None
    restarts, command = ranks.restarts, ranks.command
    mode: dict[str, str] = {}
    while True:
        reached = checkpoint_directory.latest(ranks.out / "checkpoints")
        outcome = Outcome(say)
        if _run([*_arguments(program, ranks), *command], outcome, ranks.out, mode) == 0:
            return
        if outcome.stopped_by is not None:
            raise Interrupted(outcome.stopped_by)
        rank, failure = outcome.first_failure()
        if failure.kind == GraphModeNeededError.__name__ and not mode:
            mode = {graph_mode.VARIABLE: "1"}
            reason = GraphModeNeededError(failure.message).reason
            say(f"pedl2det: starting again in graph mode, as by TensorFlow 1: {reason}", False)
            continue
        if checkpoint_directory.latest(ranks.out / "checkpoints") != reached:
            before = None
        if rank is None or not restart_allowed(failure, before) or not restarts:
            raise RankError(_told(rank, ranks, failure, ranks.restarts - restarts))
        restarts, before = restarts - 1, failure
        left = f"{restarts} restarts left" if restarts != 1 else "1 restart left"
        say(f"pedl2det: rank {rank} failed: {failure.message}; starting again ({left})", True)
        if "--resume" not in command:
            command = [*command, "--resume"]


def _told(rank: int | None, ranks: Launch, failure: Failure, restarted: int) -> str:
    """The error, what is known of it, and once more in short: the last line is what is read."""
    after = f", after {restarted} of {ranks.restarts} restarts" if restarted else ""
    who = f"rank {rank} of {ranks.slots} failed first{after}: "
    if rank is None:
        who = "horovodrun printed:"
    details = f"{failure.details.rstrip()}\n" if failure.details else ""
    return f"{who}{failure.message}" if not details else f"{who}\n{details}{failure.message}"


def _arguments(program: str, ranks: Launch) -> list[str]:
    interface = os.environ.get("HOROVOD_GLOO_IFACE")  # horovodrun would set it anew
    return [
        program,
        *("-np", str(ranks.slots), "--gloo"),
        *("--gloo-timeout-seconds", str(LOST_AFTER), "--start-timeout", str(LOST_AFTER)),
        *(("-H", ranks.hosts) if ranks.hosts else ()),
        *(("--network-interface", interface) if interface else ()),
    ]


def _run(command: list[str], outcome: Outcome, out: Path, mode: dict[str, str]) -> int:
    """Run ``horovodrun`` to its end; on a signal have the ranks stop in order, then at once."""
    environment = os.environ | mode | {"PYTHONUNBUFFERED": "1", KEY_VARIABLE: new_key()}
    process = subprocess.Popen(  # noqa: S603 - our own command
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,  # Ctrl-C reaches us alone, and we end it in order
        # Its ranks end in order with it; its own handler of signals blocks if two come at once.
        preexec_fn=partial(end_with_parent, signal.SIGKILL),
    )
    hearing = threading.Lock()

    def listen(stream: Any) -> None:
        for line in stream:
            with hearing:
                outcome.hear(line.rstrip("\n"))

    listeners = [
        threading.Thread(target=listen, args=(stream,), daemon=True)
        for stream in (process.stdout, process.stderr)
    ]
    for listener in listeners:
        listener.start()
    try:
        try:
            code = process.wait()
        except Interrupted as stop:
            if not _ask_chief(out, stop.number):
                raise
            with signals.without_time_limit():
                process.wait()
            raise
    except BaseException:
        _end(process)
        raise
    for listener in listeners:
        listener.join(_PATIENCE)
    return code


def _end(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()  # its ranks end with it


def _ask_chief(out: Path, number: int) -> bool:
    """Pass a signal on to the chief, which agrees with the others on where to stop.

    Returns:
        False if it is not known yet, or on another machine.
    """
    chief = run_lock.holder(out)
    if chief is None or chief.host != socket.gethostname():
        return False
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(chief.pid, number)
        return True
    return False
