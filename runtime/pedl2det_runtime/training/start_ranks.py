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
from dataclasses import replace
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
    if not options.home.is_dir():
        raise ConfigError(f"{options.directory}: no such directory")
    file = options.config or find_config(options.home)
    config = read_config(file, options.overrides)
    if not hosts:
        run_lock.refuse_held(options.out)
    if not options.resume and not hosts:
        find_checkpoint(options, TrialInfo.of(config, options.out), lambda _: None)
    ranks = replace(options.absolute(), config=file.resolve(), slots=slots)
    command = [
        *(horovodrun(), *_arguments(slots, hosts)),
        *(sys.executable, "-m", "pedl2det", "run", *ranks.arguments(), *more),
    ]
    _launch(command, ranks.out, slots, 0 if options.test else config.max_restarts, say)


def _slots_of(hosts: str) -> int:
    each = hosts.split(",")
    for host in each:
        if not _HOST.fullmatch(host):
            raise ConfigError(
                f"--hosts {hosts}: {host!r}: expected NAME:SLOTS, several separated by commas"
            )
    return sum(int(host.rpartition(":")[2]) for host in each)


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


def _launch(
    command: list[str], out: Path, slots: int, max_restarts: int, say: Callable[[str, bool], None]
) -> None:
    """Run ``horovodrun``, and again after a failure that may pass.

    It also runs again, with all ranks in graph mode, if the code of one needs that.

    Raises:
        RankError: the training failed; the first rank's error, whole.
        Interrupted: a signal ended it.
    """
    before: Failure | None = None
    restarts = max_restarts
    mode: dict[str, str] = {}
    while True:
        reached = checkpoint_directory.latest(out / "checkpoints")
        outcome = Outcome(say)
        if _run(command, outcome, out, mode) == 0:
            return
        if outcome.stopped_by is not None:
            raise Interrupted(outcome.stopped_by)
        rank, failure = outcome.first_failure()
        if failure.kind == GraphModeNeededError.__name__ and not mode:
            mode = {graph_mode.VARIABLE: "1"}
            reason = GraphModeNeededError(failure.message).reason
            say(f"pedl2det: starting again in graph mode, as by TensorFlow 1: {reason}", False)
            continue
        if checkpoint_directory.latest(out / "checkpoints") != reached:
            before = None
        if rank is None or not restart_allowed(failure, before) or not restarts:
            restarted = max_restarts - restarts
            after = f", after {restarted} of {max_restarts} restarts" if restarted else ""
            who = f"rank {rank} of {slots} failed first{after}: "
            raise RankError(_describe(failure, "horovodrun printed:" if rank is None else who))
        restarts, before = restarts - 1, failure
        left = f"{restarts} restarts left" if restarts != 1 else "1 restart left"
        say(f"pedl2det: rank {rank} failed: {failure.message}; starting again ({left})", True)
        if "--resume" not in command:
            command = [*command, "--resume"]


def _describe(failure: Failure, who: str) -> str:
    """Return the details of a failure, and last its message: the last line is what is read."""
    if not failure.details:
        return f"{who}{failure.message}"
    return f"{who}\n{failure.details.rstrip()}\n{failure.message}"


def _arguments(slots: int, hosts: str | None) -> list[str]:
    interface = os.environ.get("HOROVOD_GLOO_IFACE")  # horovodrun would overwrite it
    return [
        *("-np", str(slots), "--gloo"),
        *("--gloo-timeout-seconds", str(LOST_AFTER), "--start-timeout", str(LOST_AFTER)),
        *(("-H", hosts) if hosts else ()),
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
