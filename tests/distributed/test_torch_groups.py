"""Contexts of processes that torch.distributed connects: two machines that are one in truth."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from processes import PORTS

pytest.importorskip("torch")
pytestmark = pytest.mark.slow

PROGRAM = Path(__file__).parent / "a_torch_process.py"
SCENARIOS = ("all_collectives", "many", "large", "unpicklable", "others_order", "dies")


def test_two_processes_on_each_of_two_machines(tmp_path: Path) -> None:
    shared = {
        "WORLD_SIZE": "4",
        "LOCAL_WORLD_SIZE": "2",
        "GROUP_WORLD_SIZE": "2",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(random.choice(PORTS)),
    }
    command = [sys.executable, PROGRAM, tmp_path, *SCENARIOS]
    started = []
    for rank in range(4):
        own = {"RANK": rank, "LOCAL_RANK": rank % 2, "GROUP_RANK": rank // 2}
        environment = {**shared, **{name: str(value) for name, value in own.items()}}
        started.append(subprocess.Popen(command, env={**os.environ, **environment}))
    for process in started:
        process.wait(timeout=100)
    said = [json.loads((tmp_path / f"{rank}.json").read_text()) for rank in range(4)]
    collectives, many, large, unpicklable, others_order, *_ = zip(*said, strict=False)
    for rank, outcome in enumerate(collectives):
        first = rank - rank % 2
        assert outcome["result"] == {
            "gather": [["g", other] for other in range(4)] if rank == 0 else None,
            "gather_local": [["gl", first], ["gl", first + 1]] if rank == first else None,
            "allgather": [{"rank": other} for other in range(4)],
            "allgather_local": [None, None],
            "broadcast": "from 0",
            "broadcast_local": f"from {first}",
            "broadcast_local_of_nothing": None,
        }
    assert all(outcome["result"] is True for outcome in many)
    assert all(max(outcome["result"].values()) < 60 for outcome in large)
    wrong = "process 3 gives an object that cannot be pickled"
    assert all(wrong in outcome["error"] for outcome in unpicklable)
    wrong = "the processes do not ask for the same"
    assert all(wrong in outcome["error"] for outcome in others_order)
    assert len(said[3]) == 5  # killed in the sixth
    for outcomes in said[:3]:
        assert "the others cannot be reached" in outcomes[5]["error"]
        assert outcomes[5]["seconds"] < 30
