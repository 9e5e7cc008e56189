"""Limit the memory and the time that it takes to read a checkpoint.

The HDF5 library hangs on some damaged files, and then no signal but SIGKILL ends the process. So a
child process reads such a file first; this is also its main module.
"""

from __future__ import annotations

import hashlib
import math
import os
import resource
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

from pedl2det_runtime.backends import keras_versions
from pedl2det_runtime.checkpoint.untrusted_files import reading, require_file
from pedl2det_runtime.errors import DamagedCheckpointError

_EXTRA_BYTES = 2**28  # beyond the copies of the weights
_COPIES = 16  # copies of the weights; optimizers keep one to four
#: CPU seconds for a small file, and bytes a second of a large one.
SECONDS, _PACE = 10, 2**24
#: A busy machine may take so many times the CPU seconds.
_PATIENCE = 10
_CHILD_BYTES = 2**30  # of memory, beside copies of the file
_readable: set[bytes] = set()  # hashes of files


def largest(model: Any) -> int:
    """Return the maximum size in bytes of a checkpoint of a built model."""
    return _EXTRA_BYTES + _COPIES * size_of(model)


def size_of(model: Any) -> int:
    """Return the size in bytes of a model's weights, without the vocabularies of its layers."""
    variables = [weight for weight in model.weights if hasattr(weight, "shape")]
    return sum(int(v.dtype.size * (v.shape.num_elements() or 0)) for v in variables)


def check_npz(path: Path) -> None:
    """Refuse an ``.npz`` file whose arrays need more memory than its size."""
    size = require_file(path)
    with reading(path), zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if any(member.compress_type != zipfile.ZIP_STORED for member in members):
            raise ValueError("the arrays are compressed, which pedl2det never writes")
        _refuse_more(sum(member.file_size for member in members), size)


def check_hdf5(path: Path, limit: float = math.inf, *, is_whole: bool = False) -> None:
    """Refuse an HDF5 file that refers to other files or declares more data than it holds.

    A child process reads the file first, unless ``is_whole`` says that this run wrote it so.
    ``limit`` is the maximum size of the data in bytes.
    """
    import h5py

    size = require_file(path)
    if not is_whole:
        read_first(path)
    with reading(path), h5py.File(path) as file:
        total, seen, groups = 0, {h5py.h5o.get_info(file.id).addr}, [file]
        while groups:
            group = groups.pop()
            _check_names(group)
            for name in group:
                if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                    raise ValueError(f"{group.name}/{name} is a link")
                item = group[name]
                address = h5py.h5o.get_info(item.id).addr
                if address in seen:
                    raise ValueError(f"{item.name} occurs twice")
                seen.add(address)
                if isinstance(item, h5py.Group):
                    groups.append(item)
                elif isinstance(item, h5py.Dataset):
                    total += _bytes_of(item)
        _refuse_more(total, min(size, limit))


def check_tensors(prefix: Path, limit: float) -> None:
    """Refuse a checkpoint in TensorFlow's format that is damaged or declares too much data.

    ``prefix`` is the path of its files without ``.index``, ``limit`` the maximum size in bytes.
    """
    keras_versions.load_tensorflow()
    import tensorflow as tf

    index = prefix.with_name(prefix.name + ".index")
    require_file(index)
    with reading(index):
        data = sorted(prefix.parent.glob(f"{prefix.name}.data-*"))
        size = sum(map(require_file, data))
        reader = tf.train.load_checkpoint(str(prefix))
        types = reader.get_variable_to_dtype_map()
        shapes = reader.get_variable_to_shape_map()
        total = sum(types[name].size * math.prod(shape) for name, shape in shapes.items())
        _refuse_more(total, min(size, limit))
        for name in shapes:
            reader.get_tensor(name)  # verifies its CRC


def _check_names(group: Any) -> None:
    """Refuse name lists that make Keras read the same array repeatedly."""
    for key in group.attrs:
        if key.startswith(("layer_names", "weight_names")):
            values = group.attrs[key]
            names = [name.decode() if isinstance(name, bytes) else name for name in values]
            parts = {part for name in names for part in name.split("/")}
            if len(set(names)) < len(names) or not parts.isdisjoint({"", ".", ".."}):
                raise ValueError(f"{group.name}: {key} has a duplicate or invalid name")


def _bytes_of(dataset: Any) -> int:
    if dataset.external or dataset.is_virtual:
        raise ValueError(f"{dataset.name}: its data is in another file")
    size = 0 if dataset.shape is None else math.prod(dataset.shape) * dataset.dtype.itemsize
    _refuse_more(size, dataset.id.get_storage_size(), f"{dataset.name}: ")
    return size


def _refuse_more(declared: int, limit: float, place: str = "") -> None:
    if declared > limit:
        raise ValueError(f"{place}declares {declared} bytes of data, at most {limit} are possible")


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
    memory = _CHILD_BYTES + 2 * path.stat().st_size
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        check_hdf5(path, is_whole=True)
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
