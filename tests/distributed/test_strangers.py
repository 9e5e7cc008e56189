"""Somebody who is not of the run connects to its port: refused, nothing read, nobody disturbed."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import socket
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from pedl2det_runtime.distributed import new_key
from pedl2det_runtime.distributed.connections import REFUSED, connect
from processes import ends, layouts, run, start


class Trap:
    """Whoever unpickles it makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    return tmp_path / "somebody-unpickled-this"


class Attack:
    """Connects to a port in every way that a stranger has.

    Args:
        port: of the run.
        trap: what to send.
    """

    def __init__(self, port: int, trap: Path) -> None:
        self.port = port
        self.gift = pickle.dumps(Trap(trap))
        self.accepted = 0

    def once(self) -> None:
        """All of it, side by side."""
        threads = [threading.Thread(target=one) for one in (self.garbage, self.guess, self.skip)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def garbage(self) -> None:
        """Bytes that are no protocol, half a greeting, and a message that claims to be huge."""
        huge = (1 << 30).to_bytes(4, "big") + self.gift
        for data in (self.gift * 100, b"GET / HTTP/1.1\r\n\r\n", b"\xff\x00", huge):
            with (
                contextlib.suppress(ConnectionError, TimeoutError),
                socket.create_connection(("127.0.0.1", self.port), timeout=1) as stranger,
            ):
                stranger.settimeout(0.3)
                stranger.sendall(data)
                while stranger.recv(1000):
                    pass

    def guess(self) -> None:
        """The protocol of a run, with another key."""
        with contextlib.suppress(*REFUSED):
            connect(("127.0.0.1", self.port), bytes.fromhex(new_key()), b"[1, 3]")
            self.accepted += 1

    def skip(self) -> None:
        """Messages of our own protocol, without a proof."""
        with contextlib.suppress(*REFUSED):
            there = socket.create_connection(("127.0.0.1", self.port), timeout=1)
            connection = Connection(there.detach())
            label = {"step": {"number": 1, "collective": "allgather"}, "size": 1, "wrong": None}
            for data in (b"[1, 3]", b"object", json.dumps(label).encode(), b"object", self.gift):
                connection.send_bytes(data)
            connection.recv_bytes()  # the challenge
            answer = connection.recv_bytes()
            self.accepted += b"FAILURE" not in answer


def test_strangers_are_refused_and_the_others_go_on(trap: Path) -> None:
    key = new_key()
    chief_layout, *other_layouts = layouts(3)
    attack = Attack(chief_layout["pub_port"], trap)
    chief = start(chief_layout, "on_signal", PEDL2DET_CLUSTER_KEY=key)
    listening(attack.port)
    attack.once()
    others = [start(layout, "on_signal", PEDL2DET_CLUSTER_KEY=key) for layout in other_layouts]
    assert chief.stdout is not None and chief.stdout.readline() == '"ready"\n'
    attack.once()
    assert chief.poll() is None
    assert chief.stdin is not None
    chief.stdin.write("enough\n")
    chief.stdin.flush()
    assert ends(chief)[-1]["result"] is True
    assert [ends(other)[-1]["result"] for other in others] == [True, True]
    assert attack.accepted == 0
    assert not trap.exists()


def test_a_stranger_cannot_fill_the_memory_nor_hold_the_others_up() -> None:
    chief_layout, other_layout = layouts(2)
    key, port = new_key(), chief_layout["pub_port"]
    chief = start(chief_layout, "many", PEDL2DET_CLUSTER_KEY=key, PEDL2DET_PATIENCE="60")
    listening(port)
    silent = [socket.create_connection(("127.0.0.1", port), timeout=5) for _ in range(20)]
    with socket.create_connection(("127.0.0.1", port), timeout=5) as stranger:
        stranger.sendall((1 << 30).to_bytes(4, "big") + bytes(1000))
        with contextlib.suppress(ConnectionResetError):
            while stranger.recv(1000):  # the challenge, then the end
                pass
    (outcome,) = ends(start(other_layout, "many", PEDL2DET_CLUSTER_KEY=key))
    assert outcome["result"] is True and outcome["seconds"] < 10
    assert ends(chief)[0]["result"] is True
    for one in silent:
        one.close()


def test_the_trap_works(trap: Path) -> None:
    pickle.loads(pickle.dumps(Trap(trap)))
    assert trap.exists()


def listening(port: int) -> None:
    """Wait until somebody listens."""
    for _ in range(100):
        with contextlib.suppress(ConnectionError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)
    raise AssertionError(f"nobody listens at {port}")


@contextlib.contextmanager
def somebody_on(port: int) -> Iterator[None]:
    """Somebody else who takes a port first and answers whoever comes with nonsense."""
    with socket.create_server(("127.0.0.1", port)) as server:
        over = threading.Event()

        def serve() -> None:
            server.settimeout(0.1)
            while not over.is_set():
                with contextlib.suppress(TimeoutError, ConnectionError):
                    client, _ = server.accept()
                    client.sendall(b"nonsense\r\n" * 100)
                    client.close()

        thread = threading.Thread(target=serve)
        thread.start()
        yield
        over.set()
        thread.join()


def test_a_port_that_somebody_took_first_is_an_error_that_says_so() -> None:
    chief, other = layouts(2)
    key = new_key()
    with somebody_on(chief["pub_port"]):
        listeners = [
            start(layout, "many", PEDL2DET_CLUSTER_KEY=key, PEDL2DET_PATIENCE="2")
            for layout in (chief, other)
        ]
        first, second = (ends(process)[0]["error"] for process in listeners)
    assert "another process listens there already" in first
    assert "port_offset" in first
    assert "do not accept each other" in second or "nothing came from the chief" in second


def test_the_ports_of_a_run_that_has_met_are_free_for_another() -> None:
    all_layouts = layouts(2)
    first = [start(layout, "on_signal") for layout in all_layouts]
    chief = first[0]
    assert chief.stdout is not None and chief.stdout.readline() == '"ready"\n'
    assert [outcome["result"] for (outcome,) in run(all_layouts, "many")] == [True, True]
    assert chief.stdin is not None
    chief.stdin.write("enough\n")
    chief.stdin.flush()
    assert [ends(process)[-1]["result"] for process in first] == [True, True]


def test_processes_with_different_keys_do_not_accept_each_other() -> None:
    chief, other = (
        start(layout, "many", PEDL2DET_CLUSTER_KEY=new_key(), PEDL2DET_PATIENCE="4")
        for layout in layouts(2)
    )
    assert "waited 4 s for process 1" in ends(chief)[0]["error"]
    assert "their keys differ" in ends(other)[0]["error"]


@pytest.mark.parametrize("key", ["abc", "0" * 62, "z" * 64])
def test_a_malformed_key_says_how_to_make_one(key: str) -> None:
    (outcome,) = run(layouts(2)[:1], "many", PEDL2DET_CLUSTER_KEY=key)[0]
    assert "d.new_key())" in outcome["error"]
