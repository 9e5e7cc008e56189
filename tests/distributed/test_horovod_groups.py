"""Contexts of processes that Horovod connects: on one machine, and on two that are one in truth."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from processes import on_two_machines

pytest.importorskip("horovod")
pytestmark = [pytest.mark.slow, pytest.mark.ranks]

PROGRAM = Path(__file__).parent / "a_horovod_process.py"
ENVIRONMENT = {
    **os.environ,
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "CUDA_VISIBLE_DEVICES": "",
}
ON_ONE = ("eager", "many", "large", "unpicklable", "others_order", "in_a_graph")
ON_TWO = ("eager", "others_order", "too_late")


def start_all(
    directory: Path, hosts: tuple[str, ...], scenarios: tuple[str, ...], **more: str
) -> None:
    """Do what horovodrun does, without ssh, and leave those alone that survive another."""
    from horovod.runner.common.util.hosts import HostInfo, get_host_assignments
    from horovod.runner.http.http_server import RendezvousServer

    plan = get_host_assignments([HostInfo(host, 2) for host in hosts], 2 * len(hosts))
    server = RendezvousServer(verbose=0)
    port = server.start()
    server.init(plan)
    started = []
    for slot in plan:
        place = {
            "HOSTNAME": slot.hostname,
            "RANK": slot.rank,
            "SIZE": slot.size,
            "LOCAL_RANK": slot.local_rank,
            "LOCAL_SIZE": slot.local_size,
            "CROSS_RANK": slot.cross_rank,
            "CROSS_SIZE": slot.cross_size,
            "CONTROLLER": "gloo",
            "CPU_OPERATIONS": "gloo",
            "GLOO_IFACE": "lo",
            "GLOO_RENDEZVOUS_ADDR": "127.0.0.1",
            "GLOO_RENDEZVOUS_PORT": port,
        }
        environment = {f"HOROVOD_{name}": str(value) for name, value in place.items()}
        command = [sys.executable, PROGRAM, directory, *scenarios]
        started.append(subprocess.Popen(command, env={**ENVIRONMENT, **environment, **more}))
    try:
        for process in started:
            process.wait(timeout=100)
    finally:
        for process in started:
            process.kill()
        server.stop()


def read(directory: Path, size: int, scenarios: tuple[str, ...]) -> dict[str, list[Any]]:
    """What each process wrote of each scenario."""
    said = [json.loads((directory / f"{rank}.json").read_text()) for rank in range(size)]
    return {
        name: [process[number] for process in said if number < len(process)]
        for number, name in enumerate(scenarios)
    }


def test_two_processes_as_horovodrun_starts_them(tmp_path: Path) -> None:
    horovodrun = Path(sys.executable).with_name("horovodrun")
    subprocess.run(
        [horovodrun, "-np", "2", "--gloo", sys.executable, PROGRAM, tmp_path, *ON_ONE],
        env=ENVIRONMENT,
        check=True,
        capture_output=True,
        timeout=100,
    )
    said = read(tmp_path, 2, ON_ONE)
    for scenario in ("eager", "in_a_graph"):
        for rank, outcome in enumerate(said[scenario]):
            assert outcome["result"] == {
                "gather": [["g", 0], ["g", 1]] if rank == 0 else None,
                "gather_local": [["gl", 0], ["gl", 1]] if rank == 0 else None,
                "allgather": [{"rank": 0}, {"rank": 1}],
                "allgather_local": [None, None],
                "broadcast": "from 0",
                "broadcast_local": "from 0",
                "broadcast_local_of_nothing": None,
            }
    assert [outcome["result"] for outcome in said["many"]] == [True, True]
    assert all(max(outcome["result"].values()) < 60 for outcome in said["large"])
    wrong = "process 1 sends an object that cannot be pickled"
    assert all(wrong in outcome["error"] for outcome in said["unpicklable"])
    wrong = "DistributedError: the processes called different collectives"
    assert all(wrong in outcome["error"] for outcome in said["others_order"])


def test_two_machines(tmp_path: Path) -> None:
    start_all(tmp_path, ("one", "two"), ON_TWO, PEDL2DET_PATIENCE="4")
    said = read(tmp_path, 4, ON_TWO)
    for rank, outcome in enumerate(said["eager"]):
        assert outcome["result"] == on_two_machines(rank)
    wrong = "DistributedError: the processes called different collectives"
    assert all(wrong in outcome["error"] for outcome in said["others_order"])
    *others, last = said["too_late"]
    assert last["result"] is None
    errors = [outcome["error"] for outcome in others]
    waited = ["waited 4 s for the other processes" in error for error in errors]
    ended = ["one of them ended" in error for error in errors]  # one that waited before this one
    assert any(waited)
    assert all(map(max, waited, ended))
    assert all(4 * waits <= one["seconds"] < 30 for waits, one in zip(waited, others, strict=True))


def test_a_dead_process_is_noticed_at_once(tmp_path: Path) -> None:
    start_all(tmp_path, ("one",), ("dies",))
    (outcome,) = json.loads((tmp_path / "0.json").read_text())
    assert "DistributedError: the others cannot be reached" in outcome["error"]
    assert outcome["seconds"] < 30
