"""A process that has imported TensorFlow, and forks itself into what a test runs.

TensorFlow takes seconds to start. What is forked has loaded it with its Keras, and nothing of this
project or of a trial; the rest is that of a process of its own: arguments, directory, environment
and output, a pid that can be killed, an exit code. Hashes alone are those of its siblings.

The zygote ends when its standard input does, which is when the tests end, however they end. It
takes with it all that it forked.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Any

#: Of an environment, what Python, TensorFlow and Keras read when they start.
READ_AT_START = ("CUDA_", "HOME", "KERAS_", "LD_", "OMP_", "PYTHON", "TF_", "XLA_")
QUIET = "TF_CPP_MIN_LOG_LEVEL"  # as `pedl2det run` chooses it; it changes only what is printed
SERVED = ("checkpoint", "migrate", "run", "verify")  # commands that import TensorFlow
LONGEST = 1 << 17  # of a request, in bytes

#: CPU seconds of all forked processes that were waited for; they are no children of the tests'.
cpu_of_forked = 0.0


class Zygote:
    """The zygote, from the tests' side: it is started when it is first needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._directory = tempfile.TemporaryDirectory(prefix="zygote-")
        self._address = str(Path(self._directory.name, "socket"))
        self._environment = _read_at_start(dict(os.environ))

    def can_serve(self, command: str, environment: dict[str, str]) -> bool:
        """Whether a process may be forked: it trains, and started alone it would be the same."""
        is_same = _read_at_start(environment) == self._environment
        return sys.platform == "linux" and command in SERVED and is_same

    def start(self, arguments: list[str], cwd: Path | None, environment: dict[str, str]) -> Forked:
        """Fork a process that is ``python -m pedl2det`` with these arguments."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, __file__, self._address],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, QUIET: "3"},
                start_new_session=True,  # its group is what it takes with it
            )
            assert self._process.stdout is not None
            self._process.stdout.readline()
        return Forked(self._address, "pedl2det", arguments, cwd or Path.cwd(), environment)

    def stop(self) -> None:
        """End it."""
        global cpu_of_forked
        if self._process is not None:
            before = sum(os.times()[2:4])
            self._process.communicate()
            cpu_of_forked -= sum(os.times()[2:4]) - before  # what it forked is counted already
        self._directory.cleanup()


class Forked:
    """A forked process, for the tests; ``verify`` uses it as a ``multiprocessing.Process``."""

    def __init__(
        self,
        address: str,
        module: str,
        arguments: list[str],
        cwd: Path,
        environment: dict[str, str],
        errors: IO[bytes] | None = None,
    ) -> None:
        self.returncode: int | None = None
        self.peak_bytes = 0  # of memory that it had, once it has ended
        self._files: list[IO[bytes]] = [tempfile.TemporaryFile() for _ in range(2)]  # noqa: SIM115
        self._attendant = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._attendant.connect(address)
        request = json.dumps([module, arguments, str(cwd), environment]).encode()
        with open(os.devnull, "rb") as nothing:
            files = (nothing, self._files[0], errors or self._files[1])
            descriptors = [file.fileno() for file in files]
            socket.send_fds(self._attendant, [request], descriptors)
        self.pid = int(self._attendant.recv(LONGEST))

    def poll(self) -> int | None:
        """Its exit code if it has ended."""
        if self.returncode is None and select.select([self._attendant], [], [], 0)[0]:
            self.wait()
        return self.returncode

    def wait(self) -> int:
        """Its exit code, or minus the signal that killed it."""
        if self.returncode is None:
            code, peak, cpu = self._attendant.recv(LONGEST).split()
            self.returncode, self.peak_bytes = int(code), int(peak) * 1024
            global cpu_of_forked
            cpu_of_forked += float(cpu)
            self._attendant.close()
        return self.returncode

    exitcode, join = property(poll), wait

    def communicate(self) -> tuple[str, str]:
        """What it printed and what it said to stderr, when it has ended."""
        self.wait()
        said = []
        for file in self._files:
            file.seek(0)
            said.append(file.read().decode())
            file.close()
        return said[0], said[1]

    def kill(self) -> None:
        """Kill it, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


def serve(address: str) -> str:
    """Fork a process for each connection; only in those this returns: what they are to run."""
    import tensorflow as tf

    assert tf.keras.Model  # loaded when it is first used
    gc.freeze()  # or each process, when it ends, takes a second to look through all of TensorFlow
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(address)
        listener.listen()
        print("ready", flush=True)
        while listener in select.select([sys.stdin, listener], [], [])[0]:
            connection, _ = listener.accept()
            with connection, contextlib.suppress(ChildProcessError):
                if os.fork() == 0:
                    return _attend(connection, address)
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
    os.killpg(0, signal.SIGKILL)
    raise AssertionError


def _attend(connection: socket.socket, address: str) -> str:
    """Fork what is asked for, wait for it, tell how it ended; in what was forked, this returns."""
    request, descriptors, _, _ = socket.recv_fds(connection, LONGEST, 3)
    pid = os.fork()
    if pid == 0:
        return _become(*json.loads(request), descriptors, address)
    connection.send(str(pid).encode())
    _, status, used = os.wait4(pid, 0)
    cpu = used.ru_utime + used.ru_stime
    connection.send(f"{os.waitstatus_to_exitcode(status)} {used.ru_maxrss} {cpu}".encode())
    os._exit(0)


def _become(
    module: str,
    arguments: list[str],
    cwd: str,
    environment: dict[str, str],
    descriptors: list[int],
    address: str,
) -> str:
    """Take over what a process is started with, and return its module."""
    import numpy as np

    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [module, *arguments]
    sys.path[0] = cwd  # as `python -m` has it
    np.random.seed()  # Python's own generator does this at every fork
    if arguments[0] in ("migrate", "verify"):
        _fork_twins(address)
    return module


def _fork_twins(address: str) -> None:
    """Have the trainings of a verification forked by the zygote too."""
    from pedl2det.verify import processes

    def start(command: list[str], cwd: Path, errors: Path, started: list[Any]) -> None:
        environment = {**os.environ, QUIET: "3"}
        with errors.open("wb") as file:
            started.append(Forked(address, command[0], command[1:], cwd, environment, file))

    setattr(processes, "start", start)  # noqa: B010 - of another type


def _read_at_start(environment: dict[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(READ_AT_START) and name != QUIET
    }


if __name__ == "__main__":
    runpy.run_module(serve(sys.argv[1]), run_name="__main__", alter_sys=True)
