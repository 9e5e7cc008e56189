"""``horovodrun`` starts the ranks; what they print and how they end comes back here."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pedl2det_runtime.backends import graph_mode
from pedl2det_runtime.checkpoint import directory as checkpoint_directory
from pedl2det_runtime.distributed.key import KEY_VARIABLE, new_key
from pedl2det_runtime.errors import ConfigError, GraphModeNeededError, Interrupted, RankError
from pedl2det_runtime.launch.child import end_with_parent
from pedl2det_runtime.launch.outcome import Outcome, may_pass
from pedl2det_runtime.launch.output import Failure
from pedl2det_runtime.trainer import run_lock, signals

#: Seconds without a sign of life of a rank's machine before the others give up.
LOST_AFTER = 120
_PATIENCE = 20  # seconds for horovodrun to end its ranks


@dataclass(frozen=True)
class Launch:
    """What is started.

    Attributes:
        command: the command of one rank, with all its arguments.
        slots: how many of them.
        hosts: where, as ``horovodrun -H`` takes it; None for this machine.
        out: the results, in which checkpoints say how far the ranks came.
        restarts: how many times they are started again.
    """

    command: list[str]
    slots: int
    hosts: str | None
    out: Path
    restarts: int


def horovodrun() -> str:
    """The path of ``horovodrun``.

    Raises:
        ConfigError: Horovod is not installed.
    """
    beside = Path(sys.executable).with_name("horovodrun")
    found = str(beside) if beside.exists() else shutil.which("horovodrun")
    if importlib.util.find_spec("horovod") is None or found is None:
        raise ConfigError(
            "training on several processes needs Horovod, which is not installed: install it with "
            "`pedl2det doctor --install`, or train on one process with --slots 1"
        )
    return found


def launch(job: Launch, say: Callable[[str, bool], None]) -> None:
    """Train on several ranks, and start them again after a failure that may pass.

    They are also started again, all in graph mode, if the code of one needs that.

    Args:
        job: what is started.
        say: prints a line for people; the second argument says whether it goes to stderr.

    Raises:
        ConfigError: Horovod is not installed.
        RankError: the training failed; the first rank's error, whole.
        Interrupted: a signal ended it.
    """
    program = horovodrun()
    before: Failure | None = None
    restarts, command = job.restarts, job.command
    mode: dict[str, str] = {}
    while True:
        reached = checkpoint_directory.latest(job.out / "checkpoints")
        outcome = Outcome(say)
        if _run([*_arguments(program, job), *command], outcome, job.out, mode) == 0:
            return
        if outcome.stopped_by is not None:
            raise Interrupted(outcome.stopped_by)
        rank, failure = outcome.first_failure()
        if failure.kind == GraphModeNeededError.__name__ and not mode:
            mode = {graph_mode.VARIABLE: "1"}
            reason = GraphModeNeededError(failure.message).reason
            say(f"pedl2det: starting again in graph mode, as by TensorFlow 1: {reason}", False)
            continue
        if checkpoint_directory.latest(job.out / "checkpoints") != reached:
            before = None
        if rank is None or not may_pass(failure, before) or not restarts:
            raise RankError(_told(rank, job, failure, job.restarts - restarts))
        restarts, before = restarts - 1, failure
        left = f"{restarts} restarts left" if restarts != 1 else "1 restart left"
        say(f"pedl2det: rank {rank} failed: {failure.message}; starting again ({left})", True)
        if "--resume" not in command:
            command = [*command, "--resume"]


def _told(rank: int | None, job: Launch, failure: Failure, restarted: int) -> str:
    """The error, what is known of it, and once more in short: the last line is what is read."""
    after = f", after {restarted} of {job.restarts} restarts" if restarted else ""
    who = f"rank {rank} of {job.slots} failed first{after}: "
    if rank is None:
        who = "horovodrun printed:"
    details = f"{failure.details.rstrip()}\n" if failure.details else ""
    return f"{who}{failure.message}" if not details else f"{who}\n{details}{failure.message}"


def _arguments(program: str, job: Launch) -> list[str]:
    interface = os.environ.get("HOROVOD_GLOO_IFACE")  # horovodrun would set it anew
    return [
        program,
        *("-np", str(job.slots), "--gloo"),
        *("--gloo-timeout-seconds", str(LOST_AFTER), "--start-timeout", str(LOST_AFTER)),
        *(("-H", job.hosts) if job.hosts else ()),
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
