"""Several machines: two that are one in truth, and two with a network between them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest

from pedl2det_runtime.distributed import new_key
from processes import ends, layouts, on_two_machines, run, start

SCENARIOS = ("all_collectives", "large", "others_order", "late", "dies")


def check_collectives(said: list[list[Any]]) -> None:
    """Whether each of two processes on each of two machines got what it should."""
    for rank, outcomes in enumerate(said):
        assert outcomes[0]["result"] == on_two_machines(rank)


def test_the_local_ones_stay_on_their_machine() -> None:
    check_collectives(run(layouts(2, 2, chief_ip="127.0.0.2"), "all_collectives"))


def test_the_chief_listens_on_its_address_alone() -> None:
    (layout, *_) = layouts(1, 2, chief_ip="127.0.0.2")
    chief = start(layout, "many", PEDL2DET_CLUSTER_KEY=new_key(), PEDL2DET_PATIENCE="3")
    while chief.poll() is None:
        try:
            socket.create_connection(("127.0.0.2", layout["pub_port"])).close()
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", layout["pub_port"]))
    assert "waited 3 s for process 1" in ends(chief)[0]["error"]


def test_between_machines_there_must_be_a_key() -> None:
    (outcome,) = run(layouts(1, 2, chief_ip="192.0.2.1")[:1], "many", PEDL2DET_CLUSTER_KEY="")[0]
    assert "processes of several machines need a key" in outcome["error"]


@pytest.mark.parametrize(
    ("chief_ip", "message"),
    [
        ("192.0.2.1", "chief_ip must be an address of its own machine"),
        ("no.such.host.invalid", "chief_ip 'no.such.host.invalid': no address is known"),
    ],
)
def test_a_chief_that_is_not_where_it_is_said_to_be(chief_ip: str, message: str) -> None:
    (outcome,) = run(layouts(1, 2, chief_ip=chief_ip)[:1], "many")[0]
    assert message in outcome["error"]


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


@pytest.fixture
def two_machines() -> Iterator[list[str]]:
    """Two network namespaces with a cable between them: 10.77.0.1 and 10.77.0.2."""
    if shutil.which("ip") is None:
        pytest.skip("needs iproute2")
    names = [f"pedl2det-{os.getpid()}-{machine}" for machine in (1, 2)]
    try:
        for name in names:
            ip("netns", "add", name)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"network namespaces are not allowed here: {error.stderr}")
    try:
        cable = ("v0", "netns", names[0], "type", "veth", "peer", "name", "v0", "netns", names[1])
        ip("link", "add", *cable)
        for machine, name in enumerate(names, 1):
            ip("-n", name, "address", "add", f"10.77.0.{machine}/24", "dev", "v0")
            ip("-n", name, "link", "set", "v0", "up")
            ip("-n", name, "link", "set", "lo", "up")
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], check=False)


@pytest.mark.slow
def test_two_machines_with_a_network_between_them(two_machines: list[str]) -> None:
    key = new_key()
    all_layouts = layouts(2, 2, chief_ip="10.77.0.1")
    started = [
        start(
            layout,
            *SCENARIOS,
            prefix=["ip", "netns", "exec", two_machines[layout["cross_rank"]]],
            PEDL2DET_CLUSTER_KEY=key,
        )
        for layout in all_layouts
    ]
    said = [ends(process) for process in started]
    check_collectives(said)
    _, large, others_order, late, _ = zip(*said[:3], strict=True)
    for outcome in large:
        assert max(outcome["result"].values()) < 60
    for outcome in others_order:
        assert "called different collectives" in outcome["error"]
    for outcome in late:
        assert outcome["result"] == [0, 1, 2, 3]
        assert outcome["seconds"] > 9
    *_, last = said
    assert len(last) == 4  # killed in the fifth
    for outcomes in said[:3]:
        assert "process 3 is gone" in outcomes[4]["error"]
        assert outcomes[4]["seconds"] < 30


@pytest.mark.slow
def test_silence_is_noticed_over_a_cut_cable(two_machines: list[str]) -> None:
    key = new_key()
    chief, other = (
        start(
            layout,
            "on_signal",
            prefix=["ip", "netns", "exec", two_machines[layout["cross_rank"]]],
            PEDL2DET_CLUSTER_KEY=key,
        )
        for layout in layouts(1, 2, chief_ip="10.77.0.1")
    )
    assert chief.stdout is not None and chief.stdout.readline() == '"ready"\n'
    ip("-n", two_machines[0], "link", "set", "v0", "down")
    cut = time.monotonic()
    assert "process 1 is gone" in ends(chief)[-1]["error"]
    assert "the chief (process 0, 10.77.0.1" in ends(other)[-1]["error"]
    assert time.monotonic() - cut < 30


def test_a_killed_process_is_noticed_although_a_child_of_it_lives() -> None:
    *others, dead = run(layouts(3), "dies_with_a_child")
    assert dead == []
    for (outcome,) in others:
        assert "process 2 is gone" in outcome["error"]
        assert outcome["seconds"] < 10


def test_several_hosts_on_one_machine_need_neither_a_key_nor_ports_of_their_own() -> None:
    all_layouts = layouts(2, 2, chief_ip="localhost")
    check_collectives(run(all_layouts, "all_collectives", PEDL2DET_CLUSTER_KEY=""))
