"""Ways to damage a checkpoint: seeded, pure until they are applied, blind to what a file means.

``mutations`` damages files as disks, transfers and people do. ``HOSTILE`` writes what somebody
would who wants memory, a hang or code of theirs to run, and repairs the manifest afterwards.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import marshal
import os
import pickle
import random
import shutil
import socket
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np

Change = Callable[[Path], None]


def mutations(checkpoint: Path, rng: random.Random) -> Iterator[tuple[str, Change]]:
    """One mutation of every kind for every file of a checkpoint, each at a random place.

    Args:
        checkpoint: the checkpoint that is looked at; it is not changed.
        rng: where the places come from.

    Yields:
        A name, and a function that damages a copy of the checkpoint.
    """
    files = sorted(path for path in checkpoint.rglob("*") if path.is_file())
    names = [path.relative_to(checkpoint).as_posix() for path in files]
    for name in names:
        size = (checkpoint / name).stat().st_size
        place, bit = rng.randrange(max(size, 1)), rng.randrange(8)
        noise = rng.randbytes(rng.randrange(1, 200))
        other = rng.choice([another for another in names if another != name])
        kinds: dict[str, Change] = {
            "delete": lambda path: path.unlink(),
            "empty": lambda path: os.truncate(path, 0),
            "extend": partial(_append, noise=noise),
            "extend with a hole": lambda path: os.truncate(path, path.stat().st_size + 2**34),
            "replace by noise": lambda path, noise=noise: _replace(path, noise),
            "replace by a named pipe": lambda path: _special(path, os.mkfifo),
            "replace by a socket": lambda path: _special(path, _bind),
            "replace by a directory": lambda path: _special(path, os.mkdir),
            "replace by a broken link": lambda path: _special(path, partial(os.symlink, "nowhere")),
            "replace by a link to itself, moved": _move_and_link,
            "replace by a link to zeros": lambda path: _special(
                path, partial(os.symlink, "/dev/zero")
            ),
        }
        if size:
            kinds |= {
                "flip a bit": partial(_flip, place=place, bit=bit),
                "flip a late bit": partial(_flip, place=size - 1 - place // 8, bit=bit),
                "truncate": lambda path, place=place: os.truncate(path, place),
                "invert a page": partial(_invert, place=place),
            }
        for kind, change in kinds.items():
            yield f"{kind}: {name}", lambda copy, name=name, change=change: change(copy / name)
        yield f"swap with {other}: {name}", partial(_swap, one=name, other=other)


def damage(checkpoint: Path, rng: random.Random) -> str:
    """Damage a checkpoint, now and then as an attacker would; returns the name of what was done."""
    changes = [*mutations(checkpoint, rng)]
    if rng.random() < 0.3 and (checkpoint / _H5).exists():
        changes = [*HOSTILE.items()]
    name, change = rng.choice(changes)
    change(checkpoint)
    return name


def with_hashes(checkpoint: Path, beside: Sequence[str] = ()) -> None:
    """Make the manifest of a changed checkpoint right again, as an attacker can, and list more."""
    files = {}
    for name in [*_names(checkpoint), *beside]:
        data = (checkpoint / name).read_bytes()
        files[name] = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    _write_metadata(checkpoint, files=files)
    metadata = json.loads((checkpoint / "metadata.json").read_text())
    text = json.dumps(metadata, sort_keys=True)
    _write_metadata(checkpoint, sha256=hashlib.sha256(text.encode()).hexdigest())


def _names(checkpoint: Path) -> list[str]:
    ours = {"metadata.json", "pedl2det-checkpoint.json", "pedl2det-signature.json"}
    found = (path for path in sorted(checkpoint.rglob("*")) if path.is_file())
    names = (path.relative_to(checkpoint).as_posix() for path in found)
    return [name for name in names if name not in ours]


def _write_metadata(checkpoint: Path, **entries: Any) -> None:
    place = checkpoint / "metadata.json"
    metadata = json.loads(place.read_text())
    if "files" in entries:
        metadata.pop("sha256", None)
    place.write_text(json.dumps(metadata | entries))


def _append(path: Path, noise: bytes) -> None:
    with path.open("ab") as file:
        file.write(noise)


def _replace(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _special(path: Path, make: Callable[[Path], Any]) -> None:
    path.unlink()
    make(path)


def _bind(path: Path) -> None:
    place = Path.cwd()
    os.chdir(path.parent)  # a socket's path may have 107 bytes
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path.name)
    finally:
        os.chdir(place)


def _move_and_link(path: Path) -> None:
    moved = path.with_name(f"{path.name}.moved")
    path.rename(moved)
    path.symlink_to(moved)


def _flip(path: Path, place: int, bit: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1 << bit
    path.write_bytes(data)


def _invert(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place : place + 4096] = bytes(255 - value for value in data[place : place + 4096])
    path.write_bytes(data)


def _swap(copy: Path, one: str, other: str) -> None:
    shutil.move(copy / one, copy / "swapped")
    shutil.move(copy / other, copy / one)
    shutil.move(copy / "swapped", copy / other)


# Pickles that take memory or call something, by hand: no pickler writes them.

_LIST = b"cbuiltins\nlist\n"
_HUGE = b"\x8a\x05" + (20_000_000_000).to_bytes(5, "little")
PICKLES: dict[str, bytes] = {
    "os.system": b"cos\nsystem\n(Vtouch HACKED\ntR.",
    "bytearray of an int": b"\x80\x04cbuiltins\nbytearray\n" + _HUGE + b"\x85R.",
    "list of a range": b"\x80\x04" + _LIST + b"cbuiltins\nrange\n" + _HUGE + b"\x85R\x85R.",
    "bytes longer than the file": b"\x80\x04\x8e" + struct.pack("<Q", 20_000_000_000) + b"x.",
    "bytearray longer than the file": b"\x80\x05\x96" + struct.pack("<Q", 20_000_000_000) + b"x.",
    "a frame longer than the file": b"\x80\x04\x95" + struct.pack("<Q", 20_000_000_000) + b"N.",
    "a memo of two billion": b"\x80\x04Nr\xff\xff\xff\x7f.",
    "an array of a huge shape": (b"\x80\x04cnumpy\nndarray\n(" + _HUGE + b"\x85Vf8\ntR."),
    "a reconstructed array of objects": (
        b"\x80\x04cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n" + _HUGE + b"\x85VO\ntR."
    ),
    "a scalar of two gigabytes": (
        b"\x80\x04cnumpy.core.multiarray\nscalar\ncnumpy\ndtype\nVV2000000000\n\x85R\x85R."
    ),
    "one text in a path a million times": b"".join(
        (
            *(b"\x80\x04cpathlib\nPurePosixPath\n(X", struct.pack("<I", 10**6), b"a" * 10**6),
            *(b"\x94", b"h\x00" * 10**5, b"tR."),
        )
    ),
    "lists that double": b"\x80\x04]\x94"
    + b"".join(b"](h%ch%ce\x94" % (number, number) for number in range(200))
    + b".",
    "lists in lists": b"\x80\x04" + b"]" * 10**5 + b"a" * (10**5 - 1) + b".",
    "ten million empty sets": b"\x80\x04(" + b"\x8f" * 10**7 + b"l.",
    "ten million marks": b"\x80\x04" + b"(" * 10**7 + b"N.",
    "a decimal as an int": b"\x80\x04cbuiltins\nint\ncdecimal\nDecimal\nV1E+999999999\n\x85R\x85R.",
    "of no known structure": pickle.dumps(["neither", "states"], protocol=4),
    "cut off": pickle.dumps({"training": {}, "validation": {}}, protocol=4)[:-3],
}


def _npz_of_zeros(path: Path) -> None:
    """A compressed archive that expands to three gigabytes."""
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("arr_0.npy", "w", force_zip64=True) as member,
    ):
        header = {"descr": "<f4", "fortran_order": False, "shape": (3 * 2**28,)}
        np.lib.format.write_array_header_1_0(member, header)
        for _ in range(3 * 2**5):
            member.write(bytes(2**25))


def _npz_of_a_huge_shape(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive, archive.open("arr_0.npy", "w") as member:
        header = {"descr": "<f8", "fortran_order": False, "shape": (5 * 10**9,)}
        np.lib.format.write_array_header_1_0(member, header)
        member.write(bytes(100))


def _change_first_weight(path: Path, change: Callable[[h5py.Group, str], None]) -> None:
    names: list[str] = []
    with h5py.File(path, "a") as file:
        weights = file["model_weights"]
        weights.visititems(
            lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None
        )
        change(weights, names[0])


def _huge_weight(group: h5py.Group, name: str) -> None:
    del group[name]
    group.create_dataset(name, shape=(5 * 10**9,), dtype="f4")  # nothing of it is written


def _compressed_weight(group: h5py.Group, name: str) -> None:
    del group[name]
    zeros = group.create_dataset(
        name, shape=(3 * 2**28,), dtype="f4", chunks=(2**24,), compression="gzip"
    )
    chunk = zlib.compress(bytes(2**26), 1)
    for start in range(0, 3 * 2**28, 2**24):
        zeros.id.write_direct_chunk((start,), chunk)


def _weight_of_zeros(group: h5py.Group, name: str) -> None:
    shape = group[name].shape
    del group[name]
    group.create_dataset(name, shape=shape, dtype="u1", external=[("/dev/zero", 0, 2**30)])


def _linked_weight(group: h5py.Group, name: str) -> None:
    del group[name]
    group[name] = h5py.ExternalLink("/etc/hostname", "/x")


def _repeated_weight(group: h5py.Group, name: str) -> None:
    layer = group[name.partition("/")[0]]
    names = list(layer.attrs["weight_names"])
    layer.attrs["weight_names"] = [*names, *names[:1] * 1000]


def _huge_layer(path: Path) -> None:
    with h5py.File(path, "a") as file:
        config = json.loads(file.attrs["model_config"])
        for layer in config["config"]["layers"]:
            if "units" in layer["config"]:
                layer["config"]["units"] = 2 * 10**9
        file.attrs["model_config"] = json.dumps(config)


def _lambda_layer(path: Path) -> None:
    def code(x: Any) -> Any:
        open("HACKED", "w").close()
        return x

    with h5py.File(path, "a") as file:
        config = json.loads(file.attrs["model_config"])
        text = codecs.encode(marshal.dumps(code.__code__), "base64").decode("ascii")
        layer = {
            "class_name": "Lambda",
            "config": {
                "name": "code", "trainable": True, "dtype": "float32",
                "function": [text, None, None], "function_type": "lambda", "module": "builtins",
                "output_shape": None, "output_shape_type": "raw", "output_shape_module": None,
                "arguments": {},
            },
        }  # fmt: skip
        config["config"]["layers"].append(layer)
        file.attrs["model_config"] = json.dumps(config)


def _named_function(path: Path) -> None:
    function = {
        "class_name": "function", "config": "system", "module": "os",
        "registered_name": "system",
    }  # fmt: skip
    with h5py.File(path, "a") as file:
        config = json.loads(file.attrs["model_config"])
        for layer in config["config"]["layers"]:
            if "activation" in layer["config"]:
                layer["config"]["activation"] = function
        file.attrs["model_config"] = json.dumps(config)


def _json(value: Any) -> Change:
    return lambda path: _replace(path, json.dumps(value).encode())


def endless_hdf5() -> bytes:
    """An HDF5 file with 256 zeros in its heap of texts, which the library reads for ever."""
    with h5py.File("endless", "w", driver="core", backing_store=False) as file:
        file.attrs["model_config"] = file.attrs["training_config"] = "{}"
        file.create_group("model_weights").attrs["layer_names"] = ["dense"]
        file.flush()
        data = bytearray(file.id.get_file_image())
    begin = data.index(b"GCOL") + 16
    data[begin : begin + 256] = bytes(256)
    return bytes(data)


def change_hdf5(checkpoint: Path, rng: random.Random) -> str:
    """Change bytes or an attribute of the model's file at random, and make its hash right again.

    Returns:
        What was done.
    """
    path = checkpoint / _H5
    size = path.stat().st_size
    place, length = rng.randrange(size), rng.choice((1, 16, 256))
    kinds: dict[str, Change] = {
        f"{length} zeros at {place}": partial(_write_at, place=place, data=bytes(length)),
        f"noise at {place}": partial(_write_at, place=place, data=rng.randbytes(length)),
        f"a bit at {place}": partial(_flip, place=place, bit=rng.randrange(8)),
        f"the end at {place}": lambda path: os.truncate(path, place),
        "an attribute": partial(_change_attribute, rng=rng),
    }
    kind = rng.choice([*kinds])
    kinds[kind](path)
    with_hashes(checkpoint)
    return f"{_H5}: {kind}"


def _write_at(path: Path, place: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        file.write(data)


def _change_attribute(path: Path, rng: random.Random) -> None:
    values = (7, -1, 2.5, "", "x" * 10**6, "[" * 10**5, "{}", "null", [b"../x"], [b""], [])
    with h5py.File(path, "a") as file:
        objects = [file]
        file.visititems(lambda _, item: objects.append(item))
        of = rng.choice(objects)
        names = [*of.attrs, "layer_names", "weight_names", "model_config", "training_config"]
        of.attrs[rng.choice(names)] = rng.choice((*values, h5py.Empty("f4"), np.zeros(10**3)))


_DEEP = b"[" * 10**6 + b"]" * 10**6
_H5 = "determined-keras-model.h5"
_FILES: dict[str, tuple[str, Change]] = {
    **{
        f"callbacks.pkl, {kind}": ("rank-0/callbacks.pkl", partial(_replace, data=data))
        for kind, data in PICKLES.items()
    },
    "rank-0/loaders.json, deep": ("rank-0/loaders.json", partial(_replace, data=_DEEP)),
    "rank-0/loaders.json, wide": (
        "rank-0/loaders.json",
        partial(_replace, data=b'["list"' + b',["list"]' * 10**7 + b"]"),
    ),
    **{
        f"{name}.npz, {change.__name__.strip('_')}": (f"rank-0/{name}.npz", change)
        for name in ("layers", "gradients", "loaders")
        for change in (_npz_of_zeros, _npz_of_a_huge_shape)
    },
    f"{_H5}, endless": (_H5, lambda path: _replace(path, endless_hdf5())),
    **{
        f"{_H5}, {change.__name__.strip('_')}": (_H5, partial(_change_first_weight, change=change))
        for change in (
            *(_huge_weight, _compressed_weight, _weight_of_zeros, _linked_weight),
            _repeated_weight,
        )
    },
    **{
        f"{_H5}, {change.__name__.strip('_')}": (_H5, change)
        for change in (_huge_layer, _lambda_layer, _named_function)
    },
    **{
        f"{name}, {kind}": (name, change)
        for name in (
            *("state.json", "hparams.json", "experiment_config.json", "optimizer.json"),
            *("rank-0/random.json",),
        )
        for kind, change in {
            "deep": partial(_replace, data=_DEEP),
            "a list": _json([1]),
            "an empty object": _json({}),
            "large": lambda path: os.truncate(path, 2**34),
        }.items()
    },
}


def _hostile(checkpoint: Path, name: str, change: Change) -> None:
    change(checkpoint / name)
    if (checkpoint / name).stat().st_size < 2**30:
        with_hashes(checkpoint)


#: A name, and a function that changes a copy of a checkpoint of one process, in HDF5.
HOSTILE: dict[str, Change] = {
    kind: partial(_hostile, name=name, change=change) for kind, (name, change) in _FILES.items()
}
