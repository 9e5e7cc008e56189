"""One process of a run, for the tests: makes contexts, does what it is told, prints what happened.

    python a_process.py LAYOUT SCENARIO...

Each scenario gets a context of its own. Needs no TensorFlow.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from pedl2det_runtime.distributed import DistributedContext
from pedl2det_runtime.errors import Pedl2DetError

LARGE = 100_000_000


def all_collectives(context: DistributedContext) -> dict[str, Any]:
    """Each method once, with values that tell who gave them."""
    rank = context.get_rank()
    return {
        "gather": context.gather(("g", rank)),
        "gather_local": context.gather_local(("gl", rank)),
        "allgather": context.allgather({"rank": rank}),
        "allgather_local": context.allgather_local(None),
        "broadcast": context.broadcast(f"from {rank}"),
        "broadcast_local": context.broadcast_local(f"from {rank}"),
        "broadcast_local_of_nothing": context.broadcast_local(),
    }


def many(context: DistributedContext) -> bool:
    """Collectives one after the other, whose answers all differ."""
    size = context.get_size()
    return all(
        context.allgather((turn, context.rank)) == [(turn, rank) for rank in range(size)]
        and context.broadcast(turn if context.rank == 0 else None) == turn
        for turn in range(50)
    )


def large(context: DistributedContext) -> dict[str, float]:
    """100 MB from the chief to all, and from the last to all."""
    stuff = bytes(range(256)) * (LARGE // 256)
    begin = time.monotonic()
    down = context.broadcast(stuff if context.rank == 0 else None)
    middle = time.monotonic()
    up = context.allgather(stuff if context.rank == context.size - 1 else None)[-1]
    end = time.monotonic()
    assert down == up == stuff
    return {"broadcast": middle - begin, "allgather": end - middle}


def sizes(context: DistributedContext) -> bool:
    """Objects that just fit into a frame of 4 MiB, and that do not."""
    mib = 1 << 20
    for size in (0, 1, 4 * mib - 100, 4 * mib, 4 * mib + 1, 9 * mib):
        own = bytes([context.rank]) * size
        assert context.allgather(own) == [bytes([rank]) * size for rank in range(context.size)]
    return True


def same_ports(context: DistributedContext) -> bool:
    """More contexts at the ports of the first, whose chief closes each later than the others."""
    for _ in range(3):
        if context.rank == 0:
            time.sleep(0.3)
        context.close()
        context = DistributedContext(**json.loads(sys.argv[1]))
        assert len(context.allgather(context.rank)) == context.size
    return True


def others_order(context: DistributedContext) -> Any:
    """The last process calls something else."""
    return context.gather(1) if context.rank == context.size - 1 else context.allgather(1)


def unpicklable(context: DistributedContext) -> Any:
    """The last process gives what cannot be sent."""
    return context.allgather((lambda: 0) if context.rank == context.size - 1 else 0)


def leaves(context: DistributedContext) -> Any:
    """The last process closes its context, the others go on."""
    if context.rank == context.size - 1:
        context.close()
        context.close()
    return context.allgather(1)


def late(context: DistributedContext) -> Any:
    """The last process comes 10 s after the others."""
    if context.rank == context.size - 1:
        time.sleep(10)
    return context.allgather(context.rank)


def too_late(context: DistributedContext) -> Any:
    """The last process lives, and never comes."""
    if context.rank == context.size - 1:
        time.sleep(float(os.environ["PEDL2DET_PATIENCE"]) + 1.5)
        return None
    return context.allgather(1)


def dies(context: DistributedContext) -> Any:
    """The last process is killed, the others wait for it."""
    return _killed(context, context.size - 1)


def dies_while_the_chief_computes(context: DistributedContext) -> Any:
    """The last process is killed; the chief calls 2 s after the others."""
    if context.rank == 0:
        time.sleep(2)
    return _killed(context, context.size - 1)


def chief_dies(context: DistributedContext) -> Any:
    """The chief is killed, the others wait for it."""
    return _killed(context, 0)


def dies_with_a_child(context: DistributedContext) -> Any:
    """The last process is killed, and a child of it goes on: its connections stay open."""
    if context.rank == context.size - 1 and os.fork() == 0:
        os.closerange(0, 3)  # whoever reads what this process prints must not wait for the child
        time.sleep(25)
        os._exit(0)
    return _killed(context, context.size - 1)


def on_signal(context: DistributedContext) -> Any:
    """Collectives until a line on standard input says that it is enough."""
    print(json.dumps("ready"), flush=True)
    turns = 0
    while not context.broadcast(turns > 0 and _told() if context.rank == 0 else None):
        assert context.allgather((turns, context.rank)) == [
            (turns, rank) for rank in range(context.size)
        ]
        turns += 1
    return turns > 0


def interrupted(context: DistributedContext) -> Any:
    """Ctrl-C in the middle of a collective of the first; the last asks later."""
    if context.rank == context.size - 1:
        time.sleep(1.5)
        return context.allgather(1)
    if context.rank == 0:
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        return context.allgather(1)
    except KeyboardInterrupt:
        return context.allgather(2)


def _told() -> bool:
    import select

    return bool(select.select([sys.stdin], [], [], 0)[0])


def _killed(context: DistributedContext, rank: int) -> Any:
    if context.rank == rank:
        os.kill(os.getpid(), signal.SIGKILL)
    return context.allgather(1)


def tried(do: Callable[[], Any]) -> dict[str, Any]:
    """What came of it, and how long it took."""
    begin = time.monotonic()
    try:
        result: dict[str, Any] = {"result": do()}
    except Pedl2DetError as error:
        result = {"error": f"{type(error).__name__}: {error}"}
    return {**result, "seconds": time.monotonic() - begin}


def main() -> None:
    """Print one line of JSON for each scenario."""
    layout = json.loads(sys.argv[1])
    for number, name in enumerate(sys.argv[2:]):

        def scenario(name: str = name, number: int = number) -> Any:
            with DistributedContext(**layout, port_offset=2 * number) as context:
                return globals()[name](context)

        print(json.dumps(tried(scenario)), flush=True)


if __name__ == "__main__":
    main()
