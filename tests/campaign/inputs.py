"""Hostile inputs: each must end in one line and exit code 2, within seconds and little memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from support import start, write_tree
from test_run import CONFIG, SMALL
from zygote import Forked

MOST_BYTES = 2 << 30
_LAUGHS = "a: &a0 [x, x]\n" + "".join(
    f"b{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}, *a{n - 1}]\n" for n in range(1, 60)
)
CONFIGS = {
    "aliases that multiply": CONFIG + _LAUGHS,
    "an alias of itself": CONFIG + "data: &d {again: *d}\n",
    "deep nesting": CONFIG + "data: " + "[" * 20_000 + "]" * 20_000 + "\n",
    "no YAML": "\x00\x01\x02 {{{",
    "a list": "- a\n- b\n",
    "two documents": CONFIG + "---\n" + CONFIG,
    "a negative length": CONFIG.replace("batches: 60", "batches: -1"),
    "a length that is no number": CONFIG.replace("batches: 60", "batches: .nan"),
    "a batch size of a million digits": CONFIG.replace("size: 8", "size: 1" + "0" * 5_000),
    "a Python object": CONFIG + "data: !!python/object/apply:os.system ['touch HACKED']\n",
    "a seed of text": CONFIG + "reproducibility: {experiment_seed: yes please}\n",
    "an entrypoint above": CONFIG.replace("model_def:T", "../model_def:T"),
}


def inputs(scratch: Path) -> Iterator[tuple[str, list[str]]]:
    """Each hostile input by name, as the arguments of the command line."""
    for number, (name, config) in enumerate(CONFIGS.items()):
        directory = write_tree(scratch / f"config-{number}", {**SMALL, "const.yaml": config})
        yield f"config: {name}", ["run", str(directory), "--out", str(scratch / f"out-{number}")]
    directory = write_tree(scratch / "trial", SMALL)
    fifo = scratch / "fifo.yaml"
    os.mkfifo(fifo)
    yield "config: a FIFO", ["run", str(directory), "-c", str(fifo), "--out", str(scratch / "o1")]
    taken = write_tree(scratch, {"file": "mine"}) / "file"
    yield "--out: a file", ["run", str(directory), "--out", str(taken)]
    yield "no directory", ["run", str(scratch / "none")]


def complaint(arguments: list[str], scratch: Path, seconds: float = 60) -> str | None:
    """What is wrong with the answer to a hostile input; None if nothing is."""
    process = start(arguments, scratch, {**os.environ})
    printed, errors = process.communicate()
    lines = [line for line in errors.splitlines() if line.strip()]
    if process.returncode != 2:
        return f"exit {process.returncode}: {printed[-300:]}{errors[-1000:]}"
    if len(lines) != 1:
        return f"{len(lines)} lines: {errors[-1000:]}"
    if isinstance(process, Forked) and process.peak_bytes > MOST_BYTES:
        return f"{process.peak_bytes >> 20} MB"
    if list(scratch.rglob("HACKED")):
        return "code ran"
    return None
