"""Starts the processes of a run, and reads what they print."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pedl2det_runtime.distributed import new_key

PROGRAM = Path(__file__).parent / "a_process.py"
#: Below the ports that the kernel gives to clients.
PORTS = range(20_000, 32_000, 20)


def layouts(local_size: int, machines: int = 1, **more: Any) -> list[dict[str, Any]]:
    """The arguments of each process's context, on ports that nobody else uses."""
    port = random.choice(PORTS)
    return [
        {
            "rank": machine * local_size + local_rank,
            "size": machines * local_size,
            "local_rank": local_rank,
            "local_size": local_size,
            "cross_rank": machine,
            "cross_size": machines,
            "pub_port": port,
            "pull_port": port + 1,
            **more,
        }
        for machine in range(machines)
        for local_rank in range(local_size)
    ]


def start(
    layout: dict[str, Any],
    *scenarios: str,
    prefix: Sequence[str] = (),
    program: Path = PROGRAM,
    **environment: str,
) -> subprocess.Popen[str]:
    """One process of a run."""
    return subprocess.Popen(
        [*prefix, sys.executable, str(program), json.dumps(layout), *scenarios],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def ends(process: subprocess.Popen[str], seconds: float = 60) -> list[Any]:
    """What a process prints until it ends: the values of its lines of JSON."""
    try:
        out, errors = process.communicate(timeout=seconds)
    finally:
        process.kill()
    assert process.returncode in (0, -9), errors
    return [json.loads(line) for line in out.splitlines() if line]


def run(all_layouts: list[dict[str, Any]], *scenarios: str, **environment: str) -> list[list[Any]]:
    """Every process of a run, and what each printed for each scenario."""
    shared = {"PEDL2DET_CLUSTER_KEY": new_key(), **environment}
    started = [start(layout, *scenarios, **shared) for layout in all_layouts]
    try:
        return [ends(process) for process in started]
    finally:
        for process in started:
            process.kill()


def on_two_machines(rank: int) -> dict[str, Any]:
    """What ``all_collectives`` gives to one of two processes on each of two machines."""
    first = rank - rank % 2
    return {
        "gather": [["g", other] for other in range(4)] if rank == 0 else None,
        "gather_local": [["gl", first], ["gl", first + 1]] if rank == first else None,
        "allgather": [{"rank": other} for other in range(4)],
        "allgather_local": [None, None],
        "broadcast": "from 0",
        "broadcast_local": f"from {first}",
        "broadcast_local_of_nothing": None,
    }
