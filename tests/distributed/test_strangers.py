"""Somebody who is not of the run connects to its port: refused, nothing read, nobody disturbed."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pedl2det_runtime.distributed import keys, new_key
from processes import ends, layouts, run, start

zmq = pytest.importorskip("zmq")
monitor = pytest.importorskip("zmq.utils.monitor")
z85 = pytest.importorskip("zmq.utils.z85")


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
        key: that of the run, of which strangers may know the public half of the server's.
    """

    def __init__(self, port: int, trap: Path, key: str) -> None:
        self.port = port
        self.gift = pickle.dumps(Trap(trap))
        self.key = key
        self.accepted = 0

    def once(self) -> None:
        """All of it, side by side."""
        attempts: list[Callable[[], None]] = [
            self.garbage,
            lambda: self.socket(zmq.DEALER),
            lambda: self.socket(zmq.PUSH),
            lambda: self.socket(zmq.DEALER, server=new_key(), client=new_key()),
            lambda: self.socket(zmq.DEALER, server=self.key, client=new_key()),
        ]
        threads = [threading.Thread(target=attempt) for attempt in attempts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def garbage(self) -> None:
        """Bytes that are no protocol, half a greeting, and a frame that claims to be huge."""
        greeting = b"\xff" + bytes(8) + b"\x7f\x03\x01NULL" + bytes(48)
        huge = greeting + b"\x06" + b"\x7f" + b"\xff" * 7 + self.gift
        for data in (self.gift * 100, b"GET / HTTP/1.1\r\n\r\n", b"\xff\x00", huge):
            with (
                contextlib.suppress(ConnectionError, TimeoutError),
                socket.create_connection(("127.0.0.1", self.port), timeout=1) as stranger,
            ):
                stranger.settimeout(0.3)
                stranger.sendall(data)
                while stranger.recv(1000):
                    pass

    def socket(self, kind: int, server: str | None = None, client: str | None = None) -> None:
        """Messages of our own protocol, by somebody without the key."""
        with zmq.Context() as context, context.socket(kind) as stranger:
            stranger.linger = 0
            if server is not None and client is not None:
                secret = z85.encode(derived(client).workers)
                stranger.curve_serverkey = zmq.curve_public(z85.encode(derived(server).chief))
                stranger.curve_publickey, stranger.curve_secretkey = (
                    zmq.curve_public(secret),
                    secret,
                )
            stranger.routing_id = b"1/3/stranger"
            events = stranger.get_monitor_socket()
            stranger.connect(f"tcp://127.0.0.1:{self.port}")
            label = {"step": {"number": 1, "collective": "allgather"}, "size": 1, "wrong": None}
            for message in (
                [self.gift],
                [b"object", json.dumps(label).encode()],
                [b"object", self.gift],
                [b"failure", b"it is over"],
                [b"alive"],
            ):
                with contextlib.suppress(zmq.Again):
                    stranger.send_multipart(message, flags=zmq.NOBLOCK)
            until = time.monotonic() + 0.7
            while time.monotonic() < until:
                if events.poll(100):
                    event = monitor.recv_monitor_message(events)["event"]
                    self.accepted += event == zmq.EVENT_HANDSHAKE_SUCCEEDED
            stranger.disable_monitor()
            events.close(linger=0)


def derived(key: str) -> keys.Keys:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(keys.KEY_VARIABLE, key)
        return keys.find_keys(is_one_machine=False)


def test_strangers_are_refused_and_the_others_go_on(trap: Path) -> None:

    key = new_key()
    chief_layout, *other_layouts = layouts(3, force_tcp=True)
    attack = Attack(chief_layout["pub_port"], trap, key)
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


def test_a_stranger_cannot_fill_the_memory() -> None:
    layout = layouts(2, force_tcp=True)[0]
    chief = start(layout, "many", PEDL2DET_CLUSTER_KEY=new_key(), PEDL2DET_PATIENCE="60")
    listening(layout["pub_port"])
    with socket.create_connection(("127.0.0.1", layout["pub_port"]), timeout=5) as stranger:
        stranger.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x01CURVE" + bytes(47))
        assert len(stranger.recv(64, socket.MSG_WAITALL)) == 64  # its greeting: it takes ours
        stranger.sendall(b"\x06" + (16 << 30).to_bytes(8, "big"))
        with contextlib.suppress(ConnectionResetError):
            assert stranger.recv(1) == b""  # sooner than the handshake would have to be over
    assert chief.poll() is None
    chief.kill()
    chief.communicate()


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
    chief, other = layouts(2, force_tcp=True)
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


def test_two_runs_of_one_user_do_not_take_each_others_sockets() -> None:
    all_layouts = layouts(2)
    first = [start(layout, "on_signal") for layout in all_layouts]
    chief = first[0]
    assert chief.stdout is not None and chief.stdout.readline() == '"ready"\n'
    (second,) = ends(start(all_layouts[0], "many"))
    assert "another process listens there already" in second["error"]
    assert chief.stdin is not None
    chief.stdin.write("enough\n")
    chief.stdin.flush()
    assert [ends(process)[-1]["result"] for process in first] == [True, True]


def test_processes_with_different_keys_do_not_accept_each_other() -> None:
    chief, other = (
        start(layout, "many", PEDL2DET_CLUSTER_KEY=new_key(), PEDL2DET_PATIENCE="4")
        for layout in layouts(2, force_tcp=True)
    )
    assert "waited 4 s for process 1" in ends(chief)[0]["error"]
    assert "their keys differ" in ends(other)[0]["error"]


@pytest.mark.parametrize("key", ["abc", "0" * 62, "z" * 64])
def test_a_malformed_key_says_how_to_make_one(key: str) -> None:
    (outcome,) = run(layouts(2, force_tcp=True)[:1], "many", PEDL2DET_CLUSTER_KEY=key)[0]
    assert "d.new_key())" in outcome["error"]


def test_keys_follow_from_the_secret_alone() -> None:
    key = new_key()
    assert len(bytes.fromhex(key)) == 32
    assert derived(key) == derived(key) != derived(new_key())
    assert key not in (derived(key).chief.hex(), derived(key).workers.hex())
    assert derived(key).chief != derived(key).workers
