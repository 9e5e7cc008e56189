"""Train a trial and its migrated copy at the same time, each in a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pedl2det.verify.copies import Copy
from pedl2det.verify.length import TrainingLength
from pedl2det.verify.progress import shown
from pedl2det_runtime.launch.child import end_with_parent

#: Errors that two processes may cause each other: they download, unpack or write the same file.
_OF_FILES = re.compile(
    r"(OSError|FileExistsError|FileNotFoundError|PermissionError|EOFError|BadZipFile|BadGzipFile"
    r"|ReadError|UnpicklingError|HDF5|zlib|truncated|corrupt|auth_hash|file_hash)"
)


@dataclass(frozen=True)
class Failure:
    """Why a trial does not train.

    Attributes:
        message: the reason, with file and line of the copy.
        stack: all that it printed on stderr.
    """

    message: str
    stack: str

    @property
    def may_be_shared(self) -> bool:
        """Whether another process that used the same file may have caused it."""
        return _OF_FILES.search(self.message) is not None


#: Checkpoints stay in the results, whatever the config says of storage.
_STORAGE = ("checkpoint_storage.type=null", "checkpoint_storage.save_trial_latest=1")
#: The metrics of training are means since the last checkpoint too; those of a script are not.
_NO_PERIOD = ("min_checkpoint_period=null",)


def train(copies: tuple[Copy, ...], length: TrainingLength) -> tuple[Failure | None, ...]:
    """Train trials at the same time; return for each why it failed, if it did.

    If the first one fails, the others are ended; they have not failed then.
    """
    processes = [_start(copy, length) for copy in copies]
    runs = {copy.name: copy.out for copy in copies}
    with shown(runs, length.batches), ThreadPoolExecutor(len(processes)) as pool:
        try:
            ended = [pool.submit(process.communicate) for process in processes]
            printed = [ended[0].result()]
            was_ended = processes[0].returncode != 0
            for process in processes[1:]:
                if was_ended:
                    process.kill()
            printed += [one.result() for one in ended[1:]]
        except BaseException:
            for process in processes:
                process.kill()
            raise
    return tuple(
        _failure(process.returncode, errors)
        if process.returncode and not (number and was_ended)
        else None
        for number, (process, (_, errors)) in enumerate(zip(processes, printed, strict=True))
    )


def _failure(code: int, errors: str) -> Failure:
    if code < 0:
        name = signal.Signals(-code).name
        why = ", perhaps for want of memory" if name == "SIGKILL" else ""
        return Failure(f"its process was ended by {name}{why}", errors)
    told = [line for line in errors.splitlines() if line.startswith("pedl2det: ")]
    reason = (told or errors.strip().splitlines() or ["no message"])[-1]
    message = reason.removeprefix("pedl2det: ").removesuffix(" (--traceback shows the whole stack)")
    return Failure(message, errors.removesuffix(f"{reason}\n"))


def _start(copy: Copy, length: TrainingLength) -> subprocess.Popen[str]:
    command = [sys.executable, "-m"]
    if copy.guarded is not None:
        command = [sys.executable, "-P", "-m", "pedl2det.verify.guarded", str(copy.guarded)]
    if copy.script is None:
        command += _run(copy, length.batches)
    else:  # its own length is compared as well
        batches = None if length.is_whole else length.batches
        command += _script(copy, copy.script, batches)
    return subprocess.Popen(  # noqa: S603 - our own command line
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        cwd=copy.out.parent,
        # The order of a set of strings is the same in both.
        env={"PYTHONHASHSEED": "0", **os.environ},
        preexec_fn=partial(end_with_parent, signal.SIGKILL),
    )


def _run(copy: Copy, batches: int | None) -> list[str]:
    """The module and the arguments that train a trial."""
    command = ["pedl2det", "run", str(copy.directory), "--trace"]
    command += ["--slots", "1"]  # the metrics of each batch are those of one process
    command += ["--traceback", "--out", str(copy.out), "--config", str(copy.config)]
    overrides = (*_STORAGE, *(_NO_PERIOD if copy.twin_is_script else ()))
    command += [word for override in overrides for word in ("--set", override)]
    return command + (["--max-batches", str(batches)] if batches is not None else [])


def _script(copy: Copy, script: Path, batches: int | None) -> list[str]:
    """The module and the arguments that run a plain script."""
    command = ["pedl2det.verify.recorded_script", str(copy.out), str(script)]
    command += ["--out", f"{copy.out}-files"]
    return command + (["--batches", str(batches)] if batches is not None else [])
