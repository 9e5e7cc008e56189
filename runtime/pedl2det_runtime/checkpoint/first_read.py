"""Read an HDF5 file of others in a child process first, with limits of time and memory.

The HDF5 library hangs on some damaged files, and then no signal but SIGKILL ends the process. This
is also the main module of the child.
"""

from __future__ import annotations

import hashlib
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from pedl2det_runtime.checkpoint.untrusted_files import reading
from pedl2det_runtime.errors import DamagedCheckpointError

#: CPU seconds for a small file, and bytes a second of a large one.
SECONDS, _PACE = 10, 2**24
#: A busy machine may take so many times the CPU seconds.
_PATIENCE = 10
_BYTES = 2**30  # of memory, beside copies of the file
_readable: set[bytes] = set()  # hashes of files


def read_first(path: Path) -> None:
    """Read all of an HDF5 file in a child process, unless this process has had it read before.

    Raises:
        DamagedCheckpointError: it is damaged, or reading it takes too much time or memory.
    """
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").digest()
    if digest in _readable:
        return
    seconds = SECONDS + path.stat().st_size // _PACE
    package = str(Path(__file__).parents[2])
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
    one_thread = {"OPENBLAS_NUM_THREADS": "1"}  # each takes address space
    with reading(path):
        try:
            child = subprocess.run(  # noqa: S603 - our own module
                [sys.executable, "-P", "-m", __name__, str(path), str(seconds)],
                env={**os.environ, **one_thread, "PYTHONPATH": os.pathsep.join(paths)},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_PATIENCE * seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ValueError(f"it cannot be read in {_PATIENCE * seconds} seconds") from None
        if child.returncode == -signal.SIGXCPU:
            raise ValueError(f"it cannot be read in {seconds} seconds of CPU time")
        if child.returncode < 0:
            name = signal.Signals(-child.returncode).name
            raise ValueError(f"the HDF5 library crashes when it reads it ({name})")
        if child.returncode > 0:
            lines = (child.stdout or child.stderr).strip().splitlines()
            raise DamagedCheckpointError(lines[-1] if lines else f"exit code {child.returncode}")
    _readable.add(digest)


def _main(path: Path, seconds: int) -> int:
    memory = _BYTES + 2 * path.stat().st_size
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from pedl2det_runtime.checkpoint import size_limits

    try:
        size_limits.check_hdf5(path, is_whole=True)
        with reading(path):
            _read_all(path)
    except DamagedCheckpointError as error:
        sys.stdout.write(str(error))
        return 1
    return 0


def _read_all(path: Path) -> None:
    import h5py

    def read(_: str, item: Any) -> None:
        dict(item.attrs)
        if isinstance(item, h5py.Dataset):
            item[()]

    with h5py.File(path) as file:
        dict(file.attrs)
        file.visititems(read)


if __name__ == "__main__":
    raise SystemExit(_main(Path(sys.argv[1]), int(sys.argv[2])))
